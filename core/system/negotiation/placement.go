package negotiation

import (
	"parley/core/choices"
	"parley/core/cluster"
	"parley/core/fifo"
	"parley/core/mail"
	"parley/core/slab"
	"parley/core/system/negotiation/broker"
	"parley/core/system/negotiation/score"
	"parley/core/unit"
	"parley/core/workload"
)

const production = workload.Production

// placement is the placement of one new task: a random broker picks a node, asks
// its agent to take the task, and picks another when it refuses.
type placement struct {
	task   unit.TaskID
	node   unit.NodeID // that was asked; NoNode if none: the broker is down or just started
	gen    uint32      // counts the uses of the entry and, within one, the attempts
	broker int32
	tries  int32
	forced bool
	open   bool
}

// placements are the part of the brokers that assigns new tasks to nodes.
type placements struct {
	*base
	brokers   *brokers
	accounts  *accounts
	initial   score.Scorer
	all       []placement // by Ref
	free      []uint32
	deadlines mail.Deadlines

	waiting fifo.Queue[unit.TaskID] // tasks that no broker has worked on yet
	working bool
	parked  []unit.TaskID // tasks that fit nowhere at the moment, the longest waiting first
	retried []unit.TaskID // scratch of retryParked
	sink    uint32        // so that early reads have a use

	counts struct{ sent, forced, rejected int64 }
}

func newPlacements(b *base, k *brokers, a *accounts) *placements {
	s := b.settings
	p := &placements{base: b, brokers: k, accounts: a, initial: s.scorer(s.InitialScore)}
	p.initial.IdleFirst = s.InitialScore == "sias" || s.InitialScore == "sias_gain"
	p.deadlines = mail.Deadlines{Clock: b.Clock, After: s.patience(), Expire: p.timeout}
	return p
}

// submit queues a task that waits for a place. Brokers take Settings.Service
// for each, so that a burst of tasks does not meet a cache in which none of the
// burst is placed yet.
func (p *placements) submit(id unit.TaskID) {
	p.waiting.Push(id)
	if !p.working {
		p.working = true
		p.Clock.At(p.brokers.idle(p.Clock.Now()), (*dispatcher)(p), 0)
	}
}

// dispatcher is where the brokers work through the queue, all at the same pace.
type dispatcher placements

// Fire gives each broker the next task of the queue, and schedules itself for when they have served these. It stops if
// the queue is empty.
func (d *dispatcher) Fire(now unit.Time, _ uint64) {
	p := (*placements)(d)
	for range p.brokers.all {
		if p.waiting.Len() == 0 {
			p.working = false
			return
		}
		p.allocate(p.waiting.Pop())
	}
	p.Clock.At(p.brokers.idle(now+p.settings.Service), d, 0)
}

// allocate starts to place a waiting task.
func (p *placements) allocate(id unit.TaskID) {
	ref := slab.Take(&p.free, &p.all)
	o := &p.all[ref]
	o.task, o.tries, o.open = id, 0, true
	o.broker = int32(p.random.Intn(len(p.brokers.all)))
	p.attempt(ref)
}

// attempt picks a node for the placement and sends the task there. It parks a task over its quota or
// without any node, waits if the broker is down or just started, and closes the placement if the task no
// longer waits. After as many refusals as a recommendation has candidates, the broker forces the task
// upon a node.
func (p *placements) attempt(ref uint32) {
	o := &p.all[ref]
	task, alive := p.View.Task(o.task)
	if !alive || task.State != cluster.Waiting {
		p.close(ref)
		return
	}
	if p.accounts.overQuota(&task) {
		p.park(ref)
		return
	}
	d := demandOf(&task)
	b := p.brokers.all[o.broker]
	if b.Down() {
		p.retry(ref)
		return
	}
	now := p.Clock.Now()
	found, replayed := p.Choices.Next(now)
	if replayed {
		b.Pass(found.Draws, p.brokers.oldest())
	} else {
		found = p.choose(o, b, &d)
	}
	n := found.Node
	o.forced = found.Forced
	if n == unit.NoNode {
		if now < p.brokers.ready[o.broker] {
			p.retry(ref)
		} else {
			p.park(ref)
		}
		return
	}
	o.node = n
	o.tries++
	o.gen++
	if replayed {
		p.journal.passPlacement(o.task)
	}
	b.Book(n, &d)
	p.sink ^= p.View.Prefetch(n) // it will be asked in a moment
	p.counts.sent++
	p.counts.forced += int64(flag(o.forced))
	p.post.Send(brokerAgent(int(o.broker)), nodeAgent(n),
		payload{kind: allocateTask, forced: o.forced, ref: ref, gen: o.gen, task: o.task})
	p.deadlines.Watch(ref, o.gen)
	p.journal.note(noteAllocate+flag(o.forced), n, unit.NoNode, o.task, 0, 0)
}

// choose searches for a node for a placement and records the choice, with the random numbers that it
// used. Node is unit.NoNode if there is none. A node is forced if none fits or enough have refused; if
// none can be forced, one that fits is taken after all.
func (p *placements) choose(o *placement, b *broker.Broker, d *broker.Demand) (c choices.Choice) {
	refused := int(o.tries) >= p.settings.Candidates
	q, random, before := &p.brokers.query, b.Random(), *b.Random()
	p.brokers.constrain(b, o.task, q)
	q.Force = refused
	found := p.brokers.recommend(b, q, d, &p.initial, p.settings.ScanInitial)
	fits := found.Fits
	c.Node, c.Forced = unit.NoNode, len(fits) == 0 || refused
	switch {
	case !c.Forced:
		likely, total := p.preferIdle(fits), 0.0
		for _, f := range likely {
			total += f.Score
		}
		c.Node = likely[broker.Pick(likely, total, random)].Node
	case found.Room > 0:
		c.Node = found.Forced[random.Intn(found.Room)]
	case len(found.Forced) > 0:
		c.Node = found.Forced[random.Intn(len(found.Forced))]
	case len(fits) > 0:
		c.Node, c.Forced = fits[random.Intn(len(fits))].Node, false
	}
	c.Draws = random.Since(before)
	p.Choices.Add(c)
	if c.Node != unit.NoNode {
		p.journal.rememberPlacement(o.task, fits, c.Node, c.Forced, d.Need)
	}
	return c
}

// retry waits as if for an answer, with a placement whose broker is down or does
// not know its nodes yet.
func (p *placements) retry(ref uint32) {
	o := &p.all[ref]
	o.node = unit.NoNode
	o.gen++
	p.deadlines.Watch(ref, o.gen)
}

// onAllocated receives the answer of a node. An answer to an earlier attempt (gen) is ignored. After a
// refusal the broker tries again, or parks the task after maxTries.
func (p *placements) onAllocated(m *message) {
	ref := m.Payload.ref
	o := &p.all[ref]
	if !o.open || o.gen != m.Payload.gen {
		return
	}
	if m.Payload.kind == allocateAccepted {
		p.close(ref)
		return
	}
	p.counts.rejected++
	if o.tries >= p.maxTries() {
		p.park(ref)
		return
	}
	p.attempt(ref)
}

// maxTries is how many nodes may refuse a task before it waits: with preemption,
// where force is refused too, not more than are recommended at once.
func (p *placements) maxTries() int32 {
	if p.settings.Later.Preempt {
		return int32(p.settings.Candidates)
	}
	return 4 * int32(p.settings.Candidates)
}

// park puts the task of a placement aside that fits nowhere now.
func (p *placements) park(ref uint32) {
	p.parked = append(p.parked, p.all[ref].task)
	p.close(ref)
}

// timeout tries again when the node did not answer in time, or when the wait of retry is over: with
// a broker drawn anew, which may be the same. A node that stayed silent is blacklisted.
func (p *placements) timeout(ref, gen uint32) {
	o := &p.all[ref]
	if !o.open || o.gen != gen {
		return
	}
	if o.node != unit.NoNode {
		p.brokers.blacklist(o.node)
	}
	o.broker = int32(p.random.Intn(len(p.brokers.all)))
	p.attempt(ref)
}

// close ends a placement and frees its entry. gen changes, so that answers and deadlines of this use are
// ignored.
func (p *placements) close(ref uint32) {
	p.all[ref].open = false
	p.all[ref].gen++
	p.free = append(p.free, ref)
}

// preferIdle returns the idle nodes among those that fit a new task, if there
// are any and a list of them is kept (section 8.2); else all.
func (p *placements) preferIdle(fits []broker.Scored) []broker.Scored {
	idle := 0
	for i, f := range fits {
		if p.settings.Later.IdleList > 0 && p.initial.IdleFirst && f.Score == score.Perfect {
			fits[i], fits[idle] = fits[idle], f
			idle++
		}
	}
	if idle == 0 {
		return fits
	}
	return fits[:idle]
}
