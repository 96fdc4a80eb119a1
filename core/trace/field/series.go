package field

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
)

// bitbrains is the trace of virtual machines of business-critical work. Each machine has a file of
// measurements every five minutes.
var bitbrains = &dataset{
	name: "bitbrains", title: "Bitbrains' trace of virtual machines (GWA-T-12)", shape: workload.ShapeTasks,
	lacks:      "open files with measurements",
	sinceFirst: true,
	assume: machineKind{
		cpu: 64_000, memory: 512 << 20,
		about: "each has 64 cores and 512 GiB: the trace has no machines",
	},
	tables: []*schema{
		table("vm",
			"Timestamp~[ms]|Timestamp! CPU~cores=n! CPU~capacity~provisioned~[MHZ]=n! CPU~usage~[MHZ]=n! CPU~usage~[%]|CPU~usage=n Memory~capacity~provisioned~[KB]=n! Memory~usage~[KB]=n +VM|vm_id|vm_name|id|name|file|filename|source", takeSample).split(';', 0),
	},
}

// moment returns a time: a text, or a number of seconds, or of milliseconds, microseconds or nanoseconds if it is
// large enough. small is the unit of a number that is too small to distinguish them: unit.Second or
// unit.Millisecond.
func (r *row) moment(column int, small unit.Time) (unit.Time, error) {
	cell := r.cells[column]
	whole, reason := trace.Decimal(cell, 0)
	switch {
	case reason != "":
	case whole >= 1e17:
		return unit.Time(whole / 1000), nil
	case whole >= 1e14:
		return unit.Time(whole), nil
	case whole >= 1e11, small == unit.Millisecond:
		n, _ := trace.Decimal(cell, 3)
		return unit.Time(n), nil
	default:
		n, _ := trace.Decimal(cell, 6)
		return unit.Time(n), nil
	}
	text := strings.Replace(r.text(column), "T", " ", 1)
	if len(text) >= 19 && text[2] == '.' && text[5] == '.' { // 12.08.2013 13:40:46
		text = text[6:10] + "-" + text[3:5] + "-" + text[:2] + text[10:]
	}
	if t, known, ok := clock(text); ok && known {
		return t, nil
	}
	return 0, r.bad(column,
		"is no time: it is written in seconds or milliseconds since 1970, or as 2013-08-12 13:40:46")
}

// takeSample reads one measurement of a virtual machine, which is named by a column, or by the file and the file's
// part of an archive. The first makes an item from that moment on; later ones extend it and its request to the
// largest seen. CPU use is MHz of the capacity, or percent if there is no capacity.
func takeSample(c *collection, r *row) error {
	const ( // columns of the table
		colTimestamp  = 0
		colCores      = 1
		colCapacity   = 2 // MHz
		colUse        = 3 // MHz
		colUsePercent = 4
		colMemory     = 5 // KB
		colMemoryUse  = 6 // KB
		colVM         = 7
	)
	for i := range r.cells { // some files have decimal commas
		if i >= colCores && i <= colMemoryUse && len(r.cells[i]) > 0 {
			r.cells[i] = []byte(strings.Replace(r.text(i), ",", ".", 1))
		}
	}
	at, err := r.moment(colTimestamp, unit.Second)
	if err != nil {
		return err
	}
	var v [colVM]int64 // thousandths
	for i := colCores; i <= colMemoryUse; i++ {
		if v[i], err = r.amount(i, 3); err != nil {
			return err
		}
	}
	c.span(at)
	name := strings.TrimSuffix(r.file[strings.LastIndexByte(r.file, '/')+1:], ".csv")
	if r.part > 0 { // the files of an archive are read as one
		name += "_" + strconv.Itoa(r.part+1)
	}
	key := r.file + "\n" + strconv.Itoa(r.part)
	if r.has(colVM) { // the files of several machines as one table
		name = strings.TrimSuffix(r.name(colVM), ".csv")
		key = "\n\n" + name
	}
	n, kept, err := c.itemOfSeries(r, key, name, item{submit: at, end: at})
	if err != nil || !kept {
		return err
	}
	it := &c.items[n]
	it.cpu, it.memory = max(it.cpu, v[colCores]), max(it.memory, v[colMemory]/1000)
	it.submit, it.end = min(it.submit, at), max(it.end, at)
	if v[colUse] > v[colCapacity] && v[colCapacity] > 0 {
		c.count("measured_beyond_the_capacity", 1)
	}
	u := use{at: at, item: int32(n), memory: max(v[colMemoryUse], 0) / 1000}
	switch {
	case v[colCapacity] > 0 && v[colUse] >= 0:
		u.cpu = partOf(v[colCores], v[colUse], v[colCapacity])
	case v[colUsePercent] >= 0: // some machines of Materna have no capacity
		u.cpu = partOf(v[colCores], v[colUsePercent], 100_000)
	default:
		return nil
	}
	return c.keepUse(r, u)
}

// series is the item of the virtual machine of a series of measurements, or the reason why there is none.
type series struct {
	item      int  // in collection.items; -1 if it is left out
	unsampled bool // it is left out by --every-job, not by the slice
}

// itemOfSeries returns the index in c.items of the virtual machine whose measurements have a key, and false if it is
// left out. The first call for a key adds first as the item, of the given name and with what all such machines have
// in common. A later row of a machine that is left out is counted by the rule that left out the first.
func (c *collection) itemOfSeries(r *row, key, name string, first item) (n int, kept bool, err error) {
	all, _ := c.extra.(map[string]series)
	if all == nil {
		all = map[string]series{}
		c.extra = all
	}
	s, known := all[key]
	switch {
	case known && s.unsampled:
		c.leaveUnsampled()
	case known && s.item < 0:
		c.leaveOutside()
	case !known:
		first.job, first.count, first.machine, first.start = c.jobOf(name), 1, -1, unknown
		first.priority, first.class = rankServe, workload.Production
		s = series{item: len(c.items), unsampled: c.skip}
		if err := c.add(r, first); err != nil {
			return -1, false, err
		}
		if len(c.items) == s.item {
			s.item = -1
		} else {
			c.count("virtual_machines", 1)
		}
		all[key] = s
		c.size++
	}
	return s.item, s.item >= 0, nil
}

// partOf returns amount * used / capacity, without overflow, and amount if used exceeds capacity. Capacity must
// be above 0, and amount and used not below.
func partOf(amount, used, capacity int64) int64 {
	if used >= capacity {
		return amount
	}
	hi, lo := bits.Mul64(uint64(amount), uint64(used))
	n, _ := bits.Div64(hi, lo, uint64(capacity))
	return int64(n)
}

// keepUse keeps measured use, up to four times MaxTasks; beyond, it returns an error about the row.
func (c *collection) keepUse(r *row, u use) error {
	if c.uses = append(c.uses, u); len(c.uses) > 4*c.options.MaxTasks {
		return c.tooMany(r)
	}
	return nil
}

// opendc is what OpenDC's traces hold once they are written as CSV: tasks, and fragments of
// their use.
var opendc = &dataset{
	name: "opendc", title: "OpenDC's traces", shape: workload.ShapeTasks,
	lacks:      "open the table of tasks as well",
	sinceFirst: true,
	assume: machineKind{
		cpu: 64_000, memory: 512 << 20,
		about: "each has 64 cores and 512 GiB: the trace has no machines",
	},
	end: (*collection).endOpenDC,
	tables: []*schema{
		table("tasks",
			"id! submission_time|start_time! stop_time|end_time duration=n cpu_count|max_cores=n! cpu_capacity=n mem_capacity|required_memory=n! gpu_count=n parents", takeOpenDCTask),
		table("fragments", "id! timestamp duration=n! cpu_usage=n! cpu_count", takeFragment),
	},
}

// progress is how far the fragments of a task have come.
type progress struct {
	item     int
	capacity int64
	run      unit.Time
	ends     bool // the task says when it ends
}

// takeOpenDCTask reads a task. Its end is its stop time, else its submission plus its duration; without either, its
// fragments extend it. Its parents are kept for endOpenDC.
func takeOpenDCTask(c *collection, r *row) error {
	const ( // columns of the table
		colID             = 0
		colSubmissionTime = 1
		colStopTime       = 2
		colDuration       = 3
		colCPUCount       = 4
		colCPUCapacity    = 5
		colMemCapacity    = 6
		colGPUCount       = 7
		colParents        = 8
	)
	at, err := r.moment(colSubmissionTime, unit.Millisecond)
	if err != nil {
		return err
	}
	count, err := r.amount(colCPUCount, 3)
	if err != nil {
		return err
	}
	capacity, err := r.orMinus(colCPUCapacity, 6)
	if err != nil {
		return err
	}
	memory, err := r.amount(colMemCapacity, 0)
	if err != nil {
		return err
	}
	it := item{
		job: c.jobOf(r.text(colID)), count: 1, cpu: count, memory: memory, machine: -1, submit: at, start: unknown,
		end: unknown, priority: rankBatch,
	}
	if ms, ok, err := r.scaled(colDuration, 3); err != nil {
		return err
	} else if ok {
		if ms < 0 || ms > maxSeconds*int64(unit.Second) {
			return r.bad(colDuration, trace.ReasonLarge)
		}
		it.end = at + unit.Time(ms)
	}
	if r.has(colStopTime) {
		if it.end, err = r.moment(colStopTime, unit.Millisecond); err != nil {
			return err
		}
		if it.end < at {
			c.leave("end_before_start", "ended before they started")
			return nil
		}
	}
	if r.has(colGPUCount) && r.text(colGPUCount) != "0" {
		c.count("tasks_with_gpus_not_played", 1)
	}
	c.span(at)
	if c.extra == nil {
		c.extra = map[string]*progress{}
	}
	n := len(c.items)
	if err := c.add(r, it); err != nil || len(c.items) == n {
		return err
	}
	c.extra.(map[string]*progress)[r.text(colID)] = &progress{item: n, capacity: capacity, ends: it.end != unknown}
	task := dagTask{item: n, id: r.text(colID)}
	if r.has(colParents) {
		task.before = listed(r.text(colParents))
		c.size += len(task.before)
	}
	c.tasks = append(c.tasks, task)
	return nil
}

// listed returns the elements of a cell such as [1, 2].
func listed(cell string) []string {
	return strings.Fields(strings.NewReplacer("[", " ", "]", " ", ",", " ", "'", " ", "\"", " ").Replace(cell))
}

// takeFragment reads the use of a task during its next piece of time: fragments follow each other from its
// submission. A task without a stated end lasts until its last fragment.
func takeFragment(c *collection, r *row) error {
	const ( // columns of the table
		colID       = 0
		colDuration = 2
		colCPUUsage = 3
	)
	duration, err := r.orMinus(colDuration, 3)
	if err != nil {
		return err
	}
	usage, err := r.orMinus(colCPUUsage, 6)
	if err != nil {
		return err
	}
	tasks, _ := c.extra.(map[string]*progress)
	p := tasks[r.text(colID)]
	if p == nil {
		c.leave("fragment_alone", "fragments of tasks that are not in the files or not kept")
		return nil
	}
	it := &c.items[p.item]
	at := it.submit + p.run
	p.run += unit.Time(max(duration, 0))
	if !p.ends {
		it.end = it.submit + p.run
	}
	c.count("fragments", 1)
	if p.capacity <= 0 || usage < 0 {
		return nil
	}
	if usage > p.capacity+p.capacity/10000 { // less is rounding
		c.count("fragments_beyond_the_capacity", 1)
	}
	return c.keepUse(r, use{at: at, item: int32(p.item), cpu: partOf(it.cpu, usage, p.capacity), memory: it.memory})
}

// endOpenDC delays tasks until their parents would have ended, and their use with them.
func (c *collection) endOpenDC() error {
	begins := make([]unit.Time, len(c.items))
	for i := range c.items {
		begins[i] = c.items[i].submit
	}
	if edges := c.order(c.tasks, true); edges > 0 {
		c.stated = append(c.stated,
			fmt.Sprintf(
				"parents of tasks: %d; a task arrives when it was submitted, or when the last of its parents would have ended had none waited, if that is later", edges,
			))
		for i := range c.uses {
			u := &c.uses[i]
			u.at += c.items[u.item].submit - begins[u.item]
		}
	}
	open := int64(0)
	for i := range c.items {
		if c.items[i].end == unknown {
			open++
		}
	}
	if open > 0 {
		c.stated = append(c.stated,
			"tasks without a duration run for the sum of their fragments: open the table of fragments as well; without it they stay to the end")
	}
	return nil
}

// planetlab is CloudSim's PlanetLab trace: the CPU use of virtual machines on one day, of each
// 288 percents. Neither sizes nor memory are in it.
var planetlab = &dataset{
	name: "planetlab", title: "CloudSim's PlanetLab trace", shape: workload.ShapeTasks,
	lacks:  "open files of virtual machines",
	assume: machineKind{cpu: 16_000, memory: 16 << 10, about: "each has 16 cores and 16 GB: the trace has no machines"},
	end:    (*collection).endPlanetLab,
	tables: []*schema{table("vm", "percent=N", takePercent).headless().of(288)},
}

// takePercent reads the next measurement of a virtual machine, one every 5 minutes. The file is the machine; it
// has one core and 1 GB.
func takePercent(c *collection, r *row) error {
	const colPercent = 0 // column of the table
	milliPercent, err := r.amount(colPercent, 3)
	if err != nil {
		return err
	}
	if milliPercent > 100_000 {
		return r.bad(colPercent, "is no percent")
	}
	name := r.file[strings.LastIndexByte(r.file, '/')+1:]
	n, kept, err := c.itemOfSeries(r, r.file, name, item{cpu: 1000, memory: 1024})
	if err != nil || !kept {
		return err
	}
	it := &c.items[n]
	at := it.end
	c.span(at)
	it.end += 5 * unit.Minute
	return c.keepUse(r, use{at: at, item: int32(n), cpu: it.cpu * milliPercent / 100_000, memory: it.memory})
}

func (c *collection) endPlanetLab() error {
	if len(c.items) > 0 {
		c.stated = append(c.stated,
			"sizes are not in the trace: each virtual machine is taken for one core and 1 GB, and its use is what was measured; other simulators take other sizes, so results may differ")
	}
	return nil
}
