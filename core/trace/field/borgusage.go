package field

import (
	"cmp"
	"math"
	"slices"

	"parley/core/rng"
	"parley/core/unit"
)

// borgUse is a row of instance_usage.
type borgUse struct {
	job         uint64
	index       uint32
	at          unit.Time
	cpu, memory int64
}

// takeUsage takes the mean use of an instance in a window.
func takeUsage(c *collection, r *row) error {
	const ( // columns of the table
		colStartTime     = 0
		colCollectionID  = 2
		colInstanceIndex = 3
		colCPU           = 4
		colMemory        = 5
		colAverageUsage  = 6
	)
	at, err := r.micros(colStartTime)
	if err != nil {
		return err
	}
	id, err := r.id(colCollectionID)
	if err != nil {
		return err
	}
	index, err := r.id(colInstanceIndex)
	if err != nil {
		return err
	}
	if r.has(colAverageUsage) && !r.has(colCPU) && !r.has(colMemory) {
		r.cells[4], r.cells[5] = entry(r.cells[6], "cpus"), entry(r.cells[6], "memory")
	}
	cpu, err := r.amount(colCPU, 6)
	if err != nil {
		return err
	}
	memory, err := r.amount(colMemory, 6)
	if err != nil {
		return err
	}
	if every := c.options.EveryJob; every > 1 {
		if c.skip = rng.Mix(id)%every != 0; c.skips() {
			return nil
		}
	}
	if at < unit.Forever {
		c.span(at)
	}
	switch {
	case !c.has("instance_events"):
		c.leave("usage_alone", "windows of use without instance_events, which says what they are of")
		return nil
	case cpu < 0 || memory < 0 || index > math.MaxUint32 || at == unit.Forever:
		c.leave("usage_without_value", "windows of use without CPU or memory")
		return nil
	}
	if !c.holdsEvent(at, id, uint32(index)) {
		c.leaveOutside()
		return nil
	}
	b := c.borg()
	if b.uses = append(b.uses, borgUse{id, uint32(index), at, cpu, memory}); len(b.uses) > 4*c.options.MaxTasks {
		return c.tooMany(r)
	}
	return nil
}

// matchUses gives windows of use to the instances that they are of.
func (c *collection) matchUses(b *borg) {
	slices.SortFunc(b.uses, func(x, y borgUse) int {
		return cmp.Or(cmp.Compare(x.job, y.job), cmp.Compare(x.index, y.index), cmp.Compare(x.at, y.at))
	})
	n, other := 0, int64(0) // items are in the order of job and index
	for _, u := range b.uses {
		for n < len(c.items) && (c.items[n].job < u.job || c.items[n].job == u.job && c.items[n].first < u.index) {
			n++
		}
		if n == len(c.items) || c.items[n].job != u.job || c.items[n].first != u.index {
			other++
			continue
		}
		c.uses = append(c.uses, use{at: u.at, item: int32(n), cpu: u.cpu, memory: u.memory})
	}
	c.rule("usage_of_others", "windows of use of instances that are not played", other, false)
	c.count("windows_of_use", int64(len(c.uses)))
	b.uses = nil
}
