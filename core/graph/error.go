package graph

import (
	"fmt"
	"strings"
)

// Error describes an error in a graph.
type Error struct {
	Vertex string // which the sentence is about; "": the graph as a whole
	Reason string
}

// Error returns one sentence.
func (e *Error) Error() string {
	if e.Vertex == "" {
		return "the graph cannot be used: " + e.Reason
	}
	return fmt.Sprintf("vertex %s %s", quoted(e.Vertex), e.Reason)
}

// Cycle is the error of a graph in which vertices need each other's results.
type Cycle struct {
	Names []string // each is needed by the one behind it, the last by the first
}

// maxNamed is how many vertices of a cycle its sentence names.
const maxNamed = 6

// Error returns one sentence that names the cycle.
func (c *Cycle) Error() string {
	names := c.Names
	if len(names) == 1 {
		return fmt.Sprintf("task %s depends on itself: remove that dependency", quoted(names[0]))
	}
	var b strings.Builder
	b.WriteString("the graph has a cycle: ")
	for i, name := range names {
		if i == maxNamed-1 && len(names) > maxNamed {
			fmt.Fprintf(&b, "… (%d more) → ", len(names)-maxNamed+1)
			break
		}
		b.WriteString(quoted(name) + " → ")
	}
	b.WriteString(quoted(names[0]) + "; remove one of these dependencies: a task graph cannot contain a cycle")
	return b.String()
}
