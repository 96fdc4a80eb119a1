package program

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"parley/core/strict"
	"parley/core/words"
)

// Error describes an error in a program and its place.
type Error struct {
	Line, Column int    // of the text, from 1; characters, not bytes; 0 if it is about no place
	Message      string // a sentence without its stop
	Source       string // the line, without the space around it
	Calls        []Call // that led there, the innermost first
	More         int    // further errors that were found
}

// Call is a call on the way to an error.
type Call struct {
	Function string
	Line     int // where it called the next
}

// Error implements error: one sentence.
func (e *Error) Error() string {
	var s strings.Builder
	if e.Line > 0 {
		fmt.Fprintf(&s, "line %d, column %d of the program: ", e.Line, e.Column)
	} else {
		s.WriteString("the program: ")
	}
	s.WriteString(e.Message)
	var further []string
	if e.Source != "" {
		further = append(further, "in `"+e.Source+"`")
	}
	for i, c := range e.Calls {
		if i == 0 {
			further = append(further, "in "+c.Function)
		} else {
			further = append(further, fmt.Sprintf("called by %s in line %d", c.Function, c.Line))
		}
	}
	if e.More > 0 {
		further = append(further, fmt.Sprintf("and %d more", e.More))
	}
	if len(further) > 0 {
		s.WriteString(" (" + strings.Join(further, ", ") + ")")
	}
	return s.String()
}

// Place implements system.TextError.
func (e *Error) Place() (line, column int) { return e.Line, e.Column }

// most of an error's parts are shown.
const (
	maxCalls  = 6
	maxSource = 80
)

// explain returns an error of the parser, resolver, interpreter or of this package as one sentence with
// its place in the text and the calls that led there. A syntax error after a bracket that is not closed
// is reported at the bracket.
func explain(text string, err error) *Error {
	var (
		own     *Error
		grammar syntax.Error
		names   resolve.ErrorList
		runtime *starlark.EvalError
	)
	out := &Error{}
	switch {
	case errors.As(err, &own):
		copy := *own
		out = &copy
	case errors.As(err, &grammar):
		out.at(grammar.Pos)
		out.Message = grammarInWords(grammar.Msg)
		if line := lineOf(text, out.Line); strings.HasPrefix(grammar.Msg, "got ':'") &&
			!strings.HasPrefix(strings.TrimSpace(line), "def ") {
			out.Message = "a bracket is not closed before the colon"
		}
		if want, ends := strings.CutPrefix(grammar.Msg, "got newline, want "); ends {
			out.Message = fmt.Sprintf("the line ends where %s should be",
				strings.ReplaceAll(want, "primary expression", "a value"))
			if out.Column == 1 && out.Line > 1 { // the parser's place is after the line's end
				out.Line--
				out.Column = len([]rune(lineOf(text, out.Line))) + 1
			}
		}
		if sentence, line, column := bracket(text); sentence != "" &&
			(line < out.Line || line == out.Line && column <= out.Column) {
			out.Message, out.Line, out.Column = sentence, line, column
		}
	case errors.As(err, &names):
		out.at(names[0].Pos)
		out.Message, out.More = nameInWords(names[0].Msg), len(names)-1
	case errors.As(err, &runtime):
		out.Message = messageInWords(runtime)
		for i := range runtime.CallStack {
			frame := runtime.CallStack.At(i)
			if frame.Pos.Filename() != fileName {
				continue
			}
			if out.Line == 0 {
				out.at(frame.Pos)
			}
			if len(out.Calls) < maxCalls && frame.Name != "<toplevel>" {
				out.Calls = append(out.Calls, Call{frame.Name, int(frame.Pos.Line)})
			}
		}
	default:
		out.Message = err.Error()
	}
	out.Source = words.Cut(strings.ToValidUTF8(strings.TrimSpace(lineOf(text, out.Line)), "�"), maxSource-1)
	out.Message = strings.Join(strings.Fields(out.Message), " ")
	return out
}

// lineOf returns a line of a text; "" if there is none of that number.
func lineOf(text string, number int) string {
	if lines := strings.Split(text, "\n"); number > 0 && number <= len(lines) {
		return lines[number-1]
	}
	return ""
}

func (e *Error) at(p syntax.Position) { e.Line, e.Column = int(p.Line), int(p.Col) }

// fileName is the program's own name in positions.
const fileName = "program"

// grammarInWords returns a message of the parser in plain words; one that is not known stays as it is.
func grammarInWords(msg string) string {
	for _, known := range [][2]string{
		{"got '**'", "there is no ** here: multiply, as in x * x"},
		{"does not associate", "comparisons cannot be chained: write a < b and b < c"},
		{"got class", "there are no classes here: keep values in state, which is a set of names"},
		{"got import", "there is no import here: a program stands alone"},
		{"got try", "there is no try here: acts return what went wrong, such as \"full\""},
		{"got is,", "there is no is here: compare with =="},
		{"got 'is'", "there is no is here: compare with =="},
		{"got string literal, want newline", "there are no f-strings here: write \"node %d\" % n"},
		{"got ':', want", "a colon stands where none is read: types of parameters and variables are not written here"},
		{"got end of file", "the text ends in the middle of something: a bracket or a block is not closed"},
		{"unexpected EOF in string", "the text in quotes does not end in its line"},
		{"unexpected newline in string", "the text in quotes does not end in its line"},
	} {
		if strings.Contains(msg, known[0]) {
			return known[1]
		}
	}
	if got, want, both := strings.Cut(strings.TrimPrefix(msg, "got "), ", want "); both {
		return fmt.Sprintf("%s stands where %s should be", got, want)
	}
	return msg
}

// nameInWords returns a message of the resolver in plain words; one that is not known stays as it is.
func nameInWords(msg string) string {
	if name, is := strings.CutPrefix(msg, "undefined: "); is {
		name, nearest, guess := strings.Cut(name, " (did you mean ")
		if guess {
			return fmt.Sprintf("there is no %s: did you mean %s", name, strings.TrimSuffix(nearest, ")"))
		}
		return fmt.Sprintf("there is no %s: give it a value above, or pass it as a parameter", name)
	}
	if strings.Contains(msg, "cannot reassign global") {
		name := strings.TrimPrefix(msg, "cannot reassign global ")
		name, _, _ = strings.Cut(name, " ")
		return name +
			" is given a value twice outside of functions: names there keep their first value; what changes is kept in state"
	}
	if strings.Contains(msg, "not within a function") {
		statement, _, _ := strings.Cut(msg, " not within")
		return statement + " stands outside of functions: only a function may have one"
	}
	return strings.ReplaceAll(msg, "this Starlark dialect does not ", "programs here do not ")
}

// messageInWords returns the message of a running program's error in plain words; one that is not known
// stays as it is.
func messageInWords(e *starlark.EvalError) string {
	msg := e.Msg
	if strings.Contains(msg, "too many steps") {
		return errSteps.Error()
	}
	if before, after, is := strings.Cut(msg, " has no ."); is {
		name, _, _ := strings.Cut(after, " ")
		_, nearest, guess := strings.Cut(after, "did you mean .")
		if guess {
			nearest, _, _ = strings.Cut(nearest, "?")
			return fmt.Sprintf("%s has no %s: did you mean %s", before, name, nearest)
		}
		return fmt.Sprintf("%s has no %s", before, name)
	}
	if name, is := strings.CutPrefix(msg, "function "); is && strings.HasSuffix(name, " called recursively") {
		return strings.TrimSuffix(name, " called recursively") + " calls itself: write a loop instead"
	}
	if strings.Contains(msg, "cannot ") && strings.Contains(msg, "frozen") {
		return msg + ": what stands outside of functions does not change; keep what changes in state"
	}
	if msg == "fail: " || strings.HasPrefix(msg, "fail: ") {
		return "the program gave up: " + strings.TrimPrefix(msg, "fail: ")
	}
	return msg
}

// noAttribute returns the error of a name that a value does not have, with the nearest name that it
// has.
func noAttribute(v starlark.Value, name string) error {
	if owner, has := v.(starlark.HasAttrs); has {
		if nearest := strict.Nearest(name, owner.AttrNames()); nearest != "" {
			return fmt.Errorf("%s has no %s: did you mean %s", v.Type(), name, nearest)
		}
	}
	return fmt.Errorf("%s has no %s", v.Type(), name)
}
