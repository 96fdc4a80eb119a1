package multifactor_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/batch"
	"parley/core/batch/multifactor"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/unit"
)

// near fails unless two numbers agree to six digits.
func near(t *testing.T, subject string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6*max(1, math.Abs(want)) {
		t.Errorf("%s: %.9g, want %.9g", subject, got, want)
	}
}

// TestClassic meets the example of Slurm's documentation of the classic algorithm: two
// accounts with two accounts each, and five users. What the example leaves unused was
// used by an account without shares.
func TestClassic(t *testing.T) {
	var tree multifactor.Tree
	a, d := tree.Add(multifactor.Root, false, 40), tree.Add(multifactor.Root, false, 60)
	b, c := tree.Add(a, false, 30), tree.Add(a, false, 10)
	e, f := tree.Add(d, false, 25), tree.Add(d, false, 35)
	users := []int{tree.Add(b, true, 1), tree.Add(c, true, 1), tree.Add(c, true, 1), tree.Add(e, true, 1), tree.Add(f, true, 1)}
	for i, usage := range []float64{.20, .25, 0, .25, 0} {
		tree.Use(users[i], usage)
	}
	tree.Use(tree.Add(tree.Add(multifactor.Root, false, 0), true, 1), .30)
	tree.Classic()
	for i, want := range []float64{.408479, .022097, .125, .5, .749154} {
		near(t, fmt.Sprintf("user %d", i+1), tree.Factor(users[i]), want)
	}
}

// TestFairTree ranks small trees by hand.
func TestFairTree(t *testing.T) {
	var tree multifactor.Tree
	a, b := tree.Add(multifactor.Root, false, 1), tree.Add(multifactor.Root, false, 1)
	u := []int{tree.Add(a, true, 1), tree.Add(a, true, 1), tree.Add(b, true, 1)}
	for i, usage := range []float64{10, 50, 40} {
		tree.Use(u[i], usage)
	}
	tree.FairTree()
	for i, want := range []float64{2. / 3, 1. / 3, 1} {
		near(t, fmt.Sprintf("user %d", i+1), tree.Factor(u[i]), want)
	}

	// Accounts of equal ratio are merged: their users are sorted together. Users of equal
	// ratio have equal ranks, and the next one is as many ranks below.
	tree = multifactor.Tree{}
	a, b = tree.Add(multifactor.Root, false, 1), tree.Add(multifactor.Root, false, 1)
	u = []int{tree.Add(a, true, 1), tree.Add(a, true, 3), tree.Add(b, true, 1), tree.Add(b, true, 1)}
	for i, usage := range []float64{10, 10, 10, 10} { // ratios 1/2, 3/2, 1, 1
		tree.Use(u[i], usage)
	}
	tree.FairTree()
	for i, want := range []float64{1. / 4, 1, 3. / 4, 3. / 4} {
		near(t, fmt.Sprintf("merged: user %d", i+1), tree.Factor(u[i]), want)
	}
}

// TestFactors are worked cases of the factors.
func TestFactors(t *testing.T) {
	near(t, "age of a day", multifactor.Age(unit.Day, 7*unit.Day), 1./7)
	near(t, "age of ten days", multifactor.Age(10*unit.Day, 7*unit.Day), 1)
	near(t, "size", multifactor.Large.Size(16, 64, unit.Hour), .25)
	near(t, "small", multifactor.Small.Size(16, 64, unit.Hour), .75)
	near(t, "relative to time", multifactor.RelativeToTime.Size(16, 64, 2*unit.Minute), .125)
	near(t, "no decay", multifactor.Decay(0, unit.Day), 1)
	for _, d := range []unit.Time{unit.Second, 37 * unit.Second, 5 * unit.Minute, 7 * unit.Day} {
		near(t, "decay of "+d.String(), multifactor.Decay(7*unit.Day, d), math.Pow(1-0.693/(7*86400), d.Seconds()))
	}
	s := multifactor.Settings{Age: 1000, FairShare: 10_000, Size: 500, Queue: 2000}
	for _, c := range []struct {
		age, share, size, queue float64
		want                    int64
	}{{.5, 2. / 3, .25, 1, 500 + 6666 + 125 + 2000}, {0, 0, 0, 0, 1}, {.0019, 0, 0, 0, 1}} {
		if got := s.Priority(c.age, c.share, c.size, c.queue); got != c.want {
			t.Errorf("priority of %+v is %d", c, got)
		}
	}
	if got := (&multifactor.Settings{Age: 1 << 40}).Priority(1, 0, 0, 0); got != multifactor.MaxPriority {
		t.Errorf("the highest priority is %d", got)
	}
}

// priorities returns the priorities of jobs that wait.
func priorities(q *multifactor.Queue, now unit.Time, jobs ...batch.Candidate) []float64 {
	keys := make([]float64, len(jobs))
	q.Keys(now, jobs, keys)
	for i := range keys {
		keys[i] = -keys[i]
	}
	return keys
}

// TestPriorities: what a job's factors are when the queue is sorted. Its age counts from its
// submission to the latest calculation, its queue's factor is a part of the highest, and its
// account's shares are those of its group.
func TestPriorities(t *testing.T) {
	q := multifactor.New(multifactor.Settings{Age: 1000, Size: 800, MaxAge: unit.Hour, FairShare: 0}, 8)
	waits := func(since unit.Time) batch.Candidate {
		return batch.Candidate{Job: batch.Job{Processors: 4, Estimate: unit.Hour}, Submitted: since}
	}
	// At 62 minutes the latest calculation was at 60.
	got := priorities(q, 62*unit.Minute, waits(0), waits(30*unit.Minute), waits(61*unit.Minute))
	if want := []float64{1400, 900, 400}; !slices.Equal(got, want) {
		t.Errorf("after 60, 30 and no minutes: %v, want %v", got, want)
	}

	q = multifactor.New(multifactor.Settings{Queue: 1000, Queues: []int64{10, 40}, MaxAge: unit.Hour}, 8)
	jobs := []batch.Candidate{waits(0), waits(0), waits(0)}
	jobs[1].Queue, jobs[2].Queue = 1, 2
	if got, want := priorities(q, unit.Hour, jobs...), []float64{250, 1000, 1}; !slices.Equal(got, want) {
		t.Errorf("queues of 10, 40 and no priority: %v, want %v", got, want)
	}

	q = multifactor.New(multifactor.Settings{FairShare: 1000, MaxAge: unit.Hour, Accounts: map[uint32]int64{1: 3}}, 8)
	jobs = []batch.Candidate{waits(0), waits(0)}
	for i := range jobs { // one user of each account has used as much
		jobs[i].Group, jobs[i].User = uint32(1+i), 7
		q.Began(0, batch.Handle(i), &jobs[i].Job)
	}
	if got, want := priorities(q, unit.Hour, jobs...), []float64{1000, 500}; !slices.Equal(got, want) {
		t.Errorf("accounts of 3 and 1 share: %v, want %v", got, want)
	}
}

// TestUsage compares the usage of random jobs, through the order of two users' jobs, with
// a calculation that goes second by second through each period, as the documentation says.
func TestUsage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := multifactor.Settings{MaxAge: 7 * unit.Day, HalfLife: 7 * unit.Day}
		s.FairShare, s.HalfLife = 1_000_000, unit.Time(rapid.IntRange(1, 20).Draw(t, "half-life, hours"))*unit.Hour
		q := multifactor.New(s, 8)
		type job struct {
			user       uint32
			processors int
			from, to   int // s
		}
		var jobs []job
		for range rapid.IntRange(1, 8).Draw(t, "jobs") {
			from := rapid.IntRange(0, 3000).Draw(t, "from")
			jobs = append(jobs, job{
				uint32(rapid.IntRange(0, 3).Draw(t, "user")), rapid.IntRange(1, 4).Draw(t, "processors"),
				from, from + rapid.IntRange(1, 1500).Draw(t, "length"),
			})
		}
		until := rapid.IntRange(0, 5000).Draw(t, "until")
		for now := range until + 1 {
			for h, j := range jobs {
				if j.to == now {
					q.Ended(unit.Time(now)*unit.Second, batch.Handle(h))
				}
				if j.from == now {
					q.Began(unit.Time(now)*unit.Second, batch.Handle(h), &batch.Job{Processors: j.processors, User: j.user})
				}
			}
		}
		usage := map[uint32]float64{}
		for at := 300; at <= until; at += 300 {
			for u := range usage {
				usage[u] *= math.Pow(1-0.693/s.HalfLife.Seconds(), 300)
			}
			for _, j := range jobs {
				if d := float64(min(at, j.to) - max(at-300, j.from)); d > 0 {
					usage[j.user] += float64(j.processors) * d * math.Pow(1-0.693/s.HalfLife.Seconds(), d)
				}
			}
		}
		candidates := make([]batch.Candidate, 4)
		for i := range candidates {
			candidates[i].User, candidates[i].Processors, candidates[i].Estimate = uint32(i), 1, unit.Hour
		}
		keys := make([]float64, len(candidates))
		q.Keys(unit.Time(until)*unit.Second, candidates, keys)
		order := []int{0, 1, 2, 3}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
		for i, u := range order[1:] { // the order of priorities is that of rising usage
			less, more := usage[uint32(order[i])], usage[uint32(u)]
			if less > more*(1+1e-9)+1e-9 {
				t.Fatalf("user %d with usage %v comes before user %d with %v", order[i], less, u, more)
			}
			if equal := keys[order[i]] == keys[u]; equal && math.Abs(less-more) > 1e-6*(1+more) {
				t.Fatalf("users %d and %d have one priority and usages %v and %v", order[i], u, less, more)
			}
		}
	})
}

// TestAccountsBelowAccounts: user 1 has had four parts of seven, user 3 three and user 2 nothing.
// Each of their accounts alone has a third: user 2 comes first, then 3, then 1. If the accounts of
// users 1 and 2 share one half, they have had more than it together, and both come after user 3.
func TestAccountsBelowAccounts(t *testing.T) {
	for _, above := range []bool{true, false} {
		s := multifactor.Settings{FairShare: 900, MaxAge: unit.Hour}
		if above {
			s.Above = map[uint32]string{1: "science", 2: "science"}
			s.Inner = map[string]multifactor.Inner{"science": {Shares: 1}}
		}
		q := multifactor.New(s, 8)
		jobs := []batch.Candidate{}
		for i := range uint32(3) {
			jobs = append(jobs, batch.Candidate{Job: batch.Job{Processors: 1, Estimate: unit.Hour, User: i + 1, Group: i + 1}})
		}
		priorities(q, 0, jobs...)
		for i, processors := range []int{4, 0, 3} {
			if processors > 0 {
				j := jobs[i].Job
				j.Processors = processors
				q.Began(0, batch.Handle(i), &j)
			}
		}
		got, want := priorities(q, unit.Hour, jobs...), []float64{300, 900, 600}
		if above { // science has had more than its half: its users come last
			want = []float64{300, 600, 900}
		}
		if !slices.Equal(got, want) {
			t.Errorf("with an account above: %v; priorities are %v, want %v", above, got, want)
		}
	}
}
