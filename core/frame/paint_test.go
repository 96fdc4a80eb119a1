package frame_test

import (
	"testing"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/frame"
	"parley/core/unit"
	"parley/core/workload"
)

// stage is a small cluster to paint. Its nodes have a whole reference machine each.
type stage struct {
	t      *testing.T
	kernel *des.Kernel
	c      *cluster.Cluster
	tasks  uint32
}

func newStage(t *testing.T, nodes int) *stage {
	k := des.New()
	s := &stage{t: t, kernel: k, c: cluster.New(cluster.Default(), k)}
	for n := range nodes {
		s.c.Join(uint64(n), workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1})
	}
	return s
}

// run puts a task onto a node that requests and uses so much, in percent.
func (s *stage) run(n unit.NodeID, requested, used unit.Vec) unit.TaskID {
	s.t.Helper()
	s.tasks++
	percent := func(v unit.Vec) unit.Vec { return unit.Vec{v[0] * unit.Whole / 100, v[1] * unit.Whole / 100} }
	id := s.c.Submit(workload.Key{Index: s.tasks}, &workload.Task{Request: percent(requested), Image: 100 * unit.MB})
	if err := s.c.Place(id, n, cluster.Unchecked); err != nil {
		s.t.Fatal(err)
	}
	s.c.Measure(id, percent(used))
	return id
}

func (s *stage) paint(extra int, f *frame.Frame) map[string][]byte {
	frame.Paint(s.c.View(), s.kernel.Now(), extra, f)
	layers := map[string][]byte{}
	for i, layer := range frame.Physical() {
		layers[layer.ID] = f.Layers[i]
	}
	return layers
}

// TestPaint: what each layer shows of six nodes, worked out by hand. 100 % is 200;
// 40 tasks are 200 in the layer of tasks.
func TestPaint(t *testing.T) {
	s := newStage(t, 6)
	s.run(0, unit.Vec{50, 30}, unit.Vec{25, 10})
	s.run(1, unit.Vec{110, 10}, unit.Vec{120, 10}) // overloaded
	for range 9 {
		s.run(2, unit.Vec{10, 1}, unit.Vec{10, 1})
	}
	s.run(3, unit.Vec{1, 1}, unit.Vec{200, 1})
	s.c.Leave(4)
	moving := s.run(0, unit.Vec{5, 5}, unit.Vec{5, 5})
	if err := s.c.Migrate(moving, 5, cluster.Unchecked); err != nil {
		t.Fatal(err)
	}
	var f frame.Frame
	layers := s.paint(0, &f)
	for id, want := range map[string][]byte{
		"cpu":              {60, 240, 180, 255, 0, 10},
		"memory":           {30, 20, 18, 2, 0, 10},
		"cpu_requested":    {110, 220, 180, 2, 0, 10},
		"memory_requested": {70, 20, 18, 2, 0, 10},
		"tasks":            {10, 5, 45, 5, 0, 0},
		"state":            {frame.StateMigrating, frame.StateOverloaded, frame.StateUp, frame.StateOverloaded, frame.StateDown, frame.StateMigrating},
		"class": {
			byte(cluster.ClassProportional), byte(cluster.ClassOverloaded), byte(cluster.ClassDisproportionate), byte(cluster.ClassOverloaded), byte(cluster.ClassDown), byte(cluster.ClassProportional),
		},
	} {
		if string(layers[id]) != string(want) {
			t.Errorf("%s is %v, want %v", id, layers[id], want)
		}
	}
	if len(f.Arcs) != 1 || f.Arcs[0] != (frame.Arc{From: 0, To: 5}) || f.Cells != 6 || f.Seq != 1 {
		t.Errorf("%+v, %d cells, frame %d", f.Arcs, f.Cells, f.Seq)
	}
	if len(f.Layers) != len(frame.Physical()) {
		t.Errorf("%d layers, %d are described", len(f.Layers), len(frame.Physical()))
	}
	names := map[string]string{}
	for _, layer := range frame.Physical() {
		names[layer.ID] = layer.Name
	}
	if names["cpu"] != "CPU used" || names["memory_requested"] != "Memory requested" {
		t.Errorf("layers are called %v", names)
	}
}

// TestPaintPower: a node that is off, or on its way there or back, is off; one that is down is down. Booting takes
// 30 s, shutting down 10 s.
func TestPaintPower(t *testing.T) {
	s := newStage(t, 3)
	s.c.SetPower([]cluster.PowerKind{{Last: 2, BootTime: 30 * unit.Second, ShutdownTime: 10 * unit.Second}})
	for _, n := range []unit.NodeID{1, 2} {
		if err := s.c.SwitchOff(n); err != nil {
			t.Fatal(err)
		}
	}
	var f frame.Frame
	for _, want := range []struct {
		at     unit.Time
		states []byte
	}{
		{0, []byte{frame.StateUp, frame.StateOff, frame.StateOff}},
		{20 * unit.Second, []byte{frame.StateUp, frame.StateOff, frame.StateOff}},
		{49 * unit.Second, []byte{frame.StateUp, frame.StateOff, frame.StateDown}},
		{51 * unit.Second, []byte{frame.StateUp, frame.StateUp, frame.StateDown}},
	} {
		for s.kernel.Step(want.at) {
		}
		if got := s.paint(0, &f)["state"]; string(got) != string(want.states) {
			t.Errorf("at %v the states are %v, want %v", want.at, got, want.states)
		}
		if want.at == 20*unit.Second {
			s.c.Leave(2)
			if err := s.c.SwitchOn(1); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestPaintProgress: an arc tells which part of its migration's time is over. 100 MB
// of which nothing is dirtied take 800 ms.
func TestPaintProgress(t *testing.T) {
	k := des.New()
	settings := cluster.Default()
	settings.DirtyRate = 0
	s := &stage{t: t, kernel: k, c: cluster.New(settings, k)}
	for n := range 2 {
		s.c.Join(uint64(n), workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1})
	}
	for k.Step(7 * unit.Second) { // not at the beginning of time
	}
	id := s.run(0, unit.Vec{10, 10}, unit.Vec{10, 10})
	if err := s.c.Migrate(id, 1, cluster.ByTotal); err != nil {
		t.Fatal(err)
	}
	var f frame.Frame
	for ms, want := range map[unit.Time]uint8{0: 0, 200: 63, 400: 127, 799: 254} {
		frame.Paint(s.c.View(), 7*unit.Second+ms*unit.Millisecond, 0, &f)
		if len(f.Arcs) != 1 || f.Arcs[0] != (frame.Arc{From: 0, To: 1, Progress: want, Kind: frame.Forced}) {
			t.Errorf("after %d ms: %+v, want progress %d", ms, f.Arcs, want)
		}
	}
}

// TestPaintAgain: a frame that is used again is that of the new state, whether the
// cell grew or another number of layers is asked for; of many migrations 400 are
// drawn, and all of their nodes are marked.
func TestPaintAgain(t *testing.T) {
	s := newStage(t, 3)
	var f frame.Frame
	s.paint(4, &f)
	physical := len(frame.Physical())
	if len(f.Layers) != physical+4 || len(f.Layers[physical+3]) != 3 {
		t.Fatalf("%d layers", len(f.Layers))
	}
	first := &f.Layers[0][0]
	if s.paint(1, &f); len(f.Layers) != physical+1 || &f.Layers[0][0] != first {
		t.Errorf("%d layers, or the memory is not used again", len(f.Layers))
	}
	for n := 3; n < 1000; n++ {
		s.c.Join(uint64(n), workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1})
	}
	for n := range unit.NodeID(450) {
		if err := s.c.Migrate(s.run(n, unit.Vec{1, 1}, unit.Vec{1, 1}), 500+n, cluster.Unchecked); err != nil {
			t.Fatal(err)
		}
	}
	layers := s.paint(2, &f)
	if len(f.Arcs) != 400 || f.Cells != 1000 || f.Seq != 3 {
		t.Errorf("%d arcs, %d cells, frame %d", len(f.Arcs), f.Cells, f.Seq)
	}
	marked := 0
	for _, state := range layers["state"] {
		if state == frame.StateMigrating {
			marked++
		}
	}
	if marked != 900 {
		t.Errorf("%d nodes are marked, want 900", marked)
	}
}

// TestPaintWithoutCapacity: use of what a node does not have is all that a byte holds.
func TestPaintWithoutCapacity(t *testing.T) {
	s := newStage(t, 1)
	s.c.Join(1, workload.Node{Capacity: unit.Vec{unit.Whole, 0}, Rack: -1, Site: -1})
	s.run(1, unit.Vec{10, 10}, unit.Vec{10, 0})
	var f frame.Frame
	layers := s.paint(0, &f)
	if layers["memory"][1] != 0 || layers["memory_requested"][1] != 255 || layers["cpu"][1] != 20 {
		t.Errorf("%v", layers)
	}
}

// TestJustWithin: the largest layout and the last cell are taken, one more is not.
func TestJustWithin(t *testing.T) {
	for side, fine := range map[int]bool{4096: true, 4097: false} {
		for _, l := range []frame.Layout{{Columns: side, Rows: 1}, {Columns: 1, Rows: side}} {
			if err := l.Check(); (err == nil) != fine {
				t.Errorf("%d × %d: %v", l.Columns, l.Rows, err)
			}
		}
	}
	for _, c := range []struct {
		x, y uint16
		fine bool
	}{{2, 1, true}, {3, 1, false}, {2, 2, false}} {
		l := frame.Layout{Columns: 3, Rows: 2, X: []uint16{c.x}, Y: []uint16{c.y}}
		if err := l.Check(); (err == nil) != c.fine {
			t.Errorf("square %d, %d of 3 × 2: %v", c.x, c.y, err)
		}
	}
	for cell, fine := range map[unit.NodeID]bool{2: true, 3: false} {
		for _, arc := range []frame.Arc{{From: cell}, {To: cell}} {
			buf := frame.Append(nil, &frame.Frame{Cells: 3, Layers: [][]byte{{1, 2, 3}}, Arcs: []frame.Arc{arc}})
			var f frame.Frame
			if err := frame.Decode(buf, &f); (err == nil) != fine {
				t.Errorf("an arc of cell %d of 3: %v", cell, err)
			}
		}
	}
}

// TestShortFrames: what ends before its header says is refused wherever it ends, with
// arcs and without, whatever stands in memory behind it.
func TestShortFrames(t *testing.T) {
	for _, f := range []*frame.Frame{
		{Cells: 3, Layers: [][]byte{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}},
		{Cells: 1, Layers: [][]byte{{1}}, Arcs: []frame.Arc{{}}},
		{Cells: 2, Layers: [][]byte{{1, 2}}, Arcs: []frame.Arc{{From: 1}, {To: 1}}},
	} {
		buf := frame.Append(nil, f)
		var got frame.Frame
		if err := frame.Decode(buf, &got); err != nil {
			t.Fatal(err)
		}
		end := len(buf)
		if len(f.Arcs) == 0 {
			end = frame.HeaderSize + f.Cells*len(f.Layers) // what follows fills up
		}
		for n := range end {
			if frame.Decode(buf[:n], &got) == nil || frame.Decode(buf[:n:n], &got) == nil {
				t.Errorf("%d of %d bytes of %d cells are read", n, len(buf), f.Cells)
			}
		}
	}
}
