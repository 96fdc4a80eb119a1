package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/core/scenario"
	"parley/core/system"
	"parley/core/trace"
	"parley/core/workload"
)

// assembly is what comes in a run.
type assembly struct {
	source   workload.Source
	own      workload.Source // what the system made; nil: nothing
	actions  workload.Source // recorded acts, which the system plays; nil if there are none
	recorded bool            // the workload stands in files
	said     []string        // what was chosen for the files
	brings   bool            // the workload brings the machines
	follows  bool            // its jobs may name jobs that precede them
	tasks    int             // expected to run at the same time; 0 if unknown

	shape    workload.Shape
	unplayed string // what of the scenario's workload nothing is played of; empty: all is
	machines string // which were assumed, where files name none; empty: they do, or there are no files
	names    *workload.Names
}

// isLog reports whether the work is a log of rigid jobs and their machine.
func (a *assembly) isLog() bool { return a.recorded && a.brings && a.shape == workload.ShapeJobs }

// say adds sentences to what was chosen; empty ones are left out.
func (a *assembly) say(sentences ...string) {
	for _, s := range sentences {
		if s != "" {
			a.said = append(a.said, s)
		}
	}
}

// assemble chains machines and workload as the scenario says.
func assemble(s *scenario.Scenario, entry system.Entry, recorded workload.Source) (comes assembly, err error) {
	g := workload.DefaultGenerated()
	g.Nodes = s.Cluster.Nodes
	if s.Workload.Usage != nil {
		g.Usage = *s.Workload.Usage
	}
	if s.Workload.Production != "" {
		g.Production = s.Workload.Production
	}
	if s.Workload.Day != nil {
		g.Day = *s.Workload.Day
	}
	files := recorded
	comes.names = &workload.Names{}
	if read, is := files.(trace.Source); is {
		comes.names = read.Names()
	}
	h := workload.HeaderOf(files)
	comes.follows = h.Follows
	comes.say(h.Says...)
	if recorded != nil && s.Workload.Arrive == "scheduled" {
		recorded = workload.WhenScheduled(recorded)
	}
	if i := slices.IndexFunc(s.Workload.Trace, bringsWork); i >= 0 && recorded == nil {
		return comes, fmt.Errorf("the scenario plays the trace %q: give its files", s.Workload.Trace[i].Name)
	}
	source, err := bring(entry, s, recorded)
	if err == nil {
		source, err = withGraphs(entry, s, source)
	}
	if err != nil {
		return comes, err
	}
	if entry.Workload != nil && (recorded == nil || entry.Files != nil) {
		comes.own = source
	}
	h = workload.HeaderOf(source)
	comes.shape = cmp.Or(h.Shape, workload.ShapeTasks)
	if recorded != nil {
		comes.machines = h.Assumed
	}
	if recorded == nil && source != nil {
		comes.unplayed = unplayed(s, entry)
	}
	switch {
	case source != nil && !h.Machineless:
		comes.brings = true
	case source != nil:
		var machines workload.Source
		if machines, err = g.Machines(s.Seed); err == nil {
			source = workload.Then(machines, source)
		}
		if recorded != nil {
			comes.machines = fmt.Sprintf("the files name no machines, so %d are assumed (cluster.nodes), with the sizes of Google's cell of 2011: %s", g.Nodes, workload.MachineSizes())
		}
	case s.Workload.Preset == "none":
		source, err = g.Machines(s.Seed)
	default:
		source, err = g.New(s.Seed)
		comes.tasks = int(float64(g.Running()) * s.Workload.Scale)
	}
	if err != nil {
		return comes, fmt.Errorf("the cluster cannot be made: %w", err)
	}
	comes.source = workload.Scale(workload.Keep(source, s.Cluster.Keep, s.Seed), s.Workload.Scale, s.Seed)
	if read, is := files.(trace.Source); is {
		comes.source = &tallied{comes.source, read}
	}
	return comes, nil
}

// unplayed says what of a scenario's workload is not played by a system that brings work
// of its own.
func unplayed(s *scenario.Scenario, e system.Entry) string {
	var fields []string
	if s.Workload.Usage != nil {
		fields = append(fields, "workload.usage")
	}
	if s.Workload.Day != nil {
		fields = append(fields, "workload.day_swing")
	}
	if s.Workload.Production != "" {
		fields = append(fields, "workload.production")
	}
	if len(fields) == 0 {
		return ""
	}
	return fmt.Sprintf("%s plays %s only: %s of the scenario, of generated tasks, is not played", e.Name, e.Supports[0], strings.Join(fields, " and "))
}

// Loses returns what is not played of a scenario of one system by another: a scenario keeps
// its name when the system in it is replaced. It is empty if both play the same kind of work.
func (g Registry) Loses(s *scenario.Scenario, other string) string {
	own, err := g.Find(s.System)
	if err != nil {
		return ""
	}
	e, err := g.Find(other)
	if err != nil || slices.ContainsFunc(own.Supports, func(shape workload.Shape) bool { return slices.Contains(e.Supports, shape) }) {
		return ""
	}
	return fmt.Sprintf("%s plays %s only: the %s of the scenario are not played", e.Name, e.Supports[0], own.Supports[0])
}

// bring returns the workload that is not the preset's: the recorded one, or the
// system's own; nil if there is neither.
func bring(e system.Entry, s *scenario.Scenario, recorded workload.Source) (workload.Source, error) {
	raw := s.Workload.Raw
	if recorded != nil && e.Files != nil {
		source, err := e.Files(raw, s.Seed, recorded)
		if err != nil {
			return nil, fmt.Errorf("workload.system: %w", err)
		}
		return source, nil
	}
	switch {
	case len(raw) > 0 && recorded != nil:
		return nil, fmt.Errorf("workload has both a trace and system: leave one of them out")
	case len(raw) > 0 && e.Workload == nil:
		return nil, fmt.Errorf("workload.system is given, but the system %s has no workload of its own: leave it out", e.ID)
	case recorded != nil || e.Workload == nil:
		return recorded, nil
	}
	source, err := e.Workload(raw, s.Seed)
	if err != nil {
		return nil, fmt.Errorf("workload.system: %w", err)
	}
	return source, nil
}
