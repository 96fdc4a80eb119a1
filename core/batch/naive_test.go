package batch_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/batch"
	"parley/core/rng"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/unit"
)

// The naive scheduler plays a log second by second. At every event it draws the
// free processors of every second to come anew, from what runs and what is
// reserved, and searches that from the left. It shares no code with the package.

const horizon = 600 // seconds, beyond every end of the logs below

type naiveJob struct {
	submit, procs, estimate, run int
	start, reserved              int // -1: not yet
}

type naiveBlock struct{ ask, from, until, procs int }

type naive struct {
	policy string
	procs  int
	jobs   []naiveJob
	came   []int // waiting, in order of arrival
	runs   []int
	blocks []naiveBlock
	early  bool
	order  string // of the queue
	behind string // of the jobs behind the head

	noise bool // only rounding told two jobs of a queue apart: either may come first

	factor          float64 // of slack
	waited, started int     // of the jobs that started
}

// sorted returns waiting jobs by an order, computed by the library's own logarithms.
func (n *naive) sorted(order string, now int, jobs []int) []int {
	key := func(i int) float64 {
		j := n.jobs[i]
		p, e, s, w := float64(j.procs), float64(j.estimate), float64(j.submit), float64(now-j.submit)
		switch order {
		case "sjf":
			return e
		case "ljf":
			return -e
		case "saf":
			return e * p
		case "wfp3":
			return -w * w * w / e / e / e * p
		case "f1":
			return math.Log10(e)*p + 870*math.Log10(max(1, s))
		}
		return 0
	}
	jobs = slices.Clone(jobs)
	slices.SortStableFunc(jobs, func(a, b int) int {
		x, y := key(a), key(b)
		if math.Abs(x-y) > 1e-9 {
			return cmp.Compare(x, y)
		}
		n.noise = n.noise || x != y // three times log 8 and nine times log 2
		return 0
	})
	return jobs
}

func (n *naive) free(now int) []int {
	free := make([]int, horizon)
	for s := now; s < horizon; s++ {
		free[s] = n.procs
		for _, j := range n.runs {
			if n.jobs[j].start+n.jobs[j].estimate > s {
				free[s] -= n.jobs[j].procs
			}
		}
		for _, b := range n.blocks {
			if b.from <= s && s < b.until {
				free[s] -= b.procs
			}
		}
	}
	return free
}

func roomFrom(free []int, s int, j naiveJob) bool {
	for i := s; i < s+j.estimate; i++ {
		if free[i] < j.procs {
			return false
		}
	}
	return true
}

func earliest(free []int, now int, j naiveJob) int {
	for s := now; ; s++ {
		if roomFrom(free, s, j) {
			return s
		}
	}
}

func change(free []int, from, until, by int) {
	for s := from; s < until; s++ {
		free[s] += by
	}
}

// pass returns who starts now.
func (n *naive) pass(now int) (starts []int) {
	free := n.free(now)
	take := func(i int) {
		j := &n.jobs[i]
		j.start = now
		change(free, now, now+j.estimate, -j.procs)
		starts = append(starts, i)
	}
	switch n.policy {
	case "fcfs", "easy", "easy-sjbf":
		rest := n.sorted(n.order, now, n.came)
		for len(rest) > 0 && roomFrom(free, now, n.jobs[rest[0]]) {
			take(rest[0])
			rest = rest[1:]
		}
		if n.policy != "fcfs" && len(rest) > 0 {
			head := n.jobs[rest[0]]
			at := earliest(free, now, head)
			change(free, at, at+head.estimate, -head.procs)
			rest = rest[1:]
			rest = slices.DeleteFunc(slices.Clone(n.came), func(i int) bool { return !slices.Contains(rest, i) })
			if n.policy == "easy-sjbf" {
				n.behind = "sjf"
			}
			for _, i := range n.sorted(n.behind, now, rest) {
				if roomFrom(free, now, n.jobs[i]) {
					take(i)
				}
			}
		}
	case "slack":
		plan := func(but int, free []int) map[int]int {
			free, at := slices.Clone(free), map[int]int{}
			for _, i := range n.came {
				if i != but && n.jobs[i].start < 0 {
					at[i] = earliest(free, now, n.jobs[i])
					change(free, at[i], at[i]+n.jobs[i].estimate, -n.jobs[i].procs)
				}
			}
			return at
		}
		base := plan(-1, free)
		for _, i := range n.came {
			if n.jobs[i].reserved < 0 {
				n.jobs[i].reserved = base[i]
				if n.started > 0 {
					n.jobs[i].reserved += int(math.Floor(n.factor * float64(n.waited) / float64(n.started)))
				}
			}
		}
		for _, i := range n.sorted(n.order, now, n.came) {
			if !roomFrom(free, now, n.jobs[i]) {
				continue
			}
			with := slices.Clone(free)
			change(with, now, now+n.jobs[i].estimate, -n.jobs[i].procs)
			late := false
			for k, at := range plan(i, with) {
				late = late || at > max(n.jobs[k].reserved, base[k])
			}
			if !late {
				take(i)
				n.started++
				n.waited += now - n.jobs[i].submit
			}
		}
	case "conservative":
		for _, i := range n.came {
			if at := earliest(free, now, n.jobs[i]); at == now {
				take(i)
			} else {
				change(free, at, at+n.jobs[i].estimate, -n.jobs[i].procs)
			}
		}
	case "conservative-compress":
		for _, i := range n.came {
			if j := n.jobs[i]; j.reserved >= 0 {
				change(free, j.reserved, j.reserved+j.estimate, -j.procs)
			}
		}
		for _, i := range n.came {
			j := &n.jobs[i]
			if n.early && j.reserved >= 0 {
				change(free, j.reserved, j.reserved+j.estimate, j.procs)
				j.reserved = -1
			}
			if j.reserved < 0 {
				j.reserved = earliest(free, now, *j)
				change(free, j.reserved, j.reserved+j.estimate, -j.procs)
			}
			if j.reserved == now {
				j.start = now
				starts = append(starts, i)
			}
		}
	}
	n.early = false
	for _, i := range starts {
		n.came = slices.DeleteFunc(n.came, func(w int) bool { return w == i })
		n.runs = append(n.runs, i)
	}
	return starts
}

func drawLog(t *rapid.T, procs int) []naiveJob {
	jobs := make([]naiveJob, rapid.IntRange(1, 14).Draw(t, "jobs"))
	for i := range jobs {
		j := &jobs[i]
		j.submit = rapid.IntRange(0, 25).Draw(t, "submit")
		j.procs = rapid.IntRange(1, procs).Draw(t, "procs")
		j.estimate = rapid.IntRange(1, 15).Draw(t, "estimate")
		j.run = rapid.IntRange(1, j.estimate).Draw(t, "run")
		j.start, j.reserved = -1, -1
	}
	slices.SortStableFunc(jobs, func(a, b naiveJob) int { return cmp.Compare(a.submit, b.submit) })
	return jobs
}

func seconds(s int) unit.Time { return unit.Time(s) * unit.Second }

func (j *naiveJob) asked() batch.Job {
	return batch.Job{Processors: j.procs, Estimate: seconds(j.estimate)}
}

// TestNaive plays 1,000 random logs a policy on a site and on the naive scheduler,
// side by side: ends of a moment first, then what else happens, and a pass after
// each single event.
func TestNaive(t *testing.T) {
	for _, name := range alike {
		for _, blocks := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/blocks=%v", name, blocks), func(t *testing.T) {
				for range 10 { // rapid checks 100 each
					rapid.Check(t, func(t *rapid.T) { sideBySide(t, name, "fcfs", "fcfs", blocks) })
				}
			})
		}
	}
}

// TestNaiveOrders is TestNaive with orders of queue and candidates.
func TestNaiveOrders(t *testing.T) {
	some := []string{"fcfs", "sjf", "ljf", "saf", "wfp3", "f1"}
	for _, name := range []string{"fcfs", "easy", "slack"} {
		for _, order := range some[1:] {
			t.Run(name+"/"+order, func(t *testing.T) {
				for range 5 { // rapid checks 100 each
					rapid.Check(t, func(t *rapid.T) {
						sideBySide(t, name, order, rapid.SampledFrom(some).Draw(t, "behind"), rapid.Bool().Draw(t, "blocks"))
					})
				}
			})
		}
	}
}

func sideBySide(t *rapid.T, name, order, behind string, blocks bool) {
	policy, err := batch.ParsePolicy(name)
	if err != nil {
		t.Fatal(err)
	}
	procs := rapid.IntRange(1, 10).Draw(t, "site")
	n := &naive{policy: name, procs: procs, jobs: drawLog(t, procs), order: order, behind: behind, factor: rapid.SampledFrom([]float64{0, 1, 3, 1000}).Draw(t, "slack")}
	var requested []naiveBlock
	if blocks {
		for range rapid.IntRange(1, 4).Draw(t, "blocks") {
			ask := rapid.IntRange(0, 30).Draw(t, "ask")
			from := ask + rapid.IntRange(0, 20).Draw(t, "ahead")
			requested = append(requested, naiveBlock{ask, from, from + rapid.IntRange(1, 12).Draw(t, "length"), rapid.IntRange(1, procs).Draw(t, "block")})
		}
	}
	site := batch.NewSite(policy, procs)
	site.SetSlack(n.factor)
	if order != "fcfs" {
		queue, _ := batch.ParseOrder(order)
		backfill, _ := batch.ParseOrder(behind)
		site.Sort(queue, backfill)
	}
	handles := make([]batch.Handle, len(n.jobs))
	who := map[batch.Handle]int{}
	pass := func(now int) {
		var got []int
		for _, h := range site.Pass(seconds(now)) {
			got = append(got, who[h])
		}
		switch want := n.pass(now); {
		case slices.Equal(got, want):
		case n.noise:
			t.Skip("the exact keys of two jobs are equal, their doubles are not")
		default:
			t.Fatalf("at %d s: the site starts jobs %v, the naive scheduler %v", now, got, want)
		}
	}
	for now := range horizon / 2 {
		if name == "conservative-compress" && n.promised(now) && site.Wake(seconds(now-1)) > seconds(now) {
			t.Fatalf("at %d s a reservation begins and nobody is woken", now)
		}
		for _, i := range slices.Clone(n.runs) {
			if j := n.jobs[i]; j.start+j.run == now {
				n.runs = slices.DeleteFunc(n.runs, func(r int) bool { return r == i })
				n.early = n.early || j.run < j.estimate
				site.End(seconds(now), handles[i])
				pass(now)
			}
		}
		if site.Wake(seconds(now-1)) == seconds(now) {
			pass(now)
		}
		for _, b := range requested {
			if b.ask == now {
				n.reserve(t, site, now, b)
			}
		}
		for i := range n.jobs {
			if n.jobs[i].submit == now {
				handles[i] = site.Submit(seconds(now), n.jobs[i].asked())
				who[handles[i]] = i
				n.came = append(n.came, i)
				pass(now)
			}
		}
	}
	if site.Waiting() > 0 || site.Busy() > 0 {
		t.Fatalf("at the end %d jobs wait and %d processors are busy", site.Waiting(), site.Busy())
	}
}

// promised reports whether a reservation of a waiting job begins now.
func (n *naive) promised(now int) bool {
	return slices.ContainsFunc(n.came, func(i int) bool { return n.jobs[i].reserved == now })
}

// reserve asks both for a block.
func (n *naive) reserve(t *rapid.T, site *batch.Site, now int, b naiveBlock) {
	free := n.free(now)
	switch n.policy {
	case "conservative": // promises of before are those that a new plan would give
		for _, i := range n.came {
			at := earliest(free, now, n.jobs[i])
			change(free, at, at+n.jobs[i].estimate, -n.jobs[i].procs)
		}
	case "conservative-compress":
		for _, i := range n.came {
			change(free, n.jobs[i].reserved, n.jobs[i].reserved+n.jobs[i].estimate, -n.jobs[i].procs)
		}
	}
	want := roomFrom(free, b.from, naiveJob{estimate: b.until - b.from, procs: b.procs})
	if got := site.Reserve(seconds(now), batch.Block{Start: seconds(b.from), End: seconds(b.until), Processors: b.procs}); got != want {
		t.Fatalf("at %d s: the site admits %+v: %v, the naive scheduler %v", now, b, got, want)
	}
	if want {
		n.blocks = append(n.blocks, b)
	}
}

// TestPlay: Play gives the same starts as the naive scheduler.
func TestPlay(t *testing.T) {
	for _, name := range alike {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				procs := rapid.IntRange(1, 10).Draw(t, "site")
				played(t, name, procs, drawLog(t, procs), rapid.Bool().Draw(t, "one pass a moment"))
			})
		})
	}
}

// TestManyRun: hundreds of jobs run at once.
func TestManyRun(t *testing.T) {
	random := rng.New(7, "many")
	jobs := make([]naiveJob, 600)
	for i := range jobs {
		estimate := 100 + random.Intn(100)
		jobs[i] = naiveJob{
			submit: i / 8, procs: 1 + random.Intn(3), estimate: estimate, run: 1 + random.Intn(estimate), start: -1, reserved: -1,
		}
	}
	for _, name := range []string{"easy", "conservative"} {
		played(t, name, 700, slices.Clone(jobs), false)
	}
}

// TestManyWait: hundreds of jobs wait at once.
func TestManyWait(t *testing.T) {
	random := rng.New(8, "many")
	jobs := make([]naiveJob, 400)
	for i := range jobs {
		procs, estimate := 1, 1+random.Intn(8)
		for procs < 32 && random.Intn(3) > 0 {
			procs *= 2
		}
		jobs[i] = naiveJob{submit: i / 10, procs: procs + random.Intn(4), estimate: estimate, run: 1 + random.Intn(estimate), start: -1, reserved: -1}
	}
	for _, name := range []string{"fcfs", "easy", "easy-sjbf", "conservative"} {
		played(t, name, 60, slices.Clone(jobs), false)
	}
}

type failer interface {
	Fatalf(format string, arguments ...any)
}

// played compares Play with the naive scheduler, submissions of a moment first.
func played(t failer, name string, procs int, jobs []naiveJob, once bool) {
	n := &naive{policy: name, procs: procs, jobs: jobs, factor: 1}
	log := make([]batch.Logged, len(n.jobs))
	for i, j := range n.jobs {
		log[i] = batch.Logged{Job: j.asked(), Submit: seconds(j.submit), Run: seconds(j.run)}
	}
	for now := range horizon / 2 {
		for i, j := range n.jobs {
			if j.submit == now {
				n.came = append(n.came, i)
				if !once {
					n.pass(now)
				}
			}
		}
		for _, i := range slices.Clone(n.runs) {
			if j := n.jobs[i]; j.start+j.run == now {
				n.runs = slices.DeleteFunc(n.runs, func(r int) bool { return r == i })
				n.early = n.early || j.run < j.estimate
				if !once {
					n.pass(now)
				}
			}
		}
		if once || name == "conservative-compress" {
			n.pass(now) // a hole may end where nothing happens
		}
	}
	policy, _ := batch.ParsePolicy(name)
	play := batch.PlayOn
	if once {
		play = batch.PlayOnce
	}
	for i, at := range play(batch.NewSite(policy, procs), log) {
		if at != seconds(n.jobs[i].start) {
			t.Fatalf("job %d starts at %v, with the naive scheduler at %d s", i, at, n.jobs[i].start)
		}
	}
}

// TestWakeBehindEnds: job 9 has a reservation at 5 s, and job 6 ends there before its
// estimate. Job 7 came before job 9 and gets the room.
func TestWakeBehindEnds(t *testing.T) {
	var jobs []naiveJob
	for _, j := range [][4]int{{0, 1, 1, 1}, {0, 1, 1, 1}, {0, 1, 1, 1}, {0, 1, 4, 1}, {0, 1, 1, 1}, {0, 2, 1, 1}, {0, 1, 15, 1}, {1, 2, 1, 1}, {3, 1, 1, 1}, {3, 1, 1, 1}} {
		jobs = append(jobs, naiveJob{submit: j[0], procs: j[1], estimate: j[2], run: j[3], start: -1, reserved: -1})
	}
	played(t, "conservative", 2, jobs, false)
	if jobs[6].start != 4 || jobs[7].start != 5 || jobs[9].start != 6 {
		t.Errorf("jobs 6, 7 and 9 start at %d, %d and %d s; want 4, 5 and 6", jobs[6].start, jobs[7].start, jobs[9].start)
	}
}

// alike are the policies that this naive scheduler has; core/run has one with that of Slurm.
var alike = slices.DeleteFunc(batch.PolicyNames(), func(name string) bool { return name == "slurm" })
