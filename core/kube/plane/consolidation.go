package plane

import (
	"slices"

	"parley/core/kube"
	"parley/core/unit"
)

// Karpenter is Karpenter's disruption controller in a play: it removes and replaces nodes, one command after
// another, while the commands before are still carried out.
// (sigs.k8s.io/karpenter v1.6.0, pkg/controllers/disruption)
type Karpenter struct {
	p        *Plane
	o        KarpenterOptions
	Commands []*Command
	Kept     []Kept // at the last look
	Dropped  int    // commands that were not valid any more when they should begin
	// More reports that it was stopped after as many commands as it may have.
	More      bool
	busy      map[int]bool      // nodes that a command removes
	boots     map[int]bool      // nodes that a command adds and that have not joined
	nominated map[int]unit.Time // until when a node is a target of pods that move
	byName    []int             // all nodes
	tried     []int             // the same, as they are tried for a pod
	fresh     stock
	trial     *trial
	serial    int
	due       unit.Time // when the next node may become consolidatable
	seen      int       // facts at the last look that found nothing; -1: it looks again without new ones
	open      int       // commands that are carried out
	idle      bool      // the last look found nothing
}

// Times of Karpenter. (disruption/controller.go, consolidation.go; nomination: 2 x the longest batch)
const (
	polls      = 10 * unit.Second
	validation = 15 * unit.Second
	nomination = 20 * unit.Second
	longestRun = 10 * unit.Minute // of the launch of a replacement
)

// Consolidate lets Karpenter consolidate nodes from now on. Run it with Plane.Run until Over.
func (p *Plane) Consolidate(o KarpenterOptions) *Karpenter {
	k := &Karpenter{
		p: p, o: o, busy: map[int]bool{}, boots: map[int]bool{}, nominated: map[int]unit.Time{},
	}
	k.stock()
	p.after(0, func() { k.look(byEmptiness) })
	return k
}

// stock makes sure that each offer has an absent node that can join, at Offer.at. A command that uses one
// resets at to 0, so that the next call adds another.
func (k *Karpenter) stock() {
	var nodes []kube.Node
	var drivers []kube.CSINode
	var likes []int
	for i := range k.o.Offers {
		if o := &k.o.Offers[i]; o.at == 0 {
			k.serial++
			n, d := k.o.Fresh(o, k.serial)
			o.at = len(k.p.c.Nodes) + len(nodes)
			nodes, drivers, likes = append(nodes, n), append(drivers, d...), append(likes, o.Like)
		}
	}
	if len(nodes) > 0 {
		k.fresh.add(k.p, nodes, drivers, likes)
	}
}

// begin makes the state of a trial: nodes that are being removed are gone, their pods are where Karpenter expects
// them, and nodes that are being added are there.
func (k *Karpenter) begin() {
	k.trial = &trial{s: k.p.s}
	k.sortNodes()
	for _, at := range sorted(k.boots) {
		k.fresh.joins(k.trial, at)
	}
	var pods []int
	for _, at := range sorted(k.busy) {
		if k.p.states[at].absent {
			continue
		}
		x := candidate{at: at}
		for _, i := range slices.Sorted(slices.Values(k.p.s.PodsOn(at))) {
			if q := &k.p.c.Pods[i]; !q.Mirror && q.Owner.Kind != "Node" && !q.DaemonSet() &&
				(!k.p.pods[i].terminating || q.Owner.Kind == "StatefulSet") {
				x.pods = append(x.pods, i)
			}
		}
		pods = append(pods, x.pods...)
		k.trial.removeWithPods(at)
	}
	k.order(pods)
	k.placeAll(pods)
	for _, i := range pods {
		if to := k.p.s.NodeOf(i); to != kube.Nowhere {
			k.nominated[to] = max(k.nominated[to], k.p.kernel.Now()+1)
		}
	}
}

// look decides about the next command, by the method from or a later one, validates it 15 seconds later,
// and starts it if it still holds. If not, it goes on with the methods after it. If there is no command, it
// polls. It stops after MaxCommands commands, or after ten times as many that did not hold.
func (k *Karpenter) look(from int) {
	if k.More = len(k.Commands) >= k.o.MaxCommands || k.Dropped > 10*k.o.MaxCommands; k.More {
		k.idle = true
		return
	}
	k.stock()
	k.due = unit.Forever
	k.begin()
	one, method := k.decide(from)
	k.trial.back(0)
	if one == nil {
		k.idle, k.seen = true, k.p.factCount
		k.p.after(polls, k.poll)
		return
	}
	k.idle, one.Decided = false, k.p.kernel.Now()
	k.p.after(validation, func() {
		if k.valid(one) {
			k.start(one)
			k.p.after(0, func() { k.look(byEmptiness) })
			return
		}
		k.Dropped++
		if method == bySingle {
			k.idle, k.seen = true, -1
			k.p.after(polls, k.poll)
			return
		}
		k.look(method + 1)
	})
}

// poll looks again if a fact was recorded since the last look, or a node became consolidatable; otherwise
// it waits for the next event or for that. It ends if neither comes.
func (k *Karpenter) poll() {
	if k.seen != k.p.factCount || k.due <= k.p.kernel.Now() {
		k.look(byEmptiness)
		return
	}
	if next := k.p.kernel.Next(); next < unit.Forever || k.due < unit.Forever {
		k.p.after(max(polls, min(next, k.due)-k.p.kernel.Now()), k.poll)
	}
}

// valid reports whether a command still has its intended effect, and updates it: an empty one keeps the
// nodes that are empty still, another gets the moves and the new node of now. (disruption/validation.go)
func (k *Karpenter) valid(one *Command) bool {
	k.begin()
	defer k.trial.back(0)
	kept := k.Kept
	defer func() { k.Kept = kept }()
	var some []candidate
	left := map[string]int{}
	reason := Underutilized
	if one.Kind == "empty" {
		reason = Empty
	}
	for _, x := range k.candidates() {
		if !slices.Contains(one.Nodes, x.at) {
			continue
		}
		if _, counted := left[x.pool.Name]; !counted {
			left[x.pool.Name], _ = k.Allowed(x.pool, reason)
		}
		if left[x.pool.Name]--; left[x.pool.Name] >= 0 && (one.Kind != "empty" || len(x.pods) == 0) {
			some = append(some, x)
		}
	}
	if one.Kind == "empty" { // those that are empty still
		one.Nodes = nil
		for _, x := range some {
			one.Nodes = append(one.Nodes, x.at)
		}
		return len(some) > 0
	}
	if len(some) != len(one.Nodes) {
		return false
	}
	again, _, _ := k.compute(some)
	if again == nil || (again.New == kube.Nowhere) != (one.New == kube.Nowhere) {
		return false
	}
	one.New, one.Offer, one.Moves = again.New, again.Offer, again.Moves
	return true
}

// start carries a command out: its nodes take no new pods, the new one joins, then the old ones are drained.
func (k *Karpenter) start(one *Command) {
	k.Commands = append(k.Commands, one)
	k.open++
	one.Started, one.left = k.p.kernel.Now(), len(one.Nodes)
	for _, at := range one.Nodes {
		k.busy[at] = true
		k.p.cordon(at, true)
	}
	for _, m := range one.Moves {
		k.nominated[m.To] = one.Started + nomination
	}
	if one.New == kube.Nowhere {
		k.terminate(one)
		return
	}
	k.boots[one.New] = true
	offer := one.Offer
	offer.at = 0 // another is stocked
	k.p.after(min(offer.Boot, longestRun), func() {
		delete(k.boots, one.New)
		k.p.join(one.New)
		k.fresh.settle(k.p, one.New)
		k.terminate(one)
	})
}

// terminate drains the nodes of a command. Each leaves when it is empty; the command is done when all have
// left.
func (k *Karpenter) terminate(one *Command) {
	for _, at := range one.Nodes {
		d := &Drain{p: k.p, at: at, wait: backsOff, done: func() {
			k.p.after(0, func() {
				k.p.leave(at)
				if one.left--; one.left == 0 {
					one.Done = k.p.kernel.Now()
					k.open--
				}
			})
		}}
		d.begin()
		one.Drains = append(one.Drains, d)
	}
}

// backsOff is how long Karpenter waits after a refusal: 100 ms, then twice as long each time, at most 10 s.
func backsOff(refusals int) unit.Time { return min(unit.Second/10<<min(refusals, 7), 10*unit.Second) }

// Over reports whether Karpenter finds nothing more to do, or is stuck: a command is open and nothing has
// happened for longer than any boot or start takes. Call it at the end of each moment, as Plane.Run does
// with its argument done.
func (k *Karpenter) Over() bool {
	if !k.idle {
		return false
	}
	if k.open > 0 {
		return k.p.factCount > 0 && k.p.kernel.Now()-k.p.last > quiet
	}
	return k.More || k.seen == k.p.factCount && k.due == unit.Forever && k.p.settled()
}

// settled reports whether no pod starts, ends or waits for the end of its back-off.
func (p *Plane) settled() bool {
	return p.queue.backing == 0 && !slices.ContainsFunc(p.pods,
		func(l pod) bool { return l.state == starting || l.terminating && l.state != held })
}
