package board_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/core/feed"
	"parley/core/metric"
	"parley/core/paper/board"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/study"
	"parley/core/study/evidence"
	"parley/core/testkit/studytest"
	"parley/core/trace"
	"parley/core/trace/workflow"
	"parley/core/unit"
	"parley/core/workload"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// judged is "yes", "no", or "" if nothing is.
func judged(r evidence.Row) string {
	if r.Holds == nil {
		return ""
	}
	return map[bool]string{true: "yes", false: "no"}[*r.Holds]
}

// many is a number of seeds with which what does not differ is decided.
const many = 120

// planted judges a document whose function gives the figures of a call, the same with many seeds.
func planted(t *testing.T, id string, figures func(of map[string]any) map[string]float64) map[string]evidence.Row {
	t.Helper()
	f := func(_ uint64, arguments json.RawMessage) (map[string]float64, error) {
		var of map[string]any
		err := json.Unmarshal(arguments, &of)
		return figures(of), err
	}
	return studytest.ByName(t, studytest.Judge(t, id+".json", many, study.Functions{"board/graphs": f}))
}

// TestSeries: the guarantee is judged where at least 90 % of the graphs can be met at all, the
// efficiency of agents where so much work arrives that 70 % can be busy, each at its limit.
func TestSeries(t *testing.T) {
	const hybrid, alone, dispatcher = "hybrid of the paper's rule and what is ready", "the paper's rule alone", "a dispatcher that sees all"
	const wait, method = "; resources that hold the ends of graphs wait for beginnings that nobody is left to take", "; it is the method that does not get there"
	for _, c := range []struct {
		who                            string
		load                           string
		guarantee, computing, possible float64
		met, busy, note                string
	}{
		{hybrid, "0.75", 91, 70, 100, "yes", "yes", "100 % there"},
		{hybrid, "0.75", 89, 69.9, 100, "no", "no", "100 % there" + method},
		{hybrid, "0.4", 95, 10, 90, "yes", "", "90 % there"},
		{hybrid, "1.1", 10, 10, 90, "no", "no", "90 % there" + method},
		{hybrid, "1.1", 10, 10, 89.9, "", "", "90 % there"},
		{alone, "0.4", 50, 90, 100, "no", "", "100 % there" + wait},
		{dispatcher, "0.9", 50, 10, 95, "no", "", "95 % there" + method},
		{"what is ready", "2", 50, 10, 80, "", "", "80 % there"},
	} {
		rows := planted(t, "series", func(map[string]any) map[string]float64 {
			return map[string]float64{"guarantee": c.guarantee, "graphs judged": 1000, "efficiency, computing": c.computing, "efficiency, in communities": 1, "both claims": 0, "stalled": 7, "possible": c.possible}
		})
		if want := 6 * (2*4*4 + 2*6*5 + 5*4 + 5*2); len(rows) != want { // four rows of agents, five of hybrids, two of a dispatcher
			t.Fatalf("%d rows, want %d", len(rows), want)
		}
		at := fmt.Sprintf("%s, load %s, deadline × 0.7: ", c.who, c.load)
		met, busy := rows[at+"guarantee"], rows[at+"efficiency, computing"]
		if met.Name == "" || busy.Name == "" || judged(met) != c.met || judged(busy) != c.busy {
			t.Errorf("%+v: %q, %q", c, judged(met), judged(busy))
		}
		if want := "no method meets more than " + c.note; met.Note != want || (busy.Note != "") != (c.busy == "no") {
			t.Errorf("%+v: notes %q and %q", c, met.Note, busy.Note)
		}
	}
}

// TestScale: judged up to the paper's 1,000 resources, where a graph came to its end.
func TestScale(t *testing.T) {
	for _, c := range []struct {
		nodes             string
		guarantee, passed float64
		holds             string
		note              bool
	}{{"10", 100, 1, "yes", false}, {"1000", 80, 5, "no", true}, {"10000", 80, 5, "", false}, {"10", 100, 0, "", true}} {
		rows := planted(t, "scale", func(map[string]any) map[string]float64 {
			return map[string]float64{"guarantee": c.guarantee, "graphs judged": c.passed, "efficiency, in communities": 1, "messages a resource and hour": 2}
		})
		r := rows["what is ready, load 0.5, "+c.nodes+" resources: guarantee"]
		if r.Name == "" || judged(r) != c.holds || (r.Note != "") != c.note || len(rows) != 30 {
			t.Errorf("%+v: %+v of %d", c, r, len(rows))
		}
	}
}

// TestBandwidth: what channels gain is told seed by seed, and judged by whether it is less
// than nothing.
func TestBandwidth(t *testing.T) {
	for _, c := range []struct {
		older, with float64
		holds       string
	}{{50, 60, "yes"}, {50, 40, "no"}, {50, 50, "yes"}} {
		rows := planted(t, "bandwidth", func(of map[string]any) map[string]float64 {
			if of["settings"].(map[string]any)["channels"].(bool) {
				return map[string]float64{"guarantee": c.with, "graphs judged": 8, "releases a graph": 3}
			}
			return map[string]float64{"guarantee": c.older, "graphs judged": 8, "releases a graph": 4}
		})
		const at = "what is ready, results of 30 to 300 MB: "
		gain := rows[at+"guarantee gained by counting channels"]
		if rows[at+"guarantee, older method"].Measured != c.older || rows[at+"guarantee, with channels"].Measured != c.with || rows[at+"releases a graph, older method"].Measured != 4 || rows[at+"releases a graph, with channels"].Measured != 3 {
			t.Errorf("%+v", rows)
		}
		if !near(gain.Measured, c.with-c.older) || judged(gain) != c.holds || (gain.Note != "") != (c.holds == "no") || len(rows) != 40 {
			t.Errorf("%+v: %+v", c, gain)
		}
	}
}

// TestFigures: what is read of a report, by hand: of 8 graphs 2 impossible, 20 releases; 600
// messages of 4 resources in two hours.
func TestFigures(t *testing.T) {
	report := run.Report{SimulatedS: 7200, System: map[string]any{
		"kpd_engaged_pct": 70.5, "graphs_posted_total": int64(8), "graphs_impossible": int64(2), "stalled": int64(6), "releases": int64(20), "messages": int64(600),
	}, Graphs: &metric.GraphReport{Met: 4, Missed: 2, Passed: 5, MetPct: 90, BusyPct: 33}}
	want := map[string]float64{"guarantee": 90, "efficiency, computing": 33, "efficiency, in communities": 70.5, "both claims": 1, "impossible": 25, "stalled": 75, "releases a graph": 2.5, "messages a resource and hour": 75, "graphs judged": 5}
	if got := board.FiguresOf(report, 4); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	report.System = map[string]any{"graphs_posted_total": int64(0)}
	if got := board.FiguresOf(report, 0); got["impossible"] != 0 || got["both claims"] != 0 || got["messages a resource and hour"] != 0 || got["graphs judged"] != 5 {
		t.Errorf("nothing posted: %v", got)
	}
	if got := board.FiguresOf(run.Report{SimulatedS: 60}, 4); got["guarantee"] != 0 || got["graphs judged"] != 0 || len(got) != len(want) {
		t.Errorf("no graphs: %v", got)
	}
}

// TestDocument: what a call says is in the scenario that it plays.
func TestDocument(t *testing.T) {
	for mtbf, chaos := range map[scenario.Duration]bool{0: false, scenario.Duration(unit.Hour): true} {
		d, err := board.Document(4, 7, mtbf)
		if err != nil {
			t.Fatal(err)
		}
		graphs := d["workload"].(map[string]any)["graphs"].(map[string]any)
		generate := graphs["generate"].(map[string]any)
		if graphs["machines"].([]any)[0].(map[string]any)["count"] != 7. || d["until"] != "1us" || d["seed"] != 4. || d["settings"].(map[string]any)["thread_rule"] != "ready" ||
			generate["load"] != 0.5 || graphs["deadline_factor"] != 3. || (d["chaos"] != nil) != chaos || !slices.Equal(generate["bytes"].([]any), []any{2., 3.}) {
			t.Errorf("%v", d)
		}
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

// TestOnly: of three graphs one comes, with everything but graphs.
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
		return feed.Open(s, files, []trace.Format{workflow.Format()}, trace.Options{})
	}
}

// twoGraphs plays the graphs of the files, one a seed.
func twoGraphs(t *testing.T, document string, files *board.Files) map[string]evidence.Row {
	t.Helper()
	n, err := files.Graphs()
	if err != nil {
		t.Fatal(err)
	}
	return studytest.ByName(t, studytest.Judge(t, document, n, board.Functions(files)))
}

// TestTwoGraphs: two graphs on 2 processors take 9 and 6 under HEFT; the first is compared
// with a length that was published, the second with its bound of 9/2.
func TestTwoGraphs(t *testing.T) {
	files := &board.Files{Names: []string{"of/a.stg", "of/b.stg"}, Best: board.Best{}, Source: filesOf("a.stg", "b.stg")}
	if err := files.Best.Read("best", strings.NewReader("of/a.stg,2,8")); err != nil {
		t.Fatal(err)
	}
	rows := twoGraphs(t, "optimal.json", files)
	for name, want := range map[string]float64{
		"2 processors: HEFT, above the best known":                  12.5,
		"2 processors: HEFT, above the bound":                       100 / 3.,
		"16 processors: HEFT, above the bound":                      0, // the critical paths: 9 and 3
		"2 processors: HEFT, graphs not done by 20 critical paths":  0,
		"16 processors: HEFT, graphs not done by 20 critical paths": 0,
	} {
		if r, is := rows[name]; !is || math.Abs(r.Measured-want) > 1e-3 || judged(r) != "" || !strings.Contains(r.Note, "a seed plays one graph") {
			t.Errorf("%s: %v, %+v, want %v", name, is, r, want)
		}
	}
	if _, is := rows["16 processors: HEFT, above the best known"]; is {
		t.Error("nothing is known of 16 processors")
	}
	for _, n := range []int{2, 4, 8, 16} {
		if r := rows[fmt.Sprintf("%d processors: HEFT, graphs below what is proved", n)]; judged(r) != "yes" || r.Measured != 0 {
			t.Errorf("%+v", r)
		}
	}
}

// TestMoreGraphsThanNames: of a graph whose file has no name nothing is known.
func TestMoreGraphsThanNames(t *testing.T) {
	files := &board.Files{Names: []string{"a.stg"}, Best: board.Best{}, Source: filesOf("a.stg", "b.stg")}
	if err := files.Best.Read("best", strings.NewReader("b.stg,2,8")); err != nil {
		t.Fatal(err)
	}
	rows := twoGraphs(t, "optimal.json", files)
	if r, is := rows["2 processors: HEFT, above the bound"]; !is || math.Abs(r.Measured-100/6.) > 1e-3 { // 9 of 9, and 6 of 9/2
		t.Errorf("%v %+v", is, r)
	}
	if _, is := rows["2 processors: HEFT, above the best known"]; is {
		t.Error("a file without a name has a known length")
	}
}

// TestBaselines: beside one another somebody is the shortest and nobody shorter.
func TestBaselines(t *testing.T) {
	lowest := math.Inf(1)
	for name, r := range twoGraphs(t, "baselines.json", &board.Files{Names: []string{"b.stg"}, Source: filesOf("b.stg")}) {
		if strings.HasSuffix(name, ", above the shortest") {
			lowest = min(lowest, r.Measured)
			if judged(r) != "" || !strings.Contains(r.Note, "± is the standard deviation over the graphs") {
				t.Errorf("%+v", r)
			}
		}
	}
	if lowest != 0 {
		t.Errorf("the shortest is %v %% above itself", lowest)
	}
}

// TestFilesCalls: what is wrong with a call is a sentence, and a seed beyond the graphs plays
// none.
func TestFilesCalls(t *testing.T) {
	const who = `"contenders":[{"name":"HEFT","system":"static","settings":{"algorithm":"heft"}}]`
	files := &board.Files{Source: filesOf("a.stg", "b.stg")}
	call := func(files *board.Files, seed uint64, arguments string) (map[string]float64, error) {
		return board.Functions(files)[board.PlaysFiles](seed, json.RawMessage(arguments))
	}
	if told, err := call(files, 3, `{"machines":{"count":2},`+who+`}`); err != nil || told != nil {
		t.Errorf("the third of two graphs: %v (%v)", told, err)
	}
	for arguments, want := range map[string]string{
		`{"machines":{"count":2},"contender":[]}`:                                                               `unknown field "contender"`,
		`{"machines":{"bandwidth":0},"known":true,` + who + `}`:                                                 "machines has no count",
		`{"machines":{"count":2},"contenders":[{"name":"a","system":"none","settings":{}}]}`:                    "none",
		`{"machines":{"count":2},"contenders":[{"name":"a","system":"static","settings":{"algorithm":"hef"}}]}`: "hef",
	} {
		if _, err := call(files, 1, arguments); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", arguments, err)
		}
	}
	if _, err := call(nil, 1, `{"files":"graphs","machines":{"count":2},`+who+`}`); err == nil || err.Error() != "board/files plays graphs: give them with --trace" {
		t.Errorf("%v", err)
	}
	broken := &board.Files{Source: func(*scenario.Scenario) (workload.Source, error) { return nil, io.ErrUnexpectedEOF }}
	if _, err := broken.Graphs(); err == nil {
		t.Error("files that are gone have graphs")
	}
	if _, err := call(broken, 1, `{"machines":{"count":2},`+who+`}`); err == nil {
		t.Error("files that are gone are played")
	}
}

// TestPlays: a call plays generated graphs, and refuses what it does not know.
func TestPlays(t *testing.T) {
	f := board.Functions(nil)["board/graphs"]
	play := func(load string) map[string]float64 {
		got, err := f(1, json.RawMessage(`{"system":"board","settings":{"thread_rule":"ready"},"nodes":20,"until":"4h","tightness":2,"load":`+load+`}`))
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	low, high := play("0.5"), play("2")
	if low["possible"] != 100 || high["possible"] != 80 || !(low["guarantee"] > high["guarantee"]) || !(low["efficiency, computing"] < high["efficiency, computing"]) {
		t.Errorf("load 0.5: %v, load 2: %v", low, high)
	}
	for _, wrong := range []string{`{"speed":1}`, `{"system":"none","load":1,"tightness":1}`, `{"system":"board","tightness":1}`} {
		if _, err := f(1, json.RawMessage(wrong)); err == nil {
			t.Errorf("%s is played", wrong)
		}
	}
}
