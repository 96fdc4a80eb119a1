package negotiation

import (
	"parley/core/system"
	"parley/core/system/negotiation/broker"
	"parley/core/unit"
)

// The rules that decide who gets a task.
const (
	ruleDrawn   = "drawn among those that accepted and score, each with its score as its chance: the highest is likeliest, not certain"
	ruleForced  = "nobody who accepted scores: the broker's forced candidates follow, those that have room first"
	ruleStays   = "nobody could take it, not even by force: it stays, and its node selects anew while it is overloaded"
	rulePlaced  = "the broker drew among the nodes that it believes to have room and that score, each with its score as its chance"
	ruleNoScore = "no node that the broker knows scores, or too many have refused: it forces the task upon one that suits it, those with room first"
)

// remember keeps step 4 of a negotiation; chosen is an index or -1. figures tells
// what a candidate that answered carries, by its own report.
func (j *journal) remember(t *negotiation, chosen int, need unit.Vec, figures func(*broker.Report) (used, promised, capacity unit.Vec)) {
	if !j.env.Wants(t.task) {
		return
	}
	d := system.Decision{At: j.env.Clock.Now(), Task: t.task, From: t.node, To: unit.NoNode, Ref: t.serial, Rule: ruleStays}
	for i := range t.candidates[:t.count] {
		c := &t.candidates[i]
		answer := [...]string{"silent", "accepted", "rejected", "refused"}[c.answer]
		if i == chosen {
			d.To, d.Forced, answer = c.node, c.forced, "chosen"
			d.Rule = ruleDrawn
			if c.forced {
				d.Rule = ruleForced
			}
		} else if c.forced && c.answer == accepted {
			answer = "forced"
		}
		one := system.Candidate{Node: c.node, Score: c.score, Answer: answer}
		if c.answer != silent {
			used, _, _ := figures(&c.stands)
			one.After = used.Add(need)
		}
		d.Candidates = append(d.Candidates, one)
	}
	j.Remember(d)
}

// rememberPlacement keeps how a broker placed a new task. What nodes would carry is
// the truth of that moment, which the broker may not have known.
func (j *journal) rememberPlacement(id unit.TaskID, fits []broker.Scored, n unit.NodeID, forced bool, need unit.Vec) {
	if !j.env.Wants(id) {
		return
	}
	d := system.Decision{At: j.env.Clock.Now(), Task: id, From: unit.NoNode, To: n, Forced: forced, Rule: rulePlaced}
	if forced {
		d.Rule = ruleNoScore
	}
	found := false
	for _, f := range fits {
		answer := "accepted"
		if f.Node == n {
			answer, found = "chosen", true
		}
		d.Candidates = append(d.Candidates, system.Candidate{Node: f.Node, Score: f.Score, Answer: answer, After: j.env.View.Used(f.Node).Add(need)})
	}
	if !found {
		d.Candidates = append(d.Candidates, system.Candidate{Node: n, Answer: "chosen", After: j.env.View.Used(n).Add(need)})
	}
	j.Remember(d)
}
