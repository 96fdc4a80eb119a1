package central

import (
	"parley/core/cluster"
	"parley/core/unit"
	"parley/core/workload"
)

// limits say how far a node may be filled.
type limits struct {
	byRequest  bool // a running task needs its request, not its use
	mindUse    bool // use counts
	check      cluster.Check
	fill       float64 // part of the capacity that may be used
	production float64 // that production may request; 0: no limit
	soft       bool    // beyond it a task goes before it waits
	overcommit Factors // that may be requested, by request
}

// newLimits returns the limits of valid settings. Fill of 0 is the whole capacity. check is the
// cluster's own test of a placement: with overcommit it is ByCapacity, because the cluster does not know
// these factors.
func newLimits(s *Settings) limits {
	l := limits{
		byRequest: s.Admission == "request", fill: s.Fill, production: s.ProductionLimit,
		soft: s.ProductionSoft, overcommit: s.Overcommit,
	}
	l.mindUse = !l.byRequest || s.Fill > 0
	if s.Fill == 0 {
		l.fill = 1
	}
	switch {
	case !l.byRequest:
		l.check = cluster.ByUse
	case s.Overcommit.CPU > 1 || s.Overcommit.Memory > 1:
		l.check = cluster.ByCapacity // the cluster knows no such factors
	default:
		l.check = cluster.ByRequest
	}
	return l
}

// machineType is shared by nodes of one capacity: how much may be used,
// requested and requested by production there.
type machineType struct {
	capacity, used, requested, byProduction unit.Vec
}

// machineType returns the shares that may be used, requested and requested by production on a node of a
// capacity, rounded down.
func (l *limits) machineType(capacity unit.Vec) machineType {
	m := machineType{capacity: capacity}
	for r, c := range capacity {
		m.used[r] = part(c, l.fill)
		m.requested[r] = part(c, l.overcommit.of(unit.Resource(r)))
		m.byProduction[r] = part(c, l.production)
	}
	return m
}

// part returns a part of a share, rounded down.
func part(s unit.Share, f float64) unit.Share { return unit.Share(float64(float64(s) * f)) }

// load is the usage and the requests of a node's tasks.
type load struct{ used, requested, byProduction unit.Vec }

func loadOf(v cluster.View, n unit.NodeID) load {
	return load{v.Used(n), v.Requested(n), v.Production(n)}
}

// loadBy returns the load that a running task adds to a node.
func loadBy(t *cluster.Task) load {
	l := load{used: t.Usage, requested: t.Request}
	if t.Class == workload.Production {
		l.byProduction = t.Request
	}
	return l
}

func (l *load) add(o *load) {
	l.used, l.requested, l.byProduction = l.used.Add(o.used), l.requested.Add(o.requested),
		l.byProduction.Add(o.byProduction)
}

func (l *load) take(o *load) {
	l.used, l.requested, l.byProduction = l.used.Sub(o.used), l.requested.Sub(o.requested),
		l.byProduction.Sub(o.byProduction)
}

// room is the largest need that fits a node, by the class of the task. It is below
// zero if nothing fits.
type room [2]unit.Vec

// noRoom is that of a node that is down.
var noRoom = room{{-1, -1}, {-1, -1}}

// room returns the largest need that fits a node with this load, by resource and class; a component is
// negative if the node is over its limit. A resource that no task uses counts with the whole
// capacity, beyond the limit: otherwise a task that needs more than the limit would run nowhere. The
// same holds for requests and production.
func (l *limits) room(m *machineType, have *load) (free room) {
	for r, capacity := range m.capacity {
		batch := capacity
		if l.mindUse {
			batch = min(batch, left(have.used[r], m.used[r], capacity))
		}
		if l.byRequest {
			batch = min(batch, left(have.requested[r], m.requested[r], capacity))
		}
		production := batch
		if l.production > 0 {
			production = min(batch, left(have.byProduction[r], m.byProduction[r], capacity))
		}
		free[workload.Batch][r], free[workload.Production][r] = batch, production
	}
	return free
}

func left(have, limit, capacity unit.Share) unit.Share {
	if have == 0 {
		return capacity
	}
	return limit - have
}

// positive reports whether any task at all could fit.
func (f *room) positive() bool { return unit.Vec{}.Within(f[workload.Batch]) }

// demand is a task as a policy sees it.
type demand struct {
	task        unit.TaskID
	need        unit.Vec // see limits
	request     unit.Vec
	class       workload.PriorityClass
	constraints []workload.Constraint // belongs to the cluster
}

// relax removes the limit of production from a demand, and reports whether it applied. The limits
// of every task remain.
func (l *limits) relax(d *demand) bool {
	if !l.soft || l.production == 0 || d.class != workload.Production {
		return false
	}
	d.class = workload.Batch
	return true
}

// demand returns a task as policies see it. Its need is its request, because its use is not known yet; a
// running task that may move needs its use, unless admission is by request.
func (l *limits) demand(id unit.TaskID, t *cluster.Task) demand {
	d := demand{task: id, need: t.Request, request: t.Request, class: t.Class, constraints: t.Constraints}
	if t.State != cluster.Waiting && !l.byRequest {
		d.need = t.Usage
	}
	return d
}
