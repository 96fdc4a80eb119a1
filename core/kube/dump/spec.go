package dump

import (
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"parley/core/kube"
)

// deciding are the fields of a pod's spec that decide where it may run. Containers and
// volumes decide by some of their fields.
var deciding = map[string]bool{
	"activeDeadlineSeconds": true, "affinity": true, "hostNetwork": true, "nodeSelector": true, "overhead": true, "preemptionPolicy": true, "priority": true,
	"priorityClassName": true, "resourceClaims": true, "resources": true, "runtimeClassName": true, "schedulerName": true, "schedulingGates": true,
	"terminationGracePeriodSeconds": true, "tolerations": true, "topologySpreadConstraints": true,
}

// Fields of containers and kinds of volumes that decide.
var (
	ofContainers = map[string]bool{"image": true, "name": true, "ports": true, "resources": true, "restartPolicy": true}
	ofVolumes    = map[string]bool{
		"awsElasticBlockStore": true, "csi": true, "emptyDir": true, "gcePersistentDisk": true, "hostPath": true, "iscsi": true, "rbd": true,
		"azureDisk": true, "cinder": true,
	}
)

// origin is of whom a Spec is read.
type origin struct {
	name     string // of the pod or the workload
	template bool
	// fresh is set for templates, and for manifests that the API server has not seen: admission is
	// still to be applied.
	fresh     bool
	namespace string
	labels    gjson.Result
	// hashed is set for the templates of Deployments and their ReplicaSets: the label kube.HashLabel of a pod is
	// that of the ReplicaSet that makes it, and no part of the template.
	hashed bool
}

// keys returns the labels from which matchLabelKeys of the pod's affinity take values, nil if the API server has
// merged them already. The hash of a ReplicaSet is "", since it is not known: plane puts it in its place.
func (r *reader) keys(of *origin) kube.Labels {
	if !of.fresh {
		return nil
	}
	labels := r.labels(of.labels, "metadata.labels")
	if !of.hashed {
		return labels
	}
	all := map[string]string{}
	for _, l := range labels {
		all[l.Key] = l.Value
	}
	all[kube.HashLabel] = ""
	return kube.NewLabels(all)
}

// podSpec returns the Spec of a pod or of a template; an earlier one if all fields that affect decisions
// have equal JSON. status is the pod's; at is the path of spec in error messages.
// claims are the names of the pod's claims, ephemeral those of its ephemeral volumes. After an error it
// returns nil for all.
func (r *reader) podSpec(spec gjson.Result, status podStatus, of origin, at string) (
	s *kube.Spec, claims, ephemeral []string,
) {
	key := append(r.key[:0], 'p')
	add := func(name, raw string) { key = append(append(append(append(key, name...), 0), raw...), 0) }
	if of.fresh {
		add("fresh", of.namespace)
		if strings.Contains(spec.Get("affinity").Raw, "atchLabelKeys") {
			for _, l := range r.keys(&of) {
				add(l.Key, l.Value)
			}
		}
	}
	r.fields(spec, at, func(name string, v gjson.Result) {
		switch {
		case deciding[name], name == "nodeName" && of.template:
			add(name, v.Raw)
		case name == "containers" || name == "initContainers":
			add(name, "")
			r.list(v, at+"."+name, func(v gjson.Result, at string) {
				add("{", "")
				r.fields(v, at, func(name string, v gjson.Result) {
					if ofContainers[name] && (name != "ports" || strings.Contains(v.Raw, "hostPort") || spec.Get("hostNetwork").Bool()) {
						add(name, v.Raw)
					}
				})
			})
		case name == "volumes":
			r.list(v, at+".volumes", func(v gjson.Result, at string) {
				own := r.text(v.Get("name"), at+".name")
				r.fields(v, at, func(name string, v gjson.Result) {
					switch {
					case ofVolumes[name]:
						add(own, name)
						add(own, v.Raw)
					case name == "persistentVolumeClaim":
						claims = append(claims, r.name(v.Get("claimName"), at+"."+name+".claimName"))
					case name == "ephemeral":
						ephemeral = append(ephemeral, of.name+"-"+own)
					}
				})
			})
		}
	})
	// The resources in a container's status count only during a resize.
	r.list(status.containers, "status.containerStatuses", func(v gjson.Result, _ string) { add("status", resizing(v)) })
	r.list(status.inits, "status.initContainerStatuses", func(v gjson.Result, _ string) { add("status", resizing(v)) })
	infeasible := strings.Contains(status.conditions.Raw, `"Infeasible"`) &&
		status.conditions.Get(`#(type=="PodResizePending").reason`).Str == "Infeasible"
	if infeasible {
		add("infeasible", "")
	}
	r.key = key
	if r.err != nil {
		return nil, nil, nil
	}
	if s, known := r.specs[string(key)]; known {
		return s, claims, ephemeral
	}
	s = r.newSpec(spec, status, of, at, infeasible)
	if of.template && s.PriorityClass == "" || s.PriorityClass != "" && !spec.Get("priority").Exists() {
		r.unranked = append(r.unranked, s)
	}
	r.specs[string(key)] = s
	return s, claims, ephemeral
}

// resizing returns the requests in a container's status, as JSON.
func resizing(status gjson.Result) string {
	var of [2]gjson.Result
	pick(status, of[:], "resources", "allocatedResources")
	return of[0].Get("requests").Raw + of[1].Raw
}

// defaultGrace is the grace period in seconds of a pod that names none.
// (pkg/apis/core/v1/defaults.go)
const defaultGrace = 30

// newSpec reads all fields of a pod's spec that affect decisions. infeasible means that the node refused a
// resize of the pod: the requests that it runs with count. Unknown lists the fields with unknown values.
// For a fresh spec admission is still due: it is added to r.late.
func (r *reader) newSpec(spec gjson.Result, status podStatus, of origin, at string, infeasible bool) *kube.Spec {
	s := &kube.Spec{Scheduler: "default-scheduler", Grace: defaultGrace}
	before := len(r.strange)
	var containers []container
	runtime, labels, home := "", r.keys(&of), (*kube.Requirement)(nil)
	r.fields(spec, at, func(name string, v gjson.Result) {
		switch at := at + "." + name; name {
		case "containers", "initContainers":
			r.list(v, at, func(v gjson.Result, at string) {
				containers = append(containers, r.container(s, v, at, name == "initContainers"))
			})
		case "volumes":
			r.list(v, at, func(v gjson.Result, at string) { r.volume(s, v, at) })
		case "nodeName":
			if one := r.text(v, at); of.template && one != "" { // its pods run there or nowhere
				home = &kube.Requirement{Key: "metadata.name", Op: kube.In, Values: []string{one}}
			}
		case "activeDeadlineSeconds":
			s.Deadline = v.Type != gjson.Null
		case "runtimeClassName":
			runtime = r.text(v, at)
		case "schedulerName":
			if v.Type != gjson.Null {
				s.Scheduler = r.text(v, at)
			}
		case "priority":
			s.Priority = int32(r.whole(v, at, -maxInt32-1, maxInt32))
		case "priorityClassName":
			s.PriorityClass = r.text(v, at)
		case "preemptionPolicy":
			s.NeverPreempts = r.text(v, at) == "Never"
		case "terminationGracePeriodSeconds":
			if v.Type != gjson.Null {
				s.Grace = r.whole(v, at, -1<<40, 1<<40)
			}
		case "hostNetwork":
			s.HostNetwork = r.truth(v, at)
		case "schedulingGates":
			r.list(v, at, func(v gjson.Result, at string) { s.Gates = append(s.Gates, r.text(v.Get("name"), at+".name")) })
		case "resourceClaims":
			r.list(v, at, func(gjson.Result, string) { s.ResourceClaims++ })
		case "nodeSelector":
			s.NodeSelector = r.labels(v, at)
		case "tolerations":
			r.list(v, at, func(v gjson.Result,
				at string,
			) {
				s.Tolerations = append(s.Tolerations, r.toleration(v, at))
			})
		case "topologySpreadConstraints":
			r.list(v, at, func(v gjson.Result, at string) { s.Spread = append(s.Spread, r.spread(v, at)) })
		case "affinity":
			r.affinity(s, v, at, labels)
		}
	})
	if home != nil {
		s.NodeRequired = &kube.NodeSelector{Terms: []kube.NodeTerm{{Fields: []kube.Requirement{*home}}}}
	}
	type stated struct {
		of     string
		status gjson.Result
	}
	states := map[string]stated{} // of the statuses of one name the last counts
	for i, of := range []gjson.Result{status.containers, status.inits} {
		of.ForEach(func(_, v gjson.Result) bool {
			states[v.Get("name").Str] = stated{[]string{"containerStatuses", "initContainerStatuses"}[i], v}
			return true
		})
	}
	s.Unknown = slices.Clone(r.strange[before:])
	r.strange = r.strange[:before]
	for i := range containers {
		c := &containers[i]
		if its, has := states[c.name]; has {
			c.status = its.status
			r.resized(c, infeasible, "status."+its.of+"["+c.name+"]")
		}
	}
	p := r.demand(containers, spec, at)
	p.requests(s)
	if s.HostNetwork {
		r.hostPorts(s, spec)
	}
	if of.fresh && r.err == nil {
		r.late = append(r.late, late{spec: s, namespace: of.namespace, runtime: runtime, demand: p})
	}
	return s
}

// container reads a container, adds its ports and its image to s, and returns its requests and limits. A
// request that is missing is the limit, as the API server fills it in. Ports of an init container do not
// count.
func (r *reader) container(s *kube.Spec, v gjson.Result, at string, init bool) container {
	c := container{init: init, requests: amounts{}, limits: amounts{}}
	s.Containers++
	r.fields(v, at, func(name string, v gjson.Result) {
		switch at := at + "." + name; name {
		case "name":
			c.name = r.text(v, at)
		case "image":
			s.Images = append(s.Images, r.image(tagged(v.Str)))
		case "restartPolicy":
			c.sidecar = init && r.text(v, at) == "Always"
		case "resources":
			c.limits = r.amounts(v.Get("limits"), at+".limits")
			c.requests = c.limits.copied() // the API server's default for missing requests
			maps.Copy(c.requests, r.amounts(v.Get("requests"), at+".requests"))
		case "ports":
			if !init {
				r.list(v, at, func(v gjson.Result, at string) { r.port(s, v, at) })
			}
		}
	})
	return c
}

// port adds a container's port to s if it takes a port of the node (hostPort).
func (r *reader) port(s *kube.Spec, v gjson.Result, at string) {
	p := kube.Port{Protocol: "TCP", IP: kube.AnyIP}
	r.fields(v, at, func(name string, v gjson.Result) {
		switch at := at + "." + name; name {
		case "hostPort":
			p.Number = int32(r.whole(v, at, 0, 65535))
		case "hostIP":
			if ip := r.text(v, at); ip != "" {
				p.IP = ip
			}
		case "protocol":
			if protocol := r.text(v, at); protocol != "" {
				p.Protocol = protocol
			}
		}
	})
	if p.Number > 0 {
		s.Ports = append(s.Ports, p)
	}
}

// volume adds a volume that affects decisions without a claim: directories of the node, inline CSI volumes
// and disks of the network. Others, such as secrets, are ignored.
func (r *reader) volume(s *kube.Spec, v gjson.Result, at string) {
	own := r.text(v.Get("name"), at+".name")
	disk := func(kind, id string, of gjson.Result) {
		d := kube.Disk{Kind: kind, ID: id, ReadOnly: r.truth(of.Get("readOnly"), at+".readOnly")}
		if kind == "rbd" {
			d.Monitors = r.textList(of.Get("monitors"), at+".rbd.monitors")
		}
		s.Disks = append(s.Disks, d)
	}
	r.fields(v, at, func(name string, v gjson.Result) {
		switch at := at + "." + name; name {
		case "emptyDir":
			if r.text(v.Get("medium"), at+".medium") == "Memory" {
				s.MemoryDirs = append(s.MemoryDirs, own)
			} else {
				s.EmptyDirs = append(s.EmptyDirs, own)
			}
		case "hostPath":
			s.HostPaths = append(s.HostPaths, own)
		case "csi":
			s.InlineCSI = append(s.InlineCSI, r.text(v.Get("driver"), at+".driver"))
		case "gcePersistentDisk", "awsElasticBlockStore", "iscsi", "azureDisk", "cinder":
			disk(name, r.text(v.Get(diskID[name]), at+"."+diskID[name]), v)
		case "rbd":
			pool := r.text(v.Get("pool"), at+".pool")
			if pool == "" {
				pool = "rbd"
			}
			disk("rbd", pool+"/"+r.text(v.Get("image"), at+".image"), v)
		}
	})
}

// diskID names the field that identifies a disk of each kind.
var diskID = map[string]string{
	"gcePersistentDisk": "pdName", "awsElasticBlockStore": "volumeID", "iscsi": "iqn", "azureDisk": "diskURI", "cinder": "volumeID",
}

// tagged returns the name of an image as nodes list it: with a tag or a digest.
func tagged(image string) string {
	if strings.LastIndex(image, ":") <= strings.LastIndex(image, "/") {
		return image + ":latest"
	}
	return image
}
