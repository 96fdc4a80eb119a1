package main_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The checker below knows the event log's format and nothing of the program: it is
// what anyone could write to check a run.

type loggedEvent struct {
	T                  int64
	E, Task, Job, How  string
	Node, From, To     *int
	CPU, Memory        float64
	Processors, Queue  int
	Production, Forced bool
}

type checkedNode struct {
	up                bool
	cpu, memory       float64
	processors, busy  int
	requestedCPU      float64
	requestedMemory   float64
	tasks, migrations int
}

type checkedTask struct {
	cpu, memory float64
	node, to    int // -1: none
}

type checkedJob struct {
	processors int
	runs       bool
	holds      map[int]int
}

// checker replays a log.
type checker struct {
	strict bool // requests never exceed a node's capacity
	nodes  map[int]*checkedNode
	tasks  map[string]*checkedTask
	jobs   map[string]*checkedJob
	counts map[string]int
}

// checkLog replays a whole log and returns how many events of each kind it has.
func checkLog(log []byte, strict bool) (map[string]int, error) {
	c := &checker{strict, map[int]*checkedNode{}, map[string]*checkedTask{}, map[string]*checkedJob{}, map[string]int{}}
	last := int64(0)
	lines := bufio.NewScanner(bytes.NewReader(log))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var e loggedEvent
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if e.T < last {
			return nil, fmt.Errorf("line %d: time goes back", n)
		}
		last = e.T
		c.counts[e.E]++
		if err := c.take(&e); err != nil {
			return nil, fmt.Errorf("line %d, %s: %w", n, e.E, err)
		}
	}
	return c.counts, lines.Err()
}

func (c *checker) take(e *loggedEvent) error {
	switch {
	case strings.HasPrefix(e.E, "node_"):
		return c.node(e)
	case strings.HasPrefix(e.E, "task_"):
		return c.task(e)
	case strings.HasPrefix(e.E, "migration_"):
		return c.migration(e)
	case strings.HasPrefix(e.E, "job_"), e.E == "processors_taken":
		return c.job(e)
	}
	return nil
}

func (c *checker) node(e *loggedEvent) error {
	n := c.nodes[*e.Node]
	if n == nil {
		n = &checkedNode{}
		c.nodes[*e.Node] = n
	}
	switch e.E {
	case "node_up":
		if n.up {
			return fmt.Errorf("it was up")
		}
		n.up, n.cpu, n.memory, n.processors = true, e.CPU, e.Memory, e.Processors
	case "node_changed":
		n.cpu, n.memory, n.processors = e.CPU, e.Memory, e.Processors
	case "node_down":
		if n.tasks+n.migrations+n.busy > 0 {
			return fmt.Errorf("it still holds %d tasks, %d migrations and %d processors", n.tasks, n.migrations, n.busy)
		}
		n.up = false
	}
	return nil
}

// hold puts a task onto a node, or takes it off.
func (c *checker) hold(t *checkedTask, at, sign int) error {
	n := c.nodes[at]
	if n == nil || !n.up && sign > 0 {
		return fmt.Errorf("node %d is not up", at)
	}
	n.tasks += sign
	n.requestedCPU += float64(sign) * t.cpu
	n.requestedMemory += float64(sign) * t.memory
	if c.strict && (n.requestedCPU > n.cpu+1e-9 || n.requestedMemory > n.memory+1e-9) {
		return fmt.Errorf("node %d holds requests of %v CPU and %v memory and has %v and %v", at, n.requestedCPU, n.requestedMemory, n.cpu, n.memory)
	}
	return nil
}

func (c *checker) task(e *loggedEvent) error {
	t := c.tasks[e.Task]
	if (e.E == "task_submitted") != (t == nil) {
		return fmt.Errorf("task %s, there before: %v", e.Task, t != nil)
	}
	switch e.E {
	case "task_submitted":
		c.tasks[e.Task] = &checkedTask{e.CPU, e.Memory, -1, -1}
	case "task_placed":
		if t.node >= 0 {
			return fmt.Errorf("task %s is on node %d", e.Task, t.node)
		}
		t.node = *e.Node
		return c.hold(t, t.node, 1)
	case "task_displaced", "task_ended":
		if t.to >= 0 {
			return fmt.Errorf("task %s still moves", e.Task)
		}
		if e.Node != nil && *e.Node != t.node {
			return fmt.Errorf("task %s is on node %d", e.Task, t.node)
		}
		if t.node >= 0 {
			if err := c.hold(t, t.node, -1); err != nil {
				return err
			}
		} else if e.E == "task_displaced" {
			return fmt.Errorf("task %s is nowhere", e.Task)
		}
		if t.node = -1; e.E == "task_ended" {
			delete(c.tasks, e.Task)
		}
	}
	return nil
}

func (c *checker) migration(e *loggedEvent) error {
	t := c.tasks[e.Task]
	switch {
	case t == nil || t.node != *e.From:
		return fmt.Errorf("task %s is not on node %d", e.Task, *e.From)
	case e.E == "migration_began":
		if t.to >= 0 || *e.To == *e.From || !c.nodes[*e.To].up {
			return fmt.Errorf("task %s moves already, or node %d is down", e.Task, *e.To)
		}
		t.to = *e.To
		c.nodes[t.to].migrations++
		return nil
	case t.to != *e.To:
		return fmt.Errorf("task %s does not move to node %d", e.Task, *e.To)
	}
	c.nodes[t.to].migrations--
	to := t.to
	if t.to = -1; e.E == "migration_broken" {
		return nil
	}
	if err := c.hold(t, t.node, -1); err != nil {
		return err
	}
	t.node = to
	return c.hold(t, to, 1)
}

func (c *checker) job(e *loggedEvent) error {
	j := c.jobs[e.Job]
	if (e.E == "job_submitted") != (j == nil) {
		return fmt.Errorf("job %s, there before: %v", e.Job, j != nil)
	}
	switch e.E {
	case "job_submitted":
		c.jobs[e.Job] = &checkedJob{processors: e.Processors, holds: map[int]int{}}
	case "processors_taken":
		n := c.nodes[*e.Node]
		if n.busy += e.Processors; j.runs || !n.up || n.busy > n.processors {
			return fmt.Errorf("node %d: %d of %d processors are busy", *e.Node, n.busy, n.processors)
		}
		j.holds[*e.Node] += e.Processors
	case "job_placed":
		sum := 0
		for _, held := range j.holds {
			sum += held
		}
		if j.runs || sum != j.processors {
			return fmt.Errorf("job %s holds %d of %d processors, ran before: %v", e.Job, sum, j.processors, j.runs)
		}
		j.runs = true
	case "job_displaced", "job_ended":
		if e.E == "job_displaced" && !j.runs {
			return fmt.Errorf("job %s did not run", e.Job)
		}
		for n, held := range j.holds {
			c.nodes[n].busy -= held
		}
		if j.holds, j.runs = map[int]int{}, false; e.E == "job_ended" {
			delete(c.jobs, e.Job)
		}
	}
	return nil
}

// TestEventLogs writes logs of runs with faults and migrations and checks them with
// the checker: no capacity is exceeded, nothing is in two places, and counts are
// those of the report. The digest is that of a run without a log.
func TestEventLogs(t *testing.T) {
	dir := t.TempDir()
	jobs := filepath.Join(dir, "jobs.swf")
	log := "; MaxProcs: 12\n; MaxNodes: 3\n"
	for i := range 60 {
		log += fmt.Sprintf("%d %d -1 %d -1 -1 -1 %d %d -1 1 %d 1 1 1 -1 -1 -1\n", i+1, 40*i, 60+37*i%400, 1+i*i%9, 500, i%3)
	}
	if err := os.WriteFile(jobs, []byte(log), 0o644); err != nil {
		t.Fatal(err)
	}
	faults := `"faults":[{"at":"5m","kind":"node_down","target":"node.1"},{"at":"8m","kind":"node_up","target":"node.1"}]`
	for name, run := range map[string]struct {
		system, document string
		strict           bool
		args             []string
	}{
		"negotiation": {"negotiation", `{"v":1,"system":"negotiation","seed":3,"cluster":{"nodes":120},"until":"12m",` + faults + `}`, false, nil},
		"request":     {"central", `{"v":1,"system":"central","settings":{"admission":"request","fill":0,"production_limit":0},"seed":3,"cluster":{"nodes":60},"until":"12m",` + faults + `}`, true, nil},
		"jobs":        {"central", `{"v":1,"system":"central","settings":{"policy":"easy"},"until":"3h",` + faults + `}`, true, []string{"--trace", jobs}},
	} {
		t.Run(name, func(t *testing.T) {
			file, packed := filepath.Join(dir, name+".jsonl"), filepath.Join(dir, name+".jsonl.gz")
			var plain, logged struct {
				Digest string
				System map[string]any
				Jobs   map[string]any
			}
			call(t, run.document, &plain, append([]string{"run", "-", "--json"}, run.args...)...)
			call(t, run.document, &logged, append([]string{"run", "-", "--json", "--events", file}, run.args...)...)
			if plain.Digest != logged.Digest {
				t.Errorf("the digest is %s with a log and %s without", logged.Digest, plain.Digest)
			}
			lines, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			counts, err := checkLog(lines, run.strict)
			if err != nil {
				t.Fatal(err)
			}
			for kind, figure := range map[string]any{
				"task_submitted": logged.System["tasks_submitted"], "task_placed": logged.System["tasks_placed"], "task_displaced": logged.System["tasks_displaced"],
				"migration_ended": logged.System["migrations"], "migration_broken": logged.System["migrations_broken"], "job_submitted": logged.Jobs["submitted"], "job_displaced": logged.Jobs["displaced"],
			} {
				if want, _ := figure.(float64); float64(counts[kind]) != want {
					t.Errorf("the log has %d %s, the report %v", counts[kind], kind, figure)
				}
			}
			documented(t, lines, run.system)
			plant(t, lines, run.strict)
			var some struct{ Digest string }
			call(t, run.document, &some, append([]string{"run", "-", "--json", "--events", packed, "--events-only", "node_down,node_up"}, run.args...)...)
			if text := unzip(t, packed); some.Digest != plain.Digest || !strings.Contains(text, `"e":"node_down","node":1`) || strings.Contains(text, "submitted") {
				t.Errorf("of node_down and node_up it writes\n%.500s", text)
			}
		})
	}
}

// plant puts faults into a good log; the checker must find each.
func plant(t *testing.T, log []byte, strict bool) {
	lines := bytes.SplitAfter(log, []byte("\n"))
	planted := 0
	for _, kind := range []string{"task_placed", "task_ended", "task_displaced", "migration_ended", "processors_taken", "job_placed", "job_ended", "node_up"} {
		for i, line := range lines {
			if !bytes.Contains(line, []byte(`"e":"`+kind+`"`)) {
				continue
			}
			twice := bytes.Join([][]byte{bytes.Join(lines[:i+1], nil), line, bytes.Join(lines[i+1:], nil)}, nil)
			if _, err := checkLog(twice, strict); err == nil {
				t.Errorf("the checker does not see that %.200s stands there twice", line)
			}
			planted++
			break
		}
	}
	if planted < 3 {
		t.Errorf("only %d faults could be planted", planted)
	}
}

func unzip(t *testing.T, path string) string {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	tableRow   = regexp.MustCompile(`(?m)^\| (.*) \| (.*) \| (.*) \|$`)
	quotedName = regexp.MustCompile("`([a-z_]+)`")
)

// manual returns the fields of each kind of event and of each kind of a system's notes,
// as docs/events.md lists them.
func manual(t *testing.T, system string) (events, notes map[string][]string) {
	t.Helper()
	table := func(text string) map[string][]string {
		kinds := map[string][]string{}
		for _, row := range tableRow.FindAllStringSubmatch(text, -1) {
			if kind := quotedName.FindStringSubmatch(row[1]); kind != nil {
				kinds[kind[1]] = []string{}
				for _, name := range quotedName.FindAllStringSubmatch(row[3], -1) {
					kinds[kind[1]] = append(kinds[kind[1]], name[1])
				}
			}
		}
		return kinds
	}
	head, rest, _ := strings.Cut(read(t, "docs/events.md"), "\n## Work\n")
	_, own, _ := strings.Cut(rest, "\n### "+system+"\n")
	own, _, _ = strings.Cut(own, "\n### ")
	return table(head), table(own)
}

// documented checks that the manual lists every kind and every field of a log.
func documented(t *testing.T, log []byte, system string) {
	t.Helper()
	events, notes := manual(t, system)
	for line := range bytes.Lines(log) {
		var e map[string]any
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		fields, known := events[fmt.Sprint(e["e"])]
		if kind := e["kind"]; kind != nil && known {
			var more []string
			more, known = notes[fmt.Sprint(kind)]
			fields = slices.Concat(fields, more)
		}
		if !known {
			t.Fatalf("the manual does not list the kind of %s", line)
		}
		for name := range e {
			if name != "t" && name != "e" && !slices.Contains(fields, name) {
				t.Fatalf("the manual does not list the field %s of %s", name, line)
			}
		}
	}
}

// TestManualOfEvents: docs/events.md is what the program prints of its event log.
func TestManualOfEvents(t *testing.T) {
	run := shell(t, t.TempDir())
	out, complaints, code := run("parley events")
	if code != 0 || complaints != "" || out != read(t, "docs/events.md") {
		t.Errorf("docs/events.md is not what parley events prints (%s): go run ./tools/parley events > docs/events.md", complaints)
	}
}

// TestUseOfTasks: on request the log says what each task uses whenever that changes, so
// that the sums are those of the whole cluster; without it says neither.
func TestUseOfTasks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "use.jsonl")
	document := `{"v":1,"system":"negotiation","seed":3,"cluster":{"nodes":60},"until":"31m","faults":[{"at":"5m","kind":"node_down","target":"node.1"},{"at":"8m","kind":"node_up","target":"node.1"}]}`
	call(t, document, &struct{}{}, "run", "-", "--json", "--events", file)
	log, err := os.ReadFile(file)
	if err != nil || bytes.Contains(log, []byte("usage_swept")) || bytes.Contains(log, []byte("task_used")) {
		t.Errorf("%v; usage is written though nobody asked", err)
	}
	documented(t, log, "negotiation")
	call(t, document, &struct{}{}, "run", "-", "--json", "--events", file, "--events-also", "usage_swept,task_used")
	if log, err = os.ReadFile(file); err != nil {
		t.Fatal(err)
	}
	documented(t, log, "negotiation")
	used, sum, stated := map[string][2]float64{}, [2]float64{}, [2]float64{}
	sweeps, changes, at := 0, 0, 0.0
	for line := range bytes.Lines(log) {
		var e struct {
			T           float64
			E, Task     string
			CPU, Memory float64
			CPUUsed     float64 `json:"cpu_used"`
			MemoryUsed  float64 `json:"memory_used"`
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if sweeps > 0 && e.T > at { // the sweep's moment is over
			if math.Abs(sum[0]-stated[0]) > 1e-3 || math.Abs(sum[1]-stated[1]) > 1e-3 {
				t.Fatalf("at %v tasks use %v, and usage_swept says %v", at, sum, stated)
			}
			at = math.Inf(1)
		}
		put := func(use [2]float64) {
			for r := range sum {
				sum[r] += use[r] - used[e.Task][r]
			}
			used[e.Task] = use
		}
		switch e.E {
		case "task_placed":
			put([2]float64{e.CPUUsed, e.MemoryUsed})
		case "task_used":
			changes++
			put([2]float64{e.CPUUsed, e.MemoryUsed})
		case "task_ended", "task_displaced":
			put([2]float64{})
		case "usage_swept":
			sweeps, stated, at = sweeps+1, [2]float64{e.CPU, e.Memory}, e.T
		}
	}
	if sweeps < 30 || changes < 1000 {
		t.Errorf("%d sweeps, %d changes", sweeps, changes)
	}
}

// TestForcedCandidates: the log says of each candidate of a negotiation whether the broker
// recommended it by force. Those that were asked by force are moved to by force, others not.
func TestForcedCandidates(t *testing.T) {
	file := filepath.Join(t.TempDir(), "forced.jsonl")
	call(t, `{"v":1,"system":"negotiation","seed":3,"cluster":{"nodes":100},"workload":{"scale":1.5},"until":"20m"}`, &struct{}{}, "run", "-", "--json", "--events", file, "--events-only", "note,migration_began")
	log, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	type requested struct {
		ref, other int
	}
	answered, told, forced := map[requested]bool{}, map[string]bool{}, 0
	for line := range bytes.Lines(log) {
		var e struct {
			E, Kind, Task string
			Ref, Other    int
			Forced        bool
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		switch e.E + e.Kind {
		case "noteanswer":
			answered[requested{e.Ref, e.Other}] = e.Forced
		case "notetarget":
			if was, known := answered[requested{e.Ref, e.Other}]; known && was != e.Forced {
				t.Fatalf("it answered as forced: %v, and is told: %s", was, line)
			}
			told[e.Task] = e.Forced
		case "migration_began":
			if was, known := told[e.Task]; !known || was != e.Forced {
				t.Fatalf("told by force: %v, and moves: %s", was, line)
			}
			if e.Forced {
				forced++
			}
		}
	}
	if forced == 0 || forced == len(told) {
		t.Errorf("%d of %d migrations are forced", forced, len(told))
	}
}
