package inspect_test

import (
	"slices"
	"testing"

	"parley/core/metric"
	"parley/core/unit"
)

// TestPresent: between two samples the charts have present values, at a sample these are
// the sample's, and asking for them changes no sample.
func TestPresent(t *testing.T) {
	for _, system := range []string{"negotiation", "central", "yield", "market"} {
		const end = 5 * unit.Minute
		document := `{"v":1,"system":"` + system + `","cluster":{"nodes":60},"until":"1h"}`
		quiet, requested := open(t, document), open(t, document)
		advance(t, quiet, end)
		for at := 10 * unit.Second; at <= end; at += 10 * unit.Second {
			advance(t, requested, at)
			present := requested.Present()
			if sentence, _ := requested.Sentence(); len(present) <= len(sentence.Figures()) && system != "market" {
				t.Errorf("%s: at %v there are only %v", system, at, present)
			}
			for c, column := range metric.Columns {
				value, is := present[column.ID]
				if is && !metric.Stated(c) {
					t.Errorf("%s: the rate %s has a present value", system, column.ID)
				}
				if n := len(requested.Table().Rows); is && at%unit.Minute == 0 && value != requested.Table().Rows[n-1][c] {
					t.Errorf("%s: at %v %s is %v, the sample %v", system, at, column.ID, value, requested.Table().Rows[n-1][c])
				}
			}
		}
		if !slices.Equal(quiet.Table().Rows, requested.Table().Rows) || quiet.Digest() != requested.Digest() {
			t.Errorf("%s: asking changed the samples", system)
		}
		for row := range quiet.Table().Rows {
			for c := range quiet.Table().Columns() {
				if is, was := requested.Table().Value(row, c), quiet.Table().Value(row, c); is != was {
					t.Errorf("%s: asking made column %d of row %d %v, which is %v", system, c, row, is, was)
				}
			}
		}
	}
}
