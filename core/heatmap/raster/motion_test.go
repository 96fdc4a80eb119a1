package raster_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"parley/core/frame"
	"parley/core/heatmap/raster"
	"parley/core/unit"
)

// field is so many cells in one rack, after a first frame that shows 0 for all of them.
func field(cells int) *raster.Scene {
	rack := make([]int32, cells)
	s := &raster.Scene{
		Layers: []frame.Layer{{ID: "cpu"}},
		Layout: frame.Racks(rack, 1),
		Frame:  frame.Frame{Cells: cells, Layers: [][]byte{make([]byte, cells)}},
		Look:   raster.Look{Palette: raster.Grey()},
		Camera: raster.Camera{Zoom: 10},
		Cursor: unit.NoNode, Selected: unit.NoNode, Motion: &raster.Motion{},
	}
	s.Motion.Follow(s, 0)
	return s
}

// ids are the cells from one to another.
func ids(from, to int) (all []unit.NodeID) {
	for i := from; i < to; i++ {
		all = append(all, unit.NodeID(i))
	}
	return all
}

// A change is a fifth of the ramp, where that runs to 100 % or between two values, and
// at least 8 of 255.
func TestLeastChange(t *testing.T) {
	for _, c := range []struct {
		low, high uint8
		minimum   byte
	}{{0, 0, 40}, {50, 150, 20}, {100, 110, 8}, {0, 44, 8}, {0, 45, 9}} {
		s := field(3)
		s.Look.Low, s.Look.High = c.low, c.high
		s.Frame.At, s.Frame.Layers[0] = unit.Second, []byte{c.minimum - 1, c.minimum, 255}
		s.Motion.Follow(s, time.Second)
		if got := raster.Changed(s.Motion); !slices.Equal(got, ids(1, 3)) {
			t.Errorf("of a ramp from %d to %d cells %v changed, by %d, %d, 255", c.low, c.high, got, c.minimum-1, c.minimum)
		}
	}
}

// More than sixty changes at once, or a twelfth of a large cluster, are another moment.
// What changed before goes on glowing.
func TestTooMuchAtOnceIsAnotherMoment(t *testing.T) {
	for _, c := range []struct{ cells, at, then, want int }{
		{700, 60, 0, 60}, {700, 61, 0, 0}, {1200, 100, 0, 100}, {1200, 101, 0, 0}, {700, 40, 30, 70}, {700, 40, 61, 40},
	} {
		s := field(c.cells)
		for i, n := range []int{c.at, c.then} {
			s.Frame.At += unit.Second
			for cell := range n {
				s.Frame.Layers[0][200*i+cell] += 100
			}
			s.Motion.Follow(s, time.Duration(i)*100*time.Millisecond)
		}
		if got := len(raster.Changed(s.Motion)); got != c.want {
			t.Errorf("of %d cells %d change and then %d: %d glow, want %d", c.cells, c.at, c.then, got, c.want)
		}
	}
}

// Another layer, or another number of cells, is not a change.
func TestAnotherLayerIsNoChange(t *testing.T) {
	s := field(4)
	s.Layers = append(s.Layers, frame.Layer{ID: "memory"})
	s.Frame.Layers = append(s.Frame.Layers, []byte{100, 100, 100, 100})
	s.Look.Fill = 1
	s.Motion.Follow(s, time.Second)
	if got := raster.Changed(s.Motion); len(got) > 0 {
		t.Errorf("cells %v changed when another layer came", got)
	}
	s.Frame.Layers[1] = []byte{0, 0, 0}
	s.Motion.Follow(s, time.Second)
	if got := raster.Changed(s.Motion); len(got) > 0 {
		t.Errorf("cells %v changed when one went", got)
	}
}

// 160 cells have a rim: those that changed most, and of the weakest of them the latest.
func TestStrongestChanges(t *testing.T) {
	for _, c := range []struct {
		name string
		by   func(cell int) byte
		n    int
		want []unit.NodeID
	}{
		{"just as many", func(int) byte { return 50 }, 160, ids(0, 160)},
		{"alike", func(int) byte { return 50 }, 190, ids(30, 190)},
		{"the strongest first", func(i int) byte { return []byte{90, 70, 50}[min(i/70, 2)] }, 200, append(ids(40, 140), ids(140, 200)...)},
		{"just enough of two kinds", func(i int) byte { return []byte{90, 70, 50}[(i+20)/90] }, 200, ids(0, 160)},
		{"the weakest first", func(i int) byte { return []byte{50, 255, 90}[min(i/20, 2)] }, 200, ids(40, 200)},
		{"the strongest there are", func(i int) byte { return []byte{50, 255}[min(i/30, 1)] }, 190, ids(30, 190)},
	} {
		s := field(2400)
		s.Frame.At = unit.Second
		for i := range c.n {
			s.Frame.Layers[0][i] = c.by(i)
		}
		s.Motion.Follow(s, time.Second)
		if got := raster.Changed(s.Motion); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v have a rim, want %v", c.name, got, c.want)
		}
	}
}

// Eighty of them glow.
func TestEightyGlow(t *testing.T) {
	s := field(2400)
	s.Frame.At = unit.Second
	for i := range 100 {
		s.Frame.Layers[0][i] = 100
	}
	s.Motion.Follow(s, time.Second)
	var list raster.List
	s.Overlay(&list, 1000, 1000, 1)
	if got := shapes(&list, "glow"); got != 80 {
		t.Errorf("%d of 100 cells glow", got)
	}
}

func shapes(list *raster.List, kind string) (n int) {
	for _, shape := range list.Shapes {
		if shape.Name == kind {
			n++
		}
	}
	return n
}

// Sixty nodes that were spoken to have rings: as many new ones as there is room, evenly
// of their list.
func TestMessagesShareTheRoom(t *testing.T) {
	s := field(400)
	speak := func(at time.Duration, from, to int) {
		s.Motion.Tick(at)
		s.Frame.At += unit.Second
		s.Frame.Arcs = nil
		for i := from; i < to; i++ {
			s.Frame.Arcs = append(s.Frame.Arcs, frame.Arc{To: unit.NodeID(i), Kind: frame.Messaged}, frame.Arc{To: unit.NodeID(i + 1), Kind: frame.Moved})
		}
		s.Motion.Follow(s, at)
	}
	speak(time.Second, 0, 40)
	speak(1100*time.Millisecond, 100, 140) // there is room for 20 of 40
	want := ids(0, 40)
	for i := 101; i < 140; i += 2 {
		want = append(want, unit.NodeID(i))
	}
	if got := raster.Asked(s.Motion); !slices.Equal(got, want) {
		t.Errorf("%v have rings, want %v", got, want)
	}
	speak(1200*time.Millisecond, 200, 210) // and for none
	if got := raster.Asked(s.Motion); !slices.Equal(got, want) {
		t.Errorf("without room %v have rings", got)
	}
	speak(1500*time.Millisecond, 300, 303) // the first forty are over
	if got := raster.Asked(s.Motion); !slices.Equal(got, append(want[40:], ids(300, 303)...)) {
		t.Errorf("afterwards %v have rings", got)
	}
}

// 120 arcs fly: the newest, and forced ones rather than others.
func TestArcsInTheAir(t *testing.T) {
	for _, c := range []struct {
		name   string
		forced func(i int) bool
		n      int
		want   []unit.NodeID
	}{
		{"just as many", func(int) bool { return false }, 120, ids(0, 120)},
		{"ten more", func(int) bool { return false }, 130, ids(10, 130)},
		{"five of the oldest are forced", func(i int) bool { return i < 5 }, 130, append(ids(0, 5), ids(15, 130)...)},
		{"all are forced", func(int) bool { return true }, 130, ids(10, 130)},
	} {
		s := field(400)
		s.Frame.At = unit.Second
		for i := range c.n {
			s.Frame.Arcs = append(s.Frame.Arcs, frame.Arc{From: unit.NodeID(i), To: 300, Kind: map[bool]frame.ArcKind{true: frame.Forced}[c.forced(i)]})
		}
		s.Motion.Follow(s, time.Second)
		var got []unit.NodeID
		for _, f := range raster.Flights(s) {
			got = append(got, f.From)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: those from %v fly, want %v", c.name, got, c.want)
		}
	}
}

// Half of an arc's time is half of its way; it begins and ends slowly: an eighth and
// seven eighths of the time are 0.043 and 0.957 of the way.
func TestArcsEaseInAndOut(t *testing.T) {
	s := field(4)
	s.Frame.At, s.Frame.Arcs = unit.Second, []frame.Arc{{From: 0, To: 3}}
	s.Motion.Follow(s, time.Second)
	for eighths, want := range map[int]float64{0: 0, 1: 0.04296875, 2: 0.15625, 4: 0.5, 6: 0.84375, 7: 0.95703125, 8: 1, 12: 1} {
		s.Motion.Tick(time.Second + time.Duration(eighths)*700*time.Millisecond/8)
		if f := raster.Flights(s)[0]; math.Abs(f.Part-want) > 1e-12 || f.Alpha != 1 {
			t.Errorf("after %d eighths it is at %v of its way, %v strong, want %v", eighths, f.Part, f.Alpha, want)
		}
	}
}

// More arcs are fainter, from sixty on, to two fifths.
func TestManyArcsAreFaint(t *testing.T) {
	for n, want := range map[int]float64{1: 0.9, 59: 0.9, 239: 0.45, 374: 0.36, 1000: 0.36} {
		s := field(1200)
		s.Motion = nil
		for i := range n {
			s.Frame.Arcs = append(s.Frame.Arcs, frame.Arc{From: unit.NodeID(i), To: unit.NodeID(i + 1), Progress: 255})
		}
		var list raster.List
		s.Overlay(&list, 1000, 1000, 1)
		if got := list.Shapes[0].End; list.Shapes[0].Name != "arc" || math.Abs(got-want) > 1e-12 {
			t.Errorf("of %d arcs one is %v strong at its end, want %v", n, got, want)
		}
	}
}

// A ring has 24 corners: it is 48 times the sine of 7.5 degrees as long as its radius.
// A line is as long as its parts together.
func TestLengths(t *testing.T) {
	s := field(9)
	s.Frame.At, s.Frame.Arcs = unit.Second, []frame.Arc{{To: 4, Kind: frame.Messaged}}
	s.Motion.Follow(s, time.Second)
	var list raster.List
	s.Overlay(&list, 100, 100, 1)
	if got, want := list.Length(0), 8*48*math.Sin(math.Pi/24); list.Shapes[0].Name != "message" || math.Abs(got-want) > 1e-9 {
		t.Errorf("a ring of 8 pixels is %v long, want %v", got, want)
	}
	raster.Put(&list, raster.Shape{Kind: raster.Line, Alpha: 1}, [2]float64{1, 1}, [2]float64{4, 5}, [2]float64{4, 11})
	if got := list.Length(1); got != 11 {
		t.Errorf("5 and 6 pixels are %v", got)
	}
}

// A rack whose cells the layout does not tell of is none, and a layout that shrank lets
// none heal.
func TestRacksThatAreGone(t *testing.T) {
	s := field(8)
	s.Layout = frame.Layout{
		Columns: 8, Rows: 1, X: []uint16{0, 1, 3, 4, 6, 7}, Y: make([]uint16, 6), Pitch: frame.Pitch{Width: 2, Height: 1, Tall: 1},
		Blocks: []frame.Block{{X: 0, Width: 2, Height: 1}, {X: 3, Width: 2, Height: 1}, {X: 6, Width: 2, Height: 1}},
	}
	s.Layers = append(s.Layers, frame.Layer{ID: "state", Names: []string{"up", "down"}})
	s.Frame.Layers = append(s.Frame.Layers, []byte{0, 0, 0, 0, 1, 1})
	s.Motion.Follow(s, time.Second)
	s.Frame.Layers[1] = make([]byte, 6)
	s.Frame.At = unit.Second
	s.Motion.Follow(s, 2*time.Second)
	count := func(kind string) int {
		var list raster.List
		s.Overlay(&list, 100, 100, 1)
		return shapes(&list, kind)
	}
	if count("heals") == 0 {
		t.Error("the third rack does not heal")
	}
	s.Layout.Blocks = s.Layout.Blocks[:2]
	if n := count("heals"); n > 0 {
		t.Errorf("a rack that is gone heals in %d shapes", n)
	}
	s.Frame.Layers[1] = []byte{0, 0, 1, 1, 1, 1}
	if n := count("moat"); n != 4 {
		t.Errorf("of two racks one is down, with %d shapes", n)
	}
}

// Twenty racks that fail at once send out rings.
func TestTwentyRacksSendRings(t *testing.T) {
	const racks = 25
	s := field(racks)
	s.Layout = frame.Layout{Columns: 2*racks - 1, Rows: 1, Y: make([]uint16, racks), Pitch: frame.Pitch{Width: 1, Height: 1, Tall: 1}}
	for i := range racks {
		s.Layout.X = append(s.Layout.X, uint16(2*i))
		s.Layout.Blocks = append(s.Layout.Blocks, frame.Block{X: 2 * i, Width: 1, Height: 1})
	}
	s.Layers = append(s.Layers, frame.Layer{ID: "state", Names: []string{"up", "down"}})
	s.Frame.Layers = append(s.Frame.Layers, make([]byte, racks))
	for i := range racks {
		s.Frame.Layers[1][i] = 1
	}
	s.Motion.Follow(s, time.Second)
	s.Motion.Tick(1150 * time.Millisecond)
	var list raster.List
	s.Overlay(&list, 1000, 1000, 1)
	if got := shapes(&list, "fails"); got != 20*2*4 {
		t.Errorf("%d sides of rings, want 20 racks of 2 rings", got)
	}
}
