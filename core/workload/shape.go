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

// ShapeOf returns the shape of a source's work, and false if the source does not state it.
func ShapeOf(s Source) (shape Shape, stated bool) {
	if shaped, is := s.(interface{ Shape() Shape }); is {
		return shaped.Shape(), true
	}
	return "", false
}

// BringsMachines reports whether a source has the machines of its work. One that does not
// state it has them.
func BringsMachines(s Source) bool {
	b, states := s.(interface{ BringsMachines() bool })
	return !states || b.BringsMachines()
}

// Follows reports whether jobs of a source may name jobs that precede them. One that does not
// state it has none that do.
func Follows(s Source) bool {
	f, states := s.(interface{ Follows() bool })
	return states && f.Follows()
}

// Assumed describes the machines on which the work of a source is played where its files name
// none; empty if they do.
func Assumed(s Source) string {
	if a, assumes := s.(interface{ Assumed() string }); assumes {
		return a.Assumed()
	}
	return ""
}
