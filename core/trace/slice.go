package trace

import (
	"fmt"
	"slices"

	"parley/core/unit"
	"parley/core/workload"
)

// Slice is the part of a trace of tasks that is wanted. A reader that holds a trace in memory keeps
// no more of it than that. Its zero value wants everything.
type Slice struct {
	// From and To bound the moments of submission in the time of the records; To is the first
	// moment that is not wanted, and 0 means the end.
	From, To unit.Time
	Every    uint64 // keeps one of this many jobs, as Options.EveryJob does; 0 and 1 keep all
	Users    []string
	Classes  []workload.PriorityClass
}

// Parts defines which fields of a Slice a reader uses.
type Parts uint8

// A reader uses nothing of a slice, its times and Every, or all of it.
const (
	NoParts Parts = iota
	TimeParts
	AllParts
)

// reads returns an error if a slice says more than a format's summary reads.
func (p Parts) reads(s Slice, format string) error {
	switch {
	case p == AllParts || s.IsZero() || p == TimeParts && len(s.Users) == 0 && len(s.Classes) == 0:
		return nil
	case p == TimeParts:
		return fmt.Errorf("a summary of %s reads workload.jobs.from, to and every: leave users and classes out", format)
	default:
		return fmt.Errorf(
			"a summary of %s reads all of it: leave --set out, or choose jobs with the same settings of parley run",
			format,
		)
	}
}

// IsZero reports whether everything is wanted.
func (s *Slice) IsZero() bool {
	return s.From == 0 && s.To == 0 && s.Every <= 1 && len(s.Users) == 0 && len(s.Classes) == 0
}

// Holds reports whether a task that is submitted at a moment is wanted. Every and Users are for
// readers to judge, who know jobs and users by name.
func (s *Slice) Holds(at unit.Time, class workload.PriorityClass) bool {
	return at >= s.From && (s.To == 0 || at < s.To) && (len(s.Classes) == 0 || slices.Contains(s.Classes, class))
}
