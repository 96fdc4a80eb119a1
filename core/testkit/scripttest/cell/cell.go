// Package cell gives scripts a small cluster and the words for it, the same in every package: tasks
// and jobs have letters for names, nodes are n0, n1 and so on. A package may add words that Do does
// not know.
//
//	nodes 3 cpu=1 mem=1 [node]     more nodes, all alike
//	join m7 cpu=1 mem=1 [node]     the machine of that number joins, or comes back
//	down n0 · up n0                a node crashes or leaves, and returns
//	resize n0 cpu=.5 mem=.5        it offers this much from now on
//	attribute n0 disk=3            an attribute of it changes; none: it has it no more
//	submit a cpu=.1 mem=.1 [task]  a task that requests these shares
//	change a cpu=.2 mem=.1 [task]  it asks for this much from now on
//	use a cpu=.2 mem=.1            it uses this much from now on, as if measured
//	record a n0                    a trace says that it runs there; none: that it does not
//	end a [killed|evicted|…]       it is over
//	pass 90s · until 5m            time passes: by a span, or up to a moment
//	draw · state a                 usage of each node · the state of a task
//
// Shares are fractions of the reference machine. A [node] may have rack=0, procs=8 (processors for
// jobs), disk=2, kernel=3 (attributes), and as a worker speed=, bandwidth=, comp=, comm= (latencies)
// and stray=. A [task] uses half of its request, or the percentage in use=80; it may have
// production, priority=9, image=100 (MB), life=5m, user=1, replica=1 (of job 1, to be kept apart),
// disk=2 (it runs only there) or eq=, ne=, lt=, gt=disk:2.
package cell

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/testkit/scripttest"
	"parley/core/unit"
	"parley/core/workload"
)

// Cell is a cluster with names for its tasks.
type Cell struct {
	Kernel  *des.Kernel
	Cluster *cluster.Cluster
	Tasks   map[string]unit.TaskID
	Names   map[unit.TaskID]string
	// Measured makes tasks use exactly cpu= and mem=. Their request is the same, or request=.2/.3.
	Measured bool
	// Settle is called after every event while time passes, so that an acting system handles it. An
	// error ends the script.
	Settle func() error
}

// New returns a cell without nodes at time 0.
func New(physical cluster.Settings) *Cell {
	k := des.New()
	return &Cell{
		Kernel: k, Cluster: cluster.New(physical, k), Tasks: map[string]unit.TaskID{},
		Names: map[unit.TaskID]string{},
	}
}

// Do carries out a line and returns its output; known is false if the act is not a common one.
func (c *Cell) Do(l scripttest.Line) (shown string, known bool, err error) {
	switch l.Act() {
	case "nodes":
		for range l.Int(l.Word(0)) {
			c.Cluster.Join(uint64(c.Cluster.View().Nodes()), Node(l))
		}
	case "join":
		c.Cluster.Join(uint64(l.Int(l.Word(0)[1:])), Node(l))
	case "down":
		c.Cluster.Leave(At(l, l.Word(0)))
	case "up":
		c.Cluster.Restore(At(l, l.Word(0)))
	case "resize":
		c.Cluster.Resize(At(l, l.Word(0)), Shares(l))
	case "attribute":
		for _, a := range attributes(l) {
			c.Cluster.SetAttribute(At(l, l.Word(0)), a)
		}
	case "submit":
		c.Submit(l)
	case "change":
		c.Cluster.Change(c.Task(l), c.task(l))
	case "use":
		c.Cluster.Measure(c.Task(l), Shares(l))
	case "record":
		c.Cluster.Record(c.Task(l), At(l, l.Word(1)))
	case "end":
		c.Cluster.End(c.Task(l), End(l))
	case "pass":
		return "", true, c.pass(c.Kernel.Now() + unit.Time(l.Span(l.Word(0))))
	case "until":
		return "", true, c.pass(unit.Time(l.Span(l.Word(0))))
	case "draw":
		return c.draw(), true, nil
	case "state":
		return c.state(l) + "\n", true, nil
	default:
		return "", false, nil
	}
	return "", true, nil
}

// Submit submits the task of a line and records its name.
func (c *Cell) Submit(l scripttest.Line) unit.TaskID {
	n := len(c.Names)
	key := workload.Key{Job: 1000 + uint64(n), Index: uint32(n)}
	if l.Has("replica") {
		key.Job = uint64(l.Arg("replica"))
	}
	id := c.Cluster.Submit(key, c.task(l))
	c.Tasks[l.Word(0)], c.Names[id] = id, l.Word(0)
	return id
}

// Task returns the task of a line.
func (c *Cell) Task(l scripttest.Line) unit.TaskID {
	id, known := c.Tasks[l.Word(0)]
	if !known {
		l.Fail("there was no task %s", l.Word(0))
	}
	return id
}

// pass lets time pass up to a moment.
func (c *Cell) pass(to unit.Time) error {
	for c.Kernel.Step(to) {
		if err := c.Settle(); err != nil {
			return err
		}
	}
	return c.Cluster.Audit()
}

// At reads the name of a node; "none" is NoNode.
func At(l scripttest.Line, name string) unit.NodeID {
	if name == "none" {
		return unit.NoNode
	}
	number, is := strings.CutPrefix(name, "n")
	if !is {
		l.Fail("%q is no node such as n0", name)
	}
	return unit.NodeID(l.Int(number))
}

// End reads how a task or a job ends.
func End(l scripttest.Line) workload.End {
	for how := range workload.Lost + 1 {
		if l.Has(how.String()) {
			return how
		}
	}
	return workload.Finished
}

// Shares reads cpu= and mem=, fractions of the reference machine.
func Shares(l scripttest.Line) (v unit.Vec) {
	for r := range v {
		if text, given := l.Args[unit.Resource(r).String()[:3]]; given {
			v[r] = unit.ShareOf(l.Float(text))
		}
	}
	return v
}

// Node reads a [node].
func Node(l scripttest.Line) workload.Node {
	n := workload.Node{
		Capacity: Shares(l), Rack: -1, Site: -1, Attributes: attributes(l),
		Processors: int32(l.Arg("procs")),
	}
	if l.Has("rack") {
		n.Rack = int32(l.Arg("rack"))
	}
	if l.Has("speed") {
		n.Worker = worker(l)
	}
	return n
}

// worker reads the attributes of a worker node.
func worker(l scripttest.Line) *workload.Worker {
	w := &workload.Worker{
		Speed: unit.WorkOf(l.Float(l.Args["speed"])), Bandwidth: unit.WorkOf(l.Float(l.Args["bandwidth"])),
		CompLatency: unit.Time(l.Span(l.Args["comp"])), CommLatency: unit.Time(l.Span(l.Args["comm"])),
	}
	if l.Has("stray") {
		deviation := l.Float(l.Args["stray"])
		w.Errors = workload.RateErrors{
			Seed: 1, Speed: workload.RateError{Worker: deviation},
			Bandwidth: workload.RateError{Chunk: deviation},
		}
	}
	return w
}

// names are the names of attributes in scripts, by number.
var names = [...]string{"disk", "kernel"}

func attributes(l scripttest.Line) (all []workload.Attribute) {
	for i, name := range names {
		if l.Has(name) {
			all = append(all, workload.Attribute{
				Name: workload.AttributeName(i), Value: value(l, l.Args[name]),
				Absent: l.Args[name] == "none",
			})
		}
	}
	return all
}

// value reads the value of an attribute; none is none.
func value(l scripttest.Line, text string) int64 {
	if text == "none" {
		return workload.Unset
	}
	return l.Int(text)
}

// task reads a [task].
func (c *Cell) task(l scripttest.Line) *workload.Task {
	w := &workload.Task{
		Request: Shares(l), Priority: uint8(l.Arg("priority")), User: uint32(l.Arg("user")),
		Spread: l.Has("replica"), Lifetime: unit.Time(l.Span(l.Args["life"])),
	}
	w.Usage = workload.UsageModel{Measured: c.Measured}
	if both, given := l.Args["request"]; given {
		cpu, memory, _ := strings.Cut(both, "/")
		w.Request = unit.Vec{unit.CPU: unit.ShareOf(l.Float(cpu)), unit.Memory: unit.ShareOf(l.Float(memory))}
	}
	w.Image = workload.ImageOf(w.Request)
	if l.Has("image") {
		w.Image = unit.Bytes(l.Arg("image")) * unit.MB
	}
	if l.Has("production") {
		w.Class = workload.Production
	}
	percent := int64(50)
	if l.Has("use") {
		percent = l.Arg("use")
	}
	for r := range w.Usage.Mean {
		w.Usage.Mean[r] = uint16(min(65535, (percent*65536+50)/100))
	}
	for i, name := range names {
		if l.Has(name) {
			w.Constraints = append(w.Constraints, workload.Constraint{
				Name: workload.AttributeName(i),
				Op:   workload.Equal, Value: value(l, l.Args[name]),
			})
		}
	}
	for i, op := range [...]string{"eq", "ne", "lt", "gt"} {
		if want, given := l.Args[op]; given {
			name, text, _ := strings.Cut(want, ":")
			at := slices.Index(names[:], name)
			if at < 0 {
				l.Fail("no attribute is called %q", name)
			}
			w.Constraints = append(w.Constraints,
				workload.Constraint{Name: workload.AttributeName(at), Op: workload.Operator(i), Value: value(l, text)})
		}
	}
	return w
}

// Describe returns the words for an event of a node or a task, without its time.
func (c *Cell) Describe(e cluster.Event) string {
	text := e.Kind.String()
	if e.Task != unit.NoTask {
		text += " " + c.Names[e.Task]
	}
	if e.Node != unit.NoNode {
		text += fmt.Sprintf(" n%d", e.Node)
	}
	switch e.Kind {
	case cluster.MigrationBegan, cluster.MigrationEnded, cluster.MigrationBroken:
		text += fmt.Sprintf(">n%d %.1f MB", e.Other, float64(e.Amount)/1e6)
		if e.Detail == 1 {
			text += " forced"
		}
	case cluster.TaskEnded:
		text += fmt.Sprintf(" %v", workload.End(e.Detail))
	case cluster.TaskAllotted:
		text += fmt.Sprintf(" %v", unit.Share(e.Amount).Float())
	}
	return text
}

// draw shows each node's usage, one # for each tenth and ! above its capacity, and its tasks by
// name: a>n1 is on its way there, <a on its way here.
func (c *Cell) draw() string {
	v := c.Cluster.View()
	lines := make([]string, v.Nodes())
	for i := range lines {
		n := unit.NodeID(i)
		used, capacity := v.Used(n), v.Capacity(n)
		lines[i] = fmt.Sprintf("n%d cpu [%s] mem [%s]", n, bar(used[unit.CPU], capacity[unit.CPU]),
			bar(used[unit.Memory], capacity[unit.Memory]))
		if !v.Up(n) {
			lines[i] = fmt.Sprintf("n%d down", n)
		}
		for _, id := range c.byName(slices.Collect(v.Tasks(n))) {
			lines[i] += " " + c.Names[id]
			if t, _ := v.Task(id); t.Target != unit.NoNode {
				lines[i] += fmt.Sprintf(">n%d", t.Target)
			}
		}
	}
	to := map[unit.TaskID]unit.NodeID{}
	var moving []unit.TaskID
	for m := range v.Migrations {
		moving, to[m.Task] = append(moving, m.Task), m.To
	}
	for _, id := range c.byName(moving) {
		lines[to[id]] += " <" + c.Names[id]
	}
	return strings.Join(lines, "\n") + "\n"
}

func (c *Cell) byName(all []unit.TaskID) []unit.TaskID {
	slices.SortFunc(all, func(a, b unit.TaskID) int { return cmp.Compare(c.Names[a], c.Names[b]) })
	return all
}

func bar(part, whole unit.Share) string {
	if part > whole {
		return "!!!!!!!!!!"
	}
	tenths := int(int64(part) * 10 / int64(max(whole, 1)))
	return strings.Repeat("#", tenths) + strings.Repeat(".", 10-tenths)
}

// state returns where the task of a line is.
func (c *Cell) state(l scripttest.Line) string {
	v, id := c.Cluster.View(), c.Task(l)
	t, alive := v.Task(id)
	if !alive {
		return l.Word(0) + " has ended"
	}
	text := fmt.Sprintf("%s %v", l.Word(0), t.State)
	if t.Node != unit.NoNode {
		text += fmt.Sprintf(" on n%d", t.Node)
	}
	if share, has := v.Share(id); has {
		text += fmt.Sprintf(" with a share of %v", share.Float())
	}
	return text + fmt.Sprintf(" requests %v uses %v costs %.1f MB", pair(t.Request), pair(t.Usage),
		float64(v.MigrationCost(id))/1e6)
}

func pair(v unit.Vec) string {
	return fmt.Sprintf("%v/%v", v[unit.CPU].Float(), v[unit.Memory].Float())
}
