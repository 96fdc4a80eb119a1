package question

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
	"parley/core/strict"
)

// Model returns the pod that Fit copies: the pod with this name, NAMESPACE/NAME, or else one that
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
	// A pod has what is added when pods are made, as a sidecar, and its template has not.
	made := fromTemplate(own)
	for i := range c.Pods {
		p := &c.Pods[i]
		if made.Node != kube.Nowhere && p.Created < made.Created || p.Namespace != own.Namespace ||
			p.Owner != (kube.Owner{Kind: own.Kind, Name: own.Name}) && p != newest {
			continue
		}
		hash, _ := p.Labels.Get("controller-revision-hash")
		current := own.Kind == "ReplicaSet" || own.Update != "" && own.Update == hash
		if current && covers(p.Spec.Requests, own.Template.Requests) || own.Update == "" &&
			slices.Equal(p.Spec.Requests, own.Template.Requests) {
			made = p
		}
	}
	return made
}

// Nearest returns the workload or pod whose name is nearest to one that the cluster does not have, as NAMESPACE/NAME;
// "" if none is near.
func Nearest(c *kube.Cluster, name string) string {
	var all []string
	for i := range c.Workloads {
		all = append(all, c.Workloads[i].Namespace+"/"+c.Workloads[i].Name)
	}
	for i := range c.Pods[:min(len(c.Pods), 1000)] {
		all = append(all, c.Pods[i].Full())
	}
	own := name[strings.LastIndexByte(name, '/')+1:]
	for _, full := range all { // in another namespace, or written with its kind
		if strings.HasSuffix(full, "/"+own) {
			return full
		}
	}
	if near := strict.Nearest(name, all); near != "" && strict.Distance(near, name) <= 1+len(name)/6 {
		return near
	}
	return ""
}

// makers are the kinds of workloads, in the order in which one of two with the same name is meant.
var makers = map[string]int{"Deployment": 0, "StatefulSet": 1, "DaemonSet": 2, "ReplicaSet": 3, "ReplicationController": 4, "CronJob": 5, "Job": 6, "Rollout": 7}

// fromTemplate returns a pod as a workload would make it.
func fromTemplate(w *kube.Workload) *kube.Pod {
	p := &kube.Pod{
		Namespace: w.Namespace, Name: w.Name, Labels: w.Labels, Spec: w.Template, Node: kube.Nowhere,
		Owner: kube.Owner{Kind: w.Kind, Name: w.Name}, Claims: slices.Clone(w.PodClaims),
	}
	if w.Kind == "Deployment" || w.Kind == "Rollout" { // its ReplicaSet adds a label that no older pod has
		if _, has := p.Labels.Get(hashLabel); !has {
			p.Labels = kube.NewLabels(map[string]string{hashLabel: "of the next ReplicaSet"})
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

// hashLabel has another value for the pods of each revision of a Deployment.
const hashLabel = "pod-template-hash"

// copies are pods to place that are like one, with claims of their own where each pod of its
// workload has them.
type copies struct {
	pods    []kube.Pod
	claims  []kube.Claim        // of the copies
	classes []kube.StorageClass // of claims that would be bound before their pod has a node
	shared  []string            // claims that all copies use
	own     int                 // claims that each copy has
	unknown int                 // claims that cannot be copied: the dump does not say their class
}

// copied returns n copies of a pod.
func (a *asked) copied(pod kube.Pod, n int) *copies {
	out := &copies{pods: make([]kube.Pod, n)}
	var templates []kube.Claim
	for i := range a.c.Workloads {
		if w := &a.c.Workloads[i]; w.Namespace == pod.Namespace && w.Kind == pod.Owner.Kind &&
			w.Name == pod.Owner.Name {
			templates = w.Claims
		}
	}
	var each []kube.Claim
	for k, name := range pod.Claims {
		ephemeral, base, isOwn := k >= len(pod.Claims)-pod.Ephemeral, (*kube.Claim)(nil), false
		for i := range a.c.Claims {
			if x := &a.c.Claims[i]; x.Namespace == pod.Namespace && x.Name == name {
				base = x
			}
		}
		for i := range templates {
			if isOwn = isOwn || name == templates[i].Name+"-"+pod.Name; isOwn && base == nil {
				base = &templates[i]
			}
		}
		isOwn = isOwn || ephemeral || pod.Owner.Kind == "StatefulSet" && strings.HasSuffix(name, "-"+pod.Name)
		switch {
		case !isOwn && (base != nil || len(a.c.Claims) > 0):
			out.shared = append(out.shared, name)
		case base == nil:
			out.unknown++
		default:
			if one, known := a.fresh(base, out); known {
				each = append(each, one)
			} else {
				out.unknown++
			}
		}
	}
	out.own = len(each)
	pod.NodeName, pod.Node, pod.Deleted, pod.Nominated, pod.Ephemeral = "", kube.Nowhere, 0, "", 0
	if pod.DaemonSet() {
		pod.Spec = plane.Tolerating(anywhere(pod.Spec))
	}
	for i := range out.pods {
		pod.Claims = out.shared
		for k := range each {
			one := each[k]
			one.Name = fmt.Sprintf("%s/copy %d", one.Name, i) // no name of an object has these signs
			out.claims = append(out.claims, one)
			pod.Claims = append(slices.Clone(pod.Claims), one.Name)
		}
		out.pods[i] = pod
	}
	return out
}

// fresh returns a claim like another, not bound yet, and whether its class is known.
func (a *asked) fresh(base *kube.Claim, into *copies) (kube.Claim, bool) {
	one := *base
	one.Volume, one.Completed, one.SelectedNode, one.Lost, one.Deleted = "", false, "", false, false
	var class *kube.StorageClass
	for i := range a.c.StorageClasses {
		if s := &a.c.StorageClasses[i]; s.Name == one.Class && one.HasClass || s.Default && !one.HasClass {
			class = s
		}
	}
	if class == nil {
		return one, false
	}
	if one.Class = class.Name; !class.Wait {
		late := *class
		late.Name, late.Wait = class.Name+"/late", true
		one.Class = late.Name
		into.classes = append(into.classes, late)
	}
	return one, true
}

// cluster returns the cluster with the copies and their claims.
func (x *copies) cluster(c *kube.Cluster) *kube.Cluster {
	d := *c.With(nil, x.pods)
	d.Claims, d.StorageClasses = slices.Concat(c.Claims, x.claims), slices.Concat(c.StorageClasses, x.classes)
	return &d
}

// once are the volumes that one node at a time can attach, with the node that has each.
type once struct {
	users map[[2]string][]int
	waits map[int]bool // pods that have not got their volume
}

// attachedOnce finds the claims of a cluster whose volumes one node at a time can attach, and the
// pods that use each.
func attachedOnce(c *kube.Cluster) *once {
	o := &once{users: map[[2]string][]int{}, waits: map[int]bool{}}
	single := c.AttachedOnce()
	for i := range c.Pods {
		p := &c.Pods[i]
		for _, name := range p.Claims {
			if key := [2]string{p.Namespace, name}; single[key] && (!p.Terminating() || p.Owner.Kind == "StatefulSet") {
				o.users[key] = append(o.users[key], i)
			}
		}
	}
	return o
}

// elsewhere returns another pod that uses a volume of a pod on another node than at, and the
// claim; -1 if none does. The attach-detach controller then keeps the pod from starting
// (Multi-Attach error), which the scheduler does not look at.
func (o *once) elsewhere(s *constraint.State, pod, at int) (other int, claim string) {
	p := &s.Cluster().Pods[pod]
	for _, name := range p.Claims {
		for _, user := range o.users[[2]string{p.Namespace, name}] {
			if on := s.On(user); user != pod && !o.waits[user] && on != kube.Nowhere && on != at {
				return user, name
			}
		}
	}
	return -1, ""
}

// platforms says on which operating systems and processors workloads run.
type platforms struct {
	mixed map[string]bool                 // labels that have different values on different nodes
	runs  map[workload]map[[2]string]bool // values of labels of nodes where ready pods of a workload are
	keep  *kube.Owners
}

type workload struct {
	namespace string
	kube.Owner
}

// newPlatforms looks where the pods of a cluster run.
func newPlatforms(c *kube.Cluster) *platforms {
	f := &platforms{mixed: map[string]bool{}, runs: map[workload]map[[2]string]bool{}, keep: kube.NewOwners(c)}
	first := map[string]string{}
	for i := range c.Nodes {
		for _, label := range platformLabels {
			if v := label.of(&c.Nodes[i]); v != "" {
				f.mixed[label.key] = f.mixed[label.key] || first[label.key] != "" && first[label.key] != v
				first[label.key] = v
			}
		}
	}
	if len(f.mixed) == 0 {
		return f
	}
	for i := range c.Pods {
		p := &c.Pods[i]
		if p.Node == kube.Nowhere || !p.Ready {
			continue
		}
		w := workload{p.Namespace, f.keep.Of(p)}
		if f.runs[w] == nil {
			f.runs[w] = map[[2]string]bool{}
		}
		for _, label := range platformLabels {
			f.runs[w][[2]string{label.key, label.of(&c.Nodes[p.Node])}] = true
		}
	}
	return f
}

var platformLabels = []struct {
	key, old, what string
	of             func(*kube.Node) string
}{
	{kube.OSLabel, "beta.kubernetes.io/os", "operating system", (*kube.Node).OS},
	{kube.ArchLabel, "beta.kubernetes.io/arch", "processor architecture", (*kube.Node).Arch},
}

// foreign returns why a pod would not start on a node that its spec lets it run on: "" if nothing
// speaks against it, else "operating system" or "processor architecture". A pod that selects
// neither runs where ready pods of its workload do; if there are none, under Linux.
func (f *platforms) foreign(p *kube.Pod, n *kube.Node) string {
	for _, label := range platformLabels {
		value := label.of(n)
		if !f.mixed[label.key] || value == "" || selects(p.Spec, label.key) || selects(p.Spec, label.old) {
			continue
		}
		runs := f.runs[workload{p.Namespace, f.keep.Of(p)}]
		if runs[[2]string{label.key, value}] {
			continue
		}
		if len(runs) > 0 || label.key == kube.OSLabel && value != "linux" {
			return label.what
		}
	}
	return ""
}

// selects reports whether a pod requires anything of a label of its node.
func selects(s *kube.Spec, key string) bool {
	if _, has := s.NodeSelector.Get(key); has {
		return true
	}
	if s.NodeRequired == nil {
		return false
	}
	return !slices.ContainsFunc(s.NodeRequired.Terms, func(t kube.NodeTerm) bool {
		return !slices.ContainsFunc(t.Labels, func(r kube.Requirement) bool { return r.Key == key })
	})
}
