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
	"parley/core/unit"
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

const gpuNote = "processors are GPUs: a job holds all of its GPUs at once, on any nodes; what it asks of CPU and memory is not played"

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

// judge finds out from the first rows how times and numbers are written.
func (p *plan) judge(rows [][][]byte) *problem {
	if p.mapping.zone == 0 {
		p.mapping.zone = p.zoneOf(rows)
	}
	decimal, why := p.decimalOf(rows)
	if why != nil {
		return why
	}
	for f := range fields {
		s := style{unit: unit.Second, decimal: decimal, zone: p.mapping.zone, order: p.mapping.order}
		if p.table == sacctText {
			s.clock = clockMinutes
		}
		switch u := p.units[f]; u {
		case "":
			if isMoment(f) {
				s.unit, s.nanos = magnitude(rows, p.at[f])
			}
		case clockHours, clockMinutes:
			s.clock = u
		default:
			s.unit, s.nanos = timeUnits[u], u == "ns"
		}
		p.styles[f] = s
		if p.at[f] >= 0 && (f == user || f == group || f == queue) {
			p.textual[f] = slices.ContainsFunc(rows, func(row [][]byte) bool {
				c := row[p.at[f]]
				return !isUnknown(c) && !isDigits(c)
			})
		}
	}
	if p.mapping.order == "" {
		for _, f := range []field{submit, start, end} {
			if why := p.orderOf(f, rows); why != nil {
				return why
			}
		}
	}
	p.fitRuntime(rows)
	p.fitRequested(rows)
	return nil
}

// fitRequested reads plain numbers of a requested time in minutes where neither the mapping
// nor the name of the column has the unit and most runs would end beyond it in seconds.
func (p *plan) fitRequested(rows [][][]byte) {
	if p.at[requested] < 0 || p.units[requested] != "" {
		return
	}
	s := p.styles[requested]
	minutes := s
	minutes.unit = unit.Minute
	numbers, inSeconds, inMinutes := 0, 0, 0
	for _, row := range rows {
		limit := row[p.at[requested]]
		run, known := p.runOf(row)
		if !isDigits(limit) || isUnlimited(limit) || !known {
			continue
		}
		numbers++
		const grace = 2 * unit.Minute // until a limit is noticed
		if t, why := s.duration(limit); why == "" && run <= t+grace {
			inSeconds++
		}
		if t, why := minutes.duration(limit); why == "" && run <= t+grace {
			inMinutes++
		}
	}
	if 10*inSeconds < 9*numbers && 10*inMinutes >= 9*numbers {
		p.styles[requested] = minutes
		p.notes = append(p.notes, fmt.Sprintf("column %s is read in minutes: in seconds %d of %d runs would end beyond it; a mapping says otherwise, as in requested=%s:s", p.header[p.at[requested]], numbers-inSeconds, numbers, p.header[p.at[requested]]))
	}
}

// runOf returns how long the job of a row ran, and false if it never ran or that is unknown.
func (p *plan) runOf(row [][]byte) (unit.Time, bool) {
	if at := p.at[runtime]; at >= 0 && !isUnknown(row[at]) {
		run, why := p.styles[runtime].duration(row[at])
		return run, why == "" && run > 0
	}
	if p.at[start] < 0 || p.at[end] < 0 || isUnknown(row[p.at[start]]) || isUnknown(row[p.at[end]]) {
		return 0, false
	}
	from, wrong := p.styles[start].moment(row[p.at[start]], new(day))
	to, bad := p.styles[end].moment(row[p.at[end]], new(day))
	return to - from, wrong+bad == "" && from > 0 && to > from
}

// fits reports whether the cells of a row are what their columns hold: moments, durations and
// counts.
func (p *plan) fits(cells [][]byte) bool {
	for _, f := range []field{submit, start, end, runtime, requested, processors} {
		at := p.at[f]
		if at < 0 || isUnknown(cells[at]) {
			continue
		}
		s := p.styles[f]
		if s.unit == 0 { // the beginning of the table is being looked at
			s = style{unit: unit.Second, decimal: '.', clock: clockMinutes}
		}
		var why string
		switch f {
		case submit, start, end:
			_, why = s.moment(cells[at], new(day))
		case processors:
			_, why = s.whole(cells[at])
		default:
			_, why = s.duration(cells[at])
		}
		if why != "" {
			return false
		}
	}
	at := p.at[state]
	return at < 0 || !bytes.ContainsAny(cells[at], "0123456789|,;") || bytes.HasPrefix(cells[at], []byte("CANCELLED by "))
}

// zoneOf returns the zone of times that have none where others have one, and it is the same in
// all of these; else 0, which is UTC.
func (p *plan) zoneOf(rows [][][]byte) unit.Time {
	zones, without := map[unit.Time]int{}, 0
	for _, f := range []field{submit, start, end} {
		for _, row := range rows {
			if p.at[f] < 0 || len(row[p.at[f]]) < len("2026-03-01T10:00") {
				continue
			}
			clock := row[p.at[f]][len("2026-03-01"):]
			i := bytes.IndexAny(clock, "+-Z")
			if i < 0 {
				without++
			} else if zone, _, ok := parseZone(clock[i:]); ok {
				zones[zone]++
			}
		}
	}
	if len(zones) == 0 || without == 0 {
		return 0
	}
	if len(zones) > 1 {
		p.notes = append(p.notes, "some times have no zone and are taken for UTC, and the others have several: say it in the mapping, as in zone=+01:00")
		return 0
	}
	for zone := range zones {
		if zone == 0 {
			return 0
		}
		sign, minutes := '+', int64(zone/unit.Minute)
		if minutes < 0 {
			sign, minutes = '-', -minutes
		}
		p.notes = append(p.notes, fmt.Sprintf("some times have no zone and are taken for %c%02d:%02d, which all others have", sign, minutes/60, minutes%60))
		return zone
	}
	return 0
}

// magnitude returns the unit of numbers that are points in time: seconds, milliseconds,
// microseconds or nanoseconds since 1970, or seconds since any moment.
func magnitude(rows [][][]byte, column int) (u unit.Time, nanos bool) {
	largest := 0
	if column < 0 {
		return unit.Second, false
	}
	for _, row := range rows {
		whole, _, _ := bytes.Cut(row[column], []byte("."))
		if isDigits(whole) {
			largest = max(largest, len(whole))
		}
	}
	switch {
	case largest <= 11:
		return unit.Second, false
	case largest <= 14:
		return unit.Millisecond, false
	case largest <= 17:
		return 1, false
	}
	return 1, true
}

func isDigits(text []byte) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(text) > 0
}

// decimalOf returns the decimal sign of a table.
func (p *plan) decimalOf(rows [][][]byte) (byte, *problem) {
	if p.mapping.decimal != 0 {
		return p.mapping.decimal, nil
	}
	comma, point, open := 0, 0, ""
	var where field
	for _, f := range []field{submit, start, end, runtime, processors, requested, memory} {
		if p.at[f] < 0 {
			continue
		}
		for _, row := range rows {
			cell := row[p.at[f]]
			if bytes.ContainsFunc(cell, func(r rune) bool { return r != ',' && r != '.' && (r < '0' || r > '9') }) {
				continue
			}
			c, d := bytes.IndexByte(cell, ','), bytes.IndexByte(cell, '.')
			last := len(cell) - 1
			switch {
			case c >= 0 && d >= 0 && c > d, c >= 0 && d < 0 && last-c != 3:
				comma++
			case c >= 0 && d >= 0, d >= 0 && c < 0 && last-d != 3:
				point++
			case c >= 0 && bytes.Count(cell, []byte(",")) > 1:
				point++
			case d >= 0 && bytes.Count(cell, []byte(".")) > 1:
				comma++
			case c >= 0:
				open, where = string(cell), f
			}
		}
	}
	switch {
	case comma > point, comma == 0 && point == 0 && open != "" && p.comma == ';':
		return ',', nil
	case point == 0 && comma == 0 && open != "":
		return '.', &problem{
			Why:  fmt.Sprintf("is a table of jobs with %q in column %s, which is a fraction or a number of thousands", open, p.header[p.at[where]]),
			Hint: "say which: --map '" + p.proposal() + ", decimal=comma' or decimal=point",
		}
	}
	return '.', nil
}

// slashes returns the first two numbers of a date such as 3/12/2026 10:15.
func slashes(date string) (a, b int, is bool) {
	first, rest, _ := strings.Cut(date, "/")
	second, third, _ := strings.Cut(rest, "/")
	a, err := strconv.Atoi(first)
	b, wrong := strconv.Atoi(second)
	return a, b, err == nil && wrong == nil && third != "" && '0' <= third[0] && third[0] <= '9'
}

// orderOf finds out whether dates with slashes begin with the day or the month.
func (p *plan) orderOf(f field, rows [][][]byte) *problem {
	if p.at[f] < 0 {
		return nil
	}
	slashed := ""
	for _, row := range rows {
		a, b, is := slashes(string(row[p.at[f]]))
		if !is || a > 31 {
			continue
		}
		slashed = string(row[p.at[f]])
		if a > 12 {
			p.styles[f].order = "dmy"
			return nil
		}
		if b > 12 {
			p.styles[f].order = "mdy"
			return nil
		}
	}
	if slashed == "" {
		return nil
	}
	return &problem{
		Why:  fmt.Sprintf("is a table of jobs with the date %q in column %s, in which day and month cannot be told apart", slashed, p.header[p.at[f]]),
		Hint: "say which comes first: --map '" + p.proposal() + ", dates=dmy' or dates=mdy",
	}
}

// fitRuntime chooses how run times are written, where neither the mapping nor the name of
// the column has it, so that they are most often what lies between start and end.
func (p *plan) fitRuntime(rows [][][]byte) {
	if p.at[runtime] < 0 || p.at[start] < 0 || p.at[end] < 0 || p.units[runtime] != "" || p.table == sacctText {
		return
	}
	best, most := p.styles[runtime], 0
	defer func() { p.fitted = most > 0 }()
	for _, try := range []style{{unit: unit.Second}, {unit: unit.Minute}, {unit: unit.Millisecond}, {unit: unit.Hour}, {unit: 1}, {unit: unit.Second, clock: clockHours}, {unit: unit.Second, clock: clockMinutes}} {
		s := p.styles[runtime]
		s.unit, s.clock = try.unit, try.clock
		fits := 0
		for _, row := range rows {
			run, bad := s.duration(row[p.at[runtime]])
			from, badFrom := p.styles[start].moment(row[p.at[start]], new(day))
			to, badTo := p.styles[end].moment(row[p.at[end]], new(day))
			if bad+badFrom+badTo != "" || run <= 0 {
				continue
			}
			if d := to - from - run; max(d, -d) <= max(2*unit.Second, (to-from)/20) {
				fits++
			}
		}
		if fits > most {
			best, most = s, fits
		}
	}
	if best.unit != unit.Second && best != p.styles[runtime] {
		p.notes = append(p.notes, fmt.Sprintf("column %s is read in units of %v, as start and end tell", p.header[p.at[runtime]], best.unit))
	}
	p.styles[runtime] = best
}
