package paper

import (
	"encoding/json"
	"fmt"

	"parley/core/metric"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/strict"
	"parley/core/unit"
)

// callLog is the function batch/log of documents: the jobs of a recorded log under the
// settings of the central scheduler. Nothing is drawn, so the seed changes nothing.
func (o Options) callLog(_ uint64, arguments json.RawMessage) (map[string]float64, error) {
	var of struct {
		Name     string          `json:"name"`
		Settings json.RawMessage `json:"settings"`
		Files    string          `json:"files"` // the log
		Jobs     int64           `json:"jobs"`  // of the log that run
	}
	if err := strict.Part(arguments, &of); err != nil {
		return nil, err
	}
	if o.Trace == nil {
		return nil, NeedsFiles(of.Files)
	}
	if of.Settings == nil {
		of.Settings = json.RawMessage("{}")
	}
	s, err := scenario.Parse(fmt.Appendf(nil, `{"v":1,"system":"central","settings":%s,"until":"365d"}`, of.Settings))
	if err != nil {
		return nil, err
	}
	jobs, err := o.playLog(s, of.Name)
	if err != nil {
		return nil, err
	}
	if jobs == nil || jobs.Ended != of.Jobs {
		return nil, fmt.Errorf("the file is not %s: that has %d jobs which ran", of.Files, of.Jobs)
	}
	return map[string]float64{
		"mean bounded slowdown": jobs.BoundedSlowdown.Mean, "mean response time": jobs.ResponseS.Mean,
		"largest bounded slowdown": jobs.BoundedSlowdown.Max, "largest response time": jobs.ResponseS.Max,
	}, nil
}

// playLog returns the report on the jobs of a recorded workload; nil if it has none.
func (o Options) playLog(s *scenario.Scenario, name string) (*metric.JobReport, error) {
	source, err := o.Trace(s)
	if err != nil {
		return nil, err
	}
	r, err := run.Open(s, source)
	if err != nil {
		return nil, err
	}
	for at := unit.Day; !r.Done(); at += unit.Day {
		if err := r.Advance(at); err != nil {
			return nil, err
		}
		if err := o.tell("%s, day %d", name, at/unit.Day); err != nil {
			return nil, err
		}
	}
	return r.Report().Jobs, r.Audit()
}
