package static

import (
	"parley/core/system"
	"parley/core/system/static/plan"
)

// Settings of the system.
type Settings struct {
	Algorithm string `json:"algorithm"` // one of plan.Algorithms, or "best": the shortest of all their plans
	// after a loss: "replan" the rest of the graph, or "wait" for the machine
	Recover string `json:"recover"`
}

// The ways of Recover.
const (
	replans = "replan"
	waits   = "wait"
)

// Default returns the settings that a scenario leaves out.
func Default() Settings { return Settings{Algorithm: "heft", Recover: replans} }

// Validate returns an error if s is invalid.
func (s Settings) Validate() error { return system.Check(s.described()) }

// described returns the settings with their meanings, ranges and values.
func (s Settings) described() []system.Setting {
	return system.Describe(
		system.Setting{ID: "algorithm", Name: "Algorithm", Value: s.Algorithm, Choices: append(plan.Algorithms(),
			"best"), About: "that plans each graph as it arrives; best: the shortest of all their plans"},
		system.Setting{
			ID: "recover", Name: "After a failure", Value: s.Recover, Choices: []string{replans, waits},
			About: "replan: what is left of a graph is planned anew with the machines that are up; wait: what a machine lost waits for it to come back",
		},
	)
}
