package paper

import (
	"fmt"

	"parley/core/unit"
)

// pressureLoads are the workloads of pressure, in percent of the published one.
var pressureLoads = []float64{100, 110, 120, 130, 140}

// pressure sets agents beside central schedulers that are run as well as we can, on the
// whole cell for an hour, with more and more work. The paper has no such table.
func pressure(o Options) (Result, error) {
	seeds := or(o.Seeds, 5)
	result := Result{ID: "negotiation/pressure", Source: "not in the paper", Seeds: seeds}
	until, err := o.until(unit.Hour + warmup)
	if err != nil {
		return result, err
	}
	who := contenders()
	played := make([][]sample, len(pressureLoads)) // by load and contender
	for l := range played {
		played[l] = make([]sample, len(who))
		for k := range who {
			played[l][k] = make(sample, seeds)
		}
	}
	err = o.each(seeds*len(pressureLoads)*len(who), func(i int) (err error) { // a seed after the other: see Options.Once
		seed, l, k := i/(len(pressureLoads)*len(who)), i/len(who)%len(pressureLoads), i%len(who)
		c := cell{contender: who[k], nodes: or(o.Nodes, 12_500), scale: pressureLoads[l] / 100, until: until, seed: uint64(seed + 1)}
		played[l][k][seed], err = c.once(o)
		return err
	})
	if err != nil {
		return result, err
	}
	if o.Trace != nil { // copies of tasks have no recorded place, so only the original load is played
		c := cell{contender: replayed, nodes: or(o.Nodes, 12_500), until: until}
		runs, err := c.runs(o, seeds)
		if err != nil {
			return result, err
		}
		result.Rows = append(result.Rows, pressureRows(replayed.name+", 100 %", replayed, runs)...)
	}
	for l, percent := range pressureLoads {
		for k := range who {
			result.Rows = append(result.Rows, pressureRows(fmt.Sprintf("%s, %.0f %%", who[k].name, percent), who[k], played[l][k])...)
		}
		result.Rows = append(result.Rows, besideRows(fmt.Sprintf(", %.0f %%", percent), who, played[l])...)
	}
	return result, nil
}

func pressureRows(who string, k contender, runs sample) []Row {
	figures := []figure{figOverloaded, figWorst, figWaiting, figUnserved, figForced, figMoved, figPreempted, figRatio, figTight, figCPU, figMemory}
	if k.system == "negotiation" {
		figures = append(figures, figNegotiations, figRefused, figForcedMoves)
	}
	rows := make([]Row, len(figures))
	for i, f := range figures {
		rows[i] = runs.row(who, f)
		if f.name == figOverloaded.name && k.system == "negotiation" {
			rows[i].AtMost(overloadLimit)
			rows[i].Why(tooMany)
		}
	}
	return rows
}

// besideRows say, seed by seed, by how much each other contender overloads more nodes,
// keeps more tasks waiting and moves more than the agents do.
func besideRows(where string, who []contender, runs []sample) (rows []Row) {
	for k := 1; k < len(who); k++ {
		for _, f := range []figure{figOverloaded, figWaiting, figMoved} {
			rows = append(rows, runs[k].beyond(runs[0], who[k].name+" less "+who[0].name+", "+f.name+where, f))
		}
	}
	return rows
}
