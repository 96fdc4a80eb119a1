package paper

import (
	"errors"

	"parley/core/rng"
	"parley/core/scenario"
	"parley/core/unit"
	"parley/core/workload"
)

// altered says how a generated cell differs from the published one.
type altered struct {
	Memory     float64 `json:"memory"`      // multiplies every request for memory
	Production float64 `json:"production"`  // this part of the batch jobs is production
	CPUUsed    float64 `json:"cpu_used"`    // multiplies the part of the CPU requested that is used
	MemoryUsed float64 `json:"memory_used"` // likewise of memory
	Bursts     float64 `json:"bursts"`      // multiplies how far single tasks move: noise, phases and bursts
	Together   float64 `json:"together"`    // multiplies how far the tasks of a job move together
}

// unaltered is a cell as it is published.
var unaltered = altered{Memory: 1, CPUUsed: 1, MemoryUsed: 1, Bursts: 1, Together: 1}

// check returns an error for factors that no cell can have.
func (a altered) check() error {
	for _, x := range []float64{a.Memory, a.CPUUsed, a.MemoryUsed} {
		if !(x > 0 && x <= 100) {
			return errors.New("altered: memory, cpu_used and memory_used are factors above 0, up to 100")
		}
	}
	for _, x := range []float64{a.Bursts, a.Together} {
		if !(x >= 0 && x <= 100) {
			return errors.New("altered: bursts and together are factors from 0 to 100")
		}
	}
	if !(a.Production >= 0 && a.Production <= 1) {
		return errors.New("altered: production is a part of the batch jobs, from 0 to 1")
	}
	return nil
}

// maxScaled keeps a scaled share below 1, the highest that a model of usage may have.
const maxScaled = 0.98

// moving returns the model of usage with a's factors; nil if a leaves the usage as published.
func (a altered) moving() *workload.Usage {
	if a.CPUUsed == 1 && a.MemoryUsed == 1 && a.Bursts == 1 && a.Together == 1 {
		return nil
	}
	usage := workload.DefaultUsage()
	m := usage.Moving
	scale := func(by float64, fields ...*float64) {
		for _, x := range fields {
			if by != 1 {
				*x = min(maxScaled, *x*by)
			}
		}
	}
	scale(a.CPUUsed, &m.Batch[unit.CPU], &m.Production[unit.CPU])
	scale(a.MemoryUsed, &m.Batch[unit.Memory], &m.Production[unit.Memory])
	scale(a.Bursts, &m.Noise[unit.CPU], &m.Noise[unit.Memory], &m.TaskPhases[unit.CPU], &m.TaskPhases[unit.Memory])
	scale(a.Together, &m.JobPhases[unit.CPU], &m.JobPhases[unit.Memory])
	m.Bursts = min(1, m.Bursts*a.Bursts)
	return &usage
}

// source returns the generated workload of a scenario with other requests and classes; nil
// where they are as published.
func (a altered) source(s *scenario.Scenario) (workload.Source, error) {
	if a.Memory == 1 && a.Production == 0 {
		return nil, nil
	}
	g := workload.DefaultGenerated()
	g.Nodes = s.Cluster.Nodes
	if s.Workload.Usage != nil {
		g.Usage = *s.Workload.Usage
	}
	source, err := g.New(s.Seed)
	if err != nil {
		return nil, err
	}
	usage, err := workload.NewSynthesis(g.Usage, s.Seed)
	return &alteredSource{source, a, usage}, err
}

// alteredSource changes the tasks of a generated workload. A job is promoted whole.
type alteredSource struct {
	workload.Source
	altered
	synthesis *workload.Synthesis
}

// Next implements workload.Source.
func (a *alteredSource) Next(r *workload.Record) error {
	if err := a.Source.Next(r); err != nil || r.Kind != workload.TaskArrives {
		return err
	}
	if a.Memory != 1 {
		r.Task.Request[unit.Memory] = max(1, unit.Share(float64(r.Task.Request[unit.Memory])*a.Memory))
		r.Task.Image = workload.ImageOf(r.Task.Request)
	}
	if r.Task.Class == workload.Batch && chanceOf(r.Key.Job) < a.Production {
		r.Task.Class, r.Task.Priority = workload.Production, 9
		r.Task.Usage = a.synthesis.Model(r.Key, r.Task.Class)
	}
	return nil
}

// chanceOf returns a number in [0, 1) that belongs to a job.
func chanceOf(job uint64) float64 { return rng.Unit(rng.Hash(job, 0, 0x70726f64)) }
