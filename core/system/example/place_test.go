package example_test

import (
	"encoding/json"
	"testing"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/frame"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/example"
	"parley/core/unit"
	"parley/core/workload"
)

// TestPlace: the task goes to the least loaded of the nodes that are drawn; of equally
// loaded ones to the first that was looked at.
func TestPlace(t *testing.T) {
	k := des.New()
	c := cluster.New(cluster.Default(), k)
	for m := range uint64(3) {
		c.Join(m, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1})
	}
	var notes []system.Note
	var stream *rng.Stream
	s, err := example.New(system.Env{
		Clock: k, View: c.View(), Acts: c, Note: func(n system.Note) { notes = append(notes, n) },
		Rand: func(name string) *rng.Stream { stream = rng.New(1, name); return rng.New(1, name) },
	}, json.RawMessage(`{"choices":3}`))
	if err != nil {
		t.Fatal(err)
	}
	const all = 65535 // of what it requests
	var drawn [3]int
	for i, cpu := range []unit.Share{300_000, 200_000, 100_000, 50_000} {
		id := c.Submit(workload.Key{Job: uint64(i)}, &workload.Task{
			Request: unit.Vec{cpu, 1000}, Usage: workload.UsageModel{Mean: [unit.Resources]uint16{all, all}},
		})
		minimum := unit.NoNode
		for range 3 {
			n := unit.NodeID(stream.Intn(3))
			drawn[n]++
			if minimum == unit.NoNode || c.View().Used(n)[unit.CPU] < c.View().Used(minimum)[unit.CPU] {
				minimum = n
			}
		}
		if err := c.Deliver(s.On); err != nil {
			t.Fatal(err)
		}
		if task, _ := c.View().Task(id); task.Node != minimum {
			t.Errorf("task %d is on node %d, want %d", i, task.Node, minimum)
		}
		if n := notes[i]; len(notes) != i+1 || n.Ref != uint32(i+1) || n.Node != minimum || n.Value != 3 {
			t.Errorf("note %d is %+v", i, n)
		}
	}
	var probes [1]float64
	s.(system.MetricSource).Measure(probes[:])
	var cells [3]byte
	s.(system.LayerSource).FillLayer(0, cells[:])
	for n, times := range drawn {
		if want := byte(times * frame.FullScale / 100); probes[0] != 3 || cells[n] != want {
			t.Errorf("%v probes for a task; the layer of node %d is %d, want %d", probes[0], n, cells[n], want)
		}
	}
}
