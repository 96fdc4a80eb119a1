package formula

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	end tokenKind = iota
	number
	name // of a column, a function, or a word of the grammar
	sign
)

// token is one piece of a formula.
type token struct {
	kind tokenKind
	text string
	at   int32 // its first character, from 1
}

func (t token) quoted() string {
	if t.kind == end {
		return "the end"
	}
	return fmt.Sprintf("%q", t.text)
}

// lexer reads a formula piece by piece.
type lexer struct {
	text   string
	offset int   // of the text after token, in bytes
	at     int32 // characters before it
	token  token
	err    error // the first
}

func (l *lexer) is(word string) bool  { return l.token.kind == name && l.token.text == word }
func (l *lexer) isSign(s string) bool { return l.token.kind == sign && l.token.text == s }

// fail keeps the first error. From then on the formula is at its end.
func (l *lexer) fail(at int32, message string) {
	if l.err == nil {
		l.err = &Error{int(at), message}
	}
	l.token = token{kind: end, at: l.token.at}
}

// next reads the next token into l.token; one of the kind end at the end of the text, and after an
// error. Positions count characters from 1.
func (l *lexer) next() {
	if l.err != nil {
		return
	}
	rest := l.text[l.offset:]
	blank := len(rest) - len(strings.TrimLeft(rest, " \t\r\n"))
	l.at += int32(blank)
	l.offset += blank
	rest = rest[blank:]
	l.token = token{end, "", l.at + 1}
	if rest == "" {
		return
	}
	n, kind := 0, sign
	switch ch := rest[0]; {
	case digit(ch) || ch == '.' && len(rest) > 1 && digit(rest[1]):
		n, kind = numberLength(rest), number
	case letter(ch):
		for n < len(rest) && (letter(rest[n]) || digit(rest[n]) || rest[n] == '.') {
			n++
		}
		kind = name
	default:
		for _, s := range []string{
			"**", "//", "<=", ">=", "==", "!=", "+", "-", "*", "/", "%", "<", ">", "(",
			")", ",",
		} {
			if strings.HasPrefix(rest, s) {
				n = len(s)
				break
			}
		}
		if n == 0 {
			l.unknown(rest)
			return
		}
	}
	l.token.kind, l.token.text = kind, rest[:n]
	l.offset += n
	l.at += int32(n)
}

// unknown fails at a character that does not belong into a formula.
func (l *lexer) unknown(rest string) {
	ch, _ := utf8.DecodeRuneInString(rest)
	advice := ""
	switch ch {
	case '=':
		advice = ": a comparison is =="
	case '&', '|', '!':
		advice = ": write and, or, not"
	case '^':
		advice = ": a power is **"
	}
	l.fail(l.at+1, fmt.Sprintf("%q does not belong into a formula%s", ch, advice))
}

func digit(ch byte) bool  { return '0' <= ch && ch <= '9' }
func letter(ch byte) bool { return 'a' <= ch && ch <= 'z' || 'A' <= ch && ch <= 'Z' || ch == '_' }

// numberLength returns how many bytes at the beginning of s are a decimal number.
func numberLength(s string) int {
	n := 0
	digits := func() {
		for n < len(s) && digit(s[n]) {
			n++
		}
	}
	digits()
	if n < len(s) && s[n] == '.' {
		n++
		digits()
	}
	if n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		before := n
		n++
		if n < len(s) && (s[n] == '+' || s[n] == '-') {
			n++
		}
		if n == len(s) || !digit(s[n]) {
			return before
		}
		digits()
	}
	return n
}
