package paper_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"parley/core/paper"
	"parley/core/study"
	"parley/core/study/studytest"
)

// asked are the arguments of a cell that planted figures depend on.
type asked struct {
	Name   string
	Nodes  int
	Times  int
	Seeds  uint64
	Scale  float64
	Keep   float64
	Arrive string
	Only   string
}

// planted judges a document as if its cells had these figures with three seeds or more,
// and 1 of each figure that tells does not set. A cell is played with the seeds that it
// asks for, and where only recorded cells are played only if recorded.
func planted(t *testing.T, document string, seeds int, recorded bool, tells func(cell asked, set func(figure string, value float64))) map[string]paper.Row {
	t.Helper()
	f := func(seed uint64, arguments json.RawMessage) (map[string]float64, error) {
		var cell asked
		if err := json.Unmarshal(arguments, &cell); err != nil {
			return nil, err
		}
		if cell.Seeds > 0 && seed > cell.Seeds || cell.Only != "" && (cell.Only == "recorded") != recorded {
			return nil, nil
		}
		told := map[string]float64{}
		for _, name := range paper.AllFigures() {
			told[name] = 1
		}
		middle := float64(seed) - float64(seeds+1)/2
		tells(cell, func(figure string, value float64) { told[figure] = value + middle/1000 })
		return told, nil
	}
	functions := study.Functions{}
	for name := range paper.Functions() {
		functions[name] = f
	}
	return studytest.ByName(t, studytest.Judge(t, document, seeds, functions))
}

// wants holds rows to verdicts by their names. A row with the verdict no has a note that
// says why.
func wants(t *testing.T, rows map[string]paper.Row, verdicts map[string]string) {
	t.Helper()
	for name, want := range verdicts {
		r, is := rows[name]
		if !is {
			t.Errorf("there is no row %q", name)
		} else if judged(r) != want || want == "no" && r.Note == "" || want == "yes" && r.Rule == "" {
			t.Errorf("%q, want %q: %+v", name, want, r)
		}
	}
}

// TestScaleRows: larger cells are held to single ones in PA and DA, and every size to the
// limit of overloaded nodes. Of the largest cell there are two, so it leaves more open.
func TestScaleRows(t *testing.T) {
	for _, c := range []struct {
		pa, overloaded float64
		twice, limit   string
	}{{60.1, 0.4, "yes", "yes"}, {63, 0.6, "no", "no"}} {
		rows := planted(t, "negotiation/scale.json", 16, false, func(cell asked, set func(string, float64)) {
			set("PA", 60)
			set("DA", 20)
			set("overloaded nodes", 0.4)
			if cell.Times > 1 {
				set("PA", c.pa)
				set("DA", 20+c.pa-60)
				set("overloaded nodes", c.overloaded)
			}
		})
		if len(rows) != 2*(4*5+3*2) {
			t.Errorf("%d rows", len(rows))
		}
		for _, who := range []string{"negotiation", "negotiation, ten rounds a minute"} {
			wants(t, rows, map[string]string{
				who + ", the cell, overloaded nodes": "yes", who + ", the cell, PA": "", who + ", twice the cell, PA": "", who + ", eight times the cell, migrations": "",
				who + ", twice the cell, PA less that of single cells":       c.twice,
				who + ", four times the cell, DA less that of single cells":  c.twice,
				who + ", eight times the cell, PA less that of single cells": c.twice,
				who + ", twice the cell, overloaded nodes":                   c.limit,
				who + ", eight times the cell, overloaded nodes":             c.limit,
			})
		}
	}
	// A single run of each cell leaves the claims open.
	for name, r := range planted(t, "negotiation/scale.json", 1, false, func(asked, func(string, float64)) {}) {
		if strings.HasSuffix(name, "single cells") && judged(r) != "open" {
			t.Errorf("one run: %+v", r)
		}
	}
}

// TestScoresRows: what each pair of scores moves, and how much the pairs that the paper
// praises save, in each of the four places.
func TestScoresRows(t *testing.T) {
	rows := planted(t, "negotiation/scores.json", 3, false, func(cell asked, set func(string, float64)) {
		moved := map[string]float64{"SAS": 100, "SIAS + SRAS": 70, "SIAS_GAIN + SRAS": 40, "SIAS + SRAS_GAIN": 60, "SIAS_GAIN + SRAS_GAIN": 30}[cell.Name]
		set("moved", moved*cell.Scale)
	})
	if len(rows) != 4*(5*7+5) {
		t.Errorf("%d rows", len(rows))
	}
	for name, want := range map[string]struct {
		measured float64
		holds    string
	}{
		"SAS, moved": {100, ""},
		"SIAS + SRAS_GAIN, drawn by weight at 130 %, moved":         {78, ""},
		"SIAS + SRAS moves less than SAS":                           {30, "yes"},
		"SIAS_GAIN + SRAS moves less than SAS":                      {60, "yes"},
		"SIAS_GAIN + SRAS moves less than SIAS + SRAS":              {30, "yes"},
		"SIAS_GAIN + SRAS moves less than SIAS + SRAS_GAIN":         {20, "yes"},
		"SIAS_GAIN + SRAS moves less than SIAS_GAIN + SRAS_GAIN":    {-10, "no"},
		"SIAS + SRAS moves less than SAS, drawn by weight at 130 %": {39, "yes"},
		"SIAS_GAIN + SRAS moves less than SAS at 130 %":             {78, "yes"},
		"SIAS_GAIN + SRAS moves less than SAS, drawn by weight":     {60, "yes"},
	} {
		wants(t, rows, map[string]string{name: want.holds})
		if r := rows[name]; math.Abs(r.Measured-want.measured) > 0.01 || r.Unit != "MB/min" {
			t.Errorf("%+v, want %v", r, want.measured)
		}
	}
}
