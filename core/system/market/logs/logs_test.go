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

// TestStartByHand: two cores, a job that needs both, one after it that starts when the
// first ends, and one that no machine of the size can run.
func TestStartByHand(t *testing.T) {
	at := func(seconds int) unit.Time { return unit.Time(seconds) * unit.Second }
	a, b := logs.Job{Processors: 2, Run: at(10), Estimate: at(20)}, logs.Job{Submit: at(1), Processors: 1, Run: at(5), Estimate: at(6)}
	large, next := logs.Job{Submit: at(2), Processors: 3, Run: at(1), Estimate: at(1)}, logs.Job{Submit: at(60), Processors: 1, Run: at(1), Estimate: at(1)}
	for moment, want := range map[int]logs.Start{
		4:  {Running: []logs.Job{{Processors: 2, Run: at(6), Estimate: at(16)}}, Waiting: []logs.Job{{Processors: 1, Run: at(5), Estimate: at(6)}}, Waits: []unit.Time{0}},
		10: {Running: []logs.Job{{Processors: 1, Run: at(5), Estimate: at(6)}}, Waits: []unit.Time{0, at(9)}},
		15: {Waits: []unit.Time{0, at(9)}},
	} {
		got := logs.Play(batch.EASY, 2, &logs.Recorded{Jobs: []logs.Job{a, b, large, next}}, at(moment))
		if !slices.Equal(got.Running, want.Running) || !slices.Equal(got.Waiting, want.Waiting) || !slices.Equal(got.Waits, want.Waits) || !got.More || got.Next != next {
			t.Errorf("at %d s it stands as %+v, want %+v", moment, got, want)
		}
	}
}

// TestStandInTimes: run times lie between the two of the machine, in each doubling as
// often; estimates are usual limits, from the run time to the next above four times it.
func TestStandInTimes(t *testing.T) {
	m := logs.Machine{Cores: 8, Sizes: []int32{1}, Run: [2]unit.Time{unit.Hour, 8 * unit.Hour}}
	usual := []unit.Time{unit.Hour, 2 * unit.Hour, 4 * unit.Hour, 6 * unit.Hour, 12 * unit.Hour, unit.Day, 2 * unit.Day}
	var doublings [3]int
	longest := 0
	for _, j := range take(logs.StandIn(m, 8, 50, 7, "site"), 3000) {
		if j.Run < m.Run[0] || j.Run >= m.Run[1] {
			t.Fatalf("a job runs for %v", j.Run)
		}
		for i := range doublings {
			if low := unit.Hour << i; j.Run > low && j.Run < 2*low {
				doublings[i]++
			}
		}
		i := slices.Index(usual, j.Estimate)
		if i < 0 || j.Estimate < j.Run || i > 0 && usual[i-1] >= 4*j.Run {
			t.Fatalf("a job of %v has an estimate of %v", j.Run, j.Estimate)
		}
		if i > 0 && usual[i-1] >= 3*j.Run {
			longest++
		}
	}
	for i, n := range doublings {
		if n < 900 || n > 1100 {
			t.Errorf("%d of 3000 jobs run for %d to %d hours", n, 1<<i, 2<<i)
		}
	}
	if longest < 150 {
		t.Errorf("%d of 3000 estimates are those of four times the run time", longest)
	}
}
