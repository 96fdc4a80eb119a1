package message

import "parley/core/estimate"

// Compare asks for a comparison of the figures of several runs.
type Compare struct {
	Figures [][]Sample `json:"figures"` // by figure and system
}

// Sample is a figure of one system: a value for each of the seeds that have it.
type Sample struct {
	Seeds  []int     `json:"seeds"` // rising
	Values []float64 `json:"values"`
}

// Compared answers Compare: for each figure, in its order.
type Compared struct {
	Figures []ComparedFigure `json:"figures"`
}

// ComparedFigure is a figure by system.
type ComparedFigure struct {
	Values      []Estimate `json:"values"`
	Differences []Estimate `json:"differences"` // to the first system, over the seeds that both have
}

// Estimate is a mean over seeds, with its 95 % interval if there are several.
type Estimate struct {
	N    int      `json:"n"` // seeds; 0: no run has the figure
	Mean float64  `json:"mean"`
	SD   float64  `json:"sd"`
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`

	// Verdict is about a difference: none if its interval touches zero, unknown without an interval.
	Verdict string `json:"verdict,omitempty" ts:"\"lower\" | \"higher\" | \"none\" | \"unknown\""`
}

// EstimateOf returns a mean as a message.
func EstimateOf(e estimate.Estimate) Estimate {
	out := Estimate{N: e.N, Mean: e.Mean, SD: e.SD}
	if e.Interval != nil {
		out.Low, out.High = &e.Low, &e.High
	}
	return out
}

// DifferenceOf returns the mean of differences as a message, with its verdict.
func DifferenceOf(e estimate.Estimate) Estimate {
	out := EstimateOf(e)
	out.Verdict = e.Verdict()
	return out
}

func (Compare) Kind() string  { return "compare" }
func (Compared) Kind() string { return "compared" }
