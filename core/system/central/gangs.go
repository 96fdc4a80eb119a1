package central

import (
	"fmt"

	"parley/core/batch"
	"parley/core/batch/device"
	"parley/core/batch/gang"
	"parley/core/cluster"
	"parley/core/des"
	"parley/core/system"
	"parley/core/unit"
)

// gangScheduler implements system.System for the policies of package gang: rigid jobs are gangs
// of GPUs, which a rule places on nodes.
type gangScheduler struct {
	env      system.Env
	settings Batch
	restart  unit.Time
	place    gang.Place
	site     *gang.Site
	holdings device.Holdings // jobs by slot
	jobs     []ganged        // by the job's slot
	byHandle []unit.JobID    // of the site
	at       []cluster.Part  // scratch
	due      bool            // a pass of this moment is still to come
	nextWake des.Ticket
	unread   []string // a warning, or none
	tooLarge int64    // jobs that no placement ever had room for
}

// ganged is a job in the scheduler's books.
type ganged struct {
	handle gang.Handle
	known  bool // to the site
}

// newGangScheduler makes the scheduler of gangs. An error names a setting that is invalid.
func newGangScheduler(env system.Env, s *Settings) (*gangScheduler, error) {
	site, err := s.gangSite()
	if err != nil {
		return nil, err
	}
	place, err := gang.ParsePlace(s.Gang.Place)
	if err != nil {
		return nil, err
	}
	return &gangScheduler{
		env: env, settings: s.Batch, restart: s.Gang.Restart, place: place, site: site,
		unread: s.unread(),
	}, nil
}

// On implements system.System: it reports the event to the site, and a pass follows when the moment is
// over. A suspension is the site's own.
func (s *gangScheduler) On(e cluster.Event) error {
	now := s.env.Clock.Now()
	switch e.Kind {
	case cluster.NodeUp, cluster.NodeDown, cluster.NodeChanged:
		has := int32(0)
		if s.env.View.Up(e.Node) {
			has = s.env.View.Processors(e.Node)
		}
		s.site.SetNode(now, int(e.Node), has)
		s.holdings.SetNode(int(e.Node), int(s.env.View.Processors(e.Node)))
	case cluster.JobSubmitted:
		s.submit(now, e.Job())
	case cluster.JobDisplaced:
		if e.Detail == cluster.Suspended { // the site did it
			return nil
		}
		s.holdings.Give(int(e.Job().Slot()))
		if j := s.job(e.Job()); j.known {
			s.site.Return(now, j.handle)
		}
	case cluster.JobEnded:
		s.holdings.Give(int(e.Job().Slot()))
		if j := s.job(e.Job()); j.known {
			s.site.End(now, j.handle)
			j.known = false
		}
	case cluster.TaskSubmitted:
		return errNoTasks
	default:
		return nil
	}
	s.soon()
	return nil
}

// submit puts a job into the queue. A job that has no place on empty nodes is only counted in tooLarge:
// it waits for ever and delays no other. A job that is gone already is ignored.
func (s *gangScheduler) submit(now unit.Time, id unit.JobID) {
	job, alive := s.env.View.Job(id)
	if !alive {
		return
	}
	if !s.site.Fits(job.Processors) {
		s.tooLarge++
		return
	}
	h := s.site.Submit(now, batch.Job{
		Processors: int(job.Processors), Estimate: s.settings.estimateOf(&job.Job),
		User: job.User, Group: job.Group,
	})
	*s.job(id) = ganged{h, true}
	for int(h) >= len(s.byHandle) {
		s.byHandle = append(s.byHandle, 0)
	}
	s.byHandle[h] = id
}

// job returns the entry of a job's slot.
func (s *gangScheduler) job(id unit.JobID) *ganged {
	for int(id.Slot()) >= len(s.jobs) {
		s.jobs = append(s.jobs, ganged{})
	}
	return &s.jobs[id.Slot()]
}

// soon lets a pass come when all that is known to happen at this moment has happened.
func (s *gangScheduler) soon() {
	if !s.due {
		s.due = true
		s.env.Clock.At(s.env.Clock.Now(), s, reportEvents)
	}
}

// Fire implements des.Handler. A wake-up of the site schedules a pass behind all other events of the
// moment. A pass carries out the site's decisions in the cluster: a start that the cluster refuses goes
// back to the site, and the next wake-up replaces the last.
func (s *gangScheduler) Fire(now unit.Time, kind uint64) {
	if kind == wake {
		s.soon()
		return
	}
	s.due = false
	d := s.site.Pass(now)
	for _, h := range d.Stopped {
		_ = s.env.Acts.SuspendAll(s.byHandle[h], s.restart) // the end of one that ended at this moment comes next
		s.holdings.Give(int(s.byHandle[h].Slot()))
	}
	for _, h := range d.Started {
		s.at = s.at[:0]
		for _, p := range s.site.Parts(h) {
			s.at = append(s.at, cluster.Part{Node: unit.NodeID(p.Node), Processors: p.GPUs})
		}
		if s.env.Acts.PlaceAll(s.byHandle[h], s.at) != nil {
			s.site.Return(now, h) // the machine shrank at this very moment
			continue
		}
		if pace := s.site.Pace(h); pace > 1000 {
			_ = s.env.Acts.Slow(s.byHandle[h], pace) // it was placed just now
		}
		s.show(s.byHandle[h])
	}
	s.env.Clock.Cancel(s.nextWake)
	if at := s.site.Wake(now); at < unit.Forever {
		s.nextWake = s.env.Clock.At(at, s, wake)
	}
}

// Fairness implements system.Fairness.
func (s *gangScheduler) Fairness(id unit.JobID) float64 {
	if j := s.job(id); j.known {
		return s.site.Fairness(s.env.Clock.Now(), j.handle)
	}
	return 0
}

// Audit implements system.Auditor: it returns the first difference between the site's records and the
// cluster, nil if there is none. It checks nothing while a pass is due.
func (s *gangScheduler) Audit() error {
	t := s.env.View.Totals().Jobs
	if s.due {
		return nil // the events are not yet reported to the site
	}
	if int64(s.site.Busy()) != t.Busy || s.site.Waiting() > t.Waiting {
		return fmt.Errorf("the queue counts %d GPUs busy and %d jobs waiting, the cluster %d and %d", s.site.Busy(), s.site.Waiting(), t.Busy, t.Waiting)
	}
	for n, node := range s.site.Nodes() {
		id := unit.NodeID(n)
		if s.env.View.Up(id) && node.Free != s.env.View.FreeProcessors(id) {
			return fmt.Errorf("node %d counts %d GPUs free, the cluster %d", n, node.Free, s.env.View.FreeProcessors(id))
		}
		if free := s.holdings.Free(n); s.env.View.Up(id) && free != int(node.Free) {
			return fmt.Errorf("node %d has %d GPUs that no job holds, of %d free ones", n, free, node.Free)
		}
	}
	return nil
}

// Warnings implements system.WarningSource.
func (s *gangScheduler) Warnings() (all []string) {
	all = append(all, s.unread...)
	if s.tooLarge > 0 {
		all = append(all, fmt.Sprintf("jobs that ask for more GPUs than the placement ever finds on empty nodes: %d; they wait for ever and delay no other job", s.tooLarge))
	}
	return all
}

// Report implements system.Reporter. Units are in the names: GPUs, seconds, percent and GPU hours.
func (s *gangScheduler) Report() map[string]any {
	f := s.site.Figures()
	jct, wait, first, fair := gang.Distribute(f.JCT), gang.Distribute(f.Wait), gang.Distribute(f.FirstWait),
		gang.Distribute(f.Fairness)
	unfair := 0
	for _, v := range f.Fairness {
		if v > gang.Unfair {
			unfair++
		}
	}
	there := max(1, f.There)
	now := s.present()
	return map[string]any{
		"gpus_idle": now.idle, "gpus_idle_pct": 100 * float64(now.idle) / float64(max(1, now.up)), "gpus_useless": now.useless, "gpus_idle_on_one_node": now.limit,
		"head_gpus": now.head, "head_waited_s": now.waited.Seconds(),
		"jct_mean_s": jct.Mean, "jct_median_s": jct.Median, "jct_p95_s": jct.P95, "jct_p99_s": jct.P99,
		"queueing_mean_s": wait.Mean, "first_start_mean_s": first.Mean,
		"preemptions": f.Preemptions, "moves": f.Moves, "starts": f.Starts,
		"fairness_mean": fair.Mean, "fairness_worst": fair.Max, "unfair_pct": 100 * float64(unfair) / float64(max(1, len(f.Fairness))),
		"allocation_pct": 100 * f.Held / there, "stranded_pct": 100 * f.Stranded / there,
		"blocked_short_gpu_h": f.Blocked[gang.Short] / 3600, "blocked_no_place_gpu_h": f.Blocked[gang.NoPlace] / 3600, "blocked_promise_gpu_h": f.Blocked[gang.Promise] / 3600,
	}
}
