package remote_test

import (
	"slices"
	"testing"

	"parley/core/message"
	"parley/core/run"
	"parley/core/unit"
)

// latest returns the cards that were told last.
func (t *tab) latest() (cards message.Cards) {
	for _, m := range t.told {
		if c, ok := m.(message.Cards); ok {
			cards = c
		}
	}
	return cards
}

// TestCards: whoever looks at nodes from near hears of their tasks, with every step.
// While one is pointed at, tasks stay in their order: what is gone uses nothing, and
// what is new comes last.
func TestCards(t *testing.T) {
	host, r := opened(t, `{"v":1,"system":"negotiation","cluster":{"nodes":24},"seed":3,"until":"12h"}`, run.First())
	for range 4 {
		r.Receive(message.Step{})
	}
	if cards := host.latest().Cards; cards != nil {
		t.Fatalf("nobody looked, and %d cards are told", len(cards))
	}
	r.Receive(message.NearbyNodes{Nodes: []unit.NodeID{5, 700, -1, 9}, Task: "17"})
	got := host.latest()
	if len(got.Cards) != 2 || got.Cards[0].Node != 5 || got.Cards[1].Node != 9 || got.Task != "17" {
		t.Fatalf("the cards of nodes 5 and 9 are %+v", got)
	}
	for _, c := range got.Cards {
		var used [2]float64
		for i, one := range c.Tasks {
			if i > 0 && one.Production && !c.Tasks[i-1].Production {
				t.Errorf("node %d: production after batch", c.Node)
			}
			used[0], used[1] = used[0]+one.Used[0], used[1]+one.Used[1]
		}
		if len(c.Tasks) < 2 || used[0] > c.Used[0]+1e-9 || used[1] > c.Used[1]+1e-9 {
			t.Errorf("node %d uses %v, its %d tasks %v", c.Node, c.Used, len(c.Tasks), used)
		}
	}

	r.Receive(message.NearbyNodes{Nodes: []unit.NodeID{5, 9}, Hold: true})
	before := host.latest().Cards
	for range 240 {
		r.Receive(message.Step{})
	}
	gone, fresh := 0, 0
	for i, c := range host.latest().Cards {
		for at, was := range before[i].Tasks {
			if c.Tasks[at].ID != was.ID {
				t.Fatalf("node %d: row %d is task %s, and was %s", c.Node, at, c.Tasks[at].ID, was.ID)
			}
			if slices.Max(c.Tasks[at].Used) == 0 {
				gone++
			}
		}
		fresh += len(c.Tasks) - len(before[i].Tasks)
	}
	if gone == 0 || fresh == 0 {
		t.Errorf("%d tasks ended and %d came, which shows nothing", gone, fresh)
	}
	r.Receive(message.NearbyNodes{Nodes: []unit.NodeID{5, 9}})
	for _, c := range host.latest().Cards {
		if slices.ContainsFunc(c.Tasks, func(one message.CardTask) bool { return slices.Max(one.Used) == 0 }) {
			t.Errorf("node %d still lists what is gone", c.Node)
		}
	}
	told := len(host.told)
	r.Receive(message.NearbyNodes{Nodes: []unit.NodeID{}})
	r.Receive(message.Step{})
	for _, m := range host.told[told:] {
		if _, ok := m.(message.Cards); ok {
			t.Error("nobody looks any more, and cards are told")
		}
	}
}
