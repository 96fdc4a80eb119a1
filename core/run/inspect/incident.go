package inspect

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/cluster"
	"parley/core/frame"
	"parley/core/system"
	"parley/core/unit"
)

// Incident is a fault of nodes and its consequences: the tasks, jobs or subtasks that lost their
// place, how many run again, and how long that took; the lost parts of a divisible load; and
// the other costs until the last of them ran again or ended.
type Incident struct {
	At      unit.Time   `json:"at"`
	Subject string      `json:"subject"`           // "Rack 137", "Site KTH", "Worker 31", "2 nodes of rack 137"
	Rack    int32       `json:"rack"`              // of the nodes
	Node    unit.NodeID `json:"node"`              // one of them
	Nodes   int         `json:"nodes"`             // that went down
	Whole   bool        `json:"whole"`             // every node of the rack was down then, and there are several
	Back    int         `json:"back"`              // of Nodes
	Noun    string      `json:"noun"`              // of the displaced: "task", "job", "subtask"
	Lost    int         `json:"lost"`              // tasks, jobs or subtasks that lost their place
	Results int         `json:"results,omitempty"` // of Lost: subtasks that were done and whose results lay there
	Again   int         `json:"again"`             // of Lost, run again
	Ended   int         `json:"ended"`             // of Lost, ended instead
	First   unit.Time   `json:"first"`             // from the fault until the first ran again; 0 until then
	Half    unit.Time   `json:"half"`              // from the fault until half of them did; 0 until then
	Last    unit.Time   `json:"last"`              // from the fault until the latest of them did
	Pieces  int         `json:"pieces,omitempty"`  // of a divisible load that were lost
	Work    float64     `json:"work,omitempty"`    // work units of these
	Healed  unit.Time   `json:"healed,omitempty"`  // when the last of Nodes came back; 0 until then
	Over    unit.Time   `json:"over,omitempty"`    // from the fault until none of Lost waited; 0 until then
	Moves   int         `json:"moves,omitempty"`   // migrations in the whole cluster that ended before it was over
	Moved   int64       `json:"moved,omitempty"`   // bytes of these
	Missed  int         `json:"missed,omitempty"`  // task graphs that lost a subtask here and missed their deadline since
	// smallest share of its CPU that a task had before the fault; 0 if the system gives no shares or nothing was
	// lost
	Yield       float64 `json:"yield,omitempty"`
	LowestYield float64 `json:"lowestYield,omitempty"` // smallest one from then until none of Lost waited
	Refunds     int     `json:"refunds,omitempty"`     // sold units that the nodes could not deliver and whose price was given back
	Refunded    float64 `json:"refunded,omitempty"`    // credits of these
	Summary     string  `json:"summary"`               // in sentences
	Cost        string  `json:"cost"`                  // in one line
}

// At most maxIncidents are kept. A frame shows at most maxMoves moves, the latest of a fixed span of
// simulated time, so it looks the same however the run got there.
const (
	maxIncidents = 40
	maxMoves     = 200
	linger       = 20 * unit.Second
)

// Incidents keeps the latest faults of a run with their consequences, and the moves of
// tasks, which a picture shows. It observes the cluster's events.
type Incidents struct {
	view   cluster.View
	all    []*Incident
	loose  []lostTask      // displaced at the latest moment
	work   []cluster.Event // chunks and subtasks lost at the latest moment, before their node is reported down
	lost   map[lostKey]lostTask
	down   map[unit.NodeID]*Incident
	open   []*Incident                 // something that they displaced still waits
	hit    map[unit.TaskID][]*Incident // by graph: it lost subtasks, and its deadline may still be missed
	moves  []move                      // the latest
	yields yields
	refund system.Refund // which notes are about prices that are given back
	unpaid map[soldUnit]unpaid
}

// move is a move of a task that is over.
type move struct {
	at  unit.Time
	arc frame.Arc
}

// lostKey is a task or a job, whose part is whole, or a subtask of a graph.
type lostKey struct {
	task unit.TaskID
	part int32
}

const whole = -1

// lostTask is a task, job or subtask that lost its place and waits. A subtask that waits can be lost once more from
// the queue of another node: then it is part of several incidents, its causes.
type lostTask struct {
	key    lostKey
	node   unit.NodeID
	at     unit.Time
	causes []*Incident
	job    bool
}

// NewIncidents returns a record of incidents that has seen no event of v, and must observe all. refund is that
// of the system: Note records its notes.
func NewIncidents(v cluster.View, refund system.Refund) *Incidents {
	return &Incidents{
		view: v, refund: refund, lost: map[lostKey]lostTask{}, hit: map[unit.TaskID][]*Incident{},
		down:   map[unit.NodeID]*Incident{},
		unpaid: map[soldUnit]unpaid{}, yields: yields{lossAt: -1},
	}
}

// Observe receives one event. The losses of a node are reported before the node itself is reported down, so they are
// kept until then; those of other causes at that moment are dropped.
func (i *Incidents) Observe(e cluster.Event) {
	i.follow(e)
	switch e.Kind {
	case cluster.TaskDisplaced:
		i.displaced(lostTask{key: lostKey{e.Task, whole}, node: e.Node, at: e.At})
	case cluster.JobDisplaced: // names no node; the next that goes down at this moment was one of its nodes
		i.displaced(lostTask{key: lostKey{e.Task, whole}, node: unit.NoNode, at: e.At, job: true})
	case cluster.ChunkLost, cluster.SubtaskLost:
		if len(i.work) > 0 && i.work[0].At != e.At {
			i.work = i.work[:0]
		}
		i.work = append(i.work, e)
	case cluster.NodeDown:
		i.fails(e)
	case cluster.NodeUp:
		if cause := i.down[e.Node]; cause != nil {
			delete(i.down, e.Node)
			if cause.Back++; cause.Back == cause.Nodes {
				cause.Healed = e.At
			}
		}
	case cluster.TaskPlaced, cluster.JobPlaced:
		i.runsAgain(e, lostKey{e.Task, whole})
	case cluster.SubtaskStarted:
		i.runsAgain(e, lostKey{e.Task, e.Subtask()})
	case cluster.TaskEnded, cluster.JobEnded:
		i.ends(e.At, lostKey{e.Task, whole})
	case cluster.GraphDone, cluster.GraphAborted:
		delete(i.hit, e.Task)
		for key := range i.lost {
			if key.task == e.Task {
				i.ends(e.At, key)
			}
		}
	case cluster.GraphMissed:
		for _, one := range i.hit[e.Task] {
			one.Missed++
		}
		delete(i.hit, e.Task)
	case cluster.MigrationEnded:
		kind := frame.Moved
		if e.Detail == 1 {
			kind = frame.Forced
		}
		i.move(e.At, e.Node, e.Other, kind)
		for _, one := range i.open {
			one.Moves++
			one.Moved += e.Amount
		}
	case cluster.MigrationBroken:
		i.move(e.At, e.Node, e.Other, frame.Refused)
	}
}

// displaced keeps a task or job that lost its place, in case a node is reported down at the same moment.
func (i *Incidents) displaced(l lostTask) {
	if len(i.loose) > 0 && i.loose[0].at != l.at {
		i.loose = i.loose[:0]
	}
	i.loose = append(i.loose, l)
}

// fails records a node that went down, with all that lost its place there. Nodes of one rack that go down at one
// moment are one incident.
func (i *Incidents) fails(e cluster.Event) {
	rack := i.view.Racks()[e.Node]
	at := slices.IndexFunc(i.all, func(one *Incident) bool { return one.At == e.At && one.Rack == rack })
	if at < 0 {
		if len(i.all) == maxIncidents {
			i.forgetOldest()
		}
		i.all = append(i.all, &Incident{At: e.At, Rack: rack, Node: e.Node, Noun: "task"})
		at = len(i.all) - 1
	}
	cause := i.all[at]
	cause.Nodes++
	i.measure(cause)
	i.down[e.Node] = cause
	for k := range i.loose {
		l := &i.loose[k]
		if l.job && l.node == unit.NoNode {
			l.node = e.Node
		}
		if l.at == e.At && l.node == e.Node {
			i.loses(cause, *l)
			if l.job {
				cause.Noun = "job"
			}
		}
	}
	for _, lost := range i.work {
		switch {
		case lost.At != e.At || lost.Node != e.Node:
		case lost.Kind == cluster.ChunkLost:
			cause.Pieces++
			cause.Work += unit.Work(lost.Amount).Float()
		default:
			cause.Noun = "subtask"
			if hit := i.hit[lost.Task]; !slices.Contains(hit, cause) {
				i.hit[lost.Task] = append(hit, cause)
			}
			if lost.Detail == cluster.Stored {
				cause.Results++
			}
			i.loses(cause, lostTask{key: lostKey{lost.Task, lost.Subtask()}, node: e.Node, at: e.At})
		}
	}
}

// measure sets one.Whole: whether the rack as a whole failed, which means that all of its nodes are down, and
// several of them by this incident.
func (i *Incidents) measure(one *Incident) {
	size, up := 0, 0
	for n, rack := range i.view.Racks() {
		if rack == one.Rack {
			size++
			if i.view.Up(unit.NodeID(n)) {
				up++
			}
		}
	}
	one.Whole = up == 0 && size > 1 && one.Nodes > 1
}

// failed returns the failed nodes in words; node is the system's word for a node, rack the name of
// its rack, empty if racks mean nothing.
func (i *Incident) failed(node, rack string) string {
	switch {
	case i.Nodes == 1:
		return fmt.Sprintf("%s %d", capital(node), i.Node)
	case rack == "":
		return system.Count(float64(i.Nodes), node)
	case i.Whole:
		return capital(rack)
	}
	return fmt.Sprintf("%s of %s", system.Count(float64(i.Nodes), node), rack)
}

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// loses adds a task that lost its place to an incident. If it waits since an earlier one, it belongs to both.
func (i *Incidents) loses(cause *Incident, l lostTask) {
	if before, waits := i.lost[l.key]; waits {
		l.causes = append(l.causes, before.causes...)
	}
	l.causes = append(l.causes, cause)
	i.lost[l.key] = l
	if before := i.yields.before; cause.Yield == 0 && before < noYield {
		cause.Yield, cause.LowestYield = before, before
	}
	if cause.Lost++; !slices.Contains(i.open, cause) {
		i.open = append(i.open, cause)
	}
}

// forgetOldest drops the oldest incident. Tasks that it displaced are no longer followed, unless a
// later incident displaced them too.
func (i *Incidents) forgetOldest() {
	old := i.all[0]
	i.all = i.all[1:]
	isOld := func(one *Incident) bool { return one == old }
	i.open = slices.DeleteFunc(i.open, isOld)
	for graph, hit := range i.hit {
		if i.hit[graph] = slices.DeleteFunc(hit, isOld); len(i.hit[graph]) == 0 {
			delete(i.hit, graph)
		}
	}
	for key, l := range i.lost {
		if l.causes = slices.DeleteFunc(l.causes, isOld); len(l.causes) == 0 {
			delete(i.lost, key)
		} else {
			i.lost[key] = l
		}
	}
	for node, cause := range i.down {
		if cause == old {
			delete(i.down, node)
		}
	}
}

// runsAgain records that a task which lost its place runs again: for each of its incidents, the time from the
// failure to the first, the half and the latest such task. Other tasks are ignored.
func (i *Incidents) runsAgain(e cluster.Event, key lostKey) {
	l, ok := i.lost[key]
	if !ok {
		return
	}
	delete(i.lost, key)
	i.move(e.At, l.node, e.Node, frame.Replaced)
	for _, c := range l.causes {
		c.Again++
		took := max(1, e.At-c.At)
		if c.Again == 1 {
			c.First = took
		}
		if c.Half == 0 && 2*c.Again >= c.Lost {
			c.Half = took
		}
		c.Last = took
		i.close(c, e.At)
	}
}

// ends records that a task which lost its place ended before it ran again. Other tasks are ignored.
func (i *Incidents) ends(at unit.Time, key lostKey) {
	l, ok := i.lost[key]
	if !ok {
		return
	}
	delete(i.lost, key)
	for _, c := range l.causes {
		c.Ended++
		i.close(c, at)
	}
}

// close sets the length of an incident, at least 1 µs, if nothing that it displaced waits any more.
func (i *Incidents) close(c *Incident, at unit.Time) {
	if c.Waiting() > 0 {
		return
	}
	c.Over = max(1, at-c.At)
	i.open = slices.DeleteFunc(i.open, func(one *Incident) bool { return one == c })
}

func (i *Incidents) move(at unit.Time, from, to unit.NodeID, kind frame.ArcKind) {
	if from < 0 || to < 0 || from == to {
		return
	}
	if len(i.moves) == 2*maxMoves {
		i.moves = append(i.moves[:0], i.moves[maxMoves:]...)
	}
	i.moves = append(i.moves, move{at, frame.Arc{From: from, To: to, Progress: 255, Kind: kind}})
}

// draw adds to a frame the latest moves of the time linger before it, at most maxMoves. A nil i draws nothing.
func (i *Incidents) draw(f *frame.Frame) {
	if i == nil {
		return
	}
	for _, m := range i.moves[max(0, len(i.moves)-maxMoves):] {
		if m.at > f.At-linger {
			f.Arcs = append(f.Arcs, m.arc)
		}
	}
}

// Waiting returns the number of its tasks that still wait.
func (i *Incident) Waiting() int { return i.Lost - i.Again - i.Ended }
