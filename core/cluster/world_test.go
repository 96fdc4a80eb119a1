package cluster_test

import (
	"fmt"
	"math/big"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/unit"
	"parley/core/workload"
)

// world is the dumb second cluster: maps, loops over everything, no sums kept.
type world struct {
	kernel *des.Kernel
	c      *cluster.Cluster
	nodes  []machine
	tasks  map[unit.TaskID]*job
	order  []unit.TaskID // all that were ever submitted
	told   map[unit.TaskID]cluster.State
	totals cluster.Totals // only the counts of what happened
	begun  int            // migrations
}

type machine struct {
	up       bool
	capacity unit.Vec
	disk     int64
}

type job struct {
	workload.Task
	state     cluster.State
	node, to  unit.NodeID
	usage     unit.Vec // without a share
	measured  bool
	allotted  bool
	share     unit.Share // of its node's CPU
	began     int        // which migration its own is, of all
	ends      unit.Time  // of its life, while placed; 0: no end
	arrives   unit.Time  // of its migration
	forced    bool
	cost      int64
	submitted unit.Time
}

const machines = 5

func newWorld() *world {
	k := des.New()
	return &world{kernel: k, c: cluster.New(cluster.Default(), k), tasks: map[unit.TaskID]*job{}, told: map[unit.TaskID]cluster.State{}}
}

// load returns what stands on a node by a figure of its tasks, those on their
// way to it included.
func (w *world) load(n unit.NodeID, figure func(*job, unit.NodeID) unit.Vec) (sum unit.Vec) {
	for _, j := range w.tasks {
		if j.state != cluster.Waiting && j.node == n || j.state == cluster.Migrating && j.to == n {
			sum = sum.Add(figure(j, n))
		}
	}
	return sum
}

func used(j *job, n unit.NodeID) unit.Vec {
	use := j.uses()
	if j.allotted && j.node != n {
		use[unit.CPU] = 0
	}
	return use
}
func requested(j *job, _ unit.NodeID) unit.Vec { return j.Request }
func byProduction(j *job, _ unit.NodeID) unit.Vec {
	if j.Class == workload.Production {
		return j.Request
	}
	return unit.Vec{}
}

// uses is what the task uses where it runs.
func (j *job) uses() unit.Vec {
	use := j.usage
	if j.allotted {
		use[unit.CPU] = min(use[unit.CPU], j.share)
	}
	return use
}

// allotted returns the sum of the shares on a node but one task's.
func (w *world) allotted(n unit.NodeID, but *job) (sum unit.Share) {
	for _, j := range w.tasks {
		if j.allotted && j.node == n && j != but {
			sum += j.share
		}
	}
	return sum
}

// allot is the documentation of Allot, word by word.
func (w *world) allot(id unit.TaskID, cpu unit.Share) error {
	j, alive := w.tasks[id]
	switch {
	case !alive:
		return cluster.ErrGone
	case j.state == cluster.Waiting:
		return cluster.ErrState
	case cpu < 0 || cpu > j.Request[unit.CPU]:
		return cluster.ErrShare
	case w.allotted(j.node, j)+cpu > w.nodes[j.node].capacity[unit.CPU]:
		return cluster.ErrFull
	}
	j.allotted, j.share = true, cpu
	return nil
}

// shrink gives a node a capacity and cuts shares alike where they no longer fit.
func (w *world) shrink(n int, capacity unit.Vec) {
	w.nodes[n].capacity = capacity
	if sum := w.allotted(unit.NodeID(n), nil); w.nodes[n].up && sum > capacity[unit.CPU] {
		for _, j := range w.tasks {
			if j.allotted && j.node == unit.NodeID(n) {
				j.share = unit.Share(int64(j.share) * int64(capacity[unit.CPU]) / int64(sum))
			}
		}
	}
}

// fits is the documentation of Check, word by word.
func (w *world) fits(id unit.TaskID, n unit.NodeID, by cluster.Check) error {
	j, alive := w.tasks[id]
	if !alive {
		return cluster.ErrGone
	}
	if n < 0 || int(n) >= len(w.nodes) || !w.nodes[n].up {
		return cluster.ErrDown
	}
	if by == cluster.Unchecked {
		return nil
	}
	for _, want := range j.Constraints {
		if !want.Holds(w.nodes[n].disk) {
			return cluster.ErrConstraint
		}
	}
	need := j.uses()
	if j.state == cluster.Waiting {
		need = j.Request
	}
	switch by {
	case cluster.ByUse:
		need = need.Add(w.load(n, used))
	case cluster.ByRequest:
		need = j.Request.Add(w.load(n, requested))
	case cluster.ByMemory:
		need = unit.Vec{unit.Memory: j.Request[unit.Memory] + w.load(n, requested)[unit.Memory]}
	}
	if !need.Within(w.nodes[n].capacity) {
		return cluster.ErrFull
	}
	return nil
}

// cost is the geometric series of the migration model in exact fractions, cut
// to whole bytes each round as bytes are.
func cost(j *job) int64 {
	s := cluster.Default()
	scale := func(x, num, den int64) int64 {
		p := new(big.Int).Mul(big.NewInt(x), big.NewInt(num))
		return p.Div(p, big.NewInt(den)).Int64()
	}
	round := scale(int64(j.Image), int64(j.usage[unit.Memory]), int64(j.Request[unit.Memory]))
	total := round
	for k := 0; k < 30 && round >= 1_000_000; k++ {
		round = scale(round, int64(s.DirtyRate), int64(s.LinkSpeed))
		total += round
	}
	return total
}

func (w *world) place(id unit.TaskID, n unit.NodeID, by cluster.Check) error {
	if err := w.fits(id, n, by); err != nil {
		return err
	}
	j := w.tasks[id]
	if j.state != cluster.Waiting {
		return cluster.ErrState
	}
	j.state, j.node = cluster.Running, n
	if j.Lifetime > 0 {
		j.ends = w.kernel.Now() + j.Lifetime
	}
	w.totals.Placements++
	if by == cluster.ByTotal {
		w.totals.ForcedPlacements++
	}
	return nil
}

func (w *world) migrate(id unit.TaskID, n unit.NodeID, by cluster.Check) error {
	if err := w.fits(id, n, by); err != nil {
		return err
	}
	j := w.tasks[id]
	if j.state != cluster.Running || j.node == n {
		return cluster.ErrState
	}
	w.begun++
	j.state, j.to, j.cost, j.forced, j.began = cluster.Migrating, n, cost(j), by == cluster.ByTotal, w.begun
	j.arrives = w.kernel.Now() + unit.Time(j.cost*1_000_000/int64(cluster.Default().LinkSpeed))
	return nil
}

func (w *world) abort(j *job) {
	if j.state == cluster.Migrating {
		j.state, j.to = cluster.Running, unit.NoNode
		w.totals.Aborted++
	}
}

func (w *world) displace(j *job) {
	w.abort(j)
	j.state, j.node, j.ends, j.allotted = cluster.Waiting, unit.NoNode, 0, false
	w.totals.Displaced++
}

func (w *world) preempt(id unit.TaskID) error {
	j, alive := w.tasks[id]
	switch {
	case !alive:
		return cluster.ErrGone
	case j.state == cluster.Waiting:
		return cluster.ErrState
	}
	w.displace(j)
	return nil
}

func (w *world) end(id unit.TaskID, how workload.End) {
	if j, alive := w.tasks[id]; alive {
		w.abort(j)
		delete(w.tasks, id)
		w.totals.Ended[how]++
	}
}

func (w *world) leave(n unit.NodeID) {
	if int(n) >= len(w.nodes) || !w.nodes[n].up {
		return
	}
	for _, j := range w.tasks {
		if j.state == cluster.Migrating && j.to == n {
			w.abort(j)
		}
	}
	for _, j := range w.tasks {
		if j.state != cluster.Waiting && j.node == n {
			w.displace(j)
		}
	}
	w.nodes[n].up = false
}

// pass lets time pass up to a moment: whatever ends or arrives before it, in
// order of time; a life that ends as its migration does comes first. Usage is
// constant but for Measure: the models do not swing.
func (w *world) pass(until unit.Time) {
	for {
		next, arrives, at := unit.NoTask, false, until
		for id, j := range w.tasks {
			if j.state != cluster.Waiting && j.ends > 0 && j.ends < at {
				next, arrives, at = id, false, j.ends
			}
			if j.state == cluster.Migrating && (j.arrives < at || j.arrives == at && arrives && j.began < w.tasks[next].began) {
				next, arrives, at = id, true, j.arrives
			}
		}
		switch {
		case next == unit.NoTask:
			return
		case !arrives:
			w.end(next, workload.Finished)
		default:
			j := w.tasks[next]
			if left := w.nodes[j.to].capacity[unit.CPU] - w.allotted(j.to, nil); j.allotted {
				j.share = max(0, min(j.share, left))
			}
			j.state, j.node, j.to = cluster.Running, j.to, unit.NoNode
			w.totals.Migrations++
			w.totals.Moved += unit.Bytes(j.cost)
			if j.forced {
				w.totals.Forced++
			}
		}
	}
}

// compare holds the cluster to the dumb one, figure by figure.
func (w *world) compare(t *rapid.T) {
	if err := w.c.Audit(); err != nil {
		t.Fatal(err)
	}
	v := w.c.View()
	want := w.totals
	want.Submitted = int64(len(w.order))
	for _, id := range w.order {
		real, alive := v.Task(id)
		j, here := w.tasks[id]
		if alive != here {
			t.Fatalf("task %x alive: %v, want %v", id, alive, here)
		}
		if !here {
			continue
		}
		switch j.state {
		case cluster.Waiting:
			want.Waiting++
		case cluster.Running:
			want.Running++
		case cluster.Migrating:
			want.Migrating++
		}
		got := fmt.Sprint(real.State, real.Node, real.Target, real.Request, real.Class, real.Submitted)
		if expect := fmt.Sprint(j.state, j.node, j.to, j.Request, j.Class, j.submitted); got != expect {
			t.Fatalf("task %x stands at %s, want %s", id, got, expect)
		}
		if j.state != cluster.Waiting && real.Usage != j.uses() {
			t.Fatalf("task %x uses %v, want %v", id, real.Usage, j.uses())
		}
		if share, has := v.Share(id); has != j.allotted || has && share != j.share {
			t.Fatalf("task %x has a share: %v, of %d; want %v, %d", id, has, share, j.allotted, j.share)
		}
	}
	for n := range w.nodes {
		id := unit.NodeID(n)
		if v.Allotted(id) != w.allotted(id, nil) {
			t.Fatalf("node %d has allotted %d, want %d", n, v.Allotted(id), w.allotted(id, nil))
		}
		if v.Up(id) != w.nodes[n].up || v.Capacity(id) != w.nodes[n].capacity {
			t.Fatalf("node %d: up %v with %v, want %v with %v", n, v.Up(id), v.Capacity(id), w.nodes[n].up, w.nodes[n].capacity)
		}
		if v.Used(id) != w.load(id, used) || v.Requested(id) != w.load(id, requested) || v.Production(id) != w.load(id, byProduction) {
			t.Fatalf("node %d: used %v requested %v promised %v, want %v %v %v", n, v.Used(id), v.Requested(id), v.Production(id), w.load(id, used), w.load(id, requested), w.load(id, byProduction))
		}
		owned := map[unit.TaskID]bool{}
		for task := range v.Tasks(id) {
			if owned[task] || w.tasks[task] == nil || w.tasks[task].node != id {
				t.Fatalf("node %d lists task %x twice or wrongly", n, task)
			}
			owned[task] = true
		}
		incoming := 0
		for task, j := range w.tasks {
			if j.state != cluster.Waiting && j.node == id && !owned[task] {
				t.Fatalf("node %d does not list task %x", n, task)
			}
			if j.state == cluster.Migrating && j.to == id {
				incoming++
			}
		}
		if v.Count(id) != len(owned) || v.Incoming(id) != incoming {
			t.Fatalf("node %d counts %d tasks and %d on their way, want %d and %d", n, v.Count(id), v.Incoming(id), len(owned), incoming)
		}
	}
	have := v.Totals()
	have.NodesUp, have.Capacity, have.Used, have.Requested, have.Production = 0, want.Capacity, want.Used, want.Requested, want.Production
	if have != want {
		t.Fatalf("totals %+v, want %+v", have, want)
	}
}

// listen replays the event stream: it alone must tell where every task stands.
func (w *world) listen(t *rapid.T) {
	at := unit.Time(0)
	err := w.c.Deliver(func(e cluster.Event) error {
		if e.At < at {
			return fmt.Errorf("%v at %v after an event at %v", e.Kind, e.At, at)
		}
		at = e.At
		steps := map[cluster.Kind][2]cluster.State{
			cluster.TaskSubmitted:   {cluster.Free, cluster.Waiting},
			cluster.TaskPlaced:      {cluster.Waiting, cluster.Running},
			cluster.TaskDisplaced:   {cluster.Running, cluster.Waiting},
			cluster.MigrationBegan:  {cluster.Running, cluster.Migrating},
			cluster.MigrationEnded:  {cluster.Migrating, cluster.Running},
			cluster.MigrationBroken: {cluster.Migrating, cluster.Running},
		}
		switch step, moves := steps[e.Kind]; {
		case moves && w.told[e.Task] != step[0]:
			return fmt.Errorf("%v of task %x, which is %v by the events", e.Kind, e.Task, w.told[e.Task])
		case moves:
			w.told[e.Task] = step[1]
		case e.Kind == cluster.TaskEnded:
			if s := w.told[e.Task]; s == cluster.Free || s == cluster.Migrating {
				return fmt.Errorf("task %x ended, which is %v by the events", e.Task, s)
			}
			delete(w.told, e.Task)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for id, s := range w.told {
		if real, alive := w.c.View().Task(id); !alive || real.State != s {
			t.Fatalf("task %x is %v by the events, but %v", id, s, real.State)
		}
	}
}
