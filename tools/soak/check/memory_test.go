package check_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"parley/core/cluster"
	"parley/core/rng"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// early and late are moments at which as many samples are kept: one a minute fills the
// table after 8,192, which is then halved, after twice as many, and so on.
const early, late = 16384 * unit.Minute, 32768 * unit.Minute

// What a run keeps of each job and graph that ended, so that reports are exact: package
// metric counts them by size instead beyond 1,048,576.
const (
	bytesPerJob   = 3 * 8
	bytesPerGraph = 4 * 8
)

// bytesAlive is what one more task, job or graph holds that is alive at a time: its memory
// is used again by later ones. A job of the market takes most, 1,190 bytes: its records in
// the cluster and at the site have 300 each, its place in the seller's plans 330.
const bytesAlive = 5 << 8

// spare bounds what differs between two moments of a steady run: how much is under way,
// and how much memory slices hold in reserve. It is less than 16 bytes for each task, job
// or graph that ends between the two.
const spare = 96 << 10

// After eleven days and after twenty-two a steady run with failing nodes holds as many
// bytes, but for the figures of what ended.
func TestMemoryStaysFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: plays 22 days of each system")
	}
	play := func(name, document string, source workload.Source) {
		t.Run(name, func(t *testing.T) {
			s, err := scenario.Parse([]byte(document))
			if err != nil {
				t.Fatal(err)
			}
			s.Until = scenario.Duration(late + unit.Hour)
			ended := &ends{}
			r, err := run.Systems().Open(s, source, run.Watch(ended))
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Advance(early); err != nil {
				t.Fatal(err)
			}
			then, before := *ended, heap()
			if err := r.Advance(late); err != nil {
				t.Fatal(err)
			}
			grown := heap() - before
			runtime.KeepAlive(r)
			jobs, graphs, all := ended.jobs-then.jobs, ended.graphs-then.graphs, ended.all()-then.all()
			t.Logf("%d bytes, and %d more after %d tasks, %d jobs and %d graphs; %d alive at most, then %d", before, grown, all-jobs-graphs, jobs, graphs, then.largest, ended.largest)
			if all < spare/16 && ended.loads == 0 {
				t.Errorf("%d tasks, jobs and graphs ended in eleven days: what is kept of them could not be seen", all)
			}
			if limit := jobs*bytesPerJob + graphs*bytesPerGraph + (ended.largest-then.largest)*bytesAlive + spare; grown > limit {
				t.Errorf("%d bytes, and %d more eleven days later, at most %d: something is kept of each of %d tasks, jobs and graphs that ended", before, grown, limit, all)
			}
		})
	}
	for _, e := range run.Systems().Offered() {
		play(e.ID, steady(e), nil)
		if slices.Contains(e.Supports, workload.ShapeTasks) && slices.Contains(e.Supports, workload.ShapeJobs) {
			play(e.ID+" with jobs", fmt.Sprintf(`{"v":1,"system":%q,"chaos":{"node_mtbf":"60d"}}`, e.ID), &jobs{random: rng.New(1, "soak/jobs")})
		}
	}
}

// steady returns a scenario in which about as much ends as comes.
func steady(e system.Entry) string {
	more := ""
	switch {
	case slices.Contains(e.Supports, workload.ShapeTasks):
		more = `,"cluster":{"nodes":18},"workload":{"scale":0.5}`
	case slices.Contains(e.Supports, workload.ShapeGraphs):
		more = `,"workload":{"graphs":{"machines":[{"count":12,"types":6,"types_each":[2,6],"speed":[1,5],"bandwidth":[1e6,1e7],"latency_s":0.01}],"generate":{"load":0.4,"vertices":[5,20],"bytes":[0,2e7]},"deadline_factor":3}}`
	}
	return fmt.Sprintf(`{"v":1,"system":%q,"chaos":{"node_mtbf":"60d"}%s}`, e.ID, more)
}

// heap returns the bytes that are reachable.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what the first one found unreachable is free now
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// ends counts what ends, loads that arrive, and the most tasks, jobs and graphs alive.
type ends struct{ tasks, jobs, graphs, loads, came, largest int64 }

func (n *ends) all() int64 { return n.tasks + n.jobs + n.graphs }

// Observe implements run.Observer.
func (n *ends) Observe(e cluster.Event) {
	switch e.Kind {
	case cluster.TaskSubmitted, cluster.JobSubmitted, cluster.GraphArrived:
		n.came++
		n.largest = max(n.largest, n.came-n.all())
	case cluster.TaskEnded:
		n.tasks++
	case cluster.JobEnded:
		n.jobs++
	case cluster.GraphDone, cluster.GraphAborted:
		n.graphs++
	case cluster.LoadArrived:
		n.loads++
	}
}

// jobs is four nodes and rigid jobs without end, one a minute on average.
type jobs struct {
	random *rng.Stream
	count  uint64
	at     unit.Time
}

// Header says that the workload is of rigid jobs.
func (*jobs) Header() workload.Header { return workload.Header{Shape: workload.ShapeJobs} }

// Next implements workload.Source.
func (j *jobs) Next(r *workload.Record) error {
	j.count++
	*r = workload.Record{At: j.at}
	if j.count <= 4 {
		r.Kind, r.Machine, r.Node = workload.NodeJoins, j.count, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Processors: 32}
		return nil
	}
	j.at += unit.Time(j.random.Exponential() * float64(unit.Minute))
	took := unit.Time(j.random.Exponential()*float64(20*unit.Minute)) + unit.Second
	r.At, r.Kind, r.Key = j.at, workload.JobArrives, workload.Key{Job: j.count}
	r.Job = &workload.Job{Processors: int32(1 + j.random.Intn(6)), Run: took, Estimate: 2 * took, User: uint32(j.random.Intn(20)), Queue: -1}
	return nil
}
