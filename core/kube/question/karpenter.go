package question

import (
	"parley/core/kube"
	"parley/core/kube/plane"
	"parley/core/unit"
)

// unknown returns why it is not known whether a pod finds another node, "" if it is.
func (a *asked) unknown(q *kube.Pod) string {
	switch {
	case plane.Foreign(a.p, q):
		return otherScheduler
	case q.Spec.ResourceClaims > 0:
		return devices
	}
	return ""
}

// bootOf returns how long nodes of a NodePool take to be ready in a play, by those of the dump that joined, and
// whether there are any.
func (a *asked) bootOf(name string, o *plane.Options) (unit.Time, bool) {
	return a.bootsOf(o, func(n *kube.Node) bool { own, _ := n.Labels.Get(kube.KarpenterPool); return own == name })
}

// bootsOf is bootOf of some nodes.
func (a *asked) bootsOf(o *plane.Options, of func(n *kube.Node) bool) (unit.Time, bool) {
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
