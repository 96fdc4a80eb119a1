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
// makes one. The run keeps a copy of the given scenario, which Inject changes.
//
// The order of the steps is essential: options need the measures, the system needs the watchers that the options
// set, and the columns of the samples need the system. The feeder is last, so that timers that the system sets at
// time 0 fire before the first record.
func (g Registry) Open(given *scenario.Scenario, source workload.Source, options ...Option) (*Run, error) {
	entry, err := g.entryOf(given)
	if err != nil {
		return nil, err
	}
	s, err := g.copyOf(given)
	if err != nil {
		return nil, err
	}
	inputs, err := g.assemblyOf(s, &entry, source)
	if err != nil {
		return nil, err
	}
	window, err := windowOf(s)
	if err != nil {
		return nil, err
	}
	r := &Run{
		registry: g, entry: entry, scenario: s, inputs: inputs, kernel: des.New(), until: unit.Time(s.Until),
		window: window, placed: -1, auditAt: auditStep,
	}
	r.ends = inputs.Recorded && inputs.Own == nil && inputs.Actions == nil && inputs.Shape == workload.ShapeJobs
	r.audit = r.auditAll
	r.cluster = cluster.New(physicalOf(s), r.kernel)
	power := s.Cluster.PowerKinds()
	r.cluster.SetPower(power)
	r.measured = newMeasures(r.cluster.View(), window, &inputs, power)
	r.watchers.listener = &listener{}
	for _, option := range options {
		option(r)
	}
	r.reserve(inputs.Tasks * 5 / 4) // the expected number is an estimate, and more tasks at times are normal
	if err := r.newSystem(); err != nil {
		return nil, err
	}
	if err := r.measured.track(r); err != nil {
		return nil, err
	}
	r.feed, err = newFeeder(r.kernel, r.cluster, inputs.Source, inputs.Follows)
	if err != nil {
		return nil, err
	}
	r.faults = newFaults(s, entry.Description)
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
func (g Registry) assemblyOf(own *scenario.Scenario, entry *system.Entry, source workload.Source) (inputs feed.Assembly,
	err error,
) {
	actions, source, err := feed.TakeActs(entry, source)
	if err != nil {
		return inputs, err
	}
	if err := g.checkShape(*entry, source); err != nil {
		return inputs, err
	}
	adapted := ""
	if shape := workload.HeaderOf(source).Shape; shape != "" && entry.Adapt != nil {
		own.Settings, adapted = entry.Adapt(own.Settings, shape, true)
	}
	if inputs, err = feed.Assemble(own, *entry, source); err != nil {
		return inputs, err
	}
	inputs.Actions, inputs.Recorded = actions, source != nil
	inputs.AddChoices(adapted, inputs.Machines)
	if source != nil {
		inputs.AddChoices(feed.ChangedLoad(&own.Workload, own.Seed)...)
	} else if err := unreadable(&own.Workload); err != nil {
		return inputs, err
	}
	if !own.Cluster.Power.IsZero() && inputs.Shape != workload.ShapeJobs {
		return inputs, errors.New("cluster.power is about logs of rigid jobs, and the workload has none: leave it out")
	}
	inputs.AddChoices(inputs.Unplayed, unchangeable(own, *entry))
	return inputs, nil
}

// unreadable returns an error about the first field of a workload that needs files, for a run without any.
func unreadable(w *scenario.Workload) error {
	const about = " is about logs of rigid jobs, and the workload stands in no file: leave it out"
	switch {
	case !w.Jobs.IsZero():
		return errors.New("workload.jobs" + about)
	case w.Rate != 0:
		return errors.New("workload.rate" + about + ", or change workload.scale")
	case w.Load != 0:
		return errors.New("workload.load" + about + ", or change workload.scale")
	}
	return nil
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
		Rand: func(stream string) *rng.Stream { return rng.New(seed, name+"/"+stream) }, Source: r.inputs.Own,
		Recording: watchers.recording, Choices: r.choices, Program: r.scenario.Program, Names: r.inputs.Names,
	}
	switch l := watchers.listener; {
	case l.log != nil || l.incidents != nil:
		env.Note = l.hear
	case l.notes != nil:
		env.Note = l.notes.Add
	}
	if r.inputs.Actions != nil {
		env.Source = r.inputs.Actions
	}
	if r.system, err = r.entry.New(env, r.scenario.Settings); err != nil {
		return r.registry.misplaced(r.entry, r.scenario.Settings, err)
	}
	r.failing, _ = r.system.(system.Failing)
	if watchers.listener.log != nil {
		watchers.listener.log.Describe(r.system)
	}
	r.Inspector = inspect.New(inspect.Subject{
		Clock: r.kernel, View: view, System: r.system, About: r.entry.Description, Shape: r.inputs.Shape,
		Table: r.measured.table,
		Names: r.inputs.Names, Unracked: r.inputs.IsLog() &&
			physicalOf(r.scenario).RackSize == cluster.Default().RackSize, Notes: watchers.listener.notes,
		Incidents: watchers.incidents,
	})
	return nil
}
