package question

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"parley/core/kube"
	"parley/core/kube/plane"
)

// mostShapes is how many kinds of nodes are tried.
const mostShapes = 60

// shapes returns the kinds of nodes of the cluster that the pending pods, or the DaemonSets that
// would run there, can tell apart: by group, machine type, zone, taints, labels that they select,
// size, and how many volumes they take. A ready node stands for its kind if there is one. Those of NodePools that
// have no node follow.
func (a *asked) shapes(pending []int) (out []Shape) {
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
			for _, t := range lasting(n.Taints) {
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
func (a *asked) allControl() bool {
	return !slices.ContainsFunc(a.c.Nodes, func(n kube.Node) bool { return !n.ControlPlane() })
}

// about returns an amount without the digits by which machines of one type differ: of bytes the
// six leading binary ones count.
func about(resource int, n int64) int64 {
	if resource == kube.Memory || resource == kube.EphemeralStorage {
		cut := max(0, bits.Len64(uint64(max(0, n)))-6)
		return n >> cut << cut
	}
	return n
}

// selecting returns the labels of nodes that decide where pending pods and DaemonSets run,
// sorted, with those of the operating system and the processor.
func (a *asked) selecting(pending []int) []string {
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
	for _, d := range a.daemonSets() {
		selected(d.where)
	}
	slices.Sort(all)
	return all
}

// lasting returns the taints that a new node of the same kind has too.
func lasting(taints []kube.Taint) (all []kube.Taint) {
	for i := range taints {
		if !taints[i].Passing() {
			all = append(all, taints[i])
		}
	}
	return all
}

// newNodes returns nodes like one of the cluster, and the pods that run on each of them: those of
// DaemonSets, and static ones like those there.
func (a *asked) newNodes(like *kube.Node, most int, there []int) (nodes []kube.Node, pods []kube.Pod) {
	sets := a.daemonSets()
	for i := range most {
		n := *like
		name := fmt.Sprintf("%s-new-%d", n.Name, i+1)
		n.Name, n.Labels = name, a.renamed(like, name)
		n.Taints, n.Unschedulable, n.Ready = lasting(n.Taints), false, kube.ReadyTrue
		for _, d := range sets {
			if wanted, _ := plane.WantedOn(d.where, &n); wanted {
				one := d.pod
				one.Name, one.NodeName = fmt.Sprint(d.pod.Name, "-new-", i+1), n.Name
				pods = append(pods, one)
			}
		}
		for _, pod := range there {
			if p := a.c.Pods[pod]; p.Mirror && !n.ControlPlane() {
				p.Name, p.NodeName, p.Claims, p.Ephemeral = fmt.Sprint(p.Name, "-new-", i+1), n.Name, nil, 0
				pods = append(pods, p)
			}
		}
		nodes = append(nodes, n)
	}
	return nodes, pods
}

// driversOf returns how many volumes new nodes take: as many as the one that they are like, or,
// while no driver has come up there, as another of its machine type.
func (a *asked) driversOf(n *kube.Node, nodes []kube.Node) (all []kube.CSINode) {
	of := map[string]*kube.CSINode{}
	for i := range a.c.CSINodes {
		of[a.c.CSINodes[i].Name] = &a.c.CSINodes[i]
	}
	known := of[n.Name]
	for i := range a.c.Nodes {
		if known != nil && len(known.Drivers) > 0 {
			break
		}
		if other := &a.c.Nodes[i]; n.InstanceType() != "" && other.InstanceType() == n.InstanceType() {
			known = of[other.Name]
		}
	}
	if known == nil {
		return nil
	}
	for i := range nodes {
		all = append(all, kube.CSINode{Name: nodes[i].Name, Drivers: known.Drivers})
	}
	return all
}

// renamed returns a node's labels with another name in place of its own.
func (a *asked) renamed(n *kube.Node, name string) kube.Labels {
	out := slices.Clone(n.Labels)
	for i := range out {
		if out[i].Key == kube.HostnameLabel || out[i].Value == n.Name && a.names(out[i].Key) {
			out[i].Value = name
		}
	}
	return out
}

// names reports whether a label holds the name of each of several nodes.
func (a *asked) names(key string) bool {
	nodes := 0
	if key == kube.ZoneLabel || key == kube.RegionLabel { // they name a place, though a node may be called like it
		return false
	}
	for i := range a.c.Nodes {
		if v, has := a.c.Nodes[i].Labels.Get(key); has {
			if nodes++; v != a.c.Nodes[i].Name {
				return false
			}
		}
	}
	return nodes > 1
}

// daemonSet is a DaemonSet: a pod of it, and where its pods run.
type daemonSet struct {
	pod   kube.Pod
	where *kube.Spec
}

// daemonSets returns the DaemonSets of the cluster, by their objects or by their pods, whether or
// not a pod of them runs.
func (a *asked) daemonSets() []daemonSet {
	if a.daemons != nil {
		return a.daemons
	}
	known := map[[2]string]int{}
	a.daemons = []daemonSet{}
	for i := range a.c.Workloads {
		if w := &a.c.Workloads[i]; w.Kind == "DaemonSet" && w.Template != nil {
			known[[2]string{w.Namespace, w.Name}] = len(a.daemons)
			a.daemons = append(a.daemons, daemonSet{where: w.Template, pod: kube.Pod{
				Namespace: w.Namespace, Name: w.Name, Labels: w.Labels, Spec: w.Template, Node: kube.Nowhere,
				Owner: kube.Owner{Kind: w.Kind, Name: w.Name}, Phase: kube.PhaseRunning, Ready: true,
			}})
		}
	}
	for i := range a.c.Pods {
		p := &a.c.Pods[i]
		if !p.DaemonSet() {
			continue
		}
		key := [2]string{p.Namespace, p.Owner.Name}
		k, seen := known[key]
		if !seen {
			k = len(a.daemons)
			known[key] = k
			a.daemons = append(a.daemons, daemonSet{where: anywhere(p.Spec), pod: *p})
			a.daemons[k].pod.Claims, a.daemons[k].pod.Ephemeral = nil, 0
			continue
		}
		// What is added to pods when they are made, as a sidecar, is in no template.
		if d := &a.daemons[k]; p.Created >= d.pod.Created && covers(p.Spec.Requests, d.pod.Spec.Requests) {
			d.pod.Spec, d.pod.Created = p.Spec, p.Created
		}
	}
	return a.daemons
}

// anywhere returns where the pods of a DaemonSet may run by one of them, which names its node.
func anywhere(s *kube.Spec) *kube.Spec {
	out := *s
	if s.NodeRequired == nil {
		return &out
	}
	out.NodeRequired = &kube.NodeSelector{}
	for _, t := range s.NodeRequired.Terms {
		if t.Fields = nil; len(t.Labels) == 0 {
			out.NodeRequired = nil
			break
		}
		out.NodeRequired.Terms = append(out.NodeRequired.Terms, t)
	}
	return &out
}
