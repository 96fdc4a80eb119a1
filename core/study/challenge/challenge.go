// Package challenge holds a contest of schedulers: some cells, which all entrants play with
// the same seeds, and one score.
//
// The score of a run is 100 less two percentages: the share of nodes that are overloaded,
// and the share of tasks that wait for a place, both as means over the run. Either of them
// alone is easily avoided: a scheduler that places everything at once overloads nodes, and one
// that overloads none makes tasks wait. Both are percentages of the whole cell, so cells of
// different sizes count alike, and a difference of one point means the same everywhere,
// which is not so for a quotient of two schedulers' results. The score of a scheduler is the
// mean over the cells; a seed gives one score, and two schedulers are compared seed by
// seed, because with one seed they have the same workload.
//
//	c, err := challenge.Parse(assets.Challenge("beat-best-fit"))
//	rows, err := c.Table(registry, []challenge.Entry{challenge.EntryOf("my link", s)})
package challenge

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"parley/core/escape"
	"parley/core/estimate"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/strict"
	"parley/core/unit"
)

// Challenge is a contest.
type Challenge struct {
	V     int      `json:"v"`
	Name  string   `json:"name"`
	About string   `json:"about"`
	Seeds []uint64 `json:"seeds"`
	Cells []Cell   `json:"cells"`
	Known []Entry  `json:"known"` // schedulers to compare with; the first one is the one to beat
}

// Cell is a cluster with its work and its faults.
type Cell struct {
	Name  string          `json:"name"`
	About string          `json:"about"`
	Plays json.RawMessage `json:"plays"` // a scenario; its scheduler is replaced
}

// Entry is a scheduler that takes part.
type Entry struct {
	Name     string          `json:"name"`
	System   string          `json:"system"`
	Settings json.RawMessage `json:"settings,omitempty"`
	Program  string          `json:"program,omitempty"`
	Score    *float64        `json:"score,omitempty"` // as the sender of a link measured it; it is played again
}

// EntryOf returns the scheduler of a scenario: its system, settings and program. Its
// cluster, workload, faults and seed do not count.
func EntryOf(name string, s *scenario.Scenario) Entry {
	return Entry{Name: name, System: s.System, Settings: s.Settings, Program: s.Program}
}

// Limits of a challenge, which a link may bring.
const (
	maxSeeds = 50
	maxCells = 20
	maxKnown = 100
)

// Parse reads a challenge.
func Parse(text []byte) (*Challenge, error) {
	c := &Challenge{}
	if err := strict.Decode(text, c); err != nil {
		return nil, fmt.Errorf("challenge: %w", err)
	}
	if c.V != 1 || len(c.Seeds) == 0 || len(c.Cells) == 0 || len(c.Known) == 0 {
		return nil, errors.New("challenge: it needs v 1, seeds, cells and known, with at least one of each")
	}
	if len(c.Seeds) > maxSeeds || len(c.Cells) > maxCells || len(c.Known) > maxKnown {
		return nil, fmt.Errorf("challenge: it has %d seeds, %d cells and %d schedulers, and at most %d, %d and %d are played",
			len(c.Seeds), len(c.Cells), len(c.Known), maxSeeds, maxCells, maxKnown)
	}
	return c, nil
}

// Scenario returns the scenario of an entry in a cell with a seed.
func (c *Challenge) Scenario(e Entry, cell int, seed uint64) (*scenario.Scenario, error) {
	s, err := scenario.Parse(c.Cells[cell].Plays)
	if err != nil {
		return nil, fmt.Errorf("challenge: cell %s: %w", c.Cells[cell].Name, err)
	}
	s.System, s.Settings, s.Program, s.Seed = e.System, e.Settings, e.Program, seed
	return s, nil
}

// Result is the score of an entry.
type Result struct {
	Name  string      `json:"name"`
	Cells [][]float64 `json:"cells"` // the score by cell and seed
}

// Play plays all cells with all seeds.
func (c *Challenge) Play(systems run.Registry, e Entry) (Result, error) {
	out := Result{Name: e.Name, Cells: make([][]float64, len(c.Cells))}
	for i := range c.Cells {
		for _, seed := range c.Seeds {
			s, err := c.Scenario(e, i, seed)
			if err != nil {
				return out, err
			}
			r, err := systems.Open(s, nil)
			if err == nil {
				err = r.Advance(unit.Time(s.Until))
			}
			if err != nil {
				return out, fmt.Errorf("%s, cell %s, seed %d: %w", e.Name, c.Cells[i].Name, seed, err)
			}
			out.Cells[i] = append(out.Cells[i], Score(r.Report().Metrics))
		}
	}
	return out, nil
}

// Score returns the score of a run from the means of its report.
func Score(means map[string]float64) float64 {
	waiting := 0.0
	if tasks := means["waiting"] + means["running"]; tasks > 0 {
		waiting = 100 * means["waiting"] / tasks
	}
	return 100 - means["overloaded_pct"] - waiting
}

// Scores returns the score of each seed, the mean over the cells.
func (r Result) Scores() []float64 {
	out := make([]float64, len(r.Cells[0]))
	for _, cell := range r.Cells {
		for i, x := range cell {
			out[i] += x / float64(len(r.Cells))
		}
	}
	return out
}

// Row is a line of the table of results.
type Row struct {
	Name       string             `json:"name"`
	Score      estimate.Estimate  `json:"score"`                // over the seeds
	Cells      []float64          `json:"cells"`                // the mean score of each cell
	Difference *estimate.Estimate `json:"difference,omitempty"` // to the scheduler to beat, seed by seed; nil of itself
	Verdict    string             `json:"verdict,omitempty"`
}

// File is the place of the recorded challenge in a checkout.
const File = "assets/challenge.json"

// Recorded is the challenge with its table of known schedulers, as the page shows it.
type Recorded struct {
	*Challenge
	Engine string `json:"engine"`
	Rows   []Row  `json:"rows"`
}

// Record plays the known schedulers.
func (c *Challenge) Record(systems run.Registry) (Recorded, error) {
	rows, err := c.Table(systems, c.Known[1:])
	return Recorded{c, run.Engine, rows}, err
}

// Markdown returns the table of known schedulers.
func (r Recorded) Markdown() string {
	var b strings.Builder
	b.WriteString("| scheduler | score |")
	rule := "|---|---|"
	for _, cell := range r.Cells {
		fmt.Fprintf(&b, " %s |", escape.Markdown(cell.Name))
		rule += "---|"
	}
	fmt.Fprintf(&b, " difference to %s |\n%s---|\n", escape.Markdown(r.Known[0].Name), rule)
	for _, row := range r.Rows {
		fmt.Fprintf(&b, "| %s | %s |", escape.Markdown(row.Name), withInterval("%.2f", row.Score))
		for _, cell := range row.Cells {
			fmt.Fprintf(&b, " %.2f |", cell)
		}
		if row.Difference != nil {
			fmt.Fprintf(&b, " %s |\n", withInterval("%+.2f", *row.Difference))
		} else {
			b.WriteString(" |\n")
		}
	}
	return b.String()
}

// withInterval prints a mean by a format, and its interval if it has one.
func withInterval(format string, e estimate.Estimate) string {
	text := fmt.Sprintf(format, e.Mean)
	if e.Interval != nil {
		text += fmt.Sprintf(" (%.2f to %.2f)", e.Low, e.High)
	}
	return text
}

// Table plays the scheduler to beat, then entries, and compares them with it.
func (c *Challenge) Table(systems run.Registry, entries []Entry) ([]Row, error) {
	var best Result
	var rows []Row
	for i, e := range append([]Entry{c.Known[0]}, entries...) {
		r, err := c.Play(systems, e)
		if err != nil {
			return nil, err
		}
		row := Row{Name: e.Name, Score: estimate.Of(r.Scores())}
		for _, cell := range r.Cells {
			row.Cells = append(row.Cells, estimate.Of(cell).Mean)
		}
		if i == 0 {
			best = r
		} else {
			d, words := r.Verdict(best)
			row.Difference, row.Verdict = &d, words
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Verdict compares an entry with the one to beat, seed by seed.
func (r Result) Verdict(best Result) (difference estimate.Estimate, words string) {
	d := estimate.Of(estimate.Differences(r.Scores(), best.Scores()))
	switch {
	case d.Interval == nil || d.SD == 0 && d.Mean == 0:
		return d, "is not told apart from " + best.Name
	case d.Low > 0:
		return d, "beats " + best.Name
	case d.High < 0:
		return d, "is beaten by " + best.Name
	}
	return d, "is not told apart from " + best.Name
}
