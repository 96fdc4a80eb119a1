package question

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
)

// Mix is nodes of several shapes that take the pending pods together.
type Mix struct {
	Parts []MixPart `json:"parts"`
	Nodes int       `json:"nodes"`
	Takes int       `json:"takes"`
	Left  int       `json:"left"`
	Cost  *Money    `json:"cost,omitempty"`
}

// MixPart is the nodes of one shape in a mix.
type MixPart struct {
	Like  string `json:"like"`
	Group string `json:"group,omitempty"`
	Type  string `json:"type,omitempty"`
	Zone  string `json:"zone,omitempty"`
	Nodes int    `json:"nodes"`
	Takes int    `json:"takes"`
}

// better reports whether a mix takes more pods than a shape alone, or as many for less, by price or else by nodes.
func (m *Mix) better(s *Shape) bool {
	if m.Takes != s.Takes || m.Cost == nil || s.Cost == nil || len(m.Cost.Unpriced)+len(s.Cost.Unpriced) > 0 {
		return cmp.Or(s.Takes-m.Takes, m.Nodes-s.Nodes) < 0
	}
	return cmp.Or(m.Cost.against(s.Cost), m.Nodes-s.Nodes) < 0
}

// String describes which nodes a mix has.
func (m *Mix) String() string {
	parts := make([]string, len(m.Parts))
	for i, p := range m.Parts {
		parts[i] = fmt.Sprintf("%s like %s", number(p.Nodes), p.Like)
	}
	s := fmt.Sprintf("A mix takes %s of them: %s", number(m.Takes), strings.Join(parts, ", "))
	if m.Cost != nil && len(m.Cost.Unpriced) == 0 {
		s += fmt.Sprintf(", for %.2f %s a month", m.Cost.Month, m.Cost.Currency)
	}
	return s + "."
}

// mixed returns nodes of several shapes for the pending pods, nil if there is no choice. Each pod is meant for the
// shape where its share of a node costs least; a pod's share of a node is its largest share of one resource. The
// dearest shapes come first, and the room left on their nodes is open to all pods.
func (a *asked) mixed(shapes []Shape, before *constraint.State, pending []int, o GrowOptions) *Mix {
	shapes = slices.DeleteFunc(slices.Clone(shapes), func(s Shape) bool { return s.Takes == 0 })
	if len(shapes) < 2 {
		return nil
	}
	units := make([]float64, len(shapes)) // what a node costs
	for k := range shapes {
		units[k] = 1
		if cost := o.Prices.Cost([]*kube.Node{shapes[k].node}); cost != nil && len(cost.Unpriced) == 0 {
			units[k] = cost.Hour
		} else if cost != nil {
			return nil
		}
	}
	meant := a.meant(shapes, units, before, pending)
	order := make([]int, 0, len(shapes))
	most := make([]int, len(shapes))
	for k := range shapes {
		n := 0
		for _, of := range meant {
			if of == k {
				n++
			}
		}
		if most[k] = min(o.Most, n, plane.SpareNodes(a.c, shapes[k].node, o.Most)); most[k] > 0 {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(units[y], units[x]) })
	s, first, daemons := a.withNew(shapes, most, before)
	out, left := &Mix{Parts: []MixPart{}}, pending
	var added []*kube.Node
	systems := newPlatforms(a.c)
	for _, k := range order {
		own := slices.DeleteFunc(slices.Clone(left),
			func(pod int) bool { of, takes := meant[pod]; return !takes || of != k })
		part := MixPart{Like: shapes[k].Like, Group: shapes[k].Group, Type: shapes[k].Type, Zone: shapes[k].Zone}
		waited := len(left)
		for i := 0; i < most[k] && len(own) > 0; i++ {
			at := first[k] + i
			s.Restore(at)
			for _, pod := range daemons[at] {
				s.Bind(pod, at)
			}
			again := a.placeAll(s, own)
			if len(again) == len(own) {
				for len(s.PodsOn(at)) > 0 {
					s.Unbind(s.PodsOn(at)[0])
				}
				s.Remove(at)
				break
			}
			own = again
			part.Nodes++
			added = append(added, shapes[k].node)
		}
		if part.Nodes == 0 {
			continue
		}
		var other []int
		for _, pod := range slices.DeleteFunc(slices.Clone(left),
			func(pod int) bool { return s.On(pod) != kube.Nowhere }) {
			if systems.foreign(&a.c.Pods[pod], shapes[k].node) != "" {
				other = append(other, pod)
			}
		}
		left = slices.DeleteFunc(slices.Clone(left),
			func(pod int) bool { return s.On(pod) != kube.Nowhere || slices.Contains(other, pod) })
		left = a.order(append(a.placeAll(s, left), other...))
		part.Takes = waited - len(left)
		out.Parts, out.Nodes = append(out.Parts, part), out.Nodes+part.Nodes
	}
	out.Left, out.Takes, out.Cost = len(left), len(pending)-len(left), o.Prices.Cost(added)
	return out
}

// withNew returns a state with a number of new nodes of each shape, which are removed, the place of the first of
// each, and the pods that each new node brings.
func (a *asked) withNew(shapes []Shape, most []int, before *constraint.State) (s *constraint.State, first []int,
	brings map[int][]int,
) {
	c := *a.c
	var nodes []kube.Node
	var pods []kube.Pod
	for k := range shapes {
		var there []int
		like := *shapes[k].node
		if shapes[k].at != kube.Nowhere {
			there = before.PodsOn(shapes[k].at)
		} else {
			like.Name += "-" + shapes[k].Group
		}
		more, daemons := a.newNodes(&like, most[k], there)
		first = append(first, len(a.c.Nodes)+len(nodes))
		nodes, pods = append(nodes, more...), append(pods, daemons...)
		c.CSINodes = slices.Concat(c.CSINodes, a.driversOf(shapes[k].node, more))
	}
	s = constraint.New(c.With(nodes, pods), a.p)
	for pod := range a.c.Pods {
		if at := before.On(pod); at != kube.Nowhere && s.On(pod) == kube.Nowhere {
			s.Bind(pod, at)
		}
	}
	brings = map[int][]int{}
	for at := len(a.c.Nodes); at < len(a.c.Nodes)+len(nodes); at++ {
		brings[at] = slices.Clone(s.PodsOn(at))
		for len(s.PodsOn(at)) > 0 {
			s.Unbind(s.PodsOn(at)[0])
		}
		s.Remove(at)
	}
	return s, first, brings
}

// meant returns the shape that each pod is meant for, by pod; none for a pod that no shape takes.
func (a *asked) meant(shapes []Shape, units []float64, before *constraint.State, pending []int) map[int]int {
	one := make([]int, len(shapes))
	for k := range one {
		one[k] = 1
	}
	s, first, daemons := a.withNew(shapes, one, before)
	systems := newPlatforms(a.c)
	best, costs := map[alike]int{}, map[alike]float64{}
	for k := range shapes {
		at := first[k]
		s.Restore(at)
		for _, pod := range daemons[at] {
			s.Bind(pod, at)
		}
		asked := map[alike]bool{}
		for _, pod := range pending {
			like := a.alike(pod)
			if asked[like] {
				continue
			}
			if asked[like] = true; systems.foreign(&a.c.Pods[pod], shapes[k].node) != "" || !s.Fits(pod, at) {
				continue
			}
			part := 0.0
			for r := range s.Cluster().Resources {
				if need, free := a.c.Pods[pod].Spec.Requests.At(r), s.Free(at, r); need > 0 && free > 0 {
					part = max(part, float64(need)/float64(free))
				}
			}
			if cost, known := costs[like]; !known || part*units[k] < cost {
				best[like], costs[like] = k, part*units[k]
			}
		}
		for len(s.PodsOn(at)) > 0 {
			s.Unbind(s.PodsOn(at)[0])
		}
		s.Remove(at)
	}
	meant := map[int]int{}
	for _, pod := range pending {
		if k, takes := best[a.alike(pod)]; takes {
			meant[pod] = k
		}
	}
	return meant
}
