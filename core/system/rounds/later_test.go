package rounds_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/rounds"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/unit"
	"parley/core/workload"
)

// Loads may come one after another, several workers may fail at one moment
// before the system hears of the first, and others may join when the load is
// there already: all is computed all the same, and nobody is sent anything who
// was not there to be counted on.
func TestLoadsOneAfterAnother(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := des.New()
		c := cluster.New(cluster.Default(), k)
		workers := uint64(rapid.IntRange(1, 6).Draw(t, "workers"))
		join := func(machine uint64) {
			c.Join(machine, workload.Node{Capacity: unit.Vec{unit.CPU: unit.Whole}, Rack: -1, Site: -1, Worker: &workload.Worker{
				Speed: unit.WorkOf(2 + float64(machine)), Bandwidth: unit.WorkOf(20), CompLatency: unit.Second, CommLatency: unit.Second / 10,
			}})
		}
		c.Join(100, workload.Node{Capacity: unit.Vec{unit.CPU: unit.Whole}, Rack: -1, Site: -1}) // no worker
		for machine := range workers {
			join(machine)
		}
		settings := rapid.SampledFrom([]string{`{"algorithm":"umr"}`, `{"algorithm":"one-round"}`, `{"adapt":"guided"}`, `{"adapt":"factoring"}`}).Draw(t, "settings")
		s, err := rounds.New(system.Env{Clock: k, View: c.View(), Acts: c, Rand: func(string) *rng.Stream { return nil }}, json.RawMessage(settings))
		if err != nil {
			t.Fatal(err)
		}
		late := unit.NodeID(-1)
		settle := func() {
			err := c.Deliver(func(e cluster.Event) error {
				if e.Kind == cluster.ChunkSent && (e.Node == 0 || e.Node == late) {
					t.Fatalf("node %d is sent a chunk", e.Node)
				}
				if err := s.On(e); err != nil {
					return err
				}
				return c.Check()
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		pass := func(d unit.Time) {
			for until := k.Now() + d; k.Step(until); {
				settle()
			}
		}
		settle()
		c.Arrive(unit.WorkOf(100))
		settle()
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			pass(unit.Time(rapid.IntRange(0, 20_000).Draw(t, "ms")) * unit.Millisecond)
			switch rapid.SampledFrom([]string{"load", "fail", "fail", "blink", "join"}).Draw(t, "what") {
			case "load":
				c.Arrive(unit.WorkOf(float64(rapid.IntRange(0, 200).Draw(t, "load"))))
			case "fail":
				for n := range unit.NodeID(workers + 1) {
					if rapid.Bool().Draw(t, "down") {
						c.Leave(n)
					} else {
						c.Restore(n)
					}
				}
			case "blink": // down and up before anybody hears of it
				n := unit.NodeID(rapid.IntRange(0, int(workers)).Draw(t, "node"))
				c.Leave(n)
				c.Restore(n)
			case "join":
				join(50)
				late, _ = c.Node(50)
			}
			settle()
		}
		for n := range unit.NodeID(c.View().Nodes()) {
			c.Restore(n)
		}
		settle()
		pass(unit.Hour)
		if w := c.View().Totals().Work; w.Done != w.Arrived {
			t.Fatalf("an hour after all is mended: %+v", w)
		}
		if err := c.Audit(); err != nil {
			t.Fatal(err)
		}
		if report := s.(system.Reporter).Report(); report["makespan_s"] == nil {
			t.Fatalf("all is done, but the report tells %v", report)
		}
	})
}
