package events

import (
	"parley/core/cluster"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// Kind describes the events of one kind in the event log.
type Kind struct {
	ID, About string
	Fields    []Field // in their order, beside t and e
	OnRequest bool    // written only if it is asked for
}

// Field describes a field of an event, or several that are written together.
type Field struct {
	Names []string // as written
	About string
	write func(*Log, *cluster.Event) // writes nothing if the field does not apply; nil: a neighbour writes it
}

// Kinds beside those of cluster.Kind.
const (
	taskUsed = int(cluster.NodePower) + 1 + iota
	noted
	kindsOfLog
)

// Kinds returns the kinds of event in a log. The last one is that of a system's
// notes, whose further fields NoteKinds describes.
func Kinds() []Kind {
	k := make(kinds, kindsOfLog)
	k.nodes()
	k.tasks()
	k.jobs()
	k.loads()
	k.graphs()
	k[noted] = Kind{ID: "note", About: "what only the system knows, see below", Fields: []Field{
		{Names: []string{"kind"}, About: "name of the kind of note"},
		{Names: []string{"text"}, About: "the note in a sentence"},
	}}
	return k
}

// kinds are those of the log, by cluster.Kind.
type kinds []Kind

func (k kinds) set(kind cluster.Kind, id, about string, fields ...Field) {
	k[kind] = Kind{ID: id, About: about, Fields: fields}
}

// field returns a field of one name.
func field(name, about string, write func(*Log, *cluster.Event)) Field {
	return Field{[]string{name}, about, write}
}

// shares returns fields of each resource, with an ending, in parts of the reference
// machine.
func shares(ending, about string, write func(*Log, *cluster.Event)) Field {
	f := Field{About: about + ", in parts of the reference machine", write: write}
	for r := range unit.Resources {
		f.Names = append(f.Names, r.String()+ending)
	}
	return f
}

// nodeField returns the fields of where something happened.
func nodeField() Field {
	return Field{
		[]string{"node", "machine"},
		"number of the node in the run and its name in the workload; left out if there is none",
		func(l *Log, e *cluster.Event) { l.node("node", e.Node) },
	}
}

// howField returns the field that says how something ended.
func howField() Field {
	return field("how", "how it ended: finished, failed, killed, evicted or lost", func(l *Log, e *cluster.Event) { l.text("how", workload.End(e.Detail).String()) })
}

// whereField returns the field that says where something was when it was lost.
func whereField() Field {
	return field("where", "where it was: on its way (`port`), in a `queue`, being computed (`worker`) or finished (`store`)", func(l *Log, e *cluster.Event) { l.text("where", places[e.Detail]) })
}

// nodes describes the events of nodes: for each kind, its name, meaning and fields, in the order of the line.
func (k kinds) nodes() {
	has := []Field{
		nodeField(),
		shares("", "its capacity", func(l *Log, e *cluster.Event) { l.vec("", l.view.Capacity(e.Node)) }),
		field("processors", "how many it has, if it runs rigid jobs", func(l *Log, e *cluster.Event) {
			if p := l.view.Processors(e.Node); p > 0 {
				l.number("processors", int64(p))
			}
		}),
		{[]string{"speed", "speeds", "bandwidth", "channel", "compute_latency_us", "send_latency_us"}, "how it computes and sends, if it computes work (see below)", (*Log).worker},
	}
	rack := field("rack", "number of its rack", func(l *Log, e *cluster.Event) { l.number("rack", int64(l.view.Rack(e.Node))) })
	k.set(cluster.NodeUp, "node_up", "a node joins or comes back", append(has[:len(has):len(has)], rack)...)
	k.set(cluster.NodeDown, "node_down", "a node leaves or fails; what ran there was displaced before", nodeField())
	k.set(cluster.NodeChanged, "node_changed", "a node has another capacity or other attributes", has...)
	k.set(cluster.NodePower, "node_power", "a node is switched off or on (batch.off)", nodeField(),
		field("power", "`shuts down`, `off`, `boots` or `on`", func(l *Log, e *cluster.Event) { l.text("power", cluster.Power(e.Detail).String()) }))
}

// tasks describes the events of tasks, as nodes does.
func (k kinds) tasks() {
	task := field("task", "name of the task: JOB-INDEX of the workload", func(l *Log, e *cluster.Event) { l.task(e.Task) })
	node := nodeField()
	requests := shares("", "what it requests", func(l *Log, e *cluster.Event) { l.vec("", l.tasks[e.Task.Slot()].request) })
	uses := shares("_used", "what it uses from now on", (*Log).use)
	wants := []Field{
		task, node, requests,
		field("priority", "its priority; the highest is the most important", func(l *Log, e *cluster.Event) {
			if t, alive := l.view.Task(e.Task); alive {
				l.number("priority", int64(t.Priority))
			}
		}),
		field("production", "true if it is a task of production", func(l *Log, e *cluster.Event) {
			t, alive := l.view.Task(e.Task)
			l.flag("production", alive && t.Class == workload.Production)
		}),
	}
	moves := []Field{
		task,
		field("from", "the node that it leaves", func(l *Log, e *cluster.Event) { l.node("from", e.Node) }),
		field("to", "the node that it is to run on", func(l *Log, e *cluster.Event) { l.number("to", int64(e.Other)) }),
		field("bytes", "how many are moved", func(l *Log, e *cluster.Event) { l.number("bytes", e.Amount) }),
		field("forced", "true if it moves by force", func(l *Log, e *cluster.Event) { l.flag("forced", e.Detail == 1) }),
	}
	k.set(cluster.TaskSubmitted, "task_submitted", "a task arrives and waits", wants...)
	k.set(cluster.TaskPlaced, "task_placed", "a task starts on a node", task, node, requests, uses)
	k.set(cluster.TaskEnded, "task_ended", "a task ends, on its node or while it waits", task, node, howField())
	k.set(cluster.TaskDisplaced, "task_displaced", "a task loses its node and waits again", task, node)
	k.set(cluster.TaskChanged, "task_changed", "a task requests something else, on its node or while it waits", wants...)
	k.set(cluster.TaskRecorded, "task_recorded", "the workload's own scheduler starts a task on a node", task, node, uses)
	k.set(cluster.TaskReleased, "task_released", "the workload's own scheduler takes a task off its node", task, node)
	k.set(cluster.MigrationBegan, "migration_began", "a task begins to move; until the move ends it holds its place on both nodes", moves...)
	k.set(cluster.MigrationEnded, "migration_ended", "a task runs on the node that it was to run on", moves...)
	k.set(cluster.MigrationBroken, "migration_broken", "a task does not move; without `from` it waits again", moves...)
	k.set(cluster.UsageSwept, "usage_swept", "some tasks have entered their next usage window; the sums of the cluster", shares("", "what all tasks use", (*Log).total))
	k[cluster.UsageSwept].OnRequest = true
	k.set(cluster.UsageMeasured, "usage_measured", "the workload states what a task uses", task, node, shares("", "what it uses from now on", (*Log).measured))
	k.set(cluster.TaskAllotted, "task_allotted", "a task has another share of its node's CPU", task, node,
		field("cpu", "its share, in parts of the reference machine", func(l *Log, e *cluster.Event) { l.float("cpu", unit.Share(e.Amount).Float()) }))
	k[taskUsed] = Kind{"task_used", "a task on a node uses something else than the log said last", []Field{task, node, uses}, true}
}

// jobs describes the events of rigid jobs, as nodes does.
func (k kinds) jobs() {
	job := field("job", "name of the job: its number and, if others of the workload have the same one, its index behind it, as units of a request do (7, 7-1, 7-2)",
		func(l *Log, e *cluster.Event) { l.text("job", l.jobs[e.Job().Slot()].key.JobName()) })
	processors := field("processors", "how many", func(l *Log, e *cluster.Event) { l.number("processors", e.Amount) })
	k.set(cluster.JobSubmitted, "job_submitted", "a rigid job arrives and waits", job, processors,
		Field{[]string{"user", "queue", "estimate_us"}, "numbers of its user and queue (-1 if none), and the run time that the user expects", (*Log).submitted})
	k.set(cluster.ProcessorsTaken, "processors_taken", "a job takes processors of a node: one event for each node, before `job_placed`", job, nodeField(), processors)
	k.set(cluster.JobPlaced, "job_placed", "a job has all its processors and runs", job, processors)
	k.set(cluster.JobEnded, "job_ended", "a job ends, and its processors are free", job, processors, howField())
	k.set(cluster.JobDisplaced, "job_displaced", "a job loses all its processors and waits again", job, processors,
		field("kept", "true if its scheduler stopped it and it keeps what it has done; else it starts from its beginning", func(l *Log, e *cluster.Event) {
			if e.Detail == cluster.Suspended {
				l.flag("kept", true)
			}
		}))
}

func (k kinds) loads() {
	work := field("work", "how many work units", func(l *Log, e *cluster.Event) { l.float("work", unit.Work(e.Amount).Float()) })
	k.set(cluster.LoadArrived, "load_arrived", "a divisible load arrives at the master", work)
	k.set(cluster.ChunkSent, "chunk_sent", "the master begins to send a chunk of a load", nodeField(), work)
	k.set(cluster.ChunkReceived, "chunk_received", "a worker has a chunk; the master's port is free", nodeField(), work)
	k.set(cluster.ChunkStarted, "chunk_started", "a worker begins to compute a chunk", nodeField(), work)
	k.set(cluster.ChunkDone, "chunk_done", "a worker has computed a chunk", nodeField(), work)
	k.set(cluster.ChunkLost, "chunk_lost", "a worker fails with a chunk", nodeField(), work, whereField())
}

// graphs describes the events of task graphs, as nodes does. A field without a function is written by the field
// before it.
func (k kinds) graphs() {
	graph := field("graph", "name of the graph", func(l *Log, e *cluster.Event) { l.text("graph", l.works[e.Graph().Slot()].key.JobName()) })
	subtask := []Field{graph, {[]string{"subtask", "name"}, "number of the subtask in its graph, from 0, and its name", (*Log).subtask}, nodeField()}
	lost := append(subtask[:3:3], whereField())
	transfer := []Field{
		graph,
		field("arc", "number of the arc in its graph, from 0", func(l *Log, e *cluster.Event) { l.number("arc", int64(e.Arc())) }),
		field("from", "the node that it leaves; left out: home", func(l *Log, e *cluster.Event) { l.node("from", e.Other) }),
		field("to", "the node that it is for; left out: home", func(l *Log, e *cluster.Event) { l.node("to", e.Node) }),
		field("bytes", "how many it carries", func(l *Log, e *cluster.Event) {
			l.number("bytes", int64(l.works[e.Graph().Slot()].Arc(e.Arc()).Bytes))
		}),
	}
	k.set(cluster.GraphArrived, "graph_arrived", "a task graph arrives", graph,
		Field{[]string{"subtasks", "arcs", "user"}, "how many subtasks and arcs it has, and the number of its user", (*Log).arrived},
		Field{[]string{"deadline_us", "bonus"}, "the moment until which it must be done, and what its user pays for that; left out if it has none", nil},
		Field{[]string{"work", "types"}, "of each subtask, by its number: work units and type", nil},
		Field{[]string{"from_to_bytes"}, "of each arc, by its number: the subtask that it leaves, the one that it is for (-1: home), and bytes", nil})
	k.set(cluster.GraphMissed, "graph_missed", "the deadline of a graph has passed", graph)
	k.set(cluster.GraphDone, "graph_done", "a graph is done", graph, field("late", "true if its deadline has passed", func(l *Log, e *cluster.Event) { l.flag("late", e.Detail == 1) }))
	k.set(cluster.GraphAborted, "graph_aborted", "a graph is given up", graph, howField())
	k.set(cluster.SubtaskAssigned, "subtask_assigned", "a subtask joins the queue of a node", subtask...)
	k.set(cluster.SubtaskReady, "subtask_ready", "all inputs of a subtask are on its node", subtask...)
	k.set(cluster.SubtaskStarted, "subtask_started", "a node begins to compute a subtask", subtask...)
	k.set(cluster.SubtaskFinished, "subtask_finished", "a node has computed a subtask, and its result is there", subtask...)
	k.set(cluster.SubtaskWithdrawn, "subtask_withdrawn", "a subtask waits again, because the system withdraws it or its graph ends", lost...)
	k.set(cluster.SubtaskLost, "subtask_lost", "a subtask waits again, because its node is down or cannot compute it any more", lost...)
	k.set(cluster.TransferBegan, "transfer_began", "what an arc carries begins to move", transfer...)
	k.set(cluster.TransferEnded, "transfer_ended", "what an arc carries has arrived", transfer...)
	k.set(cluster.TransferBroken, "transfer_broken", "what an arc carries does not arrive; if it was in a `queue` it had not begun to move", append(transfer[:5:5], whereField())...)
}

// NoteKinds returns a system's kinds of notes, by Note.Kind; nil if it has none.
func NoteKinds(s system.System) []system.NoteKind {
	if d, describes := s.(system.NoteDescriber); describes {
		return d.NoteKinds()
	}
	return nil
}

// NoteKindsOf returns the kinds of notes of a system that plays nothing: it makes one with default settings on an
// empty cluster.
func NoteKindsOf(e system.Entry) ([]system.NoteKind, error) {
	kernel := des.New()
	empty := cluster.New(cluster.Default(), kernel)
	s, err := e.New(system.Env{
		Clock: kernel, View: empty.View(), Acts: empty.ActsOn(e.Supports...),
		Rand: func(name string) *rng.Stream { return rng.New(1, name) },
	}, nil)
	return NoteKinds(s), err
}
