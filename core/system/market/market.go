// Package market implements the Resource Allocation Market Place (RAMP) of S. Zasada and
// P. Coveney, in which users buy time on supercomputers in reverse auctions.
//
// An auction has several rounds. In each, the user's agent asks every resource for an
// offer below the best one so far. At the end it buys all units of its request or none, by
// a two-phase commit: the winners reserve cores in their queues, the user and each
// resource sign a contract, and a bank transfers the money.
//
// The agents are users, resources and the bank. They communicate only by messages, which
// are the communicative acts of FIPA (package fipa). Packages buyer and seller hold the users
// and the resources; this package connects them and the bank. The jobs of a resource's own users run in its batch
// queue (package queue), around
// the reservations. The packages price, bank, seal, qbets and logs hold the parts that need
// no simulation.
//
// README.md lists the points that the paper leaves open and their interpretation here.
package market

import (
	"encoding/json"
	"fmt"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/mail"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/market/bank"
	"parley/core/system/market/buyer"
	"parley/core/system/market/fipa"
	"parley/core/system/market/journal"
	"parley/core/system/market/plan"
	"parley/core/system/market/seal"
	"parley/core/system/market/seller"
	"parley/core/unit"
)

// exchange is the system: it holds the agents and hands them facts and messages.
type exchange struct {
	*journal.Journal
	narrator
	clock     des.Clock
	view      cluster.View
	settings  *Settings
	plan      *plan.Plan
	post      *mail.Post[fipa.Payload]
	away      []bool // by resource: it is not in the market
	inboxes   inboxes
	users     *buyer.Users
	resources *seller.Resources
	banker    *banker
	repeat    float64 // a fault: the probability that a message comes twice
	chance    *rng.Stream
	again     []fipa.Message // that come a second time
	tasks     int64          // that no resource sells
}

// New makes the system; it implements system.Factory.
func New(env system.Env, raw json.RawMessage) (system.System, error) {
	s := Default()
	if err := system.Decode(raw, &s); err != nil {
		return nil, err
	}
	p := &plan.Plan{}
	own, _ := env.Source.(*plan.Source)
	if own != nil {
		p = own.Plan
	}
	x := &exchange{
		clock: env.Clock, view: env.View, settings: &s, plan: p, away: make([]bool, len(p.Sites)),
		chance: env.Rand("repeat"),
	}
	x.post = mail.New[fipa.Payload](env.Clock, s.Mail, env.Rand("mail"))
	x.post.Deliver, x.post.Connected = x, x.connected
	means := fipa.Means{
		Clock: env.Clock, Post: x.post, Keys: seal.New(s.Signatures, env.Rand("keys").Uint64()),
		Answer: s.Answer,
	}
	books := bank.New(means.Keys)
	x.Journal = journal.New(env, books, x)
	x.banker = newBanker(means, x.Journal, books)
	x.users = buyer.New(means, x.Journal, &s.Rules, p, x.away)
	x.narrator = narrator{env.View, p.Sites, x.users}
	var err error
	if x.resources, err = seller.New(means, x.Journal, &s.Terms, p, x.away,
		seller.Machines{View: env.View, Acts: env.Acts}, env.Rand("marks").Uint64()); err != nil {
		return nil, err
	}
	x.inboxes = newInboxes(env.Clock, x, [fipa.Roles]unit.Time{s.UserWork, s.ResourceWork, s.BankWork},
		[fipa.Roles]int{s.Users, len(p.Sites), 1})
	for i := range s.Users {
		books.Open(seal.Party{Role: seal.User, Number: int32(i)}, bank.Money(s.Budget*1000))
	}
	for i := range p.Sites {
		books.Open(seal.Party{Role: seal.Resource, Number: int32(i)}, 0)
		if own != nil {
			x.resources.Learn(i, own.Local[i].Waits)
		}
	}
	return x, nil
}

// On implements system.System. Tasks that are no jobs are only counted, for the warning about them.
func (x *exchange) On(e cluster.Event) error {
	switch e.Kind {
	case cluster.NodeUp, cluster.NodeDown, cluster.NodeChanged:
		x.resources.Resize(e.Node)
	case cluster.JobSubmitted:
		x.arrive(e.Job())
	case cluster.JobEnded:
		x.resources.Ended(e.Job())
	case cluster.JobDisplaced:
		x.resources.Displaced(e.Job())
	case cluster.TaskSubmitted:
		x.tasks++
	}
	return nil
}

// arrive hands a job to the site whose own it is (Queue is its index) or, with Queue below 0, to the
// user who requests it.
func (x *exchange) arrive(id unit.JobID) {
	job, alive := x.view.Job(id)
	switch {
	case !alive:
	case job.Queue >= 0:
		x.resources.Submit(int(job.Queue), id)
	default:
		x.users.Arrive(job.Key, id)
	}
}

// Receive implements mail.Receiver: it puts a message into its reader's inbox. With the fault repeat it
// may come once more within two minutes.
func (x *exchange) Receive(now unit.Time, m *fipa.Message) {
	if x.repeat > 0 && x.chance.Float64() < x.repeat {
		x.again = append(x.again, *m)
		x.clock.At(now+unit.Time(x.chance.Uint64n(uint64(2*unit.Minute))), (*repeater)(x), uint64(len(x.again)-1))
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
func (x *exchange) read(now unit.Time, m *fipa.Message) {
	switch m.To.Role() {
	case fipa.UserRole:
		x.users.Read(now, m)
	case fipa.ResourceRole:
		x.resources.Read(now, m)
	default:
		x.banker.read(now, m)
	}
}

// connected reports whether both agents are up.
func (x *exchange) connected(from, to mail.Agent) bool { return x.up(from) && x.up(to) }

// up reports whether an agent is up; false for a number that no agent has.
func (x *exchange) up(a mail.Agent) bool {
	n := a.Number()
	switch a.Role() {
	case fipa.UserRole:
		return n < len(x.users.All) && !x.users.All[n].Down
	case fipa.ResourceRole:
		return n < len(x.resources.All) && !x.resources.All[n].Down
	}
	return !x.banker.down
}

// crashes returns how often an agent crashed so far.
func (x *exchange) crashes(a mail.Agent) int {
	switch a.Role() {
	case fipa.UserRole:
		return x.users.All[a.Number()].Crashes
	case fipa.ResourceRole:
		return x.resources.All[a.Number()].Crashes
	}
	return x.banker.crashes
}

// FirstNode implements journal.Directory; unit.NoNode if the resource is unknown or has no nodes yet.
func (x *exchange) FirstNode(resource int) unit.NodeID {
	if resource < len(x.resources.All) {
		if nodes := x.resources.Sites.All[resource].Nodes; len(nodes) > 0 {
			return nodes[0]
		}
	}
	return unit.NoNode
}

// JobOf implements journal.Directory.
func (x *exchange) JobOf(auction uint32, lot int) unit.JobID {
	if a := x.users.Numbered(auction); a != nil && lot < len(a.Lots) {
		return a.Lots[lot].Job
	}
	return 0
}

// Messages implements system.Messenger.
func (x *exchange) Messages() (sent, lost int64) { return x.post.Sent(), x.post.Lost() }

// Warnings implements system.WarningSource.
func (x *exchange) Warnings() (all []string) {
	if x.tasks > 0 {
		all = append(all, fmt.Sprintf("tasks that wait for ever, because a market sells processors to rigid jobs: %d",
			x.tasks))
	}
	if len(x.plan.Sites) == 0 {
		all = append(all, "there is no resource that sells: give sites in workload.system")
	}
	if x.settings.Signatures == "ed25519" && !seal.Real {
		all = append(all,
			"the page models the signatures: what happens is the same, and nothing is proven by it; the command line signs with Ed25519")
	}
	return all
}
