package jobtable

import (
	"bytes"

	"parley/core/trace"
	"parley/core/unit"
)

// worded parses numbers with their units, such as 1h 57m 30s, 4.7s or 3ms.
func (s *style) worded(text []byte) (total unit.Time, ok bool) {
	for text = bytes.TrimSpace(text); len(text) > 0; ok = true {
		n := bytes.IndexFunc(text, func(c rune) bool { return (c < '0' || c > '9') && c != '.' && c != ',' })
		if n <= 0 {
			return 0, false
		}
		number, why := s.number(text[:n], 6)
		text = bytes.TrimLeft(text[n:], " ")
		end := bytes.IndexFunc(text, func(c rune) bool { return c < 'a' || c > 'z' })
		if end < 0 {
			end = len(text)
		}
		name, known := unitWords[string(text[:end])]
		u := timeUnits[name]
		if name == "ns" {
			u, number = 1, number/1000
		}
		if why != "" || !known || u == 0 || number > uint64(longest) {
			return 0, false
		}
		if whole := number / 1_000_000; whole > uint64(longest/u) {
			return 0, false
		}
		total += unit.Time(number/1_000_000)*u + unit.Time(number%1_000_000)*u/1_000_000
		text = bytes.TrimLeft(bytes.TrimPrefix(text[end:], []byte("(s)")), " ") // 600 second(s) of LSF
	}
	return total, ok
}

// duration parses a number of units, numbers with their units, or [D-][HH:]MM:SS.
func (s *style) duration(text []byte) (unit.Time, string) {
	if t, ok := s.plain(text); ok {
		return t, ""
	}
	if t, ok := s.worded(text); ok {
		return t, ""
	}
	if t, ok := s.spelled(text); ok {
		return t, ""
	}
	if inner := unwrap(text); len(inner) > 0 && len(inner) < len(text) {
		return s.duration(inner)
	}
	days, clock, dashed := bytes.Cut(text, []byte("-"))
	total := unit.Time(0)
	if dashed {
		n, why := trace.Whole(days, 36500)
		if why != "" {
			return 0, reasonDuration
		}
		total, text = unit.Time(n)*unit.Day, clock
	}
	var part [3]unit.Time
	n := 0
	for ; ; n++ {
		if n == 3 {
			return 0, reasonDuration
		}
		digits, rest, more := bytes.Cut(text, []byte(":"))
		scaled, why := s.number(digits, 6)
		if why != "" || scaled > uint64(36500*unit.Day) || more && scaled%1_000_000 != 0 {
			return 0, reasonDuration
		}
		part[n] = unit.Time(scaled)
		if text = rest; !more {
			break
		}
	}
	switch {
	case n == 2:
		total += part[0]*3600 + part[1]*60 + part[2]
	case n == 1 && (dashed || s.clock == clockHours):
		total += part[0]*3600 + part[1]*60
	case n == 1 && s.clock == clockMinutes:
		total += part[0]*60 + part[1]
	case n == 0 && dashed:
		total += part[0] * 3600
	case n == 1:
		return 0, reasonClock
	default:
		return 0, reasonDuration
	}
	return total, ""
}

// spelled parses a duration that is spelled out: 0 days 01:02:03 of pandas, 1 day, 0:00:00 of Python,
// 1+02:03:04 of HTCondor and PT1H2M3S of ISO 8601.
func (s *style) spelled(text []byte) (unit.Time, bool) {
	if len(text) > 2 && text[0] == 'P' {
		return s.iso(text[1:])
	}
	if days, clock, is := bytes.Cut(text, []byte("+")); is && isDigits(days) && bytes.Count(clock, []byte(":")) == 2 {
		return s.daysAnd(days, clock)
	}
	n := bytes.Index(text, []byte(" day"))
	if n <= 0 || !isDigits(text[:n]) {
		return 0, false
	}
	clock := bytes.TrimLeft(bytes.TrimPrefix(text[n+len(" day"):], []byte("s")), ", ")
	return s.daysAnd(text[:n], bytes.TrimPrefix(clock, []byte("+")))
}

func (s *style) daysAnd(days, clock []byte) (unit.Time, bool) {
	n, why := trace.Whole(days, 36500)
	if why != "" {
		return 0, false
	}
	if len(clock) == 0 {
		return unit.Time(n) * unit.Day, true
	}
	if bytes.Count(clock, []byte(":")) != 2 {
		return 0, false
	}
	t, bad := (&style{unit: unit.Second, decimal: s.decimal}).duration(clock)
	return unit.Time(n)*unit.Day + t, bad == ""
}

// iso parses the part of an ISO 8601 duration after the P, without years and months.
func (s *style) iso(text []byte) (total unit.Time, ok bool) {
	within := false // the clock
	for len(text) > 0 {
		if text[0] == 'T' && !within {
			within, text = true, text[1:]
			continue
		}
		n := bytes.IndexFunc(text, func(c rune) bool { return (c < '0' || c > '9') && c != '.' && c != ',' })
		if n <= 0 {
			return 0, false
		}
		u := map[byte]unit.Time{'W': 7 * unit.Day, 'D': unit.Day}[text[n]]
		if within {
			u = map[byte]unit.Time{'H': unit.Hour, 'M': unit.Minute, 'S': unit.Second}[text[n]]
		}
		number, why := trace.Decimal(bytes.ReplaceAll(text[:n], []byte(","), []byte(".")), 6)
		if u == 0 || why != "" || number/1_000_000 > uint64(longest/u)*10 {
			return 0, false
		}
		total += unit.Time(number/1_000_000)*u + unit.Time(number%1_000_000)*u/1_000_000
		text, ok = text[n+1:], true
	}
	return total, ok
}
