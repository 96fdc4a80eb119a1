package question

import (
	"parley/core/kube"
	"parley/core/kube/plane"
	"parley/core/unit"
)

// unknown returns why it is not known whether a pod finds another node, "" if it is.
func (a *asked) unknown(q *kube.Pod) string {
	switch s := q.Spec.Scheduler; {
	case s != "" && s != "default-scheduler" && a.p.Of(s) == nil:
		return otherScheduler
	case q.Spec.ResourceClaims > 0:
		return devices
	}
	return ""
}

// bootOf returns how long nodes of a NodePool take to be ready in a play, by those of the dump that joined, and
// whether there are any.
func (a *asked) bootOf(name string, o *plane.Options) (unit.Time, bool) {
	p := &pool{}
	for at := range a.c.Nodes {
		if own, _ := a.c.Nodes[at].Labels.Get(kube.KarpenterPool); own == name {
			p.at = append(p.at, at)
			p.joined(&a.c.Nodes[at])
		}
	}
	p.set(&UpgradeOptions{})
	return p.boot(o), p.known
}
