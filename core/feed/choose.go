package feed

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"parley/core/scenario"
	"parley/core/system"
	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
)

// choose returns the jobs of a log that workload.jobs names, resampled if it says so, or that part
// of a trace of tasks.
func choose(s *scenario.Scenario, source trace.Source, limit int) (trace.Source, error) {
	jobs := s.Workload.Jobs
	if jobs.IsZero() {
		return source, nil
	}
	switch {
	case source.Header().Shape == workload.ShapeTasks:
		part, err := newSliced(&jobs, source)
		if err != nil {
			return nil, errors.Join(err, source.Close())
		}
		return part, nil
	case !isLog(source):
		return nil,
			errors.Join(
				errors.New(
					"workload.jobs is about logs of rigid jobs and traces of tasks, and the files bring other work: leave it out",
				), source.Close(),
			)
	case len(jobs.Classes) > 0:
		return nil,
			errors.Join(
				errors.New(
					"workload.jobs.classes is about traces of tasks, and the files bring rigid jobs: leave it out, or choose users or queues",
				), source.Close(),
			)
	}
	part := &chosen{Source: source, jobs: jobs}
	if err := part.label(source.Names()); err != nil {
		return nil, errors.Join(err, source.Close())
	}
	source = part
	if jobs.Resample != "" {
		source = newResample(s, source, limit)
	}
	return source, nil
}

// isLog reports whether files hold rigid jobs and their machine.
func isLog(source trace.Source) bool {
	h := source.Header()
	return h.Shape == workload.ShapeJobs && !h.Machineless
}

// chosen is the part of a log that is played.
type chosen struct {
	trace.Source
	jobs    scenario.Jobs
	users   []uint32
	queues  []uint32
	fitting int64 // jobs that all but Every keep
	left    int64
}

// label finds the numbers of the users and queues that are chosen.
func (c *chosen) label(names *workload.Names) error {
	for _, of := range []struct {
		field  string
		labels []scenario.Label
		kind   workload.Numbering
		into   *[]uint32
	}{{"users", c.jobs.Users, workload.OfUsers, &c.users}, {"queues", c.jobs.Queues, workload.OfQueues, &c.queues}} {
		for _, l := range of.labels {
			n, known := names.Numbered(of.kind, string(l))
			if !known {
				return fmt.Errorf("workload.jobs.%s has %w", of.field, names.Unlabelled(of.kind, string(l)))
			}
			*of.into = append(*of.into, n)
		}
	}
	return nil
}

// Next implements workload.Source. It passes over jobs that are not chosen, and counts the time of the others from
// jobs.From.
func (c *chosen) Next(r *workload.Record) error {
	for {
		if err := c.Source.Next(r); err != nil || r.Kind != workload.JobArrives {
			return err
		}
		if c.keeps(r) {
			r.At -= unit.Time(c.jobs.From)
			if c.jobs.Independent {
				r.Job.After, r.Job.Singleton = nil, false
			}
			return nil
		}
		c.left++
	}
}

// keeps reports whether a job is played.
func (c *chosen) keeps(r *workload.Record) bool {
	j, w := &c.jobs, r.Job
	switch {
	case r.At < unit.Time(j.From), j.To > 0 && r.At >= unit.Time(j.To):
		return false
	case int(w.Processors) < j.MinProcessors, j.MaxProcessors > 0 && int(w.Processors) > j.MaxProcessors:
		return false
	case len(j.Users) > 0 && !slices.Contains(c.users, w.User), len(j.Queues) > 0 &&
		!slices.Contains(c.queues, uint32(w.Queue)):
		return false
	}
	c.fitting++
	return j.Every <= 1 || (c.fitting-1)%int64(j.Every) == 0
}

// Tally implements trace.Source.
func (c *chosen) Tally() trace.Tally {
	t := c.Source.Tally()
	t.LeaveOut("not_chosen", "not among the chosen jobs (workload.jobs)", c.left)
	return t
}

// saidOfJobs says in sentences which jobs of a log are played.
func saidOfJobs(j *scenario.Jobs, seed uint64) (stated []string) {
	switch j.Resample {
	case scenario.ResampleWeeks:
		stated = append(stated,
			fmt.Sprintf(
				"the jobs are a resample of the log: blocks of %s, drawn at random with seed %d (workload.jobs.resample)", system.Count(float64(max(1, j.BlockWeeks)), "week"), seed,
			))
	case scenario.ResampleUsers:
		stated = append(stated,
			fmt.Sprintf(
				"the jobs are a resample of the log: users drawn at random and shifted by whole weeks, with seed %d (workload.jobs.resample)", seed,
			))
	}
	return stated
}

// drained returns first and the rest of the jobs of a log, at most limit; other records are dropped. setting is the
// field that needs them all, for the error if there are more.
func drained(source trace.Source, first workload.Record, setting string, limit int) ([]arrival, error) {
	var all []arrival
	r := first
	for {
		if r.Kind == workload.JobArrives {
			if len(all) == limit {
				return nil,
					fmt.Errorf(
						"%s holds at most %d jobs in memory, and the files have more: choose some of them with workload.jobs.from and to, or allow more with --max-tasks", setting, limit,
					)
			}
			job := *r.Job
			job.After = slices.Clone(job.After) // the slice is the source's
			all = append(all, arrival{at: r.At, key: r.Key, job: job})
		}
		if err := source.Next(&r); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
	}
}
