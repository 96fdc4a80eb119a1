package jobtable

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"parley/core/trace"
	"parley/core/trace/accounting"
)

// plan is how the rows of a table are read.
type plan struct {
	table   string
	comma   byte
	header  []string
	at      [fields]int // columns; -1: there is none
	units   [fields]string
	styles  [fields]style
	textual [fields]bool    // users, groups and queues: names are numbered, numbers stand for themselves
	fitted  bool            // the unit of run times follows from start and end
	free    []int           // columns of free text, in which sacct writes what separates columns and line ends as they are
	log     *accounting.Log // that the rows were made from; nil: the file is a table
	gpus    bool            // processors are GPUs
	json    bool            // rows are JSON objects
	bare    bool            // the rows stand under no line of names; without names columns are called by their numbers
	rows    [][][]byte      // the first, which decide how the table is written
	mapping mapping
	notes   []string
}

// problem is what the user must say before a table can be read.
type problem struct{ Why, Hint string }

// sampled is how many rows of the beginning decide how a table is written.
const sampled = 400

// asTable returns the head of a log of accounting as that of a table, whose first line has the
// names of its columns, and the log; other heads stay as they are.
func asTable(h *trace.Head) (*trace.Head, *accounting.Log) {
	log := accounting.Find(h.Bytes)
	if log == nil {
		return h, nil
	}
	head := h.Bytes
	if !h.Whole { // the last line is cut
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	return &trace.Head{File: h.File, Bytes: log.Head(head), Whole: true, Gzip: h.Gzip}, log
}

// planOf finds out how a table is read. It returns nil for a file that is no table with a
// line of names, and a problem for one of which more must be said.
func planOf(h *trace.Head, m *mapping) (*plan, *problem) {
	p := &plan{table: anyTable}
	if m != nil {
		p.mapping = *m
	}
	h, p.log = asTable(h)
	if p.header = memberNames(h); len(p.header) > 0 {
		p.json = true
	} else if !p.names(h, m) {
		return nil, nil
	}
	words, units := make([]string, len(p.header)), make([]string, len(p.header))
	for i, name := range p.header {
		if words[i], units[i] = folded(name); words[i] == "timelimitraw" {
			units[i] = "min"
		}
	}
	if i := slices.Index(words, "timelimit"); i >= 0 && slices.Contains(words, "idjob") { // the table of Slurm's database
		units[i] = "min"
	}
	if has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(words, name) })
	}; has("jobid", "jobidraw") && (p.comma == '|' || has("jobidraw", "elapsedraw", "timelimitraw", "cputimeraw", "alloctres", "reqtres", "alloccpus", "allocnodes")) {
		p.table = sacctText
		for i, word := range words {
			if freeTexts[word] {
				p.free = append(p.free, i)
			}
		}
	}
	if p.log != nil {
		p.table = p.log.Name
		p.notes = append(p.notes, "read as "+p.log.Title)
	}
	why := p.choose(words, units)
	p.rows = p.sample(h)
	p.bare = p.bare || p.log != nil
	if why != nil {
		return p, why
	}
	if at := p.at[processors]; at >= 0 && slices.Contains(strings.Fields(gpuNames), words[at]) {
		p.gpus = true
		p.notes = append(p.notes, gpuNote)
	}
	if why := p.judge(p.rows); why != nil {
		return p, why
	}
	return p, p.missing()
}

const gpuNote = "processors are GPUs: a job holds all of its GPUs at once, where gang.place puts them; what it asks of CPU and memory is not played"

// freeTexts are columns of sacct that users write: names, command lines, comments.
var freeTexts = map[string]bool{
	"jobname": true, "submitline": true, "comment": true, "admincomment": true, "systemcomment": true, "constraints": true, "workdir": true, "wckey": true, "extra": true, "stdin": true, "stdout": true, "stderr": true,
}

// blanks reports whether the lines of a file have as many words, three or more.
func blanks(h *trace.Head) bool {
	words, lines := 0, 0
	h.Lines(func(line []byte) bool {
		n := len(bytes.Fields(line))
		if lines++; lines > 1 && n != words || n < 3 {
			words = 0
			return false
		}
		words = n
		return lines < 20
	})
	return words > 0 && lines > 1
}

// commaOf returns what separates the columns of a line; 0 if nothing does.
func commaOf(line []byte) (comma byte) {
	most, quoted := 0, false
	counts := map[byte]int{}
	for _, c := range line {
		if c == '"' {
			quoted = !quoted
		} else if !quoted {
			counts[c]++
		}
	}
	for _, c := range []byte{'|', '\t', ';', ','} {
		if counts[c] > most {
			comma, most = c, counts[c]
		}
	}
	return comma
}

// memberNames returns the names of the members of a file's first JSON object; nil for another
// file.
func memberNames(h *trace.Head) (names []string) {
	text := bytes.TrimSpace(h.Bytes)
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return nil
	}
	if object := trace.FirstObject(text); gjson.ValidBytes(object) {
		members(gjson.ParseBytes(object), "", func(name string, _ gjson.Result) {
			if len(names) < mostColumns {
				names = append(names, name)
			}
		})
	}
	return names
}

// names takes the names of the columns from the first line, and reports whether there are some.
func (p *plan) names(h *trace.Head, m *mapping) bool {
	var first []byte
	h.Lines(func(line []byte) bool { first = bytes.Clone(line); return false })
	if p.mapping.names != "" {
		first, p.bare = []byte(p.mapping.names), true
	}
	if p.comma = commaOf(first); p.comma == 0 {
		if !blanks(h) {
			return false
		}
		p.comma = trace.Blank
	}
	var r rowReader
	r.split(first, p.comma)
	for _, cell := range r.cells {
		p.header = append(p.header, strings.TrimSpace(string(cell)))
	}
	if len(p.header) > 1 && p.header[len(p.header)-1] == "" { // the names end with the comma
		p.header = p.header[:len(p.header)-1]
	}
	if !isHeader(p.header) {
		if m == nil || !m.numbered() {
			return false
		}
		p.bare = true
		for i := range p.header {
			p.header[i] = strconv.Itoa(i + 1)
		}
	}
	return true
}

// numbered reports whether a mapping names a column by its number.
func (m *mapping) numbered() bool {
	return m.bare || slices.ContainsFunc(m.columns[:], func(column string) bool { return isDigits([]byte(column)) })
}

// isHeader reports whether cells are names of columns.
func isHeader(cells []string) bool {
	letters := 0
	for _, c := range cells {
		if c == "" {
			continue
		}
		if c[0] >= '0' && c[0] <= '9' || c[0] == '-' || len(c) > 200 {
			return false
		}
		letters++
	}
	return letters >= 2
}

// choose finds the columns of the fields: those that the mapping names, then by name.
func (p *plan) choose(words, units []string) *problem {
	taken := make([]bool, len(p.header))
	for f := range fields {
		p.at[f] = -1
	}
	p.nextflow(words, units, taken)
	for f := range fields {
		column := p.mapping.columns[f]
		if column == "" || column == noColumn {
			continue
		}
		i := slices.Index(p.header, column)
		if i < 0 {
			i = slices.IndexFunc(p.header, func(name string) bool { return strings.EqualFold(name, column) })
		}
		if n, err := strconv.ParseInt(column, 10, 64); i < 0 && f == processors && err == nil && 0 < n && n <= mostProcessors {
			p.mapping.always = n
			continue
		}
		if i < 0 {
			return &problem{
				Why:  fmt.Sprintf("is a table without a column %q, which the mapping names for %s", shorten(column), fieldNames[f]),
				Hint: "its columns are " + p.columns(),
			}
		}
		if p.at[f], p.units[f], taken[i] = i, p.mapping.units[f], true; p.units[f] == "" {
			p.units[f] = units[i]
		}
	}
	for _, f := range []field{submit, start, end, processors, requested, runtime, id, user, group, queue, state, memory, preceding, think} {
		if p.at[f] >= 0 || p.mapping.columns[f] == noColumn || f == processors && p.mapping.always > 0 {
			continue
		}
		if i := byName(f, words, taken); i >= 0 {
			p.at[f], p.units[f], taken[i] = i, units[i], true
		}
	}
	return nil
}

// nextflow finds the columns of a trace of Nextflow, in which duration is not how long a task
// ran but what lies between its submission and its end, and time is its limit. Plain numbers
// are milliseconds there.
func (p *plan) nextflow(words, units []string, taken []bool) {
	at := func(name string) int { return slices.Index(words, name) }
	if at("hash") < 0 || at("submit") < 0 || at("duration") < 0 && at("realtime") < 0 {
		return
	}
	p.table = nextflowTable
	for _, name := range []string{"duration", "realtime", "time"} {
		if i := at(name); i >= 0 && units[i] == "" {
			units[i] = "ms"
		}
	}
	if i := at("duration"); i >= 0 {
		taken[i] = true
	}
	if i := at("time"); i >= 0 && p.mapping.columns[requested] == "" {
		p.at[requested], p.units[requested], taken[i] = i, units[i], true
	}
}

// columns lists the names of the columns.
func (p *plan) columns() string { return listed(p.header) }

// unread lists the names of the columns that no field is read from.
func (p *plan) unread() string {
	var rest []string
	for i, name := range p.header {
		if !slices.Contains(p.at[:], i) {
			rest = append(rest, name)
		}
	}
	return listed(rest)
}

func listed(names []string) string {
	const most = 30
	shown := make([]string, 0, most)
	for i, name := range names {
		if i == most {
			shown = append(shown, fmt.Sprintf("and %d more", len(names)-most))
			break
		}
		shown = append(shown, shorten(name))
	}
	return strings.Join(shown, ", ")
}

// found counts the fields without which there are no jobs and which have a column.
func (p *plan) found() (n int) {
	for _, f := range []field{submit, start, end, runtime, processors} {
		if p.at[f] >= 0 {
			n++
		}
	}
	return n
}

// missing says which needed field has no column.
func (p *plan) missing() *problem {
	var lack []string
	if p.at[submit] < 0 {
		lack = append(lack, "submit")
	}
	if p.at[runtime] < 0 && (p.at[start] < 0 || p.at[end] < 0) {
		lack = append(lack, "runtime (or start and end)")
	}
	if p.at[processors] < 0 && p.mapping.always == 0 {
		lack = append(lack, "processors")
	}
	if len(lack) == 0 {
		return nil
	}
	hint := "say which column holds what: --map '" + p.proposal() + "'"
	if p.at[processors] < 0 {
		hint += ", or processors=always:1 where no column says how many a job takes"
	}
	return &problem{
		Why:  "is a table of jobs without a column that is known for " + strings.Join(lack, " and ") + " (columns: " + p.columns() + ")",
		Hint: hint,
	}
}

// proposal is a mapping with what was found, and COLUMN where something is missing.
func (p *plan) proposal() string {
	m := mapping{names: p.mapping.names}
	for f := range fields {
		if p.at[f] >= 0 && (f <= requested || f >= preceding) {
			m.columns[f], m.units[f] = p.header[p.at[f]], p.mapping.units[f]
		}
	}
	if p.at[submit] < 0 {
		m.columns[submit] = "COLUMN"
	}
	if p.at[runtime] < 0 && (p.at[start] < 0 || p.at[end] < 0) {
		m.columns[runtime] = "COLUMN"
	}
	if m.always = p.mapping.always; m.always > 0 {
		m.columns[processors] = noColumn
	} else if p.at[processors] < 0 {
		m.columns[processors] = "COLUMN"
	}
	return m.String()
}

// sample returns the cells of the first whole rows.
func (p *plan) sample(h *trace.Head) (rows [][][]byte) {
	text := h.Bytes
	if !h.Whole && !p.json { // the last line is cut
		text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	f := trace.File{Name: h.File.Name, Size: int64(len(text)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}
	r, err := newRowReader(f, p, trace.NewMeter(nil, nil))
	if err != nil {
		return nil
	}
	defer r.Close()
	for len(rows) < sampled {
		err := r.next()
		if bad, ok := err.(*trace.Error); ok && bad.Kind == trace.BadLine {
			continue
		}
		if err != nil {
			break
		}
		row := make([][]byte, len(r.cells))
		for i, c := range r.cells {
			row[i] = bytes.Clone(c)
		}
		rows = append(rows, row)
	}
	return rows
}
