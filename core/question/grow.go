package question

import (
	"fmt"
	"math"
	"slices"

	"parley/core/kube"
	"parley/core/kube/constraint"
)

// GrowOptions say what is placed and what it costs.
type GrowOptions struct {
	Prices *Table
	// Most is how many nodes of a shape are tried, 0 for 200.
	Most int
	Seed uint64
}

// Grown lists the nodes that would take the pending pods.
type Grown struct {
	Method  Method `json:"method"`
	Pending int    `json:"pending"` // pods that need a node
	// Without are those that fit without another node.
	Without int     `json:"fit_without"`
	Shapes  []Shape `json:"shapes"` // the cheapest that takes most first
}

// Shape is a kind of node: those of one group and machine type in the cluster.
type Shape struct {
	Group string `json:"group,omitempty"`
	Type  string `json:"type,omitempty"`
	Zone  string `json:"zone,omitempty"`
	Like  string `json:"like"`  // a node of this shape
	Nodes int    `json:"nodes"` // to add
	Takes int    `json:"takes"` // pending pods that run then
	Left  int    `json:"left"`
	// Least is a number of nodes that no placement of as many pods stays below.
	Least   int      `json:"least"`
	Cost    *Money   `json:"cost,omitempty"`
	Reasons []Reason `json:"reasons"` // what stops those that are left
	at      int
}

// Sentence returns the answer in one or two sentences.
func (g *Grown) Sentence() string {
	if g.Pending == 0 {
		return "No pod is pending."
	}
	s := fmt.Sprintf("%s pending.", count(g.Pending, "pod is", "pods are"))
	if g.Without > 0 {
		s += fmt.Sprintf(" %s without another node.", count(g.Without, "fits", "fit"))
	}
	if len(g.Shapes) == 0 || g.Shapes[0].Takes == 0 {
		if g.Without == g.Pending {
			return s
		}
		return s + " No shape of node in this cluster takes one of them."
	}
	best := g.Shapes[0]
	s += fmt.Sprintf(" %s like %s %s %d of them", count(best.Nodes, "more node", "more nodes"), best.Like, map[bool]string{true: "takes", false: "take"}[best.Nodes == 1], best.Takes)
	if best.Cost != nil && len(best.Cost.Unpriced) == 0 {
		s += fmt.Sprintf(" for %.2f %s a month", best.Cost.Month, best.Cost.Currency)
	}
	return s + "."
}

// Grow returns how many nodes of each shape in the cluster take the pods that are pending, one
// shape at a time.
func Grow(c *kube.Cluster, p *constraint.Profile, o GrowOptions) *Grown {
	a := ask(c, p, o.Seed, "grow")
	if o.Most <= 0 {
		o.Most = 200
	}
	out := &Grown{Shapes: []Shape{}}
	var pending []int
	for i := range c.Pods {
		if c.Pods[i].Pending() && !a.foreign(i) && len(c.Pods[i].Spec.Gates) == 0 {
			pending = append(pending, i)
			a.touched[i] = true
		}
	}
	pending = a.order(pending)
	out.Pending = len(pending)
	s := constraint.New(c, p)
	pending = a.placeAll(s, pending)
	out.Without = out.Pending - len(pending)
	if len(pending) > 0 {
		for _, shape := range a.shapes() {
			out.Shapes = append(out.Shapes, a.grow(shape, s, pending, o))
		}
	}
	slices.SortStableFunc(out.Shapes, func(x, y Shape) int {
		switch {
		case x.Takes != y.Takes:
			return y.Takes - x.Takes
		case x.Cost != nil && x.Cost.Hour != y.Cost.Hour:
			return int(sign(int64(math.Float64bits(x.Cost.Hour)) - int64(math.Float64bits(y.Cost.Hour))))
		}
		return x.Nodes - y.Nodes
	})
	out.Method = a.method(
		"Nodes like one of the cluster are added one after another, each with the pods of DaemonSets that run on that one, and the pending pods are placed by priority, then by age, until none is left or another node takes none.",
		"least is the number of nodes below which the requests of the pods that this shape takes do not fit, pods split and nothing else free.",
		"A new node has the labels, taints and size of the one that it is like, a host name of its own, and nothing but DaemonSets.",
		"One shape at a time: a mixture may be cheaper.",
	)
	return out
}

// placeAll binds the pods that fit and returns the others. A pod like one that no node took is
// not tried if pods that were bound since can only be in its way.
func (a *asked) placeAll(s *constraint.State, pods []int) (left []int) {
	hopeless := map[alike]bool{}
	for _, pod := range pods {
		like := a.alike(pod)
		at := kube.Nowhere
		if !hopeless[like] {
			at = s.Place(pod, a.draw)
		}
		if at != kube.Nowhere {
			s.Bind(pod, at)
			continue
		}
		left = append(left, pod)
		if sp := a.c.Pods[pod].Spec; len(sp.Spread)+len(sp.PodRequired) == 0 && !waits(s.Profile()) {
			hopeless[like] = true
		}
	}
	return left
}

// waits reports whether a profile lets pods without spread constraints of their own wait for
// those that it gives them.
func waits(p *constraint.Profile) bool {
	return slices.ContainsFunc(p.DefaultSpreads, func(s kube.Spread) bool { return s.Hard })
}

// shapes returns the kinds of nodes of the cluster, by a ready node of each.
func (a *asked) shapes() (out []Shape) {
	known := map[[3]string]bool{}
	for at := range a.c.Nodes {
		n := &a.c.Nodes[at]
		if n.Ready != kube.ReadyTrue || n.Unschedulable || n.ControlPlane() {
			continue
		}
		_, group := n.Group()
		key := [3]string{group, n.InstanceType(), n.Zone()}
		if !known[key] {
			known[key] = true
			out = append(out, Shape{Group: group, Type: n.InstanceType(), Zone: n.Zone(), Like: n.Name, at: at, Reasons: []Reason{}})
		}
	}
	return out
}

// grow adds nodes of a shape until they take no more pods.
func (a *asked) grow(shape Shape, before *constraint.State, pending []int, o GrowOptions) Shape {
	like := &a.c.Nodes[shape.at]
	most := min(o.Most, len(pending))
	nodes := make([]kube.Node, most)
	var daemons []kube.Pod
	for i := range nodes {
		nodes[i] = *like
		nodes[i].Name = fmt.Sprintf("%s-new-%d", like.Name, i+1)
		nodes[i].Labels = renamed(like.Labels, nodes[i].Name)
		for _, pod := range before.PodsOn(shape.at) {
			if p := a.c.Pods[pod]; p.DaemonSet() || p.Mirror {
				p.Name, p.NodeName, p.Claims = fmt.Sprint(p.Name, "-new-", i+1), nodes[i].Name, nil
				daemons = append(daemons, p)
			}
		}
	}
	// Pods that fitted without another node stay where they were put.
	c := a.c.With(nodes, daemons)
	s := constraint.New(c, a.p)
	for pod := range a.c.Pods {
		if at := before.On(pod); at != kube.Nowhere && s.On(pod) == kube.Nowhere {
			s.Bind(pod, at)
		}
	}
	kept := make([][]int, most)
	for i := range nodes {
		kept[i] = slices.Clone(s.PodsOn(len(a.c.Nodes) + i))
		for _, pod := range kept[i] {
			s.Unbind(pod)
		}
		s.Remove(len(a.c.Nodes) + i)
	}
	left := pending
	for i := range nodes {
		s.Restore(len(a.c.Nodes) + i)
		for _, pod := range kept[i] {
			s.Bind(pod, len(a.c.Nodes)+i)
		}
		again := a.placeAll(s, left)
		if len(again) == len(left) {
			break
		}
		left = again
		if shape.Nodes = i + 1; len(left) == 0 {
			break
		}
	}
	shape.Left, shape.Takes = len(left), len(pending)-len(left)
	var reasons []string
	for _, pod := range left[:min(len(left), 200)] {
		reasons = append(reasons, main(s.Filter(pod)))
	}
	shape.Reasons = tally(reasons)
	shape.Least = a.leastNodes(s, pending, kept, most)
	if o.Prices != nil {
		added := make([]*kube.Node, shape.Nodes)
		for i := range added {
			added[i] = like
		}
		if shape.Cost = o.Prices.Cost(added); shape.Nodes == 0 {
			shape.Cost = &Money{Currency: o.Prices.Currency}
		}
	}
	return shape
}

// leastNodes returns below how many new nodes the requests of the pods that run on them do not
// fit: those that run on a new node, had no place before, and are the smallest that could.
func (a *asked) leastNodes(s *constraint.State, pending []int, kept [][]int, most int) int {
	if most == 0 {
		return 0
	}
	first := len(a.c.Nodes)
	need := make([]int64, len(a.c.Resources))
	any := false
	for _, pod := range pending {
		if at := s.On(pod); at >= first {
			any = true
			for r := range need {
				need[r] += s.Cluster().Pods[pod].Spec.Requests.At(r)
			}
		}
	}
	least := 0
	if any {
		least = 1
	}
	for r := range need {
		has := s.Cluster().Nodes[first].Allocatable.At(r)
		for _, pod := range kept[0] {
			has -= s.Cluster().Pods[pod].Spec.Requests.At(r)
		}
		if need[r] > 0 && has > 0 {
			least = max(least, int((need[r]+has-1)/has))
		}
	}
	return least
}

// renamed returns a node's labels with another host name.
func renamed(l kube.Labels, name string) kube.Labels {
	out := slices.Clone(l)
	for i := range out {
		if out[i].Key == kube.HostnameLabel {
			out[i].Value = name
		}
	}
	return out
}
