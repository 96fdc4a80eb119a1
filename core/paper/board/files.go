package board

import (
	"fmt"
	"io"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/study/evidence"
	"parley/core/system/static/plan"
	"parley/core/unit"
	"parley/core/workload"
)

// Row is one compared quantity.
type Row = evidence.Row

// Files are what the experiments play that compare graphs of the user's.
type Files struct {
	Source func(*scenario.Scenario) (workload.Source, error) // opens them for a scenario
	Names  []string                                          // of the files; each is a graph
	Best   Best                                              // of Optimal: what is known of them; nil: nothing
	Tell   func(format string, args ...any) error            // is told what runs now, and may end it
}

func (f Files) tell(format string, args ...any) error {
	if f.Tell == nil {
		return nil
	}
	return f.Tell(format, args...)
}

// Experiment is one that plays Files, which its user must bring.
type Experiment struct {
	ID, Title, Claim string
	Files            string // what they are
	Known            bool   // it compares with Files.Best
	Run              func(Files) ([]Row, error)
}

// All lists the experiments that are no documents.
func All() []Experiment {
	return []Experiment{
		{"baselines", "Workflows of others: agents beside plans and a dispatcher", "No paper's: agents beside plans and a dispatcher on workflows of others.", "workflows of WfCommons or Pegasus", false, Files.Baselines},
		{"optimal", "Standard task graphs on 2, 4, 8 and 16 processors: how far from the best known lengths (--best), or from a bound", "No paper's: how far from the best known lengths agents and plans end.", "graphs of the Standard Task Graph set", true, Files.Optimal},
	}
}

// contender is a system with settings, as rows call it.
type contender struct{ name, system, settings string }

// one is a source that brings one graph of another: the number-th.
type one struct {
	workload.Source
	number, seen int
}

// Next implements workload.Source.
func (o *one) Next(r *workload.Record) error {
	for {
		if err := o.Source.Next(r); err != nil {
			return err
		}
		if r.Kind != workload.GraphArrives {
			return nil
		}
		if o.seen++; o.seen-1 == o.number {
			return nil
		}
	}
}

// Shape returns the shape of the workload: graphs.
func (o *one) Shape() workload.Shape { return workload.ShapeGraphs }

// graphs returns the graphs of the user's files.
func (f Files) graphs() (all []*workload.Subtasks, err error) {
	s, err := scenario.Parse([]byte(`{"v":1,"system":"static","workload":{"graphs":{}}}`))
	if err != nil {
		return nil, err
	}
	source, err := f.Source(s)
	if err != nil {
		return nil, err
	}
	var r workload.Record
	for {
		switch err := source.Next(&r); {
		case err == io.EOF:
			return all, nil
		case err != nil:
			return nil, err
		case r.Kind == workload.GraphArrives:
			all = append(all, r.Graph.Subtasks)
		}
	}
}

// alone plays the number-th graph of the files alone and returns how long it took, in
// seconds; 0 where it was not done.
func (f Files) alone(c contender, machines string, number int) (float64, error) {
	s, err := scenario.Parse(fmt.Appendf(nil, `{"v":1,"system":%q,"seed":1,"settings":%s,"until":"30d","workload":{"graphs":{"machines":[%s],"deadline_factor":20}}}`, c.system, c.settings, machines))
	if err != nil {
		return 0, err
	}
	source, err := f.Source(s)
	if err != nil {
		return 0, err
	}
	r, err := run.Open(s, &one{Source: source, number: number})
	if err != nil {
		return 0, err
	}
	for at := unit.Minute; !r.Done() && r.View().GraphTotals().Done == 0 && r.View().GraphTotals().Aborted == 0; at += max(unit.Minute, at/4) {
		if err := r.Advance(at); err != nil {
			return 0, err
		}
	}
	g := r.Report().Graphs
	if g == nil || g.Done == 0 {
		return 0, r.Audit()
	}
	return g.ResponseS.Mean, r.Audit()
}

// played are those that the files are given to, one after the other. Their subtasks take
// seconds, so agents look ten times a second.
var played = []contender{
	{"hybrid of the paper's rule and what is ready", "board", `{"thread_rule":"safe","poll_us":100000}`},
	{"hybrid of the paper's rule, literal, and what is ready", "board", `{"thread_rule":"literal","poll_us":100000}`},
	{"what is ready", "board", `{"thread_rule":"ready","poll_us":100000}`},
	{"a dispatcher that sees all", "dispatcher", "{}"},
	{"HEFT", "static", `{"algorithm":"heft"}`},
	{"CPOP", "static", `{"algorithm":"cpop"}`},
	{"PEFT", "static", `{"algorithm":"peft"}`},
	{"min-min", "static", `{"algorithm":"min-min"}`},
	{"max-min", "static", `{"algorithm":"max-min"}`},
}

// reference returns what to divide the makespans of the number-th graph by on the i-th
// fleet, with a bound of them, and whether that was published; zeros: the shortest of the
// makespans.
type reference func(g *workload.Subtasks, number, i int) (to known, published bool)

// Baselines plays each workflow alone on 32 machines whose speeds differ by four and
// whose channels differ by ten, under agents and under plans made ahead, and tells the
// mean of makespan over the shortest of all of them.
func (f Files) Baselines() ([]Row, error) {
	return f.compare("workflows on 32 machines", []string{`{"count":32,"speed":[0.5,2],"bandwidth":[1e7,1e8]}`}, []string{""}, func(*workload.Subtasks, int, int) (known, bool) { return known{}, false })
}

// Optimal plays graphs without data on equal processors and compares with the best known
// schedule lengths, where they are given. Elsewhere it compares with a bound: no schedule
// is shorter than the critical path, nor than all work shared evenly. Of the Standard
// Task Graph set the longer of the two is the optimum for nearly all.
func (f Files) Optimal() ([]Row, error) {
	var machines, names []string
	for _, m := range []int{2, 4, 8, 16} {
		machines = append(machines, fmt.Sprintf(`{"count":%d,"bandwidth":0}`, m))
		names = append(names, fmt.Sprintf("%d processors: ", m))
	}
	return f.compare("standard task graphs", machines, names, func(g *workload.Subtasks, number, i int) (known, bool) {
		if number < len(f.Names) {
			if one := f.Best.of(f.Names[number], 2<<i); one.length > 0 {
				return one, true
			}
		}
		p, err := plan.Uniform(g.Graph(), 2<<i, 0, 0)
		if err != nil {
			return known{}, false
		}
		return known{p.Bound(), p.Bound()}, false
	})
}

// compare plays every graph of the files under everybody.
func (f Files) compare(what string, machines, names []string, to reference) (rows []Row, err error) {
	graphs, err := f.graphs()
	if err != nil {
		return nil, err
	}
	for i, fleet := range machines {
		ratios, done := make([][]float64, len(played)), make([]int, len(played))
		below, given := make([]bool, len(played)), 0
		for number, g := range graphs {
			spans := make([]float64, len(played))
			for k, c := range played {
				if err := f.tell("%s, %s, graph %d of %d", what, c.name, number+1, len(graphs)); err != nil {
					return nil, err
				}
				if spans[k], err = f.alone(c, fleet, number); err != nil {
					return nil, err
				}
			}
			least, published := to(g, number, i)
			if published {
				given++
			}
			if least.length == 0 {
				least.length = shortest(spans)
			}
			for k, span := range spans {
				if span > 0 && least.length > 0 {
					done[k]++
					ratios[k] = append(ratios[k], 100*(span/least.length-1))
					below[k] = below[k] || span < (1-1e-6)*least.bound
				}
			}
		}
		for k, c := range played {
			if len(ratios[k]) > 0 {
				r := evidence.New(names[i]+c.name+", above the "+against(names[i] == "", given > 0), "%", ratios[k])
				r.Note = "± is the standard deviation over the graphs"
				if names[i] != "" {
					r.Judge(!below[k], "no schedule is below what is proved")
					r.Note += fmt.Sprintf("; of %d graphs the best known length is given, of %d a bound is taken", given, len(graphs)-given)
				}
				rows = append(rows, r)
			}
			rows = append(rows, evidence.New(names[i]+c.name+", graphs done by 20 critical paths", "%", []float64{100 * float64(done[k]) / float64(max(1, len(graphs)))}))
		}
	}
	return rows, nil
}

// shortest returns the least of what is above 0; 0 where nothing is.
func shortest(spans []float64) (least float64) {
	for _, x := range spans {
		if x > 0 && (least == 0 || x < least) {
			least = x
		}
	}
	return least
}

// against names what makespans are compared with.
func against(others, published bool) string {
	switch {
	case others:
		return "shortest"
	case published:
		return "best known"
	}
	return "bound"
}
