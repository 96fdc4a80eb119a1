package run

import (
	"slices"

	"parley/core/metric"
	"parley/core/system"
)

// Sentence returns what can be said at any moment of the run; false if its system has no
// sentence about the work that comes.
func (r *Run) Sentence() (system.Sentence, bool) {
	at := slices.IndexFunc(r.entry.Now, func(s system.Sentence) bool { return s.Of == "" || s.Of == r.shape })
	if at < 0 {
		return system.Sentence{}, false
	}
	return r.entry.Now[at], true
}

// Present returns the present values of the figures in Sentence, by column. A figure of
// the system itself must be a state: a rate since the last sample has no present value.
func (r *Run) Present() map[string]float64 {
	out := map[string]float64{}
	sentence, ok := r.Sentence()
	if !ok {
		return out
	}
	totals := r.cluster.View().Totals()
	var own []float64
	for _, column := range sentence.Figures() {
		switch column {
		case metric.Columns[metric.Running].ID:
			out[column] = float64(totals.Running + totals.Migrating + totals.Jobs.Running)
		case metric.Columns[metric.Waiting].ID:
			out[column] = float64(totals.Waiting + totals.Jobs.Waiting)
		default:
			at := slices.IndexFunc(r.table.Columns()[metric.Width:], func(c metric.Column) bool { return c.ID == column })
			if at < 0 {
				continue
			}
			if own == nil {
				own = r.table.PresentOwn()
			}
			out[column] = own[at]
		}
	}
	return out
}
