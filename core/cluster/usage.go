package cluster

import (
	"parley/core/rng"
	"parley/core/unit"
	"parley/core/workload"
)

// Usage windows. The windows of tasks that move change together, every five minutes of the cell.
// Otherwise their common changes (phases and bursts of jobs, events of the cell) would be smeared
// over five minutes, and no minute could show the rises that the paper's replay has at its common
// windows.
//
// Those of calm tasks are staggered: they fall into sweepParts groups by slot, and
// every usageStep one group enters its next window, so that the load moves a
// little every minute.
//
// Either way a task keeps its usage for a whole window, and a window costs one
// event instead of one a task.
const (
	sweepParts = 5
	sweepBlock = 1024 // neighbouring slots share a group: a sweep reads memory in order
	usageStep  = workload.UsageWindow / sweepParts
)

// commonWindow returns the number of the usage window that tasks which move are in.
func (c *Cluster) commonWindow() int64 { return int64(c.clock.Now() / workload.UsageWindow) }

// window returns the number of the usage window that a calm task in a slot is in.
func (c *Cluster) window(slot uint32) int64 {
	step := int64(c.clock.Now() / usageStep)
	return (step + sweepParts - int64(slot/sweepBlock%sweepParts)) / sweepParts
}

// modelled returns the present usage of the task in a slot, if it runs.
func (c *Cluster) modelled(slot uint32) unit.Vec {
	t := &c.tasks[slot]
	if t.model.job == calm {
		return workload.CalmUse(t.model.key, &t.model.mean, &t.model.swing, t.request, c.window(slot))
	}
	return c.models.use(t, c.commonWindow())
}

// sweeper moves tasks into their next usage windows.
type sweeper Cluster

// Fire moves the tasks whose turn it is into their next usage window: of the tasks with calm use a part at each step,
// and all others when a window begins. The event that it emits has a hash of the sums of use, so that the digest
// covers them.
func (s *sweeper) Fire(now unit.Time, _ uint64) {
	c := (*Cluster)(s)
	var total [unit.Resources]int64
	if c.models.calmTasks > 0 {
		c.sweepCalm(int(now/usageStep%sweepParts), &total)
	}
	if c.models.movingTasks > 0 && now%workload.UsageWindow == 0 {
		c.sweepMoving(&total)
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

// sweepCalm takes one group of the calm tasks into its next window.
func (c *Cluster) sweepCalm(part int, total *[unit.Resources]int64) {
	for from := part * sweepBlock; from < len(c.tasks); from += sweepParts * sweepBlock {
		window := c.window(uint32(from))
		for slot := from; slot < min(from+sweepBlock, len(c.tasks)); slot++ {
			if t := &c.tasks[slot]; t.node >= 0 && !t.measured && t.model.job == calm {
				use := workload.CalmUse(t.model.key, &t.model.mean, &t.model.swing, t.request, window)
				c.enter(uint32(slot), use, total)
			}
		}
	}
}

// sweepMoving takes all tasks that move into the next window.
func (c *Cluster) sweepMoving(total *[unit.Resources]int64) {
	window := c.commonWindow()
	for slot := range c.tasks {
		if t := &c.tasks[slot]; t.node >= 0 && t.model.job != calm {
			c.enter(uint32(slot), c.models.use(t, window), total)
		}
	}
}

// enter gives a placed task the usage of its next window.
func (c *Cluster) enter(slot uint32, use unit.Vec, total *[unit.Resources]int64) {
	t := &c.tasks[slot]
	if t.allotted {
		use = c.capped(slot, use)
	}
	c.applyUsage(t, use, total)
}

// setUsage sets the usage of a task at once, on its node if it has one, bounded so that no sum of a node overflows.
// An allotted task uses no more CPU than its share.
func (c *Cluster) setUsage(slot uint32, use unit.Vec) {
	t := &c.tasks[slot]
	for r := range use {
		largest := maxUsedPerNode
		for _, n := range [2]unit.NodeID{t.node, t.target} {
			if n >= 0 {
				largest = min(largest, maxUsedPerNode-(c.nodes.used[n][r]-t.usage[r]))
			}
		}
		use[r] = max(0, min(use[r], largest))
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
		onTarget := use
		if t.allotted {
			onTarget[unit.CPU] = t.usage[unit.CPU]
		}
		shift(&c.nodes.used[t.target], &t.usage, &onTarget, total)
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
