// Package score gives formulas the columns of nodes: a node's resources, its tasks' use and
// requests, and the needs of the task that is to be placed.
//
//	f, err := formula.Compile("-cpu.used / cpu.capacity", score.Columns(), formula.Number)
//	r := score.Reader{View: view}
//	x := r.Value(column, node)
package score

import (
	"parley/core/cluster"
	"parley/core/formula"
	"parley/core/unit"
	"parley/core/workload"
)

// The columns of a node, then those of the task that is placed. Those of resources are
// repeated for each, in the order of package unit.
const (
	ofCapacity = iota
	ofUsed
	ofRequested
	ofFree
	ofTask
	after
	perResource
)

const (
	ofTasks = perResource*int(unit.Resources) + iota
	ofRack
	ofNode
	ofPriority
	ofProduction
	columns
)

// Columns returns the columns that formulas over nodes may use, in the order that Value
// numbers them.
func Columns() []formula.Column {
	all := make([]formula.Column, columns)
	for r := range unit.Resource(unit.Resources) {
		name, title := r.String(), r.Title()
		share := formula.Kind{Share: 1}
		of := all[int(r)*perResource:]
		of[ofCapacity] = formula.Column{Name: name + ".capacity", Kind: share, About: title + " that the node has"}
		of[ofUsed] = formula.Column{Name: name + ".used", Kind: share, About: title + " that its tasks use"}
		of[ofRequested] = formula.Column{
			Name: name + ".requested", Kind: share,
			About: title + " that its tasks request",
		}
		of[ofFree] = formula.Column{Name: name + ".free", Kind: share, About: title + " that nothing uses"}
		of[ofTask] = formula.Column{Name: "task." + name, Kind: share, About: title + " that the task needs"}
		of[after] = formula.Column{
			Name: "after." + name, Kind: share,
			About: title + " used (by request: requested) with the task there",
		}
	}
	all[ofTasks] = formula.Column{Name: "tasks", About: "tasks on the node"}
	all[ofRack] = formula.Column{Name: "rack", About: "number of its rack"}
	all[ofNode] = formula.Column{Name: "node", About: "number of the node"}
	all[ofPriority] = formula.Column{Name: "task.priority", About: "priority of the task"}
	all[ofProduction] = formula.Column{Name: "task.production", About: "1 for a production task, else 0"}
	return all
}

// OfTask reports whether a column depends on the task that is placed.
func OfTask(column int) bool {
	if column < perResource*int(unit.Resources) {
		return column%perResource >= ofTask
	}
	return column >= ofPriority
}

// OfUse reports whether a column depends on the tasks' use.
func OfUse(column int) bool {
	if column >= perResource*int(unit.Resources) {
		return false
	}
	switch column % perResource {
	case ofUsed, ofFree, after:
		return true
	}
	return false
}

// Task describes the fields of a task that formulas can read.
type Task struct {
	Need     unit.Vec // its needs on a node
	Priority uint8
	Class    workload.PriorityClass
}

// Reader reads columns.
type Reader struct {
	View      cluster.View
	ByRequest bool // after counts requests, not use
	Task      Task
}

// Value returns the value of a column for a node: an amount of a resource is in millionths of the reference machine,
// and a column of the task is the same for all nodes.
func (r *Reader) Value(column int, n unit.NodeID) float64 {
	switch column {
	case ofTasks:
		return float64(r.View.Count(n))
	case ofRack:
		return float64(r.View.Rack(n))
	case ofNode:
		return float64(n)
	case ofPriority:
		return float64(r.Task.Priority)
	case ofProduction:
		if r.Task.Class == workload.Production {
			return 1
		}
		return 0
	}
	resource := column / perResource
	switch column % perResource {
	case ofCapacity:
		return float64(r.View.Capacity(n)[resource])
	case ofUsed:
		return float64(r.View.Used(n)[resource])
	case ofRequested:
		return float64(r.View.Requested(n)[resource])
	case ofFree:
		return float64(r.View.Capacity(n)[resource] - r.View.Used(n)[resource])
	case ofTask:
		return float64(r.Task.Need[resource])
	}
	have := r.View.Used(n)[resource]
	if r.ByRequest {
		have = r.View.Requested(n)[resource]
	}
	return float64(have + r.Task.Need[resource])
}
