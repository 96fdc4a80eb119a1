package inspect_test

import (
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

// logged is a line of the event log. The program below reads nothing else.
type logged struct {
	T       int64
	E       string
	Node    *int
	Machine string
	Rack    int
	Task    string
	Job     string
	Graph   string
	Subtask int
	Bytes   float64
	Where   string
	Work    json.RawMessage // a number, of a graph a list
	Kind    string
	Value   float64
	CPU     float64
	Ref     int
}

// fault is what the log says of the nodes of a rack that went down at one moment.
type fault struct {
	at                                                  int64
	rack, node, nodes, back, lost, results, again, gone int
	pieces, moves, missed                               int
	work, moved                                         float64
	first, last, half                                   int64
	open                                                map[string]bool // what still waits
	graphs                                              map[string]bool // that lost a subtask and have missed nothing since
	whole                                               bool
	noun                                                string
	yield, least                                        float64 // 0: no task had a share before it
	over                                                bool
	refunds                                             int
	refunded                                            float64
}

// reader keeps what the log says up to a moment.
type reader struct {
	racks                     map[int]int
	up                        map[int]bool
	faults                    []*fault
	hit                       map[int]*fault   // by node that is down
	loose                     map[int][]string // by node, what it lost at this moment
	looseJobs                 []string
	stored                    map[string]bool
	chunks                    map[int][]float64
	at                        int64
	running, waiting          int
	graphs, missed, computing int
	notes                     map[string]float64
	arrived, done             float64
	needs, yields             map[string]float64 // CPU requested by a task, and its share of it
	lossAt                    int64
	before                    float64           // smallest yield before the first loss of lossAt
	broken                    map[string]logged // sold units that cannot be delivered
}

func newReader() *reader {
	return &reader{racks: map[int]int{}, up: map[int]bool{}, notes: map[string]float64{}, hit: map[int]*fault{}, loose: map[int][]string{}, stored: map[string]bool{}, chunks: map[int][]float64{}, needs: map[string]float64{}, yields: map[string]float64{}, lossAt: -1, broken: map[string]logged{}}
}

// smallest returns the smallest yield of the tasks that have a share of CPU; 1 of none.
func (r *reader) smallest() float64 {
	least := 1.0
	for _, yield := range r.yields {
		least = min(least, yield)
	}
	return least
}

// endMoment notes the smallest yield at the end of a moment for the faults that had something
// waiting until then.
func (r *reader) endMoment() {
	for _, f := range r.faults {
		if f.yield > 0 && !f.over {
			f.least = min(f.least, r.smallest())
			f.over = len(f.open) == 0
		}
	}
}

// prices folds what a line says of yields and of prices that are given back.
func (r *reader) prices(l logged) {
	switch l.E {
	case "task_submitted", "task_changed":
		if has, is := r.yields[l.Task]; is {
			r.yields[l.Task] = has * r.needs[l.Task] / l.CPU
		}
		r.needs[l.Task] = l.CPU
	case "task_allotted":
		r.yields[l.Task] = l.CPU / r.needs[l.Task]
	case "task_displaced", "node_down":
		if r.lossAt != r.at {
			r.lossAt, r.before = r.at, 0
			if len(r.yields) > 0 {
				r.before = r.smallest()
			}
		}
		delete(r.yields, l.Task)
	case "task_ended":
		delete(r.yields, l.Task)
	case "note":
		unit := fmt.Sprint(l.Ref, " ", l.Job)
		switch l.Kind {
		case "broken":
			r.broken[unit] = l
		case "refunded":
			sold, is := r.broken[unit]
			delete(r.broken, unit)
			for _, f := range slices.Backward(r.faults) {
				if is && f.rack == r.racks[*sold.Node] && f.at <= sold.T {
					f.refunds++
					f.refunded += l.Value
					break
				}
			}
		}
	}
}

// work returns the work units of a line about a load or a chunk.
func (l logged) work() (units float64) {
	if err := json.Unmarshal(l.Work, &units); err != nil {
		panic(err)
	}
	return units
}

// take folds one line.
func (r *reader) take(l logged) {
	if l.T != r.at {
		r.endMoment()
		r.at = l.T
		clear(r.loose)
		clear(r.chunks)
		r.looseJobs = nil
	}
	r.prices(l)
	name := l.Task + l.Job
	if l.Graph != "" {
		name = fmt.Sprint(l.Graph, "/", l.Subtask)
	}
	switch l.E {
	case "node_up":
		if rack, known := r.racks[*l.Node]; !known {
			r.racks[*l.Node] = l.Rack
		} else if rack != l.Rack {
			panic("a node moved to another rack")
		}
		r.up[*l.Node] = true
		if f := r.hit[*l.Node]; f != nil {
			f.back++
			delete(r.hit, *l.Node)
		}
	case "node_down":
		r.down(*l.Node)
	case "task_submitted", "job_submitted":
		r.waiting++
	case "task_placed", "job_placed":
		r.waiting--
		r.running++
		r.again(name)
	case "task_ended", "job_ended":
		if l.E == "job_ended" || l.Node != nil {
			r.running--
		} else {
			r.waiting--
		}
		r.end(name)
	case "task_displaced":
		r.running--
		r.waiting++
		r.loose[*l.Node] = append(r.loose[*l.Node], name)
	case "job_displaced":
		r.running--
		r.waiting++
		r.looseJobs = append(r.looseJobs, name)
	case "migration_ended":
		for _, f := range r.faults {
			if len(f.open) > 0 {
				f.moves++
				f.moved += l.Bytes
			}
		}
	case "chunk_lost":
		r.chunks[*l.Node] = append(r.chunks[*l.Node], l.work())
		if l.Where == "worker" {
			r.computing--
		}
	case "load_arrived":
		r.arrived += l.work()
	case "chunk_started":
		r.computing++
	case "chunk_done":
		r.done += l.work()
		r.computing--
	case "graph_arrived":
		r.graphs++
	case "graph_missed":
		r.missed++
		for _, f := range r.faults {
			if f.graphs[l.Graph] {
				f.missed++
				delete(f.graphs, l.Graph)
			}
		}
	case "graph_done", "graph_aborted":
		r.graphs--
		for _, f := range r.faults {
			delete(f.graphs, l.Graph)
			for key := range f.open {
				if strings.HasPrefix(key, l.Graph+"/") {
					r.end(key)
				}
			}
		}
	case "subtask_lost":
		r.loose[*l.Node] = append(r.loose[*l.Node], name)
		r.stored[name] = l.Where == "store"
		if l.Where == "worker" {
			r.computing--
		}
	case "subtask_started":
		r.computing++
		r.again(name)
	case "subtask_finished":
		r.computing--
	case "subtask_withdrawn":
		if l.Where == "worker" {
			r.computing--
		}
	case "note":
		r.notes[l.Kind] += 1
		r.notes[l.Kind+" sum"] += l.Value
	}
}

func (r *reader) down(node int) {
	rack := r.racks[node]
	r.up[node] = false
	i := slices.IndexFunc(r.faults, func(f *fault) bool { return f.at == r.at && f.rack == rack })
	if i < 0 {
		r.faults = append(r.faults, &fault{at: r.at, rack: rack, node: node, noun: "task", open: map[string]bool{}, graphs: map[string]bool{}})
		i = len(r.faults) - 1
	}
	f := r.faults[i]
	r.hit[node] = f
	f.nodes++
	f.whole = f.nodes > 1
	for other, of := range r.racks {
		f.whole = f.whole && (of != rack || !r.up[other])
	}
	lost := r.loose[node]
	if len(r.looseJobs) > 0 {
		lost, f.noun = append(lost, r.looseJobs...), "job"
		r.looseJobs = nil
	}
	if len(lost) > 0 && f.yield == 0 {
		f.yield, f.least = r.before, r.before
	}
	for _, name := range lost {
		f.open[name] = true
		f.lost++
		if graph, _, is := strings.Cut(name, "/"); is {
			f.noun = "subtask"
			f.graphs[graph] = true
			if r.stored[name] {
				f.results++
			}
		}
	}
	delete(r.loose, node)
	for _, work := range r.chunks[node] {
		f.pieces++
		f.work += work
	}
	delete(r.chunks, node)
}

func (r *reader) again(name string) {
	for _, f := range r.faults {
		if !f.open[name] {
			continue
		}
		delete(f.open, name)
		f.again++
		if f.again == 1 {
			f.first = max(1, r.at-f.at)
		}
		if f.half == 0 && 2*f.again >= f.lost {
			f.half = max(1, r.at-f.at)
		}
		f.last = max(1, r.at-f.at)
	}
}

func (r *reader) end(name string) {
	for _, f := range r.faults {
		if f.open[name] {
			delete(f.open, name)
			f.gone++
		}
	}
}

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
		for n := range 2 { // two of the same moment, which are no rack
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
			said, read := newReader(), 0
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
					said.take(one)
				}
				said.endMoment()
				incidents := r.Incidents()
				faults += len(incidents)
				compareFaults(t, r, second, incidents, said, told)
				compareStory(t, second, r, kinds, said)
				comparePresent(t, second, r, said, told)
			}
		})
	}
	t.Logf("%d faults; figures in sentences: %v", faults, told)
	if faults < 30*n {
		t.Errorf("%d faults were compared in %d places", faults, n)
	}
	for _, figure := range []string{"running", "waiting", "graphs_posted", "graphs_open", "graphs_missed_sum", "load_left", "computing_pct", "yield lost", "credits refunded"} {
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

func compareFaults(t *testing.T, r *run.Run, second int, incidents []inspect.Incident, said *reader, told map[string]int) {
	t.Helper()
	if len(incidents) != min(len(said.faults), 40) {
		t.Errorf("at %d s: %d faults, the log has %d", second, len(incidents), len(said.faults))
		return
	}
	for k, one := range incidents {
		f := said.faults[len(said.faults)-1-k]
		what, rack := fmt.Sprintf("Node %d", f.node), fmt.Sprintf("ack %d", f.rack)
		first := "R"
		if site := fact(t, r, unit.NodeID(f.node), "Site"); site != "" {
			first, rack = "S", "ite "+site
		}
		switch {
		case f.nodes > 1 && f.whole:
			what = first + rack
		case f.nodes > 1:
			what = fmt.Sprintf("%d nodes of %s", f.nodes, strings.ToLower(first)+rack)
		}
		got := fmt.Sprint(one.At, one.What, one.Nodes, one.Back, one.Noun, one.Lost, one.Results, one.Again, one.Gone, one.First, one.Half, one.Last, one.Pieces, one.Moves, one.Moved, one.Missed, one.Refunds)
		want := fmt.Sprint(unit.Time(f.at), what, f.nodes, f.back, f.noun, f.lost, f.results, f.again, f.gone, unit.Time(f.first), unit.Time(f.half), unit.Time(f.last), f.pieces, f.moves, int64(f.moved), f.missed, f.refunds)
		if got != want || math.Abs(one.Work-f.work) > 1e-6*f.work {
			t.Errorf("at %d s the fault is\n%s, the log says\n%s", second, got, want)
		}
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, b) }
		if !near(one.Yield, f.yield) || !near(one.Least, f.least) || !near(one.Refunded, f.refunded) {
			t.Errorf("at %d s the smallest yield went from %v to %v and %v credits were refunded; the log says from %v to %v and %v", second, one.Yield, one.Least, one.Refunded, f.yield, f.least, f.refunded)
		}
		if f.least < f.yield {
			told["yield lost"]++
		}
		if f.refunds > 0 {
			told["credits refunded"]++
		}
		if one.Waiting() != len(f.open) {
			t.Errorf("at %d s %d wait, the log says %d", second, one.Waiting(), len(f.open))
		}
		nothing := f.lost == 0 && f.pieces == 0
		if strings.Contains(one.Told+one.Cost, "Nothing") != nothing {
			t.Errorf("at %d s: %s %s, lost %d and %d pieces", second, one.Told, one.Cost, f.lost, f.pieces)
		}
	}
}

func compareStory(t *testing.T, second int, r *run.Run, kinds []system.NoteKind, said *reader) {
	t.Helper()
	got := map[uint8]float64{}
	for _, g := range r.Counted(100_000) {
		got[g.Kind] += g.Count
	}
	for _, h := range r.System().Story {
		want := said.notes[kinds[h.Kind].ID]
		if h.Sum {
			want = said.notes[kinds[h.Kind].ID+" sum"]
		}
		if math.Abs(got[h.Kind]-want) > 1e-6*want {
			t.Errorf("at %d s the story has %v %s, the log %v", second, got[h.Kind], h.Many, want)
		}
	}
}

func comparePresent(t *testing.T, second int, r *run.Run, said *reader, told map[string]int) {
	t.Helper()
	up := 0
	for _, is := range said.up {
		if is || r.Scenario().System == "rounds" { // whose sentence is about all workers
			up++
		}
	}
	log := map[string]float64{
		"running": float64(said.running), "waiting": float64(said.waiting), "graphs_posted": float64(said.graphs), "graphs_open": float64(said.graphs),
		"graphs_missed_sum": float64(said.missed), "load_left": said.arrived - said.done,
		"computing_pct": 100 * float64(said.computing) / float64(max(1, up)),
	}
	present := r.Present()
	sentence, ok := r.Sentence()
	if !ok {
		t.Errorf("no sentence")
	}
	for _, figure := range sentence.Figures() {
		got, measured := present[figure]
		want, known := log[figure]
		if !measured {
			t.Errorf("at %d s the sentence lacks %s", second, figure)
		}
		if !known {
			continue
		}
		told[figure]++
		if math.Abs(got-want) > 1e-6*max(1, math.Abs(want)) {
			t.Errorf("at %d s the sentence says %v %s, the log %v", second, got, figure, want)
		}
	}
}
