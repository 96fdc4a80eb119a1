package google2011

import (
	"slices"

	"parley/core/trace/table"
	"parley/core/unit"
	"parley/core/workload"
)

// Columns of machine_events and machine_attributes.
const (
	machineID          = 1
	machineEvent       = 2
	machinePlatform    = 3
	machineCPUs        = 4
	machineMemory      = 5
	attributeName      = 2
	attributeValue     = 3
	attributeIsDeleted = 4
)

// Event types of machine_events.
const (
	machineAdd uint8 = iota
	machineRemove
	machineUpdate
	machineEventTypes
)

// machine is the latest description of a machine.
type machine struct {
	present    bool
	capacity   unit.Vec
	attributes []workload.Attribute
}

// machines are all machines in the rows so far, with their most frequent capacity.
type machines struct {
	known      map[uint64]*machine
	capacities map[unit.Vec]int // how many were added with each
	common     unit.Vec         // the most frequent one
}

// PlatformAttribute is the name of the attribute that holds a machine's
// platform, the only one whose name the trace does not hide.
const PlatformAttribute = "platform"

// maxCapacities limits the count of different capacities; the cell has ten.
const maxCapacities = 4096

func (m *machines) init() {
	m.known = map[uint64]*machine{}
	m.capacities = map[unit.Vec]int{}
	// Every second machine of the published cell is of this kind.
	m.common = unit.Vec{unit.CPU: 500_000, unit.Memory: 499_500}
}

func (m *machines) get(id uint64) *machine {
	known := m.known[id]
	if known == nil {
		known = &machine{}
		m.known[id] = known
	}
	return known
}

// countCapacity counts a capacity and sets m.common to the limit frequent one. Beyond maxCapacities different ones, new
// ones are not counted.
func (m *machines) countCapacity(capacity unit.Vec) {
	if _, ok := m.capacities[capacity]; !ok && len(m.capacities) >= maxCapacities {
		return
	}
	m.capacities[capacity]++
	if m.capacities[capacity] > m.capacities[m.common] {
		m.common = capacity
	}
}

// set changes or adds an attribute, or takes it away, and reports whether that
// made a difference.
func (m *machine) set(a workload.Attribute) bool {
	for i := range m.attributes {
		if m.attributes[i].Name != a.Name {
			continue
		}
		if a.Absent {
			m.attributes = slices.Delete(m.attributes, i, i+1)
			return true
		}
		changed := m.attributes[i] != a
		m.attributes[i] = a
		return changed
	}
	if !a.Absent {
		m.attributes = append(m.attributes, a)
	}
	return !a.Absent
}

// takeMachineEvent emits the change of a machine. An ADD of a machine that is present changes it like an UPDATE, and
// an UPDATE of one that is not adds it. A second ADD or REMOVE is counted as a repair.
func (s *Source) takeMachineEvent(p *table.Part) {
	row, id := &p.Row, p.Row.Value(machineID)
	m := s.machines.get(id)
	switch {
	case row.Code(machineEvent) == machineRemove:
		if !m.present {
			s.repairs.RemovedTwice++
			return
		}
		m.present = false
		s.emit(p.Now, workload.NodeLeaves).Machine = id
	case m.present:
		if row.Code(machineEvent) == machineAdd {
			s.repairs.AddedTwice++
		}
		s.updateMachine(p, m)
	default:
		s.setPlatform(p, m)
		s.addMachine(p, m)
	}
}

func (s *Source) updateMachine(p *table.Part, m *machine) {
	id := p.Row.Value(machineID)
	if platform, changed := s.setPlatform(p, m); changed {
		r := s.emit(p.Now, workload.NodeAttribute)
		r.Machine, r.Attribute = id, platform
	}
	if p.Row.HoldsBoth(machineCPUs, machineMemory) {
		m.capacity = amounts(&p.Row, machineCPUs, machineMemory)
	}
	r := s.emit(p.Now, workload.NodeChanges)
	r.Machine = id
	r.Node = workload.Node{Capacity: m.capacity, Rack: -1, Site: -1}
}

// addMachine lets a machine join with the row's capacity. If the row has none, the machine gets its
// previous capacity or else the most common one so far.
func (s *Source) addMachine(p *table.Part, m *machine) {
	switch row := &p.Row; {
	case row.HoldsBoth(machineCPUs, machineMemory):
		m.capacity = amounts(row, machineCPUs, machineMemory)
		s.machines.countCapacity(m.capacity)
	default:
		s.repairs.MachinesGivenCapacity++
		if m.capacity == (unit.Vec{}) {
			m.capacity = s.machines.common
		}
	}
	s.join(p.Now, p.Row.Value(machineID), m)
}

func (s *Source) join(at unit.Time, id uint64, m *machine) {
	m.present = true
	r := s.emit(at, workload.NodeJoins)
	r.Machine = id
	r.Node = workload.Node{Capacity: m.capacity, Rack: -1, Site: -1, Attributes: m.attributes}
}

// setPlatform learns a machine's platform and reports whether it is a new one.
func (s *Source) setPlatform(p *table.Part, m *machine) (platform workload.Attribute, changed bool) {
	if value := p.Rows.Fields().At(machinePlatform); len(value) > 0 {
		platform = workload.Attribute{Name: s.names.Attribute([]byte(PlatformAttribute)), Value: s.names.Value(value)}
		changed = m.set(platform)
	}
	return platform, changed
}

// takeAttribute reads machine_attributes. An attribute with an empty value is
// one that the machine does not have, as in constraints.
func (s *Source) takeAttribute(p *table.Part) error {
	fields := p.Rows.Fields()
	a := workload.Attribute{
		Name:  s.names.Attribute(fields.At(attributeName)),
		Value: s.names.Value(fields.At(attributeValue)),
	}
	if p.Row.Code(attributeIsDeleted) == 1 || a.Value == workload.Unset {
		a.Absent, a.Value = true, 0
	}
	id := p.Row.Value(machineID)
	m := s.machines.get(id)
	m.set(a)
	if len(m.attributes) > maxPerOwner {
		return s.tooLarge(p, "with this row a machine has more than %d attributes", maxPerOwner)
	}
	if !m.present {
		s.repairs.AttributesWithoutNode++
		return nil
	}
	r := s.emit(p.Now, workload.NodeAttribute)
	r.Machine, r.Attribute = id, a
	return nil
}

// bring makes sure that a machine which a task was scheduled on is there.
func (s *Source) bring(at unit.Time, id uint64) {
	if !s.bringsMachines {
		return
	}
	m, known := s.machines.known[id]
	switch {
	case known && m.present:
	case known && m.capacity != (unit.Vec{}):
		s.repairs.ScheduledOnAbsent++
	default:
		s.repairs.MachinesAdded++
		m = s.machines.get(id)
		m.capacity = s.machines.common
		s.join(at, id, m)
	}
}
