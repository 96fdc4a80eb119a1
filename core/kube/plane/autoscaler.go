package plane

import (
	"fmt"
	"slices"

	"parley/core/kube"
	"parley/core/unit"
)

// Defaults of the cluster autoscaler. (cluster-autoscaler/FAQ.md, its flags; core/scaledown/actuation/drain.go)
const (
	ScanInterval      = 10 * unit.Second // scan-interval
	UnneededTime      = 10 * unit.Minute // scale-down-unneeded-time
	UnreadyTime       = 20 * unit.Minute // scale-down-unready-time
	DelayAfterAdd     = 10 * unit.Minute // scale-down-delay-after-add
	DelayAfterFailure = 3 * unit.Minute  // scale-down-delay-after-failure
	// UtilizationThreshold is scale-down-utilization-threshold, in per cent; scale-down-gpu-utilization-threshold is
	// the same.
	UtilizationThreshold = 50
	recheck              = 5 * unit.Minute // unremovable-node-recheck-timeout
	parallelRemovals     = 10              // max-scale-down-parallelism
	parallelDrains       = 1               // max-drain-parallelism
	delayAfterTaint      = 5 * unit.Second // node-delete-delay-after-taint
	longestEviction      = 2 * unit.Minute // max-pod-eviction-time
	maxGrace             = 600             // max-graceful-termination-sec
	headroom             = 30 * unit.Second
	retryEviction        = 10 * unit.Second
	systemGrace          = 60 * unit.Minute // of pods in kube-system without a budget (autoscaler#7914)
)

// AutoscalerOptions are the settings of the cluster autoscaler in a play.
type AutoscalerOptions struct {
	// Unneeded is for how long a node must not be needed before it is removed, and Threshold the part of its
	// allocatable CPU or memory, in per cent, below which requests leave it so.
	Unneeded     unit.Time
	Threshold    int
	MinGroupSize int // nodes that each group keeps
	MaxRemovals  int // removals
	// Local and System take the rules away by which pods with local storage and pods in kube-system keep their nodes:
	// skip-nodes-with-local-storage and skip-nodes-with-system-pods are false.
	Local, System bool
	// Agents leaves pods of DaemonSets out of a node's utilization: ignore-daemonsets-utilization.
	Agents bool
	// Unknown returns why it is not known whether a pod finds another node, "" if it is.
	Unknown func(pod *kube.Pod) string
}

// Autoscaler is the cluster autoscaler in a play: it looks every 10 s, and removes nodes that have not been needed for
// a time, empty ones up to 10 at a time, others one after another.
// (cluster-autoscaler/core/static_autoscaler.go, core/scaledown/planner, core/scaledown/unneeded)
type Autoscaler struct {
	p        *Plane
	o        AutoscalerOptions
	Removals []*Removal
	Kept     []Kept // at the last look
	// More reports that it was stopped after as many removals as it may have.
	More     bool
	order    []int             // of the nodes
	unneeded map[int]unit.Time // since when a node is not needed
	refused  map[int]refused   // nodes that could not be removed, until they are looked at again
	busy     map[int]bool      // nodes that are being removed
	spent    map[int]int32     // evictions of budgets that the nodes that are not needed take
	groups   map[string]int    // nodes of each group, less those that are being removed
	from     int               // the node from which places are searched
	failed   unit.Time         // when a removal failed last
	trial    *trial
	seen     int  // facts at the last look
	cut      bool // the last look left nodes out
	due      unit.Time
	idle     bool
	open     int // removals that are carried out
	drains   int // of them, those of nodes that have pods
}

// Removal is the removal of a node.
type Removal struct {
	Node           int
	Empty          bool
	Unneeded       unit.Time // since when the node was not needed
	Started, Ended unit.Time // Ended is -1 while it goes on
	FailReason     string    // why the node is kept after all, "" if it is not
	Moves          []Planned // as the autoscaler plans them: the scheduler may choose other nodes
	Drain          *Drain    // nil of an empty node
	group          string
}

// refused is why a node could not be removed, and how many facts there were then. Without another fact that changes
// at the moment changes, if it does.
type refused struct {
	until, changes unit.Time
	seen           int
	reason         Kept
}

// needless is a node whose pods would find other nodes.
type needless struct {
	at    int
	moves []Planned
	risky bool // one of its budgets does not allow all evictions at once
}

// Autoscale lets the cluster autoscaler remove nodes from now on. All nodes are needed at the beginning.
// Run it with Plane.Run until Over.
func (p *Plane) Autoscale(o AutoscalerOptions) *Autoscaler {
	a := &Autoscaler{
		p: p, o: o, unneeded: map[int]unit.Time{}, refused: map[int]refused{}, busy: map[int]bool{},
		failed: -Day,
	}
	for at := range p.c.Nodes {
		a.order = append(a.order, at)
	}
	if p.o.Pace == Drawn { // its list of the nodes has any order
		p.draws.Shuffle(len(a.order), func(i, j int) { a.order[i], a.order[j] = a.order[j], a.order[i] })
	}
	p.after(0, a.look)
	return a
}

// GroupOf returns the group of a node that the autoscaler may resize, "" of nodes whose labels name none.
// own is false if the autoscaler does not resize it: a node of the control plane, of Karpenter, or a
// virtual one.
func GroupOf(n *kube.Node) (group string, own bool) {
	label, name := n.Group()
	if n.ControlPlane() || n.Virtual() || label == kube.KarpenterPool || label == kube.KarpenterProvisioner {
		return "", false
	}
	return name, true
}

// look is one pass of the autoscaler: it finds the nodes that are not needed, begins to remove some of them
// unless a removal failed a short time ago, and schedules the next pass. After MaxRemovals removals it stops.
func (a *Autoscaler) look() {
	if a.More = len(a.Removals) >= a.o.MaxRemovals; a.More {
		a.idle = true
		return
	}
	now := a.p.kernel.Now()
	a.due, a.seen = unit.Forever, a.p.factCount
	all := a.needless()
	begun := 0
	if cools := a.failed + DelayAfterFailure; cools > now {
		a.due = min(a.due, cools)
	} else {
		begun = a.remove(all)
	}
	a.idle = begun == 0 && !a.cut && a.due == unit.Forever
	a.p.after(ScanInterval, a.again)
}

// again begins a pass if a fact was recorded since the last one, or something is due; otherwise it waits,
// in whole intervals, until the next event or due time. A pass without a change would find the same.
func (a *Autoscaler) again() {
	now := a.p.kernel.Now()
	if a.seen != a.p.factCount || a.cut || a.due <= now {
		a.look()
		return
	}
	if next := min(a.p.kernel.Next(), a.due); next < unit.Forever {
		wait := max(next-now, 1)
		a.p.after((wait+ScanInterval-1)/ScanInterval*ScanInterval, a.again)
	}
}

// needless returns the nodes that are not needed, together: the pods of each find places on the others, and
// those of the next ones in the room that is left. It sets unneeded and notes in Kept why the others are
// kept. A node that could not be removed is not tried again before recheck. The state is the same
// afterwards. (core/scaledown/planner, categorizeNodes; core/scaledown/eligibility)
func (a *Autoscaler) needless() (all []needless) {
	now := a.p.kernel.Now()
	a.Kept, a.spent, a.groups, a.trial = nil, map[int]int32{}, map[string]int{}, &trial{s: a.p.s}
	defer a.trial.back(0)
	for at := range a.p.c.Nodes { // the pods of nodes that are being removed take room elsewhere
		if !a.p.states[at].absent && a.busy[at] {
			a.displace(at)
		}
	}
	since := map[int]unit.Time{}
	// What is found beyond this number could not be removed in time. (planner, unneededNodesLimit)
	grows := len(a.unneeded) + 2*parallelRemovals
	limit := min(grows, parallelRemovals*int(max(1, a.o.Unneeded/ScanInterval))+parallelRemovals)
	a.cut = false
	for _, at := range a.candidates() {
		if len(all) >= limit {
			a.cut = limit == grows
			break
		}
		if r, known := a.refused[at]; known && r.until > now {
			a.Kept = append(a.Kept, r.reason)
			if r.seen != a.p.factCount {
				a.due = min(a.due, r.until)
			}
			a.due = min(a.due, max(r.until, r.changes))
			continue
		}
		x, reason := a.simulate(at)
		if reason != nil {
			r := refused{now + recheck, unit.Forever, a.p.factCount, *reason}
			if reason.Reason == systemPod {
				r.changes = a.ripe(at)
			}
			a.refused[at] = r
			a.due = min(a.due, max(r.until, r.changes))
			a.Kept = append(a.Kept, *reason)
			continue
		}
		delete(a.refused, at)
		all = append(all, x)
		if since[at] = now; a.has(at) {
			since[at] = a.unneeded[at]
		}
	}
	a.unneeded = since
	return all
}

func (a *Autoscaler) has(at int) bool { _, has := a.unneeded[at]; return has }

// candidates returns the nodes whose removal is tried: those without pods to move first, then those that
// were not needed before. It counts the nodes of each group, and notes in Kept why the others are kept.
func (a *Autoscaler) candidates() []int {
	var by [3][]int
	for _, at := range a.order {
		n, state := &a.p.c.Nodes[at], &a.p.states[at]
		group, own := GroupOf(n)
		switch {
		case state.absent || a.busy[at]:
			continue
		case own:
			a.groups[group]++
		}
		reason, detail := "", ""
		switch used, resource := a.utilization(at); {
		case !own:
			reason, detail = "NotAutoscaled", "it belongs to the control plane or to Karpenter, or is not a machine"
		case slices.ContainsFunc(n.Taints, func(t kube.Taint) bool { return t.Key == "ToBeDeletedByClusterAutoscaler" }):
			reason = "CurrentlyBeingDeleted"
		case n.ScaleDownDisabled:
			reason = "ScaleDownDisabledAnnotation"
		case used >= float64(a.o.Threshold)/100:
			reason, detail = "NotUnderutilized", fmt.Sprintf("%.0f %% of its %s", 100*used, resource)
		}
		switch {
		case reason != "":
			a.Kept = append(a.Kept, Kept{at, reason, detail})
		case len(a.movers(at)) == 0:
			by[0] = append(by[0], at)
		case a.has(at):
			by[1] = append(by[1], at)
		default:
			by[2] = append(by[2], at)
		}
	}
	return slices.Concat(by[:]...)
}

// utilization returns the larger of the parts of a node's allocatable CPU and memory that its pods request
// (1 is all), and the name of that resource; of a node with GPUs it is that of the GPUs alone.
// (simulator/utilization/info.go)
func (a *Autoscaler) utilization(at int) (used float64, resource string) {
	n, requested := &a.p.c.Nodes[at], a.p.s.Requested(at)
	agents := kube.Vector{}
	if a.o.Agents {
		agents = make(kube.Vector, len(a.p.c.Resources))
		for _, i := range a.p.s.PodsOn(at) {
			if q := &a.p.c.Pods[i]; q.DaemonSet() {
				for r := range agents {
					agents[r] += q.Spec.Requests.At(r)
				}
			}
		}
	}
	of := func(r int) float64 { // without the agents, which take their part of every node
		if has := n.Allocatable.At(r) - agents.At(r); has > 0 {
			return float64(requested.At(r)-agents.At(r)) / float64(has)
		}
		return 0
	}
	if gpu := a.p.c.Resource("nvidia.com/gpu"); gpu >= 0 && n.Allocatable.At(gpu) > 0 {
		return of(gpu), "GPUs"
	}
	cpu, memory := of(kube.CPU), of(kube.Memory)
	if memory >= cpu {
		return memory, "memory"
	}
	return cpu, "CPU"
}

// movers returns the pods of a node that must find another if it is removed, rising. Pods that are
// terminating need none, unless a StatefulSet makes them anew.
func (a *Autoscaler) movers(at int) (all []int) {
	for _, i := range slices.Sorted(slices.Values(a.p.s.PodsOn(at))) {
		q := &a.p.c.Pods[i]
		if q.Node == at && !q.Mirror && q.Owner.Kind != "Node" && !q.DaemonSet() &&
			(!a.p.pods[i].terminating || q.Owner.Kind == "StatefulSet") {
			all = append(all, i)
		}
	}
	return all
}

// simulate removes a node in the trial if each of its pods finds a place on another, and returns their
// moves. Otherwise it undoes its part of the trial and returns why the node is kept. (simulator/cluster.go,
// SimulateNodeRemoval)
func (a *Autoscaler) simulate(at int) (x needless, why *Kept) {
	pods, needs := a.movers(at), map[int]int32{}
	x.at = at
	for _, i := range pods {
		if reason, detail := a.pinned(i); reason != "" {
			return x, &Kept{at, reason, detail}
		}
		for _, k := range a.p.budgets.of[i] {
			needs[k]++
		}
	}
	mark := len(a.trial.done)
	for _, i := range pods {
		a.trial.unbind(i)
	}
	a.trial.cordon(at) // it stays a domain of spread
	for _, i := range pods {
		to := a.place(i)
		if to == kube.Nowhere {
			reason := a.p.s.Filter(i).MainReason()
			if reason == "node(s) were unschedulable" { // it is the node itself
				reason = "no other node is left"
			}
			a.trial.back(mark)
			return x, &Kept{at, "NoPlaceToMovePods", a.p.full(i) + ": " + reason}
		}
		a.trial.bind(i, to)
		x.moves = append(x.moves, Planned{a.p.full(i), at, to})
	}
	a.trial.removeWithPods(at)
	for k, n := range needs {
		x.risky = x.risky || n > a.allowed(k)
		a.spent[k] += n
	}
	return x, nil
}

// displace removes a node in the trial and places its pods on the others; those without a place are left
// out.
func (a *Autoscaler) displace(at int) {
	pods := a.movers(at)
	a.trial.removeWithPods(at)
	for _, i := range pods {
		if to := a.place(i); to != kube.Nowhere {
			a.trial.bind(i, to)
		}
	}
}

// place returns the first node that takes a pod, from the one after the last that did.
// (simulator/clustersnapshot/predicate, RunFiltersUntilPassingNode)
func (a *Autoscaler) place(i int) int {
	at := a.p.s.First(i, a.from, func(at int) bool { return !a.p.states[at].cordoned && !a.trial.cordoned[at] })
	if at != kube.Nowhere {
		a.from = at + 1
	}
	return at
}

// allowed returns how many evictions a budget allows, less those that are planned.
func (a *Autoscaler) allowed(k int) int32 {
	_, _, allowed := a.p.budgets.counts(k)
	return allowed - a.spent[k]
}

// pinned returns the rule by which a pod keeps its node, and in detail the pod with its object or budget;
// "" if none does. The first rule counts.
func (a *Autoscaler) pinned(i int) (reason, detail string) {
	q, l := &a.p.c.Pods[i], &a.p.pods[i]
	if l.terminating {
		return "", ""
	}
	if why := a.o.Unknown(q); why != "" {
		return why, q.Full()
	}
	of := a.p.budgets.of[i]
	spent := slices.IndexFunc(of, func(k int) bool { return a.allowed(k) < 1 })
	unmovable(q, len(of), a.p.kernel.Now()-l.created >= systemGrace, spent >= 0, func(rule, subject string) {
		if reason != "" || a.o.Local && rule == localStorage || a.o.System && rule == systemPod {
			return
		}
		if reason, detail = rule, a.p.full(i); rule == notEnoughPdb {
			b := &a.p.c.Budgets[of[spent]]
			subject = b.Namespace + "/" + b.Name
		}
		if subject != "" {
			detail += ": " + subject
		}
	})
	return reason, detail
}

// ripe returns the time at which the youngest pod of kube-system on a node is systemGrace old: from then on
// such pods no longer keep it.
func (a *Autoscaler) ripe(at int) (t unit.Time) {
	for _, i := range a.movers(at) {
		if a.p.c.Pods[i].Namespace == "kube-system" {
			t = max(t, a.p.pods[i].created+systemGrace)
		}
	}
	return t
}
