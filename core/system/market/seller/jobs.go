package seller

import (
	"slices"

	"parley/core/system/market/fipa"
	"parley/core/unit"
)

// Resize takes over how many processors a node has, up or down.
func (r *Resources) Resize(n unit.NodeID) {
	s := r.Sites
	i := int(s.view.Rack(n))
	if i < 0 || i >= len(s.All) {
		return
	}
	m := &s.All[i]
	if !slices.Contains(m.Nodes, n) {
		m.Nodes = append(m.Nodes, n)
	}
	for len(s.Sold) <= int(n) {
		s.Sold = append(s.Sold, 0)
	}
	total := 0
	for _, node := range m.Nodes {
		if s.view.Up(node) {
			total += int(s.view.Processors(node))
		}
	}
	r.All[i].Queue.Resize(total)
	s.happened(i)
}

// Submit takes a job of the site's own.
func (r *Resources) Submit(site int, id unit.JobID) {
	if site < len(r.All) {
		m := &r.Sites.All[site]
		m.latest.submitted = append(m.latest.submitted, id)
		r.Sites.happened(site)
	}
}

// Ended takes the end of a job.
func (r *Resources) Ended(id unit.JobID) {
	s := r.Sites
	j := s.job(id)
	switch {
	case j.bought != 0:
		if v := r.takeOut(j); v != nil {
			s.Ends++
			r.Release(v)
		}
	case j.known: // its slot may have another job by the time it is reported to the queue
		m := &s.All[j.site]
		m.latest.ended = append(m.latest.ended, j.handle)
		j.known = false
		s.happened(int(j.site))
	}
}

// Displaced takes the loss of a job's processors: one of the site's own waits again,
// a sold one is taken back.
func (r *Resources) Displaced(id unit.JobID) {
	s := r.Sites
	j := s.job(id)
	switch {
	case j.bought != 0:
		if v := r.takeOut(j); v != nil {
			r.TakeBack(v, fipa.Undelivered)
		}
	case j.known:
		m := &s.All[j.site]
		m.latest.displaced = append(m.latest.displaced, id)
		s.happened(int(j.site))
	}
}

// takeOut ends a bought job at its site. It returns the reservation that the job was using,
// or nil if that is given up already.
func (r *Resources) takeOut(j *siteJob) *Reservation {
	r.Sites.leave(j)
	v := r.of(&r.All[j.site], j.bought)
	j.bought = 0
	if v == nil || v.State != InUse {
		return nil
	}
	return v
}
