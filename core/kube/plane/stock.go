package plane

import (
	"maps"
	"slices"

	"parley/core/kube"
)

// stock is nodes that could join, with the pods that they bring.
type stock struct {
	daemons map[int][]*template
	statics map[int][]*template // static pods alone
}

// add adds absent nodes to the cluster, the i-th like the node likes[i], and reserves places for the pods
// that each brings. All that will be needed is best added in one call.
func (k *stock) add(p *Plane, nodes []kube.Node, drivers []kube.CSINode, likes []int) {
	if k.daemons == nil {
		k.daemons, k.statics = map[int][]*template{}, map[int][]*template{}
	}
	from := p.addNodes(nodes, drivers)
	n := map[*template]int{}
	var order []*template
	for i, like := range likes {
		at := from + i
		for _, s := range p.daemonsInOrder {
			if s.base.Spec == nil {
				continue
			}
			if runs, _ := WantedOn(s.where, &p.c.Nodes[at]); runs {
				t := s.template(at)
				k.daemons[at] = append(k.daemons[at], t)
				order, n[t] = append(order, t), 1
			}
		}
		k.statics[at] = p.staticsOf(like)
		for _, t := range k.statics[at] {
			k.daemons[at] = append(k.daemons[at], t)
			order, n[t] = append(order, t), 1
		}
	}
	if len(order) > 0 {
		p.reserve(n, order)
	}
}

// joins lets a node of the stock join in a trial, with the pods of DaemonSets and the static ones that it
// brings.
func (k *stock) joins(t *trial, at int) {
	t.restore(at)
	for _, x := range k.daemons[at] {
		if n := len(x.free); n > 0 {
			t.bind(x.free[n-1], at)
		}
	}
}

// settle lets the static pods of a node that has joined run there.
func (k *stock) settle(p *Plane, at int) {
	for _, t := range k.statics[at] {
		p.settleOn(t, at)
	}
}

// sorted returns the nodes of a set in their order.
func sorted(nodes map[int]bool) []int { return slices.Sorted(maps.Keys(nodes)) }
