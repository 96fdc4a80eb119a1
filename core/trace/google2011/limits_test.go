package google2011_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"parley/core/trace"
	"parley/core/trace/google2011"
	"parley/core/unit"
	"parley/core/workload"
)

// recordsOf reads files to their end.
func recordsOf(t *testing.T, o trace.Options, files ...trace.File) (all []workload.Record, repairs google2011.Repairs, err error) {
	t.Helper()
	s, err := google2011.Open(files, o)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		var r workload.Record
		if err = s.Next(&r); err == nil {
			all = append(all, r)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return all, s.Report().Summary.(google2011.Repairs), err
}

// tableOf is a file of rows.
func tableOf(name string, rows ...string) trace.File {
	return memory(name, []byte(strings.Join(rows, "\n")+"\n"), 0)
}

// numbered is a row for each number from 1 on.
func numbered(n int, format string) (rows []string) {
	for i := range n {
		rows = append(rows, fmt.Sprintf(format, i+1))
	}
	return rows
}

// TestCommonCapacity: a machine without a capacity is like most machines before it, of
// two kinds that are as frequent like the one that was so first; more kinds than 4,096
// are not counted.
func TestCommonCapacity(t *testing.T) {
	many := numbered(4096, "5,%[1]d,0,p,0.%06[1]d,0.5")
	for _, c := range []struct {
		rows []string
		want unit.Vec
	}{
		{nil, unit.Vec{500_000, 499_500}},
		{[]string{"1,1,0,p,0.25,0.5", "2,2,0,p,0.5,0.5"}, unit.Vec{250_000, 500_000}},
		{[]string{"1,1,0,p,0.25,0.5", "2,2,0,p,0.5,0.5", "3,3,0,p,0.5,0.5"}, unit.Vec{500_000, 500_000}},
		{[]string{"1,1,0,p,0.25,0.5", "2,2,0,p,0.5,0.5", "3,3,0,p,0.25,0.5"}, unit.Vec{250_000, 500_000}},
		{append(many[:4096:4096], "6,5001,0,p,1,1", "6,5002,0,p,1,1"), unit.Vec{1, 500_000}},
		{append(many[:4095:4095], "6,5001,0,p,1,1", "6,5002,0,p,1,1"), unit.Vec{1_000_000, 1_000_000}},
	} {
		all, repairs, err := recordsOf(t, trace.Options{}, tableOf("machine_events", append(c.rows, "9,9999,0,p,,")...))
		if err != nil || len(all) != len(c.rows)+1 || all[len(all)-1].Node.Capacity != c.want || repairs.MachinesGivenCapacity != 1 {
			t.Errorf("%.3q: %+v of %d records, %+v, %v", c.rows, all[len(all)-1].Node, len(all), repairs, err)
		}
	}
}

// TestPlatforms: an empty platform is not an attribute, and one that stays the same is not reported.
func TestPlatforms(t *testing.T) {
	all, _, err := recordsOf(t, trace.Options{}, tableOf("machine_events", "1,1,0,,0.5,0.5", "2,2,0,p,0.5,0.5", "3,2,2,p,0.5,0.5", "4,2,2,q,0.5,0.5", "5,2,2,,0.5,0.5"))
	kinds := ""
	for _, r := range all {
		kinds += fmt.Sprintf("%d:%d ", r.At, len(r.Node.Attributes))
		if r.Kind == workload.NodeAttribute {
			kinds += "attribute "
		}
	}
	if err != nil || kinds != "1:0 2:1 3:0 4:0 attribute 4:0 5:0 " {
		t.Errorf("%s(%v)", kinds, err)
	}
}

// TestMostPerOwner: a machine has up to 1,000 attributes and a task up to 1,000
// constraints; one more is refused with its place.
func TestMostPerOwner(t *testing.T) {
	machines := tableOf("machine_events", "0,1,0,p,0.5,0.5")
	attributes := func(n int) trace.File { return tableOf("machine_attributes", numbered(n, "1,1,name%d,x,0")...) }
	constraints := func(n int) trace.File { return tableOf("task_constraints", numbered(n, "1,7,0,0,name%d,x")...) }
	tasks := tableOf("task_events", "2,,7,0,,0,u,1,3,0.1,0.1,0,0")
	for _, c := range []struct {
		files  []trace.File
		reason string
	}{
		{[]trace.File{machines, attributes(999)}, ""}, // and its platform
		{[]trace.File{machines, attributes(1000)}, "machine_attributes, line 1000: with this row a machine has more than 1000 attributes"},
		{[]trace.File{constraints(1000), tasks}, ""},
		{[]trace.File{constraints(1001), tasks}, "task_constraints, line 1001: with this row a task has more than 1000 constraints"},
	} {
		_, _, err := recordsOf(t, trace.Options{}, c.files...)
		var e *trace.Error
		if c.reason == "" && err != nil || c.reason != "" && (!errors.As(err, &e) || e.Kind != trace.TooLarge || !strings.HasPrefix(err.Error(), c.reason)) {
			t.Errorf("%v, want %s", err, c.reason)
		}
	}
	// What is told of a machine that is not there is counted, and no record.
	all, repairs, err := recordsOf(t, trace.Options{}, machines, tableOf("machine_attributes", "1,2,a,x,0", "1,1,a,x,0", "2,3,a,x,0"))
	if err != nil || len(all) != 2 || repairs.AttributesWithoutNode != 2 {
		t.Errorf("%d records, %+v, %v", len(all), repairs, err)
	}
}

// TestMaxTasks: so many machines, names and tasks are read, and one more is refused.
func TestMaxTasks(t *testing.T) {
	machines := func(n int) trace.File { return tableOf("machine_events", numbered(n, "1,%d,0,,0.5,0.5")...) }
	tasks := func(n int) trace.File { return tableOf("task_events", numbered(n, "2,,7,%d,,0,u,1,3,0.1,0.1,0,0")...) }
	constraints := tableOf("task_constraints", "1,7,1,0,a,x", "1,7,1,0,b,y")
	users := tableOf("task_events", numbered(3, "2,,7,%[1]d,,0,user%[1]d,1,3,0.1,0.1,0,0")...)
	for _, c := range []struct {
		limit  int
		files  []trace.File
		reason string
	}{
		{4, []trace.File{machines(4)}, ""},
		{4, []trace.File{machines(5)}, "more than 4 machines"},
		{4, []trace.File{tasks(4)}, ""},
		{4, []trace.File{tasks(5)}, "more than 4 tasks are alive at once"},
		{7, []trace.File{constraints, tasks(1)}, ""}, // two names, two values, two constraints, a user
		{6, []trace.File{constraints, tasks(1)}, "more than 6 names, values and constraints"},
		{3, []trace.File{users}, ""},
	} {
		_, _, err := recordsOf(t, trace.Options{MaxTasks: c.limit}, c.files...)
		if c.reason == "" && err != nil || c.reason != "" && (err == nil || !strings.Contains(err.Error(), c.reason)) {
			t.Errorf("at most %d: %v, want %s", c.limit, err, c.reason)
		}
	}
	if _, err := google2011.Summarise([]trace.File{machines(4)}, trace.Options{MaxTasks: 4}); err != nil {
		t.Error(err)
	}
}

// TestEveryJob: of jobs one of so many is kept whole, of machines all.
func TestEveryJob(t *testing.T) {
	machines := tableOf("machine_events", numbered(40, "1,%d,0,,0.5,0.5")...)
	rows := []string{}
	for job := range 200 {
		rows = append(rows, fmt.Sprintf("2,,%d,0,,0,u,1,3,0.1,0.1,0,0", job), fmt.Sprintf("2,,%d,1,,0,u,1,3,0.1,0.1,0,0", job))
	}
	for _, every := range []uint64{0, 1, 2, 5} {
		all, repairs, err := recordsOf(t, trace.Options{EveryJob: every}, machines, tableOf("task_events", rows...))
		nodes, tasks := 0, map[uint64]int{}
		for _, r := range all {
			if r.Kind == workload.NodeJoins {
				nodes++
			} else {
				tasks[r.Key.Job]++
			}
		}
		for job, n := range tasks {
			if n < 2 {
				t.Errorf("every %d.: job %d has %d tasks", every, job, n)
			}
		}
		kept := len(tasks)
		if share := 200 / int(max(1, every)); err != nil || nodes != 40 || kept < share/2 || kept > min(200, 2*share) || every <= 1 && kept != 200 || repairs.RowsLeftOut != int64(400-2*kept) {
			t.Errorf("every %d.: %d machines, %d jobs, %+v, %v", every, nodes, kept, repairs, err)
		}
	}
}

// TestCloseSource: after Close nothing comes, and an error before it stays.
func TestCloseSource(t *testing.T) {
	s, err := google2011.Open([]trace.File{tableOf("machine_events", "1,1,0,,0.5,0.5", "2,2,0,,0.5,0.5")}, trace.Options{})
	var r workload.Record
	if err != nil || s.Next(&r) != nil || s.Close() != nil || s.Next(&r) != io.EOF {
		t.Error(err, s.Next(&r))
	}
	s, err = google2011.Open([]trace.File{tableOf("machine_events", "1,1,0,,0.5,0.5", "x")}, trace.Options{})
	if err != nil || s.Next(&r) != nil {
		t.Fatal(err)
	}
	wrong := s.Next(&r)
	if again := s.Next(&r); wrong == nil || wrong == io.EOF || s.Close() != nil || again != wrong || s.Next(&r) != wrong {
		t.Errorf("%v, then %v", wrong, again)
	}
	if source, err := google2011.Format().Open([]trace.File{tableOf("f", "no trace")}, trace.Options{}); source != nil || err == nil {
		t.Error(source, err)
	}
}

// TestSummaryOfOneMoment: rows are counted by table, those after the trace's end apart, and a
// trace of one moment begins and ends at it.
func TestSummaryOfOneMoment(t *testing.T) {
	const never = "9223372036854775807"
	files := []trace.File{
		tableOf("machine_attributes", "7000000,1,a,x,0", "7000000,1,b,x,0"),
		tableOf("task_constraints", "7000000,7,1,0,a,x", "7000000,7,1,0,b,x", "7000000,7,1,0,c,x"),
		tableOf("task_usage", "7000000,7000000,7,1,1,0.1,0.1,0,0,0,0,0,0,0,0,0,0,1,0,0"),
		tableOf("task_events", "7000000,,7,0,,0,u,1,9,0.1,0.1,0,0", "7000000,1,7,1,3,0,u,1,8,,0.1,0,0", never+",,7,0,,4,u,1,3,0.1,0.1,0,0", never+",,7,1,,4,u,1,3,0.1,0.1,0,0"),
	}
	report, err := google2011.Summarise(files, trace.Options{})
	s := report.Summary.(google2011.Summary)
	want := google2011.Summary{
		Machines: 1, MachineAttributes: 2, TaskConstraints: 3, TaskUsage: 1, Jobs: 1, Tasks: 2, TaskEvents: google2011.EventCounts{Submit: 2, Finish: 2},
		FirstS: 7, LastS: 7, AfterEnd: 2, WithoutRequest: 1, WithoutMachine: 3, MissingInformation: 1, Production: 1,
	}
	if err != nil || s != want {
		t.Errorf("%+v\nwant %+v (%v)", s, want, err)
	}
}
