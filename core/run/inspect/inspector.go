// Package inspect answers questions about a run between two events, and draws it: nodes with
// their tasks, why a task is where it is, the system's latest notes, faults and their costs.
// It knows the cluster and the system's optional interfaces, but not the run that owns them.
// Nothing here changes a run.
package inspect

import (
	"slices"

	"parley/core/cluster"
	"parley/core/metric"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// Subject is the run that an Inspector looks at.
type Subject struct {
	Clock     interface{ Now() unit.Time }
	View      cluster.View
	System    system.System
	About     system.Description // of System
	Shape     workload.Shape     // of the work that comes
	Table     *metric.Table
	Names     *workload.Names // of racks, machines, supplies and groups
	Unracked  bool            // the work is a log of jobs, and the scenario does not say how many nodes a rack has
	Notes     *Notes          // nil if none are kept
	Incidents *Incidents      // nil if none are kept
}

// Inspector answers questions about the present state of a run. Make one with New.
type Inspector struct {
	of      Subject
	picture picture
}

// New returns an inspector of a run.
func New(s Subject) Inspector { return Inspector{of: s} }

// Incidents returns the latest faults of nodes, the newest first.
func (r *Inspector) Incidents() []Incident {
	if r.of.Incidents == nil {
		return nil
	}
	var list []Incident
	zones := r.Zones()
	for _, i := range slices.Backward(r.of.Incidents.all) {
		report := *i
		report.LowestYield = r.of.Incidents.lowestYield(i)
		report.Subject = report.failed(r.nodeName(), r.rackName(report.Rack, zones))
		report.Summary, report.Cost = report.consequences(), report.cost()
		list = append(list, report)
	}
	return list
}

// LatestFault returns when the latest fault of nodes was; -1 if there was none.
func (r *Inspector) LatestFault() unit.Time {
	if r.of.Incidents == nil || len(r.of.Incidents.all) == 0 {
		return -1
	}
	return r.of.Incidents.all[len(r.of.Incidents.all)-1].At
}

// Healing reports whether the latest fault is no longer ago than span and still tells:
// it has just happened, or more than a fiftieth of the tasks that lost their place wait
// for another.
func (r *Inspector) Healing(span unit.Time) bool {
	if r.of.Incidents == nil || len(r.of.Incidents.all) == 0 {
		return false
	}
	latest := r.of.Incidents.all[len(r.of.Incidents.all)-1]
	ago := r.of.Clock.Now() - latest.At
	return latest.Lost > 0 && (ago < 6*unit.Second || 50*latest.Waiting() > latest.Lost && ago < span)
}

// Timeline returns the events of a Gantt chart, if the system records them; see
// system.TimelineSource.
func (r *Inspector) Timeline() (events []system.TimelineEvent, whole bool) {
	if t, ok := r.of.System.(system.TimelineSource); ok {
		return t.Timeline()
	}
	return nil, true
}

// Accounts returns at most n accounts of the system's parties, and how many
// there are beyond them; none if it keeps no books.
func (r *Inspector) Accounts(limit int) (list []system.Account, rest int) {
	if s, ok := r.of.System.(system.AccountSource); ok {
		return s.Accounts(limit)
	}
	return nil, 0
}

// Graphs returns at most n task graphs that the system works on, and how many
// there are beyond them; none if it does not tell.
func (r *Inspector) Graphs(limit int) (list []system.GraphTask, rest int) {
	if s, ok := r.of.System.(system.GraphSource); ok {
		return s.Graphs(limit)
	}
	return nil, 0
}

// Graph draws one of them; false if it is over or the system does not tell.
func (r *Inspector) Graph(number uint32) (p system.GraphPicture, known bool) {
	if s, ok := r.of.System.(system.GraphSource); ok {
		return s.Graph(number)
	}
	return p, false
}
