package inspect_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"parley/core/run"
	"parley/core/run/events"
	"parley/core/run/inspect"
	"parley/core/system"
	"parley/core/unit"
)

// places returns documents of random runs of every system that plays something without
// files: n of them, in turns, and one that is not random.
func places(t *testing.T, n int) (documents []string) {
	t.Helper()
	kinds := []string{
		`"system":"negotiation","cluster":{"nodes":%d,"physical":{"rack_size":10}},"workload":{"scale":1.12}`,
		`"system":"central","cluster":{"nodes":%d,"physical":{"rack_size":8}},"settings":{"policy":"best-fit"}`,
		`"system":"yield","cluster":{"nodes":%d}`,
		`"system":"rounds","cluster":{"nodes":%d},"workload":{"system":{"load":200000,"random":{"workers":20,"comp_latency":[0.1,0.1],"comm_latency":[0.1,0.1]}}}`,
		`"system":"board","workload":{"graphs":{"machines":[{"count":%d,"types":20,"types_each":[4,8],"speed":[0.5,2],"bandwidth":[1e6,1e7]}],"generate":{"shape":"mixed","vertices":[50,150],"width":10,"needs":3,"work":[10,100],"bytes":[1e5,1e6],"load":0.6},"deadline_factor":1.2,"bonus":100}},"settings":{"thread_rule":"ready"}`,
		`"system":"static","workload":{"graphs":{"machines":[{"count":%d,"types":20,"types_each":[4,8],"speed":[0.5,2],"bandwidth":[1e6,1e7]}],"generate":{"shape":"mixed","vertices":[50,150],"width":10,"needs":3,"work":[10,100],"bytes":[1e5,1e6],"load":0.5},"deadline_factor":1.2}}`,
		`"system":"dispatcher","workload":{"graphs":{"machines":[{"count":%d,"types":20,"types_each":[4,8],"speed":[0.5,2],"bandwidth":[1e6,1e7]}],"generate":{"shape":"mixed","vertices":[50,150],"width":10,"needs":3,"work":[10,100],"bytes":[1e5,1e6],"load":0.5}}}`,
		`"system":"market","cluster":{"nodes":%d},"workload":{"system":{"demand":{"requests":400,"every":"8s","units":[1,3],"lead":["2m","20m"],"wall":["10m","30m"],"cores":[16,64]}}}`,
	}
	random := rand.New(rand.NewPCG(20261124, 33))
	for i := range n {
		nodes := 40 + random.IntN(60)
		faults := []string{}
		for range 6 {
			at, where, n := random.IntN(3000), "node", random.IntN(nodes)
			if random.IntN(2) == 0 {
				where, n = "rack", random.IntN(3)
			}
			faults = append(faults, fmt.Sprintf(`{"at":"%ds","kind":"%s_down","target":"%s.%d"}`, at, where, where, n))
			if random.IntN(3) > 0 {
				faults = append(faults, fmt.Sprintf(`{"at":"%ds","kind":"%s_up","target":"%s.%d"}`, at+1+random.IntN(1200), where, where, n))
			}
		}
		two := random.IntN(nodes - 1)
		for n := range 2 { // two of the same moment, which are not a rack
			faults = append(faults, fmt.Sprintf(`{"at":"40m","kind":"node_down","target":"node.%d"}`, two+n))
		}
		chaos := ""
		if random.IntN(2) == 0 {
			chaos = `"chaos":{"node_mtbf":"20h","mttr":"5m"},`
		}
		documents = append(documents, fmt.Sprintf(`{"v":1,"seed":%d,%s,"faults":[%s],%s"until":"1h"}`,
			random.IntN(1000), fmt.Sprintf(kinds[i%len(kinds)], nodes), strings.Join(faults, ","), chaos))
	}
	// A sold unit loses its cores while the bank is down, and a second node of its site fails
	// before the bank gives the price back: the first fault had that cost.
	faults := []string{}
	for k := range 6 {
		second := 600 + 400*k
		faults = append(faults, fmt.Sprintf(`{"at":"%ds","kind":"bank_down","target":"bank"},{"at":"%ds","kind":"node_down","target":"node.1"},{"at":"%ds","kind":"node_down","target":"node.2"},`+
			`{"at":"%ds","kind":"bank_up","target":"bank"},{"at":"%ds","kind":"node_up","target":"node.1"},{"at":"%ds","kind":"node_up","target":"node.2"}`, second, second+10, second+40, second+60, second+100, second+100))
	}
	return append(documents, fmt.Sprintf(`{"v":1,"seed":7,%s,"faults":[%s],"until":"1h"}`, fmt.Sprintf(kinds[len(kinds)-1], 40), strings.Join(faults, ",")))
}

// TestSentencesAreTheLog goes to random places and compares, at ten moments each, all
// numbers of the faults, of the story and of the sentence above the map with the event
// log, which another program reads: this one.
func TestSentencesAreTheLog(t *testing.T) {
	n := 20
	if testing.Short() {
		n = 8
	}
	told, faults := map[string]int{}, 0
	for i, document := range places(t, n) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			var out strings.Builder
			log, err := events.New(&out, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			r := open(t, document, run.LogEvents(log), run.KeepNotes(1_000_000), run.KeepIncidents())
			kinds, err := events.NoteKindsOf(must(run.Systems().Find(r.Scenario().System)))
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(uint64(i), 1))
			moments := []int{2400} // the two at once
			for range 9 {
				moments = append(moments, 1+random.IntN(3600))
			}
			slices.Sort(moments)
			stated, read := newReader(), 0
			for _, second := range moments {
				advance(t, r, unit.Time(second)*unit.Second)
				if err := log.Flush(); err != nil {
					t.Fatal(err)
				}
				text := out.String()[read:]
				read = out.Len()
				for line := range strings.Lines(text) {
					var one logged
					if err := json.Unmarshal([]byte(line), &one); err != nil {
						t.Fatalf("%.200s: %v", line, err)
					}
					stated.take(one)
				}
				stated.endMoment()
				incidents := r.Incidents()
				faults += len(incidents)
				compareFaults(t, r, second, incidents, stated, told)
				compareStory(t, second, r, kinds, stated)
				comparePresent(t, second, r, stated, told)
			}
		})
	}
	t.Logf("%d faults; figures in sentences: %v", faults, told)
	if faults < 30*n {
		t.Errorf("%d faults were compared in %d places", faults, n)
	}
	for _, figure := range []string{"running", "waiting", "graphs_posted", "graphs_open", "graphs_missed_sum", "load_left", "computing_pct", "min_yield", "auctions_open", "auctions_bought_sum", "auctions_failed_sum", "yield lost", "credits refunded"} {
		if told[figure] == 0 {
			t.Errorf("no sentence had the figure %s", figure)
		}
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func compareFaults(t *testing.T, r *run.Run, second int, incidents []inspect.Incident, stated *reader, told map[string]int) {
	t.Helper()
	if len(incidents) != min(len(stated.faults), 40) {
		t.Errorf("at %d s: %d faults, the log has %d", second, len(incidents), len(stated.faults))
		return
	}
	for k, one := range incidents {
		f := stated.faults[len(stated.faults)-1-k]
		node := cmp.Or(r.System().Node, "node")
		subject, rack := fmt.Sprintf("%s %d", strings.ToUpper(node[:1])+node[1:], f.node), fmt.Sprintf("ack %d", f.rack)
		first := "R"
		if site := fact(t, r, unit.NodeID(f.node), "Site"); site != "" {
			first, rack = "S", "ite "+site
		}
		switch {
		case f.nodes > 1 && first == "R" && r.System().NoRacks: // it has none to speak of
			subject = fmt.Sprintf("%d %ss", f.nodes, node)
		case f.nodes > 1 && f.whole:
			subject = first + rack
		case f.nodes > 1:
			subject = fmt.Sprintf("%d %ss of %s", f.nodes, node, strings.ToLower(first)+rack)
		}
		got := fmt.Sprint(one.At, one.Subject, one.Nodes, one.Back, one.Noun, one.Lost, one.Results, one.Again, one.Ended, one.First, one.Half, one.Last, one.Pieces, one.Moves, one.Moved, one.Missed, one.Refunds)
		want := fmt.Sprint(unit.Time(f.at), subject, f.nodes, f.back, f.noun, f.lost, f.results, f.again, f.gone, unit.Time(f.first), unit.Time(f.half), unit.Time(f.last), f.pieces, f.moves, int64(f.moved), f.missed, f.refunds)
		if got != want || math.Abs(one.Work-f.work) > 1e-6*f.work {
			t.Errorf("at %d s the fault is\n%s, the log says\n%s", second, got, want)
		}
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, b) }
		if !near(one.Yield, f.yield) || !near(one.LowestYield, f.lowest) || !near(one.Refunded, f.refunded) {
			t.Errorf("at %d s the smallest yield went from %v to %v and %v credits were refunded; the log says from %v to %v and %v", second, one.Yield, one.LowestYield, one.Refunded, f.yield, f.lowest, f.refunded)
		}
		if f.lowest < f.yield {
			told["yield lost"]++
		}
		if f.refunds > 0 {
			told["credits refunded"]++
		}
		if one.Waiting() != len(f.open) {
			t.Errorf("at %d s %d wait, the log says %d", second, one.Waiting(), len(f.open))
		}
		nothing := f.lost == 0 && f.pieces == 0
		if strings.Contains(one.Summary+one.Cost, "Nothing") != nothing {
			t.Errorf("at %d s: %s %s, lost %d and %d pieces", second, one.Summary, one.Cost, f.lost, f.pieces)
		}
	}
}

func compareStory(t *testing.T, second int, r *run.Run, kinds []system.NoteKind, stated *reader) {
	t.Helper()
	got := map[uint8]float64{}
	for _, g := range r.Counted(100_000) {
		got[g.Kind] += g.Count
	}
	for _, h := range r.System().Story {
		want := stated.notes[kinds[h.Kind].ID]
		if h.Sum {
			want = stated.notes[kinds[h.Kind].ID+" sum"]
		}
		if math.Abs(got[h.Kind]-want) > 1e-6*want {
			t.Errorf("at %d s the story has %v %s, the log %v", second, got[h.Kind], h.Many, want)
		}
	}
}

func comparePresent(t *testing.T, second int, r *run.Run, stated *reader, told map[string]int) {
	t.Helper()
	up, down := 0, 0
	for _, is := range stated.up {
		if !is {
			down++
		}
		if is || r.Scenario().System == "rounds" { // whose sentence is about all workers
			up++
		}
	}
	log := map[string]float64{
		"running": float64(stated.running), "waiting": float64(stated.waiting), "graphs_posted": float64(stated.graphs), "graphs_open": float64(stated.graphs),
		"graphs_missed_sum": float64(stated.missed), "load_left": stated.arrived - stated.done,
		"computing_pct": 100 * float64(stated.computing) / float64(max(1, up)), "min_yield": stated.smallest(),
		"auctions_bought_sum": float64(len(stated.bought)), "auctions_failed_sum": stated.notes["failed"],
		"nodes_down": float64(down), "tasks_running": float64(stated.running), "tasks_waiting": float64(stated.waiting),
		"auctions_open": stated.notes["begun"] - float64(len(stated.bought)) - stated.notes["failed"],
	}
	present := r.Present()
	sentence, ok := r.Sentence()
	if !ok {
		t.Errorf("no sentence")
	}
	for figure, got := range present { // those of the charts too
		if want, known := log[figure]; known && math.Abs(got-want) > 1e-6*max(1, math.Abs(want)) {
			t.Errorf("at %d s the chart of %s has %v, the log says %v", second, figure, got, want)
		}
		told["chart of "+figure]++
	}
	for _, figure := range sentence.Figures() {
		got, measured := present[figure]
		want, known := log[figure]
		if !measured {
			t.Errorf("at %d s the sentence lacks %s", second, figure)
		}
		if !known {
			t.Errorf("the log says nothing of %s, which stands in the sentence", figure)
		}
		told[figure]++
		if math.Abs(got-want) > 1e-6*max(1, math.Abs(want)) {
			t.Errorf("at %d s the sentence says %v %s, the log %v", second, got, figure, want)
		}
	}
}
