package question

import (
	"fmt"
	"slices"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
)

// Time plays the drains of a plan and sets how long they take.
func (d *Drained) Time(c *kube.Cluster, p *constraint.Profile, o PlayOptions) {
	if len(d.Steps) == 0 {
		return
	}
	var nodes []int
	for _, s := range d.Steps {
		nodes = append(nodes, s.node)
	}
	all := plays(c, p, o)
	d.Seconds, d.timed = nil, ""
	took, stops, where := Span{}, 0, ""
	for _, options := range all {
		world := plane.New(c, options)
		drains := world.Drains(nodes, d.CordonFirst)
		world.Run(plane.Day, drains.Over)
		if at := drains.Stuck(); at != kube.Nowhere {
			stops++
			where = c.Nodes[at].Name + stoppedBy(world)
			continue
		}
		took.add(world.Now())
	}
	switch {
	case stops == len(all):
		d.timed = fmt.Sprintf(" How long the drains take is not known: played with the cluster's controllers they stop at %s.", where)
	case stops > 0:
		d.Seconds = &took
		d.timed = fmt.Sprintf(" The drains take %s; in %d of %d plays they stop at %s.", &took, stops, len(all), where)
	default:
		d.Seconds = &took
		d.timed = fmt.Sprintf(" The drains take %s.", &took)
	}
	d.Method.Assumptions = append(d.Method.Assumptions,
		"Time: "+playBound(len(all))+" Pods start in the time that the dump shows of their workload, else in "+plane.After(plane.DefaultStart)+" (--start sets it), and end within their grace. As in the script, each node waits until the pods that moved before are ready.")
}

// stoppedBy returns what stops the drains of a play: pods that wait for a node, or a budget.
func stoppedBy(world *plane.Plane) string {
	var reasons []string
	for _, w := range world.Waiting() {
		if w.New {
			reasons = append(reasons, main(world.Verdict(w.Place)))
		}
	}
	if n := len(reasons); n > 0 {
		return fmt.Sprintf(", where %s for a node: %s", count(n, "pod that has moved waits", "pods that have moved wait"), tally(reasons)[0].Reason)
	}
	for _, f := range slices.Backward(world.Facts()) {
		if f.Kind == plane.Refused {
			return ", where the eviction of " + f.Name + " is refused: " + f.Text
		}
	}
	return ", where pods that have moved do not become ready"
}
