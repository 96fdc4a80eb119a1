package metric_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/estimate"
	"parley/core/metric"
	"parley/core/unit"
	"parley/core/workload"
)

// A distribution is exact for as many figures as are listed. For more, median and 95th
// percentile are right to a hundredth, mean and largest are exact, and none is listed.
func TestValuesAgainstLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]int{0, 1, 255, 256, 257, 600}).Draw(t, "most")
		all := rapid.SliceOfN(rapid.Float64Range(0, 1e7), 1, 700).Draw(t, "values")
		f := metric.NewValues(limit)
		sum := 0.0
		for _, x := range all {
			f.Add(x)
			sum += x
		}
		sorted := slices.Sorted(slices.Values(all))
		at := func(percent int) float64 { return sorted[(len(all)*percent+99)/100-1] }
		want, got, listed := metric.Distribution{Mean: sum / float64(len(all)), Median: estimate.Median(sorted), P95: at(95), Max: at(100)}, f.Distribution(), len(all)
		if len(all) > limit {
			near := func(a, b float64) bool { return math.Abs(a-b) <= b/100+1e-6 }
			if !near(got.Median, want.Median) || !near(got.P95, want.P95) {
				t.Fatalf("%+v, want about %+v", got, want)
			}
			got.Median, got.P95, listed = want.Median, want.P95, 0
		}
		if got != want || f.Listed() != listed {
			t.Fatalf("%+v of %d listed figures, want %+v of %d", got, f.Listed(), want, listed)
		}
	})
}

// Jobs that come, start, lose their node, start again and end in any order: whether one
// passed another is what a list of all arrivals says.
func TestPassedAgainstArrivals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := des.New()
		c := cluster.New(cluster.Default(), k)
		j := metric.NewJobs(c.View())
		var order []unit.JobID // of arrival
		state := map[unit.JobID]cluster.State{}
		passed, ended := int64(0), map[unit.JobID]bool{}
		settle := func() {
			if err := c.Deliver(func(e cluster.Event) error {
				id := e.Job()
				switch e.Kind {
				case cluster.JobSubmitted:
					order = append(order, id)
					state[id] = cluster.Waiting
				case cluster.JobPlaced:
					state[id] = cluster.Running
					first := order[slices.IndexFunc(append(slices.Clone(order), id), func(o unit.JobID) bool { return state[o] == cluster.Waiting || o == id })]
					ended[id] = first != id
				case cluster.JobDisplaced:
					state[id] = cluster.Waiting
				case cluster.JobEnded:
					if state[id] == cluster.Running && ended[id] {
						passed++
					}
					delete(state, id)
				}
				j.Observe(e)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		c.Join(0, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Processors: 1000})
		submit := func() { c.SubmitJob(workload.Key{}, &workload.Job{Processors: 1, Run: unit.Hour, Estimate: unit.Hour}) }
		some := func(in cluster.State) (unit.JobID, bool) {
			var all []unit.JobID
			for _, id := range order {
				if state[id] == in {
					all = append(all, id)
				}
			}
			if len(all) == 0 {
				return 0, false
			}
			return all[rapid.IntRange(0, len(all)-1).Draw(t, "job")], true
		}
		for range rapid.IntRange(1, 60).Draw(t, "acts") {
			switch rapid.SampledFrom([]string{"submit", "submit", "place", "place", "end", "withdraw", "fail"}).Draw(t, "act") {
			case "submit":
				submit()
			case "place":
				if id, any := some(cluster.Waiting); any {
					if err := c.PlaceAll(id, []cluster.Part{{Node: 0, Processors: 1}}); err != nil {
						t.Fatal(err)
					}
				}
			case "end":
				if id, any := some(cluster.Running); any {
					c.EndJob(id, workload.Finished)
				}
			case "withdraw":
				if id, any := some(cluster.Waiting); any {
					c.EndJob(id, workload.Killed)
				}
			case "fail":
				c.Leave(0)
				c.Restore(0)
			}
			settle()
		}
		if r := j.Report(); r != nil && r.Backfilled != passed {
			t.Fatalf("%d jobs passed others, want %d", r.Backfilled, passed)
		}
	})
}

// While one job waits for ever and others pass it, nothing is kept of those that ended.
func TestQueueStaysBounded(t *testing.T) {
	c := cluster.New(cluster.Default(), des.New())
	j := metric.NewJobs(c.View())
	c.Join(0, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Processors: 1})
	submit := func() unit.JobID {
		return c.SubmitJob(workload.Key{}, &workload.Job{Processors: 1, Run: unit.Hour, Estimate: unit.Hour})
	}
	submit()
	for range 1000 {
		id := submit()
		if err := c.PlaceAll(id, []cluster.Part{{Node: 0, Processors: 1}}); err != nil {
			t.Fatal(err)
		}
		c.EndJob(id, workload.Finished)
		if err := c.Deliver(func(e cluster.Event) error { j.Observe(e); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if n := metric.Queue(j); n > 100 || j.Report().Backfilled != 1000 {
		t.Errorf("%d entries are kept of one job that waits; %d of 1000 passed it", n, j.Report().Backfilled)
	}
}
