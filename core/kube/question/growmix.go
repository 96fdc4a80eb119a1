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

// Mix is nodes of several shapes that take the pending pods together.
type Mix struct {
	Parts  []MixPart `json:"parts"`
	Nodes  int       `json:"nodes"`
	Placed int       `json:"takes"`
	Left   int       `json:"left"`
	Cost   *Money    `json:"cost,omitempty"`
}

// MixPart is the nodes of one shape in a mix.
type MixPart struct {
	Like   string `json:"like"`
	Group  string `json:"group,omitempty"`
	Type   string `json:"type,omitempty"`
	Zone   string `json:"zone,omitempty"`
	Nodes  int    `json:"nodes"`
	Placed int    `json:"takes"`
	// Listed reports that the shape is of the list of prices.
	Listed bool `json:"listed,omitempty"`
}

// within names a type and the zone where it is.
func within(name, zone string) string {
	if zone == "" {
		return name
	}
	return name + " in " + zone
}

// better reports whether a mix takes more pods than a shape alone, or as many for less, by price or else by nodes.
func (m *Mix) better(s *Shape) bool {
	return m.beats(&Mix{Placed: s.Placed, Nodes: s.Nodes, Cost: s.Cost})
}

// beats reports whether m takes more pods than other, or as many at a lower price, or, if a price is not
// known or equal, with fewer nodes.
func (m *Mix) beats(other *Mix) bool {
	if m.Placed != other.Placed || m.Cost == nil || other.Cost == nil ||
		len(m.Cost.Unpriced)+len(other.Cost.Unpriced) > 0 {
		return cmp.Or(other.Placed-m.Placed, m.Nodes-other.Nodes) < 0
	}
	return cmp.Or(m.Cost.against(other.Cost), m.Nodes-other.Nodes) < 0
}

// String describes which nodes a mix has.
func (m *Mix) String() string {
	parts := make([]string, len(m.Parts))
	for i, p := range m.Parts {
		parts[i] = fmt.Sprintf("%s like %s", number(p.Nodes), p.Like)
		if p.Listed {
			parts[i] = fmt.Sprintf("%s of the type %s", number(p.Nodes), within(p.Type, p.Zone))
		}
	}
	s := fmt.Sprintf("A mix takes %s of them: %s", number(m.Placed), strings.Join(parts, ", "))
	if m.Cost != nil && len(m.Cost.Unpriced) == 0 {
		s += fmt.Sprintf(", for %.2f %s a month", m.Cost.Month, m.Cost.Currency)
	}
	return s + "."
}

// maxMixed is how many shapes a mix is made of at most, and maxMixes how many mixes are tried.
const (
	maxMixed = 12
	maxMixes = 64
)

// mix sets Mix to the best mix that it finds if that is better than the best shape alone, and AtLeast to
// the lower bound if the answer takes all pods that any shape takes. Shapes must be sorted. Shapes without
// a price are left out.
func (g *Grown) mix(a *query, before *constraint.State, pending []int, o GrowOptions) {
	shapes := slices.DeleteFunc(slices.Clone(g.Shapes), func(s Shape) bool {
		cost := o.Prices.Cost([]*kube.Node{s.node})
		return s.Placed == 0 || cost != nil && len(cost.Unpriced) > 0
	})
	if len(shapes) == 0 {
		return
	}
	m := a.newMixing(shapes, before, pending, &o)
	minimum, all := m.bound()
	if best := m.search(); best != nil && len(best.Parts) > 1 && best.better(&g.Shapes[0]) {
		g.Mix = best
	}
	if takes := cmp.Or(g.takes(), g.Shapes[0].Placed); takes == all {
		g.AtLeast = minimum
	}
}

// takes returns how many pods the mix takes, 0 without one.
func (g *Grown) takes() int {
	if g.Mix == nil {
		return 0
	}
	return g.Mix.Placed
}

// mixing is the search for a mix. A pod's share of a node is its largest share of one resource, and
// the pod's cost there is its share of the node's cost.
type mixing struct {
	*query
	o       *GrowOptions
	shapes  []Shape
	units   []float64 // cost of a node of each shape
	pending []int
	of      map[int]int   // the class of a pod: those that no constraint tells apart
	pods    []int         // by class
	shares  [][]float64   // by class and shape: the largest share of a node, 0 if it does not take it
	parts   [][][]float64 // by class, shape and resource: its share; empty if the node does not take it
	before  *constraint.State
	// The base of the search: a state with most[k] nodes of each shape, which are removed.
	s      *constraint.State
	first  []int
	brings map[int][]int
	limit  []int
	tried  int
}

// newMixing prepares the search for a mix of shapes: it groups the pods in classes and measures the share
// of a node that each takes. Without prices a node of any shape costs 1.
func (a *query) newMixing(shapes []Shape, before *constraint.State, pending []int, o *GrowOptions) *mixing {
	m := &mixing{query: a, o: o, shapes: shapes, pending: pending, of: map[int]int{}, before: before}
	classes := map[alike]int{}
	for _, pod := range pending {
		like := a.alike(pod)
		k, known := classes[like]
		if !known {
			k = len(m.pods)
			classes[like], m.pods = k, append(m.pods, 0)
		}
		m.of[pod] = k
		m.pods[k]++
	}
	for k := range shapes {
		m.units = append(m.units, 1)
		if cost := o.Prices.Cost([]*kube.Node{shapes[k].node}); cost != nil {
			m.units[k] = cost.Hour
		}
	}
	m.measure()
	return m
}

// measure sets shares and parts: for each class and shape, the part of an otherwise empty new node that one
// pod requests, of each resource and the largest of these. Both are empty or 0 if the node does not take
// the pod, or if the pod would not start there.
func (m *mixing) measure() {
	one := make([]int, len(m.shapes))
	for k := range one {
		one[k] = 1
	}
	s, first, daemons := m.withNew(m.shapes, one, m.before)
	systems := plane.NewPlatforms(m.c)
	m.shares, m.parts = make([][]float64, len(m.pods)), make([][][]float64, len(m.pods))
	for class := range m.pods {
		m.shares[class], m.parts[class] = make([]float64, len(m.shapes)), make([][]float64, len(m.shapes))
	}
	for k := range m.shapes {
		at := first[k]
		s.Restore(at)
		for _, pod := range daemons[at] {
			s.Bind(pod, at)
		}
		for _, pod := range m.pending {
			class := m.of[pod]
			if m.parts[class][k] != nil {
				continue
			}
			m.parts[class][k] = []float64{}
			if systems.Foreign(&m.c.Pods[pod], m.shapes[k].node) != "" || !s.Fits(pod, at) {
				continue
			}
			for r := range s.Cluster().Resources {
				part := 0.0
				if need, free := m.c.Pods[pod].Spec.Requests.At(r), s.Free(at, r); need > 0 && free > 0 {
					part = float64(need) / float64(free)
				}
				m.parts[class][k] = append(m.parts[class][k], part)
				m.shares[class][k] = max(m.shares[class][k], part)
			}
		}
		clearNode(s, at)
	}
}

// clearNode takes a new node away again, with its pods.
func clearNode(s *constraint.State, at int) {
	for len(s.PodsOn(at)) > 0 {
		s.Unbind(s.PodsOn(at)[0])
	}
	s.Remove(at)
}

// bound returns a lower bound of the cost per hour (without prices: of the number) of nodes that take all
// pods that any shape takes, and the number of these pods. The shares of one resource of the pods on a node
// are at most 1 together, so each pod costs at least its share on the cheapest shape. Pods that new nodes
// may help onto nodes of today do not count.
func (m *mixing) bound() (lowest float64, pods int) {
	loose := make([]bool, len(m.pods)) // new nodes may make room for them on nodes of today
	for _, pod := range m.pending {
		sp := m.c.Pods[pod].Spec
		loose[m.of[pod]] = len(sp.Spread)+len(sp.PodRequired) > 0 || waits(m.before.Profile())
	}
	for r := range m.c.Resources {
		sum := 0.0
		for class, n := range m.pods {
			cheapest := -1.0
			if loose[class] {
				continue
			}
			for k := range m.shapes {
				if m.shares[class][k] > 0 {
					if cost := m.parts[class][k][r] * m.units[k]; cheapest < 0 || cost < cheapest {
						cheapest = cost
					}
				}
			}
			if cheapest >= 0 {
				sum += float64(cheapest * float64(n))
			}
		}
		lowest = max(lowest, float64(sum*(1-1e-9))) // sums are rounded
	}
	for class, n := range m.pods {
		if slices.ContainsFunc(m.shares[class], func(x float64) bool { return x > 0 }) {
			pods += n
		}
	}
	if m.o.Prices == nil {
		lowest = math.Ceil(lowest - 1e-9)
	}
	return lowest, pods
}

// choose returns the indices of at most maxMixed shapes, rising: those that are among the four cheapest
// for some class, by how many pods that concerns.
func (m *mixing) choose() (kept []int) {
	weight := make([]int, len(m.shapes))
	for class, n := range m.pods {
		var order []int
		for k, share := range m.shares[class] {
			if share > 0 {
				order = append(order, k)
			}
		}
		slices.SortStableFunc(order, func(x, y int) int {
			return cmp.Compare(m.shares[class][x]*m.units[x], m.shares[class][y]*m.units[y])
		})
		for place, k := range order[:min(4, len(order))] {
			weight[k] += n * (4 - place)
		}
	}
	for k := range m.shapes {
		if weight[k] > 0 {
			kept = append(kept, k)
		}
	}
	slices.SortStableFunc(kept, func(x, y int) int { return weight[y] - weight[x] })
	kept = kept[:min(len(kept), maxMixed)]
	slices.Sort(kept)
	return kept
}

// search returns the best mix that it finds, nil if fewer than two shapes matter. It begins with one in
// which each pod goes to the shape where it costs least, and goes on to neighbours, with a node fewer of a
// shape or of two, or none of one, as long as that is better and at most maxMixes are tried.
func (m *mixing) search() *Mix {
	kept := m.choose()
	if len(kept) < 2 {
		return nil
	}
	m.limit = make([]int, len(m.shapes))
	for _, k := range kept {
		n := 0
		for class, pods := range m.pods {
			if m.shares[class][k] > 0 {
				n += pods
			}
		}
		m.limit[k] = min(m.o.MaxNodes, n, plane.SpareNodes(m.c, m.shapes[k].node, m.o.MaxNodes))
	}
	m.s, m.first, m.brings = m.withNew(m.shapes, m.limit, m.before)
	caps := slices.Clone(m.limit)
	best, used := m.build(caps)
	try := func(other []int) bool {
		if m.tried >= maxMixes || m.tried*len(m.pending) > maxCopies {
			return false
		}
		one, now := m.build(other)
		better := one.beats(best)
		if better {
			best, used, caps = one, now, other
		}
		return better
	}
	for better := true; better; {
		better = false
		for k := range m.shapes {
			for j := -2; j <= k && used[k] > 0 && !better; j++ {
				other := slices.Clone(caps)
				other[k] = used[k] - 1
				switch {
				case j == -2:
					other[k] = 0
				case j >= 0 && min(used[j], other[j]) == 0:
					continue
				case j >= 0:
					other[j] = min(used[j], other[j]) - 1
				}
				better = try(other)
			}
		}
	}
	return best
}

// build returns a mix with at most caps[k] nodes of each shape k, and how many of each it has. Each pod is
// meant for the shape where it costs least and that may have more nodes; the dearest shapes come first, and
// the room left on their nodes is open to all pods. m.s is the same afterwards.
func (m *mixing) build(caps []int) (*Mix, []int) {
	m.tried++
	used, takes := make([]int, len(m.shapes)), make([]int, len(m.shapes))
	full := make([]bool, len(m.shapes))
	left := m.pending
	systems := plane.NewPlatforms(m.c)
	order := make([]int, len(m.shapes))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(m.units[y], m.units[x]) })
	for more := true; more && len(left) > 0; {
		more = false
		meant := m.meant(func(k int) bool { return used[k] < caps[k] && !full[k] })
		for _, k := range order {
			own := slices.DeleteFunc(slices.Clone(left), func(pod int) bool { return meant[m.of[pod]] != k })
			waited := len(left)
			added := 0
			for used[k] < caps[k] && len(own) > 0 {
				at := m.first[k] + used[k]
				m.s.Restore(at)
				for _, pod := range m.brings[at] {
					m.s.Bind(pod, at)
				}
				again := m.placeAll(m.s, own)
				if len(again) == len(own) {
					clearNode(m.s, at)
					full[k] = true
					break
				}
				own, more = again, true
				used[k]++
				added++
			}
			if added == 0 {
				continue
			}
			var other []int
			left = slices.DeleteFunc(slices.Clone(left), func(pod int) bool {
				if m.s.NodeOf(pod) != kube.Nowhere {
					return true
				}
				if systems.Foreign(&m.c.Pods[pod], m.shapes[k].node) != "" {
					other = append(other, pod)
					return true
				}
				return false
			})
			left = plane.Order(m.c, append(m.placeAll(m.s, left), other...))
			takes[k] += waited - len(left)
		}
	}
	out := &Mix{Parts: []MixPart{}, Left: len(left), Placed: len(m.pending) - len(left)}
	var added []*kube.Node
	for _, k := range order {
		if used[k] == 0 {
			continue
		}
		x := &m.shapes[k]
		out.Nodes += used[k]
		out.Parts = append(out.Parts, MixPart{x.Like, x.Group, x.Type, x.Zone, used[k], takes[k], x.Listed})
		for i := range used[k] {
			added = append(added, x.node)
			clearNode(m.s, m.first[k]+i)
		}
	}
	for _, pod := range m.pending { // some have gone where there was room before
		if m.s.NodeOf(pod) != kube.Nowhere {
			m.s.Unbind(pod)
		}
	}
	out.Cost = m.o.Prices.Cost(added)
	return out, used
}

// meant returns by class the shape on which a pod of it costs least, among the open ones that take it; -1
// if there is none.
func (m *mixing) meant(open func(k int) bool) []int {
	out := make([]int, len(m.pods))
	for class := range out {
		out[class] = -1
		for k, share := range m.shares[class] {
			if share == 0 || !open(k) {
				continue
			}
			if best := out[class]; best < 0 || share*m.units[k] < m.shares[class][best]*m.units[best] {
				out[class] = k
			}
		}
	}
	return out
}

// withNew returns a state with counts[k] new nodes of each shape k, which are removed for now (see
// State.Restore); first is the place of the first node of each shape, and brings has the pods of DaemonSets
// that each new node brings, by its place, which the caller binds when it restores the node.
func (a *query) withNew(shapes []Shape, counts []int, before *constraint.State) (s *constraint.State, first []int,
	brings map[int][]int,
) {
	c := *a.c
	var nodes []kube.Node
	var pods []kube.Pod
	for k := range shapes {
		var there []int
		like := *shapes[k].node
		switch {
		case shapes[k].at != kube.Nowhere:
			there = before.PodsOn(shapes[k].at)
		case !shapes[k].Listed:
			like.Name += "-" + shapes[k].Group
		}
		more, daemons := a.fresh.Of(&like, counts[k], there)
		first = append(first, len(a.c.Nodes)+len(nodes))
		nodes, pods = append(nodes, more...), append(pods, daemons...)
		c.CSINodes = slices.Concat(c.CSINodes, a.attaches(&shapes[k], more))
	}
	s = constraint.New(c.With(nodes, pods), a.p)
	for pod := range a.c.Pods {
		if at := before.NodeOf(pod); at != kube.Nowhere && s.NodeOf(pod) == kube.Nowhere {
			s.Bind(pod, at)
		}
	}
	brings = map[int][]int{}
	for at := len(a.c.Nodes); at < len(a.c.Nodes)+len(nodes); at++ {
		brings[at] = slices.Clone(s.PodsOn(at))
		clearNode(s, at)
	}
	return s, first, brings
}
