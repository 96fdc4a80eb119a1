package run

import (
	"cmp"
	"slices"
	"strconv"

	"parley/core/cluster"
	"parley/core/rng"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/unit"
)

// faults holds what is still to break, soonest first. Faults happen between
// events, before the events of their moment, whether they stood in the
// scenario from the start or were injected: so both give one digest.
type faults struct {
	due    []scenario.Fault
	chaos  scenario.Chaos
	random *rng.Stream
	strike [2]unit.Time // when the next node and the next rack fail at random
}

func newFaults(s *scenario.Scenario) faults {
	f := faults{chaos: s.Chaos, random: rng.New(s.Seed, "chaos"), strike: [2]unit.Time{unit.Forever, unit.Forever}}
	for _, one := range s.Faults {
		one.At = max(one.At, firstFault)
		f.due = append(f.due, one)
	}
	slices.SortStableFunc(f.due, func(a, b scenario.Fault) int { return cmp.Compare(a.At, b.At) })
	if s.Chaos.NodeMTBF > 0 {
		f.strike[0] = firstFault // the real ones are drawn when the nodes are there
	}
	if s.Chaos.RackMTBF > 0 {
		f.strike[1] = firstFault
	}
	return f
}

// firstFault is when the first fault can happen: nodes join at time 0.
const firstFault = 1

// add puts a fault after those of its moment.
func (f *faults) add(one scenario.Fault) {
	one.At = max(one.At, firstFault)
	i, _ := slices.BinarySearchFunc(f.due, one.At+1, func(a scenario.Fault, at scenario.Duration) int { return cmp.Compare(a.At, at) })
	f.due = slices.Insert(f.due, i, one)
}

func (f *faults) next() unit.Time {
	at := min(f.strike[0], f.strike[1])
	if len(f.due) > 0 {
		at = min(at, unit.Time(f.due[0].At))
	}
	return at
}

// apply makes the next fault happen if it is due, and reports whether there
// was any. A target that does not exist is no fault, and a machine that the
// workload took away (gone) is not there to be restored.
func (f *faults) apply(now unit.Time, c *cluster.Cluster, s system.System, gone map[unit.NodeID]bool) bool {
	if f.next() > now {
		return false
	}
	f.draw(now, c.View())
	if len(f.due) > 0 && unit.Time(f.due[0].At) <= now {
		one := f.due[0]
		f.due = f.due[1:]
		happen(one, c, s, gone)
	}
	return true
}

// draw lets the random failures of this moment join the faults that are due,
// with their repairs, and draws the time of the next ones.
func (f *faults) draw(now unit.Time, v cluster.View) {
	racks := int32(0)
	for _, r := range v.Racks() {
		racks = max(racks, r+1)
	}
	for i, kind := range [2]struct {
		mtbf     scenario.Duration
		n        int
		down, up string
		target   string
	}{
		{f.chaos.NodeMTBF, v.Nodes(), "node_down", "node_up", "node."},
		{f.chaos.RackMTBF, int(racks), "rack_down", "rack_up", "rack."},
	} {
		if f.strike[i] > now {
			continue
		}
		if f.strike[i] > firstFault {
			target := kind.target + strconv.Itoa(f.random.Intn(kind.n))
			repair := now + f.after(unit.Time(f.chaos.MTTR))
			f.add(scenario.Fault{At: scenario.Duration(now), Kind: kind.down, Target: target})
			f.add(scenario.Fault{At: scenario.Duration(repair), Kind: kind.up, Target: target})
		}
		f.strike[i] = now + f.after(unit.Time(kind.mtbf)/unit.Time(max(1, kind.n)))
	}
}

func (f *faults) after(mean unit.Time) unit.Time {
	return max(1, unit.Time(f.random.Exponential()*float64(mean)))
}

// happen makes one fault true.
func happen(one scenario.Fault, c *cluster.Cluster, s system.System, gone map[unit.NodeID]bool) {
	what, number, err := one.Parse()
	if err != nil {
		return // Validate refused it before
	}
	down := one.Kind == "node_down" || one.Kind == "rack_down"
	switch one.Kind {
	case "node_down", "node_up", "rack_down", "rack_up":
		v := c.View()
		for n := unit.NodeID(0); int(n) < v.Nodes(); n++ {
			if what == "node" && int(n) != number || what == "rack" && int(v.Rack(n)) != number {
				continue
			}
			switch {
			case down:
				c.Leave(n)
			case !gone[n]:
				c.Restore(n)
			}
		}
	default:
		if d, ok := s.(system.FaultTarget); ok {
			d.Fail(system.AgentFault{Kind: one.Kind, Target: number, Value: one.Value})
		}
	}
}
