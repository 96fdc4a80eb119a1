package remote_test

import (
	"math"
	"testing"

	"parley/core/message"
	"parley/core/play/remote"
	"parley/core/run"
)

// compared returns what a worker that plays nothing answers to Compare.
func compared(t *testing.T, systems ...message.Sample) message.ComparedFigure {
	t.Helper()
	host := &page{}
	remote.New(host, run.First(), nil).Receive(message.Compare{Figures: [][]message.Sample{systems}})
	answers, _ := heard[message.Compared](host)
	if len(answers) != 1 || len(answers[0].Figures) != 1 {
		t.Fatalf("answers: %+v", answers)
	}
	return answers[0].Figures[0]
}

// TestCompares holds the answer to scipy.stats.t.interval: differences 1, 2, 3, 4 and 5 have
// the mean 3, the deviation √2.5, and t(4) = 2.776445: ± 1.963243.
func TestCompares(t *testing.T) {
	zero := message.Sample{Seeds: []int{0, 1, 2, 3, 4}, Values: []float64{0, 0, 0, 0, 0}}
	f := compared(t, zero, message.Sample{Seeds: []int{0, 1, 2, 3, 4}, Values: []float64{1, 2, 3, 4, 5}}, message.Sample{Seeds: []int{1, 4}, Values: []float64{1, 2}}, message.Sample{})
	near := func(x *float64, want float64) bool { return x != nil && math.Abs(*x-want) < 1e-6 }
	if d := f.Differences[1]; d.N != 5 || d.Mean != 3 || !near(&d.SD, math.Sqrt(2.5)) || !near(d.Low, 1.036757) || !near(d.High, 4.963243) || d.Verdict != "higher" {
		t.Errorf("five seeds: %+v", d)
	}
	if d := f.Differences[2]; d.N != 2 || d.Mean != 1.5 || !near(d.Low, -4.853102) || !near(d.High, 7.853102) || d.Verdict != "none" {
		t.Errorf("two of the seeds: %+v", d) // t(1) = 12.706205
	}
	if f.Values[3].N != 0 || f.Differences[3].N != 0 {
		t.Errorf("no seed: %+v %+v", f.Values[3], f.Differences[3])
	}
	if v := f.Values[0]; v.N != 5 || v.Low != nil || v.Verdict != "" {
		t.Errorf("the same in all seeds: %+v", v)
	}
	if d := f.Differences[0]; d.N != 5 || d.Mean != 0 || d.Verdict != "unknown" {
		t.Errorf("the first system: %+v", d)
	}
	if v := f.Values[1]; v.Mean != 3 || v.N != 5 || v.Verdict != "" {
		t.Errorf("a value: %+v", v)
	}
}

// TestComparesPairs checks that only seeds that both systems have are compared, whatever is missing.
func TestComparesPairs(t *testing.T) {
	f := compared(t, message.Sample{Seeds: []int{0, 2}, Values: []float64{1, 3}}, message.Sample{Seeds: []int{0, 1}, Values: []float64{2, 5}})
	if d := f.Differences[1]; d.N != 1 || d.Mean != 1 || d.Low != nil || d.Verdict != "unknown" {
		t.Errorf("%+v", d)
	}
	f = compared(t, message.Sample{Seeds: []int{0, 1}, Values: []float64{1}}, message.Sample{Seeds: []int{1}, Values: []float64{4}})
	if d := f.Differences[1]; d.N != 0 {
		t.Errorf("a seed without a value: %+v", d)
	}
}
