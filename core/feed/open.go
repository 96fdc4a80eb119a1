// Package feed makes the inputs of a run from a scenario and its files: it opens the files, chooses jobs,
// resamples them and changes their load, puts machines before task graphs, and chains the machines
// and the work of a system or of the generator.
//
//	files → Open → choose → resample → rate → Assemble (system, graphs, keep, scale) → a run
package feed

import (
	"errors"
	"strings"

	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/trace/acts"
	"parley/core/unit"
	"parley/core/workload"
)

// Open returns the workload that files of one of the known formats hold, with usage synthesised as the
// scenario says if it was not measured; task graphs come with the scenario's machines. Files that hold no tasks
// are an error
// of class trace.NoTasks; those of recorded acts may stand alone, beside a scenario that brings its work.
func Open(s *scenario.Scenario, files []trace.File, known []trace.Format, o trace.Options) (trace.Source, error) {
	usage := workload.DefaultUsage()
	if s.Workload.Usage != nil {
		usage = *s.Workload.Usage
	}
	synthesis, err := workload.NewSynthesis(usage, s.Seed)
	if err != nil {
		return nil, err
	}
	o.Usage = func(key workload.Key, class workload.PriorityClass, _ unit.Vec) workload.UsageModel {
		return synthesis.Model(key, class)
	}
	work, beside, err := trace.Divide(files, known)
	if err != nil {
		return nil, err
	}
	if len(beside) == 0 {
		return openWork(s, files, known, o)
	}
	opened, err := trace.Open(beside, known, o)
	if err != nil || len(work) == 0 {
		return opened, err
	}
	source, err := openWork(s, work, known, o)
	if err != nil {
		return nil, err
	}
	return &acted{source, opened.(*acts.Source).Acts()}, nil
}

// openWork opens files that bring work and applies the scenario's choices of jobs and its rate to them. Graphs
// get their machines from the scenario. Files without work are an error.
func openWork(s *scenario.Scenario, files []trace.File, known []trace.Format, o trace.Options) (trace.Source, error) {
	known, err := trace.Using(known, s.Workload.Map)
	if err != nil {
		return nil, err
	}
	o.Slice = SliceOf(&s.Workload.Jobs)
	source, err := trace.Open(files, known, o)
	if err != nil {
		return nil, err
	}
	if !source.HoldsTasks() {
		names, hold := make([]string, len(files)), "hold"
		if len(files) == 1 {
			hold = "holds"
		}
		for i, f := range files {
			names[i] = f.Name
		}
		return nil, errors.Join(&trace.Error{
			Kind: trace.NoTasks, File: strings.Join(names, ", "), Reason: hold + " no tasks, so there is nothing to run",
			Hint: source.Header().Lacks,
		}, source.Close())
	}
	if source, err = choose(s, source, o.MaxTasks); err != nil {
		return nil, err
	}
	if source, err = hasten(s, source, o.MaxTasks); err != nil {
		return nil, err
	}
	if !isOfGraphs(source) {
		return source, nil
	}
	joined, err := machinesFor(s, source)
	if err != nil {
		return nil, errors.Join(err, source.Close())
	}
	return &filed{source, joined}, nil
}
