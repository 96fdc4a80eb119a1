package batch_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/batch"
)

// queued is a job of the naive scheduler with queues.
type queued struct {
	naiveJob
	queue, user int
}

// limited is a queue with limits of its running jobs, all and those of a user.
type limited struct {
	batch.Queue
	Processors, UserProcessors, UserJobs int
}

// setQueues gives a site queues and returns what the limits of a job of a queue and user are.
func setQueues(s *batch.Site, queues []limited) func(queue, user int) []*batch.Limit {
	var all []batch.Queue
	limits := map[[2]int]*batch.Limit{}
	limit := func(queue, user int, limit batch.Amount) *batch.Limit {
		key := [2]int{queue, user}
		if limits[key] == nil {
			limits[key] = &batch.Limit{Max: limit}
		}
		return limits[key]
	}
	for _, q := range queues {
		all = append(all, q.Queue)
	}
	s.SetQueues(all)
	return func(queue, user int) []*batch.Limit {
		q := &queues[queue]
		return []*batch.Limit{
			limit(queue, -1, batch.Amount{Processors: q.Processors}),
			limit(queue, user, batch.Amount{Processors: q.UserProcessors, Jobs: q.UserJobs}),
		}
	}
}

// naiveQueues plays FCFS and EASY with queues second by second. It shares no code with
// the package.
type naiveQueues struct {
	easy   bool
	procs  int
	queues []limited
	jobs   []queued
	waits  []int // in order of arrival
	runs   []int
}

func (n *naiveQueues) free(now int) []int {
	free := make([]int, horizon)
	for s := now; s < horizon; s++ {
		free[s] = n.procs
		for _, i := range n.runs {
			if j := n.jobs[i]; j.start+j.estimate > s {
				free[s] -= j.procs
			}
		}
	}
	return free
}

// held counts what the running jobs of a job's queue and user hold.
func (n *naiveQueues) held(i int) bool {
	j := n.jobs[i]
	q, all, mine, jobs := n.queues[j.queue], j.procs, j.procs, 1
	for _, k := range n.runs {
		if o := n.jobs[k]; o.queue == j.queue {
			if all += o.procs; o.user == j.user {
				mine, jobs = mine+o.procs, jobs+1
			}
		}
	}
	return q.Processors > 0 && all > q.Processors || q.UserProcessors > 0 && mine > q.UserProcessors || q.UserJobs > 0 && jobs > q.UserJobs
}

func (n *naiveQueues) begin(now, i int) {
	n.jobs[i].start = now
	n.runs = append(n.runs, i)
	n.waits = slices.DeleteFunc(n.waits, func(w int) bool { return w == i })
}

// victims returns the jobs that must be stopped for a job to fit now; nil if that does
// not help.
func (n *naiveQueues) victims(now, i int) []int {
	var lower []int
	for _, k := range n.runs {
		if j := n.jobs[k]; j.start+j.estimate > now && n.queues[j.queue].Tier < n.queues[n.jobs[i].queue].Tier {
			lower = append(lower, k)
		}
	}
	slices.SortFunc(lower, func(a, b int) int {
		x, y := n.jobs[a], n.jobs[b]
		return cmp.Or(cmp.Compare(n.queues[x.queue].Tier, n.queues[y.queue].Tier), cmp.Compare(y.start, x.start), cmp.Compare(b, a))
	})
	room := n.free(now)[now]
	var taken []int
	for _, k := range lower {
		if room >= n.jobs[i].procs {
			break
		}
		room += n.jobs[k].procs
		taken = append(taken, k)
	}
	if room < n.jobs[i].procs {
		return nil
	}
	for k := len(taken) - 1; k >= 0; k-- {
		if p := n.jobs[taken[k]].procs; room-p >= n.jobs[i].procs {
			room -= p
			taken = slices.Delete(taken, k, k+1)
		}
	}
	return taken
}

func (n *naiveQueues) pass(now int) {
	for again := true; again; {
		again = false
		order := slices.Clone(n.waits)
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Compare(n.queues[n.jobs[b].queue].Tier, n.queues[n.jobs[a].queue].Tier)
		})
		head := -1
		for len(order) > 0 {
			i := order[0]
			if n.held(i) {
				order = order[1:]
				continue
			}
			if n.free(now)[now] < n.jobs[i].procs {
				gone := []int(nil)
				if n.queues[n.jobs[i].queue].Preempts {
					gone = n.victims(now, i)
				}
				if gone == nil {
					head, order = i, order[1:]
					break
				}
				for _, k := range gone {
					n.runs = slices.DeleteFunc(n.runs, func(r int) bool { return r == k })
					n.jobs[k].start = -1
					n.waits = append(n.waits, k)
				}
				slices.Sort(n.waits)
				again = true
			}
			n.begin(now, i)
			if order = order[1:]; again { // with the stopped jobs where they were
				break
			}
		}
		if head >= 0 && n.easy {
			free := n.free(now)
			at := earliest(free, now, n.jobs[head].naiveJob)
			change(free, at, at+n.jobs[head].estimate, -n.jobs[head].procs)
			for _, i := range order {
				if !n.held(i) && roomFrom(free, now, n.jobs[i].naiveJob) {
					change(free, now, now+n.jobs[i].estimate, -n.jobs[i].procs)
					n.begin(now, i)
				}
			}
		}
	}
}

// TestNaiveQueues plays random logs in up to three queues with tiers, limits and
// preemption on a site and on the naive scheduler: at every second the same jobs run.
func TestNaiveQueues(t *testing.T) {
	for _, policy := range []string{"fcfs", "easy"} {
		t.Run(policy, func(t *testing.T) {
			stops := 0
			for range 10 { // rapid checks 100 each
				rapid.Check(t, func(t *rapid.T) { stops += queuesSideBySide(t, policy) })
			}
			if stops < 5 {
				t.Errorf("only %d jobs were stopped in all logs", stops)
			}
		})
	}
}

func queuesSideBySide(t *rapid.T, name string) (stops int) {
	n := &naiveQueues{easy: name == "easy", procs: rapid.IntRange(1, 10).Draw(t, "site")}
	limit := func(subject string, largest int) int {
		return rapid.SampledFrom([]int{0, 0, 1, largest/2 + 1}).Draw(t, subject)
	}
	for range rapid.IntRange(1, 3).Draw(t, "queues") {
		n.queues = append(n.queues, limited{
			Queue:      batch.Queue{Tier: int32(rapid.IntRange(0, 2).Draw(t, "tier")), Preempts: rapid.Bool().Draw(t, "preempts")},
			Processors: limit("processors", n.procs), UserProcessors: limit("of a user", n.procs), UserJobs: limit("jobs", 3),
		})
	}
	for _, j := range drawLog(t, n.procs) {
		q := rapid.IntRange(0, len(n.queues)-1).Draw(t, "queue")
		for _, largest := range []int{n.queues[q].Processors, n.queues[q].UserProcessors} {
			if largest > 0 { // a larger job would wait for ever
				j.procs = min(j.procs, largest)
			}
		}
		n.jobs = append(n.jobs, queued{naiveJob: j, queue: q, user: rapid.IntRange(0, 1).Draw(t, "user")})
	}
	policy, _ := batch.ParsePolicy(name)
	site := batch.NewSite(policy, n.procs)
	limits := setQueues(site, n.queues)
	handles, who, runs := make([]batch.Handle, len(n.jobs)), map[batch.Handle]int{}, map[int]bool{}
	pass := func(now int) {
		n.pass(now)
		started := site.Pass(seconds(now))
		for _, h := range site.Stopped() {
			if !runs[who[h]] {
				t.Fatalf("at %d s: job %d is stopped and did not run", now, who[h])
			}
			delete(runs, who[h])
			stops++
		}
		for _, h := range started {
			runs[who[h]] = true
		}
		if got, want := fmt.Sprint(runs), fmt.Sprint(set(n.runs)); got != want {
			t.Fatalf("at %d s: on the site run %s, with the naive scheduler %s", now, got, want)
		}
	}
	for now := range horizon / 2 {
		for _, i := range slices.Clone(n.runs) {
			if j := n.jobs[i]; j.start >= 0 && j.start+j.run == now { // it was not stopped meanwhile
				n.runs = slices.DeleteFunc(n.runs, func(r int) bool { return r == i })
				delete(runs, i)
				site.End(seconds(now), handles[i])
				pass(now)
			}
		}
		for i := range n.jobs {
			if j := n.jobs[i]; j.submit == now {
				requested := j.asked()
				requested.Queue, requested.User, requested.Limits = int32(j.queue), uint32(j.user), limits(j.queue, j.user)
				handles[i] = site.Submit(seconds(now), requested)
				who[handles[i]] = i
				n.waits = append(n.waits, i)
				pass(now)
			}
		}
	}
	if site.Waiting() != len(n.waits) || site.Busy() > 0 && len(n.runs) == 0 {
		t.Fatalf("at the end %d jobs wait, %d with the naive scheduler; %d processors are busy", site.Waiting(), len(n.waits), site.Busy())
	}
	return stops
}

func set(of []int) map[int]bool {
	m := map[int]bool{}
	for _, i := range of {
		m[i] = true
	}
	return m
}

// TestSlackOfNothing: without slack and with exact estimates the policy slack starts every
// job as conservative backfilling does.
func TestSlackOfNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		procs := rapid.IntRange(1, 10).Draw(t, "site")
		var log []batch.Logged
		for _, j := range drawLog(t, procs) {
			j.run = j.estimate
			log = append(log, batch.Logged{Job: j.asked(), Submit: seconds(j.submit), Run: seconds(j.run)})
		}
		s := batch.NewSite(batch.Slack, procs)
		s.SetSlack(0)
		if got, want := batch.PlayOn(s, log), batch.Play(batch.Conservative, procs, log); !slices.Equal(got, want) {
			t.Fatalf("without slack jobs start at %v, under conservative at %v", got, want)
		}
	})
}

// TestTiers are cases by hand, on 10 processors: a job a word, queue.processors.estimate,
// all submitted at 0 in this order; below, when each starts for the last time.
func TestTiers(t *testing.T) {
	queues := []limited{{}, {Queue: batch.Queue{Tier: 1}}, {Queue: batch.Queue{Tier: 2, Preempts: true}}, {UserJobs: 1}}
	for _, c := range []struct{ subject, jobs, want string }{
		{"a higher tier goes before those that came earlier", "0.10.5 0.10.5 1.10.5", "0 10 5"},
		{"and stops no other", "0.6.5 1.10.5", "0 5"},
		{"one that preempts does", "0.6.5 2.10.5", "5 0"},
		{"only as many as it needs, the latest first", "0.4.9 0.4.9 2.4.3", "0 3 0"},
		{"one job of a user at a time, others pass", "3.1.5 3.1.5 0.9.5", "0 5 0"},
	} {
		s := batch.NewSite(batch.EASY, 10)
		limits := setQueues(s, queues)
		var log []batch.Logged
		for word := range strings.FieldsSeq(c.jobs) {
			var queue int32
			var processors, estimate int
			if _, err := fmt.Sscanf(word, "%d.%d.%d", &queue, &processors, &estimate); err != nil {
				t.Fatal(err)
			}
			log = append(log, batch.Logged{Job: batch.Job{Processors: processors, Estimate: seconds(estimate), Queue: queue, Limits: limits(int(queue), 0)}, Run: seconds(estimate)})
		}
		var got []string
		for _, at := range batch.PlayOn(s, log) {
			got = append(got, fmt.Sprint(int64(at/seconds(1))))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s start at %s, want %s", c.subject, c.jobs, s, c.want)
		}
	}
}
