// Package negotiation implements the Multi-Agent System Balancer (MASB) of L. Sliwko. An
// agent on every node watches the node's load. When the node is overloaded, the agent
// negotiates with the agents of other nodes, which take some of its tasks by live migration.
// Broker agents cache the reports of nodes and recommend candidates. No agent sees the whole
// cluster.
//
// A negotiation has five steps (section 5), all of them messages:
//
//  1. The agent selects candidate tasks by tabu search.
//  2. A broker recommends candidate nodes.
//  3. The agent asks each of them.
//  4. It draws a target among those that accept.
//  5. The target takes the task, or refuses at the last check, and step 4 repeats.
//
// A random broker places each new task.
//
// Each role of agents is one type: watchers observe the nodes and select (step 1),
// negotiations ask and draw (steps 2 to 5), hosts answer, brokers recommend, and placements
// assign new tasks to nodes. They communicate only by messages; this file connects them.
//
// README.md lists the points that the paper leaves open and their interpretation here.
package negotiation

import (
	"encoding/json"

	"parley/core/cluster"
	"parley/core/mail"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/negotiation/broker"
	"parley/core/unit"
)

// base is shared by all agents: the clock, their senses and hands, the post.
type base struct {
	system.Env
	settings *Settings
	post     *mail.Post[payload]
	journal  *journal
	random   *rng.Stream
}

// balancer is the system: it holds the agents and hands them facts and messages.
type balancer struct {
	*base
	*journal
	watchers     *watchers
	negotiations *negotiations
	hosts        *hosts
	brokers      *brokers
	placements   *placements
	accounts     *accounts
	rates        rates

	cut map[int32]bool // racks whose agents are cut off
}

// New makes the system; it implements system.Factory.
func New(env system.Env, raw json.RawMessage) (system.System, error) {
	s := Default()
	if err := system.Decode(raw, &s); err != nil {
		return nil, err
	}
	b := &base{Env: env, settings: &s, random: env.Rand("agents")}
	b.journal = &journal{env: &b.Env}
	b.post = mail.New[payload](env.Clock, s.Mail, env.Rand("mail"))
	a := &balancer{base: b, journal: b.journal}
	b.post.Deliver, b.post.Connected = a, a.connected
	a.accounts = newAccounts(b)
	a.brokers = newBrokers(b, a.accounts, a.connected)
	a.negotiations = newNegotiations(b, a.brokers)
	room := &preemption{base: b, departures: a.negotiations}
	a.negotiations.unrelieved = room
	a.hosts = &hosts{base: b, accounts: a.accounts, room: room, machines: a.brokers.machines}
	a.placements = newPlacements(b, a.brokers, a.accounts)
	a.watchers = &watchers{base: b, move: a.brokers.move, negotiations: a.negotiations, hosts: a.hosts}
	env.Clock.At(env.Clock.Now(), (*ticker)(a), 0)
	return a, nil
}

// ticker lets one group of nodes after the other look at its load and report it, and once a period
// the brokers retry tasks that fitted nowhere.
type ticker balancer

// Fire lets the nodes of group arg look at their load and report it, and schedules the next group: each has its turn
// once in settings.Report. With group 0, parked tasks are tried again.
func (t *ticker) Fire(now unit.Time, arg uint64) {
	t.watchers.look(arg)
	t.brokers.report(now, arg)
	if arg == 0 {
		t.placements.retryParked()
	}
	t.Clock.At(now+t.settings.Report/broker.Groups, t, (arg+1)%broker.Groups)
}

// On implements system.System. Nodes that changed are looked at by the watchers; tasks that wait are
// submitted to the brokers.
func (a *balancer) On(e cluster.Event) error {
	switch e.Kind {
	case cluster.TaskSubmitted:
		a.placements.submit(e.Task)
	case cluster.TaskDisplaced:
		a.negotiations.settled(noteGone, e.Task, unit.NoNode)
		a.accounts.left(e.Task, e.Node)
		a.placements.submit(e.Task)
	case cluster.TaskPlaced:
		a.accounts.arrived(e.Task, e.Node)
	case cluster.NodeUp:
		a.watchers.join(e.Node)
		a.brokers.join(e.Node)
	case cluster.NodeDown:
		a.watchers.changed[e.Node] = false
	case cluster.NodeChanged:
		a.watchers.changed[e.Node] = true
		a.brokers.attributes.note(e.Node, e.At)
	case cluster.TaskChanged:
		if e.Node >= 0 {
			a.watchers.changed[e.Node] = true
			a.accounts.revise(e.Task)
		}
	case cluster.TaskEnded:
		a.negotiations.settled(noteGone, e.Task, unit.NoNode)
		a.accounts.left(e.Task, e.Node)
	case cluster.MigrationBegan:
		a.negotiations.began(e.Task, e.Other)
		a.accounts.coming(e.Task, e.Other)
	case cluster.MigrationBroken:
		a.negotiations.broken(e.Task, e.Other)
		a.accounts.stayed(e.Task, e.Other)
	case cluster.MigrationEnded:
		a.hosts.forcedUpon(e.Task, e.Detail == 1)
		a.negotiations.settled(noteArrive, e.Task, e.Other)
		a.accounts.moved(e.Task, e.Node)
	}
	return nil
}

// Receive implements mail.Receiver: it hands a message to the agent it is for.
func (a *balancer) Receive(_ unit.Time, m *message) {
	switch m.Payload.kind {
	case allocateTask:
		a.hosts.onAllocate(m)
	case allocateAccepted, allocateRejected:
		a.brokers.onAllocated(m)
		a.placements.onAllocated(m)
	case candidatesRequest:
		a.brokers.onCandidatesRequest(m)
	case candidatesResponse:
		a.negotiations.onCandidates(m)
	case migrationRequest:
		a.hosts.onMigrationRequest(m)
	case acceptanceResponse, rejectionResponse:
		a.negotiations.onReply(m)
	case processRequest:
		a.hosts.onProcessRequest(m)
	case processError:
		a.negotiations.onProcessError(m)
	}
}

// Messages implements system.Messenger.
func (a *balancer) Messages() (sent, lost int64) { return a.post.Sent(), a.post.Lost() }

// Report implements system.Reporter. Keys without a unit are counts over the run, but negotiations_open and
// tasks_parked, which are of this moment.
func (a *balancer) Report() map[string]any {
	n, p := &a.negotiations.counts, &a.placements.counts
	failures := 0.0
	if n.attempts > 0 {
		failures = 100 * float64(n.rejected) / float64(n.attempts)
	}
	return map[string]any{
		"negotiations": n.begun, "negotiations_open": a.negotiations.open(), "negotiations_failed": n.failed,
		"recommendations_expired": n.expired,
		"migration_attempts":      n.attempts, "migration_rejected": n.rejected, "step5_failures_pct": failures,
		"candidates_rejected": n.declined, "migrations_by_force": n.forced, "allocations_by_force": p.forced,
		"allocations": p.sent, "allocations_rejected": p.rejected, "tasks_parked": len(a.placements.parked),
		"tasks_preempted": a.hosts.room.preempted,
	}
}
