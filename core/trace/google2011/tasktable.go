package google2011

import (
	"parley/core/rng"
	"parley/core/workload"
)

// taskTable is a map from keys to tasks. Nearly every row looks a task up: Go's
// map took a fifth of the reader's time, and in a browser its hash has no
// hardware behind it.
//
// It is a hash table with linear probing, at most three quarters full, whose
// deletions move later entries back (Knuth, The Art of Computer Programming, volume 3,
// section 6.4, algorithm R).
type taskTable struct {
	slots []taskSlot // a power of two
	size  int
}

type taskSlot struct {
	key  workload.Key
	task task // of state 0: the slot is free
}

// get returns the task of a key or nil. It is good until the next insert or
// remove.
func (t *taskTable) get(key workload.Key) *task {
	if t.size == 0 {
		return nil
	}
	if slot := &t.slots[t.find(key)]; slot.task.state != 0 {
		return &slot.task
	}
	return nil
}

// insert adds a task, whose state is not 0, for a key that has none.
func (t *taskTable) insert(key workload.Key, k task) {
	if t.size >= len(t.slots)/4*3 {
		old := t.slots
		t.slots = make([]taskSlot, max(1024, 2*len(old)))
		for _, slot := range old {
			if slot.task.state != 0 {
				t.slots[t.find(slot.key)] = slot
			}
		}
	}
	t.slots[t.find(key)] = taskSlot{key, k}
	t.size++
}

// remove takes the task of a key away.
func (t *taskTable) remove(key workload.Key) {
	if t.size == 0 {
		return
	}
	free := t.find(key)
	if t.slots[free].task.state == 0 {
		return
	}
	t.size--
	mask := len(t.slots) - 1
	for i := (free + 1) & mask; t.slots[i].task.state != 0; i = (i + 1) & mask {
		if home := t.home(t.slots[i].key); (i-home)&mask >= (i-free)&mask {
			t.slots[free] = t.slots[i]
			free = i
		}
	}
	t.slots[free] = taskSlot{}
}

// find returns the slot of a key, or the free one it belongs into.
func (t *taskTable) find(key workload.Key) int {
	mask := len(t.slots) - 1
	i := t.home(key)
	for t.slots[i].task.state != 0 && t.slots[i].key != key {
		i = (i + 1) & mask
	}
	return i
}

// home is where a key's search begins. Eight tasks of a job are neighbours, as
// they mostly are in the files.
func (t *taskTable) home(key workload.Key) int {
	return (int(rng.Hash(key.Job, uint64(key.Index>>3), 0)) + int(key.Index&7)) & (len(t.slots) - 1)
}
