package jobtable

import (
	"parley/core/unit"
	"parley/core/workload"
)

// parts are the components of a heterogeneous job that are played.
type parts struct {
	rows, processors int64
	submit, start    unit.Time
	apart            bool // they were not submitted and started together
}

// gathered has the parts of a heterogeneous job that were read so far.
type gathered struct {
	whole      job
	components []workload.Component
}

// part keeps, in the first reading, that a row is a component.
func (m *Summary) part(j *job) {
	if m.parts == nil {
		m.parts = map[uint64]parts{}
	}
	p, known := m.parts[j.number]
	if !known && len(m.parts) >= maxSeen {
		return
	}
	if !known {
		p.submit, p.start = j.submit, j.start
	}
	p.apart = p.apart || p.submit != j.submit || p.start != j.start
	p.rows, p.processors = p.rows+1, p.processors+j.processors
	m.parts[j.number] = p
}

// together reports whether components are one job.
func (p *parts) together() bool { return p.rows > 1 && !p.apart && p.processors <= maxProcessors }

// joinParts counts heterogeneous jobs as one each.
func (m *Summary) joinParts() {
	for _, p := range m.parts {
		if p.together() {
			m.LargestJob = max(m.LargestJob, p.processors)
			m.Jobs -= p.rows - 1
		}
	}
}

// gathers joins a component with those before. It reports whether more follow; if none does, j is the whole job.
func (s *Source) gathers(j *job) (more bool) {
	if !j.component {
		return false
	}
	p, known := s.summary.parts[j.number]
	switch {
	case !known || p.rows < 2:
		return false
	case !p.together():
		s.counts.PartsApart++
		return false
	}
	if s.gathered == nil {
		s.gathered = map[uint64]*gathered{}
	}
	g := s.gathered[j.number]
	if g == nil {
		g = &gathered{whole: *j}
		g.whole.processors, g.whole.index = 0, 0
		s.gathered[j.number] = g
	}
	part := workload.Component{Processors: int32(j.processors)}
	if !s.plan.gpus {
		part.Need = j.need()
	}
	w := &g.whole
	if len(g.components) > 0 && w.run != j.run {
		w.uneven = true
	}
	w.processors += j.processors
	w.run, w.limit = max(w.run, j.run), max(w.limit, j.limit)
	w.fails, w.partly = w.fails || j.fails, w.partly || j.partly
	if w.depends == "" {
		w.depends = j.depends
	}
	g.components = append(g.components, part)
	if int64(len(g.components)) < p.rows {
		return true
	}
	*j = *w
	j.parts = g.components
	delete(s.gathered, j.number)
	return false
}
