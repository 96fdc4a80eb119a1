package paper

import (
	"encoding/json"

	"parley/core/cluster"
	"parley/core/metric"
	"parley/core/rng"
	"parley/core/scenario"
	"parley/core/study"
	"parley/core/study/evidence"
	"parley/core/unit"
	"parley/core/workload"
)

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
	c := cell{name: system, system: system, nodes: nodes, until: until, seed: 1, altered: unaltered}
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
	return l.totals(now)
}

// Trial plays a small cell of so much work as the searches do, which end a run when
// it cannot fit any more, and whole; it tells what fits by each rule, how long the runs
// were, and how many nodes were overloaded in each minute of the whole one.
func Trial(system string, scale float64) (fits [2][3]bool, minutes [2]float64, overloaded []float64, err error) {
	c := cell{name: system, system: system, nodes: 300, scale: scale, until: 40 * unit.Minute, seed: 1, altered: unaltered}
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

// SeriesNames are what the usage of jobs is told by.
var SeriesNames = seriesNames

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
	s, err := (&usageCall{Nodes: 1250, seed: seed, Production: workload.TraceProduction, Usage: usage, Among: 4}).stand(Options{})
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
	Percent        = percentOf
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

func (r Run) outcome() outcome {
	return outcome{mean: r.Mean, rows: r.Rows, minutes: r.Minutes, counts: counts{
		placements: r.Placements, forcedPlacements: r.ForcedPlacements, migrations: r.Migrations, forcedMigrations: r.ForcedMigrations,
		negotiations: r.Negotiations, attempts: r.Attempts, rejected: r.Rejected, preempted: r.Preempted, arrived: r.Arrived, late: r.Late,
		byProduction: [unit.Resources]float64{unit.CPU: r.ProductionCPU, unit.Memory: r.ProductionMemory},
	}}
}

// Figures returns each figure of a run by its name.
func Figures(r Run) map[string]float64 { return r.outcome().values() }

// Standing is a cell by hand: capacities, and tasks on them.
type Standing struct{ s placement }

// StandingOf returns nodes of so much of each resource.
func StandingOf(capacity ...unit.Vec) *Standing { return &Standing{placement{capacity: capacity}} }

// Put puts a task onto a node.
func (s *Standing) Put(node int, request unit.Vec, class workload.PriorityClass) {
	s.s.tasks = append(s.s.tasks, placedTask{node: node, request: request, class: class})
}

// Promised is what production tasks request.
func (s *Standing) Promised() [unit.Resources]float64 { return s.s.requests() }

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
// overloaded, and of the worst window, and how many rose a minute by a tenth of their capacity or of their use.
func (s *Standing) Windows(used ...[]unit.Vec) (overloaded, worst, ratio, rises, peak, relative float64) {
	var f usageFigures
	for w := range used {
		f.addWindow(s.s.capacity, used[w], used[max(0, w-1)], w > 0, float64(len(used)))
	}
	return f.overloaded, f.worst, f.ratio(), f.rises, f.peak, f.relative
}

// Altered returns a generated workload with more memory requested and more production.
func Altered(nodes int, memory, production float64) (workload.Source, error) {
	a := unaltered
	a.Memory, a.Production = memory, production
	s, err := cell{system: "negotiation", nodes: nodes, seed: 1, until: unit.Hour, altered: a}.scenario()
	if err != nil {
		return nil, err
	}
	source, err := a.source(s)
	if err == nil && source == nil { // nothing is altered
		g := workload.DefaultGenerated()
		g.Nodes = nodes
		return g.New(1)
	}
	return source, err
}

// Moving returns how usage moves in a cell that is altered; nil: as published.
func Moving(arguments string) (*workload.Moving, error) {
	a := unaltered
	if err := json.Unmarshal([]byte(arguments), &a); err != nil {
		return nil, err
	}
	if usage := a.moving(); usage != nil {
		return usage.Moving, a.check()
	}
	return nil, a.check()
}

// Lasts returns how long runs last that would last an hour.
func Lasts(o Options) (unit.Time, error) { return o.until(unit.Hour) }

// Spikes returns mean and peak of the nodes of a small cell that rose above thresholds, a
// minute, and the cell's scenario.
func Spikes(nodes int, until unit.Time, thresholds []int64) (mean, peak []float64, s *scenario.Scenario, err error) {
	c := cell{name: "least-allocated", system: "central", settings: json.RawMessage(`{"policy":"least-allocated"}`), nodes: nodes, until: until, seed: 1, altered: unaltered}
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
		return r.outcome(), err
	})
}

// Cell is what a standing cell showed.
type Cell struct {
	Used                                     [unit.Resources]float64
	Overloaded, Worst, Rises, Peak, Relative float64
	Days                                     [][len(seriesNames)]float64
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
	c.Used, c.Overloaded, c.Worst, c.Rises, c.Peak, c.Relative = f.used, f.overloaded, f.worst, f.rises, f.peak, f.relative
	return c, err
}

// Rose reports whether the use of some resource rose by more than so many percent.
var Rose = rose

// MachineLog opens the recorded log, with the name of the machine.
func MachineLog(o Options) (workload.Source, string, error) { return o.machineLog() }

// AllFigures are the names of what a cell tells.
func AllFigures() (names []string) {
	for _, f := range figures {
		names = append(names, f.name)
	}
	return names
}

// FunctionsOf are those of documents with options.
func FunctionsOf(o Options) study.Functions { return o.functions() }
