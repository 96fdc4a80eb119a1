package workload_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"parley/core/rng"
	"parley/core/unit"
	"parley/core/workload"
)

// still is a moving model in which nothing moves yet; tests add what they look at.
func still() workload.Moving {
	return workload.Moving{
		Batch: workload.Ratios{0.4, 0.5}, Production: workload.Ratios{0.4, 0.5},
		JobPhase: 96, TaskPhase: 12, MaxRestless: 3, BurstFactor: 1, MaxUse: workload.Ratios{2, 2},
	}
}

// synthesis prepares a model that must be valid.
func synthesis(t testing.TB, m workload.Moving, seed uint64) *workload.Synthesis {
	t.Helper()
	s, err := workload.NewSynthesis(workload.Usage{Moving: &m}, seed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// whole is a request so large that its use tells the ratio to nine digits.
var whole = unit.Vec{1_000_000_000, 1_000_000_000}

// ratio returns what a task of batch class uses in a window, of its request.
func ratio(s *workload.Synthesis, job uint64, index uint32, window int64, r unit.Resource) float64 {
	m := s.Model(workload.Key{Job: job, Index: index}, workload.Batch)
	return float64(m.In(whole, window)[r]) / float64(whole[r])
}

// moments returns mean and standard deviation.
func moments(xs []float64) (mean, deviation float64) {
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	for _, x := range xs {
		deviation += (x - mean) * (x - mean) / float64(len(xs))
	}
	return mean, math.Sqrt(deviation)
}

// correlation returns Pearson's coefficient.
func correlation(xs, ys []float64) float64 {
	mx, sx := moments(xs)
	my, sy := moments(ys)
	sum := 0.0
	for i := range xs {
		sum += (xs[i] - mx) * (ys[i] - my)
	}
	return sum / (float64(len(xs)) * sx * sy)
}

// TestBinaryLogarithms: powers and logarithms lie beside those of floats, within
// what a table of 64 points and 1/4096 of a doubling can tell.
func TestBinaryLogarithms(t *testing.T) {
	for e := int64(-16 * 4096); e <= 8*4096; e++ {
		want := 65536 * math.Exp2(float64(e)/4096)
		if got := float64(workload.Exp2(e)); math.Abs(got-want) > 2.3e-5*want+1 {
			t.Fatalf("2^(%d/4096) is %v, want %v", e, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.OneOf(rapid.Int64Range(1, 1<<20), rapid.Int64Range(1, 1<<40)).Draw(t, "ratio")
		want := 4096 * math.Log2(float64(x)/65536)
		if got := float64(workload.Log2(x)); math.Abs(got-want) > 0.51 {
			t.Fatalf("the logarithm of %d is %v, want %v", x, got, want)
		}
	})
}

// TestDeviation: the sum of four uniform numbers of 16 bits has the standard
// deviation 65536/√3 and the kurtosis 3 - 6/5/4 (Irwin-Hall); the difference of
// their pairs has them too and does not go together with it.
func TestDeviation(t *testing.T) {
	const n = 400_000
	sums, differences := make([]float64, n), make([]float64, n)
	for i := range sums {
		sum, difference := workload.Deviation(rng.Hash(1, uint64(i), 2))
		sums[i], differences[i] = float64(sum), float64(difference)
	}
	want := 65536 / math.Sqrt(3)
	for _, xs := range [][]float64{sums, differences} {
		mean, sd := moments(xs)
		fourth := 0.0
		for _, x := range xs {
			fourth += math.Pow((x-mean)/sd, 4) / n
		}
		near(t, "mean deviation, in standard deviations", mean/want, 0, 4/math.Sqrt(n))
		near(t, "standard deviation", sd/want, 1, 4*0.65/math.Sqrt(n)) // √((kurtosis-1)/4n)
		near(t, "kurtosis", fourth, 2.7, 0.03)
	}
	near(t, "correlation of sum and difference", correlation(sums, differences), 0, 4/math.Sqrt(n))
}

// TestConstants: ratios between jobs and between the tasks of a job spread as
// told, last for ever, and keep the mean of their class.
func TestConstants(t *testing.T) {
	m := still()
	m.Production = workload.Ratios{0.3, 0.7}
	m.Jobs, m.Tasks = workload.Ratios{0.25, 0.06}, workload.Ratios{0.15, 0.03}
	s := synthesis(t, m, 5)
	const jobs, tasks = 4000, 10
	for class, means := range map[workload.PriorityClass]workload.Ratios{workload.Batch: m.Batch, workload.Production: m.Production} {
		for r, mean := range means {
			var all, ofJobs, within []float64
			for job := range uint64(jobs) {
				sum := 0.0
				logs := make([]float64, tasks)
				for i := range uint32(tasks) {
					model := s.Model(workload.Key{Job: job, Index: i}, class)
					x := float64(model.In(whole, 0)[r]) / float64(whole[r])
					if again := float64(model.In(whole, 100_000)[r]) / float64(whole[r]); again != x {
						t.Fatalf("a task of a still model uses %v and later %v", x, again)
					}
					near(t, "average use beside the use", float64(model.Average(whole)[r])/float64(whole[r]), x, 1e-9)
					all = append(all, x)
					logs[i] = math.Log(x)
					sum += logs[i] / tasks
				}
				ofJobs = append(ofJobs, sum)
				for _, x := range logs {
					within = append(within, x-sum)
				}
			}
			sj, st := m.Jobs[r], m.Tasks[r]
			got, _ := moments(all)
			near(t, "mean ratio", got/mean, 1, 4*math.Sqrt((sj*sj+st*st/tasks)/jobs)+0.0005)
			_, sd := moments(ofJobs)
			near(t, "spread between jobs", sd, math.Sqrt(sj*sj+st*st/tasks), 4*sj/math.Sqrt(2*jobs))
			_, sd = moments(within)
			near(t, "spread within a job", sd, st*math.Sqrt(1-1./tasks), 4*st/math.Sqrt(2*jobs*tasks)+0.0005)
		}
	}
}

// TestNoise: it is of one window and one task, spreads as told and keeps the mean.
func TestNoise(t *testing.T) {
	m := still()
	m.Noise = workload.Ratios{0.17, 0.05}
	s := synthesis(t, m, 5)
	const windows = 20_000
	var logs [2][2][]float64
	for r := range unit.Resources {
		sum := 0.0
		for i := range uint32(2) {
			for w := range int64(windows) {
				x := ratio(s, 1, i, w, r)
				logs[r][i] = append(logs[r][i], math.Log(x))
				sum += x / (2 * windows)
			}
		}
		_, sd := moments(logs[r][0])
		near(t, "spread of the noise", sd, m.Noise[r], 4*m.Noise[r]/math.Sqrt(2*windows))
		near(t, "mean under noise, of the mean without", sum/m.Batch[r], 1, 4*m.Noise[r]/math.Sqrt(2*windows)+0.0005)
		near(t, "autocorrelation of the noise", correlation(logs[r][0][1:], logs[r][0][:windows-1]), 0, 4/math.Sqrt(windows))
		near(t, "correlation of two tasks' noise", correlation(logs[r][0], logs[r][1]), 0, 4/math.Sqrt(windows))
	}
	near(t, "correlation of CPU and memory", correlation(logs[0][0], logs[1][0]), 0, 4/math.Sqrt(windows))
}

// samePhase is the probability that two windows l apart lie in one phase of mean
// length L, from the two ends of a phase drawn evenly in neighbouring blocks:
// 1 - x + x³/6 for x = l/L up to 1, (2-x)³/6 up to 2.
func samePhase(l, length float64) float64 {
	switch x := l / length; {
	case x <= 1:
		return 1 - x + x*x*x/6
	case x <= 2:
		return (2 - x) * (2 - x) * (2 - x) / 6
	}
	return 0
}

// TestPhases: how long phases last, whose they are, that they spread as told and
// that a phase's height says nothing about its length.
func TestPhases(t *testing.T) {
	for _, c := range []struct {
		name   string
		shared bool
		model  workload.Moving
		length int
	}{
		{"of the job", true, func() workload.Moving { m := still(); m.JobPhases = workload.Ratios{0.3, 0.1}; return m }(), 96},
		{"of the task", false, func() workload.Moving { m := still(); m.TaskPhases = workload.Ratios{0.3, 0.1}; return m }(), 12},
	} {
		s := synthesis(t, c.model, 9)
		const jobs, windows = 300, 2000
		lags := []int{1, c.length / 8, c.length / 2, c.length, c.length * 3 / 2}
		equal, pairs := make([]float64, len(lags)), make([]float64, len(lags))
		var logs, other, lengths, heights []float64
		for job := range uint64(jobs) {
			first, second, level := make([]float64, windows), make([]float64, windows), make([]workload.Ratios, windows)
			from := 0
			for w := range windows {
				first[w], second[w] = ratio(s, job, 0, int64(w), unit.CPU), ratio(s, job, 1, int64(w), unit.CPU)
				level[w] = workload.Ratios{first[w], ratio(s, job, 0, int64(w), unit.Memory)} // two phases in a row may be equal in one
				if c.shared && first[w] != second[w] {
					t.Fatalf("%s: window %d of two tasks of job %d: %v and %v", c.name, w, job, first[w], second[w])
				}
				if w > 0 && level[w] != level[w-1] {
					if from > 0 {
						lengths, heights = append(lengths, float64(w-from)), append(heights, math.Log(first[w-1]))
					}
					from = w
				}
				logs, other = append(logs, math.Log(first[w])), append(other, math.Log(second[w]))
				for i, lag := range lags {
					if w >= lag {
						pairs[i]++
						if level[w] == level[w-lag] {
							equal[i]++
						}
					}
				}
			}
		}
		n := float64(jobs * windows / c.length) // independent phases
		for i, lag := range lags {
			near(t, c.name+": part of windows in one phase with those a lag before", equal[i]/pairs[i], samePhase(float64(lag), float64(c.length)), 4*0.5/math.Sqrt(n)+0.5/float64(c.length))
		}
		near(t, c.name+": mean length", mean(lengths)/float64(c.length), 1, 4*0.41/math.Sqrt(n)+0.01)
		near(t, c.name+": correlation of height and length", correlation(lengths, heights), 0, 4/math.Sqrt(n))
		for _, x := range lengths {
			if x > float64(2*c.length-1) {
				t.Fatalf("%s: a phase of %v windows", c.name, x)
			}
		}
		_, sd := moments(logs)
		near(t, c.name+": spread", sd, 0.3, 4*0.3/math.Sqrt(2*n))
		if !c.shared {
			near(t, c.name+": correlation of two tasks", correlation(logs, other), 0, 4/math.Sqrt(n))
		}
	}
}

func mean(xs []float64) float64 { m, _ := moments(xs); return m }

// TestDefaultMeans: with everything that moves, a long mean of many jobs is the
// ratio of their class, but for what the limit of 2 and the events cut off; and
// no use passes the limits.
func TestDefaultMeans(t *testing.T) {
	m := workload.DefaultMoving()
	s := synthesis(t, m, 3)
	const jobs, windows = 1500, 300
	for class, means := range map[workload.PriorityClass]workload.Ratios{workload.Batch: m.Batch, workload.Production: m.Production} {
		var sums [unit.Resources][]float64
		for job := range uint64(jobs) {
			model := s.Model(workload.Key{Job: job}, class)
			var sum [unit.Resources]float64
			for w := range int64(windows) { // spread over months, so that phases and days are many
				use := model.In(whole, w*37)
				for r := range use {
					x := float64(use[r]) / float64(whole[r])
					if x > m.MaxUse[r] {
						t.Fatalf("a task uses %v of its %v", x, unit.Resource(r))
					}
					sum[r] += x / windows
				}
			}
			for r := range sum {
				sums[r] = append(sums[r], sum[r])
			}
		}
		for r, want := range means {
			got, sd := moments(sums[r])
			near(t, "mean ratio, of the class's", got/want, 1, 4*sd/want/math.Sqrt(jobs)+0.005)
		}
	}
}

// TestModelIsPure: a task's use is a function of seed, key, class, request and
// window; seeds differ, and a copy of a task is another task of the same job.
func TestModelIsPure(t *testing.T) {
	m := workload.DefaultMoving()
	rapid.Check(t, func(t *rapid.T) {
		seed, key := rapid.Uint64().Draw(t, "seed"), workload.Key{Job: rapid.Uint64().Draw(t, "job"), Index: rapid.Uint32().Draw(t, "index")}
		class := workload.PriorityClass(rapid.IntRange(0, 1).Draw(t, "class"))
		window := rapid.Int64Range(0, 1<<20).Draw(t, "window")
		request := unit.Vec{unit.Share(rapid.Int32Range(0, 500_000_000).Draw(t, "cpu")), unit.Share(rapid.Int32Range(0, 500_000_000).Draw(t, "memory"))}
		var got [2]unit.Vec
		for i := range got {
			s, err := workload.NewSynthesis(workload.Usage{Moving: &m}, seed)
			if err != nil {
				t.Fatal(err)
			}
			model := s.Model(key, class)
			for range i { // asking for other windows and tasks leaves no trace
				s.Model(workload.Key{Job: 1}, 0)
				model.In(request, window+1)
			}
			got[i] = model.In(request, window)
			for r, x := range got[i] {
				if x < 0 || x > 2*request[r] {
					t.Fatalf("%d in use of %d", x, request[r])
				}
			}
		}
		if got[0] != got[1] {
			t.Fatalf("one task uses %v and %v", got[0], got[1])
		}
	})
	a, b := synthesis(t, m, 1), synthesis(t, m, 2)
	if ratio(a, 1, 0, 0, unit.CPU) == ratio(b, 1, 0, 0, unit.CPU) {
		t.Error("two seeds give one usage")
	}
}

// BenchmarkMoving is what a task's next window costs: what the job shares once for
// each of fourteen tasks, as in the generated cell.
func BenchmarkMoving(b *testing.B) {
	s := synthesis(b, workload.DefaultMoving(), 1)
	const jobs, tasks = 500, 14
	var models [jobs * tasks]workload.UsageModel
	for i := range models {
		models[i] = s.Model(workload.Key{Job: uint64(i / tasks), Index: uint32(i % tasks)}, workload.Production)
	}
	request := unit.Vec{100_000, 100_000}
	window := int64(0)
	var shared [jobs]workload.Shared
	for i := range shared {
		shared[i] = models[i*tasks].Movement.Shared(models[i*tasks].Job)
	}
	for b.Loop() {
		for i := range models {
			if i%tasks == 0 {
				shared[i/tasks].Enter(window)
			}
			shared[i/tasks].Use(models[i].Key, &models[i].Mean, &request)
		}
		window++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(models)), "ns/task-window")
}
