package main_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/assets"
	"parley/core/message"
	"parley/core/play"
	"parley/core/play/remote"
	"parley/core/run/full"
	desk "parley/core/study/remote"
	"parley/core/trace"
)

// worker is what the page's worker is to a run: it keeps the report that it ends with.
type worker struct {
	t      *testing.T
	began  time.Time
	report json.RawMessage
}

func (w *worker) Clock() time.Duration { return time.Since(w.began) }
func (w *worker) Memory() int64        { return 0 }
func (*worker) Snapshots(int)          {}
func (w *worker) Device() float64      { return 0 }

func (w *worker) Bytes(b *message.Binary) []byte { return b.Bytes }
func (w *worker) Reserve(int)                    {}
func (w *worker) File(message.File) trace.File   { panic("no files here") }

func (w *worker) Post(m message.Message) {
	switch m := m.(type) {
	case message.NewTrouble:
		w.t.Errorf("the worker says: %s", m.Trouble.Sentence)
	case remote.Ended:
		text, _, err := message.Encode(m)
		if err != nil {
			w.t.Fatal(err)
		}
		var tree struct {
			Report map[string]any `json:"report"`
		}
		if err := json.Unmarshal(text, &tree); err != nil { // as JavaScript reads numbers
			w.t.Fatal(err)
		}
		if w.report, err = json.Marshal(tree.Report); err != nil {
			w.t.Fatal(err)
		}
	}
}

// reported plays a scenario as the page does.
func reported(t *testing.T, scenario json.RawMessage) json.RawMessage {
	t.Helper()
	w := &worker{t: t, began: time.Now()}
	r := remote.New(w, full.Systems(), nil)
	r.Receive(message.Speed{})
	r.Receive(message.Open{Scenario: scenario, Play: true})
	for w.report == nil && r.Slice() != play.Idle {
	}
	if w.report == nil {
		t.Fatalf("%s does not end", scenario)
	}
	return w.report
}

// ask sends a message to the desk and returns its answer.
func ask[Answer message.Message](t *testing.T, d *desk.Desk, m message.Message) Answer {
	t.Helper()
	answer, is := d.Answer(m).(Answer)
	if !is {
		t.Fatalf("%+v is answered by %+v", m, d.Answer(m))
	}
	return answer
}

// systemsOfPage are those that the page tells the desk of.
func systemsOfPage() (all []message.SweepSystem) {
	for _, system := range full.Systems().Descriptions() {
		one := message.SweepSystem{ID: system.ID, Settings: []string{}}
		for _, s := range system.Settings {
			one.Settings = append(one.Settings, s.ID)
		}
		all = append(all, one)
	}
	return all
}

// playDesk plays at most so many runs, two at the same time and the later one first, and
// returns how many it played.
func playDesk(t *testing.T, d *desk.Desk, limit int) (played int) {
	t.Helper()
	got := ask[message.RunsToPlay](t, d, message.TakeRuns{Runs: 2})
	waiting := got.Runs
	for ; len(waiting) > 0 && played < limit; played++ {
		last := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		got = ask[message.RunsToPlay](t, d, message.RunDone{ID: last.ID, Runs: 2 - len(waiting), Report: reported(t, last.Scenario), WallS: 1})
		waiting = append(waiting, got.Runs...)
	}
	if played < limit && !got.Over {
		t.Error("nothing is under way, and yet it is not over")
	}
	return played
}

// pageSweeps are a grid, one that stops by confidence, and a search, of real runs.
func pageSweeps(t *testing.T) map[string]string {
	grid, err := os.ReadFile("sweeps/testdata/page/sweep.json")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"grid":   string(grid),
		"all":    `{"v":1,"base":{"v":1,"system":"central","seed":3},"axes":{"cluster.nodes":[30,40],"until":["5m"],"system":["central","negotiation"]},"zip":[["cluster.nodes","system"]]}`,
		"stop":   `{"v":1,"base":{"v":1,"system":"central","cluster":{"nodes":60},"until":"10m"},"seeds":{"from":1,"to":20},"stop":{"metric":"cpu_used_pct","half_width":1.5},"metrics":["cpu_used_pct"]}`,
		"search": `{"v":1,"base":{"v":1,"system":"central","cluster":{"nodes":60},"until":"10m"},"seeds":[1,2],"search":{"axis":"workload.scale","from":0.5,"to":2,"step":0.1,"find":"largest","fits":{"cpu_used_pct":{"at_most":45}}}}`,
	}
}

// What the page plays is what the command line plays: the same table to the byte, each
// going on from the other's results, and no run twice.
func TestPagesSweepIsTheCommandLines(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: plays sweeps several times")
	}
	for name, doc := range pageSweeps(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "sweep.json"), doc)
			want, err := program(t, dir, "sweep", "sweep.json", "--json", "--out", "out").Output()
			if err != nil {
				t.Fatal(err)
			}
			results := lines(t, filepath.Join(dir, "out", "results.jsonl"))
			runs := len(results) - 1

			d := desk.New(assets.Scenario)
			ask[message.SweepRead](t, d, message.ReadSweep{Document: doc, Systems: systemsOfPage()})
			first := playDesk(t, d, runs/2)
			ask[message.Cancelled](t, d, message.Cancel{})
			half := ask[message.SavedFile](t, d, message.SaveSweep{Content: "results"})
			if first+playDesk(t, d, runs) != runs {
				t.Errorf("%d runs first: all in all other than %d", first, runs)
			}
			if got := ask[message.SavedFile](t, d, message.SaveSweep{Content: "json"}); got.Text != string(want) {
				t.Errorf("the page's table is\n%s\nnot\n%s", got.Text, want)
			}
			csv, err := os.ReadFile(filepath.Join(dir, "out", "table.csv"))
			if got := ask[message.SavedFile](t, d, message.SaveSweep{Content: "csv"}); err != nil || got.Text != string(csv) {
				t.Errorf("%v; the page's CSV is\n%s\nnot\n%s", err, got.Text, csv)
			}

			// The command line goes on from half of the page's results.
			if err := os.Mkdir(filepath.Join(dir, "half"), 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "half", "results.jsonl"), half.Text)
			write(t, filepath.Join(dir, "saved.json"), ask[message.SavedFile](t, d, message.SaveSweep{Content: "sweep"}).Text)
			got, err := program(t, dir, "sweep", "saved.json", "--json", "--out", "half").Output()
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%v: the table is\n%s\nnot\n%s", err, got, want)
			}
			if all := lines(t, filepath.Join(dir, "half", "results.jsonl")); len(all)-1 != runs || first > 0 && !strings.HasPrefix(strings.Join(all, ""), half.Text) {
				t.Errorf("%d results, not %d", len(all)-1, runs)
			}

			// The page goes on from the command line's.
			other := desk.New(assets.Scenario)
			ask[message.SweepRead](t, other, message.ReadSweep{Document: doc, Systems: systemsOfPage()})
			ask[message.SweepTable](t, other, message.ReadResults{Name: "results.jsonl", Text: strings.Join(results[:runs-1], "")})
			if n := playDesk(t, other, runs); n != 1 {
				t.Errorf("%d runs were played, not the one that was missing", n)
			}
			if got := ask[message.SavedFile](t, other, message.SaveSweep{Content: "json"}); got.Text != string(want) {
				t.Errorf("after the command line's results the page's table is\n%s\nnot\n%s", got.Text, want)
			}
		})
	}
}

// The table that the browser's test compares with is the command line's.
func TestTableOfTheBrowsersTest(t *testing.T) {
	got, err := program(t, ".", "sweep", "sweeps/testdata/page/sweep.json", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("sweeps/testdata/page/table.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("sweeps/testdata/page/table.json is not\n%s", got)
	}
}
