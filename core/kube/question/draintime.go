package question

import (
	"cmp"
	"fmt"
	"slices"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
)

// Time plays the drains of a plan and sets how long they take (Seconds, nil if they stop in all plays),
// and, of the play with the median times, the stalls and the pods that wait at its end. It does nothing if
// the plan is empty.
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
	d.Stalls, d.Waiting = []Stall{}, 0
	for i, options := range all {
		options.MaxTexts = 1 // the reason for the stop is requested at the end
		world := plane.New(c, options)
		drains := world.Drains(nodes, d.CordonFirst)
		drains.Run()
		if i == 0 {
			d.shows(c, world, drains)
			d.filmed(c, nodes, options, drains.Stuck() != kube.Nowhere)
		}
		if at := drains.Stuck(); at != kube.Nowhere {
			if stops++; stops == 1 { // that with the median times if it stops
				where = c.Nodes[at].Name + stoppedBy(world)
			}
			continue
		}
		took.add(world.Now(), i == 0)
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
	if n := len(d.Stalls); n > 0 {
		longest := slices.MaxFunc(d.Stalls, func(x, y Stall) int { return cmp.Compare(x.Seconds, y.Seconds) })
		d.timed += fmt.Sprintf(" %s meanwhile by a budget, %s the longest, by %s.", count(n, "eviction is held up", "evictions are held up"), durationText(longest.Seconds), longest.by())
	}
	if d.Waiting > 0 && stops < len(all) {
		d.timed += fmt.Sprintf(" %s for a node at the end.", count(d.Waiting, "pod that was made anew waits", "pods that were made anew wait"))
	}
	d.Method.Assumptions = append(d.Method.Assumptions,
		"Time: "+playBound(len(all))+" Pods start in the time that the dump shows of their workload, else in "+plane.After(plane.DefaultStart)+" (--start sets it), and end within their grace. As in the script, each node waits until the pods that moved before are ready.")
}

// Stall is an eviction that a budget holds up.
type Stall struct {
	Node   string `json:"node"`
	Pod    string `json:"pod"`
	Budget string `json:"budget,omitempty"` // NAMESPACE/NAME, "" if there are two
	// Seconds is for how long, until the end of the play if it never succeeds.
	Seconds float64 `json:"seconds"`
	Text    string  `json:"text"` // the API server's words
}

// by names the budget.
func (s *Stall) by() string {
	if s.Budget == "" {
		return "two budgets of one pod"
	}
	return s.Budget
}

// shows records the play with the median times: the evictions that budgets held up, until the end of the
// play if they still do, and the number of new pods without a node at its end.
func (d *Drained) shows(c *kube.Cluster, world *plane.Plane, drains *plane.Drains) {
	for i, one := range drains.Drains {
		for _, b := range one.Blocks {
			until := b.Until
			if until < 0 {
				until = world.Now()
			}
			d.Stalls = append(d.Stalls, Stall{
				c.Nodes[d.Steps[i].node].Name, b.Pod, b.Budget,
				(until - b.From).Seconds(), b.Text,
			})
		}
	}
	for _, w := range world.Waiting() {
		if w.New {
			d.Waiting++
		}
	}
}

// stoppedBy returns the reason why the drains of a play stop, as the end of a sentence: new pods that wait
// for a node, or else the latest refused eviction, or else pods that do not become ready.
func stoppedBy(world *plane.Plane) string {
	var reasons []string
	for _, w := range world.Waiting() {
		if w.New {
			reasons = append(reasons, world.Verdict(w.Place).MainReason())
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
