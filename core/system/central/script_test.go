package central_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/cluster"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/central"
	"parley/core/testkit/scripttest"
	"parley/core/testkit/scripttest/cell"
	"parley/core/unit"
	"parley/core/workload"
)

// TestScripts plays testdata/*.txt in the words of package cell. `system` makes a
// scheduler with the JSON as settings over nodes of the capacities (CPU and memory, or
// one number for both) that `nodes=` lists; node n0 has the attribute disk=0, n1 disk=1
// and so on. The output of `play` tells what the scheduler makes of each line. `report`
// prints the system's figures, `told` its notes and the latest decision about each task.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		var s *stage
		return func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "system":
				var nodes []string
				d.ScanArgs(t, "nodes", &nodes)
				s = newStage(t, d.Input, nodes)
				return s.tell(t, s.settle())
			case "report":
				report, err := json.Marshal(s.system.(system.Reporter).Report())
				if err != nil {
					t.Fatal(err)
				}
				return string(report) + "\n"
			case "told":
				return s.notesAndReasons()
			case "play":
				for _, l := range scripttest.Lines(t, d) {
					shown, known, err := s.Do(l)
					if !known {
						l.Fail("no act is called so")
					}
					s.told.WriteString(shown)
					if err = cmp.Or(err, s.settle()); err != nil {
						l.Fail("%v", err)
					}
				}
				return s.tell(t, nil)
			}
			d.Fatalf(t, "unknown command %q", d.Cmd)
			return ""
		}
	})
}

// stage is a cell with a scheduler.
type stage struct {
	*cell.Cell
	system system.System
	told   strings.Builder
	notes  []system.Note
}

func newStage(t *testing.T, settings string, nodes []string) *stage {
	s := &stage{Cell: cell.New(cluster.Default())}
	s.Settle = s.settle
	var err error
	s.system, err = central.New(system.Env{
		Clock: s.Kernel, View: s.Cluster.View(), Acts: s.Cluster, Rand: func(name string) *rng.Stream { return rng.New(1, name) },
		Note: func(n system.Note) { s.notes = append(s.notes, n) },
	}, json.RawMessage(settings))
	if err != nil {
		t.Fatal(err)
	}
	for i, capacity := range nodes {
		if capacity == "" { // nodes=() is none
			continue
		}
		cpu, memory, two := strings.Cut(capacity, "/")
		if !two {
			memory = cpu
		}
		var both [2]float64
		if _, err := fmt.Sscan(cpu+" "+memory, &both[0], &both[1]); err != nil {
			t.Fatal(err)
		}
		s.Cluster.Join(uint64(i), workload.Node{
			Capacity: unit.Vec{unit.CPU: unit.ShareOf(both[0]), unit.Memory: unit.ShareOf(both[1])},
			Rack:     -1, Site: -1, Attributes: []workload.Attribute{{Value: int64(i)}},
		})
	}
	return s
}

// tell returns what was written down since the last time.
func (s *stage) tell(t *testing.T, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	out := s.told.String()
	s.told.Reset()
	return out
}

// settle lets the scheduler hear what happened and writes it down.
func (s *stage) settle() error {
	err := s.Cluster.Deliver(func(e cluster.Event) error {
		switch e.Kind {
		case cluster.TaskPlaced, cluster.TaskDisplaced, cluster.TaskEnded, cluster.MigrationBegan, cluster.MigrationEnded, cluster.MigrationBroken:
			fmt.Fprintln(&s.told, s.Describe(e))
		}
		return s.system.On(e)
	})
	return cmp.Or(err, s.Cluster.Audit())
}

// notesAndReasons tells the notes since the last time, and why each task is where it is.
func (s *stage) notesAndReasons() string {
	var out strings.Builder
	for _, n := range s.notes {
		fmt.Fprintf(&out, "%s: %s\n", cmp.Or(s.Names[n.Task], "-"), s.system.(system.NoteFormatter).FormatNote(n))
	}
	s.notes = nil
	for _, name := range slices.Sorted(maps.Keys(s.Tasks)) {
		if d, known := s.system.(system.Explainer).Explain(s.Tasks[name]); known {
			fmt.Fprintf(&out, "%s from %d to %d:", name, d.From, d.To)
			for _, c := range d.Candidates {
				fmt.Fprintf(&out, " n%d %s %.3f", c.Node, c.Answer, c.Score)
			}
			fmt.Fprintln(&out)
		}
	}
	return out.String()
}
