// Package workflow reads task graphs that others published:
//
//   - WfFormat of WfCommons, JSON, version 1.5 and the older layouts
//     (https://github.com/wfcommons/WfFormat)
//   - DAX of Pegasus, XML, version 2 and 3, and the workflows of Pegasus 5, YAML
//   - graphs in Graphviz's DOT whose vertices have a work, as daggen and SimGrid write them
//   - the Standard Task Graph set (Kasahara and Tobita)
//
// Work is the measured seconds of a task, or the units in STG. A result's bytes are the files that
// one task writes and another reads. Rules fill in missing data, and Workflow.Notes lists them. A
// violation of the format is a *trace.Error with the line.
//
//	w, err := workflow.Read("montage.json", file)
//	fmt.Println(w.Format, w.Graph.Len(), w.Graph.Arcs(), w.Notes)
package workflow

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"parley/core/graph"
	"parley/core/trace"
	"parley/core/words"
)

// Workflow is a task graph as a file describes it.
type Workflow struct {
	Format string // as people call it
	Graph  *graph.Graph
	Notes  []string // decisions on missing data, each with its count
	// Decided has the decisions of Notes as counts.
	Decided []trace.Count
}

// Limits of a file; beyond them it is refused with class TooLarge.
const (
	maxBytes = 256 << 20
	maxTasks = 4 << 20
	maxArcs  = 32 << 20
)

// format is one of the formats that Read knows.
type format struct {
	title  string
	table  string // in reports and scenarios
	detect func(head []byte) bool
	read   func(name string, doc []byte) (*builder, error)
}

func formats() []format {
	return []format{
		{"WfFormat of WfCommons", "wfformat", detectWfFormat, readWfFormat},
		{"Pegasus DAX", "dax", detectDAX, readDAX},
		{"Standard Task Graph", "stg", detectSTG, readSTG},
		{"Pegasus 5", "pegasus", detectPegasus, readPegasus},
		{"DOT", "dot", detectDOT, readDOT},
	}
}

// headSize is how much of a file is enough to detect its format.
const headSize = 64 << 10

// Detect reports whether a file that begins like this is one that Read may know.
func Detect(head []byte) bool {
	for _, f := range formats() {
		if f.detect(head) {
			return true
		}
	}
	return false
}

// Read reads the workflow in r and detects its format by content; name is what
// errors call it.
func Read(name string, r io.Reader) (*Workflow, error) {
	doc, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(doc) > maxBytes {
		return nil, &trace.Error{
			Kind: trace.TooLarge, File: name,
			Reason: fmt.Sprintf("it is longer than %d MiB", maxBytes>>20), Hint: "take a part of the workflow",
		}
	}
	doc = bytes.TrimPrefix(doc, []byte("\uFEFF"))
	if len(bytes.TrimSpace(doc)) == 0 {
		return nil, &trace.Error{
			Kind: trace.Empty, File: name, Reason: "is empty",
			Hint: "choose a file that describes a workflow",
		}
	}
	var titles []string
	for _, f := range formats() {
		titles = append(titles, f.title)
		if !f.detect(doc[:min(len(doc), headSize)]) {
			continue
		}
		b, err := f.read(name, doc)
		if err != nil {
			return nil, err
		}
		return b.finish(f.title)
	}
	return nil, &trace.Error{
		Kind: trace.Unknown, File: name,
		Reason: "is no workflow in one of the formats " + strings.Join(titles, ", "), Hint: "choose one that is",
	}
}

// fault is a broken place in a document; line counts from 1.
func fault(name string, line int, column, value, reason, hint string) *trace.Error {
	return &trace.Error{
		Kind: trace.BadLine, File: name, Line: int64(line), Column: column, Value: shorten(value),
		Reason: reason, Hint: hint,
	}
}

// shorten cuts a value for a sentence.
func shorten(value string) string { return words.Cut(value, 40) }

// builder collects tasks, files and arcs.
type builder struct {
	name    string // of the file
	noFiles bool   // the format knows none
	tasks   []task
	index   map[string]int32 // tasks by id
	arcs    map[[2]int32]struct{}
	counts  map[rule]int64 // how often each was applied
	notes   []rule         // in the order they first came
}

// task is one vertex and the files it touches.
type task struct {
	graph.Vertex
	line    int
	in, out []file
}

// file is one that a task reads or writes.
type file struct {
	name  string
	bytes float64 // -1 if the file has none
}

func newBuilder(name string) *builder {
	return &builder{name: name, index: map[string]int32{}, arcs: map[[2]int32]struct{}{}, counts: map[rule]int64{}}
}

// note counts one case of a rule.
func (b *builder) note(r rule) {
	if b.counts[r]++; b.counts[r] == 1 {
		b.notes = append(b.notes, r)
	}
}

// add adds a task; its id stands on line.
func (b *builder) add(id string, line int, t task) (int32, error) {
	if id == "" {
		return 0, fault(b.name, line, "id", id, "is no id", "give every task an id")
	}
	if first, twice := b.index[id]; twice {
		return 0, fault(b.name, line, "id", id, fmt.Sprintf("is the id of the task on line %d already",
			b.tasks[first].line), "give every task an id of its own")
	}
	if len(b.tasks) == maxTasks {
		return 0, &trace.Error{
			Kind: trace.TooLarge, File: b.name, Line: int64(line),
			Reason: fmt.Sprintf("it has more than %d tasks", maxTasks), Hint: "take a part of the workflow",
		}
	}
	v := int32(len(b.tasks))
	t.Name, t.line = id, line
	b.tasks, b.index[id] = append(b.tasks, t), v
	return v, nil
}

// arc says that to needs from; saying it again changes nothing.
func (b *builder) arc(from, to int32, line int) error {
	if from == to {
		return fault(b.name, line, "parent", b.tasks[from].Name, "is a task that depends on itself",
			"remove that dependency")
	}
	if len(b.arcs) == maxArcs {
		return &trace.Error{
			Kind: trace.TooLarge, File: b.name, Line: int64(line),
			Reason: fmt.Sprintf("it has more than %d dependencies", maxArcs), Hint: "take a part of the workflow",
		}
	}
	b.arcs[[2]int32{from, to}] = struct{}{}
	return nil
}

// finish makes the graph.
func (b *builder) finish(title string) (*Workflow, error) {
	if len(b.tasks) == 0 {
		return nil, &trace.Error{
			Kind: trace.Empty, File: b.name, Reason: "is a workflow without tasks",
			Hint: "choose one that has some",
		}
	}
	arcs, err := b.resolve()
	if err != nil {
		return nil, err
	}
	vertices := make([]graph.Vertex, len(b.tasks))
	for i := range b.tasks {
		vertices[i] = b.tasks[i].Vertex
	}
	g, err := graph.New(vertices, arcs)
	if err != nil {
		var cycle *graph.Cycle
		reason, hint, _ := strings.Cut(err.Error(), "; ")
		line := int64(0)
		if errors.As(err, &cycle) {
			line = int64(b.tasks[b.index[cycle.Names[0]]].line)
		}
		return nil, &trace.Error{
			Kind: trace.BadLine, File: b.name, Line: line, Reason: reason,
			Hint: cmp.Or(hint, "correct the file"),
		}
	}
	w := &Workflow{Format: title, Graph: g}
	for _, n := range b.notes {
		w.Notes = append(w.Notes, n.note(b.counts[n]))
		w.Decided = append(w.Decided, trace.Count{Rule: n.id, About: n.about, Count: b.counts[n]})
	}
	return w, nil
}
