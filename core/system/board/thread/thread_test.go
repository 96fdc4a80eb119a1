package thread_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/graph"
	"parley/core/system/board/posted"
	"parley/core/system/board/thread"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/testkit/systemtest"
	"parley/core/unit"
	"parley/core/workload"
)

// small draws a posted graph of a few vertices of which some are taken, and a
// resource that knows some of its types. Amounts are small whole seconds, so that
// equal lengths are frequent.
func small(t *rapid.T, safely bool) (*posted.Task, *thread.Resource) {
	n := rapid.IntRange(1, 8).Draw(t, "vertices")
	vertices := make([]graph.Vertex, n)
	for v := range vertices {
		vertices[v] = graph.Vertex{Name: fmt.Sprint(v), Type: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "type"), Work: float64(rapid.IntRange(0, 5).Draw(t, "work"))}
	}
	var arcs []graph.Arc
	for v := 1; v < n; v++ {
		for u := range v {
			if rapid.IntRange(0, 2).Draw(t, "arc") == 0 {
				arcs = append(arcs, graph.Arc{From: int32(u), To: int32(v), Bytes: float64(rapid.IntRange(0, 4).Draw(t, "bytes"))})
			}
		}
	}
	g, err := graph.New(vertices, arcs)
	if err != nil {
		t.Fatal(err)
	}
	var home []workload.GraphArc
	for v := range n {
		if len(g.Out(v)) == 0 || rapid.IntRange(0, 5).Draw(t, "home") == 0 {
			home = append(home, workload.GraphArc{From: int32(v), To: workload.Home, Bytes: unit.Bytes(rapid.IntRange(0, 2).Draw(t, "result"))})
		}
	}
	subtasks, err := workload.NewSubtasks(g, kindOf, home)
	if err != nil {
		t.Fatal(err)
	}
	task := posted.New(subtasks, unit.Time(rapid.IntRange(0, 30).Draw(t, "deadline"))*unit.Second)
	for v := n - 1; v >= 0; v-- {
		if rapid.IntRange(0, 2).Draw(t, "take") == 0 && (!safely || task.Waits(int32(v)) == 0) {
			start := unit.Time(rapid.IntRange(0, 30).Draw(t, "start")) * unit.Second
			task.Take(int32(rapid.IntRange(0, 2).Draw(t, "agent")), []int32{int32(v)}, []unit.Time{start})
		}
	}
	for v := range int32(n) {
		if task.State(v) == posted.Taken && rapid.Bool().Draw(t, "done") {
			task.Finish(v)
		}
	}
	if rapid.Bool().Draw(t, "estimate") {
		for range n {
			task.Estimate = append(task.Estimate, unit.Time(rapid.IntRange(0, 30).Draw(t, "estimated"))*unit.Second)
		}
	}
	if err := task.Audit(); err != nil {
		t.Fatal(err)
	}
	r := &thread.Resource{Worker: workload.Worker{
		Speeds: []unit.Work{unit.WorkUnit, 2 * unit.WorkUnit}, Channel: unit.Bytes(rapid.IntRange(0, 2).Draw(t, "channel")),
		CommLatency: unit.Time(rapid.IntRange(0, 1).Draw(t, "latency")) * unit.Second,
	}}
	return task, r
}

// kindOf numbers the types a, b, c.
func kindOf(name string) workload.SubtaskType { return workload.SubtaskType(name[0] - 'a') }

// arcs returns the arcs that leave a vertex.
func arcs(t *posted.Task, v int32) (all []workload.GraphArc) {
	first, end := t.Graph.Out(v)
	for a := first; a < end; a++ {
		all = append(all, t.Graph.Arc(a))
	}
	return all
}

// candidate is a thread of the oracle.
type candidate struct {
	path   []int32
	length unit.Time
	start  unit.Time
}

// enumerate is the oracle: every path of open vertices that the resource knows, by
// depth-first search, kept where the rule's definition makes it a thread.
func enumerate(t *posted.Task, r *thread.Resource, rule thread.Rule) (all []candidate) {
	var path []int32
	var walk func(v int32)
	walk = func(v int32) {
		if _, can := r.Time(t, v); !can || t.State(v) != posted.Open {
			return
		}
		path = append(path, v)
		if c, is := judge(t, r, rule, path); is {
			all = append(all, c)
		}
		for _, a := range arcs(t, v) {
			if a.To != workload.Home {
				walk(a.To)
			}
		}
		path = path[:len(path)-1]
	}
	for v := range t.Graph.Len() {
		walk(int32(v))
	}
	return all
}

// judge says whether a path is a thread, and computes formulas (1) and (2) term by
// term.
func judge(t *posted.Task, r *thread.Resource, rule thread.Rule, path []int32) (c candidate, is bool) {
	if rule == thread.Ready {
		return judgeReady(t, r, path)
	}
	sends := func(v int32) (sum unit.Time) {
		for _, a := range arcs(t, v) {
			if a.To == workload.Home || t.State(a.To) == posted.Taken && t.Agent(a.To) != int32(r.Node) {
				sum += r.Worker.CommLatency
				if r.Worker.Channel > 0 {
					sum += unit.Time(a.Bytes) * unit.Second / unit.Time(r.Worker.Channel)
				}
			}
		}
		return sum
	}
	last := path[len(path)-1]
	needed, labelled := t.Due(last)
	if !labelled && rule == thread.Literal {
		return c, false
	}
	if rule == thread.Safe {
		for _, v := range path {
			for _, a := range arcs(t, v) {
				if a.To != workload.Home && t.State(a.To) == posted.Open && !slices.Contains(path, a.To) {
					return c, false
				}
			}
		}
	}
	c.path = slices.Clone(path)
	if !labelled {
		needed = unit.Forever
	}
	c.start = needed - sends(last)
	c.length = sends(last)
	for d := len(path) - 1; d >= 0; d-- {
		took, _ := r.Time(t, path[d])
		c.length += took
		if at, has := t.Due(path[d]); has && rule == thread.Safe {
			c.start = min(c.start, at-sends(path[d]))
		}
		c.start -= took
	}
	return c, true
}

// judgeReady is judge for the rule that is ours.
func judgeReady(t *posted.Task, r *thread.Resource, path []int32) (c candidate, is bool) {
	c = candidate{path: slices.Clone(path), start: unit.Forever}
	for i, v := range path {
		for _, a := range t.Graph.In(v) {
			if from := t.Graph.Arc(a).From; from != workload.Home && t.State(from) != posted.Done && !slices.Contains(path[:i], from) {
				return c, false
			}
		}
	}
	for d := len(path) - 1; d >= 0; d-- {
		v := path[d]
		latest, sends := unit.Forever, unit.Time(0)
		if len(arcs(t, v)) == 0 {
			latest = t.Deadline
		}
		for _, a := range arcs(t, v) {
			if d < len(path)-1 && a.To == path[d+1] || a.To != workload.Home && t.State(a.To) == posted.Done {
				continue
			}
			sends += r.Worker.CommLatency
			if r.Worker.Channel > 0 {
				sends += unit.Time(a.Bytes) * unit.Second / unit.Time(r.Worker.Channel)
			}
			switch {
			case a.To == workload.Home:
				latest = min(latest, t.Deadline)
			case t.State(a.To) == posted.Taken:
				latest = min(latest, t.Start(a.To))
			case t.Estimate != nil:
				latest = min(latest, t.Estimate[a.To])
			}
		}
		took, _ := r.Time(t, v)
		if latest < unit.Forever {
			c.start = min(c.start, latest-sends)
		}
		c.start -= took
		c.length += took
		if d == len(path)-1 {
			c.length += sends
		}
	}
	return c, true
}

// choose is steps 7 to 12 on the oracle's list.
func choose(all []candidate, now unit.Time, dropVertices bool) (c candidate, ok bool) {
	slices.SortStableFunc(all, func(a, b candidate) int { return int(b.length - a.length) })
	dropped := map[int32]bool{}
	for _, c := range all {
		if dropVertices && slices.ContainsFunc(c.path, func(v int32) bool { return dropped[v] }) {
			continue
		}
		if c.start >= now {
			return c, true
		}
		for _, v := range c.path {
			dropped[v] = true
		}
	}
	return c, false
}

// TestFindsWhatEnumerationFinds compares the search with the enumeration of all
// paths.
func TestFindsWhatEnumerationFinds(t *testing.T) {
	systemtest.Cases(t, 20_000)
	for _, rule := range []thread.Rule{thread.Safe, thread.Literal, thread.Ready} {
		t.Run(fmt.Sprint(rule), func(t *testing.T) {
			search := thread.Search{Rule: rule, Looks: 1 << 20}
			rapid.Check(t, func(t *rapid.T) {
				task, r := small(t, rapid.Bool().Draw(t, "safely"))
				now := unit.Time(rapid.IntRange(0, 30).Draw(t, "now")) * unit.Second
				want, exists := choose(enumerate(task, r, rule), now, false)
				got, found := search.Find(task, r, now)
				if found != exists {
					t.Fatalf("found %v, but enumeration %v %v", found, exists, want)
				}
				if !found {
					return
				}
				own, is := judge(task, r, rule, got.Vertices)
				if !is || own.length != want.length || got.Length != own.length || got.Starts[0] != own.start || own.start < now {
					t.Fatalf("found %+v, a thread: %v, of %v from %v at %v; enumeration has %+v", *got, is, own.length, own.start, now, want)
				}
				if rule != thread.Literal {
					end := func(path []int32) int32 { return path[0] }
					if rule == thread.Ready {
						end = func(path []int32) int32 { return path[len(path)-1] }
					}
					for _, c := range enumerate(task, r, rule) {
						if c.length == own.length && c.start >= now && end(c.path) < end(got.Vertices) {
							t.Fatalf("found %v, but %v is as long", got.Vertices, c.path)
						}
					}
				}
				if got.Due != neededBy(task, got.Vertices) {
					t.Fatalf("%v is needed at %v, not %v", got.Vertices, neededBy(task, got.Vertices), got.Due)
				}
				for i, v := range got.Vertices[:len(got.Vertices)-1] {
					if !slices.ContainsFunc(arcs(task, v), func(a workload.GraphArc) bool { return a.To == got.Vertices[i+1] }) {
						t.Fatalf("no arc leads from vertex %d of %v", i, got.Vertices)
					}
				}
			})
		})
	}
}

// TestDroppingVertices compares step 10 to the letter. If several threads are
// equally long the choice among them changes what is left, so such graphs are left
// out.
func TestDroppingVertices(t *testing.T) {
	systemtest.Cases(t, 20_000)
	for _, rule := range []thread.Rule{thread.Safe, thread.Literal} {
		t.Run(fmt.Sprint(rule), func(t *testing.T) {
			search := thread.Search{Rule: rule, DropVertices: true, Looks: 1 << 20}
			rapid.Check(t, func(t *rapid.T) {
				task, r := small(t, true)
				now := unit.Time(rapid.IntRange(0, 30).Draw(t, "now")) * unit.Second
				all := enumerate(task, r, rule)
				lengths := map[unit.Time]bool{}
				for _, c := range all {
					if lengths[c.length] {
						return
					}
					lengths[c.length] = true
				}
				want, exists := choose(all, now, true)
				got, found := search.Find(task, r, now)
				if found != exists || found && !slices.Equal(got.Vertices, want.path) {
					t.Fatalf("found %v %v, enumeration %v %v", found, got, exists, want)
				}
			})
		})
	}
}

// neededBy is when somebody needs the last result of a path.
func neededBy(t *posted.Task, path []int32) unit.Time {
	at, _ := t.Due(path[len(path)-1])
	return at
}

// grownBack is the oracle of what is grown back from the ends: before the first vertex
// comes, as long as one can, the longest that still begins in time, of equal ones the
// lowest; of the ends the one with the longest thread counts, of equal ones the lowest.
func grownBack(t *posted.Task, r *thread.Resource, now unit.Time) (best []int32) {
	inTime := func(path []int32) (unit.Time, bool) {
		c, is := judge(t, r, thread.Literal, path)
		if _, can := r.Time(t, path[0]); !can || t.State(path[0]) != posted.Open {
			return 0, false
		}
		return c.length, is && neededBy(t, path)-c.length >= now
	}
	longest := unit.Time(-1)
	for end := range int32(t.Graph.Len()) {
		path := []int32{end}
		length, is := inTime(path)
		for is {
			var next []int32
			for v := range path[0] {
				if !slices.ContainsFunc(arcs(t, v), func(a workload.GraphArc) bool { return a.To == path[0] }) {
					continue
				}
				longer := append([]int32{v}, path...)
				if l, can := inTime(longer); can && (next == nil || l > length) {
					next, length = longer, l
				}
			}
			if next == nil {
				break
			}
			path = next
		}
		if is && length > longest {
			best, longest = path, length
		}
	}
	return best
}

// TestLooks: a look is a candidate that has a way of its own. By the rule Safe the first
// way on from a candidate is the same look, by the rule Ready each vertex is one, and by
// the rule Literal each path. A search looks at no more than it may.
func TestLooks(t *testing.T) {
	graphs := map[string][][2]int32{
		"one":        nil,
		"chain":      {{0, 1}, {1, 2}, {2, 3}},
		"fork":       {{0, 1}, {0, 2}, {0, 3}},
		"join":       {{0, 3}, {1, 3}, {2, 3}},
		"diamond":    {{0, 1}, {0, 2}, {1, 3}, {2, 3}},
		"pairs":      {{0, 1}, {2, 3}},
		"chain+over": {{0, 1}, {1, 2}, {0, 2}},
	}
	for _, c := range []struct {
		name string
		rule thread.Rule
		n    int
		seen int
		path int // vertices of the thread that is found
	}{
		{"one", thread.Safe, 1, 1, 1},
		{"one", thread.Ready, 1, 1, 1},
		{"chain", thread.Safe, 4, 1, 4},
		{"chain", thread.Ready, 4, 4, 4},
		{"chain", thread.Literal, 4, 1, 4},
		{"fork", thread.Safe, 4, 3, 1}, // its first vertex would need all three in one thread
		{"fork", thread.Ready, 4, 4, 2},
		{"join", thread.Safe, 4, 3, 2},
		{"join", thread.Ready, 4, 3, 1},
		{"diamond", thread.Safe, 4, 2, 2},
		{"diamond", thread.Ready, 4, 3, 2},
		{"pairs", thread.Safe, 4, 2, 2},
		{"pairs", thread.Ready, 4, 4, 2},
		{"chain+over", thread.Safe, 3, 1, 3},
		{"chain+over", thread.Ready, 3, 3, 3},
	} {
		vertices := make([]graph.Vertex, c.n)
		for v := range vertices {
			vertices[v] = graph.Vertex{Name: fmt.Sprint(v), Type: "a", Work: 1}
		}
		var own []graph.Arc
		for _, a := range graphs[c.name] {
			own = append(own, graph.Arc{From: a[0], To: a[1]})
		}
		g, err := graph.New(vertices, own)
		if err != nil {
			t.Fatal(err)
		}
		subtasks, err := workload.NewSubtasks(g, kindOf, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := &thread.Resource{Worker: workload.Worker{Speed: unit.WorkUnit, Channel: 1}}
		search := thread.Search{Rule: c.rule}
		task := posted.New(subtasks, unit.Hour)
		if found, ok := search.Find(task, r, 0); !ok || search.Seen() != c.seen || len(found.Vertices) != c.path {
			t.Errorf("%s, rule %d: %+v after %d looks, want %d vertices after %d", c.name, c.rule, found, search.Seen(), c.path, c.seen)
		}
		for looks := 1; looks <= c.seen; looks++ {
			search.Looks = looks
			if _, ok := search.Find(task, r, 0); !ok || search.Seen() > looks {
				t.Errorf("%s, rule %d: %d looks, allowed were %d; found %v", c.name, c.rule, search.Seen(), looks, ok)
			}
		}
	}
}

// TestTime: a resource knows the types that it has a speed for, and a subtask takes its
// latency and its work at that speed.
func TestTime(t *testing.T) {
	g, err := graph.New([]graph.Vertex{{Name: "x", Type: "a", Work: 6}, {Name: "y", Type: "b", Work: 6}, {Name: "z", Type: "c", Work: 6}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	subtasks, err := workload.NewSubtasks(g, kindOf, nil)
	if err != nil {
		t.Fatal(err)
	}
	task := posted.New(subtasks, unit.Hour)
	r := &thread.Resource{Worker: workload.Worker{Speeds: []unit.Work{2 * unit.WorkUnit, 0}, CompLatency: unit.Second / 2}}
	for v, want := range []unit.Time{7 * unit.Second / 2, -1, -1} {
		if took, can := r.Time(task, int32(v)); can != (want >= 0) || can && took != want {
			t.Errorf("subtask %d takes %v, %v", v, took, can)
		}
	}
}

// TestDuration: an amount at a rate takes its time to the nearest microsecond, however
// large both are, and no more than the longest time.
func TestDuration(t *testing.T) {
	amounts := []int64{0, 1, 2, 3, 7, 250_000, 999_999, 1_000_001, 1 << 40, 1<<62 - 1, 1 << 62, math.MaxInt64}
	for _, amount := range amounts {
		for _, rate := range append(amounts, 249_999, 250_001, 500_000) {
			want := new(big.Int).Mul(big.NewInt(amount), big.NewInt(int64(unit.Second)))
			switch {
			case rate == 0:
				want.SetInt64(0)
			default:
				want.Add(want, big.NewInt(rate/2)).Div(want, big.NewInt(rate))
			}
			if limit := big.NewInt(int64(36_500 * unit.Day)); want.Cmp(limit) > 0 {
				want = limit
			}
			if got := thread.Duration(amount, rate); int64(got) != want.Int64() {
				t.Errorf("%d at %d a second: %v, want %v", amount, rate, got, want)
			}
		}
	}
}

// TestFewLooksStillFind: behind the bound of looks the literal rule grows a thread
// back from an end, which is one and can be finished in time, and finds one
// whenever there is one.
func TestFewLooksStillFind(t *testing.T) {
	systemtest.Cases(t, 20_000)
	search := thread.Search{Rule: thread.Literal, Looks: 1}
	rapid.Check(t, func(t *rapid.T) {
		task, r := small(t, false)
		now := unit.Time(rapid.IntRange(0, 30).Draw(t, "now")) * unit.Second
		all := enumerate(task, r, thread.Literal)
		_, exists := choose(all, now, false)
		got, found := search.Find(task, r, now)
		if found != exists {
			t.Fatalf("found %v, enumeration %v", found, exists)
		}
		longest := unit.Time(-1)
		for _, c := range all {
			longest = max(longest, c.length)
		}
		if found && got.Length < longest { // the first look was in vain
			if want := grownBack(task, r, now); !slices.Equal(got.Vertices, want) {
				t.Fatalf("grown back is %v, want %v", got.Vertices, want)
			}
		}
		if found {
			if own, is := judge(task, r, thread.Literal, got.Vertices); !is || own.start < now || own.start != got.Starts[0] {
				t.Fatalf("%+v is a thread: %v, from %v at %v", *got, is, own.start, now)
			}
		}
	})
}
