package frame_test

import (
	"testing"

	"pgregory.net/rapid"

	"parley/core/frame"
)

// The first shape that has room is what Fit chooses, whatever the racks and the room.
func TestShapesAreThoseOfFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		racks, largest := rapid.IntRange(1, 300).Draw(t, "racks"), rapid.IntRange(1, 60).Draw(t, "largest")
		var rack []int32
		for r := range racks {
			for range max(1, largest-r%3) {
				rack = append(rack, int32(r))
			}
		}
		width, height := rapid.IntRange(1, 2600).Draw(t, "width"), rapid.IntRange(1, 1600).Draw(t, "height")
		limit := rapid.IntRange(1, 20).Draw(t, "most")
		for _, s := range frame.Shapes(rack, limit) {
			columns := min(racks, (width+s.GapX)/(s.Across*s.Width+s.GapX))
			if columns < 1 {
				continue
			}
			if rows := (racks + columns - 1) / columns; rows*(s.Down*s.Height+s.GapY)-s.GapY > height {
				continue
			}
			l := frame.Fit(rack, width, height, limit)
			if p := l.Pitch; p.Width != s.Across || p.Height != s.Down || p.Tall != float64(s.Height)/float64(s.Width) || p.GapX < float64(s.GapX)/float64(s.Width) {
				t.Fatalf("%d × %d pixels: Fit takes %+v, the list %+v", width, height, p, s)
			}
			return
		}
		if p := frame.Fit(rack, width, height, limit).Pitch; p != (frame.Pitch{}) {
			t.Fatalf("%d × %d pixels: Fit takes %+v, the list nothing", width, height, p)
		}
	})
}
