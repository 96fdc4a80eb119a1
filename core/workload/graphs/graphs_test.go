package graphs_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/graph"
	"parley/core/testkit/scripttest"
	"parley/core/unit"
	"parley/core/workload"
	"parley/core/workload/graphs"
)

// TestScripts reads the documents of testdata/*.txt: `records most=N` prints the
// first records that one makes, or the sentence that says what is wrong.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		return func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "records" {
				d.Fatalf(t, "unknown command %q", d.Cmd)
			}
			document, err := graphs.Parse([]byte(d.Input))
			if err != nil {
				return "! " + err.Error() + "\n"
			}
			limit := 20
			d.MaybeScanArgs(t, "most", &limit)
			return strings.Join(told(document.New(1, nil), limit), "\n") + "\n"
		}
	})
}

// told returns the first records of a source in words.
func told(source workload.Source, limit int) (lines []string) {
	var r workload.Record
	for range limit {
		if err := source.Next(&r); err != nil {
			return append(lines, fmt.Sprint(err))
		}
		lines = append(lines, tell(&r))
	}
	return lines
}

func tell(r *workload.Record) string {
	if r.Kind == workload.NodeJoins {
		w := r.Node.Worker
		speeds := []float64{w.Speed.Float()}
		if w.Speeds != nil {
			speeds = nil
			for _, s := range w.Speeds {
				speeds = append(speeds, s.Float())
			}
		}
		return fmt.Sprintf("machine %d speed %v channel %d latency %v startup %v", r.Machine, speeds, w.Channel, w.CommLatency, w.CompLatency)
	}
	g := r.Graph
	var b strings.Builder
	fmt.Fprintf(&b, "%v graph %d of user %d due after %v for %v:", r.At, r.Key.Job, g.User, g.Deadline, g.Bonus.Float())
	for v := range g.Len() {
		s := g.Subtask(int32(v))
		fmt.Fprintf(&b, " %s/%d/%v", g.Name(int32(v)), s.Type, s.Work.Float())
	}
	for i := range g.Arcs() {
		a := g.Arc(int32(i))
		fmt.Fprintf(&b, " %s>%s:%d", g.Name(a.From), g.Name(a.To), a.Bytes)
	}
	return b.String()
}

// Machines that draw some of the types leave none out, whatever the numbers, and
// every graph can be done.
func TestEveryTypeIsCovered(t *testing.T) {
	for _, c := range []struct{ count, types, minimum, limit int }{{10, 20, 2, 2}, {7, 20, 3, 9}, {20, 20, 1, 1}, {100, 20, 1, 20}, {1, 5, 5, 5}} {
		d, err := graphs.Parse(fmt.Appendf(nil, `{"machines":[{"count":%d,"types":%d,"types_each":[%d,%d],"speed":[1,4]}],"generate":{"count":5}}`, c.count, c.types, c.minimum, c.limit))
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(20) {
			source := d.New(seed, nil)
			can := map[int]bool{}
			var r workload.Record
			for err = source.Next(&r); err == nil; err = source.Next(&r) {
				switch r.Kind {
				case workload.NodeJoins:
					n := 0
					for i, s := range r.Node.Worker.Speeds {
						if s > 0 {
							can[i] = true
							n++
						}
					}
					if n < c.minimum || n > c.limit {
						t.Errorf("%+v: a machine can do %d types", c, n)
					}
				case workload.GraphArrives:
					for v := range r.Graph.Len() {
						if !can[int(r.Graph.Subtask(int32(v)).Type)] {
							t.Fatalf("%+v: nobody can do type %d", c, r.Graph.Subtask(int32(v)).Type)
						}
					}
				}
			}
			if !errors.Is(err, io.EOF) || len(can) != c.types {
				t.Errorf("%+v: %d types can be done, then %v", c, len(can), err)
			}
		}
	}
	if _, err := graphs.Parse([]byte(`{"machines":[{"count":9,"types":20,"types_each":[2,20]}]}`)); err == nil {
		t.Error("nine machines of two types each pass for twenty")
	}
}

// The mean time between arrivals brings as much work as was asked for.
func TestLoad(t *testing.T) {
	d, err := graphs.Parse([]byte(`{"machines":[{"count":40,"speed":[2,4]}],"generate":{"count":4000,"load":0.8,"vertices":[5,15]}}`))
	if err != nil {
		t.Fatal(err)
	}
	var work unit.Work
	var r workload.Record
	var times []unit.Time
	for source := d.New(3, nil); source.Next(&r) == nil; {
		if r.Kind == workload.GraphArrives {
			work += r.Graph.Work()
			times = append(times, r.At)
		}
	}
	got := work.Float() / r.At.Seconds() / 120
	if got < 0.76 || got > 0.84 || !slices.IsSorted(times) { // 4 standard deviations of 4,000 exponential gaps are 6 %
		t.Errorf("the load is %.3f, want 0.8", got)
	}
}

// FuzzParse: no document makes Parse or its source panic, and what is wrong is one
// short line.
func FuzzParse(f *testing.F) {
	for _, doc := range []string{
		`{"machines":[{"count":2,"speed":[1,3],"bandwidth":0},{"speeds":{"a":1,"b":2}}],"list":[{"at_s":1,"deadline_s":9,"tasks":[{"name":"x","type":"a","work":3}],"arcs":[{"to":"x","bytes":4}]}]}`,
		`{"machines":[{"types":["a","b"],"types_each":1,"count":2}],"generate":{"count":3,"every_s":0,"shape":"chains","vertices":[1,9],"input":5,"output":[1,2],"users":2},"deadline_factor":2,"bonus":7}`,
		`{}`,
	} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		d, err := graphs.Parse(doc)
		if err != nil {
			if text := err.Error(); len(text) > 500 || strings.ContainsRune(text, '\n') {
				t.Errorf("%q is no sentence", text)
			}
			return
		}
		told(d.New(1, nil), 3)
	})
}

// Where nobody says anything graphs are due, and where something else is offered
// they are due when that says.
func TestUsualOffer(t *testing.T) {
	for document, want := range map[string]bool{`{}`: true, `{"bonus":2}`: false} {
		d, err := graphs.Parse([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		var r workload.Record
		for source := d.New(1, nil); r.Kind != workload.GraphArrives; {
			if err := source.Next(&r); err != nil {
				t.Fatal(err)
			}
		}
		if (r.Graph.Deadline > 0) != want {
			t.Errorf("with %s the first graph is due after %v", document, r.Graph.Deadline)
		}
	}
}

// Machines are told of by their number and what they can do.
func TestMachinesInWords(t *testing.T) {
	d, err := graphs.Parse([]byte(`{"machines":[{"count":16},{"speed":[1,3],"bandwidth":[5e5,2e6]},{"speeds":{"a":4}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"16 of speed 1 and 125 MB/s", "1 of speed 1 to 3 and 0.5 to 2 MB/s", "1 of a speed for each type and 125 MB/s"} {
		if got := d.Machines[i].String(); got != want {
			t.Errorf("machines %d are %q, want %q", i, got, want)
		}
	}
}

// brings is a source of records that are written down.
type brings []workload.Record

func (b *brings) Next(r *workload.Record) error {
	if len(*b) == 0 {
		return errors.New("the file is broken")
	}
	*r, *b = (*b)[0], (*b)[1:]
	return nil
}

// Graphs that somebody else brings keep their own deadline and bonus, and have the
// document's where they say none; what else is brought, and errors, pass through.
func TestBroughtGraphs(t *testing.T) {
	d, err := graphs.Parse([]byte(`{"machines":[{}],"deadline_s":5,"bonus":2,"every_s":2}`))
	if err != nil {
		t.Fatal(err)
	}
	one, err := graph.New([]graph.Vertex{{Name: "a", Work: 3}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := workload.NewSubtasks(one, func(string) workload.SubtaskType { return 0 }, nil)
	if err != nil {
		t.Fatal(err)
	}
	own := &workload.Graph{Subtasks: tasks, Deadline: unit.Hour, Bonus: 7 * unit.MoneyUnit, User: 3}
	source := d.New(1, &brings{
		{Kind: workload.GraphArrives, At: unit.Second, Key: workload.Key{Job: 40}, Graph: &workload.Graph{Subtasks: tasks}},
		{Kind: workload.GraphArrives, At: unit.Minute, Key: workload.Key{Job: 41}, Graph: own},
		{Kind: workload.GraphEnds, At: unit.Minute, Key: workload.Key{Job: 41}},
	})
	if got, want := told(source, 1), "machine 0 speed [1] channel 125000000 latency 0s startup 0s"; got[0] != want {
		t.Errorf("%q, want %q", got[0], want)
	}
	for _, want := range []string{"1s graph 40 of user 0 due after 5s for 2: a/0/3", "1m2s graph 41 of user 3 due after 1h0m0s for 7: a/0/3"} {
		if got := told(source, 1)[0]; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var r workload.Record
	if err := source.Next(&r); err != nil || r.Kind != workload.GraphEnds || r.Key.Job != 41 || r.At != unit.Minute+2*unit.Second { // not before the graph
		t.Errorf("%+v (%v), want the end of graph 41", r, err)
	}
	if err := source.Next(&r); err == nil || err.Error() != "the file is broken" {
		t.Errorf("the error is %v", err)
	}
}
