package frame_test

import (
	"math"
	"testing"

	"parley/core/frame"
	"parley/core/rng"
)

// way is one way to lay racks out, in pixels.
type way struct {
	across, down, px, py, columns, rows int
	score                               float64
}

// minGap is what stays free between blocks: 45 % of a cell, two pixels or more, but of
// the smallest cells one.
func minGap(px int) int {
	if px < 3 {
		return 1
	}
	return max(2, int(math.Floor(0.45*float64(px)+0.5)))
}

// ways tries every block and every cell, each in as few rows as the width has room for.
func ways(racks, cells, width, height, limit int) (all []way) {
	for across := 1; across <= cells; across++ {
		down := int(math.Ceil(float64(cells) / float64(across)))
		if racks > 1 && (float64(across*down) > 1.1*float64(cells)+0.9+1e-9 || across > 6*down || down > 4*across) {
			continue
		}
		for px := 1; px <= limit; px++ {
			for py := 1; py <= limit; py++ {
				flat := max(1, min(px-1, int(math.Ceil(0.75*float64(px)))))
				tall := max(px+1, int(math.Floor(float64(px)*4/3+1e-9)))
				if py < flat || py > tall {
					continue
				}
				fewest := racks + 1
				for columns := 1; columns <= racks; columns++ {
					rows := int(math.Ceil(float64(racks) / float64(columns)))
					wide := columns*across*px + (columns-1)*minGap(px)
					high := rows*down*py + (rows-1)*minGap(py)
					if wide > width || high > height || rows >= fewest {
						continue
					}
					if fewest <= racks {
						all = all[:len(all)-1] // fewer rows, and of those the fewest columns
					}
					fewest = rows
					ratio := float64(across) / float64(down) / (4.0 / 3)
					if ratio < 1 {
						ratio = 1 / ratio
					}
					share := max(0.1, 1-0.035*math.Abs(float64(px)-float64(py))-0.02*(ratio-1))
					all = append(all, way{across, down, px, py, columns, rows, float64(px) * float64(py) * share})
				}
			}
		}
	}
	return all
}

// wider is the gap that takes up what is left of a length, up to three times the least.
func wider(length, n, block, minimum int) int {
	if n == 1 {
		return minimum
	}
	left := int(math.Floor(float64(length-n*block) / float64(n-1)))
	return max(minimum, min(3*minimum, left))
}

// TestFitIsBest: of all ways there are none has a better score than the one Fit takes,
// and what is left over lies between the blocks.
func TestFitIsBest(t *testing.T) {
	random := rng.New(1, "fit")
	none := 0
	for range 1500 {
		racks, cells := 1+random.Intn(12), 1+random.Intn(14)
		width, height, largest := 1+random.Intn(160), 1+random.Intn(120), 1+random.Intn(20)
		rack := make([]int32, racks*cells)
		for i := range rack {
			rack[i] = int32(i / cells)
		}
		l := frame.Fit(rack, width, height, largest)
		all := ways(racks, cells, width, height, largest)
		best := 0.0
		for _, w := range all {
			best = max(best, w.score)
		}
		if len(all) == 0 {
			none++
			want := frame.Racks(rack, float64(width)/float64(height))
			if l.Pitch != want.Pitch || l.Columns != want.Columns || l.Rows != want.Rows {
				t.Fatalf("%d racks of %d on %d × %d: %d × %d squares of %+v, want those of Racks", racks, cells, width, height, l.Columns, l.Rows, l.Pitch)
			}
			continue
		}
		found := false
		for _, w := range all {
			px := float64(w.px)
			found = found || w.score > best-1e-9 &&
				l.Columns == w.columns*(w.across+1)-1 && l.Rows == w.rows*(w.down+1)-1 &&
				l.Pitch == frame.Pitch{
					Width: w.across, Height: w.down, Tall: float64(w.py) / px,
					GapX: float64(wider(width, w.columns, w.across*w.px, minGap(w.px))) / px,
					GapY: float64(wider(height, w.rows, w.down*w.py, minGap(w.py))) / px,
				}
		}
		if !found {
			t.Fatalf("%d racks of %d on %d × %d, at most %d: %+v, %d × %d squares, is not the best of %d ways", racks, cells, width, height, largest, l.Pitch, l.Columns, l.Rows, len(all))
		}
	}
	if none < 5 || none > 500 {
		t.Errorf("%d of 1500 stages have no room", none)
	}
	// No stage at all is none of Racks' aspects; one of a single pixel is a stage.
	for _, c := range []struct {
		width, height int
		aspect        float64
	}{{0, 400, 1.6}, {400, 0, 1.6}, {1, 4, 0.25}, {4, 1, 4}} {
		rack := []int32{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3}
		if l, want := frame.Fit(rack, c.width, c.height, 48), frame.Racks(rack, c.aspect); l.Columns != want.Columns || l.Rows != want.Rows || l.Pitch != want.Pitch {
			t.Errorf("%d × %d: %d × %d squares, want %d × %d", c.width, c.height, l.Columns, l.Rows, want.Columns, want.Rows)
		}
	}
}

// TestAxisScaled: an axis in other units is the same axis.
func TestAxisScaled(t *testing.T) {
	a := frame.Axis{Block: 3, Cell: 2, Gap: 5}
	if p := a.Period(); p != 11 {
		t.Errorf("a period of %v", p)
	}
	b := a.Scaled(4)
	if b.Block != 3 || b.Cell != 8 || b.Gap != 20 {
		t.Errorf("%+v", b)
	}
	for square := range 20 {
		if b.At(square) != 4*a.At(square) {
			t.Errorf("square %d at %v, want %v", square, b.At(square), 4*a.At(square))
		}
	}
}

// TestPitchEnds: sides up to that of a texture, gaps up to 64 cells and cells up to 16
// times as high as wide are taken, and no more.
func TestPitchEnds(t *testing.T) {
	for _, c := range []struct {
		pitch frame.Pitch
		ok    bool
	}{
		{frame.Pitch{}, true},
		{frame.Pitch{Width: 4096, Height: 4096, GapX: 64, GapY: 64, Tall: 16}, true},
		{frame.Pitch{Width: 4097, Height: 1, GapX: 1, GapY: 1, Tall: 1}, false},
		{frame.Pitch{Width: 1, Height: 4097, GapX: 1, GapY: 1, Tall: 1}, false},
		{frame.Pitch{Width: -1, Height: 1, GapX: 1, GapY: 1, Tall: 1}, false},
		{frame.Pitch{Width: 1, Height: -1, GapX: 1, GapY: 1, Tall: 1}, false},
		{frame.Pitch{Width: 1, Height: 1, GapX: 64.5, GapY: 1, Tall: 1}, false},
		{frame.Pitch{Width: 1, Height: 1, GapX: 1, GapY: 64.5, Tall: 1}, false},
		{frame.Pitch{Width: 1, Height: 1, GapX: -0.5, GapY: 1, Tall: 1}, false},
		{frame.Pitch{Width: 1, Height: 1, GapX: 1, GapY: -0.5, Tall: 1}, false},
		{frame.Pitch{Width: 1, Height: 1, GapX: 1, GapY: 1, Tall: 16.5}, false},
		{frame.Pitch{Width: 1, Height: 1, GapX: 1, GapY: 1, Tall: -1}, false},
	} {
		l := frame.Racks([]int32{0, 0, 1, 1}, 1)
		l.Pitch = c.pitch
		if err := l.Check(); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c.pitch, err)
		}
	}
}
