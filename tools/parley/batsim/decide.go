package batsim

import (
	"errors"
	"fmt"
	"slices"

	"parley/core/strict"
	"parley/core/unit"
)

// The decisions that are done.
const (
	executeJob = "EXECUTE_JOB"
	rejectJob  = "REJECT_JOB"
	killJob    = "KILL_JOB"
	callLater  = "CALL_ME_LATER"
	notify     = "NOTIFY"
)

// rounding is the time by which a reply may precede the message: schedulers write times with few
// digits.
const rounding = unit.Millisecond

// decide queues the decisions of a reply to the message of the moment now. The scheduler is busy until the
// reply's own now. An error means that the reply is invalid.
func (s *Scheduler) decide(m *message, now unit.Time) error {
	if micros(*m.Now) < now-rounding {
		return fmt.Errorf("its now is %v, and it answers a message of %v s: a scheduler's time goes on", *m.Now,
			*seconds(now))
	}
	for i := range m.Events {
		e := &m.Events[i]
		if micros(*e.Timestamp) < now-rounding {
			return fmt.Errorf("events[%d] is at %v, before the message that it answers, of %v s", i, *e.Timestamp,
				*seconds(now))
		}
		if err := s.take(e, max(now, micros(*e.Timestamp)), now); err != nil {
			return fmt.Errorf("events[%d], %s: %w", i, cut(e.Type), err)
		}
	}
	s.busy = max(now, micros(*m.Now))
	return nil
}

// take queues one decision for the moment at; now is the moment of the message. A kill of a job that has ended
// is ignored.
func (s *Scheduler) take(e *event, at, now unit.Time) error {
	var data struct {
		JobID     string   `json:"job_id"`
		JobIDs    []string `json:"job_ids"`
		Alloc     string   `json:"alloc"`
		Timestamp *float64 `json:"timestamp"`
		Type      string   `json:"type"`
	}
	if len(e.Data) == 0 {
		return errors.New("it has no data")
	}
	if err := strict.Unmarshal(e.Data, &data); err != nil {
		return fmt.Errorf("data: %w", strict.Sentence(nil, err))
	}
	switch e.Type {
	case executeJob, rejectJob:
		number, j, err := s.find(data.JobID)
		if err != nil {
			return err
		}
		if j.refused || j.alloc != nil || s.planned(number) {
			return fmt.Errorf("%s does not wait: it was started or rejected before", data.JobID)
		}
		d := decision{at: at, kind: e.Type, job: number}
		if e.Type == executeJob {
			if d.alloc, err = parseAllocation(data.Alloc, len(s.resources)); err != nil {
				return err
			}
			if len(d.alloc) != j.size {
				return fmt.Errorf("alloc is %q, which is %d resources, and %s needs %d", cut(data.Alloc), len(d.alloc),
					j.name, j.size)
			}
		}
		s.add(d)
	case killJob:
		for _, name := range data.JobIDs {
			number, j, err := s.find(name)
			if err != nil {
				continue // it has ended meanwhile, which is not an error
			}
			if !j.refused {
				s.add(decision{at: at, kind: killJob, job: number})
			}
		}
	case callLater:
		if data.Timestamp == nil || !(micros(*data.Timestamp) > now) || *data.Timestamp > unit.Forever.Seconds()/4 {
			return fmt.Errorf("its timestamp is not after %v", now)
		}
		call := micros(*data.Timestamp)
		i, _ := slices.BinarySearch(s.calls, call)
		s.calls = slices.Insert(s.calls, i, call)
	case notify: // that there will be no dynamic job, which there never is
		if data.Type != "registration_finished" {
			return fmt.Errorf("a notice of type %q means nothing here", cut(data.Type))
		}
	default:
		return fmt.Errorf("it is not supported: a run takes %s, %s, %s and %s", executeJob, rejectJob, killJob,
			callLater)
	}
	return nil
}

// find returns a job by its name.
func (s *Scheduler) find(name string) (int64, *job, error) {
	number, known := s.names[name]
	if !known {
		return 0, nil, fmt.Errorf("job_id is %q: no job of that name has arrived, or it has ended", cut(name))
	}
	return number, s.jobs[number], nil
}

// planned reports whether a start or a rejection of a job is queued.
func (s *Scheduler) planned(number int64) bool {
	return slices.ContainsFunc(s.pending, func(d decision) bool { return d.job == number && d.kind != killJob })
}
