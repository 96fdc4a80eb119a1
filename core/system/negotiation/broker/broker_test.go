package broker_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/system/negotiation/broker"
	"parley/core/system/negotiation/score"
	"parley/core/unit"
	"parley/core/workload"
)

// TestWithin: of a node's resource the largest share is promised that is not above the
// limit in percent, though shares are whole and percents are not.
func TestWithin(t *testing.T) {
	random := rng.New(1, "within")
	for range 20_000 {
		whole := 1 + random.Intn(2_000_000)
		if random.Intn(2) == 0 {
			whole = 1 + random.Intn(500)
		}
		limit := []float64{90, 100, 80, 33.3, 0.1, 99.99999999}[random.Intn(6)]
		per := 100 / float64(whole)
		s := broker.Within(limit, per)
		if s < 0 || float64(float64(s)*per) > limit || float64(float64(s+1)*per) <= limit {
			t.Fatalf("%d of %d within %v %%", s, whole, limit)
		}
	}
	for _, c := range []struct {
		limit, per float64
		want       unit.Share
	}{{90, math.Inf(1), 0}, {90, 1e-9, math.MaxInt32}, {90, 90, 1}, {90, 90.1, 0}, {0, 1, 0}} {
		if got := broker.Within(c.limit, c.per); got != c.want {
			t.Errorf("%v %% of units of %v %%: %d, want %d", c.limit, c.per, got, c.want)
		}
	}
}

// TestReports: a node is idle without tasks and without tasks on their way, and what it
// tells is what the cluster counts.
func TestReports(t *testing.T) {
	clock := des.New()
	c := cluster.New(cluster.Default(), clock)
	for m := range 3 {
		c.Join(uint64(m), workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole / 2}, Rack: -1, Site: -1})
	}
	var usage workload.UsageModel
	for r := range usage.Mean {
		usage.Mean[r] = workload.Ratio(1)
	}
	task := c.Submit(workload.Key{Job: 1}, &workload.Task{Request: unit.Vec{200_000, 100_000}, Class: workload.Production, Lifetime: unit.Hour, Image: unit.GB, Usage: usage})
	if err := c.Place(task, 0, cluster.ByTotal); err != nil {
		t.Fatal(err)
	}
	machines := broker.NewMachines(90)
	b := broker.New(machines, rng.New(1, "reports"))
	b.Grow(3)
	view := c.View()
	want := func(n unit.NodeID, at unit.Time, idle bool, used, byProduction unit.Vec) {
		t.Helper()
		b.Learn(n, view, at)
		if seen, is := b.LastReport(n); seen != at || is != idle {
			t.Errorf("node %d at %v: heard at %v, idle %v", n, at, seen, is)
		}
		told := b.ReportOf(n)
		if u, p, whole := machines.Figures(&told); u != used || p != byProduction || whole != (unit.Vec{unit.Whole, unit.Whole / 2}) || told.Node() != n {
			t.Errorf("node %d at %v: %v used, %v promised of %v", n, at, u, p, whole)
		}
		if own := machines.Report(n, view, at); own != told {
			t.Errorf("node %d tells %+v, the broker %+v", n, own, told)
		}
	}
	want(0, 5, false, view.Used(0), view.Production(0))
	want(1, 5, true, unit.Vec{}, unit.Vec{})
	if view.Production(0) == (unit.Vec{}) || view.Used(0) == (unit.Vec{}) {
		t.Fatal("the task uses nothing")
	}
	if err := c.Migrate(task, 1, cluster.ByTotal); err != nil {
		t.Fatal(err)
	}
	if view.Incoming(1) != 1 || view.Count(1) != 0 {
		t.Fatal("the task is not on its way")
	}
	want(1, 6, false, view.Used(1), view.Production(1))
	want(2, 6, true, unit.Vec{}, unit.Vec{})
	// An older report than the known one is ignored, whoever sends it.
	for _, one := range []struct {
		seen, want unit.Time
	}{{4, 6}, {6, 6}, {7, 7}} {
		report := machines.Report(2, view, one.seen)
		b.Accept(&report, 8)
		if seen, _ := b.LastReport(2); seen != one.want {
			t.Errorf("told of %v it has heard at %v", one.seen, seen)
		}
	}
	b.Crash()
	b.Learn(2, view, 9)
	if seen, _ := b.LastReport(2); seen != 7 || !b.Down() {
		t.Errorf("a broker that is down heard at %v", seen)
	}
	b.Restart()
	if seen, idle := b.LastReport(2); seen != -1 || idle || b.Down() {
		t.Errorf("restarted it knows of %v", seen)
	}
}

// TestBook: what a broker assigned counts at once, up to what can be counted.
func TestBook(t *testing.T) {
	machines := broker.NewMachines(90)
	b := broker.New(machines, rng.New(1, "book"))
	b.Grow(1)
	broker.Told(b, 0, broker.Belief{Capacity: unit.Vec{unit.Whole, unit.Whole}, Used: unit.Vec{100, 200}, Promised: unit.Vec{30, 40}})
	for i := range unit.Share(3) {
		b.Book(0, &broker.Demand{Need: unit.Vec{7, 11}, Promise: unit.Vec{3, 5}})
		told := b.ReportOf(0)
		used, byProduction, _ := machines.Figures(&told)
		if used != (unit.Vec{107 + 7*i, 211 + 11*i}) || byProduction != (unit.Vec{33 + 3*i, 45 + 5*i}) {
			t.Errorf("after %d: %v used, %v promised", i+1, used, byProduction)
		}
		if _, idle := b.LastReport(0); idle {
			t.Error("it is believed to be idle")
		}
	}
	most := unit.Vec{broker.MaxUsed, broker.MaxUsed}
	b.Book(0, &broker.Demand{Need: most, Promise: most})
	told := b.ReportOf(0)
	used, byProduction, _ := machines.Figures(&told)
	for r := range 2 {
		if used[r] != broker.MaxUsed || byProduction[r] < broker.MaxUsed {
			t.Errorf("%v used, %v promised", used, byProduction)
		}
	}
}

// TestBlacklist: a banned node is not believed in until its time is over, whatever it says.
func TestBlacklist(t *testing.T) {
	c := cluster.New(cluster.Default(), des.New())
	c.Join(0, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1})
	b := broker.New(broker.NewMachines(90), rng.New(1, "ban"), broker.Blacklist())
	b.Grow(1)
	heard := func(now, want unit.Time) {
		t.Helper()
		b.Learn(0, c.View(), now)
		if seen, _ := b.LastReport(0); seen != want {
			t.Errorf("at %v it heard at %v, want %v", now, seen, want)
		}
	}
	heard(1, 1)
	b.Ban(0, 10)
	if found := b.Recommend(seek(10, 1)); len(found.Fits) != 0 {
		t.Errorf("a banned node is recommended: %+v", found)
	}
	heard(9, -1)
	heard(10, 10)
	heard(11, 11)
	if found := b.Recommend(seek(10, 1)); len(found.Fits) != 1 {
		t.Errorf("a node whose time is over is not recommended: %+v", found)
	}
}

// seek looks for nodes of some room.
func seek(limit, candidates int) *broker.Query {
	scorer := score.SIAS().Scorer(90)
	return &broker.Query{
		Demand: broker.Demand{Need: unit.Vec{50_000, 60_000}}, Scorer: &scorer, Limit: limit, Candidates: candidates, Not: unit.NoNode,
	}
}

// TestIdleList: the list has idle nodes up to its length, those that came first, and
// loses nodes that are busy or long silent; a search scores each of them once, however
// few others it looks at. A model keeps the list as a set.
func TestIdleList(t *testing.T) {
	const nodes, largest = 12, 4
	random := rng.New(3, "idle")
	b := broker.New(broker.NewMachines(90), rng.New(4, "idle"), broker.KeepIdle(largest))
	b.Grow(nodes)
	listed, idle, seen := map[unit.NodeID]bool{}, map[unit.NodeID]bool{}, map[unit.NodeID]unit.Time{}
	for n := range unit.NodeID(nodes) {
		seen[n] = -1
	}
	now, full := unit.Time(0), 0
	for step := range 4000 {
		now++
		n := unit.NodeID(random.Intn(nodes))
		switch k := random.Intn(20); {
		case k < 13:
			belief := broker.Belief{Capacity: unit.Vec{unit.Whole, unit.Whole}, Tasks: random.Intn(2), Seen: now}
			if belief.Tasks > 0 {
				belief.Used = unit.Vec{1000, 1000}
			}
			broker.Told(b, n, belief)
			idle[n], seen[n] = belief.Tasks == 0, now
		case k < 15:
			if seen[n] < 0 {
				continue
			}
			b.Book(n, &broker.Demand{Need: unit.Vec{1, 1}})
			idle[n] = false
		case k == 15:
			if step%8 == 0 {
				b.Restart()
				clear(listed)
				clear(idle)
				for n := range seen {
					seen[n] = -1
				}
			}
			continue
		default:
			q := seek(random.Intn(3), 0)
			q.Weighted = true // all fits, in the order of the search
			q.Not = unit.NodeID(random.Intn(nodes+4) - 1)
			if q.Not >= nodes {
				q.Not = unit.NoNode
			}
			if random.Intn(3) == 0 {
				q.AntiAffinity = func(n unit.NodeID) bool { return n%3 != 0 }
			}
			q.Scorer.IdleFirst = random.Intn(2) == 0
			q.Oldest = max(0, now-unit.Time(random.Intn(60)))
			q.Candidates = nodes
			want := map[unit.NodeID]bool{}
			for n := range listed {
				if seen[n] < q.Oldest {
					delete(listed, n)
				} else if n != q.Not && (q.AntiAffinity == nil || n%3 != 0) {
					want[n] = true
				}
			}
			for n := range unit.NodeID(nodes) { // what is long silent is believed no more
				if seen[n] < q.Oldest {
					idle[n] = false
				}
			}
			found := b.Recommend(q)
			got := map[unit.NodeID]bool{}
			for _, f := range found.Fits {
				if got[f.Node] {
					t.Fatalf("step %d: node %d is scored twice", step, f.Node)
				}
				got[f.Node] = true
				plain := q.Scorer.Score(score.Of(q.Need, unit.Vec{unit.Whole, unit.Whole}))
				if want[f.Node] && f.Score != map[bool]float64{true: score.Perfect, false: plain}[q.Scorer.IdleFirst] {
					t.Fatalf("step %d: idle node %d has score %v", step, f.Node, f.Score)
				}
			}
			for n := range want {
				if !got[n] {
					t.Fatalf("step %d: idle node %d is listed and was not scored: %v", step, n, found.Fits)
				}
			}
			if more := len(got) - len(want); more > q.Limit {
				t.Fatalf("step %d: %d more nodes were scored, of at most %d", step, more, q.Limit)
			}
			continue
		}
		switch {
		case !idle[n]:
			delete(listed, n)
		case !listed[n] && len(listed) < largest:
			listed[n] = true
		}
		if len(listed) == largest {
			full++
		}
		if broker.LengthOfIdle(b) != len(listed) {
			t.Fatalf("step %d: %d nodes are listed, want %v", step, broker.LengthOfIdle(b), listed)
		}
	}
	if full < 100 {
		t.Errorf("the list was full %d times only", full)
	}
	// So do the limits of load, also where any idle node is as good as can be.
	b.Restart()
	broker.Told(b, 0, broker.Belief{Capacity: unit.Vec{unit.Whole, unit.Whole}, Seen: now})
	for need, fits := range map[unit.Share]int{900_000: 1, 900_001: 0} {
		q := seek(0, 1)
		q.Scorer.IdleFirst, q.Need = true, unit.Vec{need, 700_000}
		if found := b.Recommend(q); len(found.Fits) != fits {
			t.Errorf("a need of %d: %+v", need, found)
		}
	}
	// And promises hold.
	b.Restart()
	broker.Told(b, 0, broker.Belief{Capacity: unit.Vec{unit.Whole, unit.Whole}, Promised: unit.Vec{850_000, 0}, Seen: now})
	for promise, fits := range map[unit.Share]int{50_000: 1, 50_001: 0} {
		q := seek(0, 1)
		q.Headroom, q.Promise = true, unit.Vec{promise, 1}
		if found := b.Recommend(q); len(found.Fits) != fits {
			t.Errorf("a promise of %d: %+v", promise, found)
		}
	}
}

// TestRecommend: gains count before plain scores, and these where nobody gains; who knows
// where nodes are changes scores before they are compared; nodes for a forced placement
// come along if they are asked for or others are too few.
func TestRecommend(t *testing.T) {
	fill := func(used ...unit.Vec) *broker.Broker {
		b := broker.New(broker.NewMachines(90), rng.New(1, "recommend"))
		b.Grow(len(used))
		for n, u := range used {
			broker.Told(b, unit.NodeID(n), broker.Belief{Capacity: unit.Vec{unit.Whole, unit.Whole}, Used: u, Tasks: 1})
		}
		return b
	}
	low, high, full := unit.Vec{100_000, 100_000}, unit.Vec{700_000, 700_000}, unit.Vec{900_000, 900_000}
	scorer := score.Form{Peak: 50, Level: 0.5, Width: 1e9}.Scorer(90) // a peak amid the loads
	gains, losses := []unit.Vec{}, []unit.Vec{}
	rate := func(used unit.Vec) float64 { return scorer.Score(score.Of(used, unit.Vec{unit.Whole, unit.Whole})) }
	for cpu := unit.Share(0); cpu <= 800_000; cpu += 50_000 {
		for memory := unit.Share(0); memory <= 800_000; memory += 50_000 {
			before := unit.Vec{cpu, memory}
			switch after := rate(before.Add(seek(0, 0).Need)); {
			case after > rate(before):
				gains = append(gains, before)
			case after > 0:
				losses = append(losses, before)
			}
		}
	}
	if len(gains) < 5 || len(losses) < 5 {
		t.Fatalf("%v gain, %v lose: nothing to compare", gains, losses)
	}
	gains, losses = gains[:5], losses[:5]
	sought := func(gain bool) *broker.Query {
		q, s := seek(100, 32), scorer
		s.Gain = gain
		q.Scorer = &s
		return q
	}
	if found := fill(append(slices.Clone(losses), gains...)...).Recommend(sought(true)); len(found.Fits) != 5 {
		t.Errorf("five nodes gain, recommended are %+v", found)
	}
	plain := fill(losses...).Recommend(sought(false)).Fits
	if found := fill(losses...).Recommend(sought(true)).Fits; len(found) != 5 || !reflect.DeepEqual(scores2(found), scores2(plain)) {
		t.Errorf("nobody gains, recommended are %+v, by plain scores %+v", found, plain)
	}
	// Near turns the order round.
	b := fill(low, high, unit.Vec{500_000, 450_000}, unit.Vec{300_000, 350_000})
	byScore := slices.Clone(b.Recommend(seek(100, 4)).Fits)
	if len(byScore) != 4 || !slices.IsSortedFunc(byScore, func(x, y broker.Scored) int { return int(math.Copysign(1, y.Score-x.Score)) }) {
		t.Fatalf("recommended are %+v", byScore)
	}
	for k := range 5 {
		q := seek(100, k)
		heard := 0
		q.Proximity = func(fits []broker.Scored) {
			heard = len(fits)
			for i := range fits {
				fits[i].Score = 100 - fits[i].Score
			}
		}
		found := b.Recommend(q)
		for i, f := range found.Fits {
			if want := byScore[3-i]; f.Node != want.Node {
				t.Errorf("of %d the %d. is %+v, want node %d", k, i, f, want.Node)
			}
		}
		if heard != 4 || len(found.Fits) != k {
			t.Errorf("%d of %d fits were changed, %d recommended", heard, k, len(found.Fits))
		}
	}
	// Force.
	b = fill(low, high, full, full)
	for _, c := range []struct {
		candidates int
		force      bool
		forced     int
	}{{2, false, 0}, {2, true, 2}, {3, false, 2}, {1, false, 0}, {1, true, 2}} {
		q := seek(100, c.candidates)
		q.Force = c.force
		if found := b.Recommend(q); len(found.Forced) != c.forced || len(found.Fits) != min(2, c.candidates) || found.Room != c.forced {
			t.Errorf("%+v: %+v", c, found)
		}
	}
	// What comes to just the whole node has room, and no score.
	q := seek(100, 4)
	q.Need = unit.Vec{100_000, 100_000}
	if found := b.Recommend(q); found.Room != 2 {
		t.Errorf("%+v", found)
	}
	q.Need = unit.Vec{100_001, 100_000}
	if found := b.Recommend(q); found.Room != 0 || len(found.Forced) != 2 {
		t.Errorf("%+v", found)
	}
}

func scores2(found []broker.Scored) (s []float64) {
	for _, f := range found {
		s = append(s, f.Score)
	}
	return s
}

// TestKeepAll: of so many scores the highest are kept, however many are asked for and
// however many come at once.
func TestKeepAll(t *testing.T) {
	random := rng.New(1, "keep")
	for n := range 260 {
		scores := make([]float64, n)
		for i := range scores {
			scores[i] = float64(1+random.Intn(80)) / 8
		}
		want := make([]int, n)
		for i := range want {
			want[i] = i
		}
		slices.SortStableFunc(want, func(a, b int) int { return int(8*scores[b]) - int(8*scores[a]) })
		for _, k := range []int{1, 2, 15, 32} {
			if got := broker.Keep(scores, k); !slices.Equal(got, want[:min(k, n)]) {
				t.Fatalf("%d of %v are %v, want %v", k, scores, got, want[:min(k, n)])
			}
		}
	}
}

// TestSearchEveryWay: with and without an index, constraints, promises and others limits,
// a search finds what a naive one finds, on clusters that are drawn once and for all.
func TestSearchEveryWay(t *testing.T) {
	random := rng.New(2, "ways")
	for draw := range 12 {
		c := cluster.New(cluster.Default(), des.New())
		kinds := []unit.Vec{{500_000, 500_000}, {1_000_000, 250_000}, {333_333, 700_001}}
		if draw%4 == 3 {
			kinds = append(kinds, unit.Vec{0, 500_000})
		}
		beliefs := make([]broker.Belief, []int{1, 7, 40, 200}[draw%4]+random.Intn(5))
		for n := range beliefs {
			one := &beliefs[n]
			one.Capacity = kinds[random.Intn(len(kinds))]
			for r := range one.Capacity {
				one.Used[r] = unit.Share(50_000 * random.Intn(10))
				one.Promised[r] = unit.Share(50_000 * random.Intn(10))
			}
			one.Tasks, one.Seen = random.Intn(4), unit.Time(random.Intn(12)-1)
			node := workload.Node{Capacity: one.Capacity, Rack: -1, Site: -1}
			if n%40 == 3 {
				node.Attributes = []workload.Attribute{{Name: 0, Value: 2}}
			}
			c.Join(uint64(n), node)
		}
		rare := c.Submit(workload.Key{Job: 1}, &workload.Task{Constraints: []workload.Constraint{{Name: 0, Op: workload.Equal, Value: 2}}})
		usual := c.Submit(workload.Key{Job: 2}, &workload.Task{Constraints: []workload.Constraint{{Name: 0, Op: workload.NotEqual, Value: 2}}})
		for way := range 256 {
			q := broker.Sought{
				Scorer: score.SIAS().Scorer(limit), Oldest: unit.Time(way % 3), Limit: []int{1, 20, 700}[way%3], Most: []int{0, 2, 15}[(way/3)%3],
				Not: unit.NoNode, Task: []unit.TaskID{unit.NoTask, rare, usual}[random.Intn(3)], Indexed: way&1 != 0, Headroom: way&2 != 0, Loose: way&4 != 0,
			}
			q.Scorer.IdleFirst = way&8 != 0
			q.Scorer.Gain = way&16 != 0 && way&32 != 0
			for r := range q.Need {
				q.Need[r] = unit.Share(50_000 * random.Intn(8))
				if way&64 != 0 {
					q.Promise[r] = unit.Share(50_000 * random.Intn(6))
				}
			}
			if random.Intn(4) == 0 {
				q.Not = unit.NodeID(random.Intn(len(beliefs)))
			}
			if random.Intn(4) == 0 {
				q.Apart = func(n unit.NodeID) bool { return n%3 != 1 }
			}
			got := broker.Search(beliefs, q, c.View(), uint64(way))
			want := naive(beliefs, q, c.View(), got.Order)
			if !slices.Equal(got.Nodes, want.Nodes) || !slices.Equal(got.Scores, want.Scores) || got.Room != want.Room || len(got.Forced) != len(want.Forced) {
				t.Fatalf("%d, %+v: found %v %v, want %v %v\nforced %v, with room %d, want %v, %d", draw, q, got.Nodes, got.Scores, want.Nodes, want.Scores, got.Forced, got.Room, want.Forced, want.Room)
			}
		}
	}
}
