package dump

import (
	"bytes"

	"parley/core/strict"
)

// The parser of YAML is recursive, and some thousand levels end a program under WebAssembly, so
// a text is looked through before it.

// maxColumns limits the column in which a block may begin: each column adds at most a list and an object.
const maxColumns = 4 * strict.Depth

// yamlDepth looks through a text in YAML for how deep it nests.
type yamlDepth struct {
	text []byte
	at   int
	flow int // lists in [ and objects in { that are open

	parent int // the column of the last key or indicator; -1 before the first

	deepest, right int // the most that were open, and the last column on which a block began
}

// yamlTooDeep reports whether a YAML text nests deeper than strict.Depth in brackets, or begins a
// block behind maxColumns. It is meant for texts that the parser accepts. In invalid texts it may
// find less, and the parser stops at the error.
func yamlTooDeep(text []byte) bool {
	y := yamlDepth{text: text, parent: -1}
	y.look()
	return y.deepest > strict.Depth || y.right > maxColumns
}

func (y *yamlDepth) look() {
	for y.at < len(y.text) {
		y.line()
	}
}

func (y *yamlDepth) peek(at int) byte {
	if at < len(y.text) {
		return y.text[at]
	}
	return '\n'
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// line looks through a line outside texts over several lines, and the texts that begin on it.
func (y *yamlDepth) line() {
	begin := y.at
	if bytes.HasPrefix(y.text[y.at:], []byte("--- ")) {
		y.at += 4
	}
	for ; y.at < len(y.text); y.at++ {
		c := y.text[y.at]
		if indicator := (c == '-' || c == '?' || c == ':') && blank(y.peek(y.at+1)); indicator {
			y.parent = y.at - begin
			y.right = max(y.right, y.parent)
		} else if c != ' ' && c != '\t' {
			break
		}
	}
	if y.peek(y.at) != '\n' {
		y.right = max(y.right, y.at-begin)
	}
	y.values(begin)
}

// values looks through the keys and values of a line up to its end, and through a text that begins there
// and continues on the next lines. begin is the index of the line in the text; y.at is at its first key or
// value.
func (y *yamlDepth) values(begin int) {
	key := y.at - begin
	for y.at < len(y.text) {
		switch c := y.text[y.at]; c {
		case '\n':
			y.at++
			return
		case ' ', '\t', '\r':
			y.at++
		case ':':
			y.at++
			y.parent = key
		case '"', '\'':
			y.quoted(c)
		case '[', '{':
			y.brackets()
		case '&', '!', '*':
			for !blank(y.peek(y.at)) {
				y.at++
			}
		case '#':
			y.rest()
			return
		case '|', '>':
			y.rest()
			y.below()
			return
		default:
			if y.plain() { // a text that may go on below
				y.below()
				return
			}
		}
	}
}

// plain passes over a text without quotes and reports whether it ends with its line.
func (y *yamlDepth) plain() bool {
	for ; y.peek(y.at) != '\n'; y.at++ {
		c, next := y.text[y.at], y.peek(y.at+1)
		if c == ':' && blank(next) || blank(c) && next == '#' {
			return false
		}
	}
	y.at++
	return true
}

// rest passes over the rest of a line.
func (y *yamlDepth) rest() {
	for y.peek(y.at) != '\n' {
		y.at++
	}
	y.at++
}

// below passes over the lines that are empty or begin behind the key whose text they go on with.
func (y *yamlDepth) below() {
	for y.at < len(y.text) {
		i := y.at
		for y.peek(i) == ' ' {
			i++
		}
		if c := y.peek(i); c != '\n' && c != '\r' && i-y.at <= y.parent {
			return
		}
		y.at = i
		y.rest()
	}
}

// quoted passes over a text in quotes, which may have several lines. y.at is at the opening quote, and
// afterwards behind the closing one or at the end.
func (y *yamlDepth) quoted(quote byte) {
	for y.at++; y.at < len(y.text); y.at++ {
		switch c := y.text[y.at]; {
		case c == '\\' && quote == '"':
			y.at++
		case c == quote && quote == '\'' && y.peek(y.at+1) == '\'':
			y.at++
		case c == quote:
			y.at++
			return
		}
	}
}

// brackets passes over a list or object in brackets, which may have several lines, and records how deep it
// nests. y.at is at the opening bracket, and afterwards behind the closing one.
func (y *yamlDepth) brackets() {
	for text := false; y.at < len(y.text); y.at++ { // text: within one without quotes
		switch c := y.text[y.at]; c {
		case '[', '{':
			y.flow++
			y.deepest = max(y.deepest, y.flow)
			text = false
		case ']', '}':
			if y.flow--; y.flow == 0 {
				y.at++
				return
			}
			text = false
		case ',':
			text = false
		case ':':
			text = text && !blank(y.peek(y.at+1))
		case '"', '\'':
			if !text {
				y.quoted(c)
				y.at--
			}
		case '#':
			if blank(y.text[y.at-1]) {
				y.rest()
				y.at--
			}
		case ' ', '\t', '\r', '\n':
		default:
			text = true
		}
	}
}
