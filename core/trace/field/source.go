package field

import (
	"io"
	"slices"

	"parley/core/heap"
	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
)

// Source is a trace as a workload: first the machines, then the work in the order of its
// submission, with the recorded placements if the trace has them.
type Source struct {
	data    *dataset
	files   []trace.File
	tables  []*schema
	options trace.Options
	reports []trace.FileReport
	all     *collection
	names   workload.Names
	ready   bool
	err     error

	joined int   // machines that were given out
	item   int   // index of the next item
	part   int32 // the item's next instance
	later  *heap.Heap[recorded]
	sent   int64 // placements pushed onto later, which numbers them
	used   int   // uses that were sent
	gpu    workload.AttributeName
	models workload.AttributeName
	wanted map[workload.AttributeName]string // attributes of nodes that have one of some models
	limit  [2]int64                          // the largest machine's CPU and memory
	job    workload.Job
	wants  []workload.Constraint
}

// recorded is a future placement or an event of a machine. Events of machines come first
// and have a negative order.
type recorded struct {
	at      unit.Time
	order   int64
	key     workload.Key
	machine int32
}

// open checks that the files are tables of d; they are read with the first record.
func open(d *dataset, files []trace.File, o trace.Options) (*Source, error) {
	if o = o.WithDefaults().OfTasks(); d.shape != workload.ShapeTasks {
		o = o.OfJobs()
	}
	s := &Source{data: d, files: files, options: o}
	for _, f := range files {
		h, err := trace.ReadHead(f)
		if err != nil {
			return nil, err
		}
		t := d.tableOf(h)
		if t == nil {
			return nil, &trace.Error{
				Kind: trace.WrongTable, File: f.Name, Reason: "is no table of " + d.title,
				Hint: "open the files of one trace at a time",
			}
		}
		if k := slices.Index(s.tables, t); t.alone && k >= 0 {
			return nil, &trace.Error{
				Kind: trace.WrongTable, File: f.Name,
				Reason: "is another edition of what " + files[k].Name + " holds (the table " + t.name +
					"), and together they would be played twice",
				Hint: "open one of them, unpacked if it is in an archive",
			}
		}
		s.tables = append(s.tables, t)
		s.reports = append(s.reports, trace.FileReport{
			File: f.Name, Format: d.name + "/" + t.name,
			Bad: []trace.BadRow{},
		})
	}
	s.later = heap.New(func(a, b recorded) bool { return a.at < b.at || a.at == b.at && a.order < b.order })
	return s, nil
}

// load reads all files at the first call; later calls return the same error. s.all must not be used if it fails.
func (s *Source) load() error {
	if s.ready {
		return s.err
	}
	s.ready = true
	c := newCollection(s.data, s.options)
	s.all = c
	if c.surveys() {
		if s.err = s.look(); s.err != nil {
			return s.err
		}
	}
	if s.err = c.readAll(s.files, s.tables, s.reports, trace.NewMeter(s.files, s.options.Progress)); s.err != nil {
		return s.err
	}
	if s.err = c.finish(); s.err != nil {
		return s.err
	}
	if outside := c.counted("outside_the_slice"); len(c.items) == 0 && outside > 0 {
		s.err = c.empty(s.files[0].Name, outside)
		return s.err
	}
	s.start()
	return nil
}

// start prepares the records once all files are read: the events of machines, the largest machine, in parts of
// which amounts are given, and the names of GPUs and machines.
func (s *Source) start() {
	c := s.all
	if !s.data.cores() {
		s.limit = [2]int64{whole, whole}
	}
	for i := range c.changes {
		s.later.Push(recorded{at: c.changes[i].at, order: int64(i - len(c.changes))})
	}
	for i := range c.machines {
		s.limit[0] = max(s.limit[0], c.machines[i].cpu)
		s.limit[1] = max(s.limit[1], c.machines[i].memory)
	}
	if slices.ContainsFunc(c.machines, func(m machine) bool { return m.gpu > 0 }) &&
		s.data.shape == workload.ShapeTasks {
		s.gpu = s.names.Attribute([]byte("gpu"))
		s.models = s.names.Attribute([]byte("gpu model"))
		s.devices()
	}
	for i := range c.machines {
		if name := c.machines[i].name; name != "" && len(c.machines) <= maxNodes {
			s.names.NameMachine(uint64(i), name)
		}
	}
}

// devices registers the GPUs of nodes and the requests of tasks with the names, for schedulers that place on
// devices.
func (s *Source) devices() {
	s.wanted = map[workload.AttributeName]string{}
	s.names.Supply(workload.Supply{
		ID: "gpu", Title: "GPU (thousandths)", Name: s.gpu, Device: 1000, Model: s.models, Models: s.wanted,
	})
	if s.data.cores() {
		s.names.Scale(s.limit[0], s.limit[1])
	}
	s.names.SetRequests(s.requests)
}

// requests returns each different request of the instances, with the number of instances that have it.
func (s *Source) requests() (all []workload.RequestCount) {
	place := map[item]int{}
	for i := range s.all.items {
		it := &s.all.items[i]
		kind := item{cpu: it.cpu, memory: it.memory, gpu: it.gpu, spec: it.spec}
		k, known := place[kind]
		if !known {
			k = len(all)
			place[kind] = k
			all = append(all, workload.RequestCount{Request: s.request(it), Constraints: s.constraints(nil, it)})
		}
		all[k].Tasks += int64(it.count)
	}
	return all
}

// oneOf returns the attribute that is 1 on nodes with one of the models that a task may use.
func (s *Source) oneOf(models string) workload.AttributeName {
	name := s.names.Attribute([]byte("gpu is " + models))
	s.wanted[name] = models
	return name
}

// request returns the request of an instance of an item.
func (s *Source) request(it *item) unit.Vec {
	return unit.Vec{unit.CPU: s.share(it.cpu, 0), unit.Memory: s.share(it.memory, 1)}
}

// constraints appends those of the instances of an item.
func (s *Source) constraints(wants []workload.Constraint, it *item) []workload.Constraint {
	if len(s.names.Supplies()) > 0 && it.gpu > 0 {
		wants = append(wants, workload.Constraint{Name: s.gpu, Op: workload.Takes, Value: int64(it.gpu)})
		if it.spec > 0 {
			wants = append(wants, workload.Constraint{
				Name: s.oneOf(s.all.specs[it.spec]), Op: workload.Equal,
				Value: 1,
			})
		}
	}
	return wants
}

// summarise returns the report of a whole reading.
func (s *Source) summarise() (trace.Report, error) {
	err := s.load()
	r := s.Report()
	if err == nil && len(r.Files) > 0 {
		r.Files[0].Notes = append(slices.Clone(r.Files[0].Notes), s.all.notes()...)
	}
	return r, err
}

// HoldsTasks reports whether there is work. If the reading fails there is, and Next says why
// it fails.
func (s *Source) HoldsTasks() bool { return s.load() != nil || len(s.all.items) > 0 }

// Header describes the work. Its machines are of a table, or assumed.
func (s *Source) Header() workload.Header {
	h := workload.Header{Shape: s.data.shape, Lacks: s.data.lacks, Sliced: true, Machineless: true}
	if s.load() == nil {
		h.Machineless, h.Assumed, h.Remarks = len(s.all.machines) == 0, s.all.summary.assumed, s.all.sentences()
	}
	return h
}

// Names translates the numbers of attributes.
func (s *Source) Names() *workload.Names { return &s.names }

// Report returns the report on the files.
func (s *Source) Report() trace.Report {
	r := trace.Report{Files: s.reports}
	if s.all != nil {
		r.Summary = s.all.summary
	}
	return r
}

// Tally returns the counts of rows that were read, left out and repaired. Rows whose work was not given out yet
// are not counted, although all rows were read at the beginning. If the reading failed, there are no counts.
func (s *Source) Tally() trace.Tally {
	if s.load() != nil {
		return trace.NewTally("rows", nil)
	}
	t := s.all.tally(s.reports)
	behind := int64(len(s.all.items) - s.item) // all rows were read, and these not given out yet
	if s.part > 0 {
		behind--
	}
	t.Rows, t.Played = t.Rows-behind, t.Played-behind
	return t
}

// Close ends the reading early: Next then returns io.EOF, or the error that it returned before.
func (s *Source) Close() error {
	s.ready = true
	if s.err == nil {
		s.err = io.EOF
	}
	return nil
}

// Next fills r with the next record, see workload.Source. At one moment, events of machines precede measured
// use only if they are due, arrivals precede placements, and machines that are there from the beginning precede all.
func (s *Source) Next(r *workload.Record) error {
	if err := s.load(); err != nil {
		return err
	}
	c := s.all
	for ; s.joined < len(c.machines); s.joined++ {
		if c.machines[s.joined].from == 0 {
			s.join(r, s.joined)
			s.joined++
			return nil
		}
	}
	if s.measured(r) {
		return nil
	}
	if s.item < len(c.items) {
		it := &c.items[s.item]
		if s.later.Len() == 0 || s.later.Values()[0].at > it.submit || s.later.Values()[0].at == it.submit &&
			s.later.Values()[0].order >= 0 {
			s.arrive(r, it)
			if s.part++; s.part == it.count {
				s.item, s.part = s.item+1, 0
			}
			return nil
		}
	}
	if s.later.Len() == 0 {
		s.err = io.EOF
		return s.err
	}
	next := s.later.Pop()
	if next.order < 0 {
		ch := &c.changes[int(next.order)+len(c.changes)]
		c.machines[ch.machine].cpu, c.machines[ch.machine].memory = ch.cpu, ch.memory
		s.join(r, int(ch.machine))
		r.At, r.Kind = next.at, ch.kind
		return nil
	}
	*r = workload.Record{At: next.at, Kind: workload.TaskRecorded, Key: next.key, Machine: uint64(next.machine)}
	return nil
}

// measured fills r with the next record of measured use and returns true, if no arrival, placement or event of a
// machine is due before it or with it. Use outside the life of its task is left out.
func (s *Source) measured(r *workload.Record) bool {
	c := s.all
	for ; s.used < len(c.uses); s.used++ {
		u := &c.uses[s.used]
		if s.item < len(c.items) && c.items[s.item].submit <= u.at || s.later.Len() > 0 &&
			s.later.Values()[0].at <= u.at {
			return false
		}
		it := &c.items[u.item]
		if u.at < it.submit || it.end != unknown && u.at >= it.end {
			continue
		}
		s.used++
		*r = workload.Record{
			At: u.at, Kind: workload.TaskUses, Key: workload.Key{Job: it.job, Index: it.first},
			Use: unit.Vec{unit.CPU: s.share(u.cpu, 0), unit.Memory: s.share(u.memory, 1)},
		}
		return true
	}
	return false
}

// share returns an amount of a resource (0 CPU, 1 memory) as a part of the largest machine's, rounded to the
// nearest; 0 if either is unknown.
func (s *Source) share(amount int64, resource int) unit.Share {
	limit := s.limit[resource]
	if limit <= 0 || amount <= 0 {
		return 0
	}
	whole := amount / limit // both are far too small to overflow
	return unit.Share(min(whole*int64(unit.Whole)+(amount%limit*int64(unit.Whole)+limit/2)/limit, 1<<30))
}

// join fills r with the record of machine i, which joins at time 0. For a later event the caller sets time and
// kind. Nodes of rigid jobs have processors, and all of the memory.
func (s *Source) join(r *workload.Record, i int) {
	m := &s.all.machines[i]
	node := workload.Node{
		Capacity: unit.Vec{unit.CPU: s.share(m.cpu, 0), unit.Memory: s.share(m.memory, 1)},
		Rack:     m.rack, Site: -1,
	}
	if s.data.shape == workload.ShapeJobs {
		node.Processors = int32(m.cpu / 1000)
		node.Capacity[unit.Memory] = unit.Whole
	}
	if s.gpu != 0 || len(s.names.Supplies()) > 0 {
		if m.gpu > 0 {
			node.Attributes = append(node.Attributes, workload.Attribute{Name: s.gpu, Value: m.gpu * 1000})
		}
		if m.model != "" {
			node.Attributes = append(node.Attributes,
				workload.Attribute{Name: s.models, Value: s.names.Value([]byte(m.model))})
		}
		for k, spec := range s.all.specs {
			if k > 0 && isOf(m.model, spec) {
				node.Attributes = append(node.Attributes, workload.Attribute{Name: s.oneOf(spec), Value: 1})
			}
		}
	}
	*r = workload.Record{Kind: workload.NodeJoins, Machine: uint64(i), Node: node}
}

// arrive fills r with the arrival of instance s.part of an item. If the trace has its machine, the recorded
// placement is scheduled. A job without a limit has its run time as its estimate.
func (s *Source) arrive(r *workload.Record, it *item) {
	key := workload.Key{Job: it.job, Index: it.first + uint32(s.part)}
	run := unit.Time(0)
	if it.end != unknown {
		from, to := it.life(it.end)
		run = max(1, to-from)
	}
	if s.data.shape == workload.ShapeJobs {
		s.job = workload.Job{
			Processors: int32(it.cpu / 1000), Run: max(1, run), Estimate: max(1, run), User: it.user,
			Queue: -1, Priority: it.priority,
		}
		if it.limit > 0 {
			s.job.Estimate = it.limit
		}
		*r = workload.Record{At: it.submit, Kind: workload.JobArrives, Key: key, Job: &s.job}
		return
	}
	request := s.request(it)
	s.wants = s.constraints(s.wants[:0], it)
	*r = workload.Record{At: it.submit, Kind: workload.TaskArrives, Key: key, Task: workload.Task{
		Class: it.class, Priority: it.priority, User: it.user, Request: request, Image: s.options.Image(request),
		Lifetime: run, Constraints: s.wants, Usage: s.options.Usage(key, it.class, request),
	}}
	if it.machine >= 0 {
		at := max(it.submit, it.start)
		s.later.Push(recorded{at: at, order: s.sent, key: key, machine: it.machine})
		s.sent++
	}
}
