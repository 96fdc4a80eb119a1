package plane

import (
	"cmp"
	"slices"

	"parley/core/kube"
	"parley/core/unit"
)

// taint taints the nodes of a zone that wait for it, as fast as its rate allows, and plans the pass for the
// next one. At a pass of the monitor it does nothing: look calls it after the rates are up to date.
func (l *lifecycle) taint(z *zone) {
	p := l.p
	now := p.kernel.Now()
	for z.every > 0 && len(z.queue) > 0 && z.token <= now {
		m := z.queue[0]
		z.queue = z.queue[1:]
		if !p.states[m.at].absent {
			z.token = now + z.every
			l.evict(m)
		}
	}
	if z.every == 0 || len(z.queue) == 0 {
		return
	}
	at := up(max(now, z.token), l.monitor, taintPass)
	if z.pass > 0 && z.pass <= at {
		return
	}
	z.pass = at
	p.kernel.At(at, do(func() {
		if z.pass != at {
			return // another rate has made it earlier
		}
		z.pass = 0
		if !l.watching || l.due != at { // else the monitor is first
			l.taint(z)
		}
	}), 0)
}

// evict taints a node and deletes its pods after the time for which they tolerate that, unless evictions
// are called off or the node leaves before. Static pods, and pods that tolerate the taint for ever, stay.
func (l *lifecycle) evict(m *machine) {
	p := l.p
	m.tainted = true
	p.setTaint(m.at, kube.NoExecute, true)
	p.record(Tainted, p.c.Nodes[m.at].Name, "", kube.UnreachableTaint+":NoExecute")
	turn := m.turn
	for _, i := range slices.Sorted(slices.Values(p.s.PodsOn(m.at))) {
		if p.c.Pods[i].Node != m.at || p.c.Pods[i].Mirror {
			continue
		}
		seconds := p.tolerates(i, p.s.Taints(m.at))
		if seconds < 0 {
			continue
		}
		life := p.pods[i].life
		p.after(unit.Time(seconds)*unit.Second, func() {
			if p.pods[i].life == life && m.turn == turn && !p.states[m.at].absent {
				p.remove(i, "TaintManagerEviction")
			}
		})
	}
}

// tolerates returns how many seconds a pod stays on a node with these taints, the least over the NoExecute
// ones: 0 if it does not tolerate one, -1 for ever. (pkg/controller/tainteviction/taint_eviction.go)
func (p *Plane) tolerates(i int, taints []kube.Taint) int64 {
	q, lowest := &p.c.Pods[i], int64(-1)
	for k := range taints {
		t := &taints[k]
		if t.Effect != kube.NoExecute {
			continue
		}
		at := slices.IndexFunc(q.Spec.Tolerations, func(x kube.Toleration) bool { return x.Tolerates(t) })
		seconds := int64(-1)
		switch {
		case at >= 0:
			seconds = q.Spec.Tolerations[at].Seconds
		case q.DaemonSet() && tolerated(added, t):
		case q.Created > p.moment && (t.Key == kube.UnreachableTaint || t.Key == kube.NotReadyTaint):
			seconds = tolerated300 // admission adds this toleration to new pods; a template lacks it
		default:
			return 0
		}
		if seconds >= 0 && (lowest < 0 || seconds < lowest) {
			lowest = seconds
		}
	}
	return lowest
}

// setTaint adds or removes the taint of a node that does not answer, with an effect; other taints stay.
func (p *Plane) setTaint(at int, effect kube.Effect, on bool) {
	t := kube.Taint{Key: kube.UnreachableTaint, Effect: effect}
	taints := slices.DeleteFunc(slices.Clone(p.s.Taints(at)), func(x kube.Taint) bool { return x == t })
	if on {
		taints = append(taints, t)
	}
	p.states[at].taints = slices.DeleteFunc(slices.Clone(taints),
		func(x kube.Taint) bool { return x.Key == kube.UnschedulableTaint })
	p.s.SetTaints(at, taints)
	p.changes++
}

// delete removes the node of a machine that does not exist any more. Its pods stay as objects until the
// garbage collector deletes them, after its quarantine and at one of its passes.
func (l *lifecycle) delete(m *machine) {
	p := l.p
	m.pods = p.abandon(m.at)
	p.record(Left, p.c.Nodes[m.at].Name, "", "its machine does not exist")
	due := l.next(l.gc, gcPass) + quarantine
	if p.o.Pace == Slow || p.o.Pace == Drawn && p.draw(2) == 0 { // it may be out of quarantine a moment after a pass
		due += gcPass
	}
	lives := make([]int, len(m.pods))
	for k, i := range m.pods {
		lives[k] = p.pods[i].life
	}
	p.kernel.At(due, do(func() {
		for k, i := range m.pods {
			if p.pods[i].life != lives[k] {
				continue
			}
			if !p.pods[i].terminating {
				p.recordPod(Deleted, i, "PodGC: node no longer exists")
				p.leaving(i)
			}
			p.gone(i, lives[k])
		}
	}), 0)
	l.watch()
	p.queue.wake(p, all)
}

// abandon removes a node from the cluster and returns the pods that were bound to it. They stay as objects
// and count nowhere; nominations to the node end.
func (p *Plane) abandon(at int) (left []int) {
	for _, i := range slices.SortedFunc(slices.Values(p.s.PodsOn(at)), cmp.Compare[int]) {
		if p.denominate(i) {
			continue
		}
		left = append(left, i)
		p.s.Unbind(i)
	}
	p.states[at].absent = true
	p.s.Remove(at)
	p.changes++
	for _, s := range p.daemonsInOrder {
		p.mark(s)
	}
	return left
}
