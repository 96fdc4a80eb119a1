package inspect

import (
	"parley/core/cluster"
	"parley/core/system"
	"parley/core/unit"
)

// yields are the yields of the tasks that have a share of CPU: share / request. In systems
// that give no shares they are empty.
type yields struct {
	of      []float64 // by slot; noYield if it does not run with a share
	changed []uint32  // slots whose yield changed at the present moment
	at      unit.Time // the present moment
	before  float64   // the smallest one before the first loss of the moment of lossAt
	lossAt  unit.Time
}

const noYield = 2 // above all yields

// set gives a task another yield.
func (y *yields) set(slot uint32, yield float64) {
	for int(slot) >= len(y.of) {
		y.of = append(y.of, noYield)
	}
	y.of[slot] = yield
	y.changed = append(y.changed, slot)
}

// smallest returns the smallest yield of some tasks, and noYield if none has one.
func (y *yields) smallest() float64 {
	lowest := float64(noYield)
	for _, yield := range y.of {
		lowest = min(lowest, yield)
	}
	return lowest
}

// follow keeps the yields up to date with an event. It must see an event before the incidents do, because they read
// the smallest yield before the first loss of a moment. The first event of a later moment ends the present one: then
// the faults that have tasks waiting, or had until then, note the smallest yield.
func (i *Incidents) follow(e cluster.Event) {
	y := &i.yields
	if e.At != y.at {
		i.endMoment()
		y.at = e.At
	}
	slot := e.Task.Slot()
	switch e.Kind {
	case cluster.TaskAllotted, cluster.TaskChanged:
		share, has := i.view.Share(e.Task)
		if t, _ := i.view.Task(e.Task); has && t.Request[unit.CPU] > 0 {
			y.set(slot, share.Float()/t.Request[unit.CPU].Float())
		}
	case cluster.TaskDisplaced, cluster.NodeDown:
		if y.lossAt != e.At {
			y.lossAt, y.before = e.At, y.smallest()
		}
		if e.Kind == cluster.TaskDisplaced && int(slot) < len(y.of) {
			y.of[slot] = noYield
		}
	case cluster.TaskEnded, cluster.TaskReleased:
		if int(slot) < len(y.of) {
			y.of[slot] = noYield
		}
	}
}

// endMoment ends the present moment: its state lasts until the next event.
func (i *Incidents) endMoment() {
	if len(i.yields.changed) == 0 {
		return
	}
	for _, one := range i.all {
		one.LowestYield = i.lowestYield(one)
	}
	i.yields.changed = i.yields.changed[:0]
}

// lowestYield returns the smallest yield since a fault, with that of the present moment, until
// the moment when nothing waited any more.
func (i *Incidents) lowestYield(one *Incident) float64 {
	lowest := one.LowestYield
	if one.Yield > 0 && (one.Over == 0 || one.At+one.Over == i.yields.at) {
		for _, slot := range i.yields.changed {
			lowest = min(lowest, i.yields.of[slot])
		}
	}
	return lowest
}

// unpaid is a sold unit of work that a failed rack cannot deliver, until its price is
// given back.
type unpaid struct {
	rack int32
	at   unit.Time
}

// soldUnit names one: the auction and the job.
type soldUnit struct {
	ref uint32
	job unit.TaskID
}

// Note records the system's notes on prices that are refunded because of a fault.
func (i *Incidents) Note(n system.Note) {
	switch unit := (soldUnit{n.Ref, n.Task}); {
	case n.Kind == i.refund.Lost && n.Node >= 0:
		i.unpaid[unit] = unpaid{i.view.Rack(n.Node), n.At}
	case n.Kind == i.refund.Paid:
		sold, known := i.unpaid[unit]
		if !known {
			return
		}
		delete(i.unpaid, unit)
		for k := len(i.all) - 1; k >= 0; k-- {
			if one := i.all[k]; one.Rack == sold.rack && one.At <= sold.at {
				one.Refunds++
				one.Refunded += n.Value
				return
			}
		}
	}
}
