package field

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/core/rng"
	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
)

// item is one row as work: tasks of equal size, or a rigid job. Amounts are per instance and
// -1 if they are not known: CPU in thousandths of a core, or millionths of the largest
// machine; memory in the unit of the trace's machines; GPUs in thousandths of a device.
type item struct {
	job                uint64
	first              uint32 // the number of its first instance within the job
	count              int32
	cpu, memory        int64
	gpu                int32
	spec               int32 // which models of GPU it takes: a place in collection.specs; 0: any
	machine            int32 // where it was placed: a place in collection.machines; -1: unknown
	user               uint32
	priority           uint8
	class              workload.PriorityClass
	submit, start, end unit.Time // unknown if the trace has none; an end may be open
	limit              unit.Time // of a rigid job: how long its user says it may run; 0 if unknown
}

// use is measured use of an item from a moment on.
type use struct {
	at          unit.Time
	item        int32
	cpu, memory int64 // as of items
}

// machine is one of a trace's machines.
type machine struct {
	name        string
	cpu, memory int64 // as of items
	gpu         int64 // devices
	held        int64 // the most devices that a job held in it; of Philly
	model       string
	rack        int32 // -1: unknown
	used        bool  // a row names it, and no table of machines does
	from        unit.Time
}

// rule counts the rows to which one rule was applied.
type rule struct {
	trace.Count
	repair bool
}

// collection gathers the rows of a trace.
type collection struct {
	data     *dataset
	options  trace.Options
	items    []item
	machines []machine
	byName   map[string]int32
	users    map[string]uint32
	jobs     map[string]uint64
	taken    map[uint64]struct{}
	free     uint64            // no number up to it is given to another job
	joined   int               // rows that repeat data of another table
	skip     bool              // the last requested job is not kept
	next     map[uint64]uint32 // instances of a job so far
	given    map[string]string // the tables that are there, and a file of each
	sliced   bool              // not all work is kept
	fresh    string            // a job that no row above is of; "": there is none
	looks    *survey           // nil: this is not the first reading of a slice
	seen     *survey           // the result of a first reading; nil if there was none
	wanted   map[uint32]bool   // users whose work is kept; nil: all
	specs    []string
	rules    []rule
	summary  Summary
	report   *trace.FileReport // of the file that is being read
	dated    bool              // it had a row with a time
	above    unit.Time         // of the row above
	peak     [3]int64          // CPU, memory and GPUs that were held at once
	turns    []turn            // when items begin and cease to hold machines, in the order of time
	size     int               // entries in memory besides items
	origin   unit.Time
	extra    any       // state of the dataset's own rows, of a type that it chooses; nil before the first
	platform *platform // that was given beside a workload of Batsim; may be nil
	stated   []string  // more than counts
	changes  []machineChange
	uses     []use
	tasks    []dagTask // those that may have predecessors
}

// newCollection returns an empty collection for the files of a dataset.
func newCollection(d *dataset, o trace.Options) *collection {
	c := &collection{
		data: d, options: o, byName: map[string]int32{}, users: map[string]uint32{}, jobs: map[string]uint64{},
		taken: map[uint64]struct{}{}, given: map[string]string{}, next: map[uint64]uint32{}, specs: []string{""},
		summary: Summary{
			Trace: d.title, Counts: map[string]int64{}, States: map[string]int64{},
			Models: map[string]int64{},
		},
	}
	c.slice()
	return c
}

// leave counts a row that is not played.
func (c *collection) leave(id, about string) { c.rule(id, about, 1, false) }

// repair counts a decision about a row.
func (c *collection) repair(id, about string, n int64) { c.rule(id, about, n, true) }

// rule adds n to the count of a rule: of rows that are left out, or, with repair, of decisions about rows that
// are played. about describes the rule in the report; the first call for an id sets it.
func (c *collection) rule(id, about string, n int64, repair bool) {
	if n == 0 {
		return
	}
	i := slices.IndexFunc(c.rules, func(r rule) bool { return r.Rule == id })
	if i < 0 {
		i = len(c.rules)
		c.rules = append(c.rules, rule{trace.Count{Rule: id, About: about}, repair})
	}
	c.rules[i].Count.Count += n
}

// counted returns how many rows a rule left out or decided.
func (c *collection) counted(id string) int64 {
	for i := range c.rules {
		if c.rules[i].Rule == id {
			return c.rules[i].Count.Count
		}
	}
	return 0
}

// count counts something of the summary.
func (c *collection) count(name string, n int64) {
	if n != 0 && (len(c.summary.Counts) < 200 || c.summary.Counts[name] > 0) {
		c.summary.Counts[name] += n
	}
}

// state counts a row by its state.
func (c *collection) state(text string) {
	if text != "" && (len(c.summary.States) < 50 || c.summary.States[text] > 0) {
		c.summary.States[text]++
	}
}

// jobOf returns the number of a job by its name: the one that the name is or ends in, as in j_17 or pod-0017, if
// no other job has it; else the next free one. If the job is not in the sample of --every-job, it returns 0 and
// skips reports true until the next call.
func (c *collection) jobOf(name string) uint64 {
	c.skip, c.fresh = false, ""
	if n, known := c.jobs[name]; known {
		return n
	}
	if c.skip = !c.samples(name); c.skip {
		return 0
	}
	n, reason := trace.Whole([]byte(name[strings.LastIndexAny(name, "_-")+1:]), 1<<53)
	if _, taken := c.taken[n]; reason != "" || taken {
		for n = c.free; taken || n == c.free; n++ {
			_, taken = c.taken[n+1]
		}
		c.free = n
	}
	c.jobs[name] = n
	c.taken[n] = struct{}{}
	c.size++
	c.fresh = name
	return n
}

// samples reports whether --every-job keeps a job, by a hash of its name: one in EveryJob on average.
func (c *collection) samples(name string) bool {
	every := c.options.EveryJob
	if every <= 1 {
		return true
	}
	h := uint64(0)
	for _, b := range []byte(name) {
		h = rng.Mix(h ^ uint64(b))
	}
	return h%every == 0
}

// userOf returns the number of a user by its name; 0 if it has none.
func (c *collection) userOf(name string) uint32 {
	if name == "" {
		return 0
	}
	n, known := c.users[name]
	if !known {
		n = uint32(len(c.users) + 1)
		c.users[name] = n
		c.size++
	}
	return n
}

// machineOf returns the index of a machine in c.machines by its name. A new one is added, of unknown size (-1).
func (c *collection) machineOf(name string) int32 {
	i, known := c.byName[name]
	if !known {
		i = int32(len(c.machines))
		c.byName[name] = i
		c.machines = append(c.machines, machine{name: name, cpu: -1, memory: -1, rack: -1, used: true})
		c.size++
	}
	return i
}

// placedOn returns the index of the machine that a cell names, which may be new; -1 if the cell is empty.
func (c *collection) placedOn(r *row, column int) int32 {
	if !r.has(column) {
		return -1
	}
	return c.machineOf(r.text(column))
}

// specOf returns the index in c.specs of a list of GPU models that a row may have; 0, any model, for the empty
// list and if there are more than 1000 lists.
func (c *collection) specOf(text string) int32 {
	if i := slices.Index(c.specs, text); i >= 0 {
		return int32(i)
	}
	if len(c.specs) >= 1000 {
		return 0
	}
	c.specs = append(c.specs, text)
	return int32(len(c.specs) - 1)
}

// skips reports whether the job that was asked for last is not kept, and counts its row.
func (c *collection) skips() bool {
	if c.skip {
		c.leaveUnsampled()
	}
	return c.skip
}

// leaveUnsampled counts a row of a job that is not in the sample of --every-job.
func (c *collection) leaveUnsampled() {
	c.leave("every_job", "not among the one of every few jobs that is kept")
}

// maxInstances limits the instances of one row.
const maxInstances = 1 << 24

// add adds the work of a row, or counts why it is not played. The instances of a job are numbered on from those
// added before. An error means that the row has too many instances or that MaxTasks is exceeded.
func (c *collection) add(r *row, it item) error {
	if it.count < 1 {
		c.leave("no_instance", "rows of no instance")
		return nil
	}
	if c.skips() || c.sliced && c.outside(&it) {
		return nil
	}
	it.first = c.next[it.job]
	if uint64(it.first)+uint64(it.count) > 1<<31 {
		return r.bad(-1, "makes more than two thousand million instances of a job")
	}
	if len(c.next) <= c.options.MaxTasks {
		c.next[it.job] = it.first + uint32(it.count)
	}
	c.items = append(c.items, it)
	if len(c.items) > c.options.MaxTasks {
		return &trace.Error{
			Kind: trace.TooLarge, File: r.file, Line: r.line,
			Reason: fmt.Sprintf("with this row there are more than %d tasks to sort by time", c.options.MaxTasks),
			Hint:   "take one of every few jobs with --every-job, or allow more with --max-tasks",
		}
	}
	return nil
}

// has reports whether a table is there.
func (c *collection) has(table string) bool {
	_, is := c.given[table]
	return is
}

// readAll reads files[i], a file of tables[i], into reports[i], in the order in which the dataset lists its tables:
// machines precede the work on them, and tasks precede their instances.
func (c *collection) readAll(files []trace.File, tables []*schema, reports []trace.FileReport, m *trace.Meter) error {
	for i, t := range tables {
		c.given[t.name] = files[i].Name
	}
	// Machines precede the work on them, and tasks precede their instances.
	for _, t := range append([]*schema{c.data.with}, c.data.tables...) {
		for i, f := range files {
			if tables[i] != t {
				continue
			}
			if err := c.readFile(f, t, &reports[i], m); err != nil {
				return err
			}
		}
	}
	return nil
}

// readFile reads the rows of one file and counts them in report. A bad row is listed there; it ends the reading
// unless SkipBadRows is set, and leaves no count in a rule. At the end of the file, it returns nil.
func (c *collection) readFile(f trace.File, s *schema, report *trace.FileReport, m *trace.Meter) error {
	c.report, c.dated = report, false
	if s.whole != nil {
		return s.whole.take(c, f, report, m)
	}
	var before []rule // a row that turns out to be bad is counted by no other rule
	r, err := newReader(f, s, m, report)
	if err != nil {
		return err
	}
	for {
		err := r.next()
		if err == nil {
			report.Rows++
			if s.take == nil {
				c.leave("not_played_"+s.name, "rows of "+s.name+", which are not played")
				continue
			}
			before = append(before[:0], c.rules...)
			c.skip = false
			if err = s.take(c, &r.row); err == nil && c.size > 2*c.options.MaxTasks {
				err = c.tooMany(&r.row)
			}
			if err == nil {
				continue
			}
			report.Rows--
			c.rules = append(c.rules[:0], before...)
		}
		bad, is := err.(*trace.Error)
		if !is || bad.Kind != trace.BadLine || !c.options.SkipBadRows {
			if is && bad.Kind == trace.BadLine {
				report.AddBad(bad, c.options.ListBad)
			}
			if ending(err) != nil {
				r.Close()
			}
			return ending(err)
		}
		report.AddBad(bad, c.options.ListBad)
	}
}

// span extends the report's first and last moment by t, unless that is unknown.
func (c *collection) span(t unit.Time) {
	if t == unknown {
		return
	}
	s := t.Seconds()
	if !c.dated || s < c.report.FirstS {
		c.report.FirstS = s
	}
	if !c.dated || s > c.report.LastS {
		c.report.LastS = s
	}
	c.dated = true
}

// finish completes the collection when all files are read: missing submissions and requests are filled in, times
// are counted from the origin, the work is sorted, late work is left out, machines are chosen and the summary is
// computed.
func (c *collection) finish() error {
	if c.data.end != nil {
		if err := c.data.end(c); err != nil {
			return err
		}
	}
	c.drop()
	c.fillRequests()
	for i := range c.items {
		it := &c.items[i]
		if it.submit == unknown {
			it.submit = it.start
		}
		if it.submit == unknown {
			it.submit = 0
		}
	}
	if c.data.sinceFirst && len(c.items) > 0 {
		c.origin = slices.MinFunc(c.items, func(a, b item) int { return cmp.Compare(a.submit, b.submit) }).submit
		if c.seen != nil {
			c.origin = c.seen.first
		}
		if c.origin != 0 {
			c.stated = append(c.stated, fmt.Sprintf("times are counted from the first submission, at %d s of the trace",
				int64(c.origin/unit.Second)))
		}
	}
	for i := range c.items {
		it := &c.items[i]
		it.submit = max(0, it.submit-c.origin)
		if it.start != unknown {
			it.start = max(it.submit, it.start-c.origin)
		}
		if it.end != unknown {
			it.end -= c.origin
		}
	}
	for i := range c.uses {
		c.uses[i].at -= c.origin
	}
	c.sort()
	for n := len(c.items); n > 0 && c.items[n-1].submit > longestRun; n-- {
		c.leave("late", reasonLate)
		c.items = c.items[:n-1]
	}
	c.uses = slices.DeleteFunc(c.uses, func(u use) bool { return int(u.item) >= len(c.items) })
	c.measure()
	c.choose()
	c.fillSummary()
	return nil
}

// drop removes items with a count of 0, which are counted and not played, and corrects the indices in c.uses.
func (c *collection) drop() {
	place := make([]int32, len(c.items))
	kept := c.items[:0]
	for i, it := range c.items {
		if place[i] = -1; it.count > 0 {
			place[i] = int32(len(kept))
			kept = append(kept, it)
		}
	}
	c.items = kept
	c.uses = slices.DeleteFunc(c.uses, func(u use) bool { return place[u.item] < 0 })
	for i := range c.uses {
		c.uses[i].item = place[c.uses[i].item]
	}
}

// sort puts c.items in the order of time and c.uses likewise, with their indices of items corrected. It permutes
// the items cycle by cycle, because a second copy would not fit in memory.
func (c *collection) sort() {
	order := make([]int32, len(c.items))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, k int32) int {
		a, b := &c.items[i], &c.items[k]
		return cmp.Or(cmp.Compare(a.submit, b.submit), cmp.Compare(a.job, b.job), cmp.Compare(a.first, b.first),
			cmp.Compare(i, k))
	})
	if len(c.uses) > 0 {
		place := make([]int32, len(order))
		for n, i := range order {
			place[i] = int32(n)
		}
		for i := range c.uses {
			c.uses[i].item = place[c.uses[i].item]
		}
		slices.SortStableFunc(c.uses,
			func(a, b use) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.item, b.item)) })
	}
	for n := range order { // each cycle of places is turned once
		if order[n] < 0 || int(order[n]) == n {
			continue
		}
		first, to := c.items[n], n
		for {
			from := int(order[to])
			order[to] = -1
			if from == n {
				c.items[to] = first
				break
			}
			c.items[to] = c.items[from]
			to = from
		}
	}
}

// fillRequests gives tasks without a request of CPU or memory (below 0) the median one of the others, or 0 if no
// row has one. Datasets of jobs are not changed.
func (c *collection) fillRequests() {
	if c.data.shape != workload.ShapeTasks {
		return
	}
	for k, of := range [...]func(*item) *int64{
		func(it *item) *int64 { return &it.cpu },
		func(it *item) *int64 { return &it.memory },
	} {
		var known []int64
		missing := int64(0)
		for i := range c.items {
			if v := *of(&c.items[i]); v >= 0 {
				known = append(known, v)
			} else {
				missing++
			}
		}
		if missing == 0 {
			continue
		}
		if len(known) == 0 && missing > 0 {
			c.stated = append(c.stated, "no row says how much "+
				[...]string{"CPU", "memory"}[k]+" is asked for: tasks take none, so that any number of them fits")
		}
		median := int64(0)
		if len(known) > 0 {
			slices.Sort(known)
			median = known[len(known)/2]
			c.repair("median_request", "requests of CPU or memory that are missing, which get the median one", missing)
		}
		for i := range c.items {
			if v := of(&c.items[i]); *v < 0 {
				*v = median
			}
		}
	}
}
