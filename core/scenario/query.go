package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"parley/core/words"
)

// query holds the keys of a link and their values, in their order.
type query [][2]string

func (q query) get(key string) string {
	for _, p := range q {
		if p[0] == key {
			return p[1]
		}
	}
	return ""
}

func (q query) has(key string) bool {
	return slices.ContainsFunc(q, func(p [2]string) bool { return p[0] == key })
}

// parameters reads the syntax of URLSearchParams, which has no errors.
func parameters(text string) query {
	var q query
	for part := range strings.SplitSeq(strings.TrimPrefix(text, "?"), "&") {
		if part != "" {
			key, value, _ := strings.Cut(part, "=")
			q = append(q, [2]string{unescape(key), unescape(value)})
		}
	}
	return q
}

// unescape decodes a name or value of a query: + is a blank, and a % without two hexadecimal digits stays as it is.
func unescape(text string) string {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '+':
			c = ' '
			fallthrough
		default:
			out = append(out, c)
		case c == '%' && i+2 < len(text):
			if n, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				out = append(out, byte(n))
				i += 2
			} else {
				out = append(out, c)
			}
		}
	}
	return strings.ToValidUTF8(string(out), "�")
}

func escape(s *strings.Builder, text string) {
	for i := range len(text) {
		switch c := text[i]; {
		case c == ' ':
			s.WriteByte('+')
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("*-._", c) >= 0:
			s.WriteByte(c)
		default:
			fmt.Fprintf(s, "%%%02X", c)
		}
	}
}

// cut shortens text to most characters as JavaScript counts them.
func cut(text string, limit int) string {
	units := 0
	for i, r := range text {
		if units += max(1, utf16.RuneLen(r)); units > limit {
			return text[:i]
		}
	}
	return text
}

func shorten(text string) string { return words.Cut(text, 40) }
