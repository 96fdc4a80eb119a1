// Package rounds implements divisible-load scheduling: a master with one port sends a load
// to workers, chunk by chunk, and the workers compute while they receive.
//
// Model: the workers are nodes, and the load is part of the workload. The act Send of
// package cluster sends a chunk; the cluster knows the true speeds of port and workers, the
// master only the stated ones. The master plans with package plan when the load arrives and
// sends the planned chunks as the port becomes free, or it decides at run time (factoring,
// guided). Work that a failed worker had not computed is sent again.
//
// Source: Phan Thanh Toan and Nguyen The Loc, "Resources management algorithm for the cloud
// environment", Journal of Science of HNUE 56(7), 2011, section 2; the README lists our additions.
//
//	{"algorithm":"umr2","adapt":"fixed"}
package rounds

import (
	"encoding/json"
	"errors"
	"fmt"

	"parley/core/cluster"
	"parley/core/system"
	"parley/core/system/rounds/plan"
	"parley/core/unit"
)

// master implements system.System.
type master struct {
	env      system.Env
	settings Settings

	nodes   []unit.NodeID // of the workers, in the order of the platform
	number  []int32       // of a node's worker, counted from 1; 0: it is none
	states  []plan.WorkerState
	account []account
	dealer  *plan.Dealer // nil until a load arrives
	unsent  unit.Work    // by the events and acts of this system

	timeline timeline
	forecast forecast
	began    unit.Time // when the load arrived
	last     unit.Time // when the latest chunk was done
	finished bool
}

// forecast is the plan's prediction when the load arrived.
type forecast struct {
	algorithm string
	policy    string
	rounds    int     // 0 if nothing was planned
	predicted float64 // seconds, by the algorithm's own formula
	planned   float64 // seconds, by playing it on the stated platform
}

// account is the master's record of a worker.
type account struct {
	expected unit.Work // by the forecast
	received unit.Work
	started  unit.Time // the chunk under way
	busy     unit.Time // latencies counted
}

// New makes the system; it implements system.Factory.
func New(env system.Env, raw json.RawMessage) (system.System, error) {
	s := Default()
	if err := system.Decode(raw, &s); err != nil {
		return nil, err
	}
	return &master{env: env, settings: s}, nil
}

// On implements system.System: it records the event and sends the next chunk if the port is free. Events
// of nodes outside the platform are ignored.
func (m *master) On(e cluster.Event) error {
	if e.Kind == cluster.LoadArrived {
		m.keep(e)
		return m.arrive(e)
	}
	i := m.worker(e.Node)
	if i < 0 {
		return nil
	}
	m.keep(e)
	s, a := &m.states[i], &m.account[i]
	switch e.Kind {
	case cluster.ChunkReceived:
		a.received += unit.Work(e.Amount)
	case cluster.ChunkStarted:
		a.started = e.At
		return nil
	case cluster.ChunkDone:
		a.busy += e.At - a.started
		s.Chunks--
		s.Since = e.At.Seconds()
		m.done(e)
	case cluster.ChunkLost:
		m.lost(e, s, a)
		return nil // NodeDown follows when all of the node's chunks were reported
	case cluster.NodeDown:
		s.Up = false
	case cluster.NodeUp:
		s.Up, s.Since = true, e.At.Seconds()
	default:
		return nil
	}
	return m.feed()
}

// worker returns the number of a node in the platform, or -1.
func (m *master) worker(n unit.NodeID) int {
	if n < 0 || int(n) >= len(m.number) {
		return -1
	}
	return int(m.number[n]) - 1
}

// arrive plans the first load that arrives. A later load is added to the dealer, which deals it out
// after the plan. An empty load is ignored.
func (m *master) arrive(e cluster.Event) error {
	load := unit.Work(e.Amount)
	if load == 0 {
		return nil
	}
	m.unsent += load
	m.finished = false
	if m.dealer != nil {
		m.dealer.Return(load.Float())
		return m.feed()
	}
	m.began = e.At
	p := m.platform()
	method, err := m.decide(p, load.Float())
	if err != nil {
		return err
	}
	if m.dealer, err = plan.Deal(p, load.Float(), method); err != nil {
		return err
	}
	m.note(notePlanned, unit.NoNode, 0, load.Float())
	return m.feed()
}

// platform describes the workers by their stated rates, without their rate errors, and numbers the nodes
// that are workers: m.number is one more than the index in the platform, 0 for other nodes. It is called
// once, for the first load.
func (m *master) platform() (p plan.Platform) {
	v, now := m.env.View, m.env.Clock.Now().Seconds()
	m.number = make([]int32, v.Nodes())
	for n := range m.number {
		w, is := v.Worker(unit.NodeID(n))
		if !is {
			continue
		}
		m.nodes = append(m.nodes, unit.NodeID(n))
		m.number[n] = int32(len(m.nodes))
		m.states = append(m.states, plan.WorkerState{Up: v.Up(unit.NodeID(n)), Since: now})
		p.Workers = append(p.Workers, plan.Worker{
			Speed: w.Speed.Float(), Bandwidth: w.Bandwidth.Float(), CompLatency: w.CompLatency.Seconds(),
			CommLatency: w.CommLatency.Seconds(),
		})
	}
	m.account = make([]account, len(m.nodes))
	return p
}

// decide returns the method of the settings for the first load, and records the forecast: the makespan
// and each worker's share without errors and failures.
func (m *master) decide(p plan.Platform, load float64) (plan.Method, error) {
	if m.settings.Adapt != "fixed" {
		method := plan.Factoring()
		if m.settings.Adapt == "guided" {
			method = plan.Guided()
		}
		played, err := plan.Play(p, load, method, plan.Reality{})
		m.forecast = forecast{algorithm: m.settings.Adapt, predicted: played.Makespan, planned: played.Makespan}
		for i, done := range played.Done {
			m.account[i].expected = unit.WorkOf(done)
		}
		return method, err
	}
	r, err := plan.Plan(p, load, m.settings.Algorithm, plan.Options{Rounds: m.settings.Rounds})
	if err != nil {
		return plan.Method{}, err
	}
	m.forecast = forecast{
		algorithm: r.Algorithm, policy: r.Policy, rounds: r.Rounds, predicted: r.Predicted,
		planned: r.Makespan,
	}
	for _, row := range r.Chunks {
		for k, x := range row {
			m.account[r.Order[k]].expected += unit.WorkOf(x)
		}
	}
	return plan.Fixed(r.Order, r.Chunks), m.intend(p, r)
}

// feed puts the next chunk on the port, if it is free and there is one. Chunks are whole millionths
// of a work unit; the last one handed out includes the rounding error.
func (m *master) feed() error {
	for m.unsent > 0 && m.dealer != nil && !m.env.View.Sending() {
		i, amount, round, ok := m.dealer.Next(m.states)
		if !ok {
			return nil
		}
		chunk := min(max(1, unit.WorkOf(amount)), m.unsent)
		if m.dealer.Empty() {
			chunk = m.unsent
		}
		switch err := m.env.Acts.Send(m.nodes[i], chunk); {
		case errors.Is(err, cluster.ErrDown): // and its event is yet to come
			m.states[i].Up = false
			m.dealer.Return(chunk.Float())
		case err != nil:
			return fmt.Errorf("sending %v work units to node %d: %w", chunk.Float(), m.nodes[i], err)
		default:
			m.unsent -= chunk
			m.states[i].Chunks++
			m.states[i].Since = m.env.Clock.Now().Seconds()
			m.timeline.round = uint32(round + 1)
			m.note(noteSent, m.nodes[i], uint32(round+1), chunk.Float())
		}
	}
	return nil
}

func (m *master) done(e cluster.Event) {
	m.last = e.At
	if w := m.env.View.Totals().Work; w.Done == w.Arrived {
		m.finished = true
		m.note(noteFinished, unit.NoNode, 0, (e.At - m.began).Seconds())
	}
}

// lost takes a chunk back that a worker had when it went down.
func (m *master) lost(e cluster.Event, s *plan.WorkerState, a *account) {
	if e.Detail == cluster.UnderWay {
		a.busy += e.At - a.started
	}
	if e.Detail != cluster.OnPort {
		a.received -= unit.Work(e.Amount)
	}
	s.Up = false
	s.Chunks--
	m.unsent += unit.Work(e.Amount)
	m.dealer.Return(unit.Work(e.Amount).Float())
	m.note(noteLost, e.Node, 0, unit.Work(e.Amount).Float())
}
