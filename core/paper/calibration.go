package paper

import (
	"fmt"
	"slices"

	"parley/core/rng"
	"parley/core/scenario"
	"parley/core/study/evidence"
	"parley/core/unit"
	"parley/core/workload"
)

// population says whose usage is played while nothing comes, goes or moves: the
// tasks of a cell at time 0, where Borg put them or where a stand-in does that does
// not look at usage.
type population struct {
	nodes      int
	seed       uint64
	production string
	usage      workload.Usage
	several    int // the generated cell: the least requested of this many random nodes gets a task
	recorded   bool
}

// placedAmong makes the stand-in overload as many nodes as Borg's placements do in
// the mean of the paper; with 200, tasks are spread evenly.
const (
	placedAmong = 4
	placedEven  = 200
)

func (p population) stand(o Options) (*standing, error) {
	if p.recorded {
		c := cell{contender: replayed, nodes: p.nodes, seed: p.seed, until: unit.Hour, twist: func(s *scenario.Scenario) error {
			s.Workload.Usage = &p.usage
			return nil
		}}
		s, err := c.scenario()
		if err != nil {
			return nil, err
		}
		source, err := o.Trace(s)
		if err != nil {
			return nil, err
		}
		return stand(source, nil)
	}
	g := workload.DefaultGenerated()
	g.Nodes, g.Production, g.Usage = p.nodes, p.production, p.usage
	source, err := g.New(p.seed)
	if err != nil {
		return nil, fmt.Errorf("cluster.%w", err)
	}
	return stand(source, leastRequestedOf(p.several, rng.New(p.seed, "paper/calibration")))
}

// variant is one way of playing a cell: as it is, or with something changed that
// shows why targets cannot be met together.
type variant struct {
	what       string
	production string
	several    int
	generated  bool // even where there is a trace
	days       int
	with       func(*workload.Moving)
}

func same(*workload.Moving) {}

// The variants of the calibration, in this order.
const (
	asPublished = iota
	paperPreset
	moreMemory
	heavyTails
	spreadEvenly
	noEvents
	variantCount
)

var calibrationVariants = [variantCount]variant{
	asPublished: {"the cell", workload.TraceProduction, placedAmong, false, 2, same},
	paperPreset: {"production as in the paper", workload.PaperProduction, placedAmong, true, 1, same},
	moreMemory: {"more memory used", workload.TraceProduction, placedAmong, false, 1, func(m *workload.Moving) {
		m.Batch[unit.Memory], m.Production[unit.Memory] = 0.56, 0.76
	}},
	heavyTails: {"heavy tails", workload.TraceProduction, placedAmong, false, 1, func(m *workload.Moving) {
		m.Jobs[unit.CPU], m.Tasks[unit.CPU] = 0.5, 0.35
	}},
	spreadEvenly: {"spread evenly", workload.TraceProduction, placedEven, true, 1, same},
	noEvents:     {"without events", workload.TraceProduction, placedAmong, false, 2, func(m *workload.Moving) { m.EventEvery = 0 }},
}

// calibration holds the default workload against everything that is known of the
// real one: what is used and promised, how often nodes rise, and how the usage of
// jobs moves. Usage alone moves: the population stays as it is at time 0.
func calibration(o Options) (Result, error) {
	seeds := or(o.Seeds, 3)
	result := Result{ID: "negotiation/calibration", Source: "named in each row", Seeds: seeds}
	if o.Until > 0 && o.Until < 2*workload.UsageWindow {
		return result, fmt.Errorf("runs of %v show nothing, because usage changes every %v: play them longer", o.Until, workload.UsageWindow)
	}
	var played [variantCount]plays
	for i := range seeds {
		for k, v := range calibrationVariants {
			f, err := v.play(o, uint64(i+1))
			if err != nil {
				return result, err
			}
			played[k] = append(played[k], f)
		}
	}
	whole := o.whole()
	where := "Borg's placements"
	if o.Trace == nil {
		where = fmt.Sprintf("the least requested of %d random nodes gets a task, so many that as many nodes are overloaded as under Borg", placedAmong)
	}
	result.Rows = slices.Concat(
		ruled(played[asPublished].cellRows(whole), where+", 2 days"),
		ruled(played[paperPreset].paperRows(), fmt.Sprintf("the least requested of %d random nodes gets a task, 1 day", placedAmong)),
		ruled(played[asPublished].seriesRows(), where+", 2 days"),
		ruled(conflicts(&played, whole), where+" but where the name says otherwise, 1 day; 2 for nodes that rise"),
	)
	return result, nil
}

func (v variant) play(o Options, seed uint64) (play, error) {
	usage := workload.DefaultUsage()
	v.with(usage.Moving)
	if err := o.tell("%s, seed %d", v.what, seed); err != nil {
		return play{}, err
	}
	p := population{or(o.Nodes, publishedNodes), seed, v.production, usage, v.several, o.Trace != nil && !v.generated}
	s, err := p.stand(o)
	if err != nil {
		return play{}, err
	}
	windows := v.days * dayWindows
	if o.Until > 0 {
		windows = min(windows, int(o.Until/workload.UsageWindow))
	}
	f, err := s.play(windows, func(w int) error {
		if w%dayWindows != 0 || w == 0 {
			return nil
		}
		return o.tell("%s, seed %d, day %d", v.what, seed, w/dayWindows+1)
	})
	production, all := s.promised()
	return play{f, production, all}, err
}

// play is what one cell showed; plays, one a seed.
type play struct {
	usageFigures
	production, all [unit.Resources]float64
}

type plays []play

// each returns a figure of every seed.
func (p plays) each(of func(play) float64) []float64 {
	values := make([]float64, len(p))
	for i := range p {
		values[i] = of(p[i])
	}
	return values
}

func (p plays) row(name, unit string, of func(play) float64) Row {
	return evidence.New(name, unit, p.each(of))
}

// What the rows are about.
func usedOf(r unit.Resource) func(play) float64 { return func(p play) float64 { return p.used[r] } }

func promisedOf(r unit.Resource) func(play) float64 {
	return func(p play) float64 { return p.production[r] }
}
func overloadedOf(p play) float64 { return p.overloaded }
func peakOf(p play) float64       { return p.peak }
func ratioOf(p play) float64      { return p.ratio() }

// held judges a row on both sides and says where its target is from, and why it is
// missed if it is.
func held(r Row, target, rounding float64, source, why string) Row {
	r.Near(target, rounding, "the source's own range or rounding")
	r.Note = source
	r.Why(why)
	return r
}

// ruled adds to the rules of rows what was played.
func ruled(rows []Row, played string) []Row {
	for i := range rows {
		if rows[i].Rule != "" {
			rows[i].Ruled("played: " + played)
		}
	}
	return rows
}

// together is why some targets are missed.
const together = "not met together with others: see the last rows"

// cellRows are the targets of a cell as a whole.
func (p plays) cellRows(whole bool) []Row {
	const paperSays, traceSays = "negotiation paper 7.10", "Google trace at its beginning"
	rises := p.row("nodes that rise by a tenth of their capacity, mean", "nodes/min", func(x play) float64 { return x.rises })
	peak := p.row("nodes that rise by a tenth of their capacity, peak", "nodes/min", peakOf)
	if whole {
		rises = held(rises, 212, 21.2, "negotiation paper 6.4, which does not say of what its 10 % are", "noise, phases and bursts are set by the series of real jobs")
		peak = held(peak, 4362, 436.2, "negotiation paper 6.4, of a month", "the peak of two days, in which the cell has one event: how many take part is drawn")
	}
	return []Row{
		held(p.row("CPU used", "%", usedOf(unit.CPU)), 45, 5, paperSays, together),
		held(p.row("memory used", "%", usedOf(unit.Memory)), 65, 5, paperSays, together),
		held(p.row("production requests, trace, CPU", "%", promisedOf(unit.CPU)), 73.2, 0.5, traceSays, "no more is drawn"),
		held(p.row("production requests, trace, memory", "%", promisedOf(unit.Memory)), 58.5, 0.5, traceSays, "no more is drawn"),
		held(p.row("overloaded nodes", "%", overloadedOf), 0.5, 0.05, "negotiation paper 7.6, up to so many", together),
		held(p.row("PA:DA", "", ratioOf), 1.5, 0.25, "negotiation paper, table 3", together),
		rises, peak,
	}
}

// paperRows are those of the other preset.
func (p plays) paperRows() []Row {
	const source = "negotiation paper 7.10"
	return []Row{
		held(p.row("production requests, paper, CPU", "%", promisedOf(unit.CPU)), 85, 0.5, source, "no more is drawn"),
		held(p.row("production requests, paper, memory", "%", promisedOf(unit.Memory)), 70, 0.5, source, "no more is drawn"),
		held(p.row("CPU used, production as in the paper", "%", usedOf(unit.CPU)), 45, 5, source, together),
		held(p.row("memory used, production as in the paper", "%", usedOf(unit.Memory)), 65, 5, source, together),
		held(p.row("overloaded nodes, production as in the paper", "%", overloadedOf), 0.5, 0.05, "negotiation paper 7.6, up to so many", together),
		held(p.row("PA:DA, production as in the paper", "", ratioOf), 1.5, 0.25, "negotiation paper, table 3", together),
	}
}

// seriesTargets are the figures of the real jobs: half of the 1,600 days of jobs
// that stay within 5 and 90 % of a machine, of the Google trace's first ten days
// (github.com/dnhua/CPU-and-Memory-resource-usage-from-Google-Cluster-Data).
var seriesTargets = [len(seriesNames)]seriesTarget{
	{0.039, 0.0045},
	{0.119, 0.0098},
	{0.289, 0.017},
	{0.715, 0.067},
	{0.459, 0.039},
	{0.26, 0.056},
	{0.0402, 0.0043},
	{0.122, 0.0075},
	{1.19, 0.022},
	{4.86, 0.43},
	{14.7, 1.3},
	{1.96, 0.34},
	{71.8, 5.8},
	{1.2, 0.026},
}

// seriesRows hold the jobs of the cell to the real ones. Runs of less than a day
// have none.
func (p plays) seriesRows() (rows []Row) {
	for _, x := range p {
		if len(x.days) == 0 {
			return nil
		}
	}
	for i, n := range seriesNames {
		r := p.row("job series, "+n.Name, n.Unit, func(x play) float64 { return x.series()[i] })
		r = held(r, seriesTargets[i].Mean, seriesTargets[i].Spread, "real jobs of the Google trace, ± is how far their days lie apart", "one model for all jobs; the real ones are only those that run all day between 5 and 90 % of a machine")
		rows = append(rows, r)
	}
	return rows
}

// conflicts are the targets that cannot be met together, each set with what it
// costs to meet the others.
func conflicts(played *[variantCount]plays, whole bool) []Row {
	ratio := evidence.Mean(played[moreMemory].each(ratioOf))
	even := evidence.Mean(played[spreadEvenly].each(ratioOf))
	cpu := evidence.Mean(played[heavyTails].each(usedOf(unit.CPU)))
	rows := []Row{
		held(played[moreMemory].row("not together: memory used, PA:DA and overloaded; overloaded with memory at .56 and .76 of requests", "%", overloadedOf),
			0.5, 0.05, fmt.Sprintf("PA:DA is %.2f then: one level of memory decides both, so PA:DA is left above 1.5", ratio), ""),
		held(played[heavyTails].row("not together: heavy tails of use and overloaded; overloaded with spreads of .5 and .35", "%", overloadedOf),
			0.5, 0.05, fmt.Sprintf("CPU used %.1f %%: Borg saw what tasks use, a hash does not, so means differ less between jobs than in the trace", cpu), ""),
		held(played[spreadEvenly].row(fmt.Sprintf("not together: overloaded there and much to do for agents; overloaded with the least requested of %d", placedEven), "%", overloadedOf),
			0.5, 0.05, fmt.Sprintf("PA:DA %.1f: spread evenly, a dozen tasks of a node average out, so a cell that negotiates has less to do than the paper's", even), ""),
	}
	peak := played[noEvents].row("not together: the peak and jobs that move alone; the peak without events of the cell", "nodes/min", peakOf)
	relative := played[asPublished].row("not together: 212 a minute and jobs that move as real ones; nodes that rise by a tenth of what they used", "nodes/min", func(x play) float64 { return x.relative })
	if whole {
		peak = held(peak, 4362, 436.2, "jobs that move alone make no such peak, so the cell has events, one in two days", "")
		relative = held(relative, 212, 21.2, "the other reading of the paper's 10 %, so it is read as of capacity", "")
	}
	return append(rows, peak, relative)
}
