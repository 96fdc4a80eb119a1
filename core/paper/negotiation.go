package paper

import (
	"fmt"

	"parley/core/study/evidence"
	"parley/core/unit"
)

var negotiationExperiments = []Experiment{
	{"negotiation/calibration", "Does the generated cell match Google's?", "named in each row", 60, publishedNodes, calibration, "", true},
	{"negotiation/rus", "How often usage spikes", "section 6.4, table 2", 20, publishedNodes, usageSpikes, "", true},
	{"negotiation/benchmark", "Borg's placements against negotiation", "section 7.7, table 3", 300, publishedNodes, benchmark, "", true},
	{"negotiation/throughput", "How much more work fits in the cell?", "section 7.8, table 4", 1200, searchNodes, throughput, "", true},
	{"negotiation/compaction", "How far can the cell shrink?", "section 7.8, table 5", 1200, searchNodes, compaction, "", true},
	{"negotiation/lifecycle", "Allocation classes by load", "section 7.6, figures 8 and 9", 90, searchNodes, lifecycle, "", true},
	{"negotiation/tuning", "What the central opponents of negotiation/pressure are tuned to", "not in the paper", 300, tunedNodes, tuning, "", true},
	{"negotiation/sensitivity", "What must be true of a cell for the paper's limits", "not in the paper", 250, sensitiveNodes, sensitivity, "", true},
}

// usageSpikes counts nodes whose usage of some resource rises by more than a
// threshold within a minute, while the placements stay as they are: replayed
// from the trace, or made by the central scheduler on the generated cell.
func usageSpikes(o Options) (Result, error) {
	until, err := o.until(shortRun)
	if err != nil {
		return Result{}, err
	}
	c := cell{contender: placed("least-allocated"), nodes: or(o.Nodes, publishedNodes), until: until}
	if o.Trace != nil {
		c.contender = replayed
	}
	thresholds := []int64{5, 10, 15, 20}
	seeds := or(o.Seeds, 3)
	means, peaks := make([][]float64, len(thresholds)), make([][]float64, len(thresholds))
	for i := range seeds {
		c.seed = uint64(i + 1)
		if err := o.tell("spikes under %s, seed %d", c.name, c.seed); err != nil {
			return Result{}, err
		}
		sum, peak, err := c.spikes(o, thresholds)
		if err != nil {
			return Result{}, err
		}
		for t := range thresholds {
			means[t], peaks[t] = append(means[t], sum[t]), append(peaks[t], peak[t])
		}
	}
	result := Result{ID: "negotiation/rus", Source: "section 6.4, table 2", Seeds: seeds}
	for t, percent := range thresholds {
		rows := spikeRows(percent, means[t], peaks[t], o.whole())
		result.Rows = append(result.Rows, rows[:]...)
	}
	return result, nil
}

// spikeRows are the rows of one threshold, mean and peak; of the whole cell the paper has
// both for a tenth.
func spikeRows(percent int64, means, peaks []float64, whole bool) [2]Row {
	mean := evidence.New(fmt.Sprintf("threshold %d %%, mean", percent), "nodes/min", means)
	peak := evidence.New(fmt.Sprintf("threshold %d %%, peak", percent), "nodes/min", peaks)
	if percent == 10 && whole {
		mean.Roughly(212)
		peak.Roughly(4362)
		mean.Why("usage is synthesised, and this is one of the targets that it cannot meet together with the others")
		peak.Why("usage is synthesised, and what moves thousands of tasks at once is rare in so short a run")
	}
	return [2]Row{mean, peak}
}

// spikes returns mean and peak of the nodes that rose above each threshold, a
// minute, after the warm-up.
func (c cell) spikes(o Options, thresholds []int64) (mean, peak []float64, err error) {
	mean, peak = make([]float64, len(thresholds)), make([]float64, len(thresholds))
	r, err := c.open(o)
	if err != nil {
		return nil, nil, err
	}
	var before []unit.Vec
	minutes := 0.0
	for now := unit.Minute; now <= c.until; now += unit.Minute {
		if err := r.Advance(now); err != nil {
			return nil, nil, err
		}
		v := r.View()
		counts := make([]float64, len(thresholds))
		for n := range v.Nodes() {
			id := unit.NodeID(n)
			used, capacity := v.Used(id), v.Capacity(id)
			if n < len(before) && v.Up(id) {
				for t, percent := range thresholds {
					if rose(used, before[n], capacity, percent) {
						counts[t]++
					}
				}
			}
			if n == len(before) {
				before = append(before, used)
			}
			before[n] = used
		}
		if now <= warmup {
			continue
		}
		minutes++
		for t, n := range counts {
			mean[t] += n
			peak[t] = max(peak[t], n)
		}
	}
	for t := range mean {
		mean[t] /= minutes
	}
	return mean, peak, nil
}
