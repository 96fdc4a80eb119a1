package rounds

import "parley/core/system"

// Settings of the system.
type Settings struct {
	Algorithm string `json:"algorithm"` // that plans, where Adapt is "fixed": one of plan.Algorithms
	// "fixed": follow the plan; "factoring", "guided": decide at run time, without one
	Adapt  string `json:"adapt"`
	Rounds int    `json:"rounds"` // of umr, umr-strict, umr2 and mi; 0: the algorithm chooses
}

// Default returns the settings that a scenario leaves out.
func Default() Settings { return Settings{Algorithm: "best", Adapt: "fixed"} }

// Validate returns an error if s is invalid.
func (s Settings) Validate() error { return system.Check(s.described()) }
