package paper_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/core/metric"
	"parley/core/paper"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/trace/formats"
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
	var throughput, compaction, scale []string
	for _, percent := range []float64{1, 1.02, 1.04, 1.06} {
		for seed := range 2 {
			throughput = append(throughput, cell(agents, 40, 1, percent, seed+1))
		}
	}
	for _, keep := range []float64{1, 0.99, 0.98, 0.97} {
		compaction = append(compaction, cell(agents, 40, keep, 1, 1))
	}
	for times, seeds := 1, 8; seeds > 0; times, seeds = 2*times, seeds/2 { // as many nodes of each size
		for seed := range seeds {
			scale = append(scale, cell(agents, 40*times, 1, 1, seed+1))
		}
	}
	for _, c := range []struct {
		id    string
		seeds int
		want  []string
	}{
		{"negotiation/throughput", 2, throughput},
		{"negotiation/compaction", 1, compaction},
		{"negotiation/scale", 1, scale},
		{"negotiation/lifecycle", 2, []string{cell(agents, 40, 1, 1, 1), cell(agents, 40, 1, 1, 2)}},
		{"negotiation/rus", 2, []string{"spikes, seed 1", "spikes, seed 2"}},
		{"negotiation/sensitivity", 1, []string{"negotiation, published as it is, 40 nodes × 1.00, workload × 1.00, seed 1"}},
	} {
		if got := playedBy(t, c.id, c.seeds, len(c.want)); !slices.Equal(got, c.want) {
			t.Errorf("%s plays\n%s", c.id, strings.Join(got, "\n"))
		}
	}
	for _, c := range []struct {
		id     string
		want   []string // among others
		absent string
		number int
	}{
		{"negotiation/benchmark", []string{cell("request-blind (random)", 40, 1, 1, 1), cell("negotiation, drawn by weight, ten rounds a minute", 40, 1, 1, 1), cell("best-fit", 40, 1, 1, 1), cell("kube by request", 40, 1, 1, 1)}, cell("random", 40, 1, 1, 1), 0},
		{"negotiation/pressure", []string{cell(agents, 40, 1, 1, 1), cell(agents, 40, 1, 1.2, 1), cell("random", 40, 1, 1.2, 1)}, cell("Borg, replayed", 40, 1, 1, 1), 0},
		{"negotiation/scores", []string{cell("negotiation, SAS", 40, 1, 1, 1), cell("negotiation, SIAS_GAIN + SRAS_GAIN", 40, 1, 1.3, 1)}, "", 10},
	} {
		got := playedBy(t, c.id, 1, -1)
		for _, want := range c.want {
			if !slices.Contains(got, want) {
				t.Errorf("%s does not play %q", c.id, want)
			}
		}
		for _, doing := range got { // only of recorded tasks is it known when they were
			if strings.Contains(doing, "when submitted") {
				t.Errorf("%s plays %q", c.id, doing)
			}
		}
		if slices.Contains(got, c.absent) || c.number > 0 && len(got) != c.number {
			t.Errorf("%s plays %d cells:\n%s", c.id, len(got), strings.Join(got, "\n"))
		}
	}
}

// TestCompactionByRules: the paper's 98 % is judged as within the limit, its 97 % as beyond;
// under each rule the smallest cell stands first, and a stricter rule needs no smaller one.
func TestCompactionByRules(t *testing.T) {
	e, err := paper.Find("negotiation/compaction")
	if err != nil {
		t.Fatal(err)
	}
	result, err := e.Run(paper.Options{Seeds: 1, Nodes: 40, Until: 21 * unit.Minute})
	if err != nil {
		t.Fatal(err)
	}
	for percent, word := range map[int]string{100: "at most", 99: "at most", 98: "at most", 97: "at least"} {
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

// TestKTHDigits: a figure holds that is the published one to its last digit.
func TestKTHDigits(t *testing.T) {
	for _, c := range []struct {
		slowdown, response, worst, longest float64
		want                               [4]bool
	}{
		{92.576540, 15696.798181, 14805.2, 309231, [4]bool{true, true, true, true}},
		{92.5765404, 15696.7981814, 14805.24, 309231.4, [4]bool{true, true, true, true}},
		{92.5765406, 15696.7981804, 14805.26, 309230.4, [4]bool{false, false, false, false}},
		{92.5765394, 15696.798182, 14805.1, 309232, [4]bool{false, false, false, false}},
	} {
		rows := paper.KTHRows(&metric.JobReport{
			BoundedSlowdown: metric.Distribution{Mean: c.slowdown, Max: c.worst}, ResponseS: metric.Distribution{Mean: c.response, Max: c.longest},
		})
		for i, r := range rows {
			if *r.Holds != c.want[i] || *r.Paper != []float64{92.576540, 15696.798181, 14805.2, 309231}[i] {
				t.Errorf("%+v", r)
			}
		}
	}
}

// TestPlayLog: two jobs of a log on four processors, the second of which has to wait a
// day; days are told as they go by.
func TestPlayLog(t *testing.T) {
	log := "; MaxProcs: 4\n1 0 -1 86400 4 -1 -1 4 86400 -1 1 1 1 1 -1 -1 -1 -1\n2 10 -1 100 2 -1 -1 2 100 -1 1 1 1 1 -1 -1 -1 -1\n"
	var told []string
	o := paper.Options{
		Trace: func(s *scenario.Scenario) (workload.Source, error) {
			f := trace.File{Name: "two.swf", Size: -1, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(log)), nil }}
			return run.OpenTrace(s, []trace.File{f}, formats.All, trace.Options{})
		},
		Progress: func(doing string) error { told = append(told, doing); return nil },
	}
	jobs, err := paper.PlayLog(o, `{"v":1,"system":"central","settings":{"policy":"easy"},"until":"365d"}`)
	if err != nil {
		t.Fatal(err)
	}
	if jobs.Ended != 2 || math.Abs(jobs.ResponseS.Mean-(86400+86490)/2.) > 1e-6 || len(told) < 2 || told[0] != "day 1" || told[1] != "day 2" {
		t.Errorf("%+v, told %q", jobs, told)
	}
}
