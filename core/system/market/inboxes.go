package market

import (
	"parley/core/des"
	"parley/core/mail"
	"parley/core/slab"
	"parley/core/system/market/fipa"
	"parley/core/unit"
)

// inboxes hold the messages that agents have not read yet. An agent works on one
// after the other, each for the time in the settings; without one, it reads at once.
type inboxes struct {
	clock  des.Clock
	agents readers
	work   [fipa.Roles]unit.Time
	busy   [fipa.Roles][]unit.Time // by agent: until when it works
	slots  []unread
	free   []uint32
	waits  delay
}

// readers are the agents whose inboxes these are.
type readers interface {
	// read lets an agent act on a message.
	read(now unit.Time, m *fipa.Message)
	// up reports whether an agent is running, and crashes how often it crashed so far.
	up(mail.Agent) bool
	crashes(mail.Agent) int
}

type unread struct {
	fipa.Message
	crashes int
}

// delay is how long resources took to answer.
type delay struct {
	sum   unit.Time
	count int64
}

// newInboxes makes as many inboxes of each role as there are agents.
func newInboxes(clock des.Clock, r readers, work [fipa.Roles]unit.Time, count [fipa.Roles]int) inboxes {
	d := inboxes{clock: clock, agents: r, work: work}
	for role, n := range count {
		d.busy[role] = make([]unit.Time, n)
	}
	return d
}

// take puts a message on its reader's inbox.
func (d *inboxes) take(now unit.Time, m *fipa.Message) {
	role, n := m.To.Role(), m.To.Number()
	if d.work[role] == 0 {
		if role == fipa.ResourceRole {
			d.waits.count++
		}
		d.agents.read(now, m)
		return
	}
	at := slab.Take(&d.free, &d.slots)
	d.slots[at] = unread{*m, d.agents.crashes(m.To)}
	ready := max(now, d.busy[role][n]) + d.work[role]
	d.busy[role][n] = ready
	if role == fipa.ResourceRole {
		d.waits.sum += ready - now
		d.waits.count++
	}
	d.clock.At(ready, d, uint64(at))
}

// Fire implements des.Handler: the work on a message is done. Messages in the inbox of an agent
// that crashed are lost.
func (d *inboxes) Fire(now unit.Time, at uint64) {
	one := d.slots[at]
	d.slots[at] = unread{}
	d.free = append(d.free, uint32(at))
	if d.agents.crashes(one.To) == one.crashes && d.agents.up(one.To) {
		d.agents.read(now, &one.Message)
	}
}

// mean returns how long a resource took to answer, in seconds.
func (d *delay) mean() float64 { return d.sum.Seconds() / float64(max(1, d.count)) }
