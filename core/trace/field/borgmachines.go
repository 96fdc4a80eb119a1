package field

import (
	"cmp"
	"slices"

	"parley/core/unit"
	"parley/core/workload"
)

// machineChange is a machine that joins, leaves or changes after the beginning.
type machineChange struct {
	at          unit.Time
	machine     int32
	kind        workload.Kind
	cpu, memory int64
}

// takeMachineEvent reads a row of machine_events into b.changes, for joinMachines. The first capacity of a machine
// counts as its own.
func takeMachineEvent(c *collection, r *row) error {
	const ( // columns of the table
		colTime       = 0
		colMachineID  = 1
		colType       = 2
		colCPU        = 4
		colMemory     = 5
		colPlatformID = 6
	)
	at, err := r.micros(colTime)
	if err != nil {
		return err
	}
	kind, err := r.enumerated(colType, []string{"UNKNOWN", "ADD", "REMOVE", "UPDATE"})
	if err != nil {
		return err
	}
	if _, err := r.id(colMachineID); err != nil {
		return err
	}
	cpu, err := r.amount(colCPU, 6)
	if err != nil {
		return err
	}
	memory, err := r.amount(colMemory, 6)
	if err != nil {
		return err
	}
	c.span(at)
	b, i := c.borg(), c.machineOf(r.name(colMachineID))
	m := &c.machines[i]
	m.used = false
	if cpu > m.cpu && m.cpu < 0 {
		m.cpu, m.memory = cpu, memory
	}
	if r.has(colPlatformID) {
		m.model = r.text(colPlatformID)
	}
	c.count("machine_events_"+[]string{"unknown", "add", "remove", "update"}[kind], 1)
	b.changes = append(b.changes, machineChange{at, i, [...]workload.Kind{
		workload.NodeJoins, workload.NodeJoins,
		workload.NodeLeaves, workload.NodeChanges,
	}[kind], cpu, memory})
	if len(b.changes) > 2*c.options.MaxTasks {
		return c.tooMany(r)
	}
	return nil
}

// joinMachines keeps the events of machines after the trace begins.
func (c *collection) joinMachines(b *borg) {
	slices.SortStableFunc(b.changes, func(x, y machineChange) int { return cmp.Compare(x.at, y.at) })
	common := c.commonSize(machineKind{cpu: whole, memory: whole})
	missing := int64(0)
	for i := range c.machines {
		if m := &c.machines[i]; !m.used && m.cpu < 0 {
			m.cpu, m.memory = common.cpu, common.memory
			missing++
		}
	}
	c.repair("machines_given_capacity", "machines without a capacity, which get the most common one", missing)
	for _, ch := range b.changes {
		m := &c.machines[ch.machine]
		there := b.joined[ch.machine]
		if ch.cpu < 0 {
			ch.cpu, ch.memory = m.cpu, m.memory
		}
		switch {
		case ch.kind == workload.NodeLeaves && !there:
			c.count("machines_removed_while_absent", 1)
		case ch.kind == workload.NodeLeaves:
			b.joined[ch.machine] = false
			c.changes = append(c.changes, ch)
		case !there && ch.at <= beginning:
			b.joined[ch.machine] = true
			m.cpu, m.memory = ch.cpu, ch.memory
		case !there:
			b.joined[ch.machine] = true
			ch.kind = workload.NodeJoins
			if m.from == 0 {
				m.from = ch.at
			}
			c.changes = append(c.changes, ch)
		default:
			ch.kind = workload.NodeChanges
			c.changes = append(c.changes, ch)
		}
	}
}
