// Package words writes the common parts of sentences: a text cut to a length, and a number with its
// noun. Package escape makes names of others safe in them.
package words

import (
	"strconv"
	"strings"
)

// Cut returns a text, or its first n letters and "…" if it has more. A letter is a code point;
// none is cut in half.
func Cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	letters := 0
	for at := range text {
		if letters == n {
			return text[:at] + "…"
		}
		letters++
	}
	return text
}

// Printable is Cut for what a file holds: bytes that are no UTF-8, and characters that could
// control a terminal, become "�".
func Printable(text string, n int) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return '�'
		}
		return r
	}, strings.ToValidUTF8(Cut(text, n), "�"))
}

// Count returns a number with its noun: "1 node", "12 nodes". Noun is the singular; its plural
// ends in s.
func Count[N ~int | ~int32 | ~int64 | ~uint64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.FormatInt(int64(n), 10) + " " + noun
}
