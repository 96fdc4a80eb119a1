package central

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/unit"
	"parley/core/workload"
)

// TestMemoAsPlainSearch: a search in a memo chooses, draws, moves on and tells the best nodes like one that looks at
// each node, while nodes fill up, empty again, and tasks of six kinds come.
func TestMemoAsPlainSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := cluster.New(cluster.Default(), des.New())
		nodes := rapid.SampledFrom([]int{1, 31, 101, 130, 333, 700}).Draw(t, "nodes")
		for i := range nodes {
			c.Join(uint64(i), workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole / unit.Share(1+i%3)}, Rack: -1, Site: -1})
		}
		settings := Default()
		settings.Policy, settings.Admission = "kube", "request"
		profile, _ := settings.profile()
		profile.Percentage = rapid.SampledFrom([]int{0, 5, 30, 100}).Draw(t, "percentage")
		policies := [2]*sampled{} // by a memo, and the plain one
		for i := range policies {
			policies[i] = &sampled{book: newBook(c.View(), newLimits(&settings)), profile: profile, random: rng.New(1, "ties")}
		}
		var kinds [6]workload.Task
		for i := range kinds {
			size := rapid.SampledFrom([]unit.Share{unit.Whole / 50, unit.Whole / 7, unit.Whole / 3, unit.Whole - 1})
			kinds[i].Request = unit.Vec{size.Draw(t, "cpu"), size.Draw(t, "memory")}
		}
		all := func(unit.NodeID) bool { return true }
		var running []unit.TaskID
		for step := range rapid.SampledFrom([]int{1, 40, 600}).Draw(t, "steps") {
			id := c.Submit(workload.Key{Index: uint32(step)}, &kinds[rapid.IntRange(0, step/20%6).Draw(t, "kind")])
			task, _ := c.View().Task(id)
			limits := newLimits(&settings)
			d := limits.demand(id, &task)
			n, want := policies[0].choose(&d), policies[1].scan(&d, all)
			if n != want || policies[0].start != policies[1].start || policies[0].looked != policies[1].looked {
				t.Fatalf("step %d: node %d and a start at %d, want node %d and %d", step, n, policies[0].start, want, policies[1].start)
			}
			if got, plain := policies[0].best(&d, 5), policies[1].best(&d, 5); !slices.Equal(got, plain) {
				t.Fatalf("step %d: the best nodes are %v, want %v", step, got, plain)
			}
			if n != unit.NoNode {
				if err := c.Place(id, n, limits.check); err != nil {
					t.Fatal(err)
				}
				running = append(running, id)
			}
			changed := []unit.NodeID{n}
			if len(running) > 0 && rapid.IntRange(0, 9).Draw(t, "end") == 0 {
				i := rapid.IntRange(0, len(running)-1).Draw(t, "task")
				ended, _ := c.View().Task(running[i])
				changed = append(changed, ended.Node)
				c.End(running[i], workload.Finished)
				running = slices.Delete(running, i, i+1)
			}
			for _, p := range policies {
				for _, n := range changed {
					p.touch(n)
				}
			}
		}
	})
}
