package jobtable

import (
	"bufio"
	"io"
	"strconv"

	"github.com/tidwall/gjson"

	"parley/core/strict"
	"parley/core/trace"
	"parley/core/unit"
)

// longestElement is how many bytes a job of sacct --json has at most: one with ten thousand
// steps has some.
const longestElement = 64 << 20

// jsonReader reads the jobs of what sacct --json prints, one after another: of the document
// no more than one job is in memory.
type jsonReader struct {
	file                  trace.File
	closer                io.Closer
	in                    *bufio.Reader
	meter                 *trace.Meter
	line, at              int64 // lines read; the line on which the present job begins
	element               []byte
	within                bool // the list of jobs was found
	ended                 error
	users, groups, queues people
	states                map[string]string
	row                   int64
}

func newJSONReader(f trace.File, m *trace.Meter) (*jsonReader, error) {
	in, err := trace.Unpack(f, m)
	if err != nil {
		return nil, err
	}
	return &jsonReader{
		file: f, closer: in, in: bufio.NewReaderSize(in, 64<<10), meter: m, line: 1, states: map[string]string{},
		users: people{textual: true}, groups: people{textual: true}, queues: people{textual: true},
	}, nil
}

func (r *jsonReader) people() [3]*people { return [3]*people{&r.users, &r.groups, &r.queues} }

func (r *jsonReader) Close() error { return r.closer.Close() }

// broken is an error after which nothing more is read.
func (r *jsonReader) broken(why, hint string) error {
	r.ended = &trace.Error{Kind: trace.Damaged, File: r.file.Name, Line: r.line, Why: why, Hint: hint}
	return r.ended
}

// bad is the error of the present job.
func (r *jsonReader) bad(member string, value, why string) *trace.Error {
	return &trace.Error{Kind: trace.BadLine, File: r.file.Name, Line: r.at, Column: member, Value: shorten(value), Why: why, Hint: "correct the job, or pass over it with --skip-bad"}
}

// read returns the next byte and counts lines.
func (r *jsonReader) read() (byte, error) {
	c, err := r.in.ReadByte()
	if c == '\n' && err == nil {
		r.line++
	}
	return c, err
}

// cut is the error of a document that ends too early, or what the reading broke with.
func (r *jsonReader) cut(err error) error {
	if err == io.EOF {
		return r.broken("the document ends in the middle: the file was cut off", "fetch it again")
	}
	r.ended = err
	return err
}

// find reads up to the list of jobs: the member "jobs" of the document itself.
func (r *jsonReader) find() error {
	depth, name := 0, []byte(nil)
	for {
		c, err := r.read()
		if err != nil {
			return r.cut(err)
		}
		switch c {
		case '{', '[':
			if c == '[' && depth == 1 && string(name) == "jobs" {
				return nil
			}
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return r.broken(`has no list "jobs"`, "give what sacct --json prints")
			}
		case '"':
			text := []byte(nil)
			for escaped := false; ; {
				if c, err = r.read(); err != nil {
					return r.cut(err)
				}
				if c == '"' && !escaped {
					break
				}
				escaped = c == '\\' && !escaped
				if len(text) < 100 {
					text = append(text, c)
				}
			}
			if depth == 1 {
				name = text
			}
		}
	}
}

// whole reads the next job of the list into r.element. It returns io.EOF after the last.
func (r *jsonReader) whole() error {
	for {
		c, err := r.read()
		if err != nil {
			return r.cut(err)
		}
		switch c {
		case ' ', '\t', '\r', '\n', ',':
			continue
		case ']':
			r.ended = io.EOF
			return io.EOF
		case '{':
		default:
			return r.broken("the list of jobs holds "+strconv.QuoteRune(rune(c))+" where a job should begin", "fetch it again")
		}
		break
	}
	r.at = r.line
	r.element = append(r.element[:0], '{')
	for depth, quoted, escaped := 1, false, false; depth > 0; {
		c, err := r.read()
		if err != nil {
			return r.cut(err)
		}
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > strict.Depth {
				return r.broken(strict.TooDeep, "fetch it again")
			}
		case c == '}' || c == ']':
			depth--
		}
		if r.element = append(r.element, c); len(r.element) > longestElement {
			return r.broken("a job has more than "+strconv.Itoa(longestElement)+" bytes", "fetch it again")
		}
	}
	return nil
}

// next reads the next job. An *Error of class BadLine is about one job.
func (r *jsonReader) next(j *job) error {
	if r.ended != nil {
		return r.ended
	}
	if !r.within {
		if err := r.find(); err != nil {
			return err
		}
		r.within = true
	}
	if err := r.whole(); err != nil {
		return err
	}
	r.row++
	*j = job{number: uint64(r.row), submit: unknown, start: unknown, end: unknown, run: unknown, limit: unknown, queue: unknown}
	if !gjson.ValidBytes(r.element) {
		return r.bad("", string(r.element[:min(len(r.element), 60)]), "is no JSON")
	}
	doc := gjson.ParseBytes(r.element)
	j.number = number(doc.Get("job_id"))
	if task := doc.Get("array.task_id"); array(task) {
		j.number, j.index = number(doc.Get("array.job_id")), uint32(number(task))
	}
	for _, t := range []struct {
		path string
		to   *unit.Time
	}{{"time.submission", &j.submit}, {"time.start", &j.start}, {"time.end", &j.end}, {"time.elapsed", &j.run}} {
		v := member(doc.Get(t.path))
		if !v.Exists() || v.Type == gjson.Null || v.Type == gjson.Number && v.Num == 0 && t.to != &j.run {
			continue
		}
		if v.Type != gjson.Number || v.Num < 0 || v.Num > 1e11 {
			return r.bad(t.path, v.Raw, "is no number of seconds")
		}
		*t.to = unit.Time(v.Num * float64(unit.Second))
	}
	if limit := doc.Get("time.limit"); array(limit) && !limit.Get("infinite").Bool() {
		j.limit = min(unit.Time(min(number(limit), uint64(longest/unit.Minute)))*unit.Minute, longest)
	}
	if n := processorsOf(doc); n > mostProcessors {
		return r.bad("tres", strconv.FormatUint(n, 10), trace.WhyLarge)
	} else {
		j.processors = int64(n)
	}
	j.user, j.group, j.queue = r.users.of([]byte(doc.Get("user").String())), r.groups.of([]byte(doc.Get("account").String())), unknown
	if q := doc.Get("partition").String(); q != "" {
		j.queue = int32(r.queues.of([]byte(q)))
	}
	current := doc.Get("state.current")
	if current.IsArray() {
		current = current.Get("0")
	}
	j.state = stateOf([]byte(current.String()), r.states)
	if j.run > longest {
		return r.bad("time.elapsed", doc.Get("time.elapsed").Raw, "is a run of more than ten years")
	}
	if j.run < 0 && j.start >= 0 && j.end >= j.start {
		j.run = j.end - j.start - unit.Time(doc.Get("time.suspended").Num)*unit.Second
	}
	j.judge()
	return nil
}

// member returns a number that may be written as {"set":true,"number":5}.
func member(v gjson.Result) gjson.Result {
	if v.IsObject() {
		if !v.Get("set").Bool() {
			return gjson.Result{}
		}
		return v.Get("number")
	}
	return v
}

// number returns a number of either spelling; 0 where there is none.
func number(v gjson.Result) uint64 {
	if v = member(v); v.Type != gjson.Number || v.Num < 0 {
		return 0
	}
	return v.Uint()
}

// array reports whether a number is set.
func array(v gjson.Result) bool { return member(v).Type == gjson.Number }

// processorsOf returns the processors of a job: as allocated or, where that is unknown, as
// required.
func processorsOf(doc gjson.Result) (n uint64) {
	doc.Get("tres.allocated").ForEach(func(_, t gjson.Result) bool {
		if t.Get("type").String() == "cpu" {
			n = number(t.Get("count"))
		}
		return n == 0
	})
	if n == 0 {
		n = number(doc.Get("required.CPUs"))
	}
	return n
}
