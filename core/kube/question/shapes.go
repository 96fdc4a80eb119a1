package question

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"parley/core/kube"
	"parley/core/kube/plane"
)

// maxShapes is how many kinds of nodes are tried.
const maxShapes = 60

// shapes returns the kinds of nodes of the cluster that the pending pods, or the DaemonSets that would run
// there, can distinguish: by group, machine type, zone, taints, labels that they select, size, and how many
// volumes they take. A ready node represents its kind if there is one. The shapes of NodePools that have no
// node follow. Nodes of the control plane count only if there are no others; virtual nodes never do.
func (a *query) shapes(pending []int) (out []Shape) {
	keys := a.selecting(pending)
	known := map[string]int{}
	limits := map[string]*kube.CSINode{}
	for i := range a.c.CSINodes {
		limits[a.c.CSINodes[i].Name] = &a.c.CSINodes[i]
	}
	server := a.allControl()
	for _, ready := range []bool{true, false} {
		for at := range a.c.Nodes {
			n := &a.c.Nodes[at]
			if ready != (n.Ready == kube.ReadyTrue && !n.Unschedulable) || n.ControlPlane() && !server || n.Virtual() {
				continue
			}
			_, group := n.Group()
			key := strings.Builder{}
			fmt.Fprintf(&key, "%q%q%q", group, n.InstanceType(), n.Zone())
			shape := Shape{
				Group: group, Type: n.InstanceType(), Zone: n.Zone(), Like: n.Name, at: at, node: n,
				Reasons: []Reason{},
			}
			for _, t := range plane.LastingTaints(n.Taints) {
				fmt.Fprintf(&key, "%q%q%d", t.Key, t.Value, t.Effect)
				shape.Taints = append(shape.Taints, t.Key+"="+t.Value)
			}
			for _, label := range keys {
				v, has := n.Labels.Get(label)
				fmt.Fprintf(&key, "%q%v", v, has)
			}
			for r := range a.c.Resources {
				fmt.Fprint(&key, " ", about(r, n.Allocatable.At(r)))
			}
			if csi := limits[n.Name]; csi != nil {
				for _, d := range csi.Drivers {
					fmt.Fprintf(&key, "%q%d", d.Name, d.Limit)
				}
			}
			k, seen := known[key.String()]
			if !seen {
				k = len(out)
				known[key.String()] = k
				out = append(out, shape)
			}
			out[k].count++
		}
	}
	for k := range a.c.NodePools {
		p := &a.c.NodePools[k]
		for _, n := range plane.Templates(a.c, p) {
			shape := Shape{
				Group: p.Name, Type: n.InstanceType(), Zone: n.Zone(), Like: n.Name, at: kube.Nowhere,
				node: &n, Reasons: []Reason{},
			}
			for _, t := range p.Taints {
				shape.Taints = append(shape.Taints, t.Key+"="+t.Value)
			}
			out = append(out, shape)
		}
	}
	return out
}

// allControl reports whether all nodes are of the control plane, as in a small cluster whose servers take pods: a
// new node is then like one of them.
func (a *query) allControl() bool {
	return !slices.ContainsFunc(a.c.Nodes, func(n kube.Node) bool { return !n.ControlPlane() })
}

// about rounds an amount of bytes down to its six leading binary digits, so that machines of one type,
// which differ in the others, have equal sizes. Other resources are not rounded.
func about(resource int, n int64) int64 {
	if resource == kube.Memory || resource == kube.EphemeralStorage {
		cut := max(0, bits.Len64(uint64(max(0, n)))-6)
		return n >> cut << cut
	}
	return n
}

// selecting returns the keys of node labels that decide which nodes take the pending pods, their volumes
// and the DaemonSets, sorted, with those of the operating system and the processor. The host name is left
// out: a new node has its own.
func (a *query) selecting(pending []int) []string {
	all := []string{kube.OSLabel, kube.ArchLabel}
	add := func(keys ...string) {
		for _, key := range keys {
			if key != kube.HostnameLabel && !slices.Contains(all, key) {
				all = append(all, key)
			}
		}
	}
	terms := func(s *kube.NodeSelector) {
		if s == nil {
			return
		}
		for i := range s.Terms {
			for _, r := range s.Terms[i].Labels {
				add(r.Key)
			}
		}
	}
	selected := func(s *kube.Spec) {
		for _, l := range s.NodeSelector {
			add(l.Key)
		}
		terms(s.NodeRequired)
	}
	seen, claims := map[*kube.Spec]bool{}, map[string]bool{}
	for _, pod := range pending {
		p := &a.c.Pods[pod]
		for _, name := range p.Claims {
			claims[p.Namespace+"/"+name] = true
		}
		if seen[p.Spec] {
			continue
		}
		seen[p.Spec] = true
		selected(p.Spec)
		for _, s := range p.Spec.Spread {
			add(s.Key)
		}
		for _, t := range slices.Concat(p.Spec.PodRequired, p.Spec.AntiRequired) {
			add(t.Key)
		}
	}
	volumes, classes := map[string]bool{}, map[string]bool{}
	for i := range a.c.Claims {
		if c := &a.c.Claims[i]; claims[c.Namespace+"/"+c.Name] {
			volumes[c.Volume], classes[c.Class] = true, true
		}
	}
	for i := range a.c.Volumes {
		if volumes[a.c.Volumes[i].Name] {
			terms(a.c.Volumes[i].NodeAffinity)
		}
	}
	for i := range a.c.StorageClasses {
		if classes[a.c.StorageClasses[i].Name] {
			for _, t := range a.c.StorageClasses[i].Allowed {
				for _, r := range t.Requirements {
					add(r.Key)
				}
			}
		}
	}
	for _, where := range a.fresh.Daemons() {
		selected(where)
	}
	slices.Sort(all)
	return all
}
