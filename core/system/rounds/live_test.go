package rounds_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/rng"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system/rounds"
	"parley/core/system/rounds/plan"
	"parley/core/testkit/systemtest"
	"parley/core/unit"
)

// TestMain asks for a few hundred random runs: they are short.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "200"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// The kit's stories bring tasks and no load: it holds the system to the rest of
// the contract.
func TestConformance(t *testing.T) {
	for _, settings := range []string{`{"algorithm":"umr2"}`, `{"adapt":"guided"}`} {
		systemtest.Run(t, rounds.Entry(), json.RawMessage(settings), systemtest.MayWait())
	}
}

// live is one live run and what the planner knows of it.
type live struct {
	load     float64
	workers  []plan.Worker
	settings rounds.Settings
	reality  plan.Reality
}

// open makes the run of a scenario that says the same.
func (l live) open(t fataler, until float64, options ...run.Option) *run.Run {
	t.Helper()
	encode := func(v any) json.RawMessage {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatalf("%v", err)
		}
		return raw
	}
	doc := map[string]any{
		"v": 1, "system": "rounds", "seed": l.reality.Seed, "settings": l.settings, "until": fmt.Sprintf("%dus", int64(until*1e6)),
		"workload": map[string]any{"system": map[string]any{
			"load": l.load, "workers": l.workers, "error": map[string]any{"speed": l.reality.Speed, "bandwidth": l.reality.Bandwidth},
		}},
	}
	var faults []map[string]string
	for _, f := range l.reality.Failures {
		at := func(seconds float64, kind string) {
			faults = append(faults, map[string]string{"at": fmt.Sprintf("%dus", int64(seconds*1e6)), "kind": kind, "target": fmt.Sprintf("node.%d", f.Worker)})
		}
		at(f.At, "node_down")
		if f.Return > 0 {
			at(f.Return, "node_up")
		}
	}
	doc["faults"] = faults
	s, err := scenario.Parse(encode(doc))
	if err != nil {
		t.Fatalf("%v", err)
	}
	r, err := run.Open(s, nil, options...)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return r
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// makespan plays a run to its end and returns what it reports.
func makespan(t fataler, r *run.Run) (seconds float64, chunks int64) {
	t.Helper()
	if err := r.Advance(unit.Forever); err != nil {
		t.Fatalf("%v", err)
	}
	if err := r.Audit(); err != nil {
		t.Fatalf("%v", err)
	}
	report := r.Report().System
	seconds, done := report["makespan_s"].(float64)
	if !done {
		t.Fatalf("by %v only %v of %v units are done", r.Now(), report["load_done"], report["load"])
	}
	return seconds, report["chunks"].(int64)
}

// platform draws workers whose figures are whole in the units of the live
// system: wild rates over up to three decades, or those of the paper's table 1.
func platform(seed uint64, n int, latency float64, wild bool) (workers []plan.Worker) {
	r := rng.New(seed, "rounds/live")
	whole := func(x float64) float64 { return math.Round(x*1e6) / 1e6 }
	for range n {
		w := plan.Worker{Speed: 50 * (1 + r.Float64()/2), Bandwidth: 50 * float64(n) * (0.5 + r.Float64()), CompLatency: latency, CommLatency: latency}
		if wild {
			w = plan.Worker{
				Speed: math.Pow(10, 1+3*r.Float64()), Bandwidth: math.Pow(10, 2+3*r.Float64()),
				CompLatency: latency * r.Float64(), CommLatency: latency * r.Float64(),
			}
		}
		workers = append(workers, plan.Worker{Speed: whole(w.Speed), Bandwidth: whole(w.Bandwidth), CompLatency: whole(w.CompLatency), CommLatency: whole(w.CommLatency)})
	}
	return workers
}

// bound is by how much a live makespan may differ from one in exact numbers:
// half a microsecond is rounded for each chunk sent and for each computed, half
// a millionth of a unit for each chunk, and half a millionth of a unit a second
// for each true rate, which strays down to less than half of what is stated.
func bound(workers []plan.Worker, chunks int64, makespan float64) float64 {
	slowest := 0.0
	for _, w := range workers {
		slowest = max(slowest, 2/w.Speed+2/w.Bandwidth)
	}
	return 1e-6*float64(chunks)*(1+slowest) + 1e-6*makespan*slowest
}

// In the planner's own world the live system takes what the plan says, to 1e-6
// on the platforms of the paper's table 1.
func TestLiveIsThePlan(t *testing.T) {
	for _, algorithm := range plan.Algorithms() {
		for seed := range uint64(3) {
			for _, latency := range []float64{1, 0.1, 0.01, 0.001} {
				l := live{load: 1e6, workers: platform(seed, 10+20*int(seed), latency, false), settings: rounds.Settings{Algorithm: algorithm, Adapt: "fixed"}}
				r, err := plan.Plan(plan.Platform{Workers: l.workers}, l.load, algorithm, plan.Options{})
				if err != nil {
					t.Fatal(err)
				}
				got, _ := makespan(t, l.open(t, r.Makespan+60))
				if off := math.Abs(got/r.Makespan - 1); off > 1e-6 {
					t.Errorf("%s, %d workers, latency %v: live %v s, planned %v s: %.2g apart", algorithm, len(l.workers), latency, got, r.Makespan, off)
				}
			}
		}
	}
}

// Whatever the platform and however rates stray, a followed plan takes live what
// plan.Play, an event simulation in floating point, says.
func TestLiveIsPlayed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := live{
			load:     1000 + float64(rapid.IntRange(0, 1_000_000).Draw(t, "load")),
			settings: rounds.Settings{Algorithm: rapid.SampledFrom([]string{"umr", "umr2", "mi", "lp", "one-round"}).Draw(t, "algorithm"), Adapt: "fixed"},
			reality:  rateErrors(rapid.Uint64Range(1, 1e9).Draw(t, "seed")),
		}
		l.workers = platform(l.reality.Seed, rapid.IntRange(1, 30).Draw(t, "workers"), rapid.SampledFrom([]float64{0.001, 0.01, 1}).Draw(t, "latency"), rapid.Bool().Draw(t, "wild"))
		got, played, chunks := l.both(t, 0)
		if math.Abs(got-played) > bound(l.workers, chunks, got) && !l.tiny(t, chunks) {
			t.Errorf("live %v s, played %v s", got, played)
		}
	})
}

// tiny reports whether the plan has a chunk that rounding all the others to
// millionths of a work unit could swallow: it need not be sent then.
func (l live) tiny(t fataler, chunks int64) bool {
	r, err := plan.Plan(plan.Platform{Workers: l.workers}, l.load, l.settings.Algorithm, plan.Options{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	for _, row := range r.Chunks {
		for _, x := range row {
			if x > 0 && x < 1e-6*float64(chunks) {
				return true
			}
		}
	}
	return false
}

// So it does when workers fail and return, but for the few runs in which a
// rounded microsecond makes another worker the first to ask: these differ by a
// chunk here or there.
func TestLiveIsPlayedWhoeverFails(t *testing.T) {
	const runs = 100
	same := 0
	for seed := range uint64(runs) {
		l := live{
			load: 1e6, workers: platform(seed, 5+int(seed%20), 0.01, seed%2 == 0), settings: rounds.Settings{Algorithm: "umr2", Adapt: "fixed"},
			reality: rateErrors(seed),
		}
		got, played, chunks := l.both(t, 1)
		if math.Abs(got-played) <= bound(l.workers, chunks, got) {
			same++
		} else if math.Abs(got/played-1) > 0.05 {
			t.Errorf("seed %d: live %v s, played %v s", seed, got, played)
		}
	}
	if t.Logf("%d of %d runs take the same time", same, runs); same < runs*9/10 {
		t.Errorf("only %d of %d runs take the same time", same, runs)
	}
}

func rateErrors(seed uint64) plan.Reality {
	return plan.Reality{Seed: seed, Speed: plan.Error{Worker: 0.3, Chunk: 0.2}, Bandwidth: plan.Error{Worker: 0.1, Chunk: 0.5}}
}

// both plays l live and by plan.Play, with failures over so many planned
// makespans.
func (l live) both(t fataler, failing float64) (got, played float64, chunks int64) {
	t.Helper()
	p := plan.Platform{Workers: l.workers}
	r, err := plan.Plan(p, l.load, l.settings.Algorithm, plan.Options{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	if failing > 0 {
		l.reality.Failures = failures(l.reality.Seed, len(l.workers), failing*r.Makespan)
	}
	want, err := plan.Play(p, l.load, plan.Fixed(r.Order, r.Chunks), l.reality)
	if err != nil {
		t.Fatalf("%v", err)
	}
	got, chunks = makespan(t, l.open(t, 2*want.Makespan+60))
	return got, want.Makespan, chunks
}

// failures takes about half the workers away once or twice; all return.
func failures(seed uint64, workers int, makespan float64) (out []plan.Failure) {
	r := rng.New(seed, "rounds/failures")
	micro := func(seconds float64) float64 { return math.Floor(seconds*1e6) / 1e6 }
	for i := range workers {
		at := makespan * r.Float64()
		for range r.Intn(3) {
			back := at + 0.3*makespan*(0.01+r.Float64())
			out = append(out, plan.Failure{Worker: i, At: micro(at), Return: micro(back)})
			at = back + makespan*r.Float64()
		}
	}
	return out
}

// ledger adds up what the events tell of chunks.
type ledger struct{ arrived, sent, done, lost int64 }

// Observe implements run.Observer.
func (l *ledger) Observe(e cluster.Event) {
	switch e.Kind {
	case cluster.LoadArrived:
		l.arrived += e.Amount
	case cluster.ChunkSent:
		l.sent += e.Amount
	case cluster.ChunkDone:
		l.done += e.Amount
	case cluster.ChunkLost:
		l.lost += e.Amount
	}
}

// Whatever fails and whoever decides, every unit is computed exactly once, and
// watching changes nothing.
func TestNothingIsLostOrComputedTwice(t *testing.T) {
	lossy := 0
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64Range(1, 1e9).Draw(t, "seed")
		l := live{
			load: 10_000 + float64(rapid.IntRange(0, 100_000).Draw(t, "load")), workers: platform(seed, rapid.IntRange(1, 20).Draw(t, "workers"), 0.05, true),
			settings: rounds.Settings{Algorithm: "umr2", Adapt: rapid.SampledFrom([]string{"fixed", "factoring", "guided"}).Draw(t, "adapt")},
			reality:  plan.Reality{Seed: seed, Speed: plan.Error{Worker: 0.3, Chunk: 0.2}, Bandwidth: plan.Error{Worker: 0.3, Chunk: 0.2}},
		}
		speeds := 0.0
		for _, w := range l.workers {
			speeds += w.Speed
		}
		l.reality.Failures = failures(seed, len(l.workers), 2*l.load/speeds)
		var book ledger
		r := l.open(t, 100*l.load/speeds+3600, run.Watch(&book), run.KeepNotes(100))
		_, chunks := makespan(t, r)
		if load := int64(unit.WorkOf(l.load)); book.arrived != load || book.done != load || book.sent != book.done+book.lost {
			t.Fatalf("of %d: %+v", load, book)
		}
		if book.lost > 0 {
			lossy++
		}
		unheard := l.open(t, 100*l.load/speeds+3600)
		for !unheard.Done() {
			if err := unheard.Advance(unheard.Now() + unit.Time(rapid.Int64Range(1, int64(unit.Hour)).Draw(t, "slice"))); err != nil {
				t.Fatal(err)
			}
			unheard.Frame(nil)
		}
		if unheard.Digest() != r.Digest() || chunks == 0 {
			t.Fatalf("digest %v watched in one go, %v in slices with frames", r.Digest(), unheard.Digest())
		}
	})
	if lossy < 20 {
		t.Errorf("only %d runs lost a chunk", lossy)
	}
}
