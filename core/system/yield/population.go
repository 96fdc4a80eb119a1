package yield

import (
	"io"

	"parley/core/des"
	"parley/core/rng"
	"parley/core/slab"
	"parley/core/system/yield/instance"
	"parley/core/unit"
	"parley/core/workload"
)

// population is the services over time: a source that never ends and holds only
// those that are there now. Arrivals are a Poisson process that keeps their
// number, lifetimes and the times between changes are exponential.
type population struct {
	document
	kernel   *des.Kernel // of arrivals, changes and departures
	random   *rng.Stream
	services []service
	free     []int
	made     uint64 // services ever
	hosts    int    // reported
	gap      unit.Time
	cpu, mem float64 // factors of drawn needs
	records  []workload.Record
	next     int
}

// service is one job of the workload.
type service struct {
	name    uint64
	tasks   int
	request unit.Vec
	image   unit.Bytes
	change  des.Ticket
}

// The kinds of events of a service, in the low bits of an event's argument.
const (
	arrives uint64 = iota
	changes
	departs
	eventKinds = 4
)

// meanNeed is the mean of a drawn need.
const meanNeed = .5

// newPopulation draws the services that are there at time 0 until they have d.Tasks tasks, and schedules
// the next arrival. Needs are scaled so that CPU has the mean load d.CPULoad (0: unscaled) and memory
// leaves d.Slack free. The mean gap between arrivals keeps the number of services.
func newPopulation(d document, seed uint64) *population {
	p := &population{document: d, kernel: des.New(), random: rng.New(seed, "yield/services"), cpu: 1}
	each := float64(meanNeed * float64(d.Tasks))
	if d.CPULoad > 0 {
		p.cpu = float64(d.CPULoad*float64(d.Hosts)) / each
	}
	p.mem = float64((1-d.Slack)*float64(d.Hosts)) / each
	jobs := 0
	for left := d.Tasks; left > 0; jobs++ {
		left -= p.arrive(left)
	}
	p.gap = max(1, unit.Time(d.Lifetime)/unit.Time(jobs))
	p.kernel.At(p.after(p.gap), p, arrives)
	return p
}

// Next implements workload.Source: first all hosts at time 0, then the records of events, one event at a
// time. It never ends.
func (p *population) Next(r *workload.Record) error {
	if p.hosts < p.Hosts {
		*r = workload.Record{Kind: workload.NodeJoins, Machine: uint64(p.hosts)}
		r.Node = workload.Node{Capacity: unit.Vec{unit.CPU: unit.Whole, unit.Memory: unit.Whole}, Rack: -1, Site: -1}
		p.hosts++
		return nil
	}
	for p.next == len(p.records) {
		p.records, p.next = p.records[:0], 0
		if !p.kernel.Step(unit.Forever) {
			return io.EOF
		}
	}
	*r = p.records[p.next]
	p.next++
	return nil
}

// Fire implements des.Handler: a service arrives, changes its CPU need, or departs; arg has its index
// and the kind. Records of the event are emitted to p.records.
func (p *population) Fire(now unit.Time, arg uint64) {
	i := int(arg / eventKinds)
	switch arg % eventKinds {
	case arrives:
		p.arrive(p.Tasks)
		p.kernel.At(now+p.after(p.gap), p, arrives)
	case changes:
		s := &p.services[i]
		s.request[unit.CPU] = p.draw(p.CPUSpread, p.cpu)
		p.emit(s, workload.TaskChanges)
		s.change = p.kernel.At(now+p.after(unit.Time(p.Change)), p, arg)
	case departs:
		s := &p.services[i]
		p.kernel.Cancel(s.change)
		p.emit(s, workload.TaskEnds)
		p.free = append(p.free, i)
	}
}

// arrive adds a service of 1 to limit tasks at the present time, schedules its departure and changes, and
// returns its number of tasks.
func (p *population) arrive(limit int) int {
	i := slab.Take(&p.free, &p.services)
	p.made++
	s := &p.services[i]
	*s = service{name: p.made, tasks: 1}
	if p.ParallelShare > 0 && p.random.Float64() < p.ParallelShare {
		s.tasks = instance.JobSize(p.random, limit, p.Slip)
	}
	s.request = unit.Vec{unit.CPU: p.draw(p.CPUSpread, p.cpu), unit.Memory: p.draw(p.MemSpread, p.mem)}
	s.image = unit.Bytes(float64(s.request[unit.Memory].Float()*p.HostMemoryMB)) * unit.MB
	p.emit(s, workload.TaskArrives)
	now := p.kernel.Now()
	p.kernel.At(now+p.after(unit.Time(p.Lifetime)), p, uint64(i)*eventKinds+departs)
	if p.Change > 0 {
		s.change = p.kernel.At(now+p.after(unit.Time(p.Change)), p, uint64(i)*eventKinds+changes)
	}
	return s.tasks
}

// after draws a span that is exponential with a mean, at least 1 µs.
func (p *population) after(mean unit.Time) unit.Time {
	return max(1, unit.Time(float64(p.random.Exponential()*float64(mean))))
}

// draw returns a need in millionths of a host, at most the whole.
func (p *population) draw(spread, scale float64) unit.Share {
	return max(1, min(unit.Whole, unit.ShareOf(float64(instance.Need(p.random, spread)*scale))))
}

// emit emits one record a task.
func (p *population) emit(s *service, kind workload.Kind) {
	const all = 65535 // of its request, in the units of the model
	task := workload.Task{
		Request: s.request, Image: s.image,
		Usage: workload.UsageModel{Key: s.name, Mean: [unit.Resources]uint16{all, all}},
	}
	for k := range s.tasks {
		r := workload.Record{At: p.kernel.Now(), Kind: kind, Key: workload.Key{Job: s.name, Index: uint32(k)}}
		if kind == workload.TaskEnds {
			r.End = workload.Finished
		} else {
			r.Task = task
		}
		p.records = append(p.records, r)
	}
}
