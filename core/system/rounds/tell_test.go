package rounds_test

import (
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/frame"
	"parley/core/system"
	"parley/core/system/rounds"
	"parley/core/system/rounds/plan"
	"parley/core/unit"
	"parley/core/workload"
)

// stage is a master with workers of its own, whose events are heard as it hears them.
type stage struct {
	k     *des.Kernel
	c     *cluster.Cluster
	s     system.System
	notes []system.Note
	heard func(cluster.Event)
}

func set(t fataler, settings string, workers ...workload.Worker) *stage {
	t.Helper()
	k := des.New()
	a := &stage{k: k, c: cluster.New(cluster.Default(), k), heard: func(cluster.Event) {}}
	for i := range workers {
		a.c.Join(uint64(i), workload.Node{Capacity: unit.Vec{unit.CPU: unit.Whole}, Rack: -1, Site: -1, Worker: &workers[i]})
	}
	s, err := rounds.New(system.Env{Clock: k, View: a.c.View(), Acts: a.c, Note: func(n system.Note) { a.notes = append(a.notes, n) }}, json.RawMessage(settings))
	if err != nil {
		t.Fatalf("%v", err)
	}
	a.s = s
	a.settle(t)
	return a
}

func (a *stage) settle(t fataler) {
	t.Helper()
	err := a.c.Deliver(func(e cluster.Event) error {
		a.heard(e)
		return a.s.On(e)
	})
	if err != nil {
		t.Fatalf("%v", err)
	}
}

func (a *stage) until(t fataler, at unit.Time) {
	t.Helper()
	for a.k.Step(at) {
		a.settle(t)
	}
}

func (a *stage) metrics() (values [3]float64) {
	a.s.(system.MetricSource).Measure(values[:])
	return values
}

func (a *stage) share() []byte {
	cells := make([]byte, a.c.View().Nodes())
	a.s.(system.LayerSource).FillLayer(1, cells)
	return cells
}

func worker(speed, bandwidth float64) workload.Worker {
	return workload.Worker{Speed: unit.WorkOf(speed), Bandwidth: unit.WorkOf(bandwidth)}
}

// shares is what a master tells, added up from the events that it heard.
type shares struct {
	arrived, sent, done, lost unit.Work
	received                  []unit.Work
	queued                    []int
	started                   []unit.Time // of the chunk under way
	busy                      []unit.Time
	last                      unit.Time // when a chunk was done
}

func (b *shares) hear(e cluster.Event) {
	amount := unit.Work(e.Amount)
	switch e.Kind {
	case cluster.LoadArrived:
		b.arrived += amount
	case cluster.ChunkSent:
		b.sent += amount
	case cluster.ChunkReceived:
		b.received[e.Node] += amount
		b.queued[e.Node]++
	case cluster.ChunkStarted:
		b.started[e.Node] = e.At
	case cluster.ChunkDone:
		b.done += amount
		b.queued[e.Node]--
		b.busy[e.Node] += e.At - b.started[e.Node]
		b.last = e.At
	case cluster.ChunkLost:
		b.lost += amount
		if e.Detail != cluster.OnPort {
			b.received[e.Node] -= amount
			b.queued[e.Node]--
		}
		if e.Detail == cluster.UnderWay {
			b.busy[e.Node] += e.At - b.started[e.Node]
		}
	}
}

// TestFiguresAreThoseOfTheEvents: at every moment metrics, the layer "share" and the
// report tell what the events of the run add up to, whatever fails.
func TestFiguresAreThoseOfTheEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "workers")
		var workers []workload.Worker
		for i := range n {
			workers = append(workers, worker(float64(1+i), 20))
		}
		a := set(t, rapid.SampledFrom([]string{`{"algorithm":"umr","rounds":2}`, `{"adapt":"guided"}`}).Draw(t, "settings"), workers...)
		b := &shares{received: make([]unit.Work, n), queued: make([]int, n), started: make([]unit.Time, n), busy: make([]unit.Time, n)}
		a.heard = b.hear
		began := unit.Time(rapid.IntRange(0, 50).Draw(t, "began")) * unit.Second
		a.until(t, began)
		a.k.At(began, nothing{}, 0)
		a.until(t, began+1)
		began = a.k.Now()
		a.c.Arrive(unit.WorkOf(100))
		a.settle(t)
		for range rapid.IntRange(1, 15).Draw(t, "steps") {
			at := a.k.Now() + unit.Time(rapid.IntRange(1, 10_000).Draw(t, "ms"))*unit.Millisecond
			a.k.At(at, nothing{}, 0)
			a.until(t, at+1)
			if node := unit.NodeID(rapid.IntRange(0, 2*n).Draw(t, "node")); int(node) < n {
				if a.c.View().Up(node) {
					a.c.Leave(node)
				} else {
					a.c.Restore(node)
				}
				a.settle(t)
			}
			b.compare(t, a, began)
		}
		for node := range unit.NodeID(n) {
			a.c.Restore(node)
		}
		a.settle(t)
		a.until(t, unit.Hour)
		b.compare(t, a, began)
		if b.done != b.arrived {
			t.Fatalf("%v of %v are done", b.done, b.arrived)
		}
		if note := a.notes[len(a.notes)-1]; note.Value != (b.last - began).Seconds() {
			t.Fatalf("the last note tells a makespan of %v s, not %v", note.Value, b.last-began)
		}
	})
}

// nothing lets time pass.
type nothing struct{}

func (nothing) Fire(unit.Time, uint64) {}

func (b *shares) compare(t fataler, a *stage, began unit.Time) {
	t.Helper()
	computing, worked, now, total := 0, 0, a.k.Now(), unit.Time(0)
	for n, layer := 0, a.share(); n < len(layer); n++ {
		busy := b.busy[n]
		if b.queued[n] > 0 {
			computing++
			busy += now - b.started[n]
		}
		if busy > 0 {
			worked++
			total += busy
		}
		if b.received[n] == 0 && layer[n] != 0 {
			t.Fatalf("node %d has received nothing, and its share is %d", n, layer[n])
		}
	}
	want := [3]float64{100 * float64(computing) / float64(len(b.busy)), (b.arrived - b.sent + b.lost).Float(), (b.arrived - b.done).Float()}
	if got := a.metrics(); got != want {
		t.Fatalf("at %v busy, unsent and undone are %v, not %v", now, got, want)
	}
	span, report := now-began, a.s.(system.Reporter).Report()
	if b.done == b.arrived {
		span = b.last - began
		if report["makespan_s"] != span.Seconds() {
			t.Fatalf("the makespan is %v s, not %v", report["makespan_s"], span)
		}
	}
	idle := 0.0
	if worked > 0 {
		idle = 100 * (1 - total.Seconds()/(span.Seconds()*float64(worked)))
	}
	if got := report["idle_pct"].(float64); report["workers"] != worked || math.Abs(got-idle) > 1e-9 {
		t.Fatalf("at %v %v workers were idle for %v %%, not %d for %v", now, report["workers"], got, worked, idle)
	}
}

// TestShareIsOfWhatWasPlanned: the layer "share" is full when a worker has received
// what the plan gives it, and says how far it is before.
func TestShareIsOfWhatWasPlanned(t *testing.T) {
	workers := []plan.Worker{{Speed: 1, Bandwidth: 20}, {Speed: 2, Bandwidth: 20}}
	r, err := plan.Plan(plan.Platform{Workers: workers}, 100, "umr", plan.Options{Rounds: 2})
	if err != nil {
		t.Fatal(err)
	}
	a := set(t, `{"algorithm":"umr","rounds":2}`, worker(1, 20), worker(2, 20))
	got, want := [2]float64{}, [2]float64{}
	for k, n := range r.Order {
		want[n] = r.Chunks[0][k] + r.Chunks[1][k]
	}
	a.heard = func(e cluster.Event) {
		if e.Kind == cluster.ChunkReceived {
			got[e.Node] += unit.Work(e.Amount).Float()
		}
	}
	a.c.Arrive(unit.WorkOf(100))
	a.settle(t)
	for moments := 0; a.k.Step(unit.Hour); moments++ {
		a.settle(t)
		for n, b := range a.share() {
			if share := frame.FullScale * got[n] / want[n]; math.Abs(float64(b)-share) > 1 {
				t.Errorf("node %d received %v of %v, and its share is %d", n, got[n], want[n], b)
			}
		}
	}
	for n, b := range a.share() {
		if b < frame.FullScale-1 {
			t.Errorf("in the end the share of node %d is %d, not %d", n, b, frame.FullScale)
		}
	}
}

// TestCrumbs: chunks are whole millionths. Where rounding up has used up the load,
// a chunk less than that is not sent.
func TestCrumbs(t *testing.T) {
	a := set(t, `{"algorithm":"one-round"}`, worker(1, 1e6), worker(1, 1e6), worker(1, 1e6), worker(1, 1e6))
	a.c.Arrive(3) // millionths of a work unit, of which each worker would get less than one
	a.settle(t)
	a.until(t, unit.Hour)
	if w := a.c.View().Totals().Work; w.Done != 3 || w.Chunks != 3 {
		t.Errorf("%+v: three millionths are three chunks", w)
	}
}
