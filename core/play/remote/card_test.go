package remote_test

import (
	"math"
	"slices"
	"testing"

	"parley/core/message"
	"parley/core/play/remote"
	"parley/core/run"
	"parley/core/testkit/runtest"
	"parley/core/unit"
	"parley/core/workload"
)

// TestCard: a card lists tasks of production first, then those that request most CPU,
// of equal ones those that came last; sixty of them, and how many more there are.
func TestCard(t *testing.T) {
	task := func(i int, class workload.PriorityClass, cpu unit.Share) workload.Record {
		var usage workload.UsageModel
		usage.Mean[unit.CPU], usage.Mean[unit.Memory] = workload.Ratio(0.5), workload.Ratio(0.25)
		return workload.Record{Kind: workload.TaskArrives, Key: workload.Key{Job: 1, Index: uint32(i)}, Task: workload.Task{
			Request: unit.Vec{unit.CPU: cpu, unit.Memory: 4000}, Class: class, Lifetime: unit.Hour, Usage: usage,
		}}
	}
	of := func(tasks ...workload.Record) message.Card {
		node := workload.Node{Capacity: unit.Vec{unit.CPU: unit.Whole, unit.Memory: unit.Whole / 2}, Rack: -1, Site: -1}
		source := runtest.Records(append([]workload.Record{{Kind: workload.NodeJoins, Machine: 1, Node: node}, {Kind: workload.NodeJoins, Machine: 2, Node: node}}, tasks...))
		r, err := run.Open(runtest.Parse(t, `{"v":1,"system":"central","settings":{"policy":"first-fit"},"until":"10m"}`), &source)
		if err != nil {
			t.Fatal(err)
		}
		runtest.Advance(t, r, unit.Second)
		return remote.Card(r.View(), 0)
	}
	card := of(task(0, workload.Batch, 1000), task(1, workload.Batch, 3000), task(2, workload.Production, 1000), task(3, workload.Batch, 3000), task(4, workload.Production, 2000))
	names := []string{}
	for _, one := range card.Tasks {
		names = append(names, one.Name)
		if one.Production != slices.Contains([]string{"1-2", "1-4"}, one.Name) || one.ID == "" {
			t.Errorf("%+v", one)
		}
	}
	if want := []string{"1-4", "1-2", "1-3", "1-1", "1-0"}; !slices.Equal(names, want) || card.More != 0 {
		t.Errorf("%v and %d more, want %v", names, card.More, want)
	}
	near := func(x, want float64) bool { return math.Abs(x-want) < 1e-4 }
	if !near(card.Requested[unit.CPU], 0.01) || !near(card.Requested[unit.Memory], 0.04) || !near(card.Used[unit.CPU], 0.005) || card.Capacity[unit.CPU] != 1 || card.Capacity[unit.Memory] != 0.5 || !card.Up || card.Node != 0 {
		t.Errorf("%+v", card)
	}
	if used := card.Tasks[0].Used; !near(used[unit.CPU], 0.001) || !near(used[unit.Memory], 0.002) {
		t.Errorf("the first task uses %v of its node", used)
	}
	for tasks, more := range map[int]int{60: 0, 61: 1} {
		var all []workload.Record
		for i := range tasks {
			all = append(all, task(i, workload.Batch, 1000))
		}
		if card := of(all...); len(card.Tasks) != 60 || card.More != more {
			t.Errorf("of %d tasks %d are listed, and %d more", tasks, len(card.Tasks), card.More)
		}
	}
}
