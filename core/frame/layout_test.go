package frame_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"parley/core/frame"
)

// TestRacks draws layouts: a letter for each rack, '.' for a gap.
func TestRacks(t *testing.T) {
	datadriven.RunTest(t, "testdata/racks.txt", func(t *testing.T, d *datadriven.TestData) string {
		aspect := 1.0
		for _, a := range d.CmdArgs {
			if a.Key == "aspect" {
				if _, err := fmt.Sscan(a.Vals[0], &aspect); err != nil {
					d.Fatalf(t, "%v", err)
				}
			}
		}
		var rack []int32
		for _, c := range strings.TrimSpace(d.Input) {
			rack = append(rack, c-'a')
		}
		l := frame.Racks(rack, aspect)
		if err := l.Check(); err != nil {
			d.Fatalf(t, "%v", err)
		}
		return draw(rack, l)
	})
}

func draw(rack []int32, l frame.Layout) string {
	rows := make([][]byte, l.Rows)
	for y := range rows {
		rows[y] = []byte(strings.Repeat(".", l.Columns))
	}
	for cell, r := range rack {
		rows[l.Y[cell]][l.X[cell]] = byte('a' + r)
	}
	var b strings.Builder
	for _, row := range rows {
		b.Write(row)
		b.WriteByte('\n')
	}
	return b.String()
}

// Every cell has a square of its own inside its rack's block, blocks keep a
// gap between them, and the picture stays near the aspect asked for.
func TestRacksKeepCellsApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		racks := rapid.Int32Range(1, 60).Draw(t, "racks")
		rack := rapid.SliceOfN(rapid.Int32Range(-1, racks), 1, 800).Draw(t, "rack")
		aspect := rapid.Float64Range(0.25, 4).Draw(t, "aspect")
		l := frame.Racks(rack, aspect)
		if err := l.Check(); err != nil {
			t.Fatal(err)
		}
		blockOf := map[int32]frame.Block{}
		owner := map[[2]int]int32{}
		for _, b := range l.Blocks {
			blockOf[b.Rack] = b
			for y := b.Y - 1; y <= b.Y+b.Height; y++ {
				for x := b.X - 1; x <= b.X+b.Width; x++ {
					inside := y >= b.Y && y < b.Y+b.Height && x >= b.X && x < b.X+b.Width
					if other, taken := owner[[2]int{x, y}]; taken && inside {
						t.Fatalf("racks %d and %d touch at %d, %d", other, b.Rack, x, y)
					}
					if inside {
						owner[[2]int{x, y}] = b.Rack
					}
				}
			}
		}
		taken := map[[2]int]bool{}
		for cell, r := range rack {
			square := [2]int{int(l.X[cell]), int(l.Y[cell])}
			if taken[square] {
				t.Fatalf("cell %d shares square %v", cell, square)
			}
			taken[square] = true
			if got, ok := owner[square]; !ok || got != r {
				t.Fatalf("cell %d of rack %d stands on %v, outside block %+v", cell, r, square, blockOf[r])
			}
		}
		if len(taken) != len(rack) {
			t.Fatalf("%d squares for %d cells", len(taken), len(rack))
		}
	})
}

// Many racks come within a tenth of the aspect: the page sizes its stage first
// and wants it filled.
func TestRacksComeCloseToTheAspect(t *testing.T) {
	rack := make([]int32, 12_583) // the machines of the Google cell of 2011
	for i := range rack {
		rack[i] = int32(i / 40)
	}
	for _, aspect := range []float64{0.5, 0.75, 1, 16.0 / 9, 3} {
		l := frame.Racks(rack, aspect)
		if got := float64(l.Columns) / float64(l.Rows); math.Abs(got/aspect-1) > 0.1 {
			t.Errorf("asked for %.2f, got %d × %d = %.2f", aspect, l.Columns, l.Rows, got)
		}
	}
}

// Whatever number comes for the aspect, the largest clusters stay drawable.
func TestRacksStayWithinATexture(t *testing.T) {
	for _, perRack := range []int{1, 2, 40, 100_000} {
		rack := make([]int32, 100_000)
		for i := range rack {
			rack[i] = int32(i / perRack)
		}
		for _, aspect := range []float64{math.NaN(), math.Inf(1), -1, 0, 1e-9, 1e9} {
			l := frame.Racks(rack, aspect)
			if err := l.Check(); err != nil {
				t.Errorf("%d a rack, aspect %v: %v", perRack, aspect, err)
			}
		}
	}
	empty := frame.Racks(nil, 1)
	if err := empty.Check(); err != nil {
		t.Error(err)
	}
}

func TestCheckNamesTheCell(t *testing.T) {
	for want, l := range map[string]frame.Layout{
		"frame: a layout of 0 × 3 squares; each side must be 1 to 4096": {Columns: 0, Rows: 3},
		"frame: cell 1 stands on square 2, 0 of 2 × 2":                  {Columns: 2, Rows: 2, X: []uint16{0, 2}, Y: []uint16{0, 0}},
		"frame: a layout with 2 columns but 1 rows of cells":            {Columns: 2, Rows: 2, X: []uint16{0, 1}, Y: []uint16{0}},
	} {
		if err := l.Check(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
