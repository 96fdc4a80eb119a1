package run_test

import (
	"strings"
	"testing"

	"parley/core/run"
	"parley/core/unit"
	"parley/core/workload"
)

// jobLog is a workload of rigid jobs on three nodes of two processors.
type jobLog struct{ records }

func (jobLog) Header() workload.Header {
	return workload.Header{Shape: workload.ShapeJobs, Follows: true}
}

func newJobLog() *jobLog {
	var l jobLog
	for i := range uint64(3) {
		l.records = append(l.records, workload.Record{Kind: workload.NodeJoins, Machine: i, Node: workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1, Processors: 2}})
	}
	for i, processors := range []int32{4, 6, 1, 3, 7, 2} {
		l.records = append(l.records, workload.Record{
			At: unit.Time(i) * unit.Minute, Kind: workload.JobArrives, Key: workload.Key{Job: uint64(i)},
			Job: &workload.Job{Processors: processors, Run: 10 * unit.Minute, Estimate: 20 * unit.Minute, User: uint32(i % 2), Queue: -1},
		})
	}
	return &l
}

// TestJobs: a log of rigid jobs runs under the policies for them, and under no
// other: one sentence says what to choose.
func TestJobs(t *testing.T) {
	r, err := run.Open(parse(t, `{"v":1,"system":"central","settings":{"policy":"easy"},"until":"2h"}`), newJobLog())
	if err != nil {
		t.Fatal(err)
	}
	advance(t, r, unit.Forever)
	if err := r.Audit(); err != nil {
		t.Fatal(err)
	}
	report := r.Report()
	if j := report.Jobs; j == nil || j.Ended != 5 || j.Waiting != 1 || j.MakespanS != 1800 || len(j.ByUser) != 2 || len(report.Warnings) != 2 || !strings.Contains(report.Warnings[0], "more processors than the machine ever had: 1;") {
		t.Errorf("%+v, warnings %q", j, report.Warnings)
	}
	_, err = run.Open(parse(t, `{"v":1,"system":"negotiation"}`), newJobLog())
	if err == nil || err.Error() != "the system negotiation cannot schedule the files' jobs: choose the system central or market" {
		t.Errorf("negotiation takes jobs: %v", err)
	}
	for document, want := range map[string]string{
		`{"v":1,"system":"central","settings":{"policy":"best-fit"}}`: "the policy places tasks and the workload brings rigid jobs: choose one of fcfs, easy",
	} {
		r, err := run.Open(parse(t, document), newJobLog())
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Advance(unit.Hour); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", document, err, want)
		}
	}
	r = open(t, `{"v":1,"system":"central","settings":{"policy":"fcfs"}}`)
	if err := r.Advance(unit.Hour); err == nil || !strings.Contains(err.Error(), "the policy starts rigid jobs and the workload brings tasks: open a log of rigid jobs (SWF), or choose one of best-fit") {
		t.Errorf("fcfs takes tasks: %v", err)
	}
}
