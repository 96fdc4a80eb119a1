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
	name     string // for progress and errors
	system   string
	settings json.RawMessage // missing ones have the system's defaults; nil: all

	nodes  int
	scale  float64 // of the workload; 0: as it is
	keep   float64 // of the nodes; 0: all
	arrive string  // "submitted" or "scheduled"; empty: scheduled, as Borg did it
	seed   uint64
	until  unit.Time

	trial   bool // only whether the cell fits matters: a run ends when it no longer can
	altered altered
}

// The published cell and how long our runs are if a document does not say. The paper
// plays 29 days.
const (
	publishedNodes = 12_583
	shortRun       = 2 * unit.Hour
)

// warmup is how long a run may take to settle before its means count.
const warmup = 20 * unit.Minute

// overloadLimit is the percentage of overloaded nodes that the paper accepts
// (section 7.6).
const overloadLimit = 0.5

// scenario returns the scenario that the cell stands for; fields of the cell that are 0 or "" get their defaults.
func (c cell) scenario() (*scenario.Scenario, error) {
	s := &scenario.Scenario{
		V: scenario.Version, System: c.system, Seed: c.seed, Settings: c.settings,
		Cluster:  scenario.Cluster{Preset: "google2011", Nodes: c.nodes, Keep: c.keep},
		Workload: scenario.Workload{Preset: "google2011", Scale: c.scale, Arrive: c.arrive},
		Until:    scenario.Duration(c.until),
	}
	if s.Cluster.Keep == 0 {
		s.Cluster.Keep = 1
	}
	if s.Workload.Scale == 0 {
		s.Workload.Scale = 1
	}
	if s.Workload.Arrive == "" {
		s.Workload.Arrive = "scheduled"
	}
	s.Workload.Usage = c.altered.moving()
	return s, s.Validate()
}

// open makes the run of the cell, with a generated or altered source, or the trace of o if it has one.
func (c cell) open(o Options, watch ...run.Option) (*run.Run, error) {
	s, err := c.scenario()
	if err != nil {
		return nil, err
	}
	source, err := c.altered.source(s)
	if err == nil && source != nil {
		s.Workload.Arrive = "submitted" // generated tasks have no recorded schedule
	} else if err == nil && o.Trace != nil {
		source, err = o.Trace(s)
	}
	if err != nil {
		return nil, err
	}
	return run.Open(s, source, watch...)
}

// play runs the cell to its end and returns the means and counts from the warm-up on. A trial ends early if it
// cannot fit any more.
func (c cell) play(o Options) (outcome, error) {
	s, err := c.scenario()
	if err != nil {
		return outcome{}, err
	}
	if err := o.tell("%s, %d nodes × %.2f, workload × %.2f, seed %d", c.name, c.nodes, s.Cluster.Keep, s.Workload.Scale,
		c.seed); err != nil {
		return outcome{}, err
	}
	late := &lateness{from: warmup}
	r, err := c.open(o, run.Watch(late))
	if err != nil {
		return outcome{}, err
	}
	if err := r.Advance(warmup); err != nil {
		return outcome{}, fmt.Errorf("%s (%s): %w", c.name, c.system, err)
	}
	before := countsOf(r)
	if err := c.advance(r); err != nil {
		return outcome{}, fmt.Errorf("%s (%s): %w", c.name, c.system, err)
	}
	arrived, unplaced := late.totals(r.Now())
	counts := countsOf(r).since(before)
	counts.arrived, counts.late = arrived, unplaced
	return outcome{
		mean: r.Table().MeanFrom(warmup), rows: r.Table().Rows, counts: counts,
		minutes: (r.Now() - warmup).Seconds() / 60,
	}, nil
}

// advance runs r from the warm-up to its end; a trial only while mayFit.
func (c cell) advance(r *run.Run) error {
	if !c.trial {
		return r.Advance(c.until)
	}
	settled, samples := len(r.Table().Rows), int((c.until-warmup)/run.SampleStep)
	for !r.Done() && mayFit(r.Table().Rows[settled:], samples) {
		if err := r.Advance(r.Now() + run.SampleStep); err != nil {
			return err
		}
	}
	return nil
}

// mayFit reports whether a run of a given number of samples that began with these may still
// fit: whether the nodes that were overloaded so far are not too many even if none
// is from then on. So a trial fits by exactly the rules by which the whole run does.
func mayFit(begun []metric.Row, samples int) bool {
	overloaded := 0.0
	for _, row := range begun {
		overloaded += row[metric.Overloaded]
	}
	return overloaded <= overloadLimit*float64(samples)
}

// until returns the length of runs whose own length is own: not longer than o.Until, nor than the recorded workload.
// A length that leaves no sample after the warm-up is an error.
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
	s, err := cell{system: "central", nodes: publishedNodes, until: limit, altered: unaltered}.scenario()
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
		case r.Kind >= workload.TaskArrives:
			if end = r.At; end >= limit {
				return limit, nil
			}
		}
	}
}

// outcome has the results of a run of a cell.
type outcome struct {
	mean    metric.Row // from warmup on
	rows    []metric.Row
	counts  counts // from warmup on
	minutes float64
}

// values returns the figures of a run, by their names.
func (x outcome) values() map[string]float64 {
	values := map[string]float64{}
	for _, f := range figures {
		values[f.name] = f.of(x)
	}
	return values
}
