package paper_test

import (
	"encoding/json"
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
func playedBy(t *testing.T, id string, seeds, limit int) []string {
	t.Helper()
	e, err := paper.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	_, err = e.Run(paper.Options{Seeds: seeds, Nodes: 40, Until: 21 * unit.Minute, Progress: func(doing string) error {
		if len(told) == limit {
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
	cell := func(who string, keep, scale float64, seed int) string {
		return fmt.Sprintf("%s, 40 nodes × %.2f, workload × %.2f, seed %d", who, keep, scale, seed)
	}
	var throughput, compaction []string
	for _, percent := range []int{100, 102, 104, 106} {
		for seed := range 2 {
			who := fmt.Sprintf("%d %% of the workload", percent)
			throughput = append(throughput, fmt.Sprintf("%s, seed %d", who, seed+1), cell(who, 1, float64(percent)/100, seed+1))
		}
	}
	for _, percent := range []int{100, 99, 98, 97} {
		who := fmt.Sprintf("%d %% of the nodes", percent)
		compaction = append(compaction, who+", seed 1", cell(who, float64(percent)/100, 1, 1))
	}
	for _, c := range []struct {
		id    string
		seeds int
		want  []string
	}{
		{"negotiation/throughput", 2, append(throughput, "negotiation, seed 1", cell("negotiation", 1, 1, 1))},
		{"negotiation/compaction", 1, append(compaction, "negotiation, seed 1", cell("negotiation", 1, 1, 1))},
		{"negotiation/sensitivity", 1, []string{"published as it is, seed 1", cell("published as it is", 1, 1, 1)}},
		{"negotiation/tuning", 1, []string{`worst-fit, tuned, hard limit, settings.rescheduler.over 85, settings.rescheduler.under 65, seed 101`, cell("worst-fit, tuned, hard limit", 1, 1.2, 101)}},
	} {
		if got := playedBy(t, c.id, c.seeds, len(c.want)); !slices.Equal(got, c.want) {
			t.Errorf("%s plays\n%s", c.id, strings.Join(got, "\n"))
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
		sum, largest := 0.0, 0.0
		for minute := 20; minute < 40; minute++ { // behind the warm-up; used[20] is of minute 21
			rose := 0.0
			for n := range used[minute] {
				capacity := r.View().Capacity(unit.NodeID(n))
				if float64(used[minute][n][unit.CPU]-used[minute-1][n][unit.CPU])/float64(capacity[unit.CPU]) > float64(percent)/100 ||
					float64(used[minute][n][unit.Memory]-used[minute-1][n][unit.Memory])/float64(capacity[unit.Memory]) > float64(percent)/100 {
					rose++
				}
			}
			sum, largest = sum+rose, max(largest, rose)
		}
		if !close(mean[k], sum/20) || peak[k] != largest || k == 0 && largest == 0 {
			t.Errorf("more than %d %%: mean %v and peak %v, recounted %v and %v", percent, mean[k], peak[k], sum/20, largest)
		}
	}
}

// TestOptionsOfOthers: which experiments compare with known lengths.
func TestOptionsOfOthers(t *testing.T) {
	for id, want := range map[string]bool{"board/optimal": true, "board/baselines": false, "board/series": false, "negotiation/rus": false} {
		if e, err := paper.Find(id); err != nil || e.Known != want {
			t.Errorf("%s compares: %v (%v)", id, e.Known, err)
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

// called makes one call of a function of documents.
func called(t *testing.T, o paper.Options, function, arguments string) map[string]float64 {
	t.Helper()
	told, err := paper.FunctionsOf(o)[function](1, json.RawMessage(arguments))
	if err != nil {
		t.Fatalf("%s: %v", arguments, err)
	}
	return told
}

// TestSearches: a search tells the limit under each rule, the figures of the published load,
// and whether it ended where it had to; the limit is where a cell by itself stops to fit.
func TestSearches(t *testing.T) {
	const cell = `"system":"central","settings":{"policy":"random","fill":0,"production_limit":0},"until":"25m"`
	const nodes = `,"nodes":60`
	plain := called(t, paper.Options{}, "negotiation/cell", `{`+cell+nodes+`}`)
	for _, c := range []struct {
		of, figure, search string
		harder             float64
		at                 func(percent float64) string
	}{
		{"workload", "largest workload", `"start":100,"from":20,"to":400`, 1, func(p float64) string { return fmt.Sprintf(`%s,"scale":%v`, nodes, p/100) }},
		{"cell", "smallest cell", `"start":100,"from":20,"to":300`, -1, func(p float64) string {
			if p <= 100 {
				return fmt.Sprintf(`%s,"keep":%v`, nodes, p/100)
			}
			more := math.Round(60 * p / 100)
			return fmt.Sprintf(`,"nodes":%v,"scale":%v`, more, 60/more)
		}},
	} {
		told := called(t, paper.Options{}, "negotiation/cell", `{`+cell+nodes+`,"search":{"of":"`+c.of+`",`+c.search+`}}`)
		for _, name := range paper.AllFigures() {
			if told[name] != plain[name] {
				t.Errorf("%s: %s is %v at the published load, by itself %v", c.of, name, told[name], plain[name])
			}
		}
		by := " by overloaded"
		limit := told[c.figure+by]
		if told["nothing fits"+by] != 0 || told["everything fits"+by] != 0 || limit == 100 {
			t.Fatalf("%s: %v", c.of, told)
		}
		for percent, fits := range map[float64]bool{limit: true, limit + c.harder: false} {
			alone := called(t, paper.Options{}, "negotiation/cell", `{`+cell+c.at(percent)+`}`)
			if (alone["overloaded nodes"] <= 0.5) != fits {
				t.Errorf("%s: the limit is %v, and at %v %% there are %v %% overloaded", c.of, limit, percent, alone["overloaded nodes"])
			}
		}
		edge := called(t, paper.Options{}, "negotiation/cell", fmt.Sprintf(`{%s%s,"search":{"of":"%s","start":%v,"from":%v,"to":%v,"by":["overloaded"]}}`, cell, nodes, c.of, limit, min(limit, limit+5*c.harder), max(limit, limit+5*c.harder)))
		if edge[c.figure+by] != limit || edge["nothing fits"+by] != 0 || edge["everything fits"+by] != 0 {
			t.Errorf("%s: just the limit %v fits of what is searched: %v", c.of, limit, edge)
		}
		if strict := told[c.figure+" by overloaded, waiting or forced"]; (strict-limit)*c.harder > 0 {
			t.Errorf("%s: under the strictest rule %v, under the first %v", c.of, strict, limit)
		}
	}
	// where the search ends
	for search, want := range map[string]map[string]float64{
		`{"of":"workload","start":100,"from":100,"to":104,"by":["overloaded"]}`:  {"everything fits by overloaded": 1, "nothing fits by overloaded": 0, "largest workload by overloaded": 104},
		`{"of":"workload","start":999,"from":999,"to":1000,"by":["overloaded"]}`: {"nothing fits by overloaded": 1, "largest workload by overloaded": 999},
		`{"of":"workload","start":700,"from":690,"to":700,"by":["overloaded"]}`:  {"everything fits by overloaded": 0, "nothing fits by overloaded": 1, "largest workload by overloaded": 690},
		`{"of":"cell","start":10,"from":10,"to":20,"by":["overloaded"]}`:         {"everything fits by overloaded": 0, "nothing fits by overloaded": 1, "smallest cell by overloaded": 20},
		`{"of":"cell","start":200,"from":190,"to":200,"by":["overloaded"]}`:      {"everything fits by overloaded": 1, "nothing fits by overloaded": 0, "smallest cell by overloaded": 190},
	} {
		told := called(t, paper.Options{}, "negotiation/cell", `{`+cell+nodes+`,"search":`+search+`}`)
		for figure, x := range want {
			if got, is := told[figure]; !is || got != x {
				t.Errorf("%s: %s is %v, want %v", search, figure, got, x)
			}
		}
	}
	for search, want := range map[string]string{
		`{"of":"load","start":100,"from":20,"to":200}`:                      "search.of is",
		`{"of":"cell","near":100,"from":120,"to":200}`:                      "starts at 100", // the former name of start
		`{"of":"cell","start":100,"from":120,"to":200}`:                     "starts at 100",
		`{"of":"workload","start":100,"from":0,"to":200}`:                   "choose percents above 0",
		`{"of":"workload","start":100,"from":20,"to":1001}`:                 "up to 1000",
		`{"of":"cell","start":100.5,"from":20,"to":200}`:                    "whole percents",
		`{"of":"cell","start":100,"from":20,"to":200,"by":["overloadd"]}`:   `search.by is "overloadd"`,
		`{"of":"cell","start":100,"from":20,"to":200,"rules":"overloaded"}`: `unknown field "rules"`,
	} {
		if _, err := paper.Functions()["negotiation/cell"](1, json.RawMessage(`{`+cell+nodes+`,"search":`+search+`}`)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", search, err)
		}
	}
	if _, err := paper.Functions()["negotiation/spikes"](1, json.RawMessage(`{`+cell+nodes+`,"search":{"of":"cell","start":100,"from":20,"to":200}}`)); err == nil || !strings.Contains(err.Error(), "negotiation/cell alone") {
		t.Errorf("spikes are searched: %v", err)
	}
}

// TestMostMemory: the most memory that tasks may request is searched at a load, and the
// figures are of the run with that much.
func TestMostMemory(t *testing.T) {
	const cell = `"system":"negotiation","nodes":20,"until":"21m","scale":1.02`
	told := called(t, paper.Options{}, "negotiation/cell", `{`+cell+`,"search":{"of":"memory","start":120,"from":60,"to":200,"by":["overloaded"]}}`)
	factor := told["most memory by overloaded"] / 100
	for more, fits := range map[float64]bool{0: true, 0.01: false} {
		alone := called(t, paper.Options{}, "negotiation/cell", fmt.Sprintf(`{%s,"altered":{"memory":%v}}`, cell, math.Round(100*(factor+more))/100))
		if (alone["overloaded nodes"] <= 0.5) != fits || fits && alone["memory requested"] != told["memory requested"] {
			t.Errorf("the most is %v, and with %v more: %v", factor, more, alone)
		}
	}
	plain := called(t, paper.Options{}, "negotiation/cell", `{`+cell+`}`)
	if factor < 1 || factor >= 2 || math.Abs(told["memory requested"]/(plain["memory requested"]*factor)-1) > 0.1 || told["memory used"] >= told["memory requested"] {
		t.Errorf("%v × the memory, of which %v %% is requested then; %v %% as published", factor, told["memory requested"], plain["memory requested"])
	}
}

// TestAlteredCells: more memory is requested, and more production, if a cell says so.
func TestAlteredCells(t *testing.T) {
	play := func(altered string) map[string]float64 {
		return called(t, paper.Options{}, "negotiation/cell", `{"system":"negotiation","nodes":20,"until":"21m","altered":`+altered+`}`)
	}
	plain := play(`{}`)
	if more := play(`{"memory":1.4}`); math.Abs(more["memory requested"]/plain["memory requested"]-1.4) > 0.1 {
		t.Errorf("%v %% of the memory is requested, at 1.4 times as much %v %%", plain["memory requested"], more["memory requested"])
	}
	if more := play(`{"production":0.5}`); more["production requests, CPU"] < plain["production requests, CPU"]+1 {
		t.Errorf("production requests %v %% of the CPU, with half of the batch jobs more %v %%", plain["production requests, CPU"], more["production requests, CPU"])
	}
	if more := play(`{"cpu_used":1.5}`); more["CPU used"] < 1.2*plain["CPU used"] {
		t.Errorf("%v %% of the CPU is used, with half as much more %v %%", plain["CPU used"], more["CPU used"])
	}
}

// TestGeneratedAlone: an experiment on generated cells takes no log.
func TestGeneratedAlone(t *testing.T) {
	for _, id := range []string{"negotiation/tuning", "negotiation/sensitivity"} {
		e, err := paper.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Run(paper.Options{Trace: recordedNodes}); err == nil || err.Error() != id+" plays generated cells alone: leave --trace out" {
			t.Errorf("%s: %v", id, err)
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
