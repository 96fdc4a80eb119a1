package frame_test

import (
	"testing"

	"pgregory.net/rapid"

	"parley/core/frame"
	_ "parley/core/testkit/scripttest/seed"
)

// The default cell on the stage of a window of 1280 × 800 with its drawer open:
// cells of five pixels, all of the width and of the height.
func TestFitFillsTheStage(t *testing.T) {
	rack := make([]int32, 12_500)
	for i := range rack {
		rack[i] = int32(i / 48)
	}
	for _, c := range []struct {
		name          string
		width, height int
		px            float64 // the least
		fill          float64 // the least share of the width
	}{
		{"window", 948, 390, 5, 0.95},
		{"window without drawer", 948, 550, 5, 0.95},
		{"phone", 374, 450, 3, 0.93},
		{"small window", 624, 260, 3, 0.95},
		{"large screen", 2200, 1100, 12, 0.95},
	} {
		l := frame.Fit(rack, c.width, c.height, 48)
		if err := l.Check(); err != nil {
			t.Fatal(err)
		}
		w, h := l.Size()
		px := float64(int(min(float64(c.width)/w, float64(c.height)/h)))
		t.Logf("%s: %v px × %v, %.1f × %.1f of %d × %d, racks of %d × %d, gaps %.1f and %.1f px", c.name, px, px*l.Pitch.Tall, w*px, h*px, c.width, c.height, l.Pitch.Width, l.Pitch.Height, l.Pitch.GapX*px, l.Pitch.GapY*px)
		if px < c.px || w*px < c.fill*float64(c.width) || w*px > float64(c.width) || h*px > float64(c.height)+1e-9 {
			t.Errorf("%s: cells of %v px take %.0f × %.0f of %d × %d", c.name, px, w*px, h*px, c.width, c.height)
		}
	}
}

// Whatever the racks and the stage: cells keep squares of their own, and what
// Index finds is where At puts it.
func TestFitKeepsCellsApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rack := rapid.SliceOfN(rapid.Int32Range(0, rapid.Int32Range(0, 60).Draw(t, "racks")), 1, 900).Draw(t, "rack")
		l := frame.Fit(rack, rapid.IntRange(-1, 3000).Draw(t, "width"), rapid.IntRange(0, 2000).Draw(t, "height"), rapid.IntRange(1, 96).Draw(t, "most"))
		if err := l.Check(); err != nil {
			t.Fatal(err)
		}
		taken := map[[2]uint16]int32{}
		for cell := range rack {
			square := [2]uint16{l.X[cell], l.Y[cell]}
			if other, ok := taken[square]; ok {
				t.Fatalf("cells %d and %d share square %v", other, cell, square)
			}
			taken[square] = int32(cell)
			for _, at := range []struct {
				axis   frame.Axis
				square uint16
			}{{l.Across(), l.X[cell]}, {l.Down(), l.Y[cell]}} {
				middle := at.axis.At(int(at.square)) + at.axis.Cell/2
				if found, begins := at.axis.Index(middle); found != int(at.square) || begins > middle || begins < middle-at.axis.Cell {
					t.Fatalf("square %d lies at %v, where %d begins at %v", at.square, middle, found, begins)
				}
			}
		}
		if before, _ := l.Across().Index(-0.5); before >= 0 {
			t.Fatalf("before the first column stands column %d", before)
		}
	})
}
