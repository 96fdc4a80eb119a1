package workload

import "slices"

// WhenScheduled returns source with every task arriving at the moment at which
// the original scheduler placed it, and leaving when it took the task off. Tasks
// that the original kept waiting do not arrive before their time: so another
// scheduler is judged by the tasks that really ran, as the negotiation paper's
// benchmark does. Its method Unplaced returns how many tasks the original has not placed so far.
func WhenScheduled(source Source) Source {
	return &scheduled{source: source, held: map[Key]waiting{}, placed: map[Key]Task{}}
}

type scheduled struct {
	source   Source
	held     map[Key]waiting
	placed   map[Key]Task
	unplaced int64  // tasks that have not been placed, alive or not
	later    Record // to be returned next
	pending  bool
}

// waiting is a task that the original scheduler keeps waiting; ran means that it has placed it before.
type waiting struct {
	Task
	ran bool
}

// Unplaced returns how many of the tasks that were read have not been placed: they have not arrived.
func (s *scheduled) Unplaced() int64 { return s.unplaced }

// Header returns the source's.
func (s *scheduled) Header() Header { return HeaderOf(s.source) }

// Next implements Source. Records of tasks are translated or dropped; a translated one may be followed by s.later.
func (s *scheduled) Next(r *Record) error {
	if s.pending {
		s.pending = false
		*r = s.later
		return nil
	}
	for {
		if err := s.source.Next(r); err != nil {
			return err
		}
		if !r.Kind.ofTask() || s.translate(r) {
			return nil
		}
	}
}

// translate turns a record about a task into the records due now, if there are any.
func (s *scheduled) translate(r *Record) bool {
	task, runs := s.placed[r.Key]
	switch r.Kind {
	case TaskArrives:
		s.held[r.Key] = waiting{Task: own(r.Task)}
		s.unplaced++
		return false
	case TaskRecorded:
		if runs {
			return true
		}
		task, held := s.held[r.Key]
		if !held {
			return false
		}
		if !task.ran {
			s.unplaced--
		}
		delete(s.held, r.Key)
		s.placed[r.Key] = task.Task
		s.later, s.pending = *r, true
		*r = Record{At: r.At, Kind: TaskArrives, Key: r.Key, Task: task.Task}
	case TaskReleased:
		if !runs {
			return false
		}
		delete(s.placed, r.Key)
		s.held[r.Key] = waiting{task, true}
		*r = Record{At: r.At, Kind: TaskEnds, Key: r.Key, End: Evicted}
	case TaskEnds:
		delete(s.held, r.Key)
		delete(s.placed, r.Key)
		return runs
	case TaskChanges:
		held, waits := s.held[r.Key]
		if !runs {
			if task = held.Task; !waits {
				return false
			}
		}
		task.Request, task.Class, task.Priority, task.Image = r.Task.Request, r.Task.Class, r.Task.Priority,
			r.Task.Image
		task.Constraints = slices.Clone(r.Task.Constraints)
		if runs {
			s.placed[r.Key] = task
		} else {
			s.held[r.Key] = waiting{task, held.ran}
		}
		return runs
	default:
		return runs
	}
	return true
}

// own returns t with slices that belong to it.
func own(t Task) Task {
	t.Constraints = slices.Clone(t.Constraints)
	return t
}
