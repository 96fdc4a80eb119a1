package field

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"parley/core/rng"
	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
)

// google2019 is Google's trace of 2019, of eight Borg cells, as JSON lines or as CSV with a line
// of names. Times are microseconds: 0 is before the trace and 2^63-1 after it. CPU and memory
// are parts of the largest machine.
var google2019 = &dataset{
	name: "google2019", title: "the Google trace of 2019", shape: workload.ShapeTasks,
	lacks: "open instance_events as well",
	assume: machineKind{
		cpu: whole, memory: whole,
		about: "each is as large as the largest machine of the trace; open machine_events as well to play the recorded ones",
	},
	end: (*collection).endBorg,
	tables: []*schema{
		refused("joined_sample", "time! instance_events_type! collection_id! instance_index!",
			"is the joined sample of the Google trace of 2019: its rows are windows of use that were picked at random, so when an instance was submitted and how long it ran cannot be had from it; open instance_events of the trace itself (gs://clusterdata_2019_a/instance_events-*.json.gz), or play the windows as jobs of one processor: --map 'submit=start_time:us, start=start_time:us, end=end_time:us, processors=always:1'"),
		table("instance_usage",
			"start_time! end_time! collection_id! instance_index! average_usage.cpus|average_usage_cpu|avg_cpu average_usage.memory|avg_memory average_usage", takeUsage).lines(),
		table("machine_attributes", "time! machine_id! name! value deleted", nil).lines(),
		table("instance_events",
			"time! type|event|event_type collection_id! instance_index! collection_type priority machine_id alloc_collection_id alloc_instance_index resource_request.cpus|resource_request.cpu|cpus|cpu|cpu_request|request_cpu|requested_cpu|req_cpu resource_request.memory|memory|mem|memory_request|mem_request|request_memory|requested_memory|req_mem constraint missing_type resource_request", takeInstance).lines(),
		table("collection_events",
			"time! type|event|event_type collection_id! collection_type priority user alloc_collection_id parent_collection_id start_after_collection_ids", takeCollection).lines(),
		table("machine_events",
			"time! machine_id! type! switch_id capacity.cpus|capacity.cpu|cpus|cpu|cpu_capacity capacity.memory|memory|memory_capacity platform_id", takeMachineEvent).lines(),
	},
}

// The events of a collection or an instance, in the numbers of 2019.
const (
	borgSubmit = iota
	borgQueue
	borgEnable
	borgSchedule
	borgEvict
	borgFail
	borgFinish
	borgKill
	borgLost
	borgUpdatePending
	borgUpdateRunning
	borgTypes
)

var borgNames = [borgTypes]string{
	"SUBMIT", "QUEUE", "ENABLE", "SCHEDULE", "EVICT", "FAIL", "FINISH", "KILL",
	"LOST", "UPDATE_PENDING", "UPDATE_RUNNING",
}

// borgEvent is a row of instance_events.
type borgEvent struct {
	at          unit.Time
	job         uint64
	index       uint32
	kind        uint8
	alloc       bool // the instance is of an alloc set
	inside      bool // it sits in an alloc instance
	priority    int16
	cpu, memory int64
	machine     int32
}

// borg collects the rows of collections and instances until all are read.
type borg struct {
	events      []borgEvent
	collections map[uint64]*borgCollection
	order       []uint64 // of collections, by first row
	inAllocs    int64    // instances that ran inside an alloc instance
	changes     []machineChange
	uses        []borgUse
	joined      map[int32]bool // whether a machine of machine_events is there at the moment
}

// borgCollection is a job or an alloc set.
type borgCollection struct {
	user        uint32
	priority    int16
	before      bool // it was there when the recording began
	first, last unit.Time
	ended       bool
	alloc       bool
}

func (c *collection) borg() *borg {
	if c.extra == nil {
		c.extra = &borg{collections: map[uint64]*borgCollection{}, joined: map[int32]bool{}}
	}
	return c.extra.(*borg)
}

// micros returns a column of microseconds; 2^63-1 is unit.Forever.
func (r *row) micros(column int) (unit.Time, error) {
	n, reason := trace.Whole(r.cells[column], math.MaxInt64)
	if reason == trace.ReasonWhole { // tables that went through floats
		if n, reason = trace.Decimal(r.cells[column], 0); reason == trace.ReasonLarge {
			return unit.Forever, nil
		}
	}
	if reason != "" {
		return 0, r.bad(column, reason)
	}
	return unit.Time(n), nil
}

// enumerated returns the index of a cell that is one of names, in any case, or a number below len(names); 0 if the
// cell is empty.
func (r *row) enumerated(column int, names []string) (int, error) {
	if !r.has(column) {
		return 0, nil
	}
	if i := slices.Index(names, strings.ToUpper(r.text(column))); i >= 0 {
		return i, nil
	}
	n, reason := trace.Decimal(r.cells[column], 0)
	switch {
	case reason == trace.ReasonNumber:
		reason = "is no event of the trace: they are the numbers 0 to " + fmt.Sprint(len(names)-1) + " or names such as " +
			names[0]
	case reason == "" && n >= uint64(len(names)):
		reason = "is not between 0 and " + fmt.Sprint(len(names)-1)
	}
	if reason != "" {
		return 0, r.bad(column, reason)
	}
	return int(n), nil
}

// id returns a cell that is the number of a job or machine; a number with a zero fraction is accepted, because
// tables that went through floats have such.
func (r *row) id(column int) (uint64, error) {
	n, reason := trace.Whole(r.cells[column], math.MaxInt64)
	if reason == trace.ReasonWhole {
		n, reason = trace.Decimal(r.cells[column], 0)
	}
	if reason != "" {
		return 0, r.bad(column, reason)
	}
	return n, nil
}

// priorityOf returns a priority of 0 to 10,000, or -1 if the cell is empty.
func (r *row) priorityOf(column int) (int16, error) {
	v, ok, err := r.scaled(column, 0)
	switch {
	case err != nil:
		return 0, err
	case ok && (v < 0 || v > 10_000):
		return 0, r.bad(column, "is not between 0 and 10000")
	case !ok:
		v = -1
	}
	return int16(v), nil
}

// entry returns the value of a name in a cell such as {'cpus': 0.02, 'memory': 0.01}, which is how pandas writes
// nested values; nil if the name is not in it.
func entry(cell []byte, name string) []byte {
	_, after, found := bytes.Cut(cell, []byte(name))
	if !found {
		return nil
	}
	after = bytes.TrimLeft(after, "'\": ")
	if end := bytes.IndexAny(after, ",}"); end >= 0 {
		after = after[:end]
	}
	return bytes.TrimSpace(after)
}

// tier returns the tier of a priority by the document of the trace.
func tier(priority int16) string {
	switch {
	case priority < 0:
		return "without_a_priority"
	case priority <= 99:
		return "free_tier"
	case priority <= 115:
		return "best_effort_batch_tier"
	case priority <= 119:
		return "mid_tier"
	case priority <= 359:
		return "production_tier"
	}
	return "monitoring_tier"
}

func isAllocSet(r *row, column int) bool {
	return r.text(column) == "1" || r.text(column) == "ALLOC_SET" || r.text(column) == "1.0"
}

// takeCollection reads a row of collection_events: it notes the user, the priority, the first and last moment of
// the collection, and counts fields that are not played. No work is added.
func takeCollection(c *collection, r *row) error {
	const ( // columns of the table
		colTime               = 0
		colType               = 1
		colCollectionID       = 2
		colCollectionType     = 3
		colPriority           = 4
		colUser               = 5
		colParentCollectionID = 7
		colStartAfter         = 8
	)
	at, err := r.micros(colTime)
	if err != nil {
		return err
	}
	kind, err := r.enumerated(colType, borgNames[:])
	if err != nil {
		return err
	}
	id, err := r.id(colCollectionID)
	if err != nil {
		return err
	}
	priority, err := r.priorityOf(colPriority)
	if err != nil {
		return err
	}
	if at < unit.Forever {
		c.span(at)
	}
	if !c.holdsCollection(at, id) {
		c.leaveOutside()
		return nil
	}
	b := c.borg()
	k := b.collections[id]
	if k == nil {
		k = &borgCollection{first: at, priority: priority}
		b.collections[id], b.order = k, append(b.order, id)
		c.size++
	}
	k.first = min(k.first, at)
	k.before = k.before || at == 0
	k.alloc = k.alloc || isAllocSet(r, colCollectionType)
	if priority >= 0 {
		k.priority = priority
	}
	if r.has(colUser) {
		k.user = c.userOf(r.text(colUser))
	}
	if kind >= borgEvict && kind <= borgLost && at < unit.Forever {
		k.ended, k.last = true, max(k.last, at)
	}
	if r.has(colParentCollectionID) && r.text(colParentCollectionID) != "0" {
		c.count("rows_with_a_parent_not_played", 1)
	}
	if after := r.text(colStartAfter); after != "" && after != "[]" && after != "null" && after != "nan" {
		c.count("rows_that_start_after_others_not_played", 1)
	}
	c.count("collection_events_"+strings.ToLower(borgNames[kind]), 1)
	return nil
}

func (c *collection) tooMany(r *row) error {
	return &trace.Error{
		Kind: trace.TooLarge, File: r.file, Line: r.line,
		Reason: fmt.Sprintf("with this row there are more than %d events or names to sort by time", 2*c.options.MaxTasks),
		Hint:   "take one of every few jobs with --every-job, or allow more with --max-tasks",
	}
}

// takeInstance reads a row of instance_events into an event; endBorg makes tasks of the events when all are read.
// It is limited to twice MaxTasks events.
func takeInstance(c *collection, r *row) error {
	const ( // columns of the table
		colTime              = 0
		colType              = 1
		colCollectionID      = 2
		colInstanceIndex     = 3
		colCollectionType    = 4
		colPriority          = 5
		colMachineID         = 6
		colAllocCollectionID = 7
		colCPU               = 9
		colMemory            = 10
		colConstraint        = 11
		colMissingType       = 12
		colResourceRequest   = 13
	)
	if !r.there(colType) {
		e := r.bad(-1,
			"is of a table of requests without a column type, which says whether an instance was submitted, started or ended: how long anything runs is not known")
		e.Hint = "open the instance_events that the table was made of"
		return e
	}
	at, err := r.micros(colTime)
	if err != nil {
		return err
	}
	kind, err := r.enumerated(colType, borgNames[:])
	if err != nil {
		return err
	}
	id, err := r.id(colCollectionID)
	if err != nil {
		return err
	}
	index, err := r.id(colInstanceIndex)
	if err != nil {
		return err
	}
	if index > math.MaxUint32 {
		return r.bad(colInstanceIndex, trace.ReasonLarge)
	}
	priority, err := r.priorityOf(colPriority)
	if err != nil {
		return err
	}
	if r.has(colResourceRequest) && !r.has(colCPU) && !r.has(colMemory) {
		r.cells[9], r.cells[10] = entry(r.cells[13], "cpus"), entry(r.cells[13], "memory")
	}
	cpu, err := r.amount(colCPU, 6)
	if err != nil {
		return err
	}
	memory, err := r.amount(colMemory, 6)
	if err != nil {
		return err
	}
	if at < unit.Forever {
		c.span(at)
	}
	if every := c.options.EveryJob; every > 1 {
		if c.skip = rng.Mix(id)%every != 0; c.skips() {
			return nil
		}
	}
	if !c.holdsEvent(at, id, uint32(index)) {
		c.leaveOutside()
		return nil
	}
	e := borgEvent{
		at: at, job: id, index: uint32(index), kind: uint8(kind), priority: priority,
		cpu: cpu, memory: memory, machine: -1, alloc: isAllocSet(r, colCollectionType),
	}
	if r.has(colAllocCollectionID) && r.text(colAllocCollectionID) != "0" {
		e.inside = true
	}
	if m := r.name(colMachineID); r.has(colMachineID) && m != "0" && m != "-1" {
		e.machine = c.machineOf(m)
	}
	if constraints := r.text(colConstraint); constraints != "" && constraints != "[]" && constraints != "null" {
		c.count("rows_with_constraints_not_played", 1)
	}
	if missing, ok, _ := r.scaled(colMissingType, 0); ok && missing > 0 {
		c.count("rows_that_the_publisher_made", 1)
	}
	b := c.borg()
	b.events = append(b.events, e)
	if len(b.events) > 2*c.options.MaxTasks {
		return c.tooMany(r)
	}
	c.count("instance_events_"+strings.ToLower(borgNames[kind]), 1)
	return nil
}

// beginning is the time at which the trace begins: work at an earlier time existed before it.
const beginning = 600 * unit.Second

// endBorg makes a task of the events of each instance.
func (c *collection) endBorg() error {
	b := c.borg()
	c.tellCollections(b)
	c.joinMachines(b)
	slices.SortStableFunc(b.events, func(x, y borgEvent) int {
		return cmp.Or(cmp.Compare(x.job, y.job), cmp.Compare(x.index, y.index), cmp.Compare(x.at, y.at),
			cmp.Compare(rank(x.kind), rank(y.kind)))
	})
	for i := 0; i < len(b.events); {
		k := i
		for k < len(b.events) && b.events[k].job == b.events[i].job && b.events[k].index == b.events[i].index {
			k++
		}
		c.instance(b, b.events[i:k])
		i = k
	}
	b.events = nil
	c.matchUses(b)
	c.count("instances_inside_allocs", b.inAllocs)
	return nil
}

// rank orders events of one moment as they follow each other in a life: an instance is submitted, scheduled, ended.
func rank(kind uint8) int {
	switch kind {
	case borgSubmit, borgQueue, borgEnable:
		return int(kind)
	case borgUpdatePending:
		return 3
	case borgSchedule:
		return 4
	case borgUpdateRunning:
		return 5
	}
	return 6
}

// tellCollections counts jobs and alloc sets by tier. If there are no events of instances, it also describes the
// first three.
func (c *collection) tellCollections(b *borg) {
	for _, id := range b.order {
		k := b.collections[id]
		kind := "collections_of_the_"
		if k.priority < 0 {
			kind = "collections_"
		}
		c.count(kind+tier(k.priority), 1)
		if k.alloc {
			c.count("alloc_sets", 1)
		}
		if k.before {
			c.count("collections_there_before_the_trace", 1)
		}
		if !k.ended {
			c.count("collections_alive_at_the_end", 1)
		}
		if len(b.events) > 0 || len(c.summary.first) >= 3 {
			continue
		}
		words := fmt.Sprintf("collection %d: priority %d, %s", id, k.priority,
			strings.ReplaceAll(tier(k.priority), "_", " "))
		if k.before {
			words += ", there before the trace began"
		} else {
			words += fmt.Sprintf(", first seen at %g s", k.first.Seconds())
		}
		if k.ended {
			words += fmt.Sprintf(", ended at %g s", k.last.Seconds())
		} else {
			words += ", alive at the end: it has no end time"
		}
		c.summary.first = append(c.summary.first, words)
	}
	c.count("collections", int64(len(b.order)))
}

// instance makes a task of the events of one instance, at least one, in the order of its life. Its last attempt
// is played; an instance that ended and was never scheduled, or that is inside an alloc that is played, is left
// out.
func (c *collection) instance(b *borg, events []borgEvent) {
	e := events[0]
	it := item{
		job: e.job, first: e.index, count: 1, cpu: -1, memory: -1, machine: -1, submit: unknown, start: unknown,
		end: unknown,
	}
	priority, inside, alloc, attempts := int16(-1), false, false, int64(0)
	ended, before := uint8(0), e.at == 0
	for _, e := range events {
		if e.priority >= 0 {
			priority = e.priority
		}
		inside, alloc = inside || e.inside, alloc || e.alloc
		if e.cpu >= 0 && (it.cpu < 0 || it.start == unknown || e.kind == borgSchedule) {
			it.cpu, it.memory = e.cpu, max(e.memory, 0)
		}
		switch e.kind {
		case borgSubmit, borgQueue:
			if it.submit == unknown && e.at < unit.Forever {
				it.submit = e.at
			}
		case borgEnable:
			if it.start == unknown && ended == 0 && e.at < unit.Forever { // the scheduler may not see it earlier
				it.submit = e.at
			}
		case borgSchedule:
			if e.at == unit.Forever {
				continue
			}
			if it.start != unknown || ended != 0 {
				attempts++
			}
			it.start, it.end, it.machine, ended = e.at, unknown, e.machine, 0
		case borgEvict, borgFail, borgFinish, borgKill, borgLost:
			if e.at < unit.Forever {
				it.end, ended = e.at, e.kind
			}
		case borgUpdateRunning:
			if it.start == unknown && e.at < unit.Forever && ended == 0 {
				it.machine = e.machine
			}
		}
	}
	c.count("instances_of_the_"+tier(priority), 1)
	if before {
		c.count("instances_there_before_the_trace", 1)
	}
	c.repair("earlier_attempts", "attempts that were evicted or failed before the last one: the last is played",
		attempts)
	n := int64(len(events))
	switch {
	case it.end != unknown && it.start == unknown && !before:
		c.rule("no_schedule", "rows of instances that ended, and no row says that they were scheduled", n, false)
		return
	case inside && !alloc:
		b.inAllocs++
		if c.hasAlloc(b) {
			c.rule("inside_alloc",
				"rows of instances inside an alloc, which take from what the alloc reserves: the alloc is played",
				n, false)
			return
		}
	}
	if ended != 0 && ended != borgFinish {
		c.repair("lower_bounds", "run times that are lower bounds, of instances that did not finish", 1)
	}
	if it.submit == unknown {
		it.submit = e.at
	}
	if it.submit == unit.Forever {
		c.rule("after_the_end", "rows of instances that the trace has only after its end", n, false)
		return
	}
	if k := b.collections[it.job]; k != nil {
		it.user = k.user
		if priority < 0 {
			priority = k.priority
		}
	}
	it.priority = uint8(max(0, min(255, int(priority)/2)))
	if priority >= 120 {
		it.class = workload.Production
	}
	if c.sliced && c.outside(&it) {
		return
	}
	c.items = append(c.items, it)
}

// hasAlloc reports whether the files have instances of alloc sets.
func (c *collection) hasAlloc(b *borg) bool {
	return slices.ContainsFunc(b.events, func(e borgEvent) bool { return e.alloc })
}
