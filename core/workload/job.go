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
}
