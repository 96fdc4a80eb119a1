package workload_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/core/workload"
)

// TestWhenScheduled retells a story: waiting is left out, every stay on a machine
// is a task's life of its own.
func TestWhenScheduled(t *testing.T) {
	kinds := map[string]workload.Kind{
		"arrives": workload.TaskArrives, "recorded": workload.TaskRecorded, "released": workload.TaskReleased, "ends": workload.TaskEnds,
		"changes": workload.TaskChanges, "uses": workload.TaskUses, "joins": workload.NodeJoins,
	}
	names := map[workload.Kind]string{}
	for name, kind := range kinds {
		names[kind] = name
	}
	for _, c := range []struct{ told, want string }{
		{"joins", "joins"},
		{"arrives a, recorded a, ends a", "arrives a, recorded a, ends a finished"},
		{"arrives a, ends a", ""},                      // it never ran
		{"recorded a, uses a, ends a, released a", ""}, // nobody knows it
		{"arrives a, uses a, recorded a, uses a, recorded a", "arrives a, recorded a, uses a, recorded a"},
		{"arrives a, recorded a, released a, recorded a, ends a", "arrives a, recorded a, ends a evicted, arrives a, recorded a, ends a finished"},
		{"arrives a, recorded a, released a, released a, ends a", "arrives a, recorded a, ends a evicted"},
		{"arrives a, changes a 7, recorded a, changes a 8, released a, changes a 9, recorded a", "arrives a 7, recorded a, changes a 8, ends a evicted, arrives a 9, recorded a"},
		{"arrives a, arrives b, changes a 7, changes b 8, recorded a, recorded b", "arrives a 7, recorded a, arrives b 8, recorded b"},
		{"arrives a, arrives b, recorded b, recorded a, ends b, ends a", "arrives b, recorded b, arrives a, recorded a, ends b finished, ends a finished"},
	} {
		var records []workload.Record
		for _, line := range strings.Split(c.told, ", ") {
			words := append(strings.Fields(line), "", "")
			r := workload.Record{At: 5, Kind: kinds[words[0]]}
			if words[1] != "" {
				r.Key.Job = uint64(words[1][0])
			}
			if words[0] == "arrives" || words[0] == "changes" {
				r.Task.Constraints = []workload.Constraint{{Name: 4, Value: int64(r.Key.Job)}}
			}
			if words[2] != "" {
				r.Task.Priority = words[2][0] - '0'
			}
			records = append(records, r)
		}
		var got []string
		for _, r := range read(workload.WhenScheduled(&list{records: records})) {
			line := names[r.Kind]
			if r.Kind != workload.NodeJoins {
				line += fmt.Sprintf(" %c", rune(r.Key.Job))
			}
			if r.Kind == workload.TaskEnds {
				line += " " + r.End.String()
			}
			if r.Task.Priority > 0 && (r.Kind == workload.TaskArrives || r.Kind == workload.TaskChanges) {
				line += fmt.Sprintf(" %d", r.Task.Priority)
			}
			if r.Kind == workload.TaskArrives && !slices.Equal(r.Task.Constraints, []workload.Constraint{{Name: 4, Value: int64(r.Key.Job)}}) {
				t.Errorf("%q: task %c arrives with the constraints %v", c.told, rune(r.Key.Job), r.Task.Constraints)
			}
			got = append(got, line)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%q\n became %q\n want   %q", c.told, strings.Join(got, ", "), c.want)
		}
	}
}

// TestUnplaced: tasks that the original scheduler never placed do not arrive, and are counted; one that it placed, took
// off and did not place again has arrived.
func TestUnplaced(t *testing.T) {
	of := func(kind workload.Kind, job uint64) workload.Record {
		return workload.Record{Kind: kind, Key: workload.Key{Job: job}}
	}
	source := workload.WhenScheduled(&list{records: []workload.Record{
		of(workload.TaskArrives, 1), of(workload.TaskArrives, 2), of(workload.TaskArrives, 3), of(workload.TaskArrives, 4),
		of(workload.TaskRecorded, 1), of(workload.TaskEnds, 1), // as it should be
		of(workload.TaskChanges, 2), of(workload.TaskEnds, 2), // ended while it waited
		of(workload.TaskRecorded, 3), of(workload.TaskReleased, 3), of(workload.TaskChanges, 3), of(workload.TaskRecorded, 3), of(workload.TaskReleased, 3),
	}})
	read(source)
	if n := source.(interface{ Unplaced() int64 }).Unplaced(); n != 2 {
		t.Errorf("%d tasks have not been placed, want tasks 2 and 4", n)
	}
}
