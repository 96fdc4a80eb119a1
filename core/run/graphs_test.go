package run_test

import (
	"strings"
	"testing"

	"parley/core/cluster"
	"parley/core/graph"
	"parley/core/run"
	"parley/core/run/inspect"
	"parley/core/unit"
	"parley/core/workload"
)

// Records about graphs and jobs: their owner takes them back while they are there;
// after that, or where there never was one, a record is a repair that is counted.
func TestRecordsOfWhatEnded(t *testing.T) {
	g, err := graph.New([]graph.Vertex{{Name: "a", Work: 60}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := workload.NewSubtasks(g, func(string) workload.SubtaskType { return 0 }, nil)
	if err != nil {
		t.Fatal(err)
	}
	one := &workload.Graph{Subtasks: tasks}
	var l records
	at := func(minute unit.Time, r workload.Record) {
		r.At = minute * unit.Minute
		l = append(l, r)
	}
	key := func(n uint64) workload.Key { return workload.Key{Job: n} }
	at(0, workload.Record{Kind: workload.NodeJoins, Node: workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1, Worker: &workload.Worker{Speed: unit.WorkUnit}}})
	at(1, workload.Record{Kind: workload.GraphArrives, Key: key(1), Graph: one})
	at(1, workload.Record{Kind: workload.GraphArrives, Key: key(2), Graph: one})
	at(1, workload.Record{Kind: workload.GraphArrives, Key: key(3), Graph: one})
	at(1, workload.Record{Kind: workload.GraphEnds, Key: key(3), End: workload.Killed}) // at once
	at(2, workload.Record{Kind: workload.GraphArrives, Key: key(4), Graph: one})
	at(2, workload.Record{Kind: workload.GraphEnds, Key: key(2), End: workload.Killed})
	at(6, workload.Record{Kind: workload.GraphEnds, Key: key(1), End: workload.Killed}) // it was done by then
	at(6, workload.Record{Kind: workload.GraphEnds, Key: key(2), End: workload.Killed}) // twice
	at(6, workload.Record{Kind: workload.GraphEnds, Key: key(9), End: workload.Killed}) // never was
	at(6, workload.Record{Kind: workload.JobEnds, Key: key(1), End: workload.Killed})
	r, err := run.Open(parse(t, `{"v":1,"system":"static","until":"10m"}`), &l)
	if err != nil {
		t.Fatal(err)
	}
	advance(t, r, unit.Forever)
	if err := r.Audit(); err != nil {
		t.Fatal(err)
	}
	report := r.Report()
	if g := report.Graphs; g.Arrived != 4 || g.Done != 2 || g.Aborted != 2 || report.Repairs.Ended != 4 || len(report.Warnings) != 1 || !strings.HasPrefix(report.Warnings[0], "4 records of the workload are about tasks, jobs, graphs or machines") {
		t.Errorf("%+v, %d repairs, %q", g, report.Repairs.Ended, report.Warnings)
	}
}

// A job that its owner takes back ends wherever it stands.
func TestJobsAreTakenBack(t *testing.T) {
	l := newJobLog()
	for i, n := range []uint64{1, 3, 4, 99} {
		l.records = append(l.records, workload.Record{At: 6*unit.Minute + unit.Time(i), Kind: workload.JobEnds, Key: workload.Key{Job: n}, End: workload.Killed})
	}
	r, err := run.Open(parse(t, `{"v":1,"system":"central","settings":{"policy":"easy"},"until":"2h"}`), l)
	if err != nil {
		t.Fatal(err)
	}
	advance(t, r, unit.Forever)
	if err := r.Audit(); err != nil {
		t.Fatal(err)
	}
	totals := r.View().Totals().Jobs
	if totals.Ended[workload.Killed] != 3 || totals.Waiting+totals.Running != 0 || r.Report().Repairs.Ended != 1 {
		t.Errorf("%+v, %d repairs", totals, r.Report().Repairs.Ended)
	}
}

// What a scenario says of graphs and cannot be, in one sentence.
func TestGraphsThatCannotBe(t *testing.T) {
	for document, want := range map[string]string{
		`{"v":1,"system":"central","workload":{"graphs":{}}}`:             "workload.graphs is given, but the system central cannot schedule task graphs: choose another",
		`{"v":1,"system":"rounds","workload":{"graphs":{"generate":{}}}}`: "workload.graphs is given beside another workload: leave one of them out",
		`{"v":1,"system":"static","cluster":{"keep":1e-9},"until":"1h"}`:  "cluster.keep is 1e-09 and leaves none of 16 machines: choose a larger share, or leave it out",
	} {
		r, err := run.Open(parse(t, document), nil)
		if err == nil {
			err = r.Advance(unit.Hour)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", document, err, want)
		}
	}
}

// A fault is never told as if nothing had happened where the cluster lost subtasks,
// results or jobs.
func TestIncidentsOfGraphsAndJobs(t *testing.T) {
	for name, c := range map[string]struct {
		document string
		lost     func(v cluster.View) int64
		counted  func(i inspect.Incident) int
	}{
		"board": {
			`{"v":1,"system":"board","seed":1,"workload":{"graphs":{"machines":[{"count":40,"types":20,"types_each":[4,8],"speed":[0.5,2],"bandwidth":[1e6,1e7]}],
				"generate":{"shape":"mixed","vertices":[50,150],"width":10,"needs":3,"work":[60,600],"bytes":[1e6,1e7],"load":0.7},"deadline_factor":3,"bonus":100}},
				"settings":{"thread_rule":"ready"},"faults":[{"at":"30m","kind":"rack_down","target":"rack.0"}],"until":"40m"}`,
			func(v cluster.View) int64 { return v.GraphTotals().Lost },
			func(i inspect.Incident) int { return i.Lost },
		},
		"jobs": {
			`{"v":1,"system":"central","settings":{"policy":"easy"},"workload":{"trace":[{"name":"small.swf"}]},"until":"6h","faults":[{"at":"20s","kind":"node_down","target":"node.0"}]}`,
			func(v cluster.View) int64 { return v.Totals().Jobs.Displaced },
			func(i inspect.Incident) int { return i.Lost },
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := past{s: parse(t, c.document)}
			if len(p.s.Workload.Trace) > 0 {
				p.files = filesIn(t, "../trace/swf/testdata/samples", "small.swf")
			}
			r := p.open(t)
			advance(t, r, unit.Time(p.s.Faults[0].At)+1)
			all := r.Incidents()
			if len(all) != 1 {
				t.Fatalf("%d incidents", len(all))
			}
			if want := c.lost(r.View()); want == 0 || int64(c.counted(all[0])) != want {
				t.Errorf("the incident counts %d, the cluster %d: %s", c.counted(all[0]), want, all[0].Summary)
			}
			t.Log(all[0].Summary)
			if strings.Contains(all[0].Summary, "Nothing") {
				t.Errorf("told: %s", all[0].Summary)
			}
		})
	}
}
