package run

import (
	"fmt"
	"slices"

	"parley/core/cluster"
	"parley/core/frame"
	"parley/core/system"
	"parley/core/unit"
)

// Incident is a fault of nodes and its consequences: how many tasks or jobs lost their
// place, how many run again, and how long that took; what was lost of a divisible load
// or of task graphs.
type Incident struct {
	At     unit.Time   `json:"at"`
	What   string      `json:"what"`             // "Rack 137", "Node 4711"
	Rack   int32       `json:"rack"`             // of the nodes
	Node   unit.NodeID `json:"node"`             // one of them
	Nodes  int         `json:"nodes"`            // that went down
	Back   int         `json:"back"`             // of them
	Noun   string      `json:"noun"`             // of what lost its place: "task", "job"
	Lost   int         `json:"lost"`             // tasks or jobs that lost their place
	Again  int         `json:"again"`            // of them that run again
	Gone   int         `json:"gone"`             // of them that ended instead
	First  unit.Time   `json:"first"`            // after which the first ran again; 0: none yet
	Half   unit.Time   `json:"half"`             // after which half of them did; 0: not yet
	Last   unit.Time   `json:"last"`             // after which the last so far did
	Pieces int         `json:"pieces,omitempty"` // of a divisible load that were lost
	Work   float64     `json:"work,omitempty"`   // work units of these
	// Of task graphs: subtasks that waited or were computed on the nodes, and results
	// that lay there and must be computed again.
	Subtasks int       `json:"subtasks,omitempty"`
	Results  int       `json:"results,omitempty"`
	Healed   unit.Time `json:"healed,omitempty"`
	Told     string    `json:"told"` // in sentences
}

// maxIncidents are remembered, maxMoves are drawn of one frame. A frame of a moment
// that the run was brought to shows the moves of the time before it.
const (
	maxIncidents = 40
	maxMoves     = 200
	linger       = 30 * unit.Second
)

// incidents watches a run for faults and moves.
type incidents struct {
	view  cluster.View
	all   []*Incident
	loose []lostTask      // displaced at the latest moment
	work  []cluster.Event // chunks and subtasks lost at the latest moment, before their node is reported down
	lost  map[unit.TaskID]lostTask
	down  map[unit.NodeID]*Incident
	moves []move    // the latest
	drawn unit.Time // of the last frame
	since unit.Time // the last frame shows what moved after
}

// move is a move of a task that is over.
type move struct {
	at  unit.Time
	arc frame.Arc
}

type lostTask struct {
	task  unit.TaskID
	node  unit.NodeID
	at    unit.Time
	cause *Incident
	job   bool
}

// KeepIncidents remembers the run's latest faults with their consequences, and draws
// the moves of tasks that are over before a frame shows them.
func KeepIncidents() Option {
	return func(r *Run) {
		i := &incidents{lost: map[unit.TaskID]lostTask{}, down: map[unit.NodeID]*Incident{}}
		r.incidents = i
		r.observers = append(r.observers, i)
	}
}

// Incidents returns the latest faults of nodes, the newest first.
func (r *Run) Incidents() []Incident {
	if r.incidents == nil {
		return nil
	}
	var list []Incident
	for _, i := range slices.Backward(r.incidents.all) {
		told := *i
		told.Told = i.tell()
		list = append(list, told)
	}
	return list
}

// Observe implements Observer.
func (i *incidents) Observe(e cluster.Event) {
	switch e.Kind {
	case cluster.TaskDisplaced:
		if len(i.loose) > 0 && i.loose[0].at != e.At {
			i.loose = i.loose[:0]
		}
		i.loose = append(i.loose, lostTask{task: e.Task, node: e.Node, at: e.At})
	case cluster.JobDisplaced: // names no node; the next that goes down at this moment was one of its nodes
		if len(i.loose) > 0 && i.loose[0].at != e.At {
			i.loose = i.loose[:0]
		}
		i.loose = append(i.loose, lostTask{task: e.Task, node: unit.NoNode, at: e.At, job: true})
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
		i.runsAgain(e)
	case cluster.TaskEnded, cluster.JobEnded:
		if l, ok := i.lost[e.Task]; ok {
			l.cause.Gone++
			delete(i.lost, e.Task)
		}
	case cluster.MigrationEnded:
		kind := frame.Moved
		if e.Detail == 1 {
			kind = frame.Forced
		}
		i.move(e.At, e.Node, e.Other, kind)
	case cluster.MigrationBroken:
		i.move(e.At, e.Node, e.Other, frame.Refused)
	}
}

// fails notes a node that went down; those of one rack and one moment are one
// incident.
func (i *incidents) fails(e cluster.Event) {
	rack := i.view.Racks()[e.Node]
	at := slices.IndexFunc(i.all, func(one *Incident) bool { return one.At == e.At && one.Rack == rack })
	if at < 0 {
		if len(i.all) == maxIncidents {
			i.forget(i.all[0])
		}
		i.all = append(i.all, &Incident{At: e.At, Rack: rack, Node: e.Node, Noun: "task"})
		at = len(i.all) - 1
	}
	cause := i.all[at]
	cause.Nodes++
	cause.What = fmt.Sprintf("Node %d", cause.Node)
	if cause.Nodes > 1 {
		cause.What = fmt.Sprintf("Rack %d", rack)
	}
	i.down[e.Node] = cause
	for k := range i.loose {
		l := &i.loose[k]
		if l.job && l.node == unit.NoNode {
			l.node = e.Node
		}
		if l.at == e.At && l.node == e.Node {
			l.cause = cause
			i.lost[l.task] = *l
			cause.Lost++
			if l.job {
				cause.Noun = "job"
			}
		}
	}
	for _, lost := range i.work {
		if lost.At != e.At || lost.Node != e.Node {
			continue
		}
		switch {
		case lost.Kind == cluster.ChunkLost:
			cause.Pieces++
			cause.Work += unit.Work(lost.Amount).Float()
		case lost.Detail == cluster.Stored:
			cause.Results++
		default:
			cause.Subtasks++
		}
	}
}

// forget drops the oldest incident and its tasks.
func (i *incidents) forget(old *Incident) {
	i.all = i.all[1:]
	for task, l := range i.lost {
		if l.cause == old {
			delete(i.lost, task)
		}
	}
	for node, cause := range i.down {
		if cause == old {
			delete(i.down, node)
		}
	}
}

func (i *incidents) runsAgain(e cluster.Event) {
	l, ok := i.lost[e.Task]
	if !ok {
		return
	}
	delete(i.lost, e.Task)
	i.move(e.At, l.node, e.Node, frame.Replaced)
	c := l.cause
	c.Again++
	took := e.At - l.at
	if c.Again == 1 {
		c.First = max(1, took)
	}
	if c.Half == 0 && 2*c.Again >= c.Lost {
		c.Half = max(1, took)
	}
	c.Last = took
}

func (i *incidents) move(at unit.Time, from, to unit.NodeID, kind frame.ArcKind) {
	if from < 0 || to < 0 || from == to {
		return
	}
	if len(i.moves) == 2*maxMoves {
		i.moves = append(i.moves[:0], i.moves[maxMoves:]...)
	}
	i.moves = append(i.moves, move{at, frame.Arc{From: from, To: to, Progress: 255, Kind: kind}})
}

// draw adds the latest moves since the last frame of another moment to a frame.
func (i *incidents) draw(f *frame.Frame) {
	if i == nil {
		return
	}
	if f.At != i.drawn {
		i.since, i.drawn = i.drawn, f.At
	}
	for _, m := range i.moves[max(0, len(i.moves)-maxMoves):] {
		if m.at > i.since {
			f.Arcs = append(f.Arcs, m.arc)
		}
	}
}

// Arrive notes that the run was brought to this moment: its frames show what moved in
// the half minute before, however many frames there were on the way.
func (r *Run) Arrive() {
	r.drawn = r.Now() // and no messages, which take but a moment
	if i := r.incidents; i != nil {
		i.drawn = r.Now()
		i.since = i.drawn - linger
	}
}

// Healing reports whether the latest fault is no longer ago than span and still tells:
// it has just happened, or more than a fiftieth of the tasks that lost their place wait
// for another.
func (r *Run) Healing(span unit.Time) bool {
	if r.incidents == nil || len(r.incidents.all) == 0 {
		return false
	}
	latest := r.incidents.all[len(r.incidents.all)-1]
	ago := r.Now() - latest.At
	return latest.Lost > 0 && (ago < 6*unit.Second || 50*latest.Waiting() > latest.Lost && ago < span)
}

// NextFault returns when the next fault is due that the scenario knows of, or
// unit.Forever.
func (r *Run) NextFault() unit.Time { return r.faults.next() }

// Waiting returns the number of its tasks that still wait.
func (i *Incident) Waiting() int { return i.Lost - i.Again - i.Gone }

// tell says the consequences of the incident in sentences.
func (i *Incident) tell() string {
	lost := plural(i.Lost, i.Noun) + " " + was(i.Lost) + " displaced"
	switch {
	case i.Lost == 0 && i.Pieces > 0:
		return fmt.Sprintf("%s with %s %s lost; the master must send %s again.", plural(i.Pieces, "piece"), system.Count(i.Work, "work unit"), was(i.Pieces), them(i.Pieces))
	case i.Lost == 0 && i.Subtasks > 0 && i.Results > 0:
		return fmt.Sprintf("%s %s lost and must start again, and %s must be computed again.", plural(i.Subtasks, "subtask"), was(i.Subtasks), plural(i.Results, "result"))
	case i.Lost == 0 && i.Subtasks > 0:
		return fmt.Sprintf("%s %s lost and must start again.", plural(i.Subtasks, "subtask"), was(i.Subtasks))
	case i.Lost == 0 && i.Results > 0:
		return fmt.Sprintf("%s %s lost and must be computed again.", plural(i.Results, "result"), was(i.Results))
	case i.Lost == 0:
		return "Nothing was running there."
	case i.Again == 0 && i.Gone == 0:
		return lost + "; none is running again yet."
	case i.Again == 0:
		return fmt.Sprintf("%s; %d ended, and none is running again.", lost, i.Gone)
	case i.Waiting() > 0 && i.Half > 0:
		return fmt.Sprintf("%s. Half were running again within %s; %s.", lost, took(i.Half), i.waits())
	case i.Waiting() > 0:
		return fmt.Sprintf("%s. The first was running again within %s; %s.", lost, took(i.First), i.waits())
	case i.Lost == 1:
		return fmt.Sprintf("%s and was running again within %s.", lost, took(i.Last))
	}
	if i.Gone > 0 {
		return fmt.Sprintf("%s; %d ended, the others were running again within %s.", lost, i.Gone, took(i.Last))
	}
	return fmt.Sprintf("%s; all were running again within %s.", lost, took(i.Last))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// waits says how many of its tasks still wait.
func (i *Incident) waits() string {
	if n := i.Waiting(); n != 1 {
		return fmt.Sprintf("%d still wait", n)
	}
	return "1 still waits"
}

func was(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

func them(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// took returns a span in words, rounded up.
func took(span unit.Time) string {
	if span <= 2*unit.Minute {
		tenths := (span + unit.Second/10 - 1) / (unit.Second / 10)
		return fmt.Sprintf("%d.%d s", tenths/10, tenths%10)
	}
	return fmt.Sprintf("%d min", (span+unit.Minute-1)/unit.Minute)
}
