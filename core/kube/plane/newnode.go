package plane

import (
	"fmt"
	"slices"

	"parley/core/kube"
)

// NewNodes makes nodes like those of a cluster, with the pods that run on them from the beginning.
// Create one with NewNodesOf.
type NewNodes struct {
	c       *kube.Cluster
	daemons []daemonsPod // nil until they are asked for
}

// NewNodesOf returns a maker of nodes like those of a cluster.
func NewNodesOf(c *kube.Cluster) *NewNodes { return &NewNodes{c: c} }

// Daemons returns where the pods of each DaemonSet may run.
func (f *NewNodes) Daemons() (where []*kube.Spec) {
	for _, d := range f.sets() {
		where = append(where, d.where)
	}
	return where
}

// LastingTaints returns the taints that a new node of the same kind has too.
func LastingTaints(taints []kube.Taint) (all []kube.Taint) {
	for i := range taints {
		if !taints[i].Passing() {
			all = append(all, taints[i])
		}
	}
	return all
}

// Of returns limit nodes like one of the cluster, ready and named NAME-new-1 and so on, and the pods that
// run on them from the beginning: those of the DaemonSets that want them, and copies of the static pods
// among there, the places of the pods on the node. Nodes of the control plane get no static pods.
func (f *NewNodes) Of(like *kube.Node, limit int, there []int) (nodes []kube.Node, pods []kube.Pod) {
	sets := f.sets()
	for i := range limit {
		n := *like
		name := fmt.Sprintf("%s-new-%d", n.Name, i+1)
		n.Name, n.Labels = name, f.renamed(like, name)
		n.Taints, n.Unschedulable, n.Ready = LastingTaints(n.Taints), false, kube.ReadyTrue
		for _, d := range sets {
			if wanted, _ := WantedOn(d.where, &n); wanted {
				one := d.pod
				one.Name, one.NodeName = fmt.Sprint(d.pod.Name, "-new-", i+1), n.Name
				pods = append(pods, one)
			}
		}
		for _, pod := range there {
			if p := f.c.Pods[pod]; p.Mirror && !n.ControlPlane() {
				p.Name, p.NodeName, p.Claims, p.Ephemeral = fmt.Sprint(p.Name, "-new-", i+1), n.Name, nil, 0
				pods = append(pods, p)
			}
		}
		nodes = append(nodes, n)
	}
	return nodes, pods
}

// DriversOf returns the CSINodes of new nodes: with the volume drivers and limits of n, or, while no driver
// has registered there, of another node of its machine type; nil if neither has a CSINode.
func (f *NewNodes) DriversOf(n *kube.Node, nodes []kube.Node) (all []kube.CSINode) {
	of := map[string]*kube.CSINode{}
	for i := range f.c.CSINodes {
		of[f.c.CSINodes[i].Name] = &f.c.CSINodes[i]
	}
	known := of[n.Name]
	for i := range f.c.Nodes {
		if known != nil && len(known.Drivers) > 0 {
			break
		}
		if other := &f.c.Nodes[i]; n.InstanceType() != "" && other.InstanceType() == n.InstanceType() {
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

// renamed returns a copy of a node's labels with name in place of its own name, in the host name and in
// labels that repeat the name on every node.
func (f *NewNodes) renamed(n *kube.Node, name string) kube.Labels {
	out := slices.Clone(n.Labels)
	for i := range out {
		if out[i].Key == kube.HostnameLabel || out[i].Value == n.Name && f.names(out[i].Key) {
			out[i].Value = name
		}
	}
	return out
}

// names reports whether a label of several nodes has each node's own name as its value. Labels of zones and
// regions never do, though a node may have the name of one.
func (f *NewNodes) names(key string) bool {
	nodes := 0
	if key == kube.ZoneLabel || key == kube.RegionLabel { // they name a place, though a node may be called like it
		return false
	}
	for i := range f.c.Nodes {
		if v, has := f.c.Nodes[i].Labels.Get(key); has {
			if nodes++; v != f.c.Nodes[i].Name {
				return false
			}
		}
	}
	return nodes > 1
}

// daemonsPod is a DaemonSet: a pod of it, and where its pods run.
type daemonsPod struct {
	pod   kube.Pod
	where *kube.Spec
}

// sets returns the DaemonSets of the cluster, with a pod of each and the spec by which it chooses nodes,
// from their objects or else from their pods. A pod's additional requests, such as those of a sidecar, are
// taken from the youngest pod. The result is made once.
func (f *NewNodes) sets() []daemonsPod {
	if f.daemons != nil {
		return f.daemons
	}
	known := map[[2]string]int{}
	f.daemons = []daemonsPod{}
	for i := range f.c.Workloads {
		if w := &f.c.Workloads[i]; w.Kind == "DaemonSet" && w.Template != nil {
			known[[2]string{w.Namespace, w.Name}] = len(f.daemons)
			one := pattern(w)
			one.Name, one.Phase, one.Ready, one.Claims, one.Ephemeral = w.Name, kube.PhaseRunning, true, nil, 0
			f.daemons = append(f.daemons, daemonsPod{one, w.Template})
		}
	}
	for i := range f.c.Pods {
		p := &f.c.Pods[i]
		if !p.DaemonSet() {
			continue
		}
		key := [2]string{p.Namespace, p.Owner.Name}
		k, seen := known[key]
		if !seen {
			k = len(f.daemons)
			known[key] = k
			f.daemons = append(f.daemons, daemonsPod{where: Anywhere(p.Spec), pod: *p})
			f.daemons[k].pod.Claims, f.daemons[k].pod.Ephemeral = nil, 0
			continue
		}
		// Additions of admission to pods, such as a sidecar, are in no template.
		if d := &f.daemons[k]; p.Created >= d.pod.Created && p.Spec.Requests.Covers(d.pod.Spec.Requests) {
			d.pod.Spec, d.pod.Created = p.Spec, p.Created
		}
	}
	return f.daemons
}

// Anywhere returns where the pods of a DaemonSet may run by one of them, which names its node.
func Anywhere(s *kube.Spec) *kube.Spec {
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

// Successor returns the n-th node like one of the cluster, with its drivers of volumes.
func (f *NewNodes) Successor(at, n int) (kube.Node, []kube.CSINode) { return f.like(at, "new", n) }

// Further is Successor of a node that takes no other's part.
func (f *NewNodes) Further(at, n int) (kube.Node, []kube.CSINode) { return f.like(at, "added", n) }

func (f *NewNodes) like(at int, infix string, n int) (kube.Node, []kube.CSINode) {
	node := f.c.Nodes[at]
	name := fmt.Sprintf("%s-%s-%d", node.Name, infix, n)
	node.Labels, node.Taints = f.renamed(&f.c.Nodes[at], name), LastingTaints(node.Taints)
	node.Name, node.Unschedulable, node.Ready = name, false, kube.ReadyTrue
	nodes := []kube.Node{node}
	return node, f.DriversOf(&f.c.Nodes[at], nodes)
}
