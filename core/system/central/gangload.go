package central

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"parley/core/rng"
	"parley/core/scenario"
	"parley/core/strict"
	"parley/core/unit"
	"parley/core/workload"
)

// gangLoad is a scenario's workload.system: nodes with equally many GPUs, and gangs that are listed or
// drawn at random. If one of them asks for a part of a GPU, all are tasks, which have one node each.
type gangLoad struct {
	Nodes int       `json:"nodes"`
	GPUs  int       `json:"gpus"` // of each node
	Rack  int       `json:"rack"` // nodes in a rack; 0: all in one
	Jobs  []gangJob `json:"jobs"`
	// Parameters of the random load: arrivals are a Poisson process, sizes have weights, run times
	// are exponential.
	Load  float64           `json:"load"`     // GPU time asked for / GPU time that there is
	Sizes [][2]float64      `json:"sizes"`    // GPUs and their weight
	Mean  scenario.Duration `json:"mean_run"` // of all sizes alike
}

// gangJob is a listed gang.
type gangJob struct {
	GPUs float64           `json:"gpus"` // below 1: a part of one
	At   scenario.Duration `json:"at"`
	Run  scenario.Duration `json:"run"`
}

// Limits of the generated load.
const (
	maxGangNodes = 20_000
	maxGangJobs  = 100_000
)

// gangWorkload implements system.Workload. Without a document the scenario's preset or trace is played.
//
//	{"nodes":30,"gpus":8,"rack":6,"load":0.9,"sizes":[[1,50],[2,20],[4,15],[8,15]],"mean_run":"2h"}
//	{"nodes":4,"gpus":2,"jobs":[{"gpus":0.5,"at":"0s","run":"10m"},{"gpus":1,"at":"5s","run":"10m"}]}
//	{"nodes":4,"gpus":4,"jobs":[{"gpus":2,"at":"0s","run":"100s"},{"gpus":8,"at":"10s","run":"50s"}]}
func gangWorkload(raw json.RawMessage, seed uint64) (workload.Source, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var d gangLoad
	if err := strict.Part(raw, &d); err != nil {
		return nil, err
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	s := &gangSource{gangLoad: d, random: rng.New(seed, "central/gangs"), cut: d.parts()}
	if s.cut {
		s.gpu = s.names.Attribute([]byte("gpu"))
		s.names.Supply(workload.Supply{ID: "gpu", Title: "GPU (thousandths)", Name: s.gpu, Device: partsOfGPU})
		s.names.SetRequests(s.requests)
	}
	return s, nil
}

// partsOfGPU is how finely a GPU is cut.
const partsOfGPU = 1000

// parts reports whether some ask for a part of a GPU.
func (d *gangLoad) parts() bool {
	return slices.ContainsFunc(d.Sizes, func(z [2]float64) bool { return z[0] < 1 }) ||
		slices.ContainsFunc(d.Jobs, func(j gangJob) bool { return j.GPUs < 1 })
}

// holds reports whether a number of GPUs is a whole one that there is, or a part of one in thousandths.
func holds(gpus float64, limit int) bool {
	return gpus >= 1 && gpus <= float64(limit) && gpus == float64(int(gpus)) ||
		gpus > 0 && gpus < 1 && gpus == float64(int(float64(gpus*partsOfGPU)+0.5))/partsOfGPU
}

// check returns an error of one sentence that names the first invalid field, its value and its range.
// With parts of GPUs, a size is limited to the GPUs of one node, else to those of all nodes.
func (d *gangLoad) check() error {
	all, ofNode := d.Nodes*d.GPUs, ""
	if d.parts() {
		all, ofNode = d.GPUs, ", the GPUs of a node, or a part of one in thousandths,"
	}
	switch {
	case d.Nodes < 1 || d.Nodes > maxGangNodes:
		return fmt.Errorf("nodes is %d: choose 1 to %d", d.Nodes, maxGangNodes)
	case d.GPUs < 1 || d.GPUs > maxDevices:
		return fmt.Errorf("gpus is %d: choose 1 to %d GPUs of a node", d.GPUs, maxDevices)
	case d.Rack < 0 || d.Rack > d.Nodes:
		return fmt.Errorf("rack is %d: choose 1 to %d nodes, or 0 for one rack", d.Rack, d.Nodes)
	case len(d.Jobs) > maxGangJobs:
		return fmt.Errorf("jobs has %d: give at most %d", len(d.Jobs), maxGangJobs)
	case d.Jobs != nil && (d.Load != 0 || d.Sizes != nil || d.Mean != 0):
		return errors.New("jobs are given, and load, sizes or mean_run, by which others are drawn: leave one of them out")
	case d.Jobs == nil && !(d.Load > 0 && d.Load <= 100):
		return fmt.Errorf("load is %g: choose a number above 0 up to 100, or list jobs", d.Load)
	case d.Jobs == nil && unit.Time(d.Mean) < unit.Second:
		return fmt.Errorf("mean_run is %v: choose 1s or more", d.Mean)
	case d.Jobs == nil && len(d.Sizes) == 0:
		return errors.New("sizes is empty: give GPUs of a gang and their weight, as in [[1,3],[8,1]]")
	}
	for i, s := range d.Sizes {
		if !holds(s[0], all) || !(s[1] > 0 && s[1] <= 1e9) {
			return fmt.Errorf("sizes[%d] is %v: give 1 to %d GPUs%s and a weight above 0", i, s, all, ofNode)
		}
	}
	for i, j := range d.Jobs {
		switch {
		case !holds(j.GPUs, all):
			return fmt.Errorf("jobs[%d].gpus is %g: choose 1 to %d%s", i, j.GPUs, all, strings.TrimSuffix(ofNode, ","))
		case j.At < 0 || i > 0 && j.At < d.Jobs[i-1].At:
			return fmt.Errorf("jobs[%d].at is %v: choose 0s or later, and list jobs in the order of at", i, j.At)
		case j.Run < 1:
			return fmt.Errorf("jobs[%d].run is %v: choose a time above 0s", i, j.Run)
		}
	}
	return nil
}

// gangSource is the workload of a gangLoad. That of drawn gangs never ends.
type gangSource struct {
	gangLoad
	random *rng.Stream
	cut    bool // parts: tasks in place of gangs
	node   int
	made   int
	at     unit.Time
	job    workload.Job
	names  workload.Names
	gpu    workload.AttributeName
	wants  [1]workload.Constraint
}

// Header returns the shape of gangs, rigid jobs, or of tasks with parts of GPUs.
func (s *gangSource) Header() workload.Header {
	if s.cut {
		return workload.Header{Shape: workload.ShapeTasks}
	}
	return workload.Header{Shape: workload.ShapeJobs}
}

// Names has that of GPUs where tasks ask for parts of them.
func (s *gangSource) Names() *workload.Names { return &s.names }

// requests returns how many tasks have each request. Of listed jobs, the numbers are exact; of drawn
// ones, they are the weights of the sizes in thousandths, at least 1.
func (s *gangSource) requests() (all []workload.RequestCount) {
	ask := func(gpus float64, tasks int64) {
		var own [1]workload.Constraint // the record that comes next keeps its own
		t := s.task(gpus, 0, &own)
		all = append(all, workload.RequestCount{Request: t.Request, Constraints: t.Constraints, Tasks: tasks})
	}
	for _, j := range s.Jobs {
		ask(j.GPUs, 1)
	}
	weights := 0.0
	for _, z := range s.Sizes {
		weights += z[1]
	}
	for _, z := range s.Sizes {
		ask(z[0], max(1, int64(z[1]/weights*partsOfGPU)))
	}
	return all
}

// task returns a task that takes GPUs of one node, and as large a part of its CPU and memory; gpus may
// be a fraction in thousandths. The constraint is written to wants, which the task refers to.
func (s *gangSource) task(gpus float64, run unit.Time, wants *[1]workload.Constraint) workload.Task {
	milli := int64(float64(gpus*partsOfGPU) + 0.5)
	part := unit.Share(milli * int64(unit.Whole) / int64(s.GPUs*partsOfGPU))
	wants[0] = workload.Constraint{Name: s.gpu, Op: workload.Takes, Value: milli}
	all := workload.Ratio(1)
	return workload.Task{
		Request: unit.Vec{unit.CPU: part, unit.Memory: part}, Lifetime: run, Constraints: wants[:],
		Usage: workload.UsageModel{Mean: [unit.Resources]uint16{all, all}},
	}
}

// Next implements workload.Source: first all nodes, at time 0, then the listed or drawn jobs in the
// order of arrival. Listed jobs end with io.EOF; drawn ones never end. The record refers to memory that
// the next call overwrites.
func (s *gangSource) Next(r *workload.Record) error {
	if n := s.node; n < s.Nodes {
		s.node++
		rack := int32(0)
		if s.Rack > 0 {
			rack = int32(n / s.Rack)
		}
		*r = workload.Record{
			Kind: workload.NodeJoins, Machine: uint64(n),
			Node: workload.Node{
				Capacity: unit.Vec{unit.CPU: unit.Whole, unit.Memory: unit.Whole}, Rack: rack, Site: -1,
				Processors: int32(s.GPUs),
			},
		}
		if s.cut {
			r.Node.Processors, r.Node.Attributes = 0,
				[]workload.Attribute{{Name: s.gpu, Value: int64(s.GPUs) * partsOfGPU}}
		}
		return nil
	}
	gpus, run := 0.0, unit.Time(0)
	switch {
	case s.Jobs == nil:
		gpus, run = s.draw()
	case s.made < len(s.Jobs):
		j := s.Jobs[s.made]
		gpus, run, s.at = j.GPUs, unit.Time(j.Run), unit.Time(j.At)
	default:
		return io.EOF
	}
	s.made++
	if s.cut {
		*r = workload.Record{
			At: s.at, Kind: workload.TaskArrives, Key: workload.Key{Job: uint64(s.made)},
			Task: s.task(gpus, run, &s.wants),
		}
		return nil
	}
	s.job = workload.Job{Processors: int32(gpus), Run: run, Estimate: run, Queue: -1}
	*r = workload.Record{At: s.at, Kind: workload.JobArrives, Key: workload.Key{Job: uint64(s.made)}, Job: &s.job}
	return nil
}

// draw returns the size and run time of the next gang and moves s.at to its arrival. The mean time
// between arrivals makes the GPU time asked for Load times that of the cluster.
func (s *gangSource) draw() (gpus float64, run unit.Time) {
	weights, mean := 0.0, 0.0
	for _, z := range s.Sizes {
		weights += z[1]
		mean += float64(z[0] * z[1])
	}
	mean /= weights // GPUs of a gang
	every := float64(mean*float64(s.Mean)) / float64(s.Load*float64(s.Nodes*s.GPUs))
	s.at += max(1, unit.Time(float64(s.random.Exponential()*every)))
	left := float64(s.random.Float64() * weights)
	for _, z := range s.Sizes {
		gpus = z[0]
		if left -= z[1]; left < 0 {
			break
		}
	}
	return gpus, max(1, unit.Time(float64(s.random.Exponential()*float64(s.Mean))))
}
