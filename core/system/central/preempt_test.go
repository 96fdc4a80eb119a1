package central_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/central"
	"parley/core/unit"
	"parley/core/workload"
)

// TestPreemptsAsScan: a task that comes, or loses its node or its place, runs at once if some
// node has room for it, or would have without its tasks of lower priority, also while a rack falls. Those stop that a look at every node by the
// README's rules names, and none if there was room.
func TestPreemptsAsScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRules.Draw(t, "rules")
		policy := rapid.SampledFrom([]string{"best-fit", "first-fit", "random", "kube"}).Draw(t, "policy")
		settings := bytes.Replace(r.settings(policy, ""), []byte(`"preempt":false`), []byte(`"preempt":true`), 1)
		w := newCell(t, settings, rapid.SampledFrom([]int{1, 4, 30, 90}).Draw(t, "nodes"))
		began := map[unit.TaskID]unit.Time{}
		hear := func() {
			err := w.c.Deliver(func(e cluster.Event) error {
				switch e.Kind {
				case cluster.TaskPlaced:
					began[e.Task] = e.At
				case cluster.TaskSubmitted, cluster.TaskDisplaced:
					if task, _ := w.v.Task(e.Task); task.State == cluster.Waiting {
						return w.compete(r, e, began)
					}
				}
				return w.system.On(e)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			n := unit.NodeID(rapid.IntRange(0, w.v.Nodes()-1).Draw(t, "node"))
			switch rapid.IntRange(0, 12).Draw(t, "step") {
			case 0:
				w.c.Resize(n, w.vec(t))
			case 1:
				if len(w.tasks) > 0 {
					w.c.Measure(rapid.SampledFrom(w.tasks).Draw(t, "task"), w.part(t, 7))
				}
			case 2:
				w.c.Leave(n)
			case 3:
				w.c.Restore(n)
			case 4: // a rack falls: all its nodes at once, and of what they lose one after the other is heard
				for i := range rapid.SampledFrom([]int{2, 5, 20}).Draw(t, "rack") {
					w.c.Leave((n + unit.NodeID(i)) % unit.NodeID(w.v.Nodes()))
				}
			case 5:
				for until := w.kernel.Now() + rapid.SampledFrom([]unit.Time{unit.Second, unit.Minute}).Draw(t, "for"); w.kernel.Step(until); {
					hear()
				}
			default:
				one := rapid.SampledFrom(w.kinds).Draw(t, "kind")
				one.Priority = uint8(rapid.IntRange(0, 3).Draw(t, "priority"))
				one.Request = one.Request.Add(one.Request).Add(one.Request)
				for range rapid.SampledFrom([]int{1, 1, 8}).Draw(t, "how many") {
					w.tasks = append(w.tasks, w.c.Submit(workload.Key{Index: uint32(len(w.tasks))}, &one))
				}
			}
			hear()
		}
	})
}

// compete lets the system hear of a task that comes, and compares what it does with
// what the rules say.
func (w *randomCell) compete(r rules, e cluster.Event, began map[unit.TaskID]unit.Time) error {
	came, _ := w.v.Task(e.Task)
	free := false
	minimum, victims := harm{}, map[unit.NodeID][]unit.TaskID{} // on the nodes where it does least harm
	for n := range unit.NodeID(w.v.Nodes()) {
		free = free || r.admits(w.v, e.Task, n)
		gone, helps := r.victims(w.v, e.Task, n, began)
		if !helps {
			continue
		}
		switch h := harmOf(w.v, gone, began); {
		case len(victims) == 0 || slices.Compare(h[:], minimum[:]) < 0:
			minimum, victims = h, map[unit.NodeID][]unit.TaskID{n: gone}
		case h == minimum:
			victims[n] = gone
		}
	}
	ran := map[unit.TaskID]bool{}
	for _, id := range w.tasks {
		task, alive := w.v.Task(id)
		ran[id] = alive && task.State == cluster.Running
	}
	if err := w.system.On(e); err != nil {
		return err
	}
	came, _ = w.v.Task(e.Task)
	if came.Node != unit.NoNode {
		began[e.Task] = e.At // before the news of it
	}
	if runs := came.Node != unit.NoNode; runs != (free || len(victims) > 0) {
		return fmt.Errorf("a task runs: %v; there was room: %v; preemption helps on %d nodes", runs, free, len(victims))
	}
	var want []unit.TaskID
	if !free && came.Node != unit.NoNode {
		gone, good := victims[came.Node]
		if !good {
			return fmt.Errorf("tasks stop on node %d, and least harm would be done on %v", came.Node, victims)
		}
		want = gone
	}
	for _, id := range w.tasks {
		if now, _ := w.v.Task(id); (ran[id] && now.State == cluster.Waiting) != slices.Contains(want, id) {
			return fmt.Errorf("task %d of priority %d on node %d: it ran: %v, now %v; those that should stop: %v", id.Slot(), now.Priority, now.Node, ran[id], now.State, want)
		}
	}
	return nil
}

// victims returns who leaves a node for a task, and whether that helps: of the tasks
// of lower priority as many stay as can, the most important first.
func (r rules) victims(v cluster.View, id unit.TaskID, n unit.NodeID, began map[unit.TaskID]unit.Time) (gone []unit.TaskID, helps bool) {
	came, _ := v.Task(id)
	for other := range v.Tasks(n) {
		if o, _ := v.Task(other); o.Priority < came.Priority {
			gone = append(gone, other)
		}
	}
	if !r.admitsWithout(v, id, n, gone) {
		return nil, false
	}
	slices.Reverse(gone) // who came first
	slices.SortStableFunc(gone, func(a, b unit.TaskID) int {
		ta, _ := v.Task(a)
		tb, _ := v.Task(b)
		return cmp.Or(cmp.Compare(tb.Priority, ta.Priority), cmp.Compare(began[a], began[b]))
	})
	for _, one := range slices.Clone(gone) {
		i := slices.Index(gone, one)
		if fewer := slices.Delete(slices.Clone(gone), i, i+1); r.admitsWithout(v, id, n, fewer) {
			gone = fewer
		}
	}
	return gone, len(gone) > 0
}

// harm is what nodes are compared by: the highest priority that stops, the sum of the
// priorities (each with 2³¹, as there), the number, and the earliest start of the
// highest priority, the later the better.
type harm [4]int64

func harmOf(v cluster.View, gone []unit.TaskID, began map[unit.TaskID]unit.Time) (h harm) {
	for _, id := range gone {
		t, _ := v.Task(id)
		h[0] = max(h[0], int64(t.Priority))
		h[1] += int64(t.Priority) + 1<<31
	}
	h[2], h[3] = int64(len(gone)), -1<<62
	for _, id := range gone {
		if t, _ := v.Task(id); int64(t.Priority) == h[0] {
			h[3] = max(h[3], -int64(began[id]))
		}
	}
	return h
}

// TestPreemptionLooksAtATenth: on a cell of 2,000 nodes where a task could preempt
// anywhere the search ends with the 200th node from a random one on, and the least
// important of these tasks stops.
func TestPreemptionLooksAtATenth(t *testing.T) {
	const nodes, enough = 2000, 200
	k := des.New()
	c := cluster.New(cluster.Default(), k)
	s, err := central.New(system.Env{Clock: k, View: c.View(), Acts: c, Rand: func(name string) *rng.Stream { return rng.New(1, name) }}, json.RawMessage(`{"policy":"first-fit"}`))
	if err != nil {
		t.Fatal(err)
	}
	hear := func() {
		if err := c.Deliver(s.On); err != nil {
			t.Fatal(err)
		}
	}
	whole := unit.Vec{unit.Whole, unit.Whole}
	for i := range uint64(nodes) {
		c.Join(i, workload.Node{Capacity: whole, Rack: -1, Site: -1})
	}
	limit := unit.Vec{unit.Whole * 6 / 10, unit.Whole * 6 / 10}
	full := [unit.Resources]uint16{1<<16 - 1, 1<<16 - 1}
	begin := rng.New(1, "central/preempt").Intn(nodes)
	for i := range nodes { // the farther from where the search begins, the less important
		far := (i - begin + nodes) % nodes
		c.Submit(workload.Key{Index: uint32(i)}, &workload.Task{Request: limit, Usage: workload.UsageModel{Mean: full}, Priority: uint8(250 - far/10)})
	}
	hear()
	for i := range nodes {
		if n := c.View().Count(unit.NodeID(i)); n != 1 {
			t.Fatalf("%d tasks on node %d", n, i)
		}
	}
	id := c.Submit(workload.Key{Job: 1}, &workload.Task{Request: limit, Priority: 255})
	hear()
	// Of the last ten that were looked at each is as important; the first of them.
	if task, _ := c.View().Task(id); task.Node != unit.NodeID((begin+enough-10)%nodes) {
		t.Errorf("the search began at %d, and the task went to %d", begin, task.Node)
	}
}
