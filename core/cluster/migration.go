package cluster

import (
	"math/bits"

	"parley/core/slab"
	"parley/core/unit"
)

// move is one migration under way.
type move struct {
	task     unit.TaskID
	from, to unit.NodeID
	began    unit.Time
	ends     unit.Time
	moved    unit.Bytes
	forced   bool
	active   bool
	use      uint32 // guards against a late Fire for an earlier use of the entry
}

// Migrate implements Acts. It returns an error of Fits, or ErrState unless the task runs, on another node. The time is
// that of the bytes over the link, plus a delay between racks.
func (c *Cluster) Migrate(id unit.TaskID, to unit.NodeID, by Check) error {
	if err := c.Fits(id, to, by); err != nil {
		return err
	}
	slot := id.Slot()
	t := &c.tasks[slot]
	if t.state != Running || t.node == to {
		return ErrState
	}
	i := c.newMove()
	m := &c.moves[i]
	m.task, m.from, m.to, m.forced, m.active = id, t.node, to, by == ByTotal, true
	m.moved = c.transfer(slot)
	m.began = c.clock.Now()
	m.ends = m.began + unit.Time(part(m.moved, unit.Bytes(unit.Second), c.settings.LinkSpeed))
	if c.nodes.rack[m.from] != c.nodes.rack[to] {
		m.ends += c.settings.RackDelay
	}
	t.move = int32(i)
	t.state, t.target = Migrating, to
	c.nodes.state[to].incoming++
	c.load(slot, to)
	c.totals.Running--
	c.totals.Migrating++
	c.clock.At(m.ends, (*mover)(c), uint64(m.use)<<32|uint64(i))
	c.emit(Event{
		Kind: MigrationBegan, Task: id, Node: m.from, Other: to, Amount: int64(m.moved),
		Detail: flag(m.forced),
	})
	return nil
}

// transfer returns the bytes needed to move the running task in slot: live migration by pre-copy
// rounds, each of which sends the memory dirtied during the one before, M(1 + r + r² + …) with r =
// dirty rate / link speed, until less than 1 MB is left or 30 rounds are done. M is the memory
// image in use.
func (c *Cluster) transfer(slot uint32) unit.Bytes {
	t := &c.tasks[slot]
	image := c.details[slot].image
	if t.request[unit.Memory] > 0 {
		image = part(image, unit.Bytes(t.usage[unit.Memory]), unit.Bytes(t.request[unit.Memory]))
	}
	total, round := image, image
	for k := 0; k < 30 && round >= unit.MB; k++ {
		round = part(round, c.settings.DirtyRate, c.settings.LinkSpeed)
		total += round
	}
	return total
}

// part returns x × num / den, at most a petabyte, so that no image overflows a migration's bytes or the clock; a
// petabyte if den is 0.
func part(x, num, den unit.Bytes) unit.Bytes {
	const limit = 1_000_000 * unit.GB
	return unit.Bytes(quotient(uint64(x), uint64(num), 0, uint64(den), uint64(limit)))
}

// quotient returns (x × num + plus) / den rounded down, at most limit; limit if den is 0. The product does not
// overflow.
func quotient(x, num, plus, den, limit uint64) uint64 {
	hi, lo := bits.Mul64(x, num)
	lo, carry := bits.Add64(lo, plus, 0)
	if hi += carry; hi >= den {
		return limit
	}
	q, _ := bits.Div64(hi, lo, den)
	return min(q, limit)
}

func (c *Cluster) newMove() uint32 {
	i := slab.Take(&c.freeMove, &c.moves)
	c.moves[i].use++
	return i
}

// release removes the target's side of migration i, frees its entry and returns a copy of it. The task counts
// as running on its old node.
func (c *Cluster) release(i uint32) move {
	m := c.moves[i]
	slot := m.task.Slot()
	t := &c.tasks[slot]
	c.unload(slot, m.to)
	c.nodes.state[m.to].incoming--
	t.state, t.target = Running, unit.NoNode
	t.move = -1
	c.totals.Migrating--
	c.totals.Running++
	c.moves[i].active = false
	c.freeMove = append(c.freeMove, i)
	return m
}

// breakMove breaks a migration off: the task stays where it was.
func (c *Cluster) breakMove(i uint32) {
	m := c.release(i)
	c.totals.Aborted++
	c.emit(Event{
		Kind: MigrationBroken, Task: m.task, Node: m.from, Other: m.to, Amount: int64(m.moved),
		Detail: flag(m.forced),
	})
}

// mover ends migrations.
type mover Cluster

// Fire completes the migration whose index is in the low half of arg, unless it was broken off: then its use is
// no longer that of the high half. If the target has less CPU left than the task's share, the share shrinks.
func (v *mover) Fire(_ unit.Time, arg uint64) {
	c := (*Cluster)(v)
	i := uint32(arg)
	if m := &c.moves[i]; !m.active || m.use != uint32(arg>>32) {
		return
	}
	m := c.release(i)
	slot := m.task.Slot()
	less := c.tasks[slot].allotted && c.carry(slot, m.to)
	c.detach(slot)
	c.attach(slot, m.to)
	c.totals.Migrations++
	c.totals.Moved += m.moved
	c.totals.Forced += int64(flag(m.forced))
	c.emit(Event{
		Kind: MigrationEnded, Task: m.task, Node: m.from, Other: m.to, Amount: int64(m.moved),
		Detail: flag(m.forced),
	})
	if less {
		c.emitShare(slot)
	}
}

func flag(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
