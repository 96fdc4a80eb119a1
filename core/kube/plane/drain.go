package plane

import (
	"slices"

	"parley/core/kube"
	"parley/core/unit"
)

// Drain empties a node as kubectl drain does: it evicts all pods at once, and tries those again that are
// refused.
// (k8s.io/kubectl/pkg/drain/drain.go)
type Drain struct {
	p     *Plane
	at    int
	begun unit.Time
	Ended unit.Time // when the node was empty, -1 if it is not
	// Blocks are the evictions that were refused, by pod, in the order in which they were first refused.
	Blocks   []Block
	Moved    int
	Lost     []string // pods that nothing makes anew
	Forced   []string // pods that were deleted when the limit passed
	pods     []listed
	over     bool
	waits    bool                         // an eviction was refused at the last try
	wait     func(refusals int) unit.Time // until the next try
	maxGrace int64                        // seconds of grace, 0 for any
	refusals int                          // rounds in which an eviction was refused
	evicted  func()                       // is called when no eviction is refused any more
	done     func()
}

// Block is a pod that a disruption budget kept on its node.
type Block struct {
	Pod    string
	Budget string // NAMESPACE/NAME, "" if there are two
	Text   string // the API server's words
	From   unit.Time
	Until  unit.Time // -1 if it still does
	place  int       // index of the pod in Plane.pods
	life   int       // which pod of that place: see pod.life
}

// Node returns the node that is emptied.
func (d *Drain) Node() int { return d.at }

// retry is how long kubectl drain waits after a refusal.
const retry = 5 * unit.Second

// drain begins to empty a node as kubectl does; done is called once, when it is empty.
func (p *Plane) drain(at int, done func()) *Drain {
	d := &Drain{p: p, at: at, done: done, wait: func(int) unit.Time { return retry }}
	d.begin()
	return d
}

// begin starts a drain whose waits and end its maker has set.
func (d *Drain) begin() {
	d.begun, d.Ended = d.p.kernel.Now(), -1
	d.p.cordon(d.at, true)
	d.p.drains = append(d.p.drains, d)
	d.p.show(DrainBegins, d.at)
	d.pods = d.list()
	d.try()
}

// listed is a pod that was on the node when the drain began.
type listed struct{ pod, life int }

// list returns the pods that must leave the node; those of DaemonSets and static ones stay. Pods that come
// later, as they tolerate the cordon, are none of them.
func (d *Drain) list() (all []listed) {
	for _, i := range slices.Sorted(slices.Values(d.p.s.PodsOn(d.at))) {
		if q := &d.p.c.Pods[i]; q.Node == d.at && !q.Mirror && q.Owner.Kind != "Node" && !q.DaemonSet() {
			all = append(all, listed{i, d.p.pods[i].life})
		}
	}
	return all
}

// left returns the places of the listed pods that still exist. A place whose life differs has another pod.
func (d *Drain) left() (all []int) {
	for _, x := range d.pods {
		if d.p.pods[x.pod].life == x.life {
			all = append(all, x.pod)
		}
	}
	return all
}

// try evicts the pods that are left, and tries again after d.wait if any is refused. It ends the drain if
// the node is empty, and calls d.evicted once no eviction is refused any more.
func (d *Drain) try() {
	if d.over {
		return
	}
	again := false
	for _, i := range d.left() {
		l := &d.p.pods[i]
		if l.terminating {
			continue
		}
		name, bare := d.p.full(i), l.controller == nil
		if r := d.p.evict(i, d.maxGrace); r != nil {
			again = true
			d.refused(i, r)
			continue
		}
		if d.Moved++; bare {
			d.Lost = append(d.Lost, name)
		}
		for k := range d.Blocks {
			if b := &d.Blocks[k]; b.place == i && b.life == l.life && b.Until < 0 {
				b.Until = d.p.kernel.Now()
			}
		}
	}
	d.waits = again
	if d.check(); again && !d.over {
		d.refusals++
		d.p.after(d.wait(d.refusals-1), d.try)
	}
	if !again && !d.over && d.evicted != nil {
		d.evicted()
	}
}

// refused records that the eviction of pod i was refused, and reports it, the first time only: the
// pod is tried again and again.
func (d *Drain) refused(i int, r *Refusal) {
	life := d.p.pods[i].life
	if slices.ContainsFunc(d.Blocks, func(b Block) bool { return b.place == i && b.life == life }) {
		return
	}
	budget := ""
	if r.Budget >= 0 {
		b := &d.p.c.Budgets[r.Budget]
		budget = b.Namespace + "/" + b.Name
	}
	d.Blocks = append(d.Blocks, Block{
		Pod: d.p.full(i), Budget: budget, Text: r.Text, From: d.p.kernel.Now(), Until: -1, place: i, life: life,
	})
	d.p.recordPod(Refused, i, r.Text)
}

// check ends the drain if the node is empty.
func (d *Drain) check() {
	if d.over || slices.ContainsFunc(d.pods, func(x listed) bool { return d.p.pods[x.pod].life == x.life }) {
		return
	}
	d.over, d.Ended = true, d.p.kernel.Now()
	d.p.show(Emptied, d.at)
	d.p.drains = slices.DeleteFunc(d.p.drains, func(x *Drain) bool { return x == d })
	d.done()
}

// force deletes the pods that are left, which no budget refuses.
func (d *Drain) force() {
	for _, i := range d.left() {
		if l := &d.p.pods[i]; !l.terminating {
			d.Forced = append(d.Forced, d.p.full(i))
			if l.controller == nil {
				d.Lost = append(d.Lost, d.p.full(i))
			}
			d.p.remove(i, "deleted")
		}
	}
	for k := range d.Blocks {
		if b := &d.Blocks[k]; b.Until < 0 {
			b.Until = d.p.kernel.Now()
		}
	}
	d.check()
}

// giveUp ends the drain with pods left on the node.
func (d *Drain) giveUp() {
	d.over = true
	d.p.drains = slices.DeleteFunc(d.p.drains, func(x *Drain) bool { return x == d })
}

// cordon sets or clears whether a node takes new pods.
func (p *Plane) cordon(at int, on bool) {
	if p.states[at].cordoned == on {
		return
	}
	p.states[at].cordoned = on
	p.s.Cordon(at, on)
	p.changes++
	p.record(map[bool]Kind{true: Cordoned, false: Uncordoned}[on], p.c.Nodes[at].Name, "", "")
	if !on {
		p.queue.wake(p, all)
	}
}

// addNodes adds nodes that have not joined yet, and returns the place of the first.
func (p *Plane) addNodes(nodes []kube.Node, drivers []kube.CSINode) int {
	from := len(p.c.Nodes)
	p.c = p.c.With(nodes, nil)
	p.c.CSINodes = slices.Concat(p.c.CSINodes, drivers)
	for i := range nodes {
		p.states = append(p.states, nodeState{absent: true})
		p.nodeAt[nodes[i].Name] = from + i
	}
	if p.o.Recording != nil {
		p.o.Recording.grow(p)
	}
	p.rebuild()
	return from
}

// join lets a node join the cluster.
func (p *Plane) join(at int) {
	p.states[at].absent, p.states[at].event = false, p.kernel.Now()
	p.s.Restore(at)
	p.changes++
	p.record(Joined, p.c.Nodes[at].Name, "", "")
	for _, s := range p.daemonsInOrder {
		p.mark(s)
	}
	p.queue.wake(p, all)
}

// leave takes a node out of the cluster: the pods that are on it are gone.
func (p *Plane) leave(at int) {
	p.states[at].absent = true
	for _, i := range slices.Sorted(slices.Values(p.s.PodsOn(at))) {
		if p.denominate(i) {
			continue
		}
		if !p.pods[i].terminating {
			p.leaving(i)
		}
		p.gone(i, p.pods[i].life)
	}
	p.s.Remove(at)
	p.changes++
	p.record(Left, p.c.Nodes[at].Name, "", "")
	p.queue.wake(p, all)
}
