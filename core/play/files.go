package play

import (
	"errors"
	"iter"
	"time"

	"parley/core/message"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/workload"
)

// Files reads the files of a viewer. It is an interface because the page's first
// program is loaded without readers; package files has the one there is.
type Files interface {
	// Look reads files once from end to end and makes the scenario one that
	// plays them: their names and formats and, unless it has an end, the end of
	// their work. An error from progress ends the reading. It sets Read of each
	// file, so that Open need not read the whole file again.
	Look(s *scenario.Scenario, files []trace.File, hasEnd bool,
		progress func(trace.Progress) error) ([]message.FileSummary, error)
	// Table returns how the beginning of a table of jobs is read with a mapping.
	Table(file trace.File, mapping string) message.Table
	// Open returns the workload in files.
	Open(s *scenario.Scenario, files []trace.File) (workload.Source, error)
}

// reading is one look through files from end to end, before the run that plays
// them replaces the present one. It goes on a piece at a time, so that the old run
// plays on and Cancel works.
type reading struct {
	want   Opening
	next   func() (trace.Progress, bool)
	end    func()
	listed []message.FileSummary
	err    error
	began  time.Duration
	timed  bool
}

var errStopped = errors.New("the reading was stopped")

func read(files Files, o Opening) *reading {
	r := &reading{want: o}
	r.next, r.end = iter.Pull(func(yield func(trace.Progress) bool) {
		r.listed, r.err = files.Look(o.Scenario, o.Files, o.HasEnd, func(p trace.Progress) error {
			if !yield(p) {
				return errStopped
			}
			return nil
		})
	})
	return r
}

// stop ends the reading, if there is one.
func (r *reading) stop() {
	if r != nil {
		r.end()
	}
}

// look reads on for a slice; at the end the run is started.
func (p *Player) look(length time.Duration) {
	r, begin := p.reading, p.clock()
	if !r.timed {
		r.timed, r.began = true, begin
	}
	for first := true; p.clock()-begin < length || first; first = false { // a piece a slice at least
		now, more := r.next()
		if !more {
			p.reading = nil
			if r.err != nil {
				p.hear(Event{Kind: Refused, Err: r.err})
				return
			}
			p.start(r.want, r.listed)
			return
		}
		rate := float64(now.Total) / max(0.001, (p.clock()-r.began).Seconds())
		p.waiting("reading", float64(now.Total), float64(now.Sum), message.FileProgress{
			File: now.File, Bytes: now.Read, Total: now.Size, Rate: rate, Rows: now.Rows,
		})
	}
}
