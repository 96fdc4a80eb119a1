package central

import (
	"cmp"
	"slices"

	"parley/core/batch/device"
	"parley/core/cluster"
	"parley/core/unit"
)

// deviceWait is a task that waits.
type deviceWait struct {
	id       unit.TaskID
	priority uint8
	came     uint64
	kind     int
}

// waitKey identifies a kind of waiting tasks.
type waitKey struct {
	class device.Class
	other bool // constraints beside devices, which may differ
}

// waitKind counts waiting tasks.
type waitKind struct {
	waitKey
	count int
	open  bool // in this pass: a node may take one
}

// arrive places a waiting task or puts it into the queue, behind those of at least its priority. kinds
// counts the waiting tasks of each class, so that a pass tries a class once.
func (s *deviceScheduler) arrive(id unit.TaskID) {
	t, alive := s.env.View.Task(id)
	if !alive || t.State != cluster.Waiting {
		return
	}
	key := s.classOf(t.Request, t.Constraints)
	if s.place(id, &t, &key) {
		return
	}
	kind, known := s.kindOf[key]
	if !known {
		kind = len(s.kinds)
		s.kinds = append(s.kinds, waitKind{waitKey: key})
		s.kindOf[key] = kind
	}
	s.kinds[kind].count++
	w := deviceWait{id, t.Priority, s.came, kind}
	s.came++
	k, _ := slices.BinarySearchFunc(s.waiting, w, func(a, b deviceWait) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.came, b.came))
	})
	s.waiting = slices.Insert(s.waiting, k, w)
}

// forget takes a task that ended while it waited out of the queue.
func (s *deviceScheduler) forget(id unit.TaskID) {
	if i := slices.IndexFunc(s.waiting, func(w deviceWait) bool { return w.id == id }); i >= 0 {
		s.kinds[s.waiting[i].kind].count--
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
}

// soon lets a pass come when all that is known to happen at this moment has happened.
func (s *deviceScheduler) soon() {
	if !s.due && len(s.waiting) > 0 {
		s.due = true
		s.env.Clock.At(s.env.Clock.Now(), s, reportEvents)
	}
}

// Fire makes a pass over the waiting tasks, in their order. It tries only kinds that a node in s.freed can take, since
// other nodes have not gained room; in most passes there is none.
func (s *deviceScheduler) Fire(now unit.Time, _ uint64) {
	s.due = false
	s.figures.pass(now)
	slices.Sort(s.freed)
	s.freed = slices.Compact(s.freed)
	any := false
	for i := range s.kinds {
		k := &s.kinds[i]
		k.open = k.count > 0 && slices.ContainsFunc(s.freed, func(n int) bool { return s.cell.Takes(n, &k.class) })
		any = any || k.open
	}
	s.freed = s.freed[:0]
	if !any {
		return
	}
	still := s.waiting[:0]
	for _, w := range s.waiting {
		k := &s.kinds[w.kind]
		if k.open {
			t, alive := s.env.View.Task(w.id)
			if !alive || t.State != cluster.Waiting || s.place(w.id, &t, &k.waitKey) {
				k.count--
				continue
			}
			k.open = k.other
		}
		still = append(still, w)
	}
	s.waiting = still
	s.count()
}
