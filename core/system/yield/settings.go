package yield

import (
	"parley/core/system"
	"parley/core/unit"
)

// Settings of the system.
type Settings struct {
	// "adapt": solve.Adapt; "greedy": new tasks go to the least loaded host, nothing migrates
	Algorithm string `json:"algorithm"`
	// B of (31): megabytes that one adaptation may migrate, as they cross the network
	BudgetMB float64 `json:"budget_mb"`
	// an adaptation follows a change, but not sooner after the one before; 0: at each change
	WindowUS   unit.Time `json:"window_us"`
	FloorYield float64   `json:"floor_yield"` // a new job does not start where the smallest yield would fall below
	OnFloor    string    `json:"on_floor"`    // the fate of such a job: "queue" or "refuse"
	// hand out what CPU is left (3.5); false: every job gets the smallest yield
	RaiseAverage bool `json:"raise_average"`
	// equal tasks of a job receive equal CPU (section 5); false: each is a job of its own
	Coupled     bool `json:"coupled"`
	ExactTasks  int  `json:"exact_tasks"`  // the largest number of tasks on equal hosts for branch and bound
	SearchTasks int  `json:"search_tasks"` // with more tasks, greedy and not coupled
	StepLimit   int  `json:"step_limit"`   // of branch and bound, in hosts looked at
	// plans of one adaptation that may fail before the other new jobs are placed by hand
	Tries int `json:"tries"`
}

// The words of Algorithm and OnFloor.
const (
	Adapt  = "adapt"
	Greedy = "greedy"
	Queue  = "queue"
	Refuse = "refuse"
)

// Default returns the settings that a scenario leaves out.
func Default() Settings {
	return Settings{
		Algorithm: Adapt, BudgetMB: 8_000, WindowUS: 5 * unit.Minute, OnFloor: Queue, RaiseAverage: true, Coupled: true,
		ExactTasks: 12, SearchTasks: 20_000, StepLimit: 200_000, Tries: 8,
	}
}

// With this many tasks an adaptation takes a tenth of a second and more: with more than
// these, changes are gathered for a minute at least. At each change, a minute of
// a full cell took two of a processor.
const (
	maxAtOnce = 2000
	minWindow = unit.Minute
)

// maxBudget is above every budget and below the cost of a task that must not move.
const maxBudget = 1e8

// Validate returns an error if s is invalid.
func (s Settings) Validate() error { return system.Check(s.described()) }
