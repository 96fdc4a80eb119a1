package run

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"parley/core/cluster"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// eventNames are the kinds of the event log, by cluster.Kind; of each kind the file
// format in docs tells the fields.
var eventNames = [...]string{
	"node_up", "node_down", "node_changed", "task_submitted", "task_placed", "task_ended", "task_displaced", "task_changed",
	"task_recorded", "task_released", "migration_began", "migration_ended", "migration_broken", "usage_swept", "usage_measured",
	"load_arrived", "chunk_sent", "chunk_received", "chunk_started", "chunk_done", "chunk_lost",
	"task_allotted", "job_submitted", "processors_taken", "job_placed", "job_ended", "job_displaced",
	"graph_arrived", "graph_missed", "graph_done", "graph_aborted", "subtask_assigned", "subtask_ready", "subtask_started",
	"subtask_finished", "subtask_withdrawn", "subtask_lost", "transfer_began", "transfer_ended", "transfer_broken",
}

// noteName is the kind of a system's own notes in the event log.
const noteName = "note"

// EventLog writes a run's events and its system's notes as JSON lines, in their
// order, so that anyone can check a run with a program of their own. Names are those
// of the workload; resources are fractions of the reference machine; times are
// simulated microseconds.
//
//	{"t":372000000,"e":"task_placed","task":"6251414911-1447","node":8116,"machine":"2110696959","cpu":0.0401,"memory":0.018}
type EventLog struct {
	out   *bufio.Writer
	view  cluster.View
	only  [len(eventNames) + 1]bool // which kinds are written; the last: notes
	tasks []loggedTask              // by slot
	jobs  []workload.Key            // by slot
	works []loggedGraph             // by slot
	tell  system.NoteFormatter
	line  []byte
}

// loggedTask is what later events of a task tell again.
type loggedTask struct {
	key     workload.Key
	request unit.Vec
}

// NewEventLog returns a log that writes the given kinds, or all where there are
// none, to out.
func NewEventLog(out io.Writer, only []string) (*EventLog, error) {
	l := &EventLog{out: bufio.NewWriterSize(out, 1<<16)}
	known := append(slices.Clone(eventNames[:]), noteName)
	for i := range l.only {
		l.only[i] = len(only) == 0
	}
	for _, name := range only {
		i := slices.Index(known, name)
		if i < 0 {
			return nil, fmt.Errorf("there are no events of the kind %q: choose among %s", name, strings.Join(known, ", "))
		}
		l.only[i] = true
	}
	return l, nil
}

// logger is an EventLog. Programs that write none are built without it and the words
// for notes, as it is reached through LogEvents alone.
type logger interface {
	watch(cluster.View)
	hear(system.System)
	note(system.Note)
	observe(cluster.Event) error
}

// listener hears the notes of a system where they are logged too.
type listener struct {
	notes *Notes // nil: not kept
	log   logger // nil: in a copy of the run
}

func (l *listener) hear(n system.Note) {
	if l.notes != nil {
		l.notes.Add(n)
	}
	if l.log != nil {
		l.log.note(n)
	}
}

func (l *EventLog) watch(v cluster.View) { l.view = v }

func (l *EventLog) hear(s system.System) { l.tell, _ = s.(system.NoteFormatter) }

// LogEvents lets a run write its events and notes to a log, which its caller flushes.
func LogEvents(l *EventLog) Option { return func(r *Run) { r.listener.log = l } }

// Flush writes what is still held back, and returns what went wrong, if anything.
func (l *EventLog) Flush() error {
	return unwritten(l.out.Flush())
}

// observe writes one event.
func (l *EventLog) observe(e cluster.Event) error {
	l.remember(e)
	if !l.only[e.Kind] {
		return nil
	}
	l.begin(e.At, eventNames[e.Kind])
	switch e.Kind {
	case cluster.NodeUp, cluster.NodeChanged:
		l.node("node", e.Node)
		l.vec(l.view.Capacity(e.Node))
		if p := l.view.Processors(e.Node); p > 0 {
			l.number("processors", int64(p))
		}
		if w, is := l.view.Worker(e.Node); is {
			l.worker(&w)
		}
		if e.Kind == cluster.NodeUp {
			l.number("rack", int64(l.view.Rack(e.Node)))
		}
	case cluster.UsageSwept:
		totals := l.view.Totals()
		for i := range unit.Resources {
			l.float(i.String(), float64(totals.Used[i])/float64(unit.Whole))
		}
	case cluster.MigrationBegan, cluster.MigrationEnded, cluster.MigrationBroken:
		l.task(e.Task)
		l.node("from", e.Node)
		l.number("to", int64(e.Other))
		l.number("bytes", e.Amount)
		l.flag("forced", e.Detail == 1)
	case cluster.JobSubmitted, cluster.ProcessorsTaken, cluster.JobPlaced, cluster.JobEnded, cluster.JobDisplaced:
		l.job(e)
	case cluster.LoadArrived, cluster.ChunkSent, cluster.ChunkReceived, cluster.ChunkStarted, cluster.ChunkDone, cluster.ChunkLost:
		l.node("node", e.Node)
		l.float("work", unit.Work(e.Amount).Float())
		if e.Kind == cluster.ChunkLost {
			l.text("where", places[e.Detail])
		}
	case cluster.NodeDown:
		l.node("node", e.Node)
	case cluster.GraphArrived, cluster.GraphMissed, cluster.GraphDone, cluster.GraphAborted:
		l.graph(e)
	case cluster.SubtaskAssigned, cluster.SubtaskReady, cluster.SubtaskStarted, cluster.SubtaskFinished, cluster.SubtaskWithdrawn, cluster.SubtaskLost:
		l.subtask(e)
	case cluster.TransferBegan, cluster.TransferEnded, cluster.TransferBroken:
		l.transfer(e)
	default:
		l.ofTask(e)
	}
	return l.end()
}

// remember keeps what later events tell again, of tasks and jobs whose slots others
// use again.
func (l *EventLog) remember(e cluster.Event) {
	slot := int(e.Task.Slot())
	switch e.Kind {
	case cluster.TaskSubmitted, cluster.TaskChanged:
		t, alive := l.view.Task(e.Task)
		for slot >= len(l.tasks) {
			l.tasks = append(l.tasks, loggedTask{})
		}
		if alive {
			l.tasks[slot] = loggedTask{t.Key, t.Request}
		}
	case cluster.JobSubmitted:
		j, _ := l.view.Job(e.Job())
		for slot >= len(l.jobs) {
			l.jobs = append(l.jobs, workload.Key{})
		}
		l.jobs[slot] = j.Key
	case cluster.GraphArrived:
		for slot >= len(l.works) {
			l.works = append(l.works, loggedGraph{})
		}
		g, key, _ := l.view.Submitted(e.Graph())
		l.works[slot] = loggedGraph{key, g}
	}
}

// ofTask writes the fields of an event of one task.
func (l *EventLog) ofTask(e cluster.Event) {
	l.task(e.Task)
	l.node("node", e.Node)
	switch e.Kind {
	case cluster.TaskSubmitted, cluster.TaskChanged, cluster.TaskPlaced:
		l.vec(l.tasks[e.Task.Slot()].request)
		if t, alive := l.view.Task(e.Task); alive && e.Kind != cluster.TaskPlaced {
			l.number("priority", int64(t.Priority))
			l.flag("production", t.Class == workload.Production)
		}
	case cluster.TaskEnded:
		l.text("how", workload.End(e.Detail).String())
	case cluster.TaskAllotted:
		l.float("cpu", unit.Share(e.Amount).Float())
	case cluster.UsageMeasured:
		if t, alive := l.view.Task(e.Task); alive {
			l.vec(t.Usage)
		}
	}
}

// job writes the fields of an event of a job.
func (l *EventLog) job(e cluster.Event) {
	key := l.jobs[e.Job().Slot()]
	l.text("job", strconv.FormatUint(key.Job, 10))
	l.node("node", e.Node)
	l.number("processors", e.Amount)
	switch e.Kind {
	case cluster.JobSubmitted:
		if j, alive := l.view.Job(e.Job()); alive {
			l.number("user", int64(j.User))
			l.number("queue", int64(j.Queue))
			l.number("estimate_us", int64(j.Estimate))
		}
	case cluster.JobEnded:
		l.text("how", workload.End(e.Detail).String())
	}
}

// note writes a note of the system.
func (l *EventLog) note(n system.Note) {
	if !l.only[len(eventNames)] {
		return
	}
	l.begin(n.At, noteName)
	l.number("kind", int64(n.Kind))
	if n.Ref != 0 {
		l.number("ref", int64(n.Ref))
	}
	l.node("node", n.Node)
	if n.Other != unit.NoNode {
		l.number("other", int64(n.Other))
	}
	if t, alive := l.view.Task(n.Task); alive {
		l.text("task", TaskName(t.Key))
	}
	l.float("value", n.Value)
	if n.Subtasks != nil {
		l.name("subtasks")
		l.line = append(l.line, '[')
		for i, v := range n.Subtasks {
			l.line = strconv.AppendInt(l.comma(i), int64(v), 10)
		}
		l.line = append(l.line, ']')
	}
	if l.tell != nil {
		l.text("text", l.tell.FormatNote(n))
	}
	_ = l.end() // the next event tells
}

func (l *EventLog) begin(at unit.Time, kind string) {
	l.line = append(l.line[:0], `{"t":`...)
	l.line = strconv.AppendInt(l.line, int64(at), 10)
	l.line = append(l.line, `,"e":"`...)
	l.line = append(l.line, kind...)
	l.line = append(l.line, '"')
}

func (l *EventLog) end() error {
	l.line = append(l.line, '}', '\n')
	_, err := l.out.Write(l.line)
	return unwritten(err)
}

// unwritten says that the log has an error, if it has one; every line after it has it too.
func unwritten(err error) error {
	if err != nil {
		return fmt.Errorf("the event log cannot be written: %w", err)
	}
	return nil
}

func (l *EventLog) name(name string) {
	l.line = append(l.line, ',', '"')
	l.line = append(l.line, name...)
	l.line = append(l.line, '"', ':')
}

func (l *EventLog) number(name string, n int64) {
	l.name(name)
	l.line = strconv.AppendInt(l.line, n, 10)
}

func (l *EventLog) float(name string, x float64) {
	l.name(name)
	text, err := json.Marshal(x)
	if err != nil {
		text = []byte("null") // no number
	}
	l.line = append(l.line, text...)
}

func (l *EventLog) flag(name string, is bool) {
	if is {
		l.name(name)
		l.line = append(l.line, "true"...)
	}
}

func (l *EventLog) text(name, text string) {
	l.name(name)
	quoted, err := json.Marshal(text)
	if err != nil {
		quoted = []byte(`""`) // texts always can
	}
	l.line = append(l.line, quoted...)
}

func (l *EventLog) vec(v unit.Vec) {
	for i := range unit.Resources {
		l.float(i.String(), v[i].Float())
	}
}

// node writes a node and its machine, if there is one.
func (l *EventLog) node(name string, n unit.NodeID) {
	if n == unit.NoNode {
		return
	}
	l.number(name, int64(n))
	if name == "node" {
		l.text("machine", strconv.FormatUint(l.view.Machine(n), 10))
	}
}

// task writes a task's name.
func (l *EventLog) task(id unit.TaskID) {
	l.text("task", TaskName(l.tasks[id.Slot()].key))
}
