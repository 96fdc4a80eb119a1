package broker

import (
	"math"

	"parley/core/cluster"
	"parley/core/system/negotiation/score"
	"parley/core/unit"
)

// Machines are the capacities that machines have or had. Most clusters have few.
type Machines struct {
	all   []machineType
	index map[unit.Vec]uint32
	limit float64 // percent that may be promised to production
	lacks bool    // some machine does not have some resource
}

type machineType struct {
	per      score.Percent // of the node that one Share is
	capacity unit.Vec
	limit    unit.Vec // that may be promised to production
}

// NewMachines returns a list with one machine type, of no capacity, so that nothing fits it: nodes about
// which a broker believes nothing have that type.
// At most limit percent of a machine may be promised to production.
func NewMachines(limit float64) *Machines {
	nothing := machineType{}
	for r := range nothing.per {
		nothing.per[r] = math.Inf(1)
	}
	return &Machines{all: []machineType{nothing}, index: map[unit.Vec]uint32{{}: 0}, limit: limit}
}

// of returns the index of a capacity.
func (k *Machines) of(capacity unit.Vec) uint32 {
	i, known := k.index[capacity]
	if !known {
		one := machineType{capacity: capacity}
		for r := range capacity {
			if capacity[r] > 0 {
				one.per[r] = 100 / float64(capacity[r])
			} else {
				one.per[r], k.lacks = score.Lacks, true
			}
			one.limit[r] = within(k.limit, one.per[r])
		}
		i = uint32(len(k.all))
		k.all, k.index[capacity] = append(k.all, one), i
	}
	return i
}

// within returns the largest Share that is not above limit percent.
func within(limit, per float64) unit.Share {
	s := unit.Share(min(limit/per, math.MaxInt32))
	for s > 0 && float64(float64(s)*per) > limit {
		s--
	}
	for s < math.MaxInt32 && float64(float64(s+1)*per) <= limit {
		s++
	}
	return s
}

// per returns the percent of an entry's node that one Share is.
func (k *Machines) per(c *cacheEntry) *score.Percent { return &k.all[c.machine>>1].per }

// read describes the present state of a node.
func (k *Machines) read(c *cacheEntry, headroom *unit.Vec, n unit.NodeID, v cluster.View) {
	capacity := v.Capacity(n)
	machine := c.machine >> 1
	if k.all[machine].capacity != capacity {
		machine = k.of(capacity)
	}
	c.used, c.node, c.machine = v.Used(n), n, machine<<1
	*headroom = k.all[machine].limit.Sub(v.Production(n))
	if v.Count(n) == 0 && v.Incoming(n) == 0 {
		c.machine++
	}
}

// Report returns the present report of a node.
func (k *Machines) Report(n unit.NodeID, v cluster.View, now unit.Time) Report {
	one := Report{seen: now}
	k.read(&one.cacheEntry, &one.headroom, n, v)
	return one
}

// Figures returns the content of a report: the usage of the node, the requests of its production
// tasks, and its capacity.
func (k *Machines) Figures(r *Report) (used, byProduction, capacity unit.Vec) {
	m := &k.all[r.machine>>1]
	return r.used, m.limit.Sub(r.headroom), m.capacity
}
