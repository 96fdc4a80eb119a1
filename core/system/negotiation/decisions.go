package negotiation

import (
	"cmp"
	"fmt"
	"slices"

	"parley/core/system"
	"parley/core/system/negotiation/broker"
	"parley/core/unit"
)

// The rules that decide who gets a task.
const (
	ruleDrawn   = "picked at random among the nodes that accepted, favouring higher scores"
	ruleForced  = "no node that accepted has a score, so the broker's forced candidates are next, those with room first"
	ruleStays   = "no node could take it, not even by force: it stays, and its node tries again while it is overloaded"
	rulePlaced  = "the broker picked at random among the nodes with room, favouring higher scores"
	ruleNoScore = "no node known to the broker has a score, or too many refused: the broker forces the task onto a suitable node, those with room first"
)

// remember records step 4 of a negotiation; chosen is an index or -1. figures returns the load of a
// candidate that answered, by its own report.
func (j *journal) remember(t *negotiation, chosen int, need unit.Vec,
	figures func(*broker.Report) (used, byProduction, capacity unit.Vec),
) {
	if !j.env.Wants(t.task) {
		return
	}
	d := system.Decision{
		At: j.env.Clock.Now(), Task: t.task, From: t.node, To: unit.NoNode, Ref: t.serial,
		Rule: ruleStays,
	}
	for i := range t.candidates[:t.count] {
		c := &t.candidates[i]
		answer, reason := [...]string{"silent", "accepted", "rejected", "refused"}[c.answer], ""
		switch {
		case i == chosen:
			d.To, d.Forced, d.Rule, answer = c.node, c.forced, ruleDrawn, system.Chosen
			if c.forced {
				d.Rule, reason = ruleForced, "chosen, by force"
			}
		case c.forced && c.answer == accepted:
			answer = "forced"
		case c.answer == accepted && c.score == 0:
			reason = "accepted, but has no score"
		}
		one := system.Candidate{Node: c.node, Score: c.score, Answer: answer, Reason: reason}
		if c.answer != silent {
			used, _, _ := figures(&c.report)
			one.After = used.Add(need)
		}
		d.Candidates = append(d.Candidates, one)
	}
	j.Remember(d)
}

// rememberPlacement records how a broker placed a new task. The loads of nodes are the true ones at
// that moment, which may differ from the broker's cache.
func (j *journal) rememberPlacement(id unit.TaskID, fits []broker.Scored, n unit.NodeID, forced bool, need unit.Vec) {
	if !j.env.Wants(id) {
		return
	}
	d := system.Decision{At: j.env.Clock.Now(), Task: id, From: unit.NoNode, To: n, Forced: forced, Rule: rulePlaced}
	if forced {
		d.Rule = ruleNoScore
	}
	d.Brief = j.Room(len(fits) + 1)
	found := false
	for _, f := range fits {
		found = found || f.Node == n
		d.Brief = append(d.Brief, system.Brief{Node: f.Node, Score: f.Score, After: j.env.View.Used(f.Node).Add(need)})
	}
	if !found {
		d.Brief = append(d.Brief, system.Brief{Node: n, After: j.env.View.Used(n).Add(need)})
	}
	j.Remember(d)
}

// passPlacement notes that a new task was placed by a replayed choice.
func (j *journal) passPlacement(id unit.TaskID) {
	if j.env.Wants(id) {
		j.Pass(id, j.env.Clock.Now())
	}
}

// writeOut writes out the candidates of a decision that rememberPlacement kept.
func writeOut(d *system.Decision) {
	for _, b := range d.Brief {
		one := system.Candidate{Node: b.Node, Score: b.Score, After: b.After, Answer: "accepted", Reason: "had room"}
		if b.Node == d.To {
			one.Answer, one.Reason = system.Chosen, ""
		}
		d.Candidates = append(d.Candidates, one)
	}
	d.Brief = nil
}

// The texts of the agents' messages.
const (
	sayWhere      = "where could it go?"
	sayCandidates = "here are candidates"
	sayWould      = "would you take it?"
	sayYes        = "yes"
	sayNo         = "no"
	sayTake       = "take it"
	sayForce      = "take it, by force"
	sayLate       = "no, not any more"
	sayNew        = "take this task"
	sayNewForce   = "take this task, by force"
)

// Explain implements system.Explainer.
func (j *journal) Explain(id unit.TaskID) (system.Decision, bool) {
	d, known := j.Decisions.Explain(id)
	writeOut(&d)
	d.Messages = messages(&d)
	return d, known
}

// messages returns the messages behind a decision, in their order; requests and answers follow from
// the outcome for each candidate.
func messages(d *system.Decision) (list []system.Message) {
	const between = "broker"
	name := func(n unit.NodeID) string { return fmt.Sprintf("node %d", n) }
	node := name(d.From)
	report := func(from, to, words string) *system.Message {
		list = append(list, system.Message{At: d.At, From: from, To: to, Text: words})
		return &list[len(list)-1]
	}
	switch {
	case d.From == unit.NoNode && d.To == unit.NoNode:
		return nil
	case d.From == unit.NoNode && d.Forced:
		report(between, name(d.To), sayNewForce)
		return list
	case d.From == unit.NoNode:
		report(between, name(d.To), sayNew)
		return list
	}
	report(node, between, sayWhere).Minor = true
	report(between, node, sayCandidates).Minor = true
	order := slices.Clone(d.Candidates)
	slices.SortStableFunc(order, func(a, b system.Candidate) int { return cmp.Compare(b.Score, a.Score) })
	for _, c := range order {
		report(node, name(c.Node), sayWould).Minor = true
	}
	for _, c := range order {
		switch {
		case c.Answer == "rejected":
			m := report(name(c.Node), node, sayNo)
			m.Minor, m.No = true, true
		case c.Answer == "accepted", c.Answer == "refused", c.Answer == system.Chosen && !d.Forced:
			report(name(c.Node), node, sayYes).Minor = true
		}
	}
	for _, c := range order {
		if c.Answer == "refused" {
			report(node, name(c.Node), sayTake)
			report(name(c.Node), node, sayLate).No = true
		}
	}
	if d.To == unit.NoNode {
		return list
	}
	words := sayTake
	if d.Forced {
		words = sayForce
	}
	report(node, name(d.To), words)
	return list
}
