package field

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"parley/core/unit"
	"parley/core/words"
	"parley/core/workload"
)

// machineKind is the machine that is assumed if no table names one.
type machineKind struct {
	cpu, memory int64 // as of items; for rigid jobs cpu is the GPUs or processors of a node
	gpu         int64 // devices
	about       string
}

// life returns when an item held its machine as the trace has it, to the end of the trace if it
// did not end.
func (it *item) life(last unit.Time) (from, to unit.Time) {
	from, to = it.submit, it.end
	if it.start != unknown {
		from = it.start
	}
	if to == unknown {
		to = last
	}
	return from, max(from, to)
}

// turn is a moment at which an item begins to hold its machine, or ceases to.
type turn struct {
	at unit.Time
	of int32 // the item, or its complement where it ends
}

// measure finds the resources held at once and the time of the last event.
func (c *collection) measure() {
	last := unit.Time(0)
	for i := range c.items {
		it := &c.items[i]
		last = max(last, it.submit, it.start, it.end)
	}
	c.turns = make([]turn, 0, 2*len(c.items))
	for i := range c.items {
		from, to := c.items[i].life(last)
		if to > from {
			c.turns = append(c.turns, turn{from, int32(i)}, turn{to, ^int32(i)})
		}
	}
	slices.SortFunc(c.turns, func(a, b turn) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.of, b.of)) })
	c.peak = c.atOnce(func(_ int, amount int64) int64 { return amount })
	c.summary.LastS = last.Seconds()
}

// atOnce returns the most of each resource, CPU, memory and GPUs, that items hold at once. taken
// maps an instance's request for a resource to the amount that counts.
func (c *collection) atOnce(taken func(resource int, amount int64) int64) (limit [3]int64) {
	var held [3]int64
	for _, t := range c.turns {
		it, sign := &c.items[max(t.of, ^t.of)], sign(t.of >= 0)
		for k, amount := range [3]int64{it.cpu, it.memory, int64(it.gpu)} {
			held[k] += sign * taken(k, amount) * int64(it.count)
			limit[k] = max(limit[k], held[k])
		}
	}
	return limit
}

// sign is 1 where something begins and -1 where it ends.
func sign(begins bool) int64 {
	if begins {
		return 1
	}
	return -1
}

// maxNodes limits the nodes that are assumed: as many as a picture has.
const maxNodes = 100_000

// large returns how many machines of a size the large instances need that run at once: at most k
// of those that take more than 1/(k+1) of a machine fit on one.
func (c *collection) large(size [3]int64) (machines int64) {
	for k := int64(1); k <= 16; k++ {
		limit := c.atOnce(func(r int, amount int64) int64 {
			if size[r] > 0 && amount > size[r]/(k+1) {
				return 1
			}
			return 0
		})
		machines = max(machines, (max(limit[0], limit[1])+k-1)/k)
	}
	return machines
}

// choose takes the machines that the tables name, or assumes some.
func (c *collection) choose() {
	if len(c.items) == 0 && !slices.ContainsFunc(c.machines, func(m machine) bool { return !m.used }) {
		return
	}
	listed := slices.ContainsFunc(c.machines, func(m machine) bool { return !m.used })
	kind := c.data.assume
	if !listed && len(c.machines) == 0 {
		c.assume(kind)
		return
	}
	unlisted, common := int64(0), c.commonSize(kind)
	for i := range c.machines {
		m := &c.machines[i]
		if !m.used {
			continue
		}
		unlisted++
		if m.cpu < 0 {
			m.cpu, m.memory, m.gpu, m.model = common.cpu, common.memory, common.gpu, common.model
		}
	}
	switch {
	case unlisted > 0 && listed:
		c.repair("machines_added", "machines that rows name and no table of machines does, which are added", unlisted)
	case unlisted > 0:
		c.summary.assumed = fmt.Sprintf("machines assumed: the %d that rows name, %s", unlisted, kind.about)
	}
}

// commonSize returns a machine of the most common size that a table names, else one of kind.
func (c *collection) commonSize(kind machineKind) machine {
	best := machine{cpu: kind.cpu, memory: kind.memory, gpu: kind.gpu}
	counts := map[machine]int{}
	largest := 0
	for i := range c.machines {
		if m := &c.machines[i]; !m.used && m.cpu >= 0 {
			size := machine{cpu: m.cpu, memory: m.memory, gpu: m.gpu, model: m.model}
			if counts[size]++; counts[size] > largest {
				best, largest = size, counts[size]
			}
		}
	}
	return best
}

// assume makes as many machines of a kind as the work held at once.
func (c *collection) assume(kind machineKind) {
	cpu, memory := kind.cpu, kind.memory
	for i := range c.items {
		cpu = max(cpu, c.items[i].cpu)
		memory = max(memory, c.items[i].memory)
	}
	raised := kind.cpu > 0 && (cpu > kind.cpu || memory > kind.memory && c.data.shape == workload.ShapeTasks)
	about, from := kind.about, "as many as the work held at once by the times of the trace"
	if c.data.shape == workload.ShapeJobs {
		cpu, memory = kind.cpu, 0
	}
	n := int64(1)
	if cpu > 0 {
		n = max(n, (c.peak[0]+cpu-1)/cpu)
	}
	if memory > 0 {
		n = max(n, (c.peak[1]+memory-1)/memory)
	}
	if c.data.shape == workload.ShapeTasks {
		n = max(n, c.large([3]int64{cpu, memory}))
	}
	gpu := int64(0)
	if c.peak[2] > 0 {
		gpu = kind.gpu
		for i := range c.items {
			gpu = max(gpu, (int64(c.items[i].gpu)+999)/1000)
		}
		n = max(n, (c.peak[2]+gpu*1000-1)/(gpu*1000))
	}
	if c.data.shape == workload.ShapeJobs {
		largest := int64(0)
		for i := range c.items {
			largest = max(largest, c.items[i].cpu)
		}
		n = max(n, (largest+cpu-1)/max(cpu, 1))
	}
	if n > maxNodes {
		n = maxNodes
		from += ", at most " + strconv.Itoa(maxNodes)
	}
	for range n {
		c.machines = append(c.machines, machine{cpu: cpu, memory: memory, gpu: gpu, rack: -1})
	}
	c.summary.assumed = fmt.Sprintf("machines assumed: %s, %s, since no table names any", words.Count(n, "node"), from)
	if about != "" {
		c.summary.assumed += "; " + about
		if raised {
			c.summary.assumed += "; enlarged to what the largest task asks for"
		}
	}
}
