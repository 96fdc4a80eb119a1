package inspect

import (
	"slices"

	"parley/core/metric"
	"parley/core/system"
)

// Sentence returns what can be said at any moment of the run; false if its system has no
// sentence about the work that comes.
func (r *Inspector) Sentence() (system.Sentence, bool) {
	at := slices.IndexFunc(r.of.About.Now, func(s system.Sentence) bool { return s.Of == "" || s.Of == r.of.Shape })
	if at < 0 {
		return system.Sentence{}, false
	}
	return r.of.About.Now[at], true
}

// Present returns the present values of the figures in Sentence, by column. A figure of
// the system itself must be a state: a rate since the last sample has no present value.
func (r *Inspector) Present() map[string]float64 {
	out := map[string]float64{}
	sentence, ok := r.Sentence()
	if !ok {
		return out
	}
	totals := r.of.View.Totals()
	var own []float64
	for _, column := range sentence.Figures() {
		switch column {
		case metric.Columns[metric.Running].ID:
			out[column] = float64(totals.Running + totals.Migrating + totals.Jobs.Running)
		case metric.Columns[metric.Waiting].ID:
			out[column] = float64(totals.Waiting + totals.Jobs.Waiting)
		default:
			at := slices.IndexFunc(r.of.Table.Columns()[metric.Width:], func(c metric.Column) bool { return c.ID == column })
			if at < 0 {
				continue
			}
			if own == nil {
				own = r.of.Table.PresentOwn()
			}
			out[column] = own[at]
		}
	}
	return out
}
