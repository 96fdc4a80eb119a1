package dump

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"parley/core/kube"
)

// meta has the used part of an object's metadata, and the fields spec and status of the object, null if it has none.
type meta struct {
	spec, status         gjson.Result
	namespace, name, uid string
	labels               gjson.Result
	annotations          map[string]string // those that decide
	version              uint64            // resourceVersion, 0 if it is not a number
	created, deleted     int64
	generation           int64
	owner                kube.Owner
}

func (m *meta) full() string {
	if m.namespace == "" {
		return m.name
	}
	return m.namespace + "/" + m.name
}

// Annotations that decide.
const (
	mirrorAnnotation        = "kubernetes.io/config.mirror"
	completedAnnotation     = "pv.kubernetes.io/bind-completed"
	selectedNodeAnnotation  = "volume.kubernetes.io/selected-node"
	safeToEvictAnnotation   = "cluster-autoscaler.kubernetes.io/safe-to-evict"
	safeVolumesAnnotation   = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"
	scaleDownAnnotation     = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
	doNotDisruptAnnotation  = "karpenter.sh/do-not-disrupt"
	doNotEvictAnnotation    = "karpenter.sh/do-not-evict"
	deletionCostAnnotation  = "controller.kubernetes.io/pod-deletion-cost"
	defaultClassAnnotation  = "storageclass.kubernetes.io/is-default-class"
	defaultClassAnnotation2 = "storageclass.beta.kubernetes.io/is-default-class"
	oldClassAnnotation      = "volume.beta.kubernetes.io/storage-class"
	revisionAnnotation      = "deployment.kubernetes.io/revision"
	rolloutAnnotation       = "rollout.argoproj.io/revision"
	machineSetAnnotation    = "cluster.x-k8s.io/owner-name" // of nodes that Cluster API makes
	projectAnnotation       = "openshift.io/node-selector"
	podSelectorAnnotation   = "scheduler.alpha.kubernetes.io/node-selector" // of the admission plugin PodNodeSelector
)

var decidingAnnotations = map[string]bool{
	mirrorAnnotation: true, completedAnnotation: true, selectedNodeAnnotation: true, safeToEvictAnnotation: true,
	safeVolumesAnnotation: true, scaleDownAnnotation: true, doNotDisruptAnnotation: true, doNotEvictAnnotation: true,
	deletionCostAnnotation: true, defaultClassAnnotation: true, defaultClassAnnotation2: true, oldClassAnnotation: true,
	revisionAnnotation: true, rolloutAnnotation: true, machineSetAnnotation: true,
	projectAnnotation: true, podSelectorAnnotation: true,
}

// metadata reads one field of an object's metadata into m. Annotations that affect no decision are skipped.
// An owner is the one with controller: true.
func (r *reader) metadata(m *meta, name string, v gjson.Result) {
	switch at := "metadata." + name; name {
	case "name":
		m.name = r.name(v, at)
	case "namespace":
		m.namespace = r.text(v, at)
	case "uid":
		if v.Type == gjson.String {
			m.uid = v.Str
		}
	case "resourceVersion":
		m.version, _ = strconv.ParseUint(v.Str, 10, 64)
	case "labels":
		m.labels = v
	case "creationTimestamp":
		m.created = r.moment(v, at)
	case "deletionTimestamp":
		m.deleted = r.moment(v, at)
	case "generation":
		m.generation = r.whole(v, at, 0, maxInt64)
	case "annotations":
		r.fields(v, at, func(name string, v gjson.Result) {
			if decidingAnnotations[name] {
				if m.annotations == nil {
					m.annotations = map[string]string{}
				}
				m.annotations[name] = r.text(v, at+"."+name)
			}
		})
	case "ownerReferences":
		r.list(v, at, func(v gjson.Result, at string) {
			var of [3]gjson.Result
			if pick(v, of[:], "controller", "kind", "name"); r.truth(of[0], at+".controller") {
				m.owner = kube.Owner{Kind: r.text(of[1], at+".kind"), Name: r.text(of[2], at+".name")}
			}
		})
	}
}

// yes reports whether an annotation is "true".
func (m *meta) yes(annotation string) bool { return m.annotations[annotation] == "true" }

// names splits a list with commas.
func names(list string) (all []string) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			all = append(all, name)
		}
	}
	return all
}
