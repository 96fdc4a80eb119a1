package systemtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/graph"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// graphTrial is a sequence of events for machines and task graphs, independent of the scheduler.
type graphTrial struct {
	seed     uint64
	onePort  bool
	machines []workload.Worker
	steps    []graphStep
}

// graphStep is one act, after a delay.
type graphStep struct {
	After  unit.Time
	Do     graphDeed
	Which  int // node, graph or agent
	Amount int // 0 … 99
}

type graphDeed int

const (
	graphArrives graphDeed = iota
	graphEnds
	machineLeaves
	machineReturns
	machineLearns // another description of it
	agentFails
)

// types is the number of types of subtasks in trials.
const types = 3

// graphTrials draws them. The first two machines can do every type.
var graphTrials = rapid.Custom(func(t *rapid.T) graphTrial {
	s := graphTrial{seed: rapid.Uint64().Draw(t, "seed"), onePort: rapid.Bool().Draw(t, "one port")}
	for i := range rapid.IntRange(2, 6).Draw(t, "machines") {
		w := workload.Worker{
			Channel:     unit.Bytes(rapid.SampledFrom([]int{0, 1000, 5000}).Draw(t, "channel")),
			CommLatency: unit.Time(rapid.IntRange(0, 1).Draw(t, "latency")) * unit.Second,
		}
		lowest := 0
		if i < 2 {
			lowest = 1
		}
		for range types {
			w.Speeds = append(w.Speeds, unit.Work(rapid.IntRange(lowest, 3).Draw(t, "speed"))*unit.WorkUnit)
		}
		s.machines = append(s.machines, w)
	}
	bag := []graphDeed{
		graphArrives, graphArrives, graphArrives, graphArrives, graphEnds, machineLeaves, machineLeaves,
		machineReturns, machineReturns, machineLearns, agentFails,
	}
	for range rapid.SampledFrom([]int{1, 10, 30}).Draw(t, "steps") {
		s.steps = append(s.steps, graphStep{
			After: rapid.SampledFrom([]unit.Time{
				0, unit.Millisecond, unit.Second, 7 * unit.Second,
				40 * unit.Second,
			}).Draw(t, "after"),
			Do: rapid.SampledFrom(bag).Draw(t, "do"), Which: rapid.IntRange(0, 1000).Draw(t, "which"),
			Amount: rapid.IntRange(0, 99).Draw(t, "amount"),
		})
	}
	return s
})

// Graphs checks a system that supports task graphs against the contract with random trials: graphs
// arrive and are cancelled, machines fail, return and change their abilities, agents fail. Every
// schedule passes Schedule, the sums agree after every event, time advances, the same trial gives
// the same digest with and without a listener, and some time after all faults are repaired no graph
// is open.
func Graphs(t *testing.T, entry system.Entry, settings json.RawMessage, trials int) {
	t.Helper()
	Cases(t, trials)
	rapid.Check(t, func(t *rapid.T) {
		s := graphTrials.Draw(t, "trial")
		var out [3]outcome
		for i := range out {
			var err error
			if out[i], err = playGraphs(s, entry, settings, i > 0); err != nil {
				t.Fatal(err)
			}
		}
		if out[0].digest != out[1].digest || out[1] != out[2] {
			t.Fatalf("the same trial gave %v, and heard %v and %v", out[0], out[1], out[2])
		}
	})
}

func playGraphs(s graphTrial, entry system.Entry, settings json.RawMessage, listen bool) (outcome, error) {
	w := newWorld(trial{seed: s.seed}, entry.Description)
	physical := cluster.Default()
	if !s.onePort {
		physical.Transfers = cluster.ContentionFree
	}
	w.cluster = recorded(cluster.New(physical, w.kernel), w.kernel)
	view := w.cluster.View()
	w.schedule = &Schedule{
		Graph:   func(id unit.GraphID) (workload.Graph, bool) { g, _, ok := view.Submitted(id); return g, ok },
		Machine: view.Worker, OnePort: s.onePort,
	}
	return w.play(entry, settings, listen, func() error { return w.liveGraphs(s) })
}

// graphAftermath is the time that a system has to finish the open graphs.
const graphAftermath = 2 * unit.Hour

// liveGraphs plays the trial, repairs all faults, and leaves time to recover.
func (w *world) liveGraphs(s graphTrial) error {
	for i := range s.machines {
		w.describe(i, s.machines[i])
	}
	if err := w.settle(); err != nil {
		return fmt.Errorf("when the machines join: %w", err)
	}
	var ids []unit.GraphID
	for i := range s.steps {
		now := &s.steps[i]
		if err := w.pass(w.kernel.Now() + now.After); err != nil {
			return fmt.Errorf("before step %d: %w", i, err)
		}
		n := unit.NodeID(now.Which % len(s.machines))
		switch now.Do {
		case graphArrives:
			id, err := w.cluster.SubmitGraph(workload.Key{Job: uint64(i)}, now.graph(s.seed, i))
			if err != nil {
				return err
			}
			ids = append(ids, id)
		case graphEnds:
			if len(ids) > 0 {
				w.cluster.EndGraph(ids[now.Which%len(ids)], workload.Killed)
			}
		case machineLeaves:
			w.cluster.Leave(n)
		case machineReturns:
			w.cluster.Restore(n)
		case machineLearns:
			changed := s.machines[n]
			if int(n) >= 2 && w.cluster.View().Up(n) {
				changed.Speeds = []unit.Work{unit.Work(now.Amount%3) * unit.WorkUnit, unit.WorkUnit}
				w.describe(int(n), changed)
			}
		case agentFails:
			w.disturb(&step{Which: now.Which, Amount: now.Amount})
		}
		if err := w.settle(); err != nil {
			return fmt.Errorf("in step %d: %w", i, err)
		}
	}
	w.repairAgents()
	if err := w.settle(); err != nil {
		return fmt.Errorf("when all is mended: %w", err)
	}
	if err := w.pass(w.kernel.Now() + graphAftermath); err != nil {
		return fmt.Errorf("when all was mended: %w", err)
	}
	if t := w.cluster.View().GraphTotals(); t.Open > 0 {
		return fmt.Errorf("%d of %d graphs are open %v after all was mended: %d subtasks wait, %d are queued",
			t.Open, t.Arrived, graphAftermath, t.Waiting, t.Queued)
	}
	return errors.Join(w.ledger.Compare(w.cluster.View()), w.cluster.Audit())
}

// describe lets a machine join, or changes its description.
func (w *world) describe(i int, machine workload.Worker) {
	w.cluster.Join(uint64(1000+i), workload.Node{
		Capacity: unit.Vec{unit.CPU: unit.Whole, unit.Memory: unit.Whole},
		Rack:     -1, Site: -1, Worker: &machine,
	})
}

// graph returns the graph that a step submits.
func (s *graphStep) graph(seed uint64, n int) *workload.Graph {
	shapes := graph.Shapes()
	recipe := graph.Recipe{
		Shape: graph.Shape(shapes[s.Which%len(shapes)]), Vertices: 1 + s.Amount%15, Width: 3, Needs: 2,
		Types: []string{"0", "1", "2"}[:1+s.Which%types], Work: [2]float64{0, 20}, Bytes: [2]float64{0, 4000},
	}
	g := recipe.Generate(rng.New(seed+uint64(n), "systemtest/graph"))
	var home []workload.GraphArc
	if s.Amount%2 == 0 {
		home = []workload.GraphArc{
			{From: workload.Home, To: 0, Bytes: 500},
			{From: int32(g.Len() - 1), To: workload.Home, Bytes: 800},
		}
	}
	tasks, err := workload.NewSubtasks(g,
		func(name string) workload.SubtaskType { return workload.SubtaskType(name[0] - '0') }, home)
	if err != nil {
		panic("systemtest: " + err.Error())
	}
	return &workload.Graph{
		Subtasks: tasks, Deadline: unit.Time(s.Amount/10) * 20 * unit.Second, Bonus: unit.MoneyUnit,
		User: uint32(s.Amount % 3),
	}
}
