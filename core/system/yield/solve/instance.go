package solve

import "fmt"

// Sizes beyond these are refused: an answer would hold hundreds of megabytes.
const (
	MaxHosts = 20_000
	MaxTasks = 500_000
)

// Slack is the permitted excess of a host's load, in fractions of a host: decimal needs such as
// 0.4+0.4+0.2 do not sum to exactly 1 in binary.
const Slack = 1e-9

const full = 1 + Slack

// Job is one virtual cluster: Tasks equal tasks, each with the same need.
type Job struct {
	CPU   float64 `json:"cpu"` // fraction of one host's CPU a task can use, in (0,1]
	Mem   float64 `json:"mem"` // fraction of one host's memory a task must have, in (0,1]
	Tasks int     `json:"tasks"`
}

// Instance is one planning problem: equal hosts of CPU 1 and memory 1, and the
// jobs to place on them. No jobs is a valid instance of yield 1.
type Instance struct {
	Hosts int   `json:"hosts"`
	Jobs  []Job `json:"jobs"`
}

// Validate returns an error of one sentence if the instance is invalid: the job, the field, its
// value, and a valid alternative.
func (in Instance) Validate() error {
	if in.Hosts < 1 {
		return fmt.Errorf("hosts is %d; give at least 1", in.Hosts)
	}
	if in.Hosts > MaxHosts {
		return fmt.Errorf("hosts is %d; a plan holds at most %d", in.Hosts, MaxHosts)
	}
	total := 0
	for i, j := range in.Jobs {
		if !(j.CPU > 0 && j.CPU <= 1) {
			return fmt.Errorf("job %d: cpu is %g; give a fraction of one host above 0 and at most 1", i, j.CPU)
		}
		if !(j.Mem > 0 && j.Mem <= 1) {
			return fmt.Errorf("job %d: mem is %g; give a fraction of one host above 0 and at most 1", i, j.Mem)
		}
		if j.Tasks < 1 {
			return fmt.Errorf("job %d: tasks is %d; give at least 1", i, j.Tasks)
		}
		if j.Tasks > MaxTasks-total {
			return fmt.Errorf(
				"job %d: tasks is %d, which makes more than the %d tasks a plan holds; split the instance", i,
				j.Tasks, MaxTasks,
			)
		}
		total += j.Tasks
	}
	return nil
}

// Bound is the optimum of the relaxed program in closed form (section 3.1):
// min(1, hosts / sum of CPU needs). It is 0 when the memory needs exceed all
// memory, for then nothing can be placed.
func Bound(in Instance) float64 {
	t := totals(in)
	if t.mem > float64(in.Hosts)*full {
		return 0
	}
	return bound(in.Hosts, t.cpu)
}

func bound(hosts int, cpu float64) float64 {
	if cpu <= float64(hosts) {
		return 1
	}
	return float64(hosts) / cpu
}

func totals(in Instance) (sum struct{ cpu, mem float64 }) {
	for _, j := range in.Jobs {
		sum.cpu += float64(j.CPU * float64(j.Tasks))
		sum.mem += float64(j.Mem * float64(j.Tasks))
	}
	return sum
}

// tasks is an instance with one entry per task, jobs in order: the input of the placement
// algorithms.
type tasks struct {
	hosts int
	cpu   []float64
	mem   []float64
	job   []int32
	bound float64 // optimum of the relaxed program
}

// flatten returns one entry for each task of a valid instance, jobs in order, and the bound on the yield
// by CPU alone.
func flatten(in Instance) tasks {
	n := 0
	for _, j := range in.Jobs {
		n += j.Tasks
	}
	t := tasks{hosts: in.Hosts, cpu: make([]float64, 0, n), mem: make([]float64, 0, n), job: make([]int32, 0, n)}
	for i, j := range in.Jobs {
		for range j.Tasks {
			t.cpu = append(t.cpu, j.CPU)
			t.mem = append(t.mem, j.Mem)
			t.job = append(t.job, int32(i))
		}
	}
	t.bound = bound(in.Hosts, totals(in).cpu)
	return t
}

func (t tasks) len() int { return len(t.cpu) }

func (t tasks) fitsInTotal() bool {
	sum := 0.0
	for _, m := range t.mem {
		sum += m
	}
	return sum <= float64(t.hosts)*full
}

// yieldOf is the smallest yield a placement can give: a host of load l grants each of its tasks the
// share 1/l of its need, at most all of it.
func (t tasks) yieldOf(host []int32) float64 {
	load := make([]float64, t.hosts)
	worst := 1.0
	for i, h := range host {
		load[h] += t.cpu[i]
		worst = max(worst, load[h])
	}
	return 1 / worst
}
