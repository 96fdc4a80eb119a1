package paper

import (
	"fmt"

	"parley/core/paper/board"
)

// boardExperiments wraps package paper/board.
func boardExperiments() []Experiment {
	var out []Experiment
	for _, x := range board.All() {
		e := Experiment{ID: "board/" + x.ID, Title: x.Title, Source: x.Source, Seconds: x.Seconds}
		e.Run = func(o Options) (Result, error) {
			result := Result{ID: e.ID, Source: x.Source, Seeds: or(o.Seeds, x.Seeds)}
			if x.Files != "" && o.Trace == nil {
				return result, NeedsFiles(x.Files)
			}
			if o.Best != nil && x.ID != "optimal" {
				return result, fmt.Errorf("%s compares with no known lengths: leave --best out", e.ID)
			}
			var err error
			result.Rows, err = x.Run(board.Effort{Seeds: result.Seeds, Nodes: o.Nodes, Until: o.Until, Source: o.Trace, Files: o.Files, Best: o.Best, Tell: o.tell})
			return result, err
		}
		out = append(out, e)
	}
	return out
}
