package negotiation

import (
	"encoding/binary"

	"parley/core/cluster"
	"parley/core/system/negotiation/broker"
	"parley/core/unit"
	"parley/core/workload"
)

// attributes are the nodes' attributes as brokers know them, from each node's last report. Most
// nodes have the attributes of many others and never change them, so brokers use the cluster's
// index, and only the few nodes that changed after their last report are corrected.
type attributes struct {
	view    cluster.View
	silence unit.Time
	kinds   [][]int64 // the combinations there are, by name of the attribute
	index   map[string]uint32
	of      []uint32 // by node: its combination now
	changed []changed
	scratch []byte
}

// changed is a node whose attributes were others before a moment.
type changed struct {
	at     unit.Time
	node   unit.NodeID
	before uint32
}

// join adds a node that brokers know at once.
func (a *attributes) join(n unit.NodeID) {
	for len(a.of) <= int(n) {
		a.of = append(a.of, 0)
	}
	a.of[n] = a.kind(n)
}

// note takes in that a node changed.
func (a *attributes) note(n unit.NodeID, now unit.Time) {
	if kind := a.kind(n); kind != a.of[n] {
		a.changed = append(a.changed, changed{now, n, a.of[n]})
		a.of[n] = kind
	}
}

// kind returns the number of a node's combination of attributes.
func (a *attributes) kind(n unit.NodeID) uint32 {
	a.scratch = a.scratch[:0]
	known := 0
	for name := range a.view.Attributes() {
		value := a.view.Attribute(n, workload.AttributeName(name))
		a.scratch = binary.LittleEndian.AppendUint64(a.scratch, uint64(value))
		if value != workload.Unset {
			known = len(a.scratch)
		}
	}
	a.scratch = a.scratch[:known] // a name that came up later is unset as well
	kind, ok := a.index[string(a.scratch)]
	if !ok {
		if a.index == nil {
			a.index = map[string]uint32{}
		}
		kind = uint32(len(a.kinds))
		a.index[string(a.scratch)] = kind
		values := make([]int64, known/8)
		for i := range values {
			values[i] = int64(binary.LittleEndian.Uint64(a.scratch[8*i:]))
		}
		a.kinds = append(a.kinds, values)
	}
	return kind
}

// satisfying makes s the nodes that satisfy a task's constraints, as far as a broker knows.
func (a *attributes) satisfying(b *broker.Broker, wants []workload.Constraint, s *cluster.Suitable, now unit.Time) {
	if len(a.changed) == 0 || len(wants) == 0 {
		return
	}
	old := 0 // reports that old are not believed
	for old < len(a.changed) && a.changed[old].at < now-a.silence {
		old++
	}
	a.changed = append(a.changed[:0], a.changed[old:]...)
	for i := len(a.changed) - 1; i >= 0; i-- { // the earliest change that the broker missed counts
		c := &a.changed[i]
		if seen, _ := b.LastReport(c.node); seen < c.at {
			s.Believe(c.node, a.holds(c.before, wants))
		}
	}
}

// holds reports whether nodes with the attributes of a kind satisfy all constraints. An attribute that
// the kind does not have is workload.Unset.
func (a *attributes) holds(kind uint32, wants []workload.Constraint) bool {
	for _, want := range wants {
		value := int64(workload.Unset)
		if values := a.kinds[kind]; int(want.Name) < len(values) {
			value = values[want.Name]
		}
		if !want.Holds(value) {
			return false
		}
	}
	return true
}
