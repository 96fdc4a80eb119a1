package cluster

import (
	"parley/core/unit"
	"parley/core/workload"
)

// Wishes are a task's constraints, ready to be held against many nodes: a search
// need not look the task up for each of them. They are good until the task or a
// node changes.
type Wishes struct {
	wants []workload.Constraint // belongs to the cluster
	rows  [][]int64             // of each constraint's attribute, by node; short rows end in Unset
}

// Wishes fills w, whose memory is used again, with what a task asks of a node:
// nothing where the task has ended.
func (v View) Wishes(id unit.TaskID, w *Wishes) {
	w.wants, w.rows = nil, w.rows[:0]
	slot, ok := v.c.lookup(id)
	if !ok {
		return
	}
	w.wants = v.c.details[slot].constraints
	for _, want := range w.wants {
		var row []int64
		if int(want.Name) < len(v.c.nodes.attributes) {
			row = v.c.nodes.attributes[want.Name]
		}
		w.rows = append(w.rows, row)
	}
}

// Any reports whether anything is asked at all.
func (w *Wishes) Any() bool { return len(w.wants) > 0 }

// Hold reports whether a node satisfies every constraint, as View.Suits does.
func (w *Wishes) Hold(n unit.NodeID) bool {
	for i, row := range w.rows {
		value := workload.Unset
		if int(n) < len(row) {
			value = row[n]
		}
		if !w.wants[i].Holds(value) {
			return false
		}
	}
	return true
}
