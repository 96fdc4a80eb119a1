package yield_test

import (
	"encoding/json"
	"math"
	"testing"

	"parley/core/system/yield"
	"parley/core/unit"
	"parley/core/workload"
)

// TestPopulation: the services over 60 days are as many, need as much, live and
// change as often as asked for, and every record is about one that is there.
func TestPopulation(t *testing.T) {
	source, err := yield.Workload(json.RawMessage(`{"hosts":50,"tasks":400,"cpu_load":1.2,"slack":0.4,"parallel_share":0.3,"mean_lifetime":"12h","change_every":"6h"}`), 3)
	if err != nil {
		t.Fatal(err)
	}
	alive := map[workload.Key]unit.Vec{}
	var r workload.Record
	hosts, arrived, changed, at := 0, 0.0, 0.0, unit.Time(0)
	tasks, cpu, mem := 0.0, 0.0, 0.0 // integrals over time
	const until = 60 * unit.Day
	for {
		if err := source.Next(&r); err != nil {
			t.Fatal(err)
		}
		now := min(r.At, until)
		if now < at {
			t.Fatalf("a record at %v after one at %v", r.At, at)
		}
		span := (now - at).Seconds()
		tasks += float64(len(alive)) * span
		if span > 0 {
			for _, need := range alive {
				cpu += need[unit.CPU].Float() * span
				mem += need[unit.Memory].Float() * span
			}
		}
		if at = now; r.At > until {
			break
		}
		_, known := alive[r.Key]
		switch r.Kind {
		case workload.NodeJoins:
			hosts++
		case workload.TaskArrives:
			if known || r.Task.Lifetime != 0 || r.Task.Image <= 0 {
				t.Fatalf("%+v arrives, known %v", r, known)
			}
			alive[r.Key] = r.Task.Request
			arrived++
		case workload.TaskChanges:
			if !known || alive[r.Key][unit.Memory] != r.Task.Request[unit.Memory] {
				t.Fatalf("%+v changes, known %v", r, known)
			}
			alive[r.Key] = r.Task.Request
			changed++
		case workload.TaskEnds:
			if !known {
				t.Fatalf("%v ends, which is not there", r.Key)
			}
			delete(alive, r.Key)
		}
	}
	whole := until.Seconds()
	for _, c := range []struct {
		subject     string
		got, want   float64
		within      float64 // of it: three times the spread between seeds
		explanation string
	}{
		{"hosts", float64(hosts), 50, 0, ""},
		{"tasks", tasks / whole, 400, .25, "the jobs at the start, by which arrivals are paced, may be larger than usual"},
		{"CPU load", cpu / whole / 50, 1.2, .3, ""},
		{"memory", mem / whole / 50, .6, .3, ""},
		{"lifetime in hours", tasks / arrived / 3600, 12, .1, "Little's law"},
		{"hours between changes", tasks / changed / 3600, 6, .1, ""},
	} {
		if math.Abs(c.got-c.want) > c.within*c.want {
			t.Errorf("%s: %.3f, want %.3f %s", c.subject, c.got, c.want, c.explanation)
		}
	}
}

func TestWorkloadRefusesNonsense(t *testing.T) {
	if s, err := yield.Workload(nil, 1); s != nil || err != nil {
		t.Errorf("without a document there is %v (%v), want the scenario's own workload", s, err)
	}
	for raw, want := range map[string]string{
		`{"hosts":0}`:             "hosts is 0: choose 1 to 20000",
		`{"tasks":1000000}`:       "tasks is 1000000: choose 1 to 500000",
		`{"slack":1}`:             "slack is 1: choose 0 to 0.99",
		`{"parallel_share":-1}`:   "parallel_share is -1: choose 0 to 1",
		`{"mean_lifetime":"1ms"}`: "mean_lifetime is 1ms: choose 1s or more",
		`{"change_every":"1ms"}`:  "change_every is 1ms: choose 1s or more, or 0s for never",
		`{"gpus":1}`:              `unknown field "gpus"; remove it or correct its name`,
		`{"hosts":1} {}`:          `"{}" follows the end; remove it`,
		`{"cpu_load":-1}`:         "cpu_load is -1: choose 0 to 1000",
		`{"host_memory_mb":0}`:    "host_memory_mb is 0: choose 1 to 1e+08",
	} {
		if _, err := yield.Workload(json.RawMessage(raw), 1); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", raw, err, want)
		}
	}
}
