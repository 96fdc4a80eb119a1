package negotiation

import (
	"cmp"
	"math"
	"slices"

	"parley/core/cluster"
	"parley/core/unit"
)

// Shutdown by priority if capacity is lost (section 8.2): with Later.Preempt nodes are not forced
// beyond their capacity. Tasks of lower priority make room, and if no node takes the load of an
// overloaded node, its tasks of the lowest priority wait.

type preemption struct {
	*base
	departures interface {
		leaving(unit.TaskID, *cluster.Task) bool // the task leaves its node anyway
	}
	preempted int64 // tasks that were stopped
}

// force reports whether a node takes a task that is forced upon it, and by which
// figures that is checked. With preemption it takes one for which it has room
// with its headroom, or makes it.
func (p *preemption) force(id unit.TaskID, n unit.NodeID) (by cluster.Check, takes bool) {
	if !p.settings.Later.Preempt {
		return cluster.ByTotal, true
	}
	return cluster.ByUse, p.makeRoom(id, n)
}

// makeRoom stops tasks of lower priority than a task, the lowest first, until
// it has room on a node; none if that is not enough.
func (p *preemption) makeRoom(id unit.TaskID, n unit.NodeID) bool {
	v := p.View
	task, alive := v.Task(id)
	if !alive || v.Fits(id, n, cluster.ByTotal) != nil {
		return false
	}
	d := demandOf(&task)
	after, limit := v.Used(n).Add(d.Need), v.Capacity(n)
	for r := range limit {
		limit[r] = max(unit.Share(float64(limit[r])*(1-p.settings.Headroom)), d.Need[r])
	}
	stopped := p.byPriority(n, int(task.Priority))
	for i := 0; !after.Within(limit); i++ {
		if i == len(stopped) {
			return false
		}
		after = after.Sub(stopped[i].usage)
		if after.Within(limit) {
			stopped = stopped[:i+1]
		}
	}
	if v.Used(n).Add(d.Need).Within(limit) {
		return true
	}
	for _, one := range stopped {
		p.stop(one.task)
	}
	return true
}

// shutDown stops tasks of the lowest priority on a node that no other relieves,
// until those that stay do not overload it.
func (p *preemption) shutDown(n unit.NodeID) {
	v := p.View
	if !v.Up(n) {
		return
	}
	staying := v.Used(n)
	for id := range v.Tasks(n) {
		if t, _ := v.Task(id); p.departures.leaving(id, &t) {
			staying = staying.Sub(t.Usage)
		}
	}
	for _, one := range p.byPriority(n, math.MaxInt) {
		if staying.Within(v.Capacity(n)) {
			return
		}
		staying = staying.Sub(one.usage)
		p.stop(one.task)
	}
}

// stop takes a task off its node and counts it.
func (p *preemption) stop(id unit.TaskID) {
	if p.Acts.Preempt(id) == nil {
		p.preempted++
	}
}

// ranked is a task that could be stopped.
type ranked struct {
	task     unit.TaskID
	priority uint8
	usage    unit.Vec
}

// byPriority returns the tasks that stay on a node and have a priority below a
// limit, the lowest first and of one priority the latest.
func (p *preemption) byPriority(n unit.NodeID, below int) []ranked {
	var tasks []ranked
	for id := range p.View.Tasks(n) {
		if t, _ := p.View.Task(id); int(t.Priority) < below && !p.departures.leaving(id, &t) {
			tasks = append(tasks, ranked{id, t.Priority, t.Usage})
		}
	}
	slices.SortStableFunc(tasks, func(x, y ranked) int { return cmp.Compare(x.priority, y.priority) })
	return tasks
}
