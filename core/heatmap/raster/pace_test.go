package raster_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"parley/core/heatmap/raster"
)

// TestPace: pictures have a budget of 40 ms; "cost 50ms 9" tells nine that took 50 ms
// and prints what is left out after which of them.
func TestPace(t *testing.T) {
	names := []string{"everything is drawn", "no rings", "no rings, no glow", "no rings, no glow, no tails"}
	datadriven.RunTest(t, "testdata/pace.txt", func(t *testing.T, d *datadriven.TestData) string {
		p := raster.Pace{Budget: 40 * time.Millisecond}
		var out strings.Builder
		picture := 0
		for _, line := range strings.Split(d.Input, "\n") {
			var cost string
			var times int
			if _, err := fmt.Sscanf(line, "cost %s %d", &cost, &times); err != nil {
				d.Fatalf(t, "%q: %v", line, err)
			}
			span, err := time.ParseDuration(cost)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			for range times {
				if picture++; p.Took(span) {
					fmt.Fprintf(&out, "picture %d: %s\n", picture, names[p.Left])
				}
			}
		}
		return out.String()
	})
}
