// Package workload defines the arrivals at a cluster: machines that join and leave, tasks with
// their requests, true usage and ends, rigid jobs that take several processors at once, task
// graphs, and divisible loads. A workload does not know which system schedules it.
//
// A workload is a Source of Records in time order. Traces (package trace) and generators
// (this package) are both Sources, so the rest of the program cannot distinguish a recorded
// cell from a generated one.
//
//	var r workload.Record
//	for source.Next(&r) == nil {
//		…
//	}
package workload

import (
	"fmt"
	"strconv"

	"parley/core/unit"
)

// Source yields the records of one workload.
type Source interface {
	// Next fills r with the next record and returns nil, or returns io.EOF after the last one, or
	// an error with the place where the workload is broken. Times never decrease. r's slices belong
	// to the source and are good until the following call.
	Next(r *Record) error
}

// Kind is the kind of a Record.
type Kind uint8

// The kinds of Record, and which of its fields they fill beside At.
const (
	NodeJoins     Kind = iota // Machine, Node: a machine appears or returns
	NodeLeaves                // Machine: it is gone, with all that ran on it
	NodeChanges               // Machine, Node.Capacity: its capacity is now this
	NodeAttribute             // Machine, Attribute: set, or cleared where Attribute.Absent
	TaskArrives               // Key, Task: somebody submits a task
	TaskEnds                  // Key, End: the task ends, in every state
	TaskChanges               // Key, Task.{Request,Priority,Class,Constraints}: its request changes
	TaskUses                  // Key, Use: measured usage from now on
	TaskRecorded              // Key, Machine: the original scheduler placed it there now
	TaskReleased              // Key: the original scheduler took it off its machine; it waits again
	LoadArrives               // Load: a divisible load arrives at the master
	JobArrives                // Key, Job: somebody submits a rigid job
	JobEnds                   // Key, End: the job ends, in every state
	GraphArrives              // Key, Graph: somebody submits a task graph
	GraphEnds                 // Key, End: its user takes the graph back, whatever is done of it
)

// ofTask reports whether records of this kind are about a task.
func (k Kind) ofTask() bool { return k >= TaskArrives && k <= TaskReleased }

// named reports whether records of this kind have a Key.
func (k Kind) named() bool { return k.ofTask() || k >= JobArrives }

// Record is one fact at one moment. Only the fields its Kind names are set.
type Record struct {
	At        unit.Time
	Kind      Kind
	End       End
	Machine   uint64 // the workload's own number of the machine
	Key       Key
	Node      Node
	Task      Task
	Use       unit.Vec
	Attribute Attribute
	Load      unit.Work
	Job       *Job   // the source's, good until the following call
	Graph     *Graph // likewise; its Subtasks are immutable and may be kept
}

// Key is a task's name in its workload: a job and an index within it.
type Key struct {
	Job   uint64
	Index uint32
}

// TaskName returns the name of a task as readers of the Google trace write it: JOB-INDEX.
func (k Key) TaskName() string { return fmt.Sprintf("%d-%d", k.Job, k.Index) }

// JobName returns the name of a rigid job or of a graph: its number, and its index only
// if it is not the first one of that number.
func (k Key) JobName() string {
	if k.Index > 0 {
		return k.TaskName()
	}
	return strconv.FormatUint(k.Job, 10)
}

// Node describes a machine.
type Node struct {
	Capacity   unit.Vec
	Rack, Site int32 // -1 if unknown; the run spreads such machines over racks
	Attributes []Attribute
	Worker     *Worker // nil: it computes no pieces of work: chunks and subtasks
	Processors int32   // that rigid jobs may hold; 0: it runs none
}

// Attribute is a property of a machine, such as its platform. Value orders as
// a number for < and >, equal names with equal values are the same property.
type Attribute struct {
	Name   AttributeName
	Value  int64
	Absent bool // of a record: the machine lost this attribute
}

// AttributeName is an attribute's number in its workload: names are interned
// by the source, see Names.
type AttributeName int32

// PriorityClass is a task's rank for its owner.
type PriorityClass uint8

// The classes. Only production tasks have guaranteed requests.
const (
	Batch PriorityClass = iota
	Production
)

// Task describes a task as it is submitted.
type Task struct {
	Class       PriorityClass
	Priority    uint8 // 0 lowest
	User        uint32
	Request     unit.Vec
	Image       unit.Bytes // memory image that a live migration copies
	Lifetime    unit.Time  // how long it runs once placed; 0: until TaskEnds
	Constraints []Constraint
	Spread      bool // replicas of one job ask for different machines
	Usage       UsageModel
}

// Constraint is a demand on a node's attribute.
type Constraint struct {
	Name  AttributeName
	Op    Operator
	Value int64
}

// Operator compares a node's attribute with a constraint's value.
type Operator uint8

// The operators: first those of the Google trace, in its numbering. A node without the
// attribute satisfies only NotEqual, and Equal to Unset.
const (
	Equal Operator = iota
	NotEqual
	Less
	Greater
	// Takes means that the attribute is a supply: the node must have at least Value of it left,
	// and the task holds that much of it while it is on the node.
	Takes
)

// Unset is the value that stands for "the node has no such attribute".
const Unset int64 = -1 << 63

// End is the way in which a task ended.
type End uint8

// The ends of a task.
const (
	Finished End = iota
	Failed
	Killed
	Evicted
	Lost
)

// String returns the end as reports spell it.
func (e End) String() string {
	return [...]string{"finished", "failed", "killed", "evicted", "lost"}[e]
}

// Holds reports whether a node whose attribute c.Name has value v (Unset if it has none) satisfies
// c. Texts have no order: less, greater and takes compare numbers only. For Takes, v is the free
// part of the attribute.
func (c Constraint) Holds(v int64) bool {
	switch c.Op {
	case Equal:
		return v == c.Value
	case NotEqual:
		return v != c.Value
	case Less:
		return v != Unset && !IsText(v) && !IsText(c.Value) && v < c.Value
	case Takes:
		return v != Unset && !IsText(v) && !IsText(c.Value) && v >= c.Value
	default:
		return v != Unset && !IsText(v) && !IsText(c.Value) && v > c.Value
	}
}
