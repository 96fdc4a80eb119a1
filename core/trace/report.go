package trace

// Report is what reading a set of files told, in the form that
// `parley trace --json` prints.
type Report struct {
	Files   []FileReport `json:"files"`
	Summary any          `json:"summary"` // a struct of the format's own
}

// FileReport is what one file held.
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
	Why    string `json:"why"`
}

// AddBad counts a bad row and lists it while fewer than most are listed.
func (f *FileReport) AddBad(e *Error, most int) {
	f.BadRows++
	if len(f.Bad) < most {
		f.Bad = append(f.Bad, BadRow{Line: e.Line, Column: e.Column, Value: e.Value, Why: e.Why})
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
				Kind: BadLine, File: f.File, Line: b.Line, Column: b.Column, Value: b.Value, Why: b.Why, Hint: hintBadLine,
			}
		}
	}
	return rows, first
}
