package workflow

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"parley/core/strict"
	"parley/core/trace"
)

// DOT is Graphviz's language of graphs. The work of a vertex is one of its attributes: seconds, or
// operations as daggen and SimGrid write them.

// dotRuntimes are the attributes that hold the work of a task, the best first.
var dotRuntimes = []string{
	"runtime", "run_time", "duration", "execution_time", "exec_time", "time", "wcet",
	"cost", "work", "weight", "size",
}

// dotSizes are the attributes of an edge that hold bytes.
var dotSizes = []string{"bytes", "size", "data", "volume", "weight"}

// A size from minOperations on is a number of operations, of which a resource does operationsPerSec
// a second: no task of a published graph takes months.
const (
	minOperations    = 10_000_000
	operationsPerSec = 1e9
)

var noteOperations = rule{
	"operations",
	"tasks whose size is a number of operations, of which a resource does a billion a second",
}

// detectDOT reports whether a file begins with a directed graph in DOT. Graphs without directions are not read.
func detectDOT(head []byte) bool {
	words := bytes.Fields(dotRemarks(head))
	if len(words) > 0 && strings.EqualFold(string(words[0]), "strict") {
		words = words[1:]
	}
	return len(words) > 0 && (strings.EqualFold(string(words[0]), "digraph") ||
		strings.HasPrefix(strings.ToLower(string(words[0])), "digraph{"))
}

// dotRemarks returns text from its first word on, without the remarks before it; nil if a remark has no end.
func dotRemarks(text []byte) []byte {
	for {
		text = bytes.TrimSpace(text)
		end := "\n"
		switch {
		case bytes.HasPrefix(text, []byte("/*")):
			end = "*/"
		case !bytes.HasPrefix(text, []byte("//")) && !bytes.HasPrefix(text, []byte("#")):
			return text
		}
		_, after, found := bytes.Cut(text, []byte(end))
		if !found {
			return nil
		}
		text = after
	}
}

// dotReader is the state of reading a graph.
type dotReader struct {
	*builder
	doc     []byte
	at      int
	line    int
	word    string               // the present word; "" at the end
	plain   bool                 // it stands without quotation marks
	sizes   map[[2]int32]float64 // bytes of edges, by the tasks at their ends
	timed   map[int32]bool       // tasks that have a run time
	largest float64              // the largest size of a task in sized
	sized   map[int32]bool       // tasks whose work is from an attribute that may mean operations
	edges   int
}

// readDOT reads a directed graph. Subgraphs are groups, and a group at the end of an edge stands for
// each of its vertices.
func readDOT(name string, doc []byte) (*builder, error) {
	rd := &dotReader{
		builder: newBuilder(name), doc: doc, line: 1, sizes: map[[2]int32]float64{},
		timed: map[int32]bool{}, sized: map[int32]bool{},
	}
	for rd.next(); rd.word != "{"; rd.next() {
		if rd.word == "" {
			return nil, &trace.Error{
				Kind: trace.Damaged, File: name, Reason: "is a graph in DOT without a body in braces",
				Hint: "download it again",
			}
		}
	}
	rd.next()
	if _, err := rd.statements(1); err != nil {
		return nil, err
	}
	return rd.builder, rd.end()
}

// end completes the graph: it converts sizes that are operations to seconds, and gives each edge with bytes a file.
// A graph without any run time is an error.
func (rd *dotReader) end() error {
	if len(rd.tasks) > 0 && len(rd.timed) == 0 {
		return &trace.Error{
			Kind: trace.NoTasks, File: rd.name,
			Reason: fmt.Sprintf(
				"is a graph in DOT that says of no task how long it takes (of %d), so there is nothing to play",
				len(rd.tasks),
			),
			Hint: "write an attribute to each task, as in a [runtime=12.5], or give a record of a run, such as a WfCommons instance",
		}
	}
	for v := range rd.tasks {
		switch {
		case !rd.timed[int32(v)]:
			rd.note(noteNoRuntime)
		case rd.sized[int32(v)] && rd.largest >= minOperations:
			rd.tasks[v].Work /= operationsPerSec
			rd.note(noteOperations)
		}
	}
	for key := range rd.arcs { // each arc has a file of its own, so their order does not matter
		size, known := rd.sizes[key]
		if !known {
			continue
		}
		f := file{name: fmt.Sprintf("%d-%d", key[0], key[1]), bytes: size}
		rd.tasks[key[0]].out = append(rd.tasks[key[0]].out, f)
		rd.tasks[key[1]].in = append(rd.tasks[key[1]].in, f)
	}
	rd.noFiles = len(rd.sizes) == 0
	return nil
}

// next moves to the next word: a name, a number, a quoted text, an arrow or a sign. Remarks are skipped. At the end
// of the document, rd.word is "".
func (rd *dotReader) next() {
	rd.word, rd.plain = "", true
	for rd.at < len(rd.doc) {
		c := rd.doc[rd.at]
		rest := rd.doc[rd.at:]
		switch {
		case c == '\n':
			rd.line++
			rd.at++
		case c == ' ' || c == '\t' || c == '\r':
			rd.at++
		case bytes.HasPrefix(rest, []byte("//")) || c == '#':
			if i := bytes.IndexByte(rest, '\n'); i >= 0 {
				rd.at += i
			} else {
				rd.at = len(rd.doc)
			}
		case bytes.HasPrefix(rest, []byte("/*")):
			i := bytes.Index(rest, []byte("*/"))
			if i < 0 {
				i = len(rest) - 2
			}
			rd.line += bytes.Count(rest[:i+2], []byte("\n"))
			rd.at += i + 2
		case c == '"':
			rd.quoted()
			return
		case bytes.HasPrefix(rest, []byte("->")) || bytes.HasPrefix(rest, []byte("--")):
			rd.word = string(rest[:2])
			rd.at += 2
			return
		case bytes.IndexByte([]byte("{}[]=;,:+"), c) >= 0:
			rd.word = string(c)
			rd.at++
			return
		default:
			n := 1
			for n < len(rest) && bytes.IndexByte([]byte(" \t\r\n{}[]=;,:\"#"), rest[n]) < 0 &&
				!bytes.HasPrefix(rest[n:], []byte("->")) {
				n++
			}
			rd.word = string(rest[:n])
			rd.at += n
			return
		}
	}
}

// quoted reads a text in quotation marks, at whose first mark the reader is. An empty text becomes " ", because ""
// means the end.
func (rd *dotReader) quoted() {
	var b strings.Builder
	rd.plain = false
	for rd.at++; rd.at < len(rd.doc) && rd.doc[rd.at] != '"'; rd.at++ {
		if rd.doc[rd.at] == '\\' && rd.at+1 < len(rd.doc) && rd.doc[rd.at+1] == '"' {
			rd.at++
		}
		if rd.doc[rd.at] == '\n' {
			rd.line++
		}
		b.WriteByte(rd.doc[rd.at])
	}
	rd.at++
	if rd.word = b.String(); rd.word == "" {
		rd.word = " " // an empty text is a word
	}
}

// is reports whether the present word is a sign or a word of the language.
func (rd *dotReader) is(word string) bool { return rd.plain && strings.EqualFold(rd.word, word) }

// ended is the error of a graph that ends too early.
func (rd *dotReader) ended() error {
	return &trace.Error{
		Kind: trace.Damaged, File: rd.name, Line: int64(rd.line),
		Reason: "the graph ends in the middle: the file was cut off", Hint: "download it again",
	}
}

// statements reads the statements of a group behind its opening brace, and the closing one, and returns its
// vertices, possibly with repetitions. Attributes for all vertices or edges are ignored.
func (rd *dotReader) statements(depth int) ([]int32, error) {
	if depth > strict.Depth {
		return nil, fault(rd.name, rd.line, "", "", fmt.Sprintf("lies in more than %d other groups", strict.Depth),
			"correct the file")
	}
	var all []int32
	for {
		switch {
		case rd.word == "":
			return nil, rd.ended()
		case rd.is("}"):
			rd.next()
			return all, nil
		case rd.is(";") || rd.is(","):
			rd.next()
			continue
		case rd.is("graph") || rd.is("node") || rd.is("edge"):
			rd.next()
			if _, err := rd.attributes(); err != nil {
				return nil, err
			}
			continue
		}
		vertices, err := rd.statement(depth)
		if err != nil {
			return nil, err
		}
		if all = append(all, vertices...); len(all) > maxTasks {
			return nil, &trace.Error{
				Kind: trace.TooLarge, File: rd.name, Line: int64(rd.line),
				Reason: fmt.Sprintf("a group has more than %d tasks", maxTasks), Hint: "take a part of the workflow",
			}
		}
	}
}

// statement reads a vertex, a chain of edges, a group or an assignment, and returns the vertices in it; nil for an
// assignment. An edge between groups joins each vertex of the one with each of the other.
func (rd *dotReader) statement(depth int) ([]int32, error) {
	line := rd.line
	if rd.plain && strings.ContainsAny(rd.word, "[]=:+") || rd.is("->") || rd.is("--") {
		return nil, fault(rd.name, line, "", rd.word, "stands where a task is named", "correct the line")
	}
	left, single, err := rd.tip(depth)
	if err != nil || left == nil && single == "" {
		return left, err
	}
	if rd.is("=") && single != "" { // of the graph itself
		rd.next()
		rd.next()
		return nil, nil
	}
	group := single == ""
	if !group {
		if left, err = rd.vertex(single, line); err != nil {
			return nil, err
		}
	}
	all := left
	var made [][2]int32
	for rd.is("->") || rd.is("--") {
		if rd.is("--") {
			return nil, fault(rd.name, rd.line, "", "--", "joins tasks without a direction",
				"write -> from what is needed to what needs it")
		}
		rd.next()
		right, name, err := rd.tip(depth)
		if err != nil {
			return nil, err
		}
		if name != "" {
			if right, err = rd.vertex(name, rd.line); err != nil {
				return nil, err
			}
		}
		if rd.edges += len(left) * len(right); len(left) > maxArcs || len(right) > maxArcs || rd.edges > maxArcs {
			return nil, &trace.Error{
				Kind: trace.TooLarge, File: rd.name, Line: int64(line),
				Reason: fmt.Sprintf("it has more than %d dependencies", maxArcs), Hint: "take a part of the workflow",
			}
		}
		for _, from := range left {
			for _, to := range right {
				if err := rd.arc(from, to, line); err != nil {
					return nil, err
				}
				made = append(made, [2]int32{from, to})
			}
		}
		all, left = append(all, right...), right
	}
	attributes, err := rd.attributes()
	if err != nil || group && len(made) == 0 {
		return all, err
	}
	if len(made) > 0 {
		return all, rd.edge(made, attributes, line)
	}
	if len(left) == 0 { // its arrow leads to an empty group
		return all, nil
	}
	return all, rd.takes(left[0], attributes, line)
}

// tip reads one end of an edge: a group, whose vertices it returns, or the name of a vertex, which is "" for a group.
// The port of a vertex is ignored.
func (rd *dotReader) tip(depth int) (group []int32, name string, err error) {
	if rd.is("subgraph") {
		if rd.next(); !rd.is("{") {
			rd.next()
		}
		if !rd.is("{") {
			return nil, "", fault(rd.name, rd.line, "", rd.word, "stands where the brace of a group is expected",
				"correct the line")
		}
	}
	if rd.is("{") {
		rd.next()
		group, err = rd.statements(depth + 1)
		return group, "", err
	}
	if rd.word == "" {
		return nil, "", rd.ended()
	}
	if rd.plain && len(rd.word) < 3 && strings.ContainsAny(rd.word, "{}[]=;,:+") || rd.is("->") {
		return nil, "", fault(rd.name, rd.line, "", rd.word, "stands where a task is named", "correct the line")
	}
	name = rd.word
	rd.next()
	for rd.is(":") { // a port
		rd.next()
		rd.next()
	}
	return nil, name, nil
}

// vertex returns the vertex of a name, which may be new.
func (rd *dotReader) vertex(name string, line int) ([]int32, error) {
	if v, known := rd.index[name]; known {
		return []int32{v}, nil
	}
	v, err := rd.add(name, line, task{})
	return []int32{v}, err
}

// attributes reads the lists in brackets that follow, if any, and returns the values by name, in
// lower case. The last value of a name counts; a name without "=" is left out.
func (rd *dotReader) attributes() (map[string]string, error) {
	all := map[string]string{}
	for rd.is("[") {
		for rd.next(); !rd.is("]"); {
			name := strings.ToLower(rd.word)
			if name == "" {
				return nil, rd.ended()
			}
			if rd.next(); !rd.is("=") {
				continue
			}
			if rd.next(); rd.word == "" {
				return nil, rd.ended()
			}
			if all[name] = strings.TrimSpace(rd.word); len(all) > 1000 {
				return nil, fault(rd.name, rd.line, "", "", "is one of more than 1000 attributes", "correct the line")
			}
			rd.next()
			for rd.is(",") || rd.is(";") {
				rd.next()
			}
		}
		rd.next()
	}
	return all, nil
}

// takes sets the work of a task.
func (rd *dotReader) takes(v int32, attributes map[string]string, line int) error {
	for _, name := range dotRuntimes {
		text, is := attributes[name]
		if !is {
			continue
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, "s")), 64)
		if err != nil || !(x >= 0 && x <= math.MaxFloat64) {
			if name == "weight" {
				continue
			}
			return fault(rd.name, line, name, text, "is not a number of seconds of at least 0", "correct the line")
		}
		rd.tasks[v].Work = x
		rd.timed[v], rd.sized[v] = true, name == "size"
		if name == "size" {
			rd.largest = max(rd.largest, x)
		}
		break
	}
	if kind := attributes["type"]; kind != "" {
		rd.tasks[v].Type = kind
	}
	return nil
}

// edge sets the bytes of edges.
func (rd *dotReader) edge(made [][2]int32, attributes map[string]string, line int) error {
	for _, name := range dotSizes {
		text, is := attributes[name]
		if !is {
			continue
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= 0 && x <= math.MaxFloat64) {
			if name == "weight" {
				continue
			}
			return fault(rd.name, line, name, text, "is not a number of bytes of at least 0", "correct the line")
		}
		for _, key := range made {
			rd.sizes[key] = x
		}
		break
	}
	return nil
}
