package paper

import (
	"math"
	"slices"
)

// Real series of jobs: Google's cluster data of 2011 in windows of five minutes, 251
// jobs on their first ten days, summed over the tasks of a job, those that stay
// within 5 and 90 % of a machine. Statistics of a job's day are judged.

// dayWindows is the number of windows of a day.
const dayWindows = 288

// jobDay is the use of one job in the windows of one day.
type jobDay [dayWindows]float64

// belongs reports whether a job's day would be among the real ones: all of it
// between 5 and 90 % of the reference machine.
func (d *jobDay) belongs() bool {
	for _, x := range d {
		if x < 0.05 || x > 0.9 {
			return false
		}
	}
	return true
}

// seriesFigures are the statistics of one day of many jobs, in the order of
// seriesNames.
type seriesFigures [14]float64

// seriesNames name them.
var seriesNames = [len(seriesFigures{})]string{
	"CV within a day, a tenth of the jobs is below",
	"CV within a day, median",
	"CV within a day, a tenth is above",
	"autocorrelation after 5 minutes",
	"autocorrelation after an hour",
	"autocorrelation after 3 hours",
	"step to the next window / mean, median",
	"step to the next window / mean, a tenth is above",
	"P95 / mean",
	"jobs that rise by more than 20 % in a window",
	"jobs that rise by more than 20 % in the worst window of a day",
	"bursts above 1.5 medians",
	"bursts of a single window",
	"highest hour of the day / lowest",
}

// figuresOf computes them for CPU.
func figuresOf(days []*jobDay) seriesFigures {
	var cv, step, step90, p95, bursts, single []float64
	var lags [3][]float64
	var profile [24]float64
	rising := make([]float64, dayWindows-1)
	var changes, sorted [dayWindows]float64
	for _, d := range days {
		mean, deviation := momentsOf(d[:])
		cv = append(cv, deviation/mean)
		for i, lag := range [3]int{1, 12, 36} {
			lags[i] = append(lags[i], autocorrelation(d[:], lag))
		}
		for w := 1; w < dayWindows; w++ {
			changes[w-1] = math.Abs(d[w]-d[w-1]) / mean
			if d[w] > float64(1.2*d[w-1]) {
				rising[w-1] += 100 / float64(len(days))
			}
		}
		slices.Sort(changes[:dayWindows-1])
		step, step90 = append(step, quantile(changes[:dayWindows-1], 0.5)),
			append(step90, quantile(changes[:dayWindows-1], 0.9))
		sorted = *d
		slices.Sort(sorted[:])
		p95 = append(p95, quantile(sorted[:], 0.95)/mean)
		lengths := burstsOf(d[:], 1.5*quantile(sorted[:], 0.5))
		bursts = append(bursts, float64(len(lengths)))
		for _, length := range lengths {
			alone := 0.0
			if length == 1 {
				alone = 1
			}
			single = append(single, alone)
		}
		for w, x := range d {
			profile[w/12] += x / mean
		}
	}
	up, _ := momentsOf(rising)
	b, _ := momentsOf(bursts)
	alone, _ := momentsOf(single)
	slices.Sort(rising)
	slices.Sort(cv)
	return seriesFigures{
		quantile(cv, 0.1), quantile(cv, 0.5), quantile(cv, 0.9),
		median(lags[0]), median(lags[1]), median(lags[2]),
		median(step), median(step90), median(p95),
		up, rising[len(rising)-1],
		b, 100 * alone,
		slices.Max(profile[:]) / slices.Min(profile[:]),
	}
}

// series returns the mean of the days' figures.
func (f *usageFigures) series() (mean seriesFigures) {
	for _, day := range f.days {
		for i, x := range day {
			mean[i] += x / float64(len(f.days))
		}
	}
	return mean
}

// burstsOf returns the lengths of the runs of windows above a level.
func burstsOf(xs []float64, level float64) (lengths []int) {
	length := 0
	for _, x := range xs {
		switch {
		case x > level:
			length++
		case length > 0:
			lengths, length = append(lengths, length), 0
		}
	}
	if length > 0 {
		lengths = append(lengths, length)
	}
	return lengths
}

// momentsOf returns mean and standard deviation, zeros of nothing.
func momentsOf(xs []float64) (mean, deviation float64) {
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	for _, x := range xs {
		deviation += float64((x-mean)*(x-mean)) / float64(len(xs))
	}
	return mean, math.Sqrt(deviation)
}

func autocorrelation(xs []float64, lag int) float64 {
	mean, deviation := momentsOf(xs)
	if deviation == 0 {
		return 0
	}
	sum := 0.0
	for i := range xs[lag:] {
		sum += float64((xs[i] - mean) * (xs[i+lag] - mean))
	}
	return sum / (float64(len(xs)) * deviation * deviation)
}

// quantile returns that of sorted values, linear between them; 0 of nothing.
func quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	x := float64(p * float64(len(sorted)-1))
	i := int(x)
	return sorted[i] + float64((sorted[min(i+1, len(sorted)-1)]-sorted[i])*(x-float64(i)))
}

func median(xs []float64) float64 {
	slices.Sort(xs)
	return quantile(xs, 0.5)
}
