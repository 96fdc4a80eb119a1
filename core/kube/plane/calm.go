package plane

import (
	"parley/core/kube"
	"parley/core/unit"
)

// DrainRules are the rules of a drain without losses: it keeps the pods that kubectl drain refuses
// without its flags, those that the cluster autoscaler or Karpenter must keep, and those that no
// eviction can move.
type DrainRules struct {
	// DeleteEmptyDir lets pods with emptyDir volumes go, Force pods without a controller, ControlPlane nodes of the
	// control plane.
	DeleteEmptyDir, Force, ControlPlane bool
	Moment                              int64 // of the dump, see Moment
}

// Node returns why a node is kept whatever is on it, "" if it is not.
func (r *DrainRules) Node(n *kube.Node) string {
	switch {
	case n.ControlPlane() && !r.ControlPlane:
		return "it is of the control plane"
	case n.Ready != kube.ReadyTrue:
		return "it is not ready: its pods cannot end"
	case n.ScaleDownDisabled:
		return "its annotation scale-down-disabled keeps it"
	case n.DoNotDisrupt:
		return "its annotation do-not-disrupt keeps it"
	}
	return ""
}

// Leftovers are the pods that need no other node and let no drain of theirs end.
type Leftovers struct {
	moment int64
	sets   map[owned]bool
	in     map[string]bool // namespaces with DaemonSets
}

// NewLeftovers returns the leftovers of a cluster.
func NewLeftovers(c *kube.Cluster) *Leftovers {
	l := &Leftovers{moment: Moment(c), sets: map[owned]bool{}, in: map[string]bool{}}
	for i := range c.Workloads {
		if w := &c.Workloads[i]; w.Kind == "DaemonSet" {
			l.sets[owned{w.Namespace, kube.Owner{Kind: w.Kind, Name: w.Name}}], l.in[w.Namespace] = true, true
		}
	}
	return l
}

// Reasons of leftovers.
const (
	noDaemonSet = "its DaemonSet does not exist, and kubectl drain stops at that (--force deletes the pod)"
	endless     = "a pod has terminated since before the dump and does not end (look at its finalizers)"
)

// Why returns why a pod lets no kubectl drain of its node end, "" if it does. A DaemonSet counts as deleted if the
// dump has others in its namespace. (kubectl/pkg/drain/filters.go, daemonSetFilter; drain.go, waitForDelete)
func (l *Leftovers) Why(p *kube.Pod, force bool) string {
	switch {
	case p.Mirror:
	case p.Terminating() && l.moment-p.Deleted > int64(unit.Minute/unit.Second) && !p.DaemonSet():
		return endless
	case p.DaemonSet() && !force && l.in[p.Namespace] && !l.sets[owned{p.Namespace, p.Owner}]:
		return noDaemonSet
	}
	return ""
}

// TwoBudgets is why a pod that two budgets cover keeps its node.
const TwoBudgets = "two disruption budgets cover a pod, so no eviction succeeds"

// Pod returns why a pod with a number of budgets cannot leave its node, "" if it can. unknown is why it is not known
// whether it finds another node, "" if it is.
func (r *DrainRules) Pod(p *kube.Pod, budgets int, unknown string) string {
	const comesBack = "a pod tolerates the cordon and may come back"
	tolerant := p.Spec.Tolerates(&kube.Taint{Key: kube.UnschedulableTaint, Effect: kube.NoSchedule})
	switch {
	case p.Terminating() && tolerant: // its StatefulSet makes another
		return comesBack
	case p.Terminating():
		return ""
	case unknown != "":
		return unknown
	case p.Owner.Kind == "" && !r.Force:
		return "a pod without a controller (--force lets it go)"
	case p.LastTry && !r.Force:
		return "a pod whose Job fails when it is evicted, by its backoffLimit (--force lets it go)"
	case p.SafeToEvict == kube.No:
		return "a pod's annotation safe-to-evict: false keeps it"
	case p.Pinned(r.Moment):
		return "a pod's annotation do-not-disrupt keeps it"
	case LocalData(p) && !r.DeleteEmptyDir: // kubectl knows no annotation that says they may be lost
		return "local storage (emptyDir) would be lost (--delete-emptydir-data lets such pods go)"
	case tolerant:
		return comesBack
	case budgets > 1 && p.Phase != kube.PhasePending:
		return TwoBudgets
	}
	return ""
}
