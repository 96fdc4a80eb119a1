package workload

// Shape is the kind of work of a workload. Only schedulers that support the same shape can be
// compared.
type Shape string

// The shapes.
const (
	ShapeTasks  Shape = "tasks"  // each requests a part of one node
	ShapeJobs   Shape = "jobs"   // each takes several processors at once
	ShapeGraphs Shape = "graphs" // subtasks that wait for one another's data
	ShapeLoads  Shape = "loads"  // amounts of work that can be cut anywhere
)

// Header describes a source as a whole. A source that changes the records of another one forwards
// its header, with the changes.
type Header struct {
	Shape       Shape    // of the work; "" if it is not stated
	Machineless bool     // no record is about a machine: the scenario's cluster stays
	Assumed     string   // the machines that were assumed because the files name none; "" if they do
	Follows     bool     // jobs may name jobs that precede them
	Sliced      bool     // the reader keeps only the work of the slice that it was given
	Lacks       string   // files to open beside files that hold no work; "" if the source has no advice
	Remarks     []string // sentences beside the counts that a person must know of a run
}

// HeaderOf returns the header of a source, or the zero Header if it has none: it has machines, and
// work whose shape is not stated.
func HeaderOf(s Source) Header {
	if h, has := s.(interface{ Header() Header }); has {
		return h.Header()
	}
	return Header{}
}
