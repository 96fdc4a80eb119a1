package gpu

import (
	"cmp"
	"math"
	"slices"

	"parley/core/batch/gang"
)

// The cluster of Muri's simulations.
const (
	muriNodes = 8
	muriGPUs  = 8
)

// slower is by how much Muri's simulator stretches an iteration.
const slower = 1.015

// startCosts are the seconds that a job loses at each decision, by its model and its GPUs 1, 2, 4,
// 8, 16 and 32. Another model loses 10.
var startCosts = map[string][6]float64{
	"vgg16": {7, 7, 8, 9, 9, 10}, "vgg19": {7, 7, 8, 9, 10, 10}, "resnet18": {4, 5, 5, 7, 7, 7},
	"shufflenet_v2_x1_0": {4, 4, 5, 5, 7, 8},
	"bert":               {10, 10, 10, 10, 10, 10}, "gpt2": {10, 10, 10, 10, 10, 10}, "a2c": {38, 39, 39, 46, 46, 46},
	"dqn": {5, 5, 6, 6, 8, 8},
}

// muriLimits are the GPU seconds at which Tiresias-L lets a job leave its queue.
var muriLimits = [2]float64{3250, 7200}

// muriJob is a job of Muri's traces while it is played. Times are seconds.
type muriJob struct {
	gpus      int32
	submitted float64
	left      float64 // iterations
	iteration float64 // how long one takes
	cost      float64 // at each decision
	ran       float64 // in all, as Tiresias-L counts it
	seen      float64 // until when it is accounted for
	key       float64 // by which byRemaining sorts
	queue     int
	running   bool // since the last decision
}

func (j *muriJob) remaining() float64 { return float64(j.left * j.iteration) }

// muriEvent is a moment at which jobs come or end.
type muriEvent struct {
	at    float64
	comes []*muriJob
	ends  []*muriJob
}

// muri replays Muri's simulator with its arithmetic, whose rounding decides between times that
// are nearly equal: all times are doubles, summed in its order. A job loses its start cost at
// each decision that finds it running, and its end is foreseen without that cost.
type muri struct {
	arrivals []*muriEvent
	end      *muriEvent // the next end; nil if no job runs
	jump     float64    // when Tiresias-L looks at its queues again
	jobs     []*muriJob // that came and have not ended, in the order of the simulator's list
	queues   [3][]*muriJob
	jcts     []float64
	makespan float64
}

// nearly reports whether the simulator takes two times for one.
func nearly(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }

// playMuri plays jobs, sorted by submission, to the end of the last one under "srtf", "srsf" or "tiresias-l". It
// changes the jobs.
func playMuri(jobs []*muriJob, policy string) *muri {
	m := &muri{jump: math.Inf(1)}
	for _, j := range jobs {
		m.arrive(j)
	}
	for len(m.arrivals) > 0 || m.end != nil {
		now, e := m.next(policy)
		m.take(now, e)
		if policy == "tiresias-l" {
			m.account(now, true)
			m.byAttained(now)
		} else {
			m.account(now, false)
			m.byRemaining(now, policy == "srsf")
		}
	}
	return m
}

// arrive adds a job to the latest event if that is nearly at its submission, else to a new one. Call it in the order
// of submission.
func (m *muri) arrive(j *muriJob) {
	i := len(m.arrivals)
	for i > 0 && nearly(m.arrivals[i-1].at, j.submitted) {
		i--
	}
	if i == len(m.arrivals) {
		m.arrivals = append(m.arrivals, &muriEvent{at: j.submitted})
	}
	m.arrivals[i].comes = append(m.arrivals[i].comes, j)
}

// next returns the time of the next decision and its event; the event is nil if only Tiresias-L's queues are due. Jobs
// that end at exactly the time of an arrival join that event. Arrivals or an end must be left.
func (m *muri) next(policy string) (float64, *muriEvent) {
	start, end := math.Inf(1), math.Inf(1)
	if len(m.arrivals) > 0 {
		start = m.arrivals[0].at
	}
	if m.end != nil {
		end = m.end.at
	}
	e := m.end
	if end >= start {
		e = m.arrivals[0]
	}
	if end == start {
		e.ends = m.end.ends
	}
	if policy == "tiresias-l" && e.at > m.jump {
		return m.jump, nil
	}
	return e.at, e
}

// take removes the jobs that end at an event and adds those that arrive; nil changes nothing.
func (m *muri) take(now float64, e *muriEvent) {
	if e == nil {
		return
	}
	for _, j := range e.ends {
		m.jobs = without(m.jobs, j)
		m.queues[j.queue] = without(m.queues[j.queue], j)
		m.jcts = append(m.jcts, now-j.submitted)
		m.makespan = max(m.makespan, now)
	}
	for _, j := range e.comes {
		j.seen = j.submitted
		j.key = j.remaining()
		m.jobs = append(m.jobs, j)
		m.queues[0] = append(m.queues[0], j)
	}
	if len(m.arrivals) > 0 && e == m.arrivals[0] {
		m.arrivals = m.arrivals[1:]
	}
}

func without(all []*muriJob, j *muriJob) []*muriJob {
	return slices.DeleteFunc(all, func(x *muriJob) bool { return x == j })
}

// account subtracts the progress of the running jobs since they were last seen, without the start cost. With queues,
// a job whose attained service reaches its queue's limit moves to the next queue.
func (m *muri) account(now float64, queues bool) {
	for _, j := range m.jobs {
		if j.running {
			done := max(now-j.seen-j.cost, 0)
			j.left -= done / j.iteration
			j.ran = j.ran + now - j.seen // in this order: else a job stands one rounding before its limit for ever
			if j.queue < len(muriLimits) && queues && float64(j.ran*float64(j.gpus)) >= muriLimits[j.queue] {
				m.queues[j.queue] = without(m.queues[j.queue], j)
				j.queue++
				m.queues[j.queue] = append(m.queues[j.queue], j)
			}
		}
		j.seen = now
	}
}

// byRemaining places all jobs anew on the empty cluster, by remaining time or, if area is set, by that times GPUs,
// and foresees the next end. A job that does not fit is passed over.
func (m *muri) byRemaining(now float64, area bool) {
	for _, j := range m.jobs {
		if j.key = j.remaining(); area {
			j.key = float64(j.key * float64(j.gpus))
		}
	}
	slices.SortStableFunc(m.jobs, func(a, b *muriJob) int { return cmp.Compare(a.key, b.key) })
	nodes := make([]gang.Node, muriNodes)
	for i := range nodes {
		nodes[i] = gang.Node{Total: muriGPUs, Free: muriGPUs}
	}
	free := int32(muriNodes * muriGPUs)
	var parts []gang.Part
	for _, j := range m.jobs {
		if j.running = false; j.gpus > free {
			continue
		}
		parts = gang.FirstNode.Find(nodes, j.gpus, parts[:0])
		for _, p := range parts {
			nodes[p.Node].Free -= p.GPUs
			free -= p.GPUs
		}
		j.running = parts != nil
	}
	var ends []*muriEvent
	for _, j := range m.jobs {
		if !j.running {
			continue
		}
		at := now + j.remaining()
		i := slices.IndexFunc(ends, func(e *muriEvent) bool { return nearly(e.at, at) })
		if i < 0 {
			i = len(ends)
			ends = append(ends, &muriEvent{at: at})
		}
		ends[i].ends = append(ends[i].ends, j)
	}
	m.end = nil
	for _, e := range ends {
		if m.end == nil || e.at < m.end.at {
			m.end = e
		}
	}
}

// byAttained runs jobs queue by queue while GPUs are left; the machines are not modelled. It foresees the next end,
// and in m.jump the next time at which a running job reaches its queue's limit.
func (m *muri) byAttained(now float64) {
	free := int32(muriNodes * muriGPUs)
	for _, q := range m.queues {
		for _, j := range q {
			if j.running = j.gpus <= free; j.running {
				free -= j.gpus
			}
		}
	}
	m.jump, m.end = math.Inf(1), nil
	for i, q := range m.queues {
		slices.SortStableFunc(q, func(a, b *muriJob) int {
			switch {
			case a.running == b.running:
				return 0
			case a.running:
				return -1
			}
			return 1
		})
		if i == len(muriLimits) {
			continue
		}
		for _, j := range q {
			if j.running {
				m.jump = min(m.jump, math.Ceil(muriLimits[i]/float64(j.gpus))-j.ran+now)
			}
		}
	}
	for _, j := range m.jobs {
		if !j.running {
			continue
		}
		switch at := now + j.remaining(); {
		case m.end == nil || at < m.end.at:
			m.end = &muriEvent{at: at, ends: []*muriJob{j}}
		case at == m.end.at:
			m.end.ends = append(m.end.ends, j)
		}
	}
}

// figures returns the published figures in seconds: the mean JCT, the end of the last job, and the JCT that 99 % of
// the jobs stay below. A job must have ended.
func (m *muri) figures() map[string]float64 {
	sum := 0.0
	for _, x := range m.jcts {
		sum += x
	}
	sorted := slices.Sorted(slices.Values(m.jcts))
	n := len(sorted)
	return map[string]float64{
		"mean JCT": sum / float64(n), "makespan": m.makespan,
		"JCT of 99 %": sorted[int(float64(float64(n)*0.99))],
	}
}
