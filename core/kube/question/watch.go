package question

import (
	"strings"

	"parley/core/kube"
	"parley/core/kube/plane"
	"parley/core/unit"
)

// Watch is the play of an answer with the median times, which can be watched.
type Watch struct {
	// Stops reports that the play does not come to its end, or leaves pods pending.
	Stops bool
	// Film plays it again and records the events, which are those of the answer.
	Film func() *plane.Recording
	// Reason plays it again and returns why the pod of a shot gets its node, nil if the shot binds none.
	Reason func(shot int) *plane.Placement
}

// filmed returns a Watch that repeats the play with the median times. play returns the time and the
// reason of its stop, -1 if it does not stop.
func filmed(stops bool, o plane.Options, play func(o plane.Options) (unit.Time, string)) *Watch {
	run := func(f *plane.Recording) *plane.Recording {
		with := o
		with.Recording = f
		if at, reason := play(with); at >= 0 {
			f.StopAt(at, reason)
		}
		return f
	}
	return &Watch{stops, func() *plane.Recording { return run(new(plane.Recording)) }, func(shot int) *plane.Placement {
		f := new(plane.Recording)
		placement := f.Explain(shot)
		run(f)
		return placement()
	}}
}

// filmed lets the drains of a plan be watched.
func (d *Drained) filmed(c *kube.Cluster, nodes []int, o plane.Options, stops bool) {
	first := d.CordonFirst
	d.watch = filmed(stops, o, func(o plane.Options) (unit.Time, string) {
		world := plane.New(c, o)
		drains := world.Drains(nodes, first)
		drains.Run()
		at := drains.Stuck()
		if at == kube.Nowhere {
			return -1, ""
		}
		last := drains.Drains[len(drains.Drains)-1]
		return stopOf(world, last), "The drains stop at " + c.Nodes[at].Name + stoppedBy(world)
	})
}

// stopOf returns since when a drain is stuck: since the first eviction that is still refused, or since the
// first new pod that waits for a node was made; unit.Forever if there is neither, which Film.StopAt takes
// for the end of the film.
func stopOf(world *plane.Plane, d *plane.Drain) unit.Time {
	at := unit.Forever
	for _, b := range d.Blocks {
		if b.Until < 0 {
			at = min(at, b.From)
		}
	}
	return earliest(world.Waiting(), at)
}

// earliest returns the least of at and the times at which the new pods among waits were made.
func earliest(waits []plane.Wait, at unit.Time) unit.Time {
	for _, w := range waits {
		if w.New {
			at = min(at, w.Created)
		}
	}
	return at
}

// filmed lets a loss be watched.
func (l *lose) filmed(o plane.Options, pending int) {
	l.out.watch = filmed(pending > 0, o, func(o plane.Options) (unit.Time, string) {
		e := l.play(o)
		if pending == 0 {
			return -1, ""
		}
		return earliest(append(e.pending, e.foreign...), unit.Forever),
			count(pending, "pod stays", "pods stay") + " pending, most by this: " + l.out.Constraints[0].Reason
	})
}

// filmUpgrade lets an upgrade be watched.
func (a *query) filmUpgrade(out *Upgraded, o plane.Options, pools []*pool, q *PlayOptions) {
	out.watch = filmed(!out.Complete, o, func(o plane.Options) (unit.Time, string) {
		world, u, _, _ := a.playUpgrade(o, pools, q)
		if u.Stopped == nil {
			return -1, ""
		}
		reason := "The upgrade stops at " + out.Stopped
		at := unit.Forever
		if d := u.Stopped.Drain; d != nil {
			at = stopOf(world, d)
			for _, b := range d.Blocks {
				if b.Until < 0 {
					return at, reason + ", where the eviction of " + b.Pod + " is refused: " + b.Text
				}
			}
		}
		return at, reason
	})
}

// filmed lets a rollout be watched.
func (out *Rolled) filmed(c *kube.Cluster, o plane.Options, change plane.Change) {
	namespace, name, _ := strings.Cut(out.Workload, "/")
	out.watch = filmed(!out.Complete, o, func(o plane.Options) (unit.Time, string) {
		world := plane.New(c, o)
		r := world.Roll(namespace, name, change)
		world.Run(plane.Day, r.Done)
		if r.Complete() {
			return -1, ""
		}
		return earliest(r.Waiting(), r.Ended()), "The rollout stops." + out.why()
	})
}

// filmKarpenter lets a consolidation be watched.
func (a *query) filmKarpenter(out *Consolidated, o plane.Options, q *ConsolidateOptions) {
	out.watch = filmed(len(out.Stuck) > 0, o, func(o plane.Options) (unit.Time, string) {
		world, k := a.playKarpenter(o, q, nil)
		for _, x := range k.Commands {
			for _, d := range x.Drains {
				if d.Ended < 0 {
					return stopOf(world, d), "Karpenter does not empty " + world.Cluster().Nodes[d.Node()].Name + stoppedBy(world)
				}
			}
		}
		return -1, ""
	})
}

// filmAutoscaler lets the removals of the autoscaler be watched.
func (a *query) filmAutoscaler(out *Consolidated, options plane.Options, o *ConsolidateOptions) {
	out.watch = filmed(false, options, func(options plane.Options) (unit.Time, string) {
		a.playAutoscaler(options, o)
		return -1, ""
	})
}
