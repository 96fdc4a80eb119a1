package question

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/kube"
	"parley/core/kube/constraint"
)

// LoseOptions say how nodes are lost. The zero value means that they are gone.
type LoseOptions struct {
	// NotReady means that the nodes stay in the cluster without answering; otherwise they are
	// deleted.
	NotReady bool
	// Orders is how many orders of pods with the same priority are tried, 0 for what the size
	// of the cluster allows.
	Orders int
	Seed   uint64
}

// Lost is what becomes of a cluster without some nodes.
type Lost struct {
	Method Method `json:"method"`
	What   string `json:"what"` // "zone eu-west-1b"
	// NotReady means that the nodes stay in the cluster without answering.
	NotReady bool `json:"not_ready"`
	Lost     int  `json:"lost_nodes"`
	Nodes    int  `json:"nodes"` // of the cluster
	Stopped  int  `json:"stopped"`
	Again    int  `json:"again"`   // pods that run on other nodes
	Daemons  int  `json:"daemons"` // pods that end with their nodes
	// Unowned are pods that nothing makes anew, Waiting those that wait for their node to come
	// back or to be deleted, Staying those that are not evicted: they tolerate the loss, or their zone is disrupted.
	Unowned   int `json:"unowned"`
	Waiting   int `json:"waiting"`
	Staying   int `json:"staying"`
	Preempted int `json:"preempted"` // pods elsewhere that make room and are placed again
	Pending   int `json:"pending"`   // pods that no node takes
	// Least is a number of pods that stay pending in any order. Fewest and Most are those of
	// the orders that were tried.
	Least  int `json:"pending_at_least"`
	Fewest int `json:"pending_fewest"`
	Most   int `json:"pending_most"`
	Orders int `json:"orders"`
	// Constraints are what stops the pending pods, each by what stops it on most nodes.
	Constraints []Reason `json:"constraints"`
	Stuck       []Stuck  `json:"stuck"`
	Moves       []Move   `json:"moves"`
	// Unstarted are pods that the scheduler places again and that do not start there, and why.
	Unstarted []Reason `json:"not_starting,omitempty"`
	// Gone names the pods that do not come back, Held those that wait for their node.
	Gone []string `json:"gone,omitempty"`
	Held []string `json:"held,omitempty"`
	// Services are those that had a ready pod and have none now.
	Services []string `json:"services_without_pods"`
	// Budgets are disruption budgets with fewer healthy pods than they want.
	Budgets []string `json:"budgets_below"`
}

// Sentence returns the answer in one or two sentences.
func (l *Lost) Sentence() string {
	verb := "is gone"
	if l.NotReady {
		verb = "is not ready"
	}
	if strings.Contains(l.What, " and ") {
		verb = "are" + strings.TrimPrefix(verb, "is")
	}
	s := fmt.Sprintf("If %s %s, %s pending.", l.What, verb, count(l.Pending, "pod stays", "pods stay"))
	s += fmt.Sprintf(" %s; %s run again on other nodes%s", count(l.Stopped, "pod stops", "pods stop"), number(l.Again), ended(l.Daemons))
	for _, more := range []struct {
		n         int
		one, many string
	}{
		{l.Unowned, "has no controller and does not come back", "have no controller and do not come back"},
		{l.Waiting, "waits for its node", "wait for their nodes"},
		{l.Staying, "stays where it is, for it tolerates the loss or nothing is evicted there", "stay where they are, for they tolerate the loss or nothing is evicted there"},
	} {
		if more.n > 0 {
			s += "; " + count(more.n, more.one, more.many)
		}
	}
	for _, r := range l.Unstarted {
		s += "; " + count(r.Count, "of these does not start: ", "of these do not start: ") + r.Reason
	}
	return s + "."
}

// lose is a loss in work.
type lose struct {
	*asked
	nodes []int
	away  []bool // nodes that are lost
	o     LoseOptions
	// again are the pods to place, in the order of the queue, and was their places in the dump.
	again []int
	was   map[int]int
	// lowest is the lowest priority of a pod.
	lowest int32
	frozen map[int]bool // nodes in whose zone the control plane evicts nothing
	said   []string     // of such zones
	out    *Lost
}

// Lose returns what becomes of a cluster that loses some nodes. what names them in a sentence.
func Lose(c *kube.Cluster, p *constraint.Profile, what string, nodes []int, o LoseOptions) *Lost {
	l := &lose{
		asked: ask(c, p, o.Seed, "lose"), nodes: nodes, away: make([]bool, len(c.Nodes)), o: o, was: map[int]int{},
		out: &Lost{
			What: what, NotReady: o.NotReady, Lost: len(nodes), Nodes: len(c.Nodes),
			Constraints: []Reason{}, Stuck: []Stuck{}, Moves: []Move{}, Services: []string{}, Budgets: []string{},
		},
	}
	for _, at := range nodes {
		l.away[at] = true
	}
	for i := range c.Pods {
		l.lowest = min(l.lowest, c.Pods[i].Spec.Priority)
	}
	l.freeze()
	s := l.state()
	l.out.Least = l.least(s)
	orders := o.Orders
	if orders == 0 {
		orders = min(30, max(1, 2000/max(1, len(l.again))))
	}
	l.out.Orders = orders
	for i := range orders {
		t := s
		if i < orders-1 {
			t = s.Clone()
		}
		if i == 0 {
			l.place(t, l.order(l.again), true)
		} else {
			l.place(t, l.shuffled(), false)
		}
	}
	how := "The nodes are deleted with their pods. "
	more := []string{"Volumes can be attached elsewhere at once where their zone allows it."}
	if o.NotReady {
		how = "The nodes get the taints of unreachable nodes and stay in the cluster; their pods are evicted after the time that they tolerate and terminate for ever. "
		more = append(l.said, []string{
			"Pods of StatefulSets wait until the node comes back, is deleted or gets the taint out-of-service.",
		}...)
		if len(l.said) == 0 {
			more = append(more, fmt.Sprintf("Nodes are tainted at 0.1 nodes a second in a zone: the last of %s after about %s.", count(len(nodes), "node", "nodes"), minutes(len(nodes)*10)))
		}
	}
	l.out.Method = l.method(
		how+"The stopped pods are placed again by priority, then by age, with the scheduler's filters, scores and preemption; what is pending is tried again until nothing changes.",
		fmt.Sprintf("At least %d stay pending in any order: nothing but where they may run and how large they are stops them. Over %s of pods with the same priority, %s.", l.out.Least, count(orders, "order", "orders"), between(l.out.Fewest, l.out.Most)),
		append(more, "Nothing else changes: no autoscaler adds nodes, and pods that were pending before stay so.")...,
	)
	return l.out
}

// between ends a sentence on how many pods stay pending.
func between(fewest, most int) string {
	if fewest == most {
		return count(most, "does", "do")
	}
	return fmt.Sprintf("%d to %d do", fewest, most)
}

func minutes(seconds int) string {
	if seconds < 120 {
		return count(seconds, "second", "seconds")
	}
	return count(seconds/60, "minute", "minutes")
}

// state returns the cluster without the nodes and collects the pods that must be placed again.
func (l *lose) state() *constraint.State {
	stopped := 0
	for i := range l.c.Pods {
		if p := &l.c.Pods[i]; p.Node != kube.Nowhere && l.away[p.Node] {
			stopped++
		}
	}
	copies := make([]kube.Pod, 0, stopped)
	var old []int
	var leave []int
	for i := range l.c.Pods {
		p := &l.c.Pods[i]
		if p.Node == kube.Nowhere || !l.away[p.Node] {
			continue
		}
		l.touched[i] = true
		f := l.fate(i)
		if l.o.NotReady && (f == moves && tolerant(p) || f != ends && f != gone && l.frozen[p.Node]) {
			l.out.Staying++
			continue
		}
		l.out.Stopped++
		leave = append(leave, i)
		switch {
		case f == ends:
			l.out.Daemons++
		case f == lost:
			l.out.Unowned++
			l.out.Gone = append(l.out.Gone, p.Full())
		case f == gone:
		case l.o.NotReady && p.Owner.Kind == "StatefulSet":
			l.out.Waiting++
			l.out.Held = append(l.out.Held, p.Full())
		default:
			old = append(old, i)
			one := *p
			one.NodeName, one.Node, one.Ready = "", kube.Nowhere, false
			copies = append(copies, one)
		}
	}
	c := l.c.With(nil, copies)
	for i, pod := range old {
		l.again = append(l.again, len(l.c.Pods)+i)
		l.was[len(l.c.Pods)+i] = pod
	}
	if l.o.NotReady {
		for _, pod := range leave {
			if c.Pods[pod].Deleted == 0 && l.fate(pod) != ends {
				c.Pods[pod].Deleted = 1
			}
		}
	}
	l.c = c
	s := constraint.New(c, l.p)
	for _, at := range l.nodes {
		if l.o.NotReady {
			taints := slices.Clone(s.Taints(at))
			s.SetTaints(at, append(taints,
				kube.Taint{Key: kube.UnreachableTaint, Effect: kube.NoSchedule},
				kube.Taint{Key: kube.UnreachableTaint, Effect: kube.NoExecute}))
			continue
		}
		for _, pod := range slices.Clone(s.PodsOn(at)) {
			s.Unbind(pod)
		}
		s.Remove(at)
	}
	return s
}

// tolerant reports whether a pod stays on a node that does not answer.
func tolerant(p *kube.Pod) bool {
	for i := range p.Spec.Tolerations {
		t := &p.Spec.Tolerations[i]
		if t.Seconds < 0 && t.Tolerates(&kube.Taint{Key: kube.UnreachableTaint, Effect: kube.NoExecute}) {
			return true
		}
	}
	return false
}

// shuffled returns the pods to place in another order of those with the same priority.
func (l *lose) shuffled() []int {
	out := slices.Clone(l.again)
	l.draws.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	slices.SortStableFunc(out, func(x, y int) int {
		return int(sign(int64(l.c.Pods[y].Spec.Priority) - int64(l.c.Pods[x].Spec.Priority)))
	})
	return out
}

// least returns how many of the pods no node takes whatever the order: where they may run, or
// how large they are, stops them on every node.
func (l *lose) least(s *constraint.State) (n int) {
	live, nowhere := l.live(s), map[alike]bool{}
	for _, pod := range l.again {
		like := l.alike(pod)
		stuck, known := nowhere[like]
		if !known {
			stuck = !slices.ContainsFunc(live, func(at int) bool {
				return !Lasting(s.Why(pod, at)) && covers(l.c.Nodes[at].Allocatable, l.c.Pods[pod].Spec.Requests)
			})
		}
		nowhere[like] = stuck
		if stuck {
			n++
		}
	}
	return n
}

func (l *lose) live(s *constraint.State) []int {
	out := make([]int, 0, len(l.c.Nodes))
	for at := range l.c.Nodes {
		if !s.Removed(at) {
			out = append(out, at)
		}
	}
	return out
}

// covers reports whether an amount of everything is enough.
func covers(has, wanted kube.Vector) bool {
	for r, n := range wanted {
		if n > 0 && n > has.At(r) {
			return false
		}
	}
	return true
}

// place puts pods on nodes and counts those that stay pending. The first order is reported.
func (l *lose) place(s *constraint.State, queue []int, report bool) {
	to, preempted := map[int]bool{}, 0
	known := map[alike]*Stuck{}  // why pods are stuck, since the last change
	budget := 4*len(queue) + 100 // preemption ends by itself, because priorities fall
	for changed := true; changed; {
		changed = false
		var left []int
		// Pods that are like one that failed in this pass wait for the next one. In the last
		// pass nothing changes, so that they would fail as well.
		failed := map[alike]bool{}
		for len(queue) > 0 {
			pod := queue[0]
			queue = queue[1:]
			like := l.alike(pod)
			if failed[like] {
				left = append(left, pod)
				continue
			}
			at := s.Place(pod, l.draw)
			if at == kube.Nowhere && budget > 0 && l.mayPreempt(pod) {
				v := s.Filter(pod)
				var victims []int
				if v.Stop == "" && !v.Gated {
					at, victims = s.Preempt(pod, v, l.draw(max(1, len(l.c.Nodes))))
					if at == kube.Nowhere && report && !changed {
						known[like] = stuckBy(v)
					}
				}
				if at != kube.Nowhere {
					budget--
					preempted += len(victims)
					for _, victim := range victims {
						s.Unbind(victim)
						if l.fate(victim) == moves {
							queue = append(queue, victim)
						}
					}
				}
			}
			if at == kube.Nowhere {
				left = append(left, pod)
				failed[like] = true
				continue
			}
			s.Bind(pod, at)
			to[pod], changed = true, true
			clear(known)
		}
		queue = left
		if len(left) == 0 || len(to) == 0 {
			break
		}
		if len(queue) > mostRetried {
			break
		}
	}
	if report {
		l.out.Fewest, l.out.Most = len(queue), len(queue)
		l.out.Preempted, l.out.Pending = preempted, len(queue)
		l.report(s, queue, known)
		return
	}
	l.out.Fewest, l.out.Most = min(l.out.Fewest, len(queue)), max(l.out.Most, len(queue))
}

// stuckBy returns why a pod is stuck, without its name.
func stuckBy(v *constraint.Verdict) *Stuck { return &Stuck{Reason: main(v), Message: v.Message()} }

// mostRetried is up to how many pending pods are tried again after others were placed: of more
// the cluster is full.
const mostRetried = 5000

// mayPreempt reports whether any pod has a lower priority than this one.
func (l *lose) mayPreempt(pod int) bool {
	return l.c.Pods[pod].Spec.Priority > l.lowest && !l.c.Pods[pod].Spec.NeverPreempts
}

// report writes what became of the pods of the first order. known says of some why they are stuck.
func (l *lose) report(s *constraint.State, pending []int, known map[alike]*Stuck) {
	name := func(pod int) string { return l.c.Pods[pod].Full() }
	for _, pod := range l.again {
		if at := s.On(pod); at != kube.Nowhere {
			l.out.Again++
			l.out.Moves = append(l.out.Moves, Move{Pod: name(pod), From: l.c.Pods[l.was[pod]].NodeName, To: l.c.Nodes[at].Name})
		}
	}
	attached, systems := attachedOnce(l.c), newPlatforms(l.c)
	var unstarted []string
	for _, pod := range l.again {
		at := s.On(pod)
		if at == kube.Nowhere {
			continue
		}
		if what := systems.foreign(&l.c.Pods[pod], &l.c.Nodes[at]); what != "" {
			unstarted = append(unstarted, "its node has another "+what+" than its workload runs on")
		} else if other, claim := attached.elsewhere(s, pod, at); other >= 0 {
			attached.waits[pod] = true
			unstarted = append(unstarted, "the volume of "+claim+" is ReadWriteOnce and attached to "+l.c.Nodes[s.On(other)].Name)
		}
	}
	l.out.Unstarted = tally(unstarted)
	var reasons []string
	for _, pod := range l.order(pending) {
		like := l.alike(pod)
		stuck := known[like]
		if stuck == nil {
			v := s.Filter(pod)
			s.Preempt(pod, v, 0)
			stuck = stuckBy(v)
			known[like] = stuck
		}
		reasons = append(reasons, stuck.Reason)
		l.out.Stuck = append(l.out.Stuck, Stuck{name(pod), stuck.Reason, stuck.Message})
	}
	l.out.Constraints = tally(reasons)
	l.services(s)
	l.belowBudget(s)
}
