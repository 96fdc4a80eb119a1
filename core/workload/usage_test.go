package workload_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"parley/core/unit"
	"parley/core/workload"
)

// TestUsageBounds: what a model says lies within mean × (1 ± swing), is 0 or
// more, and below twice the request, on which the cluster's sums rely.
func TestUsageBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		share := rapid.OneOf(rapid.Int32Range(0, 2_000_000), rapid.Int32Range(0, 500_000_000))
		m := workload.UsageModel{Key: rapid.Uint64().Draw(t, "key")}
		var request unit.Vec
		for r := range request {
			request[r] = unit.Share(share.Draw(t, "request"))
			m.Mean[r], m.Swing[r] = rapid.Uint16().Draw(t, "mean"), rapid.Uint16().Draw(t, "swing")
		}
		use, average := m.In(request, rapid.Int64Range(0, 1<<20).Draw(t, "window")), m.Average(request)
		for r := range use {
			mean := float64(request[r]) * float64(m.Mean[r]) / 65536
			if m.Mean[r] == 65535 {
				mean = float64(request[r]) // the whole
			}
			if math.Abs(float64(average[r])-mean) > 1 {
				t.Fatalf("the average use is %d, want %v", average[r], mean)
			}
			swing := mean*float64(m.Swing[r])/65536 + 2
			if use[r] < 0 || math.Abs(float64(use[r])-mean) > swing || use[r] > 2*request[r] {
				t.Fatalf("%d in use of %d, want %v ± %v", use[r], request[r], mean, swing)
			}
		}
	})
}

// TestUsageNoise: over many windows use has the mean of the model and the
// standard deviation of a triangular distribution, swing/√6; the resources'
// noises do not go together.
func TestUsageNoise(t *testing.T) {
	m := workload.UsageModel{Key: 99, Mean: [unit.Resources]uint16{32768, 32768}, Swing: [unit.Resources]uint16{32768, 16384}}
	request := unit.Vec{1_000_000, 1_000_000}
	const windows = 50_000
	var sum, square [unit.Resources]float64
	product := 0.0
	for w := range int64(windows) {
		use := m.In(request, w)
		var x [unit.Resources]float64
		for r := range use {
			x[r] = (float64(use[r])/500_000 - 1) / (float64(m.Swing[r]) / 65536) // the noise itself
			sum[r] += x[r]
			square[r] += x[r] * x[r]
		}
		product += x[unit.CPU] * x[unit.Memory]
	}
	for r := range sum {
		near(t, "mean noise", sum[r]/windows, 0, 4*0.41/math.Sqrt(windows))
		near(t, "standard deviation of the noise", math.Sqrt(square[r]/windows), 1/math.Sqrt(6), 0.01)
	}
	near(t, "covariance of the noises", product/windows, 0, 4/6./math.Sqrt(windows))
}

// TestCalmTasksVary: over a week of windows the CPU of a calm task varies by 31 % of
// its mean and its memory by 1.6 %, and neither leaves three quarters or a twenty-fifth.
func TestCalmTasksVary(t *testing.T) {
	calm, _ := workload.PresetUsage(workload.CalmUsage)
	synthesis, err := workload.NewSynthesis(calm, 1)
	if err != nil {
		t.Fatal(err)
	}
	request := unit.Vec{1_000_000, 1_000_000}
	for index := range uint32(20) {
		m := synthesis.Model(workload.Key{Job: 7, Index: index}, workload.Batch)
		for _, want := range []struct {
			resource         unit.Resource
			deviation, limit float64
		}{{unit.CPU, 0.306, 0.75}, {unit.Memory, 0.0163, 0.04}} {
			const windows = 2016
			mean, square, largest := float64(m.Average(request)[want.resource]), 0.0, 0.0
			for w := range int64(windows) {
				off := float64(m.In(request, w)[want.resource])/mean - 1
				square += off * off
				largest = max(largest, math.Abs(off))
			}
			near(t, "deviation", math.Sqrt(square/windows), want.deviation, want.deviation/12)
			near(t, "the farthest", largest, want.limit, want.limit/15)
		}
	}
}

// TestSynthesis: the tasks of a job are more alike than tasks of two jobs, all
// within the stated spread, and means come out as told, by class.
func TestSynthesis(t *testing.T) {
	calm, _ := workload.PresetUsage(workload.CalmUsage)
	s := calm.Calm
	synthesis, err := workload.NewSynthesis(calm, 1)
	if err != nil {
		t.Fatal(err)
	}
	for class, mean := range map[workload.PriorityClass]workload.Ratios{workload.Batch: s.Batch, workload.Production: s.Production} {
		const jobs, tasks = 2000, 10
		for r := range mean {
			total, within := 0.0, 0.0
			for j := range uint64(jobs) {
				minimum, largest := 1.0, 0.0
				for i := range uint32(tasks) {
					m := synthesis.Model(workload.Key{Job: j, Index: i}, class)
					x := float64(m.Mean[r]) / 65536
					total += x
					minimum, largest = min(minimum, x), max(largest, x)
					if math.Abs(x-mean[r]) > s.Jobs[r]+s.Tasks[r]+0.001 {
						t.Fatalf("a task uses %v of its %v, want %v ± %v", x, unit.Resource(r), mean[r], s.Jobs[r]+s.Tasks[r])
					}
				}
				within += (largest - minimum) / jobs
			}
			near(t, "mean ratio", total/jobs/tasks, mean[r], s.Jobs[r]/math.Sqrt(3*jobs)*4)
			// Of ten uniform numbers in ± tasks the spread is 9/11 of the width.
			near(t, "spread within a job", within, 2*s.Tasks[r]*9/11, 0.1*s.Tasks[r])
		}
	}
}

// TestImages: 16 GB are the whole memory, and no request overflows.
func TestImages(t *testing.T) {
	for memory, want := range map[unit.Share]unit.Bytes{0: 0, 1: 16_000, 1_000_000: 16 * unit.GB, math.MaxInt32: math.MaxInt32 * 16_000} {
		if got := workload.ImageOf(unit.Vec{unit.Memory: memory}); got != want {
			t.Errorf("a request of %d has an image of %d bytes, want %d", memory, got, want)
		}
	}
}
