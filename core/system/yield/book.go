package yield

import (
	"slices"

	"parley/core/cluster"
	"parley/core/slab"
	"parley/core/unit"
)

// job is a job in the sense of the solver: tasks of one owner's job with the same need. A task
// whose need changes alone becomes, or joins, another job.
type job struct {
	key      jobKey
	seq      uint64        // of its arrival
	tasks    []unit.TaskID // that have not ended, as they came
	admitted bool          // a plan had a place for it
	refused  bool
}

type jobKey struct {
	owner uint64
	index uint32 // of the task if tasks are not coupled
	need  unit.Vec
}

// book lists the jobs that have not ended, in the order of their arrival.
type book struct {
	jobs  []job
	free  []int32
	byKey map[jobKey]int32
	of    []int32 // by slot: the task's job + 1; 0 if none
	order []entry
	next  uint64
}

// entry of the order is stale when its job has ended.
type entry struct {
	job int32
	seq uint64
}

func newBook() book { return book{byKey: map[jobKey]int32{}} }

// add enters a task and returns its job, which is new if no task has its key; t is the task's entry in
// the view. Without coupled each task is a job of its own. The pointer is valid until the next add.
func (b *book) add(id unit.TaskID, t *cluster.Task, coupled bool) *job {
	key := jobKey{owner: t.Key.Job, need: t.Request}
	if !coupled {
		key.index = t.Key.Index + 1
	}
	i, known := b.byKey[key]
	if !known {
		i = b.open(key)
	}
	j := &b.jobs[i]
	j.tasks = append(j.tasks, id)
	for int(id.Slot()) >= len(b.of) {
		b.of = append(b.of, 0)
	}
	b.of[id.Slot()] = i + 1
	return j
}

// open adds a job without tasks at the end of the order, and returns its index in b.jobs.
func (b *book) open(key jobKey) int32 {
	i := slab.Take(&b.free, &b.jobs)
	b.next++
	b.jobs[i] = job{key: key, seq: b.next, tasks: b.jobs[i].tasks[:0]}
	b.byKey[key] = i
	b.order = append(b.order, entry{i, b.next})
	return i
}

// job returns the job of a task, or nil.
func (b *book) job(id unit.TaskID) *job {
	if slot := id.Slot(); int(slot) < len(b.of) && b.of[slot] > 0 {
		return &b.jobs[b.of[slot]-1]
	}
	return nil
}

// remove removes a task, and its job with its last task. It returns the job without the task, and an
// empty job for an unknown task. Its list of tasks is shared with the book.
func (b *book) remove(id unit.TaskID) job {
	slot := id.Slot()
	if int(slot) >= len(b.of) || b.of[slot] == 0 {
		return job{}
	}
	i := b.of[slot] - 1
	b.of[slot] = 0
	j := &b.jobs[i]
	at := slices.Index(j.tasks, id)
	j.tasks = append(j.tasks[:at], j.tasks[at+1:]...)
	was := *j
	if len(j.tasks) == 0 {
		delete(b.byKey, j.key)
		j.seq = 0
		b.free = append(b.free, i)
	}
	return was
}

// change moves a task whose need has changed to the job of its new need, which inherits the
// decisions about the old one.
func (b *book) change(id unit.TaskID, t *cluster.Task, coupled bool) {
	old := b.job(id)
	if old == nil || old.key.need == t.Request {
		return
	}
	was := b.remove(id)
	j := b.add(id, t, coupled)
	j.admitted = j.admitted || was.admitted
	j.refused = was.refused && (j.refused || len(j.tasks) == 1)
}

// all calls yield for every job in the order of arrival.
func (b *book) all(yield func(*job) bool) {
	kept := b.order[:0]
	for _, e := range b.order {
		if b.jobs[e.job].seq == e.seq {
			kept = append(kept, e)
		}
	}
	b.order = kept
	for _, e := range kept {
		if !yield(&b.jobs[e.job]) {
			return
		}
	}
}
