// Package graphscript plays task graphs on a few machines under a system, by hand: the
// script tests of systems that schedule them.
package graphscript

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/testkit/scripttest"
	"parley/core/unit"
	"parley/core/workload"
	"parley/core/workload/graphs"
)

// Run plays testdata/*.txt of a system that schedules task graphs:
//
//	play [settings={…}] [free] [idle]   free: transfers without contention; idle: no graph comes
//	5s down n0 | up n0 | tell       an act at a time; tell: metrics, layer and facts of the nodes
//	5s forgets n0 0                 n0 can do the first type of subtask, by appearance, no more
//	{"machines":…,"list":…}         a document of package graphs; graph 0 of one subtask a is 0.a
//	----
//
// It prints the activity of nodes and channels, and the report at the end. Times are in seconds.
func Run(t *testing.T, entry system.Entry) {
	scripttest.Run(t, func() scripttest.Commands {
		return func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "play" {
				d.Fatalf(t, "unknown command %q", d.Cmd)
			}
			settings := "{}"
			for _, a := range d.CmdArgs {
				if a.Key == "settings" {
					settings = strings.Join(a.Vals, ",")
				}
			}
			return play(t, d, entry, settings)
		}
	})
}

// script is a cluster under a system, whose events are written down.
type script struct {
	entry  system.Entry
	kernel *des.Kernel
	c      *cluster.Cluster
	s      system.System
	joined []workload.Record // by node
	graphs map[unit.GraphID]*workload.Subtasks
	number map[unit.GraphID]int
	due    map[uint64]func() // by the arguments of Fire
	out    strings.Builder
}

// Fire implements des.Handler.
func (g *script) Fire(_ unit.Time, arg uint64) { g.due[arg]() }

func (g *script) at(t unit.Time, do func()) {
	n := uint64(len(g.due))
	g.due[n] = do
	g.kernel.At(t, g, n)
}

func play(t *testing.T, d *datadriven.TestData, entry system.Entry, settings string) string {
	t.Helper()
	acts, document, _ := strings.Cut("\n"+d.Input, "\n{")
	parsed, err := graphs.Parse([]byte("{" + document))
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	physical := cluster.Default()
	if d.HasArg("free") {
		physical.Transfers = cluster.ContentionFree
	}
	g := &script{
		entry: entry, kernel: des.New(), graphs: map[unit.GraphID]*workload.Subtasks{},
		number: map[unit.GraphID]int{}, due: map[uint64]func(){},
	}
	g.c = cluster.New(physical, g.kernel)
	g.s, err = entry.New(system.Env{
		Clock: g.kernel, View: g.c.View(), Acts: g.c, Rand: func(name string) *rng.Stream { return rng.New(1, name) },
		Note: func(n system.Note) {
			if f, formats := g.s.(system.NoteFormatter); formats {
				fmt.Fprintf(&g.out, "%s (%s)\n", seconds(n.At), f.FormatNote(n))
			}
		},
	}, json.RawMessage(settings))
	if err != nil {
		return "! " + err.Error() + "\n"
	}
	for line := range strings.Lines(acts) {
		if words := strings.Fields(line); len(words) > 0 {
			at, err := time.ParseDuration(words[0])
			if err != nil || len(words) < 2 {
				d.Fatalf(t, "%q: begin with a time", line)
			}
			g.at(unit.Time(at/time.Microsecond), func() { g.act(t, d, words[1:]) })
		}
	}
	var r workload.Record
	records := 0
	for source := parsed.New(1, nil); source.Next(&r) == nil; {
		if records++; records > 1000 {
			d.Fatalf(t, "the document brings graphs without end: list some")
		}
		switch r.Kind {
		case workload.NodeJoins:
			g.c.Join(r.Machine, r.Node)
			g.joined = append(g.joined, r)
		case workload.GraphArrives:
			if d.HasArg("idle") {
				continue
			}
			one, key := *r.Graph, r.Key
			g.at(r.At, func() {
				id, err := g.c.SubmitGraph(key, &one)
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				g.graphs[id], g.number[id] = one.Subtasks, len(g.number)
			})
		}
	}
	for steps := 0; ; steps++ {
		if err := g.c.Deliver(g.hear); err != nil {
			return g.out.String() + "! " + err.Error() + "\n"
		}
		if audit, has := g.s.(system.Auditor); has {
			if err := audit.Audit(); err != nil {
				return g.out.String() + "! " + err.Error() + "\n"
			}
		}
		if steps > 10_000 || !g.kernel.Step(unit.Day) {
			break
		}
	}
	if err := g.c.Audit(); err != nil {
		t.Error(err)
	}
	report := g.s.(system.Reporter).Report()
	for _, name := range slices.Sorted(maps.Keys(report)) {
		if x, is := report[name].(float64); is {
			report[name] = fmt.Sprintf("%.6g", x)
		}
		fmt.Fprintf(&g.out, "%s %v\n", name, report[name])
	}
	if w, warns := g.s.(system.WarningSource); warns {
		for _, warning := range w.Warnings() {
			fmt.Fprintf(&g.out, "warning: %s\n", warning)
		}
	}
	return g.out.String()
}

func seconds(at unit.Time) string { return fmt.Sprintf("%gs", at.Seconds()) }

func (g *script) act(t *testing.T, d *datadriven.TestData, words []string) {
	var n unit.NodeID
	if len(words) > 1 {
		if _, err := fmt.Sscanf(words[1], "n%d", &n); err != nil {
			d.Fatalf(t, "%q is no node", words[1])
		}
	}
	switch words[0] {
	case "down":
		g.c.Leave(n)
	case "up":
		g.c.Restore(n)
	case "forgets":
		r, kind := &g.joined[n], 0
		if _, err := fmt.Sscan(words[2], &kind); err != nil || kind < 0 || kind >= len(r.Node.Worker.Speeds) {
			d.Fatalf(t, "%q is no type that n%d can do", words[2], n)
		}
		changed := *r.Node.Worker
		changed.Speeds = slices.Clone(changed.Speeds)
		changed.Speeds[kind] = 0
		r.Node.Worker = &changed
		g.c.Join(r.Machine, r.Node)
	case "tell":
		g.report()
	default:
		d.Fatalf(t, "unknown act %q", words[0])
	}
}

// report prints the metrics, layers and facts of the nodes.
func (g *script) report() {
	values := make([]float64, len(g.entry.Metrics))
	g.s.(system.MetricSource).Measure(values)
	fmt.Fprintf(&g.out, "%s tells", seconds(g.kernel.Now()))
	for i, column := range g.entry.Metrics {
		fmt.Fprintf(&g.out, " %s=%.4g", column.ID, values[i])
	}
	for i, layer := range g.entry.Layers {
		cells := make([]byte, g.c.View().Nodes())
		g.s.(system.LayerSource).FillLayer(i, cells)
		fmt.Fprintf(&g.out, " %s=%v", layer.ID, cells)
	}
	g.out.WriteByte('\n')
	for n := range unit.NodeID(g.c.View().Nodes()) {
		for _, fact := range g.s.(system.NodeFactSource).NodeFacts(n) {
			fmt.Fprintf(&g.out, "  n%d %s: %s\n", n, fact.Name, fact.Value)
		}
	}
}

// hear records an event and passes it on to the system.
func (g *script) hear(e cluster.Event) error {
	record := func(format string, args ...any) {
		fmt.Fprintf(&g.out, "%s %s\n", seconds(e.At), fmt.Sprintf(format, args...))
	}
	name := func(v int32) string {
		return fmt.Sprintf("%d.%s", g.number[e.Graph()], g.graphs[e.Graph()].Name(v))
	}
	place := func(n unit.NodeID) string {
		if n == unit.NoNode {
			return "home"
		}
		return fmt.Sprintf("n%d", n)
	}
	switch e.Kind {
	case cluster.NodeDown:
		record("%s is down", place(e.Node))
	case cluster.SubtaskAssigned:
		record("%s is given %s", place(e.Node), name(e.Subtask()))
	case cluster.SubtaskStarted:
		record("%s starts %s", place(e.Node), name(e.Subtask()))
	case cluster.SubtaskFinished:
		record("%s has done %s", place(e.Node), name(e.Subtask()))
	case cluster.SubtaskWithdrawn:
		record("%s is taken off %s", name(e.Subtask()), place(e.Node))
	case cluster.SubtaskLost:
		record("%s loses %s", place(e.Node), name(e.Subtask()))
	case cluster.TransferBegan:
		a := g.graphs[e.Graph()].Arc(e.Arc())
		from, to := "home", "home"
		if a.From != workload.Home {
			from = name(a.From)
		}
		if a.To != workload.Home {
			to = name(a.To)
		}
		record("%s sends %s what %s gives %s", place(e.Other), place(e.Node), from, to)
	case cluster.GraphDone, cluster.GraphMissed, cluster.GraphAborted:
		record("%v %d", e.Kind, g.number[e.Graph()])
	}
	return g.s.On(e)
}
