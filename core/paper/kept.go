package paper

import (
	"encoding/json"
	"fmt"

	"parley/core/metric"
	"parley/core/unit"
)

// kept is an outcome as Options.Once keeps it.
type kept struct {
	Mean     metric.Row              `json:"mean"`
	Rows     []metric.Row            `json:"rows"`
	Counts   []float64               `json:"counts"` // as counts.all orders them
	Promised [unit.Resources]float64 `json:"promised"`
	Minutes  float64                 `json:"minutes"`
}

func (x outcome) keep() kept {
	k := kept{Mean: x.mean, Rows: x.rows, Promised: x.counts.promised, Minutes: x.minutes}
	for _, n := range x.counts.all() {
		k.Counts = append(k.Counts, *n)
	}
	return k
}

// outcome is what was kept; false where it is not that of a run.
func (k kept) outcome() (x outcome, whole bool) {
	x = outcome{mean: k.Mean, rows: k.Rows, minutes: k.Minutes}
	x.counts.promised = k.Promised
	all := x.counts.all()
	if len(k.Counts) != len(all) || k.Minutes <= 0 {
		return x, false
	}
	for i, n := range k.Counts {
		*all[i] = n
	}
	return x, true
}

// once plays the cell, or takes what it showed from where Options.Once keeps it. Runs of
// recorded workloads are not kept: a name does not say what is in a file.
func (c cell) once(o Options) (outcome, error) {
	if o.Once == nil || o.Trace != nil {
		return c.play(o)
	}
	s, err := c.scenario()
	if err != nil {
		return outcome{}, err
	}
	document, err := json.Marshal(s)
	if err != nil {
		return outcome{}, err
	}
	name := fmt.Sprintf("%s trial %v", document, c.trial)
	if c.altered != nil {
		name += fmt.Sprintf(" memory %v production %v", c.altered.memory, c.altered.production)
	}
	play := func() ([]byte, error) {
		x, err := c.play(o)
		if err != nil {
			return nil, err
		}
		return json.Marshal(x.keep())
	}
	text, err := o.Once(name, play)
	if err != nil {
		return outcome{}, err
	}
	var k kept
	if err := json.Unmarshal(text, &k); err != nil {
		return outcome{}, fmt.Errorf("%v: what is kept of it cannot be read: %w", c, err)
	}
	x, whole := k.outcome()
	if !whole {
		return x, fmt.Errorf("%v: what is kept of it is not what a run shows", c)
	}
	return x, nil
}
