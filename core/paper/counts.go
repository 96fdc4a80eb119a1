package paper

import (
	"parley/core/cluster"
	"parley/core/run"
	"parley/core/unit"
)

// counts are the events between two moments of a run.
type counts struct {
	placements, forcedPlacements float64
	migrations, forcedMigrations float64
	preempted                    float64                 // running tasks that were stopped for others
	negotiations                 float64                 // of systems that negotiate
	attempts, rejected           float64                 // step 5 of the protocol, and its refusals
	byProduction                 [unit.Resources]float64 // percent of the capacity that production requests at the end
	// tasks that waited for a place; those of them that waited longer than patience
	arrived, late float64
}

// countsOf returns the counts since the beginning.
func countsOf(r *run.Run) counts {
	t := r.View().Totals()
	values := r.Report().System
	of := func(name string) float64 {
		n, _ := values[name].(int64)
		return float64(n)
	}
	c := counts{
		placements: float64(t.Placements), forcedPlacements: float64(t.ForcedPlacements),
		migrations: float64(t.Migrations), forcedMigrations: float64(t.Forced),
		preempted:    of("preempted") + of("tasks_preempted"),
		negotiations: of("negotiations"), attempts: of("migration_attempts"), rejected: of("migration_rejected"),
	}
	for i := range t.Production {
		c.byProduction[i] = percentOf(float64(t.Production[i]), float64(t.Capacity[i]))
	}
	return c
}

// all returns every count, in a fixed order, without the requests of production.
func (c *counts) all() []*float64 {
	return []*float64{
		&c.placements, &c.forcedPlacements, &c.migrations, &c.forcedMigrations, &c.preempted,
		&c.negotiations, &c.attempts, &c.rejected, &c.arrived, &c.late,
	}
}

func (c counts) since(before counts) counts {
	was := before.all()
	for i, now := range c.all() {
		*now -= *was[i]
	}
	return c
}

// patience is how long a task may wait for its place before it counts as late.
const patience = unit.Minute

// lateness is an observer that counts tasks which wait for a place longer than
// patience. A task that lost its place waits anew.
type lateness struct {
	from          unit.Time // earlier arrivals do not count
	waits         map[unit.TaskID]unit.Time
	arrived, late float64
}

// Observe implements run.Observer. A task waits from its arrival, or from when it lost its place, until it is placed or
// ends.
func (l *lateness) Observe(e cluster.Event) {
	switch e.Kind {
	case cluster.TaskSubmitted, cluster.TaskDisplaced:
		if e.At < l.from {
			return
		}
		if l.waits == nil {
			l.waits = map[unit.TaskID]unit.Time{}
		}
		l.waits[e.Task] = e.At
		l.arrived++
	case cluster.TaskPlaced, cluster.TaskEnded:
		since, waited := l.waits[e.Task]
		if waited && e.At-since > patience {
			l.late++
		}
		delete(l.waits, e.Task)
	}
}

// totals returns how many tasks arrived, and how many of them were late by now.
func (l *lateness) totals(now unit.Time) (arrived, late float64) {
	late = l.late
	for _, since := range l.waits {
		if now-since > patience {
			late++
		}
	}
	return l.arrived, late
}
