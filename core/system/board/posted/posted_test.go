package posted_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/graph"
	"parley/core/rng"
	"parley/core/system/board/posted"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/unit"
	"parley/core/workload"
)

// drawn returns a posted graph of a random shape.
func drawn(t *rapid.T) *posted.Task {
	r := graph.Recipe{
		Shape: graph.Shape(rapid.SampledFrom(graph.Shapes()).Draw(t, "shape")), Vertices: rapid.IntRange(1, 20).Draw(t, "vertices"),
		Width: 3, Needs: 3, Types: []string{"a", "b"}, Work: [2]float64{1, 9},
	}
	kinds := func(name string) workload.SubtaskType { return workload.SubtaskType(strings.Index("ab", name)) }
	s, err := workload.NewSubtasks(r.Generate(rng.New(rapid.Uint64().Draw(t, "seed"), "posted")), kinds, nil)
	if err != nil {
		t.Fatal(err)
	}
	return posted.New(s, unit.Hour)
}

// TestWhatIsKept: counts, ends, what is ready and their types agree with the states after
// every change, and labels are the earliest of those who took a successor.
func TestWhatIsKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := drawn(t)
		for range rapid.IntRange(0, 60).Draw(t, "changes") {
			v := int32(rapid.IntRange(0, task.Graph.Len()-1).Draw(t, "vertex"))
			switch task.State(v) {
			case posted.Open:
				task.Take(7, []int32{v}, []unit.Time{unit.Time(rapid.IntRange(0, 99).Draw(t, "start"))})
			case posted.Taken:
				if rapid.Bool().Draw(t, "done") {
					task.Finish(v)
				} else {
					task.Release(v)
				}
			case posted.Done:
				task.Release(v)
			}
			if err := task.Audit(); err != nil {
				t.Fatal(err)
			}
		}
		var ends, ready posted.Kinds
		for _, v := range task.Ends() {
			ends |= posted.KindOf(task.Graph.Subtask(v).Type)
		}
		for _, v := range task.Ready() {
			ready |= posted.KindOf(task.Graph.Subtask(v).Type)
		}
		if ends != task.EndKinds() || ready != task.ReadyKinds() {
			t.Fatalf("ends are of types %b, kept %b; what is ready of %b, kept %b", ends, task.EndKinds(), ready, task.ReadyKinds())
		}
		for v := range int32(task.Graph.Len()) {
			want, is := unit.Forever, false
			first, end := task.Graph.Out(v)
			for a := first; a < end; a++ {
				if to := task.Graph.Arc(a).To; task.State(to) == posted.Taken {
					want, is = min(want, task.Start(to)), true
				}
			}
			if first == end {
				want, is = task.Deadline, true
			}
			if at, labelled := task.Due(v); labelled != is || is && at != want {
				t.Fatalf("vertex %d is needed at %v (%v), not at %v (%v)", v, at, labelled, want, is)
			}
		}
	})
}

// TestNobodyTakesTwice: taking what is taken is a broken invariant.
func TestNobodyTakesTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := drawn(t)
		task.Take(1, []int32{0}, []unit.Time{0})
		defer func() {
			if recover() == nil {
				t.Fatal("vertex 0 was taken twice")
			}
		}()
		task.Take(2, []int32{0}, []unit.Time{0})
	})
}
