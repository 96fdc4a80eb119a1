package central_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/scripttest"
	"parley/core/system"
	"parley/core/system/central"
	"parley/core/unit"
	"parley/core/workload"
)

// TestScripts plays testdata/*.txt. `system` makes a scheduler with the JSON as
// settings over nodes of the capacities (CPU and memory in percent of the
// reference machine) that `nodes=` lists; each line of `play` is something that
// happens, the output tells what the scheduler makes of it. Tasks use half of
// what they request, if they say nothing else. `report` prints the system's
// figures, `told` its notes and the latest decision about each task.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		var s *stage
		return func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "system":
				var nodes []string
				d.ScanArgs(t, "nodes", &nodes)
				s = newStage(t, d.Input, nodes)
				return s.settle(t)
			case "report":
				report, err := json.Marshal(s.system.(system.Reporter).Report())
				if err != nil {
					t.Fatal(err)
				}
				return string(report) + "\n"
			case "told":
				return s.tell(t)
			case "play":
				var out strings.Builder
				for line := range strings.Lines(d.Input) {
					s.play(t, strings.Fields(line))
					out.WriteString(s.settle(t))
				}
				return out.String()
			}
			d.Fatalf(t, "unknown command %q", d.Cmd)
			return ""
		}
	})
}

type stage struct {
	kernel *des.Kernel
	c      *cluster.Cluster
	system system.System
	names  map[unit.TaskID]string
	tasks  map[string]unit.TaskID
	told   string // by time passing
	notes  []system.Note
}

func newStage(t *testing.T, settings string, nodes []string) *stage {
	k := des.New()
	s := &stage{kernel: k, c: cluster.New(cluster.Default(), k), names: map[unit.TaskID]string{}, tasks: map[string]unit.TaskID{}}
	var err error
	s.system, err = central.New(system.Env{
		Clock: k, View: s.c.View(), Acts: s.c, Rand: func(name string) *rng.Stream { return rng.New(1, name) },
		Note: func(n system.Note) { s.notes = append(s.notes, n) },
	}, json.RawMessage(settings))
	if err != nil {
		t.Fatal(err)
	}
	for i, capacity := range nodes {
		s.c.Join(uint64(i), workload.Node{Capacity: vec(t, capacity), Rack: -1, Site: -1, Attributes: []workload.Attribute{{Value: int64(i)}}})
	}
	return s
}

// vec reads percent, "50/25" or "50" for both.
func vec(t *testing.T, text string) (v unit.Vec) {
	cpu, memory, two := strings.Cut(text, "/")
	if !two {
		memory = cpu
	}
	for r, text := range [...]string{cpu, memory} {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		v[r] = unit.Share(n) * 10_000
	}
	return v
}

func (s *stage) play(t *testing.T, words []string) {
	number := func(text string) int64 {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	node := func() unit.NodeID { return unit.NodeID(number(words[len(words)-1][1:])) }
	switch words[0] {
	case "task": // name, request, and perhaps: priority=N, on=N (only the node of that number)
		w := &workload.Task{Request: vec(t, words[2]), Usage: workload.UsageModel{Mean: [unit.Resources]uint16{1 << 15, 1 << 15}}}
		for _, word := range words[3:] {
			key, value, _ := strings.Cut(word, "=")
			switch key {
			case "priority":
				w.Priority = uint8(number(value))
			case "uses": // of the request, in percent
				p := workload.Ratio(float64(number(value)) / 100)
				w.Usage.Mean = [unit.Resources]uint16{p, p}
			case "image": // in MB
				w.Image = unit.Bytes(number(value)) * unit.MB
			case "on":
				w.Constraints = []workload.Constraint{{Value: number(value)}}
			}
		}
		if slices.Contains(words, "production") {
			w.Class = workload.Production
		}
		id := s.c.Submit(workload.Key{Job: uint64(len(s.names))}, w)
		s.names[id], s.tasks[words[1]] = words[1], id
	case "end":
		s.c.End(s.tasks[words[1]], workload.Finished)
	case "record":
		s.c.Record(s.tasks[words[1]], node())
	case "release":
		s.c.Record(s.tasks[words[1]], unit.NoNode)
	case "down":
		s.c.Leave(node())
	case "up":
		s.c.Restore(node())
	case "use": // what a task uses from now on
		s.c.Measure(s.tasks[words[1]], vec(t, words[2]))
	case "minute", "minutes":
		n := int64(1)
		if len(words) > 1 {
			n = number(words[1])
		}
		for until := s.kernel.Now() + unit.Time(n)*unit.Minute; s.kernel.Step(until); {
			s.told += s.settle(t)
		}
	default:
		t.Fatalf("unknown act %q", words)
	}
}

// tell tells the notes since the last time, and why each task is where it is.
func (s *stage) tell(t *testing.T) string {
	var out strings.Builder
	for _, n := range s.notes {
		fmt.Fprintf(&out, "%s: %s\n", cmp.Or(s.names[n.Task], "-"), s.system.(system.NoteFormatter).FormatNote(n))
	}
	s.notes = nil
	for _, name := range slices.Sorted(maps.Keys(s.tasks)) {
		if d, known := s.system.(system.Explainer).Explain(s.tasks[name]); known {
			fmt.Fprintf(&out, "%s from %d to %d:", name, d.From, d.To)
			for _, c := range d.Candidates {
				fmt.Fprintf(&out, " n%d %s %.3f", c.Node, c.Answer, c.Score)
			}
			fmt.Fprintln(&out)
		}
	}
	return out.String()
}

// settle lets the scheduler hear what happened and tells of it.
func (s *stage) settle(t *testing.T) string {
	out := s.told
	s.told = ""
	err := s.c.Deliver(func(e cluster.Event) error {
		switch e.Kind {
		case cluster.TaskPlaced, cluster.TaskDisplaced, cluster.TaskEnded:
			out += fmt.Sprintf("%s %v n%d\n", s.names[e.Task], e.Kind, e.Node)
		case cluster.MigrationBegan, cluster.MigrationEnded, cluster.MigrationBroken:
			out += fmt.Sprintf("%s %v n%d n%d\n", s.names[e.Task], e.Kind, e.Node, e.Other)
		}
		return s.system.On(e)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.c.Audit(); err != nil {
		t.Fatal(err)
	}
	return out
}
