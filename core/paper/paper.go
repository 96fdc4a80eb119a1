// Package paper runs the experiments of the published papers and compares the papers' values
// with measured ones. No value is written by hand: a value that is lost in the paper's text
// stays empty, and a claim that does not hold is reported with its reason.
//
//	e, err := paper.Find("negotiation/benchmark")
//	result, err := e.Run(paper.Options{Seeds: 5})
package paper

import (
	"fmt"

	"parley/core/paper/board"
	"parley/core/scenario"
	"parley/core/study"
	"parley/core/study/evidence"
	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
)

// Experiment is one table or figure of a paper.
type Experiment struct {
	ID      string // "system/name"
	Title   string
	Source  string // where in the paper
	Seconds int    // about how long it takes with the default options, native
	Nodes   int    // of its cell; 0: it has none, or several
	Run     func(Options) (Result, error)
	// Again judges a recorded result anew by the claims as they are now; options name the
	// size that it was played at. It returns the names of the rows that the recording lacks too.
	Again func(Result, Options) (Result, []string, error)
	Claim string // of the paper, in a sentence, or the question if the paper has no claim
	Sized bool   // it plays cells of a size that Options.Nodes changes
	Known bool   // it compares with Options.Best
}

// Options say how to run an experiment. The zero value takes every default.
type Options struct {
	Seeds int // runs with different seeds; 0: the experiment's own number
	Nodes int // of generated clusters; 0: the experiment's own number
	// Until ends runs earlier than the experiment would, for tests and for a
	// first look; runs take 20 minutes to settle. 0: the experiment's own time.
	Until unit.Time
	// Trace opens a recorded workload for a scenario, any number of times;
	// nil: the generated cell.
	Trace func(*scenario.Scenario) (workload.Source, error)
	Files []string     // names of Trace's files
	Raw   []trace.File // the same files, for experiments that replay a program on its own tables
	// least lengths that are known of graphs in these files, for experiments that are Known; nil if none
	Best Best
	// Progress receives the part that begins and may end the experiment with an error.
	Progress func(doing string) error
	// Kept are the results of calls that are not repeated, so an interrupted experiment
	// continues where it stopped, and Keep gets each new result. If Each plays parts at the
	// same time, Keep must allow it. If both are nil, every call is made and no result is kept.
	Kept *study.Results
	Keep func(study.Result) error
	// Each plays the parts 0 to n-1 of an experiment, which do not depend on one another,
	// and returns the error of the first part that has one; nil: one after the other. It
	// may play several at the same time if Progress and Trace are safe for that: the
	// result is the same.
	Each func(n int, part func(i int) error) error
}

// NeedsFiles is the error of an experiment that plays files which its user must
// bring: Options.Trace. It names them.
type NeedsFiles string

// Error returns one sentence.
func (n NeedsFiles) Error() string {
	return "this experiment plays a log: give " + string(n) + " with --trace"
}

// tell reports progress, if anybody wants to know.
func (o Options) tell(format string, args ...any) error {
	if o.Progress == nil {
		return nil
	}
	return o.Progress(fmt.Sprintf(format, args...))
}

// Result is the result of an experiment.
type Result struct {
	ID     string `json:"id"`
	Source string `json:"source"`
	Seeds  int    `json:"seeds"`
	Rows   []Row  `json:"rows"`
}

// Row is one figure of the paper beside ours.
type Row = evidence.Row

// Best holds the least schedule lengths that are known of graphs.
type Best = board.Best

// Find returns an experiment by its id.
func Find(id string) (Experiment, error) {
	for _, e := range Experiments() {
		if e.ID == id {
			return e, nil
		}
	}
	return Experiment{}, fmt.Errorf("there is no experiment %q: `parley paper` lists them", id)
}
