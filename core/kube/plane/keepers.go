package plane

import (
	"slices"
	"strings"

	"parley/core/kube"
	"parley/core/kube/constraint"
)

// Those who empty nodes, by rules of their own.
// (k8s.io/kubectl/pkg/drain; cluster-autoscaler/simulator/drainability/rules; karpenter/pkg/controllers/state)
const (
	ByDrain      = "kubectl drain"
	ByAutoscaler = "cluster-autoscaler"
	ByKarpenter  = "Karpenter"
)

// Reasons of Karpenter.
const (
	podsAnnotation = `pod has "karpenter.sh/do-not-disrupt" annotation`
	pdbPrevents    = "pdb prevents pod evictions"
)

// BlocksNode reports each mark by which a node is kept.
func BlocksNode(n *kube.Node, tell func(by, reason, detail string)) {
	if n.ScaleDownDisabled {
		tell(ByAutoscaler, "ScaleDownDisabledAnnotation", "")
	}
	if n.DoNotDisrupt {
		tell(ByKarpenter, `the annotation karpenter.sh/do-not-disrupt of the node`, "")
	}
}

// Blocks reports each rule by which a pod keeps its node, whether or not it has another node. Pods that end with
// their node, or end already, keep none.
func Blocks(c *kube.Cluster, budgets *constraint.Budgets, i int, tell func(by, reason, detail string)) {
	p := &c.Pods[i]
	if p.Mirror || p.Terminating() || p.Owner.Kind == "Node" {
		return
	}
	if p.DoNotDisrupt {
		tell(ByKarpenter, podsAnnotation, "")
	}
	if p.DaemonSet() {
		return
	}
	safe := p.SafeToEvict == kube.Yes
	if p.Owner.Kind == "" {
		tell(ByDrain, "no controller (--force deletes it for good)", "")
		if !safe {
			tell(ByAutoscaler, "NotReplicated", "")
		}
	}
	if p.SafeToEvict == kube.No {
		tell(ByAutoscaler, "NotSafeToEvictAnnotation", "")
	}
	local := append(append([]string{}, p.Spec.EmptyDirs...), p.Spec.HostPaths...)
	if LocalData(p) {
		tell(ByDrain, "local storage (--delete-emptydir-data loses it)", strings.Join(append(append([]string{}, p.Spec.EmptyDirs...), p.Spec.MemoryDirs...), ", "))
	}
	if kept := unsafe(local, p.SafeVolumes); len(kept) > 0 && !safe {
		tell(ByAutoscaler, "LocalStorageRequested", strings.Join(kept, ", "))
	}
	of := budgets.Of(i)
	if p.Namespace == "kube-system" && len(of) == 0 && !safe && p.Owner.Kind != "" {
		tell(ByAutoscaler, "UnmovableKubeSystemPod", "no budget covers it")
	}
	if p.Phase == kube.PhasePending || len(of) == 0 {
		return
	}
	var names []string
	for _, k := range of {
		names = append(names, c.Budgets[k].Namespace+"/"+c.Budgets[k].Name)
	}
	refused := budgets.Clone().Evict(i)
	switch {
	case len(of) > 1:
		tell(ByDrain, "two disruption budgets: no eviction succeeds", strings.Join(names, ", "))
		tell(ByKarpenter, pdbPrevents, strings.Join(names, ", "))
	case refused != nil:
		tell(ByDrain, "a disruption budget allows no eviction", names[0])
		tell(ByKarpenter, pdbPrevents, names[0])
	}
	if budgets.Allowed(of[0]) < 1 && !safe {
		tell(ByAutoscaler, "NotEnoughPdb", names[0])
	}
}

// unsafe returns the names of volumes that are not among those that may be lost.
func unsafe(volumes, safe []string) []string {
	return slices.DeleteFunc(slices.Clone(volumes), func(name string) bool { return slices.Contains(safe, name) })
}

// LocalData reports whether kubectl drain asks for --delete-emptydir-data.
func LocalData(p *kube.Pod) bool { return len(p.Spec.EmptyDirs)+len(p.Spec.MemoryDirs) > 0 }

// Expendable reports whether a pod says that its local volumes may be lost.
func Expendable(p *kube.Pod) bool {
	if p.SafeToEvict == kube.Yes {
		return true
	}
	for _, dir := range p.Spec.EmptyDirs {
		if !slices.Contains(p.SafeVolumes, dir) {
			return false
		}
	}
	return true // data in memory is lost with every restart
}
