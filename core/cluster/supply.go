package cluster

import (
	"fmt"

	"parley/core/unit"
	"parley/core/workload"
)

// supplies are the attributes of nodes that tasks take parts of (workload.Takes).
type supplies struct {
	any   bool           // a task has had a constraint that takes
	taken [][]int64      // [name][node]: held by tasks; rows grow as needed
	sets  [][]*takingSet // [name]: the kept sets of nodes that have enough left
}

// takingSet is the kept set of nodes that satisfy a constraint that takes.
type takingSet struct {
	want workload.Constraint
	set  *nodeSet
}

// keep records that the set of a constraint changes as tasks take and release supplies.
func (s *supplies) keep(want workload.Constraint, set *nodeSet) {
	if want.Op != workload.Takes {
		return
	}
	for int(want.Name) >= len(s.sets) {
		s.sets = append(s.sets, nil)
	}
	s.sets[want.Name] = append(s.sets[want.Name], &takingSet{want, set})
}

// take adds the demand of the task in a slot to the taken supplies of a node, times by, which is 1
// or -1.
func (c *Cluster) take(slot uint32, n unit.NodeID, by int64) {
	for _, want := range c.constraints(slot) {
		if want.Op != workload.Takes {
			continue
		}
		for int(want.Name) >= len(c.nodes.taken) {
			c.nodes.taken = append(c.nodes.taken, nil)
		}
		row := c.nodes.taken[want.Name]
		if int(n) >= len(row) {
			row = append(row, make([]int64, len(c.nodes.machine)-len(row))...)
			c.nodes.taken[want.Name] = row
		}
		row[n] += by * want.Value
		if int(want.Name) < len(c.nodes.sets) {
			for _, kept := range c.nodes.sets[want.Name] {
				if kept.set.version == c.nodes.version { // others are filled anew when they are asked for
					kept.set.put(n, kept.want.Holds(c.left(n, kept.want)))
				}
			}
		}
	}
}

// put adds a node to the set or removes it.
func (s *nodeSet) put(n unit.NodeID, holds bool) {
	word, bit := &s.bits[uint32(n)/64], uint64(1)<<(uint32(n)%64)
	if has := *word&bit != 0; has == holds {
		return
	}
	*word ^= bit
	if holds {
		s.count++
	} else {
		s.count--
	}
}

// left returns the value of a node's attribute for a constraint; for a supply, the rest that tasks
// have not taken. It is workload.Unset if the node has no such attribute.
func (c *Cluster) left(n unit.NodeID, want workload.Constraint) int64 {
	value := c.attribute(n, want.Name)
	if want.Op != workload.Takes || value == workload.Unset {
		return value
	}
	return value - c.taken(n, want.Name)
}

func (c *Cluster) taken(n unit.NodeID, name workload.AttributeName) int64 {
	if int(name) < len(c.nodes.taken) {
		if row := c.nodes.taken[name]; int(n) < len(row) {
			return row[n]
		}
	}
	return 0
}

// Taken returns how much of an attribute the tasks of a node hold, those on their way to it
// included (workload.Takes).
func (v NodeView) Taken(n unit.NodeID, name workload.AttributeName) int64 { return v.c.taken(n, name) }

// auditSupplies recomputes the supplies of each node that tasks hold.
func (c *Cluster) auditSupplies() error {
	sums := make([][]int64, len(c.nodes.taken))
	for name := range sums {
		sums[name] = make([]int64, len(c.nodes.machine))
	}
	for slot := range c.tasks {
		t := &c.tasks[slot]
		if t.state == Free {
			continue
		}
		for _, want := range c.constraints(uint32(slot)) {
			for _, n := range [2]unit.NodeID{t.node, t.target} {
				if want.Op == workload.Takes && n >= 0 {
					sums[want.Name][n] += want.Value
				}
			}
		}
	}
	for name := range sums {
		for n, sum := range sums[name] {
			if kept := c.taken(unit.NodeID(n), workload.AttributeName(name)); kept != sum {
				return fmt.Errorf("cluster: tasks of node %d hold %d of attribute %d, they sum to %d", n, kept,
					name, sum)
			}
		}
	}
	return nil
}
