package run

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"parley/core/escape"
	"parley/core/metric"
	"parley/core/run"
	"parley/core/run/inspect"
	"parley/core/system"
	"parley/core/workload"
	"parley/tools/parley/console"
)

// quantity writes a number with its unit.
func quantity(x float64, unit string) string {
	if unit == "" {
		return console.Number(x)
	}
	return console.Number(x) + " " + unit
}

// printReport writes a run's report for people.
func printReport(w io.Writer, r run.Report, names *workload.Names) {
	s := r.Scenario
	name := s.Name
	if name == "" {
		name = "unnamed scenario"
	}
	name = escape.Line(name)
	fmt.Fprintf(w, "%s, %s, seed %d\n", name, s.System, s.Seed)
	fmt.Fprintf(w, "%v simulated in %s s (%s × real time), %s events\n", console.Duration(r.SimulatedS),
		console.Number(r.WallS), console.Number(r.Speedup), console.Grouped(int64(r.Events)))
	if p := r.Played; p != nil {
		fmt.Fprintf(w, "%s of %s, %s of %s days\n", console.Grouped(p.Jobs), system.Count(float64(p.JobsInFiles),
			"job"), console.Days(min(r.SimulatedS, p.SpanS)), console.Days(p.SpanS))
	}
	fmt.Fprintf(w, "digest %s\n\n", r.Digest)
	shape := workload.ShapeTasks
	if r.Jobs != nil {
		shape = workload.ShapeJobs
		printJobs(w, r.Jobs, names)
	}
	printMeans(w, r, shape)
	var counts console.Table
	for _, name := range slices.Sorted(maps.Keys(r.System)) {
		if _, charted := r.Metrics[name]; charted {
			continue
		}
		if x, ok := numeric(r.System[name]); ok {
			counts.Add(console.Words(name), console.Number(x))
		} else {
			counts.Add(console.Words(name), "in --json")
		}
	}
	if len(counts.Rows) > 0 {
		fmt.Fprintln(w)
		counts.Print(w)
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "\nNote: %s\n", escape.Line(warning))
	}
}

// printFaults writes the cost of each fault of nodes, the oldest first.
func printFaults(w io.Writer, newestFirst []inspect.Incident) {
	var t console.Table
	t.Left(1)
	for _, one := range slices.Backward(newestFirst) {
		t.Add(one.At.String(), one.Subject+" failed: "+one.Summary)
	}
	if len(t.Rows) > 0 {
		fmt.Fprintln(w)
		t.Print(w)
	}
}

// printMeans writes the sampled metrics: the mean over the window and the value at the end.
func printMeans(w io.Writer, r run.Report, shape workload.Shape) {
	t := console.Table{Rows: [][]string{{"", "mean", "at the end"}}}
	for i, c := range metric.Columns {
		if mean, has := r.Metrics[c.ID]; has {
			t.Add(metric.NameOf(i, shape), quantity(mean, c.Unit), quantity(r.AtEnd[c.ID], c.Unit))
		}
	}
	for _, c := range r.Supplies {
		t.Add(c.Name, quantity(r.Metrics[c.ID], c.Unit), quantity(r.AtEnd[c.ID], c.Unit))
	}
	t.Print(w)
	fmt.Fprintf(w, "means from %s to %s\n", console.Duration(r.Window.FromS), console.Duration(r.Window.ToS))
}

// maxGroups limits the users listed for people.
const maxGroups = 10

// printJobs summarises the jobs of a run. Users and queues have the names in the log, if there are
// any.
func printJobs(w io.Writer, j *metric.JobReport, names *workload.Names) {
	t := console.Table{Rows: [][]string{{"jobs", "mean", "median", "95 % at most", "maximum"}}}
	for _, row := range []struct {
		name string
		of   metric.Distribution
	}{
		{"wait [s]", j.WaitS},
		{"response [s]", j.ResponseS},
		{fmt.Sprintf("bounded slowdown (runs of %s s at least)", console.Number(j.SlowdownBoundS)), j.BoundedSlowdown},
	} {
		t.Add(row.name, console.Number(row.of.Mean), console.Number(row.of.Median), console.Number(row.of.P95),
			console.Number(row.of.Max))
	}
	t.Print(w)
	fmt.Fprintf(w,
		"\n%s submitted, %s ended, %s of them killed at their limit, %s backfilled (started before a job that came earlier)\n",
		console.Grouped(j.Submitted), console.Grouped(j.Ended), console.Grouped(j.Killed),
		console.Grouped(j.Backfilled))
	if j.Waiting+j.Running > 0 || j.Displaced > 0 {
		fmt.Fprintf(w, "%s waiting, %s running, %s displaced\n", console.Grouped(int64(j.Waiting)),
			console.Grouped(int64(j.Running)), console.Grouped(j.Displaced))
	}
	if j.Deadlines > 0 {
		fmt.Fprintf(w, "%s of %s deadlines met\n", console.Grouped(j.DeadlinesMet), console.Grouped(j.Deadlines))
	}
	fmt.Fprintf(w, "offered load %s, utilisation %s %%, makespan %s\n\n", console.Number(j.OfferedLoad),
		console.Number(j.UtilisationPct), console.Duration(j.MakespanS))
	if e := j.Energy; e != nil {
		fmt.Fprintf(w, "energy %s MJ (%s kWh), %s MJ of it of nodes without a job; mean power %s W\n",
			console.Number(e.Run/1e6), console.Number(e.Run/3.6e6), console.Number(e.Idle/1e6), console.Number(e.MeanW))
		if e.Boots > 0 || e.Off > 0 || e.Switch > 0 {
			fmt.Fprintf(w, "nodes that are off %s MJ, shutting down and booting %s MJ, %s boots\n",
				console.Number(e.Off/1e6), console.Number(e.Switch/1e6), console.Grouped(e.Boots))
		}
		fmt.Fprintln(w)
	}
	printGroups(w, "processors", j.BySize, len(j.BySize), firstNumber, nil)
	label := func(of workload.Numbering, prefix string) func(string) string {
		return func(group string) string {
			n, err := strconv.ParseUint(strings.TrimPrefix(group, prefix), 10, 32)
			if err != nil {
				return group
			}
			return escape.Line(cmp.Or(names.LabelOf(of, uint32(n)), group))
		}
	}
	printGroups(w, "user", j.ByUser, maxGroups, nil, label(workload.OfUsers, ""))
	if len(j.ByClass) > 1 {
		printGroups(w, "queue", j.ByClass, len(j.ByClass), nil, label(workload.OfQueues, "queue "))
	}
}

// printGroups writes the means of at most limit groups of jobs, in increasing order(name), or the largest group
// first if order is nil. label spells a name for people; nil: as it is. One group alone is not printed.
func printGroups(w io.Writer, heading string, groups map[string]metric.JobsShare, limit int, order func(string) int,
	label func(string) string,
) {
	if len(groups) < 2 {
		return
	}
	names := slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		if order != nil {
			return order(a) - order(b)
		}
		return cmp.Or(int(groups[b].Jobs-groups[a].Jobs), strings.Compare(a, b))
	})
	t := console.Table{Rows: [][]string{{heading, "jobs", "wait [s]", "response [s]", "bounded slowdown"}}}
	for _, name := range names[:min(limit, len(names))] {
		g := groups[name]
		if label != nil {
			name = label(name)
		}
		t.Add(name, console.Grouped(g.Jobs), console.Number(g.WaitS), console.Number(g.ResponseS),
			console.Number(g.BoundedSlowdown))
	}
	t.Print(w)
	if more := len(names) - limit; more > 0 {
		fmt.Fprintf(w, "%d more in --json\n", more)
	}
	fmt.Fprintln(w)
}

// firstNumber returns the number before the first - of a text such as 3-4; 0 if there is none.
func firstNumber(text string) int {
	digits, _, _ := strings.Cut(text, "-")
	n, _ := strconv.Atoi(digits)
	return n
}

// numeric returns a figure of a report as a number, and whether it is one.
func numeric(value any) (float64, bool) {
	switch v := value.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// printSamples writes a run's samples as the page exports them: one row a
// sample, the time in minutes first.
func printSamples(w io.Writer, t *metric.Table) {
	columns, kept := t.Columns(), t.Kept()
	names := make([]string, len(kept))
	for i, c := range kept {
		names[i] = columns[c].ID
	}
	fmt.Fprintf(w, "minute,%s\n", strings.Join(names, ","))
	for i := range t.Rows {
		cells := make([]string, 0, 1+len(kept))
		cells = append(cells, console.Plain(t.At[i].Seconds()/60))
		for _, c := range kept {
			cells = append(cells, console.Plain(t.Value(i, c)))
		}
		fmt.Fprintln(w, strings.Join(cells, ","))
	}
}
