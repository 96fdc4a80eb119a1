package logs

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/rng"
	"parley/core/unit"
)

// Machine is one of those whose logs the paper replays (table 1), with the parameters of a stand-in
// for its log.
type Machine struct {
	Name  string
	Cores int
	Busy  int     // per cent of the cores that the log's jobs keep busy
	Sizes []int32 // sizes of requests, ascending, of equal probability
	Run   [2]unit.Time
}

// Machines are those of table 1. Their load is as the archive states it for the logs; sizes and run
// times are of the order in its reports. If the log itself is open it is played instead.
var Machines = []Machine{
	{"atlas", 9216, 64, []int32{8, 8, 16, 32, 64, 64, 128, 256, 512, 1024}, [2]unit.Time{unit.Minute, 20 * unit.Hour}},
	{
		"thunder", 4008, 87,
		[]int32{4, 4, 4, 8, 16, 32, 64, 128, 256, 512},
		[2]unit.Time{30 * unit.Second, 12 * unit.Hour},
	},
	{
		"intrepid", 163_840, 60,
		[]int32{2048, 2048, 2048, 4096, 4096, 8192, 8192, 16_384, 32_768, 65_536},
		[2]unit.Time{5 * unit.Minute, 12 * unit.Hour},
	},
	{"ricc", 8192, 87, []int32{1, 1, 1, 8, 8, 16, 32, 64, 128, 256}, [2]unit.Time{10 * unit.Second, 72 * unit.Hour}},
	{
		"curie", 93_312, 62,
		[]int32{1, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096},
		[2]unit.Time{10 * unit.Second, 24 * unit.Hour},
	},
}

// Find returns the machine of a name.
func Find(name string) (Machine, error) {
	names := make([]string, len(Machines))
	for i, m := range Machines {
		if m.Name == name {
			return m, nil
		}
		names[i] = m.Name
	}
	return Machine{}, fmt.Errorf("the log is %q: choose one of %s", name, strings.Join(names, ", "))
}

// limits are the estimates that users give, rounded as theirs are.
var limits = []unit.Time{
	5 * unit.Minute, 15 * unit.Minute, 30 * unit.Minute, unit.Hour, 2 * unit.Hour, 4 * unit.Hour,
	6 * unit.Hour, 12 * unit.Hour, unit.Day, 2 * unit.Day, 4 * unit.Day,
}

// Stream is a stand-in for a machine's log, job by job, without end. Use StandIn.
type Stream struct {
	random *rng.Stream
	sizes  []int32
	run    [2]unit.Time
	gap    float64 // seconds between jobs
	at     float64
}

// StandIn makes a stand-in for a machine's log: jobs that come at random
// (exponential gaps) with sizes of the list, run times with evenly spread logarithms
// between the two of the machine, and the next usual limit above up to four times
// that as the estimate. busy is how many per cent of the cores they come to, 1 to
// 100.
func StandIn(m Machine, cores, busy int, seed uint64, name string) *Stream {
	s := &Stream{random: rng.New(seed, "market/log/"+name), run: m.Run}
	mean := 0.0
	for _, size := range m.Sizes {
		one := max(1, int32(int64(size)*int64(cores)/int64(m.Cores)))
		s.sizes = append(s.sizes, one)
		mean += float64(one)
	}
	mean /= float64(len(m.Sizes))
	probe := rng.New(0, "market/log/mean")
	const draws = 4096
	run := 0.0
	for range draws {
		run += spread(probe, m.Run).Seconds()
	}
	s.gap = mean * (run / draws) / (float64(cores) * float64(busy) / 100)
	return s
}

// Next returns the next job.
func (s *Stream) Next() (Job, bool) {
	r := s.random
	s.at += float64(s.gap * r.Exponential())
	j := Job{
		Submit: unit.Time(s.at * 1e6), Processors: s.sizes[r.Intn(len(s.sizes))], Run: spread(r, s.run),
		User: uint32(r.Intn(50)),
	}
	want := j.Run * unit.Time(1+r.Intn(4))
	i, _ := slices.BinarySearch(limits, want)
	j.Estimate = max(j.Run, limits[min(i, len(limits)-1)])
	return j, true
}

// spread draws a time whose logarithm is evenly spread between two: it doubles the
// lower one a whole number of times and draws linearly within the last step.
func spread(r *rng.Stream, between [2]unit.Time) unit.Time {
	steps := 0
	for t := between[0]; t < between[1]; t *= 2 {
		steps++
	}
	low := between[0] << r.Intn(steps)
	high := min(2*low, between[1])
	return low + unit.Time(r.Uint64n(uint64(max(1, high-low))))
}
