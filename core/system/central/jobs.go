package central

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"parley/core/batch"
	"parley/core/cluster"
	"parley/core/system"
	"parley/core/unit"
)

// Batch are the settings of the policies for rigid jobs.
type Batch struct {
	// Estimate is what a policy believes of how long a job runs: "requested", the
	// limit its user gave, or "run", how long it really runs, which no scheduler knows.
	Estimate string `json:"estimate"`
	// Factor is what estimates are multiplied with: doubled ones leave larger holes.
	Factor float64 `json:"factor"`
	// Order is how the queue is sorted: one of batch.OrderNames. Its first job that does
	// not fit is the head.
	Order string `json:"order"`
	// Backfill is how EASY sorts the jobs behind the head, or "same": as the queue, and
	// under easy-sjbf the shortest estimate first.
	Backfill string `json:"backfill"`
}

// sameOrder is the word for a Backfill that is not another.
const sameOrder = "same"

// site returns an empty site with the policy and the orders of the settings.
func (s *Settings) site() (*batch.Site, error) {
	policy, err := batch.ParsePolicy(s.Policy)
	if err != nil {
		return nil, err
	}
	order, err := batch.ParseOrder(s.Batch.Order)
	if err != nil {
		return nil, err
	}
	backfill := order
	if policy == batch.EASYSJBF {
		backfill = batch.Shortest
	}
	if s.Batch.Backfill != sameOrder {
		if backfill, err = batch.ParseOrder(s.Batch.Backfill); err != nil {
			return nil, err
		}
	}
	site := batch.NewSite(policy, 0)
	site.Sort(order, backfill)
	rank, err := s.Formula.order()
	if err != nil {
		return nil, err
	}
	site.Rank(rank)
	return site, nil
}

// estimates are the words for Batch.Estimate.
var estimates = []string{"requested", "run"}

// errNoJobs is the answer of policies that place tasks.
var errNoJobs = system.Misfit("the policy places tasks and the workload brings rigid jobs: choose one of " + strings.Join(batch.PolicyNames(), ", "))

// jobScheduler implements system.System for the policies of package batch: one queue
// of rigid jobs before a machine of interchangeable processors. What happens at one
// moment is taken together: submissions first, then ends, with a pass after each, as
// published results assume. Jobs get the processors of the lowest nodes that have
// any free.
type jobScheduler struct {
	env      system.Env
	settings Batch
	site     *batch.Site
	open     nodeBits // nodes with free processors
	jobs     []placed // by the job's slot
	byHandle []unit.JobID
	news     news
	largest  int64 // processors that the machine ever had at once
	tooLarge int64 // jobs that need more
	woken    unit.Time
}

// placed is what the scheduler keeps of a job.
type placed struct {
	handle batch.Handle
	known  bool // to the site
	parts  []cluster.Part
}

// news is what happened at the present moment and is not told to the site yet.
type news struct {
	submitted, displaced []unit.JobID
	ended                []batch.Handle
	due                  bool
}

func newJobScheduler(env system.Env, s *Settings) (*jobScheduler, error) {
	site, err := s.site()
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	return &jobScheduler{env: env, settings: s.Batch, site: site, woken: -1}, nil
}

// On implements system.System.
func (s *jobScheduler) On(e cluster.Event) error {
	n := &s.news
	switch e.Kind {
	case cluster.NodeUp, cluster.NodeDown, cluster.NodeChanged:
		s.resize(e.Node)
	case cluster.JobSubmitted:
		n.submitted = append(n.submitted, e.Job())
	case cluster.JobDisplaced:
		s.release(e.Job())
		n.displaced = append(n.displaced, e.Job())
	case cluster.JobEnded:
		s.release(e.Job())
		if j := s.job(e.Job()); j.known { // its slot may have another job by the time the site hears of it
			n.ended = append(n.ended, j.handle)
			j.known = false
		}
	case cluster.TaskSubmitted:
		return system.Misfit("the policy starts rigid jobs and the workload brings tasks: open a log of rigid jobs (SWF), or choose one of " + strings.Join(TaskPolicies, ", "))
	default:
		return nil
	}
	s.soon()
	return nil
}

// The events of the scheduler: it tells the site its news, or a reservation begins.
const (
	tellNews uint64 = iota
	wake
)

// soon makes the site hear of this moment when all that is known to happen at it has
// happened.
func (s *jobScheduler) soon() {
	if !s.news.due {
		s.news.due = true
		s.env.Clock.At(s.env.Clock.Now(), s, tellNews)
	}
}

// resize takes over how many processors there are.
func (s *jobScheduler) resize(n unit.NodeID) {
	v := s.env.View
	total := v.Totals().Jobs.Processors
	s.largest = max(s.largest, total)
	s.site.Resize(int(total))
	s.open.set(n, v.Up(n) && v.FreeProcessors(n) > 0)
}

// release notes that a job holds nothing any more.
func (s *jobScheduler) release(id unit.JobID) {
	j := s.job(id)
	for _, p := range j.parts {
		s.open.set(p.Node, s.env.View.Up(p.Node) && s.env.View.FreeProcessors(p.Node) > 0)
	}
	j.parts = nil
}

// job returns what is kept of a job's slot.
func (s *jobScheduler) job(id unit.JobID) *placed {
	for int(id.Slot()) >= len(s.jobs) {
		s.jobs = append(s.jobs, placed{})
	}
	return &s.jobs[id.Slot()]
}

// Fire tells the site what happened at this moment. A reservation that begins waits
// for those whose end at this very moment it counts on.
func (s *jobScheduler) Fire(now unit.Time, what uint64) {
	if what == wake {
		s.soon()
		return
	}
	n := &s.news
	n.due = false
	for _, id := range n.displaced {
		if j := s.job(id); j.known {
			s.site.Return(now, j.handle)
		}
	}
	for _, id := range n.submitted {
		s.submit(now, id)
		s.pass(now)
	}
	for _, h := range n.ended {
		s.site.End(now, h)
		s.pass(now)
	}
	if len(n.submitted)+len(n.ended) == 0 {
		s.pass(now)
	}
	n.submitted, n.displaced, n.ended = n.submitted[:0], n.displaced[:0], n.ended[:0]
	if at := s.site.Wake(now); at < unit.Forever && at != s.woken {
		s.woken = at
		s.env.Clock.At(at, s, wake)
	}
}

// submit puts a job into the queue. One that the machine could never run does not
// hold up the others.
func (s *jobScheduler) submit(now unit.Time, id unit.JobID) {
	job, alive := s.env.View.Job(id)
	switch {
	case !alive:
		return
	case int64(job.Processors) > s.largest:
		s.tooLarge++
		return
	}
	estimate := job.Estimate
	if s.settings.Estimate == "run" {
		estimate = min(job.Run, job.Estimate)
	}
	estimate = max(1, unit.Time(float64(estimate)*s.settings.Factor))
	h := s.site.Submit(now, batch.Job{Processors: int(job.Processors), Estimate: estimate})
	j := s.job(id)
	j.handle, j.known = h, true
	for int(h) >= len(s.byHandle) {
		s.byHandle = append(s.byHandle, 0)
	}
	s.byHandle[h] = id
}

// pass starts the jobs that the site lets start.
func (s *jobScheduler) pass(now unit.Time) {
	for _, h := range slices.Clone(s.site.Pass(now)) {
		if !s.place(s.byHandle[h]) {
			s.site.Return(now, h) // the machine shrank at this very moment
		}
	}
}

// place gives a job processors of the lowest nodes that have any.
func (s *jobScheduler) place(id unit.JobID) bool {
	job, alive := s.env.View.Job(id)
	if !alive {
		return false
	}
	j := s.job(id)
	j.parts = j.parts[:0]
	need := job.Processors
	for n := s.open.next(0); need > 0 && n >= 0; n = s.open.next(n + 1) {
		take := min(need, s.env.View.FreeProcessors(unit.NodeID(n)))
		if take > 0 {
			j.parts = append(j.parts, cluster.Part{Node: unit.NodeID(n), Processors: take})
			need -= take
		}
	}
	if err := s.env.Acts.PlaceAll(id, j.parts); err != nil {
		j.parts = j.parts[:0]
		return false
	}
	for _, p := range j.parts {
		s.open.set(p.Node, s.env.View.FreeProcessors(p.Node) > 0)
	}
	return true
}

// Audit implements system.Auditor: what the site believes is what the cluster holds.
func (s *jobScheduler) Audit() error {
	v := s.env.View
	t := v.Totals().Jobs
	if s.news.due {
		return nil // it has not heard yet
	}
	if int64(s.site.Busy()) != t.Busy || int64(s.site.Processors()) != t.Processors || s.site.Waiting() > t.Waiting {
		return fmt.Errorf("the queue counts %d of %d processors busy and %d jobs waiting, the cluster %d of %d and %d", s.site.Busy(), s.site.Processors(), s.site.Waiting(), t.Busy, t.Processors, t.Waiting)
	}
	for n := range unit.NodeID(v.Nodes()) {
		if open := s.open.next(int(n)) == int(n); open != (v.Up(n) && v.FreeProcessors(n) > 0) {
			return fmt.Errorf("node %d counts as open: %v, and has %d processors free", n, open, v.FreeProcessors(n))
		}
	}
	return nil
}

// Warnings implements system.WarningSource.
func (s *jobScheduler) Warnings() []string {
	if s.tooLarge == 0 {
		return nil
	}
	return []string{fmt.Sprintf("jobs that ask for more processors than the machine ever had: %d; they wait for ever and delay no other job", s.tooLarge)}
}

// nodeBits is a set of nodes.
type nodeBits []uint64

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
