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
// their node, or end already, keep none, unless they are among the leftovers of the cluster.
func Blocks(c *kube.Cluster, budgets *constraint.Budgets, left *Leftovers, i int,
	tell func(by, reason, detail string),
) {
	p := &c.Pods[i]
	if why := left.Why(p, false); why != "" {
		tell(ByDrain, why, "")
	}
	if p.Mirror || p.Terminating() || p.Owner.Kind == "Node" {
		return
	}
	if p.Pinned(left.moment) {
		tell(ByKarpenter, podsAnnotation, "")
	}
	if p.DaemonSet() {
		return
	}
	if p.Owner.Kind == "" {
		tell(ByDrain, "no controller (--force deletes it for good)", "")
	}
	if LocalData(p) {
		tell(ByDrain, "local storage (--delete-emptydir-data loses it)", strings.Join(LocalVolumes(p), ", "))
	}
	of, spent := budgets.Of(i), false
	var names []string
	for _, k := range of {
		names = append(names, c.Budgets[k].Namespace+"/"+c.Budgets[k].Name)
		spent = spent || budgets.Allowed(k) < 1
	}
	if p.Phase == kube.PhasePending {
		spent = false
	} else if len(of) > 1 {
		tell(ByDrain, "two disruption budgets: no eviction succeeds", strings.Join(names, ", "))
		tell(ByKarpenter, pdbPrevents, strings.Join(names, ", "))
	} else if len(of) == 1 && budgets.Clone().Evict(i) != nil {
		tell(ByDrain, "a disruption budget allows no eviction", names[0])
		tell(ByKarpenter, pdbPrevents, names[0])
	}
	unmovable(p, len(of), false, spent, func(reason, detail string) {
		if reason == notEnoughPdb {
			detail = strings.Join(names, ", ")
		}
		tell(ByAutoscaler, reason, detail)
	})
}

// Reasons of the autoscaler.
const (
	localStorage = "LocalStorageRequested"
	systemPod    = "UnmovableKubeSystemPod"
	notEnoughPdb = "NotEnoughPdb"
)

// unmovable reports the rules by which the autoscaler keeps the node of a pod, in its order: budgets cover the pod, it
// is old enough for the rule of pods in kube-system to be past, and a budget allows no eviction.
// (cluster-autoscaler/simulator/drainability/rules)
func unmovable(p *kube.Pod, budgets int, old, spent bool, tell func(reason, detail string)) {
	if p.SafeToEvict == kube.Yes {
		return
	}
	if p.Owner.Kind == "" {
		tell("NotReplicated", "")
	}
	if p.Namespace == "kube-system" && budgets == 0 && !old {
		tell(systemPod, "no budget covers it")
	}
	if p.SafeToEvict == kube.No {
		tell("NotSafeToEvictAnnotation", "")
	}
	if kept := unsafe(slices.Concat(p.Spec.EmptyDirs, p.Spec.HostPaths), p.SafeVolumes); len(kept) > 0 {
		tell(localStorage, strings.Join(kept, ", "))
	}
	if spent {
		tell(notEnoughPdb, "")
	}
}

// unsafe returns the names of volumes that are not among those that may be lost.
func unsafe(volumes, safe []string) []string {
	return slices.DeleteFunc(slices.Clone(volumes), func(name string) bool { return slices.Contains(safe, name) })
}

// LocalData reports whether kubectl drain asks for --delete-emptydir-data, which it does whether a volume is
// on disk or in memory. (kubectl/pkg/drain/filters.go, localStorageFilter)
func LocalData(p *kube.Pod) bool { return len(p.Spec.EmptyDirs)+len(p.Spec.MemoryDirs) > 0 }

// LocalVolumes returns the names of the emptyDir volumes of a pod, those in memory last.
func LocalVolumes(p *kube.Pod) []string { return slices.Concat(p.Spec.EmptyDirs, p.Spec.MemoryDirs) }
