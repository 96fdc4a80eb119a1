package dump

import (
	"slices"
	"strconv"

	"parley/core/kube"
)

// maxListed limits the pods that an Unmodelled lists.
const maxListed = 1000

// finish links the objects, applies admission, and lists objects and fields that no constraint uses in Unmodelled.
// passed is the number of files of archives and folders that were skipped. It fails if no object was read, or if
// amounts add up to more than 62 bits. Call it once, at the end.
func (r *reader) finish(passed int) (*kube.Cluster, error) {
	c := r.cluster
	c.Pods, r.pods = slices.Concat(r.pods...), nil
	if len(c.Kinds) == 0 {
		reason := "holds no object of a cluster"
		if passed > 1 {
			reason = "and the other " + strconv.Itoa(passed-1) + " of its folder or archive hold no object of a cluster: .json, .yaml and .yml are looked into"
		}
		return nil, &Error{File: r.file, Reason: reason, Hint: hintDump}
	}
	if err := r.nothing(); err != nil {
		return nil, err
	}
	r.admit()
	defaultClass(c)
	if err := r.countable(); err != nil {
		return nil, err
	}
	c.Link()
	r.resizers()
	lastTries(c)
	c.Unmodelled = unmodelled(c)
	for _, value := range slices.Compact(slices.Sorted(slices.Values(r.strange))) {
		n := 0
		for _, other := range r.strange {
			if other == value {
				n++
			}
		}
		c.Unmodelled = append(c.Unmodelled, kube.Unmodelled{Subject: "values that are not known, which match nothing: " + value, Count: n})
	}
	if r.unnamed > 0 {
		c.Unmodelled = append(c.Unmodelled, kube.Unmodelled{Subject: "objects that state no kind and have no field by which it is known were passed over", Count: r.unnamed})
	}
	if passed > 0 {
		c.Unmodelled = append(c.Unmodelled, kube.Unmodelled{Subject: "files that hold no object of a cluster", Count: passed})
	}
	if r.applied > 0 {
		c.Unmodelled = append(c.Unmodelled, kube.Unmodelled{Subject: "objects of manifests that the dump has too, other than workloads: those of the dump count", Count: r.applied})
	}
	if r.again > 0 {
		c.Unmodelled = append(c.Unmodelled, kube.Unmodelled{Subject: "objects that the dump has twice: each was read once", Count: r.again})
	}
	return c, nil
}

// lastTries marks the pods whose eviction makes their Jobs fail.
func lastTries(c *kube.Cluster) {
	jobs := map[[2]string]bool{}
	for i := range c.Workloads {
		if w := &c.Workloads[i]; w.LastTry && !w.Done {
			jobs[[2]string{w.Namespace, w.Name}] = true
		}
	}
	for i := range c.Pods {
		p := &c.Pods[i]
		p.LastTry = p.Owner.Kind == "Job" && jobs[[2]string{p.Namespace, p.Owner.Name}]
	}
}

// defaultClass sets the default class, the newest if there are several, for claims of manifests that
// have neither a class nor a volume, as the control plane does.
func defaultClass(c *kube.Cluster) {
	var class *kube.StorageClass
	for i := range c.StorageClasses {
		if s := &c.StorageClasses[i]; s.Default && (class == nil || s.Created > class.Created) {
			class = s
		}
	}
	for i := range c.Claims {
		if claim := &c.Claims[i]; class != nil && !claim.HasClass && claim.Volume == "" {
			claim.Class, claim.HasClass = class.Name, true
		}
	}
}

// countable returns an error if amounts of a resource add up to more than can be counted.
func (r *reader) countable() error {
	const limit = 1 << 62
	for at, name := range r.cluster.Resources {
		nodes, pods := int64(0), int64(0)
		tooMuch := func(object, field string) error {
			return &Error{File: r.file, Object: object, Field: field + name, Reason: "adds up with those of the others to more than can be counted", Hint: "correct the amount, or leave the object out"}
		}
		for i := range r.cluster.Nodes {
			n := &r.cluster.Nodes[i]
			if nodes += n.Allocatable.At(at); nodes < 0 || nodes > limit {
				return tooMuch("Node "+n.Name, "status.allocatable.")
			}
		}
		for i := range r.cluster.Pods {
			p := &r.cluster.Pods[i]
			if pods += p.Spec.Requests.At(at); pods < 0 || pods > limit {
				return tooMuch("Pod "+p.Full(), "requests.")
			}
		}
	}
	return nil
}

// unmodelled returns the features of the dump that no constraint models, each with its number of pods and
// the first maxListed of them, or with its number of objects. Pods must be linked.
func unmodelled(c *kube.Cluster) (all []kube.Unmodelled) {
	pods := func(feature string, has func(*kube.Pod) bool) {
		u := kube.Unmodelled{Subject: feature}
		for i := range c.Pods {
			if has(&c.Pods[i]) {
				if u.Count++; len(u.Pods) < maxListed {
					u.Pods = append(u.Pods, i)
				}
			}
		}
		if u.Count > 0 {
			all = append(all, u)
		}
	}
	pods("pods with resource claims: devices of dynamic resource allocation are not counted", func(p *kube.Pod) bool { return p.Spec.ResourceClaims > 0 })
	pods(kube.OtherScheduler, func(p *kube.Pod) bool { return p.Spec.Scheduler != "default-scheduler" })
	pods("pods that run on a node that the dump does not have: they hold nothing", func(p *kube.Pod) bool { return p.NodeName != "" && p.Node == kube.Nowhere })
	pods("pods that preempted others and wait for the room: it is not held for them", func(p *kube.Pod) bool { return p.Pending() && p.Nominated != "" })
	for _, value := range unknownValues(c) {
		pods("pods with a value that is not known, which matches nothing: "+value, func(p *kube.Pod) bool { return slices.Contains(p.Spec.Unknown, value) })
	}
	claims := map[string]bool{}
	for i := range c.Claims {
		claims[c.Claims[i].Namespace+"/"+c.Claims[i].Name] = true
	}
	pods("pods whose claim the dump does not have: fetch persistentvolumeclaims too", func(p *kube.Pod) bool {
		for _, name := range p.Claims {
			if !claims[p.Namespace+"/"+name] {
				return true
			}
		}
		return false
	})
	for _, k := range c.Kinds {
		if reason := ignored[k.Kind]; reason != "" {
			all = append(all, kube.Unmodelled{Subject: reason, Count: k.Count})
		} else if _, known := kinds[k.Kind]; !known && k.Kind != "Event" {
			all = append(all, kube.Unmodelled{Subject: "objects of the kind " + k.Kind + " were passed over", Count: k.Count})
		}
	}
	return all
}

// unknownValues returns the fields of pods whose values are not known, sorted.
func unknownValues(c *kube.Cluster) (all []string) {
	for i := range c.Pods {
		for _, value := range c.Pods[i].Spec.Unknown {
			if !slices.Contains(all, value) {
				all = append(all, value)
			}
		}
	}
	slices.Sort(all)
	return all
}

// ignored are kinds that have an effect on a cluster which no question follows.
var ignored = map[string]string{
	"HorizontalPodAutoscaler": "autoscalers of pods: the number of replicas stays as it is in the dump",
	"VerticalPodAutoscaler":   "autoscalers of requests: requests stay as they are in the dump",
	"ResourceClaim":           "resource claims: devices of dynamic resource allocation are not counted",
	"ResourceSlice":           "resource slices: devices of dynamic resource allocation are not counted",
}
