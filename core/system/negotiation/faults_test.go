package negotiation_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/metric"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system/negotiation"
	"parley/core/testkit/scripttest"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/testkit/systemtest"
	"parley/core/unit"
)

// When everything is mended, when runs end, and how old a task may be by then
// without a place.
const (
	mended   = 20 * unit.Minute
	ended    = 34 * unit.Minute
	patience = 6 * unit.Minute
	longest  = 5 * unit.Minute // that a negotiation takes until a migration begins or it is over
)

// TestFaults throws random faults at small generated cells for twenty minutes,
// mends everything, and plays on. Nothing may be lost or run twice, no
// negotiation may stay open, every task must find a place in the end, and faults
// that a scenario holds must do what the same faults do when somebody makes them
// happen.
func TestFaults(t *testing.T) {
	for name, settings := range map[string]string{
		"defaults":      `{}`,
		"three brokers": `{"brokers":3}`,
		"rounds":        `{"brokers":2,"mail":{"latency_us":500,"rounds_a_minute":12}}`,
		"slow and sure": `{"mail":{"latency_us":2000000,"jitter_us":5000000}}`,
		"later":         `{"brokers":2,"later":{"idle_list":5,"offload":0.85,"blacklist_us":120000000,"rack_cost":1}}`,
		"preempt":       `{"later":{"preempt":true}}`,
	} {
		t.Run(name, func(t *testing.T) {
			systemtest.Cases(t, 30)
			rapid.Check(t, func(t *rapid.T) {
				s := disaster().Draw(t, "scenario")
				s.Settings = json.RawMessage(settings)
				watched, err := playDisaster(s, unit.Minute, false)
				if err != nil {
					t.Fatalf("%v\n%s", err, s.Encode())
				}
				other, err := playDisaster(s, 7*unit.Minute, true)
				if err != nil {
					t.Fatalf("with the faults injected: %v\n%s", err, s.Encode())
				}
				if watched != other {
					t.Fatalf("digest %v, with the faults injected %v\n%s", watched, other, s.Encode())
				}
			})
		})
	}
}

// TestChaos lets nodes and racks fail at random, and the rest of the faults as
// well, without an end.
func TestChaos(t *testing.T) {
	systemtest.Cases(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		s := disaster().Draw(t, "scenario")
		s.Chaos = scenario.Chaos{
			NodeMTBF: scenario.Duration(rapid.Int64Range(int64(5*unit.Minute), int64(unit.Day)).Draw(t, "node MTBF")),
			RackMTBF: scenario.Duration(rapid.Int64Range(int64(5*unit.Minute), int64(unit.Day)).Draw(t, "rack MTBF")),
			MTTR:     scenario.Duration(rapid.Int64Range(int64(unit.Second), int64(20*unit.Minute)).Draw(t, "MTTR")),
		}
		s.Settings = json.RawMessage(`{"brokers":2}`)
		first, err := playDisaster(s, unit.Minute, false)
		if err != nil {
			t.Fatalf("%v\n%s", err, s.Encode())
		}
		if again, err := playDisaster(s, 5*unit.Minute, false); err != nil || again != first {
			t.Fatalf("digest %v, in other slices %v (%v)\n%s", first, again, err, s.Encode())
		}
	})
}

// disaster makes scenarios of up to 60 nodes in racks of five with up to 16
// faults, all of them mended in the end.
func disaster() *rapid.Generator[*scenario.Scenario] {
	return rapid.Custom(func(t *rapid.T) *scenario.Scenario {
		physical := cluster.Default()
		physical.RackSize = 5
		nodes := rapid.IntRange(10, 60).Draw(t, "nodes")
		s := &scenario.Scenario{
			V: scenario.Version, System: "negotiation", Seed: rapid.Uint64Range(1, 1000).Draw(t, "seed"),
			Cluster:  scenario.Cluster{Preset: "google2011", Nodes: nodes, Keep: 1, Physical: &physical},
			Workload: scenario.Workload{Preset: "google2011", Scale: rapid.SampledFrom([]float64{0.3, 1, 1.4}).Draw(t, "scale")},
			Until:    scenario.Duration(ended),
		}
		for range rapid.IntRange(1, 16).Draw(t, "faults") {
			s.Faults = append(s.Faults, fault(t, nodes))
		}
		slices.SortStableFunc(s.Faults, func(a, b scenario.Fault) int { return int(a.At - b.At) })
		mend := func(kind, target string) {
			s.Faults = append(s.Faults, scenario.Fault{At: scenario.Duration(mended), Kind: kind, Target: target})
		}
		for rack := range (nodes + 4) / 5 {
			mend("rack_up", fmt.Sprintf("rack.%d", rack))
			mend("partition_healed", fmt.Sprintf("rack.%d", rack))
		}
		for broker := range 3 {
			mend("broker_up", fmt.Sprintf("broker.%d", broker))
		}
		mend("mail_loss", "mail")
		mend("mail_delay", "mail")
		usual := negotiation.Default()
		for _, set := range []struct {
			kind  string
			value int
		}{{"candidates", usual.Candidates}, {"scan_initial", usual.ScanInitial}, {"scan_reallocation", usual.ScanReallocation}} {
			s.Faults = append(s.Faults, scenario.Fault{At: scenario.Duration(mended), Kind: set.kind, Target: "settings", Value: float64(set.value)})
		}
		return s
	})
}

// ownFaults are the kinds of fault that the system says its agents know.
func ownFaults() (kinds []string) {
	for _, role := range negotiation.Entry().Agents {
		for _, kind := range role.Faults {
			if kinds = append(kinds, kind.ID); kind.Revert != "" {
				kinds = append(kinds, kind.Revert)
			}
		}
	}
	return kinds
}

func fault(t *rapid.T, nodes int) scenario.Fault {
	f := scenario.Fault{
		At:   scenario.Duration(rapid.Int64Range(0, int64(mended)-1).Draw(t, "at")),
		Kind: rapid.SampledFrom(append(ownFaults(), scenario.PhysicalFaults...)).Draw(t, "kind"),
	}
	switch subject, _, _ := strings.Cut(f.Kind, "_"); subject {
	case "node":
		f.Target = fmt.Sprintf("node.%d", rapid.IntRange(0, nodes-1).Draw(t, "node"))
	case "rack", "partition":
		f.Target = fmt.Sprintf("rack.%d", rapid.IntRange(0, (nodes-1)/5).Draw(t, "rack"))
	case "broker":
		f.Target = fmt.Sprintf("broker.%d", rapid.IntRange(0, 2).Draw(t, "broker"))
	case "candidates", "scan":
		f.Target, f.Value = "settings", float64(rapid.IntRange(1, 32).Draw(t, "value"))
	case "cluster":
		f.Target, f.Value = "cluster", float64(rapid.IntRange(1, 20).Draw(t, "more"))
	default:
		f.Target, f.Value = "mail", rapid.Float64Range(0, 0.5).Draw(t, "loss")
		if f.Kind == "mail_delay" {
			f.Value *= 240 // seconds
		}
	}
	return f
}

// none is the digest of a run that failed.
var none cluster.Digest

// playDisaster plays a scenario in steps, with its faults from the scenario or
// injected, and returns its digest or what went wrong.
func playDisaster(s *scenario.Scenario, step unit.Time, inject bool) (cluster.Digest, error) {
	mine := *s
	mine.Faults = slices.Clone(s.Faults)
	if inject {
		mine.Faults = nil
	}
	l := newLedger()
	r, err := run.Open(&mine, nil, run.Watch(l))
	if err != nil {
		return none, err
	}
	l.view = r.View
	begun := 0.0 // negotiations, some time before the end
	for at := step; ; at += step {
		for inject && len(s.Faults) > 0 && unit.Time(s.Faults[0].At) <= min(at, ended) {
			one := s.Faults[0]
			s = &scenario.Scenario{Faults: s.Faults[1:]}
			if err := r.Advance(unit.Time(one.At)); err != nil {
				return none, err
			}
			if err := r.Inject(one); err != nil {
				return none, err
			}
		}
		if err := r.Advance(min(at, ended)); err != nil {
			return none, err
		}
		if err := r.Audit(); err != nil {
			return none, err
		}
		if err := l.check(); err != nil {
			return none, err
		}
		if r.Now() <= ended-longest {
			begun = reported(r, "negotiations")
		}
		if r.Done() {
			break
		}
	}
	if mayWait := strings.Contains(string(mine.Settings), "preempt"); !mayWait && mine.Chaos == (scenario.Chaos{}) {
		if err := l.placed(r.Now() - patience); err != nil {
			return none, err
		}
	}
	open, young, moving := reported(r, "negotiations_open"), reported(r, "negotiations")-begun, float64(r.View().Totals().Migrating)
	if open > young+moving {
		return none, fmt.Errorf("%v negotiations are open, but only %v are younger than %v and %v tasks migrate", open, young, longest, moving)
	}
	return r.Digest(), nil
}

// placed says which task waits since a time although some node could hold it.
func (l *ledger) placed(since unit.Time) error {
	v := l.view()
	for id, one := range l.tasks {
		if one.state != cluster.Waiting || one.since > since {
			continue
		}
		for n := range unit.NodeID(v.Nodes()) {
			if v.Fits(id, n, cluster.ByTotal) == nil {
				return fmt.Errorf("task %d waits since %v, and node %d could hold it", id, one.since, n)
			}
		}
	}
	return nil
}

func reported(r *run.Run, name string) float64 {
	switch x := r.Report().System[name].(type) {
	case int:
		return float64(x)
	case int64:
		return float64(x)
	case float64:
		return x
	}
	panic("the report has no number " + name)
}

// TestTimeoutsLeaveNothingBehind: a task waits for two hours for a broker that is
// down, asking every 30 s. The last ten minutes cost as many events as the first.
func TestTimeoutsLeaveNothingBehind(t *testing.T) {
	s, err := newStage(cluster.Default(), "")
	if err != nil {
		t.Fatal(err)
	}
	script := func(lines ...string) {
		for _, line := range lines {
			for _, l := range scripttest.Lines(t, &datadriven.TestData{Input: line}) {
				if err := s.play(l); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	script("nodes 2 cpu=1 mem=1", "fault broker_down 0", "submit a cpu=.1 mem=.1", "until 10m")
	start := s.Kernel.Fired()
	script("until 20m")
	first := s.Kernel.Fired() - start
	script("until 110m")
	start = s.Kernel.Fired()
	script("until 120m")
	if last := s.Kernel.Fired() - start; last != first {
		t.Errorf("ten minutes cost %d events at first and %d after two hours", first, last)
	}
}

// TestBothModesBalance: in the paper's rounds (section 7.10) as with latency hardly
// a node is overloaded and three are proportional for each disproportionate one
// (7.6, 7.7); and requests that travel in step collide more often (5.5).
func TestBothModesBalance(t *testing.T) {
	var refused [2]float64
	for which, settings := range []string{off: `{}`, on: `{"mail":{"latency_us":500,"rounds_a_minute":6}}`} {
		document := `{"v":1,"system":"negotiation","seed":1,"cluster":{"nodes":500},"workload":{"scale":%v,"production":"trace"},"settings":` + settings + `}`
		r, _ := playCell(t, 90*unit.Minute, fmt.Sprintf(document, 1), nil)
		mean := r.Table().MeanFrom(10 * unit.Minute)
		pa, da, over := mean[metric.Proportional], mean[metric.Disproportionate], mean[metric.Overloaded]
		if t.Logf("settings %s: PA %.2f %%, DA %.2f %%, overloaded %.3f %%", settings, pa, da, over); pa < 3*da || over > 0.5 {
			t.Errorf("settings %s: PA %.2f %%, DA %.2f %%, overloaded %.3f %%", settings, pa, da, over)
		}
		busy, _ := playCell(t, unit.Hour, fmt.Sprintf(document, 1.3), nil)
		refused[which] = 100 * reported(busy, "migration_rejected") / reported(busy, "migration_attempts")
	}
	t.Logf("of the migrations tried at 130 %% of the workload %.1f %% are refused at step 5", refused)
	if refused[on] < 2*refused[off] {
		t.Errorf("%.1f %% of the migrations are refused in rounds, %.1f %% with latency", refused[on], refused[off])
	}
}
