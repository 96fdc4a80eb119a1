// Package metric records a run as a table: one row a sample, one column a figure. Figures
// come from physical facts only, so any two systems can be compared.
//
// Samples are taken between events, outside the event queue, so the sampling interval never
// changes a run. The number of rows is bounded: when the table is full, pairs of rows are
// merged and the interval doubles. The columns of rigid jobs change at events only: they are
// integrated, and their rows and means do not depend on the interval (Table.Exact).
//
//	t := metric.New(unit.Minute)
//	t.Sample(now, view)
package metric

import (
	"strings"

	"parley/core/cluster"
	"parley/core/unit"
	"parley/core/workload"
)

// Column describes one figure.
type Column struct {
	ID   string `json:"id"`   // as reports spell it
	Name string `json:"name"` // as charts spell it
	Unit string `json:"unit"` // empty: a plain number
	// About is the formula in words: the count, and the whole of which it is a part.
	About string `json:"about,omitempty"`
}

// SoFar reports whether a column counts from the beginning of a run, as those do whose names
// end with _sum. Reports have its latest value instead of its mean over time.
func (c Column) SoFar() bool { return strings.HasSuffix(c.ID, "_sum") }

// The columns, by the index of a row's values. The four classes are percent of the nodes that have
// one of them: idle and overloaded nodes are separate, as in the negotiation paper's section 7.6.
const (
	Idle = iota
	Overloaded
	SuperTight
	Tight
	Proportional
	Disproportionate
	Used                                   // of each resource
	Requested = Used + int(unit.Resources) // likewise
	Running   = Requested + int(unit.Resources)
)

// The columns of the resources that every cell has.
const (
	CPUUsed         = Used + int(unit.CPU)
	MemoryUsed      = Used + int(unit.Memory)
	CPURequested    = Requested + int(unit.CPU)
	MemoryRequested = Requested + int(unit.Memory)
)

// The columns behind those of the resources.
const (
	Waiting = Running + 1 + iota
	Migrations
	MigratedMB
	UsageSpikes
	NodesDown
	Displaced
	MigrationsForced
	Width // how many columns there are
)

// Columns describes them in order.
var Columns = columns()

// columns makes the descriptions of Columns.
func columns() (all [Width]Column) {
	all = [Width]Column{
		Idle:             {"idle_pct", "Idle nodes", "%", "100 × nodes without a task, job or piece of work / nodes that are up"},
		Overloaded:       {"overloaded_pct", "Overloaded nodes", "%", "100 × nodes that use more than their capacity of some resource / nodes that are up"},
		SuperTight:       {"sta_pct", "Super tight", "%", "100 × nodes that use above 90 % to 100 % of some resource / nodes that are neither idle nor overloaded (STA)"},
		Tight:            {"ta_pct", "Tight", "%", "100 × nodes that use 70 % to 90 % of every resource / nodes that are neither idle nor overloaded (TA)"},
		Proportional:     {"pa_pct", "Proportional", "%", "100 × nodes that use below 70 % of every resource / nodes that are neither idle nor overloaded (PA)"},
		Disproportionate: {"da_pct", "Disproportionate", "%", "100 × nodes that use 70 % to 90 % of one resource and below 70 % of another / nodes that are neither idle nor overloaded (DA)"},
		Running:          {"running", "Running tasks", "", "tasks or rigid jobs that run; a task that migrates counts once"},
		Waiting:          {"waiting", "Waiting tasks", "", "tasks or rigid jobs that were submitted and have no place"},
		Migrations:       {"migrations", "Migrations a minute", "", "migrations that ended since the sample before / minutes"},
		MigratedMB:       {"migration_mb", "Migrated", "MB/min", "memory that migrations moved since the sample before / minutes"},
		UsageSpikes:      {"rus_breaches_per_min", "Usage spikes a minute", "", "nodes whose use of some resource rose by more than a tenth of its capacity since the sample before / minutes"},
		NodesDown:        {"nodes_down", "Nodes down", "", "nodes that are not up"},
		Displaced:        {"displaced", "Displaced tasks a minute", "", "tasks that lost their node since the sample before / minutes"},
		MigrationsForced: {"migrations_forced", "Forced migrations a minute", "", "migrations to a node without room since the sample before / minutes"},
	}
	for r := range unit.Resources {
		all[Used+int(r)] = Column{r.String() + "_used_pct", r.Title() + " used", "%", "100 × what all tasks use / capacity of the nodes that are up"}
		all[Requested+int(r)] = Column{r.String() + "_requested_pct", r.Title() + " requested", "%", "100 × what all placed tasks request / capacity of the nodes that are up"}
	}
	return all
}

// ColumnsOf lists the columns that mean something for a kind of work, by their index. Rigid
// jobs hold processors: their logs have no memory, and so a node's load has no class.
func ColumnsOf(shape workload.Shape) []int {
	if shape == workload.ShapeJobs {
		return jobColumnsOfCluster[:]
	}
	all := make([]int, Width)
	for i := range all {
		all[i] = i
	}
	return all
}

// NameOf returns a column's name beside a kind of work.
func NameOf(column int, shape workload.Shape) string {
	if shape == workload.ShapeJobs {
		switch column {
		case CPUUsed:
			return "Processors used"
		case Running:
			return "Running jobs"
		case Waiting:
			return "Waiting jobs"
		}
	}
	return Columns[column].Name
}

// Row is one sample.
type Row [Width]float64

// maxRows bounds a table: a run that is longer than five days of minutes keeps from
// 4,096 to 8,191 rows, in two to three megabytes.
const maxRows = 1 << 13

// Table holds the samples of one run.
type Table struct {
	Step unit.Time // between rows
	At   []unit.Time
	Rows []Row

	sum    Row // over all samples, for means
	count  float64
	before []unit.Vec // usage at the sample before, for spikes
	last   cluster.Totals
	seen   bool
	merged int // samples a row stands for
	part   Row // samples of the row under way
	latest Row // the sample before
	parts  int
	own    own
	exact  exact

	window Window
	began  unit.Time // when the work began to come
}

// Window is the part of a run that means are about: from WarmUp after work began to come
// up to a time.
type Window struct{ WarmUp, To unit.Time }

// counts reports whether a sample of a moment counts in means, where work began to come
// at another.
func (w Window) counts(began, now unit.Time) bool { return now >= began+w.WarmUp && now <= w.To }

// New returns an empty table for samples every step.
func New(step unit.Time) *Table {
	return &Table{Step: step, merged: 1, window: Window{To: unit.Forever}}
}

// Within limits the means to a part of the run. Call it before the first Sample.
func (t *Table) Within(w Window) { t.window = w }

// Began marks the arrival of the first work. Samples taken before it count in no mean, and
// an exact table keeps none of them: a log begins at its first job.
func (t *Table) Began(at unit.Time) {
	t.began, t.sum, t.count = at, Row{}, 0
	clear(t.own.sum)
	if t.exact.on {
		t.exact.restart()
		t.Step, t.merged = t.Step/unit.Time(t.merged), 1
		t.At, t.Rows, t.own.rows = nil, nil, nil
		t.part, t.parts = Row{}, 0
		clear(t.own.part)
	}
}

// Sample adds one row from the present state. Call it every Step of simulated
// time as it was at New.
func (t *Table) Sample(now unit.Time, v cluster.View) {
	counts := t.window.counts(t.began, now)
	quiet := t.exact.on && !t.exact.changed
	if t.exact.on {
		if t.exact.until(now, t.began+t.window.WarmUp, t.window.To); !quiet {
			t.latest, t.exact.changed = t.exact.state, false
		}
	} else {
		t.latest = t.measure(v)
		for i, x := range t.latest {
			if counts {
				t.sum[i] += x
			}
			t.part[i] += x
		}
	}
	t.own.sample(counts, quiet)
	if counts {
		t.count++
	}
	t.parts++
	if t.parts < t.merged {
		return
	}
	if t.exact.on {
		t.part = t.exact.row(t.Step)
	} else {
		for i := range t.part {
			t.part[i] /= float64(t.parts)
		}
	}
	t.At = append(t.At, now)
	t.Rows = append(t.Rows, t.part)
	t.own.keep(t.parts)
	t.part, t.parts = Row{}, 0
	if len(t.Rows) == maxRows {
		t.halve()
	}
}

// halve merges pairs of rows into their mean.
func (t *Table) halve() {
	for i := range len(t.Rows) / 2 {
		for c := range t.Rows[i] {
			t.Rows[i][c] = (t.Rows[2*i][c] + t.Rows[2*i+1][c]) / 2
		}
		t.At[i] = t.At[2*i+1]
	}
	t.Rows, t.At = t.Rows[:len(t.Rows)/2], t.At[:len(t.At)/2]
	t.own.halve()
	t.merged *= 2
	t.Step *= 2
}

// Latest returns the sample before.
func (t *Table) Latest() Row { return t.latest }

// Mean returns the mean of every column over all samples within the window up to now; of an
// exact table over the time of the window.
func (t *Table) Mean(now unit.Time) Row {
	if t.exact.on {
		return t.exact.mean(now, t.began+t.window.WarmUp, t.window.To)
	}
	mean := t.sum
	for i := range mean {
		mean[i] /= max(t.count, 1)
	}
	return mean
}

// MeanFrom returns the mean of every column over the kept rows that were taken
// after a time, to leave out how a run begins.
func (t *Table) MeanFrom(from unit.Time) Row {
	var mean Row
	n := 0
	for i, row := range t.Rows {
		if t.At[i] <= from {
			continue
		}
		n++
		for c, x := range row {
			mean[c] += x
		}
	}
	for c := range mean {
		mean[c] /= float64(max(n, 1))
	}
	return mean
}

// Stated reports whether a column describes a moment. The other columns count events since the
// sample before.
func Stated(column int) bool {
	switch column {
	case Migrations, MigratedMB, UsageSpikes, Displaced, MigrationsForced:
		return false
	}
	return true
}

// States measures the columns that are Stated; the others are 0. It changes nothing, so
// that it can be called between two samples.
func States(v cluster.View) Row {
	var classes [cluster.LoadClasses]int
	n := v.Nodes()
	for i := range n {
		classes[cluster.LoadClassOf(v, unit.NodeID(i))]++
	}
	totals := v.Totals()
	var r Row
	up := float64(max(totals.NodesUp, 1))
	r[Idle] = 100 * float64(classes[cluster.ClassIdle]) / up
	r[Overloaded] = 100 * float64(classes[cluster.ClassOverloaded]) / up
	four := float64(max(1,
		classes[cluster.ClassSuperTight]+classes[cluster.ClassTight]+classes[cluster.ClassProportional]+
			classes[cluster.ClassDisproportionate]))
	r[SuperTight] = 100 * float64(classes[cluster.ClassSuperTight]) / four
	r[Tight] = 100 * float64(classes[cluster.ClassTight]) / four
	r[Proportional] = 100 * float64(classes[cluster.ClassProportional]) / four
	r[Disproportionate] = 100 * float64(classes[cluster.ClassDisproportionate]) / four
	for i := range unit.Resources {
		r[Used+int(i)] = percent(totals.Used[i], totals.Capacity[i])
		r[Requested+int(i)] = percent(totals.Requested[i], totals.Capacity[i])
	}
	of := jobStates(v)
	r[Running], r[Waiting], r[NodesDown] = of[Running], of[Waiting], of[NodesDown]
	return r
}

// measure adds to States the events since the sample before.
func (t *Table) measure(v cluster.View) Row {
	n := v.Nodes()
	for len(t.before) < n {
		t.before = append(t.before, unit.Vec{})
	}
	spikes := 0
	for i := range n {
		id := unit.NodeID(i)
		used := v.Used(id)
		if v.Up(id) && t.seen && spiked(t.before[i], used, v.Capacity(id)) {
			spikes++
		}
		t.before[i] = used
	}
	r, totals := States(v), v.Totals()
	minutes := float64(t.Step) / float64(t.merged) / float64(unit.Minute)
	r[Migrations] = float64(totals.Migrations-t.last.Migrations) / minutes
	r[MigrationsForced] = float64(totals.Forced-t.last.Forced) / minutes
	r[Displaced] = float64(totals.Displaced-t.last.Displaced) / minutes
	r[MigratedMB] = float64(totals.Moved-t.last.Moved) / float64(unit.MB) / minutes
	r[UsageSpikes] = float64(spikes) / minutes
	t.last, t.seen = totals, true
	return r
}

// spiked reports a resource usage spike: some resource rose by more than a
// tenth of the node's capacity since the sample before (the negotiation
// paper's section 6.4).
func spiked(before, now, capacity unit.Vec) bool {
	for r := range now {
		if int64(now[r]-before[r])*10 > int64(capacity[r]) {
			return true
		}
	}
	return false
}
