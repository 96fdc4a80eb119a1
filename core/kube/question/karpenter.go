package question

import (
	"parley/core/kube"
	"parley/core/kube/plane"
	"parley/core/unit"
)

// bootOf returns how long a new node of a NodePool takes to become ready in a play, as the nodes of the dump
// show it; false if they do not, and the time is the default.
func (a *query) bootOf(name string, o *plane.Options) (unit.Time, bool) {
	return a.bootsOf(o, func(n *kube.Node) bool { own, _ := n.Labels.Get(kube.KarpenterPool); return own == name })
}

// bootsOf is bootOf of some nodes.
func (a *query) bootsOf(o *plane.Options, of func(n *kube.Node) bool) (unit.Time, bool) {
	p := &pool{}
	for at := range a.c.Nodes {
		if of(&a.c.Nodes[at]) {
			p.at = append(p.at, at)
			p.joined(&a.c.Nodes[at])
		}
	}
	p.set(&UpgradeOptions{})
	return p.boot(o), p.known
}
