package swf

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"parley/core/unit"
)

// Job is a row of a log that is written. A time of -1 is unknown.
type Job struct {
	Number               uint64
	Submit, Wait, Run    unit.Time
	Processors           int32
	Estimate             unit.Time
	Completed, Cancelled bool // neither: it failed
	User, Group          uint32
	Queue                int32
}

// Write writes a log that Open reads: a header with the machine and notes, a line each, then
// the jobs in the order in which they are given. Times are whole seconds where they can be.
func Write(w io.Writer, computer string, m Machine, notes []string, jobs func(yield func(Job) bool)) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "; Version: 2.2\n; Computer: %s\n; MaxNodes: %d\n; MaxProcs: %d\n", oneLine(computer), m.Nodes, m.Processors)
	for _, note := range notes {
		fmt.Fprintf(b, "; Note: %s\n", oneLine(note))
	}
	for j := range jobs {
		state := failed
		switch {
		case j.Completed:
			state = completed
		case j.Cancelled:
			state = cancelled
		}
		given := j.Processors
		if j.Run < 0 {
			given = unknown
		}
		fmt.Fprintf(b, "%d %s %s %s %d -1 -1 %d %s -1 %d %d %d -1 %d -1 -1 -1\n", j.Number, seconds(j.Submit),
			seconds(j.Wait), seconds(j.Run), given, j.Processors, seconds(j.Estimate), state, j.User, j.Group, j.Queue)
	}
	return b.Flush()
}

// oneLine returns a text that a header's line can hold.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// seconds returns a time as a log spells it.
func seconds(t unit.Time) string {
	if t < 0 {
		return "-1"
	}
	whole := strconv.FormatInt(int64(t/unit.Second), 10)
	if part := t % unit.Second; part != 0 {
		return whole + "." + strings.TrimRight(fmt.Sprintf("%06d", part), "0")
	}
	return whole
}
