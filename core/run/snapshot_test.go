package run_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"parley/core/cluster"
	"parley/core/feed"
	"parley/core/rng"
	"parley/core/run"
	"parley/core/run/events"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/unit"
	"parley/core/workload"
)

// past is a scenario to go back in.
type past struct {
	name  string
	s     *scenario.Scenario
	files []trace.File
}

func (p past) source(t *testing.T) workload.Source {
	t.Helper()
	if p.files == nil {
		return nil
	}
	s, err := feed.Open(p.s, p.files, formats.All, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (p past) open(t *testing.T, options ...run.Option) *run.Run {
	t.Helper()
	r, err := run.Open(p.s, p.source(t), append(options, run.KeepNotes(100), run.KeepIncidents())...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (p past) restore(t *testing.T, s *run.Snapshot) (*run.Run, *run.Snapshots) {
	t.Helper()
	own, taker, err := s.Restore(p.source(t), p.s.Faults)
	if err != nil {
		t.Fatal(err)
	}
	return own, taker
}

// pasts are the gallery's scenarios in small, those of the digests of graphs, and
// files of the formats that stream.
func pasts(t *testing.T) (all []past) {
	t.Helper()
	names, err := filepath.Glob("../../assets/scenarios/*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("no scenario: %v", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s := parse(t, string(text))
		s.Cluster.Nodes = min(s.Cluster.Nodes, 120)
		for i := range s.Faults {
			s.Faults[i].Target = strings.Replace(s.Faults[i].Target, "rack.137", "rack.1", 1)
		}
		all = append(all, past{name: strings.TrimSuffix(filepath.Base(name), ".json"), s: s})
	}
	digests, err := os.ReadFile("testdata/graph_digests.txt")
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range strings.Split(string(digests), "\nrun\n")[1:] {
		document, _, _ := strings.Cut(part, "----")
		all = append(all, past{name: fmt.Sprintf("graphs %d", i), s: parse(t, document)})
	}
	cell := []string{"machine_events/part-00000-of-00001.csv", "task_events/part-00000-of-00002.csv.gz", "task_events/part-00001-of-00002.csv.gz", "task_usage/part-00000-of-00001.csv.gz"}
	for _, document := range []string{
		`{"v":1,"system":"negotiation","workload":{"trace":[{"name":"cell"}]},"until":"90m"}`,
		`{"v":1,"system":"central","chart":"p95(cpu.used)","cluster":{"keep":0.8},"workload":{"trace":[{"name":"cell"}],"scale":1.2},"until":"90m"}`,
	} {
		all = append(all, past{"google2011", parse(t, document), filesIn(t, "../trace/google2011/testdata/cell", cell...)})
	}
	for _, system := range []string{"central", "market"} {
		document := fmt.Sprintf(`{"v":1,"system":%q,"workload":{"trace":[{"name":"small.swf"}]},"until":"6h"}`, system)
		all = append(all, past{"swf " + system, parse(t, document), filesIn(t, "../trace/swf/testdata/samples", "small.swf")})
	}
	for _, batch := range []string{
		`"order":"multifactor","backfill":"multifactor","queues":"1: tier=1 preempts; *: user_jobs=3","reservations":"all from 1h to 2h"`,
		`"slack":2,"queues":"1: nodes=0-3"`,
	} {
		policy := "easy"
		if strings.Contains(batch, "slack") {
			policy = "slack"
		}
		document := fmt.Sprintf(`{"v":1,"system":"central","settings":{"policy":%q,"batch":{%s}},"workload":{"trace":[{"name":"queues.swf"}]},"until":"6h"}`, policy, batch)
		all = append(all, past{"swf queues " + policy, parse(t, document), []trace.File{inMemory("queues.swf", queuesLog(false))}})
	}
	chains := parse(t, `{"v":1,"system":"central","settings":{"policy":"easy","batch":{"queues":"batch: user_jobs=2"}},"workload":{"trace":[{"name":"chains.swf"}]},"until":"6h"}`)
	return append(all, past{"swf chains", chains, []trace.File{inMemory("chains.swf", queuesLog(true))}})
}

// queuesLog is a log of two queues, four users and two groups on eight processors. With chains a
// queue has a name, and most jobs come when an earlier one has ended.
func queuesLog(chains bool) string {
	var b strings.Builder
	b.WriteString("; MaxProcs: 8\n; MaxNodes: 8\n")
	if chains {
		b.WriteString("; Queue: 1 batch\n")
	}
	random := rng.New(3, "queues")
	for i := range 300 {
		run := 10 + random.Intn(900)
		after := "-1 -1"
		if chains {
			after = fmt.Sprintf("%d %d", i-i%5, i%4*200)
		}
		fmt.Fprintf(&b, "%d %d -1 %d %d -1 -1 -1 %d -1 1 %d %d -1 %d -1 %s\n", i+1, 70*i, run, 1+random.Intn(4), run+random.Intn(600), 1+random.Intn(4), 1+random.Intn(2), 1+random.Intn(2), after)
	}
	return b.String()
}

func filesIn(t *testing.T, dir string, names ...string) (files []trace.File) {
	t.Helper()
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, trace.File{Name: name, Size: int64(len(text)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }})
	}
	return files
}

// all is everything that a run tells of itself.
func all(t *testing.T, r *run.Run) string {
	t.Helper()
	if err := r.Audit(); err != nil {
		t.Error(err)
	}
	table := r.Table()
	timeline, _ := r.Timeline()
	accounts, _ := r.Accounts(10)
	graphs, _ := r.Graphs(10)
	text, err := json.Marshal([]any{
		r.Now(), r.Report(), r.Lines(unit.NoNode, 100), r.Incidents(), r.Frame(nil), r.Layers(), r.Layout(),
		table.At, table.Rows, table.Step, timeline, accounts, graphs,
	})
	if err != nil {
		t.Fatal(err)
	}
	for row := range table.Rows {
		for c := range table.Columns() {
			text = fmt.Append(text, " ", table.Value(row, c))
		}
	}
	return string(text)
}

// watcher watches and writes in ways that nobody can copy.
type watcher struct{ see func() }

func (w watcher) Observe(cluster.Event) { w.see() }

func (w watcher) Write(p []byte) (int, error) { return len(p), nil }

// TestPastPlaysAgain is the oracle of going back: runs of every system are copied at
// random moments, and original, copies and copies of copies are played on in turns,
// in random slices. All end as a run that nobody copied, in everything that they tell,
// and who watches the original hears nothing of the copies.
func TestPastPlaysAgain(t *testing.T) {
	played := map[string]bool{}
	for _, p := range pasts(t) {
		played[p.s.System] = true
		t.Run(p.name, func(t *testing.T) {
			t.Cleanup(runtime.GC) // WebAssembly has 4 GB, and each name leaves hundreds of MB
			random := rng.New(uint64(len(p.name)), "past")
			end := min(unit.Time(p.s.Until), 30*unit.Minute)
			if testing.Short() {
				end = min(end, 8*unit.Minute)
			}
			p.s.Until = scenario.Duration(end)
			straight := p.open(t)
			advance(t, straight, end)
			want := all(t, straight)
			fired := straight.Events()

			seen := 0
			watches := watcher{func() { seen++ }}
			log, err := events.New(watches, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			original := p.open(t, run.Watch(watches), run.LogEvents(log))
			taker := run.NewSnapshots(original)
			takers := map[*run.Run]*run.Snapshots{original: taker}
			runs := []*run.Run{original}
			for round := 0; round < 24 || len(runs) > 0; round++ {
				if len(runs) == 0 {
					break
				}
				i := random.Intn(len(runs))
				r := runs[i]
				if round < 24 && round%3 == 2 && len(runs) < 5 {
					s, err := takers[r].Take()
					if err != nil {
						t.Fatal(err)
					}
					own, next := p.restore(t, s)
					takers[own] = next
					runs = append(runs, own)
					if now := own.Now(); now != r.Now() || own.Digest() != r.Digest() {
						t.Fatalf("the copy is at %v with %v, the original at %v with %v", now, own.Digest(), r.Now(), r.Digest())
					}
					continue
				}
				steps := 1 + random.Intn(1+int(straight.Events())/16)
				if round > 40 {
					steps = 1 << 30
				}
				before := seen
				if err := r.AdvanceWhile(end, func() bool { steps--; return steps > 0 }); err != nil {
					t.Fatal(err)
				}
				if r != original && seen != before {
					t.Fatal("who watches the original hears of a copy")
				}
				if r.Now() < end && !r.Done() {
					continue
				}
				if got := all(t, r); got != want {
					t.Fatalf("run %d of %d ends at %v with %v, %d events; a straight one with %v, %d events: %s", i, len(takers), r.Now(), r.Digest(), r.Events(), straight.Digest(), fired, different(got, want))
				}
				runs = slices.Delete(runs, i, i+1)
				takers[r] = nil
			}
			if len(takers) < 3 || seen == 0 {
				t.Errorf("%d runs, %d events seen: nothing is tested", len(takers), seen)
			}
		})
	}
	for _, e := range run.Systems().Offered() {
		if !played[e.ID] {
			t.Errorf("nobody goes back in a run of %s", e.ID)
		}
	}
}

// different is where two texts begin to differ.
func different(got, want string) string {
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	around := func(s string) string { return s[max(0, i-80):min(len(s), i+80)] }
	return fmt.Sprintf("got …%s… want …%s…", around(got), around(want))
}
