package estimate_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/estimate"
)

// TestIntervals checks testdata/intervals.txt.
func TestIntervals(t *testing.T) {
	datadriven.RunTest(t, "testdata/intervals.txt", func(t *testing.T, d *datadriven.TestData) string {
		var values []float64
		for _, word := range strings.Fields(d.Input) {
			x, err := strconv.ParseFloat(word, 64)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			values = append(values, x)
		}
		if d.Cmd == "student" {
			var points []string
			for _, freedom := range values {
				points = append(points, fmt.Sprintf("%.9g", estimate.Student(int(freedom))))
			}
			return strings.Join(points, " ") + "\n"
		}
		e := estimate.Of(values)
		if e.Interval == nil {
			return fmt.Sprintf("%d %.9g %.9g\n", e.N, e.Mean, e.SD)
		}
		return fmt.Sprintf("%d %.9g %.9g %.9g %.9g\n", e.N, e.Mean, e.SD, e.Low, e.High)
	})
}
