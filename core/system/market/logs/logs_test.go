package logs_test

import (
	"slices"
	"testing"

	"parley/core/batch"
	"parley/core/system/market/logs"
	"parley/core/unit"
)

// take returns the first jobs of a log.
func take(l logs.Log, n int) (jobs []logs.Job) {
	for range n {
		if j, more := l.Next(); more {
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// stand is a stand-in for a small machine.
func stand(cores, busy int, seed uint64) *logs.Stream {
	m, _ := logs.Find("ricc")
	return logs.StandIn(m, cores, busy, seed, "site")
}

// TestStart: what runs and waits at a moment is what package batch says when it plays
// the whole log at once.
func TestStart(t *testing.T) {
	const cores = 512
	for seed := range uint64(20) {
		jobs := take(stand(cores, 95, seed), 300)
		var all []batch.Logged
		for _, j := range jobs {
			all = append(all, batch.Logged{Job: batch.Job{Processors: int(j.Processors), Estimate: j.Estimate}, Submit: j.Submit, Run: j.Run})
		}
		starts := batch.Play(batch.EASY, cores, all)
		at := jobs[200].Submit + unit.Time(seed)*unit.Minute
		got := logs.Play(batch.EASY, cores, &logs.Recorded{Jobs: slices.Clone(jobs)}, at)
		var running, waiting []logs.Job
		for i, j := range jobs {
			switch run := min(j.Run, j.Estimate); {
			case j.Submit > at || starts[i]+run <= at:
			case starts[i] > at:
				j.Submit = 0
				waiting = append(waiting, j)
			default:
				left := at - starts[i]
				j.Submit, j.Estimate = 0, j.Estimate-left
				j.Run = min(j.Run-left, j.Estimate)
				running = append(running, j)
			}
		}
		if !slices.Equal(got.Running, running) || !slices.Equal(got.Waiting, waiting) {
			t.Fatalf("seed %d: %d run and %d wait, want %d and %d", seed, len(got.Running), len(got.Waiting), len(running), len(waiting))
		}
		if len(running) == 0 {
			t.Fatalf("seed %d: nothing runs", seed)
		}
		if !got.More || got.Next.Submit <= at || got.Next != jobs[slices.IndexFunc(jobs, func(j logs.Job) bool { return j.Submit > at })] {
			t.Errorf("seed %d: the next job is %+v", seed, got.Next)
		}
		busy := int32(0)
		for _, j := range got.Running {
			busy += j.Processors
		}
		if busy > cores {
			t.Errorf("seed %d: %d of %d cores are busy", seed, busy, cores)
		}
	}
}

// TestStandIn: a stand-in brings the work that it is asked for, in the machine's sizes
// and times, scaled with its cores, and the same from the same seed.
func TestStandIn(t *testing.T) {
	for _, m := range logs.Machines {
		const n = 20_000
		jobs := take(logs.StandIn(m, m.Cores, m.Busy, 7, "site"), n)
		if !slices.Equal(jobs[:50], take(logs.StandIn(m, m.Cores, m.Busy, 7, "site"), 50)) || slices.Equal(jobs[:50], take(logs.StandIn(m, m.Cores, m.Busy, 8, "site"), 50)) {
			t.Errorf("%s: jobs do not follow from the seed alone", m.Name)
		}
		work := 0.0
		for i, j := range jobs {
			if i > 0 && j.Submit < jobs[i-1].Submit || j.Run < m.Run[0] || j.Run > m.Run[1] || j.Estimate < j.Run || !slices.Contains(m.Sizes, j.Processors) {
				t.Fatalf("%s: job %d is %+v", m.Name, i, j)
			}
			work += float64(j.Processors) * j.Run.Seconds()
		}
		// sizes times run times vary by 3.8 times their mean (ricc), and the stand-in draws
		// 4,096 run times to know theirs (1.9 times): 4 % together
		busy := 100 * work / (float64(m.Cores) * jobs[n-1].Submit.Seconds())
		if busy < 0.88*float64(m.Busy) || busy > 1.12*float64(m.Busy) {
			t.Errorf("%s: %.1f %% of its cores are asked for, want %d within three standard errors", m.Name, busy, m.Busy)
		}
	}
	m, _ := logs.Find("atlas")
	for _, j := range take(logs.StandIn(m, m.Cores/2, m.Busy, 7, "site"), 1000) {
		if int(j.Processors) > m.Cores/2 || !slices.Contains(m.Sizes, 2*j.Processors) {
			t.Fatalf("a site of half the size has a job of %d cores", j.Processors)
		}
	}
}

// TestFind: an unknown machine is refused with those that are known.
func TestFind(t *testing.T) {
	for _, m := range logs.Machines {
		if found, err := logs.Find(m.Name); err != nil || found.Cores != m.Cores {
			t.Errorf("%s is %+v (%v)", m.Name, found, err)
		}
	}
	if _, err := logs.Find("deep blue"); err == nil || err.Error() != `the log is "deep blue": choose one of atlas, thunder, intrepid, ricc, curie` {
		t.Errorf("a machine that nobody knows gives %v", err)
	}
}
