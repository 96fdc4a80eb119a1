package google2011_test

import (
	"io"
	"testing"

	"parley/core/trace"
	"parley/core/trace/google2011"
	"parley/core/unit"
	"parley/core/workload"
)

// The counts are those of the public files, found with awk and in the trace's
// own statistics.
func TestRealSummary(t *testing.T) {
	files := realFiles(t, "task_events", "machine_events", "job_events")
	report, err := trace.Summarise(files, []trace.Format{google2011.Format()}, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, rows := range []int64{450_146, 37_780, 10_704} {
		if f := report.Files[i]; f.Rows != rows || f.BadRows != 0 {
			t.Errorf("%s has %d rows and %d bad ones, want %d and 0", f.File, f.Rows, f.BadRows, rows)
		}
	}
	got := report.Summary.(google2011.Summary)
	want := google2011.Summary{
		Machines: 12_583, MachinesOnlyInUse: 3,
		MachineEvents: google2011.MachineEventCounts{Add: 21_443, Remove: 8_957, Update: 7_380},
		Jobs:          4_895, Tasks: 190_926,
		TaskEvents: google2011.EventCounts{
			Submit: 201_491, Schedule: 189_994, Evict: 4_338, Fail: 581, Finish: 43_237, Kill: 10_505,
		},
		JobEvents: google2011.EventCounts{Submit: 4_900, Schedule: 4_892, Fail: 8, Finish: 636, Kill: 268},
		LastS:     2506135.493517, BeforeStart: 277_321, WithoutCapacity: 32, WithoutRequest: 291,
		WithoutMachine: 119_565, MissingInformation: 291, Production: 56_696,
	}
	if got != want {
		t.Errorf("summary: %+v\nwant: %+v", got, want)
	}
}

// At the beginning of the trace 132,982 tasks run, 56,053 of them production,
// on a cell of 12,477 machines: they request 113.5 % of its CPU and 93.3 % of
// its memory (counted by an independent program). The reader adds the thirteen
// machines that tasks run on and that are not there yet.
func TestRealBeginning(t *testing.T) {
	s, err := google2011.Open(realFiles(t, "task_events", "machine_events"), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var machines, running, production int
	var capacity, requested [unit.Resources]int64
	arrived := map[workload.Key]workload.Task{}
	var r workload.Record
	for {
		if err := s.Next(&r); err != nil {
			t.Fatal(err)
		}
		if r.At > 0 {
			break
		}
		switch r.Kind {
		case workload.NodeJoins:
			machines++
			for i, c := range r.Node.Capacity {
				capacity[i] += int64(c)
			}
		case workload.TaskArrives, workload.TaskChanges:
			arrived[r.Key] = r.Task
		case workload.TaskRecorded:
			task, ok := arrived[r.Key]
			if !ok {
				t.Fatalf("%v is placed before it arrives", r.Key)
			}
			running++
			if task.Class == workload.Production {
				production++
			}
			for i, q := range task.Request {
				requested[i] += int64(q)
			}
		default:
			t.Fatalf("a record of kind %d at 0", r.Kind)
		}
	}
	added := s.Report().Summary.(google2011.Repairs).MachinesAdded
	if machines-int(added) != 12_477 || added != 13 || running != 132_982 || production != 56_053 {
		t.Errorf("%d machines, %d of them added, run %d tasks, %d of them production", machines, added, running, production)
	}
	for i, per1000 := range []int64{1135, 933} {
		if got := requested[i] * 1000 / capacity[i]; got < per1000-2 || got > per1000+2 {
			t.Errorf("%v requested is %d/1000 of the capacity, want about %d", unit.Resource(i), got, per1000)
		}
	}
}

// No task is lost: each arrives before anything else happens to it, ends at
// most once, and what arrived and did not end is still alive.
func TestRealLives(t *testing.T) {
	s, err := google2011.Open(realFiles(t, "machine_events", "task_events"), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var arrivals, ends, placements, releases int
	alive := map[workload.Key]bool{}
	present := map[uint64]bool{}
	var r workload.Record
	for err = s.Next(&r); err == nil; err = s.Next(&r) {
		switch r.Kind {
		case workload.NodeJoins, workload.NodeLeaves:
			if present[r.Machine] != (r.Kind == workload.NodeLeaves) {
				t.Fatalf("at %v machine %d joins twice or leaves twice", r.At, r.Machine)
			}
			present[r.Machine] = r.Kind == workload.NodeJoins
			continue
		case workload.NodeChanges, workload.NodeAttribute:
			if !present[r.Machine] {
				t.Fatalf("at %v machine %d changes and is absent", r.At, r.Machine)
			}
			continue
		case workload.TaskArrives:
			arrivals++
			if alive[r.Key] {
				t.Fatalf("at %v %v arrives twice", r.At, r.Key)
			}
			alive[r.Key] = true
			continue
		case workload.TaskEnds:
			ends++
			if !alive[r.Key] {
				t.Fatalf("at %v %v ends and is not alive", r.At, r.Key)
			}
			delete(alive, r.Key)
			continue
		case workload.TaskRecorded:
			placements++
			if !present[r.Machine] {
				t.Fatalf("at %v %v is placed on machine %d, which is absent", r.At, r.Key, r.Machine)
			}
		case workload.TaskReleased:
			releases++
		}
		if !alive[r.Key] {
			t.Fatalf("at %v a record of kind %d for %v, which is not alive", r.At, r.Kind, r.Key)
		}
	}
	if err != io.EOF {
		t.Fatal(err)
	}
	// 201,491 submissions less 4,338 after evictions; 54,323 ends are the FAIL,
	// FINISH and KILL rows; 4 of the evicted tasks were not placed.
	if arrivals != 197_153 || ends != 54_323 || placements != 189_994 || releases != 4_334 || len(alive) != arrivals-ends {
		t.Errorf("%d arrivals, %d ends, %d placements, %d releases, %d alive", arrivals, ends, placements, releases, len(alive))
	}
}
