package rounds

import (
	"fmt"

	"parley/core/frame"
	"parley/core/system"
	"parley/core/unit"
)

// The kinds of Note, which NoteKinds describes.
const (
	notePlanned uint8 = iota
	noteSent
	noteLost
	noteFinished
)

// NoteKinds implements system.NoteDescriber.
func (*master) NoteKinds() []system.NoteKind {
	return []system.NoteKind{
		notePlanned: {ID: "planned", About: "the load is planned", Fields: []string{"value: the load in work units"}},
		noteSent: {
			ID: "sent", About: "the master sends a chunk",
			Fields: []string{
				"ref: the round, from 1; left out if the chunk was not planned", "node: the worker",
				"value: its work units",
			},
		},
		noteLost: {
			ID: "lost", About: "a worker fails with a chunk",
			Fields: []string{"node: the worker", "value: its work units"},
		},
		noteFinished: {ID: "finished", About: "all work is done", Fields: []string{"value: the makespan in seconds"}},
	}
}

func (m *master) note(kind uint8, n unit.NodeID, ref uint32, value float64) {
	if m.env.Note != nil {
		m.env.Note(system.Note{At: m.env.Clock.Now(), Kind: kind, Node: n, Other: unit.NoNode, Ref: ref, Value: value})
	}
}

// FormatNote implements system.NoteFormatter.
func (m *master) FormatNote(n system.Note) string {
	switch {
	case n.Kind == notePlanned && m.forecast.rounds > 0:
		return fmt.Sprintf("%s plans %s in %s for %s: %s", m.forecast.algorithm, system.Count(n.Value, "work unit"),
			system.Count(float64(m.forecast.rounds), "round"), system.Count(float64(len(m.nodes)), "worker"),
			system.Span(m.forecast.planned))
	case n.Kind == notePlanned:
		return fmt.Sprintf("%s shares %s among %s on demand: %s if all speeds are as stated", m.forecast.algorithm,
			system.Count(n.Value, "work unit"), system.Count(float64(len(m.nodes)), "worker"),
			system.Span(m.forecast.planned))
	case n.Kind == noteSent && n.Ref > 0:
		return fmt.Sprintf("Master sends %s to node %d in round %d", system.Count(n.Value, "work unit"), n.Node, n.Ref)
	case n.Kind == noteSent:
		return fmt.Sprintf("Master sends %s to node %d on demand", system.Count(n.Value, "work unit"), n.Node)
	case n.Kind == noteLost:
		return fmt.Sprintf("Node %d lost %s; the master must resend them", n.Node, system.Count(n.Value, "work unit"))
	}
	return fmt.Sprintf("All work is done after %s (planned: %s)", system.Span(n.Value), system.Span(m.forecast.planned))
}

// Report implements system.Reporter; reported describes its figures. The chunk that a worker is
// computing counts as busy time up to now.
func (m *master) Report() map[string]any {
	work := m.env.View.Totals().Work
	out := map[string]any{
		"algorithm": m.forecast.algorithm, "policy": m.forecast.policy, "rounds": m.forecast.rounds,
		"makespan_s": nil, "makespan_predicted_s": m.forecast.predicted, "makespan_planned_s": m.forecast.planned,
		"load": work.Arrived.Float(), "load_done": work.Done.Float(), "load_lost": work.Lost.Float(),
		"chunks": work.Chunks,
	}
	now, workers, busy := m.env.Clock.Now(), 0, unit.Time(0)
	span := now - m.began
	if m.finished {
		span = m.last - m.began
		out["makespan_s"] = span.Seconds()
	}
	for i, a := range m.account {
		if c := m.env.View.Chunks(m.nodes[i]); c.Queued > 0 {
			a.busy += now - a.started // of this copy: the account itself counts the chunk when it ends
		}
		if a.busy > 0 {
			workers++
			busy += a.busy
		}
	}
	out["workers"], out["idle_pct"] = workers, 0.0
	if workers > 0 && span > 0 {
		out["idle_pct"] = 100 * (1 - busy.Seconds()/(span.Seconds()*float64(workers)))
	}
	return out
}

// Warnings implements system.WarningSource.
func (m *master) Warnings() []string {
	if m.dealer != nil {
		return nil
	}
	return []string{"no divisible load arrived, so there was nothing to send: leave the trace out, or give a load in workload.system"}
}

// Measure implements system.MetricSource.
func (m *master) Measure(values []float64) {
	busy := 0
	for _, n := range m.nodes {
		if m.env.View.Chunks(n).Queued > 0 {
			busy++
		}
	}
	work := m.env.View.Totals().Work
	values[0], values[1], values[2] = 100*float64(busy)/float64(max(len(m.nodes), 1)), m.unsent.Float(),
		(work.Arrived - work.Done).Float()
}

// The values of the layer "work".
const (
	idle byte = iota
	receiving
	computing
	both
	done
	down
)

// FillLayer implements system.LayerSource.
func (m *master) FillLayer(i int, cells []byte) {
	for n := range cells {
		if id := unit.NodeID(n); i == 0 {
			cells[n] = m.state(id)
		} else {
			cells[n] = m.share(id)
		}
	}
}

// state returns the cell of a node on the map of activities. A node is done if it is idle and all load
// has been sent.
func (m *master) state(n unit.NodeID) byte {
	v := m.env.View
	c := v.Chunks(n)
	switch {
	case !v.Up(n):
		return down
	case c.Queued > 0 && c.Receiving:
		return both
	case c.Queued > 0:
		return computing
	case c.Receiving:
		return receiving
	case m.dealer != nil && m.unsent == 0:
		return done
	}
	return idle
}

// share is the part of its planned work that a node has received.
func (m *master) share(n unit.NodeID) byte {
	i := m.worker(n)
	if i < 0 || m.account[i].received <= 0 {
		return 0
	}
	a := &m.account[i]
	return byte(min(255, frame.FullScale*a.received.Float()/max(a.expected, 1).Float()))
}
