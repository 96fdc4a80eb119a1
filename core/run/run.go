// Package run assembles a run from its parts: scenario, kernel, cluster, system and
// observers. It is the only package that knows all of them, and it holds the registry of
// systems.
//
// A run advances in slices, so that the caller can draw, answer and cancel between them.
// Slices, samples and observers never change the outcome.
//
//	r, err := run.Open(scenario, nil)
//	err = r.Advance(2 * unit.Hour)
//	fmt.Println(r.Digest(), r.Report())
package run

import (
	"errors"
	"fmt"
	"slices"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/frame"
	"parley/core/metric"
	"parley/core/record"
	"parley/core/rng"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// Engine is the version that reports and links carry. Runs of one version and
// scenario have one digest.
const Engine = record.Engine

// SampleStep is the simulated time between two samples of the metrics.
const SampleStep = unit.Minute

// auditStep is the simulated time between two full audits of the cluster.
const auditStep = unit.Hour

// Observer watches a run. It cannot act.
type Observer interface{ Observe(cluster.Event) }

// Run is one simulation under way. It is not safe for concurrent use.
type Run struct {
	registry  Registry
	entry     system.Entry
	scenario  *scenario.Scenario
	shape     workload.Shape // of the work that comes
	said      []string       // what was chosen for the files
	kernel    *des.Kernel
	cluster   *cluster.Cluster
	system    system.System
	failing   system.Failing // the system, if it is one
	feed      *feeder
	faults    faults
	table     *metric.Table
	digest    record.Digest
	tasks     *metric.Tasks
	jobs      *metric.Jobs
	graphs    *metric.Graphs
	notes     *Notes
	drawn     unit.Time // of the last frame
	listener  *listener
	recorded  bool            // the workload stands in files
	own       workload.Source // what the system made of it; nil: nothing
	observers []Observer
	incidents *incidents
	asked     system.Asked
	until     unit.Time
	sampleAt  unit.Time
	auditAt   unit.Time
	audit     func() error // of the cluster and of the system's books
	began     unit.Time    // arrival of the first work of the files; -1 before it, and without files
	frame     frame.Frame
	err       error
	brings    bool // the workload brings the machines
	expected  int  // expected number of tasks that run at the same time; 0 if unknown
}

// Option changes how a run is watched, never what happens in it.
type Option func(*Run)

// Watch adds an observer.
func Watch(o Observer) Option { return func(r *Run) { r.observers = append(r.observers, o) } }

// KeepNotes keeps the latest n notes of the system for people to read.
func KeepNotes(n int) Option { return func(r *Run) { r.notes = NewNotes(n) } }

// Say adds sentences to what a run says was chosen for its files.
func Say(sentences ...string) Option {
	return func(r *Run) { r.said = append(slices.Clone(sentences), r.said...) }
}

// Open makes a run of one of the systems at time 0. source is the recorded
// workload where the scenario names a trace, else nil: the scenario's generator
// makes one. The run keeps a copy of s, which Inject changes.
func (g Registry) Open(s *scenario.Scenario, source workload.Source, options ...Option) (*Run, error) {
	entry, err := g.Find(s.System)
	if err != nil {
		return nil, err
	}
	if entry.Program != nil {
		if entry.Description, err = entry.Program(s.Program); err != nil {
			return nil, err
		}
	} else if s.Program != "" {
		return nil, fmt.Errorf("the scenario has a program, which the system %s does not read: leave the program out, or choose the system program", entry.ID)
	}
	own := *s
	own.Faults = slices.Clone(s.Faults)
	for i := range own.Faults {
		f := &own.Faults[i]
		f.Kind = g.current(f.Kind)
		if err := g.checkFault(*f); err != nil {
			return nil, fmt.Errorf("faults[%d]: %w", i, err)
		}
	}
	actions, source, err := takeActs(&entry, source)
	if err != nil {
		return nil, err
	}
	if err := g.suits(entry, source); err != nil {
		return nil, err
	}
	var said []string
	add := func(sentence string) {
		if sentence != "" {
			said = append(said, sentence)
		}
	}
	if shaped, tells := source.(interface{ Shape() workload.Shape }); tells && entry.Adapt != nil {
		var adapted string
		own.Settings, adapted = entry.Adapt(own.Settings, shaped.Shape(), true)
		add(adapted)
	}
	comes, err := assemble(&own, entry, source)
	if err != nil {
		return nil, err
	}
	add(comes.machines)
	if source != nil {
		said = append(said, changedLoad(&s.Workload, s.Seed)...)
	} else if !s.Workload.Jobs.IsZero() {
		return nil, errors.New("workload.jobs is about logs of rigid jobs, and the workload stands in no file: leave it out")
	} else if s.Workload.Rate != 0 {
		return nil, errors.New("workload.rate is about logs of rigid jobs, and the workload stands in no file: leave it out, or change workload.scale")
	}
	add(comes.unplayed)
	add(unchangeable(s, entry))
	physical := cluster.Default()
	if s.Cluster.Physical != nil {
		physical = *s.Cluster.Physical
	}
	r := &Run{
		registry: g, entry: entry, scenario: &own, shape: comes.shape, said: said, brings: comes.brings, expected: comes.tasks, kernel: des.New(), table: metric.New(SampleStep), until: unit.Time(s.Until),
		sampleAt: SampleStep, auditAt: auditStep, listener: &listener{}, recorded: source != nil, own: comes.own,
	}
	r.audit = r.auditAll
	window, err := windowOf(s)
	if err != nil {
		return nil, err
	}
	r.began = -1
	r.table.Within(window)
	r.cluster = cluster.New(physical, r.kernel)
	r.tasks, r.jobs, r.graphs = metric.NewTasks(r.cluster.View()), metric.NewJobs(r.cluster.View()), metric.NewGraphs(r.cluster.View())
	r.jobs.Within(window)
	for _, option := range options {
		option(r)
	}
	most := comes.tasks * 5 / 4
	r.cluster.Reserve(most)
	r.kernel.Reserve(most)
	r.tasks.Reserve(most)
	env := system.Env{
		Clock: r.kernel, View: r.cluster.View(), Acts: r.cluster.ActsOn(entry.Suits...),
		Rand: func(name string) *rng.Stream { return rng.New(s.Seed, s.System+"/"+name) }, Source: comes.own, Asked: r.asked, Program: s.Program,
	}
	r.listener.notes = r.notes
	switch {
	case r.listener.log != nil || r.listener.incidents != nil:
		env.Note = r.listener.hear
	case r.notes != nil:
		env.Note = r.notes.Add
	}
	if actions != nil {
		env.Source = actions
	}
	if r.system, err = entry.New(env, own.Settings); err != nil {
		return nil, g.misplaced(entry, own.Settings, err)
	}
	r.failing, _ = r.system.(system.Failing)
	if r.listener.log != nil {
		r.listener.log.Describe(r.system)
	}
	if m, ok := r.system.(system.MetricSource); ok {
		r.table.Track(entry.Metrics, m)
	}
	if comes.shape == workload.ShapeJobs {
		r.table.Track(metric.JobColumns(), r.jobs)
	}
	if comes.shape == workload.ShapeGraphs {
		r.table.Track(metric.GraphColumns(), r.graphs)
	}
	if s.Chart != "" {
		if err := r.trackChart(s.Chart); err != nil {
			return nil, err
		}
	}
	r.feed = &feeder{
		kernel: r.kernel, cluster: r.cluster, source: comes.source, keys: map[workload.Key]unit.TaskID{}, gone: map[unit.NodeID]bool{},
		jobs: index[unit.JobID]{of: jobsOf{r.cluster.View()}}, graphs: index[unit.GraphID]{of: graphsOf{r.cluster.View()}},
	}
	if err := r.feed.start(); err != nil {
		return nil, err
	}
	r.faults = newFaults(&own, entry.Description)
	return r, nil
}

// Now returns the simulated time the run has reached.
func (r *Run) Now() unit.Time { return r.kernel.Now() }

// Until returns the simulated time at which the run ends.
func (r *Run) Until() unit.Time { return r.until }

// Done reports whether the run has reached its end or cannot go on.
func (r *Run) Done() bool { return r.err != nil || r.kernel.Now() >= r.until }

// Digest returns the digest of the run so far.
func (r *Run) Digest() record.Digest { return r.digest }

// Events returns how many kernel events have fired.
func (r *Run) Events() uint64 { return r.kernel.Fired() }

// Expected returns about how many tasks run at a time, which come at time 0; 0
// if unknown.
func (r *Run) Expected() int { return r.expected }

// Shape returns what kind of work comes.
func (r *Run) Shape() workload.Shape { return r.shape }

// Said returns in sentences, without their stops, what was chosen for the files that
// the run plays: a system or a setting that suits them, machines where they name none.
func (r *Run) Said() []string { return r.said }

// BringsMachines reports whether the machines come with the workload: the
// scenario's number of nodes does not count then.
func (r *Run) BringsMachines() bool { return r.brings }

// Scenario returns the scenario with the faults injected so far.
func (r *Run) Scenario() *scenario.Scenario { return r.scenario }

// View returns the cluster to look at.
func (r *Run) View() cluster.View { return r.cluster.View() }

// Table returns the samples so far; it belongs to the run.
func (r *Run) Table() *metric.Table { return r.table }

// auditAll recomputes the cluster's sums, then the books of a system that has some.
func (r *Run) auditAll() error {
	if err := r.cluster.Audit(); err != nil {
		return err
	}
	if a, ok := r.system.(system.Auditor); ok {
		if err := a.Audit(); err != nil {
			return fmt.Errorf("the books of %s at %v: %w", r.scenario.System, r.kernel.Now(), err)
		}
	}
	return nil
}

// Audit recomputes all sums of the cluster and of the system's books and compares
// them.
func (r *Run) Audit() error { return r.audit() }

// Timeline returns what a Gantt chart shows, of a system that tells it; see
// system.TimelineSource.
func (r *Run) Timeline() (events []system.TimelineEvent, whole bool) {
	if t, ok := r.system.(system.TimelineSource); ok {
		return t.Timeline()
	}
	return nil, true
}

// System describes the system that runs.
func (r *Run) System() system.Description { return r.entry.Description }

// Layers describes the layers of Frame.
func (r *Run) Layers() []frame.Layer { return append(frame.Physical(), r.entry.Layers...) }

// Frame appends the picture of the present state to buf, with more layers after those of
// Layers.
func (r *Run) Frame(buf []byte, more ...[]byte) []byte {
	extra := len(r.entry.Layers)
	frame.Paint(r.cluster.View(), r.kernel.Now(), extra, &r.frame)
	if l, ok := r.system.(system.LayerSource); ok {
		for i := range extra {
			l.FillLayer(i, r.frame.Layers[len(r.frame.Layers)-extra+i])
		}
	}
	r.incidents.draw(&r.frame)
	r.notes.draw(&r.frame, r.drawn)
	r.drawn = r.frame.At
	drawn := r.frame
	drawn.Layers = append(drawn.Layers[:len(drawn.Layers):len(drawn.Layers)], more...)
	return frame.Append(buf, &drawn)
}
