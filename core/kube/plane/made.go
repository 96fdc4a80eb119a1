package plane

import (
	"cmp"
	"slices"
	"strings"

	"parley/core/kube"
)

// The pods that workloads make now: those of their newest templates, with each pod's own claims.
// (pkg/controller/deployment/sync.go, pkg/controller/statefulset/stateful_set_utils.go,
// pkg/controller/volume/ephemeral)

// Model returns the pod that a name means: the pod with this name, NAMESPACE/NAME, or else one that
// the workload with this name makes now, by its newest template or a pod of that. It is nil if the
// cluster has neither.
func Model(c *kube.Cluster, name string) *kube.Pod {
	keep := kube.NewOwners(c)
	var newest *kube.Pod // of an owner that the dump does not have
	for i := range c.Pods {
		p := &c.Pods[i]
		if p.Full() == name {
			return p
		}
		owned := p.Namespace+"/"+p.Owner.Name == name || p.Namespace+"/"+keep.Of(p).Name == name
		if owned && (newest == nil || p.Created >= newest.Created) {
			newest = p
		}
	}
	var own, set *kube.Workload // of this name, and its newest ReplicaSet
	for i := range c.Workloads {
		w := &c.Workloads[i]
		if w.Namespace+"/"+w.Name == name && (own == nil || makers[w.Kind] < makers[own.Kind]) {
			own = w
		}
	}
	for i := range c.Workloads {
		w := &c.Workloads[i]
		above := w.Owner.Name != "" && w.Namespace+"/"+w.Owner.Name == name && w.Kind == "ReplicaSet"
		if above && (set == nil || cmp.Or(cmp.Compare(w.Revision, set.Revision),
			cmp.Compare(w.Created, set.Created)) >= 0) {
			set = w
		}
	}
	switch {
	case own == nil:
		own = set
	case set != nil && set.Template == own.Template: // else its ReplicaSet is not made yet
		own = set
	}
	if own == nil || own.Template == nil {
		return newest
	}
	// The pod has additions of admission, such as a sidecar, that its template lacks.
	made := fromTemplate(own)
	for i := range c.Pods {
		p := &c.Pods[i]
		if made.Node != kube.Nowhere && p.Created < made.Created || p.Namespace != own.Namespace ||
			p.Owner != (kube.Owner{Kind: own.Kind, Name: own.Name}) && p != newest {
			continue
		}
		hash, _ := p.Labels.Get("controller-revision-hash")
		current := own.Kind == "ReplicaSet" || own.Update != "" && own.Update == hash
		if current && p.Spec.Requests.Covers(own.Template.Requests) || own.Update == "" &&
			slices.Equal(p.Spec.Requests, own.Template.Requests) {
			made = p
		}
	}
	return made
}

// makers are the kinds of workloads, in the order in which one of two with the same name is meant.
var makers = map[string]int{
	"Deployment": 0, "StatefulSet": 1, "DaemonSet": 2, "ReplicaSet": 3, "ReplicationController": 4, "CronJob": 5, "Job": 6,
	"Rollout": 7,
}

// fromTemplate returns a pod as a workload would make it.
func fromTemplate(w *kube.Workload) *kube.Pod {
	one := pattern(w)
	p := &one
	p.Name, p.Claims, p.Ephemeral = w.Name, slices.Clone(w.PodClaims), 0
	if w.Kind == "Deployment" || w.Kind == "Rollout" { // its ReplicaSet adds a label that no older pod has
		if _, has := p.Labels.Get(kube.HashLabel); !has {
			const next = "of the next ReplicaSet"
			p.Labels = kube.NewLabels(map[string]string{kube.HashLabel: next})
			p.Spec = rehash(p.Spec, "", next)
			p.Labels = append(p.Labels, w.Labels...)
			slices.SortFunc(p.Labels, func(a, b kube.Label) int { return strings.Compare(a.Key, b.Key) })
		}
	}
	for _, claim := range w.Claims {
		p.Claims = append(p.Claims, claim.Name+"-"+p.Name)
	}
	p.Claims, p.Ephemeral = append(p.Claims, w.Ephemeral...), len(w.Ephemeral)
	return p
}
