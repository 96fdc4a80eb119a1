package negotiation

import (
	"slices"

	"parley/core/cluster"
	"parley/core/mail"
	"parley/core/unit"
	"parley/core/workload"
)

const production = workload.Production

// placement is the placement of one new task: a random broker picks a node, asks
// its agent to take the task, and picks another when it refuses.
type placement struct {
	task   unit.TaskID
	node   unit.NodeID // that was asked; NoNode: none, the broker is down or just started
	gen    uint32      // counts the uses of the entry and, within one, the attempts
	broker int32
	tries  int32
	forced bool
	open   bool
}

// submit queues a task that waits for a place. Brokers take Settings.Service
// for each, so that a burst of tasks does not meet a cache in which none of the
// burst is placed yet.
func (a *balancer) submit(id unit.TaskID) {
	a.waiting = append(a.waiting, id)
	if !a.working {
		a.working = true
		a.env.Clock.At(a.env.Clock.Now(), (*dispatcher)(a), 0)
	}
}

// dispatcher is where the brokers work through the queue, all at the same pace.
type dispatcher balancer

// Fire implements des.Handler: every broker takes the next task.
func (k *dispatcher) Fire(now unit.Time, _ uint64) {
	a := (*balancer)(k)
	for range a.brokers {
		if a.head == len(a.waiting) {
			a.waiting, a.head, a.working = a.waiting[:0], 0, false
			return
		}
		a.allocate(a.waiting[a.head])
		a.head++
	}
	if a.head > 4096 && a.head*2 > len(a.waiting) {
		a.waiting = a.waiting[:copy(a.waiting, a.waiting[a.head:])]
		a.head = 0
	}
	a.env.Clock.At(now+a.settings.Service, k, 0)
}

// allocate starts to place a waiting task.
func (a *balancer) allocate(id unit.TaskID) {
	var ref uint32
	if n := len(a.freePlacements); n > 0 {
		ref = a.freePlacements[n-1]
		a.freePlacements = a.freePlacements[:n-1]
	} else {
		ref = uint32(len(a.placements))
		a.placements = append(a.placements, placement{})
	}
	o := &a.placements[ref]
	o.task, o.tries, o.open = id, 0, true
	o.broker = int32(a.random.Intn(len(a.brokers)))
	a.attempt(ref)
}

// attempt picks a node for the placement and sends the task there. After as many
// refusals as a recommendation has candidates, the broker forces it upon one.
func (a *balancer) attempt(ref uint32) {
	o := &a.placements[ref]
	task, alive := a.env.View.Task(o.task)
	if !alive || task.State != cluster.Waiting {
		a.closePlacement(ref)
		return
	}
	if a.overQuota(&task) {
		a.park(ref)
		return
	}
	d := demandOf(&task)
	b := &a.brokers[o.broker]
	if b.down {
		a.retry(ref)
		return
	}
	refused := int(o.tries) >= a.settings.Candidates
	fits, _ := a.recommend(b, o.task, &d, &a.initial, a.settings.ScanInitial, a.settings.Candidates, refused)
	var n unit.NodeID
	o.forced = len(fits) == 0 || refused
	switch {
	case !o.forced:
		likely, total := a.preferIdle(fits), 0.0
		for _, f := range likely {
			total += f.score
		}
		n = likely[pick(likely, total, b.random)].node
	case b.scan.withRoom > 0:
		n = b.scan.forced[b.random.Intn(b.scan.withRoom)]
	case len(b.scan.forced) > 0:
		n = b.scan.forced[b.random.Intn(len(b.scan.forced))]
	case len(fits) > 0:
		n, o.forced = fits[b.random.Intn(len(fits))].node, false
	case a.env.Clock.Now() < b.ready:
		a.retry(ref)
		return
	default:
		a.park(ref)
		return
	}
	o.node = n
	o.tries++
	o.gen++
	a.rememberPlacement(o.task, fits, n, o.forced)
	b.book(n, &d)
	a.env.View.Prefetch(n) // it will be asked in a moment
	a.counts.allocations++
	a.post.Send(mail.Message{
		From: mail.Broker(int(o.broker)), To: mail.Agent(n), Kind: allocateTask, Flag: flag(o.forced), Ref: ref, Gen: o.gen, Task: o.task,
	})
	a.placementLimit.watch(ref, o.gen)
	a.note(noteAllocate+flag(o.forced), n, unit.NoNode, o.task, 0, 0)
}

// retry waits as if for an answer, with a placement whose broker is down or does
// not know its nodes yet.
func (a *balancer) retry(ref uint32) {
	o := &a.placements[ref]
	o.node = unit.NoNode
	o.gen++
	a.placementLimit.watch(ref, o.gen)
}

// onAllocate is the node agent's side: it takes the task if it fits.
func (a *balancer) onAllocate(m *mail.Message) {
	n := m.To.Node()
	answer := mail.Message{From: m.To, To: m.From, Kind: allocateAccepted, Ref: m.Ref, Gen: m.Gen, Task: m.Task}
	if task, alive := a.env.View.Task(m.Task); alive && task.State == cluster.Waiting && !a.take(&task, m.Task, n, m.Flag == 1) {
		answer.Kind = allocateRejected
	}
	answer.A, answer.B = a.env.View.Used(n), a.env.View.Promised(n)
	a.post.Send(answer)
}

// take places a waiting task on a node if that is possible.
func (a *balancer) take(t *cluster.Task, id unit.TaskID, n unit.NodeID, forced bool) bool {
	if a.overQuota(t) || a.crowds(id, n) {
		return false
	}
	by, takes := cluster.ByUse, true
	if forced {
		by, takes = a.force(id, n)
	}
	if !takes || a.env.Acts.Place(id, n, by) != nil {
		return false
	}
	a.forcedUpon(id, forced)
	return true
}

// onAllocated is the broker's side: it hears how the node stood when it answered.
func (a *balancer) onAllocated(m *mail.Message) {
	b := &a.brokers[m.To.Broker()]
	b.learn(m.From.Node(), a.env.View, a.env.Clock.Now())
	b.correct(m.From.Node(), m.A, m.B)
	o := &a.placements[m.Ref]
	if !o.open || o.gen != m.Gen {
		return
	}
	if m.Kind == allocateAccepted {
		a.closePlacement(m.Ref)
		return
	}
	a.counts.allocationsRejected++
	if o.tries >= a.mostTries() {
		a.park(m.Ref)
		return
	}
	a.attempt(m.Ref)
}

// mostTries is how many nodes may refuse a task before it waits: with preemption,
// where force is refused too, not more than are recommended at once.
func (a *balancer) mostTries() int32 {
	if a.settings.Later.Preempt {
		return int32(a.settings.Candidates)
	}
	return 4 * int32(a.settings.Candidates)
}

// park puts the task of a placement aside that fits nowhere now.
func (a *balancer) park(ref uint32) {
	a.parked = append(a.parked, a.placements[ref].task)
	a.closePlacement(ref)
}

// placementTimeout tries another broker when an answer did not come.
func (a *balancer) placementTimeout(ref, gen uint32) {
	o := &a.placements[ref]
	if !o.open || o.gen != gen {
		return
	}
	if o.node != unit.NoNode {
		a.blacklist(o.node)
	}
	o.broker = int32(a.random.Intn(len(a.brokers)))
	a.attempt(ref)
}

func (a *balancer) closePlacement(ref uint32) {
	a.placements[ref].open = false
	a.placements[ref].gen++
	a.freePlacements = append(a.freePlacements, ref)
}

// Tasks that fit nowhere are tried again once a minute, each at the cost of a
// search of the whole cache: as many as read so many of its entries, or 64.
const (
	readAMinute  = 800_000
	leastRetries = 64
)

// retryParked tries the tasks that fitted nowhere once more, the longest
// waiting first; with preemption half of them are the most urgent ones. Those
// that a quota holds back cost no search.
func (a *balancer) retryParked() {
	left := max(leastRetries, readAMinute/max(1, len(a.nodes)))
	a.retried = a.retried[:0]
	if a.settings.Later.Preempt {
		left /= 2
		a.retried = append(a.retried, a.urgent(left)...)
	}
	kept := a.parked[:0]
	for _, id := range a.parked {
		task, alive := a.env.View.Task(id)
		switch {
		case !alive || task.State != cluster.Waiting || slices.Contains(a.retried, id):
		case left == 0 || a.overQuota(&task):
			kept = append(kept, id)
		default:
			left--
			a.retried = append(a.retried, id)
		}
	}
	a.parked = kept
	for _, id := range a.retried {
		a.allocate(id)
	}
}

func flag(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

func flagValue(b bool) float64 { return float64(flag(b)) }
