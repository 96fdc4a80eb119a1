package yield

import (
	"errors"

	"parley/core/cluster"
	"parley/core/unit"
)

// intent is an act that a plan asks for. It waits while its host lacks the
// memory, because a task that is to leave it is still there.
type intent struct {
	task     unit.TaskID
	node     unit.NodeID
	from     unit.NodeID // of a migration
	migrates bool
	byHand   bool // placed without a plan
}

// act begins every intent for which there is memory now. When none of the others
// can ever begin, since no migration is under way that would make room, they are
// given up: tasks that should move stay, and tasks that should start go where
// there is room. The next adaptation takes it from there.
func (c *controller) act() {
	kept := c.intents[:0]
	for _, i := range c.intents {
		if c.begin(i) {
			kept = append(kept, i)
		}
	}
	c.intents = kept
	if len(kept) == 0 || c.env.View.Totals().Migrating > 0 {
		return
	}
	c.intents = nil
	c.note(noteStuck, unit.NoTask, unit.NoNode, unit.NoNode, float64(len(kept)))
	var homeless []candidate
	for _, i := range kept {
		if j := c.book.job(i.task); !i.migrates && j != nil {
			homeless = append(homeless, candidate{job: j, tasks: []unit.TaskID{i.task}})
		}
	}
	c.placeGreedily(homeless)
	if homeless != nil {
		c.ask(c.last + c.window())
	}
}

// begin carries out an intent if it still applies and its host has the memory. It returns true if the
// host lacks memory, so that the intent must wait. An intent that no longer applies or is refused for
// another reason is dropped.
func (c *controller) begin(i intent) (waits bool) {
	var err error
	if i.migrates {
		if t, alive := c.env.View.Task(i.task); !alive || t.State != cluster.Running || t.Node != i.from {
			return false // it is no longer where the plan saw it
		}
		err = c.env.Acts.Migrate(i.task, i.node, cluster.ByMemory)
	} else {
		err = c.env.Acts.Place(i.task, i.node, cluster.ByMemory)
	}
	switch {
	case err == nil:
		c.done(i)
	case errors.Is(err, cluster.ErrFull):
		return true
	}
	return false
}

// done publishes and records an act that began.
func (c *controller) done(i intent) {
	if i.migrates {
		c.note(noteMoves, i.task, i.from, i.node, 0)
	} else {
		c.note(notePlaced, i.task, i.node, unit.NoNode, 0)
	}
	c.remember(i)
}
