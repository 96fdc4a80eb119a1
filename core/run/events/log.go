// Package events writes the events of a run for other programs: the event log, as JSON
// lines, and the outcome of each rigid job. It receives the cluster's events, the system's
// notes and a view of the cluster, and knows nothing else of the run.
package events

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

// Log writes a run's events and its system's notes as JSON lines, in their
// order, so that anyone can check a run with a program of their own. Names are those
// of the workload; resources are fractions of the reference machine; times are
// simulated microseconds.
//
//	{"t":372000000,"e":"task_placed","task":"6251414911-1447","node":8116,"machine":"2110696959","cpu":0.0401,"memory":0.018}
type Log struct {
	out       *bufio.Writer
	view      cluster.View
	kinds     []Kind
	writes    [kindsOfLog]bool
	tasks     []loggedTask  // by slot
	jobs      []loggedJob   // by slot
	works     []loggedGraph // by slot
	noteKinds []system.NoteKind
	wording   system.NoteFormatter
	line      []byte
}

// loggedTask is the log's state of a task.
type loggedTask struct {
	id      unit.TaskID
	key     workload.Key
	request unit.Vec
	used    unit.Vec // as written last, if said
	stated  bool     // a line has had its use
}

// loggedJob is the log's state of a rigid job.
type loggedJob struct {
	id  unit.JobID
	key workload.Key
}

// New returns a log that writes events of the kinds only to out or, if only is empty, of all kinds that are on by
// default; in both cases also those of the kinds in also. An unknown kind is an error. Call Begin first, and
// Flush at the end.
func New(out io.Writer, only, also []string) (*Log, error) {
	l := &Log{out: bufio.NewWriterSize(out, 1<<16), kinds: Kinds()}
	for i := range l.kinds {
		l.writes[i] = len(only) == 0 && !l.kinds[i].OnRequest
	}
	for _, id := range slices.Concat(only, also) {
		i := slices.IndexFunc(l.kinds, func(k Kind) bool { return k.ID == id })
		if i < 0 {
			var known []string
			for _, k := range l.kinds {
				known = append(known, k.ID)
			}
			return nil, fmt.Errorf("there are no events of the kind %q: choose among %s", id, strings.Join(known, ", "))
		}
		l.writes[i] = true
	}
	return l, nil
}

// Begin receives the cluster that the events are about, before the first of them.
func (l *Log) Begin(v cluster.View) { l.view = v }

// Describe receives the system whose notes are written, with their meaning.
func (l *Log) Describe(s system.System) {
	l.noteKinds = NoteKinds(s)
	l.wording, _ = s.(system.NoteFormatter)
}

// Flush writes the buffered lines, and returns the first error.
func (l *Log) Flush() error {
	return unwritten(l.out.Flush())
}

// Observe writes an event, if its kind is written, and the use of tasks that it changed. Kinds that are not
// written are remembered too, because later lines need the names of their tasks.
func (l *Log) Observe(e cluster.Event) error {
	l.remember(e)
	var err error
	if l.writes[e.Kind] {
		err = l.write(int(e.Kind), &e)
	}
	if l.writes[taskUsed] && err == nil {
		err = l.uses(e)
	}
	return err
}

// write writes an event as a line of a kind, an index of l.kinds: that of the event, or taskUsed.
func (l *Log) write(kind int, e *cluster.Event) error {
	k := &l.kinds[kind]
	l.begin(e.At, k.ID)
	for i := range k.Fields {
		if write := k.Fields[i].write; write != nil {
			write(l, e)
		}
	}
	return l.end()
}

// uses writes the use of each task whose use an event changed. The lines of TaskPlaced, TaskRecorded and
// UsageMeasured have the use themselves: if they are written, it is only noted as written.
func (l *Log) uses(e cluster.Event) error {
	switch e.Kind {
	case cluster.TaskPlaced, cluster.TaskRecorded, cluster.UsageMeasured:
		if !l.writes[e.Kind] {
			return l.usesOf(e.At, e.Task)
		}
		t, _ := l.view.Task(e.Task)
		known := &l.tasks[e.Task.Slot()]
		known.used, known.stated = t.Usage, true
	case cluster.TaskChanged, cluster.TaskAllotted:
		return l.usesOf(e.At, e.Task)
	case cluster.UsageSwept:
		for n := range unit.NodeID(l.view.Nodes()) {
			for id := range l.view.Tasks(n) {
				if err := l.usesOf(e.At, id); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// usesOf writes the use of a task that is on a node, unless it is the one that was written last.
func (l *Log) usesOf(at unit.Time, id unit.TaskID) error {
	t, alive := l.view.Task(id)
	known := &l.tasks[id.Slot()]
	if !alive || t.Node == unit.NoNode || known.stated && t.Usage == known.used {
		return nil
	}
	known.used, known.stated = t.Usage, true
	return l.write(taskUsed, &cluster.Event{At: at, Task: id, Node: t.Node})
}

// remember keeps the data of tasks and jobs that later events need, because slots are
// reused.
func (l *Log) remember(e cluster.Event) {
	slot := int(e.Task.Slot())
	switch e.Kind {
	case cluster.TaskSubmitted, cluster.TaskChanged:
		t, alive := l.view.Task(e.Task)
		for slot >= len(l.tasks) {
			l.tasks = append(l.tasks, loggedTask{})
		}
		if alive {
			own := loggedTask{id: e.Task, key: t.Key, request: t.Request}
			if before := &l.tasks[slot]; e.Kind == cluster.TaskChanged {
				own.used, own.stated = before.used, before.stated
			}
			l.tasks[slot] = own
		}
	case cluster.JobSubmitted:
		j, _ := l.view.Job(e.Job())
		for slot >= len(l.jobs) {
			l.jobs = append(l.jobs, loggedJob{})
		}
		l.jobs[slot] = loggedJob{e.Job(), j.Key}
	case cluster.GraphArrived:
		for slot >= len(l.works) {
			l.works = append(l.works, loggedGraph{})
		}
		g, key, _ := l.view.Submitted(e.Graph())
		l.works[slot] = loggedGraph{key, g}
	}
}

// use writes the use of a task.
func (l *Log) use(e *cluster.Event) {
	if t, alive := l.view.Task(e.Task); alive {
		l.vec("_used", t.Usage)
	}
}

// measured writes the use of a task from the workload's own measurement.
func (l *Log) measured(e *cluster.Event) {
	if t, alive := l.view.Task(e.Task); alive {
		l.vec("", t.Usage)
	}
}

// total writes the use of all tasks together.
func (l *Log) total(*cluster.Event) {
	totals := l.view.Totals()
	for r := range unit.Resources {
		l.float(r.String(), float64(totals.Used[r])/float64(unit.Whole))
	}
}

// submitted writes the requests of a job other than its processors.
func (l *Log) submitted(e *cluster.Event) {
	if j, alive := l.view.Job(e.Job()); alive {
		l.number("user", int64(j.User))
		l.number("queue", int64(j.Queue))
		l.number("estimate_us", int64(j.Estimate))
	}
}

// Note writes a note of the system, if notes are written. The job or task is named only if its slot still has
// it. An error in writing is returned by the next Observe and by Flush, because bufio keeps it.
func (l *Log) Note(n system.Note) {
	if !l.writes[noted] {
		return
	}
	kind := system.NoteKind{ID: strconv.Itoa(int(n.Kind))}
	if int(n.Kind) < len(l.noteKinds) {
		kind = l.noteKinds[n.Kind]
	}
	l.begin(n.At, l.kinds[noted].ID)
	l.text("kind", kind.ID)
	if n.Ref != 0 {
		l.number("ref", int64(n.Ref))
	}
	l.node("node", n.Node)
	if n.Other != unit.NoNode {
		l.number("other", int64(n.Other))
	}
	slot := int(n.Task.Slot())
	switch {
	case kind.Has("job") && slot < len(l.jobs) && l.jobs[slot].id == unit.JobID(n.Task):
		l.text("job", l.jobs[slot].key.JobName())
	case kind.Has("task") && slot < len(l.tasks) && l.tasks[slot].id == n.Task:
		l.task(n.Task)
	}
	if kind.Has("value") {
		l.float("value", n.Value)
	}
	if n.Subtasks != nil {
		l.name("subtasks")
		l.line = append(l.line, '[')
		for i, v := range n.Subtasks {
			l.line = strconv.AppendInt(l.comma(i), int64(v), 10)
		}
		l.line = append(l.line, ']')
	}
	for i := range n.Details {
		switch d := &n.Details[i]; {
		case d.Is:
			l.flag(d.Name, true)
		case d.Text != "":
			l.text(d.Name, d.Text)
		default:
			l.float(d.Name, d.Number)
		}
	}
	if l.wording != nil {
		l.text("text", l.wording.FormatNote(n))
	}
	_ = l.end() // the next event tells
}

// begin starts the line of an event, in l.line; end writes it.
func (l *Log) begin(at unit.Time, kind string) {
	l.line = append(l.line[:0], `{"t":`...)
	l.line = strconv.AppendInt(l.line, int64(at), 10)
	l.line = append(l.line, `,"e":"`...)
	l.line = append(l.line, kind...)
	l.line = append(l.line, '"')
}

func (l *Log) end() error {
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

func (l *Log) name(name string) {
	l.line = append(l.line, ',', '"')
	l.line = append(l.line, name...)
	l.line = append(l.line, '"', ':')
}

func (l *Log) number(name string, n int64) {
	l.name(name)
	l.line = strconv.AppendInt(l.line, n, 10)
}

// float appends a number; NaN and infinities become null.
func (l *Log) float(name string, x float64) {
	l.name(name)
	text, err := json.Marshal(x)
	if err != nil {
		text = []byte("null") // no number
	}
	l.line = append(l.line, text...)
}

func (l *Log) flag(name string, is bool) {
	if is {
		l.name(name)
		l.line = append(l.line, "true"...)
	}
}

func (l *Log) text(name, text string) {
	l.name(name)
	quoted, err := json.Marshal(text)
	if err != nil {
		quoted = []byte(`""`) // texts always can
	}
	l.line = append(l.line, quoted...)
}

// vec appends a field for each resource, named by the resource and an ending, in parts of the reference machine.
func (l *Log) vec(ending string, v unit.Vec) {
	for r := range unit.Resources {
		l.float(r.String()+ending, v[r].Float())
	}
}

// node appends a node, unless it is unit.NoNode, and for the field "node" its machine in the workload too.
func (l *Log) node(name string, n unit.NodeID) {
	if n == unit.NoNode {
		return
	}
	l.number(name, int64(n))
	if name == "node" {
		l.text("machine", strconv.FormatUint(l.view.Machine(n), 10))
	}
}

// task writes a task's name.
func (l *Log) task(id unit.TaskID) {
	l.text("task", l.tasks[id.Slot()].key.TaskName())
}
