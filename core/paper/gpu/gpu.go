package gpu

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"parley/core/strict"
	"parley/core/study"
	"parley/core/trace"
)

// Functions returns those that documents call, on a user's files.
func Functions(files []trace.File) study.Functions {
	return study.Functions{
		"gpu/muri": call(files).muri, "gpu/tiresias": call(files).tiresias,
		"gpu/pollux": call(files).pollux, "fgd/openb": call(files).fgd,
	}
}

// call is a call of a function on files.
type call []trace.File

// needed names the files that a function's document needs.
type needed struct {
	Files string `json:"files"`
}

// muri is the function gpu/muri: it plays one of Muri's traces under one policy and returns figures in
// seconds. If no file is that trace, it returns neither figures nor an error.
func (c call) muri(_ uint64, arguments json.RawMessage) (map[string]float64, error) {
	var of struct {
		needed
		Policy string `json:"policy"`
		Trace  string `json:"trace"` // its name, for progress
		Jobs   int    `json:"jobs"`
		AtOnce bool   `json:"at_once"` // all jobs are submitted at 0
	}
	if err := strict.Part(arguments, &of); err != nil {
		return nil, err
	}
	if !slices.Contains([]string{"srtf", "srsf", "tiresias-l"}, of.Policy) {
		return nil, fmt.Errorf("the policy %q is none of srtf, srsf and tiresias-l", of.Policy)
	}
	for _, f := range c {
		jobs, err := readMuri(f)
		if err != nil {
			return nil, err
		}
		if atOnce := jobs[len(jobs)-1].submitted == 0; len(jobs) == of.Jobs && atOnce == of.AtOnce {
			return playMuri(jobs, of.Policy).figures(), nil
		}
	}
	return nil, nil
}

// muriTraces are how many jobs Muri's traces have; each is there twice, as recorded and with all
// jobs at 0.
var muriTraces = []int{1494, 5755, 992, 2638}

// readMuri reads one of Muri's traces, recognised by its number of jobs, and returns the jobs by submission, with
// their start costs. Times in the file are milliseconds.
func readMuri(f trace.File) ([]*muriJob, error) {
	t, err := read(f, "num_gpu", "submit_time", "iterations", "model_name", "iteration_time")
	if err != nil {
		return nil, err
	}
	if t == nil || !slices.Contains(muriTraces, len(t.rows)) {
		return nil,
			fmt.Errorf(
				"%s is none of Muri's traces, which have 1,494, 5,755, 992 or 2,638 jobs with the columns num_gpu, submit_time, iterations, model_name and iteration_time: give trace1.csv to trace4_pr.csv of its simulator", f.Name,
			)
	}
	jobs := make([]*muriJob, len(t.rows))
	for i := range jobs {
		var v [4]float64
		for k, column := range []string{"num_gpu", "submit_time", "iterations", "iteration_time"} {
			if v[k], err = t.number(i, column, 0, 1e15); err != nil {
				return nil, err
			}
		}
		gpus := int32(v[0])
		if float64(gpus) != v[0] || gpus < 1 || gpus > 32 || bits.OnesCount32(uint32(gpus)) != 1 || v[2] <= 0 ||
			v[3] <= 0 {
			return nil,
				fmt.Errorf(
					"%s, row %d: a job of %v GPUs with %v iterations of %v ms; Muri's have 1, 2, 4, 8, 16 or 32 GPUs and positive numbers", f.Name, i+1, v[0], v[2], v[3],
				)
		}
		j := &muriJob{gpus: gpus, submitted: v[1] / 1000, left: v[2], iteration: float64(v[3]*slower) / 1000, cost: 10}
		if costs, known := startCosts[strings.TrimSpace(t.text(i, "model_name"))]; known {
			j.cost = costs[bits.TrailingZeros32(uint32(gpus))]
		}
		jobs[i] = j
	}
	slices.SortStableFunc(jobs, func(a, b *muriJob) int { return cmp.Compare(a.submitted, b.submitted) })
	return jobs, nil
}
