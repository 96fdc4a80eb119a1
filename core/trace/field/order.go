package field

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// predecessors reads the graph in a task's name: letters, its number, and the numbers of those
// that it waits for, as in J3_1_2. A suffix such as Stg4 is none.
func predecessors(name string) (id string, before []string) {
	first, rest, _ := strings.Cut(name, "_")
	id = strings.TrimLeft(first, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	if id == "" || id == first || strings.Trim(id, "0123456789") != "" {
		return "", nil // task_…, MergeTask
	}
	for part := range strings.SplitSeq(rest, "_") {
		if part == "" || strings.Trim(part, "0123456789") != "" {
			break
		}
		before = append(before, part)
	}
	return id, before
}

// order moves each task's arrival to the end of its predecessors, job by job. It returns the
// number of predecessors. With whole, a task that arrives later ends later; else its end stands.
func (c *collection) order(tasks []dagTask, whole bool) (edges int64) {
	slices.SortStableFunc(tasks, func(a, b dagTask) int { return cmp.Compare(a.job, b.job) })
	w := walk{c: c, byID: map[string]int{}, whole: whole}
	jobs, cyclic := int64(0), int64(0)
	for len(tasks) > 0 {
		n := 1
		for n < len(tasks) && tasks[n].job == tasks[0].job {
			n++
		}
		if w.job(tasks[:n]) {
			jobs, cyclic = jobs+1, cyclic+int64(n)
			for _, t := range tasks[:n] {
				c.items[t.item].count = 0
			}
		}
		tasks = tasks[n:]
	}
	cyclic += w.round
	c.rule("cycle", "tasks of jobs in which tasks wait for one another in a circle, such as "+w.example, cyclic, false)
	c.count("jobs_with_a_cycle", jobs)
	c.count("dependencies", w.edges)
	c.repair("unknown_predecessor", "predecessors that are not in the files or never ran, for which nothing waits",
		w.unknown)
	c.repair("predecessor_later",
		"predecessors that ended after the task that waits for them, for which it does not wait", w.later)
	return w.edges
}

// walk visits the tasks of a job after their predecessors.
type walk struct {
	c                     *collection
	tasks                 []dagTask
	byID                  map[string]int
	before                [][]string
	state                 []uint8 // 1: being visited, 2: visited
	stack                 []int
	cyclic, whole         bool
	example               string // of all jobs
	edges, unknown, later int64
	round                 int64
}

// job visits the tasks of a job, and reports whether they wait for one another in a circle.
func (w *walk) job(tasks []dagTask) bool {
	clear(w.byID)
	w.tasks, w.before, w.state, w.cyclic = tasks, w.before[:0], w.state[:0], false
	for i, t := range tasks {
		id, before := t.id, t.before
		if t.name != "" {
			id, before = predecessors(t.name)
		}
		if id != "" {
			w.byID[id] = i
		}
		w.before, w.state = append(w.before, before), append(w.state, 0)
	}
	for i := range tasks {
		w.visit(i)
	}
	return w.cyclic
}

// visit moves a task, once its predecessors were moved. It keeps a stack of its own: the chain
// of a broken file may be long.
func (w *walk) visit(i int) {
	if w.state[i] != 0 {
		return
	}
	w.stack = append(w.stack[:0], i)
	w.state[i] = 1
	for len(w.stack) > 0 {
		top := w.stack[len(w.stack)-1]
		down := false
		for _, id := range w.before[top] {
			k, known := w.byID[id]
			if !known {
				continue
			}
			if w.state[k] == 1 {
				w.circle(k)
			} else if w.state[k] == 0 {
				w.state[k] = 1
				w.stack = append(w.stack, k)
				down = true
				break
			}
		}
		if !down {
			w.state[top] = 2
			w.stack = w.stack[:len(w.stack)-1]
			w.move(top)
		}
	}
}

// circle notes a circle that ends at task k.
func (w *walk) circle(k int) {
	at := len(w.stack) - 1
	for at > 0 && w.stack[at] != k {
		at--
	}
	if w.whole { // those of the circle are left out, and not all of a log
		for _, i := range w.stack[at:] {
			if it := &w.c.items[w.tasks[i].item]; it.count > 0 {
				it.count = 0
				w.round++
			}
		}
	}
	w.cyclic = !w.whole
	if w.example != "" {
		return
	}
	short := func(i int) string {
		name, _, _ := strings.Cut(w.tasks[i].name, "_")
		return name + w.tasks[i].id
	}
	for _, i := range w.stack[at:] {
		w.example = short(i) + " → " + w.example // each waits for the next on the stack
	}
	w.example = short(k) + " → " + strings.TrimSuffix(w.example, " → ")
	w.example += fmt.Sprintf(" of job %d", w.tasks[k].job)
}

// move lets a task arrive when its predecessors have ended.
func (w *walk) move(i int) {
	it := &w.c.items[w.tasks[i].item]
	for _, id := range w.before[i] {
		k, known := w.byID[id]
		switch {
		case !known, w.c.items[w.tasks[k].item].count == 0:
			w.unknown++
			continue
		case k == i:
			continue
		}
		w.edges++
		end := w.c.items[w.tasks[k].item].end
		switch {
		case end == unknown:
		case w.whole && end > it.submit:
			run := it.end - max(it.submit, it.start)
			it.submit = min(end, max(it.submit, 2*longestRun)) // later it is not played
			it.start, it.end = unknown, it.submit+run
		case w.whole:
		case it.end != unknown && end > it.end:
			w.later++
		case end > it.submit:
			it.submit = end
		}
	}
}
