package paper

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"parley/core/metric"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
	"parley/core/workload"
)

// cell is one run on a Google cell, generated or recorded.
type cell struct {
	system string
	policy string    // of the central scheduler
	scores [2]string // initial and re-allocation score of negotiation; empty: its own
	nodes  int
	scale  float64 // of the workload; 0: as it is
	keep   float64 // of the nodes; 0: all
	seed   uint64
	until  unit.Time
}

// The published cell and how long our runs are. The paper plays 29 days.
const (
	publishedNodes = 12_583
	shortRun       = 2 * unit.Hour
	longRun        = 6 * unit.Hour
)

// warmup is how long a run may take to settle before its means count.
const warmup = 20 * unit.Minute

// overloadLimit is the percentage of overloaded nodes that the paper accepts
// (section 7.6).
const overloadLimit = 0.5

// outcome is what a run of a cell showed.
type outcome struct {
	mean metric.Row // from warmup on
	rows []metric.Row
}

// name is what rows call the cell's scheduler.
func (c cell) name() string {
	if c.policy != "" {
		return c.policy
	}
	return c.system
}

// scenario returns the document that the cell stands for.
func (c cell) scenario() (*scenario.Scenario, error) {
	settings := map[string]string{}
	if c.policy != "" {
		settings["policy"] = c.policy
	}
	if c.scores[0] != "" {
		settings["initial_score"], settings["move_score"] = c.scores[0], c.scores[1]
	}
	raw, err := json.Marshal(settings)
	if err != nil {
		return nil, err
	}
	s := &scenario.Scenario{
		V: scenario.Version, System: c.system, Seed: c.seed, Settings: raw,
		Cluster:  scenario.Cluster{Preset: "google2011", Nodes: c.nodes, Keep: c.keep},
		Workload: scenario.Workload{Preset: "google2011", Scale: c.scale, Arrive: "scheduled"},
		Until:    scenario.Duration(c.until),
	}
	if s.Cluster.Keep == 0 {
		s.Cluster.Keep = 1
	}
	if s.Workload.Scale == 0 {
		s.Workload.Scale = 1
	}
	return s, s.Validate()
}

func (c cell) open(o Options) (*run.Run, error) {
	s, err := c.scenario()
	if err != nil {
		return nil, err
	}
	var source workload.Source
	if o.Trace != nil {
		if source, err = o.Trace(s); err != nil {
			return nil, err
		}
	}
	return run.Open(s, source)
}

// play runs the cell to its end.
func (c cell) play(o Options) (outcome, error) {
	s, err := c.scenario()
	if err != nil {
		return outcome{}, err
	}
	if err := o.tell("%s, %d nodes × %.2f, workload × %.2f, seed %d", c.name(), c.nodes, s.Cluster.Keep, s.Workload.Scale, c.seed); err != nil {
		return outcome{}, err
	}
	r, err := c.open(o)
	if err != nil {
		return outcome{}, err
	}
	if err := r.Advance(c.until); err != nil {
		return outcome{}, fmt.Errorf("%s: %w", c.name(), err)
	}
	return outcome{mean: r.Table().MeanFrom(warmup), rows: r.Table().Rows}, nil
}

// means plays the cell with several seeds and returns figures of each run.
func (c cell) means(o Options, seeds int, figures ...func(outcome) float64) ([][]float64, error) {
	out := make([][]float64, len(figures))
	for i := range seeds {
		c.seed = uint64(i + 1)
		got, err := c.play(o)
		if err != nil {
			return nil, err
		}
		for f, figure := range figures {
			out[f] = append(out[f], figure(got))
		}
	}
	return out, nil
}

// column is the figure that is the mean of a metric.
func column(c int) func(outcome) float64 {
	return func(o outcome) float64 { return o.mean[c] }
}

// until returns how long runs last that would last so long by themselves: not
// longer than asked for, nor than the recorded workload.
func (o Options) until(own unit.Time) (unit.Time, error) {
	if o.Until > 0 {
		own = min(own, o.Until)
	}
	if o.Trace != nil {
		end, err := o.traceEnd(own)
		if err != nil {
			return 0, err
		}
		own = min(own, end)
	}
	if own < warmup+run.SampleStep {
		return 0, fmt.Errorf("runs of %v show nothing, because they take %v to settle: play them longer", own, warmup)
	}
	return own, nil
}

// traceEnd returns when the last task of the recorded workload does something,
// or limit if that is later. Records of machines go on for a month.
func (o Options) traceEnd(limit unit.Time) (unit.Time, error) {
	s, err := cell{system: "central", nodes: publishedNodes, until: limit}.scenario()
	if err != nil {
		return 0, err
	}
	source, err := o.Trace(s)
	if err != nil {
		return 0, err
	}
	var r workload.Record
	end := unit.Time(0)
	for {
		switch err := source.Next(&r); {
		case errors.Is(err, io.EOF):
			return end, nil
		case err != nil:
			return 0, fmt.Errorf("looking for the end of the trace: %w", err)
		case r.Kind >= workload.TaskArrives && r.At >= limit:
			return limit, nil
		case r.Kind >= workload.TaskArrives:
			end = r.At
		}
	}
}
