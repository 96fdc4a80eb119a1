package jobtable

import (
	"parley/core/rng"
	"parley/core/unit"
	"parley/core/workload"
)

// unused returns the key of a job's next run: its own, or for a further run, which the table
// has of a job that was requeued, the next index that no job has.
func (s *Source) unused(key workload.Key) workload.Key {
	if s.runs == nil {
		s.runs = map[workload.Key]uint32{}
	}
	if len(s.runs) >= maxSeen {
		return key
	}
	first := key
	for n := s.runs[first]; ; n++ {
		if key.Index = first.Index + n; n == 0 || s.runs[key] == 0 {
			s.runs[first] = n + 1
			if n > 0 {
				s.runs[key] = 1
			}
			return key
		}
	}
}

// plays fills s.job and reports whether the job is played.
func (s *Source) plays(j *job) bool {
	c := &s.counts
	rows := int64(max(1, len(j.parts)))
	switch every := s.options.EveryJob; {
	case every > 1 && rng.Mix(j.number)%every != 0:
		c.LeftOut += rows
		return false
	case j.submit-s.summary.origin > longest:
		c.Late += rows
		return false
	case j.processors > s.summary.Machine.Processors:
		c.Larger += rows
		return false
	}
	if len(j.parts) > 0 {
		c.PartsJoined += rows
	}
	if j.uneven {
		c.PartsUneven++
	}
	if j.later != ([3]unit.Time{}) {
		c.ShownTwice++
	}
	if j.skipped {
		c.Skipped++
	}
	key := workload.Key{Job: j.number, Index: j.index}
	s.last = s.unused(key)
	s.job = workload.Job{
		Processors: int32(j.processors), Run: j.run, Estimate: j.limit, User: j.user, Group: j.group, Queue: j.queue,
		QOS:      j.qos,
		Throttle: s.summary.throttles[j.number], Components: j.parts,
	}
	if s.summary.dependent > 0 {
		s.job.Fails, s.job.Name = j.fails, j.name
	}
	if j.partly {
		c.Partly++
	}
	switch {
	case len(j.parts) > 0:
	case s.plan == nil || !s.plan.gpus: // else processors are GPUs
		s.job.Need = j.need()
	}
	if j.depends != "" {
		s.follow(j)
	}
	before := workload.Key{Job: j.before}
	if j.before > 0 && before != (workload.Key{Job: key.Job}) && s.runs[before] > 0 {
		s.after = append(s.after[:0], s.job.After...)
		s.after = append(s.after, workload.Preceding{Key: before, Think: min(j.think, longest)})
		s.job.After = s.after
	} else if j.before > 0 {
		c.Unpreceded++
	}
	s.came(j.number, j.index)
	if s.job.Estimate <= 0 {
		c.EstimateFromRun++
		s.job.Estimate = s.job.Run
	} else if s.job.Run > s.job.Estimate {
		c.KilledAtLimit++
	}
	return true
}
