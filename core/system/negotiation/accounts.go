package negotiation

import (
	"parley/core/cluster"
	"parley/core/system/negotiation/broker"
	"parley/core/unit"
)

// Quotas and anti-affinity of replicas (section 8.2) need accounts of the placed tasks. Brokers
// read them when they recommend, nodes once more before they take a task: another task may have
// arrived between the two.

// accounts are kept only if a quota or a spread is set.
type accounts struct {
	*base
	tasks    map[unit.TaskID]account
	users    users
	replicas replicas
}

func newAccounts(b *base) *accounts {
	a := &accounts{base: b}
	if a.keeps() {
		a.tasks, a.users, a.replicas = map[unit.TaskID]account{}, users{}, replicas{}
	}
	return a
}

// account is the record of a placed task, kept because the task may be unknown to the cluster when
// it leaves.
type account struct {
	user    uint32
	request unit.Vec
	job     uint64
	spread  bool
}

// users holds the sum of each user's placed requests.
type users map[uint32]unit.Vec

// replicas counts the tasks of each job that asks for different machines, by
// node or rack. A migrating task counts on both sides.
type replicas map[replica]int32

type replica struct {
	job   uint64
	place int32 // a node, or a rack
}

func (r replicas) add(at replica, n int32) {
	if r[at] += n; r[at] == 0 {
		delete(r, at)
	}
}

// keeps reports whether accounts of placed tasks are kept.
func (a *accounts) keeps() bool {
	return a.settings.Later.Quota > 0 || a.settings.Later.Spread != "off"
}

// arrived books a task that a node owns from now on.
func (a *accounts) arrived(id unit.TaskID, n unit.NodeID) {
	t, alive := a.View.Task(id)
	if !a.keeps() || !alive {
		return
	}
	one := account{user: t.User, request: t.Request, job: t.Key.Job, spread: t.Spread}
	a.tasks[id] = one
	a.users[one.user] = a.users[one.user].Add(one.request)
	a.count(&one, n, 1)
}

// left takes a task that waits again or has ended off its node's account.
func (a *accounts) left(id unit.TaskID, n unit.NodeID) {
	one, booked := a.tasks[id]
	if !booked {
		return
	}
	delete(a.tasks, id)
	a.users[one.user] = a.users[one.user].Sub(one.request)
	a.count(&one, n, -1)
}

// coming books a task on the node that it migrates to, stayed takes it off
// that node's account when the migration broke off, moved off the node that it
// left.
func (a *accounts) coming(id unit.TaskID, to unit.NodeID)  { a.countTask(id, to, 1) }
func (a *accounts) stayed(id unit.TaskID, to unit.NodeID)  { a.countTask(id, to, -1) }
func (a *accounts) moved(id unit.TaskID, from unit.NodeID) { a.countTask(id, from, -1) }

func (a *accounts) countTask(id unit.TaskID, n unit.NodeID, by int32) {
	if one, booked := a.tasks[id]; booked {
		a.count(&one, n, by)
	}
}

func (a *accounts) count(one *account, n unit.NodeID, by int32) {
	if one.spread && a.settings.Later.Spread != "off" {
		a.replicas.add(a.place(one.job, n), by)
	}
}

// revise updates the booked request of a task.
func (a *accounts) revise(id unit.TaskID) {
	one, booked := a.tasks[id]
	t, alive := a.View.Task(id)
	if !booked || !alive {
		return
	}
	a.users[one.user] = a.users[one.user].Sub(one.request).Add(t.Request)
	one.request = t.Request
	a.tasks[id] = one
}

// overQuota reports whether a task that waits would take its user over the
// quota.
func (a *accounts) overQuota(t *cluster.Task) bool {
	if a.settings.Later.Quota == 0 {
		return false
	}
	has, capacity := a.users[t.User].Add(t.Request), a.View.Totals().Capacity
	for r := range has {
		if float64(has[r]) > float64(a.settings.Later.Quota*float64(capacity[r])) {
			return true
		}
	}
	return false
}

// place returns where a job's replicas must not meet: a node, or its rack.
func (a *accounts) place(job uint64, n unit.NodeID) replica {
	if a.settings.Later.Spread == "rack" {
		return replica{job, a.View.Rack(n)}
	}
	return replica{job, int32(n)}
}

// crowds reports whether a task would meet another replica of its job on a
// node, or in its rack.
func (a *accounts) crowds(id unit.TaskID, n unit.NodeID) bool {
	if a.settings.Later.Spread == "off" {
		return false
	}
	t, alive := a.View.Task(id)
	if !alive || !t.Spread {
		return false
	}
	at := a.place(t.Key.Job, n)
	others := a.replicas[at]
	if t.Node != unit.NoNode && a.place(t.Key.Job, t.Node) == at {
		others-- // that is the task itself
	}
	return others > 0
}

// constrain fills in the conditions on a node beside room: the task's constraints and its
// anti-affinity.
func (a *accounts) constrain(id unit.TaskID, q *broker.Query) {
	q.Not, q.AntiAffinity, q.Force = unit.NoNode, nil, false
	a.View.Suitable(id, &q.Suitable)
	if a.settings.Later.Spread == "off" {
		return
	}
	if t, alive := a.View.Task(id); alive && t.Spread {
		q.AntiAffinity = func(n unit.NodeID) bool { return !a.crowds(id, n) }
	}
}
