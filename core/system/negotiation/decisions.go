package negotiation

import (
	"parley/core/system"
	"parley/core/unit"
)

// remember keeps step 4 of a negotiation; chosen is an index or -1.
func (a *balancer) remember(t *negotiation, chosen int) {
	if a.env.Note == nil {
		return
	}
	d := system.Decision{At: a.env.Clock.Now(), Task: t.task, From: t.node, To: unit.NoNode, Ref: t.serial}
	for i, c := range t.candidates[:t.count] {
		answer := [...]string{"silent", "accepted", "rejected", "refused"}[c.answer]
		if i == chosen {
			d.To, d.Forced, answer = c.node, c.forced, "chosen"
		} else if c.forced && c.answer == accepted {
			answer = "forced"
		}
		d.Candidates = append(d.Candidates, system.Candidate{Node: c.node, Score: c.score, Answer: answer})
	}
	a.Remember(d)
}

// rememberPlacement keeps how a broker placed a new task.
func (a *balancer) rememberPlacement(id unit.TaskID, fits []scored, n unit.NodeID, forced bool) {
	if a.env.Note == nil {
		return
	}
	d := system.Decision{At: a.env.Clock.Now(), Task: id, From: unit.NoNode, To: n, Forced: forced}
	found := false
	for _, f := range fits {
		answer := "accepted"
		if f.node == n {
			answer, found = "chosen", true
		}
		d.Candidates = append(d.Candidates, system.Candidate{Node: f.node, Score: f.score, Answer: answer})
	}
	if !found {
		d.Candidates = append(d.Candidates, system.Candidate{Node: n, Answer: "chosen"})
	}
	a.Remember(d)
}
