package field

import (
	"strings"

	"parley/core/trace"
	"parley/core/unit"
)

// moment parses the forms that notebooks give a column of seconds: a date with a clock, as pandas writes seconds since
// 1970, with an optional fraction and zone, or a span such as 2 days 03:04:05.
func moment(text string) (unit.Time, bool) {
	if days, rest, is := strings.Cut(text, " day"); is {
		n, reason := trace.Whole([]byte(days), 1<<20)
		rest = strings.TrimPrefix(strings.TrimLeft(strings.TrimPrefix(rest, "s"), ", "), "+")
		switch {
		case rest == "":
			rest = "00:00:00"
		case strings.Index(rest, ":") == 1:
			rest = "0" + rest
		}
		t, ok := after("1970-01-01 " + rest)
		return unit.Time(n)*unit.Day + t, ok && reason == ""
	}
	return after(text)
}

// after parses a date with a clock, a fraction and a zone.
func after(text string) (unit.Time, bool) {
	t, known, ok := clock(text)
	if !ok || !known || text[4] != '-' || text[7] != '-' || text[10] != ' ' && text[10] != 'T' || text[13] != ':' ||
		text[16] != ':' {
		return 0, false
	}
	rest := text[len("1970-01-01 00:00:00"):]
	if strings.HasPrefix(rest, ".") {
		n := 1
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		v, reason := trace.Decimal([]byte("0"+rest[:min(n, 10)]), 6)
		if n == 1 || reason != "" {
			return 0, false
		}
		t, rest = t+unit.Time(v), rest[n:]
	}
	switch zone := strings.ReplaceAll(strings.TrimSpace(rest), ":", ""); {
	case zone == "" || zone == "Z" || zone == "UTC":
		return t, true
	case len(zone) == 5 && (zone[0] == '+' || zone[0] == '-'):
		v, reason := trace.Whole([]byte(zone[1:]), 1400)
		ahead := unit.Time(v/100)*unit.Hour + unit.Time(v%100)*unit.Minute
		if zone[0] == '-' {
			ahead = -ahead
		}
		return t - ahead, reason == ""
	}
	return 0, false
}
