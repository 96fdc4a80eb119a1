// Package market implements the Resource Allocation Market Place (RAMP) of S. Zasada and
// P. Coveney, in which users buy time on supercomputers in reverse auctions.
//
// An auction has several rounds. In each, the user's agent asks every resource for an
// offer below the best one so far. At the end it buys all units of its request or none, by
// a two-phase commit: the winners reserve cores in their queues, the user and each
// resource sign a contract, and a bank transfers the money.
//
// The agents are users, resources and the bank. They communicate only by messages, which
// are the communicative acts of FIPA. Each kind of agent is one type; this file connects
// them. The jobs of a resource's own users run in its batch queue (package queue), around
// the reservations. The packages price, bank, seal, qbets and logs hold the parts that need
// no simulation.
//
// README.md lists what the paper leaves open and how it is read here.
package market

import (
	"encoding/json"
	"fmt"

	"parley/core/batch"
	"parley/core/cluster"
	"parley/core/mail"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/market/bank"
	"parley/core/system/market/price"
	"parley/core/system/market/queue"
	"parley/core/system/market/seal"
	"parley/core/unit"
)

// base is what all agents have.
type base struct {
	system.Env
	settings *Settings
	plan     *plan
	keys     seal.Keys
	post     *mail.Post[payload]
	journal  *journal
	away     []bool // by resource: it is not in the market; every agent can ask (a directory)
}

// exchange is the system: it holds the agents and hands them facts and messages.
type exchange struct {
	*base
	*journal
	inboxes   inboxes
	users     *users
	resources *resources
	banker    *banker
	repeat    float64 // a fault: the probability that a message comes twice
	chance    *rng.Stream
	again     []message // that come a second time
	tasks     int64     // that no resource sells
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
	pricing, err := price.Parse(s.Pricing)
	if err != nil {
		return nil, err
	}
	protect, err := queue.ParseProtect(s.Protect)
	if err != nil {
		return nil, err
	}
	policy, err := batch.ParsePolicy(s.Queue)
	if err != nil {
		return nil, err
	}
	b := &base{Env: env, settings: &s, plan: &plan{}}
	own, _ := env.Source.(*source)
	if own != nil {
		b.plan = own.plan
	}
	b.away = make([]bool, len(b.plan.sites))
	b.keys = seal.New(s.Signatures, env.Rand("keys").Uint64())
	b.journal = &journal{base: b}
	b.post = mail.New[payload](env.Clock, s.Mail, env.Rand("mail"))
	x := &exchange{base: b, journal: b.journal, chance: env.Rand("repeat")}
	b.journal.exchange = x
	b.post.Deliver, b.post.Connected = x, x.connected
	x.banker = newBanker(b)
	x.users = newUsers(b)
	x.resources = newResources(b, pricing, protect, policy)
	x.inboxes = newInboxes(x)
	for i := range s.Users {
		x.banker.bank.Open(seal.Party{Role: seal.User, Number: int32(i)}, bank.Money(s.Budget*1000))
	}
	for i := range b.plan.sites {
		x.banker.bank.Open(seal.Party{Role: seal.Resource, Number: int32(i)}, 0)
		if own != nil {
			x.resources.learn(i, own.local[i].waits)
		}
	}
	return x, nil
}

// On implements system.System.
func (x *exchange) On(e cluster.Event) error {
	switch e.Kind {
	case cluster.NodeUp, cluster.NodeDown, cluster.NodeChanged:
		x.resources.resize(e.Node)
	case cluster.JobSubmitted:
		x.arrive(e.Job())
	case cluster.JobEnded:
		x.resources.ended(e.Job())
	case cluster.JobDisplaced:
		x.resources.displaced(e.Job())
	case cluster.TaskSubmitted:
		x.tasks++
	}
	return nil
}

// arrive hands a job to the site whose own it is, or to the user who asks for it.
func (x *exchange) arrive(id unit.JobID) {
	job, alive := x.View.Job(id)
	switch {
	case !alive:
	case job.Queue >= 0:
		x.resources.submit(int(job.Queue), id)
	default:
		x.users.arrive(job.Key, id)
	}
}

// Receive implements mail.Receiver: a message is put on its reader's inbox.
func (x *exchange) Receive(now unit.Time, m *message) {
	if x.repeat > 0 && x.chance.Float64() < x.repeat {
		x.again = append(x.again, *m)
		x.Clock.At(now+unit.Time(x.chance.Uint64n(uint64(2*unit.Minute))), (*repeater)(x), uint64(len(x.again)-1))
	}
	x.inboxes.take(now, m)
}

// repeater delivers a message a second time.
type repeater exchange

// Fire implements des.Handler.
func (r *repeater) Fire(now unit.Time, i uint64) {
	x := (*exchange)(r)
	if m := x.again[i]; x.connected(m.From, m.To) {
		x.inboxes.take(now, &m)
	}
}

// read lets an agent act on a message.
func (x *exchange) read(now unit.Time, m *message) {
	switch m.To.Role() {
	case userRole:
		x.users.read(now, m)
	case resourceRole:
		x.resources.read(now, m)
	default:
		x.banker.read(now, m)
	}
}

// connected reports whether both agents are up.
func (x *exchange) connected(from, to mail.Agent) bool { return x.up(from) && x.up(to) }

func (x *exchange) up(a mail.Agent) bool {
	n := a.Number()
	switch a.Role() {
	case userRole:
		return n < len(x.users.all) && !x.users.all[n].down
	case resourceRole:
		return n < len(x.resources.all) && !x.resources.all[n].down
	}
	return !x.banker.down
}

// Messages implements system.Messenger.
func (x *exchange) Messages() (sent, lost int64) { return x.post.Sent(), x.post.Lost() }

// Warnings implements system.WarningSource.
func (x *exchange) Warnings() (all []string) {
	if x.tasks > 0 {
		all = append(all, fmt.Sprintf("tasks that wait for ever, because a market sells processors to rigid jobs: %d", x.tasks))
	}
	if len(x.plan.sites) == 0 {
		all = append(all, "there is no resource that sells: give sites in workload.system")
	}
	if x.settings.Signatures == "ed25519" && !seal.Real {
		all = append(all, "the page models the signatures: what happens is the same, and nothing is proven by it; the command line signs with Ed25519")
	}
	return all
}
