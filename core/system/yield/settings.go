package yield

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/unit"
)

// Settings of the system.
type Settings struct {
	Algorithm    string    `json:"algorithm"`     // "adapt": solve.Adapt; "greedy": new tasks go to the least loaded host, nothing migrates
	BudgetMB     float64   `json:"budget_mb"`     // B of (31): megabytes that one adaptation may migrate, as they cross the network
	WindowUS     unit.Time `json:"window_us"`     // an adaptation follows a change, but not sooner after the one before; 0: at each change
	FloorYield   float64   `json:"floor_yield"`   // a new job does not start where the smallest yield would fall below
	OnFloor      string    `json:"on_floor"`      // what becomes of it: "queue" or "refuse"
	RaiseAverage bool      `json:"raise_average"` // hand out what CPU is left (3.5); false: every job gets the smallest yield
	Coupled      bool      `json:"coupled"`       // equal tasks of a job receive equal CPU (section 5); false: each is a job of its own
	ExactTasks   int       `json:"exact_tasks"`   // on equal hosts with at most so many tasks, branch and bound
	SearchTasks  int       `json:"search_tasks"`  // with more than so many, greedy and not coupled
	StepLimit    int       `json:"step_limit"`    // of branch and bound, in hosts looked at
	Tries        int       `json:"tries"`         // plans of one adaptation that may fail before the other new jobs are placed by hand
}

// The words of Algorithm and OnFloor.
const (
	Adapt  = "adapt"
	Greedy = "greedy"
	Queue  = "queue"
	Refuse = "refuse"
)

// Choices are the settings that are one of a few words.
var Choices = map[string][]string{"algorithm": {Adapt, Greedy}, "on_floor": {Queue, Refuse}}

// Default returns the settings that a scenario leaves out.
func Default() Settings {
	return Settings{
		Algorithm: Adapt, BudgetMB: 8_000, WindowUS: 5 * unit.Minute, OnFloor: Queue, RaiseAverage: true, Coupled: true,
		ExactTasks: 12, SearchTasks: 20_000, StepLimit: 200_000, Tries: 8,
	}
}

// mostBudget is beyond every budget and below what a task that must not move costs.
const mostBudget = 1e8

// Validate says what is wrong with s, if anything.
func (s Settings) Validate() error {
	for _, word := range [...]struct{ name, value string }{{"algorithm", s.Algorithm}, {"on_floor", s.OnFloor}} {
		if known := Choices[word.name]; !slices.Contains(known, word.value) {
			return fmt.Errorf("settings: %s is %q: choose one of %s", word.name, word.value, strings.Join(known, ", "))
		}
	}
	if !(s.BudgetMB >= 0 && s.BudgetMB <= mostBudget) {
		return fmt.Errorf("settings: budget_mb is %g: choose 0 to %g megabytes", s.BudgetMB, mostBudget)
	}
	if s.WindowUS < 0 || s.WindowUS > unit.Day {
		return fmt.Errorf("settings: window_us is %d: choose 0 to %d microseconds, a day", s.WindowUS, unit.Day)
	}
	if !(s.FloorYield >= 0 && s.FloorYield <= 1) {
		return fmt.Errorf("settings: floor_yield is %g: choose a yield from 0 to 1", s.FloorYield)
	}
	for _, count := range [...]struct {
		name             string
		value, low, high int
	}{
		{"exact_tasks", s.ExactTasks, 0, 100},
		{"search_tasks", s.SearchTasks, 0, 500_000},
		{"step_limit", s.StepLimit, 1, 1_000_000_000},
		{"tries", s.Tries, 1, 1000},
	} {
		if count.value < count.low || count.value > count.high {
			return fmt.Errorf("settings: %s is %d: choose %d to %d", count.name, count.value, count.low, count.high)
		}
	}
	return nil
}
