package plane

import (
	"cmp"
	"slices"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/unit"
)

// queue is the scheduler's: pods that it tries at this moment, and those that it could not place.
// (pkg/scheduler/backend/queue/scheduling_queue.go)
type queue struct {
	active  []int
	waiting []int
	backing int // pods that wait for the end of their back-off
	// kinds numbers pods that are alike, from 1; failed has the changes, plus 1, when no node took one of a kind.
	kinds  map[alike]int32
	failed []uint64
}

// alike identifies pods that no constraint distinguishes.
type alike struct {
	spec      *kube.Spec
	labels    *kube.Label
	namespace string
}

// alike returns the key of pods that no constraint distinguishes from pod i, and whether pods may share it:
// false for a pod with claims. Specs and labels of equal content are shared, so their addresses identify
// them.
func (p *Plane) alike(i int) (alike, bool) {
	q := &p.c.Pods[i]
	like := alike{spec: q.Spec, namespace: q.Namespace}
	if len(q.Labels) > 0 {
		like.labels = &q.Labels[0]
	}
	return like, len(q.Claims) == 0
}

// kind returns the number of a pod's kind, -1 for a pod with claims, and records with it the data that
// the queue needs often.
func (p *Plane) kind(i int) int32 {
	l := &p.pods[i]
	if l.kind != 0 {
		return l.kind
	}
	q := &p.queue
	if q.kinds == nil {
		q.kinds, q.failed = map[alike]int32{}, make([]uint64, 1)
	}
	like, shared := p.alike(i)
	if l.kind = -1; shared {
		if l.kind = q.kinds[like]; l.kind == 0 {
			l.kind = int32(len(q.failed))
			q.kinds[like], q.failed = l.kind, append(q.failed, 0)
		}
	}
	sp := p.c.Pods[i].Spec
	l.priority, l.follows = sp.Priority, len(sp.PodRequired)+len(sp.Spread) > 0
	return l.kind
}

// newState returns the constraint state of the play as it is now: without nodes that are absent and the
// pods on them, with the taints and cordons of the play, and with the room that nominated pods hold.
func newState(p *Plane) *constraint.State {
	s := constraint.New(p.c, p.o.Profile)
	for at, n := range p.states {
		if n.absent {
			for _, i := range slices.Clone(s.PodsOn(at)) {
				s.Unbind(i)
			}
			s.Remove(at)
			continue
		}
		if n.taints != nil {
			s.SetTaints(at, n.taints)
		}
		if n.taints != nil || n.cordoned != p.c.Nodes[at].Unschedulable {
			s.Cordon(at, n.cordoned)
		}
	}
	for _, n := range p.nominated {
		s.Bind(n.pod, n.at)
	}
	return s
}

// add lets the scheduler try pods at this moment.
func (q *queue) add(_ *Plane, pods []int) { q.active = append(q.active, pods...) }

// forget takes a pod out of the queue.
func (q *queue) forget(i int) {
	same := func(x int) bool { return x == i }
	q.active = slices.DeleteFunc(q.active, same)
	q.waiting = slices.DeleteFunc(q.waiting, same)
}

// backoff is how long a pod waits after a number of attempts.
func backoff(tries int) unit.Time {
	return min(unit.Second<<min(max(tries-1, 0), 4), 10*unit.Second)
}

// wake moves the pods that could not be placed and for which concerns is true to the active ones, each
// after its back-off. A pod that is still in its back-off is counted in backing and follows by a timer, if
// its place is not another pod's by then.
func (q *queue) wake(p *Plane, concerns func(i int) bool) {
	later := q.waiting[:0]
	now := p.kernel.Now()
	for _, i := range q.waiting {
		l := &p.pods[i]
		switch at := l.tried + backoff(l.tries); {
		case !concerns(i):
			later = append(later, i)
		case at <= now:
			q.active = append(q.active, i)
		default:
			life := l.life
			q.backing++
			p.after(at-now, func() {
				if q.backing--; p.pods[i].life == life {
					q.active = append(q.active, i)
				}
			})
		}
	}
	q.waiting = later
}

func all(int) bool { return true }

// schedule tries the active pods, by priority and then as they were added, and reports whether there was
// one. A pod that no node takes may preempt others; else it waits. Pods of a kind that failed since the
// scheduler's inputs changed last wait without a try. While preempted pods end at this moment (ending), it
// tries none.
func (p *Plane) schedule() bool {
	q := &p.queue
	if len(q.active) == 0 || p.ending > 0 {
		return false
	}
	pods := q.active
	q.active = nil
	if p.o.Pace == Drawn && p.life != nil { // controllers make pods of one moment in any order
		p.draws.Shuffle(len(pods), func(i, j int) { pods[i], pods[j] = pods[j], pods[i] })
	}
	for _, i := range pods {
		p.kind(i)
	}
	slices.SortStableFunc(pods, func(x, y int) int { return cmp.Compare(p.pods[y].priority, p.pods[x].priority) })
	placed := false
	for _, i := range pods {
		l := &p.pods[i]
		if l.state != waiting || l.terminating {
			continue
		}
		l.tries++
		l.tried = p.kernel.Now()
		if l.kind > 0 && q.failed[l.kind] == p.changes+1 {
			q.waiting = append(q.waiting, i)
			continue
		}
		hopeless := l.hint == 0 && p.s.Hopeless(i)
		if !hopeless {
			if at := p.findNode(i); at != kube.Nowhere {
				p.bind(i, at)
				placed = true
				continue
			}
		}
		if l.tries == 1 {
			reason := ""
			words := !p.o.Silent || p.o.OnFact != nil // somebody reads them
			if p.o.Recording != nil || words && (p.o.MaxTexts == 0 || p.factCount < p.o.MaxTexts) {
				reason = p.s.Filter(i).Message()
			}
			p.recordPod(Unplaced, i, reason)
		}
		if p.preempt(i, hopeless) {
			continue
		}
		q.waiting = append(q.waiting, i)
		if l.kind > 0 {
			q.failed[l.kind] = p.changes + 1
		}
	}
	if placed { // a pod may wait for others to be placed
		q.wake(p, func(i int) bool { return p.pods[i].follows })
	}
	return true
}

// Order returns pods in the order in which the scheduler takes them from its queue: by priority, then by age, then as
// the dump has them.
// (pkg/scheduler/framework/plugins/queuesort/priority_sort.go)
func Order(c *kube.Cluster, pods []int) []int {
	out := slices.Clone(pods)
	slices.SortStableFunc(out, func(x, y int) int {
		p, q := &c.Pods[x], &c.Pods[y]
		return cmp.Or(cmp.Compare(q.Spec.Priority, p.Spec.Priority), cmp.Compare(p.Created, q.Created), x-y)
	})
	return out
}

// findNode returns the node for a pod: the one that it was nominated to if that takes it, else the best;
// kube.Nowhere if none takes it. It uses up the nomination. (pkg/scheduler/schedule_one.go,
// evaluateNominatedNode)
func (p *Plane) findNode(i int) int {
	at := p.pods[i].hint - 1
	nominated := at >= 0 && p.s.Fits(i, at)
	if p.o.Recording != nil {
		p.o.Recording.nominated = nominated
	}
	if p.pods[i].hint = 0; nominated {
		return at
	}
	return p.s.Place(i, p.draw)
}

// draw decides between nodes with the same score, as the scheduler does.
func (p *Plane) draw(n int) int { return p.draws.Intn(n) }

// preempt deletes pods of lower priority to make room for pod i, and reports whether it found a node for
// that. The pod is nominated: it is bound in the scheduler's state, and so holds its room, until the
// victims have ended. hopeless means that a pod like it found neither a node nor victims; the scheduler
// then draws its first node all the same, so that later draws stay those of the scheduler.
func (p *Plane) preempt(i int, hopeless bool) bool {
	if p.c.Pods[i].Spec.Priority <= p.lowestPriority {
		if !hopeless {
			p.s.Failed(i)
		}
		return false
	}
	from := p.draw(max(1, len(p.c.Nodes)))
	if hopeless {
		return false
	}
	at, victims := p.s.Preempt(i, p.s.Filter(i), from)
	if at == kube.Nowhere {
		p.s.Failed(i)
		return false
	}
	victims = slices.DeleteFunc(slices.Clone(victims), func(other int) bool { return p.denominate(other) })
	p.nominated = append(p.nominated, nominee{i, at, p.pods[i].life, victims})
	p.s.Bind(i, at)
	p.changes++
	if len(victims) == 0 { // others were nominated alone
		p.denominate(i)
		p.queue.active, p.queue.waiting = append(p.queue.active, i),
			slices.DeleteFunc(p.queue.waiting, func(x int) bool { return x == i })
	}
	for _, other := range victims {
		if !p.pods[other].terminating {
			p.recordPod(Preempted, other, "by "+p.full(i))
			p.remove(other, preempted)
		}
	}
	return true
}

// preempted is why a pod is deleted that makes room for another.
const preempted = "Preempted"

// nominee is a pod that waits for pods to end on its node.
type nominee struct {
	pod, at, life int
	victims       []int
}

// denominate ends the nomination of a pod: it frees the room that the pod holds and lets it wait for
// another node. It reports false if the pod is not nominated.
func (p *Plane) denominate(i int) bool {
	at := slices.IndexFunc(p.nominated, func(n nominee) bool { return n.pod == i })
	if at < 0 {
		return false
	}
	p.nominated = slices.Delete(p.nominated, at, at+1)
	p.s.Unbind(i)
	p.changes++
	p.queue.waiting = append(p.queue.waiting, i)
	return true
}

// ended records that pod i has ended: it no longer counts as a victim. A nominated pod without further
// victims leaves the room that it held and is tried again with its node as hint. Nominations of pods that
// are gone are forgotten; gone has unbound them.
func (p *Plane) ended(i int) {
	var left []nominee
	for _, n := range p.nominated {
		n.victims = slices.DeleteFunc(n.victims, func(x int) bool { return x == i })
		switch {
		case n.pod == i || p.pods[n.pod].life != n.life: // it is gone itself
		case len(n.victims) > 0:
			left = append(left, n)
		default:
			p.s.Unbind(n.pod)
			p.pods[n.pod].hint = n.at + 1
			p.queue.active = append(p.queue.active, n.pod)
		}
	}
	p.nominated = left
}

// Waiting returns the pods that wait for a node now, in the order of their places. Pods of other schedulers
// and with scheduling gates are in Unscheduled.
func (p *Plane) Waiting() (all []Wait) {
	for i := range p.pods {
		if l := &p.pods[i]; l.state == waiting && !l.terminating {
			all = append(all, Wait{Pod: p.full(i), Place: i, Created: l.created, New: l.own != nil, Group: l.group})
		}
	}
	return all
}

// Unscheduled returns the pods made in the play that no known scheduler tries, because of scheduling gates
// or a scheduler without a profile, and the reason of each, by the same index.
func (p *Plane) Unscheduled() (all []Wait, reason []string) {
	for i := range p.pods {
		l, q := &p.pods[i], &p.c.Pods[i]
		if l.state != held || l.own == nil || l.terminating || q.Node != kube.Nowhere {
			continue
		}
		all = append(all, Wait{Pod: p.full(i), Place: i, Created: l.created, New: true, Group: l.group})
		if len(q.Spec.Gates) > 0 {
			reason = append(reason, "Scheduling is blocked due to non-empty scheduling gates")
		} else {
			reason = append(reason, "it is for the scheduler "+q.Spec.Scheduler+", whose configuration was not given")
		}
	}
	return all, reason
}

// Wait is a pod that waits for a node.
type Wait struct {
	Pod     string
	Place   int
	Created unit.Time
	New     bool // it was made in the play
	Group   int
}

// Verdict returns the filters' verdict on a waiting pod, and in it whether preemption would help. place is
// Wait.Place.
func (p *Plane) Verdict(place int) *constraint.Verdict {
	v := p.s.Filter(place)
	p.s.Preempt(place, v, 0)
	return v
}
