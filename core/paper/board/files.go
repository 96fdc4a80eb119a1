package board

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/strict"
	"parley/core/system/static/plan"
	"parley/core/unit"
	"parley/core/workload"
)

// Files are the graphs of the user's that board/files plays.
type Files struct {
	Source func(*scenario.Scenario) (workload.Source, error) // opens them for a scenario
	Names  []string                                          // of the files; each is a graph
	Best   Best                                              // their best known lengths; nil if there are none
}

// PlaysFiles is the name of a function. Each of its seeds plays one graph of Files.
const PlaysFiles = "board/files"

// filesCall are the arguments of board/files: a graph that its user brings, alone on some
// machines, under one contender after the other.
type filesCall struct {
	Name  string `json:"name"`  // for progress
	Files string `json:"files"` // a description of the files
	// makespans are compared with Files.Best, or with a bound; else with the shortest of them
	Known      bool            `json:"known"`
	Machines   json.RawMessage `json:"machines"` // as those of a scenario
	Contenders []contender     `json:"contenders"`
}

// contender is a system with settings, by its name in rows.
type contender struct {
	Name     string          `json:"name"`
	System   string          `json:"system"`
	Settings json.RawMessage `json:"settings"`
}

// play is the function board/files. Makespans are in percent above the known length or the
// bound. No schedule is shorter than the critical path, nor than all work divided
// evenly: that is the bound if no length is known. For nearly all graphs of the Standard Task Graph
// set the longer of the two is the optimum.
func (f *Files) play(seed uint64, arguments json.RawMessage) (map[string]float64, error) {
	var c filesCall
	if err := strict.Part(arguments, &c); err != nil {
		return nil, err
	}
	if f == nil {
		return nil, fmt.Errorf("%s plays %s: give them with --trace", PlaysFiles, c.Files)
	}
	number := int(seed) - 1
	g, err := f.graph(number)
	if err != nil || g == nil {
		return nil, err
	}
	spans := make([]float64, len(c.Contenders))
	for k, who := range c.Contenders {
		if spans[k], err = f.alone(who, c.Machines, number); err != nil {
			return nil, err
		}
	}
	to, against := known{0, shortest(spans)}, "shortest"
	if c.Known {
		if to, against, err = f.known(g, number, c.Machines); err != nil {
			return nil, err
		}
	}
	values := map[string]float64{}
	for k, who := range c.Contenders {
		values[who.Name+", not done"] = 100
		if spans[k] <= 0 {
			continue
		}
		values[who.Name+", not done"], values[who.Name+", below what is proved"] = 0, 0
		if spans[k] < (1-1e-6)*to.bound {
			values[who.Name+", below what is proved"] = 1
		}
		if to.length > 0 {
			values[who.Name+", above the "+against] = 100 * (spans[k]/to.length - 1)
		}
	}
	return values, nil
}

// known returns the best known length of the number-th graph g on equal processors, or if there is none a lower
// bound of it, and which of the two it is: "best known" or "bound". machines must have a count.
func (f *Files) known(g *workload.Subtasks, number int, machines json.RawMessage) (to known, kind string,
	err error,
) {
	var equal struct {
		Count int `json:"count"`
	}
	if err := json.Unmarshal(machines, &equal); err != nil || equal.Count < 1 {
		return to, "", errors.New("machines has no count: lengths are known on so many equal processors")
	}
	if number < len(f.Names) {
		if one := f.Best.of(f.Names[number], equal.Count); one.length > 0 {
			return one, "best known", nil
		}
	}
	p, err := plan.Uniform(g.Graph(), equal.Count, 0, 0)
	if err != nil {
		return to, "", fmt.Errorf("graph %d: %w", number+1, err)
	}
	return known{p.Bound(), p.Bound()}, "bound", nil
}

// one is a source that passes on only one graph of another source, the number-th from 0, and all records that are
// not graphs.
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

// Header returns that of the other source.
func (o *one) Header() workload.Header { return workload.HeaderOf(o.Source) }

// open opens the files as graphs.
func (f *Files) open() (workload.Source, error) {
	s, err := scenario.Parse([]byte(`{"v":1,"system":"static","workload":{"graphs":{}}}`))
	if err != nil {
		return nil, err
	}
	return f.Source(s)
}

// Graphs returns how many graphs the files have.
func (f *Files) Graphs() (n int, err error) {
	source, err := f.open()
	if err != nil {
		return 0, err
	}
	var r workload.Record
	for {
		switch err := source.Next(&r); {
		case errors.Is(err, io.EOF):
			return n, nil
		case err != nil:
			return 0, err
		case r.Kind == workload.GraphArrives:
			n++
		}
	}
}

// graph returns the number-th graph, from 0; nil if there are fewer.
func (f *Files) graph(number int) (*workload.Subtasks, error) {
	source, err := f.open()
	if err != nil {
		return nil, err
	}
	only := &one{Source: source, number: number}
	var r workload.Record
	for {
		switch err := only.Next(&r); {
		case errors.Is(err, io.EOF):
			return nil, nil
		case err != nil:
			return nil, err
		case r.Kind == workload.GraphArrives:
			return r.Graph.Subtasks, nil
		}
	}
}

// alone plays the number-th graph of the files alone and returns its response time in seconds; 0 if it was not done
// within 30 days.
func (f *Files) alone(c contender, machines json.RawMessage, number int) (float64, error) {
	s, err := scenario.Parse(fmt.Appendf(nil,
		`{"v":1,"system":%q,"seed":1,"settings":%s,"until":"30d","workload":{"graphs":{"machines":[%s],"deadline_factor":20}}}`, c.System, c.Settings, machines))
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
	for at := unit.Minute; !r.Done() && r.View().GraphTotals().Done == 0 &&
		r.View().GraphTotals().Aborted == 0; at += max(unit.Minute, at/4) {
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

// shortest returns the least positive value, or 0 if there is none.
func shortest(spans []float64) (length float64) {
	for _, x := range spans {
		if x > 0 && (length == 0 || x < length) {
			length = x
		}
	}
	return length
}
