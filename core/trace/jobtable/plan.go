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
	joint   []byte // the separator if it is several bytes or an unusual one; comma replaces it
	before  int    // lines above that of names
	framed  bool   // lines have bars at both ends
	shifted bool   // rows have a number in front that the line of names lacks, as pandas prints them
	header  []string
	at      [fields]int // columns; -1: there is none
	each    int         // the column that multiplies processors; -1: there is none
	element int         // the column that tells apart jobs with one id, such as ProcId; -1: there is none
	slurm   bool        // the table is one of Slurm's database: states are numbers
	// it has attributes of HTCondor's ads: states are numbers, and the wall time is of all runs together
	condor  bool
	units   [fields]string
	styles  [fields]style
	textual [fields]bool // users, groups and queues: names are numbered, numbers stand for themselves
	fitted  bool         // the unit of run times follows from start and end
	// columns of free text, in which sacct does not escape separators and line ends
	free    []int
	signs   []signsIn       // the characters of columns beside them
	log     *accounting.Log // that the rows were made from; nil: the file is a table
	gpus    bool            // processors are GPUs
	json    bool            // rows are JSON objects
	list    trace.List      // where they are
	bare    bool            // the rows stand under no line of names; without names columns are called by their numbers
	rows    [][][]byte      // the first, which decide how the table is written
	mapping mapping
	notes   []string
}

// problem says which mapping a table needs before it can be read.
type problem struct{ Reason, Hint string }

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

// planOf finds out how a table is read, by its beginning and a mapping, which may be nil. It returns nil for a
// file that is not a table with a line of names, and a problem with the plan if the mapping must say more.
func planOf(h *trace.Head, m *mapping) (*plan, *problem) {
	p := &plan{table: anyTable}
	if m != nil {
		p.mapping = *m
	}
	h, p.log = asTable(h)
	if p.header, p.list = memberNames(h); len(p.header) > 0 {
		p.json = true
	} else if !p.names(h, m) {
		return nil, nil
	}
	words, units := p.words()
	if p.slurm = slices.ContainsFunc(words, isOfSlurm); p.slurm {
		if i := slices.Index(words, "timelimit"); i >= 0 {
			units[i] = "min"
		}
	}
	p.condor = slices.Contains(words, "clusterid") && slices.Contains(words, "qdate")
	if has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(words, name) })
	}; has("jobid", "jobidraw") && (p.comma == '|' || has("jobidraw", "elapsedraw", "timelimitraw", "cputimeraw",
		"alloctres", "reqtres", "alloccpus", "allocnodes")) {
		p.table = sacctText
		for i, word := range words {
			if freeTexts[word] {
				p.free = append(p.free, i)
			} else if signs := signsOf[word]; signs != "" {
				p.signs = append(p.signs, signsIn{i, signs})
			}
		}
	}
	if p.log != nil {
		p.table = p.log.Name
		if p.notes = append(p.notes, "read as "+p.log.Title); p.log.Note != "" {
			p.notes = append(p.notes, p.log.Note)
		}
	}
	why := p.choose(words, units)
	// its own columns, in seconds or with colons
	if p.log != nil && !p.log.Free && slices.Contains(p.log.Columns, "limit") {
		p.units[requested], p.units[runtime] = "s", "s"
	}
	p.rows = p.sample(h)
	p.bare = p.bare || p.log != nil
	if why != nil {
		return p, why
	}
	p.passEmpty(words, units)
	p.preferGPUs(words)
	if at := p.at[processors]; at >= 0 && countsGPUs(words[at]) {
		p.gpus = true
		p.notes = append(p.notes, gpuNote)
	}
	if why := p.judge(p.rows); why != nil {
		return p, why
	}
	if why := p.missing(); why != nil {
		return p, why
	}
	return p, p.limitUnit(p.rows)
}

// words returns the folded names of the columns and the units in them.
func (p *plan) words() (words, units []string) {
	words, units = make([]string, len(p.header)), make([]string, len(p.header))
	for i, name := range p.header {
		if words[i], units[i] = folded(name); words[i] == "timelimitraw" {
			units[i] = "min"
		}
	}
	return words, units
}

// isOfSlurm reports whether a column is one of Slurm's database, or of its records for Elasticsearch and
// Kafka: their limits are minutes.
func isOfSlurm(word string) bool { return word == "idjob" || word == "totalcpus" || word == "proccnt" }

// countsGPUs reports whether a folded name is that of a column of GPUs.
func countsGPUs(word string) bool {
	return slices.ContainsFunc(strings.Fields(gpuNames), func(name string) bool {
		name, _ = folded(name)
		return name == word
	})
}

// preferGPUs takes a column of GPUs in place of one of processors if more than half of the first rows have some,
// because such jobs wait for GPUs. A mapping that names the column of processors is kept.
func (p *plan) preferGPUs(words []string) {
	at := p.at[processors]
	if at < 0 || p.table != anyTable || p.each >= 0 || p.mapping.columns[processors] != "" || countsGPUs(words[at]) {
		return
	}
	var n needs
	if n.find(p.header, p.at[:]); n.gpus < 0 {
		return
	}
	some := 0
	for _, cells := range p.rows {
		if n.gpus < len(cells) {
			if v, err := strconv.ParseFloat(string(bytes.TrimSpace(cells[n.gpus])), 64); err == nil && v > 0 {
				some++
			}
		}
	}
	if 2*some > len(p.rows) {
		p.at[processors], p.units[processors] = n.gpus, ""
	}
}

const gpuNote = "processors are GPUs: a job holds all of its GPUs at once, where gang.place puts them; what it asks of CPU and memory is not played"

// freeTexts are columns of sacct that users write: names, command lines, comments.
var freeTexts = map[string]bool{
	"jobname": true, "submitline": true, "comment": true, "admincomment": true, "systemcomment": true,
	"constraints": true, "workdir": true, "wckey": true, "extra": true, "stdin": true, "stdout": true, "stderr": true,
}

// signsIn are the signs that the cells of a column consist of.
type signsIn struct {
	at    int
	signs string
}

// signsOf are those of columns of sacct that hold counts, clocks and exit codes.
var signsOf = func() map[string]string {
	of := map[string]string{}
	for signs, names := range map[string]string{
		"0123456789.KMGT": "nnodes allocnodes reqnodes ntasks alloccpus ncpus reqcpus uid gid priority associd dbindex restarts qosraw " +
			"elapsedraw cputimeraw plannedcpuraw timelimitraw consumedenergyraw",
		"0123456789:.-": "elapsed cputime totalcpu usercpu systemcpu suspended planned reserved plannedcpu exitcode derivedexitcode",
	} {
		for name := range strings.FieldsSeq(names) {
			of[name] = signs
		}
	}
	return of
}()

// blanks reports whether the first 20 lines of a file have equally many words, three or more. shifted is set if
// all but the first have one more.
func blanks(h *trace.Head) (is, shifted bool) {
	names, largest, lines := 0, 0, 0
	h.Lines(func(line []byte) bool {
		if isFrame(line) {
			return true
		}
		n := len(splitBlanks(line))
		switch lines++; {
		case n < 3:
			names = 0
		case lines == 1:
			names = n
			return true
		case lines == 2:
			largest = n
		}
		if n != largest || n != names && n != names+1 {
			names = 0
		}
		return names > 0 && lines < 20
	})
	return names > 0 && lines > 1, largest == names+1
}

// commaOf returns the separator of a line's columns: of | tab ; and comma the most frequent outside quotes, the
// first of these on a tie; 0 if there is none.
func commaOf(line []byte) (comma byte) {
	largest, quoted := 0, false
	counts := map[byte]int{}
	for _, c := range line {
		if c == '"' {
			quoted = !quoted
		} else if !quoted {
			counts[c]++
		}
	}
	for _, c := range []byte{'|', '\t', ';', ','} {
		if counts[c] > largest {
			comma, largest = c, counts[c]
		}
	}
	return comma
}

// memberNames returns the names of the members of a file's first JSON object, and the place of the objects: the
// list of the document whose objects have the most fields of jobs. It returns nil for another file.
func memberNames(h *trace.Head) (best []string, at trace.List) {
	text := bytes.TrimSpace(h.Bytes)
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return nil, at
	}
	largest := -1
	for _, list := range append([]trace.List{{}}, trace.Lists(text)...) {
		object := trace.FirstOf(text, list)
		if !gjson.ValidBytes(object) {
			continue
		}
		var names []string
		members(gjson.ParseBytes(object), "", func(name string, _ gjson.Result) {
			if len(names) < maxColumns {
				names = append(names, name)
			}
		})
		p := plan{header: names, json: true}
		words, units := p.words()
		if why := p.choose(words, units); why == nil && p.found() > largest {
			best, at, largest = names, list, p.found()
		}
	}
	return best, at
}

// names sets the separator and the names of the columns by the first line, and reports whether it has names or
// the mapping m names columns by number.
func (p *plan) names(h *trace.Head, m *mapping) bool {
	first, before, framed := header(h)
	p.framed, p.before = framed, before
	if p.mapping.names != "" {
		first, p.bare = []byte(p.mapping.names), true
	}
	p.comma = commaOf(first)
	if unusual := delimiterOf(first); unusual != nil &&
		bytes.Count(first, unusual) > bytes.Count(first, []byte{p.comma}) {
		p.joint, p.comma = unusual, joint
		first = bytes.ReplaceAll(first, p.joint, []byte{joint})
	}
	if p.comma == 0 {
		is, shifted := blanks(h)
		if !is {
			return false
		}
		p.comma, p.shifted = trace.Blank, shifted
	}
	var r rowReader
	r.split(first, p.comma)
	for _, cell := range r.cells {
		p.header = append(p.header, strings.TrimSpace(string(cell)))
	}
	if len(p.header) > 1 && p.header[len(p.header)-1] == "" { // the names end with the comma
		p.header = p.header[:len(p.header)-1]
	}
	if p.shifted {
		p.header = slices.Insert(p.header, 0, "")
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

// isHeader reports whether cells may be names of columns: at least two are not empty, and none begins like a number.
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

// columns lists the names of the columns.
func (p *plan) columns() string { return listed(p.header) }

// unread lists the names of the columns that no field is read from.
func (p *plan) unread() string {
	var rest []string
	var n needs
	n.find(p.header, p.at[:])
	for i, name := range p.header {
		if !slices.Contains(p.at[:], i) && i != n.nodes && i != n.gpus && !slices.Contains(n.tres, i) && i != p.each &&
			i != p.element && name != "" {
			rest = append(rest, name)
		}
	}
	return listed(rest)
}

// printable returns a text with blanks for the signs that end a line or move it.
func printable(text string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c == 0x85 || c == 0x2028 || c == 0x2029 {
			return ' '
		}
		return c
	}, text)
}

// listed joins names for a message, the first 30 of them.
func listed(names []string) string {
	const limit = 30
	shown := make([]string, 0, limit)
	for i, name := range names {
		if i == limit {
			shown = append(shown, fmt.Sprintf("and %d more", len(names)-limit))
			break
		}
		shown = append(shown, shorten(printable(name)))
	}
	return strings.Join(shown, ", ")
}

// proposal returns a mapping with the columns found, and COLUMN for each missing one.
func (p *plan) proposal() string { return printable(p.spelled()) }

// spelled is proposal before unprintable characters are replaced.
func (p *plan) spelled() string {
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
	if p.each >= 0 {
		m.each = p.header[p.each]
	}
	if m.always = p.mapping.always; m.always > 0 {
		m.columns[processors] = noColumn
	} else if p.at[processors] < 0 {
		m.columns[processors] = "COLUMN"
	}
	return m.String()
}

// sample returns copies of the cells of the first whole rows of a head, at most sampled; bad rows are left out.
func (p *plan) sample(h *trace.Head) (rows [][][]byte) {
	text := h.Bytes
	if !h.Whole && !p.json { // the last line is cut
		text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	f := trace.File{
		Name: h.File.Name, Size: int64(len(text)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil },
	}
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
