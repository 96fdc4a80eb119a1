package paper

import "parley/core/paper/board"

// Best holds the least schedule lengths that are known of graphs.
type Best = board.Best

// Compares reports whether an experiment compares with Options.Best.
func Compares(id string) bool {
	for _, x := range board.All() {
		if "board/"+x.ID == id {
			return x.Known
		}
	}
	return false
}

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
			var err error
			result.Rows, err = x.Run(board.Effort{Seeds: result.Seeds, Nodes: o.Nodes, Until: o.Until, Source: o.Trace, Files: o.Files, Best: o.Best, Tell: o.tell})
			return result, err
		}
		out = append(out, e)
	}
	return out
}
