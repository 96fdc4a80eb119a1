package swf_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"parley/core/rng"
	"parley/core/trace"
	"parley/core/trace/swf"
	"parley/core/workload"
)

// line is a row of a log: what tests are about, the rest as usual.
func line(number, submit, run, allocated, requested, estimate, user int) string {
	return fmt.Sprintf("%d %d 0 %d %d -1 -1 %d %d -1 1 %d 1 1 1 -1 -1 -1\n", number, submit, run, allocated, requested, estimate, user)
}

func summary(t *testing.T, log string, o trace.Options) swf.Summary {
	t.Helper()
	report, err := swf.Summarise([]trace.File{memory([]byte(log), 0)}, o)
	if err != nil {
		t.Fatal(err)
	}
	return report.Summary.(swf.Summary)
}

// TestMachines: processors are spread over the nodes that the header names, rounded up,
// and over no more than a hundred thousand.
func TestMachines(t *testing.T) {
	row := line(1, 0, 5, 1, 1, 5, 1)
	for header, want := range map[string][2]int64{ // nodes, processors each
		"; MaxNodes: 14\n; MaxProcs: 14\n": {14, 1},
		"; MaxNodes: 15\n; MaxProcs: 14\n": {14, 1},
		"; MaxNodes: 4\n; MaxProcs: 12\n":  {4, 3},
		"; MaxNodes: 4\n; MaxProcs: 13\n":  {4, 4},
		"; MaxProcs: 100000\n":             {100_000, 1},
		"; MaxProcs: 100001\n":             {50_001, 2},
		"; MaxProcs: 150000\n":             {75_000, 2},
		"":                                 {1, 1},
	} {
		m := summary(t, header+row, trace.Options{}).Machine
		if m.Nodes != want[0] || m.PerNode != want[1] || strings.Contains(m.From, "MaxNodes") != (want[1] > 2) {
			t.Errorf("%q: %d nodes of %d from %s, want %v", header, m.Nodes, m.PerNode, m.From, want)
		}
	}
}

// TestZeros: of no processors requested those allocated count, of no time requested the
// run time; both are told, and are not the -1 of what is unknown. User 0 is one.
func TestZeros(t *testing.T) {
	log := "; MaxProcs: 4\n" + line(1, 0, 5, 3, 0, 0, 0) + line(2, 1, 7, 0, 2, 6, 1) + line(3, 2, 7, 8, 8, 7, 2) + line(4, 3, 7, 8, 8, 7, 2)
	s := summary(t, log, trace.Options{})
	if s.WithoutAllocated != 0 || s.WithoutRequested != 0 || s.WithoutEstimate != 0 || s.BeyondEstimate != 2 || s.Users != 3 || s.LargerThanMachine != 2 {
		t.Errorf("%+v", s)
	}
	if few := summary(t, log, trace.Options{MaxTasks: 2}); few.Users != 2 {
		t.Errorf("%d users are told where two are kept", few.Users)
	}
	source, err := swf.Open([]trace.File{memory([]byte(log), 0)}, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	told := ""
	var r workload.Record
	for err = source.Next(&r); err == nil; err = source.Next(&r) {
		if r.Kind == workload.JobArrives {
			told += fmt.Sprintf("job %d: %d for %v of %v; ", r.Key.Job, r.Job.Processors, r.Job.Run, r.Job.Estimate)
		}
	}
	if want := "job 1: 3 for 5s of 5s; job 2: 2 for 7s of 6s; "; err != io.EOF || told != want {
		t.Errorf("%s(%v), want %s", told, err, want)
	}
	if report := fmt.Sprintf("%+v", source.Report().Summary); !strings.Contains(report, "ProcessorsAllocated:1") || !strings.Contains(report, "EstimateFromRun:1") || !strings.Contains(report, "KilledAtLimit:1") {
		t.Errorf("%s", report)
	}
}

// TestEveryJob: one of three jobs is kept, by a hash of its number, and the others are
// counted.
func TestEveryJob(t *testing.T) {
	var log strings.Builder
	want := []uint64{}
	for n := 1; n <= 60; n++ {
		log.WriteString(line(n, n, 5, 1, 1, 5, 1))
		if rng.Mix(uint64(n))%3 == 0 {
			want = append(want, uint64(n))
		}
	}
	source, err := swf.Open([]trace.File{memory([]byte(log.String()), 0)}, trace.Options{EveryJob: 3})
	if err != nil {
		t.Fatal(err)
	}
	got := []uint64{}
	var r workload.Record
	for err = source.Next(&r); err == nil; err = source.Next(&r) {
		if r.Kind == workload.JobArrives {
			got = append(got, r.Key.Job)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || len(got) < 10 {
		t.Errorf("kept are %v, want %v", got, want)
	}
	if report := fmt.Sprintf("%+v", source.Report().Summary); !strings.Contains(report, fmt.Sprintf("LeftOut:%d}", 60-len(want))) {
		t.Errorf("%s", report)
	}
}

// TestHalfOfTheRows: at least half of the first 32 rows decide; and a file whose rows
// have 16 to 20 columns is near.
func TestHalfOfTheRows(t *testing.T) {
	good, bad := line(1, 0, 5, 1, 1, 5, 1), strings.Repeat("x ", 18)+"\n"
	columns := func(n int) string { return strings.Repeat("x ", n) + "\n" }
	for _, c := range []struct {
		log         string
		table, near bool
	}{
		{strings.Repeat(good, 3) + strings.Repeat(bad, 3), true, false},
		{strings.Repeat(good, 3) + strings.Repeat(bad, 4), false, true},
		{good + strings.Repeat(bad, 5), false, true},
		{strings.Repeat(good, 16) + strings.Repeat(bad, 17), true, false},
		{"; MaxProcs: 4\n", true, false},
		{"; a remark\n", true, false},
		{"; a remark\n" + columns(15), false, false},
		{columns(15), false, false},
		{columns(16), false, true},
		{columns(20), false, true},
		{columns(21), false, false},
	} {
		h, err := trace.ReadHead(memory([]byte(c.log), 0))
		if err != nil {
			t.Fatal(err)
		}
		if m := swf.Detect(h); (m.Table != "") != c.table || (m.Resembles != "") != c.near {
			t.Errorf("%q is %+v", c.log, m)
		}
	}
}

// TestBreaksOffBeforeTheFirstRow: a log that cannot be read is not taken for one that
// holds nothing: its error comes if rows are asked for.
func TestBreaksOffBeforeTheFirstRow(t *testing.T) {
	gone := trace.File{Name: "log.swf", Size: 100, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader("; MaxProcs: 4\n"), broken{})), nil
	}}
	source, err := swf.Open([]trace.File{gone}, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var r workload.Record
	for err == nil {
		err = source.Next(&r)
	}
	if !source.HoldsTasks() || !strings.Contains(err.Error(), "the disk is gone") {
		t.Errorf("it holds tasks: %v; then it says %v", source.HoldsTasks(), err)
	}
	_, err = swf.Open([]trace.File{memory([]byte("; MaxProcs: 4\n"), 0)}, trace.Options{})
	if err == nil || !strings.HasSuffix(err.Error(), "is a log with a header and no jobs, so there is nothing to run; choose a log that has rows") {
		t.Errorf("of a log without a row it is said: %v", err)
	}
	_, err = swf.Open([]trace.File{memory([]byte("; MaxProcs: 4\nx\ny\n"), 0)}, trace.Options{SkipBadRows: true})
	if err == nil || !strings.HasSuffix(err.Error(), "is a log of which all 2 rows break the format, so there is nothing to run; choose a log that has rows") {
		t.Errorf("of a log of bad rows it is said: %v", err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

// A job comes after the one that it names, unless that is not played: then this is said.
func TestPrecedingJobs(t *testing.T) {
	source, jobs, err := opened("; MaxProcs: 4\n1 0 0 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n2 0 0 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 1 20\n3 0 0 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 7 0\n4 0 0 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 4 0\n")
	if len(jobs) != 4 {
		t.Fatal(jobs, err)
	}
	if text := strings.Join(source.Tally().Sentences(), "; "); !strings.Contains(text, "name a preceding job (field 17) of which no job is played before them: they wait for none: 2") {
		t.Errorf("the tally is %s", text)
	}
}
