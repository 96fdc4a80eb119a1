package workload

import "parley/core/unit"

// Job is a rigid parallel job: it asks for a number of processors, of any nodes, holds
// them all from its start to its end, and cannot do with fewer.
type Job struct {
	Processors int32     // at least 1
	Run        unit.Time // how long it runs once started, at least 1 µs; schedulers may not know
	Estimate   unit.Time // how long its user says it may run, at least 1 µs
	User       uint32
	Group      uint32
	Queue      int32      // the workload's number of the queue it was put into; -1 if none
	Priority   uint8      // 0 lowest
	Deadline   unit.Time  // how long after its arrival it is to end; 0: whenever
	Budget     unit.Money // the most that its user pays for it; 0 if unknown
	// After is the job that precedes this one; nil if there is none. It is good until the next record.
	After *Preceding
}

// Preceding is a job that has to end before another one comes: that comes at the end of this one
// and its user's think time, or at the time of its record if that is later. The record of the
// preceding job stands before.
type Preceding struct {
	Key   Key
	Think unit.Time
}
