package feed

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

// Assembly holds all inputs of a run.
type Assembly struct {
	Source   workload.Source // the records for the cluster
	Own      workload.Source // the system's own workload; nil if there is none
	Actions  workload.Source // recorded acts, which the system plays; nil if there are none
	Recorded bool            // the workload is in files
	Choices  []string        // choices made for the files, in sentences
	Provides bool            // the workload has the machines
	Follows  bool            // its jobs may name jobs that precede them
	Tasks    int             // expected to run at the same time; 0 if unknown

	Shape    workload.Shape
	Unplayed string // the ignored parts of the scenario's workload; "" if there are none
	Machines string // the machines that were assumed because files name none; "" if they do, or there are no files
	Names    *workload.Names
}

// IsLog reports whether the work is a log of rigid jobs and their machine.
func (a *Assembly) IsLog() bool { return a.Recorded && a.Provides && a.Shape == workload.ShapeJobs }

// AddChoices adds sentences about choices; empty ones are left out.
func (a *Assembly) AddChoices(sentences ...string) {
	for _, s := range sentences {
		if s != "" {
			a.Choices = append(a.Choices, s)
		}
	}
}

// Assemble chains machines and workload as a scenario says. recorded is the workload of its
// files, or nil.
func Assemble(s *scenario.Scenario, entry system.Entry, recorded workload.Source) (comes Assembly, err error) {
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
	comes.Names = &workload.Names{}
	if read, is := files.(trace.Source); is {
		comes.Names = read.Names()
	}
	h := workload.HeaderOf(files)
	comes.Follows = h.Follows
	comes.AddChoices(h.Remarks...)
	var late unplacer
	switch {
	case s.Workload.Arrive != "scheduled":
	case recorded == nil || cmp.Or(h.Shape, workload.ShapeTasks) != workload.ShapeTasks:
		comes.AddChoices("workload.arrive is about recorded tasks, and none are played: it has no effect")
	default:
		recorded = workload.WhenScheduled(recorded)
		late, _ = recorded.(unplacer)
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
		comes.Own = source
		if named, is := source.(interface{ Names() *workload.Names }); is && files == nil {
			comes.Names = named.Names()
		}
	}
	h = workload.HeaderOf(source)
	comes.Shape = cmp.Or(h.Shape, workload.ShapeTasks)
	if recorded != nil {
		comes.Machines = h.Assumed
	}
	if recorded == nil && source != nil {
		comes.Unplayed = unplayed(s, entry)
	}
	switch {
	case source != nil && !h.Machineless:
		comes.Provides = true
	case source != nil:
		var machines workload.Source
		if machines, err = g.Machines(s.Seed); err == nil {
			source = workload.Then(machines, source)
		}
		if recorded != nil {
			comes.Machines = fmt.Sprintf(
				"the files name no machines, so %d are assumed (cluster.nodes), with the sizes of Google's cell of 2011: %s", g.Nodes, workload.MachineSizes(),
			)
		}
	case s.Workload.Preset == "none":
		source, err = g.Machines(s.Seed)
	default:
		source, err = g.New(s.Seed)
		comes.Tasks = int(float64(g.Running()) * s.Workload.Scale)
	}
	if err != nil {
		return comes, fmt.Errorf("the cluster cannot be made: %w", err)
	}
	comes.Source = workload.Scale(workload.Keep(source, s.Cluster.Keep, s.Seed), s.Workload.Scale, s.Seed)
	if read, is := files.(trace.Source); is {
		comes.Source = &tallied{comes.Source, read, late}
	}
	return comes, nil
}

// unplayed returns the parts of a scenario's workload that a system with work of its own
// ignores.
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
	return fmt.Sprintf("%s plays %s only: %s of the scenario, of generated tasks, is not played", e.Name, e.Supports[0],
		strings.Join(fields, " and "))
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
		return nil, fmt.Errorf("workload.system is given, but the system %s has no workload of its own: leave it out",
			e.ID)
	case recorded != nil || e.Workload == nil:
		return recorded, nil
	}
	source, err := e.Workload(raw, s.Seed)
	if err != nil {
		return nil, fmt.Errorf("workload.system: %w", err)
	}
	return source, nil
}
