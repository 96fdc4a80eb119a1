// Package posted describes a task graph on a bulletin board: which of its vertices are
// open, taken or done, and when their results are needed.
//
// A taken vertex has a latest start. By then the results of its predecessors must have
// arrived at the agent that took it. The labels that the paper writes onto predecessors
// (formula (3)) therefore follow from the agents of their successors and are not stored.
// The user needs the last vertices of a graph, and those whose results return to the user,
// by the deadline.
//
// Source: Kalyaev, Kalyaev, Korovin, Computational Technologies 21(5), 2016,
// section 2.
//
//	task := posted.New(subtasks, deadline)
//	task.Take(17, []int32{3, 5}, []unit.Time{10 * unit.Second, 14 * unit.Second})
//	needed, ok := task.Needed(2) // by the latest start of vertex 3, where 2 -> 3
package posted

import (
	"fmt"

	"parley/core/unit"
	"parley/core/workload"
)

// State is the state of a vertex.
type State uint8

// The states of a vertex.
const (
	Open  State = iota // no agent has it
	Taken              // an agent accepted it
	Done               // its result exists
)

// NoAgent is the agent of a vertex that is open.
const NoAgent int32 = -1

// Task is a posted graph. Use New.
type Task struct {
	Graph    *workload.Subtasks
	Deadline unit.Time // when the user wants the results; unit.Forever: whenever

	// Estimate is the latest start of each vertex as the user who posts the graph estimates
	// it: a label if no agent has taken the vertex yet. nil, as in the paper: there are
	// no such labels.
	Estimate []unit.Time

	state []State
	start []unit.Time // latest start of each vertex that is taken or done
	agent []int32     // who took it
	waits []int32     // its open successors
	lacks []int32     // its predecessors that are not done
	ends  set         // open vertices whose successors are all taken or done
	ready set         // open vertices whose predecessors are all done
	count [3]int      // of vertices by state
}

// set is some vertices, in no order.
type set struct {
	list   []int32
	place  []int32 // of a vertex in list, counted from 1; 0: it is not in it
	added  uint64  // vertices, ever
	kinds  [64]int32
	bitmap Kinds
}

// Kinds is a set of types of vertices: bit k stands for the types k, k+64, k+128 …
type Kinds uint64

// KindOf returns the set of one type.
func KindOf(t workload.SubtaskType) Kinds { return 1 << (uint(t) % 64) }

// put makes a vertex of a type a member, or with is false no member; it does nothing if that is so
// already. A removed vertex is replaced by the last of the list, so the list is unordered.
func (s *set) put(v int32, kind workload.SubtaskType, is bool) {
	at := s.place[v]
	if is == (at > 0) {
		return
	}
	count := &s.kinds[uint(kind)%64]
	if is {
		s.list = append(s.list, v)
		s.place[v] = int32(len(s.list))
		s.added++
		*count++
		s.bitmap |= KindOf(kind)
		return
	}
	if *count--; *count == 0 {
		s.bitmap &^= KindOf(kind)
	}
	last := s.list[len(s.list)-1]
	s.list[at-1], s.place[last] = last, at
	s.list = s.list[:len(s.list)-1]
	s.place[v] = 0
}

// New returns the task of a graph whose subtasks are all open. deadline is unit.Forever if there is
// none.
func New(g *workload.Subtasks, deadline unit.Time) *Task {
	n := g.Len()
	t := &Task{
		Graph: g, Deadline: deadline,
		state: make([]State, n), start: make([]unit.Time, n), agent: make([]int32, n), waits: make([]int32, n),
		lacks: make([]int32, n),
		ends:  set{place: make([]int32, n)}, ready: set{place: make([]int32, n)},
	}
	t.count[Open] = n
	for v := range n {
		t.agent[v] = NoAgent
		first, end := g.Out(int32(v))
		for a := first; a < end; a++ {
			if g.Arc(a).To != workload.Home {
				t.waits[v]++
			}
		}
		for _, a := range g.In(int32(v)) {
			if g.Arc(a).From != workload.Home {
				t.lacks[v]++
			}
		}
		t.updateSets(int32(v))
	}
	return t
}

// updateSets puts a vertex into the sets t.ends and t.ready that it belongs to, and takes it out of the others.
func (t *Task) updateSets(v int32) {
	open := t.state[v] == Open
	kind := t.Graph.Subtask(v).Type
	t.ends.put(v, kind, open && t.waits[v] == 0)
	t.ready.put(v, kind, open && t.lacks[v] == 0)
}

// State returns the state of a vertex.
func (t *Task) State(v int32) State { return t.state[v] }

// Agent returns who took a vertex, or did it; NoAgent if it is open.
func (t *Task) Agent(v int32) int32 { return t.agent[v] }

// Start returns the latest start of a vertex that is taken or done.
func (t *Task) Start(v int32) unit.Time { return t.start[v] }

// Count returns how many vertices are in a state.
func (t *Task) Count(s State) int { return t.count[s] }

// Waits returns how many successors of a vertex are open.
func (t *Task) Waits(v int32) int { return int(t.waits[v]) }

// Lacks returns how many predecessors of a vertex are not done.
func (t *Task) Lacks(v int32) int { return int(t.lacks[v]) }

// Ends returns the open vertices that have no open successor, in no order. The
// slice belongs to the task.
func (t *Task) Ends() []int32 { return t.ends.list }

// Ready returns the open vertices whose predecessors are all done, likewise.
func (t *Task) Ready() []int32 { return t.ready.list }

// EndKinds returns the types of the ends, ReadyKinds those of the ready vertices.
func (t *Task) EndKinds() Kinds { return t.ends.bitmap }

// ReadyKinds returns of which types the vertices are that are ready.
func (t *Task) ReadyKinds() Kinds { return t.ready.bitmap }

// Grown counts how often a vertex became an end, and ready.
func (t *Task) Grown() (ends, ready uint64) { return t.ends.added, t.ready.added }

// Due returns by when the result of a vertex must be with those who took its
// successors, or with the user: the label of formula (3). It is false if no
// successor is taken and no agent guesses.
func (t *Task) Due(v int32) (at unit.Time, labelled bool) { return t.DueExcept(v, -1) }

// DueExcept is Due without the deadline of one of its successors; -1: of none. labelled is false, and at
// unit.Forever, if no other successor has a time yet.
func (t *Task) DueExcept(v, successor int32) (at unit.Time, labelled bool) {
	first, end := t.Graph.Out(v)
	if first == end {
		return t.Deadline, true
	}
	at = unit.Forever
	for a := first; a < end; a++ {
		switch to := t.Graph.Arc(a).To; {
		case to == workload.Home:
			at, labelled = min(at, t.Deadline), true
		case to == successor:
		case t.state[to] == Taken:
			at, labelled = min(at, t.start[to]), true
		case t.state[to] == Open && t.Estimate != nil:
			at, labelled = min(at, t.Estimate[to]), true
		}
	}
	return at, labelled
}

// Take gives open vertices to an agent, with their latest starts.
func (t *Task) Take(agent int32, vertices []int32, starts []unit.Time) {
	for i, v := range vertices {
		t.move(v, Open, Taken)
		t.agent[v], t.start[v] = agent, starts[i]
	}
}

// Release opens a vertex again that was taken, or whose result is lost.
func (t *Task) Release(v int32) {
	t.move(v, t.state[v], Open)
	t.agent[v] = NoAgent
}

// Finish notes that the result of a taken vertex exists.
func (t *Task) Finish(v int32) { t.move(v, Taken, Done) }

// Finished reports whether every vertex is done.
func (t *Task) Finished() bool { return t.count[Done] == t.Graph.Len() }

// move changes the state of a vertex and keeps counts and sets. Another state than
// from is a broken invariant.
func (t *Task) move(v int32, from, to State) {
	if t.state[v] != from || from == to {
		panic(fmt.Sprintf("posted: vertex %d is in state %d and cannot go from %d to %d", v, t.state[v], from, to))
	}
	t.state[v] = to
	t.count[from]--
	t.count[to]++
	t.updateSets(v)
	if (from == Open) != (to == Open) {
		t.addOpenSuccessors(t.Graph.In(v), flag(to == Open)-flag(from == Open))
	}
	if (from == Done) == (to == Done) {
		return
	}
	first, end := t.Graph.Out(v)
	for a := first; a < end; a++ {
		if next := t.Graph.Arc(a).To; next != workload.Home {
			t.lacks[next] += flag(from == Done) - flag(to == Done)
			t.updateSets(next)
		}
	}
}

// addOpenSuccessors changes how many open successors the vertices at the beginnings of arcs have.
func (t *Task) addOpenSuccessors(in []int32, by int32) {
	for _, a := range in {
		if before := t.Graph.Arc(a).From; before != workload.Home {
			t.waits[before] += by
			t.updateSets(before)
		}
	}
}

func flag(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// Audit recomputes the states, sets and counts from the graph, and returns an error for the first that
// differs.
func (t *Task) Audit() error {
	var count [3]int
	ends, ready := 0, 0
	for v := range int32(len(t.state)) {
		count[t.state[v]]++
		waits, lacks := int32(0), int32(0)
		first, end := t.Graph.Out(v)
		for a := first; a < end; a++ {
			if to := t.Graph.Arc(a).To; to != workload.Home {
				waits += flag(t.state[to] == Open)
			}
		}
		for _, a := range t.Graph.In(v) {
			if from := t.Graph.Arc(a).From; from != workload.Home {
				lacks += flag(t.state[from] != Done)
			}
		}
		open := t.state[v] == Open
		isEnd, isReady := open && waits == 0, open && lacks == 0
		ends += int(flag(isEnd))
		ready += int(flag(isReady))
		if waits != t.waits[v] || lacks != t.lacks[v] || isEnd != (t.ends.place[v] > 0) ||
			isReady != (t.ready.place[v] > 0) || open != (t.agent[v] == NoAgent) {
			return fmt.Errorf(
				"subtask %q in state %d of agent %d has %d open successors, kept %d, and lacks %d results, kept %d",
				t.Graph.Name(v), t.state[v], t.agent[v], waits, t.waits[v], lacks, t.lacks[v],
			)
		}
	}
	if count != t.count || ends != len(t.ends.list) || ready != len(t.ready.list) {
		return fmt.Errorf("states count %v, kept %v; %d ends, kept %d; %d ready, kept %d", count, t.count, ends,
			len(t.ends.list), ready, len(t.ready.list))
	}
	return nil
}
