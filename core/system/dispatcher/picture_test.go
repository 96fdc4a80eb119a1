package dispatcher_test

import (
	"fmt"
	"testing"

	"parley/core/cluster"
	"parley/core/frame"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/unit"
)

// TestGraphsOnTheStage plays two systems that list their graphs by the state of the
// cluster. At every minute the list, the pictures, the layer and the timeline must agree
// with an independent reading of the cluster.
func TestGraphsOnTheStage(t *testing.T) {
	for _, id := range []string{"dispatcher", "static"} {
		t.Run(id, func(t *testing.T) {
			s, err := scenario.Parse(fmt.Appendf(nil, `{"v":1,"system":%q,"seed":3,"until":"3h","faults":[{"at":"40m","kind":"node_down","target":"node.2"}],
				"workload":{"graphs":{"machines":[{"count":6,"types":2,"types_each":[2,2],"speed":[0.5,2],"bandwidth":[1e5,1e6]}],"generate":{"count":20,"every_s":480,"vertices":[10,20],"work":[60,120],"bytes":[0,1e6]},"deadline_s":1800}}}`, id))
			if err != nil {
				t.Fatal(err)
			}
			r, err := run.Open(s, nil, run.KeepNotes(10))
			if err != nil {
				t.Fatal(err)
			}
			view := r.View()
			seen, down := 0, 0
			for r.Now() < r.Until() {
				if err := r.Advance(r.Now() + unit.Minute); err != nil {
					t.Fatal(err)
				}
				list, rest := r.Graphs(100)
				open := map[string]unit.GraphID{}
				for id := range view.Graphs {
					g, _ := view.Graph(id)
					open[fmt.Sprintf("%d-%d", g.Key.Job, g.Key.Index)] = id
				}
				if len(list) != len(open) || rest != 0 {
					t.Fatalf("%v: %d graphs and %d more are listed, %d are open", r.Now(), len(list), rest, len(open))
				}
				if one, more := r.Graphs(1); len(list) > 1 && (len(one) != 1 || one[0] != list[0] || more != len(list)-1) {
					t.Fatalf("%v: the first is %+v and %d more", r.Now(), one, more)
				}
				numbers := map[unit.GraphID]uint32{}
				for _, line := range list {
					id, known := open[line.Name]
					if !known {
						t.Fatalf("%v: %s is listed and not open", r.Now(), line.Name)
					}
					numbers[id] = line.Number
					done, taken := 0, 0
					p, drawn := r.Graph(line.Number)
					for v := range int32(line.Subtasks) {
						s, _ := view.Subtask(id, v)
						want := int32(-1)
						switch s.State {
						case cluster.SubtaskDone:
							done++
							want = -2 - int32(s.Node)
						case cluster.SubtaskQueued, cluster.SubtaskComputing:
							taken++
							want = int32(s.Node)
						}
						if !drawn || p.Agents[v] != want {
							t.Fatalf("%v: subtask %d of %s is drawn with %v, want %d", r.Now(), v, line.Name, p.Agents, want)
						}
					}
					if g, _ := view.Graph(id); line.Done != done || line.Taken != taken || line.Arrived != g.Arrived || line.Deadline != g.Due {
						t.Fatalf("%v: %+v, but %d are done and %d taken", r.Now(), line, done, taken)
					}
					seen++
				}
				var picture frame.Frame
				if err := frame.Decode(r.Frame(nil), &picture); err != nil {
					t.Fatal(err)
				}
				for n, value := range picture.Layers[len(frame.Physical())] {
					want := byte(0)
					for id := range view.Queue(unit.NodeID(n)) {
						want = byte(1 + (numbers[id]-1)%36)
						break
					}
					if !view.Up(unit.NodeID(n)) {
						want = system.GraphDown
						down++
					}
					if value != want {
						t.Fatalf("%v: node %d has the value %d, want %d", r.Now(), n, value, want)
					}
				}
			}
			events, whole := r.Timeline()
			counts := map[cluster.Kind]int{}
			for _, e := range events {
				counts[e.Kind]++
			}
			if seen == 0 || down == 0 || !whole || counts[cluster.LoadArrived] == 0 || counts[cluster.ChunkDone] < 50 {
				t.Errorf("%d lines, %d cells down, timeline %v, whole: %v", seen, down, counts, whole)
			}
		})
	}
}
