package board_test

import (
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"parley/core/cluster"
	"parley/core/graph"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/testkit/systemtest"
	"parley/core/unit"
	"parley/core/workload"
)

// listed is a workload that a test wrote down.
type listed struct{ records []workload.Record }

func (l *listed) Next(r *workload.Record) error {
	if len(l.records) == 0 {
		return io.EOF
	}
	*r = l.records[0]
	l.records = l.records[1:]
	return nil
}

func (l *listed) Header() workload.Header { return workload.Header{Shape: workload.ShapeGraphs} }

// machine adds a machine that computes so much a second of each type and sends so
// many bytes a second.
func (l *listed) machine(channel unit.Bytes, speeds ...float64) {
	w := &workload.Worker{Channel: channel}
	for _, s := range speeds {
		w.Speeds = append(w.Speeds, unit.WorkOf(s))
	}
	n := workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1, Worker: w}
	l.records = append(l.records, workload.Record{Kind: workload.NodeJoins, Machine: uint64(len(l.records)), Node: n})
}

// post adds a graph whose types are named 0, 1 …
func (l *listed) post(t testing.TB, at unit.Time, g *graph.Graph, deadline unit.Time, bonus unit.Money) {
	kinds := func(name string) (n workload.SubtaskType) {
		_, _ = fmt.Sscan(name, &n)
		return n
	}
	s, err := workload.NewSubtasks(g, kinds, nil)
	if err != nil {
		t.Fatal(err)
	}
	l.records = append(l.records, workload.Record{
		At: at, Kind: workload.GraphArrives, Key: workload.Key{Job: uint64(len(l.records))}, Graph: &workload.Graph{Subtasks: s, Deadline: deadline, Bonus: bonus},
	})
}

// play runs a workload for so long and returns the run. Its schedule must pass the
// checker, and its bonuses sum to the offers of the graphs that were met.
func (l *listed) play(t testing.TB, settings string, until unit.Time, faults ...scenario.Fault) *run.Run {
	t.Helper()
	r, err := l.open(settings, until, faults...)
	if err == nil {
		err = r.Advance(until)
	}
	if err == nil {
		err = r.Audit()
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (l *listed) open(settings string, until unit.Time, faults ...scenario.Fault) (r *run.Run, err error) {
	s := &scenario.Scenario{V: 1, System: "board", Seed: 1, Settings: json.RawMessage(settings), Until: scenario.Duration(until), Faults: faults}
	s.Workload.Scale, s.Cluster.Keep, s.Cluster.Nodes = 1, 1, 10
	follow := &follower{}
	r, err = run.Open(s, l, run.KeepNotes(10_000), run.Watch(follow))
	if err == nil {
		view := r.View()
		follow.Schedule = systemtest.Schedule{OnePort: true, Machine: view.Worker, Graph: func(id unit.GraphID) (workload.Graph, bool) {
			g, ok := view.Graph(id)
			return g.Graph, ok
		}}
		followers[r] = follow
	}
	return r, err
}

// follower holds the checker to a run.
type follower struct {
	systemtest.Schedule
	err error
}

// followers finds the checker of a run.
var followers = map[*run.Run]*follower{}

// Observe implements run.Observer.
func (f *follower) Observe(e cluster.Event) {
	if f.err == nil {
		f.err = f.Schedule.Observe(e)
	}
}

// verdict returns what the checker found wrong with a run.
func verdict(r *run.Run) error {
	f := followers[r]
	delete(followers, r)
	report := r.Report().System
	switch {
	case f.err != nil:
		return f.err
	case report["graphs_met"] != int64(f.Met):
		return fmt.Errorf("%v graphs are reported met, the events tell of %d", report["graphs_met"], f.Met)
	case report["bonus_offered"] != f.Offers.Float():
		return fmt.Errorf("graphs that were met offered %v, the events tell of %v", report["bonus_offered"], f.Offers.Float())
	}
	return nil
}

// story returns the notes of a run, the oldest first.
func story(r *run.Run) (text string) {
	lines := r.Lines(unit.NoNode, 1000)
	for i := len(lines) - 1; i >= 0; i-- {
		text += fmt.Sprintf("%v %s\n", lines[i].At, lines[i].Text)
	}
	return text
}
