// Package planner answers the messages to the page's planner: it makes plans for
// documents and reads files of workers, without a run behind it.
//
//	answer := planner.Answer(message.MakePlan{Planner: "load", Algorithm: "best", Document: text}, clock)
package planner

import (
	"errors"
	"strings"
	"time"

	"parley/core/graph"
	"parley/core/message"
	"parley/core/system/rounds/grid"
	"parley/core/system/rounds/plan"
	schedule "parley/core/system/static/plan"
	"parley/core/system/yield/solve"
	"parley/core/trace/simgrid"
	"parley/core/trace/workflow"
)

// Clock returns real time, from any beginning.
type Clock func() time.Duration

// Plan is a plan as the page gets it.
type Plan = message.Plan[plan.Result, solve.Result, Graph]

// Platform is a file of workers as the page gets it.
type Platform = message.Platform[plan.Worker]

// maxDrawn limits the chunks or tasks of a Gantt chart.
const maxDrawn = 200_000

// Planners lists the algorithms that Plan knows.
func Planners() message.Planners {
	return message.Planners{Load: plan.Algorithms(), Jobs: solve.Algorithms(), Graph: schedule.Algorithms()}
}

// Answer answers a request of the page's planner.
func Answer(m message.Message, clock Clock) message.Message {
	switch m := m.(type) {
	case message.MakePlan:
		return Make(m, clock)
	case message.ReadPlatform:
		return ReadPlatform(m)
	}
	return message.NewTrouble{Trouble: message.Trouble{
		Class:    "engine",
		Sentence: "the planner has no answer to " + m.Kind(),
	}}
}

// Make plans one document with one algorithm. If the document cannot be planned, the answer has the
// reason.
func Make(m message.MakePlan, clock Clock) Plan {
	out := Plan{Planner: m.Planner, Algorithm: m.Algorithm}
	began := clock()
	var err error
	switch m.Planner {
	case "jobs":
		out.Jobs, err = planJobs(m.Algorithm, m.Document)
	case "load":
		out.Load, out.Timeline, err = planLoad(m.Algorithm, m.Document)
	case "graph":
		out.Graph, out.Timeline, err = planGraph(m)
	default:
		err = errors.New("there is no planner " + m.Planner)
	}
	out.WallUS = float64((clock() - began).Nanoseconds()) / 1000
	if err != nil {
		out.Load, out.Jobs, out.Graph, out.Timeline, out.Reason = nil, nil, nil, nil, err.Error()
	}
	return out
}

// planJobs places the virtual clusters of a document with the default options. The result is not nil; if
// there is an error, it is empty.
func planJobs(algorithm, document string) (*solve.Result, error) {
	in, err := solve.Decode(strings.NewReader(document))
	if err != nil {
		return nil, err
	}
	result, err := solve.Solve(in, algorithm, solve.Default())
	return &result, err
}

// planLoad plans a divisible load and simulates the plan for the chart. The timeline is nil if the plan
// has more than maxDrawn chunks.
func planLoad(algorithm, document string) (*plan.Result, *message.Timeline, error) {
	p, load, err := plan.Decode(strings.NewReader(document))
	if err != nil {
		return nil, nil, err
	}
	result, err := plan.Plan(p, load, algorithm, plan.Options{})
	if err != nil || len(result.Order)*result.Rounds > maxDrawn {
		return &result, nil, err
	}
	var course plan.Timeline
	if _, err := plan.Simulate(p, result.Order, result.Chunks, &course); err != nil {
		return nil, nil, err
	}
	return &result, &message.Timeline{
		Worker: message.Int32s(course.Worker), Round: message.Int32s(course.Round),
		SendStart: message.Float64s(course.SendStart), SendEnd: message.Float64s(course.SendEnd),
		ComputeStart: message.Float64s(course.ComputeStart), ComputeEnd: message.Float64s(course.ComputeEnd),
	}, nil
}

// Graph is the plan of a task graph, with data of its file.
type Graph struct {
	schedule.Result
	Tasks      int      `json:"tasks"`
	Arcs       int      `json:"arcs"`
	Processors int      `json:"processors"`
	Format     string   `json:"format,omitempty"` // of a workflow, which is planned for equal processors
	Notes      []string `json:"notes,omitempty"`
}

// planGraph plans a task graph. The timeline has one entry for each task, its round being the number of
// tasks on the longest path before it; transfers are not drawn, so sends begin and end at the start. It
// is nil for more than maxDrawn tasks.
func planGraph(m message.MakePlan) (*Graph, *message.Timeline, error) {
	var out Graph
	p, err := readGraph(m, &out)
	if err != nil {
		return nil, nil, err
	}
	if out.Result, err = p.Result(m.Algorithm); err != nil {
		return nil, nil, err
	}
	out.Tasks, out.Arcs, out.Processors = p.Graph.Len(), p.Graph.Arcs(), len(p.Processors)
	if out.Tasks > maxDrawn {
		return &out, nil, nil
	}
	wave := p.Graph.FromStart(func(int) float64 { return 1 }, func(graph.Arc) float64 { return 0 })
	workers, rounds := make([]int32, out.Tasks), make([]int32, out.Tasks)
	starts, ends := make([]float64, out.Tasks), make([]float64, out.Tasks)
	for i, row := range out.Schedule {
		workers[i], rounds[i], starts[i], ends[i] = row.Processor, int32(wave[row.Vertex]), row.Start, row.Finish
	}
	return &out, &message.Timeline{
		Worker: message.Int32s(workers), Round: message.Int32s(rounds),
		SendStart: message.Float64s(starts), SendEnd: message.Float64s(starts), ComputeStart: message.Float64s(starts),
		ComputeEnd: message.Float64s(ends),
	}, nil
}

// readGraph reads a document: a file of a workflow, for m.Equal's processors, or the planner's own
// format, which has its processors. Of a workflow it also sets out.Format and out.Notes.
func readGraph(m message.MakePlan, out *Graph) (*schedule.Problem, error) {
	if !workflow.Detect([]byte(m.Document[:min(len(m.Document), 64<<10)])) {
		return schedule.Decode(strings.NewReader(m.Document))
	}
	w, err := workflow.Read(m.Name, strings.NewReader(m.Document))
	if err != nil {
		return nil, err
	}
	out.Format, out.Notes = w.Format, w.Notes
	return schedule.Uniform(w.Graph, m.Equal.Processors, m.Equal.Bandwidth, m.Equal.Latency)
}

// ReadPlatform reads a file of workers, the planner's own or SimGrid's; a master
// that is not named is the first host.
func ReadPlatform(m message.ReadPlatform) Platform {
	out := Platform{Name: m.Name}
	if err := readPlatform(m, &out); err != nil {
		out.Reason = err.Error()
	}
	return out
}

// readPlatform fills out from a file of workers, the planner's own or SimGrid's, by its content. On
// errors out keeps what was read before; a SimGrid file without workers is an error.
func readPlatform(m message.ReadPlatform, out *Platform) error {
	if !simgrid.Detect([]byte(m.Text[:min(len(m.Text), 4096)])) {
		p, load, err := plan.Decode(strings.NewReader(m.Text))
		out.Load, out.Workers = load, p.Workers
		return err
	}
	file, err := simgrid.Read(m.Name, strings.NewReader(m.Text))
	if err != nil {
		return err
	}
	for _, h := range file.Hosts {
		out.Hosts = append(out.Hosts, h.Name)
	}
	out.Master, out.Notes = m.Master, file.Notes
	if m.Master == "" && len(out.Hosts) > 0 {
		out.Master = out.Hosts[0]
	}
	p, names, err := grid.Platform(file, out.Master, grid.Unit{Flops: m.Flops, Bytes: m.Bytes})
	if err == nil && len(p.Workers) == 0 {
		err = plan.Platform{}.Validate(1)
	}
	out.Workers, out.Names = p.Workers, names
	return err
}
