package central_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/kube/score"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/central"
	"parley/core/unit"
	"parley/core/workload"
)

// rules are the settings that decide where there is room, as the README says it.
type rules struct {
	admission        string
	cpu, memory      float64 // overcommit
	fill, production float64
}

var anyRules = rapid.Custom(func(t *rapid.T) rules {
	return rules{
		admission: rapid.SampledFrom([]string{"use", "request"}).Draw(t, "admission"),
		cpu:       rapid.SampledFrom([]float64{1, 0.8, 1.5}).Draw(t, "overcommit of CPU"), memory: rapid.SampledFrom([]float64{1, 0.9, 1.25}).Draw(t, "overcommit of memory"),
		fill: rapid.SampledFrom([]float64{0.9, 0, 1, 0.55}).Draw(t, "fill"), production: rapid.SampledFrom([]float64{0.9, 0, 0.4}).Draw(t, "production limit"),
	}
})

func (r rules) settings(policy, more string) json.RawMessage {
	return fmt.Appendf(nil, `{"policy":%q,"admission":%q,"overcommit":{"cpu":%v,"memory":%v},"fill":%v,"production_limit":%v,"preempt":false%s}`,
		policy, r.admission, r.cpu, r.memory, r.fill, r.production, more)
}

// admits reports whether a node takes a task that waits.
func (r rules) admits(v cluster.View, id unit.TaskID, n unit.NodeID) bool {
	return r.admitsWithout(v, id, n, nil)
}

// admitsWithout is admits as if some of the node's tasks were gone.
func (r rules) admitsWithout(v cluster.View, id unit.TaskID, n unit.NodeID, gone []unit.TaskID) bool {
	used, requested, byProduction := v.Used(n), v.Requested(n), v.Production(n)
	for _, other := range gone {
		if o, _ := v.Task(other); o.Node == n {
			used, requested = used.Sub(o.Usage), requested.Sub(o.Request)
			if o.Class == workload.Production {
				byProduction = byProduction.Sub(o.Request)
			}
		}
	}
	t, _ := v.Task(id)
	if !v.Up(n) || !v.Satisfies(id, n) || !t.Request.Within(v.Capacity(n)) {
		return false
	}
	for i, need := range t.Request {
		within := func(have unit.Share, part float64) bool {
			return have == 0 || float64(have+need) <= part*float64(v.Capacity(n)[i])
		}
		fill := r.fill
		if fill == 0 {
			fill = 1
		}
		overcommit := 1.
		switch unit.Resource(i) {
		case unit.CPU:
			overcommit = r.cpu
		case unit.Memory:
			overcommit = r.memory
		}
		switch {
		case (r.admission == "use" || r.fill > 0) && !within(used[i], fill),
			r.admission == "request" && !within(requested[i], overcommit),
			r.production > 0 && t.Class == workload.Production && !within(byProduction[i], r.production):
			return false
		}
	}
	return true
}

// fullness is what the README calls so: of a node with a task on it.
func (r rules) fullness(v cluster.View, id unit.TaskID, n unit.NodeID) (sum int64) {
	t, _ := v.Task(id)
	for i, capacity := range v.Capacity(n) {
		have := v.Used(n)[i]
		if r.admission == "request" {
			have = v.Requested(n)[i]
		}
		sum += int64(have)*(1<<20)/int64(capacity) + int64(t.Request[i])*(1<<20)/int64(capacity)
	}
	return sum
}

// randomCell is a small cluster under one system, to which anything may happen.
type randomCell struct {
	kernel *des.Kernel
	c      *cluster.Cluster
	v      cluster.View
	system system.System
	kinds  []workload.Task
	tasks  []unit.TaskID
	size   *rapid.Generator[unit.Share]
	types  *rapid.Generator[unit.Vec] // the capacities that most nodes have
}

func newCell(t *rapid.T, settings json.RawMessage, nodes int) *randomCell {
	k := des.New()
	c := cluster.New(cluster.Default(), k)
	w := &randomCell{kernel: k, c: c, v: c.View()}
	var err error
	w.system, err = central.New(system.Env{Clock: k, View: w.v, Acts: c, Rand: func(name string) *rng.Stream { return rng.New(1, name) }}, settings)
	if err != nil {
		t.Fatal(err)
	}
	w.size = rapid.Map(rapid.IntRange(2, 20), func(i int) unit.Share { return unit.Share(i) * 50_000 })
	w.types = rapid.SampledFrom(rapid.SliceOfN(rapid.Custom(w.vec), 1, 3).Draw(t, "machine types"))
	for i := range nodes {
		w.join(t, i)
	}
	w.hear(t, nil)
	w.kinds = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) workload.Task {
		one := workload.Task{
			Request: w.part(t, 11), Class: workload.PriorityClass(rapid.IntRange(0, 1).Draw(t, "class")),
		}
		for r := range one.Request {
			one.Usage.Mean[r], one.Usage.Swing[r] = 30_000, 50_000
		}
		if rapid.IntRange(0, 3).Draw(t, "picky") == 0 {
			one.Constraints = []workload.Constraint{{Value: 1}}
		}
		return one
	}), 1, 4).Draw(t, "kinds")
	return w
}

// vec draws the size of a node: some of every resource.
func (w *randomCell) vec(t *rapid.T) unit.Vec { return w.part(t, 1) }

// part draws what a task takes of it: a size divided by so much.
func (w *randomCell) part(t *rapid.T, by unit.Share) (v unit.Vec) {
	for r := range v {
		v[r] = w.size.Draw(t, unit.Resource(r).String()) / by
	}
	return v
}

func (w *randomCell) join(t *rapid.T, i int) {
	w.c.Join(uint64(w.v.Nodes()), workload.Node{
		Capacity: w.types.Draw(t, "machine type"), Rack: -1, Site: -1, Attributes: []workload.Attribute{{Value: int64(i % 2)}},
	})
}

// hear lets the system hear what happened. check is asked where each task belongs
// that the system hears of, before it does.
func (w *randomCell) hear(t *rapid.T, check func(unit.TaskID) unit.NodeID) {
	err := w.c.Deliver(func(e cluster.Event) error {
		if e.Kind != cluster.TaskSubmitted || check == nil {
			return w.system.On(e)
		}
		want := check(e.Task)
		err := w.system.On(e)
		if got, _ := w.v.Task(e.Task); got.Node != want {
			return fmt.Errorf("task %d goes to node %d, a scan finds %d", e.Task.Slot(), got.Node, want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// submit submits a few tasks of a kind at once, as jobs come.
func (w *randomCell) submit(t *rapid.T, check func(unit.TaskID) unit.NodeID) {
	one := rapid.SampledFrom(w.kinds).Draw(t, "kind")
	for range rapid.SampledFrom([]int{1, 1, 2, 5, 20, 150}).Draw(t, "how many") {
		w.tasks = append(w.tasks, w.c.Submit(workload.Key{Index: uint32(len(w.tasks))}, &one))
	}
	w.hear(t, check)
}

// happen makes something else happen than a task that comes.
func (w *randomCell) happen(t *rapid.T) {
	n := unit.NodeID(rapid.IntRange(0, w.v.Nodes()-1).Draw(t, "node"))
	id := unit.NoTask
	if len(w.tasks) > 0 {
		id = rapid.SampledFrom(w.tasks).Draw(t, "task")
	}
	switch rapid.IntRange(0, 8).Draw(t, "what") {
	case 0:
		w.c.Resize(n, w.vec(t))
	case 1:
		w.c.Leave(n)
	case 2:
		w.c.Restore(n)
	case 3:
		w.c.SetAttribute(n, workload.Attribute{Value: int64(rapid.IntRange(0, 1).Draw(t, "value"))})
	case 4:
		w.c.Measure(id, w.part(t, 7))
	case 5:
		one := rapid.SampledFrom(w.kinds).Draw(t, "kind")
		w.c.Change(id, &one)
	case 6:
		_ = w.c.Migrate(id, n, cluster.ByTotal) // if it can
	case 7:
		w.join(t, 1)
	default:
		w.c.End(id, workload.Finished)
	}
	w.hear(t, nil)
}

func (w *randomCell) pass(t *rapid.T, span unit.Time) {
	for until := w.kernel.Now() + span; w.kernel.Step(until); {
		w.hear(t, nil)
	}
}

// steps lets up to limit things happen, and submits tasks that the system must place as scan.
func (w *randomCell) steps(t *rapid.T, limit int, scan func(unit.TaskID) unit.NodeID) {
	for range rapid.IntRange(1, limit).Draw(t, "steps") {
		switch rapid.IntRange(0, 5).Draw(t, "step") {
		case 0:
			w.pass(t, rapid.SampledFrom([]unit.Time{unit.Second, unit.Minute, workload.UsageWindow}).Draw(t, "for"))
		case 1, 2:
			w.happen(t)
		default:
			w.submit(t, scan)
		}
	}
	if err := w.c.Audit(); err != nil {
		t.Fatal(err)
	}
}

// TestIndexAgainstScan: whatever happens, each task goes to the node that a scan of
// the whole cluster finds best by the README's rules.
func TestIndexAgainstScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, policy := anyRules.Draw(t, "rules"), rapid.SampledFrom([]string{"best-fit", "worst-fit", "first-fit"}).Draw(t, "policy")
		w := newCell(t, r.settings(policy, ""), rapid.SampledFrom([]int{1, 5, 40, 300}).Draw(t, "nodes"))
		scan := func(id unit.TaskID) unit.NodeID {
			want, lowest := unit.NoNode, int64(0)
			for n := range unit.NodeID(w.v.Nodes()) {
				rank := map[string]int64{"best-fit": -r.fullness(w.v, id, n), "worst-fit": r.fullness(w.v, id, n), "first-fit": 0}[policy]
				if r.admits(w.v, id, n) && (want == unit.NoNode || rank < lowest) {
					want, lowest = n, rank
				}
			}
			return want
		}
		w.steps(t, 60, scan)
	})
}

// TestNewsStillToCome: a node goes down or shrinks at the very moment at which a task
// comes, and the scheduler hears of the task first. The cluster refuses the node, and
// the task gets the next one that both find good.
func TestNewsStillToCome(t *testing.T) {
	half := unit.Vec{unit.Whole / 2, unit.Whole / 2}
	for name, change := range map[string]func(*cluster.Cluster){
		"down":    func(c *cluster.Cluster) { c.Leave(0) },
		"smaller": func(c *cluster.Cluster) { c.Resize(0, half.Add(unit.Vec{1, 1})) },
	} {
		for _, admission := range []string{"use", "request"} {
			for _, policy := range []string{"first-fit", "worst-fit", "kube"} {
				k := des.New()
				c := cluster.New(cluster.Default(), k)
				s, err := central.New(system.Env{Clock: k, View: c.View(), Acts: c, Rand: func(name string) *rng.Stream { return rng.New(1, name) }},
					fmt.Appendf(nil, `{"policy":%q,"admission":%q,"fill":0,"production_limit":0}`, policy, admission))
				if err != nil {
					t.Fatal(err)
				}
				deliver := func() {
					if err := c.Deliver(s.On); err != nil {
						t.Fatal(err)
					}
				}
				for i, capacity := range []unit.Share{unit.Whole, unit.Whole * 6 / 10} {
					c.Join(uint64(i), workload.Node{Capacity: unit.Vec{capacity, capacity}, Rack: -1, Site: -1})
				}
				deliver()
				c.Submit(workload.Key{}, &workload.Task{Request: unit.Vec{2, 2}, Usage: workload.UsageModel{Mean: [unit.Resources]uint16{1<<16 - 1, 1<<16 - 1}}})
				deliver() // the first node has this one, the second nothing
				c.Submit(workload.Key{Index: 2}, &workload.Task{Request: unit.Vec{2 * unit.Whole, 1}})
				deliver() // it fits nowhere, and what the scheduler knows of the nodes is as they are
				id := c.Submit(workload.Key{Index: 1}, &workload.Task{Request: half})
				change(c)
				deliver()
				if task, _ := c.View().Task(id); task.Node != 1 {
					t.Errorf("%s, %s, %s: the task is on node %d", name, admission, policy, task.Node)
				}
			}
		}
	}
}

// TestSamplesAsKube: the policies of kube-scheduler look at the nodes in turn from
// where they ended, take the highest score, and draw among equals.
func TestSamplesAsKube(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRules.Draw(t, "rules")
		policy := rapid.SampledFrom([]string{"kube", "least-allocated", "most-allocated", "balanced-allocation", "requested-to-capacity-ratio"}).Draw(t, "policy")
		percent := rapid.SampledFrom([]int{0, 5, 100}).Draw(t, "percent")
		shape := score.Shape{{Utilization: 0, Score: 0}, {Utilization: 60, Score: 10}, {Utilization: 100, Score: 3}}
		w := newCell(t, r.settings(policy, fmt.Sprintf(`,"kube":{"balanced_weight":3,"fit_weight":2,"cpu_weight":2,"percentage_of_nodes_to_score":%d,"shape":"0:0 60:10 100:3"}`, percent)), rapid.SampledFrom([]int{3, 99, 250, 410}).Draw(t, "nodes"))
		for range rapid.IntRange(0, 2).Draw(t, "resources that one does not request") {
			w.kinds[0].Request[rapid.IntRange(0, 1).Draw(t, "resource")] = 0
		}
		rate := func(id unit.TaskID, n unit.NodeID) int64 {
			task, _ := w.v.Task(id)
			part, whole := make([]score.Resource, unit.Resources), make([]score.Resource, unit.Resources) // without and with what no request counts as
			weights := [unit.Resources]int64{2, 1}
			unasked := [unit.Resources]int64{6250, 13107} // a tenth of 16 CPUs, 200 MiB of 16 GB
			for i, request := range task.Request {
				part[i] = score.Resource{Requested: int64(w.v.Requested(n)[i] + request), Allocatable: int64(w.v.Capacity(n)[i]), Weight: weights[i]}
				whole[i] = part[i]
				none := unasked[i]
				if request == 0 {
					whole[i].Requested += none
				}
				for other := range w.v.Tasks(n) {
					if o, _ := w.v.Task(other); o.Request[i] == 0 {
						whole[i].Requested += none
					}
				}
			}
			balanced := int64(0)
			if task.Request != (unit.Vec{}) {
				balanced = score.BalancedAllocation(part)
			}
			return map[string]int64{
				"kube": 2*score.LeastAllocated(whole) + 3*balanced, "least-allocated": score.LeastAllocated(whole), "most-allocated": score.MostAllocated(whole),
				"balanced-allocation": balanced, "requested-to-capacity-ratio": shape.RequestedToCapacityRatio(whole),
			}[policy]
		}
		start, ties := 0, rng.New(1, "central/ties")
		search := func(id unit.TaskID) unit.NodeID {
			nodes := w.v.Nodes()
			limit, seen := score.NumFeasibleNodesToFind(nodes, percent), 0
			var fit, best []unit.NodeID
			for ; seen < nodes && len(fit) < limit; seen++ {
				if n := unit.NodeID((start + seen) % nodes); r.admits(w.v, id, n) {
					fit = append(fit, n)
				}
			}
			start = (start + seen) % nodes
			if len(fit) == 0 {
				return unit.NoNode
			}
			top := slices.MaxFunc(fit, func(a, b unit.NodeID) int { return int(rate(id, a) - rate(id, b)) })
			for _, n := range fit {
				if rate(id, n) == rate(id, top) {
					best = append(best, n)
				}
			}
			if len(best) == 1 {
				return best[0]
			}
			return best[ties.Intn(len(best))]
		}
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			w.submit(t, search)
			if n := unit.NodeID(rapid.IntRange(0, w.v.Nodes()-1).Draw(t, "node")); rapid.Bool().Draw(t, "resize") {
				w.c.Resize(n, w.vec(t))
				w.hear(t, nil)
			}
			if id := rapid.SampledFrom(w.tasks).Draw(t, "task"); rapid.Bool().Draw(t, "end") {
				w.c.End(id, workload.Finished)
				w.hear(t, nil)
			}
		}
	})
}

// TestRandomIsUniform: over many placements each of five equal nodes gets a
// fifth; 18.47 is the 99.9 % quantile of chi-square at 4 degrees of freedom.
func TestRandomIsUniform(t *testing.T) {
	k := des.New()
	c := cluster.New(cluster.Default(), k)
	s, err := central.New(system.Env{Clock: k, View: c.View(), Acts: c, Rand: func(name string) *rng.Stream { return rng.New(1, name) }}, json.RawMessage(`{"policy":"random"}`))
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(5) {
		c.Join(i, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1})
	}
	const draws = 5000
	var count [5]float64
	for i := range draws {
		id := c.Submit(workload.Key{Index: uint32(i)}, &workload.Task{Request: unit.Vec{unit.Share(1 + i%3), 1}})
		if err := c.Deliver(s.On); err != nil {
			t.Fatal(err)
		}
		task, _ := c.View().Task(id)
		count[task.Node]++
		c.End(id, workload.Finished)
	}
	chi := 0.0
	for _, n := range count {
		chi += (n - draws/5) * (n - draws/5) / (draws / 5)
	}
	if chi > 18.47 {
		t.Errorf("five equal nodes got %v tasks: chi-square %.1f", count, chi)
	}
}

func TestSettings(t *testing.T) {
	for raw, want := range map[string]string{
		`{"policy":"tetris"}`:  `settings: policy is "tetris": choose one of best-fit, worst-fit, first-fit, random, least-allocated, most-allocated, balanced-allocation, requested-to-capacity-ratio, kube, formula, replay, fgd, gpu-best-fit, gpu-dot-product, gpu-packing, gpu-clustering, gpu-random, fcfs, easy, easy-sjbf, slack, conservative, conservative-compress, slurm, fit-first, srtf, srsf, 2d-las, 2d-gittins`,
		`{"admission":"luck"}`: `settings: admission is "luck": choose one of use, request`,
		`{"polcy":"random"}`:   `settings: unknown field "polcy": did you mean policy?`,
	} {
		_, err := central.New(system.Env{Rand: func(name string) *rng.Stream { return rng.New(1, name) }}, json.RawMessage(raw))
		if err == nil || err.Error() != want {
			t.Errorf("%s gives %v, want %s", raw, err, want)
		}
	}
	minimum := central.Default()
	minimum.Rescheduler.Every = 10 * unit.Second
	if err := minimum.Validate(); err != nil {
		t.Errorf("the shortest time between two passes: %v", err)
	}
}

func TestReplayWarns(t *testing.T) {
	k := des.New()
	c := cluster.New(cluster.Default(), k)
	s, err := central.New(system.Env{Clock: k, View: c.View(), Acts: c}, json.RawMessage(`{"policy":"replay"}`))
	if err != nil {
		t.Fatal(err)
	}
	if w := s.(system.WarningSource).Warnings(); len(w) != 1 {
		t.Errorf("replay without recorded placements warns %q", w)
	}
	n := c.Join(1, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1})
	c.Record(c.Submit(workload.Key{}, &workload.Task{Request: unit.Vec{1, 1}}), n)
	if err := c.Deliver(s.On); err != nil {
		t.Fatal(err)
	}
	if w := s.(system.WarningSource).Warnings(); len(w) != 0 {
		t.Errorf("replay with a recorded placement warns %q", w)
	}
}

// TestExplain: what is remembered of a placement is the node it went to, before
// others that fit, by falling scores; and that a task fits nowhere.
func TestExplain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := des.New()
		c := cluster.New(cluster.Default(), k)
		policy := rapid.SampledFrom([]string{"best-fit", "worst-fit", "first-fit", "kube", "formula", "random"}).Draw(t, "policy")
		s, err := central.New(system.Env{Clock: k, View: c.View(), Acts: c, Rand: func(name string) *rng.Stream { return rng.New(1, name) }, Note: func(system.Note) {}},
			fmt.Appendf(nil, `{"policy":%q,"fill":0,"preempt":false}`, policy))
		if err != nil {
			t.Fatal(err)
		}
		size := rapid.Map(rapid.IntRange(1, 20), func(i int) unit.Share { return unit.Share(i) * 50_000 })
		for i := range rapid.IntRange(1, 40).Draw(t, "nodes") {
			c.Join(uint64(i), workload.Node{Capacity: unit.Vec{size.Draw(t, "cpu"), size.Draw(t, "memory")}, Rack: -1, Site: -1})
		}
		for i := range 60 {
			request := unit.Vec{size.Draw(t, "cpu"), size.Draw(t, "memory")}
			id := c.Submit(workload.Key{Job: uint64(i)}, &workload.Task{Request: request})
			fits := 0
			for n := range unit.NodeID(c.View().Nodes()) {
				if c.View().Fits(id, n, cluster.ByUse) == nil {
					fits++
				}
			}
			if err := c.Deliver(s.On); err != nil {
				t.Fatal(err)
			}
			if policy == "random" {
				fits = min(fits, 1) // it knows of no better ones
			}
			d, known := s.(system.Explainer).Explain(id)
			task, _ := c.View().Task(id)
			if !known || d.To != task.Node || len(d.Candidates) != min(fits, 12) {
				t.Fatalf("task on node %d, %d nodes fit: %+v", task.Node, fits, d)
			}
			for i, one := range d.Candidates {
				if want := map[bool]string{true: "chosen", false: "accepted"}[i == 0]; one.Answer != want || i == 0 && one.Node != d.To || i > 0 && one.Score > d.Candidates[i-1].Score {
					t.Fatalf("candidate %d of %+v", i, d.Candidates)
				}
			}
		}
	})
}
