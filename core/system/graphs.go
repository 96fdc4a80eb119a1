package system

import "parley/core/unit"

// GraphTask is a task graph that a system works on, as a line of a list.
type GraphTask struct {
	Number   uint32    `json:"number"` // Note.Ref of the notes about it
	Name     string    `json:"name"`
	Arrived  unit.Time `json:"arrived"`
	Deadline unit.Time `json:"deadline"` // -1: it has none
	State    string    `json:"state"`
	Subtasks int       `json:"subtasks"`
	Taken    int       `json:"taken"` // by somebody who has not done them
	Done     int       `json:"done"`
	Agents   int       `json:"agents"` // that work for it
}

// GraphPicture is a task graph with who does what. Slices belong to the caller.
type GraphPicture struct {
	Depth    []int32 // by subtask: the longest way from a beginning, in arcs
	From, To []int32 // by arc between subtasks
	// Agents are by subtask: the node that has it; -1 if none has; -2 - node
	// where that node has done it.
	Agents []int32
}

// GraphSource is a System that can be asked about the task graphs that it works on.
type GraphSource interface {
	// Graphs returns at most n, those that arrived first, and how many there
	// are beyond them.
	Graphs(most int) (list []GraphTask, rest int)
	// Graph draws one; false where it is over or never was.
	Graph(number uint32) (GraphPicture, bool)
}
