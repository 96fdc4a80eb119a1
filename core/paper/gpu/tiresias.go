package gpu

import (
	"encoding/json"
	"fmt"

	"parley/core/batch"
	"parley/core/batch/gang"
	"parley/core/strict"
	"parley/core/trace"
	"parley/core/unit"
)

// outcomes are the results of a simulation of jobs, by their numbers, in seconds.
type outcomes struct {
	Start []int64 `json:"start"`
	End   []int64 `json:"end"`
	Stops []int32 `json:"stops"`
}

// tiresias is the function gpu/tiresias: the jobs of Tiresias's simulator on nodes of 4 GPUs, by
// package gang.
func (c call) tiresias(_ uint64, arguments json.RawMessage) (map[string]float64, error) {
	var of struct {
		needed
		Name      string              `json:"name"`
		Policy    string              `json:"policy"`
		As        string              `json:"as"` // which of Published it is held to; "": none
		Nodes     int                 `json:"nodes"`
		Limits    []int64             `json:"limits"` // of the queues, in GPU seconds
		Promote   float64             `json:"promote"`
		Published map[string]outcomes `json:"published"`
	}
	if err := strict.Part(arguments, &of); err != nil {
		return nil, err
	}
	policy, err := gang.ParsePolicy(of.Policy)
	if err != nil {
		return nil, err
	}
	if len(c) != 1 {
		return nil, fmt.Errorf("there are %d files: give %s alone", len(c), of.Files)
	}
	log, err := readTiresias(c[0])
	if err != nil {
		return nil, err
	}
	s := gang.Settings{Policy: policy, Levels: gang.Levels{Promote: of.Promote}}
	for _, limit := range of.Limits {
		s.Levels.Limits = append(s.Levels.Limits, unit.Time(limit)*unit.Second)
	}
	site := gang.NewSite(s)
	for n := range of.Nodes {
		site.SetNode(0, n, 4)
	}
	played := gang.Play(site, log, nil)
	as := of.Published[of.As]
	same := 0
	for i, p := range played {
		if i < min(len(as.Start), len(as.End), len(as.Stops)) && p.Start == unit.Time(as.Start[i])*unit.Second &&
			p.End == unit.Time(as.End[i])*unit.Second && p.Stops == as.Stops[i] {
			same++
		}
	}
	f := site.Figures()
	return map[string]float64{
		"as published": float64(same), "mean JCT": gang.Distribute(f.JCT).Mean,
		"preemptions": float64(f.Preemptions),
	}, nil
}

// readTiresias reads a table of jobs of Tiresias's simulator, in the order of their numbers.
func readTiresias(f trace.File) ([]batch.Logged, error) {
	t, err := read(f, "job_id", "num_gpu", "submit_time", "duration")
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil,
			fmt.Errorf(
				"%s has no columns job_id, num_gpu, submit_time and duration: give 60_job.csv of Tiresias's simulator",
				f.Name,
			)
	}
	log := make([]batch.Logged, len(t.rows))
	for i := range log {
		var v [4]float64
		for k, column := range []string{"job_id", "num_gpu", "submit_time", "duration"} {
			low := 0.0
			if k == 1 || k == 3 {
				low = 1
			}
			if v[k], err = t.number(i, column, low, 1e9); err != nil {
				return nil, err
			}
			if v[k] != float64(int64(v[k])) {
				return nil,
					fmt.Errorf("%s, row %d, column %q: %v is no whole number; the simulator counts whole seconds",
						f.Name, i+1, column, v[k])
			}
		}
		if int(v[0]) != i || i > 0 && unit.Time(v[2])*unit.Second < log[i-1].Submit {
			return nil,
				fmt.Errorf(
					"%s, row %d: the jobs are not numbered from 0 in the order of their submission: give 60_job.csv as it was published", f.Name, i+1,
				)
		}
		run := unit.Time(v[3]) * unit.Second
		log[i] = batch.Logged{
			Job:    batch.Job{Processors: int(v[1]), Estimate: run},
			Submit: unit.Time(v[2]) * unit.Second, Run: run,
		}
	}
	return log, nil
}
