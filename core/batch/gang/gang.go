// Package gang schedules gangs of GPUs on nodes: a job asks for a number of GPUs at once, a rule
// finds them on nodes, and a policy chooses the jobs that run. Preemptive policies stop jobs, which
// keep their progress and lose the cost of a restart.
//
// A Site holds the nodes, the queue and the running jobs. It receives the events (SetNode, Submit,
// End, Return) and answers Pass with the jobs that stop and start now. Jobs are submitted with
// their length, as far as it is known: only policies that need it read it.
//
// README.md has the rules of the policies with their sources and how ties are decided.
//
//	s := gang.NewSite(gang.Settings{Policy: gang.SRTF, Place: gang.Consolidated})
//	s.SetNode(now, 0, 8)
//	h := s.Submit(now, batch.Job{Processors: 4, Estimate: unit.Hour})
//	d := s.Pass(now) // d.Stopped stop, then d.Started start
package gang

import (
	"fmt"
	"slices"

	"parley/core/batch"
	"parley/core/slab"
	"parley/core/unit"
)

// Policy defines which jobs run.
type Policy uint8

// The policies. Those from SRTF on are preemptive.
const (
	FIFO     Policy = iota // by the order of the queue, to the first that has no place
	EASY                   // the first that has no place is promised nodes; others leave these, or end before
	FitFirst               // by the order of the queue, whatever has a place
	SRTF                   // the shortest remaining time first
	SRSF                   // the smallest remaining time × GPUs first
	LAS                    // 2D-LAS: queues by the GPU time that a job had
	Gittins                // 2D-Gittins: these queues, each by the Gittins index of that time
	policies
)

var policyNames = [policies]string{"fcfs", "easy", "fit-first", "srtf", "srsf", "2d-las", "2d-gittins"}

// String returns the policy as settings and reports spell it.
func (p Policy) String() string { return policyNames[p] }

// PolicyNames lists the policies as settings spell them.
func PolicyNames() []string { return slices.Clone(policyNames[:]) }

// ParsePolicy returns the policy of a name.
func ParsePolicy(name string) (Policy, error) {
	if i := slices.Index(policyNames[:], name); i >= 0 {
		return Policy(i), nil
	}
	return 0, fmt.Errorf("the policy is %q: choose one of %v", name, policyNames)
}

// Preemptive reports whether the policy stops jobs.
func (p Policy) Preemptive() bool { return p >= SRTF }

// Queues reports whether the policy has queues by the GPU time that jobs had.
func (p Policy) Queues() bool { return p >= LAS }

// Settings of a site.
type Settings struct {
	Policy Policy
	Place  Place
	Order  batch.Order // of the queue of a policy that is not preemptive; it has a Key
	// Every lets jobs start and stop only at its multiples; 0: whenever something happens.
	Every unit.Time
	// Restart is the time that a stopped job loses when it starts again.
	Restart unit.Time
	// KeepNodes lets a job that runs keep its nodes if they are free when its turn comes. Else a
	// preemptive policy places all jobs anew at each pass, as the simulators of Tiresias and Muri.
	KeepNodes bool
	// Slow is how many thousandths of the time a job takes on more nodes than it needs; 0 as 1000: the same time.
	Slow    int64
	Levels  Levels
	Gittins Samples
}

// Handle names a job of a site from its submission to its end. Later jobs use it again.
type Handle int32

// Site is a number of nodes with a queue before them. Use NewSite.
type Site struct {
	settings Settings
	nodes    []Node
	largest  []Node // each with the most it ever had, empty
	total    int32
	free     int32
	jobs     []entry // by Handle
	unused   []Handle
	list     []Handle // alive jobs: by arrival, or as the latest pass of SRTF and SRSF sorted them
	levels   levels
	waiting  int
	head     Handle    // the first that the latest pass left waiting; -1 if it left none
	seen     unit.Time // until when the figures are
	figures  Figures
	decided  Decisions // scratch, as are the following
	parts    []Part
	order    []Handle
	keys     []keyed
	plan     []planned
	empty    []Node
	sizes    []int32
	failed   []int32 // sizes that had no place in this walk
}

// entry is a job in a site's books.
type entry struct {
	batch.Job
	submitted unit.Time
	parts     []Part
	since     unit.Time // of a running job: its latest start
	burn      unit.Time // of a running job: initial time without progress
	pace      int64     // of a running job: thousandths of the time that it takes
	done      unit.Time // progress until since
	isolated  float64   // seconds that its progress would have taken on its share of the GPUs
	started   unit.Time // its first start; -1 before it
	waited    unit.Time // in all
	cost      unit.Time // restart cost of its next start
	stops     int32
	cause     Cause
	level     level
	running   bool
	here      bool
}

// NewSite returns a site without nodes.
func NewSite(s Settings) *Site {
	return &Site{settings: s, levels: newLevels(&s), head: -1}
}

// SetNode sets how many GPUs a node has from now on. Those of running jobs stay counted, so free numbers
// may be negative until Return or End names the jobs that lost them.
func (s *Site) SetNode(now unit.Time, n int, gpus int32) {
	s.account(now)
	for n >= len(s.nodes) {
		s.nodes = append(s.nodes, Node{})
	}
	more := gpus - s.nodes[n].Total
	s.nodes[n].Total += more
	s.nodes[n].Free += more
	s.total += more
	s.free += more
	for n >= len(s.largest) {
		s.largest = append(s.largest, Node{})
	}
	limit := max(gpus, s.largest[n].Total)
	s.largest[n] = Node{limit, limit}
}

// Fits reports whether a gang of n GPUs has a place on empty nodes. Each node counts
// with the most GPUs that it ever had.
func (s *Site) Fits(n int32) bool { return s.settings.Place.Find(s.largest, n, s.parts[:0]) != nil }

// Nodes returns the nodes. They belong to the site.
func (s *Site) Nodes() []Node { return s.nodes }

// Busy returns how many GPUs gangs hold.
func (s *Site) Busy() int { return int(s.total - s.free) }

// Waiting returns how many jobs wait.
func (s *Site) Waiting() int { return s.waiting }

// Parts returns the GPUs of a running job by node. They belong to the site.
func (s *Site) Parts(h Handle) []Part { return s.jobs[h].parts }

// Submit lets a job wait.
func (s *Site) Submit(now unit.Time, j batch.Job) Handle {
	s.account(now)
	h := slab.Take(&s.unused, &s.jobs)
	e := &s.jobs[h]
	*e = entry{Job: j, submitted: now, started: -1, parts: e.parts[:0], here: true}
	e.level.checked = now
	s.list = append(s.list, h)
	s.levels.add(h)
	s.waiting++
	return h
}

// End removes a job, running or waiting, and frees its handle. The outcome is that of a job that ended
// now; it is counted in the figures only if the job was running. A handle without a job returns an empty
// outcome.
func (s *Site) End(now unit.Time, h Handle) Outcome {
	e := &s.jobs[h]
	if !e.here {
		return Outcome{}
	}
	s.account(now)
	o := s.outcome(now, e)
	if e.running {
		s.release(e)
		s.figures.ended(&o)
	} else {
		s.waiting--
	}
	s.list = slices.DeleteFunc(s.list, func(x Handle) bool { return x == h })
	s.levels.drop(e.level.queue, h)
	e.here = false
	s.unused = append(s.unused, h)
	return o
}

// Return puts a running job back into the queue, to run from its beginning: a node took its GPUs
// away.
func (s *Site) Return(now unit.Time, h Handle) {
	if e := &s.jobs[h]; e.here && e.running {
		s.account(now)
		s.stop(now, e)
		e.done, e.isolated, e.stops = 0, 0, e.stops+1
		s.figures.Lost++
	}
}

// stop lets a running job wait.
func (s *Site) stop(now unit.Time, e *entry) {
	e.done = e.progress(now)
	s.release(e)
	s.waiting++
}

// release frees the GPUs that a job holds.
func (s *Site) release(e *entry) {
	for _, p := range e.parts {
		s.nodes[p.Node].Free += p.GPUs
		s.free += p.GPUs
	}
	e.parts, e.running = e.parts[:0], false
}

// start lets a waiting job run on parts.
func (s *Site) start(now unit.Time, e *entry, parts []Part) {
	for _, p := range parts {
		s.nodes[p.Node].Free -= p.GPUs
		s.free -= p.GPUs
	}
	e.parts = append(e.parts[:0], parts...)
	e.running, e.since, e.burn, e.cost, e.pace = true, now, e.cost, 0, s.pace(parts)
	if e.started < 0 {
		e.started = now
	}
	s.waiting--
	s.figures.Starts++
}

// progress returns how much of a job is done.
func (e *entry) progress(now unit.Time) unit.Time {
	if !e.running {
		return e.done
	}
	ran, pace := max(0, now-e.since-e.burn), unit.Time(e.pace)
	return e.done + ran/pace*1000 + ran%pace*1000/pace
}

// left returns the remaining run time of a job by its estimate.
func (e *entry) left(now unit.Time) unit.Time { return max(0, e.Estimate-e.progress(now)) }

// ends returns when a running job ends by its estimate.
func (e *entry) ends(now unit.Time) unit.Time {
	if e.Estimate >= unit.Forever/100-now-e.burn {
		return unit.Forever
	}
	return max(now, e.since+e.burn+stretched(e.Estimate-e.done, e.pace))
}

// stretched returns the time that a job needs at a pace for the progress of a time at full speed.
func stretched(t unit.Time, pace int64) unit.Time {
	return t/1000*unit.Time(pace) + (t%1000*unit.Time(pace)+999)/1000
}

// Pace returns how many thousandths of the time a running job takes where it is.
func (s *Site) Pace(h Handle) int64 { return s.jobs[h].pace }

// pace returns how many thousandths of its time a job takes on parts: Slow if they are on more nodes
// than the largest nodes, when empty, would need, and 1000 otherwise.
func (s *Site) pace(parts []Part) int64 {
	if s.settings.Slow <= 1000 {
		return 1000
	}
	n, sizes := int32(0), s.sizes[:0]
	for _, p := range parts {
		n += p.GPUs
	}
	for _, node := range s.largest {
		sizes = append(sizes, node.Total)
	}
	s.sizes = sizes
	slices.SortFunc(sizes, func(a, b int32) int { return int(b - a) })
	needed := 0
	for n > 0 {
		n -= sizes[needed]
		needed++
	}
	if len(parts) > needed {
		return s.settings.Slow
	}
	return 1000
}
