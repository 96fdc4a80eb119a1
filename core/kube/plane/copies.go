package plane

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/kube"
)

// Copies are pods to place that are like one, with claims of their own where each pod of its
// workload has them.
type Copies struct {
	Pods    []kube.Pod
	Claims  []kube.Claim        // of the copies
	Classes []kube.StorageClass // of claims that would be bound before their pod has a node
	Shared  []string            // claims that all copies use
	Own     int                 // claims that each copy has
	Unknown int                 // claims that cannot be copied: the dump does not say their class
}

// CopiesOf returns n copies of a pod without a node. A claim that belongs to the pod alone, from a claim
// template or an ephemeral volume, is copied for each; other claims are shared. If the dump lacks such a
// claim or its class, the copies go without it and Unknown counts it. A pod of a DaemonSet is copied
// without the affinity to its node.
func CopiesOf(c *kube.Cluster, pod kube.Pod, n int) *Copies {
	out := &Copies{Pods: make([]kube.Pod, n)}
	var templates []kube.Claim
	for i := range c.Workloads {
		if w := &c.Workloads[i]; w.Namespace == pod.Namespace && w.Kind == pod.Owner.Kind &&
			w.Name == pod.Owner.Name {
			templates = w.Claims
		}
	}
	var each []kube.Claim
	for k, name := range pod.Claims {
		ephemeral, base, isOwn := k >= len(pod.Claims)-pod.Ephemeral, (*kube.Claim)(nil), false
		for i := range c.Claims {
			if x := &c.Claims[i]; x.Namespace == pod.Namespace && x.Name == name {
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
		case !isOwn && (base != nil || len(c.Claims) > 0):
			out.Shared = append(out.Shared, name)
		case base == nil:
			out.Unknown++
		default:
			if one, known := freshClaim(c, base, out); known {
				each = append(each, one)
			} else {
				out.Unknown++
			}
		}
	}
	out.Own = len(each)
	pod.NodeName, pod.Node, pod.Deleted, pod.Nominated, pod.Ephemeral = "", kube.Nowhere, 0, "", 0
	if pod.DaemonSet() {
		pod.Spec = Tolerating(Anywhere(pod.Spec))
	}
	for i := range out.Pods {
		pod.Claims = out.Shared
		for k := range each {
			one := each[k]
			one.Name = fmt.Sprintf("%s/copy %d", one.Name, i) // no name of an object has these signs
			out.Claims = append(out.Claims, one)
			pod.Claims = append(slices.Clone(pod.Claims), one.Name)
		}
		out.Pods[i] = pod
	}
	return out
}

// freshClaim returns an unbound claim like base, and whether the dump has its class. The scheduler needs a
// class that binds when a pod has a node: if the class binds at once, the claim refers to a copy of it that
// waits, which is added to into.Classes.
func freshClaim(c *kube.Cluster, base *kube.Claim, into *Copies) (kube.Claim, bool) {
	one := *base
	one.Volume, one.Completed, one.SelectedNode, one.Lost, one.Deleted = "", false, "", false, false
	var class *kube.StorageClass
	for i := range c.StorageClasses {
		if s := &c.StorageClasses[i]; s.Name == one.Class && one.HasClass || s.Default && !one.HasClass {
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
		into.Classes = append(into.Classes, late)
	}
	return one, true
}

// Cluster returns the cluster with the copies and their claims.
func (x *Copies) Cluster(c *kube.Cluster) *kube.Cluster {
	d := *c.With(nil, x.Pods)
	d.Claims, d.StorageClasses = slices.Concat(c.Claims, x.Claims), slices.Concat(c.StorageClasses, x.Classes)
	return &d
}
