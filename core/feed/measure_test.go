package feed_test

import (
	"errors"
	"testing"

	"parley/core/feed"
	"parley/core/testkit/runtest"
	"parley/core/unit"
	"parley/core/workload"
	"parley/core/workload/graphs"
)

// torn is a workload that cannot be read.
type torn struct{}

func (torn) Next(*workload.Record) error { return errors.New("torn") }

// TestMeasure: a trace ends with what its tasks do, not with its machines.
func TestMeasure(t *testing.T) {
	machine := workload.Record{At: unit.Day, Kind: workload.NodeJoins}
	task := workload.Record{At: unit.Hour, Kind: workload.TaskArrives}
	long := workload.Record{Kind: workload.TaskArrives, Task: workload.Task{Lifetime: 2 * unit.Hour}}
	for _, c := range []struct {
		story runtest.Records
		want  unit.Time
	}{{runtest.Records{task, machine}, unit.Hour}, {runtest.Records{machine}, unit.Day}, {nil, 0}, {runtest.Records{long, task}, 2 * unit.Hour}} {
		if extent, err := feed.Measure(&c.story); err != nil || extent.End != c.want {
			t.Errorf("a trace ends at %v (%v), want %v", extent.End, err, c.want)
		}
	}
	if _, err := feed.Measure(torn{}); err == nil {
		t.Error("a broken trace has an end")
	}
}

// TestMeasureOfWork: a trace of rigid jobs ends when a queue in the order of arrival
// is done with them, each within its estimate; one of graphs when they are done one
// after another, each subtask and transfer where that takes longest.
func TestMeasureOfWork(t *testing.T) {
	listed := func(document string) workload.Source {
		d, err := graphs.Parse([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		return d.New(1, nil)
	}
	second := func(n int) unit.Time { return unit.Time(n) * unit.Second }
	job := func(at, processors, runs, estimate int) workload.Record {
		return workload.Record{At: second(at), Kind: workload.JobArrives, Job: &workload.Job{Processors: int32(processors), Run: second(runs), Estimate: second(estimate)}}
	}
	for subject, c := range map[string]struct {
		source workload.Source
		want   unit.Time
	}{
		"jobs":       {&runtest.Records{{Kind: workload.NodeJoins, Node: workload.Node{Processors: 2}}, job(0, 2, 10, 20), job(1, 1, 9, 5)}, second(15)},
		"large jobs": {&runtest.Records{{Kind: workload.NodeJoins, Node: workload.Node{Processors: 2}}, job(3, 3, 10, 20)}, second(3)},
		"graphs": {listed(`{"machines":[{"speeds":{"x":4,"y":2},"bandwidth":100,"latency_s":0.5},{"speeds":{"x":1},"bandwidth":0},{"speed":8,"bandwidth":50}],
			"list":[{"at_s":9,"tasks":[{"name":"a","type":"x","work":3},{"name":"b","type":"y","work":3},{"name":"c","type":"z","work":4}],"arcs":[{"from":"a","to":"b","bytes":200}]}]}`), second(9+3+4+2) + 2*unit.Second},
		"idle jobs":  {&runtest.Records{{Kind: workload.NodeJoins, Node: workload.Node{Processors: 2}}, job(3, 3, 0, 20)}, second(3)},
		"all types":  {listed(`{"machines":[{"speeds":{"x":4}},{"speeds":{"x":2}}],"list":[{"tasks":[{"name":"a","type":"x","work":8}]}]}`), second(4)},
		"slower any": {listed(`{"machines":[{"speeds":{"x":4}},{"speed":2}],"list":[{"tasks":[{"name":"a","type":"x","work":8}]}]}`), second(4)},
		"no channel": {listed(`{"machines":[{"speed":2,"bandwidth":0}],"list":[{"tasks":[{"name":"a","work":8},{"name":"b","work":2}],"arcs":[{"from":"a","to":"b","bytes":9}]}]}`), second(5)},
	} {
		if extent, err := feed.Measure(c.source); err != nil || extent.End != c.want {
			t.Errorf("%s end at %v (%v), want %v", subject, extent.End, err, c.want)
		}
	}
}
