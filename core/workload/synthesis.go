package workload

import (
	"fmt"

	"parley/core/rng"
	"parley/core/unit"
)

// MemoryUnit is how many bytes the whole memory of the reference machine is.
// The Google trace gives no byte unit; 16 GB makes the migration costs of the
// negotiation paper's log entries (102 MB for one task, 464 MB for four) come
// out at its scale.
const MemoryUnit = 16 * unit.GB

// ImageOf returns the memory image of a task that requests this much.
func ImageOf(request unit.Vec) unit.Bytes {
	return MemoryUnit / unit.Bytes(unit.Whole) * unit.Bytes(request[unit.Memory])
}

// Synthesis says how usage follows from requests where nobody measured it.
// All tasks of a job share most of their ratio of use to request, as replicas
// of one program do; the rest is the task's own.
type Synthesis struct {
	Batch      Ratios `json:"batch"`      // mean of used / requested of batch tasks
	Production Ratios `json:"production"` // likewise of production tasks
	Jobs       Ratios `json:"jobs"`       // half the width of the ratio's spread between jobs
	Tasks      Ratios `json:"tasks"`      // likewise between the tasks of a job
	Swing      Ratios `json:"swing"`      // see UsageModel
}

// Ratios holds one number a resource.
type Ratios [unit.Resources]float64

// DefaultSynthesis is calibrated on Borg's own placements at the beginning of
// the Google trace: replaying them uses 46 % of the CPU and 63 % of the memory,
// overloads 0.5 % of the nodes and gives PA:DA 1.5, as published (40–50 %,
// 60–70 %, up to 0.5 %, roughly 3:2). Batch tasks must use less of the memory
// they request than production tasks: otherwise the nodes on which Borg
// overcommits memory would be overloaded.
func DefaultSynthesis() Synthesis {
	return Synthesis{
		Batch:      Ratios{unit.CPU: 0.40, unit.Memory: 0.55},
		Production: Ratios{unit.CPU: 0.40, unit.Memory: 0.75},
		Jobs:       Ratios{unit.CPU: 0.15, unit.Memory: 0.05},
		Tasks:      Ratios{unit.CPU: 0.08, unit.Memory: 0.03},
		Swing:      Ratios{unit.CPU: 0.75, unit.Memory: 0.04},
	}
}

// Validate says what is wrong with s, if anything.
func (s *Synthesis) Validate() error {
	for r := range s.Batch {
		spread := s.Jobs[r] + s.Tasks[r]
		for _, mean := range [2]float64{s.Batch[r], s.Production[r]} {
			if !(s.Jobs[r] >= 0 && s.Tasks[r] >= 0 && mean-spread >= 0 && mean+spread <= 1 && s.Swing[r] >= 0 && s.Swing[r] < 1) {
				return fmt.Errorf("usage of %v: mean %v ± jobs %v ± tasks %v must lie in 0…1, and swing %v in 0…1", unit.Resource(r), mean, s.Jobs[r], s.Tasks[r], s.Swing[r])
			}
		}
	}
	return nil
}

// Model returns the usage model of one task, a pure function of its key and
// class.
func (s *Synthesis) Model(key Key, class PriorityClass) UsageModel {
	mean := s.Batch
	if class == Production {
		mean = s.Production
	}
	m := UsageModel{Key: rng.Hash(key.Job, uint64(key.Index), 1)}
	for r := range m.Mean {
		job := float64(rng.Unit(rng.Hash(key.Job, uint64(r), 2))*2) - 1
		task := float64(rng.Unit(rng.Hash(m.Key, uint64(r), 3))*2) - 1
		m.Mean[r] = Ratio(mean[r] + float64(s.Jobs[r]*job) + float64(s.Tasks[r]*task))
		m.Swing[r] = Ratio(s.Swing[r])
	}
	return m
}
