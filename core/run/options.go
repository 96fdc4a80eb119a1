package run

import (
	"slices"

	"parley/core/cluster"
	"parley/core/run/events"
	"parley/core/run/inspect"
	"parley/core/system"
	"parley/core/unit"
)

// Observer watches a run. It cannot act.
type Observer interface{ Observe(cluster.Event) }

// Option changes the observation of a run, never its events.
type Option func(*Run)

// Watch adds an observer.
func Watch(o Observer) Option {
	return func(r *Run) { r.watchers.observers = append(r.watchers.observers, o) }
}

// KeepNotes keeps the latest n notes of the system for people to read.
func KeepNotes(n int) Option {
	return func(r *Run) { r.watchers.listener.notes = inspect.NewNotes(n) }
}

// KeepIncidents remembers the run's latest faults with their consequences, and draws
// the moves of tasks that are over before a frame shows them.
func KeepIncidents() Option {
	return func(r *Run) {
		i := inspect.NewIncidents(r.cluster.View(), r.entry.Refund)
		if r.watchers.incidents = i; r.entry.Refund != (system.Refund{}) {
			r.watchers.listener.incidents = i
		}
		Watch(i)(r)
	}
}

// LogEvents lets a run write its events and notes to a log, which its caller flushes.
func LogEvents(l *events.Log) Option {
	return func(r *Run) {
		l.Begin(r.cluster.View())
		r.watchers.listener.log = l
	}
}

// KeepJobs lets a run fill a log of its jobs.
func KeepJobs(l *events.JobLog) Option {
	return func(r *Run) {
		l.Begin(r.cluster.View(), r.measured.jobs.Backfilled, func(id unit.JobID) float64 {
			if s, has := r.system.(system.Fairness); has {
				return s.Fairness(id)
			}
			return 0
		}, func(id unit.JobID) float64 {
			if r.measured.energy == nil {
				return 0
			}
			return r.measured.energy.Of(id)
		})
		Watch(l)(r)
	}
}

// AskAbout makes a run remember the decisions about some tasks, and those only.
func AskAbout(ids ...unit.TaskID) Option {
	wanted := map[unit.TaskID]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	return func(r *Run) { r.watchers.recording = func(id unit.TaskID) bool { return wanted[id] } }
}

// WithChoices adds sentences to a run's choices for its files.
func WithChoices(sentences ...string) Option {
	return func(r *Run) { r.inputs.Choices = append(slices.Clone(sentences), r.inputs.Choices...) }
}

// watchers observe a run.
type watchers struct {
	observers []Observer
	listener  *listener          // of the system's notes
	incidents *inspect.Incidents // one of observers; nil if none are kept
	recording system.Recording   // the decisions that the system remembers
}

// logger is an events.Log. Programs that write none are built without it and the words
// for notes, as it is reached through LogEvents alone.
type logger interface {
	Describe(system.System)
	Note(system.Note)
	Observe(cluster.Event) error
}

// listener hears the notes of a system where they are logged too.
type listener struct {
	notes     *inspect.Notes     // nil if not kept
	incidents *inspect.Incidents // nil if not kept, or if its system's notes say nothing of them
	log       logger             // nil: in a copy of the run
}

func (l *listener) hear(n system.Note) {
	if l.notes != nil {
		l.notes.Add(n)
	}
	if l.incidents != nil {
		l.incidents.Note(n)
	}
	if l.log != nil {
		l.log.Note(n)
	}
}
