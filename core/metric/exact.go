package metric

import (
	"parley/core/cluster"
	"parley/core/unit"
)

// exact integrates the columns of rigid jobs. They change at events only, so that their
// means need no samples: a row is the mean over its interval, and a mean is over the window.
// A time at which no job waits or runs counts once another has come, so that a run ends,
// for its means, with its work.
type exact struct {
	on      bool
	changed bool      // since the latest sample
	at      unit.Time // until when everything is counted
	busy    unit.Time // until when jobs waited or ran
	state   Row       // since then
	part    Row       // value × seconds of the row under way
	sum     Row       // of the window
	span    float64   // of the window, in seconds
	empty   Row       // of the window, since no job waits or runs
	idle    float64   // its time, in seconds
}

// Exact integrates the columns of rigid jobs instead of sampling all columns. Call it before
// the first Sample, and Changed after each event from then on.
func (t *Table) Exact() { t.exact.on = true }

// Changed notes that the cluster may have changed now. It does nothing unless Exact was called.
func (t *Table) Changed(now unit.Time, v cluster.View) {
	if t.exact.on {
		t.exact.until(now, t.began+t.window.WarmUp, t.window.To)
		t.exact.state, t.exact.changed = jobStates(v), true
	}
}

// End returns until when the means reach: now, but of an exact table until when jobs waited or ran.
func (t *Table) End(now unit.Time) unit.Time {
	if x := &t.exact; x.on && x.vacant() {
		return x.busy
	}
	return now
}

// vacant reports whether no job waits or runs.
func (x *exact) vacant() bool { return x.state[Running] == 0 && x.state[Waiting] == 0 }

// until integrates the present state up to now. The means are from a time to another.
func (x *exact) until(now, from, to unit.Time) {
	if now == x.at {
		return
	}
	lasted := (now - x.at).Seconds()
	within := max(0, min(now, to)-max(x.at, from)).Seconds()
	x.at = now
	sum, span := &x.empty, &x.idle
	if !x.vacant() {
		for _, c := range jobColumnsOfCluster {
			x.sum[c], x.empty[c] = x.sum[c]+x.empty[c], 0
		}
		x.span, x.idle = x.span+x.idle, 0
		x.busy = now
		sum, span = &x.sum, &x.span
	}
	*span += within
	for _, c := range jobColumnsOfCluster {
		x.part[c] += float64(x.state[c] * lasted)
		sum[c] += float64(x.state[c] * within)
	}
}

// restart resets the integrals before the first work.
func (x *exact) restart() { *x = exact{on: true, changed: true, at: x.at, busy: x.at, state: x.state} }

// row ends a row whose interval is lasted long.
func (x *exact) row(lasted unit.Time) (mean Row) {
	for _, c := range jobColumnsOfCluster {
		mean[c] = x.part[c] / lasted.Seconds()
	}
	x.part = Row{}
	return mean
}

// mean returns the means at a time that may be between two changes. It changes nothing.
func (x exact) mean(now, from, to unit.Time) (mean Row) {
	x.until(now, from, to)
	for _, c := range jobColumnsOfCluster {
		mean[c] = x.sum[c] / max(x.span, 1e-6)
	}
	return mean
}

// jobColumnsOfCluster are the columns that mean something for rigid jobs.
var jobColumnsOfCluster = [...]int{CPUUsed, Running, Waiting, NodesDown}

// jobStates measures them. It looks at no node.
func jobStates(v cluster.View) (r Row) {
	t := v.Totals()
	r[CPUUsed] = percent(t.Used[unit.CPU], t.Capacity[unit.CPU])
	r[Running], r[Waiting] = float64(t.Running+t.Migrating+t.Jobs.Running), float64(t.Waiting+t.Jobs.Waiting)
	r[NodesDown] = float64(v.Nodes() - t.NodesUp)
	return r
}

func percent(part, whole int64) float64 { return 100 * float64(part) / float64(max(whole, 1)) }
