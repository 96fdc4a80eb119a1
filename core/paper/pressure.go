package paper

import (
	"fmt"

	"parley/core/unit"
)

// pressure sets everybody beside each other on the whole cell: negotiation in both
// readings of its draw, what stands in for Borg, and every central policy, an hour
// with the published workload and with 120 % of it. The paper has no such table.
func pressure(o Options) (Result, error) {
	seeds := or(o.Seeds, 5)
	result := Result{ID: "negotiation/pressure", Source: "not in the paper", Seeds: seeds}
	until, err := o.until(unit.Hour + warmup)
	if err != nil {
		return result, err
	}
	all := contenders()
	if o.Trace != nil {
		all = append(all, replayed)
	}
	for _, percent := range []float64{100, 120} {
		for _, k := range all {
			if k.name == replayed.name && percent != 100 {
				continue // copies of tasks have no recorded place
			}
			c := cell{contender: k, nodes: or(o.Nodes, 12_500), scale: percent / 100, until: until}
			runs, err := c.runs(o, seeds)
			if err != nil {
				return result, err
			}
			result.Rows = append(result.Rows, pressureRows(fmt.Sprintf("%s, %.0f %%", k.name, percent), k, runs)...)
		}
	}
	return result, nil
}

func pressureRows(who string, k contender, runs sample) []Row {
	figures := []figure{figOverloaded, figWorst, figWaiting, figForced, figUnserved, figMoved, figRatio, figTight, figCPU, figMemory}
	if k.system == "negotiation" {
		figures = append(figures, figNegotiations, figRefused, figForcedMoves)
	}
	rows := make([]Row, len(figures))
	for i, f := range figures {
		rows[i] = runs.row(who, f)
		if f.name == figOverloaded.name && k.system == "negotiation" {
			rows[i].AtMost(overloadLimit)
			explain(&rows[i], tooMany)
		}
	}
	return rows
}
