package plane

import (
	"cmp"
	"fmt"
	"slices"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/unit"
)

// pod is the life of a pod, or of a place for pods that is free.
type pod struct {
	state       state
	terminating bool  // it is terminating
	ready       bool  // since since
	wasReady    bool  // it was ready when it was deleted
	follows     bool  // it may wait for others to be placed, once its kind is known
	priority    int32 // once its kind is known
	kind        int32 // in the queue: 0 before it was there, -1 if no other is like it
	tries       int   // of the scheduler
	tried       unit.Time
	life        int // counts the pods of this place, so that an old timer does nothing
	hint        int // 1 + the node that it was nominated to, once its victims have ended
	group       int
	controller  controller // nil if nothing makes it anew
	// broken is why it never becomes ready, "" if it does.
	broken  string
	created unit.Time
	since   unit.Time
	uid     uint64
	own     *template // the template that made it; nil if it stands in the dump
}

// state is the state of a pod.
type state uint8

const (
	free      state = iota // no pod
	waiting                // for a node
	attaching              // for a volume that another node has
	starting               // bound; it becomes ready
	settled                // bound; it is ready, or never becomes so
	held                   // bound or not, and nothing of it changes: its node is silent, or it is gated
)

// template is the template of pods.
type template struct {
	base   kube.Pod
	free   []int // places for its pods
	made   int   // places that there are
	step   int   // places that are made when there is none, 0 for as many as there are
	broken string
	fresh  bool // of a rollout
}

// full returns the name of a pod.
func (p *Plane) full(i int) string { return p.c.Pods[i].Full() }

// node returns the name of a pod's node, "" if it has none.
func (p *Plane) node(i int) string { return p.c.Pods[i].NodeName }

// takeOver sets the state of pod i from the dump, counts it with its workload, budgets and volumes, and
// starts the timer of its next change: its end if it is terminating, its readiness if it is starting. A pod
// that started longer than patience ago and is not ready never becomes ready. Call it once for each pod, in
// order: it draws.
func (p *Plane) takeOver(i int) {
	q, l := &p.c.Pods[i], &p.pods[i]
	l.controller, l.group = p.makerOf(i), p.group(q.Namespace, p.keep.Of(q))
	l.created, l.uid = p.ago(q.Created), p.draws.Uint64()
	l.broken = q.Broken
	silent := q.Node == kube.Nowhere || p.states[q.Node].silent
	switch {
	case q.Pending():
		if l.state = waiting; len(q.Spec.Gates) > 0 || p.foreign(q) || q.Terminating() {
			l.state = held
		}
	case q.Terminating():
		l.state, l.terminating = held, true
		if left := p.ago(q.Deleted); !silent && left > -unit.Minute { // else nothing ends it
			p.after(min(left, unit.Time(q.Spec.Grace)*unit.Second), func() { p.gone(i, 0) })
		}
	case silent:
		l.state = held
	case q.Ready:
		l.state, l.ready, l.since = settled, true, p.ago(q.ReadySince)
		p.addReady(l.group, 1)
	case q.Broken == "" && (q.Started == 0 || p.ago(q.Started) > -patience):
		began := unit.Time(0)
		if q.Started != 0 {
			began = p.ago(q.Started)
		}
		l.state = starting
		p.after(max(0, began+p.startup(l.group)), func() { p.becomesReady(i, 0) })
	default:
		l.state = settled
		if l.broken == "" {
			l.broken = "it was not ready for " + fmt.Sprint(patience/unit.Minute) + " minutes or longer"
		}
	}
	p.volumes.use(p, i)
	p.budgets.join(p, i)
}

// patience is how long a pod that has never been ready is taken to be starting still.
const patience = 10 * unit.Minute

// Foreign reports whether a pod names a scheduler whose profile is not known. Pods of the default scheduler are placed
// by the profile that is given.
func Foreign(p *constraint.Profile, q *kube.Pod) bool {
	s := q.Spec.Scheduler
	return s != "" && s != "default-scheduler" && p.Of(s) == nil
}

func (p *Plane) foreign(q *kube.Pod) bool { return Foreign(p.o.Profile, q) }

// reserve adds n[t] free places for pods of each template t in order, which take the places after the last
// pod. Reserving many at once is cheap; each call copies the cluster and may rebuild the scheduler's state.
func (p *Plane) reserve(n map[*template]int, order []*template) {
	all := 0
	for _, t := range order {
		all += n[t]
	}
	more := make([]kube.Pod, 0, all)
	first := len(p.c.Pods)
	for _, t := range order {
		for range n[t] {
			q := t.base
			q.NodeName, q.Node, q.Name = "", kube.Nowhere, ""
			q.Claims, q.Ephemeral = q.Claims[:len(q.Claims)-q.Ephemeral], 0 // their claims are not made: see doc.go
			t.free = append(t.free, first+len(more))
			more = append(more, q)
		}
		t.made += n[t]
		slices.Sort(t.free)
		slices.Reverse(t.free)
	}
	own := *p.c
	own.Pods = append(own.Pods, more...)
	p.c = &own
	p.pods = append(p.pods, make([]pod, len(more))...)
	p.budgets.grow(p, first)
	if !p.s.Grow(p.c) {
		p.rebuild()
	}
	p.changes++
}

// create makes a pod of a template and returns its place, a free one of the template. The pod is queued, or
// held if a gate or an unknown scheduler keeps it. The caller adds it to its controller and has asked the
// quotas.
func (p *Plane) create(t *template, name string, maker controller, group int) int {
	if len(t.free) == 0 {
		p.reserve(map[*template]int{t: cmp.Or(t.step, max(4, t.made))}, []*template{t})
	}
	i := t.free[len(t.free)-1]
	t.free = t.free[:len(t.free)-1]
	q, l := &p.c.Pods[i], &p.pods[i]
	now := p.kernel.Now()
	q.Name, q.Phase, q.Ready, q.Deleted, q.Started, q.ReadySince = name, kube.PhasePending, false, 0, 0, 0
	q.Broken, q.Restarts, q.Nominated, q.Reason, q.Message = "", 0, "", "", ""
	q.Created = p.moment + int64(now/unit.Second)
	*l = pod{
		state: waiting, controller: maker, group: group, broken: t.broken, created: now, uid: p.draws.Uint64(),
		life: l.life, own: t,
	}
	p.recordPod(Created, i, "")
	p.quotas.Count(q, 1)
	p.budgets.join(p, i)
	if len(q.Spec.Gates) > 0 || p.foreign(q) {
		l.state = held
	} else {
		p.queue.add(p, []int{i})
	}
	return i
}

// bind gives pod i the node at and starts it, unless it must wait for a volume that is attached to another
// node. The node must have room: nothing is checked.
func (p *Plane) bind(i, at int) {
	q, l := &p.c.Pods[i], &p.pods[i]
	if p.o.Recording != nil {
		p.o.Recording.explain(p, i, at)
	}
	p.s.Bind(i, at)
	p.changes++
	q.Node, q.NodeName, q.Phase = at, p.c.Nodes[at].Name, kube.PhaseRunning
	q.Started = p.moment + int64(p.kernel.Now()/unit.Second)
	p.recordPod(Bound, i, "")
	p.busy(i)
	p.mark(l.controller)
	p.volumes.use(p, i)
	if h := p.volumes.elsewhere(p, i); h != nil {
		l.state = attaching
		p.recordPod(Attaching, i, "Multi-Attach error: the volume of "+h.claim+" is attached to "+h.node+h.reason)
		return
	}
	p.starts0(i)
}

// busy notes that a pod comes to its node or begins to end there. (karpenter, nodeclaim/podevents)
func (p *Plane) busy(i int) {
	if q := &p.c.Pods[i]; q.Node != kube.Nowhere && !q.DaemonSet() {
		p.states[q.Node].event = p.kernel.Now()
	}
}

// starts0 begins the start-up of a bound pod: it becomes ready after its start-up time, never if it is
// broken, and is held if its node does not answer.
func (p *Plane) starts0(i int) {
	l := &p.pods[i]
	if p.states[p.c.Pods[i].Node].silent {
		l.state = held
		return
	}
	if l.broken != "" {
		l.state = settled
		return
	}
	l.state = starting
	life := l.life
	p.after(p.startup(l.group), func() { p.becomesReady(i, life) })
}

// becomesReady ends the start-up of pod i. It does nothing if life is not the pod's, if the pod is not
// starting, or if it is terminating: the timer is then out of date.
func (p *Plane) becomesReady(i, life int) {
	l := &p.pods[i]
	if l.life != life || l.state != starting || l.terminating {
		return
	}
	l.state, l.ready, l.since = settled, true, p.kernel.Now()
	q := &p.c.Pods[i]
	q.Ready, q.ReadySince = true, p.moment+int64(p.kernel.Now()/unit.Second)
	p.addReady(l.group, 1)
	p.budgets.ready(i, 1)
	p.recordPod(Ready, i, "")
	if x, waits := l.controller.(interface{ becameReady() }); waits {
		x.becameReady()
	}
	p.mark(l.controller)
}

// unready marks a ready pod as not ready, in its workload, budgets and ReplicaSet. It does nothing if the
// pod is not ready.
func (p *Plane) unready(i int) {
	if l := &p.pods[i]; l.ready {
		l.ready = false
		p.c.Pods[i].Ready = false
		p.addReady(l.group, -1)
		p.budgets.ready(i, -1)
		if set, is := l.controller.(*replicaSet); is {
			set.ready--
		}
	}
}

// leaving notes that a pod terminates.
func (p *Plane) leaving(i int) {
	p.pods[i].terminating = true
	if set, is := p.pods[i].controller.(*replicaSet); is {
		set.live--
	}
}

// remove deletes a pod through the API: it ends within its grace period, at once if it has no node.
func (p *Plane) remove(i int, reason string) { p.removeWithin(i, reason, 0) }

// removeWithin is remove with a grace period of at most limit seconds; 0: the pod's own. It does nothing if
// the pod is terminating already. A pod on a node that does not answer stays terminating until a controller
// removes it. reason is the text of the fact; preempted also makes a pod without grace end before the
// scheduler goes on.
func (p *Plane) removeWithin(i int, reason string, limit int64) {
	q, l := &p.c.Pods[i], &p.pods[i]
	if l.state == free || l.terminating {
		return
	}
	wasHeld := l.state == held
	p.leaving(i)
	p.recordPod(Deleted, i, reason)
	l.wasReady = l.ready
	p.busy(i)
	p.unready(i)
	at := q.Node
	if at != kube.Nowhere && !p.states[at].absent { // a pod that terminates counts for no spread any more
		p.s.Unbind(i)
		q.Deleted = p.moment + int64(p.kernel.Now()/unit.Second) + 1
		p.s.Bind(i, at)
	} else {
		q.Deleted = 1
	}
	p.mark(l.controller)
	life := l.life
	switch {
	case at == kube.Nowhere:
		p.gone(i, life)
	case p.states[at].silent:
		l.state = held
	case wasHeld || l.state == attaching:
		p.after(0, func() { p.gone(i, life) })
	default:
		seconds := q.Spec.Grace
		if limit > 0 {
			seconds = min(seconds, limit)
		}
		t := p.grace(seconds)
		if t == 0 && reason == preempted { // the scheduler sees its room before it looks at another pod
			p.ending++
			p.after(0, func() { p.ending--; p.gone(i, life) })
			return
		}
		p.after(t, func() { p.gone(i, life) })
	}
}

// gone removes the object of pod i, if life is still its own, and frees its place for the next pod of its
// template. It frees the pod's node, volumes, budgets and quotas, and wakes all that may have waited for
// that: its controller, pods without a node, volumes and drains.
func (p *Plane) gone(i, life int) {
	q, l := &p.c.Pods[i], &p.pods[i]
	if l.life != life || l.state == free {
		return
	}
	p.unready(i)
	if l.state == waiting {
		p.queue.forget(i)
	}
	p.recordPod(Gone, i, "")
	p.s.Unbind(i)
	p.changes++
	p.volumes.leave(p, i)
	p.budgets.leave(i)
	p.quotas.Count(q, -1)
	q.Node, q.NodeName, q.Deleted = kube.Nowhere, "", 0
	maker, own := l.controller, l.own
	*l = pod{state: free, life: life + 1}
	if own != nil {
		own.free = append(own.free, i)
	}
	if f, forgets := maker.(interface{ forget(int) }); forgets {
		f.forget(i)
	}
	p.mark(maker)
	p.ended(i)
	p.queue.wake(p, all)
	p.volumes.retry(p)
	for _, d := range slices.Clone(p.drains) {
		d.check()
	}
}

// available reports whether a pod has been ready for a time.
func (p *Plane) available(i int, minimum unit.Time) bool {
	l := &p.pods[i]
	return l.ready && p.kernel.Now()-l.since >= minimum
}

// rebuild makes the State anew, after the cluster got more pods or nodes.
func (p *Plane) rebuild() {
	p.s = newState(p)
	p.changes++
}
