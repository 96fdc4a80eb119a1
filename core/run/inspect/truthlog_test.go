package inspect_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
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
	yield, lowest                                       float64 // 0: no task had a share before it
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
	bought                    map[int]bool      // auctions of which a unit is bought
}

func newReader() *reader {
	return &reader{racks: map[int]int{}, up: map[int]bool{}, notes: map[string]float64{}, hit: map[int]*fault{}, loose: map[int][]string{}, stored: map[string]bool{}, chunks: map[int][]float64{}, needs: map[string]float64{}, yields: map[string]float64{}, lossAt: -1, broken: map[string]logged{}, bought: map[int]bool{}}
}

// smallest returns the smallest yield of the tasks that have a share of CPU; 1 of none.
func (r *reader) smallest() float64 {
	lowest := 1.0
	for _, yield := range r.yields {
		lowest = min(lowest, yield)
	}
	return lowest
}

// endMoment notes the smallest yield at the end of a moment for the faults that had something
// waiting until then.
func (r *reader) endMoment() {
	for _, f := range r.faults {
		if f.yield > 0 && !f.over {
			f.lowest = min(f.lowest, r.smallest())
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
		if l.Kind == "bought" {
			r.bought[l.Ref] = true
		}
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
		f.yield, f.lowest = r.before, r.before
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
