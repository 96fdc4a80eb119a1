package run

import (
	"errors"
	"fmt"
	"slices"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/feed"
	"parley/core/rng"
	"parley/core/run/inspect"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// Open makes a run of one of the systems at time 0. source is the recorded
// workload if the scenario names a trace, else nil: the scenario's generator
// makes one. The run keeps a copy of s, which Inject changes.
func (g Registry) Open(s *scenario.Scenario, source workload.Source, options ...Option) (*Run, error) {
	entry, err := g.entryOf(s)
	if err != nil {
		return nil, err
	}
	own, err := g.copyOf(s)
	if err != nil {
		return nil, err
	}
	plays, err := g.assemblyOf(own, &entry, source)
	if err != nil {
		return nil, err
	}
	window, err := windowOf(s)
	if err != nil {
		return nil, err
	}
	r := &Run{
		registry: g, entry: entry, scenario: own, plays: plays, kernel: des.New(), until: unit.Time(s.Until),
		window: window, placed: -1, auditAt: auditStep,
	}
	r.ends = plays.Recorded && plays.Own == nil && plays.Actions == nil && plays.Shape == workload.ShapeJobs
	r.audit = r.auditAll
	r.cluster = cluster.New(physicalOf(s), r.kernel)
	power := s.Cluster.PowerKinds()
	r.cluster.SetPower(power)
	r.measured = newMeasures(r.cluster.View(), window, &plays, power)
	r.watchers.listener = &listener{}
	for _, option := range options {
		option(r)
	}
	r.reserve(plays.Tasks * 5 / 4)
	if err := r.newSystem(); err != nil {
		return nil, err
	}
	if err := r.measured.track(r); err != nil {
		return nil, err
	}
	r.feed, err = newFeeder(r.kernel, r.cluster, plays.Source, plays.Follows)
	if err != nil {
		return nil, err
	}
	r.faults = newFaults(own, entry.Description)
	return r, nil
}

// entryOf returns the system that a scenario names. If that system plays users' programs, its description is
// that of the scenario's program.
func (g Registry) entryOf(s *scenario.Scenario) (system.Entry, error) {
	entry, err := g.Find(s.System)
	switch {
	case err != nil:
		return entry, err
	case entry.Program != nil:
		entry.Description, err = entry.Program(s.Program)
	case s.Program != "":
		err = fmt.Errorf("the scenario has a program, which the system %s does not read: leave the program out, or choose the system program", entry.ID)
	}
	return entry, err
}

// copyOf returns a copy of a scenario in which the kinds of faults have their present spelling, or an error
// that names the first fault that is not valid. The copy shares everything but the faults with s.
func (g Registry) copyOf(s *scenario.Scenario) (*scenario.Scenario, error) {
	own := *s
	own.Faults = slices.Clone(s.Faults)
	for i := range own.Faults {
		f := &own.Faults[i]
		f.Kind = g.current(f.Kind)
		if err := g.checkFault(*f); err != nil {
			return nil, fmt.Errorf("faults[%d]: %w", i, err)
		}
	}
	return &own, nil
}

// assemblyOf returns the inputs of a run of own by entry. source is nil if the scenario has no trace. It
// adapts own.Settings to the trace, records each choice that it made, and refuses scenario fields that have
// no effect on this kind of work.
func (g Registry) assemblyOf(own *scenario.Scenario, entry *system.Entry, source workload.Source) (plays feed.Assembly,
	err error,
) {
	actions, source, err := feed.TakeActs(entry, source)
	if err != nil {
		return plays, err
	}
	if err := g.checkShape(*entry, source); err != nil {
		return plays, err
	}
	adapted := ""
	if shape := workload.HeaderOf(source).Shape; shape != "" && entry.Adapt != nil {
		own.Settings, adapted = entry.Adapt(own.Settings, shape, true)
	}
	if plays, err = feed.Assemble(own, *entry, source); err != nil {
		return plays, err
	}
	plays.Actions, plays.Recorded = actions, source != nil
	plays.AddChoices(adapted, plays.Machines)
	if source != nil {
		plays.AddChoices(feed.ChangedLoad(&own.Workload, own.Seed)...)
	} else if !own.Workload.Jobs.IsZero() {
		return plays, errors.New("workload.jobs is about logs of rigid jobs, and the workload stands in no file: leave it out")
	} else if own.Workload.Rate != 0 {
		return plays, errors.New("workload.rate is about logs of rigid jobs, and the workload stands in no file: leave it out, or change workload.scale")
	} else if own.Workload.Load != 0 {
		return plays, errors.New("workload.load is about logs of rigid jobs, and the workload stands in no file: leave it out, or change workload.scale")
	}
	if !own.Cluster.Power.IsZero() && plays.Shape != workload.ShapeJobs {
		return plays, errors.New("cluster.power is about logs of rigid jobs, and the workload has none: leave it out")
	}
	plays.AddChoices(plays.Unplayed, unchangeable(own, *entry))
	return plays, nil
}

// physicalOf returns the physical cluster of a scenario.
func physicalOf(s *scenario.Scenario) cluster.Settings {
	if s.Cluster.Physical != nil {
		return *s.Cluster.Physical
	}
	return cluster.Default()
}

// reserve allocates memory for a number of tasks that are alive at once.
func (r *Run) reserve(tasks int) {
	r.cluster.Reserve(tasks)
	r.kernel.Reserve(tasks)
	r.measured.tasks.Reserve(tasks)
}

// newSystem makes the run's system from the scenario, and the inspector that answers questions about it.
// r.cluster, r.measured.table and r.watchers must be set. Notes of the system go to the listener if a log or
// incidents are wanted, else straight to the notes if these are; otherwise the system makes none.
func (r *Run) newSystem() (err error) {
	seed, name, view, watchers := r.scenario.Seed, r.scenario.System, r.cluster.View(), &r.watchers
	env := system.Env{
		Clock: r.kernel, View: view, Acts: r.cluster.ActsOn(r.entry.Supports...),
		Rand: func(stream string) *rng.Stream { return rng.New(seed, name+"/"+stream) }, Source: r.plays.Own,
		Recording: watchers.recording, Choices: r.choices, Program: r.scenario.Program, Names: r.plays.Names,
	}
	switch l := watchers.listener; {
	case l.log != nil || l.incidents != nil:
		env.Note = l.hear
	case l.notes != nil:
		env.Note = l.notes.Add
	}
	if r.plays.Actions != nil {
		env.Source = r.plays.Actions
	}
	if r.system, err = r.entry.New(env, r.scenario.Settings); err != nil {
		return r.registry.misplaced(r.entry, r.scenario.Settings, err)
	}
	r.failing, _ = r.system.(system.Failing)
	if watchers.listener.log != nil {
		watchers.listener.log.Describe(r.system)
	}
	r.Inspector = inspect.New(inspect.Subject{
		Clock: r.kernel, View: view, System: r.system, About: r.entry.Description, Shape: r.plays.Shape,
		Table: r.measured.table,
		Names: r.plays.Names, Unracked: r.plays.IsLog() &&
			physicalOf(r.scenario).RackSize == cluster.Default().RackSize, Notes: watchers.listener.notes,
		Incidents: watchers.incidents,
	})
	return nil
}
