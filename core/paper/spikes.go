package paper

import (
	"encoding/json"
	"fmt"

	"parley/core/unit"
)

// spikeThresholds are the percentages of a node's capacity that its use is compared with.
var spikeThresholds = []int64{5, 10, 15, 20}

// callSpikes is the function negotiation/spikes of documents: how many nodes' usage of some
// resource rises by more than a threshold within a minute.
func (o Options) callSpikes(seed uint64, arguments json.RawMessage) (map[string]float64, error) {
	c, played, err := o.readPlain(arguments, seed)
	if err != nil || !played {
		return nil, err
	}
	if err := o.tell("spikes under %s, seed %d", c.name, seed); err != nil {
		return nil, err
	}
	mean, peak, err := c.spikes(o, spikeThresholds)
	if err != nil {
		return nil, err
	}
	values := map[string]float64{}
	for i, percent := range spikeThresholds {
		values[fmt.Sprintf("threshold %d %%, mean", percent)] = mean[i]
		values[fmt.Sprintf("threshold %d %%, peak", percent)] = peak[i]
	}
	return values, nil
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
