package run_test

import (
	"fmt"
	"testing"

	"parley/core/run"
	"parley/core/run/events"
	"parley/core/unit"
	"parley/core/workload"
)

// energyOf plays jobs {submit, processors, run}, in seconds, on nodes of some processors that draw
// 100 W without a job and 200 W with all of them busy.
func energyOf(t *testing.T, nodes, processors int, faults string, jobs ...[3]int) string {
	var l jobLog
	for i := range nodes {
		l.records = append(l.records, workload.Record{Kind: workload.NodeJoins, Machine: uint64(i), Node: workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1, Processors: int32(processors)}})
	}
	for i, j := range jobs {
		length := unit.Time(j[2]) * unit.Second
		l.records = append(l.records, workload.Record{At: unit.Time(j[0]) * unit.Second, Kind: workload.JobArrives, Key: workload.Key{Job: uint64(i + 1)}, Job: &workload.Job{Processors: int32(j[1]), Run: length, Estimate: length, Queue: -1}})
	}
	s := parse(t, fmt.Sprintf(`{"v":1,"system":"central","until":"1h","faults":[%s],"cluster":{"power":{"idle_w":100,"busy_w":200}},"settings":{"policy":"easy"}}`, faults))
	kept := &events.JobLog{}
	r, err := run.Open(s, &l, run.KeepJobs(kept))
	if err != nil {
		t.Fatal(err)
	}
	advance(t, r, unit.Forever)
	e := r.Report().Jobs.Energy
	text := fmt.Sprintf("%.0f J, %.0f idle, %.0f W, %.0f a job:", e.Run, e.Idle, e.MeanW, e.PerJob)
	for _, j := range kept.Rows {
		text += fmt.Sprintf(" %.0f", j.Energy)
	}
	return text
}

// TestEnergy: worked by hand. A job has its whole nodes, shared or not.
func TestEnergy(t *testing.T) {
	for _, c := range []struct {
		nodes, processors int
		faults            string
		jobs              [][3]int
		want              string
	}{
		{2, 1, "", [][3]int{{0, 1, 10}, {5, 2, 10}}, "7000 J, 1000 idle, 350 W, 3000 a job: 2000 4000"},
		{2, 1, "", [][3]int{{100, 1, 10}, {200, 1, 10}}, "24000 J, 20000 idle, 218 W, 2000 a job: 2000 2000"}, // nothing before the first
		{1, 4, "", [][3]int{{0, 1, 10}, {0, 3, 20}}, "3750 J, 0 idle, 188 W, 2875 a job: 2000 3750"},
		{2, 1, `{"at":"5s","kind":"node_down","target":"node.1"}`, [][3]int{{0, 1, 10}, {20, 1, 10}}, "5500 J, 1500 idle, 183 W, 2000 a job: 2000 2000"},
		{1, 1, `{"at":"5s","kind":"node_down","target":"node.0"},{"at":"30s","kind":"node_up","target":"node.0"}`, [][3]int{{0, 1, 10}}, "3000 J, 0 idle, 75 W, 3000 a job: 3000"}, // it begins anew
	} {
		if got := energyOf(t, c.nodes, c.processors, c.faults, c.jobs...); got != c.want {
			t.Errorf("%v: %s, want %s", c.jobs, got, c.want)
		}
	}
}
