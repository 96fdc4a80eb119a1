package program

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"go.starlark.net/starlark"

	"parley/core/cluster"
	"parley/core/formula"
	"parley/core/score"
	"parley/core/system"
	"parley/core/unit"
)

// scorer is a formula of a program. It is immutable; a run finds its own state of it by number.
type scorer struct {
	formula *formula.Formula
	number  int
	perTask bool // it reads the task
}

func (f *scorer) String() string        { return fmt.Sprintf("formula(%q)", f.formula.String()) }
func (f *scorer) Type() string          { return "formula" }
func (f *scorer) Freeze()               {}
func (f *scorer) Truth() starlark.Bool  { return true }
func (f *scorer) Hash() (uint32, error) { return uint32(f.number), nil }

// index keeps the score and the room of every node for a formula that reads no task.
// Blocks of nodes know their highest score and their most room, so that a search passes
// over most.
type index struct {
	of     *scorer
	check  cluster.Check
	fill   float64
	scores []float64 // by node; -Inf if it has none
	rooms  []unit.Vec
	blocks []block
	dirty  []unit.NodeID // they changed since, some perhaps twice
	all    bool          // any node may have changed
}

// block bounds blockNodes nodes, for a search.
type block struct {
	best  float64
	room  unit.Vec // no node has more of a resource
	stale bool
}

const (
	blockNodes = 64
	maxIndexes = 8
)

// touch marks a node as changed.
func (s *scheduler) touch(n unit.NodeID) {
	if n == unit.NoNode {
		return
	}
	for _, x := range s.indexes {
		if x.dirty = append(x.dirty, n); len(x.dirty) > len(x.scores)/4+8 {
			x.all, x.dirty = true, x.dirty[:0] // all at once is less work then
		}
	}
}

// forget marks all nodes as changed.
func (s *scheduler) forget() {
	for _, x := range s.indexes {
		x.all, x.dirty = true, x.dirty[:0]
	}
}

// indexOf returns the index for a formula, check and fill, and makes one if there is none; sync must
// follow. If there are maxIndexes already, the oldest is dropped.
func (s *scheduler) indexOf(f *scorer, w *query) *index {
	for _, x := range s.indexes {
		if x.of == f && x.check == w.check && x.fill == w.fill {
			return x
		}
	}
	x := &index{of: f, check: w.check, fill: w.fill, all: true}
	if len(s.indexes) == maxIndexes {
		s.indexes = slices.Delete(s.indexes, 0, 1)
	}
	s.indexes = append(s.indexes, x)
	return x
}

// sync computes the scores and rooms of the nodes that changed, and the bounds of their blocks. A node
// that is down or has no finite score gets -Inf, so no search finds it.
func (x *index) sync(s *scheduler) {
	nodes := s.env.View.Nodes()
	if x.all || len(x.scores) != nodes {
		x.scores = slices.Grow(x.scores[:0], nodes)[:nodes]
		x.rooms = slices.Grow(x.rooms[:0], nodes)[:nodes]
		x.blocks = slices.Grow(x.blocks[:0], nodes/blockNodes+1)[:(nodes+blockNodes-1)/blockNodes]
		x.dirty, x.all = x.dirty[:0], false
		for n := range unit.NodeID(nodes) {
			x.dirty = append(x.dirty, n)
		}
	}
	if len(x.dirty) == 0 {
		return
	}
	values := s.evaluate(x.of, x.dirty)
	for i, n := range x.dirty {
		x.scores[n] = math.Inf(-1)
		if formula.Finite(values[i]) && s.env.View.Up(n) {
			x.scores[n] = values[i]
		}
		x.rooms[n] = s.room(n, x.check, x.fill)
		x.blocks[n/blockNodes].stale = true
	}
	x.dirty = x.dirty[:0]
	for i := range x.blocks {
		if b := &x.blocks[i]; b.stale {
			*b = block{best: math.Inf(-1)}
			for n := i * blockNodes; n < min((i+1)*blockNodes, nodes); n++ {
				b.best = max(b.best, x.scores[n])
				for r, free := range x.rooms[n] {
					b.room[r] = max(b.room[r], free)
				}
			}
		}
	}
}

// room returns the largest need that fits a node: for each resource the rest up to the part fill of its
// capacity. An unused node counts whole. By total, that is the capacity, whatever runs there.
func (s *scheduler) room(n unit.NodeID, check cluster.Check, fill float64) unit.Vec {
	v := s.env.View
	capacity := v.Capacity(n)
	if check == cluster.ByTotal {
		return capacity
	}
	left := capacity
	if fill < 1 && !v.Vacant(n) {
		for r := range left {
			left[r] = unit.Share(fill * float64(capacity[r]))
		}
	}
	if check == cluster.ByRequest {
		return left.Sub(v.Requested(n))
	}
	return left.Sub(v.Used(n))
}

// evaluate computes a formula for nodes, in their order, with s.reader.Task as the task. The values are
// good until the next call and not finite if a node has no score.
func (s *scheduler) evaluate(f *scorer, nodes []unit.NodeID) []float64 {
	for i := range s.columns {
		if !f.formula.Uses(i) {
			continue
		}
		s.columns[i] = s.columns[i][:0]
		for _, n := range nodes {
			s.columns[i] = append(s.columns[i], s.reader.Value(i, n))
		}
	}
	s.values = slices.Grow(s.values[:0], len(nodes))[:len(nodes)]
	s.evaluator.Eval(f.formula, s.columns, s.values)
	return s.values
}

// query has the conditions of best and sample.
type query struct {
	task    unit.TaskID
	hasTask bool // whether a node has room for task
	check   cluster.Check
	need    unit.Vec
	fill    float64 // of each resource of a node at most this part is full with the task, unless it is alone there
}

// queryOf reads the arguments fits (of), by and fill of best and sample. If a task is given, it also
// becomes the task that formulas read; one that has ended is an error.
func (s *scheduler) queryOf(of starlark.Value, by string, fill starlark.Value) (w query, err error) {
	part, is := starlark.AsFloat(fill)
	if w.fill = part; !is || !(part > 0 && part <= 1) {
		return w, fmt.Errorf("fill is %s: choose a part of a node, above 0 and up to 1", shorten(fill.String()))
	}
	if w.check, err = checkOf(by); err != nil || of == starlark.None {
		return w, err
	}
	w.hasTask = true
	if w.task, err = s.taskID(of); err != nil {
		return w, err
	}
	t, alive := s.env.View.Task(w.task)
	if !alive {
		return w, errors.New("the task has ended")
	}
	w.need = t.Usage
	if t.State == cluster.Waiting || w.check == cluster.ByRequest {
		w.need = t.Request
	}
	s.reader.Task = score.Task{Need: w.need, Priority: t.Priority, Class: t.Class}
	s.reader.ByRequest = w.check == cluster.ByRequest
	return w, nil
}

// met reports whether a node satisfies a query: it has room for the task, within fill, and meets its
// constraints. Without a task, it only has to be up.
func (s *scheduler) met(w *query, n unit.NodeID) bool {
	if !w.hasTask {
		return s.env.View.Up(n)
	}
	return (w.fill == 1 || w.need.Within(s.room(n, w.check, w.fill))) && s.env.View.Fits(w.task, n, w.check) == nil
}

// best is cluster.best(nodes, formula, fits=None, by="use", fill=1): the node with the highest score
// that satisfies the query, or None. If nodes is all nodes and the formula reads no task, an index finds
// it, and otherwise each node is scored.
func best(s *scheduler, thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var among starlark.Indexable
	var by starlark.Value
	var of, fill starlark.Value = starlark.None, starlark.MakeInt(1)
	check := "use"
	if err := starlark.UnpackArgs("best", args, kwargs, "nodes", &among, "formula", &by, "fits?", &of, "by?",
		&check, "fill?", &fill); err != nil {
		return nil, err
	}
	f, is := by.(*scorer)
	if !is {
		return nil,
			fmt.Errorf(
				"the score is of the type %s: write it outside of functions as in score = formula(\"-cpu.used\"), and give score", by.Type(),
			)
	}
	w, err := s.queryOf(of, check, fill)
	if err != nil {
		return nil, err
	}
	if f.perTask && !w.hasTask {
		return nil, fmt.Errorf("%s reads the task: give it as fits=task", f)
	}
	chosen := unit.NoNode
	if all, is := among.(*nodes); is && !f.perTask {
		chosen, err = s.bestOfAll(thread, f, &w)
	} else if is {
		s.list = s.list[:0]
		for n := range unit.NodeID(all.Len()) {
			s.list = append(s.list, n)
		}
		chosen, err = s.bestOf(thread, f, &w, s.list)
	} else {
		s.list = s.list[:0]
		if err := charge(thread, among.Len()); err != nil {
			return nil, err
		}
		for i := range among.Len() {
			n, err := s.nodeID(among.Index(i))
			if err != nil {
				return nil, err
			}
			s.list = append(s.list, n)
		}
		chosen, err = s.bestOf(thread, f, &w, s.list)
	}
	if err != nil || chosen == unit.NoNode {
		return starlark.None, err
	}
	return s.node(chosen), nil
}

// bestOf returns the node of a list with the highest score that satisfies the query, the first of equal
// ones; unit.NoNode if there is none. The error is that of a call out of steps.
func (s *scheduler) bestOf(thread *starlark.Thread, f *scorer, w *query, list []unit.NodeID) (unit.NodeID, error) {
	if err := charge(thread, len(list)); err != nil {
		return unit.NoNode, err
	}
	values := s.evaluate(f, list)
	highest, chosen := math.Inf(-1), unit.NoNode
	for i, n := range list {
		if formula.Finite(values[i]) && values[i] > highest && s.met(w, n) {
			highest, chosen = values[i], n
		}
	}
	if s.explains(w) {
		s.considered = s.considered[:0]
		for i, n := range list {
			s.consider(f, w, n, values[i])
		}
	}
	return chosen, nil
}

// bestOfAll is bestOf for all nodes with an index, so equal scores go to the lowest number. It charges
// fewer steps, because it skips blocks; f must read no task.
func (s *scheduler) bestOfAll(thread *starlark.Thread, f *scorer, w *query) (unit.NodeID, error) {
	x := s.indexOf(f, w)
	if x.all || len(x.scores) != s.env.View.Nodes() {
		if err := charge(thread, s.env.View.Nodes()/8); err != nil {
			return unit.NoNode, err
		}
	}
	x.sync(s)
	highest, chosen := math.Inf(-1), unit.NoNode
	for i := range x.blocks {
		b := &x.blocks[i]
		if b.best <= highest || w.hasTask && !w.need.Within(b.room) {
			continue
		}
		if err := charge(thread, blockNodes/16); err != nil {
			return unit.NoNode, err
		}
		for n := i * blockNodes; n < min((i+1)*blockNodes, len(x.scores)); n++ {
			if x.scores[n] > highest && (!w.hasTask || w.need.Within(x.rooms[n])) && s.met(w, unit.NodeID(n)) {
				highest, chosen = x.scores[n], unit.NodeID(n)
			}
		}
	}
	if s.explains(w) {
		s.considered = s.considered[:0]
		for n, points := range x.scores {
			s.consider(f, w, unit.NodeID(n), points)
		}
	}
	return chosen, nil
}

// shown is how many candidates of a decision are kept for people.
const shown = 5

// explains reports whether somebody may ask for the decision that a search leads to.
func (s *scheduler) explains(w *query) bool { return w.hasTask && s.env.Wants(w.task) }

// consider adds a node to s.considered, the best candidates by falling score, if it satisfies the query
// and is among the first shown of them.
func (s *scheduler) consider(f *scorer, w *query, n unit.NodeID, points float64) {
	full := len(s.considered) == shown
	if !formula.Finite(points) || full && points <= s.considered[shown-1].Score || !s.met(w, n) {
		return
	}
	if full {
		s.considered = s.considered[:shown-1]
	}
	at := len(s.considered)
	for at > 0 && s.considered[at-1].Score < points {
		at--
	}
	v := s.env.View
	after := v.Used(n)
	if w.check == cluster.ByRequest {
		after = v.Requested(n)
	}
	s.considered = slices.Insert(s.considered, at,
		system.Candidate{Node: n, Score: points, Answer: answerRoom, After: after.Add(w.need)})
	s.consideredFor, s.consideredBy = w.task, f.formula.String()
}

// sample is cluster.sample(n, fits=None, by="use", fill=1): n draws among all nodes, with repetition.
// Nodes that do not satisfy the query are left out, so the list may be shorter. Without fits, nodes that
// are down are in it.
func sample(s *scheduler, thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value,
	error,
) {
	n, check := 0, "use"
	var of, fill starlark.Value = starlark.None, starlark.MakeInt(1)
	if err := starlark.UnpackArgs("sample", args, kwargs, "n", &n, "fits?", &of, "by?", &check, "fill?",
		&fill); err != nil {
		return nil, err
	}
	if n < 0 {
		return nil, fmt.Errorf("n is %d: choose 0 or more", n)
	}
	w, err := s.queryOf(of, check, fill)
	if err == nil {
		err = charge(thread, n)
	}
	if err != nil {
		return nil, err
	}
	var drawn []starlark.Value
	for range n {
		if s.env.View.Nodes() == 0 {
			break
		}
		if id := unit.NodeID(s.random.Intn(s.env.View.Nodes())); !w.hasTask || s.met(&w, id) {
			drawn = append(drawn, s.node(id))
		}
	}
	return starlark.NewList(drawn), nil
}
