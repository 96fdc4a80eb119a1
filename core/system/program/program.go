// Package program is a scheduler that the user writes, in Starlark: a dialect of Python
// without clocks, files, classes and recursion (github.com/bazelbuild/starlark). A run
// calls the program's hooks, and these act on the cluster.
//
//	emptiest = formula("-cpu.used / cpu.capacity")
//
//	def on_submit(task, cluster, state):
//	    best = cluster.best(cluster.sample(2, fits=task), emptiest)
//	    if best != None:
//	        cluster.place(task, best)
//
// The text is the scenario's program. A run of the same text, settings and seed has one
// digest everywhere: the interpreter is deterministic, random numbers are the run's, and
// limits count steps (meter.go), for which the tree is rewritten before it is compiled
// (rewrite.go).
package program

import (
	"encoding/json"
	"fmt"
	"reflect"

	"go.starlark.net/starlark"

	"parley/core/cluster"
	"parley/core/formula"
	"parley/core/metric"
	"parley/core/rng"
	"parley/core/score"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// answerRoom is the answer of a candidate that had room and was not taken.
const answerRoom = "room"

// Entry is the system as registries list it.
func Entry() system.Entry {
	return system.Entry{
		Description: system.Description{
			ID: "program", Program: true, Name: "Program",
			About:    "Your own scheduler: a program in Starlark that a run calls.",
			Supports: []workload.Shape{workload.ShapeTasks, workload.ShapeJobs}, Group: "call", Views: []system.View{},
			Now:       []system.Sentence{system.TasksNow, system.JobsNow},
			Omissions: []system.Omission{system.TasksWait, system.JobsWait},
			Metrics: []metric.Column{{
				ID: "program_steps", Name: "Steps a call",
				About: "steps of the program / calls of its hooks, since the beginning",
			}},
			Figures: []metric.Column{
				{ID: "calls", Name: "Calls", About: "calls of the program's hooks"},
				{ID: "most_steps", Name: "Most steps", About: "steps of the longest call"},
				{ID: "acts", Name: "Acts", About: "calls of place, migrate, preempt and start"},
				{ID: "refused", Name: "Refused acts", About: "acts that returned why they were refused"},
				{ID: "state_values", Name: "Values in state", About: "values that state held when it was last checked"},
			},
			Moves: true, Forces: true,
			Charts: append(append(metric.About(workload.ShapeTasks, metric.TaskCharts()),
				metric.About(workload.ShapeJobs, metric.JobCharts())...), metric.Chart{
				Title: "Steps of the program",
				Lines: []metric.Line{{Column: "program_steps", Name: "a call", Tone: "accent"}},
			}),
			Answers: []system.Answer{
				{ID: system.Chosen, Sign: "★", Words: "chosen"},
				{ID: answerRoom, Sign: "✓", Words: "had room"},
			},
		},
		New:     New,
		Program: Describe,
		Unchanging: []reflect.Type{
			reflect.TypeFor[starlark.Function](), reflect.TypeFor[starlark.Builtin](), reflect.TypeFor[starlark.Int](),
			reflect.TypeFor[scorer](), reflect.TypeFor[act](), reflect.TypeFor[loaded](),
		},
	}
}

// Describe returns the description of the system with a program, whose settings it has.
// With an empty text the system plays the first example, and starts rigid jobs in the order
// of their arrival.
func Describe(text string) (system.Description, error) {
	d := Entry().Description
	l, err := load(orExample(text))
	if err != nil {
		return d, err
	}
	d.Settings = l.settings
	return d, nil
}

func orExample(text string) string {
	if text == "" {
		return Examples()[0].Text + inOrder
	}
	return text
}

const inOrder = `
def on_jobs(cluster, state):
    for job in cluster.queue:
        if cluster.start(job) != None:
            return
`

// scheduler implements system.System.
type scheduler struct {
	env    system.Env
	text   string
	hooks  hooks
	thread *starlark.Thread
	random *rng.Stream
	world  *world
	state  *store
	failed error

	nodes    []*node
	jobs     line
	wakes    map[uint64]starlark.Value // the values with which on_wake is to be called
	nextWake uint64

	indexes   []*index
	reader    score.Reader
	evaluator formula.Evaluator
	columns   [][]float64
	values    []float64
	list      []unit.NodeID

	considered    []system.Candidate // by the latest search, for consideredFor
	consideredFor unit.TaskID
	consideredBy  string
	pending       []system.Decision // of this call
	reasons       map[unit.TaskID]string

	counts  counts
	checkAt int64 // steps at which state is looked at again

	system.Decisions
}

type counts struct{ calls, steps, largest, acts, refused, state int64 }

// New makes the system; it implements system.Factory. It loads the program, binds its settings and calls
// on_start, all of which may fail with an error that names the line.
func New(env system.Env, raw json.RawMessage) (system.System, error) {
	text := orExample(env.Program)
	l, err := load(text)
	if err != nil {
		return nil, err
	}
	if err := l.bind(raw); err != nil {
		return nil, err
	}
	s := &scheduler{
		env: env, text: text, hooks: l.hooks, thread: newThread(), random: env.Rand("nodes"),
		state: &store{starlark.StringDict{}},
		wakes: map[uint64]starlark.Value{}, reader: score.Reader{View: env.View},
		columns: make([][]float64, len(score.Columns())), reasons: map[unit.TaskID]string{},
	}
	s.thread.SetLocal(threadKey, s)
	s.world = &world{s: s, nodes: &nodes{s}}
	for _, a := range acts() {
		s.world.acts = append(s.world.acts, &bound{s, &a})
	}
	if s.hooks.start != nil {
		if err := s.call(s.hooks.start, s.world, s.state); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// node returns the value that stands for a node; the same node has the same value.
func (s *scheduler) node(id unit.NodeID) *node {
	for int(id) >= len(s.nodes) {
		n := &node{s: s, id: unit.NodeID(len(s.nodes))}
		for r := range n.of {
			n.of[r] = amounts{n, unit.Resource(r)}
		}
		s.nodes = append(s.nodes, n)
	}
	return s.nodes[id]
}

// On implements system.System: it calls the hook for an event, if the program has it, and marks the
// nodes that changed for searches. After the first error it returns that error.
func (s *scheduler) On(e cluster.Event) error {
	if s.failed != nil {
		return s.failed
	}
	switch e.Kind {
	case cluster.JobSubmitted, cluster.JobDisplaced, cluster.JobEnded:
		return s.onJob(e)
	case cluster.TaskSubmitted:
		if s.hooks.submit == nil {
			return errNoTasks
		}
		return s.settle(s.hooks.submit, e.Task)
	case cluster.TaskDisplaced:
		s.touch(e.Node)
		return s.settle(s.hooks.displaced, e.Task)
	case cluster.TaskEnded:
		s.touch(e.Node)
		if s.hooks.finished != nil {
			var at starlark.Value = starlark.None
			if e.Node != unit.NoNode {
				at = s.node(e.Node)
			}
			return s.call(s.hooks.finished, &task{s, e.Task}, at, s.world, s.state)
		}
	case cluster.NodeUp:
		s.touch(e.Node)
		s.soon()
		if s.hooks.nodeUp != nil {
			return s.call(s.hooks.nodeUp, s.node(e.Node), s.world, s.state)
		}
	case cluster.NodeDown:
		s.touch(e.Node)
		s.soon()
		if s.hooks.nodeDown != nil {
			return s.call(s.hooks.nodeDown, s.node(e.Node), s.world, s.state)
		}
	case cluster.UsageSwept:
		s.forget()
		if s.hooks.minute != nil {
			return s.call(s.hooks.minute, s.world, s.state)
		}
	case cluster.NodeChanged:
		s.touch(e.Node)
		s.soon()
	case cluster.TaskChanged, cluster.UsageMeasured, cluster.MigrationBegan, cluster.MigrationEnded,
		cluster.MigrationBroken:
		s.touch(e.Node)
		s.touch(e.Other)
		if t, alive := s.env.View.Task(e.Task); alive {
			s.touch(t.Node)
			s.touch(t.Target)
		}
	}
	return nil
}

// settle calls a hook for a task, unless it ended or was placed meanwhile. If the hook leaves it
// waiting, that is recorded as a decision.
func (s *scheduler) settle(hook *starlark.Function, id unit.TaskID) error {
	if t, alive := s.env.View.Task(id); !alive || t.State != cluster.Waiting {
		return nil
	}
	if err := s.call(hook, &task{s, id}, s.world, s.state); err != nil {
		return err
	}
	if t, alive := s.env.View.Task(id); alive && t.State == cluster.Waiting && s.env.Wants(id) {
		s.Remember(system.Decision{
			At: s.env.Clock.Now(), Task: id, From: unit.NoNode, To: unit.NoNode,
			Ref: uint32(s.counts.calls), Summary: s.reasons[id], Rule: hook.Name() + " left it waiting",
		})
	}
	return nil
}

// Fire calls the hook that is due: on_jobs if arg is passJobs, else the wake-up with number arg. An error is returned
// by the next On.
func (s *scheduler) Fire(_ unit.Time, arg uint64) {
	hook, args := s.hooks.jobs, []starlark.Value{s.world, s.state}
	if arg == passJobs {
		s.jobs.due = false
	} else {
		hook, args = s.hooks.wake, append([]starlark.Value{s.wakes[arg]}, args...)
		delete(s.wakes, arg)
	}
	if s.failed == nil {
		if err := s.call(hook, args...); err != nil {
			s.failed = fmt.Errorf("at %v, %w", s.env.Clock.Now(), err)
		}
	}
}

// call calls a hook with a fresh budget of steps. An error, explained with its place in the text, is
// kept in s.failed and ends the run. Decisions of the call are recorded only now, because a note after
// an act may give the reason.
func (s *scheduler) call(hook *starlark.Function, args ...starlark.Value) error {
	s.counts.calls++
	clear(s.reasons)
	s.pending, s.consideredFor = s.pending[:0], unit.NoTask
	s.thread.Steps = 0
	_, err := starlark.Call(s.thread, hook, args, nil)
	steps := int64(min(s.thread.Steps, MaxSteps))
	s.counts.steps += steps
	s.counts.largest = max(s.counts.largest, steps)
	if err == nil && s.counts.steps >= s.checkAt {
		err = s.checkState()
	}
	if err != nil {
		s.failed = explain(s.text, err)
		return s.failed
	}
	for _, d := range s.pending {
		d.Summary = s.reasons[d.Task]
		s.Remember(d)
	}
	return nil
}

// checkState looks for values that state may not hold. The time between two checks grows with the
// size of the state.
func (s *scheduler) checkState() error {
	n, err := s.state.size()
	if err != nil {
		return err
	}
	s.counts.state, s.checkAt = int64(n), s.counts.steps+int64(4*n)
	return nil
}

// Audit implements system.Auditor.
func (s *scheduler) Audit() error {
	if s.failed != nil {
		return nil // On returns it
	}
	if _, err := s.state.size(); err != nil {
		return explain(s.text, err)
	}
	return nil
}

// decided keeps the decision about a task until the call of the hook is over, if it is asked for. If the
// last search was for this task, its candidates are part of it.
func (s *scheduler) decided(id unit.TaskID, from, to unit.NodeID, forced bool) {
	if !s.env.Wants(id) {
		return
	}
	d := system.Decision{
		At: s.env.Clock.Now(), Task: id, From: from, To: to, Forced: forced,
		Ref: uint32(s.counts.calls), Rule: "the program placed it there",
	}
	if s.consideredFor == id {
		d.Candidates = append([]system.Candidate{}, s.considered...)
		for i := range d.Candidates {
			if d.Candidates[i].Node == to {
				d.Candidates[i].Answer = system.Chosen
				d.Rule = "the highest " + s.consideredBy
			}
		}
	}
	s.pending = append(s.pending, d)
}

// say publishes a note and keeps its text as the reason of the decision about its task in this call.
func (s *scheduler) say(n system.Note, text string) {
	if n.Task != unit.NoTask && s.env.Wants(n.Task) {
		s.reasons[n.Task] = text
	}
	if s.env.Note != nil {
		s.env.Note(n)
	}
}

// NoteKinds implements system.NoteDescriber.
func (*scheduler) NoteKinds() []system.NoteKind {
	return []system.NoteKind{{ID: "note", About: "what the program wrote with note", Fields: []string{
		"text: what it wrote", "ref: number of the call of a hook, from 1", "task: the task that it is about",
		"node: the node that it is about", "value: the number that it gave",
	}}}
}

// FormatNote implements system.NoteFormatter.
func (*scheduler) FormatNote(n system.Note) string {
	for _, d := range n.Details {
		if d.Name == "text" {
			return d.Text
		}
	}
	return ""
}

// Measure implements system.MetricSource.
func (s *scheduler) Measure(values []float64) {
	values[0] = float64(s.counts.steps) / float64(max(1, s.counts.calls))
}

// Report implements system.Reporter.
func (s *scheduler) Report() map[string]any {
	c := s.counts
	return map[string]any{
		"calls": c.calls, "most_steps": c.largest, "acts": c.acts, "refused": c.refused,
		"state_values": c.state,
	}
}
