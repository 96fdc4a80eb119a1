package workflow

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"parley/core/graph"
	"parley/core/trace"
	"parley/core/workload"
)

// Name is the format's name in reports and scenarios.
const Name = "workflow"

// Format returns workflows as a format for a list of formats: each file is one task
// graph, and all of them arrive at time 0, in the order of the files.
func Format() trace.Format {
	return trace.Format{Name: Name, Title: "workflows", Detect: match, Open: open, Summarise: summarise}
}

// match recognises a workflow. A number alone is none: other files begin so too.
func match(h *trace.Head) trace.Match {
	for _, f := range formats() {
		if f.detect(h.Bytes) && (f.table != "stg" || len(bytes.Fields(h.Bytes)) > 3) {
			return trace.Match{Table: f.table}
		}
	}
	return trace.Match{}
}

// Summary summarises a set of workflows.
type Summary struct {
	Graphs []GraphSummary `json:"graphs"`
}

// GraphSummary summarises one workflow.
type GraphSummary struct {
	Tasks        int      `json:"tasks"`
	Dependencies int      `json:"dependencies"`
	Types        int      `json:"types"`
	Work         float64  `json:"work"`           // seconds, or the units of the file
	CriticalPath float64  `json:"critical_path"`  // of work alone
	Bytes        float64  `json:"bytes"`          // of all results
	Decided      []string `json:"decided"`        // where the file leaves it open
	LargestTask  float64  `json:"largest_task"`   // its work
	Widest       int      `json:"widest_layer"`   // most tasks that are as many dependencies from a start
	Depth        int      `json:"layers"`         // of these layers
	NoWork       int      `json:"without_work"`   // tasks
	Starts       int      `json:"without_needs"`  // tasks
	Ends         int      `json:"without_needed"` // tasks whose results no other needs
}

// source is a set of workflows as a workload.
type source struct {
	graphs  []*workload.Subtasks
	next    int
	report  trace.Report
	rules   []trace.Count // the decisions in all files
	names   workload.Names
	current workload.Graph
}

func open(files []trace.File, o trace.Options) (trace.Source, error) {
	s, err := readAll(files, o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func summarise(files []trace.File, o trace.Options) (trace.Report, error) {
	s, err := readAll(files, o)
	return s.report, err
}

// readAll reads the workflows. With an error it returns those read before it.
func readAll(files []trace.File, o trace.Options) (*source, error) {
	s := &source{report: trace.Report{Files: []trace.FileReport{}}}
	o = o.WithDefaults()
	meter := trace.NewMeter(files, o.Progress)
	summary, tasks := Summary{}, 0
	for _, f := range files {
		w, table, err := readFile(f, meter)
		if err != nil {
			return s, err
		}
		if tasks += w.Graph.Len(); tasks > o.MaxTasks {
			return s, &trace.Error{
				Kind: trace.TooLarge, File: f.Name,
				Reason: fmt.Sprintf("brings the number of tasks above %d", o.MaxTasks), Hint: "open fewer workflows",
			}
		}
		types := map[string]workload.SubtaskType{}
		subtasks, err := workload.NewSubtasks(w.Graph, func(name string) workload.SubtaskType {
			if _, known := types[name]; !known {
				types[name] = workload.SubtaskType(len(types))
			}
			return types[name]
		}, nil)
		if err != nil {
			return s, &trace.Error{
				Kind: trace.TooLarge, File: f.Name, Reason: "cannot be counted: " + err.Error(),
				Hint: "state it in larger units",
			}
		}
		s.graphs = append(s.graphs, subtasks)
		s.decide(w.Decided)
		summary.Graphs = append(summary.Graphs, summaryOf(w, len(types)))
		s.report.Files = append(s.report.Files, trace.FileReport{
			File: f.Name, Format: Name + "/" + table,
			Rows: int64(w.Graph.Len()), Bad: []trace.BadRow{}, Notes: w.Notes,
		})
		s.report.Summary = summary
	}
	return s, nil
}

// decide adds the decisions of a file to those of the others.
func (s *source) decide(rules []trace.Count) {
	for _, r := range rules {
		i := slices.IndexFunc(s.rules, func(known trace.Count) bool { return known.Rule == r.Rule })
		if i < 0 {
			s.rules = append(s.rules, r)
		} else {
			s.rules[i].Count += r.Count
		}
	}
}

// readFile reads one workflow.
func readFile(f trace.File, m *trace.Meter) (*Workflow, string, error) {
	in, err := trace.Unpack(f, m)
	if err != nil {
		return nil, "", err
	}
	defer in.Close()
	w, err := Read(f.Name, in)
	if err != nil {
		return nil, "", err
	}
	for _, known := range formats() {
		if known.title == w.Format {
			return w, known.table, nil
		}
	}
	return w, "", nil
}

// summaryOf returns the summary of a workflow with a number of types. A layer is the set of tasks with the same
// longest way from a beginning; the critical path has no transfers.
func summaryOf(w *Workflow, types int) GraphSummary {
	g := w.Graph
	_, critical := g.Critical(func(v int) float64 { return g.Vertex(v).Work }, func(graph.Arc) float64 { return 0 })
	s := GraphSummary{
		Tasks: g.Len(), Dependencies: g.Arcs(), Types: types, Work: g.Work(), CriticalPath: critical,
		Decided: append([]string{}, w.Notes...),
	}
	layer := make([]int, g.Len())
	widths := map[int]int{}
	for _, v := range g.Order() {
		for _, a := range g.In(int(v)) {
			layer[v] = max(layer[v], layer[a.From]+1)
			s.Bytes += a.Bytes
		}
		widths[layer[v]]++
		s.Widest = max(s.Widest, widths[layer[v]])
		s.Depth = max(s.Depth, layer[v]+1)
		s.LargestTask = max(s.LargestTask, g.Vertex(int(v)).Work)
		if g.Vertex(int(v)).Work == 0 {
			s.NoWork++
		}
		if len(g.In(int(v))) == 0 {
			s.Starts++
		}
		if len(g.Out(int(v))) == 0 {
			s.Ends++
		}
	}
	return s
}

// HoldsTasks is true: a workflow without tasks is refused.
func (s *source) HoldsTasks() bool { return len(s.graphs) > 0 }

// Report returns the report on the workflows.
func (s *source) Report() trace.Report { return s.report }

// Tally returns the counts of the tasks: all are played.
func (s *source) Tally() trace.Tally {
	t := trace.NewTally("tasks", s.report.Files)
	for _, rule := range s.rules {
		t.Repair(rule.Rule, rule.About, rule.Count)
	}
	return t
}

// Names translates nothing: workflows have no attributes.
func (s *source) Names() *workload.Names { return &s.names }

// Header describes graphs without machines: a workflow names none.
func (s *source) Header() workload.Header {
	return workload.Header{Shape: workload.ShapeGraphs, Machineless: true}
}

// Close implements trace.Source; all files are read.
func (s *source) Close() error { return nil }

// Next implements workload.Source.
func (s *source) Next(r *workload.Record) error {
	if s.next == len(s.graphs) {
		return io.EOF
	}
	s.current = workload.Graph{Subtasks: s.graphs[s.next]}
	*r = workload.Record{Kind: workload.GraphArrives, Key: workload.Key{Job: uint64(s.next)}, Graph: &s.current}
	s.next++
	return nil
}
