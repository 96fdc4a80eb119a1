package negotiation_test

import (
	"fmt"

	"parley/core/cluster"
	"parley/core/unit"
	"parley/core/workload"
)

// ledger writes down from the events alone where every task stands, and what was
// impossible about it. It is an observer of a run.
type ledger struct {
	view  func() cluster.View
	see   func(*ledger, cluster.Event) // after every event, if not nil
	tasks map[unit.TaskID]*posting
	ended map[unit.TaskID]bool
	on    map[unit.NodeID]int                 // tasks that hold something there
	jobs  map[uint64]map[unit.TaskID]struct{} // tasks that have not ended
	users map[uint32]*[unit.Resources]int64   // what each user's placed tasks request
	wrong error                               // the first impossible thing
}

// posting is where one task stands.
type posting struct {
	state        cluster.State
	node, target unit.NodeID
	since        unit.Time // it stands so
	class        workload.PriorityClass
	job          uint64
	user         uint32
	spread       bool
	request      unit.Vec
}

func newLedger() *ledger {
	return &ledger{
		tasks: map[unit.TaskID]*posting{}, ended: map[unit.TaskID]bool{}, on: map[unit.NodeID]int{},
		jobs: map[uint64]map[unit.TaskID]struct{}{}, users: map[uint32]*[unit.Resources]int64{},
	}
}

// Observe implements run.Observer.
func (l *ledger) Observe(e cluster.Event) {
	if l.wrong == nil {
		if subject := l.post(e); subject != "" {
			l.wrong = fmt.Errorf("%v %v of task %d, node %d to %d: %s", e.At, e.Kind, e.Task, e.Node, e.Other, subject)
		}
	}
	if l.see != nil && l.wrong == nil {
		l.see(l, e)
	}
}

// post books an event and says what is impossible about it.
func (l *ledger) post(e cluster.Event) string {
	if e.Kind == cluster.NodeDown && l.on[e.Node] != 0 {
		return fmt.Sprintf("%d tasks are still there", l.on[e.Node])
	}
	if e.Kind == cluster.TaskSubmitted {
		return l.submit(e.Task, e.At)
	}
	p := l.tasks[e.Task]
	from := map[cluster.Kind]cluster.State{
		cluster.TaskPlaced: cluster.Waiting, cluster.TaskDisplaced: cluster.Running, cluster.MigrationBegan: cluster.Running,
		cluster.MigrationEnded: cluster.Migrating, cluster.MigrationBroken: cluster.Migrating,
	}
	need, moves := from[e.Kind]
	switch {
	case moves && p == nil || e.Kind == cluster.TaskEnded && p == nil:
		return "nobody submitted it, or it has ended"
	case moves && p.state != need:
		return fmt.Sprintf("it is %v, not %v", p.state, need)
	case moves && e.Kind != cluster.TaskPlaced && e.Node != p.node:
		return fmt.Sprintf("it is on node %d", p.node)
	case (e.Kind == cluster.MigrationEnded || e.Kind == cluster.MigrationBroken) && e.Other != p.target:
		return fmt.Sprintf("it was on its way to node %d", p.target)
	}
	if moves {
		p.since = e.At
	}
	switch e.Kind {
	case cluster.TaskPlaced:
		l.put(p, cluster.Running, e.Node, unit.NoNode)
	case cluster.TaskDisplaced:
		l.put(p, cluster.Waiting, unit.NoNode, unit.NoNode)
	case cluster.MigrationBegan:
		if e.Other == e.Node {
			return "to where it is"
		}
		l.put(p, cluster.Migrating, e.Node, e.Other)
	case cluster.MigrationEnded:
		l.put(p, cluster.Running, e.Other, unit.NoNode)
	case cluster.MigrationBroken:
		l.put(p, cluster.Running, e.Node, unit.NoNode)
	case cluster.TaskEnded:
		if p.state == cluster.Migrating || e.Node != p.node {
			return fmt.Sprintf("it is %v on node %d", p.state, p.node)
		}
		l.put(p, cluster.Waiting, unit.NoNode, unit.NoNode)
		delete(l.tasks, e.Task)
		delete(l.jobs[p.job], e.Task)
		l.ended[e.Task] = true
	}
	return ""
}

func (l *ledger) submit(id unit.TaskID, at unit.Time) string {
	if l.tasks[id] != nil || l.ended[id] {
		return "it was there before"
	}
	p := &posting{since: at, state: cluster.Waiting, node: unit.NoNode, target: unit.NoNode}
	if t, alive := l.view().Task(id); alive {
		p.class, p.job, p.user, p.spread, p.request = t.Class, t.Key.Job, t.User, t.Spread, t.Request
	}
	l.tasks[id] = p
	if l.jobs[p.job] == nil {
		l.jobs[p.job] = map[unit.TaskID]struct{}{}
	}
	l.jobs[p.job][id] = struct{}{}
	return ""
}

func (l *ledger) put(p *posting, s cluster.State, node, target unit.NodeID) {
	l.hold(p, -1)
	p.state, p.node, p.target = s, node, target
	l.hold(p, 1)
}

func (l *ledger) hold(p *posting, by int) {
	for _, n := range [2]unit.NodeID{p.node, p.target} {
		if n != unit.NoNode {
			l.on[n] += by
		}
	}
	if p.node == unit.NoNode {
		return
	}
	if l.users[p.user] == nil {
		l.users[p.user] = &[unit.Resources]int64{}
	}
	for r := range p.request {
		l.users[p.user][r] += int64(by) * int64(p.request[r])
	}
}

// check compares the ledger with the cluster, task by task.
func (l *ledger) check() error {
	if l.wrong != nil {
		return l.wrong
	}
	v := l.view()
	var states [4]int
	for id, p := range l.tasks {
		t, alive := v.Task(id)
		if !alive || t.State != p.state || t.Node != p.node || t.Target != p.target {
			return fmt.Errorf("task %d is %v on node %d by the events, in the cluster %+v", id, p.state, p.node, t)
		}
		states[p.state]++
	}
	totals := v.Totals()
	ended := int64(0)
	for _, n := range totals.Ended {
		ended += n
	}
	if totals.Waiting != states[cluster.Waiting] || totals.Running != states[cluster.Running] || totals.Migrating != states[cluster.Migrating] ||
		ended != int64(len(l.ended)) || totals.Submitted != int64(len(l.tasks)+len(l.ended)) {
		return fmt.Errorf("the events leave %v free, waiting, running and migrating and %d ended, the cluster has %+v", states, len(l.ended), totals)
	}
	return nil
}

// waiting counts the batch and production tasks that run nowhere.
func (l *ledger) waiting() (n [2]int) {
	for _, p := range l.tasks {
		if p.state == cluster.Waiting {
			n[p.class]++
		}
	}
	return n
}
