package paper

import (
	"encoding/json"

	"parley/core/metric"
	"parley/core/unit"
)

// maxSamples is how many samples the quietest and the busiest hours have at most: two hours.
const maxSamples = 120

// callPhases is the function negotiation/phases of documents: the figures of a cell in its
// quietest and in its busiest two hours, as figure 8 shows them.
func (o Options) callPhases(seed uint64, arguments json.RawMessage) (map[string]float64, error) {
	c, played, err := o.readPlain(arguments, seed)
	if err != nil || !played {
		return nil, err
	}
	x, err := c.play(o)
	if err != nil {
		return nil, err
	}
	quiet, busy := extremes(x.rows, min(maxSamples, len(x.rows)/3))
	values := map[string]float64{}
	for _, f := range []figure{
		figPA, figDA, column("STA", metric.SuperTight), column("TA", metric.Tight),
		figOverloaded, figCPU, figMemory, figMigrations, figRatio,
	} {
		values["quietest hours, "+f.name], values["busiest hours, "+f.name] = f.of(outcome{mean: quiet}),
			f.of(outcome{mean: busy})
	}
	return values, nil
}

// extremes returns the means of the windows with the least and the most CPU and
// memory in use.
func extremes(rows []metric.Row, window int) (quiet, busy metric.Row) {
	start := min(int(warmup/unit.Minute), len(rows)-window)
	lowest, highest := 1e9, -1.0
	for at := start; at+window <= len(rows); at += max(1, window/4) {
		var mean metric.Row
		for _, row := range rows[at : at+window] {
			for c, x := range row {
				mean[c] += x / float64(window)
			}
		}
		load := mean[metric.CPUUsed] + mean[metric.MemoryUsed]
		if load < lowest {
			lowest, quiet = load, mean
		}
		if load > highest {
			highest, busy = load, mean
		}
	}
	return quiet, busy
}
