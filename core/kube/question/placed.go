package question

import (
	"fmt"
	"strconv"
	"strings"

	"parley/core/kube/plane"
)

// maxCompared is how many nodes the answer to "why here?" compares.
const maxCompared = 8

// WhyHere returns why the scheduler bound a pod to its node in a play, for people.
func WhyHere(p *plane.Placement) Document {
	chosen := p.Feasible[p.Place]
	equal := 0
	for _, n := range p.Feasible {
		if n.Total == p.Feasible[0].Total {
			equal++
		}
	}
	s := fmt.Sprintf("%s of %s take %s.", number(len(p.Feasible)), count(len(p.Feasible)+p.InfeasibleNodes, "node", "nodes"), p.Pod)
	switch {
	case p.Nominated:
		s += fmt.Sprintf(" It goes to %s, to which it was nominated when pods of lower priority made room there.", p.Node)
	case len(p.Feasible) == 1:
		s = fmt.Sprintf("Only %s takes %s.", p.Node, p.Pod)
	case chosen.Total < p.Feasible[0].Total:
		s += fmt.Sprintf(" The scheduler looks until it has found %s, and of those %s has the highest score, %d.", number(p.Compared), p.Node, chosen.Total)
	case equal > 1:
		s += fmt.Sprintf(" %s has the highest score, %d, as %s; one is drawn.", p.Node, chosen.Total, count(equal-1, "other has", "others have"))
	default:
		s += fmt.Sprintf(" %s has the highest score, %d.", p.Node, chosen.Total)
	}
	var others []string
	for _, c := range p.Infeasible {
		others = append(others, strconv.Itoa(c.Nodes)+" "+c.Reason)
	}
	if len(others) > 0 {
		s += " The others: " + strings.Join(others, ", ") + "."
	}
	columns := []string{"node", "score"}
	var plugins []int
	for k, w := range p.Weights {
		if chosen.Parts[k] >= 0 {
			plugins = append(plugins, k)
			columns = append(columns, fmt.Sprintf("%s × %d", w.Plugin, w.Weight))
		}
	}
	var rows [][]string
	for k, n := range p.Feasible {
		row := []string{p.Nodes[k], strconv.FormatInt(n.Total, 10)}
		for _, i := range plugins {
			row = append(row, strconv.FormatInt(n.Parts[i], 10))
		}
		rows = append(rows, row)
	}
	if p.Place >= maxCompared { // its own row stands too
		rows[maxCompared-1] = rows[p.Place]
	}
	return Document{Title: "Why here?", Sentence: s, Grids: []Grid{grid("The nodes that take it, by score", columns, rows, maxCompared)}, Method: Method{
		How: "The scheduler's own filters and scores, at the moment at which the play binds the pod.", Bound: "Draws between nodes with equal scores are one of many.",
	}}
}
