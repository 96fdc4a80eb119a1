package cluster_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/scripttest"
	"parley/core/unit"
	"parley/core/workload"
)

// TestScripts plays testdata/*.txt. A line of input is one act on the cluster;
// the output tells what it answered, the events it caused, and after `draw` the
// nodes:
//
//	n0 cpu [####......] mem [##........] a b>n1 <c
//
// one # for each tenth that is used (! above all), task b moving to n1 and task
// c on its way here.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		s := newStage(cluster.Default())
		return func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "settings" {
				s = newStage(settings(d))
				return "ok\n"
			}
			if d.Cmd != "play" {
				d.Fatalf(t, "unknown command %q", d.Cmd)
			}
			var out strings.Builder
			for line := range strings.Lines(d.Input) {
				out.WriteString(s.play(t, strings.Fields(line)))
				if err := s.c.Audit(); err != nil {
					t.Fatalf("%s: after %q: %v", d.Pos, line, err)
				}
			}
			return out.String()
		}
	})
}

func settings(d *datadriven.TestData) cluster.Settings {
	s := cluster.Default()
	for key, field := range map[string]*unit.Bytes{"link_mb": &s.LinkSpeed, "dirty_mb": &s.DirtyRate} {
		if d.HasArg(key) {
			value, err := strconv.Atoi(argument(d, key))
			if err != nil {
				panic(err)
			}
			*field = unit.Bytes(value) * unit.MB
		}
	}
	if d.HasArg("rack_delay") {
		s.RackDelay = span(argument(d, "rack_delay"))
	}
	if d.HasArg("rack_size") {
		s.RackSize, _ = strconv.Atoi(argument(d, "rack_size"))
	}
	return s
}

func argument(d *datadriven.TestData, key string) string {
	for _, a := range d.CmdArgs {
		if a.Key == key {
			return a.Vals[0]
		}
	}
	return ""
}

// stage is a cluster with tasks that have letters for names.
type stage struct {
	kernel *des.Kernel
	c      *cluster.Cluster
	names  map[unit.TaskID]string
	tasks  map[string]unit.TaskID
	called map[unit.JobID]string // jobs
	jobs   map[string]unit.JobID
}

func newStage(s cluster.Settings) *stage {
	k := des.New()
	return &stage{kernel: k, c: cluster.New(s, k), names: map[unit.TaskID]string{}, tasks: map[string]unit.TaskID{}, called: map[unit.JobID]string{}, jobs: map[string]unit.JobID{}}
}

// play does one act and returns what came of it.
func (s *stage) play(t *testing.T, words []string) string {
	args := map[string]string{}
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		args[key] = value
	}
	var err error
	switch words[0] {
	case "join":
		machine, _ := strconv.ParseUint(words[1][1:], 10, 64)
		s.c.Join(machine, workload.Node{Capacity: vec(args), Rack: -1, Site: -1, Attributes: attributes(args), Worker: worker(args), Processors: count(args["procs"])})
	case "leave":
		s.c.Leave(node(words[1]))
	case "restore":
		s.c.Restore(node(words[1]))
	case "resize":
		s.c.Resize(node(words[1]), vec(args))
	case "attribute":
		for _, a := range attributes(args) {
			s.c.SetAttribute(node(words[1]), a)
		}
	case "submit":
		id := s.c.Submit(workload.Key{Job: uint64(len(s.names) + 1)}, task(args))
		s.tasks[words[1]], s.names[id] = id, words[1]
	case "change":
		s.c.Change(s.tasks[words[1]], task(args))
	case "measure":
		s.c.Measure(s.tasks[words[1]], vec(args))
	case "record":
		s.c.Record(s.tasks[words[1]], node(words[2]))
	case "place":
		err = s.c.Place(s.tasks[words[1]], node(words[2]), check(words))
	case "migrate":
		err = s.c.Migrate(s.tasks[words[1]], node(words[2]), check(words))
	case "allot":
		err = s.c.Allot(s.tasks[words[1]], vec(args)[unit.CPU])
	case "preempt":
		err = s.c.Preempt(s.tasks[words[1]])
	case "end":
		s.c.End(s.tasks[words[1]], ends[words[2]])
	case "job":
		id := s.c.SubmitJob(workload.Key{Job: uint64(len(s.called) + 1)}, &workload.Job{Processors: count(args["procs"]), Run: span(args["run"]), Estimate: span(args["estimate"])})
		s.jobs[words[1]], s.called[id] = id, words[1]
	case "place_all":
		err = s.c.PlaceAll(s.jobs[words[1]], parts(words[2:]))
	case "preempt_all":
		err = s.c.PreemptAll(s.jobs[words[1]])
	case "end_job":
		s.c.EndJob(s.jobs[words[1]], ends[words[2]])
	case "jobs":
		return s.tellJobs()
	case "arrive":
		s.c.Arrive(work(words[1]))
	case "send":
		err = s.c.Send(node(words[1]), work(words[2]))
	case "work":
		w := s.c.View().Totals().Work
		return fmt.Sprintf("arrived %v = unsent %v + sending %v + queued %v + computing %v + done %v; %d chunks, lost %v\n", w.Arrived.Float(),
			w.Unsent.Float(), w.Sending.Float(), w.Queued.Float(), w.Computing.Float(), w.Done.Float(), w.Chunks, w.Lost.Float())
	case "run":
		return s.run(span(words[1]))
	case "draw":
		return s.draw()
	case "task":
		return s.tell(words[1])
	case "totals":
		v := s.c.View().Totals()
		return fmt.Sprintf("waiting %d running %d migrating %d ended %v placed %d (%d forced) displaced %d migrations %d forced %d aborted %d moved %.1f MB\n",
			v.Waiting, v.Running, v.Migrating, v.Ended, v.Placements, v.ForcedPlacements, v.Displaced, v.Migrations, v.Forced, v.Aborted, float64(v.Moved)/1e6)
	default:
		t.Fatalf("unknown act %q", words)
	}
	out := s.events()
	if err != nil {
		out = "! " + err.Error() + "\n" + out
	}
	return out
}

var ends = map[string]workload.End{"finished": workload.Finished, "killed": workload.Killed, "evicted": workload.Evicted}

// run lets time pass and tells the events but the usage sweeps.
func (s *stage) run(d unit.Time) string {
	out, until := "", s.kernel.Now()+d
	for s.kernel.Step(until) {
		out += s.events()
	}
	return out
}

func (s *stage) events() string {
	var out strings.Builder
	err := s.c.Deliver(func(e cluster.Event) error {
		if e.Kind == cluster.UsageSwept {
			return nil
		}
		fmt.Fprintf(&out, "%v %v", e.At, e.Kind)
		switch {
		case e.Kind >= cluster.JobSubmitted && e.Kind <= cluster.JobDisplaced:
			fmt.Fprintf(&out, " %s %d", s.called[e.Job()], e.Amount)
		case e.Task != unit.NoTask:
			fmt.Fprintf(&out, " %s", s.names[e.Task])
		}
		if e.Node != unit.NoNode {
			fmt.Fprintf(&out, " n%d", e.Node)
		}
		switch e.Kind {
		case cluster.MigrationBegan, cluster.MigrationEnded, cluster.MigrationBroken:
			fmt.Fprintf(&out, ">n%d %.1f MB", e.Other, float64(e.Amount)/1e6)
			if e.Detail == 1 {
				out.WriteString(" forced")
			}
		case cluster.TaskEnded, cluster.JobEnded:
			fmt.Fprintf(&out, " %v", workload.End(e.Detail))
		case cluster.LoadArrived, cluster.ChunkSent, cluster.ChunkReceived, cluster.ChunkStarted, cluster.ChunkDone:
			fmt.Fprintf(&out, " %v", unit.Work(e.Amount).Float())
		case cluster.TaskAllotted:
			fmt.Fprintf(&out, " %v", unit.Share(e.Amount).Float())
		case cluster.ChunkLost:
			fmt.Fprintf(&out, " %v %s", unit.Work(e.Amount).Float(), [...]string{"on the port", "in the queue", "under way"}[e.Detail])
		}
		out.WriteString("\n")
		return nil
	})
	if err != nil {
		panic(err)
	}
	return out.String()
}

// tellJobs tells the totals of jobs and who holds how many processors of which node.
func (s *stage) tellJobs() string {
	v := s.c.View()
	t := v.Totals().Jobs
	out := fmt.Sprintf("waiting %d running %d ended %v placed %d displaced %d, %d of %d processors busy\n", t.Waiting, t.Running, t.Ended, t.Placements, t.Displaced, t.Busy, t.Processors)
	for n := range unit.NodeID(v.Nodes()) {
		out += fmt.Sprintf("n%d %d/%d", n, v.BusyProcessors(n), v.Processors(n))
		for id, held := range v.Jobs(n) {
			out += fmt.Sprintf(" %s:%d", s.called[id], held)
		}
		out += "\n"
	}
	return out
}

// parts reads n0:2 n1:4.
func parts(words []string) (out []cluster.Part) {
	for _, w := range words {
		at, procs, _ := strings.Cut(w, ":")
		out = append(out, cluster.Part{Node: node(at), Processors: count(procs)})
	}
	return out
}

func count(text string) int32 {
	n, _ := strconv.Atoi(text)
	return int32(n)
}

func (s *stage) draw() string {
	v := s.c.View()
	lines := make([]string, v.Nodes())
	for n := range lines {
		id := unit.NodeID(n)
		lines[n] = fmt.Sprintf("n%d cpu [%s] mem [%s]", n, bar(v.Used(id)[unit.CPU], v.Capacity(id)[unit.CPU]), bar(v.Used(id)[unit.Memory], v.Capacity(id)[unit.Memory]))
		if !v.Up(id) {
			lines[n] = fmt.Sprintf("n%d down", n)
		}
		for task := range v.Tasks(id) {
			lines[n] += " " + s.names[task]
			if t, _ := v.Task(task); t.Target != unit.NoNode {
				lines[n] += fmt.Sprintf(">n%d", t.Target)
			}
		}
	}
	var moves []cluster.Migration
	for m := range v.Migrations {
		moves = append(moves, m)
	}
	slices.SortFunc(moves, func(a, b cluster.Migration) int { return strings.Compare(s.names[a.Task], s.names[b.Task]) })
	for _, m := range moves {
		lines[m.To] += " <" + s.names[m.Task]
	}
	return strings.Join(lines, "\n") + "\n"
}

func bar(part, whole unit.Share) string {
	tenths := int(int64(part) * 10 / int64(max(whole, 1)))
	if part > whole {
		return "!!!!!!!!!!"
	}
	return strings.Repeat("#", tenths) + strings.Repeat(".", 10-tenths)
}

func (s *stage) tell(name string) string {
	t, alive := s.c.View().Task(s.tasks[name])
	if !alive {
		return name + " has ended\n"
	}
	out := fmt.Sprintf("%s %v", name, t.State)
	if t.Node != unit.NoNode {
		out += fmt.Sprintf(" on n%d", t.Node)
	}
	if share, has := s.c.View().Share(s.tasks[name]); has {
		out += fmt.Sprintf(" with a share of %v", share.Float())
	}
	return out + fmt.Sprintf(" requests %v uses %v costs %.1f MB\n", fractions(t.Request), fractions(t.Usage), float64(s.c.View().MigrationCost(s.tasks[name]))/1e6)
}

func fractions(v unit.Vec) string {
	return fmt.Sprintf("%v/%v", v[unit.CPU].Float(), v[unit.Memory].Float())
}

func task(args map[string]string) *workload.Task {
	w := &workload.Task{Request: vec(args), Usage: workload.UsageModel{Mean: [unit.Resources]uint16{1 << 15, 1 << 15}}} // uses half of it
	w.Image = workload.ImageOf(w.Request)
	if _, ok := args["production"]; ok {
		w.Class = workload.Production
	}
	if life, ok := args["life"]; ok {
		w.Lifetime = span(life)
	}
	if use, ok := args["use"]; ok { // of the request, in percent
		percent, _ := strconv.Atoi(use)
		for r := range w.Usage.Mean {
			w.Usage.Mean[r] = uint16(min(65535, (percent*65536+99)/100))
		}
	}
	for i, op := range [...]string{"eq", "ne", "lt", "gt"} {
		if want, ok := args[op]; ok {
			name, value, _ := strings.Cut(want, ":")
			w.Constraints = append(w.Constraints, workload.Constraint{Name: attributeNames[name], Op: workload.Operator(i), Value: number(value)})
		}
	}
	return w
}

var attributeNames = map[string]workload.AttributeName{"disk": 0, "kernel": 1}

func attributes(args map[string]string) []workload.Attribute {
	var out []workload.Attribute
	for _, name := range []string{"disk", "kernel"} {
		if value, ok := args[name]; ok {
			out = append(out, workload.Attribute{Name: attributeNames[name], Value: number(value), Absent: value == "none"})
		}
	}
	return out
}

// worker describes a worker, or none where no speed is given.
func worker(args map[string]string) *workload.Worker {
	if args["speed"] == "" {
		return nil
	}
	w := &workload.Worker{Speed: work(args["speed"]), Bandwidth: work(args["bandwidth"]), CompLatency: span(args["comp"]), CommLatency: span(args["comm"])}
	if text, ok := args["stray"]; ok {
		stray, err := strconv.ParseFloat(text, 64)
		if err != nil {
			panic(err)
		}
		w.Strays = workload.Strays{Seed: 1, Speed: workload.Stray{Worker: stray}, Bandwidth: workload.Stray{Chunk: stray}}
	}
	return w
}

func work(text string) unit.Work {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return unit.WorkOf(x)
}

func number(text string) int64 {
	if text == "none" {
		return workload.Unset
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

func vec(args map[string]string) (v unit.Vec) {
	for r := range v {
		if text, ok := args[unit.Resource(r).String()[:3]]; ok {
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				panic(err)
			}
			v[r] = unit.ShareOf(x)
		}
	}
	return v
}

func node(name string) unit.NodeID {
	n, err := strconv.Atoi(strings.TrimPrefix(name, "n"))
	if err != nil {
		return unit.NoNode
	}
	return unit.NodeID(n)
}

func check(words []string) cluster.Check {
	if len(words) > 3 {
		return map[string]cluster.Check{"by_request": cluster.ByRequest, "forced": cluster.ByTotal, "unchecked": cluster.Unchecked, "by_memory": cluster.ByMemory}[words[3]]
	}
	return cluster.ByUse
}

func span(text string) unit.Time {
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(errors.Join(errors.New("the script has a bad duration"), err))
	}
	return unit.Time(d.Microseconds())
}
