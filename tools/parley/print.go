package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley/core/escape"
	"parley/core/metric"
	"parley/core/run"
	"parley/core/run/inspect"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// printJSON writes one indented document.
func printJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// number writes a number for people: whole ones with commas, others with as
// many digits as matter.
func number(x float64) string {
	switch size := math.Abs(x); {
	case size >= 1e15:
		return strconv.FormatFloat(x, 'g', 4, 64)
	case size >= 100 || x == math.Trunc(x):
		return grouped(int64(math.Round(x)))
	case size >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case size >= 0.01:
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
	return strconv.FormatFloat(x, 'g', 2, 64)
}

func grouped(n int64) string {
	return unit.Grouped(strconv.FormatInt(n, 10))
}

// quantity writes a number with its unit.
func quantity(x float64, unit string) string {
	if unit == "" {
		return number(x)
	}
	return number(x) + " " + unit
}

// words turns a field's name into words: "tasks_waiting" is "tasks waiting".
func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

// table lines up columns: the first to the left, the others to the right but
// for those that are asked to the left.
type table struct {
	rows  [][]string
	lefts []int
}

func (t *table) add(cells ...string) {
	for i := range cells {
		cells[i] = escape.Line(cells[i])
	}
	t.rows = append(t.rows, cells)
}

func (t *table) left(column int) { t.lefts = append(t.lefts, column) }

func (t *table) print(w io.Writer) {
	var width []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			switch {
			case i == 0:
				line.WriteString(cell + pad)
			case slices.Contains(t.lefts, i):
				line.WriteString("  " + cell + pad)
			default:
				line.WriteString("  " + pad + cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
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
	fmt.Fprintf(w, "%v simulated in %s s (%s × real time), %s events\n", duration(r.SimulatedS), number(r.WallS), number(r.Speedup), grouped(int64(r.Events)))
	if p := r.Played; p != nil {
		fmt.Fprintf(w, "%s of %s, %s of %s days\n", grouped(p.Jobs), system.Count(float64(p.JobsInFiles), "job"), days(min(r.SimulatedS, p.SpanS)), days(p.SpanS))
	}
	fmt.Fprintf(w, "digest %s\n\n", r.Digest)
	shape := workload.ShapeTasks
	if r.Jobs != nil {
		shape = workload.ShapeJobs
		printJobs(w, r.Jobs, names)
	}
	printMeans(w, r, shape)
	var counts table
	for _, name := range slices.Sorted(maps.Keys(r.System)) {
		if _, told := r.Metrics[name]; told {
			continue
		}
		if x, ok := numeric(r.System[name]); ok {
			counts.add(words(name), number(x))
		} else {
			counts.add(words(name), "in --json")
		}
	}
	if len(counts.rows) > 0 {
		fmt.Fprintln(w)
		counts.print(w)
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "\nNote: %s\n", escape.Line(warning))
	}
}

// printFaults writes what each fault of nodes cost, the oldest first.
func printFaults(w io.Writer, newestFirst []inspect.Incident) {
	var t table
	t.left(1)
	for _, one := range slices.Backward(newestFirst) {
		t.add(one.At.String(), one.What+" failed: "+one.Told)
	}
	if len(t.rows) > 0 {
		fmt.Fprintln(w)
		t.print(w)
	}
}

// printMeans writes what was sampled: the mean over the window and the value at the end.
func printMeans(w io.Writer, r run.Report, shape workload.Shape) {
	t := table{rows: [][]string{{"", "mean", "at the end"}}}
	for i, c := range metric.Columns {
		if mean, has := r.Metrics[c.ID]; has {
			t.add(metric.NameOf(i, shape), quantity(mean, c.Unit), quantity(r.AtEnd[c.ID], c.Unit))
		}
	}
	for _, c := range r.Supplies {
		t.add(c.Name, quantity(r.Metrics[c.ID], c.Unit), quantity(r.AtEnd[c.ID], c.Unit))
	}
	t.print(w)
	fmt.Fprintf(w, "means from %s to %s\n", duration(r.Window.FromS), duration(r.Window.ToS))
}

// mostGroups is how many users are listed for people.
const mostGroups = 10

// printJobs writes what the jobs of a run come to. Users and queues have their names where the log
// gives some.
func printJobs(w io.Writer, j *metric.JobReport, names *workload.Names) {
	t := table{rows: [][]string{{"jobs", "mean", "median", "95 % at most", "maximum"}}}
	for _, row := range []struct {
		name string
		of   metric.Distribution
	}{
		{"wait [s]", j.WaitS},
		{"response [s]", j.ResponseS},
		{fmt.Sprintf("bounded slowdown (runs of %s s at least)", number(j.SlowdownBoundS)), j.BoundedSlowdown},
	} {
		t.add(row.name, number(row.of.Mean), number(row.of.Median), number(row.of.P95), number(row.of.Max))
	}
	t.print(w)
	fmt.Fprintf(w, "\n%s submitted, %s ended, %s of them killed at their limit, %s backfilled (started before a job that came earlier)\n", grouped(j.Submitted), grouped(j.Ended), grouped(j.Killed), grouped(j.Backfilled))
	if j.Waiting+j.Running > 0 || j.Displaced > 0 {
		fmt.Fprintf(w, "%s waiting, %s running, %s displaced\n", grouped(int64(j.Waiting)), grouped(int64(j.Running)), grouped(j.Displaced))
	}
	if j.Deadlines > 0 {
		fmt.Fprintf(w, "%s of %s deadlines met\n", grouped(j.DeadlinesMet), grouped(j.Deadlines))
	}
	fmt.Fprintf(w, "offered load %s, utilisation %s %%, makespan %s\n\n", number(j.OfferedLoad), number(j.UtilisationPct), duration(j.MakespanS))
	if e := j.Energy; e != nil {
		fmt.Fprintf(w, "energy %s MJ (%s kWh), %s MJ of it of nodes without a job; mean power %s W\n", number(e.Run/1e6), number(e.Run/3.6e6), number(e.Idle/1e6), number(e.MeanW))
		if e.Boots > 0 || e.Off > 0 || e.Switch > 0 {
			fmt.Fprintf(w, "nodes that are off %s MJ, shutting down and booting %s MJ, %s boots\n", number(e.Off/1e6), number(e.Switch/1e6), grouped(e.Boots))
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
	printGroups(w, "user", j.ByUser, mostGroups, nil, label(workload.OfUsers, ""))
	if len(j.ByClass) > 1 {
		printGroups(w, "queue", j.ByClass, len(j.ByClass), nil, label(workload.OfQueues, "queue "))
	}
}

// printGroups writes the means of at most most groups of jobs, in the order of a number in
// their names or with the largest group first. label spells a name for people; nil: as it is.
func printGroups(w io.Writer, what string, groups map[string]metric.JobsShare, most int, order func(string) int, label func(string) string) {
	if len(groups) < 2 {
		return
	}
	names := slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		if order != nil {
			return order(a) - order(b)
		}
		return cmp.Or(int(groups[b].Jobs-groups[a].Jobs), strings.Compare(a, b))
	})
	t := table{rows: [][]string{{what, "jobs", "wait [s]", "response [s]", "bounded slowdown"}}}
	for _, name := range names[:min(most, len(names))] {
		g := groups[name]
		if label != nil {
			name = label(name)
		}
		t.add(name, grouped(g.Jobs), number(g.WaitS), number(g.ResponseS), number(g.BoundedSlowdown))
	}
	t.print(w)
	if more := len(names) - most; more > 0 {
		fmt.Fprintf(w, "%d more in --json\n", more)
	}
	fmt.Fprintln(w)
}

// firstNumber returns the number that a text begins with.
func firstNumber(text string) int {
	digits, _, _ := strings.Cut(text, "-")
	n, _ := strconv.Atoi(digits)
	return n
}

// duration writes seconds as scenarios do, from an hour on in whole seconds.
func duration(seconds float64) string {
	if seconds >= 3600 {
		seconds = math.Round(seconds)
	}
	return scenario.Duration(unit.Time(seconds*1e6 + 0.5)).String()
}

// days writes seconds as days, with a digit behind the point where there are few.
func days(seconds float64) string {
	if d := seconds / 86400; d < 10 {
		return strconv.FormatFloat(d, 'f', 1, 64)
	}
	return grouped(int64(math.Round(seconds / 86400)))
}

// numeric returns a figure of a report as a number, if it is one.
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
		cells = append(cells, plain(t.At[i].Seconds()/60))
		for _, c := range kept {
			cells = append(cells, plain(t.Value(i, c)))
		}
		fmt.Fprintln(w, strings.Join(cells, ","))
	}
}

func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
