package workload

import "parley/core/unit"

// Job is a rigid parallel job: it asks for a number of processors, of any nodes, holds
// them all from its start to its end, and cannot do with fewer.
type Job struct {
	Processors int32     // at least 1
	Run        unit.Time // how long it runs once started, at least 1 µs; schedulers may not know
	Estimate   unit.Time // its user's estimate of its run time, at least 1 µs
	User       uint32
	Group      uint32
	Queue      int32      // the workload's number of the queue it was put into; -1 if none
	QOS        uint32     // the workload's number of its quality of service; 0 if none
	Throttle   int32      // elements of its array (equal Key.Job) that run at a time at most; 0: any number
	Priority   uint8      // 0 lowest
	Deadline   unit.Time  // how long after its arrival it is to end; 0: whenever
	Budget     unit.Money // the most that its user pays for it; 0 if unknown
	Need
	// Components are the parts of a heterogeneous job, which start together; empty if it is of one
	// kind. Processors is their sum then, and Need is zero.
	Components []Component
	Name       uint32 // the workload's number of its name; 0 if none
	Fails      bool   // its run fails, as those that wait for its success or failure learn
	Singleton  bool   // it comes when no earlier job of its name and user waits or runs
	// After are the jobs that precede this one: all of them must be as they say before it comes. The
	// slice is good until the next record.
	After []Preceding
}

// Preceding is a job that has to end, or to reach the event of Kind, before another one arrives:
// that arrives then, after its user's think time, or at the time of its record if that is later.
// The record of the preceding job is earlier in the source.
type Preceding struct {
	Key   Key
	Think unit.Time
	Kind  PrecedingKind
}

// PrecedingKind is the condition on a preceding job. A job that was killed at its limit or taken
// back has failed.
type PrecedingKind uint8

// The kinds of preceding jobs, by Slurm's names of dependencies.
const (
	AfterAny   PrecedingKind = iota // end
	AfterOK                         // end without failure; if it fails the other job never comes
	AfterNotOK                      // fail; if it does not the other job never comes
	AfterStart                      // start
)

// Need is a job's request beside its processors; the zero value requests nothing.
type Need struct {
	Nodes  int32      // on how many nodes its processors are; 0: on any number
	GPUs   int32      // in all
	Memory unit.Bytes // in all
	Alone  bool       // its nodes have no other job meanwhile
	// Switches is how many leaf switches its nodes are under at most; 0: any number. It waits for that for
	// SwitchWait at most; unit.Forever: as long as the site lets it.
	Switches   int32
	SwitchWait unit.Time
}

// Component is a part of a heterogeneous job.
type Component struct {
	Processors int32
	Need
}
