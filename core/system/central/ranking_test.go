package central_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/central"
	"parley/core/unit"
	"parley/core/workload"
)

// TestRankingAgainstFullScan: the scheduler keeps a heap of nodes for tasks of
// one kind; each time it must choose the node that a scan of the whole cluster
// finds best.
func TestRankingAgainstFullScan(t *testing.T) {
	left := func(v cluster.View, n unit.NodeID, need unit.Vec) (sum float64) {
		for r := range need {
			sum += float64(v.Capacity(n)[r] - v.Used(n)[r] - need[r])
		}
		return sum
	}
	scores := map[string]func(cluster.View, unit.NodeID, unit.Vec) float64{
		"best-fit":  func(v cluster.View, n unit.NodeID, need unit.Vec) float64 { return -left(v, n, need) },
		"worst-fit": left,
		"first-fit": func(_ cluster.View, n unit.NodeID, _ unit.Vec) float64 { return -float64(n) },
		"least-allocated": func(v cluster.View, n unit.NodeID, need unit.Vec) (score float64) {
			for r := range need {
				score -= float64(v.Requested(n)[r]+need[r]) / float64(v.Capacity(n)[r])
			}
			return score
		},
	}
	rapid.Check(t, func(t *rapid.T) {
		policy := rapid.SampledFrom([]string{"best-fit", "worst-fit", "first-fit", "least-allocated"}).Draw(t, "policy")
		admission := rapid.SampledFrom([]string{"use", "request"}).Draw(t, "admission")
		by := map[string]cluster.Check{"use": cluster.ByUse, "request": cluster.ByRequest}[admission]
		k := des.New()
		c := cluster.New(cluster.Default(), k)
		v := c.View()
		s, err := central.New(system.Env{Clock: k, View: v, Acts: c, Rand: func(name string) *rng.Stream { return rng.New(1, name) }},
			json.RawMessage(fmt.Sprintf(`{"policy":%q,"admission":%q}`, policy, admission)))
		if err != nil {
			t.Fatal(err)
		}
		hear := func() {
			if err := c.Deliver(s.On); err != nil {
				t.Fatal(err)
			}
		}
		size := rapid.Map(rapid.IntRange(2, 20), func(i int) unit.Share { return unit.Share(i) * 50_000 })
		for i := range rapid.IntRange(1, 8).Draw(t, "nodes") {
			c.Join(uint64(i), workload.Node{Capacity: unit.Vec{size.Draw(t, "cpu"), size.Draw(t, "memory")}, Rack: -1, Site: -1, Attributes: []workload.Attribute{{Value: int64(i % 2)}}})
		}
		hear()
		kinds := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) workload.Task {
			w := workload.Task{Request: unit.Vec{size.Draw(t, "cpu") / 3, size.Draw(t, "memory") / 3}, Usage: workload.UsageModel{Mean: [unit.Resources]uint16{30_000, 30_000}, Swing: [unit.Resources]uint16{50_000, 50_000}}}
			if rapid.IntRange(0, 3).Draw(t, "picky") == 0 {
				w.Constraints = []workload.Constraint{{Value: 1}}
			}
			return w
		}), 1, 3).Draw(t, "kinds")
		var tasks []unit.TaskID
		for i := range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 7).Draw(t, "act") {
			case 0:
				if len(tasks) > 0 {
					c.End(rapid.SampledFrom(tasks).Draw(t, "ends"), workload.Finished)
				}
			case 1:
				n := unit.NodeID(rapid.IntRange(0, v.Nodes()-1).Draw(t, "node"))
				c.Resize(n, unit.Vec{size.Draw(t, "cpu"), size.Draw(t, "memory")})
			case 2:
				for until := k.Now() + workload.UsageWindow; k.Step(until); {
					hear()
				}
			default:
				w := rapid.SampledFrom(kinds).Draw(t, "kind")
				id := c.Submit(workload.Key{Index: uint32(i)}, &w)
				tasks = append(tasks, id)
				want, best := unit.NoNode, math.Inf(-1)
				for n := range unit.NodeID(v.Nodes()) {
					if score := scores[policy](v, n, w.Request); v.Fits(id, n, by) == nil && score > best {
						want, best = n, score
					}
				}
				hear()
				if got, _ := v.Task(id); got.Node != want {
					t.Fatalf("%s by %s puts a task onto node %d, a scan onto %d", policy, admission, got.Node, want)
				}
			}
			hear()
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
		`{"policy":"tetris"}`:  `settings: policy is "tetris": choose one of best-fit, worst-fit, first-fit, random, least-allocated, replay`,
		`{"admission":"luck"}`: `settings: admission is "luck": choose one of use, request`,
		`{"polcy":"random"}`:   `settings: unknown field "polcy"`,
	} {
		_, err := central.New(system.Env{Rand: func(name string) *rng.Stream { return rng.New(1, name) }}, json.RawMessage(raw))
		if err == nil || err.Error() != want {
			t.Errorf("%s gives %v, want %s", raw, err, want)
		}
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
		s, err := central.New(system.Env{Clock: k, View: c.View(), Acts: c, Rand: func(name string) *rng.Stream { return rng.New(1, name) }, Note: func(system.Note) {}},
			json.RawMessage(fmt.Sprintf(`{"policy":%q}`, rapid.SampledFrom([]string{"best-fit", "worst-fit", "first-fit", "least-allocated", "random"}).Draw(t, "policy"))))
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
