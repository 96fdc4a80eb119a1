package run

import (
	"parley/core/cluster"
	"parley/core/run/events"
	"parley/core/system"
)

// logger is an events.Log. Programs that write none are built without it and the words
// for notes, as it is reached through LogEvents alone.
type logger interface {
	Describe(system.System)
	Note(system.Note)
	Observe(cluster.Event) error
}

// listener hears the notes of a system where they are logged too.
type listener struct {
	notes     *Notes     // nil: not kept
	incidents *incidents // nil: not kept, or its system's notes say nothing of them
	log       logger     // nil: in a copy of the run
}

func (l *listener) hear(n system.Note) {
	if l.notes != nil {
		l.notes.Add(n)
	}
	if l.incidents != nil {
		l.incidents.hear(n)
	}
	if l.log != nil {
		l.log.Note(n)
	}
}

// LogEvents lets a run write its events and notes to a log, which its caller flushes.
func LogEvents(l *events.Log) Option {
	return func(r *Run) {
		l.Begin(r.cluster.View())
		r.listener.log = l
	}
}

// KeepJobs lets a run fill a log of its jobs.
func KeepJobs(l *events.JobLog) Option {
	return func(r *Run) {
		l.Begin(r.cluster.View(), r.jobs.Backfilled)
		r.observers = append(r.observers, l)
	}
}
