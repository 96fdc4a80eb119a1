package paper

import (
	"fmt"

	"parley/core/cluster"
	"parley/core/loadclass"
	"parley/core/metric"
	"parley/core/rng"
	"parley/core/scenario"
	"parley/core/study"
	"parley/core/study/evidence"
	"parley/core/unit"
	"parley/core/workload"
)

// Unjudged returns an experiment whose claims are judged one by one, whatever the size of
// the cells.
func Unjudged(id string) (Experiment, error) {
	for _, e := range played() {
		if e.ID == id {
			return e, nil
		}
	}
	return Find(id)
}

// Gallop is gallop, which finds the largest load that fits from one near by.
var Gallop = gallop

// FitsBy tells under each rule whether a run with these figures fits.
func FitsBy(mean metric.Row, arrived, late, forced float64) (fits [3]bool) {
	for i := range rules {
		fits[i] = rules[i].fits(outcome{mean: mean, counts: counts{arrived: arrived, late: late, forcedPlacements: forced, placements: arrived}})
	}
	return fits
}

// Played is what a run of a cell showed.
type Played struct {
	Mean       metric.Row
	Rows       []metric.Row
	Placements float64
	Minutes    float64
}

// PlayCell plays a small generated cell.
func PlayCell(system string, nodes int, until unit.Time) (Played, error) {
	c := cell{contender: contender{system, system, nil}, nodes: nodes, until: until, seed: 1}
	x, err := c.play(Options{})
	return Played{x.mean, x.rows, x.counts.placements, x.minutes}, err
}

// Late counts the tasks of events that waited for a place, and those that waited
// too long.
func Late(from, now unit.Time, events []cluster.Event) (arrived, late float64) {
	l := lateness{from: from}
	for _, e := range events {
		l.Observe(e)
	}
	return l.sum(now)
}

// Trial plays a small cell of so much work as the searches do, which end a run when
// it cannot fit any more, and whole; it tells what fits by each rule, how long the runs
// were, and how many nodes were overloaded in each minute of the whole one.
func Trial(system string, scale float64) (fits [2][3]bool, minutes [2]float64, overloaded []float64, err error) {
	c := cell{contender: contender{system, system, nil}, nodes: 300, scale: scale, until: 40 * unit.Minute, seed: 1}
	for i, trial := range []bool{true, false} {
		c.trial = trial
		x, err := c.play(Options{})
		if err != nil {
			return fits, minutes, nil, err
		}
		for r := range rules {
			fits[i][r] = rules[r].fits(x)
		}
		minutes[i] = x.minutes
		if !trial {
			for _, row := range x.rows[settled:] {
				overloaded = append(overloaded, row[metric.Overloaded])
			}
		}
	}
	return fits, minutes, overloaded, nil
}

// SeriesNames and SeriesTargets are what the usage of jobs is held to.
var (
	SeriesNames   = seriesNames
	SeriesTargets = seriesTargets
)

// SeriesOf returns the figures of series of jobs, by day and job: their mean over
// the days and its standard deviation.
func SeriesOf(series map[int]map[string]*[dayWindows]float64) (means, spreads [len(seriesNames)]float64) {
	var all [len(seriesNames)][]float64
	for _, jobs := range series {
		var days []*jobDay
		for _, job := range jobs {
			days = append(days, (*jobDay)(job))
		}
		for i, x := range figuresOf(days) {
			all[i] = append(all[i], x)
		}
	}
	for i := range all {
		means[i], spreads[i] = evidence.Spread(all[i])
	}
	return means, spreads
}

// Calibrated returns the means of a small standing cell with a usage model: what
// is used, and how its nodes rise and its jobs move.
func Calibrated(usage workload.Usage, seed uint64) (used [unit.Resources]float64, overloaded, rises, peak float64, series [len(seriesNames)]float64, err error) {
	s, err := population{nodes: 1250, seed: seed, production: workload.TraceProduction, usage: usage, several: placedAmong}.stand(Options{})
	if err != nil {
		return used, 0, 0, 0, series, err
	}
	f, err := s.play(2*dayWindows, func(int) error { return nil })
	return f.used, f.overloaded, f.rises, f.peak, f.series(), err
}

// Extremes returns the means of the windows with the least and the most in use.
var Extremes = extremes

// Since is what happened between two moments.
func Since(now, before [8]float64) [8]float64 {
	of := func(x [8]float64) counts {
		return counts{placements: x[0], forcedPlacements: x[1], migrations: x[2], forcedMigrations: x[3], negotiations: x[4], attempts: x[5], rejected: x[6], preempted: x[7]}
	}
	c := of(now).since(of(before))
	return [8]float64{c.placements, c.forcedPlacements, c.migrations, c.forcedMigrations, c.negotiations, c.attempts, c.rejected, c.preempted}
}

// Burst, Autocorrelated, Quantile and Moments are what series of usage are told by.
var (
	Bursts         = burstsOf
	Autocorrelated = autocorrelation
	Quantile       = quantile
	Moments        = momentsOf
	Chance         = chanceOf
	Join           = join
	Percent        = percentOf
	Or             = or
)

// Belongs reports whether a day of a job would be among the real ones.
func Belongs(day [dayWindows]float64) bool { return (*jobDay)(&day).belongs() }

// Run is what one run of a cell may have shown.
type Run struct {
	Mean                                                                                                 metric.Row
	Rows                                                                                                 []metric.Row
	Placements, ForcedPlacements, Migrations, ForcedMigrations                                           float64
	Negotiations, Attempts, Rejected, Preempted, Arrived, Late, Minutes, ProductionCPU, ProductionMemory float64
}

func sampleOf(runs []Run) sample {
	out := make(sample, len(runs))
	for i, r := range runs {
		out[i] = outcome{mean: r.Mean, rows: r.Rows, minutes: r.Minutes, counts: counts{
			placements: r.Placements, forcedPlacements: r.ForcedPlacements, migrations: r.Migrations, forcedMigrations: r.ForcedMigrations,
			negotiations: r.Negotiations, attempts: r.Attempts, rejected: r.Rejected, preempted: r.Preempted, arrived: r.Arrived, late: r.Late,
			promised: [unit.Resources]float64{unit.CPU: r.ProductionCPU, unit.Memory: r.ProductionMemory},
		}}
	}
	return out
}

// Figures returns each figure of a run by its name.
func Figures(r Run) map[string]float64 {
	out := map[string]float64{}
	for _, f := range figures {
		out[f.name] = f.of(sampleOf([]Run{r})[0])
	}
	return out
}

// LimitRow is the row of the hardest loads that a contender fits, one a seed: largest
// workloads, or smallest cells by what is removed.
func LimitRow(who string, cell bool, hardest []float64) Row {
	q := workloads
	if cell {
		q = cells
	}
	return q.row(contender{who, "", nil}, rules[0], hardest)
}

// Level is one level of an axis as it was judged: the limits of agents and others by two
// rules, one a seed, and the runs at 100 %.
type Level struct {
	Agents, Others [2][]float64
	Runs           []Run
}

func (l Level) rows(name string) []Row {
	agents, others := make([]probe, len(l.Runs)), make([]probe, len(l.Runs))
	for i, x := range sampleOf(l.Runs) {
		agents[i] = probe{[2]float64{l.Agents[0][i], l.Agents[1][i]}, x}
		others[i] = probe{[2]float64{l.Others[0][i], l.Others[1][i]}, x}
	}
	return variation{axis: "axis", level: name}.rows(agents, others)
}

// Findings judges levels, and tells at which of them each finding survives.
func Findings(levels ...Level) (rows [][]Row, found []Row) {
	var f findings
	for i, l := range levels {
		v := variation{axis: "axis", level: fmt.Sprint(i)}
		rows = append(rows, l.rows(v.level))
		f.add(v, rows[i])
	}
	return rows, f.rows()
}

// Standing is a cell by hand: capacities, and tasks on them.
type Standing struct{ s standing }

// StandingOf returns nodes of so much of each resource.
func StandingOf(capacity ...unit.Vec) *Standing { return &Standing{standing{capacity: capacity}} }

// Put puts a task onto a node.
func (s *Standing) Put(node int, request unit.Vec, class workload.PriorityClass) {
	s.s.tasks = append(s.s.tasks, standingTask{node: node, request: request, class: class})
}

// Promised is what production tasks request, and all.
func (s *Standing) Promised() (production, all [unit.Resources]float64) { return s.s.promised() }

// LeastRequested places requests one after the other by the stand-in for Borg, drawn from
// so many nodes, and returns where.
func (s *Standing) LeastRequested(several int, seed uint64, requests []unit.Vec) (nodes []int) {
	choose := leastRequestedOf(several, rng.New(seed, "test"))
	for _, r := range requests {
		nodes = append(nodes, choose(&s.s, r))
	}
	return nodes
}

// Windows counts what nodes used in some windows: mean percent of the nodes that were
// overloaded, and how many rose a minute by a tenth of their capacity or of their use.
func (s *Standing) Windows(used ...[]unit.Vec) (overloaded, ratio, rises, peak, relative float64) {
	var f usageFigures
	for w := range used {
		f.count(s.s.capacity, used[w], used[max(0, w-1)], w > 0, float64(len(used)))
	}
	return f.overloaded, f.ratio(), f.rises, f.peak, f.relative
}

// Altered returns a generated workload with more memory requested and more production.
func Altered(nodes int, memory, production float64) (workload.Source, error) {
	s, err := cell{contender: negotiation("", nil), nodes: nodes, seed: 1, until: unit.Hour}.scenario()
	if err != nil {
		return nil, err
	}
	return change{memory: memory, production: production}.source(s)
}

// Variation returns how usage moves at a level of an axis.
func Variation(axis, level string) (m *workload.Moving, memory, production float64) {
	for _, v := range variations() {
		if v.axis == axis && v.level == level {
			usage := workload.DefaultUsage()
			if v.cellWith.usage != nil {
				v.cellWith.usage(usage.Moving)
			}
			return usage.Moving, v.cellWith.memory, v.cellWith.production
		}
	}
	return nil, 0, 0
}

// Lasts returns how long runs last that would last an hour.
func Lasts(o Options) (unit.Time, error) { return o.until(unit.Hour) }

// Spikes returns mean and peak of the nodes of a small cell that rose above thresholds, a
// minute, and the cell's scenario.
func Spikes(nodes int, until unit.Time, thresholds []int64) (mean, peak []float64, s *scenario.Scenario, err error) {
	c := cell{contender: placed("least-allocated"), nodes: nodes, until: until, seed: 1}
	if s, err = c.scenario(); err != nil {
		return nil, nil, nil, err
	}
	mean, peak, err = c.spikes(Options{}, thresholds)
	return mean, peak, s, err
}

// MayFit reports whether a run of so many samples may still fit that began with nodes
// overloaded like this.
func MayFit(samples int, overloaded ...float64) bool {
	rows := make([]metric.Row, len(overloaded))
	for i, x := range overloaded {
		rows[i][metric.Overloaded] = x
	}
	return mayFit(rows, samples)
}

// Hardest searches from low to high the hardest loads that fit by each of the three rules.
func Hardest(from, low, high float64, play func(hardness float64) (Run, error)) ([]float64, error) {
	return hardest(rules, from, low, high, func(hardness float64) (outcome, error) {
		r, err := play(hardness)
		return sampleOf([]Run{r})[0], err
	})
}

// LargestBy searches the largest workloads by the first rule and by the strictest.
func LargestBy(whole Run, play func(percent float64) (Run, error)) ([2]float64, error) {
	return largestBy(sampleOf([]Run{whole})[0], func(percent float64) (outcome, error) {
		r, err := play(percent)
		return sampleOf([]Run{r})[0], err
	})
}

// Ranked are the rows of the hardest loads of some contenders, by contender and seed and
// under each rule.
func Ranked(cell bool, who []string, hardest [][]float64) []Row {
	q := workloads
	if cell {
		q = cells
	}
	all := make([]contender, len(who))
	for i := range who {
		all[i].name = who[i]
	}
	return q.ranked(all, hardest)
}

// Strained judges runs as the experiments do.
func Strained(runs []Run, paperFits bool) []Row { return strained("s", sampleOf(runs), paperFits) }

// Compared are the rows of levels that are named by their numbers: of each the largest
// workloads of agents and of others, one a seed, by both rules.
func Compared(limits [][2][]float64) (rows, found []Row) {
	var levels []variation
	var probes []probe
	for i, l := range limits {
		levels = append(levels, variation{axis: "axis", level: fmt.Sprint(i)})
		for _, values := range l {
			for _, x := range values {
				probes = append(probes, probe{limits: [2]float64{x, x}})
			}
		}
	}
	rows, f := compared(levels, probes)
	return rows, f.rows()
}

// Above judges whether one limit lies above another.
var Above = above

// Cell is what one seed of the calibration showed.
type Cell struct {
	Used, Production                                                  [unit.Resources]float64
	Overloaded, Rises, Peak, Relative, Proportional, Disproportionate float64
	Days                                                              [][len(seriesNames)]float64
}

func playsOf(cells []Cell) plays {
	out := make(plays, len(cells))
	for i, c := range cells {
		p := &out[i]
		p.used, p.production, p.overloaded, p.rises, p.peak, p.relative = c.Used, c.Production, c.Overloaded, c.Rises, c.Peak, c.Relative
		p.classes[loadclass.Proportional], p.classes[loadclass.Disproportionate] = c.Proportional, c.Disproportionate
		for _, day := range c.Days {
			p.days = append(p.days, day)
		}
	}
	return out
}

// CellRows, PaperRows and SeriesRows hold cells to what is known of the real one.
func CellRows(cells []Cell, whole bool) []Row { return playsOf(cells).cellRows(whole) }
func PaperRows(cells []Cell) []Row            { return playsOf(cells).paperRows() }
func SeriesRows(cells []Cell) []Row           { return playsOf(cells).seriesRows() }

// Conflicts are the rows of targets that cannot be met together; cells are by variant.
func Conflicts(cells [variantCount][]Cell, whole bool) []Row {
	var played [variantCount]plays
	for i := range cells {
		played[i] = playsOf(cells[i])
	}
	return conflicts(&played, whole)
}

// Stand reads a population that was recorded, and tells of each of its tasks, in the order
// of their arrival, on which node it stands, what it requests and of which class it is.
func Stand(source workload.Source) (nodes []int, requests []unit.Vec, classes []workload.PriorityClass, err error) {
	s, err := stand(source, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, t := range s.tasks {
		nodes, requests, classes = append(nodes, t.node), append(requests, t.request), append(classes, t.class)
	}
	return nodes, requests, classes, nil
}

// StandAndPlay reads a recorded population and plays so many windows of its usage.
func StandAndPlay(source workload.Source, windows int) (c Cell, err error) {
	s, err := stand(source, nil)
	if err != nil {
		return c, err
	}
	f, err := s.play(windows, func(int) error { return nil })
	for _, day := range f.days {
		c.Days = append(c.Days, day)
	}
	c.Used, c.Overloaded, c.Rises, c.Peak, c.Relative = f.used, f.overloaded, f.rises, f.peak, f.relative
	return c, err
}

// Whole reports whether the published cell is played.
func Whole(o Options) bool { return o.whole() }

// Rose reports whether the use of some resource rose by more than so many percent.
var Rose = rose

// MachineLog opens the recorded log, with the name of the machine.
func MachineLog(o Options) (workload.Source, string, error) { return o.machineLog() }

// BestOf returns the index of the setting that the tuning chooses, from the share of
// overloaded nodes and the memory moved under each.
func BestOf(overloaded, moved []float64) int {
	all := make([]sample, len(moved))
	for i := range all {
		x := outcome{minutes: 1}
		x.mean[metric.Overloaded], x.mean[metric.MigratedMB] = overloaded[i], moved[i]
		all[i] = sample{x, x}
	}
	return bestOf(all)
}

// AllFigures are the names of what a cell tells.
func AllFigures() (names []string) {
	for _, f := range figures {
		names = append(names, f.name)
	}
	return names
}

// FunctionsOf are those of documents with options.
func FunctionsOf(o Options) study.Functions { return o.functions() }
