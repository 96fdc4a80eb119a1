package run_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/core/cluster"
	"parley/core/frame"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/testkit/runtest"
	"parley/core/unit"
	"parley/core/workload"
)

// records and machines are workloads in memory.
type (
	records  = runtest.Records
	machines = runtest.Records
)

var parse, open, advance = runtest.Parse, runtest.Open, runtest.Advance

// restless is a small cell in which much happens: faults, random failures,
// lossy mail.
const restless = `{"v":1,"system":%q,"seed":3,"cluster":{"nodes":120,"physical":{"rack_size":12}},"workload":{"scale":1.05},
 "faults":[{"at":"0s","kind":"node_down","target":"node.5"},{"at":"3m","kind":"rack_down","target":"rack.2"},{"at":"3m","kind":"node_down","target":"node.7"},
  {"at":"4m","kind":"mail_loss","target":"mail","value":0.2},{"at":"5m30s","kind":"broker_down","target":"broker.0"},{"at":"7m","kind":"broker_up","target":"broker.0"},
  {"at":"8m","kind":"rack_cut","target":"rack.1"},{"at":"11m","kind":"rack_up","target":"rack.2"},{"at":"12m","kind":"rack_healed","target":"rack.1"}],
 "chaos":{"node_mtbf":"10h","rack_mtbf":"8h","mttr":"4m"},"until":"30m"}`

var systems = []string{"negotiation", "central"}

// counter is an Observer.
type counter struct{ events int }

func (c *counter) Observe(cluster.Event) { c.events++ }

// TestWatchingChangesNothing: a run nobody watches and runs with every observer,
// in slices of any length, with pictures, reports and questions in between, end
// in one digest.
func TestWatchingChangesNothing(t *testing.T) {
	for _, id := range systems {
		t.Run(id, func(t *testing.T) {
			document := fmt.Sprintf(restless, id)
			plain := open(t, document)
			advance(t, plain, unit.Forever)
			same := func(how string, r *run.Run) {
				t.Helper()
				if r.Digest() != plain.Digest() || r.Events() != plain.Events() {
					t.Errorf("%s: %v after %d events, unwatched %v after %d", how, r.Digest(), r.Events(), plain.Digest(), plain.Events())
				}
				if got, want := r.Table().Mean(r.Now()), plain.Table().Mean(plain.Now()); got != want {
					t.Errorf("%s: means %v, unwatched %v", how, got, want)
				}
			}
			again := open(t, document)
			advance(t, again, unit.Forever)
			same("a second time", again)

			watched, c := (*run.Run)(nil), &counter{}
			watched = open(t, document, run.Watch(c), run.KeepNotes(500))
			var picture []byte
			for at := unit.Time(0); !watched.Done(); at += 7*unit.Second + 13 {
				advance(t, watched, at)
				picture = watched.Frame(picture[:0])
				look(t, watched)
			}
			same("watched in slices of 7 s", watched)
			if c.events == 0 {
				t.Error("the observer saw nothing")
			}

			sliced := open(t, document)
			for at := unit.Time(0); at < 2*unit.Minute; at += unit.Millisecond {
				advance(t, sliced, at)
			}
			advance(t, sliced, unit.Forever)
			same("in slices of 1 ms", sliced)

			if other := open(t, strings.Replace(document, `"seed":3`, `"seed":4`, 1)); true {
				advance(t, other, unit.Forever)
				if other.Digest() == plain.Digest() {
					t.Error("another seed gives the same digest")
				}
			}
		})
	}
}

// look asks a run everything there is to ask.
func look(t *testing.T, r *run.Run) {
	t.Helper()
	if _, err := json.Marshal(r.Report()); err != nil {
		t.Fatal(err)
	}
	r.Layout()
	r.Layers()
	r.Lines(unit.NoNode, 50)
	if r.View().Nodes() == 0 {
		return
	}
	report, err := r.Inspect(unit.NodeID(int(r.Now()/unit.Second) % r.View().Nodes()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(report); err != nil {
		t.Fatal(err)
	}
	for id := range r.View().Tasks(0) {
		if d, err := r.Explain(id); err == nil && d.ID != fmt.Sprint(uint64(id)) {
			t.Fatalf("asked about task %d it explains %s", id, d.ID)
		}
	}
}

// broken is a workload that ends in an error.
type broken struct{ left int }

func (b *broken) Next(r *workload.Record) error {
	if b.left--; b.left < 0 {
		return errors.New("line 7: the time is negative")
	}
	*r = workload.Record{At: unit.Time(10-b.left) * unit.Second, Kind: workload.NodeJoins, Machine: uint64(b.left), Node: workload.Node{Capacity: unit.Vec{1, 1}, Rack: -1, Site: -1}}
	return nil
}

// TestBrokenWorkload: the run stops where the workload breaks, says so, and says
// it again.
func TestBrokenWorkload(t *testing.T) {
	r, err := run.Open(parse(t, `{"v":1,"system":"central"}`), &broken{left: 3})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		err := r.Advance(unit.Hour)
		if err == nil || !strings.Contains(err.Error(), "line 7") || !strings.Contains(err.Error(), "after 10s") {
			t.Fatalf("a broken workload gives %v", err)
		}
		if !r.Done() || r.Now() > unit.Minute {
			t.Errorf("the run stands at %v", r.Now())
		}
	}
	if _, err := run.Open(parse(t, `{"v":1,"system":"central"}`), &broken{}); err == nil {
		t.Error("a workload that breaks at once was opened")
	}
}

// TestRecordedStory feeds every kind of record of a task's life.
func TestRecordedStory(t *testing.T) {
	key := workload.Key{Job: 7, Index: 1}
	at := func(s int, r workload.Record) workload.Record {
		r.At = unit.Time(s) * unit.Second
		return r
	}
	node := workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1}
	task := workload.Task{Request: unit.Vec{100_000, 100_000}}
	story := records{
		at(0, workload.Record{Kind: workload.NodeJoins, Machine: 5, Node: node}),
		at(0, workload.Record{Kind: workload.NodeJoins, Machine: 6, Node: node}),
		at(1, workload.Record{Kind: workload.TaskArrives, Key: key, Task: task}),
		{At: unit.Second + 3, Kind: workload.NodeChanges, Machine: 6, Node: workload.Node{Capacity: unit.Vec{500_000, unit.Whole}}},
		at(2, workload.Record{Kind: workload.TaskRecorded, Key: key, Machine: 6}),
		at(3, workload.Record{Kind: workload.TaskUses, Key: key, Use: unit.Vec{200_000, 1}}),
		at(4, workload.Record{Kind: workload.NodeChanges, Machine: 5, Node: workload.Node{Capacity: unit.Vec{1, 1}}}),
		at(5, workload.Record{Kind: workload.TaskChanges, Key: key, Task: workload.Task{Request: unit.Vec{300_000, 300_000}}}),
		at(6, workload.Record{Kind: workload.TaskReleased, Key: key}),
		at(7, workload.Record{Kind: workload.NodeLeaves, Machine: 5}),
		at(8, workload.Record{Kind: workload.TaskRecorded, Key: key, Machine: 6}),
		at(9, workload.Record{Kind: workload.TaskEnds, Key: key, End: workload.Killed}),
		at(10, workload.Record{Kind: workload.TaskUses, Key: key, Use: unit.Vec{1, 1}}), // nobody knows it any more
		at(10, workload.Record{Kind: workload.NodeLeaves, Machine: 4711}),
	}
	var told []string
	w := teller(func(e cluster.Event) {
		if e.Kind != cluster.UsageSwept {
			told = append(told, fmt.Sprintf("%v %v %d", e.At, e.Kind, e.Node))
		}
	})
	r, err := run.Open(parse(t, `{"v":1,"system":"central","settings":{"policy":"replay"}}`), &story, run.Watch(w))
	if err != nil {
		t.Fatal(err)
	}
	advance(t, r, unit.Minute)
	want := []string{
		"0s node_up 0", "0s node_up 1", "1s submitted -1", "1.000003s node_changed 1", "2s recorded 1", "2s placed 1", "3s usage_measured 1", "4s node_changed 0", "5s changed 1",
		"6s released -1", "6s displaced 1", "7s node_down 0", "8s recorded 1", "8s placed 1", "9s ended 1",
	}
	if !slices.Equal(told, want) {
		t.Errorf("told\n%s\nwant\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
	if got := r.Report().Repairs.Ended; got != 2 {
		t.Errorf("%d records about what had ended or never was, want 2", got)
	}
}

// TestPlacementsOnUnknownMachines: recorded placements on machines that the cluster does not have are counted. A run
// that follows recorded placements says so, because their tasks wait; for others nothing is lost.
func TestPlacementsOnUnknownMachines(t *testing.T) {
	node := workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1}
	task := workload.Task{Request: unit.Vec{100_000, 100_000}}
	for policy, waits := range map[string]int{"replay": 2, "best-fit": 0} {
		story := records{{Kind: workload.NodeJoins, Machine: 5, Node: node}}
		for i, machine := range []uint64{5, 6, 7} {
			key := workload.Key{Job: 7, Index: uint32(i)}
			story = append(story, workload.Record{At: unit.Second, Kind: workload.TaskArrives, Key: key, Task: task},
				workload.Record{At: unit.Second, Kind: workload.TaskRecorded, Key: key, Machine: machine})
		}
		r, err := run.Open(parse(t, `{"v":1,"system":"central","settings":{"policy":"`+policy+`"}}`), &story)
		if err != nil {
			t.Fatal(err)
		}
		advance(t, r, unit.Minute)
		got := r.Report()
		said := strings.Contains(strings.Join(got.Warnings, "\n"), "2 recorded placements are on machines that the cluster does not have")
		if got.Repairs != (run.Repairs{Elsewhere: 2}) || said != (policy == "replay") || r.View().Totals().Waiting != waits {
			t.Errorf("%s: %+v, %d wait, warnings %q", policy, got.Repairs, r.View().Totals().Waiting, got.Warnings)
		}
	}
}

// TestTimedTasks: records about tasks that end by themselves count as long as they
// live, and are repairs afterwards.
func TestTimedTasks(t *testing.T) {
	node := workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1}
	story := records{{Kind: workload.NodeJoins, Machine: 5, Node: node}}
	for i := range uint64(3000) {
		task := workload.Task{Request: unit.Vec{1, 1}, Lifetime: unit.Second}
		story = append(story, workload.Record{At: unit.Time(i), Kind: workload.TaskArrives, Key: workload.Key{Job: i}, Task: task})
	}
	late := func(key uint64, at unit.Time) {
		story = append(story, workload.Record{At: at, Kind: workload.TaskChanges, Key: workload.Key{Job: key}, Task: workload.Task{Request: unit.Vec{7, 7}}})
	}
	late(10, 4000)
	late(11, 4001)
	late(10, 2*unit.Second)   // it has ended
	late(4711, 2*unit.Second) // it never was
	for i := range uint64(3000) {
		task := workload.Task{Request: unit.Vec{1, 1}, Lifetime: unit.Second}
		story = append(story, workload.Record{At: 3*unit.Second + unit.Time(i), Kind: workload.TaskArrives, Key: workload.Key{Job: 5000 + i}, Task: task})
	}
	late(5000, 3*unit.Second+4000)
	late(12, 3*unit.Second+4000)
	changes := 0
	w := teller(func(e cluster.Event) {
		if e.Kind == cluster.TaskChanged {
			changes++
		}
	})
	r, err := run.Open(parse(t, `{"v":1,"system":"central"}`), &story, run.Watch(w))
	if err != nil {
		t.Fatal(err)
	}
	advance(t, r, unit.Minute)
	if got := r.Report(); changes != 3 || got.Repairs.Ended != 3 || !strings.Contains(strings.Join(got.Warnings, "\n"), "3 records of the workload") {
		t.Errorf("%d changes, %d repairs, warnings %q; want 3 changes and 3 repairs", changes, got.Repairs.Ended, got.Warnings)
	}
}

// TestWhenRecordedTasksArrive: when they were submitted, or if the scenario says so
// when the scheduler of their time placed them.
func TestWhenRecordedTasksArrive(t *testing.T) {
	key := workload.Key{Job: 7}
	for arrive, want := range map[string]int{"submitted": 1, "scheduled": 0} {
		s, err := scenario.Parse([]byte(`{"v":1,"system":"central","until":"1m","workload":{"arrive":"` + arrive + `"}}`))
		if err != nil {
			t.Fatal(err)
		}
		r, err := run.Open(s, &records{
			{Kind: workload.NodeJoins, Node: workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1}},
			{Kind: workload.TaskArrives, Key: key, Task: workload.Task{Request: unit.Vec{1000, 1000}}},
			{At: 10 * unit.Second, Kind: workload.TaskRecorded, Key: key},
		})
		if err == nil {
			err = r.Advance(5 * unit.Second)
		}
		if err != nil {
			t.Fatal(err)
		}
		totals := r.View().Totals()
		if got := totals.Alive(); got != want {
			t.Errorf("%s: after 5 s there are %d tasks, want %d", arrive, got, want)
		}
		if err := r.Advance(20 * unit.Second); err != nil || r.View().Totals().Running != 1 {
			t.Errorf("%s: after 20 s %d tasks run (%v)", arrive, r.View().Totals().Running, err)
		}
	}
}

// TestHalfRunAgain: where one of two tasks runs again, half of them do.
func TestHalfRunAgain(t *testing.T) {
	s, err := scenario.Parse([]byte(`{"v":1,"system":"central","settings":{"admission":"request"},"until":"2m","faults":[{"at":"1m","kind":"node_down","target":"node.0"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	task := func(job uint64) workload.Record {
		return workload.Record{Kind: workload.TaskArrives, Key: workload.Key{Job: job}, Task: workload.Task{Request: unit.Vec{unit.Whole / 2, unit.Whole / 2}}}
	}
	join := func(at unit.Time, machine uint64, capacity unit.Share) workload.Record {
		return workload.Record{At: at, Kind: workload.NodeJoins, Machine: machine, Node: workload.Node{Capacity: unit.Vec{capacity, capacity}, Rack: -1, Site: -1}}
	}
	r, err := run.Open(s, &records{join(0, 0, unit.Whole), task(1), task(2), join(30*unit.Second, 1, unit.Whole/2)}, run.KeepIncidents())
	if err == nil {
		err = r.Advance(2 * unit.Minute)
	}
	if err != nil {
		t.Fatal(err)
	}
	if one := r.Incidents()[0]; one.Lost != 2 || one.Again != 1 || one.Half == 0 || one.Half != one.First {
		t.Errorf("%+v", one)
	}
}

// TestExpected: about how many tasks run at a time follows the scale of the workload.
func TestExpected(t *testing.T) {
	expected := func(scale string) int {
		s, err := scenario.Parse([]byte(`{"v":1,"system":"central","cluster":{"nodes":50},"workload":{"scale":` + scale + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		r, err := run.Open(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r.Expected()
	}
	if whole, half := expected("1"), expected("0.5"); whole < 400 || half != whole/2 {
		t.Errorf("%d are expected, and of half the workload %d", whole, half)
	}
}

type teller func(cluster.Event)

func (f teller) Observe(e cluster.Event) { f(e) }

func TestOpenRefuses(t *testing.T) {
	for document, want := range map[string]string{
		`{"v":1,"system":"tetris"}`:                                              `dispatcher, market, program`,
		`{"v":1,"system":"central","settings":{"policy":"tetris"}}`:              `settings: policy is "tetris"`,
		`{"v":1,"system":"negotiation","settings":{"brokers":0}}`:                `settings: brokers is 0`,
		`{"v":1,"system":"negotiation","settings":{"broker":1}}`:                 `unknown field "broker"`,
		`{"v":1,"system":"central","workload":{"trace":[{"name":"a.csv"}]}}`:     `the scenario plays the trace "a.csv": give its files`,
		`{"v":1,"system":"central","workload":{"day_swing":1}}`:                  `day_swing is 1`,
		`{"v":1,"system":"negotiation","workload":{"system":{"graph":"a → b"}}}`: `workload.system is given`,
	} {
		_, err := run.Open(parse(t, document), nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s gives %v, want %s", document, err, want)
		}
	}
	r := open(t, `{"v":1,"system":"central","cluster":{"nodes":10}}`)
	if err := r.Inject(scenario.Fault{Kind: "node_down", Target: "rack.1"}); err == nil || r.Done() || len(r.Scenario().Faults) > 0 {
		t.Errorf("a fault without sense gives %v", err)
	}
	if _, err := r.Inspect(0); err == nil {
		t.Error("a node was inspected before it joined")
	}
	advance(t, r, unit.Minute)
	for _, n := range []unit.NodeID{-1, 10} {
		if _, err := r.Inspect(n); err == nil {
			t.Errorf("node %d was inspected", n)
		}
	}
}

// TestEverySystem: the defaults of every registered system run, and its
// settings document says what they are.
func TestEverySystem(t *testing.T) {
	for _, entry := range run.Systems().Offered() { // recorded needs the acts of a run
		raw := entry.Defaults()
		s := parse(t, fmt.Sprintf(`{"v":1,"system":%q,"seed":2,"cluster":{"nodes":20},"until":"10m"}`, entry.ID))
		plain, err := run.Open(s, nil)
		if err != nil {
			t.Fatalf("%s: %v", entry.ID, err)
		}
		advance(t, plain, unit.Forever)
		s.Settings = raw
		told, err := run.Open(s, nil)
		if err != nil {
			t.Fatalf("%s with the settings %s: %v", entry.ID, raw, err)
		}
		advance(t, told, unit.Forever)
		if plain.Digest() != told.Digest() {
			t.Errorf("%s without settings gives %v, with its defaults %v", entry.ID, plain.Digest(), told.Digest())
		}
		if entry.Name == "" {
			t.Errorf("%s has no name", entry.ID)
		}
	}
}

// TestBringsMachines: whether the scenario's number of nodes counts is told, and
// is true of the nodes that there are.
func TestBringsMachines(t *testing.T) {
	for document, brings := range map[string]bool{
		`"system":"negotiation"`:                                        false,
		`"system":"central","workload":{"preset":"none"}`:               false,
		`"system":"yield"`:                                              false,
		`"system":"yield","workload":{"system":{"hosts":5,"tasks":12}}`: true,
		`"system":"rounds"`:                                             true,
	} {
		r, err := run.Open(parse(t, `{"v":1,"seed":2,"cluster":{"nodes":20},"until":"10m",`+document+`}`), nil)
		if err != nil {
			t.Fatalf("%s: %v", document, err)
		}
		advance(t, r, unit.Minute)
		if r.HasMachines() != brings || (r.View().Nodes() == 20) == brings {
			t.Errorf("%s: the workload brings its machines: %v, and there are %d nodes", document, r.HasMachines(), r.View().Nodes())
		}
	}
}

// TestAdvanceWhile: where a run stops for want of time, in the middle of a moment
// even, changes nothing.
func TestAdvanceWhile(t *testing.T) {
	for _, entry := range run.Systems().Offered() { // recorded needs the acts of a run
		document := `{"v":1,"system":%q,"seed":2,"cluster":{"nodes":300},"until":"10m"}`
		if slices.Contains(entry.Supports, workload.ShapeGraphs) && entry.Workload == nil {
			document = `{"v":1,"system":%q,"seed":2,"workload":{"graphs":{"machines":[{"count":12}],"generate":{"load":0.8}}},"until":"2h"}`
		}
		s := parse(t, fmt.Sprintf(document, entry.ID))
		whole, err := run.Open(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		advance(t, whole, unit.Forever)
		parts, err := run.Open(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		stops, atStart := 0, 0
		for !parts.Done() {
			events := 0
			if err := parts.AdvanceWhile(unit.Forever, func() bool { events++; return events < 3 }); err != nil {
				t.Fatal(err)
			}
			if stops++; parts.Now() == 0 {
				atStart++
			}
		}
		if parts.Digest() != whole.Digest() || stops < 10 {
			t.Errorf("%s gives %v in %d parts, %v in one", entry.ID, parts.Digest(), stops, whole.Digest())
		}
		if entry.ID == "central" && atStart == 0 {
			t.Errorf("%s never stopped at its start", entry.ID)
		}
	}
}

// tasksOnly is a recorded workload whose files name no machine.
type tasksOnly struct{ machines }

// Header says so.
func (*tasksOnly) Header() workload.Header { return workload.Header{Machineless: true} }

// TestMachinesThatAreAssumed: where files tell little of machines the run says which it
// assumes; of a workload that the program makes itself there is nothing to say.
func TestMachinesThatAreAssumed(t *testing.T) {
	stated := func(document string, source workload.Source) (nodes int, all []string) {
		t.Helper()
		r, err := run.Open(parse(t, document), source)
		if err != nil {
			t.Fatal(err)
		}
		advance(t, r, unit.Second)
		return r.View().Nodes(), r.Choices()
	}
	none := func(document string) {
		t.Helper()
		if _, all := stated(document, nil); len(all) > 0 {
			t.Errorf("%s says %q", document, all)
		}
	}
	nodes, all := stated(`{"v":1,"system":"central","cluster":{"nodes":30},"until":"10m"}`, &tasksOnly{})
	if nodes != 30 || len(all) != 1 || !strings.HasPrefix(all[0], "the files name no machines, so 30 are assumed (cluster.nodes), with the sizes of Google's cell of 2011: ") {
		t.Errorf("%d nodes, said: %q", nodes, all)
	}
	const document = `{"v":1,"system":"central","workload":{"trace":[{"name":"small.swf"}]},"until":"6h"}`
	source := past{s: parse(t, document), files: filesIn(t, "../trace/swf/testdata/samples", "small.swf")}.source(t)
	want := workload.HeaderOf(source).Assumed
	if _, all := stated(document, source); want == "" || !slices.Contains(all, want) {
		t.Errorf("%q is assumed, said: %q", want, all)
	}
	for _, id := range append([]string{"market", "board"}, systems...) {
		none(fmt.Sprintf(`{"v":1,"system":%q,"cluster":{"nodes":30},"until":"10m"}`, id))
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
