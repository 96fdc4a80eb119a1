package systemtest

import (
	"encoding/json"
	"fmt"

	"parley/core/cluster"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// outcome has the results by which two plays of a trial are compared.
type outcome struct {
	digest cluster.Digest
	notes  uint64
}

// play plays a trial once and returns the system's fault, if it has one, and the recorded events.
func play(s trial, entry system.Entry, settings json.RawMessage, p promises, listen bool) (outcome, *recorder, error) {
	w := newWorld(s, entry.Description)
	out, err := w.play(entry, settings, listen, func() error { return w.live(p) })
	return out, w.cluster, err
}

// play makes the system, calls live, and requests figures about the notes, which the system sends if
// listen is true.
func (w *world) play(entry system.Entry, settings json.RawMessage, listen bool, live func() error) (out outcome,
	err error,
) {
	var notes []system.Note
	var note func(system.Note)
	if listen {
		note = func(n system.Note) {
			out.notes = rng.Hash(out.notes, rng.Hash(uint64(n.At), uint64(n.Kind), uint64(n.Task)),
				rng.Hash(uint64(n.Node), uint64(n.Other), uint64(n.Ref)))
			notes = append(notes, n)
		}
	}
	w.turn = true
	w.system, err = entry.New(w.env(note), settings)
	w.turn = false
	if err != nil {
		return out, fmt.Errorf("the system cannot be made: %w", err)
	}
	if err := live(); err != nil {
		return out, err
	}
	if err := w.ask(notes); err != nil {
		return out, fmt.Errorf("asked for figures: %w", err)
	}
	out.digest = w.digest
	return out, nil
}

// live plays the trial, repairs all faults, and leaves time to recover.
func (w *world) live(p promises) error {
	for i, capacity := range w.trial.nodes {
		w.join(capacity, i)
	}
	if err := w.settle(); err != nil {
		return fmt.Errorf("when the nodes join: %w", err)
	}
	for i := range w.trial.steps {
		s := &w.trial.steps[i]
		if err := w.pass(w.kernel.Now() + s.After); err != nil {
			return fmt.Errorf("before step %d: %w", i, err)
		}
		w.do(s, i)
		if err := w.settle(); err != nil {
			return fmt.Errorf("in step %d: %w", i, err)
		}
	}
	if err := w.agree(); err != nil {
		return fmt.Errorf("after the last step: %w", err)
	}
	w.repair()
	if err := w.settle(); err != nil {
		return fmt.Errorf("when all is mended: %w", err)
	}
	if err := w.pass(w.kernel.Now() + aftermath); err != nil {
		return fmt.Errorf("when all was mended: %w", err)
	}
	if n := w.cluster.View().Totals().Waiting; n > 0 && !p.mayWait {
		return fmt.Errorf("%d tasks wait %v after all was mended, though there is room: %s", n, aftermath, w.waiting())
	}
	return w.agree()
}

// aftermath is the time that a system has to place waiting tasks.
const aftermath = 30 * unit.Minute

// do carries out one step of the trial.
func (w *world) do(s *step, i int) {
	c, n := w.cluster, w.node(s.Which)
	switch s.Do {
	case submit:
		id := c.Submit(workload.Key{Job: uint64(s.Which % 5), Index: uint32(i)}, s.task(w.trial.seed, i))
		w.ids = append(w.ids, id)
		c.Record(id, n)
	case end:
		c.End(w.some(s.Which), workload.End(s.Amount%5))
	case change:
		c.Change(w.some(s.Which), s.task(w.trial.seed, i))
	case measure:
		c.Measure(w.some(s.Which), s.Request)
	case surge:
		w.surge(n, unit.Share(s.Amount))
	case recordPlace:
		c.Record(w.some(s.Which), w.node(s.Amount))
	case release:
		c.Record(w.some(s.Which), unit.NoNode)
	case leave:
		c.Leave(n)
		if s.Amount < 30 {
			w.rack(n, c.Leave)
		}
	case restore:
		c.Restore(n)
		if s.Amount < 30 {
			w.rack(n, c.Restore)
		}
	case join:
		w.join(s.Request, s.Amount)
	case resize:
		c.Resize(n, s.Request)
	case attribute:
		c.SetAttribute(n, workload.Attribute{Name: disk, Value: int64(s.Amount % 3), Absent: s.Amount > 90})
	case disturb:
		w.disturb(s)
	case lookAround:
		if err := w.ask(nil); err != nil && w.misstep == nil {
			w.misstep = err
		}
	}
}

// surge raises the use of all tasks of a node by a percentage.
func (w *world) surge(n unit.NodeID, percent unit.Share) {
	for id := range w.cluster.View().Tasks(n) {
		t, _ := w.cluster.View().Task(id)
		for r := range t.Usage {
			t.Usage[r] += min(t.Usage[r], unit.Whole) / 100 * percent
		}
		w.cluster.Measure(id, t.Usage)
	}
}

// rack does something to every node of n's rack.
func (w *world) rack(n unit.NodeID, do func(unit.NodeID)) {
	v := w.cluster.View()
	for other := range unit.NodeID(v.Nodes()) {
		if v.Rack(other) == v.Rack(n) {
			do(other)
		}
	}
}

// disturb breaks or repairs an agent of the system by a declared fault, or by a fault that no system
// has.
func (w *world) disturb(s *step) {
	target, ok := w.system.(system.FaultTarget)
	if !ok {
		return
	}
	kinds := []system.AgentFault{{Kind: "sun_flare", Target: s.Amount % 4}}
	for _, kind := range w.faults() {
		one := system.AgentFault{Kind: kind.ID, Target: s.Amount % 4}
		if kind.Value != nil {
			one.Value = kind.Value.Min + float64(float64(s.Amount)/100*min(kind.Value.Max-kind.Value.Min, 50))
		}
		if kinds = append(kinds, one); kind.Revert != "" {
			kinds = append(kinds, system.AgentFault{Kind: kind.Revert, Target: s.Amount % 4})
		}
	}
	w.turn = true
	f := kinds[s.Which%len(kinds)]
	w.cluster.write("fault", fmt.Sprintf("%s %d %v", f.Kind, f.Target, f.Value))
	target.Fail(f)
	w.turn = false
}

// faults returns the kinds of fault of the system's agents.
func (w *world) faults() (kinds []system.FaultKind) {
	for _, role := range w.about.Agents {
		kinds = append(kinds, role.Faults...)
	}
	return kinds
}

// repairAgents repairs all nodes and agents, and restores the defaults of settings that were changed
// during the run.
func (w *world) repairAgents() {
	for n := range unit.NodeID(w.cluster.View().Nodes()) {
		w.cluster.Restore(n)
	}
	if target, ok := w.system.(system.FaultTarget); ok {
		w.turn = true
		for _, kind := range w.faults() {
			for i := range 4 {
				switch {
				case kind.Revert != "":
					target.Fail(system.AgentFault{Kind: kind.Revert, Target: i})
				case kind.Setting != "":
					target.Fail(system.AgentFault{Kind: kind.ID, Target: i, Value: w.usual(kind.Setting)})
				default:
					target.Fail(system.AgentFault{Kind: kind.ID, Target: i})
				}
			}
		}
		w.turn = false
	}
}

// usual returns the default of a setting that is a number.
func (w *world) usual(id string) float64 {
	for _, s := range w.about.Settings {
		if s.ID != id {
			continue
		}
		switch value := s.Value.(type) {
		case int:
			return float64(value)
		case float64:
			return value
		}
	}
	panic(fmt.Sprintf("%s is no setting of %s that is a number", id, w.about.ID))
}

// repair repairs all faults and adds nodes until every waiting task has room.
func (w *world) repair() {
	w.repairAgents()
	first := w.cluster.View().Nodes()
	for i := range 9 { // three of each value of the attribute
		w.join(unit.Vec{20 * unit.Whole, 20 * unit.Whole}, i)
	}
	for _, id := range w.ids {
		t, alive := w.cluster.View().Task(id)
		if !alive {
			continue
		}
		w.loosen(id, &t) // a task that runs may be stopped yet
		if t.State == cluster.Waiting {
			for i := range 3 {
				if n := unit.NodeID(first + i); w.cluster.View().Satisfies(id, n) {
					w.cluster.Record(id, n)
					break
				}
			}
		}
	}
}

// loosen takes away a constraint that no machine at all satisfies.
func (w *world) loosen(id unit.TaskID, t *cluster.Task) {
	for value := range int64(3) {
		if len(t.Constraints) == 0 || t.Constraints[0].Holds(value) {
			return
		}
	}
	w.cluster.Change(id, &workload.Task{Request: t.Request, Class: t.Class, Priority: t.Priority})
}

// waiting describes the first task that waits, and the emptiest node that has room for it.
func (w *world) waiting() string {
	v := w.cluster.View()
	for _, id := range w.ids {
		t, alive := v.Task(id)
		if !alive || t.State != cluster.Waiting {
			continue
		}
		text := fmt.Sprintf("task %s, submitted at %v, requests %v with constraints %v", w.cluster.name(id),
			t.Submitted, t.Request, t.Constraints)
		best := unit.NoNode
		for n := range unit.NodeID(v.Nodes()) {
			if v.Fits(id, n, cluster.ByRequest) == nil &&
				(best == unit.NoNode || v.Requested(n)[unit.CPU] < v.Requested(best)[unit.CPU]) {
				best = n
			}
		}
		if best == unit.NoNode {
			return text + ", and no node has room by requests"
		}
		return fmt.Sprintf("%s, and node n%d has room: of its capacity %v its tasks request %v and use %v", text,
			best, v.Capacity(best), v.Requested(best), v.Used(best))
	}
	return "none"
}
