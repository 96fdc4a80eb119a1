package jobtable

import (
	"bytes"
	"strconv"

	"parley/core/calendar"
	"parley/core/trace"
	"parley/core/unit"
)

// unwrap removes the decoration of a value: Timestamp('2026-03-01 10:00:00'), Timedelta('0 days
// 01:02:03'), quotation marks, and the @ of date.
func unwrap(text []byte) []byte {
	if i := bytes.IndexByte(text, '('); i > 0 && text[len(text)-1] == ')' {
		name := text[:i]
		if k := bytes.LastIndexByte(name, '.'); k >= 0 {
			name = name[k+1:]
		}
		if string(name) == "Timestamp" || string(name) == "Timedelta" || string(name) == "datetime64" ||
			string(name) == "timedelta64" {
			text, _, _ = bytes.Cut(text[i+1:len(text)-1], []byte(", "))
		}
	}
	for len(text) > 1 && (text[0] == '\'' || text[0] == '"') && text[len(text)-1] == text[0] {
		text = text[1 : len(text)-1]
	}
	if len(text) > 1 && text[0] == '@' && isDigit(text[1]) {
		text = text[1:]
	}
	return bytes.TrimSpace(text)
}

// monthNames are the months by their first three letters in English, German and French, if these differ
// from one another.
var monthNames = map[string]int{
	"jan": 1, "feb": 2, "fev": 2, "mar": 3, "mrz": 3, "apr": 4, "avr": 4, "may": 5, "mai": 5, "jun": 6, "jul": 7,
	"aug": 8, "sep": 9, "oct": 10, "okt": 10, "nov": 11, "dec": 12, "dez": 12,
}

// monthOf returns the month that a word names, 0 if it names none.
func monthOf(word []byte) int {
	if len(word) < 3 || len(word) > 10 || isDigit(word[0]) {
		return 0
	}
	return monthNames[string(bytes.ToLower(word[:3]))]
}

// inWords parses a date with the name of its month, such as Mon Mar  2 10:00:00 CET 2026, 2 Mar 2026 10:00 or
// 28-Nov-26 9:00 AM, or as LSF marks them, Mar  2 10:00:00 2026 L. The clock and the zone are returned as rest.
func inWords(text []byte) (year, month, day int, rest []byte, ok bool) {
	words := bytes.FieldsFunc(text, func(c rune) bool { return c == ' ' || c == ',' })
	if len(words) > 0 && bytes.Count(words[0], []byte("-")) == 2 { // 28-Nov-2026
		words = append(bytes.Split(words[0], []byte("-")), words[1:]...)
	}
	for i, w := range words {
		switch n, why := trace.Whole(w, 9999); {
		case i == 0 && len(w) >= 2 && !isDigit(w[0]) && monthOf(w) == 0: // the day of the week
		case month == 0 && monthOf(w) > 0:
			month = monthOf(w)
		case day == 0 && why == "" && len(w) <= 2:
			day = int(n)
		case year == 0 && why == "" && len(w) == 4:
			year = int(n)
		case i > 0 && i == len(words)-1 && len(w) == 1 && (w[0] == 'E' || w[0] == 'L' || w[0] == 'X'):
			// bjobs: an end that is estimated, at the limit of run time, or past it
		case year == 0 && why == "" && len(w) == 2 && month > 0 && day > 0 && len(rest) == 0:
			year = 2000 + int(n)
		default:
			rest = append(append(rest, w...), ' ')
		}
	}
	return year, month, day, bytes.TrimSpace(rest), month > 0 && day > 0 && year > 0
}

// compacted parses a date without signs: 20260301T100000Z, 20260301-1000 or 20260301100000, the last only if
// all of the column are written so.
func (s *style) compacted(text []byte) (year, month, day int, rest []byte, ok bool) {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	digits, rest := text[:n], text[n:]
	switch {
	case n == 8 && len(rest) > 1 && (rest[0] == 'T' || rest[0] == 't' || rest[0] == '-' || rest[0] == '_' ||
		rest[0] == ' '):
		if rest = rest[1:]; len(rest) > 3 && isDigit(rest[2]) {
			rest = colons(rest)
		}
	case (n == 14 || n == 12) && s.packed:
		rest = colons(text[8:])
	default:
		return 0, 0, 0, nil, false
	}
	all, why := trace.Whole(digits[:8], 99991231)
	return int(all / 10000), int(all / 100 % 100), int(all % 100), rest, why == ""
}

// colons writes 100000Z as 10:00:00Z.
func colons(clock []byte) []byte {
	out := append([]byte(nil), clock[:2]...)
	clock = clock[2:]
	for i := 0; i < 2 && len(clock) >= 2 && isDigit(clock[0]) && isDigit(clock[1]); i++ {
		out, clock = append(append(out, ':'), clock[:2]...), clock[2:]
	}
	return append(out, clock...)
}

// isPacked reports whether all numbers of a column, one at least, are dates and clocks without signs.
func isPacked(rows [][][]byte, column int) bool {
	seen := false
	for _, row := range rows {
		cell := row[column]
		if isUnknown(cell) || string(cell) == "0" || !isDigits(cell) {
			continue
		}
		year, month, day, rest, ok := (&style{packed: true}).compacted(cell)
		if _, after, clock := clockOf(rest); !ok || !clock || len(after) > 0 || !isDay(year, month, day) {
			return false
		}
		seen = true
	}
	return seen
}

// isDay reports whether a date is one of the calendar, between 1970 and 2200.
func isDay(year, month, day int) bool {
	return month >= 1 && month <= 12 && day >= 1 && day <= calendar.InMonth(year, month) && year >= 1970 && year <= 2200
}

// noon applies the AM or PM behind a clock.
func noon(clock unit.Time, rest []byte) (unit.Time, []byte, bool) {
	trimmed := bytes.TrimLeft(rest, " \u00a0\u202f")
	var low [4]byte
	n := copy(low[:], trimmed)
	for i := range low[:n] {
		low[i] |= 0x20
	}
	half, width := byte(0), 0
	switch {
	case n >= 2 && low[1] == 'm':
		half, width = low[0], 2
	case n >= 4 && low[1]|0x20 == '.' && low[2] == 'm':
		half, width = low[0], 4
	}
	if half != 'a' && half != 'p' || width < len(trimmed) && trimmed[width] != ' ' {
		return clock, rest, true
	}
	hours := clock / unit.Hour
	if hours < 1 || hours > 12 {
		return 0, nil, false
	}
	if clock -= hours / 12 * 12 * unit.Hour; half == 'p' {
		clock += 12 * unit.Hour
	}
	return clock, trimmed[width:], true
}

// slashes returns the first two numbers of a date such as 3/12/2026 10:15 or 3-12-2026 10:15.
func slashes(date string) (a, b int, is bool) {
	var part [2]int
	for i := range part {
		n := 0
		for n < len(date) && n < 2 && isDigit(date[n]) {
			n++
		}
		if n == 0 || n == len(date) || date[n] != '/' && date[n] != '-' {
			return 0, 0, false
		}
		part[i], _ = strconv.Atoi(date[:n])
		date = date[n+1:]
	}
	return part[0], part[1], len(date) >= 2 && isDigit(date[0]) && isDigit(date[1])
}
