package run

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/metric"
	"parley/core/strict"
	"parley/core/system"
	"parley/core/words"
	"parley/core/workload"
)

// taskCounts describes the figures of reportTasks; metrics of the same name come first.
func taskCounts() []metric.Column {
	return []metric.Column{
		{ID: "tasks_submitted", Name: "Tasks submitted", About: "tasks that arrived"},
		{ID: "tasks_placed", Name: "Placements", About: "placements of tasks on nodes"},
		{ID: "tasks_waiting", Name: "Tasks waiting", About: "tasks that wait at the end of the run"},
		{ID: "tasks_running", Name: "Tasks running", About: "tasks that run at the end of the run"},
		{ID: "tasks_migrating", Name: "Tasks migrating", About: "tasks that migrate at the end of the run"},
		{ID: "tasks_displaced", Name: "Tasks displaced", About: "times that a task lost its node"},
		{ID: "tasks_finished", Name: "Tasks finished", About: "tasks that ran to their end"},
		{ID: "tasks_failed", Name: "Tasks failed", About: "tasks that failed"},
		{ID: "tasks_killed", Name: "Tasks killed", About: "tasks that their user or their limit ended"},
		{ID: "tasks_evicted", Name: "Tasks evicted", About: "tasks whose records end with an eviction"},
		{ID: "tasks_lost", Name: "Tasks lost", About: "tasks whose records end without a reason"},
		{ID: "placements_forced", Name: "Placements by force", About: "placements on a node without room"},
		{ID: "migrations_broken", Name: "Migrations broken", About: "migrations that were broken off"},
	}
}

// Figures describes the figures of a run of a system, which are the metrics of
// sweeps, each name once. A * in a name stands for the name of a group.
func Figures(d system.Description) (all []metric.Column) {
	add := func(list ...metric.Column) {
		for _, c := range list {
			if !slices.ContainsFunc(all, func(other metric.Column) bool { return other.ID == c.ID }) {
				all = append(all, c)
			}
		}
	}
	supports := func(shape workload.Shape) bool { return slices.Contains(d.Supports, shape) }
	add(metric.Columns[:]...)
	add(d.Metrics...)
	add(d.Figures...)
	add(
		metric.Column{ID: "events", Name: "Events", About: "events of the simulation"},
		metric.Column{ID: "messages", Name: "Messages", About: "messages that agents sent"},
		metric.Column{ID: "messages_lost", Name: "Messages lost", About: "messages that were lost on their way"},
	)
	add(taskCounts()...)
	add(metric.TaskFigures()...)
	if supports(workload.ShapeJobs) {
		add(metric.JobColumns()...)
		add(metric.JobFigures()...)
	}
	if supports(workload.ShapeGraphs) {
		add(metric.GraphColumns()...)
		add(metric.GraphFigures()...)
	}
	return all
}

// CheckFigure returns a sentence about a name that no run of these systems has as a
// figure, with the nearest name; nil if one has it.
func (g Registry) CheckFigure(systems []string, name string) error {
	nearest, distance := "", -1
	for _, id := range systems {
		e, err := g.Find(id)
		if err != nil {
			return err
		}
		for _, c := range Figures(e.Description) {
			if matches(c.ID, name) {
				return nil
			}
			d := strict.Distance(c.ID, name)
			if strings.HasPrefix(c.ID, name+".") {
				d = 0 // a part of the requested one
			}
			if distance < 0 || d < distance {
				nearest, distance = c.ID, d
			}
		}
	}
	return fmt.Errorf("%q is no metric of %s: did you mean %s? parley metrics %s lists them", shortened(name), strings.Join(systems, ", "), nearest, systems[0])
}

// matches reports whether a figure has this name; * stands for a group's name.
func matches(id, name string) bool {
	before, after, group := strings.Cut(id, "*")
	if !group {
		return id == name
	}
	return len(name) > len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
}

func shortened(name string) string { return words.Cut(name, 60) }
