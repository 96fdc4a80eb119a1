package jobtable

import (
	"bytes"
	"strings"

	"parley/core/trace"
)

// joint replaces a delimiter of several bytes while a line is divided.
const joint = 0x1f

// isFrame reports whether a line belongs to the frame of a table and has no row: the rules that MySQL,
// PostgreSQL and Markdown draw, the count below them, the fence of a code block, the prompt with the command,
// and sep=; of Excel.
func isFrame(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return false
	}
	switch line[0] {
	case '+', '-', '|', '=', ':':
		return len(bytes.Trim(line, "+-|=: ")) == 0 &&
			(bytes.Contains(line, []byte("---")) || bytes.Contains(line, []byte("===")))
	case '(':
		return bytes.HasSuffix(line, []byte(" row)")) || bytes.HasSuffix(line, []byte(" rows)"))
	case '`', '~': // the fence of a code block
		return len(line) > 2 && line[1] == line[0] && line[2] == line[0]
	case '$', '>', '%':
		return len(line) > 2 && line[1] == ' '
	case 's':
		return len(line) <= len("sep=;") && bytes.HasPrefix(line, []byte("sep="))
	}
	return isDigit(line[0]) && (bytes.Contains(line, []byte(" rows in set")) ||
		bytes.Contains(line, []byte(" row in set")))
}

// unframed removes the bars that a table has at both ends of its lines.
func unframed(line []byte) (inner []byte, is bool) {
	if inner = bytes.TrimSpace(line); len(inner) > 2 && inner[0] == '|' && inner[len(inner)-1] == '|' {
		return inner[1 : len(inner)-1], true
	}
	return line, false
}

// delimiterOf returns an unusual delimiter of a line of names: a sign that stands between its words and is
// no part of a name, such as ^, ☃ or the separators of ASCII. It returns nil if there is none.
func delimiterOf(line []byte) []byte {
	counts := map[rune]int{}
	limit, count := rune(0), 1
	for _, c := range string(line) {
		if c > 0x7f && !isLetter(c) || c == '^' || c == '~' || c == '!' || c < ' ' && c != '\t' && c != '\r' {
			if counts[c]++; counts[c] > count {
				limit, count = c, counts[c]
			}
		}
	}
	if limit == 0 || limit == 0xfffd || limit == 0xa0 {
		return nil
	}
	return []byte(string(limit))
}

// isLetter reports whether a sign is a letter beyond ASCII, as names in other languages have.
func isLetter(c rune) bool { return c >= 0xaa && c < 0x2000 || c >= 0x2c00 && c < 0xe000 }

// splitBlanks divides a line at its blanks. A date and the clock behind it are one word, and so are the days and
// the clock of a duration.
func splitBlanks(line []byte) [][]byte {
	all := bytes.Fields(line)
	kept := all[:0]
	for i := 0; i < len(all); i++ {
		w := all[i]
		if n := wide(all[i:]); n > 1 {
			from := bytes.Index(line, w)
			last := all[i+n-1]
			to := from + bytes.Index(line[from+len(w):], last) + len(w) + len(last)
			w = line[from:to]
			i += n - 1
		}
		kept = append(kept, w)
		line = line[bytes.Index(line, w)+len(w):]
	}
	return kept
}

// wide returns how many words make the first value.
func wide(of [][]byte) int {
	if len(of) > 1 && isDate(of[0]) && isClock(of[1]) {
		return 2
	}
	if len(of) > 1 && isDigits(of[0]) && (string(of[1]) == "days" || string(of[1]) == "day") {
		if len(of) > 2 && isClock(of[2]) {
			return 3
		}
		return 2
	}
	return 1
}

func isDate(w []byte) bool {
	return len(w) == len("2026-03-01") && w[4] == '-' && w[7] == '-' && isDigits(w[:4]) && isDigits(w[5:7]) &&
		isDigits(w[8:])
}

func isClock(w []byte) bool {
	_, rest, ok := clockOf(w)
	return ok && (len(rest) == 0 || rest[0] == '+' || rest[0] == '-')
}

// introduction is how many lines may be above a table, such as those of a letter.
const introduction = 10

// header returns the line of a head that names the columns of a table, how many lines are above it, and whether
// bars are at both of its ends: the first line that is not a frame, or, if that one and those behind it have no
// delimiter, the first of two that have the same one as often, three times or more.
func header(h *trace.Head) (first []byte, before int, framed bool) {
	var lines [][]byte
	h.Lines(func(line []byte) bool {
		lines = append(lines, bytes.Clone(line))
		return len(lines) < introduction+2
	})
	at := -1
	for i, line := range lines {
		if at < 0 && !isFrame(line) {
			at = i
		}
		comma := commaOf(line)
		if i+1 == len(lines) || comma == 0 || at < 0 || i == at {
			continue
		}
		n := bytes.Count(line, []byte{comma})
		if n >= 3 && bytes.Count(lines[i+1], []byte{comma}) == n && bytes.Count(lines[at], []byte{comma}) < 2 &&
			isHeader(strings.Split(string(line), string(comma))) {
			at = i
			break
		}
	}
	if at < 0 {
		return nil, 0, false
	}
	first, framed = unframed(lines[at])
	return first, at, framed
}
