package field

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
)

// azure is Azure's trace of virtual machines, of 2017 and of 2019: which were there from when to
// when, and how large they were. In the edition of 2019 sizes are buckets.
var azure = &dataset{
	name: "azure", title: "Azure's traces of virtual machines (2017 and 2019)", shape: workload.ShapeTasks,
	lacks: "open vmtable.csv as well",
	assume: machineKind{
		cpu: 64_000, memory: 512 << 10,
		about: "each has 64 cores and 512 GB: the trace has no machines",
	},
	end: (*collection).endAzure,
	tables: []*schema{
		table("vmtable",
			"vmid! subscriptionid deploymentid vmcreated|timestamp~vm~created=N! vmdeleted|timestamp~vm~deleted=n! maxcpu=n avgcpu=n p95maxcpu=n vmcategory=(Delay-insensitive|Interactive|Unkown|Unknown) vmcorecount|vmcorecountbucket|vm~virtual~core~count|vm~virtual~core~count~bucket|cores|core_count|cpu_cores|vcpus! vmmemory|vmmemorybucket|vm~memory~(gb)|vm~memory~(gb)~bucket|memory|memory_gb|mem!", takeVM).headless(),
		table("vm_cpu_readings", "timestamp=N! vmid=h! mincpu=n! maxcpu=n! avgcpu=n!", takeReading).headless(),
		table("subscriptions", "subscriptionid=h! firstvmcreated=N! vmcount=N!", nil).headless(),
		table("deployments", "deploymentid=h! deploymentsize=N!", nil).headless(),
	},
}

// lastReading is the last moment of the trace: machines deleted then still existed at its end.
const lastReading = 2_591_700 * unit.Second

// bucket reads a size, which may be a bucket such as >24.
func (r *row) bucket(column, places int, beyond int64) (n int64, open bool, err error) {
	if bytes.HasPrefix(r.cells[column], []byte(">")) {
		return beyond, true, nil
	}
	n, err = r.amount(column, places)
	return n, false, err
}

// takeVM reads a row of vmtable as a task. Sizes are upper bounds of buckets in cores and GB; the open bucket is
// taken as 32 cores or 112 GB. A machine whose deletion is at the last reading stays to the end.
func takeVM(c *collection, r *row) error {
	const ( // columns of the table
		colVM       = 0
		colCreated  = 3
		colDeleted  = 4
		colCategory = 8
		colCores    = 9
		colMemory   = 10
	)
	created, err := r.seconds(colCreated)
	if err != nil {
		return err
	}
	deleted, err := r.seconds(colDeleted)
	if err != nil {
		return err
	}
	cores, open, err := r.bucket(colCores, 3, 32_000)
	if err != nil {
		return err
	}
	memory, large, err := r.bucket(colMemory, 3, 112_000)
	if err != nil {
		return err
	}
	c.span(created)
	if r.has(colCategory) {
		c.count("category_"+strings.ReplaceAll(strings.ToLower(strings.Replace(r.text(colCategory), "Unkown", "Unknown", 1)), "-",
			"_"), 1)
	}
	if open || large {
		c.repair("open_buckets",
			"sizes that are given as more than 24 cores or 64 GB, which are taken as 32 cores and 112 GB", 1)
	}
	if created <= 0 {
		c.count("there_before_the_trace", 1)
	}
	switch {
	case deleted == unknown, deleted >= lastReading:
		deleted = unknown
	case deleted < created:
		c.leave("end_before_start", "ended before they started")
		return nil
	}
	it := item{
		job: c.jobOf(r.text(colVM)), count: 1, cpu: cores, memory: memory * 1024 / 1000, machine: -1,
		submit: created, start: unknown, end: deleted, priority: rankBatch,
	}
	if r.text(colCategory) == "Interactive" {
		it.priority, it.class = rankServe, workload.Production
	}
	return c.add(r, it)
}

// readings counts those of virtual machines that the table has.
type readings struct{ of, all int64 }

// takeReading counts a reading of use, and whether its virtual machine is in the table.
func takeReading(c *collection, r *row) error {
	const ( // columns of the table
		colTimestamp = 0
		colVM        = 1
	)
	at, err := r.seconds(colTimestamp)
	if err != nil {
		return err
	}
	c.span(at)
	if c.extra == nil {
		c.extra = &readings{}
	}
	n := c.extra.(*readings)
	n.all++
	if _, known := c.jobs[r.text(colVM)]; known {
		n.of++
	}
	c.leave("readings", "readings of use, which are not played: use is synthesised")
	return nil
}

// endAzure says how many readings belong to a virtual machine of the table.
func (c *collection) endAzure() error {
	n, are := c.extra.(*readings)
	if !are || !c.has("vmtable") {
		return nil
	}
	if n.of == 0 {
		c.stated = append(c.stated,
			fmt.Sprintf(
				"none of the %d readings belongs to a virtual machine of the table: they are of another edition of the trace", n.all,
			))
	} else {
		c.stated = append(c.stated, fmt.Sprintf("%d of the %d readings belong to a virtual machine of the table",
			n.of, n.all))
	}
	return nil
}

// azure2020 is Azure's trace for packing of 2020. A virtual machine takes a different fraction of
// each kind of machine that can host it.
var azure2020 = &dataset{
	name: "azure2020", title: "Azure's packing trace of 2020", shape: workload.ShapeTasks,
	lacks:  "open the table vm as well, written as in sqlite3 -header -csv packing_trace_zone_a_v1.sqlite 'select * from vm' > vm.csv",
	assume: machineKind{cpu: whole, memory: whole, about: "each is a whole machine of the chosen kind"},
	end:    (*collection).endPacking,
	tables: []*schema{
		table("vmType", "vmTypeId! machineId! core=n! memory=n! hdd=n ssd=n nic=n", takeVMType),
		table("vm", "vmId! tenantId vmTypeId! priority=n starttime=n! endtime=n!", takePackedVM),
	},
}

// part is the part of a machine of a kind that a type of virtual machine takes.
type part struct {
	kind        int64
	cpu, memory int64
}

// packing holds the types, and the type of each item.
type packing struct {
	types map[string][]part
	names []string
	of    []string
}

func (c *collection) packing() *packing {
	if c.extra == nil {
		c.extra = &packing{types: map[string][]part{}}
	}
	return c.extra.(*packing)
}

// takeVMType reads a row of vmType: one way to place a type of virtual machine on a kind of server, with the parts
// of the server that it takes.
func takeVMType(c *collection, r *row) error {
	const ( // columns of the table
		colVMType    = 0
		colMachineID = 1
		colCore      = 2
		colMemory    = 3
	)
	kind, err := r.amount(colMachineID, 0)
	if err != nil {
		return err
	}
	cpu, err := r.amount(colCore, 6)
	if err != nil {
		return err
	}
	memory, err := r.amount(colMemory, 6)
	if err != nil {
		return err
	}
	p, name := c.packing(), r.text(colVMType)
	if p.types[name] == nil {
		p.names = append(p.names, name)
		c.size++
	}
	if len(p.types[name]) >= 1000 || len(p.names) > 100_000 {
		return r.bad(-1, "is one of more types or kinds than a table of this trace has")
	}
	p.types[name] = append(p.types[name], part{kind, max(cpu, 0), max(memory, 0)})
	c.count("ways_to_place", 1)
	return nil
}

// takePackedVM reads a row of the table vm, whose times are days. Its request is filled in when the types are
// known; here its type is kept.
func takePackedVM(c *collection, r *row) error {
	const ( // columns of the table
		colVM        = 0
		colVMType    = 2
		colPriority  = 3
		colStartTime = 4 // the end is behind it
	)
	var times [2]unit.Time
	for i := range times {
		v, ok, err := r.scaled(colStartTime+i, 6)
		switch {
		case err != nil:
			return err
		case !ok:
			times[i] = unknown
		case v > 1e12 || v < -1e12:
			return r.bad(colStartTime+i, trace.ReasonLarge)
		default:
			times[i] = unit.Time(v) * (unit.Day / 1_000_000) // fractions of days
		}
	}
	priority, ok, err := r.scaled(colPriority, 0)
	if err != nil {
		return err
	}
	c.span(times[0])
	it := item{
		job: c.jobOf(r.text(colVM)), count: 1, cpu: 0, memory: 0, machine: -1, submit: times[0], start: unknown,
		end: times[1], priority: rankBatch,
	}
	if ok && priority == 0 {
		it.priority, it.class = rankServe, workload.Production
		c.count("high_priority", 1)
	}
	switch {
	case times[0] == unknown:
		c.leave("no_start", "without a start")
		return nil
	case times[1] != unknown && times[1] < times[0]:
		c.leave("end_before_start", "ended before they started")
		return nil
	case times[0] < 0:
		c.count("there_before_the_trace", 1)
	}
	n := len(c.items)
	err = c.add(r, it)
	if err == nil && len(c.items) > n {
		p := c.packing()
		p.of = append(p.of, r.text(colVMType))
	}
	return err
}

// endPacking chooses the kind of machine that most virtual machines may be put on.
func (c *collection) endPacking() error {
	p := c.packing()
	if len(p.types) == 0 && len(c.items) > 0 {
		return &trace.Error{
			Kind: trace.NoTasks, File: c.given["vm"],
			Reason: "says of which type virtual machines are, and the table vmType, which says what a type takes, is not there", Hint: "open it as well, written as in sqlite3 -header -csv packing_trace_zone_a_v1.sqlite 'select * from vmType' > vmType.csv",
		}
	}
	placeable := map[int64]int{}
	weigh := func(name string) {
		for _, way := range p.types[name] {
			placeable[way.kind]++
		}
	}
	for _, name := range p.of {
		weigh(name)
	}
	if len(p.of) == 0 {
		for _, name := range p.names {
			weigh(name)
		}
	}
	best, kinds := int64(-1), make([]int64, 0, len(placeable))
	for kind := range placeable {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		if best < 0 || placeable[kind] > placeable[best] {
			best = kind
		}
	}
	c.count("vm_types", int64(len(p.names)))
	c.count("kinds_of_machine", int64(len(kinds)))
	for _, name := range p.names[:min(3, len(p.names))] {
		c.summary.first = append(c.summary.first, p.words(name))
	}
	if len(c.items) == 0 {
		return nil
	}
	c.stated = append(c.stated,
		fmt.Sprintf(
			"a virtual machine may be put on several kinds of machine and takes another part of each: played are machines of kind %d, on which most may be put", best,
		))
	kept := c.items[:0]
	for i, it := range c.items {
		k := slices.IndexFunc(p.types[p.of[i]], func(way part) bool { return way.kind == best })
		if k < 0 {
			c.leave("other_kind",
				"virtual machines that may not be put on the chosen kind of machine, or whose type is not in vmType")
			continue
		}
		it.cpu, it.memory = p.types[p.of[i]][k].cpu, p.types[p.of[i]][k].memory
		kept = append(kept, it)
	}
	c.items = kept
	return nil
}

// words describes the parts that a type takes.
func (p *packing) words(name string) string {
	ways := make([]string, 0, len(p.types[name]))
	for _, w := range p.types[name] {
		ways = append(ways, fmt.Sprintf("(kind %d: %s of its CPU, %s of its memory)",
			w.kind, strconv.FormatFloat(float64(w.cpu)/whole, 'f', -1, 64),
			strconv.FormatFloat(float64(w.memory)/whole, 'f', -1, 64)))
		if len(ways) == 10 {
			break
		}
	}
	return "type " + name + " takes of one machine " + strings.Join(ways, " or ")
}

// huawei is Huawei's trace of virtual machines. One row creates a machine, another deletes it.
var huawei = &dataset{
	name: "huawei", title: "Huawei's trace of virtual machines", shape: workload.ShapeTasks,
	lacks: "open Huawei-East-1.csv",
	assume: machineKind{
		cpu: 64_000, memory: 256 << 10,
		about: "each has 64 cores and 256 GB: the trace has no machines",
	},
	tables: []*schema{table("requests", "vmid! cpu=n! memory=n! time=N! type=n!", takeHuawei)},
}

// takeHuawei reads a row that creates a virtual machine (type 0) or deletes one (type 1), which gives the item of its
// creation its end. A machine without a deletion stays.
func takeHuawei(c *collection, r *row) error {
	const ( // columns of the table
		colVM     = 0
		colCPU    = 1
		colMemory = 2
		colTime   = 3
		colType   = 4
	)
	at, err := r.seconds(colTime)
	if err != nil {
		return err
	}
	cpu, err := r.amount(colCPU, 3)
	if err != nil {
		return err
	}
	memory, err := r.amount(colMemory, 3)
	if err != nil {
		return err
	}
	c.span(at)
	if c.extra == nil {
		c.extra = map[string]int{}
	}
	alive := c.extra.(map[string]int)
	if c.jobOf(r.text(colVM)); c.skips() {
		return nil
	}
	switch r.text(colType) {
	case "0":
		n := len(c.items)
		if err := c.add(r, item{
			job: c.jobOf(r.text(colVM)), count: 1, cpu: cpu, memory: memory * 1024 / 1000, machine: -1,
			submit: at, start: unknown, end: unknown, priority: rankServe, class: workload.Production,
		}); err != nil {
			return err
		}
		if len(c.items) > n {
			alive[r.text(colVM)] = n
			c.count("created", 1)
		}
	case "1":
		if n, known := alive[r.text(colVM)]; known {
			c.items[n].end = max(at, c.items[n].submit)
			delete(alive, r.text(colVM))
			c.count("deleted", 1)
		} else {
			c.leave("deleted_unknown", "deletions of virtual machines that no row created")
		}
	default:
		return r.bad(colType, "is neither 0, a creation, nor 1, a deletion")
	}
	return nil
}
