package cluster

import (
	"parley/core/unit"
	"parley/core/workload"
)

// nodes holds the nodes' figures in slices indexed by unit.NodeID. Figures that sweeps and scans
// read have a slice each; figures that acts read together share one.
type nodes struct {
	index      map[uint64]unit.NodeID
	machine    []uint64
	capacity   []unit.Vec
	used       []unit.Vec // of its tasks and of those on their way to it
	state      []nodeState
	tasks      [][]uint32 // the slots of those it owns, the latest last
	rack, site []int32
	attributes [][]int64 // [name][node], workload.Unset if absent; rows grow as needed
	version    uint64    // counts changes of attributes, and nodes that joined
	holders    map[workload.Constraint]*nodeSet
	supplies
	processors []processors // for jobs; nodes beyond its end have none
	kinds      []PowerKind
	power      []nodePower // nodes beyond its end are on
}

// nodeState holds the state of a node that acts read: half a cache line.
type nodeState struct {
	requested    unit.Vec   // of its tasks and of those on their way to it
	byProduction unit.Vec   // likewise, production tasks only
	count        int32      // tasks it owns
	incoming     int32      // migrations towards it
	allotted     unit.Share // to the tasks it owns
	up           bool
}

// Join starts a machine, for the first time or again, and returns its node. If the
// machine is up, Join only replaces its description.
func (c *Cluster) Join(machine uint64, d workload.Node) unit.NodeID {
	n, known := c.nodes.index[machine]
	if !known {
		n = c.addNode(machine, d)
	}
	changed := c.nodes.state[n].up && c.nodes.capacity[n] != d.Capacity
	if changed {
		c.setCapacity(n, d.Capacity)
	}
	for _, a := range d.Attributes {
		changed = c.setAttribute(n, a) || changed
	}
	works := c.setWorker(n, d.Worker)
	changed = works || changed
	changed = c.setProcessors(n, d.Processors) || changed
	if !c.nodes.state[n].up {
		c.nodes.state[n].up = true
		c.nodes.capacity[n] = d.Capacity
		c.totals.NodesUp++
		add(&c.totals.Capacity, d.Capacity)
		c.countProcessors(n, 1)
		c.emit(Event{Kind: NodeUp, Node: n})
	} else if changed {
		c.emit(Event{Kind: NodeChanged, Node: n})
		c.reduceShares(n)
	}
	if works {
		c.dropUnable(n)
	}
	return n
}

// addNode adds a node for a machine that has not joined before; it is down and has no capacity. A rack or site
// below 0 is derived from the node's number.
func (c *Cluster) addNode(machine uint64, d workload.Node) unit.NodeID {
	s := &c.nodes
	n := unit.NodeID(len(s.machine))
	s.index[machine] = n
	s.version++
	s.machine = append(s.machine, machine)
	s.capacity = append(s.capacity, unit.Vec{})
	s.used = append(s.used, unit.Vec{})
	s.state = append(s.state, nodeState{})
	rack, site := d.Rack, d.Site
	if rack < 0 {
		rack = int32(int(n) / c.settings.RackSize)
	}
	if site < 0 {
		site = rack / int32(c.settings.SiteRacks)
	}
	s.tasks = append(s.tasks, nil)
	s.rack = append(s.rack, rack)
	s.site = append(s.site, site)
	return n
}

// Clone starts one more machine with the capacity, attributes, processors and worker of a node, and returns its
// node. Rack and site follow from its number.
func (c *Cluster) Clone(n unit.NodeID) unit.NodeID {
	v := c.View()
	d := workload.Node{Capacity: v.Capacity(n), Rack: -1, Site: -1, Processors: v.Processors(n)}
	for name := range v.Attributes() {
		if value := v.Attribute(n, workload.AttributeName(name)); value != workload.Unset {
			d.Attributes = append(d.Attributes, workload.Attribute{Name: workload.AttributeName(name), Value: value})
		}
	}
	if w := c.worker(n); w != nil {
		like := w.Worker
		d.Worker = &like
	}
	machine := ^uint64(v.Nodes()) // the largest numbers, which workloads do not use
	for _, known := c.nodes.index[machine]; known; _, known = c.nodes.index[machine] {
		machine--
	}
	return c.Join(machine, d)
}

// Node returns the node of a machine that has joined at least once.
func (c *Cluster) Node(machine uint64) (unit.NodeID, bool) {
	n, ok := c.nodes.index[machine]
	return n, ok
}

// Leave takes a node down: its migrations fail, its tasks and jobs wait again and its pieces of work are lost. A
// node that is down is not changed.
func (c *Cluster) Leave(n unit.NodeID) {
	if !c.known(n) || !c.nodes.state[n].up {
		return
	}
	for i := range c.moves {
		if m := &c.moves[i]; m.active && m.to == n {
			c.breakMove(uint32(i))
		}
	}
	for i := len(c.nodes.tasks[n]) - 1; i >= 0; i-- {
		c.displace(c.nodes.tasks[n][i])
	}
	c.dropWork(n)
	c.dropJobs(n)
	c.dropPower(n)
	c.countProcessors(n, -1)
	c.nodes.state[n].up = false
	c.totals.NodesUp--
	sub(&c.totals.Capacity, c.nodes.capacity[n])
	c.emit(Event{Kind: NodeDown, Node: n})
}

// Restore takes a node up again with the capacity that it had.
func (c *Cluster) Restore(n unit.NodeID) {
	if c.known(n) && !c.nodes.state[n].up {
		c.Join(c.nodes.machine[n], workload.Node{Capacity: c.nodes.capacity[n]})
	}
}

// Resize changes a node's capacity. Its tasks keep running even if they no longer fit;
// the scheduler decides about them.
func (c *Cluster) Resize(n unit.NodeID, capacity unit.Vec) {
	if c.known(n) && c.nodes.capacity[n] != capacity {
		c.setCapacity(n, capacity)
		c.emit(Event{Kind: NodeChanged, Node: n})
		c.reduceShares(n)
	}
}

// setCapacity changes the capacity of a node and the totals, without an event. The CPU of busy processors follows.
func (c *Cluster) setCapacity(n unit.NodeID, capacity unit.Vec) {
	if c.nodes.state[n].up {
		sub(&c.totals.Capacity, c.nodes.capacity[n])
		add(&c.totals.Capacity, capacity)
	}
	c.nodes.capacity[n] = capacity
	c.reweigh(n)
}

// SetAttribute sets or removes an attribute of a node.
func (c *Cluster) SetAttribute(n unit.NodeID, a workload.Attribute) {
	if c.known(n) && c.setAttribute(n, a) {
		c.emit(Event{Kind: NodeChanged, Node: n})
	}
}

// setAttribute is SetAttribute without an event, and reports whether the value changed. Sets of suitable nodes
// are then outdated.
func (c *Cluster) setAttribute(n unit.NodeID, a workload.Attribute) (changed bool) {
	if a.Absent {
		a.Value = workload.Unset
	}
	for int(a.Name) >= len(c.nodes.attributes) {
		c.nodes.attributes = append(c.nodes.attributes, nil)
	}
	row := c.nodes.attributes[a.Name]
	for int(n) >= len(row) {
		row = append(row, workload.Unset)
	}
	changed = row[n] != a.Value
	row[n] = a.Value
	if changed {
		c.nodes.version++
	}
	c.nodes.attributes[a.Name] = row
	return changed
}

// attribute returns the value of an attribute of n, or workload.Unset.
func (c *Cluster) attribute(n unit.NodeID, name workload.AttributeName) int64 {
	if int(name) < len(c.nodes.attributes) {
		if row := c.nodes.attributes[name]; int(n) < len(row) {
			return row[n]
		}
	}
	return workload.Unset
}

// prefetch reads the figures of a node that an act will need. The result has no meaning: it keeps
// the compiler from removing the reads.
func (s *nodes) prefetch(n unit.NodeID) uint32 {
	read := uint32(s.state[n].incoming) ^ uint32(s.used[n][0]) ^ uint32(s.capacity[n][0])
	if own := s.tasks[n]; len(own) > 0 {
		read ^= own[0]
	}
	return read
}

func (c *Cluster) known(n unit.NodeID) bool { return n >= 0 && int(n) < len(c.nodes.machine) }

// satisfies reports whether n satisfies every constraint of the task in slot s. The task's own
// share of a supply counts as left.
func (c *Cluster) satisfies(s uint32, n unit.NodeID) bool {
	t := &c.tasks[s]
	for _, want := range c.constraints(s) {
		left := c.left(n, want)
		if want.Op == workload.Takes && left != workload.Unset && (t.node == n || t.target == n) {
			left += want.Value
		}
		if !want.Holds(left) {
			return false
		}
	}
	return true
}

func add(sum *[unit.Resources]int64, v unit.Vec) {
	for r := range v {
		sum[r] += int64(v[r])
	}
}

func sub(sum *[unit.Resources]int64, v unit.Vec) {
	for r := range v {
		sum[r] -= int64(v[r])
	}
}
