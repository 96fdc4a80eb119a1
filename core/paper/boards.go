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

// boardExperiments are those of package paper/board that play the user's files.
func boardExperiments() (all []Experiment) {
	for _, x := range board.All() {
		e := Experiment{ID: "board/" + x.ID, Title: x.Title, Claim: x.Claim, Source: "not in the paper", Seconds: 20}
		e.Run = func(o Options) (result Result, err error) {
			result = Result{ID: e.ID, Source: e.Source, Seeds: 1}
			if o.Trace == nil {
				return result, NeedsFiles(x.Files)
			}
			result.Rows, err = x.Run(board.Files{Source: o.Trace, Names: o.Files, Best: o.Best, Tell: o.tell})
			return result, err
		}
		all = append(all, e)
	}
	return all
}
