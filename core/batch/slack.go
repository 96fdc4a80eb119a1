package batch

import (
	"slices"

	"parley/core/unit"
)

// slack is the state of the policy Slack.
type slack struct {
	factor float64
	waits  unit.Time // of the jobs that started, together
	starts int64
	trial  Profile // scratch
}

// SetSlack sets the slack that each job has under the policy Slack: a multiple of the mean wait of
// the jobs that started before it came; 1 unless it is set. With 0 no job starts later than its
// first reservation. Call it before the first Submit.
func (s *Site) SetSlack(factor float64) { s.slack.factor = factor }

// fitWithin starts the jobs, in the order of the queue, that fit and leave room for all
// others to start in time. Plans are made in the order of arrival. A job's latest start is
// the reservation that it gets on arrival, behind all others, and its slack. If a job
// cannot keep its latest start in any case, because jobs outlived their estimates or
// processors were lost, the time at which it can start counts instead.
func (s *Site) fitWithin(now unit.Time) {
	s.outline(now)
	s.promise(now)
	for _, w := range slices.Clone(s.ordered(now)) {
		if s.held(w.handle) || !s.profile.Fits(now, w.estimate, int(w.processors)) || !s.inTime(now, &w) {
			continue
		}
		s.profile.Add(now, after(now, w.estimate), -int(w.processors))
		s.slack.waits += now - s.jobs[w.handle].submitted
		s.slack.starts++
		s.queue.remove(w.arrival)
		s.start(now, w.handle)
	}
}

// promise plans all waiting jobs, and gives those that came since the last pass their
// latest starts.
func (s *Site) promise(now unit.Time) {
	k := &s.slack
	k.trial.copy(&s.profile)
	allowed := unit.Time(0)
	if k.starts > 0 {
		allowed = unit.Time(k.factor * float64(k.waits) / float64(k.starts))
	}
	s.queue.each(func(w *waitingJob) {
		e := &s.jobs[w.handle]
		e.since = k.trial.take(now, w)
		if e.ends == unit.Forever {
			e.ends = after(e.since, allowed)
		}
	})
}

// inTime reports whether all other jobs can start in time if one starts now.
func (s *Site) inTime(now unit.Time, starts *waitingJob) (kept bool) {
	k := &s.slack
	k.trial.copy(&s.profile)
	k.trial.Add(now, after(now, starts.estimate), -int(starts.processors))
	kept = true
	s.queue.each(func(w *waitingJob) {
		if e := &s.jobs[w.handle]; kept && w.arrival != starts.arrival {
			kept = k.trial.take(now, w) <= max(e.ends, e.since)
		}
	})
	return kept
}

// copy makes p equal to another profile.
func (p *Profile) copy(of *Profile) { p.steps = append(p.steps[:0], of.steps...) }

// take gives a job its earliest time and returns it.
func (p *Profile) take(now unit.Time, w *waitingJob) unit.Time {
	at := p.Earliest(now, w.estimate, int(w.processors))
	if at < unit.Forever {
		p.Add(at, after(at, w.estimate), -int(w.processors))
	}
	return at
}
