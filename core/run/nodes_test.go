package run_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/run"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/unit"
	"parley/core/workload"
)

// seenStarts notes when jobs come and start, in seconds, and in what order they come.
type seenStarts struct {
	view   cluster.View
	starts map[uint64][]int
	seq    map[uint64]int
	number map[unit.JobID]uint64
}

func (s *seenStarts) Observe(e cluster.Event) {
	switch e.Kind {
	case cluster.JobSubmitted:
		j, _ := s.view.Job(e.Job())
		number := j.Key.Job + 100*uint64(j.Key.Index)
		s.number[e.Job()], s.seq[number] = number, len(s.seq)
	case cluster.JobPlaced:
		n := s.number[e.Job()]
		s.starts[n] = append(s.starts[n], int(e.At/unit.Second))
	}
}

var afterKinds = map[string]workload.PrecedingKind{"any": workload.AfterAny, "ok": workload.AfterOK, "notok": workload.AfterNotOK, "start": workload.AfterStart}

// TestNodesAgainstThePlainScheduler: in random logs with dependencies, memory, GPUs, whole and
// shared nodes, arrays, limits, tiers and a reservation, each job starts when it does under a
// scheduler that is written apart.
func TestNodesAgainstThePlainScheduler(t *testing.T) {
	times := 100 // of 100 logs each
	if testing.Short() {
		times = 10 // of 20
	}
	waited := 0
	for range times {
		rapid.Check(t, func(r *rapid.T) { waited += againstPlain(t, r) })
	}
	if waited < 10*times {
		t.Errorf("only %d jobs wait in all logs", waited)
	}
}

func againstPlain(whole *testing.T, t *rapid.T) (waited int) {
	draw := func(minimum, limit int, subject string) int { return rapid.IntRange(minimum, limit).Draw(t, subject) }
	p := &plainSite{policy: rapid.SampledFrom([]string{"fcfs", "easy", "conservative", "slurm"}).Draw(t, "policy")}
	p.preempt = rapid.SampledFrom([]string{"", "", "requeue", "cancel", "suspend"}).Draw(t, "preempt")
	lowest := -2
	if p.preempt != "" {
		lowest = 0
	}
	plainly := p.preempt == "suspend" // it is played of processors alone
	var l jobLog
	var says, kinds []string
	nodes := draw(1, 4, "nodes")
	if plainly {
		nodes = 1
	}
	for n := range nodes {
		has := amounts{draw(1, 4, "processors"), draw(1, 8, "memory"), draw(0, 2, "gpus")}
		if plainly {
			has[0] = draw(1, 9, "all processors")
		}
		p.nodes = append(p.nodes, has)
		l.records = append(l.records, workload.Record{Kind: workload.NodeJoins, Machine: uint64(n), Node: workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1, Processors: int32(has[0])}})
		says = append(says, fmt.Sprintf("%d: memory=%d gpus=%d", n, has[1], has[2]))
		w := plainPower{idle: draw(0, 100, "idle"), off: draw(0, 20, "off"), boots: draw(1, 200, "boots"), shuts: draw(1, 99, "shuts"), since: -1}
		w.busy, w.boot, w.shutdown = w.idle+draw(1, 100, "busy"), draw(0, 9, "boot"), draw(0, 4, "shutdown")
		p.power = append(p.power, w)
		kinds = append(kinds, fmt.Sprintf(`{"nodes":"%d","idle_w":%d,"busy_w":%d,"off_w":%d,"boot_w":%d,"shutdown_w":%d,"boot":"%ds","shutdown":"%ds"}`, n, w.idle, w.busy, w.off, w.boots, w.shuts, w.boot, w.shutdown))
	}
	if p.offAfter = max(0, draw(-6, 12, "off after")); p.preempt != "" {
		p.offAfter = 0
	}
	if p.offAfter > 0 {
		p.keep = draw(0, 2, "nodes that stay on")
	}
	p.draw(0)
	at, array := 0, 0
	for i := range draw(1, 16, "jobs") {
		at += draw(0, 5, "gap")
		j := plainJob{
			submit: at, run: draw(1, 12, "run"), limit: draw(1, 12, "limit"), need: amounts{draw(1, 6, "asked")},
			nodes: max(0, draw(-2, 3, "on nodes")), alone: draw(0, 5, "alone") == 0, user: draw(0, 2, "user"), tier: max(0, draw(lowest, 1, "tier")),
			fails: draw(0, 3, "fails") == 0, came: -1, start: -1, end: -1, looked: -1, seq: i,
			switches: max(0, draw(-2, 2, "switches")), patience: draw(0, 12, "patience"),
		}
		j.nodes = min(j.nodes, j.need[0])
		j.need[1], j.need[2] = max(0, draw(-4, 10, "asked memory")), max(0, draw(-3, 3, "asked gpus"))
		if plainly {
			j.need, j.nodes, j.alone, j.switches = amounts{j.need[0]}, 0, false, 0
		}
		if !plainly && draw(0, 4, "one piece") == 0 {
			j.parts, j.need, j.nodes, j.alone, j.switches = nil, amounts{}, 0, false, 0
			for range draw(2, 3, "components") {
				part := plainJob{need: amounts{draw(1, 3, "of a part"), draw(0, 4, "memory of a part"), draw(0, 1, "gpus of a part")}, alone: draw(0, 9, "a part alone") == 0}
				for r := range j.need {
					j.need[r] += part.need[r]
				}
				part.nodes = min(part.need[0], max(0, draw(-2, 2, "nodes of a part")))
				part.switches = max(0, draw(-2, 1, "switches of a part"))
				part.patience = draw(0, 12, "patience of a part")
				j.parts = append(j.parts, part)
			}
		}
		if draw(0, 2, "new array") > 0 {
			array++
		}
		if j.array = array; array%2 == 0 {
			j.throttle = 1 + array%3
		}
		if i > 0 && draw(0, 2, "after") == 0 {
			for range draw(1, 2, "others") {
				j.after = append(j.after, plainAfter{draw(0, i-1, "other"), rapid.SampledFrom([]string{"any", "ok", "notok", "start"}).Draw(t, "kind"), draw(0, 4, "think")})
			}
		}
		if p.where(&j, 0) == nil {
			j.need, j.nodes, j.alone, j.parts = amounts{1}, 0, false, nil // it would never fit
		}
		p.jobs = append(p.jobs, j)
	}
	if p.leafSize = draw(0, 2, "leaf size"); plainly {
		p.leafSize = 0
	}
	if p.leafSize > 0 {
		says = append(says, "racks=60s")
	}
	limits := ""
	if p.userJobs = draw(0, 2, "user jobs"); p.userJobs > 0 {
		limits = fmt.Sprintf("user *: jobs=%d; ", p.userJobs)
	}
	if limit := draw(0, 2, "memory of even users"); limit > 0 && !plainly {
		p.groupMemory = 10 * limit
		limits += fmt.Sprintf("group 0: memory=%d", p.groupMemory)
	}
	reservation := ""
	if p.kept = min(p.nodes[0][0], draw(0, 3, "reserved")); p.kept > 0 {
		p.from = draw(0, 30, "from")
		p.to = p.from + draw(1, 15, "length")
		reservation = fmt.Sprintf("%d from %ds to %ds", p.kept, p.from, p.to)
	}
	loops, queue := "", "1: tier=1"
	if p.preempt != "" {
		queue += " preempts"
		loops = fmt.Sprintf(`,"preempt":%q`, p.preempt)
	}
	if plainly {
		says = nil
	}
	if p.policy == "slurm" {
		p.interval, p.window, p.resolution, p.tries, p.userTries = draw(1, 6, "interval"), draw(1, 30, "window"), draw(0, 4, "resolution"), draw(0, 3, "tries"), draw(0, 2, "of a user")
		loops += fmt.Sprintf(`,"slurm":{"interval_us":%d,"window_us":%d,"resolution_us":%d,"jobs":%d,"user_jobs":%d}`, p.interval*1e6, p.window*1e6, p.resolution*1e6, p.tries, p.userTries)
	}
	for i := range p.jobs {
		j := &p.jobs[i]
		job := &workload.Job{
			Processors: int32(j.need[0]), Run: unit.Time(j.run) * unit.Second, Estimate: unit.Time(j.limit) * unit.Second, User: uint32(j.user), Group: uint32(j.user % 2),
			Queue: int32(j.tier), Throttle: int32(j.throttle), Fails: j.fails,
			Need: needOf(j),
		}
		if len(j.parts) > 0 {
			job.Need = workload.Need{}
		}
		for _, part := range j.parts {
			c := workload.Component{Processors: int32(part.need[0]), Need: needOf(&part)}
			job.Components = append(job.Components, c)
		}
		for _, a := range j.after {
			job.After = append(job.After, workload.Preceding{Key: key(p, a.job), Think: unit.Time(a.think) * unit.Second, Kind: afterKinds[a.kind]})
		}
		l.records = append(l.records, workload.Record{At: unit.Time(j.submit) * unit.Second, Kind: workload.JobArrives, Key: key(p, i), Job: job})
	}
	batch := fmt.Sprintf(`{"nodes":%q,"off":{"after_us":%d,"keep":%d},"limits":%q,"reservations":%q,"queues":%q%s}`,
		strings.Join(says, "; "), p.offAfter*1e6, p.keep, limits, reservation, queue, loops)
	machine := fmt.Sprintf(`{"power":{"kinds":[%s]},"physical":{"rack_size":%d}}`, strings.Join(kinds, ","), max(1, p.leafSize))
	s := parse(whole, fmt.Sprintf(`{"v":1,"system":"central","until":"%ds","cluster":%s,"settings":{"policy":%q,"batch":%s}}`,
		plainEnd/2, machine, p.policy, batch))
	seen := &seenStarts{starts: map[uint64][]int{}, seq: map[uint64]int{}, number: map[unit.JobID]uint64{}}
	r, err := run.Open(s, &l, run.Watch(seen))
	if err != nil {
		t.Fatal(err)
	}
	seen.view = r.View()
	if err := r.Advance(unit.Forever); err != nil {
		t.Fatal(err)
	}
	for i := range p.jobs {
		if seq, came := seen.seq[uint64(p.jobs[i].array)+100*uint64(i)]; came {
			p.jobs[i].seq = seq
		}
	}
	p.play()
	for i, j := range p.jobs {
		got := seen.starts[uint64(j.array)+100*uint64(i)]
		if !slices.Equal(got, j.starts) {
			for k, o := range p.jobs {
				t.Logf("job %d starts at %v s: %+v", k, seen.starts[uint64(o.array)+100*uint64(k)], o)
			}
			t.Fatalf("job %d starts at %v s, under the plain scheduler at %v s: %+v", i, got, j.starts, j)
		}
		waited += count(j.start > j.came)
	}
	if e := r.Report().Jobs.Energy; e != nil && math.Abs(e.Run-p.energy()) > 1e-6 {
		t.Fatalf("the run takes %v J, under the plain scheduler %v J", e.Run, p.energy())
	}
	return waited
}

func needOf(j *plainJob) workload.Need {
	return workload.Need{
		Nodes: int32(j.nodes), GPUs: int32(j.need[2]), Memory: unit.Bytes(j.need[1]), Alone: j.alone,
		Switches: int32(j.switches), SwitchWait: unit.Time(j.patience) * unit.Second,
	}
}

func key(p *plainSite, i int) workload.Key {
	return workload.Key{Job: uint64(p.jobs[i].array), Index: uint32(i)}
}
