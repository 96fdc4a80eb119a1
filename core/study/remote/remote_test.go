package remote_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley/core/cluster"
	"parley/core/message"
	"parley/core/study/remote"
)

// small is the scenario that bases name "small".
func small(name string) ([]byte, bool) {
	return []byte(`{"v":1,"system":"central","seed":9,"cluster":{"nodes":100},"until":"10m"}`), name == "small"
}

var systems = []message.SweepSystem{{ID: "central", Settings: []string{"policy", "later.quota"}}}

const grid = `{"v":1,"base":"small","axes":{"cluster.nodes":[50,100],"settings.policy":["a","b","c"],"workload.scale":[1,2,3]},"zip":[["settings.policy","workload.scale"]],"seeds":[1,2],"compare":{"axis":"cluster.nodes"}}`

// said is what the desk says: the sentence of a trouble, else the message as it crosses.
func said(d *remote.Desk, m message.Message) string {
	answer := d.Answer(m)
	if trouble, is := answer.(message.NewTrouble); is {
		return "! " + trouble.Trouble.Sentence
	}
	text, _, err := message.Encode(answer)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// report is what a run could say: its seed as a figure.
func report(r message.RunToPlay, engine string) json.RawMessage {
	var s struct{ Seed float64 }
	if err := json.Unmarshal(r.Scenario, &s); err != nil {
		panic(err)
	}
	return fmt.Appendf(nil, `{"engine":%q,"digest":%q,"simulated_s":600,"wall_s":0,"events":7,"metrics":{"load":%v},"system":{},"warnings":[]}`, engine, r.ID[:16], s.Seed)
}

func read(t *testing.T, doc string) *remote.Desk {
	t.Helper()
	d := remote.New(small)
	if text := said(d, message.ReadSweep{Document: doc, Systems: systems}); strings.HasPrefix(text, "!") {
		t.Fatal(text)
	}
	return d
}

// finish plays all that is missing, but for the runs that fail, and returns how many that were.
func finish(t *testing.T, d *remote.Desk, fails func(message.RunToPlay) bool) (played int) {
	t.Helper()
	got := d.Answer(message.TakeRuns{Runs: 3}).(message.RunsToPlay)
	if len(got.Runs) == 0 && !got.Over {
		t.Fatal("there is nothing to play, and yet it is not over")
	}
	for waiting := got.Runs; len(waiting) > 0; played++ {
		done := message.RunDone{ID: waiting[0].ID, Runs: 1, WallS: 0.5}
		if fails(waiting[0]) {
			done.Reason = "too hot"
		} else {
			done.Report = report(waiting[0], cluster.Engine)
		}
		answer := d.Answer(done)
		next, is := answer.(message.RunsToPlay)
		if !is {
			t.Fatalf("%+v", answer)
		}
		waiting = append(waiting[1:], next.Runs...)
		if next.Over != (len(waiting) == 0) {
			t.Fatalf("over %v with %d runs under way", next.Over, len(waiting))
		}
	}
	return played
}

func never(message.RunToPlay) bool { return false }

// What a sweep is is told once: linked axes as one, the last fastest over the cells.
func TestReads(t *testing.T) {
	got := said(remote.New(small), message.ReadSweep{Document: grid, Systems: systems})
	want := `{"type":"sweep","name":"","runs":12,"groups":[{"name":"cluster.nodes","values":["50","100"]},{"name":"settings.policy, workload.scale","values":["a, 1","b, 2","c, 3"]}],"seeds":2,"compare":"cluster.nodes 50","goal":"","nodes":100,"files":[]}`
	if got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
}

// A bad message is one sentence, and what was there stays.
func TestRefuses(t *testing.T) {
	fresh := func() *remote.Desk { return remote.New(small) }
	full := func() *remote.Desk {
		d := read(t, grid)
		finish(t, d, never)
		return d
	}
	lines := full().Answer(message.SaveSweep{Content: "results"}).(message.SavedFile).Text
	first, rest, _ := strings.Cut(lines, "\n")
	half := func() *remote.Desk {
		d := read(t, grid)
		said(d, message.ReadResults{Name: "results.jsonl", Text: first + "\n"})
		return d
	}
	another := strings.Replace(first[:strings.LastIndex(first, `,"crc32"`)], `"load":1`, `"load":5`, 1) + "}" // as an earlier version writes it
	for _, c := range []struct {
		name string
		desk func() *remote.Desk
		m    message.Message
		want string
	}{
		{"no sweep", fresh, message.TakeRuns{Runs: 1}, "there is no sweep yet: write or open one"},
		{"no JSON", fresh, message.ReadSweep{Document: "x", Systems: systems}, "the sweep cannot be read"},
		{"a system", fresh, message.ReadSweep{Document: `{"v":1,"base":{"v":1,"system":"centrl"}}`, Systems: systems}, `there is no system "centrl"; there are central`},
		{"a setting", fresh, message.ReadSweep{Document: `{"v":1,"base":"small","axes":{"settings.polisy":[1]}}`, Systems: systems}, "axes: settings.polisy is no setting of central"},
		{"a seed", fresh, message.ReadSweep{Document: `{"v":1,"base":"small","seeds":[1,9007199254740993]}`, Systems: systems}, "seeds has 9007199254740993: a browser counts to 9007199254740991"},
		{"a cell", full, message.LookAtCell{Cell: 6}, "the sweep has no cell 6"},
		{"a run", full, message.RunDone{ID: "0123"}, "that run was not asked for"},
		{"a bad line", full, message.ReadResults{Name: "a.jsonl", Text: first + "\nx\n"}, "a.jsonl, line 2 is no result"},
		{"a conflict", half, message.ReadResults{Name: "a.jsonl", Text: another + "\n" + rest}, "has the digest"},
		{"an altered line", half, message.ReadResults{Name: "a.jsonl", Text: rest + strings.Replace(first, `"load":1`, `"load":5`, 1) + "\n"}, "line 12 is no result: it was altered"},
		{"a stranger", full, message.ReadSweep{Document: "{}", Systems: systems}, `the sweep has no "v"`},
	} {
		d := c.desk()
		table := said(d, message.TabulateSweep{})
		if got := said(d, c.m); !strings.HasPrefix(got, "! ") || !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
		if after := said(d, message.TabulateSweep{}); after != table {
			t.Errorf("%s: the table was\n%s\nand is\n%s", c.name, table, after)
		}
	}
}

// Results outlive a change of the sweep, cross from desk to desk, and are not played twice.
func TestResultsStay(t *testing.T) {
	d := read(t, grid)
	if n := finish(t, d, never); n != 12 {
		t.Errorf("%d runs", n)
	}
	more := strings.Replace(grid, `"seeds":[1,2]`, `"seeds":[1,2,3]`, 1)
	if got := said(d, message.ReadSweep{Document: more, Systems: systems}); !strings.Contains(got, `"runs":18`) {
		t.Error(got)
	}
	if n := finish(t, d, never); n != 6 {
		t.Errorf("%d runs for one seed more, not 6", n)
	}
	saved := d.Answer(message.SaveSweep{Content: "results"}).(message.SavedFile).Text
	if n := strings.Count(saved, "\n"); n != 18 {
		t.Errorf("%d lines", n)
	}
	other := read(t, more)
	said(other, message.TakeRuns{Runs: 1}) // and it is given up: its result comes from elsewhere
	if got := said(other, message.ReadResults{Name: "results.jsonl", Text: saved + `{"id":"0`}); got != said(d, message.TabulateSweep{}) {
		t.Errorf("after the results of the other desk: %s", got)
	}
	if n := finish(t, other, never); n != 0 {
		t.Errorf("%d runs were played again", n)
	}
	if again := other.Answer(message.SaveSweep{Content: "results"}).(message.SavedFile).Text; again != saved {
		t.Errorf("the lines are\n%s\nnot\n%s", again, saved)
	}
}

// A run that fails is given up until the sweep is begun again; one of another engine is refused.
func TestFailures(t *testing.T) {
	d := read(t, grid)
	if n := finish(t, d, func(r message.RunToPlay) bool { return strings.HasSuffix(r.Where, "scale 2, seed 1") }); n != 12 {
		t.Errorf("%d runs", n)
	}
	if got := said(d, message.TabulateSweep{}); !strings.HasPrefix(got, `{"type":"table","runs":12,"done":10,`) {
		t.Error(got)
	}
	said(d, message.Cancel{})
	run := d.Answer(message.TakeRuns{Runs: 1}).(message.RunsToPlay).Runs[0]
	if got := said(d, message.RunDone{ID: run.ID, Report: report(run, "0.0.9")}); !strings.Contains(got, "0.0.9") || !strings.HasPrefix(got, "! ") {
		t.Error(got)
	}
	said(d, message.Cancel{})
	if n := finish(t, d, never); n != 2 {
		t.Errorf("%d runs that had failed were played, not 2", n)
	}
}

// A cell tells its figures, its differences and its runs; the map one figure of all.
func TestTellsCells(t *testing.T) {
	d := read(t, grid)
	finish(t, d, func(r message.RunToPlay) bool {
		return strings.HasPrefix(r.Where, "cluster.nodes 100") && strings.HasSuffix(r.Where, "seed 2")
	})
	cell := d.Answer(message.LookAtCell{Cell: 4}).(message.SweepCell)
	if cell.Where != "cluster.nodes 100, settings.policy b, workload.scale 2" || len(cell.Runs) != 2 || len(cell.Runs[0].Digest) != 16 || cell.Runs[1].Digest != "" || cell.Runs[1].Seed != 2 {
		t.Errorf("%+v", cell)
	}
	if len(cell.Figures) != 2 || cell.Figures[1].Name != "load" || cell.Figures[1].Mean != 1 || len(cell.Differences) != 2 || cell.Differences[1].N != 1 {
		t.Errorf("%+v", cell)
	}
	table := d.Answer(message.TabulateSweep{Metric: "load"}).(message.SweepTable)
	if first := table.Cells[0]; table.Metric != "load" || first.Figure.Mean != 1.5 || first.Figure.Low == nil || first.Difference != nil {
		t.Errorf("%+v", table)
	}
	if last := table.Cells[5]; last.Difference == nil || last.Difference.Mean != 0 || last.Difference.Low != nil {
		t.Errorf("%+v", last)
	}
	if alike, alone := table.Cells[3].Difference.Verdict, cell.Differences[1].Verdict; alike != "unknown" || alone != "unknown" {
		t.Errorf("one seed was judged: %q, %q", alike, alone)
	}
	if usual := d.Answer(message.TabulateSweep{Metric: "lode"}).(message.SweepTable).Metric; usual != "events" {
		t.Error(usual)
	}
}

// A difference is judged here, in the map and in the cell; a mean is not judged.
func TestJudgesDifferences(t *testing.T) {
	d := read(t, `{"v":1,"base":"small","axes":{"cluster.nodes":[50,100]},"seeds":[1,2],"compare":{"axis":"cluster.nodes"}}`)
	finish(t, d, never)
	table := d.Answer(message.TabulateSweep{Metric: "load"}).(message.SweepTable)
	cell := d.Answer(message.LookAtCell{Cell: 1}).(message.SweepCell)
	if got := table.Cells[1].Difference.Verdict; got != "unknown" {
		t.Errorf("two equal samples differ: %q", got)
	}
	if got := cell.Differences[1].Verdict; got != "unknown" || cell.Figures[1].Verdict != "" || table.Cells[1].Figure.Verdict != "" {
		t.Errorf("%+v", cell)
	}
}

// The nodes told of are those of the largest cell: of the base, or of the axis that has
// them, whatever numbers other axes have.
func TestTellsTheMostNodes(t *testing.T) {
	for axes, want := range map[string]int{
		`{"cluster.nodes":[50,70]}`:                       100,
		`{"cluster.nodes":[200,50]}`:                      200,
		`{"settings.policy":[500]}`:                       100,
		`{"cluster.nodes":[300],"settings.policy":[500]}`: 300,
	} {
		got := remote.New(small).Answer(message.ReadSweep{Document: `{"v":1,"base":"small","axes":` + axes + `}`, Systems: systems})
		if read, is := got.(message.SweepRead); !is || read.Nodes != want {
			t.Errorf("%s: %+v, want %d nodes", axes, got, want)
		}
	}
}

// A browser counts to 2⁵³ - 1, and that is a seed.
func TestTakesTheLargestSeed(t *testing.T) {
	d := read(t, `{"v":1,"base":"small","seeds":[9007199254740991]}`)
	if got := d.Answer(message.TakeRuns{Runs: 1}).(message.RunsToPlay); len(got.Runs) != 1 || got.Runs[0].Where != "seed 9007199254740991" {
		t.Errorf("%+v", got)
	}
}

// As many runs are handed out as are asked for, and no more than there are.
func TestHandsOutWhatIsAskedFor(t *testing.T) {
	d := read(t, grid)
	for _, c := range []struct{ ask, want int }{{0, 0}, {3, 3}, {1, 1}, {100, 8}, {1, 0}} {
		got := d.Answer(message.TakeRuns{Runs: c.ask}).(message.RunsToPlay)
		if len(got.Runs) != c.want {
			t.Errorf("of 12 runs %d were asked for and %d are handed out, want %d", c.ask, len(got.Runs), c.want)
		}
	}
}

// The first cell and the last are there, and none before or behind them.
func TestCellsHaveBounds(t *testing.T) {
	d := read(t, grid)
	for cell, want := range map[int]string{
		-1: "! the sweep has no cell -1",
		0:  `"cluster.nodes 50, settings.policy a, workload.scale 1"`,
		5:  `"cluster.nodes 100, settings.policy c, workload.scale 3"`,
		6:  "! the sweep has no cell 6",
	} {
		if got := said(d, message.LookAtCell{Cell: cell}); !strings.Contains(got, want) {
			t.Errorf("cell %d: %s, want %s", cell, got, want)
		}
	}
}

// A table without results has no metric, and keeps the one that was asked for.
func TestTabulatesNothing(t *testing.T) {
	table := read(t, grid).Answer(message.TabulateSweep{Metric: "load"}).(message.SweepTable)
	if table.Metric != "load" || len(table.Metrics) != 0 || table.Done != 0 || table.Runs != 12 {
		t.Errorf("%+v", table)
	}
}

// The sweep, the results and the table are files, the table in two formats.
func TestSaves(t *testing.T) {
	d := read(t, `{"v":1,"base":"small","axes":{"cluster.nodes":[50]}}`)
	finish(t, d, never)
	for subject, want := range map[string]message.SavedFile{
		"sweep":   {Name: "sweep.json", MediaType: "application/json", Text: `"cluster.nodes"`},
		"results": {Name: "results.jsonl", MediaType: "application/x-ndjson", Text: `"load":9`},
		"csv":     {Name: "table.csv", MediaType: "text/csv", Text: "cluster.nodes,n,"},
		"table":   {Name: "table.json", MediaType: "application/json", Text: `"rows"`},
	} {
		file := d.Answer(message.SaveSweep{Content: subject}).(message.SavedFile)
		if file.Name != want.Name || file.MediaType != want.MediaType || !strings.Contains(file.Text, want.Text) {
			t.Errorf("%s: %+v, want %+v", subject, file, want)
		}
	}
}
