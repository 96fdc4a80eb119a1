package cluster

import (
	"parley/core/rng"
	"parley/core/unit"
	"parley/core/workload"
)

// Usage windows are staggered: tasks fall into sweepParts groups by slot, and
// every usageStep one group enters its next window. So the load of the cluster
// moves every step, each task keeps its usage for a whole window, and a window
// costs one event instead of one a task.
const (
	sweepParts = 5
	sweepBlock = 1024 // neighbouring slots share a group: a sweep reads memory in order
	usageStep  = workload.UsageWindow / sweepParts
)

// window returns the number of the usage window that a slot is in.
func (c *Cluster) window(slot uint32) int64 {
	step := int64(c.clock.Now() / usageStep)
	return (step + sweepParts - int64(slot/sweepBlock%sweepParts)) / sweepParts
}

type sweeper Cluster

// Fire moves one group of tasks into its next usage window.
func (s *sweeper) Fire(now unit.Time, _ uint64) {
	c := (*Cluster)(s)
	part := int(now / usageStep % sweepParts)
	var total [unit.Resources]int64
	for from := part * sweepBlock; from < len(c.tasks); from += sweepParts * sweepBlock {
		window := c.window(uint32(from))
		for slot := from; slot < min(from+sweepBlock, len(c.tasks)); slot++ {
			if t := &c.tasks[slot]; t.node >= 0 && !t.model.Measured {
				use := t.model.In(t.request, window)
				if t.allotted {
					use = c.capped(uint32(slot), use)
				}
				c.applyUsage(t, use, &total)
			}
		}
	}
	for r := range total {
		c.totals.Used[r] += total[r]
	}
	sum := uint64(0)
	for r := range c.totals.Used {
		sum = rng.Hash(sum, uint64(c.totals.Used[r]), uint64(r))
	}
	c.emit(Event{Kind: UsageSwept, Amount: int64(sum), Node: unit.NoNode})
	c.clock.At(now+usageStep, s, 0)
}

func (c *Cluster) setUsage(slot uint32, use unit.Vec) {
	t := &c.tasks[slot]
	for r := range use {
		most := maxUsedPerNode
		for _, n := range [2]unit.NodeID{t.node, t.target} {
			if n >= 0 {
				most = min(most, maxUsedPerNode-(c.nodes.used[n][r]-t.usage[r]))
			}
		}
		use[r] = max(0, min(use[r], most))
	}
	if t.node < 0 {
		t.usage = use
		return
	}
	if t.allotted {
		use = c.capped(slot, use)
	}
	c.applyUsage(t, use, &c.totals.Used)
}

// applyUsage gives a placed task another usage, and adds by how much the sums of
// its nodes change to total. This is the sweep's inner loop.
func (c *Cluster) applyUsage(t *task, use unit.Vec, total *[unit.Resources]int64) {
	shift(&c.nodes.used[t.node], &t.usage, &use, total)
	if t.target >= 0 {
		there := use
		if t.allotted {
			there[unit.CPU] = t.usage[unit.CPU]
		}
		shift(&c.nodes.used[t.target], &t.usage, &there, total)
	}
	t.usage = use
}

func shift(used, from, to *unit.Vec, total *[unit.Resources]int64) {
	for r := range used {
		delta := to[r] - from[r]
		used[r] += delta
		total[r] += int64(delta)
	}
}
