// Package compare is parley compare and parley pair: it compares systems on one workload, and
// two runs job by job.
package compare

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/core/escape"
	"parley/core/estimate"
	"parley/core/metric"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/study"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
	"parley/tools/parley/console"
	"parley/tools/parley/load"
)

// comparison is the document of compare --json. Values are in the order of the scenarios; deltas are
// against the first scenario, seed by seed.
type comparison struct {
	Engine     string        `json:"engine"`
	Seeds      []uint64      `json:"seeds"`
	SimulatedS float64       `json:"simulated_s"`
	Scenarios  []compared    `json:"scenarios"`
	Metrics    []comparedRow `json:"metrics"`
	Window     run.Window    `json:"window"`           // of the means, in the first scenario's run
	Played     *run.Played   `json:"played,omitempty"` // of the files
	links      []string      // that the labels of columns abbreviate; "" for the others
	notes      []string      // about jobs that are in no mean
	apart      bool          // runs end at different moments
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
	Values []*Mean `json:"values"` // null where a scenario's system has no such figure
	Deltas []*Mean `json:"deltas"` // of the second scenario and those after it
}

// Mean is a mean over the seeds and its spread, their standard deviation, with the 95 %
// interval of the mean if there is any spread.
type Mean struct {
	Mean   float64 `json:"mean"`
	Spread float64 `json:"spread"`
	*estimate.Interval
}

// meanOf returns the mean of a figure of a table; nil if not all seeds have the figure.
func meanOf(list []study.Figure, name string, seeds int) *Mean {
	f, has := study.Find(list, name)
	if !has || f.N != seeds {
		return nil
	}
	m := &Mean{Mean: f.Mean, Spread: f.SD}
	if f.SD > 0 {
		m.Interval = f.Interval
	}
	return m
}

// comparedRun is the kept part of a run.
type comparedRun struct {
	report run.Report
	took   time.Duration
}

// MaxSeeds guards against typing errors.
const MaxSeeds = 1000

type compareFlags struct {
	load.Trace
	load.Changes
	console.Workers
	systems, programs, commands []string // a column each
	load.SchedulerFlags
	until console.Span
	seeds int
	json  bool

	seedsSet bool // by --seeds
}

// Command returns parley compare.
func Command(c *console.Console) *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare [FILE…] SCENARIO… [--system ID] [--program FILE] [--scheduler COMMAND]",
		Short: "Play scenarios on the same workload, seeds and clock, side by side",
		Long: `Plays every scenario with the same seeds, the first one's and those after it, for the same simulated time, the shortest of theirs. They must have the same workload and number of nodes; system, settings, faults and what is kept of the nodes may differ.

--system, --program and --scheduler each add a column, and may be repeated: the first scenario, played by that system, program or process. --set changes all columns. A system may name its policy, as central.worst-fit does. A link of the page's Compare is played with all its systems, its end and its seeds.

With files of a trace, given before the scenarios or by --trace, each scenario plays them: a link or a document counts with what it says itself, a scenario of the gallery with its system and settings.

Figures are means over the seeds ± their standard deviation. A difference is the mean of the differences to the first scenario, seed by seed, with its 95 % interval. With --set workload.jobs.resample=weeks the seeds draw resamples of a log, the same ones for all scenarios.`,
		Example: `  parley compare '#s=central-best-fit&n=300&x.policy=best-fit' '#s=central-best-fit&n=300&x.policy=worst-fit' --until 30m --seeds 3
  parley compare KTH-SP2.swf '#x.policy=fcfs' '#x.policy=easy'
  parley compare google-calm --program policy.star --until 10m --seeds 2`,
		Args: console.Args(1, -1, "two SCENARIOs or more"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.Contains(slices.Concat(f.systems, f.programs, f.commands), "") {
				return console.NewUsageError(
					errors.New(
						"--system, --program or --scheduler is empty: give a system's ID, a file or a command, or leave the flag out",
					),
				)
			}
			f.Command = strings.Join(f.commands, " ")
			if err := f.Check(cmd.Flags(), ""); err != nil {
				return err
			}
			f.Command = ""
			if f.seeds < 1 || f.seeds > MaxSeeds {
				return console.NewUsageError(fmt.Errorf("--seeds is %d: choose 1 to %d", f.seeds, MaxSeeds))
			}
			if f.Jobs < 1 || f.Jobs > console.MaxJobs {
				return console.NewUsageError(fmt.Errorf("--jobs is %d: choose 1 to %d", f.Jobs, console.MaxJobs))
			}
			f.seedsSet = cmd.Flags().Changed("seeds")
			all, err := f.play(c, args)
			if err != nil {
				return err
			}
			if f.json {
				return console.PrintJSON(c.Out, all)
			}
			all.print(c.Out)
			return nil
		},
	}
	f.AddFiles(cmd)
	f.AddReading(cmd)
	f.AddSet(cmd)
	f.AddJobs(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.systems, "system", nil,
		"a column: the first scenario with another system and its own settings")
	flags.StringArrayVar(&f.programs, "program", nil,
		"a column: the first scenario with your own scheduler in Starlark")
	f.AddPatience(flags)
	flags.StringArrayVar(&f.commands, "scheduler",
		nil, "a column: the first scenario with a process of your own that schedules, such as \"python3 policy.py\"")
	flags.Var(&f.until, "until", "simulated time to play")
	flags.IntVar(&f.seeds, "seeds", 5, "number of seeds for each")
	flags.BoolVar(&f.json, "json", false, "print the comparison as JSON")
	return cmd
}

// column is one column of a comparison: a scenario under one scheduler.
type column struct {
	*load.Playable
	load.SchedulerFlags
	link string // that the label abbreviates; "": it does not
}

// columns returns the columns to compare, at least two, with different labels: the scenarios of args, and the first of
// them with each system, program and process of the flags.
func (f *compareFlags) columns(c *console.Console, args []string) ([]column, error) {
	args = f.TakeTraces(args)
	systems, err := f.takeComparison(c, args)
	if err != nil {
		return nil, err
	}
	added := slices.Concat(systems, f.programs, f.commands)
	switch {
	case len(args)+len(added) >= 2 && (len(args) > 0 || f.Given()):
	case f.Given():
		return nil,
			console.NewUsageError(
				errors.New(
					"compare needs two SCENARIOs or more beside the files, such as '#sys=central&x.policy=easy'; see parley compare --help",
				),
			)
	default:
		return nil,
			console.NewUsageError(
				errors.New(
					"compare needs two SCENARIOs or more, or one and --system, --program or --scheduler; see parley compare --help",
				),
			)
	}
	read := func(i int) (load.Document, error) {
		if len(args) == 0 {
			return f.AroundFiles(c, "")
		}
		return load.ReadScenario(c, args[i], &f.Trace)
	}
	if slices.Contains(args, "-") && len(added) > 0 {
		return nil,
			console.NewUsageError(
				fmt.Errorf(
					"- is %s, which is read once, and another column plays the first scenario too: write it to a file",
					console.StandardInput,
				),
			)
	}
	names, links := headings(args)
	list := make([]column, len(args)+len(added))
	for i := range list {
		one, how, own := &list[i], f.Changes, i
		one.Patience = f.Patience
		if k := i - len(args); k >= 0 {
			own = 0
			switch n := k - len(systems); {
			case n < 0:
				how.System = added[k]
			case n < len(f.programs):
				how.Program = added[k]
			default:
				one.Command = added[k]
			}
		}
		d, err := read(own)
		if err != nil {
			return nil, err
		}
		if i < len(args) {
			d.Label, one.link = names[i], links[i]
		} else {
			d.Label = added[i-len(args)]
		}
		if one.Into(&d); one.Command != "" {
			if err := one.Name(d.Scenario); err != nil {
				return nil, err
			}
		}
		if err := how.Apply(&d, c.Systems, f.Names); err != nil {
			return nil, err
		}
		if f.until > 0 {
			d.Scenario.Until, d.Endless = scenario.Duration(f.until), false
		}
		if one.Playable, err = f.Prepare(c, d); err != nil {
			return nil, err
		}
	}
	for i, name := range distinct(list) {
		list[i].Label = name
	}
	return list, nil
}

// play plays each column with each seed and returns the comparison. All columns must share the workload and the number
// of nodes. They end at the earliest end of any of them, unless all play logs to their own ends.
func (f *compareFlags) play(c *console.Console, args []string) (*comparison, error) {
	ready, err := f.columns(c, args)
	if err != nil {
		return nil, err
	}
	first := ready[0].Scenario
	until, endless := ready[0].End(), ready[0].Endless
	for _, p := range ready[1:] {
		endless = endless && p.Endless
		if part := differs(first, p.Scenario); part != "" {
			return nil, fmt.Errorf("%s has another %s than %s: compare scenarios that share it", p.Label, part,
				ready[0].Label)
		}
		until = min(until, p.End())
	}
	out := &comparison{Engine: run.Engine, SimulatedS: until.Seconds()}
	for k := range uint64(f.seeds) {
		out.Seeds = append(out.Seeds, first.Seed+k)
	}
	runs, ends := make([]comparedRun, len(ready)*f.seeds), make([]unit.Time, len(ready)*f.seeds)
	err = f.Each(len(runs), func(i int) error {
		p, seed := *ready[i/f.seeds].Playable, out.Seeds[i%f.seeds]
		own := *p.Scenario
		own.Seed, own.Until = seed, scenario.Duration(until)
		p.Scenario = &own
		if own.MaxUntil = 0; endless {
			own.MaxUntil = ready[i/f.seeds].Scenario.MaxUntil
			if err := p.Again(c); err != nil {
				return fmt.Errorf("%s, seed %d: %w", p.Label, seed, err)
			}
		}
		until := p.End()
		asks := ready[i/f.seeds].SchedulerFlags
		process, err := asks.Start(c, &p, "")
		if err != nil {
			return err
		}
		r, took, err := load.Play(c, &p, until, fmt.Sprintf("%s, seed %d", p.Label, seed))
		if err = errors.Join(err, process.End()); err != nil {
			return fmt.Errorf("%s, seed %d: %w", p.Label, seed, err)
		}
		runs[i], ends[i] = comparedRun{load.Report(&p, r, took), took}, r.Now()
		return nil
	})
	if err != nil {
		return nil, err
	}
	if ready[0].Scenario.MaxUntil > 0 { // a guess
		until = slices.Max(ends)
	}
	out.SimulatedS = slices.Max(ends).Seconds()
	scenarios := make([]*scenario.Scenario, len(ready))
	for i, p := range ready {
		p.Scenario.Seed, p.Scenario.Until = out.Seeds[0], scenario.Duration(until)
		scenarios[i] = p.Scenario
		one := compared{Label: p.Label, Scenario: p.Scenario}
		for _, r := range runs[i*f.seeds:][:f.seeds] {
			one.Digests = append(one.Digests, r.report.Digest)
			one.WallS += r.took.Seconds()
		}
		out.Scenarios = append(out.Scenarios, one)
		out.links = append(out.links, p.link)
	}
	out.apart = slices.Min(ends) < slices.Max(ends)
	for i, r := range runs {
		for _, w := range r.report.Warnings {
			if strings.Contains(w, "they are in no mean") {
				out.notes = append(out.notes,
					fmt.Sprintf("%s, seed %d: %s", out.Scenarios[i/f.seeds].Label, out.Seeds[i%f.seeds], w))
			}
		}
	}
	out.Window, out.Played = runs[0].report.Window, runs[0].report.Played
	if p := out.Played; p != nil && first.MaxUntil > 0 {
		p.SpanS = max(p.SpanS, out.SimulatedS)
	}
	table, err := tabulated(study.Beside(scenarios, out.Seeds), runs)
	if err != nil {
		return nil, err
	}
	out.tabulate(table, runs)
	return out, nil
}

// tabulated returns the table of a study whose results are the reports of runs; the runs of a scenario are
// consecutive, in the order of s.Seeds.
func tabulated(s *study.Study, runs []comparedRun) (*study.Table, error) {
	have := study.NewResults(run.Engine)
	for i := range runs {
		r, err := s.Run(i/len(s.Seeds), s.Seeds[i%len(s.Seeds)], run.Engine)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(runs[i].report)
		if err != nil {
			return nil, err
		}
		x, err := study.NewResult(r, text, 0)
		if err != nil {
			return nil, err
		}
		if err := have.Add(x, "this comparison"); err != nil {
			return nil, err
		}
	}
	return s.Tabulate(have)
}

// differs returns the part, workload or number of nodes, in which two scenarios differ so that they cannot be compared;
// "" if they can.
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

// tabulate fills c.Metrics from t: figures of jobs if there are any, then the columns of charts, then other figures
// that the systems report, by name.
func (c *comparison) tabulate(t *study.Table, runs []comparedRun) {
	reported := map[string]bool{}
	for i := 0; i < len(runs); i += len(c.Seeds) {
		for name := range runs[i].report.System {
			reported[name] = true
		}
	}
	shape := workload.ShapeTasks
	if runs[0].report.Jobs != nil {
		shape = workload.ShapeJobs
		for _, f := range jobFigures() {
			c.row(t, f)
		}
	}
	for i, m := range metric.Columns {
		delete(reported, m.ID)
		c.row(t, comparedRow{ID: m.ID, Name: metric.NameOf(i, shape), Unit: m.Unit})
	}
	for _, name := range slices.Sorted(maps.Keys(reported)) {
		c.row(t, comparedRow{ID: name, Name: console.Words(name)})
	}
}

// jobFigures returns the figures of rigid jobs that are compared.
func jobFigures() (all []comparedRow) {
	for _, d := range []comparedRow{
		{ID: "jobs.wait_s", Name: "Wait", Unit: "s"},
		{ID: "jobs.response_s", Name: "Response", Unit: "s"},
		{ID: "jobs.bounded_slowdown", Name: fmt.Sprintf("Bounded slowdown (%v)", metric.SlowdownBound)},
	} {
		for _, of := range [][2]string{
			{".mean", ", mean"},
			{".median", ", median"},
			{".p95", ", 95 % at most"},
			{".max", ", maximum"},
		} {
			all = append(all, comparedRow{ID: d.ID + of[0], Name: d.Name + of[1], Unit: d.Unit})
		}
	}
	return append(
		all,
		comparedRow{ID: "jobs.offered_load", Name: "Offered load"},
		comparedRow{ID: "jobs.utilisation_pct", Name: "Utilisation", Unit: "%"},
		comparedRow{ID: "jobs.makespan_s", Name: "Makespan", Unit: "s"},
		comparedRow{ID: "jobs.ended", Name: "Jobs ended"},
		comparedRow{ID: "jobs.killed", Name: "Killed at their limit"},
		comparedRow{ID: "jobs.backfilled", Name: "Backfilled"},
	)
}

// row appends one figure with its value for each scenario and its difference to the first one, unless no
// scenario has it.
func (c *comparison) row(t *study.Table, row comparedRow) {
	any := false
	for i, r := range t.Rows {
		value := meanOf(r.Figures, row.ID, len(c.Seeds))
		any = any || value != nil
		row.Values = append(row.Values, value)
		if i > 0 {
			row.Deltas = append(row.Deltas, meanOf(r.Differences, row.ID, len(c.Seeds)))
		}
	}
	if any {
		c.Metrics = append(c.Metrics, row)
	}
}

// unmoved returns the names of the scenarios whose runs are the same with all seeds.
func (c *comparison) unmoved() (names []string) {
	for _, s := range c.Scenarios {
		if !slices.ContainsFunc(s.Digests, func(d string) bool { return d != s.Digests[0] }) {
			names = append(names, s.Label)
		}
	}
	return names
}

// print writes the comparison for people.
func (c *comparison) print(w io.Writer) {
	fmt.Fprintf(w, "%v simulated with %s from %d", scenario.Duration(c.SimulatedS*1e6),
		system.Count(float64(len(c.Seeds)), "seed"), c.Seeds[0])
	if p := c.Played; p != nil {
		fmt.Fprintf(w, "; %s of %s, %s of %s days", console.Grouped(p.Jobs), system.Count(float64(p.JobsInFiles),
			"job"), console.Days(min(c.SimulatedS, p.SpanS)), console.Days(p.SpanS))
	}
	if c.apart {
		fmt.Fprint(w, "; means over each run to its end")
	} else {
		fmt.Fprintf(w, "; means from %s to %s", console.Duration(c.Window.FromS), console.Duration(c.Window.ToS))
	}
	switch same := c.unmoved(); {
	case len(c.Seeds) == 1:
		fmt.Fprint(w, ".\n\n")
	case len(same) == len(c.Scenarios):
		fmt.Fprintf(w, ".\n%s\n\n", study.SeedsChangeNothing)
	default:
		fmt.Fprint(w,
			"; ± is the standard deviation over the seeds, [ ] the 95 % interval of the mean difference, seed by seed.\n")
		for _, name := range same {
			fmt.Fprintf(w, "Seeds change nothing of %s.\n", name)
		}
		fmt.Fprintln(w)
	}
	var t console.Table
	head := []string{""}
	for i, s := range c.Scenarios {
		if head = append(head, s.Label); i > 0 {
			head = append(head, "difference")
		}
	}
	t.Add(head...)
	for _, row := range c.Metrics {
		name := row.Name
		if row.Unit != "" {
			name += " [" + row.Unit + "]"
		}
		cells := []string{name}
		for i, v := range row.Values {
			if cells = append(cells, v.Text("")); i > 0 {
				cells = append(cells, row.Deltas[i-1].difference())
			}
		}
		t.Add(cells...)
	}
	digests := []string{"digest with the first seed"}
	for i, s := range c.Scenarios {
		if digests = append(digests, s.Digests[0]); i > 0 {
			digests = append(digests, "")
		}
	}
	t.Add(digests...)
	t.Print(w)
	for _, note := range c.notes {
		fmt.Fprintf(w, "\nNote: %s\n", escape.Line(note))
	}
	for i, s := range c.Scenarios {
		if link := c.links[i]; link != "" && link != s.Label {
			fmt.Fprintf(w, "\n%s: '#%s'", s.Label, link)
		}
	}
	if slices.ContainsFunc(c.links, func(link string) bool { return link != "" }) {
		fmt.Fprintln(w)
	}
}

// difference returns a mean difference as text, with its sign, and its 95 % interval if it has one; a dash for nil.
func (m *Mean) difference() string {
	if m == nil || m.Interval == nil {
		return m.Text("+")
	}
	return fmt.Sprintf("%s [%s, %s]", (&Mean{Mean: m.Mean}).Text("+"), console.Number(m.Low), console.Number(m.High))
}

// Text returns a mean as text, ± its standard deviation if that is not 0; a dash for nil. plus precedes a positive
// mean.
func (m *Mean) Text(plus string) string {
	if m == nil {
		return "–"
	}
	text := console.Number(m.Mean)
	if m.Mean > 0 {
		text = plus + text
	}
	if m.Spread > 0 {
		text += " ± " + console.Number(m.Spread)
	}
	return text
}
