package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"parley/core/estimate"
	"parley/core/metric"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/study"
	"parley/core/workload"
)

// comparison is the document of compare --json. Values stand in the order of
// the scenarios, deltas are those against the first one, seed by seed.
type comparison struct {
	Engine     string         `json:"engine"`
	Seeds      []uint64       `json:"seeds"`
	SimulatedS float64        `json:"simulated_s"`
	Scenarios  []compared     `json:"scenarios"`
	Metrics    []comparedRow  `json:"metrics"`
	Window     run.Window     `json:"window"`           // what means are about, in the first scenario's run
	Played     *run.Played    `json:"played,omitempty"` // of the files
	values     [][]run.Report // by scenario and seed
}

type compared struct {
	Label    string             `json:"label"`
	Scenario *scenario.Scenario `json:"scenario"`
	Digests  []string           `json:"digests"` // by seed
	WallS    float64            `json:"wall_s"`
}

type comparedRow struct {
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Unit   string  `json:"unit"`
	Values []*mean `json:"values"` // null where a scenario's system has no such figure
	Deltas []*mean `json:"deltas"` // of the second scenario and those after it
}

// mean is a mean over the seeds and its spread, their standard deviation, with the 95 %
// interval of the mean where there is any spread.
type mean struct {
	Mean   float64 `json:"mean"`
	Spread float64 `json:"spread"`
	*estimate.Interval
}

func meanOf(values []float64) *mean {
	e := estimate.Of(values)
	m := &mean{Mean: e.Mean, Spread: e.SD}
	if e.SD > 0 {
		m.Interval = e.Interval
	}
	return m
}

// comparedRun is what is kept of a run.
type comparedRun struct {
	report run.Report
	took   time.Duration
}

// mostSeeds bounds what a slip of the finger can ask for.
const mostSeeds = 1000

type compareFlags struct {
	tracing
	changes
	working
	until span
	seeds int
	json  bool
}

func compareCommand(c *Console) *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare [FILE…] SCENARIO SCENARIO…",
		Short: "Play scenarios on the same workload, seeds and clock, side by side",
		Long: `Plays every scenario with the same seeds, the first one's and those after it, for the same simulated time, the shortest of theirs. They must have the same workload and number of nodes; system, settings, faults and what is kept of the nodes may differ.

With files of a trace, given before the scenarios or by --trace, each scenario plays them: a link or a document counts with what it says itself, a scenario of the gallery with its system and settings.

Figures are means over the seeds ± their standard deviation. A difference is the mean of the differences to the first scenario, seed by seed, with its 95 % interval. With --set workload.jobs.resample=weeks the seeds draw resamples of a log, the same ones for all scenarios.`,
		Example: `  parley compare '#s=central-best-fit&n=300&x.policy=best-fit' '#s=central-best-fit&n=300&x.policy=worst-fit' --until 30m --seeds 3
  parley compare KTH-SP2.swf '#x.policy=fcfs' '#x.policy=easy'`,
		Args: takes(2, -1, "two SCENARIOs or more"),
		RunE: func(_ *cobra.Command, args []string) error {
			if f.seeds < 1 || f.seeds > mostSeeds {
				return wrongUse{fmt.Errorf("--seeds is %d: choose 1 to %d", f.seeds, mostSeeds)}
			}
			if f.jobs < 1 || f.jobs > mostJobs {
				return wrongUse{fmt.Errorf("--jobs is %d: choose 1 to %d", f.jobs, mostJobs)}
			}
			all, err := f.play(c, args)
			if err != nil {
				return err
			}
			if f.json {
				return printJSON(c.Out, all)
			}
			all.print(c.Out)
			return nil
		},
	}
	f.addFiles(cmd)
	f.addReading(cmd)
	f.addChanges(cmd)
	f.addJobs(cmd)
	flags := cmd.Flags()
	flags.Var(&f.until, "until", "how much simulated time to play")
	flags.IntVar(&f.seeds, "seeds", 5, "with how many seeds each is played")
	flags.BoolVar(&f.json, "json", false, "print the comparison as JSON")
	return cmd
}

func (f *compareFlags) play(c *Console, args []string) (*comparison, error) {
	if args = f.takeLogs(args); len(args) < 2 {
		return nil, wrongUse{fmt.Errorf("compare needs two SCENARIOs or more beside the files, such as '#sys=central&x.policy=easy'; see parley compare --help")}
	}
	ready := make([]*playable, len(args))
	for i, arg := range args {
		d, err := readScenario(c, arg, &f.tracing)
		if err != nil {
			return nil, err
		}
		if err := f.apply(&d, c.Systems, f.names); err != nil {
			return nil, err
		}
		if f.until > 0 {
			d.scenario.Until, d.endless = scenario.Duration(f.until), false
		}
		if ready[i], err = f.prepare(c, d); err != nil {
			return nil, err
		}
	}
	first := ready[0].scenario
	until, endless := ready[0].end(), ready[0].endless
	for _, p := range ready[1:] {
		endless = endless && p.endless
		if what := differs(first, p.scenario); what != "" {
			return nil, fmt.Errorf("%s has another %s than %s: compare scenarios that share it", p.label, what, ready[0].label)
		}
		until = min(until, p.end())
	}
	out := &comparison{Engine: run.Engine, SimulatedS: until.Seconds(), values: make([][]run.Report, len(ready))}
	for k := range uint64(f.seeds) {
		out.Seeds = append(out.Seeds, first.Seed+k)
	}
	runs := make([]comparedRun, len(ready)*f.seeds)
	err := f.each(len(runs), func(i int) error {
		p, seed := *ready[i/f.seeds], out.Seeds[i%f.seeds]
		own := *p.scenario
		own.Seed, own.Until = seed, scenario.Duration(until)
		p.scenario = &own
		if endless {
			if err := p.again(c); err != nil {
				return fmt.Errorf("%s, seed %d: %w", p.label, seed, err)
			}
		}
		until := p.end()
		r, took, err := play(c, &p, until, fmt.Sprintf("%s, seed %d", p.label, seed))
		if err != nil {
			return fmt.Errorf("%s, seed %d: %w", p.label, seed, err)
		}
		runs[i] = comparedRun{reported(&p, r, took), took}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, p := range ready {
		p.scenario.Seed, p.scenario.Until = out.Seeds[0], scenario.Duration(until)
		one := compared{Label: p.label, Scenario: p.scenario}
		for _, r := range runs[i*f.seeds:][:f.seeds] {
			one.Digests = append(one.Digests, r.report.Digest)
			one.WallS += r.took.Seconds()
			out.values[i] = append(out.values[i], r.report)
		}
		out.Scenarios = append(out.Scenarios, one)
	}
	out.Window, out.Played = out.values[0][0].Window, out.values[0][0].Played
	out.tabulate()
	return out, nil
}

// differs names what keeps two scenarios from being compared.
func differs(a, b *scenario.Scenario) string {
	workloads := [2][]byte{}
	for i, s := range []*scenario.Scenario{a, b} {
		text, err := json.Marshal(s.Workload)
		if err != nil {
			return "workload"
		}
		workloads[i] = text
	}
	switch {
	case !bytes.Equal(workloads[0], workloads[1]):
		return "workload"
	case a.Cluster.Preset != b.Cluster.Preset || a.Cluster.Nodes != b.Cluster.Nodes:
		return "number of nodes"
	}
	return ""
}

// tabulate turns the reports into rows.
func (c *comparison) tabulate() {
	figures := map[string]bool{}
	for _, reports := range c.values {
		for name := range reports[0].System {
			figures[name] = true
		}
	}
	shape := workload.ShapeTasks
	if first := c.values[0][0]; first.Jobs != nil {
		shape = workload.ShapeJobs
		for _, f := range jobFigures() {
			c.row(f.id, f.name, f.unit, func(r run.Report) (float64, bool) {
				if r.Jobs == nil {
					return 0, false
				}
				return f.of(r.Jobs), true
			})
		}
	}
	for i, m := range metric.Columns {
		delete(figures, m.ID)
		c.row(m.ID, metric.NameOf(i, shape), m.Unit, func(r run.Report) (float64, bool) {
			value, ok := r.Metrics[metric.Columns[i].ID]
			return value, ok
		})
	}
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		c.row(name, words(name), "", func(r run.Report) (float64, bool) { return numeric(r.System[name]) })
	}
}

// jobFigures returns the figures of rigid jobs that are compared, by the names that sweeps
// have for them.
func jobFigures() (all []jobFigure) {
	type distribution = func(*metric.JobReport) *metric.Distribution
	for _, d := range []struct {
		id, name, unit string
		of             distribution
	}{
		{"jobs.wait_s", "Wait", "s", func(j *metric.JobReport) *metric.Distribution { return &j.WaitS }},
		{"jobs.response_s", "Response", "s", func(j *metric.JobReport) *metric.Distribution { return &j.ResponseS }},
		{"jobs.bounded_slowdown", fmt.Sprintf("Bounded slowdown (%v)", metric.SlowdownBound), "", func(j *metric.JobReport) *metric.Distribution { return &j.BoundedSlowdown }},
	} {
		all = append(
			all,
			jobFigure{d.id + ".mean", d.name + ", mean", d.unit, func(j *metric.JobReport) float64 { return d.of(j).Mean }},
			jobFigure{d.id + ".median", d.name + ", median", d.unit, func(j *metric.JobReport) float64 { return d.of(j).Median }},
			jobFigure{d.id + ".p95", d.name + ", 95 % at most", d.unit, func(j *metric.JobReport) float64 { return d.of(j).P95 }},
			jobFigure{d.id + ".max", d.name + ", maximum", d.unit, func(j *metric.JobReport) float64 { return d.of(j).Max }},
		)
	}
	return append(
		all,
		jobFigure{"jobs.offered_load", "Offered load", "", func(j *metric.JobReport) float64 { return j.OfferedLoad }},
		jobFigure{"jobs.utilisation_pct", "Utilisation", "%", func(j *metric.JobReport) float64 { return j.UtilisationPct }},
		jobFigure{"jobs.makespan_s", "Makespan", "s", func(j *metric.JobReport) float64 { return j.MakespanS }},
		jobFigure{"jobs.ended", "Jobs ended", "", func(j *metric.JobReport) float64 { return float64(j.Ended) }},
		jobFigure{"jobs.killed", "Killed at their limit", "", func(j *metric.JobReport) float64 { return float64(j.Killed) }},
		jobFigure{"jobs.backfilled", "Backfilled", "", func(j *metric.JobReport) float64 { return float64(j.Backfilled) }},
	)
}

type jobFigure struct {
	id, name, unit string
	of             func(*metric.JobReport) float64
}

// row adds one figure, if any scenario has it as a number.
func (c *comparison) row(id, name, unit string, of func(run.Report) (float64, bool)) {
	row := comparedRow{ID: id, Name: name, Unit: unit}
	var base []float64
	any := false
	for i, reports := range c.values {
		var values []float64
		for _, r := range reports {
			if x, ok := of(r); ok {
				values = append(values, x)
			}
		}
		var value, delta *mean
		if len(values) == len(reports) {
			any = true
			value = meanOf(values)
			if i > 0 && base != nil {
				delta = meanOf(estimate.Differences(values, base))
			}
		} else {
			values = nil
		}
		row.Values = append(row.Values, value)
		if i > 0 {
			row.Deltas = append(row.Deltas, delta)
		} else {
			base = values
		}
	}
	if any {
		c.Metrics = append(c.Metrics, row)
	}
}

// seeds counts them.
func seeds(n int) string {
	if n == 1 {
		return "1 seed"
	}
	return fmt.Sprintf("%d seeds", n)
}

// unmoved returns the labels of the scenarios whose runs are the same with all seeds.
func (c *comparison) unmoved() (labels []string) {
	for _, s := range c.Scenarios {
		if !slices.ContainsFunc(s.Digests, func(d string) bool { return d != s.Digests[0] }) {
			labels = append(labels, s.Label)
		}
	}
	return labels
}

// print writes the comparison for people.
func (c *comparison) print(w io.Writer) {
	fmt.Fprintf(w, "%v simulated with %s from %d", scenario.Duration(c.SimulatedS*1e6), seeds(len(c.Seeds)), c.Seeds[0])
	if p := c.Played; p != nil {
		fmt.Fprintf(w, "; %s of %s jobs, %s of %s days", grouped(p.Jobs), grouped(p.JobsInFiles), days(min(c.SimulatedS, p.SpanS)), days(p.SpanS))
	}
	fmt.Fprintf(w, "; means from %s to %s", duration(c.Window.FromS), duration(c.Window.ToS))
	switch same := c.unmoved(); {
	case len(c.Seeds) == 1:
		fmt.Fprint(w, ".\n\n")
	case len(same) == len(c.Scenarios):
		fmt.Fprintf(w, ".\n%s\n\n", study.SeedsChangeNothing)
	default:
		fmt.Fprint(w, "; ± is the standard deviation over the seeds, [ ] the 95 % interval of the mean difference, seed by seed.\n")
		for _, label := range same {
			fmt.Fprintf(w, "Seeds change nothing of %s.\n", label)
		}
		fmt.Fprintln(w)
	}
	var t table
	head := []string{""}
	for i, s := range c.Scenarios {
		if head = append(head, s.Label); i > 0 {
			head = append(head, "difference")
		}
	}
	t.add(head...)
	for _, row := range c.Metrics {
		name := row.Name
		if row.Unit != "" {
			name += " [" + row.Unit + "]"
		}
		cells := []string{name}
		for i, v := range row.Values {
			if cells = append(cells, v.text("")); i > 0 {
				cells = append(cells, row.Deltas[i-1].difference())
			}
		}
		t.add(cells...)
	}
	digests := []string{"digest with the first seed"}
	for i, s := range c.Scenarios {
		if digests = append(digests, s.Digests[0]); i > 0 {
			digests = append(digests, "")
		}
	}
	t.add(digests...)
	t.print(w)
}

// difference writes the mean of differences with its interval.
func (m *mean) difference() string {
	if m == nil || m.Interval == nil {
		return m.text("+")
	}
	return fmt.Sprintf("%s [%s, %s]", (&mean{Mean: m.Mean}).text("+"), number(m.Low), number(m.High))
}

// text writes a mean; plus stands before one above 0.
func (m *mean) text(plus string) string {
	if m == nil {
		return "–"
	}
	text := number(m.Mean)
	if m.Mean > 0 {
		text = plus + text
	}
	if m.Spread > 0 {
		text += " ± " + number(m.Spread)
	}
	return text
}
