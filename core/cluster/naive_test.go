package cluster_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/unit"
	"parley/core/workload"
)

// naive is the work model written down plainly: everything is looked for again at
// every moment. It knows the definitions that README and comments give, and nothing
// of how package cluster keeps them.
type naive struct {
	now       unit.Time
	free      bool // of contention
	nodes     []naiveNode
	graphs    map[unit.GraphID]*naiveGraph
	order     []unit.GraphID
	transfers []*naiveTransfer // in the order in which they were asked for
}

type naiveNode struct {
	workload.Worker
	up, busy bool
	ends     unit.Time
	queue    []naivePiece
}

type naivePiece struct {
	graph unit.GraphID
	v     int32
}

type naiveGraph struct {
	workload.Graph
	state []cluster.SubtaskState
	node  []unit.NodeID
	at    []unit.NodeID // by arc: where it was delivered
	home  []bool
}

type naiveTransfer struct {
	graph    unit.GraphID
	arc      int32
	from, to unit.NodeID
	port     unit.NodeID // NoNode: it needs none
	moving   bool
	ends     unit.Time
}

func (m *naive) submit(id unit.GraphID, g *workload.Graph) {
	x := &naiveGraph{Graph: *g, state: make([]cluster.SubtaskState, g.Len()), node: slices.Repeat([]unit.NodeID{unit.NoNode}, g.Len()), at: slices.Repeat([]unit.NodeID{unit.NoNode}, g.Arcs()), home: make([]bool, g.Arcs())}
	for a := range x.home {
		x.home[a] = g.Arc(int32(a)).From == workload.Home
	}
	m.graphs[id] = x
	m.order = append(m.order, id)
}

// made returns the node that made what an arc carries and still has it.
func (g *naiveGraph) made(a int32) unit.NodeID {
	if from := g.Arc(a).From; from != workload.Home && g.state[from] == cluster.SubtaskDone {
		return g.node[from]
	}
	return unit.NoNode
}

func (g *naiveGraph) lies(a int32, n unit.NodeID) bool { return g.at[a] == n || g.made(a) == n }

func (g *naiveGraph) onNode(v int32) bool {
	return v != workload.Home && (g.state[v] == cluster.SubtaskQueued || g.state[v] == cluster.SubtaskComputing)
}

func (m *naive) known(n unit.NodeID) bool { return n >= 0 && int(n) < len(m.nodes) }

func (m *naive) assign(id unit.GraphID, v int32, n unit.NodeID) error {
	g := m.graphs[id]
	switch {
	case g == nil || v < 0 || int(v) >= g.Len():
		return cluster.ErrGone
	case g.state[v] != cluster.SubtaskWaiting:
		return cluster.ErrState
	case !m.known(n) || m.nodes[n].SpeedFor(g.Subtask(v).Type) <= 0:
		return cluster.ErrNoWorker
	case !m.nodes[n].up:
		return cluster.ErrDown
	}
	g.state[v], g.node[v] = cluster.SubtaskQueued, n
	m.nodes[n].queue = append(m.nodes[n].queue, naivePiece{id, v})
	m.settle()
	return nil
}

// off takes a subtask off its node.
func (m *naive) off(id unit.GraphID, v int32) {
	g := m.graphs[id]
	n := &m.nodes[g.node[v]]
	if n.busy && n.queue[0] == (naivePiece{id, v}) {
		n.busy = false
	}
	n.queue = slices.DeleteFunc(n.queue, func(p naivePiece) bool { return p == naivePiece{id, v} })
	g.state[v], g.node[v] = cluster.SubtaskWaiting, unit.NoNode
}

func (m *naive) withdraw(id unit.GraphID, v int32) error {
	g := m.graphs[id]
	switch {
	case g == nil || v < 0 || int(v) >= g.Len():
		return cluster.ErrGone
	case !g.onNode(v):
		return cluster.ErrState
	}
	m.off(id, v)
	m.settle()
	return nil
}

func (m *naive) transfer(id unit.GraphID, a int32, to unit.NodeID) error {
	g := m.graphs[id]
	if g == nil || a < 0 || int(a) >= g.Arcs() {
		return cluster.ErrGone
	}
	if to != unit.NoNode && !m.known(to) {
		return cluster.ErrNoWorker
	}
	if to != unit.NoNode && !m.nodes[to].up {
		return cluster.ErrDown
	}
	if m.under(id, a) != nil {
		return cluster.ErrBusy
	}
	from := g.made(a)
	if from == unit.NoNode {
		from = g.at[a]
	}
	v := g.Arc(a).To
	switch {
	case from == unit.NoNode && !g.home[a]:
		return cluster.ErrNoResult
	case to == unit.NoNode && g.home[a], to != unit.NoNode && g.lies(a, to):
		return cluster.ErrThere
	case to != unit.NoNode && g.onNode(v) && g.node[v] != to:
		return cluster.ErrState
	}
	x := &naiveTransfer{graph: id, arc: a, from: from, to: to, port: unit.NoNode}
	if g.Arc(a).Bytes > 0 && !m.free {
		x.port = x.carrier()
	}
	m.transfers = append(m.transfers, x)
	m.settle()
	return nil
}

func (x *naiveTransfer) carrier() unit.NodeID {
	if x.from == unit.NoNode {
		return x.to
	}
	return x.from
}

func (m *naive) under(id unit.GraphID, a int32) *naiveTransfer {
	for _, x := range m.transfers {
		if x.graph == id && x.arc == a {
			return x
		}
	}
	return nil
}

func (m *naive) stop(id unit.GraphID, a int32) error {
	g := m.graphs[id]
	if g == nil || a < 0 || int(a) >= g.Arcs() {
		return cluster.ErrGone
	}
	x := m.under(id, a)
	if x == nil {
		return cluster.ErrState
	}
	m.without(func(one *naiveTransfer) bool { return one == x })
	m.settle()
	return nil
}

func (m *naive) without(which func(*naiveTransfer) bool) {
	m.transfers = slices.DeleteFunc(m.transfers, which)
}

func (m *naive) end(id unit.GraphID) error {
	g := m.graphs[id]
	if g == nil {
		return cluster.ErrGone
	}
	for v := range int32(g.Len()) {
		if g.onNode(v) {
			m.off(id, v)
		}
	}
	m.without(func(x *naiveTransfer) bool { return x.graph == id })
	delete(m.graphs, id)
	m.settle()
	return nil
}

func (m *naive) leave(n unit.NodeID) {
	if !m.known(n) || !m.nodes[n].up {
		return
	}
	for _, p := range slices.Clone(m.nodes[n].queue) {
		m.off(p.graph, p.v)
	}
	m.nodes[n].up = false
	m.without(func(x *naiveTransfer) bool { return x.from == n || x.to == n })
	for _, g := range m.graphs {
		for v := range g.state {
			if g.state[v] == cluster.SubtaskDone && g.node[v] == n {
				g.node[v] = unit.NoNode
			}
		}
		for a := range g.at {
			if g.at[a] == n {
				g.at[a] = unit.NoNode
			}
		}
		for again := true; again; {
			again = false
			for a := range int32(g.Arcs()) {
				from, to := g.Arc(a).From, g.Arc(a).To
				if from == workload.Home || g.state[from] != cluster.SubtaskDone || g.node[from] != unit.NoNode || g.home[a] || g.at[a] != unit.NoNode {
					continue
				}
				if to == workload.Home || g.state[to] != cluster.SubtaskDone {
					g.state[from], again = cluster.SubtaskWaiting, true
				}
			}
		}
	}
	m.settle()
}

// settle begins what can begin now, and ends graphs that are done.
func (m *naive) settle() {
	for changed := true; changed; {
		changed = false
		for i := range m.nodes {
			n := &m.nodes[i]
			if !n.up || n.busy || len(n.queue) == 0 {
				continue
			}
			g, v := m.graphs[n.queue[0].graph], n.queue[0].v
			if slices.ContainsFunc(g.In(v), func(a int32) bool { return !g.lies(a, unit.NodeID(i)) }) {
				continue
			}
			s := g.Subtask(v)
			g.state[v], n.busy, changed = cluster.SubtaskComputing, true, true
			n.ends = m.now + n.CompLatency + took(int64(s.Work), int64(n.SpeedFor(s.Type)))
		}
		ports := map[unit.NodeID]bool{}
		for _, x := range m.transfers {
			ports[x.port] = ports[x.port] || x.moving && x.port != unit.NoNode
		}
		for _, x := range m.transfers {
			if !x.moving && !ports[x.port] {
				n := &m.nodes[x.carrier()]
				x.moving, changed, ports[x.port] = true, true, x.port != unit.NoNode
				x.ends = m.now + n.CommLatency + took(int64(m.graphs[x.graph].Arc(x.arc).Bytes), int64(n.Channel))
			}
		}
		for _, id := range m.order {
			g := m.graphs[id]
			if g == nil || slices.ContainsFunc(g.state, func(s cluster.SubtaskState) bool { return s != cluster.SubtaskDone }) || slices.ContainsFunc(g.In(workload.Home), func(a int32) bool { return !g.home[a] }) {
				continue
			}
			_ = m.end(id)
			changed = true
		}
	}
}

// took is how long an amount lasts at a rate, to the nearest microsecond.
func took(amount, rate int64) unit.Time {
	if rate == 0 {
		return 0
	}
	return unit.Time((amount*int64(unit.Second) + rate/2) / rate)
}

// pass lets everything happen that happens before a moment.
func (m *naive) pass(until unit.Time) {
	for {
		next := unit.Forever
		for i := range m.nodes {
			if m.nodes[i].busy {
				next = min(next, m.nodes[i].ends)
			}
		}
		for _, x := range m.transfers {
			if x.moving {
				next = min(next, x.ends)
			}
		}
		if next >= until {
			m.now = until
			return
		}
		m.now = next
		for i := range m.nodes {
			if n := &m.nodes[i]; n.busy && n.ends == next {
				p := n.queue[0]
				n.busy, n.queue = false, n.queue[1:]
				m.graphs[p.graph].state[p.v] = cluster.SubtaskDone
			}
		}
		for _, x := range slices.Clone(m.transfers) {
			if x.moving && x.ends == next {
				m.arrive(x)
			}
		}
		m.settle()
	}
}

func (m *naive) arrive(x *naiveTransfer) {
	m.without(func(one *naiveTransfer) bool { return one == x })
	g := m.graphs[x.graph]
	v := g.Arc(x.arc).To
	switch {
	case x.to == unit.NoNode:
		g.home[x.arc] = true
	case g.lies(x.arc, x.to), g.onNode(v) && g.at[x.arc] != unit.NoNode && g.node[v] == g.at[x.arc]:
	default:
		g.at[x.arc] = x.to
	}
}

// picture writes down everything that both sides know.
func (m *naive) picture() string {
	var b strings.Builder
	for _, id := range m.order {
		g := m.graphs[id]
		if g == nil {
			continue
		}
		fmt.Fprintf(&b, "graph %x:", id)
		for v := range g.state {
			fmt.Fprintf(&b, " %v@%d", g.state[v], g.node[v])
		}
		for a := range int32(g.Arcs()) {
			x := m.under(id, a)
			from, to := unit.NoNode, unit.NoNode
			if x != nil {
				from, to = x.from, x.to
			}
			fmt.Fprintf(&b, " %d:%d,%d,%v,%v,%d>%d", a, g.made(a), g.at[a], g.home[a], x != nil, from, to)
		}
		b.WriteString("\n")
	}
	for i := range m.nodes {
		fmt.Fprintf(&b, "node %d %v %v\n", i, m.nodes[i].busy, m.nodes[i].queue)
	}
	return b.String()
}

func (m *naive) real(v cluster.View) string {
	var b strings.Builder
	for _, id := range m.order {
		g, alive := v.Graph(id)
		if !alive {
			continue
		}
		fmt.Fprintf(&b, "graph %x:", id)
		for n := range int32(g.Len()) {
			s, _ := v.Subtask(id, n)
			fmt.Fprintf(&b, " %v@%d", s.State, s.Node)
		}
		for a := range int32(g.Arcs()) {
			r, _ := v.Result(id, a)
			fmt.Fprintf(&b, " %d:%d,%d,%v,%v,%d>%d", a, r.Made, r.Delivered, r.Home, r.Moving, r.From, r.To)
		}
		b.WriteString("\n")
	}
	for n := range unit.NodeID(v.Nodes()) {
		busy, _, _ := v.Computing(n)
		queue := []naivePiece{}
		for g, s := range v.Queue(n) {
			queue = append(queue, naivePiece{g, s})
		}
		fmt.Fprintf(&b, "node %d %v %v\n", n, busy, queue)
	}
	return b.String()
}

// TestWorkAgainstNaive: whatever is done and whoever fails, the cluster answers and
// stands as the naive model does, at every moment.
func TestWorkAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kernel, settings := des.New(), cluster.Default()
		m := &naive{graphs: map[unit.GraphID]*naiveGraph{}, free: rapid.Bool().Draw(t, "free")}
		if m.free {
			settings.Transfers = cluster.ContentionFree
		}
		c := cluster.New(settings, kernel)
		for i := range uint64(3) {
			speed := rapid.Map(rapid.IntRange(0, 3), func(i int) unit.Work { return unit.Work(i) * unit.WorkUnit })
			w := workload.Worker{
				Speed: unit.WorkUnit, Bandwidth: 1, Speeds: rapid.SliceOfN(speed, 3, 3).Draw(t, "speeds"), Channel: unit.Bytes(rapid.SampledFrom([]int{0, 300, 1000}).Draw(t, "channel")),
				CompLatency: unit.Time(rapid.IntRange(0, 1).Draw(t, "comp")) * unit.Second, CommLatency: unit.Time(rapid.IntRange(0, 1).Draw(t, "comm")) * unit.Second,
			}
			c.Join(i, workload.Node{Capacity: unit.Vec{unit.CPU: unit.Whole}, Rack: -1, Site: -1, Worker: &w})
			m.nodes = append(m.nodes, naiveNode{Worker: w, up: true})
		}
		same := func(act string, got, want error) {
			if got != want {
				t.Fatalf("%s at %v answers %v, want %v\n%s", act, m.now, got, want, m.picture())
			}
			if got, want := m.real(c.View()), m.picture(); got != want {
				t.Fatalf("after %s at %v it stands\n%s\nand should\n%s", act, m.now, got, want)
			}
		}
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			n := unit.NodeID(rapid.IntRange(-1, 3).Draw(t, "node"))
			g := unit.GraphID(0)
			if len(m.order) > 0 {
				g = rapid.SampledFrom(m.order).Draw(t, "graph")
			}
			number := int32(rapid.IntRange(-1, 9).Draw(t, "number"))
			switch rapid.SampledFrom([]string{"submit", "assign", "assign", "assign", "assign", "transfer", "transfer", "transfer", "spread", "spread", "supply", "supply", "supply", "copy", "stop", "withdraw", "pass", "pass", "pass", "pass", "leave", "restore", "restore", "end"}).Draw(t, "act") {
			case "submit":
				one := drawGraph(t)
				one.Deadline = 0
				id, err := c.SubmitGraph(workload.Key{}, one)
				m.submit(id, one)
				same("submit", err, nil)
			case "assign":
				same("assign", c.Assign(g, number, n), m.assign(g, number, n))
			case "transfer":
				same("transfer", c.Transfer(g, number, n), m.transfer(g, number, n))
			case "spread": // what waits of a graph
				if one := m.graphs[g]; one != nil {
					for v := range int32(one.Len()) {
						at := unit.NodeID(rapid.IntRange(0, 2).Draw(t, "at"))
						same("assign", c.Assign(g, v, at), m.assign(g, v, at))
					}
				}
			case "supply", "copy": // what is needed of a graph's results to where it is, or anywhere
				if one := m.graphs[g]; one != nil {
					for a := range int32(one.Arcs()) {
						to, v := n, one.Arc(a).To
						if v == workload.Home {
							to = unit.NoNode
						} else if one.onNode(v) && number > 0 {
							to = one.node[v]
						}
						same("transfer", c.Transfer(g, a, to), m.transfer(g, a, to))
					}
				}
			case "stop":
				same("stop", c.StopTransfer(g, number), m.stop(g, number))
			case "withdraw":
				same("withdraw", c.Withdraw(g, number), m.withdraw(g, number))
			case "end":
				same("abort", c.Abort(g), m.end(g))
			case "leave":
				c.Leave(n)
				m.leave(n)
				same("leave", nil, nil)
			case "restore":
				c.Restore(n)
				if m.known(n) {
					m.nodes[n].up = true
				}
				same("restore", nil, nil)
			case "pass":
				until := m.now + unit.Time(rapid.IntRange(0, 3000).Draw(t, "time"))*unit.Millisecond
				for kernel.Step(until) {
				}
				m.pass(until)
				same("pass", nil, nil)
			}
			if rapid.IntRange(0, 3).Draw(t, "deliver") == 0 {
				if err := c.Deliver(func(cluster.Event) error { return nil }); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := c.Audit(); err != nil {
			t.Fatal(err)
		}
	})
}
