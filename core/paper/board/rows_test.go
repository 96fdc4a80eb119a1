package board_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/core/metric"
	"parley/core/paper/board"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/trace/workflow"
	"parley/core/unit"
	"parley/core/workload"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// judged is "yes", "no", or "" where nothing is.
func judged(r board.Row) string {
	if r.Holds == nil {
		return ""
	}
	return map[bool]string{true: "yes", false: "no"}[*r.Holds]
}

// TestCell: the guarantee is judged where at least 90 % of the graphs can be met at all, the
// efficiency of agents where so much work arrives that 70 % can be busy, each at its limit.
func TestCell(t *testing.T) {
	for _, c := range []struct {
		who                  string
		load                 float64
		seen                 board.Seen
		guarantee, computing string
		both                 float64
		possible             string
	}{
		{"rule", 0.7, board.Seen{Guarantee: 90, Computing: 70, Engaged: 70, Stalled: 71}, "yes", "yes", 1, "100 %"},
		{"rule", 0.7, board.Seen{Guarantee: 89.9, Computing: 69.9, Engaged: 70}, "no", "no", 0, "100 %"},
		{"rule", 0.7, board.Seen{Guarantee: 90, Computing: 10, Engaged: 69.9}, "yes", "no", 0, "100 %"},
		{"rule", 0.69, board.Seen{Guarantee: 95, Computing: 10, Engaged: 99}, "yes", "", 1, "100 %"},
		{"rule", 1, board.Seen{Guarantee: 10, Computing: 10, Impossible: 10}, "no", "no", 0, "90 %"},
		{"rule", 1, board.Seen{Guarantee: 10, Computing: 10, Impossible: 10.1}, "", "", 0, "90 %"},
		{"rule", 2, board.Seen{Guarantee: 70, Computing: 90, Engaged: 90}, "", "", 0, "80 %"}, // the fastest do 2 of 1.25, so 160 % of the mean
		{"rule", 1.6, board.Seen{Guarantee: 99, Computing: 90, Engaged: 90}, "yes", "yes", 1, "100 %"},
		{"waits", 1, board.Seen{Guarantee: 50, Computing: 90}, "no", "yes", 0, "100 %"},
		{"dispatcher", 1, board.Seen{Guarantee: 50, Computing: 10}, "no", "", -1, "100 %"},
	} {
		rows := board.Cell(c.who, c.load, 3, []board.Seen{c.seen, c.seen, c.seen})
		names := []string{"guarantee", "efficiency, computing", "efficiency, in communities", "both claims, efficiency as time in communities"}
		switch {
		case c.both < 0:
			names = names[:2]
		case c.who == "rule":
			names = append(names, "graphs that stalled and were taken by what is ready")
		}
		if len(rows) != len(names) {
			t.Fatalf("%+v: %d rows", c, len(rows))
		}
		for i, r := range rows {
			if !strings.HasSuffix(r.Name, fmt.Sprintf(", load %v, deadline × 3: %s", c.load, names[i])) {
				t.Errorf("row %d is %q", i, r.Name)
			}
		}
		if c.who == "rule" && rows[4].Measured != c.seen.Stalled {
			t.Errorf("%+v: %v %% stalled", c, rows[4].Measured)
		}
		if judged(rows[0]) != c.guarantee || judged(rows[1]) != c.computing || c.both >= 0 && rows[3].Measured != c.both {
			t.Errorf("%+v: %q, %q", c, judged(rows[0]), judged(rows[1]))
		}
		note := "no method meets more than " + c.possible + " there"
		switch {
		case c.guarantee == "no" && c.who == "waits":
			note += "; resources that hold the ends of graphs wait for beginnings that nobody is left to take"
		case c.guarantee == "no":
			note += "; it is the method that does not get there"
		}
		if rows[0].Note != note || (rows[1].Note != "") != (c.computing == "no") {
			t.Errorf("%+v: notes %q and %q", c, rows[0].Note, rows[1].Note)
		}
	}
}

// TestScaled: judged up to the paper's 1,000 resources, where a graph came to its end.
func TestScaled(t *testing.T) {
	for _, c := range []struct {
		nodes int
		seen  board.Seen
		holds string
		note  bool
	}{
		{10, board.Seen{Guarantee: 90, Judged: 1}, "yes", false},
		{1000, board.Seen{Guarantee: 89, Judged: 5}, "no", true},
		{1001, board.Seen{Guarantee: 89, Judged: 5}, "", false},
		{10, board.Seen{Guarantee: 100}, "", true},
	} {
		rows := board.Scaled(c.nodes, []board.Seen{c.seen, c.seen, c.seen})
		if judged(rows[0]) != c.holds || (rows[0].Note != "") != c.note || len(rows) != 3 {
			t.Errorf("%+v: %+v", c, rows[0])
		}
	}
}

// TestGained: what channels gain is told seed by seed, and judged by whether it is less
// than nothing.
func TestGained(t *testing.T) {
	older := []board.Seen{{Guarantee: 50, Releases: 2}, {Guarantee: 70, Releases: 4}}
	for _, c := range []struct {
		with  [2]float64
		gain  float64
		sd    float64
		holds string
	}{{[2]float64{60, 80}, 10, 0, "yes"}, {[2]float64{40, 60}, -10, 0, "no"}, {[2]float64{60, 60}, 0, math.Sqrt(200), ""}, {[2]float64{50, 70}, 0, 0, "yes"}} {
		rows := board.Gained(older, []board.Seen{{Guarantee: c.with[0], Releases: 1}, {Guarantee: c.with[1], Releases: 2}})
		gain := rows[2]
		if rows[0].Measured != 60 || rows[1].Measured != (c.with[0]+c.with[1])/2 || rows[3].Measured != 3 || rows[4].Measured != 1.5 {
			t.Errorf("%+v", rows)
		}
		if !near(gain.Measured, c.gain) || !near(gain.Spread, c.sd) || judged(gain) != c.holds || (gain.Note != "") != (c.holds == "no") || gain.Paper != nil {
			t.Errorf("%+v: %+v", c, gain)
		}
	}
}

// TestSeen: what is read of a report, by hand: of 8 graphs 2 impossible, 20 releases; 600
// messages of 4 resources in two hours.
func TestSeen(t *testing.T) {
	report := run.Report{SimulatedS: 7200, System: map[string]any{
		"kpd_engaged_pct": 40.5, "graphs_posted_total": int64(8), "graphs_impossible": int64(2), "stalled": int64(6), "releases": int64(20), "messages": int64(600),
	}, Graphs: &metric.GraphReport{Met: 4, Missed: 2, Passed: 5, MetPct: 60, BusyPct: 33, LengthRatio: metric.Distribution{Mean: 1.5}}}
	if got, want := board.SeenIn(report, 4), (board.Seen{Guarantee: 60, Computing: 33, Engaged: 40.5, Impossible: 25, Stalled: 75, Length: 1.5, Releases: 2.5, Messages: 75, Judged: 5}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	report.System = map[string]any{"graphs_posted_total": int64(0)}
	if got := board.SeenIn(report, 0); got.Impossible != 0 || got.Releases != 0 || got.Messages != 0 || got.Judged != 5 {
		t.Errorf("nothing posted: %+v", got)
	}
	if got := board.SeenIn(run.Report{}, 4); got != (board.Seen{}) {
		t.Errorf("no graphs: %+v", got)
	}
}

// TestDocument: 300 resources for eight hours where nothing else is asked for, and what is
// asked for else.
func TestDocument(t *testing.T) {
	dig := func(d map[string]any, path ...string) any {
		var x any = d
		for _, key := range path {
			if list, is := x.([]any); is {
				x = list[0]
			}
			x = x.(map[string]any)[key]
		}
		return x
	}
	for _, c := range []struct {
		effort board.Effort
		nodes  int
		want   float64
		until  string
	}{
		{board.Effort{}, 0, 300, "8h0m0s"}, {board.Effort{Nodes: 1, Until: 1}, 0, 1, "1µs"}, {board.Effort{Nodes: 20, Until: unit.Hour}, 7, 7, "1h0m0s"}, {board.Effort{Nodes: -1, Until: -1}, 0, 300, "8h0m0s"},
	} {
		d, err := board.Document(c.effort, `{"thread_rule":"ready"}`, 0.5, 3, c.nodes, 4)
		if err != nil {
			t.Fatal(err)
		}
		if dig(d, "workload", "graphs", "machines", "count") != c.want || d["until"] != c.until || d["seed"] != 4. || dig(d, "settings", "thread_rule") != "ready" ||
			dig(d, "workload", "graphs", "generate", "load") != 0.5 || dig(d, "workload", "graphs", "deadline_factor") != 3. || d["chaos"] != nil ||
			!slices.Equal(dig(d, "workload", "graphs", "generate", "bytes").([]any), []any{1e6, 1e7}) {
			t.Errorf("%+v: %v", c, d)
		}
	}
	if d, err := board.Document(board.Effort{}, "", 0.5, 3, 0, 1); err != nil || d["settings"] != nil {
		t.Errorf("%v %v", d, err)
	}
}

func TestShortest(t *testing.T) {
	for _, c := range []struct {
		spans []float64
		want  float64
	}{{nil, 0}, {[]float64{0, 0}, 0}, {[]float64{0, 5, 3, 0, 4}, 3}, {[]float64{2, 2}, 2}} {
		if got := board.Shortest(c.spans); got != c.want {
			t.Errorf("%v: %v", c.spans, got)
		}
	}
	if board.Against(true, true) != "shortest" || board.Against(false, true) != "best known" || board.Against(false, false) != "bound" {
		t.Error("compared with something else")
	}
}

// few is a workload by hand.
type few []workload.Record

// Next implements workload.Source.
func (f *few) Next(r *workload.Record) error {
	if len(*f) == 0 {
		return io.EOF
	}
	*r, *f = (*f)[0], (*f)[1:]
	return nil
}

// TestOnly: of three graphs one comes, with all that is no graph.
func TestOnly(t *testing.T) {
	for number := range 4 {
		all := few{{Kind: workload.NodeJoins}, {Kind: workload.GraphArrives, At: 0}, {Kind: workload.GraphArrives, At: 1}, {Kind: workload.NodeLeaves}, {Kind: workload.GraphArrives, At: 2}}
		source := board.Only(&all, number)
		var r workload.Record
		var graphs []unit.Time
		others := 0
		for source.Next(&r) == nil {
			if r.Kind == workload.GraphArrives {
				graphs = append(graphs, r.At)
			} else {
				others++
			}
		}
		if want := []unit.Time{unit.Time(number)}; others != 2 || number < 3 && !slices.Equal(graphs, want) || number == 3 && len(graphs) != 0 {
			t.Errorf("graph %d: %v and %d others", number, graphs, others)
		}
	}
}

// standard are two graphs: 5 and then 4; and 3 beside 3 beside 3.
var standard = map[string]string{
	"a.stg": "2\n0 0 0\n1 5 1 0\n2 4 1 1\n3 0 1 2\n",
	"b.stg": "3\n0 0 0\n1 3 1 0\n2 3 1 0\n3 3 1 0\n4 0 3 1 2 3\n",
}

func filesOf(names ...string) func(*scenario.Scenario) (workload.Source, error) {
	return func(s *scenario.Scenario) (workload.Source, error) {
		var files []trace.File
		for _, name := range names {
			files = append(files, trace.File{Name: name, Size: int64(len(standard[name])), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(standard[name])), nil }})
		}
		return run.OpenTrace(s, files, []trace.Format{workflow.Format()}, trace.Options{})
	}
}

// TestTwoGraphs: two graphs on 2 processors take 9 and 6 under HEFT; the first is compared
// with a length that was published, the second with its bound of 9/2.
func TestTwoGraphs(t *testing.T) {
	e := board.Effort{Seeds: 1, Files: []string{"of/a.stg", "of/b.stg"}, Best: board.Best{}, Source: filesOf("a.stg", "b.stg")}
	if err := e.Best.Read("best", strings.NewReader("of/a.stg,2,8")); err != nil {
		t.Fatal(err)
	}
	told := []string{}
	e.Tell = func(format string, args ...any) error {
		told = append(told, fmt.Sprintf(format, args...))
		return nil
	}
	rows, err := board.Optimal(e)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, r := range rows {
		switch r.Name {
		case "2 processors: HEFT, above the best known":
			found++
			if math.Abs(r.Measured-(12.5+100/3.)/2) > 1e-3 || judged(r) != "yes" || !strings.HasSuffix(r.Note, "; of 1 graphs the best known length is given, of 1 a bound is taken") {
				t.Errorf("%+v", r)
			}
		case "16 processors: HEFT, above the bound": // the critical paths: 9 and 3
			found++
			if math.Abs(r.Measured) > 1e-3 || !strings.HasSuffix(r.Note, "; of 0 graphs the best known length is given, of 2 a bound is taken") {
				t.Errorf("%+v", r)
			}
		case "2 processors: HEFT, graphs done by 20 critical paths":
			found++
			if r.Measured != 100 {
				t.Errorf("%+v", r)
			}
		}
	}
	if found != 3 || !slices.Contains(told, "standard task graphs, HEFT, graph 1 of 2") || !slices.Contains(told, "standard task graphs, HEFT, graph 2 of 2") {
		t.Errorf("%d rows of %d, told %q", found, len(rows), told)
	}
}

// TestMoreGraphsThanNames: of a graph whose file has no name nothing is known.
func TestMoreGraphsThanNames(t *testing.T) {
	rows, err := board.Optimal(board.Effort{Seeds: 1, Files: []string{"a.stg"}, Source: filesOf("a.stg", "b.stg")})
	if err != nil {
		t.Fatal(err)
	}
	if r := rows[0]; !strings.HasSuffix(r.Note, "; of 0 graphs the best known length is given, of 2 a bound is taken") {
		t.Errorf("%+v", r)
	}
}

// TestBaselines: beside one another somebody is the shortest and nobody shorter.
func TestBaselines(t *testing.T) {
	rows, err := board.Baselines(board.Effort{Seeds: 1, Files: []string{"b.stg"}, Source: filesOf("b.stg")})
	if err != nil {
		t.Fatal(err)
	}
	least := math.Inf(1)
	for _, r := range rows {
		if strings.HasSuffix(r.Name, ", above the shortest") {
			least = min(least, r.Measured)
			if judged(r) != "" || r.Note != "± is the standard deviation over the graphs" {
				t.Errorf("%+v", r)
			}
		}
	}
	if least != 0 {
		t.Errorf("the shortest is %v %% above itself", least)
	}
}

// TestSmall plays each experiment that needs no files on few resources for some minutes:
// every place of its map has its rows, seeds count from 1, and an error ends it.
func TestSmall(t *testing.T) {
	want := map[string]int{
		"series":    6*(2*4*4+2*6*5) + 6*(5*4+5*2), // by tightness, contender and load; four rows of agents, five of hybrids, two of a dispatcher
		"scale":     2 * 2 * 3,
		"bandwidth": 4 * 2 * 5,
		"failures":  5 * 7,
	}
	stop := errors.New("stop")
	for _, x := range board.All() {
		if x.Files != "" {
			continue
		}
		hours := map[string]bool{}
		rows, err := x.Run(board.Effort{Seeds: 1, Nodes: 60, Until: 10 * unit.Minute, Tell: func(format string, args ...any) error {
			hours[fmt.Sprintf(format, args...)] = true
			return nil
		}})
		if err != nil || len(rows) != want[x.ID] {
			t.Errorf("%s: %d rows, want %d (%v)", x.ID, len(rows), want[x.ID], err)
		}
		names := map[string]bool{}
		for _, r := range rows {
			if names[r.Name] || r.Interval != nil || math.IsNaN(r.Measured) {
				t.Errorf("%s: %+v", x.ID, r)
			}
			names[r.Name] = true
		}
		if !hours["board, hour 1"] || hours["board, hour 2"] || hours["board, hour 0"] {
			t.Errorf("%s tells %v", x.ID, hours)
		}
		if x.ID == "scale" && (!names["what is ready, load 0.5, 6 resources: guarantee"] || !names["what is ready, load 0.5, 60 resources: guarantee"]) {
			t.Errorf("%v", names)
		}
		if x.ID == "bandwidth" && !names["what is ready, results of 30 to 300 MB: releases a graph, with channels"] {
			t.Errorf("%v", names)
		}
		if x.ID == "failures" && (!names["a resource never fails, load 0.5, what is ready: guarantee"] || !names["a resource fails every 4h0m0s, load 0.5, what is ready: guarantee"]) {
			t.Errorf("%v", names)
		}
		if _, err := x.Run(board.Effort{Nodes: 60, Until: unit.Minute, Tell: func(string, ...any) error { return stop }}); !errors.Is(err, stop) {
			t.Errorf("%s: %v", x.ID, err)
		}
	}
}
