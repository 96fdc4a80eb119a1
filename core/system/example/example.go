// Package example is a whole system in one file, to read and to copy from: the
// power of two choices. Each task is probed on a few nodes drawn at random and
// goes to the least loaded of those it fits. It is in no registry; tests run it
// in the conformance kit, in parley run and on the page, and so prove that a
// system touches no other file.
//
// Source: M. Mitzenmacher, "The Power of Two Choices in Randomized Load
// Balancing", IEEE Transactions on Parallel and Distributed Systems 12(10), 2001.
package example

import (
	"encoding/json"
	"fmt"
	"slices"

	"parley/core/cluster"
	"parley/core/frame"
	"parley/core/metric"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// Settings of the system.
type Settings struct {
	Choices int `json:"choices"`
}

// Default returns the settings that a scenario leaves out.
func Default() Settings { return Settings{Choices: 2} }

func (s Settings) described() []system.Setting {
	return system.Describe(system.Setting{
		ID: "choices", Name: "Choices", Unit: "nodes", Value: s.Choices, Range: system.Between(1, 16),
		About: "nodes drawn for each task; two are much better than one, three little better than two",
	})
}

// Entry is the system as registries list it.
func Entry() system.Entry {
	return system.Entry{New: New, Description: system.Description{
		ID: "choices", Name: "Power of two choices",
		About:    "Each task goes to the least loaded of a few nodes drawn at random.",
		Paper:    "M. Mitzenmacher, The Power of Two Choices in Randomized Load Balancing, IEEE TPDS 12(10), 2001",
		Supports: []workload.Shape{workload.ShapeTasks}, Settings: Default().described(), Group: "draw",
		Views: []system.View{},
		Agents: []system.Role{{ID: "dealer", Name: "dealer", About: "draws the nodes", Faults: []system.FaultKind{
			{
				ID: "dealer_down", Revert: "dealer_up", Name: "Crash", Repair: "Restart", Label: "is down",
				Target: "dealer", Unique: true,
			},
		}}},
		Now: []system.Sentence{system.TasksNow},
		Metrics: []metric.Column{{
			ID: "probes_per_task", Name: "Probes for a task",
			About: "nodes that were asked / tasks placed",
		}},
		Charts: append([]metric.Chart{{
			Title: "Probes for a task",
			Lines: []metric.Line{{Column: "probes_per_task", Name: "probes", Tone: "accent"}},
		}},
			metric.TaskCharts()...),
		Layers: []frame.Layer{{ID: "probed", Name: "Probes", Unit: "so far", Top: 100}},
	}}
}

// scheduler implements system.System.
type scheduler struct {
	env      system.Env
	settings Settings
	random   *rng.Stream
	down     bool // the dealer is
	waiting  []unit.TaskID
	probed   []int // by node
	probes   int
	placed   int
}

// New makes the system; it implements system.Factory.
func New(env system.Env, raw json.RawMessage) (system.System, error) {
	s := Default()
	if err := system.Decode(raw, &s); err != nil {
		return nil, err
	}
	if err := system.Check(s.described()); err != nil {
		return nil, err
	}
	return &scheduler{env: env, settings: s, random: env.Rand("nodes")}, nil
}

// On implements system.System.
func (s *scheduler) On(e cluster.Event) error {
	switch e.Kind {
	case cluster.TaskSubmitted, cluster.TaskDisplaced:
		if !s.place(e.Task, s.settings.Choices, s.draw) {
			s.waiting = append(s.waiting, e.Task)
		}
	case cluster.UsageSwept: // every minute: waiting tasks are probed everywhere
		each := func(i int) unit.NodeID { return unit.NodeID(i) }
		s.waiting = slices.DeleteFunc(s.waiting,
			func(id unit.TaskID) bool { return s.place(id, s.env.View.Nodes(), each) })
	}
	return nil
}

// draw returns a random node.
func (s *scheduler) draw(int) unit.NodeID { return unit.NodeID(s.random.Intn(s.env.View.Nodes())) }

// place puts a task onto the least loaded of some nodes, of which node returns the i-th,
// and reports whether it waits no longer.
func (s *scheduler) place(id unit.TaskID, choices int, node func(i int) unit.NodeID) bool {
	v := s.env.View
	task, alive := v.Task(id)
	if !alive || task.State != cluster.Waiting {
		return true
	}
	if s.down || v.Nodes() == 0 {
		return false
	}
	best := unit.NoNode
	for i := range choices {
		n := node(i)
		s.probe(n)
		if v.Fits(id, n, cluster.ByUse) == nil &&
			(best == unit.NoNode || v.Used(n)[unit.CPU] < v.Used(best)[unit.CPU]) {
			best = n
		}
	}
	if best == unit.NoNode || s.env.Acts.Place(id, best, cluster.ByUse) != nil {
		return false
	}
	if s.placed++; s.env.Note != nil {
		s.env.Note(system.Note{
			At: s.env.Clock.Now(), Node: best, Other: unit.NoNode, Task: id, Ref: uint32(s.placed),
			Value: float64(choices),
		})
	}
	return true
}

func (s *scheduler) probe(n unit.NodeID) {
	for len(s.probed) <= int(n) {
		s.probed = append(s.probed, 0)
	}
	s.probed[n]++
	s.probes++
}

// NoteKinds implements system.NoteDescriber.
func (*scheduler) NoteKinds() []system.NoteKind {
	return []system.NoteKind{{ID: "placed", About: "a task starts", Fields: []string{
		"ref: number of the draw, from 1",
		"task: the task", "node: its node", "value: how many nodes were drawn",
	}}}
}

// FormatNote implements system.NoteFormatter.
func (s *scheduler) FormatNote(n system.Note) string {
	return fmt.Sprintf("node %d is the least loaded of %.0f and takes a task", n.Node, n.Value)
}

// Fail implements system.FaultTarget.
func (s *scheduler) Fail(f system.AgentFault) {
	if f.Kind == "dealer_down" || f.Kind == "dealer_up" {
		s.down = f.Kind == "dealer_down"
	}
}

// Measure implements system.MetricSource.
func (s *scheduler) Measure(values []float64) {
	values[0] = float64(s.probes) / float64(max(s.placed, 1))
}

// FillLayer implements system.LayerSource.
func (s *scheduler) FillLayer(_ int, cells []byte) {
	for n := range cells {
		if cells[n] = 0; n < len(s.probed) {
			cells[n] = byte(min(s.probed[n]*frame.FullScale/100, 255))
		}
	}
}
