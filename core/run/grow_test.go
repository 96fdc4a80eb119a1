package run_test

import (
	"fmt"
	"testing"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/unit"
)

// until plays a scenario with one fault: from the start in the scenario, or as somebody
// does it at its moment.
func played(t *testing.T, p past, f *scenario.Fault, clicked bool, until unit.Time) *run.Run {
	t.Helper()
	s := *p.s
	s.Faults = append([]scenario.Fault{}, p.s.Faults...)
	if f != nil && !clicked {
		s.Faults = append(s.Faults, *f)
	}
	r := past{name: p.name, s: &s, files: p.files}.open(t)
	if f != nil && clicked {
		if err := r.Advance(unit.Time(f.At)); err != nil {
			t.Fatal(err)
		}
		if err := r.Inject(*f); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Advance(until); err != nil {
		t.Fatal(err)
	}
	return r
}

// Every system goes on when nodes join that are like those it has, whether the scenario
// says so or somebody does it, and nobody is told that this did nothing.
func TestGrows(t *testing.T) {
	for _, p := range pasts(t) {
		if p.files != nil {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			until := min(unit.Time(p.s.Until), 20*unit.Minute)
			f := scenario.Fault{At: scenario.Duration(until / 3), Kind: scenario.Grow, Target: "cluster", Value: 7}
			a, b := played(t, p, &f, false, until), played(t, p, &f, true, until)
			if x, y := a.Digest(), b.Digest(); x != y {
				t.Errorf("in the scenario it gives %v, done by hand %v", x, y)
			}
			plain := played(t, p, nil, false, until)
			if had, has := plain.View().Nodes(), a.View().Nodes(); has != had+7 || a.Now() < until {
				t.Errorf("%d nodes became %d", had, has)
			}
			if a.View().Totals().NodesUp <= plain.View().Totals().NodesUp {
				t.Error("none of the new nodes is up")
			}
		})
	}
}

// New nodes are like the others: a cluster that doubles has the mix that it had.
func TestGrowsAlike(t *testing.T) {
	p := past{s: parse(t, `{"v":1,"system":"central","seed":3,"cluster":{"nodes":40},"until":"10m"}`)}
	f := scenario.Fault{At: scenario.Duration(unit.Minute), Kind: scenario.Grow, Target: "cluster", Value: 40}
	v := played(t, p, &f, false, 2*unit.Minute).View()
	for n := range unit.NodeID(40) {
		if v.Capacity(n) != v.Capacity(n+40) || v.Attribute(n, 0) != v.Attribute(n+40, 0) || !v.Up(n+40) {
			t.Errorf("node %d is not like node %d", n+40, n)
		}
	}
	f.Value = scenario.MaxGrown
	r := played(t, p, &f, false, 2*unit.Minute)
	if r.View().Nodes() != 40 || len(r.Report().Warnings) == 0 {
		t.Errorf("%d nodes, warnings %q", r.View().Nodes(), r.Report().Warnings)
	}
}

// What a system says can be changed while it runs can: the change is not a fault without effect,
// is the same from the scenario and by hand, and something comes of it.
func TestLiveSettings(t *testing.T) {
	documents := map[string]string{
		"candidates":                `{"v":1,"system":"negotiation","seed":7,"cluster":{"nodes":60},"workload":{"scale":1.3},"until":"30m"}`,
		"scan_initial":              `{"v":1,"system":"negotiation","seed":7,"cluster":{"nodes":60},"until":"2h"}`,
		"scan_reallocation":         `{"v":1,"system":"negotiation","seed":7,"cluster":{"nodes":60},"workload":{"scale":1.3},"until":"30m"}`,
		"budget_mb":                 `{"v":1,"system":"yield","seed":7,"cluster":{"nodes":30},"until":"2h"}`,
		"floor_yield":               `{"v":1,"system":"yield","seed":7,"cluster":{"nodes":30},"until":"4h"}`,
		"rescheduler_most_per_node": `{"v":1,"system":"central","seed":7,"cluster":{"nodes":60},"workload":{"scale":1.3},"settings":{"rescheduler":{"every_us":60000000}},"until":"1h"}`,
	}
	for _, e := range run.Systems() {
		for _, role := range e.Agents {
			for _, kind := range role.Faults {
				if kind.Setting == "" {
					continue
				}
				t.Run(e.ID+" "+kind.ID, func(t *testing.T) {
					document := documents[kind.ID]
					if kind.ID != system.LiveKind(kind.Setting) || document == "" {
						t.Fatalf("no scenario shows what comes of %s", kind.ID)
					}
					p := past{s: parse(t, document)}
					until := unit.Time(p.s.Until)
					plain := played(t, p, nil, false, until).Digest()
					changed := false
					for _, value := range []float64{kind.Value.Min, 1, kind.Value.Max} {
						if !kind.Value.Holds(value) {
							continue
						}
						f := scenario.Fault{At: scenario.Duration(5 * unit.Minute), Kind: kind.ID, Target: kind.Target, Value: value}
						a, b := played(t, p, &f, false, until), played(t, p, &f, true, until)
						if a.Digest() != b.Digest() || fmt.Sprint(a.Report().Warnings) != fmt.Sprint(b.Report().Warnings) {
							t.Errorf("%v in the scenario is not %v by hand", value, value)
						}
						for _, w := range a.Report().Warnings {
							t.Log(w)
						}
						changed = changed || a.Digest() != plain
					}
					if !changed {
						t.Error("nothing comes of it")
					}
				})
			}
		}
	}
}
