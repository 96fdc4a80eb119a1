package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// workEvent is a line about work.
type workEvent struct {
	T                            int64
	E, Graph, Where, How         string
	Node, From, To, Subtask, Arc *int
	Subtasks, Arcs               int
	Work                         json.RawMessage // of chunks a number, of graphs a list
	Types                        []int
	FromToBytes                  [][3]int64 `json:"from_to_bytes"`
	Deadline                     *int64     `json:"deadline_us"`
	Late                         bool
	Speed                        *float64
	Speeds                       []float64
	Bandwidth                    float64
	Channel                      int64
	ComputeLatency               int64 `json:"compute_latency_us"`
	SendLatency                  int64 `json:"send_latency_us"`
}

// checkedWorker is a node that computes.
type checkedWorker struct {
	workEvent // the last that told of it
	up, busy  bool
	since     int64
	queue     []string // of subtasks, and of chunks
	moving    int      // transfers with bytes on its port
}

type checkedGraph struct {
	work     []float64
	types    []int
	arcs     [][3]int64
	deadline int64
	missed   bool
	node     []int    // by subtask: whose queue it is in; -1: none
	state    []string // "", "assigned", "started", "finished"
	lies     []map[int]bool
	began    map[int]int64 // by arc that moves
	to       map[int]int
}

// workChecker replays what a log says of work.
type workChecker struct {
	onePort bool
	exact   bool // speeds do not stray
	nodes   map[int]*checkedWorker
	graphs  map[string]*checkedGraph
	port    *workEvent // the master's
	chunks  map[int][]float64
	counts  map[string]int
	done    map[string]bool // graphs that ended
}

func checkWorkLog(log []byte, onePort, exact bool) (map[string]int, error) {
	c := &workChecker{onePort, exact, map[int]*checkedWorker{}, map[string]*checkedGraph{}, nil, map[int][]float64{}, map[string]int{}, map[string]bool{}}
	n := 0
	for line := range bytes.Lines(log) {
		n++
		var e workEvent
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		c.counts[e.E]++
		if err := c.take(&e); err != nil {
			return nil, fmt.Errorf("line %d, %s: %w", n, e.E, err)
		}
	}
	return c.counts, nil
}

func (c *workChecker) take(e *workEvent) error {
	kind, subject, _ := strings.Cut(e.E, "_")
	switch kind {
	case "node":
		return c.node(e, subject)
	case "chunk":
		return c.chunk(e, subject)
	case "graph":
		return c.graph(e, subject)
	case "subtask", "transfer":
		g := c.graphs[e.Graph]
		if g == nil {
			return fmt.Errorf("graph %s is not there", e.Graph)
		}
		if kind == "subtask" {
			return c.subtask(e, g, subject)
		}
		return c.transfer(e, g, subject)
	}
	return nil
}

func (c *workChecker) node(e *workEvent, subject string) error {
	n := c.nodes[*e.Node]
	if n == nil {
		n = &checkedWorker{}
		c.nodes[*e.Node] = n
	}
	if subject != "down" {
		n.workEvent, n.up = *e, true
		return nil
	}
	if n.busy || len(n.queue) > 0 || n.moving > 0 {
		return fmt.Errorf("it computes: %v, has %v in its queue and moves %d", n.busy, n.queue, n.moving)
	}
	n.up = false
	for name, g := range c.graphs {
		for a := range g.arcs {
			if delete(g.lies[a], *e.Node); len(g.lies[a]) > 0 {
				continue
			}
			if from, to := g.arcs[a][0], g.arcs[a][1]; from >= 0 && g.state[from] == "finished" && (to < 0 || g.state[to] != "finished") {
				return fmt.Errorf("graph %s: what arc %d carries is needed and lies nowhere, but its subtask is finished", name, a)
			}
		}
	}
	return nil
}

// speed returns how fast a node does a type, 0 where it cannot.
func (n *checkedWorker) speed(kind int) float64 {
	switch {
	case n.Speed != nil:
		return *n.Speed
	case kind < len(n.Speeds):
		return n.Speeds[kind]
	}
	return 0
}

// lasts compares a time that something took with what it should.
func (c *workChecker) lasts(took, latency int64, amount, rate float64) error {
	want := float64(latency)
	if rate > 0 {
		want += 1e6 * amount / rate
	}
	if c.exact && math.Abs(float64(took)-want) > 1+1e-9*want {
		return fmt.Errorf("it took %d µs and not %.0f", took, want)
	}
	return nil
}

func (c *workChecker) chunk(e *workEvent, subject string) error {
	var amount float64
	if err := json.Unmarshal(e.Work, &amount); err != nil {
		return err
	}
	n := c.nodes[*e.Node]
	switch subject {
	case "sent":
		if c.port != nil || !n.up {
			return fmt.Errorf("the port is busy, or node %d down", *e.Node)
		}
		c.port = e
	case "received":
		if c.port == nil || *c.port.Node != *e.Node {
			return fmt.Errorf("nothing was sent to node %d", *e.Node)
		}
		took := e.T - c.port.T
		c.port = nil
		c.chunks[*e.Node] = append(c.chunks[*e.Node], amount)
		return c.lasts(took, n.SendLatency, amount, n.Bandwidth)
	case "started":
		if n.busy || len(c.chunks[*e.Node]) == 0 || c.chunks[*e.Node][0] != amount {
			return fmt.Errorf("node %d computes already, or something else is first", *e.Node)
		}
		n.busy, n.since = true, e.T
	case "done":
		if !n.busy || len(c.chunks[*e.Node]) == 0 {
			return fmt.Errorf("node %d computes nothing", *e.Node)
		}
		n.busy, c.chunks[*e.Node] = false, c.chunks[*e.Node][1:]
		return c.lasts(e.T-n.since, n.ComputeLatency, amount, n.speed(0))
	case "lost":
		if e.Where == "port" {
			c.port = nil
			return nil
		}
		if len(c.chunks[*e.Node]) == 0 {
			return fmt.Errorf("node %d has no chunk", *e.Node)
		}
		n.busy, c.chunks[*e.Node] = n.busy && e.Where != "worker", c.chunks[*e.Node][1:]
	}
	return nil
}

func (c *workChecker) graph(e *workEvent, subject string) error {
	g := c.graphs[e.Graph]
	if (subject == "arrived") != (g == nil) || c.done[e.Graph] {
		return fmt.Errorf("graph %s, there before: %v", e.Graph, g != nil || c.done[e.Graph])
	}
	switch subject {
	case "arrived":
		g = &checkedGraph{types: e.Types, arcs: e.FromToBytes, deadline: math.MaxInt64, state: make([]string, e.Subtasks), began: map[int]int64{}, to: map[int]int{}}
		if err := json.Unmarshal(e.Work, &g.work); err != nil {
			return err
		}
		if e.Deadline != nil {
			g.deadline = *e.Deadline
		}
		g.node = slices.Repeat([]int{-1}, e.Subtasks)
		for _, a := range g.arcs {
			g.lies = append(g.lies, map[int]bool{})
			if a[0] < 0 {
				g.lies[len(g.lies)-1][-1] = true
			}
		}
		if len(g.work) != e.Subtasks || len(g.types) != e.Subtasks || len(g.arcs) != e.Arcs {
			return fmt.Errorf("graph %s has other numbers of subtasks and arcs than it says", e.Graph)
		}
		c.graphs[e.Graph] = g
		return nil
	case "missed":
		if g.missed || e.T <= g.deadline {
			return fmt.Errorf("its deadline is at %d, and was missed before: %v", g.deadline, g.missed)
		}
		g.missed = true
		return nil
	case "done":
		for v, s := range g.state {
			if s != "finished" {
				return fmt.Errorf("subtask %d is %q", v, s)
			}
		}
		for i, a := range g.arcs {
			if a[1] < 0 && !g.lies[i][-1] {
				return fmt.Errorf("the result of arc %d is not at home", i)
			}
		}
		if e.Late != (e.T > g.deadline) || e.Late != g.missed {
			return fmt.Errorf("late: %v, at %d with a deadline at %d", e.Late, e.T, g.deadline)
		}
	}
	for v, n := range g.node {
		if n >= 0 && g.state[v] != "finished" || len(g.began) > 0 {
			return fmt.Errorf("subtask %d is still on node %d, %d transfers are under way", v, n, len(g.began))
		}
	}
	delete(c.graphs, e.Graph)
	c.done[e.Graph] = true
	return nil
}

func (c *workChecker) subtask(e *workEvent, g *checkedGraph, subject string) error {
	v := *e.Subtask
	n, name := c.nodes[*e.Node], fmt.Sprint(e.Graph, "/", v)
	order := map[string][2]string{"assigned": {"", "assigned"}, "ready": {"assigned", "assigned"}, "started": {"assigned", "started"}, "finished": {"started", "finished"}}
	if step, usual := order[subject]; usual {
		if g.state[v] != step[0] || !n.up || subject != "assigned" && g.node[v] != *e.Node {
			return fmt.Errorf("subtask %s is %q on node %d; node %d is up: %v", name, g.state[v], g.node[v], *e.Node, n.up)
		}
		g.state[v], g.node[v] = step[1], *e.Node
	}
	switch subject {
	case "assigned":
		if n.speed(g.types[v]) == 0 {
			return fmt.Errorf("node %d cannot do subtask %s", *e.Node, name)
		}
		n.queue = append(n.queue, name)
	case "ready", "started":
		for a := range g.arcs {
			if g.arcs[a][1] == int64(v) && !g.lies[a][*e.Node] {
				return fmt.Errorf("subtask %s needs what arc %d carries, which is not on node %d", name, a, *e.Node)
			}
		}
		if subject == "started" {
			if n.busy || n.queue[0] != name {
				return fmt.Errorf("node %d computes: %v, and %s is the first of its queue", *e.Node, n.busy, n.queue[0])
			}
			n.busy, n.since = true, e.T
		}
	case "finished":
		n.busy, n.queue = false, n.queue[1:]
		for a := range g.arcs {
			if g.arcs[a][0] == int64(v) {
				g.lies[a][*e.Node] = true
			}
		}
		return c.lasts(e.T-n.since, n.ComputeLatency, g.work[v], n.speed(g.types[v]))
	case "withdrawn", "lost":
		return c.waitsAgain(e, g, n, v, name)
	}
	return nil
}

// waitsAgain takes a subtask off its node.
func (c *workChecker) waitsAgain(e *workEvent, g *checkedGraph, n *checkedWorker, v int, name string) error {
	was := map[string]string{"queue": "assigned", "worker": "started", "store": "finished"}[e.Where]
	if g.state[v] != was || e.Where != "store" && g.node[v] != *e.Node {
		return fmt.Errorf("subtask %s is %q on node %d and not %q", name, g.state[v], g.node[v], was)
	}
	g.state[v], g.node[v] = "", -1
	if e.Where == "store" {
		for a := range g.arcs { // what lies elsewhere stays
			if g.arcs[a][0] == int64(v) {
				delete(g.lies[a], *e.Node)
			}
		}
		return nil
	}
	if n.busy = n.busy && e.Where != "worker"; e.E == "subtask_lost" {
		for a := range g.arcs {
			if g.arcs[a][1] == int64(v) && !n.up {
				delete(g.lies[a], *e.Node)
			}
		}
	}
	n.queue = slices.DeleteFunc(n.queue, func(one string) bool { return one == name })
	return nil
}

func (c *workChecker) transfer(e *workEvent, g *checkedGraph, subject string) error {
	a, from, to := *e.Arc, -1, -1
	if e.From != nil {
		from = *e.From
	}
	if e.To != nil {
		to = *e.To
	}
	port := from
	if port < 0 {
		port = to
	}
	n, bytes := c.nodes[port], g.arcs[a][2]
	_, moves := g.began[a]
	switch {
	case subject == "broken" && e.Where == "queue":
		return nil
	case moves != (subject != "began"):
		return fmt.Errorf("what arc %d carries moves: %v", a, moves)
	case subject == "began":
		if !g.lies[a][from] || to >= 0 && !c.nodes[to].up {
			return fmt.Errorf("what arc %d carries does not lie on node %d, or node %d is down", a, from, to)
		}
		if bytes > 0 {
			if n.moving++; c.onePort && n.moving > 1 {
				return fmt.Errorf("the port of node %d carries %d at a time", port, n.moving)
			}
		}
		g.began[a], g.to[a] = e.T, to
		return nil
	}
	took := e.T - g.began[a]
	delete(g.began, a)
	if bytes > 0 {
		n.moving--
	}
	if g.to[a] != to {
		return fmt.Errorf("what arc %d carries goes to node %d", a, g.to[a])
	}
	if subject == "broken" {
		return nil
	}
	g.lies[a][to] = true
	return c.lasts(took, n.SendLatency, float64(bytes), float64(n.Channel))
}

// workRuns are runs with failures whose logs the checker replays.
var workRuns = map[string]struct {
	document       string
	onePort, exact bool
}{
	"one-port": {`{"v":1,"system":"static","seed":5,"workload":{"graphs":{"machines":[{"count":6,"types":4,"types_each":[2,4],"speed":[1,4],"bandwidth":[1e6,1e7],"latency_s":0.05,"startup_s":0.2}],
		"generate":{"load":1,"vertices":[5,20],"bytes":[0,5e7],"input":[0,1e6],"output":[0,1e7]},"deadline_factor":1.5}},"until":"40m","faults":%s}`, true, true},
	"contention-free": {`{"v":1,"system":"static","settings":{"algorithm":"min-min","recover":"wait"},"cluster":{"physical":{"transfers":"contention-free"}},"workload":{"graphs":{"machines":[{"count":5,"speed":[1,4],"bandwidth":0},{"count":2,"speed":5}],
		"generate":{"load":0.9,"vertices":[1,30],"shape":"layers","width":5}}},"until":"20m","faults":%s}`, false, true},
	"strayed": {`{"v":1,"system":"static","workload":{"graphs":{"machines":[{"count":5,"speed_error":{"chunk":0.5}}],"generate":{"load":0.5,"vertices":[3,20]}}},"until":"20m","faults":%s}`, true, false},
	"load":    {`{"v":1,"system":"rounds","seed":7,"workload":{"system":{"load":100000,"random":{"workers":10,"comp_latency":[0.1,0.3],"comm_latency":[0,0.1]}}},"until":"5m","faults":%s}`, true, true},
}

// TestEventLogsOfWork writes logs of runs with failures and checks them with the
// checker: types, precedence, transfers, one subtask at a time, how long each takes,
// deadlines; and counts are those of the report.
func TestEventLogsOfWork(t *testing.T) {
	dir := t.TempDir()
	faults := `[{"at":"90s","kind":"node_down","target":"node.1"},{"at":"2m","kind":"node_down","target":"node.2"},{"at":"3m","kind":"node_up","target":"node.1"},{"at":"3m30s","kind":"node_down","target":"node.3"},{"at":"4m","kind":"node_up","target":"node.2"},
		{"at":"4m1s","kind":"node_down","target":"node.0"},{"at":"4m20s","kind":"node_up","target":"node.0"}]`
	for name, run := range workRuns {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, name+".jsonl")
			var report struct{ Graphs map[string]any }
			call(t, fmt.Sprintf(run.document, faults), &report, "run", "-", "--json", "--events", file)
			log, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			documented(t, log, map[bool]string{true: "rounds", false: "static"}[name == "load"])
			counts, err := checkWorkLog(log, run.onePort, run.exact)
			if err != nil {
				t.Fatal(err)
			}
			for kind, figure := range map[string]string{"graph_arrived": "arrived", "graph_done": "done", "graph_missed": "deadlines_missed", "subtask_finished": "subtasks_finished", "subtask_lost": "subtasks_lost", "transfer_ended": "transfers"} {
				if want, _ := report.Graphs[figure].(float64); float64(counts[kind]) != want {
					t.Errorf("the log has %d %s, the report %v", counts[kind], kind, report.Graphs[figure])
				}
			}
			if name == "one-port" && (counts["graph_done"] < 10 || counts["subtask_lost"] == 0 || counts["transfer_broken"] == 0 || counts["graph_missed"] == 0) {
				t.Errorf("little happens: %v", counts)
			}
			plantInWork(t, log, run.onePort, run.exact, name)
		})
	}
}

// plantInWork puts faults into a good log: lines twice, lines that are missing, other
// nodes, other times. The checker must find each.
func plantInWork(t *testing.T, log []byte, onePort, exact bool, name string) {
	lines := bytes.SplitAfter(log, []byte("\n"))
	planted := map[string]bool{}
	try := func(subject, kind string, change func([]byte) []byte) {
		for i, line := range lines {
			if !bytes.Contains(line, []byte(`"e":"`+kind+`"`)) || i < len(lines)/3 {
				continue
			}
			wrong := change(line)
			if bytes.Equal(wrong, line) {
				continue
			}
			planted[subject+" "+kind] = true
			if _, err := checkWorkLog(slices.Concat(bytes.Join(lines[:i], nil), wrong, bytes.Join(lines[i+1:], nil)), onePort, exact); err == nil {
				t.Errorf("%s: the checker does not see that %.200s", subject, line)
			}
			return
		}
	}
	twice := func(line []byte) []byte { return slices.Concat(line, line) }
	missing := func([]byte) []byte { return nil }
	later := regexp.MustCompile(`"t":\d+`)
	number := regexp.MustCompile(`"(node|to)":\d+`)
	kinds := []string{"subtask_assigned", "subtask_started", "subtask_finished", "transfer_began", "transfer_ended", "graph_arrived", "graph_done"}
	if name == "load" {
		kinds = []string{"chunk_sent", "chunk_received", "chunk_started", "chunk_done"}
	}
	for _, kind := range kinds {
		try("twice", kind, twice)
		if kind != "graph_done" && kind != "transfer_began" || kind == "transfer_began" && onePort {
			try("missing", kind, missing)
		}
	}
	for _, kind := range []string{"subtask_started", "subtask_finished", "transfer_ended"} {
		try("on another node", kind, func(line []byte) []byte {
			return number.ReplaceAllFunc(line, func(m []byte) []byte { return regexp.MustCompile(`\d+`).ReplaceAll(m, []byte("4")) })
		})
	}
	if exact {
		for _, kind := range []string{"subtask_finished", "transfer_ended", "chunk_done", "chunk_received"} {
			try("at another time", kind, func(line []byte) []byte { return later.ReplaceAll(line, []byte(`"t":2399999999`)) })
		}
	}
	try("late", "graph_done", func(line []byte) []byte {
		if bytes.Contains(line, []byte(`,"late":true`)) {
			return bytes.Replace(line, []byte(`,"late":true`), nil, 1)
		}
		return bytes.Replace(line, []byte(`}`), []byte(`,"late":true}`), 1)
	})
	if len(planted) < 8 {
		t.Errorf("only %v could be planted", planted)
	}
}
