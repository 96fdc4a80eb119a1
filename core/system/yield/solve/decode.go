package solve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"parley/core/strict"
)

// maxInput bounds what Decode reads: the largest valid instance written out, one
// job a task, is about half of it.
const maxInput = 64 << 20

// Decode reads one instance such as
//
//	{"hosts":4,"jobs":[{"cpu":0.5,"mem":0.25,"tasks":2},{"cpu":1,"mem":0.1}]}
//
// strictly: unknown fields, trailing text and needs out of range are errors of
// one sentence that names the job, the field and the value. tasks defaults to 1.
func Decode(r io.Reader) (Instance, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err != nil {
		return Instance{}, fmt.Errorf("reading the instance: %w", err)
	}
	if len(text) > maxInput {
		return Instance{}, fmt.Errorf("the instance is longer than %d MiB; split it", maxInput>>20)
	}
	var raw struct {
		Hosts *int              `json:"hosts"`
		Jobs  []json.RawMessage `json:"jobs"`
	}
	if err := strict.Decode(text, &raw); err != nil {
		return Instance{}, fmt.Errorf("instance: %w", err)
	}
	if raw.Hosts == nil {
		return Instance{}, errors.New("instance: hosts is missing; give the number of hosts")
	}
	if raw.Jobs == nil {
		return Instance{}, errors.New("instance: jobs is missing; give a list of jobs")
	}
	if len(raw.Jobs) > MaxTasks {
		return Instance{}, fmt.Errorf("instance: %d jobs are more than the %d tasks a plan holds; split it",
			len(raw.Jobs), MaxTasks)
	}
	in := Instance{Hosts: *raw.Hosts, Jobs: make([]Job, len(raw.Jobs))}
	for i, text := range raw.Jobs {
		if in.Jobs[i], err = decodeJob(text); err != nil {
			return Instance{}, fmt.Errorf("job %d: %w", i, err)
		}
	}
	if err := in.Validate(); err != nil {
		return Instance{}, err
	}
	return in, nil
}

// decodeJob reads one job strictly. cpu and mem must be there; tasks defaults to 1. Ranges are not
// checked.
func decodeJob(text []byte) (Job, error) {
	var raw struct {
		CPU   *float64 `json:"cpu"`
		Mem   *float64 `json:"mem"`
		Tasks *int     `json:"tasks"`
	}
	if err := strict.Part(text, &raw); err != nil {
		return Job{}, err
	}
	if raw.CPU == nil {
		return Job{}, errors.New("cpu is missing; give a fraction of one host above 0 and at most 1")
	}
	if raw.Mem == nil {
		return Job{}, errors.New("mem is missing; give a fraction of one host above 0 and at most 1")
	}
	j := Job{CPU: *raw.CPU, Mem: *raw.Mem, Tasks: 1}
	if raw.Tasks != nil {
		j.Tasks = *raw.Tasks
	}
	return j, nil
}
