package google2011_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/core/trace"
	"parley/core/trace/google2011"
	"parley/core/unit"
	"parley/core/workload"
)

// history is a made-up cell that writes what happens as rows of the trace and,
// beside it, the records that should come of them.
type history struct {
	t *rapid.T
	writer
	want     []string
	now      unit.Time
	machines []uint64
	tasks    []*taskLife
	jobs     uint64
}

type taskLife struct {
	demandOf
	constraint string // as show prints it
	placed     uint64 // 0: waiting
}

func (h *history) expect(format string, args ...any) {
	h.want = append(h.want, fmt.Sprintf("%gs ", h.now.Seconds())+fmt.Sprintf(format, args...))
}

func (h *history) draw(name string, limit int) int { return rapid.IntRange(0, limit).Draw(h.t, name) }

// share draws a fraction of at most four digits, as the trace has them.
func (h *history) share() unit.Share { return unit.Share(h.draw("share", 9999)+1) * 100 }

// moment lets a few things happen at one time, in the order in which the
// tables are read.
func (h *history) moment() {
	h.now += unit.Time(1 + h.draw("later", 3_000_000))
	for range h.draw("machines", 2) {
		h.machineEvent()
	}
	for range h.draw("attributes", 2) {
		h.attributeEvent()
	}
	submits := h.draw("submits", 2)
	first := len(h.tasks)
	for range submits {
		h.constrain()
	}
	for _, t := range h.tasks[first:] {
		h.submit(t)
	}
	for range h.draw("events", 3) {
		h.taskEvent()
	}
	for _, t := range h.tasks {
		if h.draw("measured", 3) == 0 {
			use := unit.Vec{h.share(), h.share()}
			h.usage(h.now, h.now+300*unit.Second, t.key, max(t.placed, 1), use)
			h.expect("%d/%d uses %s", t.key.Job, t.key.Index, vec(use))
		}
	}
}

func (h *history) machineEvent() {
	if n := len(h.machines); n > 3 && h.draw("leaves", 1) == 0 {
		id := h.machines[n-1]
		h.machines = h.machines[:n-1]
		h.machine(h.now, id, 1, unit.Vec{unit.Whole / 2, unit.Whole / 4})
		h.expect("m%d leaves", id)
		return
	}
	id, capacity := uint64(len(h.tables[machineTable])+1), unit.Vec{h.share(), h.share()}
	h.machines = append(h.machines, id)
	h.machine(h.now, id, 0, capacity)
	h.expect("m%d joins %s platform:'%s'", id, vec(capacity), hash("platform"))
}

func (h *history) attributeEvent() {
	if len(h.machines) == 0 {
		return
	}
	id, value := h.machines[h.draw("machine", len(h.machines)-1)], h.draw("value", 9)-5
	h.row(attributeTable, h.now, id, "kernel", value, 0)
	h.expect("m%d has kernel:%d", id, value)
}

// constrain makes a new task and writes its constraints, which come before it.
func (h *history) constrain() {
	h.jobs++
	t := &taskLife{demandOf: demandOf{
		key: workload.Key{Job: h.jobs << 33, Index: uint32(h.draw("index", 1<<20))}, user: "u", class: h.draw("class", 3),
		priority: uint8(h.draw("priority", 12)), request: unit.Vec{h.share(), h.share()}, spread: h.draw("spread", 1),
	}}
	if h.draw("constrained", 1) == 1 {
		op, value := h.draw("operator", 3), h.draw("value", 9)
		h.row(constraintTable, h.now, t.key.Job, t.key.Index, op, "kernel", value)
		t.constraint = fmt.Sprintf(" kernel%s%d", []string{"=", "!=", "<", ">"}[op], value)
	}
	h.tasks = append(h.tasks, t)
}

func (t *taskLife) show() string {
	class := "batch"
	if t.priority >= 9 {
		class = "production"
	}
	return fmt.Sprintf("%s p%d %s%s", class, t.priority, vec(t.request), t.constraint)
}

func (h *history) submit(t *taskLife) {
	h.task(h.now, t.demandOf, "", 0)
	spread := ""
	if t.spread == 1 {
		spread = " spread"
	}
	h.expect("%d/%d arrives %s user=0 image=%dMB%s", t.key.Job, t.key.Index, t.show(), workload.ImageOf(t.request)/unit.MB, spread)
}

func (h *history) taskEvent() {
	if len(h.tasks) == 0 {
		return
	}
	i := h.draw("task", len(h.tasks)-1)
	t := h.tasks[i]
	name := fmt.Sprintf("%d/%d", t.key.Job, t.key.Index)
	switch {
	case t.placed == 0 && len(h.machines) > 0:
		t.placed = h.machines[h.draw("machine", len(h.machines)-1)]
		h.task(h.now, t.demandOf, t.placed, 1)
		h.expect("%s on m%d", name, t.placed)
	case t.placed > 0 && h.draw("evict", 1) == 0: // and submit within a second
		h.task(h.now, t.demandOf, t.placed, 2)
		h.expect("%s released", name)
		h.task(h.now, t.demandOf, "", 0)
		t.placed = 0
	case h.draw("update", 1) == 0:
		t.request[unit.CPU] = (t.request[unit.CPU]+100)%unit.Whole + 100
		h.task(h.now, t.demandOf, "", 7)
		h.expect("%s changes %s", name, t.show())
	default:
		end := h.draw("end", 3)
		h.task(h.now, t.demandOf, "", end+3)
		h.expect("%s ends %s", name, []string{"failed", "finished", "killed", "lost"}[end])
		h.tasks = append(h.tasks[:i], h.tasks[i+1:]...)
	}
}

// parts cuts each table into files, packs some of them and shuffles them.
func (h *history) parts() (files []trace.File) {
	for i, table := range h.tables {
		for n := 0; len(table) > 0; n++ {
			cut := 1 + h.draw("rows of part", len(table)-1)
			content := []byte(table[:cut].content())
			if h.draw("packed", 2) == 0 {
				content = zipped(string(content), 1+h.draw("members", 2))
			}
			name := fmt.Sprintf("part-%05d.csv", n)
			if i == constraintTable || i == attributeTable {
				name = tableNames[i] + "/" + name // of one row they could be anything
			}
			files = append(files, memory(name, content, h.draw("step", 1)*7))
			table = table[cut:]
		}
	}
	return rapid.Permutation(files).Draw(h.t, "files")
}

// What is written is what is read, from any number of files in any order.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &history{t: t}
		for range 1 + h.draw("moments", 12) {
			h.moment()
		}
		files := h.parts()
		if len(files) == 0 {
			return
		}
		var names []string
		for _, f := range files {
			names = append(names, f.Name)
		}
		s, err := google2011.Open(files, trace.Options{})
		if err != nil {
			t.Fatal(names, err)
		}
		var got []string
		var r workload.Record
		for err = s.Next(&r); err == nil; err = s.Next(&r) {
			r.Task.Usage.Measured = false // depends on what else was drawn
			got = append(got, show(&r, s.Names()))
		}
		if d := cmp.Diff(h.want, got); d != "" {
			t.Fatalf("%v\n%s\n%+v", names, d, s.Report())
		}
	})
}
