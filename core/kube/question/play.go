package question

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
	"parley/core/unit"
)

// PlayOptions are the settings of questions that are played in virtual time.
type PlayOptions struct {
	Seed uint64
	// Plays is the number of plays, 0 to let the size of the cluster decide. The first three take
	// the median times, the shortest and the longest; the others draw them.
	Plays int
	// Start is the time from binding to Ready, for all pods; 0 to take it from the dump.
	Start unit.Time
	// Autoscaler lets the cluster autoscaler add nodes for pods that find none, in a loss and in an upgrade.
	Autoscaler bool
}

// Span is a duration in seconds, over several plays: those that have one. Middle is that of the play with
// the median times, 0 and left out if that play has none, for example because it stops.
type Span struct {
	Min    float64 `json:"least"`
	Middle float64 `json:"middle,omitempty"`
	Max    float64 `json:"most"`
	Plays  int     `json:"plays"`
}

// add extends the span by the duration of another play; median is set for that with the median times.
func (s *Span) add(t unit.Time, median bool) {
	x := t.Seconds()
	if s.Plays == 0 {
		s.Min, s.Max = x, x
	}
	if median {
		s.Middle = x
	}
	s.Min, s.Max = min(s.Min, x), max(s.Max, x)
	s.Plays++
}

// String writes the span as "20 s to 1 min 10 s".
func (s *Span) String() string {
	at := durationText
	if at(s.Min) == at(s.Max) {
		return at(s.Min)
	}
	return at(s.Min) + " to " + at(s.Max)
}

// Event is a fact of a play.
type Event struct {
	Seconds float64 `json:"seconds"`
	Kind    string  `json:"what"`
	Object  string  `json:"object"`
	Node    string  `json:"node,omitempty"`
	Text    string  `json:"text,omitempty"`
}

func eventsOf(facts []plane.Fact) []Event {
	out := make([]Event, len(facts))
	for i, f := range facts {
		out[i] = Event{f.At.Seconds(), string(f.Kind), f.Name, f.Node, f.Text}
	}
	return out
}

// eventGrid lists facts of a play, at most limit rows. Consecutive facts of one moment, kind and text
// share a row.
func eventGrid(heading string, all []Event, limit int) Grid {
	var rows [][]string
	for i := 0; i < len(all); {
		h, k := all[i], i+1
		for k < len(all) && all[k].Seconds == h.Seconds && all[k].Kind == h.Kind && all[k].Text == h.Text {
			k++
		}
		object, node := h.Object, h.Node
		if k > i+1 {
			object, node = fmt.Sprintf("%s and %d more", object, k-i-1), ""
		}
		rows = append(rows, []string{durationText(h.Seconds), h.Kind, object, node, h.Text})
		i = k
	}
	return grid(heading, []string{"after", "what", "object", "node", "in the controller's words"}, rows, limit)
}

// plays returns the options of each play, the first with the median times, the second with the shortest and
// the third with the longest; the others draw with seeds of their own. Without o.Plays there are 11, and 3
// for more than 5000 pods.
func plays(c *kube.Cluster, p *constraint.Profile, o PlayOptions) []plane.Options {
	n := o.Plays
	if n == 0 {
		if n = 11; len(c.Pods) > 5000 {
			n = 3
		}
	}
	all := make([]plane.Options, n)
	for i := range all {
		all[i] = plane.Options{
			Profile: p, Seed: o.Seed + uint64(i), Start: o.Start, FixedStart: o.Start > 0,
			Pace: plane.Drawn,
		}
		if i < 3 {
			all[i].Pace = []plane.Pace{plane.Middle, plane.Fast, plane.Slow}[i]
		}
	}
	return all
}

// playBound explains the times of plays.
func playBound(n int) string {
	return fmt.Sprintf("A play is one witness of what may happen, not a proof. Times go from the least to the most of %s: one with the median times, one with the shortest, one with the longest, the others with times drawn.", count(n, "play", "plays"))
}

// undelayed are the assumptions of every play.
const undelayed = "Controllers, the scheduler and kubelets act without delay, images are pulled within the start-up time, and volumes are detached and attached at once. Nothing else changes the cluster meanwhile: no autoscaler of pods or nodes acts."

// acting is undelayed, of a play in which the autoscaler may act.
func acting(q *PlayOptions) string {
	if q.Autoscaler {
		return strings.Replace(undelayed, "no autoscaler of pods or nodes acts", "no autoscaler of pods acts", 1)
	}
	return undelayed
}

// caveats lists the reasons why an answer is unsure, as its first grid: its own, and unmodelled features
// that concern it.
func caveats(m *Method, own []string) Grid {
	var rows [][]string
	for _, text := range slices.Concat(own, m.Caveats) {
		rows = append(rows, []string{text})
	}
	for _, o := range m.NotModelled {
		if o.whole || o.Affected > 0 {
			rows = append(rows, []string{"not modelled: " + o.Feature})
		}
	}
	return grid("What makes this unsure", []string{"what"}, rows, maxRows)
}

// startup returns a sentence on how long pods of a workload take to become ready and the source of that
// time; known is false if it is the default.
func startup(p *plane.Plane, namespace string, owner kube.Owner, o PlayOptions) (text string, known bool) {
	shortest, median, longest, n := p.Startups(namespace, owner)
	switch {
	case o.Start > 0:
		return fmt.Sprintf("A pod takes %s from its node to Ready, as was asked for.", plane.After(o.Start)), true
	case n == 0:
		return fmt.Sprintf("A pod takes %s from its node to Ready, which is a guess: the dump shows no pod of this workload that became ready without a restart (--start sets it).", plane.After(plane.DefaultStart)), false
	}
	span := plane.After(shortest)
	if shortest != longest {
		span += fmt.Sprintf(" to %s from its node to Ready, %s in the median", plane.After(longest), plane.After(median))
	} else {
		span += " from its node to Ready"
	}
	return fmt.Sprintf("A pod takes %s, as %s in the dump.", span, count(n, "pod of the workload did", "pods of the workload did")), true
}

// cutShort returns that a play ended before its time, if it did.
func cutShort(world *plane.Plane) []string {
	if !world.Cut {
		return nil
	}
	return []string{"the play was cut short: workloads want more pods, or more happens, than can be played; all that follows is of the part before"}
}

// durationText writes seconds of a play as 2m30s.
func durationText(seconds float64) string {
	return plane.After(unit.Time(seconds * float64(unit.Second)))
}

// stuckGrid lists new pods that have no node when a play ends.
func stuckGrid(pending []Stuck) Grid {
	var rows [][]string
	for _, x := range pending {
		rows = append(rows, []string{x.Pod, x.Reason, x.Message})
	}
	return grid("New pods that are pending at the end", []string{"pod", "why", "in the scheduler's words"}, rows, maxRows)
}
