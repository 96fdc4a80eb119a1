package paper

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/rng"
	"parley/core/scenario"
	"parley/core/study/evidence"
	"parley/core/unit"
	"parley/core/workload"
)

// variation is one way in which a cell can differ from the published one.
type variation struct {
	axis, level string
	cellWith    change
	settings    map[string]any // of negotiation
}

// change says how a generated cell is altered. Factors of 0 change nothing.
type change struct {
	memory     float64                // multiplies every request for memory
	production float64                // this part of the batch jobs is production
	usage      func(*workload.Moving) // how usage moves
}

// variations are the axes on which the paper's findings may hang, one level at a
// time, and last some together.
func variations() []variation {
	use := func(axis, level string, f func(*workload.Moving)) variation {
		return variation{axis: axis, level: level, cellWith: change{usage: f}}
	}
	scaled := func(r workload.Ratios, by float64, resources ...unit.Resource) workload.Ratios {
		for _, x := range resources {
			r[x] = min(0.98, r[x]*by)
		}
		return r
	}
	used := func(resource unit.Resource, by float64) func(*workload.Moving) {
		return func(m *workload.Moving) {
			m.Batch, m.Production = scaled(m.Batch, by, resource), scaled(m.Production, by, resource)
		}
	}
	steady := func(by float64) func(*workload.Moving) {
		return func(m *workload.Moving) {
			m.Noise, m.TaskPhases = scaled(m.Noise, by, unit.CPU, unit.Memory), scaled(m.TaskPhases, by, unit.CPU, unit.Memory)
			m.Bursts = min(1, m.Bursts*by)
		}
	}
	together := func(by float64) func(*workload.Moving) {
		return func(m *workload.Moving) { m.JobPhases = scaled(m.JobPhases, by, unit.CPU, unit.Memory) }
	}
	return []variation{
		{axis: "published", level: "as it is"},
		use("CPU used", "× 1.25", used(unit.CPU, 1.25)),
		use("CPU used", "× 1.5", used(unit.CPU, 1.5)),
		use("memory used", "× 1.15", used(unit.Memory, 1.15)),
		{axis: "memory requested", level: "× 1.2", cellWith: change{memory: 1.2}},
		{axis: "memory requested", level: "× 1.4", cellWith: change{memory: 1.4}},
		{axis: "production", level: "half of the batch jobs more", cellWith: change{production: 0.5}},
		{axis: "production", level: "every job", cellWith: change{production: 1}},
		use("burstiness of tasks", "none", steady(0)),
		use("burstiness of tasks", "× 3", steady(3)),
		use("correlation within jobs", "none", together(0)),
		use("correlation within jobs", "× 6", together(6)),
		{axis: "draw", level: "by weight", settings: weighted},
		{axis: "rounds a minute", level: "10", settings: inRounds},
		{axis: "together", level: "memory requested × 1.2, half of the batch jobs production, by weight, ten rounds", cellWith: change{memory: 1.2, production: 0.5}, settings: drawnInTen},
		{axis: "together", level: "memory requested × 1.4, every job production, by weight, ten rounds", cellWith: change{memory: 1.4, production: 1}, settings: drawnInTen},
	}
}

// alter makes the cell differ as told.
func (c *cell) alter(with change) {
	if with.usage != nil {
		usage := workload.DefaultUsage()
		with.usage(usage.Moving)
		c.twist = func(s *scenario.Scenario) error {
			s.Workload.Usage = &usage
			return nil
		}
	}
	if with.memory != 0 || with.production != 0 {
		c.altered = &with
	}
}

// source returns the generated workload with altered requests and classes.
func (ch change) source(s *scenario.Scenario) (workload.Source, error) {
	g := workload.DefaultGenerated()
	g.Nodes = s.Cluster.Nodes
	if s.Workload.Usage != nil {
		g.Usage = *s.Workload.Usage
	}
	source, err := g.New(s.Seed)
	if err != nil {
		return nil, err
	}
	usage, err := workload.NewSynthesis(g.Usage, s.Seed)
	return &altered{source, ch, usage}, err
}

// altered changes the tasks of a generated workload. A job is promoted whole.
type altered struct {
	workload.Source
	change
	synthesis *workload.Synthesis
}

// Next implements workload.Source.
func (a *altered) Next(r *workload.Record) error {
	if err := a.Source.Next(r); err != nil || r.Kind != workload.TaskArrives {
		return err
	}
	if a.memory != 0 {
		r.Task.Request[unit.Memory] = max(1, unit.Share(float64(r.Task.Request[unit.Memory])*a.memory))
		r.Task.Image = workload.ImageOf(r.Task.Request)
	}
	if r.Task.Class == workload.Batch && chanceOf(r.Key.Job) < a.production {
		r.Task.Class, r.Task.Priority = workload.Production, 9
		r.Task.Usage = a.synthesis.Model(r.Key, r.Task.Class)
	}
	return nil
}

// What the paper gives in whole percents or in whole numbers: "about 10 %", "3 : 1".
const (
	wholePercent = "the paper's whole percents"
	wholeRatio   = "the paper's whole numbers"
	sixToEight   = "6 to 8 %"
)

// The size of the cells, and how far the limits are searched: for cells that are
// fuller or emptier than the published one.
const (
	sensitiveNodes     = 1250
	sensitiveLow       = 60
	sensitiveHigh      = 180
	paperFits          = 102
	paperBreaks        = 104
	sensitivityRun     = 50 * unit.Minute
	mostMemoryFactor   = 200 // percent
	sensitivityFigures = 7
)

// sensitivity asks what must be true of a cell for the paper's findings: at every
// level of every axis it searches the largest workload under the first and the
// strictest rule, for negotiation and for least-allocated, and shows the classes at
// 100 %. It ends with the findings, each with the levels at which it survives, and
// with how much memory must be requested for 102 % to be the limit.
func sensitivity(o Options) (Result, error) {
	seeds := or(o.Seeds, 3)
	result := Result{ID: "negotiation/sensitivity", Source: "not in the paper", Seeds: seeds}
	o.Trace = nil
	until, err := o.until(sensitivityRun)
	if err != nil {
		return result, err
	}
	base := cell{nodes: or(o.Nodes, sensitiveNodes), until: until}
	levels := variations()
	probes := make([]probe, len(levels)*2*seeds) // by level, contender and seed
	err = o.each(len(probes), func(i int) (err error) {
		c, v := base, levels[i/(2*seeds)]
		c.alter(v.cellWith)
		c.contender, c.seed = v.contenders()[i/seeds%2], uint64(i%seeds+1)
		probes[i], err = c.largest(o)
		return err
	})
	if err != nil {
		return result, err
	}
	rows, found := compared(levels, probes)
	edge, err := base.edge(o, seeds)
	if err != nil {
		return result, err
	}
	result.Rows = slices.Concat(rows, edge, found.rows())
	return result, nil
}

// compared returns the rows of all levels, from probes by level, contender and seed, and
// what is found in them.
func compared(levels []variation, probes []probe) (rows []Row, found findings) {
	seeds := len(probes) / len(levels) / 2
	for k, v := range levels {
		of := probes[2*k*seeds:][:2*seeds]
		rows = append(rows, v.rows(of[:seeds], of[seeds:])...)
	}
	evidence.Correct(rows)
	for k, v := range levels {
		found.add(v, rows[k*len(rows)/len(levels):])
	}
	return rows, found
}

// contenders are who plays a level.
func (v variation) contenders() [2]contender {
	return [2]contender{negotiation(v.axis+" "+v.level, v.settings), placed("least-allocated")}
}

// rows returns the rows of one level from what agents and others showed, one a seed.
func (v variation) rows(agentProbes, otherProbes []probe) []Row {
	who := v.axis + " " + v.level
	agents, classes := joined(agentProbes)
	others, _ := joined(otherProbes)
	limit := func(name string, values []float64) Row { return evidence.New(who+", "+name, "%", values) }
	byLoad := limit("largest workload by overloaded", agents[0])
	byLoad.Near(workloads.paper, workloads.rounding, workloads.reason)
	byAll := limit("largest workload by overloaded, waiting or forced", agents[1])
	byAll.Near(workloads.paper, workloads.rounding, workloads.reason)
	rows := []Row{
		byLoad, byAll,
		limit("least-allocated, largest workload by overloaded", others[0]),
		limit("least-allocated, largest workload by overloaded, waiting or forced", others[1]),
	}
	overloaded, ratio, tight, refused := classes.row(who, figOverloaded), classes.row(who, figRatio), classes.row(who, figTight), classes.row(who, figRefused)
	overloaded.AtMost(overloadLimit)
	ratio.Near(3, 0.5, wholeRatio)
	tight.Near(10, 1, wholePercent)
	if evidence.Mean(classes.each(func(x outcome) float64 { return x.counts.attempts })) >= 1 {
		refused.Near(7, 1, sixToEight)
	}
	rows = append(rows, overloaded, ratio, tight, refused)
	for _, f := range []figure{figPromisedCPU, figPromisedMemory, figAsked, figMemory, figCPU} {
		rows = append(rows, classes.row(who, f))
	}
	for i := range rows {
		rows[i].Why("see the findings at the end")
	}
	return rows
}

// probe is what one seed showed: the largest workload by the first rule and by the
// strictest, and the run at 100 %.
type probe struct {
	limits [2]float64
	whole  outcome
}

// joined puts the limits and the runs of all seeds together.
func joined(probes []probe) (limits [2][]float64, whole sample) {
	for _, p := range probes {
		for k := range limits {
			limits[k] = append(limits[k], p.limits[k])
		}
		whole = append(whole, p.whole)
	}
	return limits, whole
}

// largest searches the largest workload with the cell's seed.
func (c cell) largest(o Options) (p probe, err error) {
	c.scale = 1
	if p.whole, err = c.once(o); err != nil {
		return p, err
	}
	c.trial = true
	p.limits, err = largestBy(p.whole, func(percent float64) (outcome, error) {
		c.scale = percent / 100
		return c.once(o)
	})
	return p, err
}

// largestBy searches the largest workloads by the first rule and by the strictest, of
// which 100 % is played already.
func largestBy(whole outcome, play func(percent float64) (outcome, error)) (limits [2]float64, err error) {
	found, err := hardest([]rule{rules[0], rules[len(rules)-1]}, 100, sensitiveLow, sensitiveHigh, func(percent float64) (outcome, error) {
		if percent == 100 {
			return whole, nil
		}
		return play(percent)
	})
	copy(limits[:], found)
	return limits, err
}

// edge searches how much memory tasks may request, in percent of what they do, for
// the paper's 102 % to fit and for its 104 %: between the two lies the cell in
// which 102 % is the limit.
func (c cell) edge(o Options, seeds int) (rows []Row, err error) {
	c.contender = negotiation("", nil)
	for _, percent := range []float64{paperFits, paperBreaks} {
		factors, asked, used := make([]float64, seeds), make([]float64, seeds), make([]float64, seeds)
		err := o.each(seeds, func(i int) (err error) {
			c := c
			c.seed, c.scale = uint64(i+1), percent/100
			last := outcome{}
			factors[i], err = gallop(120, 60, mostMemoryFactor, func(factor float64) (bool, error) {
				c.alter(change{memory: factor / 100})
				x, err := c.once(o)
				fits := err == nil && rules[0].fits(x)
				if fits {
					last = x
				}
				return fits, err
			})
			asked[i], used[i] = figAsked.of(last), figMemory.of(last)
			return err
		})
		if err != nil {
			return nil, err
		}
		at := fmt.Sprintf("the most memory with which %.0f %% fits by overloaded", percent)
		rows = append(rows, evidence.New(at+", of what tasks request", "%", factors),
			evidence.New(at+", memory requested then", "%", asked), evidence.New(at+", memory used then", "%", used))
	}
	return rows, nil
}

// findings gathers at which levels each of the paper's findings survives.
type findings struct {
	levels int
	by     [sensitivityFigures]finding
}

type finding struct {
	name        string
	holds, open []string
}

// add takes in the judged rows of one level.
func (f *findings) add(v variation, rows []Row) {
	names := [sensitivityFigures]string{
		"102 % fits and 104 % does not, by overloaded", "the same, by overloaded, waiting or forced",
		"at most 0.5 % of the nodes overloaded at 100 %", "PA:DA about 3:1", "STA + TA about 10 %", "6 to 8 % of the attempts fail in step 5",
		"negotiation fits more than least-allocated by overloaded",
	}
	level := v.axis + " " + v.level
	f.levels++
	for i, row := range []Row{rows[0], rows[1], rows[4], rows[5], rows[6], rows[7], above(rows[0], rows[2])} {
		f.by[i].name = names[i]
		switch {
		case row.Holds != nil && *row.Holds:
			f.by[i].holds = append(f.by[i].holds, level)
		case row.Open():
			f.by[i].open = append(f.by[i].open, level)
		}
	}
}

// above judges whether one limit lies above another: their intervals do not touch. Where
// they do, or there are none, it is open.
func above(a, b Row) Row {
	a.Holds, a.Rule = nil, "the 95 % intervals do not touch"
	if a.Interval == nil || b.Interval == nil {
		return a
	}
	if higher := a.Interval.Low > b.Interval.High; higher || a.Interval.High < b.Interval.Low {
		a.Holds = &higher
	}
	return a
}

// rows returns one row a finding: at how many levels it survives, and at which.
func (f *findings) rows() []Row {
	var out []Row
	for _, one := range f.by {
		row := evidence.New("survives: "+one.name, fmt.Sprintf("of %d levels", f.levels), []float64{float64(len(one.holds))})
		row.Note = "at no level"
		if len(one.holds) == f.levels {
			row.Note = "at every level"
		} else if len(one.holds) > 0 {
			row.Note = "at " + strings.Join(one.holds, "; ")
		}
		if len(one.open) > 0 {
			row.Note = join(row.Note, fmt.Sprintf("open at %s", strings.Join(one.open, "; ")))
		}
		out = append(out, row)
	}
	return out
}

// chanceOf returns a number in [0, 1) that belongs to a job.
func chanceOf(job uint64) float64 { return rng.Unit(rng.Hash(job, 0, 0x70726f64)) }
