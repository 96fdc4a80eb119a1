package board

import (
	"fmt"

	"parley/core/unit"
)

// Scale plays the paper's rule at a load that it bears, and ours at half of what the
// resources can do, from 10 to 100,000 resources.
func Scale(e Effort) (rows []Row, err error) {
	sizes := []int{10, 100, 1000, 10_000, 100_000}
	if e.Nodes > 0 {
		sizes = []int{e.Nodes / 10, e.Nodes}
	}
	asked := e.Until
	for _, nodes := range sizes {
		if e.Until = asked; asked == 0 {
			if e.Until = 4 * unit.Hour; nodes == 100_000 {
				e.Until = 2 * unit.Hour // enough for thousands of graphs
			}
		}
		for _, one := range []struct {
			contender
			load float64
		}{{safe, 0.05}, {ready, 0.5}} {
			all, err := e.over(setting{system: one.system, settings: one.settings, load: one.load, tightness: 3, nodes: nodes})
			if err != nil {
				return nil, err
			}
			rows = append(rows, scaled(fmt.Sprintf("%s, load %v, %d resources: ", one.name, one.load, nodes), nodes, all)...)
		}
	}
	return rows, nil
}

// scaled returns the rows of one number of resources. The paper went up to 1,000, and no claim
// can be judged where no graph came to its end.
func scaled(name string, nodes int, all []outcome) []Row {
	met := row(name+"guarantee", "%", all, guarantee)
	switch judged := row("", "", all, func(o outcome) float64 { return float64(o.judged) }).Measured; {
	case judged == 0:
		met.Note = "no graph came to its end in that time"
	case nodes <= 1000:
		if met.AtLeast(leastGuarantee); met.Holds != nil && !*met.Holds {
			met.Note = "there are fewer resources than one graph has threads, so all wait for one another"
		}
	}
	return []Row{
		met, row(name+"efficiency, in communities", "%", all, engaged),
		row(name+"messages a resource and hour", "", all, func(o outcome) float64 { return o.messages }),
	}
}

// Bandwidth compares agents that plan with the time of transfers (this paper) with those
// that do not (the older method), the more data the results have.
func Bandwidth(e Effort) (rows []Row, err error) {
	for _, scale := range []float64{1, 10, 30, 100} {
		for _, one := range []struct {
			name, rule string
			load       float64
		}{{safe.name, "safe", 0.05}, {ready.name, "ready", 0.5}} {
			var with [2][]outcome
			for i, channels := range []bool{false, true} {
				with[i], err = e.over(setting{
					system: "board", settings: fmt.Sprintf(`{"thread_rule":%q,"channels":%v}`, one.rule, channels),
					load: one.load, tightness: 2, bytes: [2]float64{scale * usualBytes[0], scale * usualBytes[1]},
				})
				if err != nil {
					return nil, err
				}
			}
			rows = append(rows, gained(fmt.Sprintf("%s, results of %v to %v MB: ", one.name, scale, scale*10), with[0], with[1])...)
		}
	}
	return rows, nil
}

// gained returns the rows of the older method beside the one that counts channels, which
// played the same seeds.
func gained(name string, older, channels []outcome) []Row {
	var differences []float64
	for i := range channels {
		differences = append(differences, channels[i].guarantee-older[i].guarantee)
	}
	gain := rowOf(name+"guarantee gained by counting channels", "points", differences)
	if gain.AtLeast(0); gain.Holds != nil && !*gain.Holds {
		gain.Note = "agents that know the channels pass over threads that could still have been in time"
	}
	gain.Paper = nil
	releases := func(o outcome) float64 { return o.releases }
	return []Row{
		row(name+"guarantee, older method", "%", older, guarantee), row(name+"guarantee, with channels", "%", channels, guarantee), gain,
		row(name+"releases a graph, older method", "", older, releases), row(name+"releases a graph, with channels", "", channels, releases),
	}
}

// Failures lets resources fail while they work, for half an hour each time.
func Failures(e Effort) (rows []Row, err error) {
	for _, mtbf := range []unit.Time{0, 10 * unit.Day, 2 * unit.Day, 12 * unit.Hour, 4 * unit.Hour} {
		for _, one := range []struct {
			contender
			load float64
		}{{safe, 0.05}, {heft, 0.05}, {heftWaits, 0.05}, {ready, 0.5}, {dispatcher, 0.5}, {heft, 0.5}, {heftWaits, 0.5}} {
			all, err := e.over(setting{system: one.system, settings: one.settings, load: one.load, tightness: 3, mtbf: mtbf})
			if err != nil {
				return nil, err
			}
			how := "never fails"
			if mtbf > 0 {
				how = fmt.Sprintf("fails every %v", mtbf)
			}
			rows = append(rows, row(fmt.Sprintf("a resource %s, load %v, %s: guarantee", how, one.load, one.name), "%", all, guarantee))
		}
	}
	return rows, nil
}
