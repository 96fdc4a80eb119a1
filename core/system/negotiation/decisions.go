package negotiation

import (
	"parley/core/system"
	"parley/core/system/negotiation/broker"
	"parley/core/unit"
)

// remember keeps step 4 of a negotiation; chosen is an index or -1.
func (j *journal) remember(t *negotiation, chosen int) {
	if j.env.Note == nil {
		return
	}
	d := system.Decision{At: j.env.Clock.Now(), Task: t.task, From: t.node, To: unit.NoNode, Ref: t.serial}
	for i, c := range t.candidates[:t.count] {
		answer := [...]string{"silent", "accepted", "rejected", "refused"}[c.answer]
		if i == chosen {
			d.To, d.Forced, answer = c.node, c.forced, "chosen"
		} else if c.forced && c.answer == accepted {
			answer = "forced"
		}
		d.Candidates = append(d.Candidates, system.Candidate{Node: c.node, Score: c.score, Answer: answer})
	}
	j.Remember(d)
}

// rememberPlacement keeps how a broker placed a new task.
func (j *journal) rememberPlacement(id unit.TaskID, fits []broker.Scored, n unit.NodeID, forced bool) {
	if j.env.Note == nil {
		return
	}
	d := system.Decision{At: j.env.Clock.Now(), Task: id, From: unit.NoNode, To: n, Forced: forced}
	found := false
	for _, f := range fits {
		answer := "accepted"
		if f.Node == n {
			answer, found = "chosen", true
		}
		d.Candidates = append(d.Candidates, system.Candidate{Node: f.Node, Score: f.Score, Answer: answer})
	}
	if !found {
		d.Candidates = append(d.Candidates, system.Candidate{Node: n, Answer: "chosen"})
	}
	j.Remember(d)
}
