package cluster

import "parley/core/unit"

// Event is one physical fact. It holds no pointers, so it can be kept, folded
// and compared as it is.
type Event struct {
	At     unit.Time
	Kind   Kind
	Detail uint8       // TaskEnded, JobEnded: the workload.End; migrations: 1 if forced; lost pieces: their place
	Node   unit.NodeID // where it happened; of a migration the source
	Other  unit.NodeID // of a migration the target, of a transfer the source
	Task   unit.TaskID // or the job or the graph, see Job and Graph
	// subtasks and transfers: see Subtask and Arc; migrations: bytes moved; UsageSwept: checksum of all usage;
	// chunks and loads: unit.Work; TaskAllotted: unit.Share
	Amount int64
}

// Job returns the job that an event of a job is about.
func (e Event) Job() unit.JobID { return unit.JobID(e.Task) }

// Graph returns the graph that an event of a graph is about.
func (e Event) Graph() unit.GraphID { return unit.GraphID(e.Task) }

// Subtask returns the number, in its graph, of the subtask that an event is about.
func (e Event) Subtask() int32 { return int32(e.Amount) }

// Arc returns the number, in its graph, of the arc that a transfer is about.
func (e Event) Arc() int32 { return int32(e.Amount) }

// Kind is the kind of an Event.
type Kind uint8

// The kinds of Event and the fields they fill beside At.
const (
	NodeUp          Kind = iota // Node joined or came back
	NodeDown                    // Node left or crashed; its tasks were displaced first
	NodeChanged                 // Node's capacity or an attribute is another now
	TaskSubmitted               // Task waits for a place
	TaskPlaced                  // Task runs on Node now
	TaskEnded                   // Task ended, on Node or (NoNode) while it waited; Detail
	TaskDisplaced               // Task lost Node and waits again
	TaskChanged                 // Task asks for something else, on Node or waiting
	TaskRecorded                // the workload's own scheduler put Task on Node now
	TaskReleased                // the workload's own scheduler took Task off its node
	MigrationBegan              // Task moves from Node to Other; Amount, Detail
	MigrationEnded              // Task runs on Other now; Amount, Detail
	MigrationBroken             // Task stays on Node (NoNode: it waits again); Other was the target
	UsageSwept                  // a usage window passed for a part of the tasks; Amount
	UsageMeasured               // the workload reported the use of Task, on Node
	LoadArrived                 // the master has a divisible load now; Amount
	ChunkSent                   // the master's port sends a chunk to Node; Amount
	ChunkReceived               // Node has the chunk and the port is free; Amount
	ChunkStarted                // Node computes the chunk; Amount
	ChunkDone                   // Node has computed the chunk; Amount
	ChunkLost                   // Node is down and the chunk unsent again; Amount, Detail: OnPort, InQueue, UnderWay
	TaskAllotted                // Task has another share of Node's CPU now; Amount
	JobSubmitted                // a rigid job waits; Job, and Amount processors, as with all of jobs
	ProcessorsTaken             // a job that is being placed holds Amount processors of Node now; Job
	JobPlaced                   // a job has all of its processors and runs
	JobEnded                    // a job ended and gave its processors back; Detail
	// a job lost its processors and waits again; Detail: Suspended if it keeps its progress
	JobDisplaced
	GraphArrived     // a task graph of Amount subtasks is there; Graph, as with all below
	GraphMissed      // its deadline passed and it is not done
	GraphDone        // all of it is done and at home; Detail: 1 if after its deadline
	GraphAborted     // it was given up; Detail: the workload.End
	SubtaskAssigned  // Node is to compute Subtask, after the pieces already in its queue
	SubtaskReady     // all inputs of Subtask are on Node, in whose queue it is
	SubtaskStarted   // Node computes Subtask
	SubtaskFinished  // Node has computed Subtask and has its result
	SubtaskWithdrawn // Subtask waits again, by an act or because its graph ended; Detail: InQueue, UnderWay
	// Subtask waits again, because Node is down or cannot do it any more; Detail: InQueue, UnderWay, Stored
	SubtaskLost
	TransferBegan  // what Arc carries moves from Other to Node; NoNode: home
	TransferEnded  // Node has a copy too now
	TransferBroken // it does not come; Detail: InQueue, OnPort
	NodePower      // Node is switched on or off, or on its way there; Detail: Power
)

// String returns the kind as logs and script files spell it.
func (k Kind) String() string {
	return [...]string{
		"node_up", "node_down", "node_changed", "submitted", "placed", "ended", "displaced", "changed",
		"recorded", "released", "migration_began", "migration_ended", "migration_broken", "usage_swept",
		"usage_measured",
		"load_arrived", "chunk_sent", "chunk_received", "chunk_started", "chunk_done", "chunk_lost",
		"allotted", "job_submitted", "processors_taken", "job_placed", "job_ended", "job_displaced",
		"graph_arrived", "graph_missed", "graph_done", "graph_aborted", "subtask_assigned", "subtask_ready",
		"subtask_started",
		"subtask_finished", "subtask_withdrawn", "subtask_lost", "transfer_began", "transfer_ended", "transfer_broken",
		"node_power",
	}[k]
}
