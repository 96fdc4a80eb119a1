package metric

import (
	"slices"

	"parley/core/cluster"
	"parley/core/unit"
)

// Power is what a node draws, in watts: Idle without a job, Busy with all of its processors
// busy, and in between in proportion to the busy ones. A node that is down draws nothing.
type Power struct {
	Idle float64 `json:"idle_w"`
	Busy float64 `json:"busy_w"`
}

// EnergyReport is the energy of a run of rigid jobs, in joules.
type EnergyReport struct {
	Run    float64 `json:"run_j"`  // of all nodes, from the first submission to the last end
	Idle   float64 `json:"idle_j"` // of that, of nodes while they had no job
	MeanW  float64 `json:"mean_w"` // Run / that time
	PerJob float64 `json:"per_job_j"`
}

// Energy integrates the power of the nodes of rigid jobs. The energy of a job is that of its
// nodes while it runs, whole nodes even where others run there too, as in Batsim; so the jobs'
// sum may pass that of the run.
type Energy struct {
	power Power
	view  cluster.View
	nodes []nodeEnergy
	jobs  []jobEnergy   // by slot
	taken []unit.NodeID // by the job that is placed next
	first unit.Time     // submission; -1 before it
	at    unit.Time     // of the last end
	sums  [2]energySum  // of all nodes, of those without a job
	ended [2]float64    // joules at the last end
	count int64         // jobs that ended
	spent float64       // by them
}

// nodeEnergy is a node since the latest change of its power.
type nodeEnergy struct {
	energySum
	busy, all int32
	up        bool
}

// energySum is an energy that grows with a power since a time.
type energySum struct {
	joules, watts float64
	at            unit.Time
}

// until returns the energy up to a time.
func (s *energySum) until(now unit.Time) float64 {
	return s.joules + float64(s.watts*(now-s.at).Seconds())
}

// change adds to the power from now on.
func (s *energySum) change(now unit.Time, watts float64) {
	s.joules, s.watts, s.at = s.until(now), s.watts+watts, now
}

// jobEnergy is a job: what its nodes had drawn before it began, and what it has drawn.
type jobEnergy struct {
	nodes  []unit.NodeID
	before float64
	joules float64
}

// NewEnergy returns the energy of a cluster whose nodes all draw the same.
func NewEnergy(v cluster.View, p Power) *Energy { return &Energy{power: p, view: v, first: -1} }

// Observe takes an event.
func (x *Energy) Observe(e cluster.Event) {
	switch e.Kind {
	case cluster.NodeUp, cluster.NodeDown, cluster.NodeChanged:
		x.node(e.Node, e.At)
	case cluster.JobSubmitted:
		if x.first < 0 {
			x.first, x.at = e.At, e.At
			for i := range x.sums {
				x.sums[i].change(e.At, 0)
				x.sums[i].joules = 0
			}
		}
		slot := int(e.Job().Slot())
		for slot >= len(x.jobs) {
			x.jobs = append(x.jobs, jobEnergy{})
		}
		x.jobs[slot] = jobEnergy{nodes: x.jobs[slot].nodes[:0]}
	case cluster.ProcessorsTaken:
		x.taken = append(x.taken, e.Node)
	case cluster.JobPlaced:
		j := &x.jobs[e.Job().Slot()]
		slices.Sort(x.taken)
		j.nodes = append(j.nodes[:0], slices.Compact(x.taken)...)
		x.taken = x.taken[:0]
		j.before = x.drawn(j, e.At)
	case cluster.JobEnded, cluster.JobDisplaced:
		j := &x.jobs[e.Job().Slot()]
		if len(j.nodes) > 0 {
			j.joules += x.drawn(j, e.At) - j.before
			for _, n := range j.nodes {
				x.node(n, e.At)
			}
			j.nodes = j.nodes[:0]
		}
		if e.Kind == cluster.JobEnded {
			x.at = e.At
			x.ended = [2]float64{x.sums[0].until(e.At), x.sums[1].until(e.At)}
			x.count++
			x.spent += j.joules
		}
	}
}

// drawn returns what the nodes of a job have drawn until now, with the power that they have now.
func (x *Energy) drawn(j *jobEnergy, now unit.Time) (joules float64) {
	for _, n := range j.nodes {
		x.node(n, now)
		joules += x.nodes[n].until(now)
	}
	return joules
}

// node takes the power that a node has from now on.
func (x *Energy) node(n unit.NodeID, now unit.Time) {
	for int(n) >= len(x.nodes) {
		x.nodes = append(x.nodes, nodeEnergy{})
	}
	s := &x.nodes[n]
	watts, idle := s.watts, s.idle()
	s.busy, s.all, s.up = x.view.BusyProcessors(n), x.view.Processors(n), x.view.Up(n)
	power := 0.0
	switch {
	case s.up && s.busy > 0:
		power = x.power.Idle + float64((x.power.Busy-x.power.Idle)*float64(s.busy))/float64(s.all)
	case s.up:
		power = x.power.Idle
	}
	if power != watts {
		s.change(now, power-watts)
		x.sums[0].change(now, power-watts)
	}
	if is := s.idle(); is != idle {
		if idle {
			x.sums[1].change(now, -watts)
		} else {
			x.sums[1].change(now, power)
		}
	}
}

// idle reports whether a node is up and has no job.
func (s *nodeEnergy) idle() bool { return s.up && s.busy == 0 }

// Of returns what a job has drawn in runs that are over, in joules.
func (x *Energy) Of(id unit.JobID) float64 { return x.jobs[id.Slot()].joules }

// Report returns the energy of the run up to the last end; nil before the first.
func (x *Energy) Report() *EnergyReport {
	if x.count == 0 {
		return nil
	}
	r := &EnergyReport{Run: x.ended[0], Idle: x.ended[1], PerJob: x.spent / float64(x.count)}
	if span := (x.at - x.first).Seconds(); span > 0 {
		r.MeanW = r.Run / span
	}
	return r
}
