package rounds

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"parley/core/rng"
	"parley/core/strict"
	"parley/core/system/rounds/plan"
	"parley/core/unit"
	"parley/core/workload"
)

// document is a scenario's workload.system: a load, and workers that are listed
// or drawn at random.
type document struct {
	Load    *float64      `json:"load"` // work units
	Workers []plan.Worker `json:"workers"`
	Random  *random       `json:"random"`
	Error   struct {
		Speed     workload.RateError `json:"speed"`
		Bandwidth workload.RateError `json:"bandwidth"`
	} `json:"error"` // how far true rates stray from those stated
}

// random draws each figure of each worker uniformly from [low, high]. Fields that are left out are
// as in the paper's table 1, latencies as in its middle case.
type random struct {
	Workers     int       `json:"workers"`
	Speed       []float64 `json:"speed"`
	Bandwidth   []float64 `json:"bandwidth"`
	CompLatency []float64 `json:"comp_latency"`
	CommLatency []float64 `json:"comm_latency"`
}

const (
	defaultLoad    = 1e6
	defaultWorkers = 50
	maxWorkers     = 10_000 // a chunk on demand looks at each of them
)

// Workload makes workers and load of a scenario's workload.system; nothing is
// table 1 of the paper with 50 workers.
//
//	{"load":1e6,"workers":[{"speed":50,"bandwidth":1500,"comp_latency":0.1,"comm_latency":0.1}]}
//	{"load":1e6,"random":{"workers":50,"speed":[50,75]},"error":{"speed":{"worker":0.3}}}
func Workload(raw json.RawMessage, seed uint64) (workload.Source, error) {
	var d document
	if err := strict.Part(raw, &d); err != nil {
		return nil, err
	}
	load := defaultLoad
	if d.Load != nil {
		load = *d.Load
	}
	p := plan.Platform{Workers: d.Workers}
	switch {
	case d.Workers != nil && d.Random != nil:
		return nil, errors.New("workers and random are both given: leave one of them out")
	case d.Workers == nil && d.Random == nil:
		d.Random = &random{}
		fallthrough
	case d.Workers == nil:
		var err error
		if p, err = d.Random.draw(seed); err != nil {
			return nil, err
		}
	}
	if err := check(p, load); err != nil {
		return nil, err
	}
	if !d.Error.Speed.Valid() || !d.Error.Bandwidth.Valid() {
		return nil, fmt.Errorf("error is %+v: every part must be at least 0 and below 1", d.Error)
	}
	rateErrors := workload.RateErrors{Seed: seed, Speed: d.Error.Speed, Bandwidth: d.Error.Bandwidth}
	return &source{workers: p.Workers, load: unit.WorkOf(load), rateErrors: rateErrors}, nil
}

// draw draws a platform: the figures of each worker are uniform in the given ranges or, without them, in
// those of the paper's table 1, in which bandwidths grow with the number of workers. It returns an error
// for a range that is not two ascending numbers.
func (r *random) draw(seed uint64) (p plan.Platform, err error) {
	n := r.Workers
	if n == 0 {
		n = defaultWorkers
	}
	if n < 1 || n > maxWorkers {
		return p, fmt.Errorf("random.workers is %d: choose 1 to %d", n, maxWorkers)
	}
	ranges := [4][2]float64{{50, 75}, {25 * float64(n), 75 * float64(n)}, {0.1, 0.1}, {0.1, 0.1}}
	for i, given := range [4]struct {
		name   string
		values []float64
	}{
		{"speed", r.Speed},
		{"bandwidth", r.Bandwidth},
		{"comp_latency", r.CompLatency},
		{"comm_latency", r.CommLatency},
	} {
		switch v := given.values; {
		case v == nil:
		case len(v) != 2 || v[0] > v[1]:
			return p, fmt.Errorf("random.%s is %v: give the lowest and the highest value, as in [50, 75]", given.name,
				v)
		default:
			ranges[i] = [2]float64(v)
		}
	}
	stream := rng.New(seed, "rounds/workers")
	for range n {
		var figures [4]float64
		for i, r := range ranges {
			figures[i] = r[0] + float64((r[1]-r[0])*stream.Float64())
		}
		p.Workers = append(p.Workers, plan.Worker{
			Speed: figures[0], Bandwidth: figures[1], CompLatency: figures[2],
			CommLatency: figures[3],
		})
	}
	return p, nil
}

// check refuses loads that the planner would refuse, and those that cannot be counted in whole
// microseconds and millionths of a work unit.
func check(p plan.Platform, load float64) error {
	if err := p.Validate(load); err != nil {
		return err
	}
	if len(p.Workers) > maxWorkers {
		return fmt.Errorf("there are %d workers: %d is the most that can run live", len(p.Workers), maxWorkers)
	}
	if load < 1 || load > 1e12 {
		return fmt.Errorf("load is %v: choose 1 to 1e12 work units", load)
	}
	for i, w := range p.Workers {
		for _, figure := range [...]struct {
			name             string
			value, low, high float64
		}{
			{"speed", w.Speed, 1e-3, 1e12},
			{"bandwidth", w.Bandwidth, 1e-3, 1e12},
			{"comp_latency", w.CompLatency, 0, 1e8},
			{"comm_latency", w.CommLatency, 0, 1e8},
		} {
			if figure.value < figure.low || figure.value > figure.high {
				return fmt.Errorf("worker %d: %s is %v: choose %v to %v to run live", i, figure.name, figure.value,
					figure.low, figure.high)
			}
		}
	}
	return nil
}

// source emits the workers first and then the load, all at time 0.
type source struct {
	workers    []plan.Worker
	load       unit.Work
	rateErrors workload.RateErrors
	next       int
	current    workload.Worker
}

// Next implements workload.Source. Worker of a record is valid until the next call.
func (s *source) Next(r *workload.Record) error {
	*r = workload.Record{}
	s.next++
	switch i := s.next - 1; {
	case i < len(s.workers):
		w := s.workers[i]
		s.current = workload.Worker{
			Speed: unit.WorkOf(w.Speed), Bandwidth: unit.WorkOf(w.Bandwidth), CompLatency: micros(w.CompLatency),
			CommLatency: micros(w.CommLatency),
			Errors:      s.rateErrors,
		}
		r.Kind, r.Machine = workload.NodeJoins, uint64(i)
		r.Node = workload.Node{
			Capacity: unit.Vec{unit.CPU: unit.Whole, unit.Memory: unit.Whole}, Rack: -1, Site: -1,
			Worker: &s.current,
		}
	case i == len(s.workers):
		r.Kind, r.Load = workload.LoadArrives, s.load
	default:
		s.next--
		return io.EOF
	}
	return nil
}

func micros(seconds float64) unit.Time {
	return unit.Time(float64(seconds*float64(unit.Second)) + 0.5)
}
