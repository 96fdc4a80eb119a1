package paper_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/core/paper"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
	"parley/core/workload"
)

var errEnough = errors.New("that is enough")

// playedBy lets an experiment play cells of 40 nodes until it has begun so many, or to its
// end where so many never come, and returns what it tells of them.
func playedBy(t *testing.T, id string, seeds, most int) []string {
	t.Helper()
	e, err := paper.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	_, err = e.Run(paper.Options{Seeds: seeds, Nodes: 40, Until: 21 * unit.Minute, Progress: func(doing string) error {
		if len(told) == most {
			return errEnough
		}
		told = append(told, doing)
		return nil
	}})
	if err != nil && !errors.Is(err, errEnough) {
		t.Fatal(err)
	}
	return told
}

// TestCellsPlayed: each experiment plays the contenders, workloads and sizes that it is
// about, with the seeds from 1.
func TestCellsPlayed(t *testing.T) {
	const agents = "negotiation"
	cell := func(who string, nodes int, keep, scale float64, seed int) string {
		return fmt.Sprintf("%s, %d nodes × %.2f, workload × %.2f, seed %d", who, nodes, keep, scale, seed)
	}
	var throughput, compaction []string
	for _, percent := range []float64{1, 1.02, 1.04, 1.06} {
		for seed := range 2 {
			throughput = append(throughput, cell(agents, 40, 1, percent, seed+1))
		}
	}
	for _, keep := range []float64{1, 0.99, 0.98, 0.97} {
		compaction = append(compaction, cell(agents, 40, keep, 1, 1))
	}
	for _, c := range []struct {
		id    string
		seeds int
		want  []string
	}{
		{"negotiation/throughput", 2, throughput},
		{"negotiation/compaction", 1, compaction},
		{"negotiation/sensitivity", 1, []string{"negotiation, published as it is, 40 nodes × 1.00, workload × 1.00, seed 1"}},
	} {
		if got := playedBy(t, c.id, c.seeds, len(c.want)); !slices.Equal(got, c.want) {
			t.Errorf("%s plays\n%s", c.id, strings.Join(got, "\n"))
		}
	}
}

// TestCompactionByRules: the paper's 98 % is judged as within the limit, its 97 % as beyond;
// under each rule the smallest cell stands first, and a stricter rule needs no smaller one.
func TestCompactionByRules(t *testing.T) {
	e, err := paper.Unjudged("negotiation/compaction")
	if err != nil {
		t.Fatal(err)
	}
	result, err := e.Run(paper.Options{Seeds: 1, Nodes: 40, Until: 21 * unit.Minute})
	if err != nil {
		t.Fatal(err)
	}
	for percent, word := range map[int]string{100: "the whole interval at most", 99: "the whole interval at most", 98: "the whole interval at most", 97: "the whole interval at least"} {
		if r := rowOf(t, result.Rows, fmt.Sprintf("%d %% of the nodes, overloaded nodes", percent)); !strings.HasPrefix(r.Rule, word) {
			t.Errorf("%d %%: %q", percent, r.Rule)
		}
	}
	limits := map[string][]float64{} // by contender, under each rule
	before := map[string]float64{}   // by rule
	for _, r := range result.Rows {
		who, by, found := strings.Cut(r.Name, ", smallest cell by ")
		if !found {
			continue
		}
		if r.Measured < before[by] {
			t.Errorf("%s: %v stands behind %v", r.Name, r.Measured, before[by])
		}
		before[by] = r.Measured
		limits[who] = append(limits[who], r.Measured)
	}
	if len(before) != 3 || len(limits) != 9 {
		t.Errorf("%d rules, %d contenders", len(before), len(limits))
	}
	for who, found := range limits {
		if !slices.IsSorted(found) || len(found) != 3 {
			t.Errorf("%s: %v", who, found)
		}
	}
}

// TestSpikesRecounted: how many nodes rise by more than a threshold, counted once more from
// a run of the same scenario.
func TestSpikesRecounted(t *testing.T) {
	thresholds := []int64{1, 3, 10}
	const until = 40 * unit.Minute
	mean, peak, s, err := paper.Spikes(60, until, thresholds)
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Open(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	var used [][]unit.Vec // by minute
	for now := unit.Minute; now <= until; now += unit.Minute {
		if err := r.Advance(now); err != nil {
			t.Fatal(err)
		}
		var row []unit.Vec
		for n := range r.View().Nodes() {
			row = append(row, r.View().Used(unit.NodeID(n)))
		}
		used = append(used, row)
	}
	for k, percent := range thresholds {
		sum, most := 0.0, 0.0
		for minute := 20; minute < 40; minute++ { // behind the warm-up; used[20] is of minute 21
			rose := 0.0
			for n := range used[minute] {
				capacity := r.View().Capacity(unit.NodeID(n))
				if float64(used[minute][n][unit.CPU]-used[minute-1][n][unit.CPU])/float64(capacity[unit.CPU]) > float64(percent)/100 ||
					float64(used[minute][n][unit.Memory]-used[minute-1][n][unit.Memory])/float64(capacity[unit.Memory]) > float64(percent)/100 {
					rose++
				}
			}
			sum, most = sum+rose, max(most, rose)
		}
		if !close(mean[k], sum/20) || peak[k] != most || k == 0 && most == 0 {
			t.Errorf("more than %d %%: mean %v and peak %v, recounted %v and %v", percent, mean[k], peak[k], sum/20, most)
		}
	}
}

// TestWhole: numbers of nodes are compared of the published cell and of a recorded one.
func TestWhole(t *testing.T) {
	for _, c := range []struct {
		o    paper.Options
		want bool
	}{{paper.Options{}, true}, {paper.Options{Nodes: 12_583}, true}, {paper.Options{Nodes: 12_582}, false}, {paper.Options{Nodes: 40, Trace: recordedNodes}, true}} {
		if got := paper.Whole(c.o); got != c.want {
			t.Errorf("%d nodes: %v", c.o.Nodes, got)
		}
	}
}

// TestOptionsOfOthers: which experiments compare with known lengths.
func TestOptionsOfOthers(t *testing.T) {
	for id, want := range map[string]bool{"board/optimal": true, "board/series": false, "optimal": false, "negotiation/rus": false} {
		if paper.Compares(id) != want {
			t.Errorf("%s compares: %v", id, !want)
		}
	}
}

// TestRose: by more than so many percent, in whichever resource.
func TestRose(t *testing.T) {
	of, before := vec(200, 1000), vec(50, 500)
	for _, c := range []struct {
		used    unit.Vec
		percent int64
		want    bool
	}{{vec(70, 600), 10, false}, {vec(71, 600), 10, true}, {vec(70, 601), 10, true}, {vec(10, 10), 0, false}, {vec(51, 10), 0, true}, {vec(60, 550), 5, false}, {vec(61, 550), 5, true}} {
		if got := paper.Rose(c.used, before, of, c.percent); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// begun lets an experiment begin the parts of its searches, and returns what the first n
// of them tell first; results of runs are empty.
func begun(t *testing.T, id string, seeds, parts int) (told []string, result paper.Result) {
	t.Helper()
	e, err := paper.Unjudged(id)
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	result, err = e.Run(paper.Options{
		Seeds: seeds, Nodes: 40, Until: 21 * unit.Minute,
		Progress: func(doing string) error { said = doing; return errEnough },
		Each: func(n int, part func(int) error) error {
			if n == seeds {
				return nil
			}
			if n != parts {
				t.Errorf("%s: %d parts, want %d", id, n, parts)
			}
			for i := range n {
				if err := part(i); !errors.Is(err, errEnough) {
					t.Errorf("part %d ends with %v", i, err)
				}
				told = append(told, said)
			}
			return errEnough
		},
	})
	if !errors.Is(err, errEnough) {
		t.Errorf("%s ends with %v", id, err)
	}
	return told, result
}

// TestSearches: every contender is searched with every seed, from the published load; of
// the loads before it the paper says which fit.
func TestSearches(t *testing.T) {
	who := []string{
		"negotiation", "negotiation, drawn by weight", "best-fit", "random", "least-allocated", "kube",
		"least-allocated + rescheduler", "kube by request", "best-fit without headroom",
	}
	for id, word := range map[string]string{"throughput": "of the workload", "compaction": "of the nodes"} {
		told, result := begun(t, "negotiation/"+id, 3, 27)
		for i, got := range told {
			if want := fmt.Sprintf("%s, 40 nodes × 1.00, workload × 1.00, seed %d", who[i/3], i%3+1); got != want {
				t.Errorf("%s, part %d: %q, want %q", id, i, got, want)
			}
		}
		for percent, fits := range map[string]map[int]bool{"throughput": {100: true, 102: true, 104: false, 106: false}, "compaction": {100: true, 99: true, 98: true, 97: false}}[id] {
			r := rowOf(t, result.Rows, fmt.Sprintf("%d %% %s, overloaded nodes", percent, word))
			if strings.HasPrefix(r.Rule, "the whole interval at most") != fits {
				t.Errorf("%+v", r)
			}
		}
	}
	told, _ := begun(t, "negotiation/sensitivity", 3, 16*2*3)
	for i, got := range told {
		who := "negotiation, "
		if i/3%2 == 1 {
			who = "least-allocated, "
		}
		if !strings.HasPrefix(got, who) || !strings.HasSuffix(got, fmt.Sprintf(", 40 nodes × 1.00, workload × 1.00, seed %d", i%3+1)) {
			t.Errorf("part %d: %q", i, got)
		}
	}
	for i, level := range map[int]string{0: "published as it is", 2: "published as it is", 6 * 3: "memory used × 1.15", 6*15 + 2: "every job production"} {
		if !strings.Contains(told[i], level) {
			t.Errorf("part %d: %q is not of %q", i, told[i], level)
		}
	}
}

// TestSensitivityPlays: the cells of a level differ as it says, and the most memory with
// which the paper's loads fit is searched on the published cell.
func TestSensitivityPlays(t *testing.T) {
	e, err := paper.Find("negotiation/sensitivity")
	if err != nil {
		t.Fatal(err)
	}
	var edge []string
	o := paper.Options{Seeds: 1, Nodes: 20, Until: 21 * unit.Minute, Progress: func(doing string) error {
		if strings.HasPrefix(doing, "negotiation, 20 nodes") {
			edge = append(edge, doing)
		}
		return nil
	}}
	o.Each = func(n int, part func(int) error) error {
		for i := range n {
			if n == 1 || slices.Contains([]int{0, 2 * 5, 2 * 6}, i) { // agents, as published and at two levels
				if err := part(i); err != nil {
					return err
				}
			}
		}
		return nil
	}
	result, err := e.Run(o)
	if err != nil {
		t.Fatal(err)
	}
	of := func(name string) float64 { return rowOf(t, result.Rows, name).Measured }
	asked := of("published as it is, memory requested")
	if more := of("memory requested × 1.4, memory requested"); math.Abs(more/asked-1.4) > 0.1 || asked == 0 {
		t.Errorf("%v %% of the memory is requested, at 1.4 times as much %v %%", asked, more)
	}
	if plain, more := of("published as it is, production requests, CPU"), of("production half of the batch jobs more, production requests, CPU"); more < plain+1 {
		t.Errorf("production requests %v %% of the CPU, with half of the batch jobs more %v %%", plain, more)
	}
	for _, load := range []float64{1.02, 1.04} {
		at := fmt.Sprintf("the most memory with which %.0f %% fits by overloaded", 100*load)
		factor, then := of(at+", of what tasks request")/100, of(at+", memory requested then")
		if factor < 1 || factor >= 2 || math.Abs(then/(asked*factor*load)-1) > 0.1 || of(at+", memory used then") >= then {
			t.Errorf("%v × the memory, of which %v %% is requested then; %v %% as published", factor, then, asked)
		}
		if told := fmt.Sprintf("negotiation, 20 nodes × 1.00, workload × %.2f, seed 1", load); !slices.Contains(edge, told) {
			t.Errorf("%q is not played: %q", told, edge)
		}
	}
	for _, ends := range []string{"workload × 1.02", "workload × 1.04"} {
		o.Progress = func(doing string) error {
			if strings.HasPrefix(doing, "negotiation, 20 nodes") && strings.Contains(doing, ends) {
				return errEnough
			}
			return nil
		}
		if _, err := e.Run(o); !errors.Is(err, errEnough) {
			t.Errorf("ended at %s: %v", ends, err)
		}
	}
}

// TestMachineLog: a log is that of the machine with as many processors, and is opened
// again to be played.
func TestMachineLog(t *testing.T) {
	log := func(processors ...int32) func(*scenario.Scenario) (workload.Source, error) {
		return func(*scenario.Scenario) (workload.Source, error) {
			w := &written{}
			for i, p := range processors {
				*w = append(*w, workload.Record{Kind: workload.NodeJoins, Machine: uint64(i), Node: workload.Node{Processors: p}})
			}
			*w = append(*w, workload.Record{Kind: workload.JobArrives}, workload.Record{Kind: workload.NodeJoins, Node: workload.Node{Processors: 1}})
			return w, nil
		}
	}
	source, machine, err := paper.MachineLog(paper.Options{Trace: log(4000, 8)})
	var r workload.Record
	if err != nil || machine != "thunder" || source.Next(&r) != nil || r.Kind != workload.NodeJoins {
		t.Errorf("%q, %+v (%v)", machine, r, err)
	}
	if _, machine, err := paper.MachineLog(paper.Options{Trace: log(1, 2)}); machine != "" || err != nil {
		t.Errorf("%q (%v)", machine, err)
	}
	if _, _, err := paper.MachineLog(paper.Options{Trace: func(*scenario.Scenario) (workload.Source, error) { return nil, errEnough }}); !errors.Is(err, errEnough) {
		t.Errorf("%v", err)
	}
}
