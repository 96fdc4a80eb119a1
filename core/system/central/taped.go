package central

import (
	"parley/core/choices"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/unit"
)

// taped is a policy whose choices are recorded or replayed.
type taped struct {
	policy
	log      *choices.Log
	clock    des.Clock
	replayed bool // the latest choice
}

// choose implements policy.
func (t *taped) choose(d *demand) unit.NodeID {
	return t.take(d, func() unit.NodeID { return t.policy.choose(d) })
}

// scan implements policy.
func (t *taped) scan(d *demand, accepted func(unit.NodeID) bool) unit.NodeID {
	return t.take(d, func() unit.NodeID { return t.policy.scan(d, accepted) })
}

// take replays a choice, or makes it and records it.
func (t *taped) take(d *demand, choose func() unit.NodeID) unit.NodeID {
	var c choices.Choice
	if c, t.replayed = t.log.Next(t.clock.Now()); t.replayed {
		t.policy.repeat(d, c)
		return c.Node
	}
	random, _ := t.policy.spent()
	before := copied(random)
	c.Node = choose()
	random, c.Looked = t.policy.spent()
	if random != nil {
		c.Draws = random.Since(before)
	}
	t.log.Add(c)
	return c.Node
}

func copied(random *rng.Stream) (s rng.Stream) {
	if random != nil {
		s = *random
	}
	return s
}

// find is preemption.find, whose result is recorded or, in a replay, read from the record: then the
// random numbers are skipped. Without a record, or for the lowest priority, which cannot preempt, it
// only searches.
func (s *scheduler) find(d *demand, priority uint8) (unit.NodeID, []unit.TaskID) {
	p, t := s.preemption, s.taped
	if t == nil || priority == 0 {
		return p.find(d, priority)
	}
	var c choices.Choice
	if c, t.replayed = t.log.Next(t.clock.Now()); t.replayed {
		p.sync()
		p.random.Skip(c.Draws)
		if c.Node == unit.NoNode {
			return unit.NoNode, nil
		}
		victims, _ := t.log.NextTasks(t.clock.Now())
		return c.Node, victims
	}
	before := *p.random
	n, victims := p.find(d, priority)
	t.log.Add(choices.Choice{Node: n, Draws: p.random.Since(before)})
	if n != unit.NoNode {
		t.log.AddTasks(victims)
	}
	return n, victims
}

// replayed reports whether the latest choice was replayed: then nothing was compared.
func (s *scheduler) replayed() bool { return s.taped != nil && s.taped.replayed }
