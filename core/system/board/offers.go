package board

import "parley/core/system/board/posted"

// offers finds the tasks of a board that an agent has to look at, in the order of posting: those
// that changed since its last look and have an open subtask of a type that it supports. It is a
// binary tree over the tasks: each node knows the latest change below it and all types below it, so
// that useless subtrees are skipped at once.
type offers struct {
	tasks []*task  // in the order of posting; nil: it is over
	over  int      // how many of them are nil
	width int      // leaves of the tree: a power of two, at least len(tasks)
	tree  []demand // 1 is the root, the children of i are 2i and 2i+1
}

// demand is the work that one task, or all tasks below a node, request.
type demand struct {
	changed uint64 // the board's count of changes at the latest of theirs
	kinds   posted.Kinds
}

func (o demand) helps(seen uint64, kinds posted.Kinds) bool {
	return o.changed > seen && o.kinds&kinds != 0
}

// put records the types that a task offers and when it changed, at its place or, if it is new, behind
// the others. A task without types offers nothing.
func (o *offers) put(t *task, kinds posted.Kinds) {
	if t.place == 0 {
		if len(o.tasks) == o.width {
			o.grow()
		}
		o.tasks = append(o.tasks, t)
		t.place = len(o.tasks)
	}
	o.set(t.place-1, demand{t.changed, kinds})
}

// drop takes a task out that is over; a task without a place stays as it is. The gap is closed by grow.
func (o *offers) drop(t *task) {
	if t.place == 0 {
		return
	}
	o.set(t.place-1, demand{})
	o.tasks[t.place-1] = nil
	t.place = 0
	o.over++
}

// set writes a leaf and updates the nodes above it. leaf is the position in o.tasks.
func (o *offers) set(leaf int, offered demand) {
	i := o.width + leaf
	o.tree[i] = offered
	for i /= 2; i > 0; i /= 2 {
		a, b := o.tree[2*i], o.tree[2*i+1]
		o.tree[i] = demand{max(a.changed, b.changed), a.kinds | b.kinds}
	}
}

// grow makes room for one more task: it closes gaps, so places change, and widens the tree if more than
// half of it is in use.
func (o *offers) grow() {
	kept := make([]*task, 0, len(o.tasks)-o.over+1)
	leaves := make([]demand, 0, cap(kept))
	for i, t := range o.tasks {
		if t != nil {
			kept, leaves = append(kept, t), append(leaves, o.tree[o.width+i])
		}
	}
	for o.width < 2*len(kept)+2 {
		o.width = max(8, 2*o.width)
	}
	o.tasks, o.over, o.tree = kept, 0, make([]demand, 2*o.width)
	for i, t := range kept {
		t.place = i + 1
		o.set(i, leaves[i])
	}
}

// next returns the first task at position from or behind it that changed after seen and offers one of
// these types, and the position behind it; nil and len(o.tasks) if there is none.
func (o *offers) next(from int, seen uint64, kinds posted.Kinds) (*task, int) {
	if from >= len(o.tasks) {
		return nil, from
	}
	for i := o.width + from; ; {
		if !o.tree[i].helps(seen, kinds) {
			for i&1 == 1 { // up while it is the right child
				i /= 2
			}
			if i == 0 {
				return nil, len(o.tasks)
			}
			i++ // its sibling
			continue
		}
		if i >= o.width {
			return o.tasks[i-o.width], i - o.width + 1
		}
		i *= 2
	}
}
