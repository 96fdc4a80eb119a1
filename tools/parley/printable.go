package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable spells out what would control a terminal instead of standing on it:
// file names and texts from files may hold anything. Lines and tabs stay.
func printable(text string) string {
	if !strings.ContainsFunc(text, controls) && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case controls(r):
			fmt.Fprintf(&b, `\u%04x`, r) // the same character in JSON
		default:
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

// controls reports whether a terminal acts on r: control characters, and marks
// that turn the direction of text.
func controls(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
}
