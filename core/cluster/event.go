package cluster

import "parley/core/unit"

// Event is one physical fact. It holds no pointers, so it can be kept, folded
// and compared as it is.
type Event struct {
	At     unit.Time
	Kind   Kind
	Detail uint8       // TaskEnded, JobEnded: the workload.End; migrations: 1 if forced; ChunkLost: where it was
	Node   unit.NodeID // where it happened; of a migration the source
	Other  unit.NodeID // of a migration the target
	Task   unit.TaskID // or the job, see Job
	Amount int64       // migrations: bytes moved; UsageSwept: checksum of all usage; chunks and loads: unit.Work; TaskAllotted: unit.Share
}

// Job returns the job that an event of a job is about.
func (e Event) Job() unit.JobID { return unit.JobID(e.Task) }

// Kind says what an Event tells.
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
	UsageMeasured               // the workload told what Task uses, on Node
	LoadArrived                 // a divisible load lies with the master now; Amount
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
	JobDisplaced                // a job lost its processors and waits again
)

// String returns the kind as logs and script files spell it.
func (k Kind) String() string {
	return [...]string{
		"node_up", "node_down", "node_changed", "submitted", "placed", "ended", "displaced", "changed",
		"recorded", "released", "migration_began", "migration_ended", "migration_broken", "usage_swept", "usage_measured",
		"load_arrived", "chunk_sent", "chunk_received", "chunk_started", "chunk_done", "chunk_lost",
		"allotted", "job_submitted", "processors_taken", "job_placed", "job_ended", "job_displaced",
	}[k]
}
