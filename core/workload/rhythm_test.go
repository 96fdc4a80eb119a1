package workload_test

import (
	"math"
	"slices"
	"testing"

	"parley/core/unit"
	"parley/core/workload"
)

// TestBursts: how often, how long, how high, how often together, and the mean.
func TestBursts(t *testing.T) {
	onceIsEnough(t)
	m := still()
	m.Bursts, m.BurstFactor, m.BurstTogether = 0.35, 1.7, 0.3
	s := synthesis(t, m, 3)
	const jobs, blocks, block = 200, 400, 72
	calm := m.Batch[unit.CPU] / (1 + 0.35*2.5/72*0.7)
	sum, bursts, high := 0.0, 0.0, 0.0
	begins := make([]int, blocks*block)
	lengths := map[int]float64{}
	for job := range uint64(jobs) {
		length := 0
		for w := range blocks * block {
			x := ratio(s, job, 0, int64(w), unit.CPU)
			sum += x
			switch {
			case math.Abs(x/calm-1) < 0.002:
				lengths[length]++
				length = 0
			case math.Abs(x/calm-1.7) < 0.004:
				if length == 0 {
					bursts++
					begins[w]++
				}
				length++
				high++
			default:
				t.Fatalf("window %d of job %d uses %v, neither %v nor 1.7 times that", w, job, x, calm)
			}
			if y := ratio(s, job, 7, int64(w), unit.CPU); y != x {
				t.Fatalf("two tasks of a job use %v and %v", x, y)
			}
		}
	}
	const n = jobs * blocks
	near(t, "bursts a block", bursts/n, 0.35, 4*math.Sqrt(0.35*0.65/n)+0.005) // a few run into one another
	near(t, "windows in bursts", high/(n*block), 0.35*2.5/block, 4*math.Sqrt(0.35*9.4/n)/block+0.0003)
	near(t, "mean under bursts, of the mean without", sum/(n*block)/m.Batch[unit.CPU], 1, 0.001)
	for length, part := range map[int]float64{1: 0.5, 2: 0.25, 4: 0.125, 8: 0.125} {
		near(t, "part of the bursts that are so long", lengths[length]/bursts, part, 4*math.Sqrt(part*(1-part)/bursts)+0.005)
	}
	largest := 0
	for _, k := range begins {
		largest = max(largest, k)
	}
	// In each block each of four groups of 50 jobs has one moment in which
	// 0.35 · 0.3 · 50 = 5.3 bursts begin; by chance alone a window has 0.68.
	if largest < 12 {
		t.Errorf("at most %d of %d jobs burst at once", largest, jobs)
	}
	alone := m
	alone.BurstTogether = 0
	s, largest = synthesis(t, alone, 3), 0
	for w := range int64(blocks * block / 4) {
		k := 0
		for job := range uint64(jobs) {
			if ratio(s, job, 0, w, unit.CPU) > 1.3*calm {
				k++
			}
		}
		largest = max(largest, k)
	}
	if largest > 12 { // 2.4 are in a burst at a time
		t.Errorf("%d of %d jobs that burst each for itself do so at once", largest, jobs)
	}
}

// TestDay: services follow the day more than batch, jobs from not at all to twice as
// far as told, and the mean of a day is the mean.
func TestDay(t *testing.T) {
	m := still()
	m.DayBatch, m.DayProduction = workload.Ratios{0.03, 0.01}, workload.Ratios{0.09, 0}
	s := synthesis(t, m, 3)
	const jobs = 400
	for class, heights := range map[workload.PriorityClass]workload.Ratios{workload.Batch: m.DayBatch, workload.Production: m.DayProduction} {
		for r, height := range heights {
			var day [288]float64
			var heights []float64 // logarithms
			for job := range uint64(jobs) {
				model := s.Model(workload.Key{Job: job}, class)
				minimum, largest := 10.0, 0.0
				for w := range day {
					x := float64(model.In(whole, int64(w))[r]) / float64(whole[r]) / m.Batch[r]
					day[w] += x / jobs
					minimum, largest = min(minimum, x), max(largest, x)
					if again := float64(model.In(whole, int64(w+5*288))[r]) / float64(whole[r]) / m.Batch[r]; again != x {
						t.Fatalf("window %d uses %v, five days later %v", w, x, again)
					}
				}
				heights = append(heights, (math.Log(largest)-math.Log(minimum))/2)
			}
			told := math.Log(1 + height)
			got, sd := moments(heights)
			near(t, "height of a job's day", got, told, 4*told/math.Sqrt(3*jobs)+0.0005)
			near(t, "its deviation, of an even one", sd, told/math.Sqrt(3), 0.1*told)
			near(t, "the largest", slices.Max(heights), 2*told, 0.05*told+0.0005)
			sum := 0.0
			for w, x := range day {
				// A triangle over ±24 windows of jitter: rounded at its ends.
				at := math.Abs(math.Mod(float64(w)+72, 288) - 144)
				if at > 30 && at < 114 {
					near(t, "the cell's day", math.Log(x), told*(1-at/72), 4*told/math.Sqrt(3*jobs)+0.003)
				}
				sum += x / 288
			}
			near(t, "mean of a day", sum, 1, 0.001)
		}
	}
}

// TestEvents: one window in each stretch, in which a part of the jobs that differs
// from event to event does less.
func TestEvents(t *testing.T) {
	onceIsEnough(t)
	m := still()
	m.EventEvery, m.EventShare, m.EventDepth = 100, 0.2, 0.6
	s := synthesis(t, m, 3)
	const jobs, events = 300, 200
	var parts []float64
	for e := range int64(events) {
		moments := 0
		for w := 100 * e; w < 100*(e+1); w++ {
			low := 0.0
			for job := range uint64(jobs) {
				switch x := ratio(s, job, 0, w, unit.CPU) / m.Batch[unit.CPU]; {
				case math.Abs(x-0.4) < 0.001:
					low++
				case math.Abs(x-1) > 0.001:
					t.Fatalf("window %d of job %d uses %v of its mean", w, job, x)
				}
				if ratio(s, job, 0, w, unit.Memory) != m.Batch[unit.Memory] {
					t.Fatal("an event touches memory")
				}
			}
			if low > 0 {
				moments++
				parts = append(parts, low/jobs)
			}
		}
		if moments > 1 {
			t.Fatalf("stretch %d has %d events", e, moments)
		}
	}
	for len(parts) < events {
		parts = append(parts, 0) // no job took part
	}
	got, sd := moments(parts)
	near(t, "mean part of the jobs", got, 0.2, 4*0.4/math.Sqrt(12*events))
	near(t, "its standard deviation", sd, 0.4/math.Sqrt(12), 0.02) // even in 0 … 0.4
	m.EventDepth = -0.6
	s = synthesis(t, m, 3)
	largest := 0.0
	for w := range int64(1000) {
		largest = max(largest, ratio(s, 1, 0, w, unit.CPU)/m.Batch[unit.CPU])
	}
	near(t, "use in an event of depth -0.6", largest, 1.6, 0.002)
}

// TestRestlessness: it multiplies spreads, its middle is 1, and the mean stays.
func TestRestlessness(t *testing.T) {
	m := still()
	m.Noise, m.Restless = workload.Ratios{0.1, 0.02}, 0.8
	s := synthesis(t, m, 3)
	const jobs, windows = 2000, 200
	below, largest, sum := 0.0, 0.0, 0.0
	for job := range uint64(jobs) {
		logs := make([]float64, windows)
		for w := range logs {
			x := ratio(s, job, 0, int64(w), unit.CPU)
			logs[w] = math.Log(x)
			sum += x
		}
		_, sd := moments(logs)
		if sd < 0.1 {
			below++
		}
		largest = max(largest, sd)
	}
	near(t, "part of the jobs below restlessness 1", below/jobs, 0.5, 4*0.5/math.Sqrt(jobs))
	near(t, "largest spread", largest, 0.3, 0.05)
	near(t, "mean, of the mean without", sum/(jobs*windows)/m.Batch[unit.CPU], 1, 4*0.17/math.Sqrt(jobs*windows)+0.001)
}
