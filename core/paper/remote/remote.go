// Package remote answers the page's messages about papers: it lists their experiments
// and runs one.
//
//	answer := remote.Answer(message.RunExperiment{ID: "yield/table"}, clock, progress)
package remote

import (
	"errors"
	"fmt"
	"time"

	"parley/core/message"
	"parley/core/paper"
)

// Clock returns real time, from any beginning.
type Clock func() time.Duration

// Paper is the result of an experiment.
type Paper = message.Paper[paper.Result]

// Experiments lists the experiments.
func Experiments() message.Experiments {
	all := message.Experiments{Experiments: []message.Experiment{}}
	for _, e := range paper.Experiments() {
		all.Experiments = append(all.Experiments, message.Experiment{
			ID: e.ID, Title: e.Title, Source: e.Source,
			Claim: e.Claim, Seconds: float64(e.Seconds),
		})
	}
	return all
}

// Answer handles a message and returns the answer. progress receives the part that
// begins, and may end an experiment with an error.
func Answer(m message.Message, clock Clock, progress func(message.Running) error) message.Message {
	r, ok := m.(message.RunExperiment)
	if !ok {
		return Trouble(errors.New("the lab has no answer to " + m.Kind()))
	}
	answer, err := Run(r, clock, progress)
	if err != nil {
		return Trouble(err)
	}
	return answer
}

// Trouble is an error as the page shows it.
func Trouble(err error) message.NewTrouble {
	return message.NewTrouble{Trouble: message.Trouble{Class: "setting", Sentence: err.Error()}}
}

// Run runs an experiment.
func Run(m message.RunExperiment, clock Clock, progress func(message.Running) error) (Paper, error) {
	e, err := paper.Find(m.ID)
	if err != nil {
		return Paper{}, err
	}
	if m.Seeds < 0 || m.Nodes < 0 {
		return Paper{}, fmt.Errorf("%s: seeds is %d and nodes is %d: neither can be below 0", m.ID, m.Seeds, m.Nodes)
	}
	began, runs := clock(), 0
	result, err := e.Run(paper.Options{Seeds: m.Seeds, Nodes: m.Nodes, Progress: func(doing string) error {
		runs++
		return progress(message.Running{ID: m.ID, Doing: doing, Runs: runs, Seconds: (clock() - began).Seconds()})
	}})
	if err != nil {
		return Paper{}, fmt.Errorf("%s: %w", m.ID, err)
	}
	return Paper{Result: result, Seconds: (clock() - began).Seconds()}, nil
}
