package metric

import (
	"slices"

	"parley/core/cluster"
	"parley/core/unit"
)

// EnergyReport is the energy of a run of rigid jobs, in joules.
type EnergyReport struct {
	Run    float64 `json:"run_j"`  // of all nodes, from the first submission to the last end
	Idle   float64 `json:"idle_j"` // of that, of nodes while they had no job
	MeanW  float64 `json:"mean_w"` // Run / that time
	PerJob float64 `json:"per_job_j"`
	Off    float64 `json:"off_j,omitempty"`    // of Run, of nodes while they were off
	Switch float64 `json:"switch_j,omitempty"` // of Run, of nodes while they shut down or booted
	Boots  int64   `json:"boots,omitempty"`    // that were over by the last end
}

// Energy integrates the power of the nodes of rigid jobs (cluster.PowerKind): in proportion to the
// busy processors of a node between its idle and its busy watts, those of its state if it is not
// on, and nothing if it is down. The energy of a job is that of its
// nodes while it runs, whole nodes even if others run there too, as in Batsim; so the jobs'
// sum may pass that of the run.
type Energy struct {
	view  cluster.View
	nodes []nodeEnergy
	jobs  []jobEnergy   // by slot
	taken []unit.NodeID // by the job that is placed next
	first unit.Time     // submission; -1 before it
	at    unit.Time     // of the last end
	sums  [parts]energySum
	ended [parts]float64 // joules at the last end
	boots [2]int64       // so far, at the last end
	count int64          // jobs that ended
	spent float64        // by them
}

// The parts of the energy in reports.
const (
	allNodes = iota
	idleNodes
	offNodes
	switching
	parts
)

// nodeEnergy is a node since the latest change of its power.
type nodeEnergy struct {
	energySum
	part int // of all: idleNodes or another; allNodes if it counts as no part
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

// jobEnergy is the energy of a job: the energy that its nodes had used before it began, and its
// own.
type jobEnergy struct {
	nodes  []unit.NodeID
	before float64
	joules float64
}

// NewEnergy returns the energy of the nodes of a cluster.
func NewEnergy(v cluster.View) *Energy { return &Energy{view: v, first: -1} }

// Observe takes an event.
func (x *Energy) Observe(e cluster.Event) {
	switch e.Kind {
	case cluster.NodeUp, cluster.NodeDown, cluster.NodeChanged:
		x.node(e.Node, e.At)
	case cluster.NodePower:
		x.node(e.Node, e.At)
		if cluster.Power(e.Detail) == cluster.On {
			x.boots[0]++
		}
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
			for i := range x.sums {
				x.ended[i] = x.sums[i].until(e.At)
			}
			x.boots[1] = x.boots[0]
			x.count++
			x.spent += j.joules
		}
	}
}

// drawn returns the energy that the nodes of a job drew until now, at their present power.
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
	watts, was := s.watts, s.part
	power := 0.0
	if s.part = allNodes; x.view.Up(n) {
		power, s.part = x.draws(n)
	}
	if power == watts && s.part == was {
		return
	}
	s.change(now, power-watts)
	x.sums[allNodes].change(now, power-watts)
	if was != allNodes {
		x.sums[was].change(now, -watts)
	}
	if s.part != allNodes {
		x.sums[s.part].change(now, power)
	}
}

// draws returns the power of a node that is up, and the part of the energy to which it counts.
func (x *Energy) draws(n unit.NodeID) (watts float64, part int) {
	k, busy := x.view.PowerKind(n), x.view.BusyProcessors(n)
	switch state := x.view.Power(n); {
	case state == cluster.Off:
		return k.Off, offNodes
	case state == cluster.ShutDown:
		return k.Shutting, switching
	case state == cluster.Boots:
		return k.Booting, switching
	case busy > 0:
		return k.Idle + float64((k.Busy-k.Idle)*float64(busy))/float64(x.view.Processors(n)), allNodes
	}
	return k.Idle, idleNodes
}

// Of returns the energy of a job's runs that are over, in joules.
func (x *Energy) Of(id unit.JobID) float64 { return x.jobs[id.Slot()].joules }

// Report returns the energy of the run up to the last end; nil before the first.
func (x *Energy) Report() *EnergyReport {
	if x.count == 0 {
		return nil
	}
	r := &EnergyReport{
		Run: x.ended[allNodes], Idle: x.ended[idleNodes], PerJob: x.spent / float64(x.count),
		Off: x.ended[offNodes], Switch: x.ended[switching], Boots: x.boots[1],
	}
	if span := (x.at - x.first).Seconds(); span > 0 {
		r.MeanW = r.Run / span
	}
	return r
}
