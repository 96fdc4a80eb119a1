package workload

import (
	"fmt"

	"parley/core/rng"
	"parley/core/unit"
)

// Calm describes how usage follows from requests if it was not measured, with noise
// that is the task's own: over a dozen tasks of a node it averages out. All tasks
// of a job share most of their ratio of use to request, as replicas of one program
// do; the rest is the task's own. The tasks' windows change at different minutes.
type Calm struct {
	Batch      Ratios `json:"batch"`      // mean of used / requested of batch tasks
	Production Ratios `json:"production"` // likewise of production tasks
	Jobs       Ratios `json:"jobs"`       // half the width of the ratio's spread between jobs
	Tasks      Ratios `json:"tasks"`      // likewise between the tasks of a job
	Swing      Ratios `json:"swing"`      // see UsageModel
}

// Ratios holds one number a resource.
type Ratios [unit.Resources]float64

// DefaultCalm is calibrated on Borg's own placements at the beginning of
// the Google trace: replaying them uses 46 % of the CPU and 63 % of the memory,
// overloads 0.5 % of the nodes and gives PA:DA 1.5, as published (40–50 %,
// 60–70 %, up to 0.5 %, roughly 3:2). Batch tasks must use less of the memory
// they request than production tasks: otherwise the nodes on which Borg
// overcommits memory would be overloaded.
func DefaultCalm() Calm {
	return Calm{
		Batch:      Ratios{unit.CPU: 0.40, unit.Memory: 0.55},
		Production: Ratios{unit.CPU: 0.40, unit.Memory: 0.75},
		Jobs:       Ratios{unit.CPU: 0.15, unit.Memory: 0.05},
		Tasks:      Ratios{unit.CPU: 0.08, unit.Memory: 0.03},
		Swing:      Ratios{unit.CPU: 0.75, unit.Memory: 0.04},
	}
}

// Validate returns an error if c is invalid.
func (c *Calm) Validate() error {
	for r := range c.Batch {
		spread := c.Jobs[r] + c.Tasks[r]
		for _, mean := range [2]float64{c.Batch[r], c.Production[r]} {
			if !(c.Jobs[r] >= 0 && c.Tasks[r] >= 0 && mean-spread >= 0 && mean+spread <= 1 && c.Swing[r] >= 0 &&
				c.Swing[r] < 1) {
				return fmt.Errorf("%v: mean %v ± jobs %v ± tasks %v must lie in 0…1, and swing %v in 0…1",
					unit.Resource(r), mean, c.Jobs[r], c.Tasks[r], c.Swing[r])
			}
		}
	}
	return nil
}

func (c *Calm) means(class PriorityClass) Ratios {
	if class == Production {
		return c.Production
	}
	return c.Batch
}

// model returns the usage model of one task, a pure function of its key and
// class.
func (c *Calm) model(key Key, class PriorityClass) UsageModel {
	mean := c.means(class)
	m := UsageModel{Key: rng.Hash(key.Job, uint64(key.Index), 1)}
	for r := range m.Mean {
		job := float64(rng.Unit(rng.Hash(key.Job, uint64(r), 2))*2) - 1
		task := float64(rng.Unit(rng.Hash(m.Key, uint64(r), 3))*2) - 1
		m.Mean[r] = Ratio(mean[r] + float64(c.Jobs[r]*job) + float64(c.Tasks[r]*task))
		m.Swing[r] = Ratio(c.Swing[r])
	}
	return m
}
