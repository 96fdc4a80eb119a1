package message

import "encoding/json"

// ReadSweep reads a sweep, as `parley sweep` does, in place of the one before and its results.
type ReadSweep struct {
	Document string        `json:"document"`
	Systems  []SweepSystem `json:"systems"` // that can play
}

// SweepSystem is a system with the names of its settings.
type SweepSystem struct {
	ID       string   `json:"id"`
	Settings []string `json:"settings"`
}

// ReadResults takes lines that `parley sweep` wrote, or the page.
type ReadResults struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// TakeRuns asks for runs that are to be played now. The first time, and after Cancel, it
// begins with all that is missing.
type TakeRuns struct {
	Runs int `json:"runs"` // at most
}

// RunDone returns the result of a run and asks for others as TakeRuns does.
type RunDone struct {
	ID     string          `json:"id"`
	Runs   int             `json:"runs"` // at most
	Report json.RawMessage `json:"report,omitempty"`
	WallS  float64         `json:"wall_s"`
	Reason string          `json:"why,omitempty"` // it failed: one sentence
}

// TabulateSweep asks for the table of a figure over the results.
type TabulateSweep struct {
	Metric string `json:"metric"` // "": the first one
}

// LookAtCell asks about one cell of the grid.
type LookAtCell struct {
	Cell int `json:"cell"`
}

// SaveSweep asks for a file.
type SaveSweep struct {
	Content string `json:"content" ts:"\"sweep\" | \"results\" | \"json\" | \"csv\""`
}

// SweepRead answers ReadSweep.
type SweepRead struct {
	Name    string      `json:"name"`
	Runs    int         `json:"runs"` // at most, if the sweep may end early
	Groups  []SweepAxis `json:"groups"`
	Seeds   int         `json:"seeds"`
	Compare string      `json:"compare"` // the base of differences, "settings.policy best-fit"; "" if none
	Goal    string      `json:"goal" ts:"\"\" | \"search\" | \"stop\""`
	Nodes   int         `json:"nodes"` // of the largest cell, if the document has it
	Files   []string    `json:"files"` // SHA-256 of the files that the runs play
}

// SweepAxis is an axis, or some that are linked; the last one varies fastest over the cells.
type SweepAxis struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// RunsToPlay answers TakeRuns and RunDone.
type RunsToPlay struct {
	Runs []RunToPlay `json:"runs"`
	Over bool        `json:"over"` // none is left, and none is under way
}

// RunToPlay is a run of a sweep.
type RunToPlay struct {
	ID       string          `json:"id"`
	Scenario json.RawMessage `json:"scenario" ts:"Scenario"`
	Where    string          `json:"where"` // the axes' values and the seed, for people
}

// SweepTable answers TabulateSweep and ReadResults: a cell each of the grid, the last axis fastest.
type SweepTable struct {
	Runs    int          `json:"runs"` // that are needed, as far as is known
	Done    int          `json:"done"`
	Metrics []string     `json:"metrics"`
	Metric  string       `json:"metric"`
	Cells   []CellFigure `json:"cells"`
	Notes   []string     `json:"notes"`
}

// CellFigure is one figure of a cell.
type CellFigure struct {
	Figure     *SweepFigure `json:"figure,omitempty"`
	Difference *SweepFigure `json:"difference,omitempty"` // seed by seed
	None       int          `json:"none,omitempty"`       // of a search: seeds with which nothing fits,
	All        int          `json:"all,omitempty"`        // or everything
}

// SweepFigure is a figure of a cell, or a difference.
type SweepFigure struct {
	Name string `json:"name"`
	Estimate
}

// SweepCell answers LookAtCell.
type SweepCell struct {
	Cell        int           `json:"cell"`
	Where       string        `json:"where"`
	Figures     []SweepFigure `json:"figures"`
	Differences []SweepFigure `json:"differences"`
	Runs        []CellRun     `json:"runs"`
}

// CellRun is one run of a cell, whether it was played or not.
type CellRun struct {
	Seed     uint64          `json:"seed"`
	Digest   string          `json:"digest"` // "": it was not
	Scenario json.RawMessage `json:"scenario" ts:"Scenario"`
}

// SavedFile answers SaveSweep and SaveAnswer.
type SavedFile struct {
	Name      string `json:"name"`
	MediaType string `json:"mediaType"`
	Text      string `json:"text"`
}

func (ReadSweep) Kind() string     { return "sweep" }
func (ReadResults) Kind() string   { return "results" }
func (TakeRuns) Kind() string      { return "take" }
func (RunDone) Kind() string       { return "done" }
func (TabulateSweep) Kind() string { return "table" }
func (LookAtCell) Kind() string    { return "cell" }
func (SaveSweep) Kind() string     { return "save" }
func (SweepRead) Kind() string     { return "sweep" }
func (RunsToPlay) Kind() string    { return "runs" }
func (SweepTable) Kind() string    { return "table" }
func (SweepCell) Kind() string     { return "cell" }
func (SavedFile) Kind() string     { return "file" }
