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
	"fmt"

	"parley/core/choices"
	"parley/core/cluster"
	"parley/core/des"
	"parley/core/feed"
	"parley/core/metric"
	"parley/core/run/inspect"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// Engine is the version that reports and links carry. Runs of one version and
// scenario have one digest.
const Engine = cluster.Engine

// SampleStep is the simulated time between two samples of the metrics.
const SampleStep = feed.SampleStep

// A full audit of the cluster follows every auditStep of simulated time, but only once an
// auditShare-th as many events have happened as there are nodes, tasks and jobs to add up,
// so that audits cost no more than the events do.
const (
	auditStep  = unit.Hour
	auditShare = 8
)

// Run is one simulation under way. Its Inspector answers questions about the present
// state. It is not safe for concurrent use.
type Run struct {
	inspect.Inspector

	registry  Registry
	entry     system.Entry
	scenario  *scenario.Scenario // with the faults that were injected
	inputs    feed.Assembly
	kernel    *des.Kernel
	cluster   *cluster.Cluster
	system    system.System
	failing   system.Failing // the system, if it is one
	feed      *feeder
	faults    faults
	measured  measures
	watchers  watchers
	choices   *choices.Log // recorded or replayed; nil: neither
	until     unit.Time
	window    metric.Window
	ends      bool   // when its work has ended: see endWithWork
	placed    int64  // placements of jobs when until was last moved; -1: it never was
	fired     uint64 // events of the kernel by then
	moved     unit.Time
	stuck     bool // it ended while jobs waited that nothing could start
	auditAt   unit.Time
	audit     func() error // of the cluster and of the system's books
	changed   bool         // the cluster, since the latest settle; a sweep changes no rigid job
	unaudited int          // events that changed it since the latest audit
	err       error
}

// Now returns the simulated time the run has reached.
func (r *Run) Now() unit.Time { return r.kernel.Now() }

// Until returns the simulated time at which the run ends, as far as is known: where the
// scenario has a Most it is a guess that moves.
func (r *Run) Until() unit.Time { return r.until }

// Latest returns the latest time at which the run may end.
func (r *Run) Latest() unit.Time { return max(r.until, unit.Time(r.scenario.MaxUntil)) }

// Done reports whether the run has reached its end or cannot go on.
func (r *Run) Done() bool { return r.err != nil || r.kernel.Now() >= r.until }

// Digest returns the digest of the run so far.
func (r *Run) Digest() cluster.Digest { return r.measured.digest }

// Events returns how many kernel events have fired.
func (r *Run) Events() uint64 { return r.kernel.Fired() }

// Expected returns about how many tasks run at a time, which come at time 0; 0
// if unknown.
func (r *Run) Expected() int { return r.inputs.Tasks }

// Shape returns the kind of the work.
func (r *Run) Shape() workload.Shape { return r.inputs.Shape }

// Choices returns the choices made for the files of the run in sentences, without their stops: a system
// or a setting that suits them, machines if they have none.
func (r *Run) Choices() []string { return r.inputs.Choices }

// HasMachines reports whether the workload has the machines: the
// scenario's number of nodes does not count then.
func (r *Run) HasMachines() bool { return r.inputs.Provides }

// Scenario returns the scenario with the faults injected so far.
func (r *Run) Scenario() *scenario.Scenario { return r.scenario }

// View returns the cluster to look at.
func (r *Run) View() cluster.View { return r.cluster.View() }

// Names returns the workload's names of attributes, users, groups and queues.
func (r *Run) Names() *workload.Names { return r.inputs.Names }

// Table returns the samples so far; it belongs to the run.
func (r *Run) Table() *metric.Table { return r.measured.table }

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

// System describes the system that runs.
func (r *Run) System() system.Description { return r.entry.Description }

// NextFault returns when the next fault is due that the scenario knows of, or
// unit.Forever.
func (r *Run) NextFault() unit.Time { return r.faults.next() }
