package cluster

import (
	"parley/core/unit"
	"parley/core/workload"
)

// View reads the truth of all worlds without being able to change it. It is a small
// value: pass it by value. Code that reads one world alone takes its part of it.
type View struct {
	NodeView
	TaskView
	JobView
	WorkView
	LoadView
	GraphView
}

// NodeView reads the nodes.
type NodeView struct{ c *Cluster }

// View returns the read-only face of c.
func (c *Cluster) View() View {
	return View{NodeView{c}, TaskView{c}, JobView{c}, WorkView{c}, LoadView{c}, GraphView{c}}
}

// Vacant reports whether a node has nothing to do: no task, none on its way to it,
// no job and no piece of work.
func (v View) Vacant(n unit.NodeID) bool {
	s := &v.NodeView.c.nodes.state[n]
	return s.count == 0 && s.incoming == 0 && v.Queued(n) == 0 && v.BusyProcessors(n) == 0
}

// Nodes returns how many nodes have ever joined; unit.NodeIDs lie below it.
func (v NodeView) Nodes() int { return len(v.c.nodes.machine) }

// Up reports whether a node is up.
func (v NodeView) Up(n unit.NodeID) bool { return v.c.nodes.state[n].up }

// Capacity returns the capacity of a node.
func (v NodeView) Capacity(n unit.NodeID) unit.Vec { return v.c.nodes.capacity[n] }

// Prefetch announces an act that concerns a node: its figures are read ahead. The result has no
// meaning; keep it, so that the compiler keeps the reads.
func (v NodeView) Prefetch(n unit.NodeID) uint32 { return v.c.nodes.prefetch(n) }

// Rack and Site return the place of a node.
func (v NodeView) Rack(n unit.NodeID) int32 { return v.c.nodes.rack[n] }

// Site returns the site of a node's rack.
func (v NodeView) Site(n unit.NodeID) int32 { return v.c.nodes.site[n] }

// Racks returns the rack of every node. The slice belongs to the cluster.
func (v NodeView) Racks() []int32 { return v.c.nodes.rack }

// Machine returns the workload's own number of a node.
func (v NodeView) Machine(n unit.NodeID) uint64 { return v.c.nodes.machine[n] }

// Node returns the node of a machine that has joined at least once.
func (v NodeView) Node(machine uint64) (unit.NodeID, bool) { return v.c.Node(machine) }

// Totals returns the sums over the cluster.
func (v NodeView) Totals() Totals { return v.c.totals }

// Attribute returns a node's value of an attribute, workload.Unset if it has
// none. Names lie below Attributes.
func (v NodeView) Attribute(n unit.NodeID, name workload.AttributeName) int64 {
	return v.c.attribute(n, name)
}

// Attributes returns how many names of attributes there are.
func (v NodeView) Attributes() int { return len(v.c.nodes.attributes) }
