package question

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
)

// DrainOptions are the options of Drain. The zero value allows no losses and covers all nodes.
type DrainOptions struct {
	Nodes []int // those that may be emptied; nil for all
	// DeleteEmptyDir lets pods with emptyDir volumes go (kubectl drain --delete-emptydir-data);
	// Force lets pods without a controller go (--force).
	DeleteEmptyDir, Force bool
	// ControlPlane lets nodes of the control plane be emptied.
	ControlPlane bool
	// Once moves no pod twice: all nodes of the plan are cordoned before the first is drained.
	Once bool
	Seed uint64 // of the draws between nodes with the same score
}

// Drained is a plan: nodes that can be emptied, in order.
type Drained struct {
	Method   Method `json:"method"`
	Nodes    int    `json:"nodes"`           // of the cluster
	Selected int    `json:"asked,omitempty"` // nodes that were asked about, 0 for all
	Emptied  int    `json:"emptied"`         // in the plan
	Bound    int    `json:"bound"`           // no plan empties more
	Moves    int    `json:"moves"`           // pods that get another node
	// Evictions are of these pods: more than Moves if some move again. MaxMoves is how often one pod moves.
	Evictions int `json:"evictions"`
	MaxMoves  int `json:"most_moves_of_a_pod"`
	Preempted int `json:"preempted,omitempty"` // pods of negative priority that stay pending
	Daemons   int `json:"daemons"`             // pods that end with their nodes
	Pending   int `json:"pending"`             // pods of the dump that wait for a node, and stay so
	// CordonFirst reports that all nodes are cordoned before the first is drained, so that no
	// pod moves twice; EmptiedOnce is how many nodes such a plan empties.
	CordonFirst bool     `json:"cordon_first"`
	EmptiedOnce int      `json:"emptied_if_no_pod_moves_twice"`
	Steps       []Step   `json:"steps"`
	WhyNotMore  []Reason `json:"why_not_more"`
	Kept        []Kept   `json:"kept"`
	Saved       *Money   `json:"saved,omitempty"`
	// Seconds is how long the drains take, nil if that was not played or they do not end.
	Seconds *Span `json:"seconds,omitempty"`
	// Stalls are evictions that budgets hold up, and Waiting counts pods that were made anew and have no node at the
	// end, both in the play with the median times.
	Stalls  []Stall `json:"stalls,omitempty"`
	Waiting int     `json:"waiting,omitempty"`
	cluster string  // see kube.Cluster.ID
	timed   string  // a sentence about that, with a space before it
	watch   *Watch
}

// Step empties one node.
type Step struct {
	Node    string `json:"node"`
	Zone    string `json:"zone,omitempty"`
	Moves   []Move `json:"moves"`
	Daemons int    `json:"daemons"`
	// Preempted are pods of negative priority that make room and find no other node.
	Preempted []string `json:"preempted,omitempty"`
	Lost      int      `json:"lost,omitempty"` // pods that nothing makes anew
	// LostPods names these pods, and Data those whose local volumes are lost.
	LostPods []string `json:"gone,omitempty"`
	Data     []string `json:"local_data_lost,omitempty"`
	// Budget is the tightest that the step needs, with the evictions it allows; "" if none.
	Budget         string `json:"budget,omitempty"`
	Allowed        int    `json:"allowed,omitempty"`
	DeleteEmptyDir bool   `json:"delete_emptydir,omitempty"`
	node           int
	volumes        [][]string // local ones, of the pods of Data
	grace          int64      // seconds: the longest that a pod of the node may take to end
	waits          []wait     // for workloads whose pods have moved
}

// Kept is a node that is not emptied, with the reason.
type Kept struct {
	Node   string `json:"node"`
	Reason string `json:"reason"`
	Pod    string `json:"pod,omitempty"`    // that stops it
	Budget string `json:"budget,omitempty"` // that keeps the pod
	// Always reports that no other order or placement would help.
	Always bool `json:"always"`
}

// Sentence returns the answer in one or two sentences.
func (d *Drained) Sentence() string {
	of := count(d.Nodes, "node", "nodes")
	if d.Selected > 0 {
		of = "the " + count(d.Selected, "node", "nodes") + " asked about"
	}
	s := fmt.Sprintf("%s of %s can be emptied.", number(d.Emptied), of)
	if d.Bound > d.Emptied {
		s += fmt.Sprintf(" No plan can empty more than %s.", number(d.Bound))
	} else {
		s += " No plan can empty more."
	}
	if d.Emptied == 0 {
		return s
	}
	s += " " + moved(d.Moves)
	if d.MaxMoves > 1 {
		s += fmt.Sprintf(" and are evicted %s times, one of them %d times", number(d.Evictions), d.MaxMoves)
	}
	s += "; no disruption budget is broken"
	if d.Preempted > 0 {
		s += "; " + count(d.Preempted, "pod of negative priority is preempted and stays pending", "pods of negative priority are preempted and stay pending")
	}
	s += ended(d.Daemons)
	gone, losers := 0, map[string]bool{}
	for _, step := range d.Steps {
		gone += len(step.LostPods)
		for _, pod := range step.Data { // one that is evicted twice is one pod
			losers[pod] = true
		}
	}
	if gone > 0 {
		s += "; " + count(gone, "pod that no controller makes anew is gone for good", "pods that no controller makes anew are gone for good")
	}
	if data := len(losers); data > 0 {
		s += "; " + count(data, "pod loses its local volumes (--delete-emptydir-data)", "pods lose their local volumes (--delete-emptydir-data)")
	}
	return s + "."
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
	*query
	o       DrainOptions
	s       *constraint.State
	budgets *constraint.Budgets
	blocked []Kept // by node; the reason is "" if nothing static stops it
	moving  [][]int
	never   []bool        // budgets that allow no eviction and never will
	places  map[alike]int // a node for pods that are alike, if nothing were in their way
	once    *plane.SingleVolumes
	systems *plane.Platforms
	keep    *kube.Owners
	rules   plane.DrainRules
	left    *plane.Leftovers
	idle    bool             // pods of negative priority make room
	unready map[workload]int // pods that are not ready, by workload
}

// Drain returns the largest set of nodes that it finds to be emptied one after another by kubectl drain:
// each pod that leaves is placed by the scheduler's filters and scores on a node that stays, and no
// disruption budget is broken at any moment. It compares a plan that cordons each node in its turn, one
// that cordons all first, and, for at most maxSubsets candidates, all subsets. Bound shows how far it may
// be from the optimum.
func Drain(c *kube.Cluster, p *constraint.Profile, o DrainOptions) *Drained {
	d := &drain{
		query: newQuery(c, p, o.Seed, "drain"), o: o, s: constraint.New(c, p), budgets: constraint.NewBudgets(c),
		places: map[alike]int{},
		rules: plane.DrainRules{
			DeleteEmptyDir: o.DeleteEmptyDir, Force: o.Force, ControlPlane: o.ControlPlane, Moment: plane.Moment(c),
		},
		left: plane.NewLeftovers(c),
		once: plane.NewSingleVolumes(c), systems: plane.NewPlatforms(c), keep: kube.NewOwners(c),
		unready: map[workload]int{},
	}
	d.prepare()
	bound := d.bound()
	steps, kept := d.greedy()
	calm, left := d.calm(steps)
	first := len(calm) == len(steps) || o.Once
	if first {
		steps, kept = calm, append(kept, left...)
	}
	if free := d.free(); len(free) <= maxSubsets && len(steps) < bound {
		if better := d.subsets(free, bound, len(steps)); better != nil {
			steps, calm, first = better, better, true
		}
	}
	return d.answer(steps, kept, bound, len(calm), first)
}

// maxSubsets is up to how many nodes all subsets of them are tried.
const maxSubsets = 9

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

// answer builds the result from a plan. kept has a reason for each node that is not emptied, bound is the
// most that any plan empties, and calm is how many a plan empties in which no pod moves twice; first
// reports that steps is such a plan.
func (d *drain) answer(steps []Step, kept []Kept, bound, calm int, first bool) *Drained {
	out := &Drained{
		Nodes: len(d.c.Nodes), cluster: d.c.ID, Selected: len(d.o.Nodes), Emptied: len(steps), Bound: bound,
		Steps: append([]Step{}, steps...), CordonFirst: first, EmptiedOnce: calm, Kept: []Kept{},
	}
	emptied, moves := map[string]bool{}, map[string]int{}
	for _, s := range steps {
		emptied[s.Node] = true
		for _, m := range s.Moves {
			moves[m.Pod]++
			out.MaxMoves = max(out.MaxMoves, moves[m.Pod])
		}
		out.Evictions += len(s.Moves)
		out.Daemons += s.Daemons
		out.Preempted += len(s.Preempted)
	}
	out.Moves, out.Pending = len(moves), d.pending()
	var reasons []string
	for _, k := range kept {
		if !emptied[k.Node] && k.Reason != notRequested {
			out.Kept = append(out.Kept, k)
			reasons = append(reasons, k.Reason)
		}
	}
	out.WhyNotMore = tally(reasons)
	for at := range d.moving {
		for _, pod := range d.moving[at] {
			d.affected[pod] = true
		}
	}
	when := "Each node is cordoned when its turn comes."
	switch {
	case first:
		when = "All nodes of the plan are cordoned before the first is drained, so each pod moves once."
	case out.MaxMoves > 1:
		when += fmt.Sprintf(" %s evicted %s times, one of them %d times; with all nodes of a plan cordoned first each pod moves once, and %s can be emptied (--once).",
			count(out.Moves, "pod is", "pods are"), number(out.Evictions), out.MaxMoves, count(calm, "node", "nodes"))
	}
	out.Method = d.method(
		"Nodes are emptied one after another, those with the fewest pods to move first. Each pod goes where the scheduler's own filters and scores put it; a node that cannot be emptied is left as it was. "+when,
		"The upper bound takes nodes that nothing static stops, lets pods be split over all other nodes and forgets topology spread, affinity between pods, ports and the order of evictions.",
		"Nodes of the control plane are those with one of its labels or taints; those that run no other pods take none.",
		"A pod that leaves is made anew by its controller and is ready before the next eviction."+d.waiting()+d.budgetless(),
		"A pod may preempt pods of negative priority, such as placeholders, which then stay pending if no node takes them; no other pod is preempted, though the scheduler would.",
		"A node keeps its pods if the scheduler would send one where it cannot start: to another operating system or processor than the workload runs on and the pod does not select, or away from a pod with which it shares a ReadWriteOnce volume.",
		"Emptied nodes stay cordoned and count as domains of topology spread, as after kubectl drain.",
		"Draws between nodes with equal scores are one of many.",
	)
	return out
}

// budgetless is a sentence if the dump has no disruption budget, with a space before it.
func (d *drain) budgetless() string {
	if len(d.c.Budgets) > 0 {
		return ""
	}
	return " The dump has no disruption budgets: if they were not fetched, evictions may be refused that are counted here."
}

// notRequested is the reason of nodes that a question is not about.
const notRequested = "it is not asked about"

// prepare computes the state on which all plans build: by node, the pods that must move (moving) and the
// static reason against emptying it (blocked), and whether pods of negative priority may make room (idle).
// Nodes of the control plane that run no other pods are cordoned, so that no plan sends pods there.
func (d *drain) prepare() {
	d.blocked, d.moving = make([]Kept, len(d.c.Nodes)), make([][]int, len(d.c.Nodes))
	for at := range d.c.Nodes {
		n := &d.c.Nodes[at]
		for _, pod := range slices.Sorted(slices.Values(d.s.PodsOn(at))) {
			if f := d.fate(pod); f == plane.Moves || f == plane.LostPod {
				d.moving[at] = append(d.moving[at], pod)
			}
		}
		d.blocked[at] = d.stops(at)
		d.blocked[at].Node = n.Name
		d.blocked[at].Always = !isUnknown(d.blocked[at].Reason)
	}
	yields, takes := false, false
	for i := range d.c.Pods {
		p := &d.c.Pods[i]
		if !p.Ready && p.Node != kube.Nowhere && !p.Terminating() {
			d.unready[workload{p.Namespace, d.keep.Of(p)}]++
		}
		yields, takes = yields || p.Spec.Priority < 0, takes || p.Spec.Priority >= 0 && !p.Spec.NeverPreempts
	}
	d.idle = d.p.Preempt && yields && takes
	for at := range d.c.Nodes { // workloads are not sent to a control plane that runs none
		if d.c.Nodes[at].ControlPlane() && !d.o.ControlPlane && len(d.moving[at]) == 0 {
			d.s.Cordon(at, true)
		}
	}
	if d.o.Nodes != nil {
		for at := range d.blocked {
			if !slices.Contains(d.o.Nodes, at) {
				d.blocked[at].Reason = notRequested
			}
		}
	}
}

// stops returns the static reason why a node cannot be emptied, and the pod that causes it; no reason if
// there is none. A certain reason wins over one that means unknown.
func (d *drain) stops(at int) (k Kept) {
	if reason := d.rules.Node(&d.c.Nodes[at]); reason != "" {
		return Kept{Reason: reason}
	}
	for _, i := range slices.Sorted(slices.Values(d.s.PodsOn(at))) {
		if why := d.left.Why(&d.c.Pods[i], d.o.Force); why != "" {
			return d.keptBy(why, i)
		}
	}
	for _, i := range d.moving[at] {
		switch reason := d.refuses(i); {
		case reason == "":
		case isUnknown(reason): // unless another pod stops the node for certain
			k = d.keptBy(reason, i)
		default:
			return d.keptBy(reason, i)
		}
	}
	return k
}

// keptBy returns that a pod keeps its node, with its budgets if these do.
func (d *drain) keptBy(reason string, pod int) Kept {
	k := Kept{Reason: reason, Pod: d.c.Pods[pod].Full()}
	if reason == budgetAllowsNone || reason == plane.TwoBudgets {
		k.Budget = strings.Join(d.budgetNames(d.budgets.Of(pod)), ", ")
	}
	return k
}

// budgetNames returns the names of budgets with their namespaces.
func (a *query) budgetNames(budgets []int) (names []string) {
	for _, k := range budgets {
		names = append(names, a.c.Budgets[k].Namespace+"/"+a.c.Budgets[k].Name)
	}
	return names
}

// refuses returns why a pod cannot leave its node, "" if it can.
func (d *drain) refuses(pod int) string {
	p := &d.c.Pods[pod]
	return d.rules.Pod(p, len(d.budgets.Of(pod)), d.query.unknown(p))
}

// Reasons for an unknown outcome: the pod may well find another node.
const (
	otherScheduler = "a pod of another scheduler, whose configuration was not given (--config)"
	devices        = "a pod with resource claims, which are not modelled"
)

// unknown returns why it is not known whether a pod would find another node; "" if it is known.
// Each reason that it returns is one of isUnknown.
func (a *query) unknown(q *kube.Pod) string {
	switch {
	case plane.Foreign(a.p, q):
		return otherScheduler
	case q.Spec.ResourceClaims > 0:
		return devices
	}
	return ""
}

func isUnknown(reason string) bool { return reason == otherScheduler || reason == devices }

// workload is a workload in a namespace.
type workload struct {
	namespace string
	kube.Owner
}
