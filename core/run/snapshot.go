package run

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"parley/core/choices"
	"parley/core/feed"
	"parley/core/fifo"
	"parley/core/scenario"
	"parley/core/snapshot"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// Snapshots takes snapshots of one run. The run can be restored from each of them any number
// of times, with the same digest. They share memory that did not change between them.
type Snapshots struct {
	run   *Run
	taker *snapshot.Taker
}

// Snapshot is the state of a run between two events, without its
// observers and its event log.
type Snapshot struct {
	state  *snapshot.Snapshot
	at     unit.Time
	faults []scenario.Fault // that the run's scenario had

	// The arguments with which a recorded workload is opened again.
	recorded bool
	scenario *scenario.Scenario
	entry    system.Entry
}

// unchanging are the types of which a run and its copies have the same values, for
// they are never changed.
var unchanging = []reflect.Type{
	reflect.TypeFor[system.Entry](), reflect.TypeFor[system.Description](), reflect.TypeFor[system.Rand](),
	reflect.TypeFor[system.Recording](),
	// racks, machines and supplies, which the workload names before it begins
	reflect.TypeFor[choices.Tape](), reflect.TypeFor[workload.Names](),
}

// omitted are the types that snapshots leave out: the decisions that can be asked for take more room
// than all else that changes, and a run from an earlier snapshot makes them again. A restored run has
// lost them (ErrForgotten).
var omitted = []reflect.Type{reflect.TypeFor[fifo.Ring[system.Decision]]()}

// NewSnapshots returns Snapshots of the run.
func NewSnapshots(r *Run) *Snapshots {
	return &Snapshots{r, snapshot.New(slices.Concat(unchanging, r.entry.Unchanging), omitted)}
}

// Another returns Snapshots of the same scenario's run from its start, which share memory with
// these.
func (s *Snapshots) Another(r *Run) *Snapshots { return &Snapshots{r, s.taker.Another()} }

// Bytes returns about how much memory the snapshots hold that were taken and not
// dropped, of the run and of those restored from them.
func (s *Snapshots) Bytes() int { return s.taker.Bytes() }

// Take takes a snapshot of the run as it is.
func (s *Snapshots) Take() (*Snapshot, error) {
	r := s.run
	w := &r.watchers
	observers, log := w.observers, w.listener.log
	defer func() { w.observers, w.listener.log = observers, log }()
	w.observers, w.listener.log = nil, nil
	if w.incidents != nil {
		w.observers = []Observer{w.incidents}
	}
	state, err := s.taker.Take(r, r.sources()...)
	if err != nil {
		return nil, fmt.Errorf("there is no way back in this run: %w", err)
	}
	return &Snapshot{
		state: state, at: r.Now(), faults: slices.Clone(r.scenario.Faults), recorded: r.inputs.Recorded,
		scenario: r.scenario, entry: r.entry,
	}, nil
}

// sources are the objects that read files and cannot be rewound.
func (r *Run) sources() []any {
	switch {
	case !r.inputs.Recorded:
		return nil
	case r.inputs.Own == nil:
		return []any{r.feed.source}
	}
	return []any{r.feed.source, r.inputs.Own}
}

// At returns the simulated time of the snapshot.
func (s *Snapshot) At() unit.Time { return s.at }

// Leads reports whether a run with these faults passes through this snapshot: it begins with those that
// the scenario had when the snapshot was taken, and the others come later.
func (s *Snapshot) Leads(faults []scenario.Fault) bool {
	n := len(s.faults)
	return n <= len(faults) && slices.Equal(s.faults, faults[:n]) &&
		!slices.ContainsFunc(faults[n:], func(f scenario.Fault) bool { return unit.Time(f.At) < s.at })
}

// LeadsTo reports whether a run from here comes by another snapshot.
func (s *Snapshot) LeadsTo(other *Snapshot) bool { return s.Leads(other.faults) }

// Bare reports whether no other snapshot is based on this one: then dropping it frees its memory.
func (s *Snapshot) Bare() bool { return s.state.Bare() }

// Drop gives the snapshot up: it cannot be restored any more.
func (s *Snapshot) Drop() { s.state.Drop() }

// Restore returns a copy of the run at the time of the snapshot, and Snapshots of that copy. faults are
// all faults of its scenario, beginning with those that it had at the snapshot: Leads(faults) must be
// true. Those due at this moment happen at once; if that fails, the run is Done and the next Advance
// returns the error. If the workload is recorded, recorded is it, opened anew as for Open; the run then
// reads on in it up to this moment before it plays: see CatchUp. Otherwise recorded is ignored.
func (s *Snapshot) Restore(recorded workload.Source, faults []scenario.Fault) (*Run, *Snapshots, error) {
	var sources []any
	var comes feed.Assembly
	if s.recorded {
		var err error
		if comes, err = feed.Assemble(s.scenario, s.entry, recorded); err != nil {
			return nil, nil, err
		}
		if sources = []any{comes.Source}; comes.Own != nil {
			sources = append(sources, comes.Own)
		}
	}
	again, taker, err := s.state.Restore(sources...)
	if err != nil {
		return nil, nil, err
	}
	own := again.(*Run)
	for _, f := range faults[len(s.faults):] {
		own.choices.Stop(unit.Time(f.At))
		own.scenario.Faults = append(own.scenario.Faults, f)
		own.faults.add(f)
	}
	own.breakDue() // those of this very moment
	if own.inputs.Recorded {
		own.feed.behind = own.feed.records
	}
	return own, &Snapshots{own, taker}, nil
}

// Behind reports whether the run has to read on in its files before it can play on.
func (r *Run) Behind() bool { return r.feed.behind > 0 }

// CatchUp reads in the files of a restored run up to where it is, or until it is told
// that there is no more time; nil: there always is. Advance does so if need be.
func (r *Run) CatchUp(time func() bool) error {
	if r.err == nil && r.Behind() {
		r.err = r.feed.skip(time)
	}
	return r.err
}

// skip reads records that the cluster has received.
func (f *feeder) skip(time func() bool) error {
	var r workload.Record
	for ; f.behind > 0; f.behind-- {
		if err := f.source.Next(&r); err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("the workload cannot be read again: %w", err)
		}
		if f.behind%maxAtOnce == 0 && time != nil && !time() {
			f.behind--
			break
		}
	}
	return nil
}
