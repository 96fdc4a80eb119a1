package run_test

import (
	"io"
	"strings"
	"testing"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
	"parley/core/workload"
)

// log is what a log of rigid jobs brings: a machine and a job on it.
type log struct{ records []workload.Record }

func newLog() *log {
	return &log{[]workload.Record{
		{Kind: workload.NodeJoins, Node: workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1, Processors: 4}},
		{Kind: workload.JobArrives, At: unit.Second, Job: &workload.Job{Processors: 2, Run: unit.Minute, Estimate: unit.Minute}},
	}}
}

func (l *log) Shape() workload.Shape { return workload.ShapeJobs }

func (l *log) Next(r *workload.Record) error {
	if len(l.records) == 0 {
		return io.EOF
	}
	*r, l.records = l.records[0], l.records[1:]
	return nil
}

// A system completes settings for what files bring, says so, and the scenario that runs
// has them; what somebody chose stays.
func TestSettingsAreAdaptedToFiles(t *testing.T) {
	for settings, want := range map[string]string{
		``:                              `{"policy":"easy"}`,
		`,"settings":{"fill":0.5}`:      `{"fill":0.5,"policy":"easy"}`,
		`,"settings":{"policy":"fcfs"}`: `{"policy":"fcfs"}`,
	} {
		s, err := scenario.Parse([]byte(`{"v":1,"system":"central","until":"1h"` + settings + `}`))
		if err != nil {
			t.Fatal(err)
		}
		r, err := run.Systems().Open(s, newLog())
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Advance(r.Until()); err != nil {
			t.Fatal(err)
		}
		report := r.Report()
		said := strings.Contains(strings.Join(report.Warnings, "\n"), "EASY backfilling")
		if got := string(report.Scenario.Settings); got != want || report.Jobs == nil || report.Jobs.Ended != 1 || said == strings.Contains(settings, "policy") {
			t.Errorf("%q: settings %s, jobs %+v, warnings %q", settings, got, report.Jobs, report.Warnings)
		}
	}
}
