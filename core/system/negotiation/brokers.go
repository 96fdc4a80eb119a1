package negotiation

import (
	"strconv"

	"parley/core/cluster"
	"parley/core/mail"
	"parley/core/rng"
	"parley/core/slab"
	"parley/core/system/negotiation/broker"
	"parley/core/system/negotiation/score"
	"parley/core/unit"
)

// brokers are the broker agents: they receive the state of nodes and recommend nodes for tasks.
// Package broker has their cache and their search.
type brokers struct {
	*base
	accounts  *accounts
	connected mail.Connected
	all       []*broker.Broker
	ready     []unit.Time // by broker: when it has received a report of all nodes after its start
	machines  *broker.Machines
	move      score.Scorer
	query     broker.Query // used again by every search
	nodes     int          // that ever joined

	attributes   attributes
	busy         []unit.Time // by broker: until when it searches
	crashes      []int       // by broker
	searches     []search    // under way
	freeSearches []uint32

	// Disturbances of the reports, which travel in bulk.
	reports     *rng.Stream
	loss        float64   // probability that a node's report is lost
	delay       unit.Time // a fault: additional delay of reports
	partitioned bool      // some racks are cut off
	sink        int32     // so that early reads have a use
}

// newBrokers makes the broker agents of the settings, each with an empty cache and a random stream of
// its own.
func newBrokers(b *base, a *accounts, connected mail.Connected) *brokers {
	s := b.settings
	k := &brokers{
		base: b, accounts: a, connected: connected, machines: broker.NewMachines(100 * (1 - s.Headroom)),
		ready: make([]unit.Time, s.Brokers), move: s.scorer(s.MoveScore), reports: b.Rand("reports"), loss: s.Mail.Loss,
	}
	k.busy, k.crashes = make([]unit.Time, s.Brokers), make([]int, s.Brokers)
	k.attributes = attributes{view: b.View, silence: s.Silence}
	if s.Later.Offload > 0 {
		k.move.Limit = min(k.move.Limit, 100*s.Later.Offload) // else a target would pass on the tasks it took
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

// join makes room for a node, which sends its state to all brokers that it is connected with. A node
// that joins again counts once.
func (k *brokers) join(n unit.NodeID) {
	k.nodes = max(k.nodes, int(n)+1)
	k.attributes.join(n)
	for i, b := range k.all {
		b.Grow(k.nodes)
		if k.connected(nodeAgent(n), brokerAgent(i)) {
			b.Learn(n, k.View, k.Clock.Now())
		}
	}
}

// onCandidatesRequest is the broker's side of step 2. It answers one request
// after the other, each when its search is over.
func (k *brokers) onCandidatesRequest(m *message) {
	i := m.To.Number()
	at := slab.Take(&k.freeSearches, &k.searches)
	k.searches[at] = search{*m, k.crashes[i]}
	k.busy[i] = max(k.busy[i], k.Clock.Now()) + k.settings.Search
	k.Clock.At(k.busy[i], (*searcher)(k), uint64(at))
}

// search is a request that a broker works on.
type search struct {
	request message
	crashes int // of the broker before
}

// searcher ends searches.
type searcher brokers

// Fire implements des.Handler: search number at is over, and the answer leaves. The request is lost if
// the broker is down or crashed since it began. The answer has the nodes that fit and, if these are too
// few, nodes for a forced placement behind them.
func (x *searcher) Fire(_ unit.Time, at uint64) {
	k := (*brokers)(x)
	m, crashes := k.searches[at].request, k.searches[at].crashes
	k.searches[at] = search{}
	k.freeSearches = append(k.freeSearches, uint32(at))
	i := m.To.Number()
	if k.all[i].Down() || k.crashes[i] != crashes {
		return // the request is lost
	}
	q, f := &k.query, m.Payload.form
	k.constrain(k.all[i], m.Payload.task, q)
	q.Not = nodeOf(m.From)
	found := k.recommend(k.all[i], q, &f.demand, &k.move, k.settings.ScanReallocation)
	for _, fit := range found.Fits {
		f.nodes[f.count] = fit.Node
		f.count++
	}
	for _, n := range found.Forced[:min(len(found.Forced), k.settings.Candidates-len(found.Fits))] {
		f.nodes[f.count] = n
		f.count++
		f.forced++
	}
	k.post.Send(m.To, m.From, answer(&m, candidatesResponse))
}

// idle returns when a broker is free to place a new task: now, or the first end of a search if all of
// them search for nodes on behalf of overloaded ones.
func (k *brokers) idle(now unit.Time) unit.Time {
	first := k.busy[0]
	for _, at := range k.busy[1:] {
		first = min(first, at)
	}
	return max(first, now)
}

// constrain fills in the conditions on a node beside room, as far as a broker knows: the task's
// constraints and its anti-affinity.
func (k *brokers) constrain(b *broker.Broker, id unit.TaskID, q *broker.Query) {
	k.accounts.constrain(id, q)
	if q.Suitable.Constrained() {
		t, _ := k.View.Task(id)
		k.attributes.satisfying(b, t.Constraints, &q.Suitable, k.Clock.Now())
	}
}

// recommend lets a broker search for nodes that could take a task, with a scorer and at most limit nodes
// scored. q must have the conditions of constrain and Not, the node that the task leaves, or NoNode; all
// else is set here.
func (k *brokers) recommend(b *broker.Broker, q *broker.Query, d *broker.Demand, s *score.Scorer,
	limit int,
) broker.Found {
	q.Demand, q.Scorer, q.Limit, q.Candidates = *d, s, limit, k.settings.Candidates
	q.Oldest, q.Headroom = k.oldest(), k.settings.Headroom > 0
	q.Weighted, q.Proximity = k.settings.Draw == "weighted", nil
	if from := q.Not; from != unit.NoNode && k.settings.Later.RackCost > 0 {
		q.Proximity = func(fits []broker.Scored) {
			for i := range fits {
				fits[i].Score /= k.discount(from, fits[i].Node)
			}
		}
	}
	return b.Recommend(q)
}

// oldest returns the moment before which a report no longer counts.
func (k *brokers) oldest() unit.Time { return max(0, k.Clock.Now()-k.settings.Silence) }

// onAllocated stores the state of a node when it answered.
func (k *brokers) onAllocated(m *message) {
	k.all[m.To.Number()].Accept(&m.Payload.report, k.Clock.Now())
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
		k.crashes[i]++
		k.busy[i] = k.Clock.Now()
	}
}

func (k *brokers) restart(i int) {
	if i < len(k.all) && k.all[i].Down() {
		k.all[i].Restart()
		k.ready[i] = k.Clock.Now() + k.settings.Report + k.settings.Mail.Latency + k.delay
	}
}

// demandOf returns the load that a task would add to a node, up to the maximum of the sums: no node
// takes a larger one.
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

// discount is the divisor of a score for the distance of a migration: 0 in a
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
