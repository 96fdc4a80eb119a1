package rounds

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/system/rounds/plan"
)

// Settings of the system.
type Settings struct {
	Algorithm string `json:"algorithm"` // that plans, where Adapt is "fixed": one of plan.Algorithms
	Adapt     string `json:"adapt"`     // "fixed": follow the plan; "factoring", "guided": decide at run time, without one
	Rounds    int    `json:"rounds"`    // of umr, umr-strict, umr2 and mi; 0: the algorithm chooses
}

var adaptations = []string{"fixed", "factoring", "guided"}

// Choices are the settings that are one of a few words.
var Choices = map[string][]string{"algorithm": plan.Algorithms(), "adapt": adaptations}

// Default returns the settings that a scenario leaves out.
func Default() Settings { return Settings{Algorithm: "best", Adapt: "fixed"} }

// Validate says what is wrong with s, if anything.
func (s Settings) Validate() error {
	for _, word := range [...]struct{ name, value string }{{"algorithm", s.Algorithm}, {"adapt", s.Adapt}} {
		if known := Choices[word.name]; !slices.Contains(known, word.value) {
			return fmt.Errorf("settings: %s is %q: choose one of %s", word.name, word.value, strings.Join(known, ", "))
		}
	}
	if s.Rounds < 0 || s.Rounds > plan.DefaultMaxRounds {
		return fmt.Errorf("settings: rounds is %d: choose 1 to %d, or 0 to let the algorithm choose", s.Rounds, plan.DefaultMaxRounds)
	}
	return nil
}
