package scripttest

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
)

// Line is one line of a command's input: an act, the names of its objects, and values as key=value,
// or a key alone. A line that cannot be parsed fails the test with its words.
type Line struct {
	Words []string
	Args  map[string]string
	t     *testing.T
	where string
}

// Lines returns the lines of a command's input.
func Lines(t *testing.T, d *datadriven.TestData) (lines []Line) {
	for text := range strings.Lines(d.Input) {
		l := Line{Words: strings.Fields(text), Args: map[string]string{}, t: t, where: d.Pos}
		if len(l.Words) == 0 {
			continue
		}
		for _, w := range l.Words[1:] {
			key, value, _ := strings.Cut(w, "=")
			l.Args[key] = value
		}
		lines = append(lines, l)
	}
	return lines
}

// Act returns the first word, the act.
func (l Line) Act() string { return l.Words[0] }

// Word returns the i-th word after the act.
func (l Line) Word(i int) string {
	if i+1 >= len(l.Words) {
		l.Fail("a word is missing")
	}
	return l.Words[i+1]
}

// Has reports whether the line has a word or key.
func (l Line) Has(key string) bool {
	_, has := l.Args[key]
	return has
}

// Int reads a whole number.
func (l Line) Int(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		l.Fail("%q is no whole number", text)
	}
	return n
}

// Arg reads the whole number of a key; 0 if it is absent.
func (l Line) Arg(key string) int64 {
	if !l.Has(key) {
		return 0
	}
	return l.Int(l.Args[key])
}

// Float reads a number.
func (l Line) Float(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		l.Fail("%q is no number", text)
	}
	return x
}

// Span reads a duration such as 90s, in microseconds; an empty text is 0.
func (l Line) Span(text string) int64 {
	if text == "" {
		return 0
	}
	n, ok := micros(text)
	if !ok {
		l.Fail("%q is no duration such as 90s", text)
	}
	return n
}

// Span reads the duration of a command's argument, in microseconds; an empty or absent argument is
// 0.
func Span(t *testing.T, d *datadriven.TestData, key string) int64 {
	text := ""
	d.MaybeScanArgs(t, key, &text)
	n, ok := micros(text)
	if text != "" && !ok {
		d.Fatalf(t, "%s=%q is no duration such as 90s", key, text)
	}
	return n
}

func micros(text string) (n int64, ok bool) {
	d, err := time.ParseDuration(text)
	return d.Microseconds(), err == nil
}

// Fail ends the test: the line cannot be carried out.
func (l Line) Fail(format string, args ...any) {
	l.t.Helper()
	l.t.Fatalf("%s: %q: "+format, append([]any{l.where, strings.Join(l.Words, " ")}, args...)...)
}
