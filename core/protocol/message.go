// Package protocol holds the messages between a run and a scheduler outside Parley, and
// recordings of such a scheduler's answers.
//
// Parley sends Hello and receives Welcome; then it sends a Moment for each moment at which
// something happens and receives an Answer. docs/protocol.md describes the messages for
// people who write schedulers; it is written from these types.
package protocol

import "parley/core/unit"

// Version is the version of the protocol, which the first line of both sides names.
const Version = 1

// Hello is Parley's first message, sent when the run's first nodes have joined.
type Hello struct {
	Parley    int       `json:"parley" about:"version of the protocol: 1"`
	Engine    string    `json:"engine" about:"version of Parley"`
	Seed      uint64    `json:"seed" about:"seed of the run, for random numbers of your own"`
	At        unit.Time `json:"at" about:"simulated time in microseconds"`
	Options   string    `json:"options" about:"the setting options of the scenario: any text for the scheduler"`
	Resources []string  `json:"resources" about:"what the numbers of a list of resources are, in this order"`
	Nodes     []Node    `json:"nodes" about:"the nodes that are up"`
}

// Welcome is a scheduler's answer to Hello.
type Welcome struct {
	Parley int      `json:"parley" about:"version of the protocol: 1; required"`
	Name   string   `json:"name,omitempty" about:"name of the scheduler, for people"`
	Wants  []string `json:"wants,omitempty" about:"facts to send that are sent on request only: used"`
}

// WantsUsed is the one fact that is sent on request only.
const WantsUsed = "used"

// Node describes a node.
type Node struct {
	Node       unit.NodeID  `json:"node" about:"number of the node in the run, from 0"`
	Machine    uint64       `json:"machine" about:"its number in the workload"`
	Rack       int32        `json:"rack" about:"number of its rack"`
	Capacity   []unit.Share `json:"capacity" about:"what it has of each resource, in millionths of the reference machine"`
	Processors int32        `json:"processors,omitempty" about:"how many it has for rigid jobs; left out if none"`
	Attributes [][2]int64   `json:"attributes,omitempty" about:"pairs of an attribute's number and its value"`
}

// Moment reports the facts of one simulated moment, and the outcome of the acts of the
// answer before.
type Moment struct {
	At       unit.Time `json:"at" about:"simulated time in microseconds"`
	Facts    []Fact    `json:"facts" about:"what happened, in its order; empty if the scheduler is woken"`
	Verdicts []string  `json:"verdicts" about:"for each act of the answer before, in its order: ok, or why it was refused"`
}

// Answer lists a scheduler's acts at a moment.
type Answer struct {
	Acts   []Act     `json:"acts" about:"what to do, in this order; may be empty; required"`
	WakeAt unit.Time `json:"wake_at,omitempty" about:"send the next line at this time at the latest, in microseconds after now; left out: when something happens. Each answer replaces the wish of the one before"`
}

// Act is one thing to do. Do says which, and which other fields it takes.
type Act struct {
	Do    string       `json:"do" about:"place, migrate, preempt, allot, start or preempt_job"`
	Task  int64        `json:"task,omitempty" about:"place, migrate, preempt, allot: the task"`
	Node  *unit.NodeID `json:"node,omitempty" about:"place, migrate: the node that the task is to run on"`
	By    string       `json:"by,omitempty" about:"place, migrate: how the task must fit: request (request + requested there <= capacity), use (the same with what is used, the default), total (request <= capacity: by force)"`
	CPU   unit.Share   `json:"cpu,omitempty" about:"allot: the task's share of CPU, in millionths of the reference machine"`
	Job   int64        `json:"job,omitempty" about:"start, preempt_job: the rigid job"`
	Parts [][2]int32   `json:"parts,omitempty" about:"start: pairs of a node and how many of its processors; left out: the free ones of the lowest nodes"`
}

// The things that an Act can do.
const (
	DoPlace      = "place"
	DoMigrate    = "migrate"
	DoPreempt    = "preempt"
	DoAllot      = "allot"
	DoStart      = "start"
	DoPreemptJob = "preempt_job"
)

// Fact is one thing that happened. Event says what, and which other fields it has.
type Fact struct {
	Event       string         `json:"e"`
	Task        int64          `json:"task,omitempty"`
	Job         int64          `json:"job,omitempty"`
	Name        string         `json:"name,omitempty"`
	Node        *unit.NodeID   `json:"node,omitempty"`
	To          *unit.NodeID   `json:"to,omitempty"`
	Request     []unit.Share   `json:"request,omitempty"`
	Priority    *uint8         `json:"priority,omitempty"`
	Production  *bool          `json:"production,omitempty"`
	User        *uint32        `json:"user,omitempty"`
	Constraints [][3]int64     `json:"constraints,omitempty"`
	Processors  int32          `json:"processors,omitempty"`
	Estimate    unit.Time      `json:"estimate_us,omitempty"`
	Queue       *int32         `json:"queue,omitempty"`
	How         string         `json:"how,omitempty"`
	Is          *Node          `json:"is,omitempty"`
	Used        [][]unit.Share `json:"used,omitempty"`
}

// FactKind describes the facts of one kind.
type FactKind struct {
	Event  string
	About  string
	Fields []string // as "name: meaning"
}

// FactKinds returns the kinds of facts, for documentation and checks.
func FactKinds() []FactKind {
	const (
		task    = "task: number of the task, from 1 in the order of arrival"
		job     = "job: number of the job, from 1 in the order of arrival"
		request = "request: what it requests of each resource, in millionths of the reference machine"
		prio    = "priority: its priority; the highest is the most important"
		class   = "production: whether it is a task of production"
		user    = "user: number of its user"
		picky   = "constraints: triples of an attribute's number, 0 equal, 1 not equal, 2 less, 3 greater or 4 takes, and a value; takes means that the node must have so much of the attribute left, and that the task holds it while it is there; left out if there are none"
	)
	return []FactKind{
		{"node_up", "a node joins or comes back after the first line", []string{"is: the node, as in the first line"}},
		{
			"node_changed", "a node has another capacity or other attributes",
			[]string{"is: the node, as in the first line"},
		},
		{"node_down", "a node fails or leaves; its tasks were displaced before", []string{"node: number of the node"}},
		{
			"task_submitted", "a task arrives and waits",
			[]string{task, "name: its name in the workload, JOB-INDEX", request, prio, class, user, picky},
		},
		{"task_changed", "a task requests something else", []string{task, request, prio, class, user, picky}},
		{"task_ended", "a task ends", []string{
			task, "node: where it ran; left out if it waited",
			"how: finished, failed, killed, evicted or lost",
		}},
		{
			"task_displaced", "a task loses its node and waits again; not sent if an act preempted it",
			[]string{task, "node: the node that it lost"},
		},
		{
			"task_recorded", "the workload's own scheduler starts a task on a node; here it waits for an act",
			[]string{task, "node: the node"},
		},
		{"task_released", "the workload's own scheduler takes a task off its node", []string{task, "node: the node"}},
		{
			"migration_ended", "a task runs on the node that it moved to",
			[]string{task, "node: the node that it left", "to: the node that it runs on"},
		},
		{
			"migration_broken", "a migration fails",
			[]string{
				task, "node: where the task runs; left out if it waits again",
				"to: the node that it was to run on",
			},
		},
		{
			"job_submitted", "a rigid job arrives and waits",
			[]string{
				job, "name: its name in the workload", "processors: how many it needs, all at once",
				"estimate_us: run time that its user expects, in microseconds; it is killed then",
				user, "queue: number of its queue, -1 if none",
			},
		},
		{
			"job_ended", "a job ends and its processors are free",
			[]string{job, "how: finished, failed, killed, evicted or lost"},
		},
		{"job_displaced", "a job loses its processors and waits again; not sent if an act preempted it", []string{job}},
		{
			"used", "what is used of each node, every minute; only if the scheduler wants it",
			[]string{"used: for each node by its number, what its tasks use of each resource"},
		},
	}
}
