package run_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"parley/core/frame"
	"parley/core/run"
	"parley/core/system"
	"parley/core/unit"
)

// TestReport: the fields that scripts rely on are there, and agree with the
// cluster.
func TestReport(t *testing.T) {
	for _, id := range systems {
		r := open(t, fmt.Sprintf(`{"v":1,"system":%q,"cluster":{"nodes":50},"until":"20m"}`, id))
		advance(t, r, unit.Forever)
		raw, err := json.Marshal(r.Report())
		if err != nil {
			t.Fatal(err)
		}
		var told struct {
			Engine, Digest string
			SimulatedS     float64 `json:"simulated_s"`
			Events         uint64
			Metrics        map[string]float64
			System         map[string]any
			Warnings       []string
		}
		if err := json.Unmarshal(raw, &told); err != nil {
			t.Fatal(err)
		}
		totals := r.View().Totals()
		if told.Engine != run.Engine || told.Digest != r.Digest().String() || told.SimulatedS != 1200 || told.Events != r.Events() || told.Warnings == nil {
			t.Errorf("%s reports %s", id, raw)
		}
		classes := 0.0
		for _, name := range []string{"sta_pct", "ta_pct", "pa_pct", "da_pct"} {
			classes += told.System[name].(float64)
		}
		if classes < 99.99 || classes > 100.01 {
			t.Errorf("%s: the four classes add up to %v %%", id, classes)
		}
		want := map[string]float64{
			"tasks_submitted": float64(totals.Submitted), "tasks_waiting": float64(totals.Waiting), "tasks_placed": float64(totals.Placements),
			"migrations": float64(totals.Migrations), "migrations_forced": float64(totals.Forced), "placements_forced": float64(totals.ForcedPlacements),
		}
		names := []string{"idle_pct", "overloaded_pct", "migration_mb", "rus_breaches_per_min"}
		if id == "negotiation" {
			names = append(names, "migration_attempts", "migration_rejected", "messages")
		}
		for name, value := range want {
			if told.System[name] != value {
				t.Errorf("%s: %s is %v, want %v", id, name, told.System[name], value)
			}
		}
		for _, name := range names {
			if _, ok := told.System[name].(float64); !ok {
				t.Errorf("%s: %s is %v", id, name, told.System[name])
			}
		}
	}
}

// TestPictures: a frame has as many layers as are described and as many cells as
// there are nodes.
func TestPictures(t *testing.T) {
	r := open(t, fmt.Sprintf(restless, "negotiation"))
	advance(t, r, 6*unit.Minute)
	var f frame.Frame
	if err := frame.Decode(r.Frame(nil), &f); err != nil {
		t.Fatal(err)
	}
	if len(f.Layers) != len(r.Layers()) || f.Cells != r.View().Nodes() || f.At != r.Now() || len(r.Layout().X) != f.Cells {
		t.Errorf("a frame at %v of %d layers and %d cells; there are %d layers and %d nodes", f.At, len(f.Layers), f.Cells, len(r.Layers()), r.View().Nodes())
	}
}

// TestNotes keeps the latest notes, newest first.
func TestNotes(t *testing.T) {
	n := run.NewNotes(3)
	for i := range 5 {
		var got []uint32
		for note := range n.Latest {
			got = append(got, note.Ref)
		}
		want := []uint32{}
		for j := i - 1; j >= max(0, i-3); j-- {
			want = append(want, uint32(j))
		}
		if !slices.Equal(got, want) {
			t.Errorf("after %d notes the latest are %v, want %v", i, got, want)
		}
		n.Add(system.Note{Ref: uint32(i)})
	}
	if n.Seen() != 5 {
		t.Errorf("%d notes were seen", n.Seen())
	}
}

// troubled is a cell that loses a rack, so that much is negotiated.
const troubled = `{"v":1,"system":"negotiation","seed":3,"cluster":{"nodes":120,"physical":{"rack_size":12}},"workload":{"scale":1.1},"faults":[{"at":"2m","kind":"rack_down","target":"rack.1"},{"at":"2m","kind":"rack_down","target":"rack.2"}],"until":"40m"}`

// TestStory: every negotiation that a line names has a log of its own, which
// begins with a question to a broker, is in the order of time, tells the steps
// that the lines leave out, and comes to the decision that is remembered.
func TestStory(t *testing.T) {
	r := open(t, troubled, run.KeepNotes(100_000))
	advance(t, r, 30*unit.Minute)
	stories, moved, decided, steps := map[uint32]bool{}, 0, 0, 0
	for _, line := range r.Lines(unit.NoNode, 1000) {
		if strings.Contains(line.Text, "answers") || strings.Contains(line.Text, "sends a new task") {
			t.Errorf("a single step is told to everybody: %+v", line)
		}
		if line.Ref == 0 || stories[line.Ref] {
			continue
		}
		stories[line.Ref] = true
		story := r.Story(line.Ref)
		if len(story.Lines) < 2 || !strings.Contains(story.Lines[0].Text, "asks broker") || !slices.IsSortedFunc(story.Lines, func(a, b run.Line) int { return int(a.At - b.At) }) {
			t.Fatalf("negotiation %d: %+v", line.Ref, story.Lines)
		}
		for _, other := range story.Lines[1:] {
			if strings.Contains(other.Text, "asks broker") || !slices.Contains(other.Nodes, story.Lines[0].Nodes[0]) {
				t.Errorf("another negotiation in the log of %d: %+v", line.Ref, other)
			}
		}
		steps += len(story.Lines)
		if strings.Contains(story.Lines[len(story.Lines)-1].Text, "has moved from") {
			moved++
		}
		if d := story.Decision; d != nil {
			decided++
			if d.Ref != line.Ref || d.From != story.Lines[0].Nodes[0] {
				t.Errorf("the decision of negotiation %d is %+v", line.Ref, d)
			}
		}
	}
	if len(stories) < 10 || moved == 0 || decided == 0 || steps < 5*len(stories) {
		t.Errorf("%d negotiations, %d moved, %d decided, %d steps", len(stories), moved, decided, steps)
	}
	if none := r.Story(0); len(none.Lines) > 0 || none.Decision != nil {
		t.Errorf("no negotiation is told as %+v", none)
	}
}

// TestManyPlacements: placements of new tasks push out one another, and no
// negotiation; all are told in the order of time.
func TestManyPlacements(t *testing.T) {
	n := run.NewNotes(8)
	for at := range unit.Time(100) {
		if at%10 == 0 {
			n.Add(system.Note{At: at, Ref: 1, Minor: true})
		}
		n.Add(system.Note{At: at, Minor: true})
	}
	var got []unit.Time
	for note := range n.Latest {
		got = append(got, note.At)
	}
	if want := []unit.Time{99, 98, 97, 90, 80, 70, 60, 50, 40, 30, 20}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestInspect tells of a node what the cluster knows, and the notes about it.
func TestInspect(t *testing.T) {
	r := open(t, troubled, run.KeepNotes(20_000))
	advance(t, r, 30*unit.Minute)
	v := r.View()
	lines := 0
	for n := range unit.NodeID(v.Nodes()) {
		report, err := r.Inspect(n)
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Tasks)+report.More != v.Count(n) || report.Up != v.Up(n) || report.Rack != v.Rack(n) {
			t.Errorf("node %d: %d tasks and %d more, it has %d", n, len(report.Tasks), report.More, v.Count(n))
		}
		if !slices.IsSortedFunc(report.Tasks, func(a, b run.TaskReport) int { return int(1e9 * (b.Used[unit.CPU] - a.Used[unit.CPU])) }) {
			t.Errorf("node %d: tasks are not in the order of use", n)
		}
		for r, x := range report.Used {
			if x != v.Used(n)[r].Float() {
				t.Errorf("node %d uses %v", n, report.Used)
			}
		}
		for _, line := range report.Lines {
			lines++
			if !slices.Contains(line.Nodes, n) || line.Text == "" {
				t.Errorf("node %d is told %+v", n, line)
			}
		}
	}
	if lines == 0 {
		t.Error("no node has anything to tell")
	}
	if got := len(r.Lines(unit.NoNode, 7)); got != 7 {
		t.Errorf("%d of 7 lines", got)
	}
}

// TestCountsAreNotMeans: of a column that counts from the beginning of a run, the report has the
// latest count and not the mean over time.
func TestCountsAreNotMeans(t *testing.T) {
	counted := 0
	for _, file := range []string{"market-auction", "board-ready"} {
		r := open(t, string(must(os.ReadFile("../../assets/scenarios/"+file+".json"))))
		advance(t, r, 20*unit.Minute)
		report := r.Report()
		for _, c := range r.Table().Columns() {
			value, is := report.Metrics[c.ID]
			if own, of := report.System[c.ID].(float64); of {
				value, is = own, true
			}
			if !c.SoFar() || !is {
				continue
			}
			if value != report.AtEnd[c.ID] || value != math.Trunc(value) {
				t.Errorf("%s: %s is %v, and %v at the end", file, c.ID, value, report.AtEnd[c.ID])
			}
			if value > 0 {
				counted++
			}
		}
	}
	if counted < 2 {
		t.Errorf("%d columns counted anything", counted)
	}
}
