package challenge

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"parley/core/estimate"
	"parley/core/run"
)

// Ranked is a line of a ranking.
type Ranked struct {
	Row
	Rank      int    // from 1; 0 if it cannot be played
	LinkScore string // the score in its link if that differs; "" otherwise
	Failed    string // why it cannot be played
}

// sameScore is how far a stated score may lie from the one that is measured: links round it.
const sameScore = 0.005

// Rank plays the schedulers of the challenge and others, each once, and sorts them by their score. Those that cannot
// be played are last, with the reason. The others are compared with the first of the challenge's own.
func (c *Challenge) Rank(systems run.Registry, others []Entry) []Ranked {
	var best Result
	var rows []Ranked
	var played []Entry
	for _, e := range slices.Concat(c.Known, others) {
		if slices.ContainsFunc(played, e.plays) {
			continue
		}
		played = append(played, e)
		row := Ranked{Row: Row{Name: e.Name}}
		r, err := c.Play(systems, e)
		if err != nil {
			row.Failed = err.Error()
			rows = append(rows, row)
			continue
		}
		row.Score = estimate.Of(r.Scores())
		for _, cell := range r.Cells {
			row.Cells = append(row.Cells, estimate.Of(cell).Mean)
		}
		if e.Score != nil && !(max(*e.Score-row.Score.Mean, row.Score.Mean-*e.Score) <= sameScore) {
			row.LinkScore = withInterval("%.2f", estimate.Estimate{Mean: *e.Score})
		}
		if best.Cells == nil {
			best = r
		} else {
			d, words := r.Verdict(best)
			row.Difference, row.Verdict = &d, words
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b Ranked) int {
		if (a.Failed == "") != (b.Failed == "") {
			return cmp.Compare(len(a.Failed), len(b.Failed))
		}
		return cmp.Compare(b.Score.Mean, a.Score.Mean)
	})
	for i := range rows {
		if rows[i].Failed == "" {
			rows[i].Rank = i + 1
		}
	}
	return rows
}

// plays reports whether another entry is the same scheduler.
func (e Entry) plays(other Entry) bool {
	return e.System == other.System && e.Program == other.Program &&
		bytes.Equal(plain(e.Settings), plain(other.Settings))
}

// plain returns settings with their keys in order; nil for none.
func plain(settings json.RawMessage) []byte {
	var values map[string]any
	if json.Unmarshal(settings, &values) != nil || len(values) == 0 {
		return nil
	}
	text, err := json.Marshal(values)
	if err != nil {
		return nil
	}
	return text
}
