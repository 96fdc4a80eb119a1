package jobtable

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"parley/core/trace"
	"parley/core/unit"
)

// View is the beginning of a table as it is read with a mapping: for a person who says
// which column holds what.
type View struct {
	Comma   string        // between columns
	Decimal string        // sign of decimal numbers
	Columns []Column      // in the order of the table
	Asks    string        // the missing part of the mapping; "" if the table can be read
	Rows    int64         // rows inspected, bad ones included
	Whole   bool          // the table has no more
	Jobs    []Row         // the first jobs that a run would play
	Played  int64         // of Rows
	Widest  int64         // processors of the largest job
	First   unit.Time     // submission, since 1970 or since the table's zero; -1 if no row was played
	Last    unit.Time     // submission, likewise
	LeftOut []trace.Count // of Rows, by reason
	Bad     string        // the error in the first bad row
	BadRows int64
}

// Column is a column of a table.
type Column struct {
	Name   string
	Values []string // the first ones
	Field  string   // as mappings spell it; "": the column is not read
	Unit   string   // as the mapping or the name of the column says it; "" otherwise
	Reads  string   // how its values are read, for people: "s", "ms since 1970", "dates"
	Guess  bool     // Unit or Reads is an assumption
}

// Row is a job as it would be read. Times are -1 if they are unknown.
type Row struct {
	Number          uint64
	Wait, Run, Asks unit.Time
	Processors      int64
}

const (
	valuesShown = 3
	rowsShown   = 3
	maxShown    = 40 // bytes of a value
	maxColumns  = 200
)

// Look reads the beginning of a table with a mapping; "" if none was said. The error is
// about a file that is not a table with a line of names, or about the mapping. The columns of a
// table of numbers, or with times, without such a line are called by their numbers.
func Look(f trace.File, text string) (*View, error) {
	var m *mapping
	if text != "" {
		parsed, err := parseMapping(text)
		if err != nil {
			return nil, err
		}
		m = &parsed
	}
	h, err := trace.ReadHead(f)
	if err != nil {
		return nil, err
	}
	p, why := planOf(h, m)
	if p == nil && (ofNumbers(h) > 0 || nameless(h) > 0) {
		if m == nil {
			m = &mapping{}
		}
		m.bare = true
		p, why = planOf(h, m)
	}
	if p == nil {
		return nil, &trace.Error{
			Kind: trace.WrongTable, File: f.Name, Reason: "has no first line that names its columns",
			Hint: "write such a line above the rows, with a comma, semicolon, bar or tab between the names",
		}
	}
	v := &View{Comma: strings.Trim(string(p.comma), "\x00"), Whole: h.Whole} // nothing separates members of objects
	if why != nil {
		v.Asks = why.Reason
	}
	v.columns(p, p.rows)
	if why == nil {
		v.jobs(p, h)
	}
	return v, nil
}

// columns describes the columns by the first rows.
func (v *View) columns(p *plan, rows [][][]byte) {
	v.Decimal = "."
	for i, name := range p.header[:min(len(p.header), maxColumns)] {
		c := Column{Name: name}
		for _, row := range rows {
			if i < len(row) && len(row[i]) > 0 && len(c.Values) < valuesShown {
				c.Values = append(c.Values,
					trace.Shorten(strings.ToValidUTF8(string(row[i][:min(len(row[i]), maxShown)]), "")))
			}
		}
		for f := range fields {
			if p.at[f] != i {
				continue
			}
			s := &p.styles[f]
			c.Field, c.Unit = fieldNames[f], p.units[f]
			if s.decimal == ',' {
				v.Decimal = ","
			}
			if isTime(f) {
				c.Reads, c.Guess = p.reads(f, c.Values)
			}
		}
		v.Columns = append(v.Columns, c)
	}
}

// reads says how the values of a time are read, and whether that is a guess.
func (p *plan) reads(f field, values []string) (how string, guess bool) {
	s := &p.styles[f]
	if len(values) == 0 || s.unit == 0 {
		return "", false
	}
	if _, plain := s.plain([]byte(values[0])); !plain {
		if isMoment(f) {
			return "date", false
		}
		return "h:m:s", false
	}
	unitName := "ns"
	for _, name := range []string{"us", "ms", "s", "min", "h", "d"} {
		if timeUnits[name] == s.unit && !s.nanos {
			unitName = name
		}
	}
	guess = p.units[f] == "" && p.table != sacctText && (f == requested || f == runtime && !p.fitted)
	return unitName, guess
}

// jobs reads the first rows.
func (v *View) jobs(p *plan, h *trace.Head) {
	h, log := asTable(h)
	text := h.Bytes
	if !h.Whole {
		text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	if log != nil { // rows stand under no line of names
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	f := trace.File{
		Name: h.File.Name, Size: int64(len(text)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil },
	}
	r, err := newTextReader(f, p, trace.NewMeter(nil, nil))
	if err != nil {
		return
	}
	defer r.Close()
	counts := Summary{States: map[string]int64{}}
	v.First = -1
	for {
		var j job
		err := r.next(&j)
		var bad *trace.Error
		if errors.As(err, &bad) && bad.Kind == trace.BadLine {
			v.Rows++
			if v.BadRows++; v.BadRows == 1 {
				v.Bad = bad.Error()
			}
			continue
		}
		if err != nil {
			break
		}
		v.Rows++
		if counts.count(&j); j.reason != played {
			continue
		}
		v.Played++
		v.Widest = max(v.Widest, j.processors)
		if v.Last = max(v.Last, j.submit); v.First < 0 || j.submit < v.First {
			v.First = j.submit
		}
		if len(v.Jobs) < rowsShown {
			row := Row{Number: j.number, Wait: -1, Run: j.run, Asks: j.limit, Processors: j.processors}
			if j.start >= 0 {
				row.Wait = j.start - j.submit
			}
			v.Jobs = append(v.Jobs, row)
		}
	}
	t := trace.Tally{Of: "rows"}
	counts.tell(&t, p.gpus)
	v.LeftOut = t.LeftOut
}
