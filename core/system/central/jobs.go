package central

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"parley/core/batch"
	"parley/core/batch/multifactor"
	"parley/core/cluster"
	"parley/core/system"
	"parley/core/unit"
)

// errNoJobs is the answer of policies that place tasks.
var errNoJobs = system.Unsupported("the policy places tasks and the workload brings rigid jobs: choose one of " + strings.Join(jobPolicies, ", "))

// errNoTasks is the answer of policies that start rigid jobs.
var errNoTasks = system.Unsupported("the policy starts rigid jobs and the workload brings tasks: open a log of rigid jobs (SWF), or choose one of " + strings.Join(TaskPolicies, ", "))

// jobScheduler implements system.System for the policies of package batch: a queue of rigid jobs
// before each partition of a machine of interchangeable processors; usually there is one partition.
// The events of one moment are handled together: submissions first, then ends, with a pass after
// each, as published results assume. Jobs get the processors of the lowest-numbered nodes that have
// any free.
type jobScheduler struct {
	env          system.Env
	settings     Batch
	policy       batch.Policy
	queues       *queues
	nodes        *nodeNeeds
	limits       *jobLimits
	off          *saver        // nil: nodes stay on; the methods that are called without a test accept nil
	reservations []reservation // that are not made yet
	parts        []*partition
	jobs         []placed // by the job's slot
	processors   []int32  // by node: its processors in its partition
	latest       latest
	started      []batch.Handle // scratch of pass
	tooLarge     int64          // jobs that need more processors than their partition ever had
	refused      int64          // jobs that are longer or wider than their queue takes
	overLimit    int64          // jobs whose group had as many submitted jobs as it may
	unplayed     int64          // jobs of whose needs some are not played
	scattered    int64          // jobs that ask for few switches, which is not played
	unthrottled  int64          // elements of arrays whose throttle is not played
	unread       int64          // jobs with a QOS that no setting reads
	qos          uint32
	mixed        bool     // jobs of several QOS were submitted
	unreserved   int64    // reservations for which there was no room
	ignored      []string // a warning about settings, or none
}

// partition is a set of nodes with a queue of its own.
type partition struct {
	site     *batch.Site
	ranker   *multifactor.Queue
	open     nodeBits // nodes with free processors
	byHandle []unit.JobID
	total    int64 // processors that are up
	largest  int64 // that it ever had at once
	woken    unit.Time
}

// placed is the scheduler's record of a job.
type placed struct {
	handle    batch.Handle
	part      int32
	known     bool // to the site
	stopped   bool // for another job, and the cluster's event is still to come
	boots     bool // its parts are its own, and not all of their nodes are on
	parts     []cluster.Part
	submitted []*batch.Limit // that count it while it waits or runs
}

// latest holds the events of the present moment that were not yet reported to the sites.
type latest struct {
	submitted, displaced []unit.JobID
	ended                []ended
	due                  bool
	behind               bool // the next event is behind those that the ends of this moment enable
}

// ended is a job that ended.
type ended struct {
	part   int32
	handle batch.Handle
}

// newJobScheduler makes the scheduler of rigid jobs. An error names a setting or reservation that is
// invalid.
func newJobScheduler(env system.Env, s *Settings) (*jobScheduler, error) {
	j, err := s.sites(env.Names)
	if err != nil {
		return nil, err
	}
	reservations, err := readReservations(s.Batch.Reservations, env.Names)
	if err != nil {
		return nil, err
	}
	j.env, j.settings, j.reservations, j.ignored = env, s.Batch, reservations, s.unread()
	j.off = newSaver(j, s.Batch.Off)
	return j, nil
}

// On implements system.System. It collects the events of a moment, which Fire reports to the sites. A
// displacement that a site ordered itself is ignored.
func (s *jobScheduler) On(e cluster.Event) error {
	n := &s.latest
	if s.off != nil {
		s.off.events++
	}
	switch e.Kind {
	case cluster.NodeUp, cluster.NodeDown, cluster.NodeChanged:
		s.resize(e.Node)
		s.off.changed(e.Node)
	case cluster.NodePower:
		s.off.changed(e.Node)
		return nil
	case cluster.JobSubmitted:
		n.submitted = append(n.submitted, e.Job())
	case cluster.JobDisplaced:
		if j := s.job(e.Job()); j.stopped { // the site did it
			j.stopped = false
			return nil
		}
		s.release(e.Job())
		n.displaced = append(n.displaced, e.Job())
	case cluster.JobEnded:
		s.release(e.Job())
		if j := s.job(e.Job()); j.known { // its slot may have another job by the time it is reported to the site
			n.ended = append(n.ended, ended{j.part, j.handle})
			j.known = false
			s.uncount(j)
		}
	case cluster.TaskSubmitted:
		return errNoTasks
	default:
		return nil
	}
	s.soon()
	return nil
}

// The events of the scheduler: it reports the latest to the sites, or a reservation begins.
const (
	reportEvents uint64 = iota
	wake
	switchOff
	switchOffNow
)

// soon reports this moment to the sites when all that is known to happen at it has
// happened.
func (s *jobScheduler) soon() {
	if !s.latest.due {
		s.latest.due = true
		s.env.Clock.At(s.env.Clock.Now(), s, reportEvents)
	}
}

// resize passes the processors of a node that came, went or changed to its partition's site, 0 if the
// node is down.
func (s *jobScheduler) resize(n unit.NodeID) {
	v, p := s.env.View, s.partOf(n)
	for int(n) >= len(s.processors) {
		s.processors = append(s.processors, 0)
	}
	has := int32(0)
	if v.Up(n) {
		has = v.Processors(n)
	}
	p.total += int64(has - s.processors[n])
	s.processors[n] = has
	p.largest = max(p.largest, p.total)
	if s.nodes.on {
		if p.site.SetNode(int(n), s.nodes.node(n, has)); s.nodes.racks {
			p.site.SetLeaf(int(n), v.Rack(n))
		}
	} else {
		p.site.Resize(int(p.total))
	}
	p.ranker.Resize(int(v.Totals().Jobs.Processors))
	s.reopen(n)
}

// partOf returns the partition of a node.
func (s *jobScheduler) partOf(n unit.NodeID) *partition { return s.parts[s.queues.partOf(n)] }

// reopen notes whether a node has free processors.
func (s *jobScheduler) reopen(n unit.NodeID) {
	s.partOf(n).open.set(n, s.env.View.Up(n) && s.free(n) > 0)
}

// free returns how many processors of a node no job has, or waits for.
func (s *jobScheduler) free(n unit.NodeID) int32 {
	return s.env.View.FreeProcessors(n) - s.off.holdsOf(n)
}

// release records that a job holds no nodes any more: those that it had may be open again, and may be
// switched off.
func (s *jobScheduler) release(id unit.JobID) {
	j := s.job(id)
	if j.boots {
		s.off.give(id)
	}
	for _, p := range j.parts {
		s.reopen(p.Node)
		s.off.look(p.Node)
	}
	j.parts = cluster.Emptied(j.parts)
}

// job returns the record of a job's slot.
func (s *jobScheduler) job(id unit.JobID) *placed {
	for int(id.Slot()) >= len(s.jobs) {
		s.jobs = append(s.jobs, placed{})
	}
	return &s.jobs[id.Slot()]
}

// Fire handles a wake-up, the switching off of idle nodes or, else, the events of this moment: it reports them to the
// sites. A reservation that begins waits for jobs that end at this moment and whose processors it needs.
func (s *jobScheduler) Fire(now unit.Time, kind uint64) {
	switch kind {
	case wake:
		s.soon()
		return
	case switchOff, switchOffNow:
		s.off.switchOff(now, kind)
		return
	}
	n, each := &s.latest, s.settings.Pass == afterEach
	if !n.behind && !each && len(n.ended) > 0 { // jobs may come because others ended at this very moment
		n.behind = true
		s.env.Clock.At(now, s, reportEvents)
		return
	}
	n.due, n.behind = false, false
	s.reserve(now)
	for _, id := range n.displaced {
		if j := s.job(id); j.known {
			s.parts[j.part].site.Return(now, j.handle)
		}
	}
	for _, id := range n.submitted {
		if p := s.submit(now, id); each {
			s.pass(now, p)
		}
	}
	for _, e := range n.ended {
		if s.parts[e.part].site.End(now, e.handle); each {
			s.pass(now, s.parts[e.part])
		}
	}
	if !each || len(n.submitted)+len(n.ended) == 0 || len(s.parts) > 1 {
		for _, p := range s.parts {
			s.pass(now, p)
		}
	}
	n.submitted, n.displaced, n.ended = n.submitted[:0], n.displaced[:0], n.ended[:0]
	for _, p := range s.parts {
		if at := p.site.Wake(now); at < unit.Forever && at != p.woken {
			p.woken = at
			s.env.Clock.At(at, s, wake)
		}
	}
}

// reserve makes all reservations, once, as soon as the machine has processors; 0 processors means all of
// the partition. Those without room are counted in unreserved. A reservation without a queue is made in
// the first partition.
func (s *jobScheduler) reserve(now unit.Time) {
	if len(s.reservations) == 0 || s.env.View.Totals().Jobs.Processors == 0 {
		return
	}
	for _, r := range s.reservations {
		p := s.parts[0]
		if !r.any {
			p = s.parts[s.queues.part[s.queues.of(r.queue)]]
		}
		if r.processors == 0 {
			r.processors = int(p.total)
		}
		if !p.site.Reserve(now, batch.Block{Start: max(now, r.from), End: r.to, Processors: r.processors}) {
			s.unreserved++
		}
	}
	s.reservations = nil
}

// submit puts a job into its queue and returns the partition where a pass is due. One that could never run
// does not hold up the others.
func (s *jobScheduler) submit(now unit.Time, id unit.JobID) *partition {
	job, alive := s.env.View.Job(id)
	if !alive {
		return s.parts[0]
	}
	q := s.queues.of(job.Queue)
	at := s.queues.part[q]
	p := s.parts[at]
	asks := batch.Job{
		Processors: int(job.Processors), Estimate: s.settings.estimateOf(&job.Job), User: job.User, Group: job.Group,
		Queue: q,
		Need:  job.Need, Components: job.Components,
	}
	left, scattered := s.nodes.played(&asks)
	if left {
		s.unplayed++
	}
	if scattered {
		s.scattered++
	}
	if job.QOS > 0 && !s.limits.reads(ofQOS) {
		s.mixed = s.mixed || s.unread > 0 && job.QOS != s.qos
		s.unread, s.qos = s.unread+1, job.QOS
	}
	runs, submitted := s.limits.of(job.Key, &job.Job, s.queues, q)
	if s.policy == batch.ConservativeCompress && len(runs) > 0 {
		s.unthrottled++
		runs = nil
	}
	asks.Limits = runs
	switch {
	case int64(job.Processors) > p.largest || s.nodes.on && !p.site.Possible(asks):
		s.tooLarge++
		return p
	case len(s.queues.limits) > 0 && (job.Processors > s.queues.widest[q] || job.Estimate > s.queues.longest[q]):
		s.refused++
		return p
	case slices.ContainsFunc(submitted, func(l *batch.Limit) bool { return !l.Allows(batch.Amount{Jobs: 1}) }):
		s.overLimit++
		return p
	}
	for _, l := range submitted {
		l.Count(batch.Amount{Jobs: 1}, 1)
	}
	h := p.site.Submit(now, asks)
	j := s.job(id)
	j.handle, j.part, j.known, j.stopped, j.submitted = h, int32(at), true, false, submitted
	for int(h) >= len(p.byHandle) {
		p.byHandle = append(p.byHandle, 0)
	}
	p.byHandle[h] = id
	return p
}

// pass stops and starts the jobs that the site returns.
func (s *jobScheduler) pass(now unit.Time, p *partition) {
	s.started = append(s.started[:0], p.site.Pass(now)...)
	for _, h := range p.site.Stopped() {
		s.stopFor(p.byHandle[h])
	}
	for _, h := range s.started {
		if !s.place(now, p, h, p.byHandle[h]) {
			p.site.Return(now, h) // the machine shrank at this very moment
		}
	}
}

// stopFor carries out in the cluster that the site has stopped a job for another one: it cancels,
// suspends or requeues the job as the setting says. j.stopped then lets On ignore the event that the
// cluster sends about it. A job whose nodes still boot has not started, so its nodes are only released.
func (s *jobScheduler) stopFor(id unit.JobID) {
	acts, j := s.env.Acts, s.job(id)
	if j.boots && s.settings.Preempt != batch.Cancel.String() {
		s.release(id)
		return
	}
	var err error
	switch s.settings.Preempt {
	case batch.Cancel.String():
		if j.known = false; acts.CancelAll(id) == nil {
			s.uncount(j)
		}
		return
	case batch.Suspend.String():
		err = acts.SuspendAll(id, 0)
	default:
		err = acts.PreemptAll(id)
	}
	if err == nil {
		s.release(id)
		j.stopped = true
	}
}

// uncount lets a job no longer count as submitted.
func (s *jobScheduler) uncount(j *placed) {
	for _, l := range j.submitted {
		l.Count(batch.Amount{Jobs: 1}, -1)
	}
}

// place starts a job on the parts that the site chose or, if the site counts processors only, on those
// of the lowest nodes with free ones, nodes that are awake first. It returns false if the cluster
// refuses or the job is gone. If nodes have to boot first, the job waits for them, and the result is
// true.
func (s *jobScheduler) place(now unit.Time, part *partition, h batch.Handle, id unit.JobID) bool {
	job, alive := s.env.View.Job(id)
	if !alive {
		return false
	}
	j := s.job(id)
	j.parts = j.parts[:0]
	need := job.Processors
	if s.nodes.on {
		need, j.parts = 0, partsOf(j.parts, part.site, h)
	}
	for _, asleep := range [...]bool{false, true} {
		for n := part.open.next(0); need > 0 && n >= 0; n = part.open.next(n + 1) {
			node := unit.NodeID(n)
			if take := min(need, s.free(node)); take > 0 && s.off.sleeps(node) == asleep {
				j.parts = append(j.parts, cluster.Part{Node: node, Processors: take})
				need -= take
			}
		}
	}
	if s.off != nil && need == 0 && s.off.wait(now, part, id) {
		return true
	}
	if err := s.env.Acts.PlaceAll(id, j.parts); err != nil {
		j.parts = j.parts[:0]
		return false
	}
	for _, p := range j.parts {
		part.open.set(p.Node, s.free(p.Node) > 0)
		s.off.look(p.Node)
	}
	return true
}

// Audit implements system.Auditor: it returns the first difference between the sites' records and the
// cluster, nil if there is none. It checks nothing while events of this moment are not reported to the
// sites. Processors that wait for booting nodes are busy to a site and not to the cluster.
func (s *jobScheduler) Audit() error {
	v := s.env.View
	t := v.Totals().Jobs
	if s.latest.due {
		return nil // the events are not yet reported to the sites
	}
	busy, processors, waiting := int64(0), int64(0), 0
	for _, p := range s.parts {
		busy, processors, waiting = busy+int64(p.site.Busy()), processors+int64(p.site.Processors()),
			waiting+p.site.Waiting()
	}
	if s.off != nil {
		busy -= s.off.holds
	}
	if busy != t.Busy || processors != t.Processors || waiting > t.Waiting {
		return fmt.Errorf("the queues count %d of %d processors busy and %d jobs waiting, the cluster %d of %d and %d", busy, processors, waiting, t.Busy, t.Processors, t.Waiting)
	}
	for n := range unit.NodeID(v.Nodes()) {
		if open := s.partOf(n).open.has(n); open != (v.Up(n) && s.free(n) > 0) {
			return fmt.Errorf("node %d counts as open: %v, and has %d processors free", n, open, s.free(n))
		}
	}
	return nil
}

// nodeBits is a set of nodes.
type nodeBits []uint64

// set adds a node to the set or, if in is false, removes it. The set grows as needed.
func (b *nodeBits) set(n unit.NodeID, in bool) {
	for int(n)/64 >= len(*b) {
		*b = append(*b, 0)
	}
	if bit := uint64(1) << (n % 64); in {
		(*b)[n/64] |= bit
	} else {
		(*b)[n/64] &^= bit
	}
}

// has reports whether a node is in the set.
func (b nodeBits) has(n unit.NodeID) bool { return int(n)/64 < len(b) && b[n/64]>>(n%64)&1 == 1 }

// next returns the lowest node of the set from one on, or -1.
func (b nodeBits) next(n int) int {
	for w := n / 64; w < len(b); w++ {
		word := b[w]
		if w == n/64 {
			word &= ^uint64(0) << (n % 64)
		}
		if word != 0 {
			return w*64 + bits.TrailingZeros64(word)
		}
	}
	return -1
}
