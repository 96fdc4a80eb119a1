package google2011

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"parley/core/trace"
	"parley/core/unit"
)

// sampleRows is how many rows of a file's beginning decide what it is.
const sampleRows = 64

// sample is the beginning of a file as rows of fields.
type sample struct {
	rows   []*trace.Fields
	header bool // the first row names the columns and is not in rows
}

func sampleOf(h *trace.Head) sample {
	var s sample
	first := true
	h.Lines(func(line []byte) bool {
		fields := split(line)
		if first && isHeader(fields) {
			s.header = true
		} else {
			s.rows = append(s.rows, fields)
		}
		first = false
		return len(s.rows) < sampleRows
	})
	return s
}

func split(line []byte) *trace.Fields {
	var f trace.Fields
	f.Split(line, ',')
	return &f
}

// isHeader reports whether a file's first row names columns: words, and no
// number among them, or anything after a #, as in the samples of CloudSim Plus.
func isHeader(fields *trace.Fields) bool {
	if bytes.HasPrefix(fields.Text(), []byte("#")) {
		return true
	}
	for i := range fields.Len() {
		if _, why := trace.Decimal(fields.At(i), 0); why != trace.WhyNumber && why != trace.WhyEmpty {
			return false
		}
	}
	first := bytes.TrimSpace(fields.At(0))
	return fields.Len() > 1 && len(first) > 0 && (first[0]|0x20 >= 'a' && first[0]|0x20 <= 'z' || first[0] == '"')
}

// tableOf says which table a file belongs to: the one that at least half of
// its first rows are good rows of, or else nearly are. Of several such tables,
// and for a file that is of none of them but has the right number of columns,
// the file's name decides.
func tableOf(h *trace.Head) (tableID, string) {
	s := sampleOf(h)
	named := tableNamed(h.File.Name)
	for _, fits := range []func(tableID, *trace.Fields) bool{good, nearlyGood} {
		best, most := none, 0
		for t := range tables {
			n := 0
			for _, fields := range s.rows {
				if fits(t, fields) {
					n++
				}
			}
			if n > most || n == most && n > 0 && t == named {
				best, most = t, n
			}
		}
		if most > 0 && 2*most >= len(s.rows) {
			return best, ""
		}
	}
	if named == none {
		return none, nearest(s)
	}
	for _, fields := range s.rows {
		if named.hasColumns(fields.Len()) {
			return named, ""
		}
	}
	if len(s.rows) == 0 {
		return named, "" // a header and no rows
	}
	return none, nearest(s)
}

// good reports whether fields are a row of t.
func good(t tableID, fields *trace.Fields) bool {
	var r row
	_, ok := r.parse(t, fields)
	return ok && hasTexts(t, fields)
}

// hasTexts rejects rows that have a number where the trace has the hash of a
// name. Tables of nothing but numbers are of other traces.
func hasTexts(t tableID, fields *trace.Fields) bool {
	var name []byte
	switch t {
	case machineEvents:
		name = fields.At(machinePlatform)
	case machineAttributes:
		name = fields.At(attributeName)
	case taskConstraints:
		name = fields.At(constraintName)
	}
	if len(name) == 0 {
		return true
	}
	_, why := trace.Decimal(name, 0)
	return why == trace.WhyNumber
}

// nearlyGood reports whether fields are a row of t but for one column that is
// broken, missing or too many. The loose columns of job_events would nearly fit
// tables of other traces.
func nearlyGood(t tableID, fields *trace.Fields) bool {
	if t == jobEvents {
		return false
	}
	width := len(schema[t].columns)
	missing := width - fields.Len()
	if missing < -1 || missing > 1 || fields.Len() < 4 {
		return false
	}
	for i := range max(width, fields.Len()) {
		mended := bytes.Split(fields.Text(), []byte(","))
		switch missing {
		case 0:
			if schema[t].columns[i].kind == text {
				continue // a number there speaks against the table
			}
			mended[i] = filler(t, i)
		case 1:
			mended = slices.Insert(mended, i, filler(t, i))
		case -1:
			mended = slices.Delete(mended, i, i+1)
		}
		if good(t, split(bytes.Join(mended, []byte(",")))) {
			return true
		}
	}
	return false
}

// filler is a value that fits column i of t.
func filler(t tableID, i int) []byte {
	if schema[t].columns[i].kind == text {
		return []byte("x")
	}
	return []byte("0")
}

// nearest names the table whose number of columns is nearest to that of the
// file's first row, where it is near.
func nearest(s sample) string {
	if len(s.rows) == 0 || s.rows[0].Len() < 4 {
		return ""
	}
	width := s.rows[0].Len()
	best, distance := none, 3
	for t := range tables {
		if d := max(len(schema[t].columns)-width, width-len(schema[t].columns)); d < distance {
			best, distance = t, d
		}
	}
	if best == none {
		return ""
	}
	of := strconv.Itoa(len(schema[best].columns)) + " columns"
	if distance == 0 {
		return best.String() + ", which has as many columns, of other content"
	}
	return best.String() + ", which has " + of + " where this file has " + strconv.Itoa(width)
}

// tableNamed returns the table that a path speaks of, or none.
func tableNamed(path string) tableID {
	for t := range tables {
		if strings.Contains(path, t.String()) {
			return t
		}
	}
	return none
}

// firstTime returns the time of a file's first good row; a file without one is
// opened at once, to say what is wrong with it.
func firstTime(t tableID, h *trace.Head) unit.Time {
	var r row
	for _, fields := range sampleOf(h).rows {
		if _, ok := r.parse(t, fields); ok {
			return r.time()
		}
	}
	return 0
}
