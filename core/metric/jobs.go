package metric

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"parley/core/cluster"
	"parley/core/estimate"
	"parley/core/fifo"
	"parley/core/heap"
	"parley/core/unit"
	"parley/core/workload"
)

// SlowdownBound is the shortest run that a bounded slowdown counts (Feitelson and
// others, JSSPP 1997): shorter ones would dominate every mean.
const SlowdownBound = 10 * unit.Second

// Jobs folds the events of rigid jobs into figures for their users: the wait of a job, its response
// time (from submission to end, with runs that were lost) and its bounded slowdown, max(1, response
// / max(run, 10 s)). Only jobs that ran to an end count.
//
//	j := metric.NewJobs(view)
//	j.Observe(event)
//	fmt.Println(j.Report().BoundedSlowdown.Mean)
type Jobs struct {
	view    cluster.View
	alive   []jobTimes // by the job's slot
	waits   values     // seconds
	answers values     // response times, in seconds
	slows   values     // bounded slowdowns
	recent  *fifo.Ring[recentJob]
	classes map[int32]*JobsShare  // sums, by queue; -1: no queue
	sizes   map[uint8]*JobsShare  // sums, by class of processors
	users   map[uint32]*JobsShare // sums
	first   unit.Time             // submission
	last    unit.Time             // end
	waited  unit.Time             // sum of waits
	lasted  unit.Time             // sum of response times
	work    float64               // processor seconds of jobs that ended
	killed  int64
	timed   int64 // jobs with a deadline
	met     int64 // that finished by it

	window     Window
	submitted  int64
	waiting    int                    // jobs that wait
	queue      *heap.Heap[waitingJob] // all of them, and some that have started or ended since
	backfilled int64                  // of jobs that ended within the window
	whole      int64                  // jobs that ended, within the window or not

	offered float64      // processor seconds of submitted jobs
	all     capacityTime // from the first submission on
	within  capacityTime // the window
	offers  float64      // all up to the latest submission
	usable  float64      // within up to the last end
	latest  unit.Time    // submission
}

// capacityTime is the available processor time: the integral of the processors that are up.
type capacityTime struct {
	sum, processors float64 // until at; since then
	at, to          unit.Time
}

// until returns the processor seconds up to a time, since the processors last changed.
func (t *capacityTime) until(now unit.Time) float64 {
	return t.sum + float64(t.processors*max(0, min(now, t.to)-t.at).Seconds())
}

// change notes how many processors there are from now on.
func (t *capacityTime) change(now unit.Time, processors float64) {
	t.sum, t.at, t.processors = t.until(now), max(t.at, min(now, t.to)), processors
}

type jobTimes struct {
	submitted, started unit.Time
	kept               unit.Time // how long it ran in earlier runs whose work it keeps
	work               float64   // processor seconds of these within the window
	deadline           unit.Time // 0 if none
	jobOwner
	arrival int64 // how many jobs came before it
	passed  bool  // it started while a job that came before it waited
	counts  bool  // it came within the window
	waits   bool
	runs    bool
}

// waitingJob is a job in the queue. It waits if the job of its slot came as that one and
// waits.
type waitingJob struct {
	arrival int64
	slot    uint32
}

// recentJob is one of the jobs that ended last.
type recentJob struct {
	wait unit.Time
	slow float64
}

type jobOwner struct {
	user  uint32
	queue int32
	size  uint8 // class of its processors, see sizeClass
}

// NewJobs returns an observer of a cluster's jobs that has seen none.
func NewJobs(v cluster.View) *Jobs {
	return &Jobs{
		view: v, first: -1, window: Window{To: unit.Forever},
		waits: values{limit: exactly}, answers: values{limit: exactly}, slows: values{limit: exactly},
		recent:  fifo.NewRing[recentJob](latest),
		classes: map[int32]*JobsShare{}, sizes: map[uint8]*JobsShare{}, users: map[uint32]*JobsShare{},
		queue: heap.New(earlier),
	}
}

func earlier(a, b waitingJob) bool { return a.arrival < b.arrival }

// Within limits the report to jobs that are submitted within a window. Call it before the first
// event.
func (j *Jobs) Within(w Window) { j.window = w }

// Observe takes an event.
func (j *Jobs) Observe(e cluster.Event) {
	if e.Kind <= cluster.NodeChanged {
		up := float64(j.view.Totals().Jobs.Processors)
		j.all.change(e.At, up)
		j.within.change(e.At, up)
	}
	if e.Kind < cluster.JobSubmitted || e.Kind > cluster.JobDisplaced {
		return
	}
	slot := int(e.Job().Slot())
	for slot >= len(j.alive) {
		j.alive = append(j.alive, jobTimes{})
	}
	t := &j.alive[slot]
	switch e.Kind {
	case cluster.JobSubmitted:
		job, _ := j.view.Job(e.Job())
		if j.first < 0 {
			j.first = e.At
			up := float64(j.view.Totals().Jobs.Processors)
			j.all = capacityTime{processors: up, at: e.At, to: unit.Forever}
			j.within = capacityTime{processors: up, at: e.At + j.window.WarmUp, to: j.window.To}
		}
		*t = jobTimes{
			submitted: e.At, jobOwner: jobOwner{job.User, job.Queue, sizeClass(job.Processors)}, arrival: j.submitted,
			counts: e.At >= j.first+j.window.WarmUp && e.At <= j.window.To,
		}
		j.submitted++
		j.enqueue(e.Job().Slot())
		j.offered += float64(min(job.Run, job.Estimate).Seconds() * float64(job.Processors))
		j.latest, j.offers = e.At, j.all.until(e.At)
		if job.Deadline > 0 {
			t.deadline = e.At + job.Deadline
			j.timed++
		}
	case cluster.JobPlaced:
		t.started, t.runs = e.At, true
		j.dequeue(t)
		for j.queue.Len() > 0 && !j.isWaiting(j.queue.Values()[0]) {
			j.queue.Pop()
		}
		t.passed = j.queue.Len() > 0 && j.queue.Values()[0].arrival < t.arrival
	case cluster.JobDisplaced:
		t.runs = false
		t.kept, t.work = t.kept+e.At-t.started, t.work+j.worked(t, e)
		if e.Detail != cluster.Suspended {
			t.kept, t.work = 0, 0
		}
		j.enqueue(e.Job().Slot())
	case cluster.JobEnded:
		j.dequeue(t)
		if t.runs {
			j.end(t, e)
		}
	}
}

// Backfilled reports whether a job that runs started while a job that came before it waited.
func (j *Jobs) Backfilled(id unit.JobID) bool { return j.alive[id.Slot()].passed }

// enqueue lets the job of a slot wait.
func (j *Jobs) enqueue(slot uint32) {
	t := &j.alive[slot]
	t.waits = true
	j.waiting++
	j.queue.Push(waitingJob{t.arrival, slot})
	if j.queue.Len() > 2*j.waiting+64 {
		kept := slices.DeleteFunc(j.queue.Values(), func(w waitingJob) bool { return !j.isWaiting(w) })
		slices.SortFunc(kept, func(a, b waitingJob) int { return cmp.Compare(a.arrival, b.arrival) })
		j.queue = heap.New(earlier, slices.Compact(kept)...) // a job that lost its place may be there twice
	}
}

// dequeue notes that a job waits no more.
func (j *Jobs) dequeue(t *jobTimes) {
	if t.waits {
		t.waits = false
		j.waiting--
	}
}

// isWaiting reports whether a job of the queue still waits.
func (j *Jobs) isWaiting(w waitingJob) bool {
	t := &j.alive[w.slot]
	return t.waits && t.arrival == w.arrival
}

// sizeClass returns the class of a number of processors: 0 is one of them, 1 two, 2 three
// to four, 3 five to eight, and so on.
func sizeClass(processors int32) uint8 { return uint8(bits.Len32(uint32(max(processors, 1) - 1))) }

// sizeName returns the processors of a class as reports spell them.
func sizeName(class uint8) string {
	if class < 2 {
		return strconv.Itoa(1 << class)
	}
	return fmt.Sprintf("%d-%d", 1<<(class-1)+1, int64(1)<<class)
}

// end takes a job that ran to an end.
func (j *Jobs) end(t *jobTimes, e cluster.Event) {
	run, response := e.At-t.started+t.kept, e.At-t.submitted
	j.whole++
	j.last, j.usable = e.At, j.within.until(e.At)
	j.work += t.work + j.worked(t, e)
	if !t.counts {
		return
	}
	if t.passed {
		j.backfilled++
	}
	wait, slow := response-run, max(1, response.Seconds()/max(run, SlowdownBound).Seconds())
	j.waits.add(wait.Seconds())
	j.answers.add(response.Seconds())
	j.slows.add(slow)
	j.recent.Add(recentJob{wait, slow})
	j.waited += wait
	j.lasted += response
	for _, sums := range [...]*JobsShare{
		group(j.classes, max(t.queue, -1)), group(j.sizes, t.size),
		group(j.users, t.user),
	} {
		sums.Jobs++
		sums.WaitS += wait.Seconds()
		sums.ResponseS += response.Seconds()
		sums.BoundedSlowdown += slow
	}
	if workload.End(e.Detail) == workload.Killed {
		j.killed++
	} else if e.At <= t.deadline {
		j.met++
	}
}

// worked returns the processor seconds, within the window, of the run that an event ends.
func (j *Jobs) worked(t *jobTimes, e cluster.Event) float64 {
	from, to := max(t.started, j.first+j.window.WarmUp), min(e.At, j.window.To)
	return float64(max(0, to-from).Seconds() * float64(e.Amount))
}

// group returns the sums of a group.
func group[K comparable, T any](groups map[K]*T, key K) *T {
	sums := groups[key]
	if sums == nil {
		sums = new(T)
		groups[key] = sums
	}
	return sums
}

// latest is how many of the jobs that ended last a column of the latest ones is about.
const latest = 100

// The columns of jobs, by the index of what Measure writes.
const (
	waitLatest = iota
	waitAll
	slowdownLatest
	slowdownAll
	jobColumns
)

// JobColumns describes what Measure writes.
func JobColumns() []Column {
	return []Column{
		waitLatest:     {"job_wait_latest_min", "Wait of the latest 100 jobs", "min", "mean of start − submission over the 100 jobs that ended last"},
		waitAll:        {"job_wait_min", "Wait of all jobs", "min", "mean of start − submission over the jobs that ended so far"},
		slowdownLatest: {"job_slowdown_latest", "Bounded slowdown of the latest 100 jobs", "", "mean of max(1, response / max(run, 10 s)) over the 100 jobs that ended last"},
		slowdownAll:    {"job_slowdown", "Bounded slowdown of all jobs", "", "mean of max(1, response / max(run, 10 s)) over the jobs that ended so far"},
	}
}

// Measure writes the present waits and slowdowns of jobs: the mean wait in minutes and the mean
// bounded slowdown of the 100 jobs that ended last, and of all that ended. 0 before the first. At
// the end the means of all are those of Report.
func (j *Jobs) Measure(values []float64) {
	if j.waits.count == 0 {
		clear(values[:jobColumns])
		return
	}
	n := j.recent.Len()
	wait, slow := unit.Time(0), 0.0
	older, newer := j.recent.Parts()
	for _, part := range [...][]recentJob{older, newer} {
		for i := range part {
			wait += part[i].wait
			slow += part[i].slow
		}
	}
	minutes := func(sum unit.Time, jobs int) float64 { return sum.Seconds() / 60 / float64(jobs) }
	values[waitLatest], values[waitAll] = minutes(wait, n), minutes(j.waited, j.waits.count)
	values[slowdownLatest], values[slowdownAll] = slow/float64(n), j.slows.sum/float64(j.slows.count)
}

// JobReport summarises the jobs of a run. Times are in seconds. Medians and 95th
// percentiles are exact for up to 1,048,576 jobs, and right to a hundredth for more.
type JobReport struct {
	Submitted    int64   `json:"submitted"`
	Ended        int64   `json:"ended"`      // of those that came within the window, as are the figures below
	Killed       int64   `json:"killed"`     // at the limit that their user gave
	Backfilled   int64   `json:"backfilled"` // started while a job that came before them waited
	Waiting      int     `json:"waiting"`
	Running      int     `json:"running"`
	Displaced    int64   `json:"displaced"`
	Deadlines    int64   `json:"deadlines,omitempty"`     // of submitted jobs
	DeadlinesMet int64   `json:"deadlines_met,omitempty"` // of jobs that finished by then
	MakespanS    float64 `json:"makespan_s"`              // from the first submission to the last end
	// processor time of ended jobs / processor time that was there (of the nodes that were up), from the beginning
	// of the window to its end or the last end of a job
	UtilisationPct float64 `json:"utilisation_pct"`
	// processor time of submitted jobs / processor time that was there (of the nodes that were up), from the first
	// submission to the last; 0 where that is one moment
	OfferedLoad     float64              `json:"offered_load"`
	WaitS           Distribution         `json:"wait_s"`
	ResponseS       Distribution         `json:"response_s"`
	BoundedSlowdown Distribution         `json:"bounded_slowdown"`
	ByClass         map[string]JobsShare `json:"by_class"` // "queue 1"; "no queue"
	BySize          map[string]JobsShare `json:"by_size"`  // by processors: "1", "2", "3-4", "5-8"
	ByUser          map[string]JobsShare `json:"by_user"`  // by number
	SlowdownBoundS  float64              `json:"slowdown_bound_s"`
	Energy          *EnergyReport        `json:"energy,omitempty"` // if the scenario states the nodes' power draw
}

// Distribution is the distribution of a figure over jobs. A few jobs dominate a mean of slowdowns:
// so it has the median and the 95th percentile too (95 % of the jobs are at or below it).
type Distribution struct {
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
	Max    float64 `json:"max"`
}

// JobsShare are the means of some of the jobs.
type JobsShare struct {
	Jobs            int64   `json:"jobs"`
	WaitS           float64 `json:"wait_s"`
	ResponseS       float64 `json:"response_s"`
	BoundedSlowdown float64 `json:"bounded_slowdown"`
}

// Report summarises the events so far; nil if there was no job.
func (j *Jobs) Report() *JobReport {
	t := j.view.Totals().Jobs
	if t.Submitted == 0 {
		return nil
	}
	r := &JobReport{
		Submitted: t.Submitted, Ended: int64(j.waits.count), Killed: j.killed, Backfilled: j.backfilled,
		SlowdownBoundS: SlowdownBound.Seconds(), BySize: map[string]JobsShare{}, Waiting: t.Waiting, Running: t.Running,
		Displaced: t.Displaced,
		WaitS:     j.waits.times(j.waited.Seconds()), ResponseS: j.answers.times(j.lasted.Seconds()),
		BoundedSlowdown: j.slows.distribution(),
		ByClass:         map[string]JobsShare{}, ByUser: map[string]JobsShare{}, Deadlines: j.timed,
		DeadlinesMet: j.met,
	}
	if j.offers > 0 {
		r.OfferedLoad = j.offered / j.offers
	}
	if j.whole > 0 {
		r.MakespanS = (j.last - j.first).Seconds()
		r.UtilisationPct = 100 * j.work / max(1e-6, j.usable)
	}
	for queue, sums := range j.classes {
		class := "no queue"
		if queue >= 0 {
			class = "queue " + strconv.Itoa(int(queue))
		}
		r.ByClass[class] = sums.means()
	}
	for size, sums := range j.sizes {
		r.BySize[sizeName(size)] = sums.means()
	}
	for user, sums := range j.users {
		r.ByUser[strconv.FormatUint(uint64(user), 10)] = sums.means()
	}
	return r
}

// means turns sums into means.
func (s *JobsShare) means() JobsShare {
	n := float64(s.Jobs)
	return JobsShare{s.Jobs, s.WaitS / n, s.ResponseS / n, s.BoundedSlowdown / n}
}

// distribution returns that of numbers, which it sorts.
func distribution(all []float64) Distribution {
	n := len(all)
	if n == 0 {
		return Distribution{}
	}
	sum := 0.0
	for _, x := range all {
		sum += x
	}
	slices.Sort(all)
	at := func(percent int) float64 { return all[(n*percent+99)/100-1] }
	return Distribution{Mean: sum / float64(n), Median: estimate.Median(all), P95: at(95), Max: all[n-1]}
}
