package plan

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"parley/core/escape"
	"parley/core/system/static/plan"
	"parley/core/trace/workflow"
	"parley/tools/parley/console"
)

// graphFlags are the flags of a static schedule. Those about processors provide the values that a
// workflow's file lacks.
type graphFlags struct {
	algorithm  string
	json       bool
	processors int
	bandwidth  float64
	latency    float64
	set        func(flag string) bool // whether the user gave it
}

func planGraph(c *console.Console) *cobra.Command {
	var f graphFlags
	cmd := &cobra.Command{
		Use:   "graph GRAPH.json|WORKFLOW.json|WORKFLOW.xml|FILE.stg",
		Short: "Schedule a task graph on processors",
		Long: `Reads a task graph and says which processor does what and when. Work is in seconds on a processor of speed 1, results are in bytes.

A workflow (WfFormat of WfCommons, Pegasus DAX, Standard Task Graph) names no processors: --processors, --bandwidth and --latency describe equal ones.

Algorithms: ` + strings.Join(plan.Algorithms(), ", ") + ", and best: the shortest of all.",
		Example: `  echo '{"processors":[{"speed":1,"bandwidth":1e6},{"speed":2,"bandwidth":1e6}],"tasks":[{"name":"split","work":2},{"name":"left","work":8},{"name":"right","work":6}],"arcs":[{"from":"split","to":"left","bytes":5e5},{"from":"split","to":"right","bytes":5e5}]}' | parley plan graph -`,
		Args:    console.Args(1, 1, "one GRAPH"),
	}
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		f.set = cmd.Flags().Changed
		return f.plan(c, args[0])
	}
	flags := cmd.Flags()
	flags.StringVar(&f.algorithm, "algorithm", "heft", "how to schedule")
	flags.IntVar(&f.processors, "processors", 4, "of a workflow: how many equal processors there are")
	flags.Float64Var(&f.bandwidth, "bandwidth", 125e6,
		"of a workflow: bytes a second between two processors; 0: results take no time")
	flags.Float64Var(&f.latency, "latency", 0, "of a workflow: seconds that every result takes beside its bytes")
	flags.BoolVar(&f.json, "json", false, "print the schedule as JSON")
	return cmd
}

// graphPlan is the document of `parley plan graph --json`.
type graphPlan struct {
	plan.Result
	Format string   `json:"format,omitempty"` // of a workflow
	Notes  []string `json:"notes,omitempty"`
	WallUS float64  `json:"wall_us"`
}

func (f *graphFlags) plan(c *console.Console, name string) error {
	var out graphPlan
	var p *plan.Problem
	err := readInstance(c, name, func(r io.Reader) (err error) {
		p, err = f.read(name, r, &out)
		return err
	})
	if err != nil {
		return err
	}
	began := c.Now()
	out.Result, err = p.Result(f.algorithm)
	out.WallUS = micros(c.Now().Sub(began))
	if err != nil {
		return err
	}
	if f.json {
		return console.PrintJSON(c.Out, out)
	}
	out.print(c.Out, p)
	return nil
}

// read reads a graph in any of the forms.
func (f *graphFlags) read(name string, r io.Reader, out *graphPlan) (*plan.Problem, error) {
	text := bufio.NewReaderSize(r, 64<<10)
	head, err := text.Peek(64 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if !workflow.Detect(head) {
		for _, flag := range []string{"processors", "bandwidth", "latency"} {
			if f.set(flag) {
				return nil,
					fmt.Errorf("--%s is for workflows, which name no processors: this file has its own; leave it out",
						flag)
			}
		}
		return plan.Decode(text)
	}
	if name == "-" {
		name = console.StandardInput
	}
	w, err := workflow.Read(name, text)
	if err != nil {
		return nil, err
	}
	out.Format, out.Notes = w.Format, w.Notes
	return plan.Uniform(w.Graph, f.processors, f.bandwidth, f.latency)
}

func (g *graphPlan) print(w io.Writer, p *plan.Problem) {
	var t console.Table
	t.Add("algorithm", g.Algorithm)
	if g.Format != "" {
		t.Add("format", g.Format)
	}
	t.Add("tasks", console.Grouped(int64(p.Graph.Len())))
	t.Add("dependencies", console.Grouped(int64(p.Graph.Arcs())))
	t.Add("processors", console.Grouped(int64(len(p.Processors))))
	t.Add("makespan", console.Number(g.Makespan)+" s")
	t.Add("bound", console.Number(g.BoundS)+" s")
	t.Add("schedule length ratio", console.Number(g.SLR))
	t.Add("speed-up", console.Number(g.Speedup))
	t.Add("idle", console.Number(g.IdlePct)+" %")
	t.Add("travelled", console.Number(g.Travelled/1e6)+" MB")
	t.Add("time", console.Number(g.WallUS)+" µs")
	t.Print(w)
	fmt.Fprintln(w)
	var slots console.Table
	slots.Add("task", "processor", "start s", "finish s")
	for _, s := range g.Schedule[:min(len(g.Schedule), maxListed)] {
		slots.Add(s.Task, fmt.Sprint(s.Processor), console.Number(s.Start), console.Number(s.Finish))
	}
	slots.Print(w)
	more(w, len(g.Schedule), "tasks")
	for _, note := range g.Notes {
		fmt.Fprintf(w, "\nNote: %s\n", escape.Line(note))
	}
}
