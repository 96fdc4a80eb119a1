// Package exits lists the exit codes of the command line, so that its help, its code and
// the reference agree.
package exits

import (
	"fmt"
	"strings"
)

// The exit codes.
const (
	Done        = 0
	Failed      = 1
	Misused     = 2
	Breached    = 3
	Interrupted = 130
)

// Code is an exit code and when the command line ends with it.
type Code struct {
	Code    int
	When    string // "when it was used wrongly"
	Example string
}

// All returns the exit codes in their order.
func All() []Code {
	return []Code{
		{Done, "when done", "a run was played to its end"},
		{Failed, "when that failed", "a file cannot be read, or a run ends with another digest than `--check` names"},
		{Misused, "when it was used wrongly", "a flag that does not exist, or an argument too many"},
		{
			Breached, "when a condition of --fail-if holds",
			"`parley cluster report DUMP --fail-if 'zone_loss.pending > 0'`; the report is printed first",
		},
		{Interrupted, "when it was interrupted", "Ctrl-C; a run reports what it played until then"},
	}
}

// Sentence returns the exit codes in the words of `parley --help`.
func Sentence() string {
	var parts []string
	for _, c := range All() {
		parts = append(parts, fmt.Sprintf("%d %s", c.Code, c.When))
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}
