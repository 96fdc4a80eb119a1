// Package yield is the live system: virtual clusters share hosts so that the
// smallest yield is largest, while jobs arrive, change their need and leave.
//
// Model: a task's memory is rigid, its CPU fluid. After a change the allocation adapts (constraints
// (22)-(31) of the paper): package solve finds the placement of the best smallest yield that
// migrates at most Settings.BudgetMB, and selects the new jobs that may start. CPU shares change at
// once, by the act Allot; migrations take their time and hold memory on both hosts, so that some
// must wait for others. Hosts of equal capacity are one pool, the paper's problem; pools are
// planned one by one; see the README for our additions.
//
// Source: M. Stillwell, D. Schanzenbach, F. Vivien, H. Casanova, "Resource
// Allocation using Virtual Clusters", arXiv 1006.5376, sections 2, 3, 5, 6.
//
//	{"algorithm":"adapt","budget_mb":8000,"window_us":300000000}
package yield

import (
	"encoding/json"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/system"
	"parley/core/unit"
)

// controller implements system.System.
type controller struct {
	system.Decisions // what Explain returns; empty unless notes are read

	env      system.Env
	settings Settings
	book     book
	intents  []intent // acts of the latest plan that wait for memory

	timer des.Ticket
	due   unit.Time // when timer fires; unit.Forever: never
	last  unit.Time // when the latest adaptation was

	sharing  sharing
	repacks  int64
	rejected int64
	figures  figures
}

// reaction is how long after a fact the system acts on it, so that it learns of
// all that happened at one moment.
const reaction = unit.Millisecond

// The arguments of Fire.
const (
	timeToAdapt uint64 = iota
	timeToShare
)

// New makes the system; it implements system.Factory.
func New(env system.Env, raw json.RawMessage) (system.System, error) {
	s := Default()
	if err := system.Decode(raw, &s); err != nil {
		return nil, err
	}
	return &controller{env: env, settings: s, book: newBook(), due: unit.Forever, last: -s.WindowUS}, nil
}

// Fail implements system.FaultTarget: it changes settings while the system runs. The next
// adaptation uses them.
func (c *controller) Fail(f system.AgentFault) {
	switch f.Kind {
	case "budget_mb":
		c.settings.BudgetMB = f.Value
	case "floor_yield":
		c.settings.FloorYield = f.Value
		c.figures.stale = true
	}
}

// On implements system.System. It keeps the book of jobs and the shares of the concerned hosts, and requests an
// adaptation: at once if the hosts changed, else not before a window after the last. Ends of tasks and migrations make
// room for acts of the present plan.
func (c *controller) On(e cluster.Event) error {
	c.figures.stale = true
	now := c.env.Clock.Now()
	switch e.Kind {
	case cluster.TaskSubmitted, cluster.TaskChanged:
		c.enter(e)
		c.touch(e.Node)
		c.ask(c.last + c.window())
	case cluster.TaskEnded:
		c.book.remove(e.Task)
		c.touch(e.Node)
		c.act()
		c.ask(c.last + c.window())
	case cluster.TaskPlaced:
		c.touch(e.Node)
	case cluster.NodeUp, cluster.NodeDown, cluster.NodeChanged, cluster.TaskDisplaced:
		c.ask(now)
	case cluster.MigrationEnded, cluster.MigrationBroken:
		c.touch(e.Node)
		c.touch(e.Other)
		c.act()
		if c.env.View.Totals().Migrating == 0 { // the plan is true now: all can have its yield
			c.sharing.all = true
		}
	}
	return nil
}

// window is how long after an adaptation a change of tasks waits for the next.
func (c *controller) window() unit.Time {
	if t := c.env.View.Totals(); t.Running+t.Waiting+t.Migrating > maxAtOnce && c.repacks > 0 {
		return max(c.settings.WindowUS, minWindow)
	}
	return c.settings.WindowUS
}

// enter takes a new task, or its new need, into the book.
func (c *controller) enter(e cluster.Event) {
	t, alive := c.env.View.Task(e.Task)
	switch {
	case !alive: // it ended at the same moment
	case e.Kind == cluster.TaskSubmitted:
		c.book.add(e.Task, &t, c.settings.Coupled)
	default:
		c.book.change(e.Task, &t, c.settings.Coupled)
	}
}

// ask makes sure that an adaptation comes at a time, or as soon as it is past.
func (c *controller) ask(at unit.Time) {
	if at = max(at, c.env.Clock.Now()+reaction); at >= c.due {
		return
	}
	c.env.Clock.Cancel(c.timer)
	c.timer, c.due = c.env.Clock.At(at, c, timeToAdapt), at
}

// Fire divides the CPU among the jobs anew; if kind is timeToAdapt, it adapts the allocation before.
func (c *controller) Fire(now unit.Time, kind uint64) {
	if kind == timeToAdapt {
		c.due, c.last = unit.Forever, now
		c.adapt()
		c.sharing.all = true
	} else {
		c.sharing.due = false
	}
	c.allot()
}
