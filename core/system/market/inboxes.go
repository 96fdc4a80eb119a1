package market

import (
	"parley/core/slab"
	"parley/core/unit"
)

// inboxes hold the messages that agents have not read yet. An agent works on one
// after the other, each for the time in the settings; without one, it reads at once.
type inboxes struct {
	x     *exchange
	work  [roles]unit.Time
	busy  [roles][]unit.Time // by agent: until when it works
	slots []unread
	free  []uint32
	waits delay
}

type unread struct {
	message
	crashes int
}

// delay is how long resources took to answer.
type delay struct {
	sum   unit.Time
	count int64
}

func newInboxes(x *exchange) inboxes {
	d := inboxes{x: x, work: [roles]unit.Time{x.settings.UserWork, x.settings.ResourceWork, x.settings.BankWork}}
	for r, n := range [roles]int{len(x.users.all), len(x.resources.all), 1} {
		d.busy[r] = make([]unit.Time, n)
	}
	return d
}

// take puts a message on its reader's inbox.
func (d *inboxes) take(now unit.Time, m *message) {
	role, n := m.To.Role(), m.To.Number()
	if d.work[role] == 0 {
		if role == resourceRole {
			d.waits.count++
		}
		d.x.read(now, m)
		return
	}
	at := slab.Take(&d.free, &d.slots)
	d.slots[at] = unread{*m, d.crashes(m)}
	ready := max(now, d.busy[role][n]) + d.work[role]
	d.busy[role][n] = ready
	if role == resourceRole {
		d.waits.sum += ready - now
		d.waits.count++
	}
	d.x.Clock.At(ready, d, uint64(at))
}

// crashes returns how often the reader of a message crashed so far.
func (d *inboxes) crashes(m *message) int {
	n := m.To.Number()
	switch m.To.Role() {
	case userRole:
		return d.x.users.all[n].crashes
	case resourceRole:
		return d.x.resources.all[n].crashes
	}
	return d.x.banker.crashes
}

// Fire implements des.Handler: the work on a message is done. What lay on the inbox
// of an agent that crashed is lost.
func (d *inboxes) Fire(now unit.Time, at uint64) {
	one := d.slots[at]
	d.slots[at] = unread{}
	d.free = append(d.free, uint32(at))
	if d.crashes(&one.message) == one.crashes && d.x.up(one.To) {
		d.x.read(now, &one.message)
	}
}
