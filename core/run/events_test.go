package run_test

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
)

// TestEventLog writes the log of a scenario: `log [KIND…]` with the kinds, or all.
func TestEventLog(t *testing.T) {
	datadriven.RunTest(t, "testdata/events.txt", func(t *testing.T, d *datadriven.TestData) string {
		var only []string
		for _, a := range d.CmdArgs {
			only = append(only, a.Key)
		}
		s, err := scenario.Parse([]byte(d.Input))
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		log, err := run.NewEventLog(&out, only)
		if err != nil {
			return "! " + err.Error() + "\n"
		}
		r, err := run.Open(s, nil, run.LogEvents(log))
		if err == nil {
			err = r.Advance(unit.Forever)
		}
		if err == nil {
			err = log.Flush()
		}
		if err != nil {
			return out.String() + "! " + err.Error() + "\n"
		}
		return out.String()
	})
}
