package accounting

import (
	"bytes"
	"strings"
)

// isRuled recognises sacct's output for people: names, a line of dashes as wide as the
// columns, rows.
func isRuled(head []byte) bool {
	names, rest, _ := bytes.Cut(head, []byte("\n"))
	rule, _, _ := bytes.Cut(rest, []byte("\n"))
	rule = bytes.TrimRight(rule, " \r")
	return len(bytes.Trim(rule, "- ")) == 0 && bytes.Contains(rule, []byte("- -")) && len(bytes.Trim(names, "- \r")) > 0
}

// column is the position of a column in such a table; the last has no end.
type column struct{ from, to int }

func columnsOf(rule []byte) (all []column) {
	rule = bytes.TrimRight(rule, " \r\n")
	for i := 0; i < len(rule); {
		to := i
		for to < len(rule) && rule[to] == '-' {
			to++
		}
		if to > i {
			all = append(all, column{i, to})
		}
		i = to + 1
	}
	return all
}

func (c column) of(line []byte) []byte {
	return bytes.TrimSpace(line[min(c.from, len(line)):min(c.to, len(line))])
}

func ruled(head []byte) *Log {
	names, rest, _ := bytes.Cut(head, []byte("\n"))
	rule, _, _ := bytes.Cut(rest, []byte("\n"))
	at := columnsOf(rule)
	names, rule = bytes.Clone(bytes.TrimSpace(names)), bytes.Clone(bytes.TrimSpace(rule))
	l := &Log{
		Name: "sacct", Title: "what sacct prints in columns",
		rows: func() records { return &ruledRows{at: at, names: names, rule: rule} },
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	for _, c := range at {
		l.Columns = append(l.Columns, string(c.of(line)))
	}
	return l
}

// ruledRows cuts lines into columns.
type ruledRows struct {
	at          []column
	names, rule []byte
	row         []byte
}

func (*ruledRows) last() []byte { return nil }

func (r *ruledRows) line(line []byte) []byte {
	if text := bytes.TrimSpace(line); len(text) == 0 || bytes.Equal(text, r.names) || bytes.Equal(text, r.rule) {
		return nil
	}
	r.row = r.row[:0]
	for i, c := range r.at {
		if i > 0 {
			r.row = append(r.row, '|')
		}
		r.row = append(r.row, bytes.ReplaceAll(c.of(line), []byte("|"), []byte(" "))...)
	}
	return r.row
}

// xdmod are the columns that XDMoD's ingestion asks sacct for, without a line of names.
const xdmod = "JobID JobIDRaw Cluster Partition QOS Account Group GID User UID Submit Eligible Start End Elapsed ExitCode State NNodes NCPUS ReqCPUS ReqMem ReqTRES AllocTRES Timelimit NodeList JobName"

// isUnnamed recognises rows of these columns by their number and by the values of some of them.
func isUnnamed(head []byte) bool {
	of := strings.SplitN(string(firstRecord(head)), "|", 26)
	if len(of) < 26 {
		return false
	}
	return strings.HasPrefix(of[10], "20") && strings.HasPrefix(of[11], "20") && digits(of[17]) && digits(of[18]) &&
		digits(of[19]) && strings.Trim(of[16], "ABCDEFGHIJKLMNOPQRSTUVWXYZ_ by0123456789+") == ""
}

func unnamed([]byte) *Log {
	return &Log{
		Name: "sacct", Title: "what sacct prints without names", Columns: strings.Fields(xdmod), Free: true,
		rows: func() records { return same{} },
	}
}

// same hands lines on as they are.
type same struct{}

func (same) line(line []byte) []byte { return line }
func (same) last() []byte            { return nil }
