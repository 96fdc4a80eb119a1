package events

import (
	"strconv"

	"parley/core/cluster"
	"parley/core/workload"
)

// loggedGraph is a graph, kept for later events.
type loggedGraph struct {
	key workload.Key
	workload.Graph
}

// places are the former places of lost or interrupted work, by Event.Detail.
var places = [...]string{"port", "queue", "worker", "store"}

// worker writes how a node computes and sends, if it does.
func (l *Log) worker(e *cluster.Event) {
	w, is := l.view.Worker(e.Node)
	if !is {
		return
	}
	if w.Speeds == nil {
		l.float("speed", w.Speed.Float())
	} else {
		l.name("speeds")
		l.line = append(l.line, '[')
		for i, s := range w.Speeds {
			l.line = strconv.AppendFloat(l.comma(i), s.Float(), 'g', -1, 64)
		}
		l.line = append(l.line, ']')
	}
	if w.Bandwidth > 1 {
		l.float("bandwidth", w.Bandwidth.Float())
	}
	l.number("channel", int64(w.Channel))
	l.number("compute_latency_us", int64(w.CompLatency))
	l.number("send_latency_us", int64(w.CommLatency))
}

// arrived writes the size of a graph and its user's wishes.
func (l *Log) arrived(e *cluster.Event) {
	g := &l.works[e.Graph().Slot()]
	l.number("subtasks", int64(g.Len()))
	l.number("arcs", int64(g.Arcs()))
	l.number("user", int64(g.User))
	if g.Deadline > 0 {
		l.number("deadline_us", int64(e.At+g.Deadline))
	}
	if g.Bonus != 0 {
		l.float("bonus", g.Bonus.Float())
	}
	l.shape(g.Subtasks)
}

// shape writes the subtasks and arcs of a graph, so that a checker needs no more
// than the log.
func (l *Log) shape(s *workload.Subtasks) {
	l.name("work")
	l.line = append(l.line, '[')
	for v := range s.Len() {
		l.line = strconv.AppendFloat(l.comma(v), s.Subtask(int32(v)).Work.Float(), 'g', -1, 64)
	}
	l.line = append(l.line, ']')
	l.name("types")
	l.line = append(l.line, '[')
	for v := range s.Len() {
		l.line = strconv.AppendInt(l.comma(v), int64(s.Subtask(int32(v)).Type), 10)
	}
	l.line = append(l.line, ']')
	l.name("from_to_bytes")
	l.line = append(l.line, '[')
	for i := range s.Arcs() {
		a := s.Arc(int32(i))
		l.line = append(l.comma(i), '[')
		l.line = strconv.AppendInt(l.line, int64(a.From), 10)
		l.line = strconv.AppendInt(append(l.line, ','), int64(a.To), 10)
		l.line = strconv.AppendInt(append(l.line, ','), int64(a.Bytes), 10)
		l.line = append(l.line, ']')
	}
	l.line = append(l.line, ']')
}

// comma returns the line with the separator before the i-th element of a list.
func (l *Log) comma(i int) []byte {
	if i > 0 {
		l.line = append(l.line, ',')
	}
	return l.line
}

// subtask writes an event's subtask of its graph.
func (l *Log) subtask(e *cluster.Event) {
	l.number("subtask", int64(e.Subtask()))
	l.text("name", l.works[e.Graph().Slot()].Name(e.Subtask()))
}
