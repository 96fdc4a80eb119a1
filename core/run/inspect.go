package run

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"parley/core/loadclass"
	"parley/core/message"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// NodeReport describes one node. Resources are fractions
// of the reference machine.
type NodeReport struct {
	Node       unit.NodeID   `json:"node"`
	Name       string        `json:"name"` // the workload's own number of the machine
	Rack       int32         `json:"rack"`
	Up         bool          `json:"up"`
	Class      string        `json:"class"`
	Resources  []string      `json:"resources"` // what the places of the vectors below are
	Capacity   []float64     `json:"capacity"`
	Used       []float64     `json:"used"`
	Requested  []float64     `json:"requested"`
	Production []float64     `json:"production"` // requested by production tasks
	Tasks      []TaskReport  `json:"tasks"`      // those that use most CPU first
	More       int           `json:"more"`       // tasks not listed
	Jobs       []NodeJob     `json:"jobs"`       // rigid jobs that hold processors of it, the largest first
	MoreJobs   int           `json:"more_jobs"`  // jobs not listed
	Facts      []system.Fact `json:"facts"`      // what only the system knows of it
	Lines      []Line        `json:"lines"`      // the latest notes about the node, newest first
}

// TaskReport is one task of a node.
type TaskReport struct {
	ID         string    `json:"id"` // of the run, for Explain
	Name       string    `json:"name"`
	Production bool      `json:"production"`
	Priority   uint8     `json:"priority"`
	State      string    `json:"state"`
	Used       []float64 `json:"used"`
	Requested  []float64 `json:"requested"`
	ImageMB    float64   `json:"image_mb"`
	Share      *float64  `json:"share,omitempty"` // CPU allotted to it; left out where the system allots none
	Yield      *float64  `json:"yield,omitempty"` // the share / the CPU it requests; 1 where it requests none
}

// NodeJob is one rigid job on a node.
type NodeJob struct {
	ID         string    `json:"id"` // of the run, for Explain
	Name       string    `json:"name"`
	Decided    bool      `json:"decided"`    // Explain may know why it is here
	Here       int32     `json:"here"`       // processors of this node
	Processors int32     `json:"processors"` // all that it holds
	Started    unit.Time `json:"started"`
	Until      unit.Time `json:"until"` // by its estimate
}

// Line is one note in words.
type Line struct {
	At    unit.Time     `json:"at"`
	Text  string        `json:"text"`
	Nodes []unit.NodeID `json:"nodes,omitempty"`
	Ref   uint32        `json:"ref,omitempty"` // of the system's Description.Group, for Story; 0: of none
}

// How much a report lists.
const (
	maxListedTasks = 200
	maxListedLines = 40
)

// Inspect reports on a node, or says that there is no such node.
func (r *Run) Inspect(n unit.NodeID) (NodeReport, error) {
	v := r.cluster.View()
	if n < 0 || int(n) >= v.Nodes() {
		return NodeReport{}, fmt.Errorf("node %d does not exist: the cluster has nodes 0 to %d", n, v.Nodes()-1)
	}
	out := NodeReport{
		Node: n, Name: fmt.Sprint(v.Machine(n)), Rack: v.Rack(n), Up: v.Up(n), Class: loadclass.Of(v, n).String(),
		Capacity: fractions(v.Capacity(n)), Used: fractions(v.Used(n)), Requested: fractions(v.Requested(n)), Production: fractions(v.Promised(n)),
		Resources: resourceTitles(), Tasks: []TaskReport{}, Lines: r.Lines(n, maxListedLines), Jobs: []NodeJob{}, Facts: []system.Fact{},
	}
	for id := range v.Tasks(n) {
		t, _ := v.Task(id)
		one := TaskReport{
			ID: strconv.FormatUint(uint64(id), 10), Name: t.Key.TaskName(), Production: t.Class == workload.Production, Priority: t.Priority, State: t.State.String(),
			Used: fractions(t.Usage), Requested: fractions(t.Request), ImageMB: float64(v.MigrationCost(id)) / float64(unit.MB),
		}
		if share, has := v.Share(id); has {
			given, part := share.Float(), 1.0
			if need := t.Request[unit.CPU]; need > 0 {
				part = given / need.Float()
			}
			one.Share, one.Yield = &given, &part
		}
		out.Tasks = append(out.Tasks, one)
	}
	out.Tasks, out.More = most(out.Tasks, func(t *TaskReport) float64 { return t.Used[unit.CPU] })
	r.listJobs(n, &out)
	return out, nil
}

// maxCarded is how many tasks of a node a card holds.
const maxCarded = 60

// Card returns a node with its tasks, as it is drawn near. Tasks are in an order that
// their use does not change.
func (r *Run) Card(n unit.NodeID) message.Card {
	v := r.cluster.View()
	share := func(of unit.Vec) []float64 {
		out := make([]float64, unit.Resources)
		for i, c := range v.Capacity(n) {
			if c > 0 {
				out[i] = float64(of[i]) / float64(c)
			}
		}
		return out
	}
	out := message.Card{
		Node: n, Up: v.Up(n), Class: loadclass.Of(v, n).String(), Capacity: fractions(v.Capacity(n)), Used: share(v.Used(n)), Requested: share(v.Requested(n)),
		Tasks: []message.CardTask{},
	}
	var keys []int64 // of its tasks, in their order: what each requests, below 0 for production
	for id := range v.Tasks(n) {
		t, _ := v.Task(id)
		key := -int64(t.Request[unit.CPU])
		if t.Class == workload.Production {
			key -= 1 << 50
		}
		keys = append(keys, key)
		out.Tasks = append(out.Tasks, message.CardTask{ID: strconv.FormatUint(uint64(id), 10), Name: t.Key.TaskName(), Production: t.Class == workload.Production, Used: share(t.Usage)})
		for at := len(keys) - 1; at > 0 && keys[at-1] > keys[at]; at-- {
			keys[at-1], keys[at] = keys[at], keys[at-1]
			out.Tasks[at-1], out.Tasks[at] = out.Tasks[at], out.Tasks[at-1]
		}
	}
	out.More = max(0, len(out.Tasks)-maxCarded)
	out.Tasks = out.Tasks[:len(out.Tasks)-out.More]
	return out
}

// most returns the entries with the largest figures, those first, and how many more there
// are. What is sorted are numbers: a sort of each type would be 9 KB of the program.
func most[T any](all []T, figure func(*T) float64) (listed []T, more int) {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(figure(&all[b]), figure(&all[a])) })
	listed = all[:0:0] // nil stays nil
	for _, i := range order[:min(maxListedTasks, len(order))] {
		listed = append(listed, all[i])
	}
	return listed, len(all) - len(listed)
}

// listJobs adds what rigid jobs and the system have to do with a node.
func (r *Run) listJobs(n unit.NodeID, out *NodeReport) {
	v := r.cluster.View()
	teller, tells := r.system.(system.NodeTeller)
	for id, here := range v.Jobs(n) {
		j, _ := v.Job(id)
		one := NodeJob{
			ID: strconv.FormatUint(uint64(id), 10), Name: fmt.Sprintf("job %d", j.Key.Job), Here: here, Processors: j.Processors, Started: j.Started, Until: j.Started + j.Estimate,
		}
		if tells {
			one.Name, one.Decided = teller.NameJob(id)
		}
		out.Jobs = append(out.Jobs, one)
	}
	out.Jobs, out.MoreJobs = most(out.Jobs, func(j *NodeJob) float64 { return float64(j.Here) })
	if tells {
		out.Facts = append(out.Facts, teller.TellNode(n)...)
	}
}

// resourceTitles returns what the resources are called.
func resourceTitles() []string {
	titles := make([]string, unit.Resources)
	for r := range unit.Resources {
		titles[r] = r.Title()
	}
	return titles
}

// Decision is why a task is where it is: every candidate and outcome.
type Decision struct {
	ID         string              `json:"id"`
	Task       string              `json:"task"`
	At         unit.Time           `json:"at"`
	From       unit.NodeID         `json:"from"` // -1: it was new or waited
	To         unit.NodeID         `json:"to"`   // -1 if no node took it
	Forced     bool                `json:"forced"`
	Ref        uint32              `json:"ref,omitempty"` // of the group of notes behind it, for Story
	Candidates []DecisionCandidate `json:"candidates"`
	Told       string              `json:"told,omitempty"`   // in a sentence of the system's
	Rule       string              `json:"rule,omitempty"`   // the one rule that decided, in words
	Ranked     bool                `json:"ranked,omitempty"` // the candidates stand in their order, not that of their scores
	Messages   []system.Message    `json:"messages"`         // that led there
}

// DecisionCandidate is one node that was considered.
type DecisionCandidate struct {
	Node   unit.NodeID `json:"node"`
	Score  float64     `json:"score"`
	Answer string      `json:"answer"`         // one of the system's Description.Answers
	Name   string      `json:"name,omitempty"` // what it is, where it is no node alone
	Why    string      `json:"why,omitempty"`  // what it answered, in words
	// After is what it would have carried with the task, in parts of its capacity
	// by resource, and Class what that makes of it; left out if unknown.
	After []float64 `json:"after,omitempty"`
	Class string    `json:"class,omitempty"`
}

// ErrForgotten means that a decision exists, and that the run has to be played
// again to tell it: AskAbout.
var ErrForgotten = errors.New("the decision about this task is too long ago to be remembered")

// AskAbout makes a run remember the decisions about some tasks, and those only.
func AskAbout(ids ...unit.TaskID) Option {
	wanted := map[unit.TaskID]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	return func(r *Run) { r.asked = func(id unit.TaskID) bool { return wanted[id] } }
}

// Decided returns when the latest decision about a task was taken, if any was.
func (r *Run) Decided(id unit.TaskID) (at unit.Time, was bool) {
	if e, ok := r.system.(system.Explainer); ok {
		return e.Decided(id)
	}
	return 0, false
}

// Explain returns the latest decision about a task. Systems remember some
// thousand; for one that is too long ago the error is ErrForgotten.
func (r *Run) Explain(id unit.TaskID) (Decision, error) {
	e, ok := r.system.(system.Explainer)
	if !ok {
		return Decision{}, errors.New("this system does not remember its decisions")
	}
	d, ok := e.Explain(id)
	if !ok {
		if _, was := e.Decided(id); was {
			return Decision{}, ErrForgotten
		}
		return Decision{}, errors.New("nothing was decided about it yet: it waits until somebody looks for a place")
	}
	out := Decision{ID: strconv.FormatUint(uint64(id), 10), At: d.At, From: d.From, To: d.To, Forced: d.Forced, Ref: d.Ref, Candidates: []DecisionCandidate{}, Told: d.Told, Rule: d.Rule, Ranked: d.Ranked, Messages: append([]system.Message{}, d.Messages...)}
	if t, alive := r.cluster.View().Task(id); alive {
		out.Task = t.Key.TaskName()
	}
	for _, c := range d.Candidates {
		one := DecisionCandidate{Node: c.Node, Score: c.Score, Answer: c.Answer, Name: c.Name, Why: c.Why}
		if c.After != (unit.Vec{}) {
			capacity := r.cluster.View().Capacity(c.Node)
			one.Class = loadclass.Classify(c.After, capacity).String()
			for r := range c.After {
				one.After = append(one.After, float64(c.After[r])/float64(max(1, capacity[r])))
			}
		}
		out.Candidates = append(out.Candidates, one)
	}
	return out, nil
}

// Lines returns the latest notes that concern node n, or all of them for
// unit.NoNode, newest first, at most n. The single steps of a group
// are left to Story, and those of tasks that come to nodes to the nodes. There
// are no lines unless the run keeps notes.
func (r *Run) Lines(n unit.NodeID, most int) []Line {
	return r.lines(most, func(note system.Note) bool {
		return !(note.Minor && (note.Ref != 0 || n == unit.NoNode)) && (n == unit.NoNode || note.Node == n || note.Other == n)
	})
}

// Story is the log of one group of notes: a negotiation, say.
type Story struct {
	Ref      uint32    `json:"ref"`
	Task     string    `json:"task"`  // its id, for Explain
	Lines    []Line    `json:"lines"` // all of it that is remembered, the oldest first
	Decision *Decision `json:"decision,omitempty"`
	// Conversation is the same for pictures, where the system tells it.
	Conversation *system.Conversation `json:"conversation,omitempty"`
}

// Story returns all notes of a group, and the decision it came to where
// that is still remembered.
func (r *Run) Story(ref uint32) Story {
	s := Story{Ref: ref}
	var task unit.TaskID
	s.Lines = r.lines(math.MaxInt, func(note system.Note) bool {
		if note.Ref == ref && ref != 0 {
			task = note.Task
			return true
		}
		return false
	})
	slices.Reverse(s.Lines)
	s.Task = strconv.FormatUint(uint64(task), 10)
	if d, err := r.Explain(task); err == nil && d.Ref == ref && len(s.Lines) > 0 {
		s.Decision = &d
	}
	if c, ok := r.system.(system.ConversationSource); ok && len(s.Lines) > 0 {
		told := c.Conversation(ref, r.group(ref))
		s.Conversation = &told
	}
	return s
}

// group returns the notes of a group that are remembered, the oldest first.
func (r *Run) group(ref uint32) (notes []system.Note) {
	for note := range r.notes.Latest {
		if note.Ref == ref {
			notes = append(notes, note)
		}
	}
	slices.Reverse(notes)
	return notes
}

// Accounts returns at most n accounts of the system's parties, and how many
// there are beyond them; none where it keeps no books.
func (r *Run) Accounts(most int) (list []system.Account, rest int) {
	if s, ok := r.system.(system.AccountSource); ok {
		return s.Accounts(most)
	}
	return nil, 0
}

// Graphs returns at most n task graphs that the system works on, and how many
// there are beyond them; none where it does not tell.
func (r *Run) Graphs(most int) (list []system.GraphTask, rest int) {
	if s, ok := r.system.(system.GraphSource); ok {
		return s.Graphs(most)
	}
	return nil, 0
}

// Graph draws one of them; false where it is over or the system does not tell.
func (r *Run) Graph(number uint32) (p system.GraphPicture, known bool) {
	if s, ok := r.system.(system.GraphSource); ok {
		return s.Graph(number)
	}
	return p, false
}

// lines puts the notes that are wanted into words, newest first.
func (r *Run) lines(most int, wanted func(system.Note) bool) []Line {
	lines := []Line{}
	formatter, ok := r.system.(system.NoteFormatter)
	if !ok || r.notes == nil {
		return lines
	}
	for note := range r.notes.Latest {
		if !wanted(note) {
			continue
		}
		if lines = append(lines, lineOf(formatter, note)); len(lines) == most {
			break
		}
	}
	return lines
}

// lineOf puts a note into words.
func lineOf(formatter system.NoteFormatter, note system.Note) Line {
	line := Line{At: note.At, Text: formatter.FormatNote(note), Ref: note.Ref}
	for _, at := range [2]unit.NodeID{note.Node, note.Other} {
		if at != unit.NoNode {
			line.Nodes = append(line.Nodes, at)
		}
	}
	return line
}

func fractions(v unit.Vec) []float64 {
	out := make([]float64, len(v))
	for r := range v {
		out[r] = v[r].Float()
	}
	return out
}
