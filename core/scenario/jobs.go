package scenario

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Jobs selects the jobs of a log that are played, and whether they are a random resample of the
// log, so that seeds differ. The jobs are selected first; the selection is resampled.
type Jobs struct {
	From          Duration `json:"from,omitzero"` // of the log's time: earlier jobs are left out, and time begins here
	To            Duration `json:"to,omitzero"`   // later jobs are left out; 0: to the end
	Every         int      `json:"every,omitempty"`
	Users         []Label  `json:"users,omitempty"`
	Queues        []Label  `json:"queues,omitempty"`
	Classes       []string `json:"classes,omitempty"` // of a trace of tasks: ClassBatch, ClassProduction
	MinProcessors int      `json:"min_processors,omitempty"`
	MaxProcessors int      `json:"max_processors,omitempty"`
	Independent   bool     `json:"independent,omitempty"` // jobs do not wait for the preceding job that the log names
	Resample      string   `json:"resample,omitempty"`    // ResampleWeeks or ResampleUsers
	BlockWeeks    int      `json:"block_weeks,omitempty"` // of ResampleWeeks; 0: 1
}

// Label is a user or a queue of a log: its number, or the name that it has there.
type Label string

// MarshalJSON implements json.Marshaler: a number is written as one.
func (l Label) MarshalJSON() ([]byte, error) {
	if n, err := strconv.ParseUint(string(l), 10, 31); err == nil && strconv.FormatUint(n, 10) == string(l) {
		return []byte(l), nil
	}
	return json.Marshal(string(l))
}

// UnmarshalJSON implements json.Unmarshaler. Its error is of a kind to which package json adds
// the field.
func (l *Label) UnmarshalJSON(raw []byte) error {
	var text string
	if n, err := strconv.ParseUint(string(raw), 10, 31); err == nil {
		text = strconv.FormatUint(n, 10)
	} else if json.Unmarshal(raw, &text) != nil || text == "" || len(text) > longestLabel {
		return &json.UnmarshalTypeError{Value: shorten(string(raw)), Type: reflect.TypeFor[Label]()}
	}
	*l = Label(text)
	return nil
}

// JSONForm implements strict.Former.
func (l *Label) JSONForm() string { return `a number, or a name of the log such as "batch"` }

// longestLabel bounds the bytes of a name.
const longestLabel = 200

// The resamples of a log: moving blocks of weeks drawn with replacement, or users drawn with
// replacement and shifted by whole weeks (after Zakay and Feitelson, ICPE 2013).
const (
	ResampleWeeks = "weeks"
	ResampleUsers = "users"
)

// The classes of tasks.
const (
	ClassBatch      = "batch"
	ClassProduction = "production"
)

// Limits of Jobs.
const (
	maxEvery  = 1_000_000
	maxBlocks = 52
)

// IsZero reports whether all jobs are played as they are.
func (j Jobs) IsZero() bool { return reflect.ValueOf(j).IsZero() }

// validate returns an error that names the first field that is out of range or has no effect beside the others.
func (j *Jobs) validate() error {
	switch {
	case j.From < 0 || j.From > Duration(MaxUntil):
		return fmt.Errorf("workload.jobs.from is %v: choose up to 3650d", j.From)
	case j.To != 0 && (j.To <= j.From || j.To > Duration(MaxUntil)):
		return fmt.Errorf("workload.jobs.to is %v: choose a time after from (%v), up to 3650d", j.To, j.From)
	case j.Every < 0 || j.Every > maxEvery:
		return fmt.Errorf("workload.jobs.every is %d: choose 1 to %d", j.Every, maxEvery)
	case slices.ContainsFunc(j.Classes, func(c string) bool { return c != ClassBatch && c != ClassProduction }):
		return fmt.Errorf("workload.jobs.classes is %q: choose of %s and %s", shorten(strings.Join(j.Classes, ", ")),
			ClassBatch, ClassProduction)
	case j.MinProcessors < 0:
		return fmt.Errorf("workload.jobs.min_processors is %d: choose 0 or more", j.MinProcessors)
	case j.MaxProcessors < 0 || j.MaxProcessors > 0 && j.MaxProcessors < j.MinProcessors:
		return fmt.Errorf("workload.jobs.max_processors is %d: choose at least min_processors (%d), or 0 for no limit",
			j.MaxProcessors, j.MinProcessors)
	case j.Resample != "" && j.Resample != ResampleWeeks && j.Resample != ResampleUsers:
		return fmt.Errorf("workload.jobs.resample is %q: choose %s or %s", shorten(j.Resample), ResampleWeeks,
			ResampleUsers)
	case j.BlockWeeks < 0 || j.BlockWeeks > maxBlocks:
		return fmt.Errorf("workload.jobs.block_weeks is %d: choose 1 to %d", j.BlockWeeks, maxBlocks)
	case j.BlockWeeks > 0 && j.Resample != ResampleWeeks:
		return fmt.Errorf("workload.jobs.block_weeks is %d without resample %s: leave it out", j.BlockWeeks,
			ResampleWeeks)
	}
	return nil
}
