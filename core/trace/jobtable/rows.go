package jobtable

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/tidwall/gjson"

	"parley/core/trace"
)

// longestRow is how many bytes a row has at most, with the lines in its quoted cells.
const longestRow = 64 << 10

// rowReader reads the rows of a delimited table as cells. A cell may stand in quotation
// marks, with commas, line ends and doubled quotation marks in it; not so in tables of sacct,
// which quotes nothing.
type rowReader struct {
	*trace.Rows
	plan    *plan
	cells   [][]byte // of the present row, good until the next
	text    []byte
	merged  [][]byte
	joined  []byte
	ahead   []byte         // the line after the present row, if one was read to see whether it belongs to it
	later   error          // that ended the reading while a line ahead was read
	aheadAt int64          // its number; 0 if none was read
	at      int64          // the line on which the present row begins
	named   bool           // the line of names was read
	passed  int            // lines above it
	objects *trace.Objects // JSON objects instead of lines; nil: there are lines
	file    string
}

func newRowReader(f trace.File, p *plan, m *trace.Meter) (*rowReader, error) {
	if p.json {
		objects, err := trace.OpenList(f, m, p.list)
		return &rowReader{objects: objects, plan: p, file: f.Name, cells: make([][]byte, len(p.header))}, err
	}
	rows, err := trace.OpenRows(f, m, p.comma)
	if err != nil {
		return nil, err
	}
	return &rowReader{Rows: rows, plan: p, named: p.bare}, nil
}

// next moves to the next row. Errors are as those of trace.Rows.
func (r *rowReader) next() error {
	if r.objects != nil {
		return r.nextObject()
	}
	for {
		if err := r.whole(); err != nil {
			return err
		}
		if r.plan.log == nil && isFrame(r.text) {
			continue
		}
		if r.plan.framed {
			r.text, _ = unframed(r.text)
		}
		if r.plan.joint != nil {
			r.text = bytes.ReplaceAll(r.text, r.plan.joint, []byte{joint})
		}
		if r.plan.comma == '|' || r.plan.comma == joint || r.plan.comma == trace.Blank {
			r.divide(r.text, r.plan.comma)
		} else {
			r.split(r.text, r.plan.comma)
		}
		if !r.named || r.isHeader() {
			r.named = true
			continue
		}
		return r.fit()
	}
}

// nextObject moves to the next JSON object. Members without a column are passed over.
func (r *rowReader) nextObject() error {
	err := r.objects.Next()
	if r.at = r.objects.Line(); err != nil {
		return err
	}
	r.text = r.objects.Text()
	if !gjson.ValidBytes(r.text) {
		return r.bad("", r.text, "is no JSON object")
	}
	clear(r.cells)
	members(gjson.ParseBytes(r.text), "", func(name string, value gjson.Result) {
		if i := slices.Index(r.plan.header, name); i >= 0 {
			r.cells[i] = cellOf(value)
		}
	})
	return nil
}

// members calls each with the members of an object, those of an object in it by their path.
func members(object gjson.Result, path string, each func(name string, value gjson.Result)) {
	object.ForEach(func(name, value gjson.Result) bool {
		if name.Str == "_source" { // of a document of Elasticsearch
			members(value, path, each)
		} else if value.IsObject() && len(path) < longestPath {
			members(value, path+name.Str+".", each)
		} else {
			each(path+name.Str, value)
		}
		return true
	})
}

// longestPath limits the names of nested members.
const longestPath = 200

// cellOf returns a member as the cell of a table.
func cellOf(value gjson.Result) []byte {
	switch value.Type {
	case gjson.Null:
		return nil
	case gjson.String:
		return []byte(value.Str)
	}
	return []byte(value.Raw)
}

// Close ends the reading early.
func (r *rowReader) Close() error {
	if r.objects != nil {
		return r.objects.Close()
	}
	return r.Rows.Close()
}

// whole reads lines until the quotation marks are closed, or until a free text has ended.
func (r *rowReader) whole() error {
	for ; r.passed < r.plan.before && !r.plan.bare; r.passed++ { // the lines above the table
		if err := r.Rows.Next(); err != nil {
			r.at = r.Rows.Line()
			return err
		}
	}
	switch {
	case r.aheadAt > 0:
		r.text, r.at, r.aheadAt = append(r.joined[:0], r.ahead...), r.aheadAt, 0
	case r.later != nil:
		r.at = r.Rows.Line()
		err := r.later
		if bad, is := err.(*trace.Error); is && bad.Kind == trace.BadLine { // of one row: others follow
			r.later = nil
		}
		return err
	default:
		if err := r.Rows.Next(); err != nil {
			r.at = r.Rows.Line()
			return err
		}
		r.text, r.at = r.Rows.Text(), r.Rows.Line()
		if len(r.plan.free) > 0 {
			r.text = append(r.joined[:0], r.text...)
		}
	}
	if len(r.plan.free) > 0 {
		r.continued()
		return nil
	}
	if r.plan.comma == '|' || r.plan.comma == joint || r.plan.comma == trace.Blank ||
		bytes.Count(r.text, quote)%2 == 0 {
		return nil
	}
	r.joined = append(r.joined[:0], r.text...)
	for bytes.Count(r.joined, quote)%2 == 1 {
		err := r.Rows.Next()
		if err == nil && len(r.joined)+len(r.Rows.Text()) < longestRow {
			r.joined = append(append(r.joined, '\n'), r.Rows.Text()...)
			continue
		}
		e := r.Rows.Bad("", r.joined, "has a quotation mark that is not closed within "+strconv.Itoa(longestRow)+
			" bytes or the file")
		e.Line = r.at
		return e
	}
	r.text = r.joined
	return nil
}

// continued adds the lines that belong to the present row because a free text has line ends:
// as many as the row lacks columns, and those after it that begin with no id.
func (r *rowReader) continued() {
	want, comma := len(r.plan.header)-1, []byte{r.plan.comma}
	r.joined = r.text
	for have := bytes.Count(r.joined, comma); r.later == nil; {
		if r.later = r.Rows.Next(); r.later != nil {
			break
		}
		line := r.Rows.Text()
		n := bytes.Count(line, comma)
		if n >= want || have >= want && (len(line) == 0 || isDigit(line[0]) || !r.named) || r.plan.log == nil &&
			isFrame(line) || len(r.joined)+len(line) > longestRow {
			r.ahead, r.aheadAt = append(r.ahead[:0], line...), r.Rows.Line()
			break
		}
		r.joined, have = append(append(r.joined, '\n'), line...), have+n
	}
	r.text = r.joined
}

var quote = []byte{'"'}

// divide makes the cells of a line in which nothing is quoted.
func (r *rowReader) divide(line []byte, comma byte) {
	r.cells = r.cells[:0]
	if comma == trace.Blank {
		r.cells = append(r.cells, splitBlanks(line)...)
		return
	}
	from := 0
	for i, c := range line { // cells are short
		if c == comma {
			r.cells = append(r.cells, line[from:i])
			from = i + 1
		}
	}
	r.cells = append(r.cells, line[from:])
}

// split makes the cells of a row, without their quotation marks.
func (r *rowReader) split(line []byte, comma byte) {
	if bytes.IndexByte(line, '"') < 0 || comma == trace.Blank {
		r.divide(line, comma)
		return
	}
	r.cells = r.cells[:0]
	plain := make([]byte, 0, len(line)) // never grows: cells point into it
	for i := 0; ; i++ {
		from := len(plain)
		for i < len(line) && line[i] == ' ' {
			i++
		}
		if i < len(line) && line[i] == '"' {
			for i++; i < len(line); i++ {
				if line[i] == '"' {
					if i+1 == len(line) || line[i+1] != '"' {
						i++
						break
					}
					i++
				}
				plain = append(plain, line[i])
			}
		}
		for i < len(line) && line[i] != comma {
			plain = append(plain, line[i])
			i++
		}
		r.cells = append(r.cells, plain[from:])
		if i >= len(line) {
			return
		}
	}
}

// isHeader reports whether the present row is the line of names again, as in files that
// were joined.
func (r *rowReader) isHeader() bool {
	names := r.plan.header
	if r.plan.shifted {
		names = names[1:]
	}
	if len(r.cells) < len(names) || r.plan.bare {
		return false
	}
	for i, name := range names {
		if string(bytes.TrimSpace(r.cells[i])) != name {
			return false
		}
	}
	return true
}

// fit makes the present row as wide as the line of names, or says that it is not.
func (r *rowReader) fit() error {
	want, n := len(r.plan.header), len(r.cells)
	switch extra := n - want; {
	case extra == 1 && len(r.cells[n-1]) == 0: // rows end with the comma
		r.cells = r.cells[:want]
	case extra > 0 && r.lists(want): // lists of nodes contain separators within their brackets
	case extra > 0 && r.join(want): // lists of resources contain separators
	case extra > 0 && len(r.plan.free) > 0 && r.merge(): // a free text contains separators
	case extra != 0:
		var why string
		if log := r.plan.log; log != nil {
			why = "is no whole record of " + log.Title
		} else {
			why = "has " + strconv.Itoa(n) + " columns, and the line of names has " + strconv.Itoa(want)
		}
		e := r.bad("", r.text, why)
		if r.plan.log == nil && len(r.plan.free) > 0 {
			e.Hint = "print the table without its columns of free text (" +
				r.plan.header[r.plan.free[0]] + "), or pass over the row with --skip-bad"
		}
		if r.aheadAt == 0 && r.Rows.Cut() {
			e.Hint = "the file seems to be cut off: fetch it again"
		}
		return e
	}
	for i, c := range r.cells {
		r.cells[i] = bytes.TrimSpace(c)
	}
	return nil
}

// lists puts the cells of lists of nodes together again, such as node[01-04,07], and reports whether the row
// has as many cells as it should then.
func (r *rowReader) lists(want int) bool {
	r.merged = r.merged[:0]
	open := false
	for _, c := range r.cells {
		last := len(r.merged) - 1
		if begin := bytes.LastIndexByte(c, '['); open {
			r.merged[last] = slices.Concat(r.merged[last], []byte{r.plan.comma}, c)
			open = begin > bytes.LastIndexByte(c, ']') || begin < 0 && bytes.IndexByte(c, ']') < 0
		} else {
			r.merged, open = append(r.merged, c), begin > bytes.LastIndexByte(c, ']')
		}
	}
	if open || len(r.merged) != want {
		return false
	}
	r.cells, r.merged = r.merged, r.cells
	return true
}

// join puts the cells of Slurm's lists of resources together again, such as cpu=4,mem=8G, and
// reports whether the row has as many cells as it should then. A resource that comes again
// begins the next list.
func (r *rowReader) join(want int) bool {
	r.merged = r.merged[:0]
	var seen []string
	for _, c := range r.cells {
		name, amount, is := bytes.Cut(c, []byte{'='})
		is = is && len(name) > 0 && len(amount) > 0 && isDigit(amount[0]) && !bytes.ContainsAny(name, " \"'")
		if last := len(r.merged) - 1; is && len(seen) > 0 && !slices.Contains(seen, string(name)) {
			r.merged[last] = slices.Concat(r.merged[last], []byte{r.plan.comma}, c)
		} else {
			seen, r.merged = seen[:0], append(r.merged, c)
		}
		if is {
			seen = append(seen, string(name))
		}
	}
	if len(r.merged) != want {
		return false
	}
	r.cells, r.merged = r.merged, r.cells
	return true
}

// merge joins the surplus cells of a row in the first column of free text after which the values of
// all other columns are valid.
func (r *rowReader) merge() bool {
	want := len(r.plan.header)
	cells := r.cells
	for {
		extra := len(cells) - want
		for _, k := range r.plan.free {
			r.merged = append(append(r.merged[:0], cells[:k+1]...), cells[k+1+extra:]...)
			for i, c := range r.merged {
				r.merged[i] = bytes.TrimSpace(c)
			}
			if r.plan.fits(r.merged) {
				r.cells, r.merged = r.merged, r.cells
				return true
			}
		}
		if extra < 2 || len(cells[len(cells)-1]) > 0 {
			return false
		}
		cells = cells[:len(cells)-1] // rows end with the comma
	}
}

// bad is the error of the present row.
func (r *rowReader) bad(column string, value []byte, why string) *trace.Error {
	if r.objects != nil {
		return &trace.Error{
			Kind: trace.BadLine, File: r.file, Line: r.at, Column: column,
			Value: shorten(string(value)), Reason: why, Hint: "correct the object, or pass over it with --skip-bad",
		}
	}
	e := r.Rows.Bad(column, value, why)
	e.Line = r.at
	return e
}
