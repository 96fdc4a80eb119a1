package program

import (
	"fmt"
	"unicode/utf8"
)

// bracket returns the first wrong bracket of a program's text: the first one that closes
// no other, or the last one that is not closed, with its place. The message is empty if none is.
func bracket(text string) (message string, line, column int) {
	type place struct {
		sign         byte
		line, column int
	}
	var open []place
	line = 1
	quote, start := "", 0 // of the text in quotes that is read, and where the line begins
	at := func(i int) int { return utf8.RuneCountInString(text[start:i]) + 1 }
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\n':
			line, start = line+1, i+1
			if len(quote) == 1 && text[i-1] != '\\' {
				quote = "" // the parser reports the error of the quotes
			}
		case quote != "":
			if c == '\\' && i+1 < len(text) && text[i+1] != '\n' {
				i++
			} else if len(text)-i >= len(quote) && text[i:i+len(quote)] == quote {
				i += len(quote) - 1
				quote = ""
			}
		case c == '"' || c == '\'':
			if quote = text[i : i+1]; len(text)-i >= 3 && text[i+1] == c && text[i+2] == c {
				quote, i = text[i:i+3], i+2
			}
		case c == '#':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case c == '(' || c == '[' || c == '{':
			open = append(open, place{c, line, at(i)})
		case c == ')' || c == ']' || c == '}':
			if len(open) == 0 {
				return fmt.Sprintf("the bracket %c closes no other", c), line, at(i)
			}
			last := open[len(open)-1]
			if partner := map[byte]byte{'(': ')', '[': ']', '{': '}'}[last.sign]; partner != c {
				return fmt.Sprintf("the bracket %c of line %d is not closed before the %c of line %d", last.sign,
					last.line, c, line), last.line, last.column
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 {
		return "", 0, 0
	}
	last := open[len(open)-1]
	return fmt.Sprintf("the bracket %c is not closed", last.sign), last.line, last.column
}
