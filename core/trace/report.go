package trace

import (
	"slices"
	"strconv"
	"strings"
)

// Report describes a set of files that was read, in the form that
// `parley trace --json` prints.
type Report struct {
	Files   []FileReport `json:"files"`
	Summary any          `json:"summary"` // a struct of the format's own
}

// FileReport describes one file.
type FileReport struct {
	File    string   `json:"file"`
	Format  string   `json:"format"` // format and table, as in "google2011/task_events"
	Rows    int64    `json:"rows"`   // good ones
	FirstS  float64  `json:"first_s"`
	LastS   float64  `json:"last_s"`
	Bad     []BadRow `json:"bad"`      // the first ones
	BadRows int64    `json:"bad_rows"` // all of them
	Notes   []string `json:"notes,omitempty"`
}

// BadRow is a row that was passed over.
type BadRow struct {
	Line   int64  `json:"line"`
	Column string `json:"column"`
	Value  string `json:"value"`
	Reason string `json:"why"`
}

// Tally counts the rows of a set of files: each was played or left out.
type Tally struct {
	Of       string  `json:"of"`       // the rows' noun: "jobs", "tasks", "rows"
	Rows     int64   `json:"rows"`     // rows read, bad ones included
	Played   int64   `json:"played"`   // Rows less the rows left out
	LeftOut  []Count `json:"left_out"` // by reason
	Repaired []Count `json:"repaired"` // decisions on incomplete or contradictory rows
}

// Count counts the rows to which a reader applied one rule.
type Count struct {
	Rule  string `json:"rule"`  // its name in JSON: "never_ran"
	About string `json:"about"` // for people: "never ran (run time 0 or unknown)"
	Count int64  `json:"count"`
	First string `json:"first,omitempty"` // the error in the first of them
}

// AfterEnd is the rule of a row behind the end of the run, after which no rows are read.
const AfterEnd = "after_end"

// LeaveOut counts rows that were read and not played. A count of 0 changes nothing.
func (t *Tally) LeaveOut(rule, about string, n int64) {
	if n != 0 {
		t.LeftOut, t.Played = append(t.LeftOut, Count{Rule: rule, About: about, Count: n}), t.Played-n
	}
}

// Repair counts decisions about rows. A count of 0 changes nothing.
func (t *Tally) Repair(rule, about string, n int64) {
	if n != 0 {
		t.Repaired = append(t.Repaired, Count{Rule: rule, About: about, Count: n})
	}
}

// NewTally returns a tally of rows that are all played but for the bad ones of files.
func NewTally(of string, files []FileReport) Tally {
	t := Tally{Of: of, LeftOut: []Count{}, Repaired: []Count{}}
	r := Report{Files: files}
	for _, f := range files {
		t.Rows += f.Rows + f.BadRows
	}
	t.Played = t.Rows
	bad, first := r.Bad()
	t.LeaveOut("bad_rows", "bad rows", bad)
	if first != nil {
		first.Hint = "" // it was followed
		t.LeftOut[0].First = first.Error()
	}
	return t
}

// Sentences returns the tally in sentences, without full stops; none if all rows were played
// unchanged.
func (t Tally) Sentences() (list []string) {
	if len(t.LeftOut) > 0 {
		where := " in the files are played; left out: "
		if slices.ContainsFunc(t.LeftOut, func(c Count) bool { return c.Rule == AfterEnd }) {
			where = " that were read of the files are played; left out: "
		}
		list = append(list, strconv.FormatInt(t.Played, 10)+" of the "+strconv.FormatInt(t.Rows, 10)+" "+t.Of+
			where+clauses(t.LeftOut))
	}
	if len(t.Repaired) > 0 {
		list = append(list, "decided where the files leave it open: "+clauses(t.Repaired))
	}
	return list
}

func clauses(counts []Count) string {
	parts := make([]string, len(counts))
	for i, c := range counts {
		parts[i] = c.About + ": " + strconv.FormatInt(c.Count, 10)
		if c.First != "" {
			parts[i] += ", the first of them " + c.First
		}
	}
	return strings.Join(parts, "; ")
}

// AddBad counts a bad row and lists it while fewer than limit are listed.
func (f *FileReport) AddBad(e *Error, limit int) {
	f.BadRows++
	if len(f.Bad) < limit {
		f.Bad = append(f.Bad, BadRow{Line: e.Line, Column: e.Column, Value: e.Value, Reason: e.Reason})
	}
}

// Bad returns how many rows of all files were passed over, and the first of
// them as the error it would have been.
func (r *Report) Bad() (rows int64, first *Error) {
	for _, f := range r.Files {
		rows += f.BadRows
		if first == nil && len(f.Bad) > 0 {
			b := f.Bad[0]
			first = &Error{
				Kind: BadLine, File: f.File, Line: b.Line, Column: b.Column, Value: b.Value, Reason: b.Reason,
				Hint: hintBadLine,
			}
		}
	}
	return rows, first
}
