// Package negotiation is the Multi-Agent System Balancer (MASB) of L. Sliwko:
// every node has an agent that watches its load and, when the node is
// overloaded, negotiates with the agents of other nodes to take some of its
// tasks by live migration. Broker agents cache what nodes report and recommend
// candidates; nobody sees the whole cluster.
//
// A service allocation negotiation has five steps (section 5), all of them
// messages: 1 the agent selects candidate tasks by tabu search, 2 a broker
// recommends candidate nodes, 3 the agent asks each of them, 4 it draws a target
// among those that accept, 5 the target takes the task or refuses at the last
// moment, and then step 4 repeats. New tasks are placed by a random broker.
//
// See README.md for what the paper leaves open and how it is read here.
package negotiation

import (
	"encoding/json"
	"strconv"

	"parley/core/cluster"
	"parley/core/mail"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/unit"
)

// balancer holds all agents of the system.
type balancer struct {
	env      system.Env
	settings Settings
	post     *mail.Post
	mailbag  bulkMail
	initial  scorer
	move     scorer
	brokers  []broker
	types    machineTypes
	query    query // scratch of recommend
	random   *rng.Stream

	nodes            []nodeAgent
	negotiations     []negotiation // negotiations by Ref
	freeNegotiations []uint32
	negotiationOf    map[unit.TaskID]uint32 // the open ones
	negotiationLimit deadlines
	forced           []bool // by task slot: it came to its node by force

	placements     []placement // placements of new tasks by Ref
	freePlacements []uint32
	placementLimit deadlines
	waiting        []unit.TaskID // tasks that no broker has worked on yet, from head on
	head           int
	working        bool
	parked         []unit.TaskID // tasks that fit nowhere at the moment, the longest waiting first
	retried        []unit.TaskID // scratch of retryParked

	cut              map[int32]bool // racks whose agents are cut off
	replicas         replicas
	users            users
	accounts         map[unit.TaskID]account // kept only where a quota or a spread is set
	system.Decisions                         // what Explain tells; empty unless somebody listens to notes

	choice Choice // scratch of step 1
	offers []offer

	counts counts
}

// counts are the figures of Report.
type counts struct {
	negotiations, attempts, rejected, failed, expired int64
	allocations, allocationsRejected, preempted       int64
}

// nodeAgent is what a node's agent remembers.
type nodeAgent struct {
	changed bool // capacity, attributes or a task's constraints changed: look for compulsory tasks
}

// New makes the system; it implements system.Factory.
func New(env system.Env, raw json.RawMessage) (system.System, error) {
	s := Default()
	if err := system.Decode(raw, &s); err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	a := &balancer{
		env: env, settings: s, random: env.Rand("agents"),
		initial: s.newScorer(s.InitialScore), move: s.newScorer(s.MoveScore),
		brokers: make([]broker, s.Brokers), types: newMachineTypes(100 * (1 - s.Headroom)), negotiationOf: map[unit.TaskID]uint32{},
	}
	for i := range a.brokers {
		b := &a.brokers[i]
		b.random = env.Rand("broker/" + strconv.Itoa(i))
		b.length, b.types, b.fresh = s.Later.IdleList, &a.types, unit.Forever
		if s.Later.Blacklist > 0 {
			b.banned = []unit.Time{}
		}
	}
	if a.keeps() {
		a.users, a.replicas, a.accounts = users{}, replicas{}, map[unit.TaskID]account{}
	}
	a.initial.idleFirst = s.InitialScore == "sias" || s.InitialScore == "sias_gain"
	if s.Later.Offload > 0 {
		a.move.limit = min(a.move.limit, 100*s.Later.Offload) // else a target would pass on what it took
	}
	a.post = mail.New(env.Clock, s.Mail, env.Rand("mail"))
	a.post.Deliver, a.post.Connected = a, a.connected
	a.mailbag = bulkMail{random: env.Rand("reports"), loss: s.Mail.Loss}
	a.negotiationLimit = deadlines{clock: env.Clock, after: s.patience(), expire: a.negotiationTimeout}
	a.placementLimit = deadlines{clock: env.Clock, after: s.patience(), expire: a.placementTimeout}
	env.Clock.At(env.Clock.Now(), (*ticker)(a), 0)
	return a, nil
}

// On implements system.System.
func (a *balancer) On(e cluster.Event) error {
	switch e.Kind {
	case cluster.TaskSubmitted:
		a.submit(e.Task)
	case cluster.TaskDisplaced:
		a.tell(noteGone, e.Task, unit.NoNode)
		a.settled(e.Task)
		a.left(e.Task, e.Node)
		a.submit(e.Task)
	case cluster.TaskPlaced:
		a.arrived(e.Task, e.Node)
	case cluster.NodeUp:
		a.join(e.Node)
	case cluster.NodeDown:
		a.nodes[e.Node].changed = false
	case cluster.NodeChanged:
		a.nodes[e.Node].changed = true
	case cluster.TaskChanged:
		if e.Node >= 0 {
			a.nodes[e.Node].changed = true
			a.revise(e.Task)
		}
	case cluster.TaskEnded:
		a.tell(noteGone, e.Task, unit.NoNode)
		a.settled(e.Task)
		a.left(e.Task, e.Node)
	case cluster.MigrationBegan:
		a.coming(e.Task, e.Other)
	case cluster.MigrationBroken:
		a.tell(noteBreak, e.Task, e.Other)
		a.broken(e.Task)
		a.stayed(e.Task, e.Other)
	case cluster.MigrationEnded:
		a.forcedUpon(e.Task, e.Detail == 1)
		a.tell(noteArrive, e.Task, e.Other)
		a.settled(e.Task)
		a.moved(e.Task, e.Node)
	}
	return nil
}

// patience returns how long an agent waits for answers: in the paper's rounds
// at least two of them, one for the question and one for the answer.
func (s *Settings) patience() unit.Time {
	if s.Mail.Rounds == 0 {
		return s.ReplyTimeout
	}
	return max(s.ReplyTimeout, 2*unit.Minute/unit.Time(s.Mail.Rounds)+1)
}

// join makes room for a node's agent, which introduces itself to all brokers.
func (a *balancer) join(n unit.NodeID) {
	for len(a.nodes) <= int(n) {
		a.nodes = append(a.nodes, nodeAgent{})
	}
	for i := range a.brokers {
		b := &a.brokers[i]
		b.grow(len(a.nodes))
		if a.connected(mail.Agent(n), mail.Broker(i)) {
			b.learn(n, a.env.View, a.env.Clock.Now())
		}
	}
}

// own returns the number of a node's own broker.
func (a *balancer) own(n unit.NodeID) int { return int(n) % len(a.brokers) }

// home returns which broker a node reports to: its own, or the next one that
// is up; -1 if none is.
func (a *balancer) home(n unit.NodeID) int {
	for i := range a.brokers {
		if k := (a.own(n) + i) % len(a.brokers); !a.brokers[k].down {
			return k
		}
	}
	return -1
}

// demandOf returns what a task would add to a node, within what sums can hold: no
// node takes a larger one.
func demandOf(t *cluster.Task) demand {
	d := demand{need: t.Usage}
	if t.State == cluster.Waiting {
		d.need = t.Request
	}
	if t.Class == production {
		d.promise = t.Request
	}
	for r := range d.need {
		d.need[r], d.promise[r] = min(d.need[r], maxUsedPerNode), min(d.promise[r], maxUsedPerNode)
	}
	return d
}

// recommend lets a broker search and returns up to k candidates, forced ones
// last; those are all in b.scan.forced if there are too few others, or force
// asks for them. The slices are good until the broker's next search.
func (a *balancer) recommend(b *broker, id unit.TaskID, d *demand, s *scorer, limit, k int, force bool) (fits []scored, forced []unit.NodeID) {
	q := &a.query
	a.constrain(id, q)
	q.demand, q.scorer, q.limit, q.most = *d, s, limit, k
	q.oldest, q.wantsHeadroom = max(0, a.env.Clock.Now()-a.settings.Silence), a.settings.Headroom > 0
	near := a.nearness(id)
	if a.settings.Draw == "weighted" || near != nil {
		q.most = 0
	}
	b.search(q)
	if s.gain && len(b.scan.fits) == 0 {
		plain := *s
		plain.gain = false
		q.scorer = &plain
		b.search(q)
	}
	fits = b.scan.fits
	if near != nil {
		near(fits)
	}
	switch {
	case a.settings.Draw == "weighted":
		fits = draw(fits, k, b.random)
	case near != nil:
		fits = best(fits, k)
	}
	if force || len(fits) < k {
		b.force(q)
	}
	return fits, b.scan.forced[:min(len(b.scan.forced), k-len(fits))]
}
