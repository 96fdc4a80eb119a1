package cluster_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"parley/core/cluster"
	"parley/core/testkit/scripttest"
	"parley/core/testkit/scripttest/cell"
	"parley/core/unit"
	"parley/core/workload"
)

// TestScripts plays testdata/*.txt in the words of package cell. The output tells the
// events that a line caused, with their times, and after ! what was refused. These acts
// are the cluster's own:
//
//	place a n0 [CHECK] · migrate a n1 [CHECK] · preempt a   by_request, forced, unchecked or by_memory; else by use
//	allot a cpu=.2                                          the task's share
//	job x procs=4 run=60s estimate=90s · end_job x [how]    a rigid job
//	place_all x n0:2 n1:2 · preempt_all x · jobs            its processors
//	suspend_all x 3                                         it keeps what it has done, for a cost in seconds
//	arrive 100 · send n0 10 · work                          a divisible load
//	totals
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
			for _, l := range scripttest.Lines(t, d) {
				out.WriteString(s.play(l))
				if err := s.Cluster.Audit(); err != nil {
					l.Fail("%v", err)
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
		delay, err := time.ParseDuration(argument(d, "rack_delay"))
		if err != nil {
			panic(err)
		}
		s.RackDelay = unit.Time(delay.Microseconds())
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

// stage is a cell with jobs that have letters for names.
type stage struct {
	*cell.Cell
	called map[unit.JobID]string
	jobs   map[string]unit.JobID
	told   strings.Builder
}

func newStage(settings cluster.Settings) *stage {
	s := &stage{Cell: cell.New(settings), called: map[unit.JobID]string{}, jobs: map[string]unit.JobID{}}
	s.Settle = s.hear
	return s
}

// play does one act and returns what came of it.
func (s *stage) play(l scripttest.Line) string {
	s.told.Reset()
	shown, known, err := s.Do(l)
	if known && err != nil {
		l.Fail("%v", err)
	}
	if !known {
		shown, err = s.own(l)
	}
	if heard := s.hear(); heard != nil {
		l.Fail("%v", heard)
	}
	out := s.told.String() + shown
	if err != nil {
		out = "! " + err.Error() + "\n" + out
	}
	return out
}

// own does an act that only the cluster's scripts have.
func (s *stage) own(l scripttest.Line) (shown string, err error) {
	c := s.Cluster
	switch l.Act() {
	case "place":
		err = c.Place(s.Task(l), cell.At(l, l.Word(1)), check(l))
	case "migrate":
		err = c.Migrate(s.Task(l), cell.At(l, l.Word(1)), check(l))
	case "allot":
		err = c.Allot(s.Task(l), cell.Shares(l)[unit.CPU])
	case "preempt":
		err = c.Preempt(s.Task(l))
	case "job":
		id := c.SubmitJob(workload.Key{Job: uint64(len(s.called) + 1)}, &workload.Job{
			Processors: int32(l.Arg("procs")), Run: unit.Time(l.Span(l.Args["run"])), Estimate: unit.Time(l.Span(l.Args["estimate"])),
		})
		s.jobs[l.Word(0)], s.called[id] = id, l.Word(0)
	case "place_all":
		err = c.PlaceAll(s.jobs[l.Word(0)], parts(l))
	case "suspend_all":
		err = c.SuspendAll(s.jobs[l.Word(0)], unit.Time(l.Int(l.Word(1)))*unit.Second)
	case "preempt_all":
		err = c.PreemptAll(s.jobs[l.Word(0)])
	case "end_job":
		c.EndJob(s.jobs[l.Word(0)], cell.End(l))
	case "jobs":
		return s.tellJobs(), nil
	case "arrive":
		c.Arrive(unit.WorkOf(l.Float(l.Word(0))))
	case "send":
		err = c.Send(cell.At(l, l.Word(0)), unit.WorkOf(l.Float(l.Word(1))))
	case "work":
		w := c.View().Totals().Work
		return fmt.Sprintf("arrived %v = unsent %v + sending %v + queued %v + computing %v + done %v; %d chunks, lost %v\n", w.Arrived.Float(),
			w.Unsent.Float(), w.Sending.Float(), w.Queued.Float(), w.Computing.Float(), w.Done.Float(), w.Chunks, w.Lost.Float()), nil
	case "totals":
		v := c.View().Totals()
		return fmt.Sprintf("waiting %d running %d migrating %d ended %v placed %d (%d forced) displaced %d migrations %d forced %d aborted %d moved %.1f MB\n",
			v.Waiting, v.Running, v.Migrating, v.Ended, v.Placements, v.ForcedPlacements, v.Displaced, v.Migrations, v.Forced, v.Aborted, float64(v.Moved)/1e6), nil
	default:
		l.Fail("no act is called so")
	}
	return "", err
}

// hear writes down what happened, but the usage sweeps.
func (s *stage) hear() error {
	return s.Cluster.Deliver(func(e cluster.Event) error {
		if e.Kind != cluster.UsageSwept {
			fmt.Fprintf(&s.told, "%v %s\n", e.At, s.say(e))
		}
		return nil
	})
}

// say tells an event, those of jobs and work too.
func (s *stage) say(e cluster.Event) string {
	switch {
	case e.Kind >= cluster.JobSubmitted && e.Kind <= cluster.JobDisplaced:
		text := fmt.Sprintf("%v %s %d", e.Kind, s.called[e.Job()], e.Amount)
		if e.Node != unit.NoNode {
			text += fmt.Sprintf(" n%d", e.Node)
		}
		if e.Kind == cluster.JobEnded {
			text += fmt.Sprintf(" %v", workload.End(e.Detail))
		}
		return text
	case slices.Contains([]cluster.Kind{cluster.LoadArrived, cluster.ChunkSent, cluster.ChunkReceived, cluster.ChunkStarted, cluster.ChunkDone}, e.Kind):
		return fmt.Sprintf("%s %v", s.Describe(e), unit.Work(e.Amount).Float())
	case e.Kind == cluster.ChunkLost:
		return fmt.Sprintf("%s %v %s", s.Describe(e), unit.Work(e.Amount).Float(), [...]string{"on the port", "in the queue", "under way"}[e.Detail])
	}
	return s.Describe(e)
}

// tellJobs tells the totals of jobs and who holds how many processors of which node.
func (s *stage) tellJobs() string {
	v := s.Cluster.View()
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
func parts(l scripttest.Line) (out []cluster.Part) {
	for _, w := range l.Words[2:] {
		at, procs, _ := strings.Cut(w, ":")
		out = append(out, cluster.Part{Node: cell.At(l, at), Processors: int32(l.Int(procs))})
	}
	return out
}

func check(l scripttest.Line) cluster.Check {
	for name, check := range map[string]cluster.Check{"by_request": cluster.ByRequest, "forced": cluster.ByTotal, "unchecked": cluster.Unchecked, "by_memory": cluster.ByMemory} {
		if l.Has(name) {
			return check
		}
	}
	return cluster.ByUse
}
