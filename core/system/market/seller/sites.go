package seller

import (
	"fmt"
	"slices"

	"parley/core/batch"
	"parley/core/cluster"
	"parley/core/des"
	"parley/core/system/market/fipa"
	"parley/core/system/market/journal"
	"parley/core/unit"
)

// Sites are the resources' machines and queues, which go on whether their agents are up or not. Own
// jobs start as their queue lets them, sold units when their reservation begins. The events of one
// moment are handled together: submissions first, then ends, with a pass after each. Jobs get the
// processors of a site's lowest-numbered nodes that have any, so that its cells fill from one side.
type Sites struct {
	view   cluster.View
	acts   cluster.JobActs
	clock  des.Clock
	agents *Resources
	All    []machine
	jobs   []siteJob // by the job's slot
	Sold   []int32   // by node: processors that sold units hold
	Ends   int64     // of sold units
}

// machine is one site's.
type machine struct {
	Nodes    []unit.NodeID
	byHandle []unit.JobID
	latest   latest
	woken    unit.Time
}

// latest holds the events of the present moment that were not yet reported to the queue.
type latest struct {
	submitted, displaced []unit.JobID
	ended                []batch.Handle
	due                  bool
}

// siteJob is the record of a job's slot.
type siteJob struct {
	site   int32
	known  bool // to the site's queue
	handle batch.Handle
	bought uint64 // the reservation that it runs in; 0 if none
	parts  []cluster.Part
}

// Machines are the sites' nodes and the acts on them.
type Machines struct {
	View cluster.View
	Acts cluster.JobActs
}

func newSites(m Machines, clock des.Clock, r *Resources) *Sites {
	s := &Sites{view: m.View, acts: m.Acts, clock: clock, agents: r, All: make([]machine, len(r.All))}
	for i := range s.All {
		s.All[i].woken = -1
	}
	return s
}

// happened reports the latest to the queue when the moment is over.
func (s *Sites) happened(site int) {
	s.agents.All[site].Queue.Touch()
	if m := &s.All[site]; !m.latest.due {
		m.latest.due = true
		s.clock.At(s.clock.Now(), s, uint64(site))
	}
}

// job returns the record of a job's slot.
func (s *Sites) job(id unit.JobID) *siteJob {
	for int(id.Slot()) >= len(s.jobs) {
		s.jobs = append(s.jobs, siteJob{})
	}
	return &s.jobs[id.Slot()]
}

// leave notes that a sold unit holds nothing any more.
func (s *Sites) leave(j *siteJob) {
	for _, p := range j.parts {
		s.Sold[p.Node] -= p.Processors
		s.agents.All[j.site].SoldCores -= p.Processors
	}
	j.parts = nil
}

// Fire implements des.Handler: it reports the events of this moment to a site's queue, and makes passes
// that start jobs. Without submissions and ends there is one pass, as for wake-ups.
func (s *Sites) Fire(now unit.Time, site uint64) {
	i := int(site)
	m, q := &s.All[i], s.agents.All[i].Queue
	n := &m.latest
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
func (s *Sites) wake(now unit.Time, site int) {
	m := &s.All[site]
	if at := s.agents.All[site].Queue.Wake(now); at < unit.Forever && at != m.woken {
		m.woken = at
		s.clock.At(at, s, uint64(site))
	}
}

// expect lets a pass follow where a new reservation begins, unless one follows before
// anyway: that looks again.
func (s *Sites) expect(now unit.Time, site int, begins unit.Time) {
	if woken := s.All[site].woken; woken <= now || woken > begins {
		s.wake(now, site)
	}
}

// enqueue puts a job into its site's queue.
func (s *Sites) enqueue(now unit.Time, site int, id unit.JobID) {
	job, alive := s.view.Job(id)
	if !alive {
		return
	}
	h := s.agents.All[site].Queue.Submit(now, batch.Job{Processors: int(job.Processors), Estimate: job.Estimate})
	j := s.job(id)
	j.site, j.handle, j.known, j.bought = int32(site), h, true, 0
	m := &s.All[site]
	for int(h) >= len(m.byHandle) {
		m.byHandle = append(m.byHandle, 0)
	}
	m.byHandle[h] = id
}

// pass starts the jobs that a queue lets start, and gives their waits to the predictor. A job that the
// cluster refuses goes back to the queue.
func (s *Sites) pass(now unit.Time, site int) {
	one := &s.agents.All[site]
	one.Queue.Touch()
	for _, h := range slices.Clone(one.Queue.Pass(now)) {
		id := s.All[site].byHandle[h]
		job, alive := s.view.Job(id)
		if !alive || !s.place(site, id, job.Processors) {
			one.Queue.Return(now, h) // the site shrank at this very moment
			continue
		}
		if job.Submitted > 0 { // the submission of jobs that waited before the run is unknown
			one.Predictor.Observe(now - job.Submitted)
		}
	}
}

// place starts a job on the lowest nodes of a site with free processors; false if there are not enough.
// The parts are kept in the job's record in either case.
func (s *Sites) place(site int, id unit.JobID, need int32) bool {
	j := s.job(id)
	j.parts = j.parts[:0]
	for _, n := range s.All[site].Nodes {
		if need == 0 {
			break
		}
		if take := min(need, s.view.FreeProcessors(n)); take > 0 && s.view.Up(n) {
			j.parts = append(j.parts, cluster.Part{Node: n, Processors: take})
			need -= take
		}
	}
	return need == 0 && s.acts.PlaceAll(id, j.parts) == nil
}

// Plan lets a sold unit start when its reservation begins.
func (s *Sites) Plan(v *Reservation) {
	s.clock.At(v.Block.Start, (*starter)(s), s.agents.ID(v.Slot))
}

// starter starts sold units. Own jobs that end at the same moment may still hold
// their processors: so it tries once more when the moment's other events are over.
type starter Sites

// Fire implements des.Handler.
func (x *starter) Fire(now unit.Time, id uint64) {
	s := (*Sites)(x)
	if !s.begin(id, false) {
		s.clock.At(now, (*lastStarter)(s), id)
	}
}

// lastStarter tries for the last time.
type lastStarter Sites

// Fire implements des.Handler.
func (x *lastStarter) Fire(_ unit.Time, id uint64) { (*Sites)(x).begin(id, true) }

// begin starts the unit of a reservation, whose id has its slot and use, and reports whether there is
// nothing left to try: it started, it is no longer to start, or this was the last try. After a last try
// without enough cores its price is given back.
func (s *Sites) begin(id uint64, last bool) bool {
	r := s.agents
	v := &r.Reservations[uint32(id)]
	if uint64(v.use) != id>>32 || v.State != Paid {
		return true
	}
	if s.place(v.Resource, v.job, int32(v.Block.Processors)) {
		v.State = InUse
		j := s.job(v.job)
		j.site, j.known, j.bought = int32(v.Resource), false, id
		for _, p := range j.parts {
			s.Sold[p.Node] += p.Processors
			r.All[v.Resource].SoldCores += p.Processors
		}
		r.note(journal.NoteStarted, v)
		return true
	}
	if last {
		r.TakeBack(v, fipa.Undelivered)
	}
	return last
}

// audit compares the queues and reservations with the cluster's state.
func (s *Sites) audit() error {
	for i := range s.All {
		m, one := &s.All[i], &s.agents.All[i]
		if m.latest.due {
			continue // the events are not yet reported to the queue
		}
		busy := 0
		for _, n := range m.Nodes {
			busy += int(s.view.BusyProcessors(n))
		}
		if busy != one.Queue.Busy()+int(one.SoldCores) {
			return fmt.Errorf("on %s own jobs hold %d cores and sold units %d, the cluster says %d", one.Site.Name,
				one.Queue.Busy(), one.SoldCores, busy)
		}
	}
	return nil
}
