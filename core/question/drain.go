package question

import (
	"fmt"
	"slices"

	"parley/core/kube"
	"parley/core/kube/constraint"
)

// DrainOptions say what may be lost, and which nodes are asked about. The zero value loses
// nothing and asks about all nodes.
type DrainOptions struct {
	Nodes []int // those that may be emptied; nil for all
	// DeleteEmptyDir lets pods with emptyDir volumes go (kubectl drain --delete-emptydir-data);
	// Force lets pods without a controller go (--force).
	DeleteEmptyDir, Force bool
	// ControlPlane lets nodes of the control plane be emptied.
	ControlPlane bool
	Seed         uint64 // of the draws between nodes with the same score
}

// Drained is a plan: nodes that can be emptied, in order.
type Drained struct {
	Method  Method `json:"method"`
	Nodes   int    `json:"nodes"`   // of the cluster
	Emptied int    `json:"emptied"` // in the plan
	Bound   int    `json:"bound"`   // no plan empties more
	Moves   int    `json:"moves"`   // pods that get another node
	Daemons int    `json:"daemons"` // pods that end with their nodes
	// CordonFirst reports that all nodes are cordoned before the first is drained, so that no
	// pod moves twice.
	CordonFirst bool     `json:"cordon_first"`
	Steps       []Step   `json:"steps"`
	WhyNotMore  []Reason `json:"why_not_more"`
	Kept        []Kept   `json:"kept"`
	Saved       *Money   `json:"saved,omitempty"`
}

// Step empties one node.
type Step struct {
	Node    string `json:"node"`
	Zone    string `json:"zone,omitempty"`
	Moves   []Move `json:"moves"`
	Daemons int    `json:"daemons"`
	Lost    int    `json:"lost,omitempty"` // pods that nothing makes anew
	// Budget is the tightest that the step needs, with the evictions it allows; "" if none.
	Budget         string `json:"budget,omitempty"`
	Allowed        int    `json:"allowed,omitempty"`
	DeleteEmptyDir bool   `json:"delete_emptydir,omitempty"`
	node           int
	grace          int64 // seconds: the longest that a pod of the node may take to end
}

// Kept is a node that is not emptied, with the reason.
type Kept struct {
	Node   string `json:"node"`
	Reason string `json:"reason"`
	Pod    string `json:"pod,omitempty"` // that stops it
	// Always reports that no other order or placement would help.
	Always bool `json:"always"`
}

// Sentence returns the answer in one or two sentences.
func (d *Drained) Sentence() string {
	s := fmt.Sprintf("%d of %s can be emptied.", d.Emptied, count(d.Nodes, "node", "nodes"))
	if d.Bound > d.Emptied {
		s += fmt.Sprintf(" No plan can empty more than %d.", d.Bound)
	} else {
		s += " No plan can empty more."
	}
	if d.Emptied == 0 {
		return s
	}
	return s + fmt.Sprintf(" %s; no disruption budget is broken%s.", moved(d.Moves), ended(d.Daemons))
}

func moved(n int) string { return count(n, "pod moves", "pods move") }

// ended continues a sentence with the number of pods that end with their nodes, if there are any.
func ended(n int) string {
	if n == 0 {
		return ""
	}
	return "; " + count(n, "pod of a DaemonSet or of the node itself ends with its node", "pods of DaemonSets or of the nodes themselves end with their nodes")
}

// drain is a drain in work.
type drain struct {
	*asked
	o       DrainOptions
	s       *constraint.State
	budgets *constraint.Budgets
	blocked []Kept // by node; the reason is "" if nothing static stops it
	moving  [][]int
	never   []bool        // budgets that allow no eviction and never will
	places  map[alike]int // a node for pods that are alike, if nothing were in their way
}

// Drain returns the largest set of nodes that it finds to be emptied one after another by
// kubectl drain: each pod that leaves is placed by the scheduler's filters and scores on a node
// that stays, and no disruption budget is broken at any moment.
func Drain(c *kube.Cluster, p *constraint.Profile, o DrainOptions) *Drained {
	d := &drain{asked: ask(c, p, o.Seed, "drain"), o: o, s: constraint.New(c, p), budgets: constraint.NewBudgets(c), places: map[alike]int{}}
	d.prepare()
	bound := d.bound()
	steps, kept := d.greedy()
	first := false
	if again := d.cordonFirst(steps); len(again) == len(steps) {
		steps, first = again, true
	}
	if free := d.free(); len(free) <= mostSubsets && len(steps) < bound {
		if better := d.subsets(free, bound, len(steps)); better != nil {
			steps, first = better, true
		}
	}
	return d.answer(steps, kept, bound, first)
}

// mostSubsets is up to how many nodes all subsets of them are tried.
const mostSubsets = 9

// free returns the nodes that nothing static stops.
func (d *drain) free() []int {
	var out []int
	for at := range d.blocked {
		if d.blocked[at].Reason == "" {
			out = append(out, at)
		}
	}
	return out
}

func (d *drain) answer(steps []Step, kept []Kept, bound int, first bool) *Drained {
	out := &Drained{Nodes: len(d.c.Nodes), Emptied: len(steps), Bound: bound, Steps: append([]Step{}, steps...), CordonFirst: first, Kept: []Kept{}}
	emptied := map[string]bool{}
	for _, s := range steps {
		emptied[s.Node] = true
		out.Moves += len(s.Moves)
		out.Daemons += s.Daemons
	}
	var reasons []string
	for _, k := range kept {
		if !emptied[k.Node] {
			out.Kept = append(out.Kept, k)
			reasons = append(reasons, k.Reason)
		}
	}
	out.WhyNotMore = tally(reasons)
	for at := range d.moving {
		for _, pod := range d.moving[at] {
			d.touched[pod] = true
		}
	}
	when := "Each node is cordoned when its turn comes: a pod may move twice."
	if first {
		when = "All nodes of the plan are cordoned before the first is drained, so each pod moves once."
	}
	out.Method = d.method(
		"Nodes are emptied one after another, those with the fewest pods to move first. Each pod goes where the scheduler's own filters and scores put it; a node that cannot be emptied is left as it was. "+when,
		"The upper bound takes nodes that nothing static stops, lets pods be split over all other nodes and forgets topology spread, affinity between pods, ports and the order of evictions.",
		"Nodes of the control plane are those with one of its labels or taints; those that run no other pods take none.",
		"A pod that leaves is made anew by its controller and is ready before the next eviction.",
		"Emptied nodes stay cordoned and count as domains of topology spread, as after kubectl drain.",
		"Draws between nodes with equal scores are one of many.",
	)
	return out
}

// prepare finds what stops nodes whatever the order.
func (d *drain) prepare() {
	d.blocked, d.moving = make([]Kept, len(d.c.Nodes)), make([][]int, len(d.c.Nodes))
	for at := range d.c.Nodes {
		n := &d.c.Nodes[at]
		d.blocked[at].Node = n.Name
		for _, pod := range slices.Sorted(slices.Values(d.s.PodsOn(at))) {
			if f := d.fate(pod); f == moves || f == lost {
				d.moving[at] = append(d.moving[at], pod)
			}
		}
		d.blocked[at].Reason, d.blocked[at].Pod = d.stops(at)
		d.blocked[at].Always = !unknown(d.blocked[at].Reason)
	}
	for at := range d.c.Nodes { // workloads are not sent to a control plane that runs none
		if d.c.Nodes[at].ControlPlane() && !d.o.ControlPlane && len(d.moving[at]) == 0 {
			d.s.Cordon(at, true)
		}
	}
	if d.o.Nodes != nil {
		for at := range d.blocked {
			if !slices.Contains(d.o.Nodes, at) && d.blocked[at].Reason == "" {
				d.blocked[at].Reason = "it is not asked about"
			}
		}
	}
}

// stops returns what stops a node, and the pod that does; "" if nothing static does.
func (d *drain) stops(at int) (reason, pod string) {
	n := &d.c.Nodes[at]
	if n.ControlPlane() && !d.o.ControlPlane {
		return "it is of the control plane", ""
	}
	switch {
	case n.Ready != kube.ReadyTrue:
		return "it is not ready: its pods cannot end", ""
	case n.ScaleDownDisabled:
		return "its annotation scale-down-disabled keeps it", ""
	case n.DoNotDisrupt:
		return "its annotation do-not-disrupt keeps it", ""
	}
	for _, i := range d.moving[at] {
		switch why := d.refuses(i); {
		case why == "":
		case unknown(why): // unless another pod stops the node for certain
			reason, pod = why, d.c.Pods[i].Full()
		default:
			return why, d.c.Pods[i].Full()
		}
	}
	return reason, pod
}

// refuses returns why a pod cannot leave its node, "" if it can.
func (d *drain) refuses(pod int) string {
	p := &d.c.Pods[pod]
	switch {
	case p.Terminating(): // it goes in any case; its StatefulSet makes another
		return ""
	case d.foreign(pod):
		return otherScheduler
	case p.Spec.ResourceClaims > 0:
		return devices
	case p.Owner.Kind == "" && !d.o.Force:
		return "a pod without a controller (--force lets it go)"
	case p.SafeToEvict == kube.No:
		return "a pod's annotation safe-to-evict: false keeps it"
	case p.DoNotDisrupt:
		return "a pod's annotation do-not-disrupt keeps it"
	case localData(p) && !d.o.DeleteEmptyDir && !expendable(p):
		return "local storage (emptyDir) would be lost (--delete-emptydir-data lets such pods go)"
	case p.Spec.Tolerates(&kube.Taint{Key: kube.UnschedulableTaint, Effect: kube.NoSchedule}):
		return "a pod tolerates the cordon and may come back"
	case len(d.budgets.Of(pod)) > 1 && p.Phase != kube.PhasePending:
		return "two disruption budgets cover a pod, so no eviction succeeds"
	}
	return ""
}

// Reasons that say what is not known: the pod may well find another node.
const (
	otherScheduler = "a pod of another scheduler, whose configuration was not given (--config)"
	devices        = "a pod with resource claims, which are not modelled"
)

func unknown(reason string) bool { return reason == otherScheduler || reason == devices }

// localData reports whether kubectl drain asks for --delete-emptydir-data.
func localData(p *kube.Pod) bool { return len(p.Spec.EmptyDirs)+len(p.Spec.MemoryDirs) > 0 }

// expendable reports whether a pod says that its local volumes may be lost.
func expendable(p *kube.Pod) bool {
	if p.SafeToEvict == kube.Yes {
		return true
	}
	for _, dir := range p.Spec.EmptyDirs {
		if !slices.Contains(p.SafeVolumes, dir) {
			return false
		}
	}
	return true // what is in memory is lost with every restart
}

// greedy empties nodes in turn, those with the fewest pods to move first.
func (d *drain) greedy() (steps []Step, kept []Kept) {
	order := make([]int, 0, len(d.c.Nodes))
	need, totals := make([]float64, len(d.c.Nodes)), d.totals()
	for at := range d.c.Nodes {
		if d.blocked[at].Reason != "" {
			kept = append(kept, d.blocked[at])
			continue
		}
		order = append(order, at)
		need[at] = d.weight(at, totals)
	}
	slices.SortStableFunc(order, func(x, y int) int {
		switch {
		case need[x] < need[y]:
			return -1
		case need[x] > need[y]:
			return 1
		}
		return x - y
	})
	s, b := d.s.Clone(), d.budgets.Clone()
	for _, at := range order {
		s.Cordon(at, true)
		step, why := d.empty(s, b, at)
		if why.Reason != "" {
			s.Cordon(at, d.c.Nodes[at].Unschedulable)
			kept = append(kept, why)
			continue
		}
		steps = append(steps, step)
	}
	return steps, kept
}

// weight is how much a node gives the others to take: the largest part of the cluster's
// allocatable resources that its pods request, and the pods themselves.
func (d *drain) weight(at int, totals []int64) float64 {
	most := 0.0
	for r, all := range totals {
		sum := int64(0)
		for _, pod := range d.moving[at] {
			sum += d.c.Pods[pod].Spec.Requests.At(r)
		}
		if all > 0 {
			most = max(most, float64(sum)/float64(all))
		}
	}
	return most
}

// totals returns what all nodes have of each resource.
func (d *drain) totals() []int64 {
	sums := make([]int64, len(d.c.Resources))
	for i := range d.c.Nodes {
		for r := range sums {
			sums[r] += d.c.Nodes[i].Allocatable.At(r)
		}
	}
	return sums
}

// empty moves the pods of a cordoned node away. If one cannot leave, all go back and the
// reason is returned.
func (d *drain) empty(s *constraint.State, b *constraint.Budgets, at int) (Step, Kept) {
	before := b.Clone()
	n := &d.c.Nodes[at]
	step := Step{Node: n.Name, Zone: n.Zone(), Moves: []Move{}, node: at}
	type moved struct{ pod, to int }
	var done []moved
	back := func(k Kept) (Step, Kept) {
		for i := len(done) - 1; i >= 0; i-- {
			s.Unbind(done[i].pod)
			s.Bind(done[i].pod, at)
		}
		*b = *before
		k.Node = n.Name
		return Step{}, k
	}
	for _, pod := range slices.Clone(s.PodsOn(at)) {
		if f := d.fate(pod); f == ends || f == gone {
			step.Daemons++
		}
	}
	for _, pod := range d.leaving(s, at) {
		p := &d.c.Pods[pod]
		step.DeleteEmptyDir = step.DeleteEmptyDir || localData(p)
		step.grace = max(step.grace, p.Spec.Grace)
		for _, i := range b.Of(pod) {
			if left := b.Allowed(i); step.Budget == "" || left < step.Allowed {
				step.Budget, step.Allowed = d.c.Budgets[i].Namespace+"/"+d.c.Budgets[i].Name, left
			}
		}
		if refused := b.Evict(pod); refused != nil {
			return back(Kept{Reason: "a disruption budget allows no eviction", Pod: p.Full()})
		}
		s.Unbind(pod)
		if d.fate(pod) == lost {
			step.Lost++
			done = append(done, moved{pod, kube.Nowhere})
			continue
		}
		to, v := s.Schedule(pod, d.draw)
		if to == kube.Nowhere {
			s.Bind(pod, at)
			return back(Kept{Reason: elsewhere(v), Pod: p.Full()})
		}
		s.Bind(pod, to)
		b.Replaced(pod)
		done = append(done, moved{pod, to})
		step.Moves = append(step.Moves, Move{Pod: p.Full(), From: n.Name, To: d.c.Nodes[to].Name})
	}
	return step, Kept{}
}

// elsewhere returns what stops a pod on most of the nodes that are not cordoned.
func elsewhere(v *constraint.Verdict) string {
	counts := v.Counts()
	for _, c := range counts {
		if c.Reason != "node(s) were unschedulable" {
			return c.Reason
		}
	}
	return main(v)
}

// leaving returns the pods that must leave a node, the largest first: what does not fit is
// found early.
func (d *drain) leaving(s *constraint.State, at int) []int {
	var out []int
	for _, pod := range s.PodsOn(at) {
		if f := d.fate(pod); f == moves || f == lost {
			out = append(out, pod)
		}
	}
	slices.SortFunc(out, func(x, y int) int {
		p, q := d.c.Pods[x].Spec.Requests, d.c.Pods[y].Spec.Requests
		if by := sign(q.At(kube.Memory) - p.At(kube.Memory)); by != 0 {
			return int(by)
		}
		return x - y
	})
	return out
}

// cordonFirst plays a plan again with all its nodes cordoned from the beginning, and returns
// the steps up to the first that fails.
func (d *drain) cordonFirst(plan []Step) []Step {
	s, b := d.s.Clone(), d.budgets.Clone()
	for _, step := range plan {
		s.Cordon(step.node, true)
	}
	var steps []Step
	for _, step := range plan {
		again, why := d.empty(s, b, step.node)
		if why.Reason != "" {
			return steps
		}
		steps = append(steps, again)
	}
	return steps
}

// subsets tries all sets of nodes that are larger than known and not above bound, the largest
// first.
func (d *drain) subsets(free []int, bound, known int) []Step {
	for size := min(bound, len(free)); size > known; size-- {
		for set := range 1 << len(free) {
			var plan []Step
			for i, at := range free {
				if set&(1<<i) != 0 {
					plan = append(plan, Step{node: at})
				}
			}
			if len(plan) != size {
				continue
			}
			for range tries {
				if steps := d.cordonFirst(plan); len(steps) == size {
					return steps
				}
			}
		}
	}
	return nil
}

// tries is how often a small set of nodes is tried with other draws.
const tries = 4
