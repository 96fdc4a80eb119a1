package system

import (
	"cmp"
	"fmt"
	"slices"

	"parley/core/cluster"
	"parley/core/frame"
	"parley/core/unit"
	"parley/core/workload"
)

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
	Graphs(limit int) (list []GraphTask, rest int)
	// Graph draws one; false if it is over or never was.
	Graph(number uint32) (GraphPicture, bool)
}

// GraphsOf implements Graphs of a GraphSource by the state of the cluster. number returns
// the number of a graph, and 0 for one that the system does not list.
func GraphsOf(v cluster.View, limit int, number func(unit.GraphID) uint32) (list []GraphTask, rest int) {
	type numbered struct {
		id     unit.GraphID
		number uint32
	}
	var open []numbered
	for id := range v.Graphs {
		if n := number(id); n > 0 {
			open = append(open, numbered{id, n})
		}
	}
	slices.SortFunc(open, func(a, b numbered) int { return cmp.Compare(a.number, b.number) })
	rest = max(0, len(open)-limit)
	for _, one := range open[:len(open)-rest] {
		list = append(list, graphTaskOf(v, one.id, one.number))
	}
	return list, rest
}

// graphTaskOf returns the line of a graph that has not ended. Deadline is -1 if it has none; Agents are
// the nodes that have its subtasks.
func graphTaskOf(v cluster.View, id unit.GraphID, number uint32) GraphTask {
	g, _ := v.Graph(id)
	one := GraphTask{
		Number: number, Name: fmt.Sprintf("%d-%d", g.Key.Job, g.Key.Index), Arrived: g.Arrived, Deadline: -1,
		State: "waiting", Subtasks: g.Len(), Done: g.Len() - g.Left,
	}
	if g.Due != unit.Forever {
		one.Deadline = g.Due
	}
	nodes := map[unit.NodeID]struct{}{}
	for n := range int32(g.Len()) {
		if s, _ := v.Subtask(id, n); s.State == cluster.SubtaskQueued || s.State == cluster.SubtaskComputing {
			one.Taken++
			nodes[s.Node] = struct{}{}
		}
	}
	one.Agents = len(nodes)
	switch {
	case one.Done == one.Subtasks:
		one.State = "sending results"
	case one.Taken > 0:
		one.State = "working"
	}
	return one
}

// GraphPictureOf implements Graph of a GraphSource by the state of the cluster: number is
// as in GraphsOf.
func GraphPictureOf(v cluster.View, wanted uint32, number func(unit.GraphID) uint32) (GraphPicture, bool) {
	for id := range v.Graphs {
		if wanted == 0 || number(id) != wanted {
			continue
		}
		g, _ := v.Graph(id)
		p := DrawGraph(g.Subtasks)
		for n := range p.Agents {
			switch s, _ := v.Subtask(id, int32(n)); s.State {
			case cluster.SubtaskQueued, cluster.SubtaskComputing:
				p.Agents[n] = int32(s.Node)
			case cluster.SubtaskDone:
				p.Agents[n] = -2 - int32(s.Node)
			}
		}
		return p, true
	}
	return GraphPicture{}, false
}

// DrawGraph returns the picture of a graph before any of its subtasks is placed.
func DrawGraph(g *workload.Subtasks) GraphPicture {
	p := GraphPicture{Depth: make([]int32, g.Len()), Agents: make([]int32, g.Len())}
	for _, v := range g.Graph().Order() {
		p.Agents[v] = -1
		first, end := g.Out(v)
		for a := first; a < end; a++ {
			if to := g.Arc(a).To; to != workload.Home {
				p.Depth[to] = max(p.Depth[to], p.Depth[v]+1)
				p.From, p.To = append(p.From, v), append(p.To, to)
			}
		}
	}
	return p
}

// graphColours is how many graphs a layer distinguishes: by six colours with six patterns each (raster.Swatches).
const graphColours = 36

// GraphLayer returns the layer of the graph for which each node works. Colours repeat after some
// graphs; GraphValue returns its values.
func GraphLayer(id, name, about string) frame.Layer {
	names := []string{"idle"}
	for i := range graphColours {
		names = append(names, fmt.Sprintf("graph %d, %d …", i+1, i+1+graphColours))
	}
	return frame.Layer{ID: id, Name: name, About: about, Names: append(names, "down"), Graphs: graphColours}
}

// GraphValue returns the value of a node that is up in a GraphLayer: it works for the
// graph of that number, or for none if the number is 0.
func GraphValue(number uint32) byte {
	if number == 0 {
		return 0
	}
	return byte(1 + (number-1)%graphColours)
}

// GraphDown is the value in a GraphLayer of a node that is down.
const GraphDown = graphColours + 1

// FillGraphs fills a GraphLayer by the state of the cluster: the graph whose subtask is
// first in a node's queue.
func FillGraphs(v cluster.View, cells []byte, number func(unit.GraphID) uint32) {
	for i := range cells {
		n := unit.NodeID(i)
		cells[i] = 0
		if !v.Up(n) {
			cells[i] = GraphDown
			continue
		}
		for id := range v.Queue(n) {
			cells[i] = GraphValue(number(id))
			break
		}
	}
}
