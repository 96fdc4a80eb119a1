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
	changed bool // since the latest sample
	at     unit.Time // until when everything is counted
	state  Row       // since then
	part   Row       // value × seconds of the row under way
	sum    Row       // of the window
	span   float64   // of the window, in seconds
	empty  Row       // of the window, since no job waits or runs
	nobody float64   // in seconds
}

// Exact integrates the columns of rigid jobs instead of sampling all columns. Call it before
// the first Sample, and Changed after each event from then on.
func (t *Table) Exact() { t.exact.on = true }

// Changed notes that the cluster may have changed now. It does nothing unless Exact was called.
func (t *Table) Changed(now unit.Time, v cluster.View) {
	if t.exact.on {
		t.until(now)
		t.exact.state, t.exact.changed = jobStates(v), true
	}
}

// until integrates the present state up to now.
func (t *Table) until(now unit.Time) {
	x := &t.exact
	if now == x.at {
		return
	}
	lasted := (now - x.at).Seconds()
	within := max(0, min(now, t.window.To)-max(x.at, t.began+t.window.WarmUp)).Seconds()
	x.at = now
	nobody := x.state[Running] == 0 && x.state[Waiting] == 0
	if !nobody {
		for _, c := range jobColumnsOfCluster {
			x.sum[c], x.empty[c] = x.sum[c]+x.empty[c], 0
		}
		x.span, x.nobody = x.span+x.nobody, 0
	}
	sum, span := &x.sum, &x.span
	if nobody {
		sum, span = &x.empty, &x.nobody
	}
	*span += within
	for _, c := range jobColumnsOfCluster {
		x.part[c] += float64(x.state[c] * lasted)
		sum[c] += float64(x.state[c] * within)
	}
}

// restart forgets what was before the first work.
func (x *exact) restart() { *x = exact{on: true, changed: true, at: x.at, state: x.state} }

// row ends a row whose interval is lasted long.
func (x *exact) row(lasted unit.Time) (mean Row) {
	for _, c := range jobColumnsOfCluster {
		mean[c] = x.part[c] / lasted.Seconds()
	}
	x.part = Row{}
	return mean
}

func (x *exact) mean() (mean Row) {
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
