package central

import (
	"parley/core/choices"
	"parley/core/cluster"
	"parley/core/kube/score"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/unit"
)

// policy finds nodes for tasks. It learns of changes through its book.
type policy interface {
	// choose returns the node that gets a task, or unit.NoNode.
	choose(d *demand) unit.NodeID
	// scan chooses among the nodes for which accepted returns true, without an index. If it accepts
	// all, the result is that of choose.
	scan(d *demand, accepted func(unit.NodeID) bool) unit.NodeID
	// best returns up to k nodes that have room, the best first, with their scores. It
	// follows choose.
	best(d *demand, k int) []system.Candidate
	// allows reports whether the policy lets a node take a task, if it had room.
	allows(d *demand, n unit.NodeID) bool
	// attributesChanged records that nodes' attributes changed.
	attributesChanged()
	// rank returns the score of a node, the higher the better.
	rank(d *demand, n unit.NodeID) float64
	// repeat stands for a choose or a scan whose result is known: it leaves the policy as that would. It reads
	// the nodes that changed now, not later: another choice may follow before the news of a fault are all there.
	repeat(d *demand, c choices.Choice)
	// spent returns the stream that choices draw from, nil if none, and how many nodes the latest one looked at
	// in turn.
	spent() (random *rng.Stream, looked uint32)
	// rule describes, in words, which of the nodes with room gets a task.
	rule() string
}

// newPolicy returns the policy of valid settings, which reads the book b. random returns the stream of a
// name; each policy draws from its own. Unnamed is best-fit.
func newPolicy(s *Settings, b *book, random func(name string) *rng.Stream) policy {
	if profile, is := s.profile(); is {
		shape, _ := score.ParseShape(profile.Shape) // Validate has read it
		return &sampled{book: b, profile: profile, shape: shape, random: random("central/ties")}
	}
	switch s.Policy {
	case byFormula:
		where, score, _ := s.Formula.compiled() // Validate has compiled them
		return newScored(b, where, score)
	case "worst-fit":
		return newSorted(b, emptiest)
	case "first-fit":
		return newSorted(b, lowest)
	case "random":
		return &drawn{book: b, random: random("central/random")}
	}
	return newSorted(b, fullest)
}

// sets returns the nodes that satisfy a demand's constraints.
func sets(v cluster.View, d *demand, s *cluster.Suitable) *cluster.Suitable {
	v.Suitable(d.task, s)
	return s
}

// drawn is the policy random: every node that has room is as likely.
type drawn struct {
	*book
	random   *rng.Stream
	suitable cluster.Suitable
	fit      []unit.NodeID
}

// quickDraws is how many nodes are drawn among all before those with room are
// counted: where half of them have room it comes to that once in 10⁵ times.
const quickDraws = 16

// choose implements policy. Nodes drawn among all until one has room are as likely
// each as those drawn among the ones with room.
func (p *drawn) choose(d *demand) unit.NodeID {
	p.clean()
	sets(p.view, d, &p.suitable)
	for range quickDraws {
		if len(p.nodes) == 0 {
			break
		}
		if n := unit.NodeID(p.random.Intn(len(p.nodes))); p.fits(d, n) && p.suitable.Has(n) {
			return n
		}
	}
	return p.among(d, nil)
}

// scan implements policy.
func (p *drawn) scan(d *demand, accepted func(unit.NodeID) bool) unit.NodeID {
	p.clean()
	sets(p.view, d, &p.suitable)
	return p.among(d, accepted)
}

// among draws among the nodes that have room, satisfy the constraints and are accepted (nil: all are);
// unit.NoNode if there are none. It needs a clean book and p.suitable of the demand.
func (p *drawn) among(d *demand, accepted func(unit.NodeID) bool) unit.NodeID {
	p.fit = p.fit[:0]
	for n := range unit.NodeID(len(p.nodes)) {
		if p.fits(d, n) && p.suitable.Has(n) && (accepted == nil || accepted(n)) {
			p.fit = append(p.fit, n)
		}
	}
	if len(p.fit) == 0 {
		return unit.NoNode
	}
	return p.fit[p.random.Intn(len(p.fit))]
}

// best implements policy: there is no better one, so it returns none.
func (p *drawn) best(*demand, int) []system.Candidate { return nil }

func (p *drawn) rank(*demand, unit.NodeID) float64 { return 0 }

func (p *drawn) allows(*demand, unit.NodeID) bool { return true }

func (p *drawn) attributesChanged() {}

func (p *drawn) repeat(_ *demand, c choices.Choice) {
	p.clean()
	p.random.Skip(c.Draws)
}

func (p *drawn) spent() (*rng.Stream, uint32) { return p.random, 0 }

func (p *drawn) rule() string { return "random: every node that has room is as likely" }
