package google2011

import (
	"encoding/binary"

	"parley/core/trace/table"
	"parley/core/unit"
	"parley/core/workload"
)

// Columns of task_constraints.
const (
	constraintJob      = 1
	constraintIndex    = 2
	constraintOperator = 3
	constraintName     = 4
	constraintValue    = 5
)

// constraintGroup collects the rows of one task at one moment. They follow one another and together
// replace the task's constraints.
type constraintGroup struct {
	active bool
	at     unit.Time
	key    workload.Key
	set    []workload.Constraint
}

// takes reports whether a part's present row belongs to the group.
func (g *constraintGroup) takes(p *table.Part) bool {
	return idOf(p) == taskConstraints && p.Now == g.at && constraintKey(&p.Row) == g.key
}

func constraintKey(r *table.Row) workload.Key {
	return workload.Key{Job: r.Value(constraintJob), Index: r.Index(constraintIndex)}
}

// takeConstraint adds a row of task_constraints to the group that is being formed, or begins one.
func (s *Source) takeConstraint(p *table.Part) error {
	g := &s.forming
	if !g.active {
		*g = constraintGroup{active: true, at: p.Now, key: constraintKey(&p.Row), set: g.set[:0]}
	}
	if len(g.set) >= maxPerOwner {
		return s.tooLarge(p, "with this row a task has more than %d constraints", maxPerOwner)
	}
	fields := p.Rows.Fields()
	g.set = append(g.set, workload.Constraint{
		Name:  s.names.Attribute(fields.At(constraintName)),
		Op:    workload.Operator(p.Row.Code(constraintOperator)),
		Value: s.names.Value(fields.At(constraintValue)),
	})
	return nil
}

// endGroup gives the collected constraints to their task: to one that is
// alive, as a change; to one that is about to be submitted, by waiting for it.
func (s *Source) endGroup() {
	g := &s.forming
	g.active = false
	t := s.tasks.alive.get(g.key)
	if t == nil {
		t = &task{state: announced}
		s.tasks.wait(g.key, t, g.at)
		s.constrain(g, t)
		s.tasks.alive.insert(g.key, *t)
		return
	}
	if s.constrain(g, t) && t.state.lives() {
		s.emitChange(g.at, g.key, t)
	}
}

// constrain gives a group to its task and reports whether that is news.
func (s *Source) constrain(g *constraintGroup, t *task) bool {
	if t.constrainedAt == g.at && t.set > 0 { // rows that did not follow one another
		g.set = append(g.set, s.constraints.lists[t.set]...)
	}
	before := t.set
	t.set, t.constrainedAt = s.constraints.number(g.set), g.at
	return t.set != before
}

// constraintSets numbers the different sets of constraints, which thousands of
// tasks share. Number 0 is the empty set.
type constraintSets struct {
	numbers map[string]int32
	lists   [][]workload.Constraint // by number
	size    int                     // constraints in all sets
	key     []byte
}

func (c *constraintSets) init() {
	c.numbers = map[string]int32{"": 0}
	c.lists = [][]workload.Constraint{nil}
}

// number returns the set's number. It does not keep set.
func (c *constraintSets) number(set []workload.Constraint) int32 {
	c.key = c.key[:0]
	for _, w := range set {
		c.key = append(c.key, byte(w.Op))
		c.key = binary.LittleEndian.AppendUint32(c.key, uint32(w.Name))
		c.key = binary.LittleEndian.AppendUint64(c.key, uint64(w.Value))
	}
	if n, ok := c.numbers[string(c.key)]; ok {
		return n
	}
	n := int32(len(c.lists))
	c.numbers[string(c.key)] = n
	c.lists = append(c.lists, append([]workload.Constraint(nil), set...))
	c.size += len(set)
	return n
}
