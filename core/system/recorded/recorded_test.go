package recorded_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"parley/core/protocol"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system/recorded"
	"parley/core/testkit/systemtest"
	"parley/core/unit"
)

// firstFit is a scheduler that knows what it was sent and nothing else: each task goes to
// the lowest node with room by requests, each job to the lowest free processors.
type firstFit struct {
	capacity map[unit.NodeID][]unit.Share
	tasks    map[int64][]unit.Share
	on       map[int64]unit.NodeID
	waiting  []int64 // tasks
	jobs     []int64 // waiting
	tried    []protocol.Act
}

// newFirstFit returns one without state.
func newFirstFit() protocol.Scheduler {
	return &firstFit{capacity: map[unit.NodeID][]unit.Share{}, tasks: map[int64][]unit.Share{}, on: map[int64]unit.NodeID{}}
}

func (f *firstFit) Begin(h *protocol.Hello) (protocol.Welcome, error) {
	for _, n := range h.Nodes {
		f.capacity[n.Node] = n.Capacity
	}
	return protocol.Welcome{Parley: protocol.Version}, nil
}

func (f *firstFit) Decide(m *protocol.Moment) (protocol.Answer, error) {
	if len(m.Verdicts) != len(f.tried) {
		return protocol.Answer{}, fmt.Errorf("%d verdicts on %d acts", len(m.Verdicts), len(f.tried))
	}
	for i, v := range m.Verdicts {
		if a := f.tried[i]; v != "ok" && v != "gone" {
			if a.Job > 0 {
				f.jobs = append(f.jobs, a.Job)
			} else {
				delete(f.on, a.Task)
				f.waiting = append(f.waiting, a.Task)
			}
		}
	}
	for i := range m.Facts {
		f.learn(&m.Facts[i])
	}
	f.tried = []protocol.Act{}
	for _, job := range f.jobs {
		f.tried = append(f.tried, protocol.Act{Do: protocol.DoStart, Job: job})
	}
	f.jobs = f.jobs[:0]
	f.waiting = slices.DeleteFunc(f.waiting, f.place)
	answer := protocol.Answer{Acts: f.tried}
	if len(f.waiting)+len(f.tried) > 0 {
		answer.WakeAt = m.At + unit.Minute
	}
	return answer, nil
}

func (f *firstFit) learn(e *protocol.Fact) {
	switch e.Event {
	case "node_up", "node_changed":
		f.capacity[e.Is.Node] = e.Is.Capacity
	case "node_down":
		delete(f.capacity, *e.Node)
	case "task_submitted":
		f.tasks[e.Task] = e.Request
		f.waiting = append(f.waiting, e.Task)
	case "task_changed":
		f.tasks[e.Task] = e.Request
	case "task_displaced":
		delete(f.on, e.Task)
		f.waiting = append(f.waiting, e.Task)
	case "task_ended":
		delete(f.tasks, e.Task)
		delete(f.on, e.Task)
		f.waiting = slices.DeleteFunc(f.waiting, func(t int64) bool { return t == e.Task })
	case "task_recorded": // the workload's own scheduler, which the stories let act
		if !slices.Contains(f.waiting, e.Task) {
			f.on[e.Task] = *e.Node
		}
	case "job_submitted", "job_displaced":
		f.jobs = append(f.jobs, e.Job)
	}
}

// place acts on a task that finds room and reports whether it did.
func (f *firstFit) place(task int64) bool {
	for _, n := range slices.Sorted(func(yield func(unit.NodeID) bool) {
		for n := range f.capacity {
			if !yield(n) {
				return
			}
		}
	}) {
		if f.fits(task, n) {
			f.on[task] = n
			f.tried = append(f.tried, protocol.Act{Do: protocol.DoPlace, Task: task, Node: &n, By: "request"})
			return true
		}
	}
	return false
}

func (f *firstFit) fits(task int64, n unit.NodeID) bool {
	sum := slices.Clone(f.tasks[task])
	for other, on := range f.on {
		if on == n {
			for r := range sum {
				sum[r] += f.tasks[other][r]
			}
		}
	}
	for r := range sum {
		if sum[r] > f.capacity[n][r] {
			return false
		}
	}
	return true
}

// TestConformance: the random trials of the kit hold for what a scheduler can know by the
// protocol alone. Tasks with constraints may wait: first fit insists on the lowest node.
func TestConformance(t *testing.T) {
	systemtest.Run(t, recorded.Asking(newFirstFit), nil, systemtest.MayWait())
}

func TestDescription(t *testing.T) {
	systemtest.Describes(t, recorded.Asking(newFirstFit), recorded.Settings{})
}

// open returns a run of a scheduler on a small cell.
func open(t *testing.T, s protocol.Scheduler) *run.Run {
	t.Helper()
	document, err := scenario.Parse([]byte(`{"v":1,"system":"recorded","seed":7,"cluster":{"nodes":20},"until":"20m","settings":{"options":"k=2"},"faults":[{"at":"5m","kind":"rack_down","target":"rack.0"},{"at":"9m","kind":"rack_up","target":"rack.0"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := (run.Registry{recorded.Asking(func() protocol.Scheduler { return s })}).Open(document, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestReplay: the recorded answers of a run give its digest again.
func TestReplay(t *testing.T) {
	var file bytes.Buffer
	recorder := protocol.NewRecorder(newFirstFit(), &file)
	r := open(t, recorder)
	if err := r.Advance(unit.Forever); err != nil {
		t.Fatal(err)
	}
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	log, err := protocol.ReadLog(&file)
	if err != nil {
		t.Fatal(err)
	}
	again := open(t, log.Replay())
	if err := again.Advance(unit.Forever); err != nil {
		t.Fatal(err)
	}
	if r.Digest() != again.Digest() || r.View().Totals().Placements < 100 {
		t.Errorf("digest %v, and %v from the recorded acts, after %d placements", r.Digest(), again.Digest(), r.View().Totals().Placements)
	}
}

// answering is a scheduler that gives one answer at a moment and nothing before.
type answering struct {
	welcome protocol.Welcome
	answer  protocol.Answer
	after   int // moments
	heard   *protocol.Moment
	hello   *protocol.Hello
}

func (a *answering) Begin(h *protocol.Hello) (protocol.Welcome, error) {
	a.hello = h
	return a.welcome, nil
}

func (a *answering) Decide(m *protocol.Moment) (protocol.Answer, error) {
	a.after--
	switch {
	case a.after == 0:
		return a.answer, nil
	case a.after == -1:
		heard := *m
		heard.Facts, heard.Verdicts = slices.Clone(m.Facts), slices.Clone(m.Verdicts)
		a.heard = &heard
	}
	return protocol.Answer{Acts: []protocol.Act{}}, nil
}

// TestNonsense: an answer that means nothing ends the run with a sentence that names it.
func TestNonsense(t *testing.T) {
	node := func(n unit.NodeID) *unit.NodeID { return &n }
	ok := protocol.Welcome{Parley: 1}
	for _, c := range []struct {
		welcome protocol.Welcome
		answer  string
		want    string
	}{
		{protocol.Welcome{Parley: 2}, ``, "speaks version 2 of the protocol"},
		{protocol.Welcome{Parley: 1, Wants: []string{"gossip"}}, ``, `wants "gossip"`},
		{ok, `{}`, "acts is missing"},
		{ok, `{"acts":[{"do":"plaec","task":1,"node":1}]}`, "acts[0]: do is \"plaec\": did you mean place?"},
		{ok, `{"acts":[{"do":"place","task":1}]}`, "place needs node"},
		{ok, `{"acts":[{"do":"preempt","task":1,"node":0}]}`, "node has no effect with preempt"},
		{ok, `{"acts":[{"do":"place","task":1,"node":20}]}`, "node is 20: there are nodes 0 to 19"},
		{ok, `{"acts":[{"do":"place","task":1,"node":-1}]}`, "node is -1"},
		{ok, `{"acts":[{"do":"place","task":99999,"node":1}]}`, "task is 99999: no task of that number has arrived"},
		{ok, `{"acts":[{"do":"start","job":1}]}`, "job is 1: no job"},
		{ok, `{"acts":[{"do":"place","task":1,"node":1,"by":"luck"}]}`, `by is "luck"`},
		{ok, `{"acts":[],"wake_at":0,"wake_at":1}`, "wake_at"},
		{ok, `{"acts":[],"wake_at":-5}`, "wake_at is -5"},
	} {
		a := &answering{welcome: c.welcome, after: 1}
		if c.answer != "" {
			if err := protocol.Decode([]byte(c.answer), &a.answer); err != nil {
				if !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s: %v, want %q", c.answer, err, c.want)
				}
				continue
			}
		}
		r := open(t, a)
		err := r.Advance(unit.Minute)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.answer, err, c.want)
		}
	}
	good := &answering{welcome: ok, after: 1, answer: protocol.Answer{Acts: []protocol.Act{
		{Do: protocol.DoPlace, Task: 1, Node: node(0), By: "total"}, {Do: protocol.DoPlace, Task: 1, Node: node(0)}, {Do: protocol.DoPreempt, Task: 1},
	}, WakeAt: 42}}
	r := open(t, good)
	if err := r.Advance(unit.Second); err != nil {
		t.Fatal(err)
	}
	if m := good.heard; m == nil || m.At != 42 || !slices.Equal(m.Verdicts, []string{"ok", "state", "ok"}) || len(m.Facts) != 0 {
		t.Errorf("after three acts and a wish to be woken at 42 µs the scheduler receives %+v", m)
	}
	if h := good.hello; len(h.Nodes) != 20 || h.Options != "k=2" || h.Resources[0] != "cpu" {
		t.Errorf("the first message is %+v", h)
	}
}

// TestFactKinds: every field of a fact that is sent is documented for its kind, and every
// kind is sent in some random story.
func TestFactKinds(t *testing.T) {
	known := map[string][]string{}
	for _, k := range protocol.FactKinds() {
		known[k.Event] = append([]string{"e"}, names(k.Fields)...)
	}
	seen := map[string]bool{}
	systemtest.Run(t, recorded.Asking(func() protocol.Scheduler { return &noting{newFirstFit(), t, known, seen} }), nil, systemtest.MayWait(), systemtest.Trials(30))
	for kind := range known {
		if !testing.Short() && !seen[kind] && !strings.Contains(kind, "job_") && !strings.HasPrefix(kind, "migration_") {
			t.Errorf("no story has %s", kind)
		}
	}
}

func names(fields []string) (list []string) {
	for _, f := range fields {
		name, _, _ := strings.Cut(f, ":")
		list = append(list, name)
	}
	return list
}

// noting checks what is sent.
type noting struct {
	protocol.Scheduler
	t     *testing.T
	known map[string][]string
	seen  map[string]bool
}

func (n *noting) Begin(h *protocol.Hello) (protocol.Welcome, error) {
	w, err := n.Scheduler.Begin(h)
	w.Wants = []string{protocol.WantsUsed}
	return w, err
}

func (n *noting) Decide(m *protocol.Moment) (protocol.Answer, error) {
	for _, f := range m.Facts {
		text, err := json.Marshal(f)
		if err != nil {
			n.t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(text, &fields); err != nil {
			n.t.Fatal(err)
		}
		n.seen[f.Event] = true
		for name := range fields {
			if !slices.Contains(n.known[f.Event], name) {
				n.t.Errorf("%s has a field %s that is not documented: %s", f.Event, name, text)
			}
		}
	}
	return n.Scheduler.Decide(m)
}

// tardy places each task, and acts on it in every way once it has ended.
type tardy struct {
	tried    []string
	verdicts map[string]string // by what was tried on a task that had ended
}

func (*tardy) Begin(*protocol.Hello) (protocol.Welcome, error) {
	return protocol.Welcome{Parley: protocol.Version}, nil
}

func (s *tardy) Decide(m *protocol.Moment) (protocol.Answer, error) {
	for i, v := range m.Verdicts {
		if s.tried[i] != "" {
			s.verdicts[s.tried[i]] = v
		}
	}
	s.tried = nil
	a := protocol.Answer{Acts: []protocol.Act{}}
	try := func(act protocol.Act, name string) {
		a.Acts, s.tried = append(a.Acts, act), append(s.tried, name)
	}
	for _, f := range m.Facts {
		on := unit.NodeID(f.Task % 20)
		switch f.Event {
		case "task_submitted":
			try(protocol.Act{Do: protocol.DoPlace, Task: f.Task, Node: &on}, "")
		case "task_ended":
			try(protocol.Act{Do: protocol.DoPlace, Task: f.Task, Node: &on}, "place")
			try(protocol.Act{Do: protocol.DoMigrate, Task: f.Task, Node: &on}, "migrate")
			try(protocol.Act{Do: protocol.DoPreempt, Task: f.Task}, "preempt")
		}
	}
	if len(a.Acts) > 0 {
		a.WakeAt = m.At + unit.Second
	}
	return a, nil
}

// TestGone: whatever is done to a task that has ended changes nothing, is answered gone, and
// the run goes on.
func TestGone(t *testing.T) {
	s := &tardy{verdicts: map[string]string{}}
	r := open(t, s)
	if err := r.Advance(unit.Hour); err != nil {
		t.Fatal(err)
	}
	if want := map[string]string{"place": "gone", "migrate": "gone", "preempt": "gone"}; !maps.Equal(s.verdicts, want) {
		t.Errorf("of tasks that had ended: %v, want %v", s.verdicts, want)
	}
}
