package metric

import (
	"strconv"

	"parley/core/cluster"
	"parley/core/graph"
	"parley/core/heap"
	"parley/core/unit"
	"parley/core/workload"
)

// Graphs folds the events of task graphs into figures for their users and the owners of the
// machines. A graph's wait is the time from its arrival to the start of its first subtask, its
// response time that to its end; its bounded slowdown is max(1, response / max(ideal, 10 s)), where
// ideal is the length of its critical path with each subtask on the fastest machine that was ever
// up and without transfers.
//
//	g := metric.NewGraphs(view)
//	g.Observe(event)
//	fmt.Println(g.Report(now).MetPct)
type Graphs struct {
	view     cluster.View
	open     []openGraph             // by the graph's slot
	machines []machine               // by node
	fastest  []unit.Work             // by type
	any      unit.Work               // of machines that do every type
	waits    values                  // seconds, of graphs that were done
	answers  values                  // response times, in seconds
	slows    values                  // bounded slowdowns
	ratios   values                  // response / ideal
	waited   unit.Time               // sum of waits
	lasted   unit.Time               // sum of response times
	classes  [2]GraphsShare          // sums: without a deadline, with one
	users    map[uint32]*GraphsShare // sums
	due      *heap.Heap[unit.Time]   // deadlines of graphs that met them, and have not passed at the latest end
	kept     int64                   // deadlines that were met and have passed then
	first    unit.Time               // arrival
	last     unit.Time               // end
	aborted  int64
	earned   unit.Money
	busy     unit.Time // computing time of machines, lost work included
	wasted   unit.Time // part of busy: on lost or withdrawn work
	up       unit.Time // that machines were there
}

// openGraph has the times of a graph that has not ended.
type openGraph struct {
	workload.Graph
	arrived, started unit.Time
	began            bool
	spent            []unit.Time // by subtask: computing time of the result in place
}

// machine is a node that computes.
type machine struct {
	is, up, busy bool
	since, upTo  unit.Time
}

// NewGraphs returns an observer of a cluster's graphs that has seen none.
func NewGraphs(v cluster.View) *Graphs {
	return &Graphs{
		view: v, first: -1, users: map[uint32]*GraphsShare{}, due: heap.New(sooner),
		waits: values{limit: exactly}, answers: values{limit: exactly}, slows: values{limit: exactly},
		ratios: values{limit: exactly},
	}
}

func sooner(a, b unit.Time) bool { return a < b }

// Observe takes an event.
func (g *Graphs) Observe(e cluster.Event) {
	switch e.Kind {
	case cluster.NodeUp, cluster.NodeDown, cluster.NodeChanged:
		g.machine(e)
	case cluster.GraphArrived:
		g.arrive(e)
	case cluster.SubtaskStarted:
		m := &g.machines[e.Node]
		m.busy, m.since = true, e.At
		if one := &g.open[e.Graph().Slot()]; !one.began {
			one.began, one.started = true, e.At
		}
	case cluster.SubtaskFinished:
		took := g.rest(e)
		g.open[e.Graph().Slot()].spent[e.Subtask()] = took
	case cluster.SubtaskWithdrawn, cluster.SubtaskLost:
		g.lose(e)
	case cluster.GraphDone, cluster.GraphAborted:
		g.end(e)
	}
}

// machine handles an event of a node.
func (g *Graphs) machine(e cluster.Event) {
	w, is := g.view.Worker(e.Node)
	for int(e.Node) >= len(g.machines) {
		g.machines = append(g.machines, machine{})
	}
	m := &g.machines[e.Node]
	if m.is && m.up && e.Kind == cluster.NodeDown {
		g.up += e.At - m.upTo
		m.up = false
	}
	if !is || e.Kind == cluster.NodeDown {
		return
	}
	if !m.up {
		m.is, m.up, m.upTo = true, true, e.At
	}
	if w.Speeds == nil {
		g.any = max(g.any, w.Speed)
	}
	for t, s := range w.Speeds {
		for t >= len(g.fastest) {
			g.fastest = append(g.fastest, 0)
		}
		g.fastest[t] = max(g.fastest[t], s)
	}
}

// arrive begins the record of a graph, in the slot of one that has ended.
func (g *Graphs) arrive(e cluster.Event) {
	slot := int(e.Graph().Slot())
	for slot >= len(g.open) {
		g.open = append(g.open, openGraph{})
	}
	x, _, _ := g.view.Submitted(e.Graph())
	one := &g.open[slot]
	spent := one.spent
	if cap(spent) < int(e.Amount) {
		spent = make([]unit.Time, e.Amount)
	}
	*one = openGraph{Graph: x, arrived: e.At, spent: spent[:e.Amount]}
	clear(one.spent)
	if g.first < 0 {
		g.first = e.At
	}
}

// rest ends a node's computation and returns how long it took.
func (g *Graphs) rest(e cluster.Event) unit.Time {
	m := &g.machines[e.Node]
	m.busy = false
	g.busy += e.At - m.since
	return e.At - m.since
}

// lose takes work that was for nothing.
func (g *Graphs) lose(e cluster.Event) {
	switch e.Detail {
	case cluster.UnderWay:
		g.wasted += g.rest(e)
	case cluster.Stored:
		spent := &g.open[e.Graph().Slot()].spent[e.Subtask()]
		g.wasted += *spent
		*spent = 0
	}
}

// end adds a graph that was done to the figures, by class and user too. Of an aborted graph only the wasted time
// counts. g.kept counts the deadlines that have passed and were met.
func (g *Graphs) end(e cluster.Event) {
	one := &g.open[e.Graph().Slot()]
	if e.Kind == cluster.GraphAborted {
		g.aborted++
		for _, took := range one.spent {
			g.wasted += took
		}
		return
	}
	met := one.Deadline > 0 && e.Detail == 0
	if met {
		g.earned += one.Bonus
		g.due.Push(one.arrived + one.Deadline)
	}
	for g.due.Len() > 0 && g.due.Values()[0] < e.At {
		g.due.Pop()
		g.kept++
	}
	g.last = e.At
	wait, response, ideal := one.started-one.arrived, e.At-one.arrived, g.ideal(one.Subtasks)
	slow := max(1, response.Seconds()/max(ideal, SlowdownBound.Seconds()))
	g.waits.add(wait.Seconds())
	g.answers.add(response.Seconds())
	g.slows.add(slow)
	g.ratios.add(response.Seconds() / max(ideal, 1e-6))
	g.waited += wait
	g.lasted += response
	for _, sums := range [...]*GraphsShare{&g.classes[count(one.Deadline > 0)], group(g.users, one.User)} {
		sums.Graphs++
		sums.WaitS += wait.Seconds()
		sums.ResponseS += response.Seconds()
		sums.BoundedSlowdown += slow
		sums.Met += count(met)
	}
}

// ideal returns the length of a graph's critical path in seconds.
func (g *Graphs) ideal(s *workload.Subtasks) float64 {
	_, x := s.Graph().Critical(func(v int) float64 {
		task := s.Subtask(int32(v))
		speed := g.any
		if int(task.Type) < len(g.fastest) {
			speed = max(speed, g.fastest[task.Type])
		}
		return task.Work.Float() / max(1, speed).Float()
	}, func(graph.Arc) float64 { return 0 })
	return x
}

// graphsMissed is the ID of the one column of graphs.
const graphsMissed = "graphs_missed_sum"

// GraphColumns describes what Measure writes.
func GraphColumns() []Column {
	return []Column{{graphsMissed, "Deadlines missed so far", "", "task graphs whose deadline passed before they were done"}}
}

// Measure writes how many deadlines passed before their graph was done.
func (g *Graphs) Measure(values []float64) { values[0] = float64(g.view.GraphTotals().Missed) }

// GraphReport summarises the graphs of a run. Times are in seconds. Medians and 95th
// percentiles are exact for up to 1,048,576 graphs, and right to a hundredth for more.
type GraphReport struct {
	Arrived   int64   `json:"arrived"`
	Done      int64   `json:"done"`
	Aborted   int64   `json:"aborted"`
	Open      int     `json:"open"`
	MakespanS float64 `json:"makespan_s"`    // from the first arrival to the last end
	Deadlines int64   `json:"deadlines"`     // of graphs that arrived
	Met       int64   `json:"deadlines_met"` // done by then
	Missed    int64   `json:"deadlines_missed"`
	Passed    int64   `json:"deadlines_passed"`  // met or missed, and before now
	MetPct    float64 `json:"deadlines_met_pct"` // of those that have passed; 100 if none has
	Bonus     float64 `json:"bonus"`             // offered for graphs that met their deadline
	BusyPct   float64 `json:"busy_pct"`          // of the time that machines were there, they computed
	// likewise, without work that was lost, withdrawn or given up
	UsefulPct       float64                `json:"useful_pct"`
	Subtasks        int64                  `json:"subtasks_finished"`
	Lost            int64                  `json:"subtasks_lost"`
	Transfers       int64                  `json:"transfers"`
	Transferred     float64                `json:"transferred_mb"`
	WaitS           Distribution           `json:"wait_s"`
	ResponseS       Distribution           `json:"response_s"`
	BoundedSlowdown Distribution           `json:"bounded_slowdown"`
	LengthRatio     Distribution           `json:"length_ratio"` // response / ideal: the schedule length ratio of a graph that is alone
	ByClass         map[string]GraphsShare `json:"by_class"`     // "with a deadline"; "without"
	ByUser          map[string]GraphsShare `json:"by_user"`      // by number
}

// GraphsShare are the means of some of the graphs that were done.
type GraphsShare struct {
	Graphs          int64   `json:"graphs"`
	WaitS           float64 `json:"wait_s"`
	ResponseS       float64 `json:"response_s"`
	BoundedSlowdown float64 `json:"bounded_slowdown"`
	Met             int64   `json:"deadlines_met"`
}

// Report summarises the events so far; nil if there was no graph.
func (g *Graphs) Report(now unit.Time) *GraphReport {
	t, x := g.view.GraphTotals(), g.view.TransferTotals()
	if t.Arrived == 0 {
		return nil
	}
	r := &GraphReport{
		Arrived: t.Arrived, Done: t.Done, Aborted: g.aborted, Open: t.Open, Deadlines: t.Timed, Bonus: g.earned.Float(),
		Subtasks: t.Finished, Lost: t.Lost, Transfers: x.Ended, Transferred: float64(x.Bytes) / float64(unit.MB),
		ByClass: map[string]GraphsShare{}, ByUser: map[string]GraphsShare{}, Missed: t.Missed, MetPct: 100,
	}
	kept := g.kept
	for _, due := range g.due.Values() {
		kept += count(due < now)
	}
	for class, sums := range g.classes {
		if sums.Graphs > 0 {
			r.ByClass[graphClasses[class]] = sums.means()
			r.Met += sums.Met
		}
	}
	for user, sums := range g.users {
		r.ByUser[strconv.FormatUint(uint64(user), 10)] = sums.means()
	}
	r.WaitS, r.ResponseS, r.BoundedSlowdown, r.LengthRatio = g.waits.times(g.waited.Seconds()),
		g.answers.times(g.lasted.Seconds()), g.slows.distribution(), g.ratios.distribution()
	if g.waits.count > 0 {
		r.MakespanS = (g.last - g.first).Seconds()
	}
	// A graph that is done early and one of the same age that is not are both left out
	// until their deadline: else the end of a run would count successes alone.
	if r.Passed = kept + r.Missed; r.Passed > 0 {
		r.MetPct = 100 * float64(kept) / float64(r.Passed)
	}
	up, busy := g.up, g.busy
	for i := range g.machines {
		m := &g.machines[i]
		if m.up {
			up += now - m.upTo
		}
		if m.busy {
			busy += now - m.since
		}
	}
	if up > 0 {
		r.BusyPct = 100 * float64(busy) / float64(up)
		r.UsefulPct = 100 * float64(busy-g.wasted) / float64(up)
	}
	return r
}

func count(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// graphClasses are the classes as reports spell them.
var graphClasses = [2]string{"without", "with a deadline"}

// means turns sums into means.
func (s *GraphsShare) means() GraphsShare {
	n := float64(s.Graphs)
	return GraphsShare{s.Graphs, s.WaitS / n, s.ResponseS / n, s.BoundedSlowdown / n, s.Met}
}
