package market

import (
	"fmt"
	"slices"

	"parley/core/batch"
	"parley/core/cluster"
	"parley/core/unit"
)

// sites are the resources' machines and queues, which go on whether their agents are
// up or not. Own jobs start as their queue lets them, sold units when their
// reservation begins. What happens at one moment is taken together: submissions
// first, then ends, with a pass after each. Jobs get the processors of a site's
// lowest nodes that have any, so that its cells fill from one side.
type sites struct {
	*base
	agents *resources
	all    []machine
	jobs   []siteJob // by the job's slot
	sold   []int32   // by node: processors that sold units hold
	ends   int64     // of sold units
}

// machine is one site's.
type machine struct {
	nodes    []unit.NodeID
	byHandle []unit.JobID
	news     news
	woken    unit.Time
}

// news is what happened at the present moment and is not told to the queue yet.
type news struct {
	submitted, displaced []unit.JobID
	ended                []batch.Handle
	due                  bool
}

// siteJob is what is kept of a job's slot.
type siteJob struct {
	site   int32
	known  bool // to the site's queue
	handle batch.Handle
	bought uint64 // the reservation that it runs in; 0 if none
	parts  []cluster.Part
}

func newSites(b *base, r *resources) *sites {
	s := &sites{base: b, agents: r, all: make([]machine, len(b.plan.sites))}
	for i := range s.all {
		s.all[i].woken = -1
	}
	return s
}

// resize takes over how many processors a node has, up or down.
func (r *resources) resize(n unit.NodeID) {
	s := r.sites
	i := int(s.View.Rack(n))
	if i < 0 || i >= len(s.all) {
		return
	}
	m := &s.all[i]
	if !slices.Contains(m.nodes, n) {
		m.nodes = append(m.nodes, n)
	}
	for len(s.sold) <= int(n) {
		s.sold = append(s.sold, 0)
	}
	total := 0
	for _, node := range m.nodes {
		if s.View.Up(node) {
			total += int(s.View.Processors(node))
		}
	}
	r.all[i].queue.Resize(total)
	s.happened(i)
}

// submit takes a job of the site's own.
func (r *resources) submit(site int, id unit.JobID) {
	if site < len(r.all) {
		m := &r.sites.all[site]
		m.news.submitted = append(m.news.submitted, id)
		r.sites.happened(site)
	}
}

// happened reports the news to the queue when the moment is over.
func (s *sites) happened(site int) {
	s.agents.all[site].queue.Touch()
	if m := &s.all[site]; !m.news.due {
		m.news.due = true
		s.Clock.At(s.Clock.Now(), s, uint64(site))
	}
}

// job returns what is kept of a job's slot.
func (s *sites) job(id unit.JobID) *siteJob {
	for int(id.Slot()) >= len(s.jobs) {
		s.jobs = append(s.jobs, siteJob{})
	}
	return &s.jobs[id.Slot()]
}

// ended hears that a job is over.
func (r *resources) ended(id unit.JobID) {
	s := r.sites
	j := s.job(id)
	switch {
	case j.bought != 0:
		s.leave(j)
		if v := r.of(&r.all[j.site], j.bought); v != nil && v.state == inUse {
			s.ends++
			r.release(v)
		}
		j.bought = 0
	case j.known: // its slot may have another job by the time it is reported to the queue
		m := &s.all[j.site]
		m.news.ended = append(m.news.ended, j.handle)
		j.known = false
		s.happened(int(j.site))
	}
}

// displaced hears that a job lost its processors: one of the site's own waits again,
// a sold one is taken back.
func (r *resources) displaced(id unit.JobID) {
	s := r.sites
	j := s.job(id)
	switch {
	case j.bought != 0:
		s.leave(j)
		if v := r.of(&r.all[j.site], j.bought); v != nil && v.state == inUse {
			r.takeBack(v, undelivered)
		}
		j.bought = 0
	case j.known:
		m := &s.all[j.site]
		m.news.displaced = append(m.news.displaced, id)
		s.happened(int(j.site))
	}
}

// leave notes that a sold unit holds nothing any more.
func (s *sites) leave(j *siteJob) {
	for _, p := range j.parts {
		s.sold[p.Node] -= p.Processors
		s.agents.all[j.site].soldCores -= p.Processors
	}
	j.parts = nil
}

// Fire implements des.Handler: it tells a queue what happened, and starts what may
// start.
func (s *sites) Fire(now unit.Time, site uint64) {
	i := int(site)
	m, q := &s.all[i], s.agents.all[i].queue
	n := &m.news
	n.due = false
	q.Touch()
	for _, id := range n.displaced {
		if j := s.job(id); j.known {
			q.Return(now, j.handle)
		}
	}
	for _, id := range n.submitted {
		s.enqueue(now, i, id)
	}
	if len(n.submitted) > 0 {
		s.pass(now, i)
	}
	for _, h := range n.ended {
		q.End(now, h)
		s.pass(now, i)
	}
	if len(n.submitted)+len(n.ended) == 0 {
		s.pass(now, i)
	}
	n.submitted, n.displaced, n.ended = n.submitted[:0], n.displaced[:0], n.ended[:0]
	s.wake(now, i)
}

// wake lets a pass follow where a reservation begins or ends.
func (s *sites) wake(now unit.Time, site int) {
	m := &s.all[site]
	if at := s.agents.all[site].queue.Wake(now); at < unit.Forever && at != m.woken {
		m.woken = at
		s.Clock.At(at, s, uint64(site))
	}
}

// expect lets a pass follow where a new reservation begins, unless one follows before
// anyway: that looks again.
func (s *sites) expect(now unit.Time, site int, begins unit.Time) {
	if woken := s.all[site].woken; woken <= now || woken > begins {
		s.wake(now, site)
	}
}

// enqueue puts a job into its site's queue.
func (s *sites) enqueue(now unit.Time, site int, id unit.JobID) {
	job, alive := s.View.Job(id)
	if !alive {
		return
	}
	h := s.agents.all[site].queue.Submit(now, batch.Job{Processors: int(job.Processors), Estimate: job.Estimate})
	j := s.job(id)
	j.site, j.handle, j.known, j.bought = int32(site), h, true, 0
	m := &s.all[site]
	for int(h) >= len(m.byHandle) {
		m.byHandle = append(m.byHandle, 0)
	}
	m.byHandle[h] = id
}

// pass starts the jobs that a queue lets start.
func (s *sites) pass(now unit.Time, site int) {
	one := &s.agents.all[site]
	one.queue.Touch()
	for _, h := range slices.Clone(one.queue.Pass(now)) {
		id := s.all[site].byHandle[h]
		job, alive := s.View.Job(id)
		if !alive || !s.place(site, id, job.Processors) {
			one.queue.Return(now, h) // the site shrank at this very moment
			continue
		}
		if job.Submitted > 0 { // the submission of jobs that waited before the run is unknown
			one.predictor.Observe(now - job.Submitted)
		}
	}
}

// place gives a job processors of a site's lowest nodes.
func (s *sites) place(site int, id unit.JobID, need int32) bool {
	j := s.job(id)
	j.parts = j.parts[:0]
	for _, n := range s.all[site].nodes {
		if need == 0 {
			break
		}
		if take := min(need, s.View.FreeProcessors(n)); take > 0 && s.View.Up(n) {
			j.parts = append(j.parts, cluster.Part{Node: n, Processors: take})
			need -= take
		}
	}
	return need == 0 && s.Acts.PlaceAll(id, j.parts) == nil
}

// plan lets a sold unit start when its reservation begins.
func (s *sites) plan(v *reservation) {
	s.Clock.At(v.block.Start, (*starter)(s), s.agents.id(v.slot))
}

// starter starts sold units. Own jobs that end at the same moment may still hold
// their processors: so it tries once more when the moment's other events are over.
type starter sites

// Fire implements des.Handler.
func (x *starter) Fire(now unit.Time, id uint64) {
	s := (*sites)(x)
	if !s.begin(id, false) {
		s.Clock.At(now, (*lastStarter)(s), id)
	}
}

// lastStarter tries for the last time.
type lastStarter sites

// Fire implements des.Handler.
func (x *lastStarter) Fire(_ unit.Time, id uint64) { (*sites)(x).begin(id, true) }

// begin starts the unit of a reservation and reports whether there is nothing left
// to try. Where the cores are not there at last, its price is given back.
func (s *sites) begin(id uint64, last bool) bool {
	r := s.agents
	v := &r.reservations[uint32(id)]
	if uint64(v.use) != id>>32 || v.state != paid {
		return true
	}
	if s.place(v.resource, v.job, int32(v.block.Processors)) {
		v.state = inUse
		j := s.job(v.job)
		j.site, j.known, j.bought = int32(v.resource), false, id
		for _, p := range j.parts {
			s.sold[p.Node] += p.Processors
			r.all[v.resource].soldCores += p.Processors
		}
		r.journal.reservation(noteStarted, v)
		return true
	}
	if last {
		r.takeBack(v, undelivered)
	}
	return last
}

// audit compares what queues and reservations say with what the cluster holds.
func (s *sites) audit() error {
	for i := range s.all {
		m, one := &s.all[i], &s.agents.all[i]
		if m.news.due {
			continue // it has not heard yet
		}
		busy := 0
		for _, n := range m.nodes {
			busy += int(s.View.BusyProcessors(n))
		}
		if busy != one.queue.Busy()+int(one.soldCores) {
			return fmt.Errorf("on %s own jobs hold %d cores and sold units %d, the cluster says %d", one.site.Name, one.queue.Busy(), one.soldCores, busy)
		}
	}
	return nil
}
