package negotiation_test

import (
	"slices"
	"strings"
	"testing"

	"parley/core/system"
	"parley/core/system/negotiation"
	"parley/core/unit"
)

// TestMessagesOfADecision: who told whom what, in the order of the paper's steps, the
// best score first; who is silent says nothing. All is said in the description's words.
func TestMessagesOfADecision(t *testing.T) {
	moved := system.Decision{From: 3, To: 7, Candidates: []system.Candidate{
		{Node: 5, Answer: "rejected"}, {Node: 7, Score: 1.5, Answer: system.Chosen}, {Node: 6, Score: 2.5, Answer: "refused"}, {Node: 8, Answer: "silent"}, {Node: 9, Score: 1.25, Answer: "forced"},
	}}
	requested := "node 3 > broker: where could it go?|broker > node 3: here are candidates|" +
		"node 3 > node 6: would you take it?|node 3 > node 7: would you take it?|node 3 > node 9: would you take it?|node 3 > node 5: would you take it?|node 3 > node 8: would you take it?|"
	forced, nobody, placed := moved, moved, moved
	forced.Forced, nobody.To, placed.From = true, unit.NoNode, unit.NoNode
	placedByForce, waits := placed, placed
	placedByForce.Forced, waits.To = true, unit.NoNode
	for _, c := range []struct {
		subject string
		d       system.Decision
		want    string
	}{
		{"a move", moved, requested + "node 6 > node 3: yes|node 7 > node 3: yes|node 5 > node 3: no!|node 3 > node 6: take it|node 6 > node 3: no, not any more!|node 3 > node 7: take it"},
		{"a move by force", forced, requested + "node 6 > node 3: yes|node 5 > node 3: no!|node 3 > node 6: take it|node 6 > node 3: no, not any more!|node 3 > node 7: take it, by force"},
		{"a search in vain", nobody, requested + "node 6 > node 3: yes|node 7 > node 3: yes|node 5 > node 3: no!|node 3 > node 6: take it|node 6 > node 3: no, not any more!"},
		{"a new task", placed, "broker > node 7: take this task"},
		{"a new task by force", placedByForce, "broker > node 7: take this task, by force"},
		{"a task that waits", waits, ""},
	} {
		var words []string
		for _, m := range negotiation.Told(&c.d) {
			sign := ""
			if m.No {
				sign = "!"
			}
			words = append(words, m.From+" > "+m.To+": "+m.Text+sign)
			if !slices.Contains(negotiation.Entry().Messages, m.Text) {
				t.Errorf("%s: %q is not in the description", c.subject, m.Text)
			}
		}
		if got := strings.Join(words, "|"); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.subject, got, c.want)
		}
	}
}
