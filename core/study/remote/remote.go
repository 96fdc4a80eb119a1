// Package remote answers the page's messages about a sweep: it reads the document, hands out
// missing runs, accepts results and draws the table. Package study defines these terms.
// The page plays the runs in a pool of workers.
//
//	d := remote.New(assets.Scenario)
//	answer := d.Answer(message.ReadSweep{Document: `{"v":1,"base":"google-cell"}`})
package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/core/cluster"
	"parley/core/message"
	"parley/core/study"
)

// maxSeed is the largest whole number that JavaScript's numbers hold exactly.
const maxSeed = 1<<53 - 1

// maxRuns is how many runs of a cell are told one by one.
const maxRuns = 100

// Desk keeps a sweep and its results. A result is known by the content of its run, so
// results stay when the sweep is changed.
type Desk struct {
	named func(string) ([]byte, bool) // scenarios that a base can name
	sweep *study.Study
	have  *study.Results
	lines []byte // of all results, as files have them
	queue *study.Queue
	under map[string]study.Run // way
}

// New returns a desk without a sweep.
func New(named func(string) ([]byte, bool)) *Desk {
	return &Desk{named: named, have: study.NewResults(cluster.Engine)}
}

// Answer handles a message and returns the answer: one to each message.
func (d *Desk) Answer(m message.Message) message.Message {
	answer, err := d.answer(m)
	if err != nil {
		return message.NewTrouble{Trouble: message.Trouble{Class: "setting", Sentence: err.Error()}}
	}
	return answer
}

// answer handles one message; its error becomes the answer. All messages but ReadSweep need a sweep.
func (d *Desk) answer(m message.Message) (message.Message, error) {
	if m, ok := m.(message.ReadSweep); ok {
		return d.read(m)
	}
	if d.sweep == nil {
		return nil, errors.New("there is no sweep yet: write or open one")
	}
	switch m := m.(type) {
	case message.ReadResults:
		return d.merge(m)
	case message.TakeRuns:
		return d.take(m.Runs)
	case message.RunDone:
		if err := d.done(m); err != nil {
			return nil, err
		}
		return d.take(m.Runs)
	case message.Cancel:
		d.queue = nil
		return message.Cancelled{}, nil
	case message.TabulateSweep:
		return d.tabulate(m.Metric)
	case message.LookAtCell:
		return d.look(m.Cell)
	case message.SaveSweep:
		return d.save(m.Content)
	}
	return nil, fmt.Errorf("a sweep has no answer to %s", m.Kind())
}

// read replaces the sweep by the one of a document, which must be playable in a browser: a scenario as its base,
// known systems and settings, and seeds that JavaScript represents exactly. Results stay.
func (d *Desk) read(m message.ReadSweep) (message.Message, error) {
	s, err := study.Parse([]byte(m.Document), d.named)
	if err != nil {
		return nil, err
	}
	if s.Base == nil {
		return nil, fmt.Errorf("the sweep calls the function %q, which no page does: play it on the command line",
			s.Function)
	}
	settings := map[string][]string{}
	for _, each := range m.Systems {
		settings[each.ID] = each.Settings
	}
	for _, id := range s.Systems() {
		if settings[id] == nil {
			return nil, fmt.Errorf("there is no system %q; there are %s",
				id, strings.Join(slices.Sorted(maps.Keys(settings)), ", "))
		}
	}
	err = s.CheckSettings(func(id, setting string) bool {
		return slices.ContainsFunc(settings[id],
			func(own string) bool { return own == setting || strings.HasPrefix(own, setting+".") })
	})
	if err != nil {
		return nil, err
	}
	for _, seed := range s.Seeds {
		if seed > maxSeed {
			return nil, fmt.Errorf("seeds has %d: a browser counts to %d; play it on the command line", seed,
				uint64(maxSeed))
		}
	}
	d.sweep, d.queue = s, nil
	return d.described(), nil
}

// described returns the sweep for the page. Nodes is the size of the largest cluster that it plays.
func (d *Desk) described() message.SweepRead {
	s := d.sweep
	out := message.SweepRead{
		Name: s.Name, Runs: s.Runs(), Seeds: len(s.Seeds), Groups: []message.SweepAxis{},
		Files: []string{},
	}
	for _, g := range s.Groups() {
		axis := message.SweepAxis{Values: make([]string, len(g[0].Values))}
		var names []string
		for _, a := range g {
			names = append(names, a.Path)
			for i, v := range a.Values {
				if axis.Values[i] != "" {
					axis.Values[i] += ", "
				}
				axis.Values[i] += study.Value{Value: v}.Text()
			}
		}
		axis.Name = strings.Join(names, ", ")
		out.Groups = append(out.Groups, axis)
	}
	if c := s.Compare; c != nil {
		out.Compare = c.Axis + " " + study.Value{Value: c.With}.Text()
	}
	switch {
	case s.Search != nil:
		out.Goal = "search"
	case s.Stop != nil:
		out.Goal = "stop"
	}
	out.Nodes = s.Base.Cluster.Nodes
	for _, a := range s.Axes {
		for _, v := range a.Values {
			var nodes int
			if a.Path == "cluster.nodes" && json.Unmarshal(v, &nodes) == nil {
				out.Nodes = max(out.Nodes, nodes)
			}
		}
	}
	for _, file := range s.Base.Workload.Trace {
		out.Files = append(out.Files, file.SHA256)
	}
	return out
}

// merge adds the results of a file, all of them or, after an error, none, and answers with the table. A queue in
// progress is dropped: it did not count them.
func (d *Desk) merge(m message.ReadResults) (message.Message, error) {
	whole, err := study.NewResults(d.have.Engine).Read(m.Name, strings.NewReader(m.Text))
	if err != nil {
		return nil, err
	}
	if _, err := d.have.Read(m.Name, strings.NewReader(m.Text)); err != nil {
		old := study.NewResults(d.have.Engine)
		if _, broken := old.Read("this page", bytes.NewReader(d.lines)); broken != nil {
			return nil, errors.Join(err, broken)
		}
		d.have = old
		return nil, err
	}
	d.lines, d.queue = append(d.lines, m.Text[:whole]...), nil
	return d.tabulate("")
}

// take returns at most limit runs to play. Over means that no run is left or under way.
func (d *Desk) take(limit int) (message.Message, error) {
	if d.queue == nil {
		d.queue, d.under = study.NewQueue(d.sweep, d.have, study.Shard{Of: 1}), map[string]study.Run{}
	}
	out := message.RunsToPlay{Runs: []message.RunToPlay{}}
	for len(out.Runs) < limit {
		r, ok, err := d.queue.Take()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		text, err := json.Marshal(r.Scenario)
		if err != nil {
			return nil, err
		}
		d.under[r.ID] = r
		out.Runs = append(out.Runs, message.RunToPlay{ID: r.ID, Scenario: text, Where: d.where(r)})
	}
	out.Over = len(d.under) == 0
	return out, nil
}

// where names the cell and the seed of a run.
func (d *Desk) where(r study.Run) string {
	return strings.Join(append(d.cell(r.Cell), fmt.Sprint("seed ", r.Seed)), ", ")
}

func (d *Desk) cell(number int) (words []string) {
	for i, v := range d.sweep.Cell(number).Values {
		words = append(words, d.sweep.Axes[i].Path+" "+study.Value{Value: v}.Text())
	}
	return words
}

// done records the result of a run that take handed out; a run with Why failed, and has no result. Other runs
// are refused, as are results of another engine.
func (d *Desk) done(m message.RunDone) error {
	r, known := d.under[m.ID]
	if !known || d.queue == nil {
		return errors.New("that run was not asked for: begin again")
	}
	delete(d.under, m.ID)
	if m.Reason != "" {
		return d.queue.Done(r, true)
	}
	x, err := study.NewResult(r, m.Report, 0)
	if err != nil {
		return err
	}
	if x.Engine != d.have.Engine {
		return fmt.Errorf("the run was played by the engine %s, not by %s: load the page again",
			x.Engine, d.have.Engine)
	}
	x.WallS, x.At, x.Machine = m.WallS, d.sweep.Where(r), "a browser"
	line, err := x.Line()
	if err != nil {
		return err
	}
	if err := d.have.Add(x, "this page"); err != nil {
		return err
	}
	d.lines = append(d.lines, line...)
	return d.queue.Done(r, false)
}

// tabulate returns the table of a metric, or of the first one if the results do not have it.
func (d *Desk) tabulate(metric string) (message.Message, error) {
	t, err := d.sweep.Tabulate(d.have)
	if err != nil {
		return nil, err
	}
	out := message.SweepTable{
		Runs: t.Runs, Done: t.Done, Metrics: t.Metrics, Metric: metric,
		Cells: make([]message.CellFigure, len(t.Rows)), Notes: t.Notes,
	}
	if !slices.Contains(t.Metrics, metric) && len(t.Metrics) > 0 {
		out.Metric = t.Metrics[0]
	}
	for engine, n := range d.have.Others {
		out.Notes = append(out.Notes,
			fmt.Sprintf("%d results are of the engine %s and count for nothing here, which is %s", n, engine,
				d.have.Engine))
	}
	slices.Sort(out.Notes)
	for i, r := range t.Rows {
		c := &out.Cells[i]
		c.None, c.All = r.None, r.All
		if f, has := study.Find(r.Figures, out.Metric); has {
			c.Figure = figure(f)
		}
		if f, has := study.Find(r.Differences, out.Metric); has {
			c.Difference = difference(f)
		}
	}
	return out, nil
}

func figure(f study.Figure) *message.SweepFigure {
	return &message.SweepFigure{Name: f.Name, Estimate: message.EstimateOf(f.Estimate)}
}

// difference is the figure of a difference, with its verdict.
func difference(f study.Figure) *message.SweepFigure {
	return &message.SweepFigure{Name: f.Name, Estimate: message.DifferenceOf(f.Estimate)}
}

// look returns a cell of the table: its figures and its first mostRuns runs with their scenarios.
func (d *Desk) look(cell int) (message.Message, error) {
	if cell < 0 || cell >= d.sweep.Cells() {
		return nil, fmt.Errorf("the sweep has no cell %d", cell)
	}
	t, err := d.sweep.Tabulate(d.have)
	if err != nil {
		return nil, err
	}
	runs, err := d.sweep.RunsOf(cell, d.have, maxRuns)
	if err != nil {
		return nil, err
	}
	out := message.SweepCell{Cell: cell, Where: strings.Join(d.cell(cell), ", "), Figures: figures(t.Rows[cell].Figures,
		figure), Differences: figures(t.Rows[cell].Differences, difference), Runs: []message.CellRun{}}
	for _, r := range runs {
		text, err := json.Marshal(r.Scenario)
		if err != nil {
			return nil, err
		}
		one := message.CellRun{Seed: r.Seed, Scenario: text}
		if o := d.have.Get(r.ID); o != nil {
			one.Digest = o.Digest
		}
		out.Runs = append(out.Runs, one)
	}
	return out, nil
}

func figures(list []study.Figure, as func(study.Figure) *message.SweepFigure) []message.SweepFigure {
	out := []message.SweepFigure{}
	for _, f := range list {
		out = append(out, *as(f))
	}
	return out
}

// save returns a file for the user: the sweep, its results, or the table as CSV or, else, as JSON.
func (d *Desk) save(content string) (message.Message, error) {
	switch content {
	case "sweep":
		return message.SavedFile{Name: "sweep.json", MediaType: "application/json", Text: string(d.sweep.Encode())}, nil
	case "results":
		return message.SavedFile{Name: "results.jsonl", MediaType: "application/x-ndjson", Text: string(d.lines)}, nil
	}
	t, err := d.sweep.Tabulate(d.have)
	if err != nil {
		return nil, err
	}
	if content == "csv" {
		return message.SavedFile{Name: "table.csv", MediaType: "text/csv", Text: string(t.CSV())}, nil
	}
	text, err := t.Encode()
	return message.SavedFile{Name: "table.json", MediaType: "application/json", Text: string(text)}, err
}
