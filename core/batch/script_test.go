package batch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/batch"
	"parley/core/testkit/scripttest"
	"parley/core/unit"
)

// TestScripts plays logs that are written as text.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands { return command })
}

func command(t *testing.T, d *datadriven.TestData) string {
	var name string
	var processors int
	d.ScanArgs(t, "policy", &name)
	d.ScanArgs(t, "processors", &processors)
	policy, err := batch.ParsePolicy(name)
	if err != nil {
		return err.Error() + "\n"
	}
	var log []batch.Logged
	for line := range strings.Lines(d.Input) {
		var submit, procs, estimate, run int
		if n, _ := fmt.Sscan(line, &submit, &procs, &estimate, &run); n == 3 {
			run = estimate
		} else if n != 4 {
			d.Fatalf(t, "cannot read %q", line)
		}
		log = append(log, batch.Logged{
			Job:    batch.Job{Processors: procs, Estimate: seconds(estimate)},
			Submit: seconds(submit), Run: seconds(run),
		})
	}
	var ends []string
	for i, at := range batch.Play(policy, processors, log) {
		if at == unit.Forever {
			ends = append(ends, "never")
			continue
		}
		ends = append(ends, fmt.Sprint(int64((at+log[i].Run)/unit.Second)))
	}
	return strings.Join(ends, " ") + "\n"
}
