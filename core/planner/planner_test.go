package planner_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"parley/core/message"
	"parley/core/planner"
	"parley/core/system/rounds/plan"
)

// ticking is a clock that goes on by 1.5 ms whenever it is asked.
func ticking() planner.Clock {
	now := time.Duration(0)
	return func() time.Duration {
		now += 1500 * time.Microsecond
		return now
	}
}

const workers = `{"load":1000,"workers":[{"speed":50,"bandwidth":1500,"comp_latency":0.1},{"speed":20,"bandwidth":800}]}`

// The answer has the plan that the planner makes, its timeline with an entry a
// chunk, and how long that took.
func TestPlansRounds(t *testing.T) {
	m, ok := planner.Answer(message.MakePlan{Planner: "load", Algorithm: "umr", Document: workers}, ticking()).(planner.Plan)
	if !ok || m.Reason != "" || m.Planner != "load" || m.Algorithm != "umr" || m.WallUS != 1500 {
		t.Fatalf("%+v", m)
	}
	p, load, err := plan.Decode(strings.NewReader(workers))
	if err != nil {
		t.Fatal(err)
	}
	want, err := plan.Plan(p, load, "umr", plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := *m.Load
	if got.Makespan != want.Makespan || got.Rounds != want.Rounds {
		t.Errorf("%v in %d rounds, want %v in %d", got.Makespan, got.Rounds, want.Makespan, want.Rounds)
	}
	if chunks := len(got.Order) * got.Rounds; len(m.Timeline.Worker.Bytes) != 4*chunks || len(m.Timeline.ComputeEnd.Bytes) != 8*chunks {
		t.Errorf("%d bytes of workers and %d of ends for %d chunks", len(m.Timeline.Worker.Bytes), len(m.Timeline.ComputeEnd.Bytes), chunks)
	}
	if _, parts, err := message.Encode(m); err != nil || len(parts) != 6 {
		t.Errorf("%d parts, %v", len(parts), err)
	}
}

func TestPlansYield(t *testing.T) {
	m := planner.Make(message.MakePlan{Planner: "jobs", Algorithm: "mcb8", Document: `{"hosts":1,"jobs":[{"cpu":1,"mem":0.25,"tasks":2}]}`}, ticking())
	r := m.Jobs
	if r == nil || m.Reason != "" || math.Abs(r.MinYield-0.5) > 1e-9 || m.Timeline != nil {
		t.Errorf("%+v, result %+v", m, r)
	}
	if _, parts, err := message.Encode(m); err != nil || len(parts) != 0 {
		t.Errorf("%d parts, %v", len(parts), err)
	}
}

const graph = `{"processors":[{"speed":1,"bandwidth":1e6},{"speed":2,"bandwidth":1e6}],
	"tasks":[{"name":"right","work":6},{"name":"left","work":8},{"name":"split","work":2}],
	"arcs":[{"from":"split","to":"left","bytes":5e5},{"from":"split","to":"right","bytes":5e5}]}`

// The plan of a graph is that of `parley plan graph`, with a bar a task: by its start, on
// its processor, in the wave that is as many tasks behind the first as it is.
func TestPlansGraphs(t *testing.T) {
	m := planner.Make(message.MakePlan{Planner: "graph", Algorithm: "heft", Name: "graph.json", Document: graph}, ticking())
	r := m.Graph
	if r == nil || m.Reason != "" || r.Makespan != 7.5 || r.BoundS != 16./3 || r.Tasks != 3 || r.Arcs != 2 || r.Processors != 2 || r.Format != "" || m.WallUS != 1500 {
		t.Fatalf("%+v", m)
	}
	ints := func(b *message.Binary) (all []uint32) {
		for at := 0; at < len(b.Bytes); at += 4 {
			all = append(all, binary.LittleEndian.Uint32(b.Bytes[at:]))
		}
		return all
	}
	floats := func(b *message.Binary) (all []float64) {
		for at := 0; at < len(b.Bytes); at += 8 {
			all = append(all, math.Float64frombits(binary.LittleEndian.Uint64(b.Bytes[at:])))
		}
		return all
	}
	bars := m.Timeline
	for _, got := range []struct{ subject, is, want string }{
		{"processors", fmt.Sprint(ints(bars.Worker)), "[1 1 0]"},
		{"waves", fmt.Sprint(ints(bars.Round)), "[0 1 1]"},
		{"starts", fmt.Sprint(floats(bars.ComputeStart)), "[0 1 1.5]"},
		{"ends", fmt.Sprint(floats(bars.ComputeEnd)), "[1 5 7.5]"},
	} {
		if got.is != got.want {
			t.Errorf("%s are %s, want %s", got.subject, got.is, got.want)
		}
	}
}

// A workflow is planned for as many equal processors as are asked for.
func TestPlansWorkflows(t *testing.T) {
	const dax = `<adag name="w"><job id="a" name="one" runtime="3"/><job id="b" name="two" runtime="4"/></adag>`
	for processors, want := range map[int]float64{1: 7, 2: 4} {
		m := planner.Make(message.MakePlan{Planner: "graph", Algorithm: "peft", Name: "w.dax", Document: dax, Equal: message.Equal{Processors: processors}}, ticking())
		if r := m.Graph; r == nil || r.Makespan != want || r.Processors != processors || r.Format == "" {
			t.Errorf("%d processors: %+v", processors, m)
		}
	}
}

// It knows the algorithms that it lists, all of them.
func TestListsWhatItKnows(t *testing.T) {
	known := planner.Planners()
	for _, c := range []struct {
		planner, document string
		algorithms        []string
	}{
		{"load", workers, known.Load},
		{"jobs", `{"hosts":1,"jobs":[{"cpu":1,"mem":0.25,"tasks":2}]}`, known.Jobs},
		{"graph", graph, known.Graph},
	} {
		if len(c.algorithms) < 5 {
			t.Errorf("%s: %q", c.planner, c.algorithms)
		}
		for _, algorithm := range c.algorithms {
			if m := planner.Make(message.MakePlan{Planner: c.planner, Algorithm: algorithm, Document: c.document}, ticking()); m.Reason != "" || m.Load == nil && m.Jobs == nil && m.Graph == nil {
				t.Errorf("%s by %s: %+v", c.planner, algorithm, m)
			}
		}
	}
}

// What cannot be planned is an answer that says why and has no plan.
func TestSaysWhyNot(t *testing.T) {
	for _, c := range []struct{ planner, algorithm, document, want string }{
		{"load", "umr", `{`, "it ends too early"},
		{"load", "nothing", workers, "nothing"},
		{"jobs", "mcb8", `{`, "it ends too early"},
		{"jobs", "nothing", `{"hosts":1,"jobs":[{"cpu":1,"mem":0.25}]}`, "nothing"},
		{"graph", "heft", `{`, "it ends too early"},
		{"graph", "nothing", graph, "nothing"},
		{"graph", "heft", `<adag name="w"><job id="a" name="one" runtime="3"/></adag>`, "processors"},
		{"weather", "", "", "there is no planner weather"},
	} {
		m := planner.Make(message.MakePlan{Planner: c.planner, Algorithm: c.algorithm, Document: c.document}, ticking())
		if !strings.Contains(m.Reason, c.want) || m.Load != nil || m.Jobs != nil || m.Graph != nil || m.Timeline != nil {
			t.Errorf("%+v: %+v", c, m)
		}
	}
	if m, ok := planner.Answer(planner.Plan{}, ticking()).(message.NewTrouble); !ok || m.Trouble.Sentence != "the planner has no answer to plan" {
		t.Errorf("%+v", m)
	}
}

// A plan of more chunks than a chart shows comes without a timeline.
func TestLongPlansAreNotDrawn(t *testing.T) {
	for workers, drawn := range map[int]bool{25_000: true, 25_001: false} { // of eight chunks each
		document := `{"load":100000000,"workers":[` + strings.Repeat(`{"speed":50,"bandwidth":5000000},`, workers-1) + `{"speed":50,"bandwidth":5000000}]}`
		m := planner.Make(message.MakePlan{Planner: "load", Algorithm: "mi", Document: document}, ticking())
		if m.Reason != "" || (m.Timeline != nil) != drawn {
			t.Errorf("%d workers: drawn %v, %s", workers, m.Timeline != nil, m.Reason)
		}
	}
}

const platform = `<platform version="4.1"><zone id="z" routing="Full"><host id="m" speed="1Gf"/><host id="a" speed="98Mf"/>
<link id="l" bandwidth="41MBps" latency="50us"/><route src="m" dst="a"><link_ctn id="l"/></route></zone></platform>`

func TestReadsPlatforms(t *testing.T) {
	read := func(text, master string) planner.Platform {
		return planner.Answer(message.ReadPlatform{Name: "file", Text: text, Master: master, Flops: 1e6, Bytes: 1e3}, nil).(planner.Platform)
	}
	if p := read(workers, ""); p.Reason != "" || p.Load != 1000 || len(p.Workers) != 2 || p.Hosts != nil || p.Name != "file" {
		t.Errorf("workers: %+v", p)
	}
	for _, master := range []string{"", "m"} {
		p := read(platform, master)
		if p.Reason != "" || p.Master != "m" || len(p.Hosts) != 2 || len(p.Workers) != 1 || p.Names[0] != "a" || math.Abs(p.Workers[0].Speed-98) > 1e-9 {
			t.Errorf("master %q: %+v", master, p)
		}
	}
	if p := read(platform, "a"); p.Reason != "" || p.Master != "a" || len(p.Workers) != 1 || p.Names[0] != "m" {
		t.Errorf("another master: %+v", p)
	}
	for text, want := range map[string]string{
		"{":           "it ends too early",
		platform[:80]: "",
		strings.Replace(platform, `<host id="a" speed="98Mf"/>`, "", 1):                                    "",
		`<platform version="4.1"><zone id="z" routing="Full"><host id="m" speed="1Gf"/></zone></platform>`: "m is the only host",
	} {
		if p := read(text, ""); p.Reason == "" || !strings.Contains(p.Reason, want) {
			t.Errorf("%s: %+v", text, p)
		}
	}
	if p := read(platform, "x"); !strings.Contains(p.Reason, `no host named "x"`) || len(p.Hosts) != 2 {
		t.Errorf("%+v", p)
	}
}
