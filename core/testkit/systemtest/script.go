package systemtest

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/unit"
	"parley/core/workload"
)

// recorder is a cluster that records the acts of a trial, not those of the system, in the words of
// all packages' scripts (core/testkit/scripttest/cell).
type recorder struct {
	*cluster.Cluster
	clock des.Clock
	lines []string
	at    unit.Time // of the last line
	names map[unit.TaskID]string
}

func recorded(c *cluster.Cluster, clock des.Clock) *recorder {
	return &recorder{Cluster: c, clock: clock, names: map[unit.TaskID]string{}}
}

// script returns the recorded acts as a test for a system's testdata. about is the fault.
func (c *recorder) script(id string, about error) string {
	c.pass()
	return fmt.Sprintf("# %s, from a random trial: %v.\n"+
		"# Racks have %d nodes, sites %d racks. Use is steady here, and swings in the trial.\n\nplay\n%s\n----\n",
		id, about, rackSize, siteRacks, strings.Join(c.lines, "\n"))
}

// pass writes the time passed since the last line.
func (c *recorder) pass() {
	if now := c.clock.Now(); now > c.at {
		c.lines = append(c.lines, "pass "+span(now-c.at))
		c.at = now
	}
}

func (c *recorder) write(words ...string) {
	c.pass()
	c.lines = append(c.lines, strings.Join(words, " "))
}

// name returns the name of a task in the script.
func (c *recorder) name(id unit.TaskID) string {
	if name, known := c.names[id]; known {
		return name
	}
	return fmt.Sprintf("%x", id)
}

// letters returns the n-th name: a to z, then aa and so on.
func letters(n int) string {
	if n >= 26 {
		return letters(n/26-1) + letters(n%26)
	}
	return string(rune('a' + n))
}

func nodeName(n unit.NodeID) string {
	if n == unit.NoNode {
		return "none"
	}
	return fmt.Sprintf("n%d", n)
}

func span(t unit.Time) string { return (time.Duration(t) * time.Microsecond).String() }

func shares(v unit.Vec) string {
	write := func(s unit.Share) string { return strconv.FormatFloat(s.Float(), 'g', -1, 64) }
	return "cpu=" + write(v[unit.CPU]) + " mem=" + write(v[unit.Memory])
}

func attributeOf(a workload.Attribute) string {
	if a.Absent {
		return "disk=none"
	}
	return fmt.Sprintf("disk=%d", a.Value)
}

// words returns a task as a script has it.
func words(key workload.Key, w *workload.Task) string {
	text := shares(w.Request)
	if w.Usage.Mean[unit.CPU] > 0 {
		text += fmt.Sprintf(" use=%d", (100*int(w.Usage.Mean[unit.CPU])+1<<15)>>16)
	}
	if w.Class == workload.Production {
		text += " production"
	}
	if w.Priority > 0 {
		text += fmt.Sprintf(" priority=%d", w.Priority)
	}
	if w.User > 0 {
		text += fmt.Sprintf(" user=%d", w.User)
	}
	if w.Spread {
		text += fmt.Sprintf(" replica=%d", key.Job)
	}
	if w.Lifetime > 0 {
		text += " life=" + span(w.Lifetime)
	}
	for _, c := range w.Constraints {
		text += fmt.Sprintf(" %s=disk:%d", [...]string{"eq", "ne", "lt", "gt"}[c.Op], c.Value)
	}
	return text
}

// These methods hide those of the cluster by which trials act.

func (c *recorder) Join(machine uint64, d workload.Node) unit.NodeID {
	words := []string{fmt.Sprintf("join m%d", machine), shares(d.Capacity)}
	for _, a := range d.Attributes {
		words = append(words, attributeOf(a))
	}
	c.write(words...)
	return c.Cluster.Join(machine, d)
}

func (c *recorder) Leave(n unit.NodeID) {
	if c.View().Up(n) {
		c.write("down", nodeName(n))
	}
	c.Cluster.Leave(n)
}

func (c *recorder) Restore(n unit.NodeID) {
	if !c.View().Up(n) {
		c.write("up", nodeName(n))
	}
	c.Cluster.Restore(n)
}

func (c *recorder) Resize(n unit.NodeID, capacity unit.Vec) {
	c.write("resize", nodeName(n), shares(capacity))
	c.Cluster.Resize(n, capacity)
}

func (c *recorder) SetAttribute(n unit.NodeID, a workload.Attribute) {
	c.write("attribute", nodeName(n), attributeOf(a))
	c.Cluster.SetAttribute(n, a)
}

func (c *recorder) Submit(key workload.Key, w *workload.Task) unit.TaskID {
	name := letters(len(c.names))
	c.write("submit", name, words(key, w))
	id := c.Cluster.Submit(key, w)
	c.names[id] = name
	return id
}

func (c *recorder) Change(id unit.TaskID, w *workload.Task) {
	if _, alive := c.View().Task(id); alive {
		c.write("change", c.name(id), words(workload.Key{}, w))
	}
	c.Cluster.Change(id, w)
}

func (c *recorder) Measure(id unit.TaskID, use unit.Vec) {
	if _, alive := c.View().Task(id); alive {
		c.write("use", c.name(id), shares(use))
	}
	c.Cluster.Measure(id, use)
}

func (c *recorder) Record(id unit.TaskID, n unit.NodeID) {
	if _, alive := c.View().Task(id); alive {
		c.write("record", c.name(id), nodeName(n))
	}
	c.Cluster.Record(id, n)
}

func (c *recorder) End(id unit.TaskID, how workload.End) {
	if _, alive := c.View().Task(id); alive {
		c.write("end", c.name(id), how.String())
	}
	c.Cluster.End(id, how)
}
