package run_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/cluster"
	"parley/core/run"
	"parley/core/testkit/scripttest"
	"parley/core/unit"
	"parley/core/workload"
)

// TestLogs plays testdata/logs/*.txt: small logs, and when each job runs. `play` has machines,
// settings and jobs, a line each:
//
//	nodes 2 processors=4
//	cluster idle_w=95 boot=150s (fields of cluster.power)
//	physical rack_size=2 (fields of cluster.physical)
//	set policy=easy batch.queues=1:~tier=1~preempts (settings, with ~ for a blank)
//	job NAME submit=5 processors=2 run=10 limit=20 nodes=1 memory=4 gpus=1 alone user=1 queue=1 qos=1 array=7 throttle=2 fails
//	  singleton=NAME after=a,b afterok=c afternotok=d afterstart=e think=20 parts=4+8 switches=1 wait=60
//
// Times are seconds, or hours with `hours` on the line of the machines.
func TestLogs(t *testing.T) {
	datadriven.Walk(t, "testdata/logs", func(t *testing.T, path string) { datadriven.RunTest(t, path, playLog) })
}

// runsOf notes when jobs run.
type runsOf struct {
	view cluster.View
	name map[workload.Key]string
	key  map[unit.JobID]workload.Key
	runs map[workload.Key][]string
	unit unit.Time
}

func (s *runsOf) Observe(e cluster.Event) {
	switch e.Kind {
	case cluster.JobSubmitted:
		j, _ := s.view.Job(e.Job())
		s.key[e.Job()] = j.Key
	case cluster.JobPlaced:
		s.add(e, fmt.Sprintf(" %d-", e.At/s.unit))
	case cluster.JobDisplaced:
		s.add(e, fmt.Sprint(int64(e.At/s.unit)))
	case cluster.JobEnded:
		s.add(e, fmt.Sprintf("%d %v", e.At/s.unit, workload.End(e.Detail)))
	}
}

func (s *runsOf) add(e cluster.Event, text string) {
	key := s.key[e.Job()]
	s.runs[key] = append(s.runs[key], text)
}

func playLog(t *testing.T, d *datadriven.TestData) string {
	var l jobLog
	seen := &runsOf{name: map[workload.Key]string{}, key: map[unit.JobID]workload.Key{}, runs: map[workload.Key][]string{}, unit: unit.Second}
	keys, names := map[string]workload.Key{}, map[string]uint32{}
	var settings, order []string
	for _, line := range scripttest.Lines(t, d) {
		switch line.Act() {
		case "nodes":
			for range line.Int(line.Word(0)) {
				l.records = append(l.records, workload.Record{Kind: workload.NodeJoins, Machine: uint64(len(l.records)), Node: workload.Node{
					Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1, Processors: int32(line.Arg("processors")),
				}})
			}
			if line.Has("hours") {
				seen.unit = unit.Hour
			}
		case "set", "cluster", "physical":
			of := map[string]string{"set": "settings.", "cluster": "cluster.power.", "physical": "cluster.physical."}
			for _, word := range line.Words[1:] {
				settings = append(settings, of[line.Act()]+strings.ReplaceAll(word, "~", " "))
			}
		case "job":
			r := jobOf(line, seen.unit, keys, names, len(order))
			keys[line.Word(0)] = r.Key
			order = append(order, line.Word(0))
			l.records = append(l.records, r)
		default:
			line.Fail("no act is called so")
		}
	}
	s, err := parse(t, `{"v":1,"system":"central","until":"30d"}`).Set(settings)
	if err != nil {
		return "! " + err.Error() + "\n"
	}
	r, err := run.Open(s, &l, run.Watch(seen))
	if err != nil {
		return "! " + err.Error() + "\n"
	}
	seen.view = r.View()
	if err := r.Advance(unit.Forever); err != nil {
		return "! " + err.Error() + "\n"
	}
	var b strings.Builder
	for _, name := range order {
		runs := strings.Join(seen.runs[keys[name]], "")
		if runs == "" {
			runs = " never"
		}
		fmt.Fprintf(&b, "%s%s\n", name, strings.TrimSuffix(runs, " finished"))
	}
	if e := r.Report().Jobs.Energy; e != nil {
		fmt.Fprintf(&b, "energy %.0f J: %.0f idle, %.0f off, %.0f switching in %d boots\n", e.Run, e.Idle, e.Off, e.Switch, e.Boots)
	}
	for _, w := range r.Report().Warnings {
		fmt.Fprintf(&b, "%s\n", w)
	}
	return b.String()
}

// jobOf reads a job, the i-th of its log.
func jobOf(line scripttest.Line, of unit.Time, keys map[string]workload.Key, names map[string]uint32, i int) workload.Record {
	key := workload.Key{Job: uint64(i + 1)}
	if array := line.Arg("array"); array > 0 {
		key = workload.Key{Job: uint64(array), Index: uint32(i)}
	}
	at := func(key string) unit.Time { return unit.Time(line.Arg(key)) * of }
	j := &workload.Job{
		Processors: int32(max(1, line.Arg("processors"))), Run: at("run"), Estimate: at("limit"), User: uint32(line.Arg("user")), Group: uint32(line.Arg("group")),
		Queue: int32(line.Arg("queue")), QOS: uint32(line.Arg("qos")), Throttle: int32(line.Arg("throttle")), Fails: line.Has("fails"), Singleton: line.Has("singleton"),
		Need: workload.Need{Nodes: int32(line.Arg("nodes")), GPUs: int32(line.Arg("gpus")), Memory: unit.Bytes(line.Arg("memory")), Alone: line.Has("alone")},
	}
	if j.Switches = int32(line.Arg("switches")); j.Switches > 0 {
		if j.SwitchWait = unit.Forever; line.Args["wait"] != "" {
			j.SwitchWait = at("wait")
		}
	}
	if j.Estimate == 0 {
		j.Estimate = j.Run
	}
	for _, word := range []string{"name", "singleton"} {
		if name := line.Args[word]; name != "" {
			if names[name] == 0 {
				names[name] = uint32(len(names) + 1)
			}
			j.Name = names[name]
		}
	}
	for word, kind := range map[string]workload.PrecedingKind{"after": workload.AfterAny, "afterok": workload.AfterOK, "afternotok": workload.AfterNotOK, "afterstart": workload.AfterStart} {
		for name := range strings.SplitSeq(line.Args[word], ",") {
			if name != "" {
				j.After = append(j.After, workload.Preceding{Key: keys[name], Think: at("think"), Kind: kind})
			}
		}
	}
	if parts := line.Args["parts"]; parts != "" {
		j.Processors = 0
		for text := range strings.SplitSeq(parts, "+") {
			n := int32(line.Int(text))
			j.Processors += n
			j.Components = append(j.Components, workload.Component{Processors: n})
		}
	}
	return workload.Record{At: at("submit"), Kind: workload.JobArrives, Key: key, Job: j}
}
