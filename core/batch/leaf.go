package batch

import (
	"slices"

	"parley/core/unit"
	"parley/core/workload"
)

// leaves are the leaf switches of a machine. A job that asks for few of them (Slurm's --switches)
// waits until its nodes are under as few, or until its SwitchWait has passed since a pass first
// looked for its place.
type leaves struct {
	index  map[int32]int32 // by the number that SetLeaf gave
	room   []int32         // scratch: capacity under each, in nodes or, if the need states no nodes, in processors
	chosen []bool          // scratch
}

// SetLeaf puts a node under a leaf switch. Call it behind the first SetNode of the node; nodes for which it was
// not called are under the first switch.
func (s *Site) SetLeaf(n int, number int32) {
	l := &s.machine.leaves
	at, known := l.index[number]
	if !known {
		if l.index == nil {
			l.index = map[int32]int32{}
		}
		at = int32(len(l.index))
		l.index[number] = at
	}
	s.machine.nodes[n].leaf = at
}

// choose chooses the leaf switches for a need, and reports whether the job's number of them is
// enough. As in Slurm, it takes the switch with the least room among those with enough for the rest
// or, if none has enough, the one with the most; of equals the first.
func (m *machine) choose(processors int32, need *workload.Need, part Node, free, has func(*machineNode) Node) bool {
	l := &m.leaves
	l.room, l.chosen = l.room[:0], l.chosen[:0]
	for range max(1, len(l.index)) {
		l.room, l.chosen = append(l.room, 0), append(l.chosen, false)
	}
	for i := range m.nodes {
		n := &m.nodes[i]
		if room := free(n); !admits(n, need, part, room, has) {
			continue
		} else if need.Nodes > 0 {
			l.room[n.leaf]++
		} else {
			l.room[n.leaf] += singles(part, room)
		}
	}
	rest := processors
	if need.Nodes > 0 {
		rest = need.Nodes
	}
	better := func(a, b int32) bool {
		if a >= rest {
			return b < rest || a < b
		}
		return a > b
	}
	for range need.Switches {
		best := -1
		for i, room := range l.room {
			if room > 0 && !l.chosen[i] && (best < 0 || better(room, l.room[best])) {
				best = i
			}
		}
		if best < 0 {
			return false
		}
		l.chosen[best] = true
		if rest -= l.room[best]; rest <= 0 {
			return true
		}
	}
	return false
}

// patience is until when a job waits for few switches.
type patience struct {
	until   unit.Time
	handle  Handle
	arrival uint64
}

// look notes when the place of a job is first sought: its wait for few switches begins.
func (s *Site) look(now unit.Time, h Handle) {
	e := &s.jobs[h]
	if s.machine == nil || e.looked >= 0 {
		return
	}
	e.looked = now
	note := func(need *workload.Need) {
		if need.Switches > 0 {
			s.patience = append(s.patience, patience{after(now, need.SwitchWait), h, e.arrival})
		}
	}
	note(&e.Need)
	for i := range e.Components {
		note(&e.Components[i].Need)
	}
}

// patient forgets the waits that end until a time, and those of jobs that do not wait any more. It returns when the
// next one ends; unit.Forever if there is none.
func (s *Site) patient(until unit.Time) (next unit.Time) {
	next = unit.Forever
	s.patience = slices.DeleteFunc(s.patience, func(p patience) bool {
		e := &s.jobs[p.handle]
		over := p.until <= until || e.state != waiting || e.arrival != p.arrival
		if !over {
			next = min(next, p.until)
		}
		return over
	})
	return next
}

// patienceOf returns when the first wait of a job for few switches ends that ends after a time; unit.Forever if
// there is none.
func (s *Site) patienceOf(h Handle, from unit.Time) (next unit.Time) {
	next = unit.Forever
	for _, p := range s.patience {
		if p.handle == h && p.until > from && p.arrival == s.jobs[h].arrival {
			next = min(next, p.until)
		}
	}
	return next
}
