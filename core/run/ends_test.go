package run_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/feed"
	"parley/core/metric"
	"parley/core/run"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/unit"
	"parley/core/workload"
)

// inSystem integrates how many jobs are in the system, and how long those stay that end. It notes
// when each came and ended.
type inSystem struct {
	now, stays, held unit.Time // sums; held is of jobs that ended
	since            map[unit.JobID]unit.Time
	view             cluster.View
	number           map[unit.JobID]uint64
	came, ended      map[uint64]unit.Time // by number
}

// Observe implements run.Observer.
func (s *inSystem) Observe(e cluster.Event) {
	if e.Kind != cluster.JobSubmitted && e.Kind != cluster.JobEnded {
		return
	}
	s.stays += unit.Time(len(s.since)) * (e.At - s.now)
	s.now = e.At
	if e.Kind == cluster.JobSubmitted {
		s.since[e.Job()] = e.At
		j, _ := s.view.Job(e.Job())
		s.number[e.Job()], s.came[j.Key.Job] = j.Key.Job, e.At
		return
	}
	s.ended[s.number[e.Job()]] = e.At
	s.held += e.At - s.since[e.Job()]
	delete(s.since, e.Job())
}

// TestAllJobsAreAccountedFor: of random logs under random rules, limits, reservations and
// faults each job ends, is killed or is named, no more than all processors are used, and the jobs in
// the system are Little's law's, by the events, the report's means and the samples. In half of the logs jobs are on
// nodes, with memory, GPUs, components, throttles, leaf switches, failures and dependencies of all kinds, and stop
// one another.
func TestAllJobsAreAccountedFor(t *testing.T) {
	whole := t
	rapid.Check(t, func(t *rapid.T) {
		var l jobLog
		nodes := rapid.IntRange(1, 4).Draw(t, "nodes")
		for i := range nodes {
			l.records = append(l.records, workload.Record{Kind: workload.NodeJoins, Machine: uint64(i), Node: workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1, Processors: 2}})
		}
		onNodes := rapid.Bool().Draw(t, "on nodes")
		at, jobs := unit.Time(0), rapid.IntRange(1, 30).Draw(t, "jobs")
		for i := range jobs {
			at += unit.Time(rapid.IntRange(0, 600).Draw(t, "gap")) * unit.Second
			length := unit.Time(rapid.IntRange(1, 60).Draw(t, "run")) * unit.Minute
			l.records = append(l.records, workload.Record{At: at, Kind: workload.JobArrives, Key: workload.Key{Job: uint64(i + 1)}, Job: &workload.Job{
				Processors: int32(rapid.IntRange(1, 2*nodes+1).Draw(t, "processors")), Run: length, Estimate: length * unit.Time(rapid.IntRange(1, 3).Draw(t, "factor")), User: uint32(i % 3), Queue: -1,
			}})
			if before := rapid.IntRange(0, 2*i).Draw(t, "preceding job"); before > 0 && before <= i {
				l.records[len(l.records)-1].Job.After = []workload.Preceding{{Key: workload.Key{Job: uint64(before)}, Think: unit.Time(rapid.IntRange(0, 90).Draw(t, "think time")) * unit.Minute}}
			}
		}
		wants := ""
		if onNodes {
			wants = wantMore(t, &l)
		}
		wishes := map[uint64]workload.Record{}
		for _, r := range l.records {
			if r.Job != nil {
				job := *r.Job
				r.Job = &job
				wishes[r.Key.Job] = r
			}
		}
		extent, err := feed.Measure(&jobLog{l.records[:len(l.records):len(l.records)]})
		if err != nil {
			t.Fatal(err)
		}
		var faults []string
		for range rapid.IntRange(0, 3).Draw(t, "faults") {
			kind := rapid.SampledFrom([]string{"node_down", "node_up"}).Draw(t, "kind")
			faults = append(faults, fmt.Sprintf(`{"at":"%dm","kind":%q,"target":"node.%d"}`, rapid.IntRange(1, 600).Draw(t, "at"), kind, rapid.IntRange(0, nodes-1).Draw(t, "node")))
		}
		chaos := rapid.SampledFrom([]string{"", "", `"chaos":{"node_mtbf":"20h","mttr":"30m"},`}).Draw(t, "chaos")
		policies := []string{"fcfs", "easy", "easy-sjbf", "conservative", "slurm"}
		queues := []string{"*: user_jobs=1", "*: user_jobs=4", "*: longest=90m"}
		if onNodes {
			queues = append(queues, "1: tier=1 preempts", "1: tier=2 preempts; *: user_jobs=3")
		}
		form := `{"v":1,"system":"central",%s"faults":[%s],"cluster":{"physical":{"rack_size":2}},` +
			`"settings":{"policy":%q,"batch":{"queues":%q,"reservations":%q%s}}}`
		s := parse(whole, fmt.Sprintf(form, chaos, strings.Join(faults, ","),
			rapid.SampledFrom(policies).Draw(t, "policy"), rapid.SampledFrom(queues).Draw(t, "queues"),
			rapid.SampledFrom([]string{"", "1 from 1h to 30h", "all from 3h to 9d"}).Draw(t, "reservations"), wants))
		extent.Bound(s)
		seen := &inSystem{since: map[unit.JobID]unit.Time{}, number: map[unit.JobID]uint64{}, came: map[uint64]unit.Time{}, ended: map[uint64]unit.Time{}}
		r, err := run.Open(s, &l, run.Watch(seen))
		if err != nil {
			t.Fatal(err)
		}
		seen.view = r.View()
		if err := r.Advance(unit.Forever); err != nil {
			t.Fatal(err)
		}
		report := r.Report()
		j := report.Jobs
		left := int64(j.Waiting + j.Running)
		held := int64(jobs) - j.Submitted // they come when another one has ended
		if held > 0 && left == 0 && !onNodes || j.Ended+left != j.Submitted || j.Running > 0 {
			t.Fatalf("%d jobs came, %d were submitted, %d ended, %d wait, %d run", jobs, j.Submitted, j.Ended, j.Waiting, j.Running)
		}
		if named := strings.Contains(strings.Join(report.Warnings, "\n"), "can never start"); named != (left+held > 0) {
			t.Fatalf("%d jobs are left, and the report says %q", left, report.Warnings)
		}
		for n, came := range seen.came {
			want := wishes[n].At
			for _, after := range wishes[n].Job.After {
				if after.Kind == workload.AfterStart {
					want = came
					continue
				}
				ended, is := seen.ended[after.Key.Job]
				if want = max(want, ended+after.Think); !is {
					t.Fatalf("job %d comes before job %d has ended", n, after.Key.Job)
				}
			}
			if came != want {
				t.Fatalf("job %d comes at %v, want %v", n, came, want)
			}
		}
		if j.UtilisationPct < 0 || j.UtilisationPct > 100+1e-9 {
			t.Fatalf("utilisation is %v %%", j.UtilisationPct)
		}
		if want := float64(j.Ended) * j.ResponseS.Mean; left == 0 && math.Abs(seen.stays.Seconds()-want) > 1e-6*max(1, want) {
			t.Fatalf("jobs were in the system for %v s together, and the mean response time says %v", seen.stays.Seconds(), want)
		}
		if span := j.MakespanS; left == 0 {
			sums := map[string]float64{"the report's means": (report.Metrics["running"] + report.Metrics["waiting"]) * span}
			if table := r.Table(); table.Step == run.SampleStep {
				for _, row := range table.Rows {
					sums["the samples"] += (row[metric.Running] + row[metric.Waiting]) * table.Step.Seconds()
				}
			}
			for subject, sum := range sums {
				if math.Abs(seen.stays.Seconds()-sum) > 1e-6*max(1, sum) {
					t.Fatalf("jobs were in the system for %v s together, and %s say %v", seen.stays.Seconds(), subject, sum)
				}
			}
			if busy := report.Metrics["cpu_used_pct"]; len(faults) == 0 && chaos == "" && math.Abs(busy-j.UtilisationPct) > 1e-6 {
				t.Fatalf("processors are used by %v %% in the mean over time and by %v %% by the jobs", busy, j.UtilisationPct)
			}
		}
	})
}

// wantMore lets the jobs of a log ask for more than processors, and returns what the nodes have for them and
// which limits there are.
func wantMore(t *rapid.T, l *jobLog) string {
	draw := func(minimum, limit int, subject string) int { return rapid.IntRange(minimum, limit).Draw(t, subject) }
	for i := range l.records {
		j := l.records[i].Job
		if j == nil {
			continue
		}
		need := func() workload.Need {
			return workload.Need{
				Nodes: int32(max(0, draw(-2, 2, "nodes of a job"))), GPUs: int32(max(0, draw(-4, 2, "gpus"))),
				Memory: unit.Bytes(max(0, draw(-4, 9, "memory"))), Alone: draw(0, 5, "alone") == 0,
				Switches: int32(max(0, draw(-3, 1, "switches"))), SwitchWait: unit.Time(draw(0, 60, "patience")) * unit.Minute,
			}
		}
		if j.Need = need(); j.Processors > 1 && draw(0, 5, "components") == 0 {
			rest := workload.Component{Processors: j.Processors - 1, Need: need()}
			j.Components, j.Need = []workload.Component{{Processors: 1, Need: need()}, rest}, workload.Need{}
		}
		j.Fails, j.Queue, j.Group = draw(0, 4, "fails") == 0, int32(draw(0, 1, "queue")), uint32(draw(0, 1, "group"))
		if draw(0, 5, "killed") == 0 {
			j.Estimate = max(1, j.Run/2)
		}
		if len(j.After) > 0 {
			j.After[0].Kind = workload.PrecedingKind(draw(0, 3, "kind of dependency"))
		}
		l.records[i].Job = j
	}
	preempt := rapid.SampledFrom([]string{"requeue", "cancel"}).Draw(t, "preempt")
	limits := []string{"", "user *: jobs=2", "group 1: processors=3 memory=12", "all: submitted=9"}
	off := draw(0, 1, "off") * draw(60, 3600, "off after")
	const form = `,"nodes":"memory=8; 0: gpus=2; 1: gpus=1; racks=%ds","preempt":%q,"limits":%q,"off":{"after_us":%d}`
	return fmt.Sprintf(form, draw(0, 3000, "longest patience"), preempt, rapid.SampledFrom(limits).Draw(t, "limits"), off*int(unit.Second))
}

// allTaken is a log of one node with two processors, and one job that takes both.
func allTaken(at unit.Time) *jobLog {
	return &jobLog{[]workload.Record{
		{Kind: workload.NodeJoins, Node: workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1, Processors: 2}},
		{At: at, Kind: workload.JobArrives, Key: workload.Key{Job: 1}, Job: &workload.Job{Processors: 2, Run: 10 * unit.Minute, Estimate: 10 * unit.Minute, Queue: -1}},
	}}
}

// TestLogsWaitForRepairs: a job whose node is down can start once it is up again, by a fault that
// is still to come or by the repair of a random failure, and the log goes on until it has ended.
func TestLogsWaitForRepairs(t *testing.T) {
	down := `"faults":[{"at":"5s","kind":"node_down","target":"node.0"},{"at":"100h","kind":"node_up","target":"node.0"}]`
	documents := []string{down}
	for seed := range 8 {
		documents = append(documents, fmt.Sprintf(`"seed":%d,"chaos":{"node_mtbf":"1h","mttr":"40h"}`, seed+1))
	}
	for _, subject := range documents {
		s := parse(t, `{"v":1,"system":"central","settings":{"policy":"easy"},`+subject+`}`)
		extent, err := feed.Measure(allTaken(4 * unit.Hour))
		if err != nil {
			t.Fatal(err)
		}
		extent.Bound(s)
		r, err := run.Open(s, allTaken(4*unit.Hour))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Advance(unit.Forever); err != nil {
			t.Fatal(err)
		}
		if report := r.Report(); report.Jobs.Ended != 1 {
			t.Errorf("%s: %d jobs ended in %v s: %q", subject, report.Jobs.Ended, report.SimulatedS, report.Warnings)
		}
	}
}

// TestRateDividesGaps: with workload.rate 2 the second of two jobs comes after half of the time.
func TestRateDividesGaps(t *testing.T) {
	r := playFiles(t, `{"v":1,"system":"central","settings":{"policy":"fcfs"},"workload":{"rate":2}}`, inMemory("a.swf", "; MaxProcs: 4\n"+row(1, 0, 60, 4, 4, 60, 1)+row(2, 600, 60, 4, 4, 60, 1)))
	if r.Jobs.MakespanS != 360 {
		t.Errorf("the makespan is %v s, want 300 + 60", r.Jobs.MakespanS)
	}
}

// TestWindowLeavesSomething: a warm-up and a cool-down that are all of the run are refused.
func TestWindowLeavesSomething(t *testing.T) {
	for cool, ok := range map[string]bool{"29m": true, "30m": false} {
		s := parse(t, `{"v":1,"system":"central","cluster":{"nodes":20},"until":"1h","window":{"warm_up":"30m","cool_down":"`+cool+`"}}`)
		if _, err := run.Open(s, nil); (err == nil) != ok {
			t.Errorf("30m and %s of 1h: %v", cool, err)
		}
	}
}
