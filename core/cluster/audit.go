package cluster

import (
	"fmt"

	"parley/core/unit"
	"parley/core/workload"
)

// Check verifies in constant time that no task, no part of a load and no subtask was
// lost or counted twice.
func (c *Cluster) Check() error {
	t := &c.totals
	ended := int64(0)
	for _, n := range t.Ended {
		ended += n
	}
	if alive := int64(t.Alive()); t.Submitted != alive+ended || t.Waiting < 0 || t.Running < 0 || t.Migrating < 0 {
		return fmt.Errorf("cluster: %d tasks submitted, but %d waiting + %d running + %d migrating + %d ended",
			t.Submitted, t.Waiting, t.Running, t.Migrating, ended)
	}
	if live := int64(len(c.tasks) - len(c.free)); live != int64(t.Alive()) {
		return fmt.Errorf("cluster: %d slots hold tasks, but %d tasks are alive", live, t.Alive())
	}
	if err := c.checkWork(); err != nil {
		return err
	}
	return c.checkJobs()
}

// Audit recomputes every sum from the tasks themselves and compares it with
// the sums kept. It takes time in proportion to tasks and nodes.
func (c *Cluster) Audit() error {
	if err := c.Check(); err != nil {
		return err
	}
	n := len(c.nodes.machine)
	sums := make([]sum, n)
	var states [4]int
	for slot := range c.tasks {
		t := &c.tasks[slot]
		states[t.state]++
		if (t.state == Running || t.state == Migrating) != (t.node >= 0) && t.state != Free {
			return fmt.Errorf("cluster: task %v is %v on node %d", c.details[slot].key, t.state, t.node)
		}
		if (t.state == Migrating) != (t.target >= 0) && t.state != Free {
			return fmt.Errorf("cluster: task %v is %v towards node %d", c.details[slot].key, t.state, t.target)
		}
		for _, at := range [2]unit.NodeID{t.node, t.target} {
			if t.state == Free || at < 0 {
				continue
			}
			if !c.nodes.state[at].up {
				return fmt.Errorf("cluster: task %v is %v on node %d, which is down", c.details[slot].key, t.state, at)
			}
			s := &sums[at]
			s.used = s.used.Add(t.held(at))
			s.requested = s.requested.Add(t.request)
			if t.class == workload.Production {
				s.byProduction = s.byProduction.Add(t.request)
			}
		}
		if t.state != Free && t.node >= 0 {
			sums[t.node].count++
		}
		if t.state == Migrating {
			sums[t.target].incoming++
		}
	}
	if err := c.auditShares(); err != nil {
		return err
	}
	if err := c.auditSupplies(); err != nil {
		return err
	}
	if err := c.auditWork(sums); err != nil {
		return err
	}
	if err := c.auditJobs(sums); err != nil {
		return err
	}
	if t := &c.totals; states[Waiting] != t.Waiting || states[Running] != t.Running ||
		states[Migrating] != t.Migrating {
		return fmt.Errorf("cluster: states %v, but counted %d waiting, %d running, %d migrating", states, t.Waiting,
			t.Running, t.Migrating)
	}
	for i := range sums {
		at := &c.nodes.state[i]
		if kept := (sum{c.nodes.used[i], at.requested, at.byProduction, at.count, at.incoming}); sums[i] != kept {
			return fmt.Errorf("cluster: node %d holds %+v, its tasks sum to %+v", i, kept, sums[i])
		}
		if listed := len(c.nodes.tasks[i]); listed != int(at.count) {
			return fmt.Errorf("cluster: node %d holds %d tasks and lists %d", i, at.count, listed)
		}
	}
	return c.auditTotals()
}

// sum is a total over the tasks of a node.
type sum struct {
	used, requested, byProduction unit.Vec
	count, incoming               int32
}

// auditShares recomputes the sums of shares and compares them with the nodes' capacities and the
// tasks' requests.
func (c *Cluster) auditShares() error {
	sum := make([]unit.Share, len(c.nodes.machine))
	for slot := range c.tasks {
		t := &c.tasks[slot]
		if !t.allotted {
			continue
		}
		share := c.allotments[slot].share
		if t.node < 0 || share < 0 || share > t.request[unit.CPU] || t.usage[unit.CPU] > share {
			return fmt.Errorf("cluster: task %v is %v with a share of %d, requests %d and uses %d", c.details[slot].key,
				t.state, share, t.request[unit.CPU], t.usage[unit.CPU])
		}
		sum[t.node] += share
	}
	for n, have := range sum {
		if kept := c.View().Allotted(unit.NodeID(n)); have != kept || have > 0 && have > c.nodes.capacity[n][unit.CPU] {
			return fmt.Errorf("cluster: node %d has %d and holds shares of %d, its tasks' shares sum to %d",
				n, c.nodes.capacity[n][unit.CPU], kept, have)
		}
	}
	return nil
}

// auditTotals adds up the nodes that are up and compares the sums with the totals.
func (c *Cluster) auditTotals() error {
	var capacity, used, requested, byProduction [unit.Resources]int64
	up := 0
	for n := range c.nodes.machine {
		if !c.nodes.state[n].up {
			continue
		}
		up++
		add(&capacity, c.nodes.capacity[n])
		add(&used, c.nodes.used[n])
		add(&requested, c.nodes.state[n].requested)
		add(&byProduction, c.nodes.state[n].byProduction)
	}
	if t := &c.totals; up != t.NodesUp || capacity != t.Capacity || used != t.Used || requested != t.Requested ||
		byProduction != t.Production {
		return fmt.Errorf("cluster: totals kept %+v, nodes sum to up %d capacity %v used %v requested %v promised %v",
			*t, up, capacity, used, requested, byProduction)
	}
	return nil
}
