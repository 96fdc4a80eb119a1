package remote

import (
	"parley/core/estimate"
	"parley/core/message"
)

// compare estimates the figures of several runs, and how far each system is from the first.
func compare(m message.Compare) message.Compared {
	out := message.Compared{Figures: make([]message.ComparedFigure, len(m.Figures))}
	for i, systems := range m.Figures {
		f := &out.Figures[i]
		f.Values = make([]message.Estimate, len(systems))
		f.Differences = make([]message.Estimate, len(systems))
		for k, s := range systems {
			if n := min(len(s.Seeds), len(s.Values)); n > 0 {
				f.Values[k] = message.EstimateOf(estimate.Of(s.Values[:n]))
			}
			if list := differences(s, systems[0]); len(list) > 0 {
				f.Differences[k] = message.DifferenceOf(estimate.Of(list))
			}
		}
	}
	return out
}

// differences returns a less b for the seeds that both have.
func differences(a, b message.Sample) []float64 {
	var out []float64
	k, end := 0, min(len(b.Seeds), len(b.Values))
	for i := range min(len(a.Seeds), len(a.Values)) {
		for k < end && b.Seeds[k] < a.Seeds[i] {
			k++
		}
		if k < end && b.Seeds[k] == a.Seeds[i] {
			out = append(out, a.Values[i]-b.Values[k])
		}
	}
	return out
}
