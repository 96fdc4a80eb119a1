package inspect

import (
	"errors"
	"strconv"

	"parley/core/cluster"
	"parley/core/system"
	"parley/core/unit"
)

// Decision is why a task is where it is: every candidate and outcome.
type Decision struct {
	ID         string              `json:"id"`
	Task       string              `json:"task"`
	At         unit.Time           `json:"at"`
	From       unit.NodeID         `json:"from"` // -1: it was new or waited
	To         unit.NodeID         `json:"to"`   // -1 if no node took it
	Forced     bool                `json:"forced"`
	Ref        uint32              `json:"ref,omitempty"` // of the group of notes behind it, for Story
	Candidates []DecisionCandidate `json:"candidates"`
	Summary    string              `json:"summary,omitempty"` // in a sentence of the system's
	Rule       string              `json:"rule,omitempty"`    // the one rule that decided, in words
	Ranked     bool                `json:"ranked,omitempty"`  // the candidates stand in their order, not that of their scores
	Messages   []system.Message    `json:"messages"`          // that led there
}

// DecisionCandidate is one node that was considered.
type DecisionCandidate struct {
	Node   unit.NodeID `json:"node"`
	Score  float64     `json:"score"`
	Answer string      `json:"answer"`         // one of the system's Description.Answers
	Name   string      `json:"name,omitempty"` // its name if it is not a single node
	Reason string      `json:"why,omitempty"`  // the answer in words
	// After is its load with the task, in parts of its capacity by resource, and Class the class
	// of that load; left out if unknown.
	After []float64 `json:"after,omitempty"`
	Class string    `json:"class,omitempty"`
}

// ErrForgotten means that a decision exists but is no longer in memory: the run has to be
// played again with AskAbout.
var ErrForgotten = errors.New("the decision about this task is too long ago to be remembered")

// Decided returns the time of the latest decision about a task, and whether there was one.
func (r *Inspector) Decided(id unit.TaskID) (at unit.Time, was bool) {
	if e, ok := r.of.System.(system.Explainer); ok {
		return e.Decided(id)
	}
	return 0, false
}

// Explain returns the latest decision about a task. Systems remember some
// thousand; for one that is too long ago the error is ErrForgotten.
func (r *Inspector) Explain(id unit.TaskID) (Decision, error) {
	e, ok := r.of.System.(system.Explainer)
	if !ok {
		return Decision{}, errors.New("this system does not remember its decisions")
	}
	d, ok := e.Explain(id)
	if !ok {
		if _, was := e.Decided(id); was {
			return Decision{}, ErrForgotten
		}
		return Decision{}, errors.New("nothing was decided about it yet: it waits until somebody looks for a place")
	}
	out := Decision{
		ID: strconv.FormatUint(uint64(id), 10), At: d.At, From: d.From, To: d.To, Forced: d.Forced,
		Ref: d.Ref, Candidates: []DecisionCandidate{}, Summary: d.Summary, Rule: d.Rule, Ranked: d.Ranked,
		Messages: append([]system.Message{}, d.Messages...),
	}
	if t, alive := r.of.View.Task(id); alive {
		out.Task = t.Key.TaskName()
	}
	for _, c := range d.Candidates {
		one := DecisionCandidate{Node: c.Node, Score: c.Score, Answer: c.Answer, Name: c.Name, Reason: c.Reason}
		if c.After != (unit.Vec{}) {
			capacity := r.of.View.Capacity(c.Node)
			one.Class = cluster.ClassifyLoad(c.After, capacity).String()
			for r := range c.After {
				one.After = append(one.After, float64(c.After[r])/float64(max(1, capacity[r])))
			}
		}
		out.Candidates = append(out.Candidates, one)
	}
	return out, nil
}
