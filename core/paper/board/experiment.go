// Package board repeats the experiments of the paper on bulletin boards. It also measures
// what the paper does not report: where its claims stop holding, and how its agents compare
// with a rule of ours, with plans made ahead, and with a dispatcher that sees everything.
//
// Source: Kalyaev, Kalyaev, Korovin, Computational Technologies 21(5), 2016. Its section of
// experiments names what was varied (up to 1,000 resources, up to 20 types of subtasks a
// resource, speeds and channels) and one result: efficiency never below 70 %, guarantee never
// below 90 %. It does not publish its settings or single results; ours are in the function
// setting and in the README of the system.
//
//	rows, err := board.Series(board.Effort{Seeds: 3})
package board

import (
	"encoding/json"
	"fmt"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/study/evidence"
	"parley/core/unit"
	"parley/core/workload"
)

// Row is one compared quantity.
type Row = evidence.Row

// Effort sets how much to compute.
type Effort struct {
	Seeds int       // repetitions, at least 1; seeds count from 1
	Nodes int       // resources; 0: 300, each graph with 20 to 60 subtasks
	Until unit.Time // how long is simulated; 0: 8 hours
	// Source opens the user's files for a scenario; nil: there are none.
	Source func(*scenario.Scenario) (workload.Source, error)
	Files  []string // names of these files; each is a graph
	Best   Best     // of Optimal: what is known of them; nil: nothing
	// Tell is told what runs now and may end the experiment.
	Tell func(format string, args ...any) error
}

// Experiment is one of this package.
type Experiment struct {
	ID, Title, Source string
	Seeds             int    // by default
	Seconds           int    // with that many
	Files             string // that the user must bring; "": none
	Known             bool   // it compares with Effort.Best
	Run               func(Effort) ([]Row, error)
}

// All lists the experiments.
func All() []Experiment {
	const none = "not in the paper"
	return []Experiment{
		{"series", "Efficiency and guarantee over load and deadlines, and what they can be at most", "section \"Results of experiments\"", 3, 300, "", false, Series},
		{"scale", "From 10 to 100,000 resources", "same section: up to 1,000 resources", 1, 240, "", false, Scale},
		{"bandwidth", "Agents that count the time of transfers, and the older method that does not", "sections 1 and 2", 3, 90, "", false, Bandwidth},
		{"failures", "Resources that fail while they work: agents, plans and a dispatcher", none, 3, 240, "", false, Failures},
		{"baselines", "Workflows of others: agents beside plans and a dispatcher", none, 1, 20, "workflows of WfCommons or Pegasus", false, Baselines},
		{"optimal", "Standard task graphs on 2, 4, 8 and 16 processors: how far from the best known lengths (--best), or from a bound", none, 1, 20, "graphs of the Standard Task Graph set", true, Optimal},
	}
}

// setting is what one run is made of.
type setting struct {
	system, settings string // JSON; "": defaults
	load, tightness  float64
	bytes            [2]float64
	nodes            int
	mtbf             unit.Time // of one node; 0: none fails
}

// usualBytes are what results have where nothing else is said: a few seconds.
var usualBytes = [2]float64{1e6, 1e7}

// document returns the scenario of a setting. A resource knows 4 to 8 of 20 types, at
// speeds that differ by four, and has a channel of 1 to 10 MB/s.
func (s *setting) document(e Effort, seed int) ([]byte, error) {
	nodes, vertices := s.nodes, [2]float64{20, 60}
	if nodes == 0 {
		nodes = e.nodes()
	}
	type object = map[string]any
	bytes := s.bytes
	if bytes == [2]float64{} {
		bytes = usualBytes
	}
	d := object{
		"v": 1, "system": s.system, "seed": seed, "until": unit.Time(e.until()).String(),
		"workload": object{"graphs": object{
			"machines":        []object{{"count": nodes, "types": 20, "types_each": [2]int{4, 8}, "speed": [2]float64{0.5, 2}, "bandwidth": [2]float64{1e6, 1e7}}},
			"generate":        object{"shape": "mixed", "vertices": vertices, "width": 10, "needs": 3, "work": [2]float64{60, 600}, "bytes": bytes, "load": s.load},
			"deadline_factor": s.tightness, "bonus": 100,
		}},
	}
	if s.settings != "" {
		d["settings"] = json.RawMessage(s.settings)
	}
	if s.mtbf > 0 {
		d["chaos"] = object{"node_mtbf": s.mtbf.String(), "mttr": "30m"}
	}
	return json.Marshal(d)
}

func (e Effort) nodes() int {
	if e.Nodes > 0 {
		return e.Nodes
	}
	return 300
}

func (e Effort) until() unit.Time {
	if e.Until > 0 {
		return e.Until
	}
	return 8 * unit.Hour
}

// outcome is what is read of a run, in per cent where it is a share.
type outcome struct {
	guarantee  float64 // КГВ: graphs done by their deadline, of those whose deadline has passed
	computing  float64 // КПД: of the time of resources, they computed, what was aborted or lost included
	engaged    float64 // likewise, they were in a community
	impossible float64 // graphs whose deadline no resources could meet
	stalled    float64 // graphs that stalled
	length     float64 // mean of response / critical path on the fastest resources
	releases   float64 // a graph
	messages   float64 // a resource and hour
	judged     int64
}

// play runs a setting with a seed.
func (e Effort) play(s setting, seed int) (o outcome, err error) {
	document, err := s.document(e, seed)
	if err != nil {
		return o, err
	}
	what, err := scenario.Parse(document)
	if err != nil {
		return o, err
	}
	return e.watch(what, nil)
}

func (e Effort) watch(s *scenario.Scenario, source workload.Source) (o outcome, err error) {
	r, err := run.Open(s, source)
	if err != nil {
		return o, err
	}
	for at := unit.Hour; !r.Done(); at += unit.Hour {
		if err := r.Advance(at); err != nil {
			return o, err
		}
		if err := e.tell("%s, hour %d", s.System, at/unit.Hour); err != nil {
			return o, err
		}
	}
	if err := r.Audit(); err != nil {
		return o, err
	}
	return outcomeOf(r.Report(), r.View().Nodes()), nil
}

// outcomeOf reads a report of a given number of resources.
func outcomeOf(report run.Report, nodes int) (o outcome) {
	g := report.Graphs
	if g == nil {
		return o
	}
	figure := func(name string) float64 {
		switch x := report.System[name].(type) {
		case float64:
			return x
		case int64:
			return float64(x)
		}
		return 0
	}
	o = outcome{guarantee: g.MetPct, computing: g.BusyPct, engaged: figure("kpd_engaged_pct"), length: g.LengthRatio.Mean, judged: g.Passed}
	if posted := figure("graphs_posted_total"); posted > 0 {
		o.impossible, o.stalled, o.releases = 100*figure("graphs_impossible")/posted, 100*figure("stalled")/posted, figure("releases")/posted
	}
	hours := report.SimulatedS / unit.Hour.Seconds()
	o.messages = figure("messages") / hours / float64(max(1, nodes))
	return o
}

func (e Effort) tell(format string, args ...any) error {
	if e.Tell == nil {
		return nil
	}
	return e.Tell(format, args...)
}

// over plays a setting with every seed.
func (e Effort) over(s setting) (all []outcome, err error) {
	for seed := range max(1, e.Seeds) {
		o, err := e.play(s, seed+1)
		if err != nil {
			return nil, fmt.Errorf("%s, load %v: %w", s.system, s.load, err)
		}
		all = append(all, o)
	}
	return all, nil
}

// row returns the row of one figure over the seeds.
func row(name, unit string, all []outcome, of func(outcome) float64) Row {
	var values []float64
	for _, o := range all {
		values = append(values, of(o))
	}
	return evidence.New(name, unit, values)
}

func guarantee(o outcome) float64 { return o.guarantee }
func computing(o outcome) float64 { return o.computing }
func engaged(o outcome) float64   { return o.engaged }
