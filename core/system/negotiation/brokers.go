package negotiation

import (
	"strconv"

	"parley/core/cluster"
	"parley/core/mail"
	"parley/core/rng"
	"parley/core/system/negotiation/broker"
	"parley/core/system/negotiation/score"
	"parley/core/unit"
)

// brokers are the broker agents: they hear how nodes stand and say where a task
// could go. What they know and how they search is package broker's affair.
type brokers struct {
	*base
	accounts  *accounts
	connected mail.Connected
	all       []*broker.Broker
	ready     []unit.Time // by broker: when it has heard from all nodes after its start
	machines  *broker.Machines
	move      score.Scorer
	query     broker.Query // used again by every search
	nodes     int          // that ever joined

	// What disturbs the reports, which travel in bulk.
	reports     *rng.Stream
	loss        float64   // probability that a node's report is lost
	delay       unit.Time // a fault: reports take so much longer
	partitioned bool      // some racks are cut off
	sink        int32     // so that early reads have a use
}

func newBrokers(b *base, a *accounts, connected mail.Connected) *brokers {
	s := b.settings
	k := &brokers{
		base: b, accounts: a, connected: connected, machines: broker.NewMachines(100 * (1 - s.Headroom)),
		ready: make([]unit.Time, s.Brokers), move: s.scorer(s.MoveScore), reports: b.Rand("reports"), loss: s.Mail.Loss,
	}
	if s.Later.Offload > 0 {
		k.move.Limit = min(k.move.Limit, 100*s.Later.Offload) // else a target would pass on what it took
	}
	options := []broker.Option{broker.KeepIdle(s.Later.IdleList)}
	if s.Later.Blacklist > 0 {
		options = append(options, broker.Blacklist())
	}
	for i := range s.Brokers {
		k.all = append(k.all, broker.New(k.machines, b.Rand("broker/"+strconv.Itoa(i)), options...))
	}
	return k
}

// join makes room for a node, which introduces itself to all brokers.
func (k *brokers) join(n unit.NodeID) {
	k.nodes = max(k.nodes, int(n)+1)
	for i, b := range k.all {
		b.Grow(k.nodes)
		if k.connected(nodeAgent(n), brokerAgent(i)) {
			b.Learn(n, k.View, k.Clock.Now())
		}
	}
}

// onCandidatesRequest is the broker's side of step 2.
func (k *brokers) onCandidatesRequest(m *message) {
	p := &m.Payload
	task, alive := k.View.Task(p.task)
	if !alive {
		return
	}
	d := demandOf(&task)
	found := k.recommend(k.all[m.To.Number()], p.task, &d, &k.move, k.settings.ScanReallocation, false)
	list := &candidates{}
	for _, f := range found.Fits {
		list.nodes[list.count] = f.Node
		list.count++
	}
	for _, n := range found.Forced[:min(len(found.Forced), k.settings.Candidates-len(found.Fits))] {
		list.nodes[list.count] = n
		list.count++
		list.forced++
	}
	reply := answer(m, candidatesResponse)
	reply.candidates = list
	k.post.Send(m.To, m.From, reply)
}

// recommend lets a broker search for nodes that could take a task.
func (k *brokers) recommend(b *broker.Broker, id unit.TaskID, d *broker.Demand, s *score.Scorer, limit int, force bool) broker.Found {
	q := &k.query
	k.accounts.constrain(id, q)
	q.Demand, q.Scorer, q.Limit, q.Candidates = *d, s, limit, k.settings.Candidates
	q.Oldest, q.Headroom = max(0, k.Clock.Now()-k.settings.Silence), k.settings.Headroom > 0
	q.Weighted, q.Force, q.Near = k.settings.Draw == "weighted", force, k.nearness(id)
	return b.Recommend(q)
}

// nearness returns what makes a broker prefer nodes near a running task, or
// nil where distance does not count.
func (k *brokers) nearness(id unit.TaskID) func([]broker.Scored) {
	if k.settings.Later.RackCost == 0 {
		return nil
	}
	task, alive := k.View.Task(id)
	if !alive || task.Node == unit.NoNode {
		return nil
	}
	return func(fits []broker.Scored) {
		for i := range fits {
			fits[i].Score /= k.discount(task.Node, fits[i].Node)
		}
	}
}

// onAllocated takes over how a node stood when it answered.
func (k *brokers) onAllocated(m *message) {
	b, n := k.all[m.To.Number()], nodeOf(m.From)
	b.Learn(n, k.View, k.Clock.Now())
	b.Correct(n, m.Payload.used, m.Payload.promised)
}

// blacklist makes every broker pass over a node that did not answer.
func (k *brokers) blacklist(n unit.NodeID) {
	if k.settings.Later.Blacklist == 0 {
		return
	}
	for _, b := range k.all {
		b.Ban(n, k.Clock.Now()+k.settings.Later.Blacklist)
	}
}

func (k *brokers) crash(i int) {
	if i < len(k.all) {
		k.all[i].Crash()
	}
}

func (k *brokers) restart(i int) {
	if i < len(k.all) && k.all[i].Down() {
		k.all[i].Restart()
		k.ready[i] = k.Clock.Now() + k.settings.Report + k.settings.Mail.Latency + k.delay
	}
}

// demandOf returns what a task would add to a node, within what sums can hold: no
// node takes a larger one.
func demandOf(t *cluster.Task) broker.Demand {
	d := broker.Demand{Need: t.Usage}
	if t.State == cluster.Waiting {
		d.Need = t.Request
	}
	if t.Class == production {
		d.Promise = t.Request
	}
	for r := range d.Need {
		d.Need[r], d.Promise[r] = min(d.Need[r], broker.MaxUsed), min(d.Promise[r], broker.MaxUsed)
	}
	return d
}

// discount is what a score is divided by for the distance of a migration: 0 in a
// rack, 1 in a site, 2 beyond.
func (b *base) discount(from, to unit.NodeID) float64 {
	distance := 2.0
	switch v := b.View; {
	case v.Rack(from) == v.Rack(to):
		distance = 0
	case v.Site(from) == v.Site(to):
		distance = 1
	}
	return 1 + float64(b.settings.Later.RackCost*distance)
}
