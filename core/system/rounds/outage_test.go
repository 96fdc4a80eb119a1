package rounds_test

import (
	"encoding/json"
	"errors"
	"testing"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/rounds"
	"parley/core/unit"
	"parley/core/workload"
)

// port watches what is sent, and how often to a worker that is down already
// though its event is yet to come.
type port struct {
	*cluster.Cluster
	refused int
	sent    func(amount, unsent unit.Work)
}

func (p *port) Send(n unit.NodeID, amount unit.Work) error {
	unsent := p.View().Totals().Work.Unsent
	err := p.Cluster.Send(n, amount)
	if errors.Is(err, cluster.ErrDown) {
		p.refused++
	} else if err == nil {
		p.sent(amount, unsent)
	}
	return err
}

// Two of three workers go down at one moment, whenever that is. What the master
// meant to send to the second before it heard goes back to the load: factoring
// hands out a quarter of what is left at most, or the smallest chunk and half of
// it, and never all that went astray in one piece.
func TestChunkThatCouldNotBeSentGoesBack(t *testing.T) {
	refused := 0
	for at := unit.Time(0); at < 30*unit.Second; at += 250 * unit.Millisecond {
		k := des.New()
		c := cluster.New(cluster.Default(), k)
		const smallest = 1.0 // speed × latency
		acts := &port{Cluster: c, sent: func(amount, unsent unit.Work) {
			if limit := max(unsent.Float()/4, 1.5*smallest) + 1e-5; amount.Float() > limit {
				t.Errorf("down at %v: at %v a chunk of %v is sent while %v lie there, more than %v", at, k.Now(), amount.Float(), unsent.Float(), limit)
			}
		}}
		s, err := rounds.New(system.Env{Clock: k, View: c.View(), Acts: acts, Rand: func(string) *rng.Stream { return nil }}, json.RawMessage(`{"adapt":"factoring"}`))
		if err != nil {
			t.Fatal(err)
		}
		settle := func() {
			if err := c.Deliver(s.On); err != nil {
				t.Fatal(err)
			}
		}
		for machine := range uint64(3) {
			c.Join(machine, workload.Node{Capacity: unit.Vec{unit.CPU: unit.Whole}, Rack: -1, Site: -1, Worker: &workload.Worker{
				Speed: unit.WorkOf(2), Bandwidth: unit.WorkOf(10), CompLatency: unit.Second / 2,
			}})
		}
		settle()
		c.Arrive(unit.WorkOf(120))
		settle()
		for k.Step(at) {
			settle()
		}
		c.Leave(1)
		c.Leave(2)
		settle()
		for k.Step(unit.Hour) {
			settle()
		}
		if w := c.View().Totals().Work; w.Done != w.Arrived {
			t.Errorf("down at %v: %+v", at, w)
		}
		refused += acts.refused
	}
	if refused == 0 {
		t.Error("no chunk was meant for a worker that was down: the test tests nothing")
	}
}
