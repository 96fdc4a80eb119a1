package run

import (
	"errors"
	"fmt"

	"parley/core/cluster"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// Advance runs until the given time, or to the end if that is earlier. After
// an error the run stays where it is and returns the error again.
func (r *Run) Advance(until unit.Time) error { return r.AdvanceWhile(until, nil) }

// AdvanceWhile advances as Advance does, and also stops between two events, even of the same
// moment, when time returns false; a nil time never does. Where it stops has no effect on the
// run.
func (r *Run) AdvanceWhile(until unit.Time, time func() bool) error {
	if r.Behind() {
		if err := r.CatchUp(time); err != nil || r.Behind() {
			return err
		}
	}
	for r.kernel.Now() < until && !r.Done() {
		limit := min(until, r.until, r.measured.sampleAt, r.faults.next(), r.choices.Due())
		for r.err == nil && r.kernel.Step(limit) {
			r.settle()
			if time != nil && !time() {
				return r.err
			}
		}
		if r.err == nil {
			r.boundary()
		}
	}
	return r.err
}

// settle delivers the events of one step to all observers and the system, and checks the cluster's sums. An
// error is in r.err.
func (r *Run) settle() {
	if r.feed.err != nil {
		r.err = r.feed.err
		return
	}
	if r.err = r.cluster.Deliver(r.deliver); r.err == nil {
		r.err = r.cluster.Check()
	}
	if r.err == nil && r.failing != nil {
		r.err = r.failing.Err()
	}
	if r.changed {
		r.measured.table.Changed(r.kernel.Now(), r.cluster.View())
		r.changed = false
	}
}

// deliver passes one event on: first to the log and the measures, then to the observers, last to the system,
// whose acts may cause further events. An error ends the run.
func (r *Run) deliver(e cluster.Event) error {
	if log := r.watchers.listener.log; log != nil {
		if err := log.Observe(e); err != nil {
			return err
		}
	}
	r.measured.observe(e)
	if e.Kind != cluster.UsageSwept || r.inputs.Shape != workload.ShapeJobs {
		r.changed = true
		r.unaudited++
	}
	switch {
	case !r.feed.chains.follows:
	case e.Kind == cluster.JobEnded:
		r.feed.jobEnded(e.Job(), e.At, workload.End(e.Detail))
	case e.Kind == cluster.JobPlaced:
		r.feed.jobStarted(e.Job(), e.At)
	}
	for _, o := range r.watchers.observers {
		o.Observe(e)
	}
	if err := r.system.On(e); err != nil {
		if unsupported := system.Unsupported(""); errors.As(err, &unsupported) {
			return unsupported
		}
		return fmt.Errorf("%s at %v, event %v of task %d: %w", r.scenario.System, e.At, e.Kind, e.Task, err)
	}
	return nil
}

// boundary does what is due between events: faults, the check of recorded choices, samples and audits. An error is
// in r.err.
func (r *Run) boundary() {
	now := r.kernel.Now()
	r.breakDue()
	if r.err == nil && !r.choices.Check(now, uint64(r.Digest())) {
		r.err = ErrChoices
	}
	if r.err == nil {
		if r.measured.sample(now, r.cluster.View()) && r.ends {
			r.endWithWork(now)
		}
	}
	if r.err == nil && (now >= r.auditAt || now >= r.until) {
		if r.auditDue() {
			r.err = r.audit()
			r.unaudited = 0
		}
		r.auditAt = max(r.auditAt, now/auditStep*auditStep+auditStep)
	}
}

// auditDue reports whether an audit is due: if events since the latest one exceed a share of the cluster's size,
// so that audits cost a bounded part of the run, or at the end if there was any event.
func (r *Run) auditDue() bool {
	t := r.cluster.View().Totals()
	size := r.cluster.View().Nodes() + t.Waiting + t.Running + t.Migrating + t.Jobs.Waiting + t.Jobs.Running
	return r.unaudited > 0 && (r.Done() || auditShare*r.unaudited >= size)
}

// breakDue makes the faults happen that are due. Each is reported before
// the next happens, so that it makes no difference whether two faults of one
// moment stood in the scenario or were injected one by one.
func (r *Run) breakDue() {
	for r.err == nil && r.faults.apply(r.kernel.Now(), r.cluster, r.system, r.feed.gone) {
		r.settle()
	}
}

// Inject makes a fault happen now, whatever its At says (at time 0: once the
// nodes are there). It becomes part of the run's scenario, so that this still
// reproduces the run.
func (r *Run) Inject(f scenario.Fault) error {
	f.At, f.Kind = scenario.Duration(r.kernel.Now()), r.registry.current(f.Kind)
	if err := r.registry.checkFault(f); err != nil {
		return fmt.Errorf("the fault cannot happen: %w", err)
	}
	if len(r.scenario.Faults) >= scenario.MaxFaults {
		return fmt.Errorf("the fault cannot happen: a scenario has at most %d faults", scenario.MaxFaults)
	}
	r.choices.Stop(r.kernel.Now())
	r.scenario.Faults = append(r.scenario.Faults, f)
	r.faults.add(f)
	r.breakDue()
	return r.err
}
