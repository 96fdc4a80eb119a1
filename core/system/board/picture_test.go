package board_test

import (
	"slices"
	"strings"
	"testing"

	"parley/core/cluster"
	"parley/core/unit"
)

// TestPicture: the list, the picture and the facts of a graph that two of three
// resources work on, its beginning done, and of one that is over.
func TestPicture(t *testing.T) {
	w := listed{}
	for range 3 {
		w.machine(0, 1)
	}
	w.post(t, 0, fork(), unit.Hour, 1)
	r, err := w.open(`{"thread_rule":"ready"}`, unit.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for p, known := r.Graph(1); !known || p.Agents[0] > -2; p, known = r.Graph(1) { // until its beginning is done
		if err := r.Advance(r.Now() + unit.Second); err != nil || r.Now() > unit.Hour/2 {
			t.Fatalf("%v: %v %v", r.Now(), p, err)
		}
	}
	p, _ := r.Graph(1)
	if !slices.Equal(p.Depth, []int32{0, 1, 1, 1}) || !slices.Equal(p.From, []int32{0, 0, 0}) || !slices.Equal(p.To, []int32{1, 2, 3}) {
		t.Errorf("the picture is %+v", p)
	}
	list, rest := r.Graphs(5)
	if len(list) != 1 || rest != 0 || list[0].Subtasks != 4 || list[0].Deadline != unit.Hour || list[0].Agents < 1 || list[0].State != "working" || list[0].Done != 1 || list[0].Taken+list[0].Done > 4 {
		t.Errorf("the list is %+v and %d more", list, rest)
	}
	if list, rest := r.Graphs(0); len(list) != 0 || rest != 1 {
		t.Errorf("of no graph asked for %d are listed, and %d more", len(list), rest)
	}
	node := unit.NodeID(-2 - p.Agents[0])
	report, err := r.Inspect(node)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, f := range report.Facts {
		told = append(told, f.Name+": "+f.Value)
	}
	for _, want := range []string{"Agent: works", "Graph: 1", "Thread: a → x", "Done of it: 1 of 2"} {
		if !slices.Contains(told, want) {
			t.Errorf("of node %d nobody tells %q but\n%s", node, want, strings.Join(told, "\n"))
		}
	}
	if err := r.Advance(unit.Hour); err != nil {
		t.Fatal(err)
	}
	if _, known := r.Graph(1); known {
		t.Error("a graph that is over is drawn")
	}
	if report, err = r.Inspect(node); err != nil {
		t.Fatal(err)
	}
	told = nil
	for _, f := range report.Facts {
		told = append(told, f.Name+": "+f.Value)
	}
	for _, want := range []string{
		"Why no thread: no graph is on a board",
		"Before: graph 1, a → x: of the threads whose inputs were there and that it could finish in time, the longest; all are done",
	} {
		if !slices.Contains(told, want) {
			t.Errorf("of node %d nobody tells %q when all is over but\n%s", node, want, strings.Join(told, "\n"))
		}
	}
	counts := map[cluster.Kind]int{}
	events, whole := r.Timeline()
	for _, e := range events {
		counts[e.Kind]++
		if e.Kind == cluster.ChunkDone && (e.Group != 1 || e.Value != 10) {
			t.Errorf("done is %+v", e)
		}
	}
	if !whole || counts[cluster.LoadArrived] != 1 || counts[cluster.ChunkSent] != 4 || counts[cluster.ChunkStarted] != 4 || counts[cluster.ChunkDone] != 4 || counts[cluster.ChunkLost] != 0 {
		t.Errorf("the timeline has %v", counts)
	}
	if err := verdict(r); err != nil {
		t.Error(err)
	}
}

// What an agent has finished of its thread is done, though its board does not hear of it
// before all of the thread is.
func TestProgressWithinAThread(t *testing.T) {
	w := listed{}
	w.machine(0, 1)
	w.post(t, 0, fork(), unit.Hour, 1)
	r, err := w.open(`{"thread_rule":"safe"}`, unit.Hour)
	if err != nil {
		t.Fatal(err)
	}
	within := false
	for r.Now() < unit.Hour/2 {
		if err := r.Advance(r.Now() + unit.Second); err != nil {
			t.Fatal(err)
		}
		list, _ := r.Graphs(1)
		if len(list) == 0 {
			break
		}
		p, _ := r.Graph(1)
		drawn := 0
		for _, agent := range p.Agents {
			if agent < -1 {
				drawn++
			}
		}
		if list[0].Done != drawn || list[0].Taken+list[0].Done > list[0].Subtasks {
			t.Fatalf("%v: %d of %+v are drawn as done", r.Now(), drawn, list[0])
		}
		within = within || list[0].Done > 0 && list[0].Taken > 0
	}
	if !within {
		t.Error("no thread was seen half done")
	}
}
