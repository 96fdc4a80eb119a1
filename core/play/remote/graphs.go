package remote

import (
	"slices"
	"time"

	"parley/core/message"
)

// drawn is a task graph that the page looks at.
type drawn struct {
	number uint32  // 0 if none
	shaped bool    // its shape was sent
	agents []int32 // as they were sent
	at     time.Duration
}

const (
	listedGraphs = 60          // those that arrived first
	graphEvery   = time.Second // a picture may have 100,000 subtasks
)

// tellGraphs posts the graphs in work when they have changed.
func (r *Remote) tellGraphs() {
	if now, rest := r.player.Run().Graphs(listedGraphs); !slices.Equal(now, r.out.graphs) {
		r.out.graphs = now
		r.host.Post(Graphs{Graphs: now, Rest: rest})
	}
}

// tellGraph posts the picture of the graph that the page looks at when it has changed; always
// even if the one before was posted a moment ago, because the run may stand from now on.
func (r *Remote) tellGraph(always bool) {
	g, t := &r.out.graph, r.host.Clock()
	if g.number == 0 || r.player.Run() == nil || g.shaped && !always && t-g.at < graphEvery {
		return
	}
	g.at = t
	p, known := r.player.Run().Graph(g.number)
	if g.shaped && known && slices.Equal(p.Agents, g.agents) {
		return
	}
	out := message.GraphPicture{
		Number: g.number, Over: !known, Shape: !g.shaped && known,
		Agents: message.Int32s(p.Agents),
	}
	if !out.Shape {
		p.Depth, p.From, p.To = nil, nil, nil
	}
	out.Depth, out.From, out.To = message.Int32s(p.Depth), message.Int32s(p.From), message.Int32s(p.To)
	g.shaped, g.agents = known, p.Agents
	if !known {
		g.number = 0
	}
	r.host.Post(out)
}
