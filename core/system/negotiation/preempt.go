package negotiation

import (
	"cmp"
	"math"
	"slices"

	"parley/core/cluster"
	"parley/core/unit"
)

// Shutdown by priority where capacity is lost (section 8.2): with Later.Preempt
// nodes are not forced beyond what they have. Tasks of lower priority make room,
// and where nobody takes the load of an overloaded node its tasks of the lowest
// priority wait.

// force reports whether a node takes a task that is forced upon it, and by which
// figures that is checked. With preemption it takes one for which it has room
// with its headroom, or makes it.
func (a *balancer) force(id unit.TaskID, n unit.NodeID) (by cluster.Check, takes bool) {
	if !a.settings.Later.Preempt {
		return cluster.ByTotal, true
	}
	return cluster.ByUse, a.makeRoom(id, n)
}

// makeRoom stops tasks of lower priority than a task, the lowest first, until
// it has room on a node; none if that is not enough.
func (a *balancer) makeRoom(id unit.TaskID, n unit.NodeID) bool {
	v := a.env.View
	task, alive := v.Task(id)
	if !alive || v.Fits(id, n, cluster.ByTotal) != nil {
		return false
	}
	d := demandOf(&task)
	after, most := v.Used(n).Add(d.need), v.Capacity(n)
	for r := range most {
		most[r] = max(unit.Share(float64(most[r])*(1-a.settings.Headroom)), d.need[r])
	}
	stopped := a.byPriority(n, int(task.Priority))
	for i := 0; !after.Within(most); i++ {
		if i == len(stopped) {
			return false
		}
		after = after.Sub(stopped[i].usage)
		if after.Within(most) {
			stopped = stopped[:i+1]
		}
	}
	if v.Used(n).Add(d.need).Within(most) {
		return true
	}
	for _, one := range stopped {
		a.stop(one.task)
	}
	return true
}

// shutDown stops tasks of the lowest priority on a node that nobody relieves,
// until those that stay do not overload it.
func (a *balancer) shutDown(n unit.NodeID) {
	v := a.env.View
	if !v.Up(n) {
		return
	}
	staying := v.Used(n)
	for id := range v.Tasks(n) {
		if t, _ := v.Task(id); a.leaving(id, &t) {
			staying = staying.Sub(t.Usage)
		}
	}
	for _, one := range a.byPriority(n, math.MaxInt) {
		if staying.Within(v.Capacity(n)) {
			return
		}
		staying = staying.Sub(one.usage)
		a.stop(one.task)
	}
}

// urgent returns up to n of the parked tasks, the highest priority first.
func (a *balancer) urgent(n int) []unit.TaskID {
	priority := func(id unit.TaskID) int {
		t, alive := a.env.View.Task(id)
		if !alive || t.State != cluster.Waiting || a.overQuota(&t) {
			return -1
		}
		return int(t.Priority)
	}
	tasks := slices.DeleteFunc(slices.Clone(a.parked), func(id unit.TaskID) bool { return priority(id) < 0 })
	slices.SortStableFunc(tasks, func(x, y unit.TaskID) int { return cmp.Compare(priority(y), priority(x)) })
	return tasks[:min(n, len(tasks))]
}

// stop takes a task off its node and counts it.
func (a *balancer) stop(id unit.TaskID) {
	if a.env.Acts.Preempt(id) == nil {
		a.counts.preempted++
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
func (a *balancer) byPriority(n unit.NodeID, below int) []ranked {
	var tasks []ranked
	for id := range a.env.View.Tasks(n) {
		if t, _ := a.env.View.Task(id); int(t.Priority) < below && !a.leaving(id, &t) {
			tasks = append(tasks, ranked{id, t.Priority, t.Usage})
		}
	}
	slices.SortStableFunc(tasks, func(x, y ranked) int { return cmp.Compare(x.priority, y.priority) })
	return tasks
}
