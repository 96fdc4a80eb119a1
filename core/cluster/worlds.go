package cluster

import (
	"parley/core/unit"
	"parley/core/workload"
)

// worlds are the acts on work of some shapes.
type worlds struct {
	TaskActs
	JobActs
	LoadActs
	GraphActs
}

// ActsOn returns the acts on work of the given shapes. All others answer ErrWorld.
func (c *Cluster) ActsOn(shapes ...workload.Shape) Acts {
	w := worlds{foreign{}, foreign{}, foreign{}, foreign{}}
	for _, shape := range shapes {
		switch shape {
		case workload.ShapeTasks:
			w.TaskActs = c
		case workload.ShapeJobs:
			w.JobActs = c
		case workload.ShapeLoads:
			w.LoadActs = c
		case workload.ShapeGraphs:
			w.GraphActs = c
		}
	}
	return w
}

// foreign answers the acts on work of a shape that a system does not play.
type foreign struct{}

func (foreign) Place(unit.TaskID, unit.NodeID, Check) error     { return ErrWorld }
func (foreign) Migrate(unit.TaskID, unit.NodeID, Check) error   { return ErrWorld }
func (foreign) Preempt(unit.TaskID) error                       { return ErrWorld }
func (foreign) Allot(unit.TaskID, unit.Share) error             { return ErrWorld }
func (foreign) PlaceAll(unit.JobID, []Part) error               { return ErrWorld }
func (foreign) PreemptAll(unit.JobID) error                     { return ErrWorld }
func (foreign) SuspendAll(unit.JobID, unit.Time) error          { return ErrWorld }
func (foreign) Slow(unit.JobID, int64) error                    { return ErrWorld }
func (foreign) CancelAll(unit.JobID) error                      { return ErrWorld }
func (foreign) SwitchOff(unit.NodeID) error                     { return ErrWorld }
func (foreign) SwitchOn(unit.NodeID) error                      { return ErrWorld }
func (foreign) Send(unit.NodeID, unit.Work) error               { return ErrWorld }
func (foreign) Assign(unit.GraphID, int32, unit.NodeID) error   { return ErrWorld }
func (foreign) Withdraw(unit.GraphID, int32) error              { return ErrWorld }
func (foreign) Transfer(unit.GraphID, int32, unit.NodeID) error { return ErrWorld }
func (foreign) StopTransfer(unit.GraphID, int32) error          { return ErrWorld }
func (foreign) Abort(unit.GraphID) error                        { return ErrWorld }
