package central

import (
	"slices"

	"parley/core/cluster"
	"parley/core/heap"
	"parley/core/system"
	"parley/core/unit"
)

// Off defines when nodes are switched off, as Slurm's SuspendTime and SuspendExcNodes do.
type Off struct {
	// After is how long a node has no job before it is switched off; 0: never.
	After unit.Time `json:"after_us"`
	// Keep is how many nodes without a job stay on.
	Keep int `json:"keep"`
}

// described returns the settings with their meanings.
func (o *Off) described() []system.Setting {
	const group = "Switching off"
	return []system.Setting{
		{
			ID: "batch.off.after_us", Name: "Off after", Group: group, Value: o.After,
			Range: system.ZeroOr(float64(unit.Second), float64(3650*unit.Day)), About: "a node that had no job for so long is switched off (Slurm's SuspendTime); a job that it is given to boots it and starts when all its nodes are on. cluster.power says how long that takes and what it draws; 0: nodes stay on",
		},
		{ID: "batch.off.keep", Name: "Stay on", Group: group, Value: o.Keep, Range: system.Between(0, 1_000_000), About: "nodes without a job that stay on however long they have none (Slurm's SuspendExcNodes)"},
	}
}

// saver switches nodes off that have had no job for a while. Jobs are given nodes that are on or
// boot before others, and those that have to wait for a boot hold their processors meanwhile.
type saver struct {
	Off
	s       *jobScheduler
	held    []int32     // by node: processors of jobs that wait for it to boot
	holds   int64       // their sum
	since   []unit.Time // by node: since when it has been idle; -1 if it is not
	idle    int         // nodes that are idle: on and without a job
	queue   *heap.Heap[idleNode]
	asleep  nodeBits // nodes that are off or shut down
	booting []unit.JobID
	armed   bool // the next look at the queue is due
	events  int  // of the run so far
	seen    int  // of them, when the queue was last looked at
}

// idleNode is a node that had no job from a time on, and may have one by now.
type idleNode struct {
	since unit.Time
	node  unit.NodeID
}

// before puts the node first that has been idle for longer, and of equals the one with the higher number.
func before(a, b idleNode) bool { return a.since < b.since || a.since == b.since && a.node > b.node }

// newSaver returns a saver that switches idle nodes off for a scheduler; nil if it is not set.
func newSaver(s *jobScheduler, o Off) *saver {
	if o.After == 0 {
		return nil
	}
	return &saver{Off: o, s: s, queue: heap.New(before)}
}

// sleeps reports whether a node is off or shuts down.
func (o *saver) sleeps(n unit.NodeID) bool { return o != nil && o.asleep.has(n) }

// holdsOf returns how many processors of a node jobs hold that wait for it to boot.
func (o *saver) holdsOf(n unit.NodeID) int32 {
	if o == nil || int(n) >= len(o.held) {
		return 0
	}
	return o.held[n]
}

// look records whether a node is idle now: up, on, without a job and not held for one. A node that
// becomes idle is queued to be switched off; one that is used again leaves the queue when it is at its
// head.
func (o *saver) look(n unit.NodeID) {
	if o == nil {
		return
	}
	for int(n) >= len(o.since) {
		o.since = append(o.since, -1)
	}
	v, now := o.s.env.View, o.s.env.Clock.Now()
	idle := v.Up(n) && v.Power(n) == cluster.On && v.BusyProcessors(n) == 0 && o.holdsOf(n) == 0
	switch {
	case idle && o.since[n] < 0:
		o.since[n] = now
		o.idle++
		o.queue.Push(idleNode{now, n})
		o.arm(now)
	case !idle && o.since[n] >= 0:
		o.since[n] = -1
		o.idle--
	}
}

// head returns the node that is idle for the longest time; false if none is. It drops entries of nodes
// that were used since.
func (o *saver) head() (idleNode, bool) {
	for o.queue.Len() > 0 {
		if first := o.queue.Values()[0]; o.since[first.node] == first.since {
			return first, true
		}
		o.queue.Pop()
	}
	return idleNode{}, false
}

// arm looks again when a node may be switched off.
func (o *saver) arm(now unit.Time) {
	first, is := o.head()
	if !is || o.armed {
		return
	}
	if at := first.since + o.After; at > now || o.idle > o.Keep {
		o.armed = true
		o.s.env.Clock.At(max(now, at), o.s, switchOff)
	}
}

// switchOff switches nodes off behind all else that happens at this moment.
func (o *saver) switchOff(now unit.Time, kind uint64) {
	if kind == switchOff || o.s.latest.due || o.seen != o.events {
		o.seen = o.events
		o.s.env.Clock.At(now, o.s, switchOffNow)
		return
	}
	o.armed = false
	for o.idle > o.Keep {
		first, is := o.head()
		if !is || first.since+o.After > now || o.s.env.Acts.SwitchOff(first.node) != nil {
			break
		}
		o.look(first.node)
	}
	o.arm(now)
}

// wait lets a job hold its parts until all their nodes are on, and boots those that are not. It reports
// false if they are.
func (o *saver) wait(now unit.Time, part *partition, id unit.JobID) bool {
	v, ready := o.s.env.View, now
	j := o.s.job(id)
	on := func(p cluster.Part) bool { return v.Power(p.Node) == cluster.On }
	if !slices.ContainsFunc(j.parts, func(p cluster.Part) bool { return !on(p) }) {
		return false
	}
	for _, p := range j.parts {
		for int(p.Node) >= len(o.held) {
			o.held = append(o.held, 0)
		}
		if o.s.env.Acts.SwitchOn(p.Node) == nil {
			ready = max(ready, v.ReadyAt(p.Node))
		}
	}
	j.boots = true
	o.booting = append(o.booting, id)
	o.hold(j.parts, 1)
	part.site.Delay(now, j.handle, ready-now)
	return true
}

// hold lets parts be held for a job that waits for a boot, or with sign -1 no longer.
func (o *saver) hold(parts []cluster.Part, sign int32) {
	for _, p := range parts {
		o.held[p.Node] += sign * p.Processors
		o.holds += int64(sign * p.Processors)
		o.s.reopen(p.Node)
		o.look(p.Node)
	}
}

// give lets a job that waits for a boot hold nothing any more.
func (o *saver) give(id unit.JobID) {
	j := o.s.job(id)
	j.boots = false
	o.booting = slices.DeleteFunc(o.booting, func(b unit.JobID) bool { return b == id })
	o.hold(j.parts, -1)
}

// changed handles a change of a node's power state. Jobs that waited for it start, or wait again if
// it is down.
func (o *saver) changed(n unit.NodeID) {
	if o == nil {
		return
	}
	v, s := o.s.env.View, o.s
	state := v.Power(n)
	asleep := state == cluster.Off || state == cluster.ShutDown
	o.asleep.set(n, asleep)
	if s.nodes.on {
		s.partOf(n).site.Sleep(int(n), asleep)
	}
	for _, id := range slices.Clone(o.booting) {
		j := s.job(id)
		of := slices.ContainsFunc(j.parts, func(p cluster.Part) bool { return p.Node == n })
		waits := v.Up(n) && slices.ContainsFunc(j.parts,
			func(p cluster.Part) bool { return v.Power(p.Node) != cluster.On })
		if !of || waits {
			continue
		}
		parts := j.parts
		if o.give(id); !v.Up(n) || s.env.Acts.PlaceAll(id, parts) != nil {
			j.parts = nil
			s.latest.displaced = append(s.latest.displaced, id)
			s.soon()
		}
		for _, p := range parts {
			s.reopen(p.Node)
			o.look(p.Node)
		}
	}
	o.look(n)
}
