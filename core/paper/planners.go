package paper

import (
	"parley/core/paper/rounds"
	"parley/core/paper/yield"
)

// yieldExperiments wraps what package paper/yield computes: repetitions
// count as seeds, and run times are left out, for the core knows no clock.
var yieldExperiments = []Experiment{
	ofYield("table1", "Packing variants on small instances", "section 4.2.1, table 1", 5, 20, 10, yield.Table1),
	ofYield("table7", "Packing variants on large instances", "section 4.2.2, table 7", 40, 10, 10, yield.Table7),
	ofYield("small", "All algorithms against the exact optimum", "section 4.2.1, figures 11 to 14", 60, 1, 2, yield.Small),
	ofYield("large", "All algorithms on 64 hosts", "section 4.2.2, figures 15 to 18", 60, 1, 1, yield.Large),
	ofYield("parallel", "Parallel jobs", "section 5.2, figures 19 to 22", 60, 1, 2, yield.Parallel),
	ofYield("migration", "Yield within a limit on migrated memory", "sections 2.3 and 6.1", 20, 1, 2, yield.Migration),
}

func ofYield(name, title, source string, seconds, seeds, instances int, compute func(yield.Effort) []yield.Row) Experiment {
	e := Experiment{ID: "yield/" + name, Title: title, Source: source, Seconds: seconds}
	e.Run = func(o Options) (Result, error) {
		n := or(o.Seeds, seeds)
		if err := o.tell("%s, %d repetitions", e.ID, n); err != nil {
			return Result{}, err
		}
		result := Result{ID: e.ID, Source: source, Seeds: n}
		result.Rows = compute(yield.Effort{Seeds: n, PerFamily: instances})
		return result, nil
	}
	return e
}

// roundsExperiments wraps package paper/rounds.
func roundsExperiments() []Experiment {
	var out []Experiment
	for _, x := range rounds.All() {
		e := Experiment{ID: "rounds/" + x.ID, Title: x.Title, Source: x.Source, Seconds: 10}
		e.Run = func(o Options) (Result, error) {
			n := or(o.Seeds, x.Seeds)
			if err := o.tell("%s, %d repetitions", e.ID, n); err != nil {
				return Result{}, err
			}
			result := Result{ID: e.ID, Source: x.Source, Seeds: n}
			result.Rows = x.Run(rounds.Effort{Seeds: n})
			return result, nil
		}
		out = append(out, e)
	}
	return out
}
