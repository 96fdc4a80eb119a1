package inspect

import (
	"slices"

	"parley/core/metric"
	"parley/core/system"
)

// Sentence returns the sentence about the present moment; false if the system has no
// sentence about this kind of work.
func (r *Inspector) Sentence() (system.Sentence, bool) {
	at := slices.IndexFunc(r.of.About.Now, func(s system.Sentence) bool { return s.Of == "" || s.Of == r.of.Shape })
	if at < 0 {
		return system.Sentence{}, false
	}
	return r.of.About.Now[at], true
}

// Present returns the present values of the figures in Sentence and in the charts, by
// column. Physical columns that are rates since the last sample have none. The columns of
// a system and of its work are present if Sentence has one of them, because only then is
// it safe to measure them between samples.
func (r *Inspector) Present() map[string]float64 {
	out := map[string]float64{}
	columns := r.of.Table.Columns()
	var figures []string
	if sentence, ok := r.Sentence(); ok {
		figures = sentence.Figures()
	}
	measured := slices.ContainsFunc(columns[metric.Width:],
		func(c metric.Column) bool { return slices.Contains(figures, c.ID) })
	for _, chart := range r.of.About.Charts {
		if chart.Of != "" && chart.Of != r.of.Shape {
			continue
		}
		for _, line := range chart.Lines {
			figures = append(figures, line.Column)
		}
	}
	states := metric.States(r.of.View)
	var own []float64
	if measured {
		own = r.of.Table.PresentOwn()
	}
	for _, figure := range figures {
		at := slices.IndexFunc(columns, func(c metric.Column) bool { return c.ID == figure })
		switch {
		case at < 0:
		case at >= metric.Width && measured:
			out[figure] = own[at-metric.Width]
		case at < metric.Width && metric.Stated(at):
			out[figure] = states[at]
		}
	}
	return out
}
