package workload

import (
	"fmt"
	"io"

	"parley/core/rng"
	"parley/core/unit"
)

// Generated describes a generated cell: machines, a running population at time
// 0 and an endless stream of arrivals, calibrated to the Google cell of 2011.
type Generated struct {
	Nodes int     // machines, 10 … 1,000,000
	Usage Usage   // how usage follows from requests
	Day   float64 // by which part arrivals rise and fall over a day

	Production string // how much production tasks request: TraceProduction or PaperProduction
}

// The readings of how much of the cell production tasks request.
const (
	TraceProduction = "trace" // 73.2 % of the CPU and 58.5 % of the memory, as in the public trace
	PaperProduction = "paper" // 85 and 70 %, as in the negotiation paper
)

// DefaultGenerated returns the published cell: with CPU 40–50 % and memory 60–70 %
// used, and 85 and 70 % requested by production tasks, it is the one that the
// negotiation paper describes (section 7.10).
func DefaultGenerated() Generated {
	return Generated{Nodes: cellMachines, Usage: DefaultUsage(), Day: 0.25, Production: PaperProduction}
}

// maxMachines limits the machines of a generated cell to the memory of a large computer, some 5 GB
// for a million machines with their tasks.
const maxMachines = 1_000_000

// Validate returns an error if g is invalid.
func (g Generated) Validate() error {
	switch {
	case g.Nodes < 10 || g.Nodes > maxMachines:
		return fmt.Errorf("nodes is %d: choose 10 to %d", g.Nodes, maxMachines)
	case !(g.Day >= 0 && g.Day < 1):
		return fmt.Errorf("day_swing is %v: choose a number from 0 up to 1", g.Day)
	}
	if _, ok := productions[g.Production]; !ok {
		return fmt.Errorf("production is %.40q: choose %s or %s", g.Production, TraceProduction, PaperProduction)
	}
	return g.Usage.Validate()
}

// Names of the attributes that generated machines carry.
const (
	PlatformAttribute AttributeName = iota // 0, 1 or 2
	KernelAttribute                        // 1 … 5
	SpecialAttribute                       // 1 on one machine of 400 and on the first, else absent
)

// generator is a Source in small memory: it holds the present job, and when the tasks
// end that only special machines may run.
type generator struct {
	g          Generated
	seed       uint64
	random     *rng.Stream
	node       int       // next machine to join
	running    int       // tasks of the population still to come
	at         unit.Time // of the next task
	due        unit.Time // of the present job; its tasks come later if those of the job before take longer
	perSec     float64   // mean job arrivals a second
	limit      int       // tasks that a job has at most
	large      int       // tasks that make a job large
	job        Key       // of the next task
	left       int       // tasks of this job still to come
	task       Task
	kind       int // its life, an index into lifetimeClasses
	attrs      [3]Attribute
	want       [1]Constraint
	special    tightRoom // of the machines with SpecialAttribute
	part       int64     // of them that each task of this job takes
	even       lowDiscrepancy
	production production
	usage      *Synthesis
}

// In the published cell a job of 50 tasks is large, and no job is more than one
// in 200 of all tasks. In a small cell this bounds its jobs: otherwise one of
// them could be half the load.
const (
	large      = 50
	jobsAtOnce = 200
)

// New returns the endless source of the cell that g describes under seed.
func (g Generated) New(seed uint64) (Source, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	usage, err := NewSynthesis(g.Usage, seed)
	if err != nil {
		return nil, err
	}
	share, running := float64(g.Nodes)/cellMachines, g.Running()
	limit := max(1, running/jobsAtOnce)
	mean := float64(meanJob(limit)*(1-tight)) + float64(meanJob(min(limit, tightest(g.Nodes)))*tight)
	return &generator{
		g: g, seed: seed, random: rng.New(seed, "workload/arrivals"),
		even: newLowDiscrepancy(seed), usage: usage, production: productions[g.Production],
		running: running, limit: limit, large: min(large, (limit+1)/2), perSec: arrivalsPerMinute / 60 * share / mean,
	}, nil
}

// Running returns the expected number of tasks that run at a time.
func (g Generated) Running() int {
	return int(float64(float64(g.Nodes)/cellMachines*cellRunning) + 0.5)
}

// meanJob returns the mean number of tasks of a job if no job may have more than limit.
func meanJob(limit int) float64 {
	sum := 0.0
	for i, from := range jobSizes[:len(jobSizes)-1] {
		sizes, inStep := max(1, jobSizes[i+1]-from), 0
		for k := range sizes {
			inStep += min(int(from+k), limit)
		}
		sum += float64(inStep) / float64(sizes)
	}
	return sum / float64(len(jobSizes)-1)
}

// Machines returns the machines of the cell alone, all joining at time 0.
func (g Generated) Machines(seed uint64) (Source, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	return &machines{generator{g: g, seed: seed}}, nil
}

type machines struct{ generator }

// Next implements Source.
func (m *machines) Next(r *Record) error {
	if m.node == m.g.Nodes {
		return io.EOF
	}
	m.machine(r)
	return nil
}

// Next implements Source: the machines join at time 0, the tasks of the running population arrive at time 0,
// then jobs arrive for ever. It never returns io.EOF.
func (s *generator) Next(r *Record) error {
	switch {
	case s.node < s.g.Nodes:
		s.machine(r)
	case s.running > 0:
		if s.left == 0 {
			s.newJob(true)
			s.left = min(s.left, s.running)
		}
		s.running--
		s.next(r)
		if s.running == 0 {
			s.left = 0
		}
	default:
		if s.left == 0 {
			s.due += s.gap()
			s.at = max(s.at, s.due)
			s.newJob(false)
		}
		s.next(r)
		s.at += taskGap
	}
	return nil
}

// taskGap is the time between two tasks of one job.
const taskGap = unit.Millisecond

// gap returns the time from the last job to the next: exponential, with a rate that rises and falls linearly
// over each day by the part g.Day.
func (s *generator) gap() unit.Time {
	day := float64(s.due%unit.Day) / float64(unit.Day)
	wave := float64(4*day) - 1 // -1 … 1 over the first half of the day
	if day >= 0.5 {
		wave = 3 - float64(4*day)
	}
	rate := s.perSec * (1 + float64(s.g.Day*wave))
	return unit.Time(s.random.Exponential() / rate * float64(unit.Second))
}

// machine fills r with the next machine. Its kind is from an even sequence, so that each cell has the mix of the
// published one; the first machine is always special.
func (s *generator) machine(r *Record) {
	h := rng.Hash(s.seed, uint64(s.node), 0x6d616368)
	even := sequence(rng.Hash(s.seed, 0, 0x6d616368)) + sequence(s.node)*stepSize // as many of each kind in every cell
	pick := int(uint64(even) >> 32 * cellMachines >> 32)
	kind := 0
	for pick >= machineMix[kind].machines {
		pick -= machineMix[kind].machines
		kind++
	}
	s.attrs[0] = Attribute{Name: PlatformAttribute, Value: int64(h & 3 % 3)}
	s.attrs[1] = Attribute{Name: KernelAttribute, Value: 1 + int64(h>>2&0xff%5)}
	attrs := s.attrs[:2]
	if h>>10&0xffff < 65536/specialIn || s.node == 0 {
		s.attrs[2] = Attribute{Name: SpecialAttribute, Value: 1}
		attrs = s.attrs[:3]
		s.special.machines[kind]++
	}
	*r = Record{Kind: NodeJoins, Machine: uint64(s.node), Node: Node{
		Capacity: unit.Vec{
			unit.CPU:    unit.Share(machineMix[kind].cpu),
			unit.Memory: unit.Share(machineMix[kind].memory),
		},
		Rack: -1, Site: -1, Attributes: attrs,
	}}
	s.node++
}

// newJob draws the job of the next s.left tasks. The kind of a job of the running population is drawn in
// proportion to the jobs that run, that of one that arrives in proportion to the arrivals.
func (s *generator) newJob(population bool) {
	s.job = Key{Job: s.job.Job + 1}
	s.left = min(int(jobSizes.at(s.even.size.next(stepSize))), s.limit)
	s.task = Task{User: uint32(s.random.Intn(600))}
	s.drawConstraint()
	if s.left < s.large {
		s.kind = pickLife(s.random.Float64(), population)
		s.task.Class = classBy(s.random.Float64() < float64(lifetimeClasses[s.kind].production*s.production.tasks))
	} else {
		s.kind, s.task.Class = s.even.pick(s.left, population, s.production.tasks)
	}
	s.even.add(s.left, s.kind, s.task.Class, population, s.production.tasks)
	if s.task.Class == Production {
		s.task.Priority = 9
		s.task.Spread = s.random.Float64() < 0.45
	} else {
		s.task.Priority = uint8(s.random.Intn(3))
		s.task.Spread = s.random.Float64() < 0.1
	}
	s.drawRequest()
	s.part = 0
	if s.task.Constraints != nil && s.want[0].Name == SpecialAttribute {
		if s.part = s.special.partFor(s.at, s.task.Class, s.task.Request, s.left); s.part == 0 {
			s.task.Constraints = nil
		}
	}
}

// chance draws a number in [0, 1): at random, or, for a large job, the next one of an even sequence with this step.
func (s *generator) chance(even *sequence, step sequence) float64 {
	if s.left < s.large {
		return s.random.Float64()
	}
	return even.next(step)
}

// drawRequest draws the CPU and memory that each task of the job requests. Half the time both are the same
// quantile of their distributions. For a large job it may replace the job's number to balance the sums.
func (s *generator) drawRequest() {
	q := &requests[s.task.Class]
	u := s.chance(&s.even.cpu[s.kind][s.task.Class], stepCPU)
	v := u
	if s.random.Float64() < 0.5 {
		v = s.chance(&s.even.memory[s.kind][s.task.Class], stepMemory)
	}
	if s.left >= s.large {
		u, v = s.even.balance(s.left, s.kind, s.task.Class, u, v)
		s.job.Job = s.even.job(s.job.Job, s.usage, s.left, s.kind, s.task.Class, u, v)
	}
	s.even.requested(s.left, s.kind, s.task.Class, u, v)
	size := s.production.requests[s.task.Class]
	s.task.Request = unit.Vec{
		unit.CPU:    max(1, unit.Share(float64(q.cpu.at(u))*lifetimeClasses[s.kind].size*size[unit.CPU])),
		unit.Memory: max(1, unit.Share(float64(q.memory.at(v))*lifetimeClasses[s.kind].size*size[unit.Memory])),
	}
	s.task.Image = ImageOf(s.task.Request)
}

// drawConstraint gives 7 % of the jobs a constraint; 10–15 tasks in 10,000 get
// one that few machines satisfy, as in the negotiation paper's section 5.6.
func (s *generator) drawConstraint() {
	s.task.Constraints = s.want[:]
	switch u := s.random.Float64(); {
	case u < tight:
		s.want[0] = Constraint{SpecialAttribute, Equal, 1}
		s.left = min(s.left, tightest(s.g.Nodes))
	case u < 0.032:
		s.want[0] = Constraint{PlatformAttribute, NotEqual, int64(s.random.Intn(3))}
	case u < 0.052:
		s.want[0] = Constraint{PlatformAttribute, Equal, int64(s.random.Intn(3))}
	case u < 0.067:
		s.want[0] = Constraint{KernelAttribute, Greater, int64(1 + s.random.Intn(3))}
	default:
		s.task.Constraints = nil
	}
}

// next fills r with the next task of the present job, whose s.left is above 0, with a lifetime of its own.
func (s *generator) next(r *Record) {
	s.left--
	*r = Record{At: s.at, Kind: TaskArrives, Key: s.job, Task: s.task}
	r.Task.Lifetime = max(unit.Second,
		unit.Time(s.random.Exponential()*lifetimeClasses[s.kind].minutes*float64(unit.Minute)))
	r.Task.Usage = s.usage.Model(s.job, s.task.Class)
	if s.part > 0 {
		s.special.take(departure{s.at + r.Task.Lifetime, s.task.Class, s.part})
	}
	s.job.Index++
}
