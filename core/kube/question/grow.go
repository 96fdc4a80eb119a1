package question

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
)

// GrowOptions are the options of Grow.
type GrowOptions struct {
	Prices *Table
	// MaxNodes is how many nodes of a shape are tried, 0 for 200.
	MaxNodes int
	Seed     uint64
}

// Grown lists the nodes that would take the pending pods.
type Grown struct {
	Method  Method `json:"method"`
	Pending int    `json:"pending"` // pods that need a node
	// Without are those that fit without another node.
	Without int `json:"fit_without"`
	// Devices are those with resource claims: whether a new node has their devices is not known.
	Devices int `json:"with_resource_claims,omitempty"`
	// Daemons are pods of DaemonSets that wait for nodes of their own: no other node helps them.
	Daemons int     `json:"daemons_waiting"`
	Shapes  []Shape `json:"shapes"`            // the cheapest that takes most first
	Untried int     `json:"untried,omitempty"` // further shapes, those with the fewest nodes
	// Mix is nodes of several shapes that take more pods than those of one, or as many for less; nil if none is found.
	Mix *Mix `json:"mix,omitempty"`
	// AtLeast is a lower bound of the cost per hour of nodes of these shapes that take all pods of
	// the answer; without prices it is a number of nodes. 0 if it is not known.
	AtLeast float64 `json:"at_least,omitempty"`
	// Pools are the NodePools of Karpenter.
	Pools []PoolAdmits `json:"node_pools,omitempty"`
}

// Shape is a kind of node: nodes of the cluster that no pending pod and no DaemonSet tells apart.
type Shape struct {
	Group  string   `json:"group,omitempty"`
	Type   string   `json:"type,omitempty"`
	Zone   string   `json:"zone,omitempty"`
	Taints []string `json:"taints,omitempty"`
	Like   string   `json:"like"`  // a node of this shape
	Nodes  int      `json:"nodes"` // to add
	Placed int      `json:"takes"` // pending pods that run then
	Left   int      `json:"left"`
	// MinNodes is a number of nodes that no placement of as many pods stays below.
	MinNodes int      `json:"least"`
	Cost     *Money   `json:"cost,omitempty"`
	Reasons  []Reason `json:"reasons"` // against the pods that are left
	// Listed reports that it is of the list of prices: the cluster has no node of it.
	Listed  bool `json:"listed,omitempty"`
	at      int  // kube.Nowhere of a NodePool that has no node, and of a type of the list
	node    *kube.Node
	drivers []kube.NodeDriver // of a type of the list
	count   int               // nodes of the cluster that have it
}

// Sentence returns the answer in a few sentences: about the first shape, the best one, and the mix if that
// is better.
func (g *Grown) Sentence() string {
	if g.Pending == 0 {
		return "No pod is pending." + g.daemons()
	}
	s := fmt.Sprintf("%s pending.", count(g.Pending, "pod is", "pods are"))
	if g.Without > 0 {
		s += fmt.Sprintf(" %s without another node.", count(g.Without, "fits", "fit"))
	}
	if len(g.Shapes) == 0 || g.Shapes[0].Placed == 0 {
		if g.Without == g.Pending {
			return s
		}
		return s + " No shape of node in this cluster takes one of them." + poolSentence(g.Pools) + g.daemons()
	}
	best := g.Shapes[0]
	like := "like " + best.Like
	switch {
	case best.Listed:
		like = "of the type " + within(best.Type, best.Zone)
	case best.at == kube.Nowhere:
		like = "of NodePool " + best.Group + ", as large as " + best.Like + ","
	}
	s += fmt.Sprintf(" %s %s %s %s of them", count(best.Nodes, "more node", "more nodes"), like,
		map[bool]string{true: "takes", false: "take"}[best.Nodes == 1], number(best.Placed))
	if best.Cost != nil && len(best.Cost.Unpriced) == 0 {
		s += fmt.Sprintf(" for %.2f %s a month", best.Cost.Month, best.Cost.Currency)
	} else if best.Cost != nil {
		s += "; what they cost is unknown, for " + strings.Join(best.Cost.Unpriced, ", ") + " has no price"
	}
	s += "."
	if g.Mix != nil {
		s += " " + g.Mix.String()
	}
	return s + g.atLeast() + g.daemons()
}

// atLeast returns a sentence on the lower bound of the cost or the number of nodes, with a space before it;
// "" if the bound or a price is not known. There must be a shape.
func (g *Grown) atLeast() string {
	cost, nodes := g.Shapes[0].Cost, g.Shapes[0].Nodes
	if g.Mix != nil {
		cost, nodes = g.Mix.Cost, g.Mix.Nodes
	}
	switch {
	case g.AtLeast == 0 || cost != nil && len(cost.Unpriced) > 0:
		return ""
	case cost == nil && float64(nodes) <= g.AtLeast:
		return " No choice of these shapes has fewer nodes."
	case cost == nil:
		return fmt.Sprintf(" No choice of these shapes has fewer than %s.", count(int(g.AtLeast), "node", "nodes"))
	}
	month := math.Floor(g.AtLeast*HoursOfMonth*100) / 100
	if month >= math.Floor(cost.Month*100)/100-0.01 {
		return " No choice of these shapes costs less."
	}
	return fmt.Sprintf(" No choice of these shapes costs less than %.2f.", month)
}

// daemons is a sentence on pods with devices, and on waiting pods of DaemonSets.
func (g *Grown) daemons() string {
	devices := ""
	if g.Devices > 0 {
		devices = " " + count(g.Devices, "pending pod has", "pending pods have") + " resource claims (dynamic resource allocation), which are not modelled: whether a new node has their devices is not known."
	}
	if g.Daemons == 0 {
		return devices
	}
	return devices + " " + count(g.Daemons, "pod of a DaemonSet waits for its own node, and no other node helps it.", "pods of DaemonSets wait for their own nodes, and no other node helps them.")
}

// Grow returns how many nodes of each shape in the cluster, and of each machine type in the list of prices,
// take the pods that are pending: one shape at a time, then mixes. Pods that fit without a new node are
// placed first. Shapes are sorted by the pods that they take, then by cost, then by nodes.
func Grow(c *kube.Cluster, p *constraint.Profile, o GrowOptions) *Grown {
	a := newQuery(c, p, o.Seed, "grow")
	if o.MaxNodes <= 0 {
		o.MaxNodes = 200
	}
	out := &Grown{Shapes: []Shape{}}
	var pending []int
	for i := range c.Pods {
		switch p := &c.Pods[i]; {
		case !p.Pending() || a.foreign(i) || len(p.Spec.Gates) > 0:
		case p.DaemonSet():
			out.Daemons++
		default:
			pending = append(pending, i)
			a.affected[i] = true
			if p.Spec.ResourceClaims > 0 {
				out.Devices++
			}
		}
	}
	pending = plane.Order(a.c, pending)
	out.Pending = len(pending)
	s, listed, untried := constraint.New(c, p), 0, 0
	pending = a.placeAll(s, pending)
	out.Without = out.Pending - len(pending)
	if len(pending) > 0 {
		out.Pools = a.admits(pending)
		shapes := a.shapes(pending)
		if len(shapes) > maxShapes {
			slices.SortStableFunc(shapes, func(x, y Shape) int { return y.count - x.count })
			shapes, out.Untried = shapes[:maxShapes], len(shapes)-maxShapes
		}
		var more []Shape
		more, untried = a.machines(o.Prices, pending)
		listed = len(more)
		for _, shape := range append(shapes, more...) {
			out.Shapes = append(out.Shapes, a.grow(shape, s, pending, o))
		}
	}
	slices.SortStableFunc(out.Shapes, func(x, y Shape) int {
		return cmp.Or(y.Placed-x.Placed, x.Cost.against(y.Cost), x.Nodes-y.Nodes)
	})
	out.mix(a, s, pending, o)
	assume := []string{
		"A new node has the labels, taints, size and limit of volumes of the one that it is like, a host name of its own, and nothing but pods of DaemonSets: of all that its labels and taints let in, by their newest templates. Taints that pass, as those of a cordon or of pressure, are left out.",
		"Each shape is tried alone, and then mixes: one with each pod on the shape where its share of a node costs least, and from there ones with a node fewer of a shape or of two, or none of one, as long as that is better. Another mix may be cheaper.",
	}
	if len(c.CSINodes) == 0 && slices.ContainsFunc(pending, func(pod int) bool { return len(c.Pods[pod].Claims) > 0 }) {
		assume = append(assume, "Pending pods have volumes, and the dump has no CSINodes: how many volumes a node takes is not known. Fetch csinodes too.")
	}
	if a.allControl() {
		assume = append(assume, "All nodes are of the control plane. A new one has their labels and taints, and none of their static pods.")
	}
	if out.Untried > 0 {
		assume = append(assume, fmt.Sprintf("The %d shapes with most nodes were tried; %s not.", maxShapes, count(out.Untried, "other was", "others were")))
	}
	assume = append(append(assume, a.listedNotes(o.Prices, listed, untried)...), o.Prices.notes(c)...)
	out.Method = a.method(
		"Nodes like one of the cluster"+map[bool]string{true: ", and of the list of machine types,"}[listed > 0]+" are added one after another, and the pending pods are placed by priority, then by age, until none is left or another node takes none.",
		"least is the number of nodes below which the requests and volumes of the pods that this shape takes do not fit, pods split and nothing else free.",
		assume...,
	)
	return out
}

// placeAll binds the pods that fit to the best node of s, in the given order, and returns the others. A pod
// like one that no node took is not tried again, unless it follows other pods (spread, affinity): binding
// more pods cannot help it.
func (a *query) placeAll(s *constraint.State, pods []int) (left []int) {
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

// grow adds nodes of a shape one after another until all pending pods are placed, a node takes none, or
// o.MaxNodes or the limits of the pool are reached. It returns the shape with the outcome. before is the
// cluster with the pods that fit without a new node, and is not changed.
func (a *query) grow(shape Shape, before *constraint.State, pending []int, o GrowOptions) Shape {
	like := shape.node
	var there []int
	if shape.at != kube.Nowhere {
		there = before.PodsOn(shape.at)
	}
	limit := plane.SpareNodes(a.c, like, min(o.MaxNodes, len(pending)))
	limited := limit < min(o.MaxNodes, len(pending))
	if limit == 0 {
		shape.Left, shape.Reasons = len(pending), []Reason{{plane.ExceedsLimits, len(pending)}}
		if o.Prices != nil {
			shape.Cost = &Money{Currency: o.Prices.Currency}
		}
		return shape
	}
	nodes, daemons := a.fresh.Of(like, limit, there)
	// Pods that fitted without another node stay where they were put.
	c := a.c.With(nodes, daemons)
	c.CSINodes = slices.Concat(c.CSINodes, a.attaches(&shape, nodes))
	s := constraint.New(c, a.p)
	for pod := range a.c.Pods {
		if at := before.NodeOf(pod); at != kube.Nowhere && s.NodeOf(pod) == kube.Nowhere {
			s.Bind(pod, at)
		}
	}
	kept := make([][]int, limit)
	for i := range nodes {
		kept[i] = slices.Clone(s.PodsOn(len(a.c.Nodes) + i))
		for _, pod := range kept[i] {
			s.Unbind(pod)
		}
		s.Remove(len(a.c.Nodes) + i)
	}
	var left, other []int
	last := len(a.c.Nodes)
	systems := plane.NewPlatforms(a.c)
	for _, pod := range pending { // the scheduler would take them there, and they would not start
		if systems.Foreign(&a.c.Pods[pod], like) != "" {
			other = append(other, pod)
		} else {
			left = append(left, pod)
		}
	}
	for i := range nodes {
		last = len(a.c.Nodes) + i
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
	shape.Left, shape.Placed = len(left)+len(other), len(pending)-len(left)-len(other)
	var reasons []string
	left = append(left, other...)
	for _, pod := range left[:min(len(left), 200)] {
		reason, subject := s.Reason(pod, last), systems.Foreign(&a.c.Pods[pod], like)
		switch {
		case limited && shape.Nodes == limit && subject == "":
			reasons = append(reasons, plane.ExceedsLimits)
		case reason != nil:
			reasons = append(reasons, reason.Texts...)
		case subject != "":
			reasons = append(reasons, "the node has another "+subject+" than the workload runs on")
		default:
			reasons = append(reasons, fmt.Sprintf("the search ended at %d nodes", o.MaxNodes))
		}
	}
	shape.Reasons = tally(reasons)
	shape.MinNodes = a.leastNodes(s, pending, kept, limit)
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

// leastNodes returns a lower bound of the number of new nodes for the pods that run on them in s, by the
// sums of their requests and volumes. Nodes must have been added to s; kept has the pods of DaemonSets on
// each, whose requests are not free; limit is the number of nodes that may be added, and 0 gives 0.
func (a *query) leastNodes(s *constraint.State, pending []int, kept [][]int, limit int) int {
	if limit == 0 {
		return 0
	}
	first := len(a.c.Nodes)
	need := make([]int64, len(a.c.Resources))
	var placed []int
	for _, pod := range pending {
		if at := s.NodeOf(pod); at >= first {
			placed = append(placed, pod)
			for r := range need {
				need[r] += s.Cluster().Pods[pod].Spec.Requests.At(r)
			}
		}
	}
	lowest := 0
	if len(placed) > 0 {
		lowest = 1
	}
	volumes := s.Attached(placed)
	for _, n := range s.Cluster().CSINodes {
		if n.Name != s.Cluster().Nodes[first].Name {
			continue
		}
		for _, d := range n.Drivers {
			if d.Limit > 0 {
				lowest = max(lowest, int((int64(volumes[d.Name])+d.Limit-1)/d.Limit))
			}
		}
	}
	for r := range need {
		has := s.Cluster().Nodes[first].Allocatable.At(r)
		for _, pod := range kept[0] {
			has -= s.Cluster().Pods[pod].Spec.Requests.At(r)
		}
		if need[r] > 0 && has > 0 {
			lowest = max(lowest, int((need[r]+has-1)/has))
		}
	}
	return lowest
}
