package workload

// Shape is the kind of work that a workload brings. Schedulers compare where
// they suit the same shape.
type Shape string

// The shapes.
const (
	ShapeTasks  Shape = "tasks"  // each requests a part of one node
	ShapeJobs   Shape = "jobs"   // each takes several processors at once
	ShapeGraphs Shape = "graphs" // subtasks that wait for one another's data
	ShapeLoads  Shape = "loads"  // amounts of work that can be cut anywhere
)
