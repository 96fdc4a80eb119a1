package jobtable

import (
	"bytes"
	"math"
	"strings"

	"parley/core/calendar"
	"parley/core/trace"
	"parley/core/unit"
	"parley/core/zone"
)

// Reasons why a value is invalid, besides trace's reasons.
const (
	reasonTime     = "is no time that is read: write it as 2026-03-01T10:00:00, with or without a zone, or as seconds since 1970"
	reasonDuration = "is no duration that is read: write seconds, days-hours:minutes:seconds or 1h 30m"
	reasonYear     = "is a time without a year: write it as 2026-03-01T10:00:00, or print it with its year"
	reasonOrder    = "is a date whose day and month cannot be told apart: add dates=dmy or dates=mdy to the mapping"
	reasonClock    = "is a time with one colon: add :hh:mm or :mm:ss to its column in the mapping"
)

// isUnknown reports whether a cell stands for an unknown or unlimited value: empty, -1, a dash, or a word such as
// NA, Unknown or UNLIMITED, in any case.
func isUnknown(text []byte) bool {
	if len(text) == 0 {
		return true
	}
	switch text[0] | 0x20 { // most cells begin with none of the first bytes of the words below, in lower case
	case '-':
		return isMinusOne(text)
	case '(' | 0x20, '\\' | 0x20, '<' | 0x20, '#' | 0x20, '?' | 0x20, '.' | 0x20, '*' | 0x20, 'n', 'u', 'i', 'p':
	default:
		return false
	}
	var low [16]byte
	if len(text) > len(low) {
		return false
	}
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		low[i] = c
	}
	switch string(low[:len(text)]) {
	case "na", "n/a", "nan", "nat", "none", "null", "nil", "(null)", "undefined", "unknown", "unlimited", "infinite",
		"infinity", "inf", "partition_limit", "invalid", "not set", "not_set", "notset", "unset", "no limit",
		"no_limit", "none assigned",
		"<na>", "#n/a", "n/s", "nd", "?", "???", ".", "*", `\n`:
		return true
	}
	return false
}

// isMinusOne reports whether a text is a dash alone or -1 in any spelling, such as -1.000000.
func isMinusOne(text []byte) bool {
	whole, part, _ := bytes.Cut(text[1:], []byte("."))
	return len(whole) == 0 && len(part) == 0 || string(whole) == "1" && len(bytes.Trim(part, "0")) == 0
}

// style is how the times and numbers of a column are written.
type style struct {
	unit    unit.Time  // of plain numbers
	nanos   bool       // the unit is a nanosecond
	clock   string     // how times with one colon are read; "": refused
	decimal byte       // ',' or '.'
	order   string     // of dates with slashes; "": refused
	packed  bool       // numbers of 12 or 14 digits are dates, as in 20260301100000
	zone    unit.Time  // how far times without a zone are ahead of UTC
	place   *zone.Zone // the zone of these times instead; nil if none is named
}

// day is the date of a column that was parsed last. Most rows have the date of the row before.
type day struct {
	text  [len("2026-03-01")]byte
	begin unit.Time

	later   unit.Time // of the last moment: how much later the clock shows it again; 0 if it does not
	skipped bool      // the clock leaves it out
}

// moment parses a point in time, in microseconds since 1970 UTC; if the text is not a time, it returns the reason.
// last is the cache of the column: a row with the same date as the row before does not parse it again. moment
// also sets later and skipped in it, see day.
func (s *style) moment(text []byte, last *day) (unit.Time, string) {
	n := len(last.text)
	last.later, last.skipped = 0, false
	var t unit.Time
	var rest []byte
	if len(text) > n && string(text[:n]) == string(last.text[:]) && !isDigit(text[n]) {
		t, rest = last.begin, text[n:]
	} else {
		if t, ok := s.plain(text); ok && !s.packed {
			return t, ""
		}
		year, month, day, after, why := s.date(text)
		if why != "" {
			if inner := unwrap(text); len(inner) < len(text) && len(inner) > 0 {
				return s.moment(inner, last)
			}
			var ok bool
			if year, month, day, after, ok = s.compacted(text); !ok {
				year, month, day, after, ok = inWords(text)
			}
			switch {
			case !ok && month > 0 && day > 0 && year == 0 && bytes.IndexByte(text, ':') > 0:
				return 0, reasonYear
			case !ok || !isDay(year, month, day):
				return 0, why
			}
			if len(after) > 0 {
				after = append([]byte("T"), after...)
			}
			text = nil // it begins with no date that the next row may repeat
		}
		t, rest = unit.Time(calendar.Days(year, month, day))*unit.Day-s.zone, after
		if len(text) > 0 && len(text)-len(rest) == n {
			copy(last.text[:], text)
			last.begin = t
		}
	}
	if len(rest) == 0 {
		return s.local(t, last), ""
	}
	if !isBetween(rest[0]) {
		return 0, reasonTime
	}
	for len(rest) > 0 && isBetween(rest[0]) {
		rest = rest[1:]
	}
	clock, rest, ok := clockOf(rest)
	if ok {
		clock, rest, ok = noon(clock, rest)
	}
	if !ok {
		return 0, reasonTime
	}
	if rest = bytes.TrimSpace(rest); len(rest) > 0 {
		ahead, after, why := parseZone(rest)
		switch {
		case why == reasonSeveral && s.place != nil: // it is said which one
			return s.local(t+clock, last), ""
		case why == reasonSeveral:
			_, among, _ := zone.Abbreviated(string(rest))
			return 0, "has a zone with several meanings: say which, as in --map 'zone=" + among[0] + "' (or " +
				strings.Join(among[1:], " or ") + ")"
		case why != "":
			z, is := zone.Find(string(rest))
			if !is {
				return 0, reasonTime
			}
			return (&style{place: z}).local(t+s.zone+clock, last), ""
		case len(after) > 0 && !isZoneName(after):
			return 0, reasonTime
		}
		return t + s.zone + clock - ahead, ""
	}
	return s.local(t+clock, last), ""
}

// local converts a moment without a zone, as if its clock were UTC, to UTC by the zone of the style, if it has one.
// It sets last.later and last.skipped if the clock shows the moment twice or leaves it out.
func (s *style) local(t unit.Time, last *day) unit.Time {
	if s.place == nil {
		return t
	}
	part := t % unit.Second
	utc, later, skipped := s.place.Local(int64((t - part) / unit.Second))
	last.later, last.skipped = unit.Time(later)*unit.Second, skipped
	return unit.Time(utc)*unit.Second + part
}

// isZoneName reports whether a text repeats a zone behind its offset, as in +0100 CET, +0000 UTC or
// +01:00[Europe/Berlin].
func isZoneName(text []byte) bool {
	text = bytes.Trim(text, " []()")
	return len(text) > 1 &&
		len(bytes.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz/_+-0123456789")) == 0
}

// isBetween reports whether a sign stands between a date and its clock.
func isBetween(c byte) bool {
	return c == 'T' || c == 't' || c == ' ' || c == '-' || c == '_' || c == ',' || c == ':'
}

// plain parses a number of units as a time or a duration; false if the text is not a number or its value is too
// large. A fraction is kept to a millionth of the unit.
func (s *style) plain(text []byte) (unit.Time, bool) {
	if n, why := trace.Whole(text, math.MaxInt64); why == "" {
		switch {
		case s.nanos:
			return unit.Time(n / 1000), true
		case n > math.MaxInt64/uint64(s.unit):
			return 0, false
		}
		return unit.Time(n) * s.unit, true
	}
	for i, c := range text {
		exponent := i > 0 && (c|0x20 == 'e' || (c == '+' || c == '-') && text[i-1]|0x20 == 'e')
		if (c < '0' || c > '9') && c != '.' && c != ',' && !exponent {
			return 0, false
		}
	}
	scaled, why := s.number(text, 6)
	if why != "" {
		return 0, false
	}
	if s.nanos {
		return unit.Time(scaled / 1_000_000_000), true
	}
	if scaled > math.MaxInt64/uint64(s.unit) {
		whole := scaled / 1_000_000
		if whole > math.MaxInt64/uint64(s.unit) {
			return 0, false
		}
		if s.unit >= 1_000_000 {
			return unit.Time(whole)*s.unit + unit.Time(scaled%1_000_000)*(s.unit/1_000_000), true
		}
		return unit.Time(whole) * s.unit, true
	}
	return unit.Time(scaled) * s.unit / 1_000_000, true
}

// number parses a decimal number times 10^places; if the text is not a number, it returns the reason. It ignores the
// separators of thousands: apostrophes, spaces, and of comma and point the one that is not the decimal sign.
func (s *style) number(text []byte, places int) (uint64, string) {
	var scratch [48]byte
	if len(text) > len(scratch) {
		return 0, trace.ReasonLarge
	}
	out := scratch[:0]
	other := byte(',')
	if s.decimal == ',' {
		other = '.'
	}
	for _, c := range text {
		switch c {
		case s.decimal:
			out = append(out, '.')
		case other, '\'', ' ':
		default:
			out = append(out, c)
		}
	}
	return trace.Decimal(out, places)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// date parses the date that a text begins with, with -, / or . between its parts, and returns the rest. why is
// reasonOrder if day and month cannot be told apart without a mapping, and "" for a valid date. A year of two
// digits is of this century.
func (s *style) date(text []byte) (year, month, day int, rest []byte, why string) {
	var part [3]int
	var width [3]int
	sign := byte(0)
	rest = text
	for i := range part {
		n := 0
		for n < len(rest) && n < 4 && rest[n] >= '0' && rest[n] <= '9' {
			part[i] = part[i]*10 + int(rest[n]-'0')
			n++
		}
		if n == 0 {
			return 0, 0, 0, nil, reasonTime
		}
		width[i], rest = n, rest[n:]
		if i == 2 {
			break
		}
		if len(rest) == 0 || i == 0 && rest[0] != '-' && rest[0] != '/' && rest[0] != '.' || i == 1 && rest[0] != sign {
			return 0, 0, 0, nil, reasonTime
		}
		sign, rest = rest[0], rest[1:]
	}
	switch {
	case width[0] == 4:
		year, month, day = part[0], part[1], part[2]
	case width[2] != 4 && (width[2] != 2 || sign == '-'):
		return 0, 0, 0, nil, reasonTime
	case sign == '.' || s.order == "dmy" || part[0] > 12:
		year, month, day = part[2], part[1], part[0]
	case s.order == "mdy" || part[1] > 12:
		year, month, day = part[2], part[0], part[1]
	default:
		return 0, 0, 0, nil, reasonOrder
	}
	if width[0] < 4 && width[2] == 2 {
		year += 2000
	}
	if !isDay(year, month, day) {
		return 0, 0, 0, nil, reasonTime
	}
	return year, month, day, rest, ""
}

// clockOf parses the HH:MM[:SS[.fraction]] that a text begins with. 24:00 and second 60 are accepted.
func clockOf(text []byte) (t unit.Time, rest []byte, ok bool) {
	hours, rest, ok := twoDigits(text, 24)
	if !ok || len(rest) == 0 || rest[0] != ':' {
		return 0, nil, false
	}
	minutes, rest, ok := twoDigits(rest[1:], 59)
	if !ok {
		return 0, nil, false
	}
	t = hours*unit.Hour + minutes*unit.Minute
	if len(rest) == 0 || rest[0] != ':' {
		return t, rest, true
	}
	seconds, rest, ok := twoDigits(rest[1:], 60)
	if !ok {
		return 0, nil, false
	}
	t += seconds * unit.Second
	if len(rest) > 1 && (rest[0] == '.' || rest[0] == ',') {
		scale := unit.Second
		for rest = rest[1:]; len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9'; rest = rest[1:] {
			scale /= 10
			t += unit.Time(rest[0]-'0') * scale
		}
	}
	return t, rest, true
}

// twoDigits parses the one or two digits that a text begins with; false if there are none or n is above limit.
func twoDigits(text []byte, limit unit.Time) (n unit.Time, rest []byte, ok bool) {
	i := 0
	for i < len(text) && i < 2 && text[i] >= '0' && text[i] <= '9' {
		n = n*10 + unit.Time(text[i]-'0')
		i++
	}
	return n, text[i:], i > 0 && n <= limit
}

// reasonSeveral says why an abbreviation does not name a zone.
const reasonSeveral = "has several meanings"

// parseZone parses +01:00, +0100, +01, Z and abbreviations with one meaning, such as UTC and CEST, and returns the
// text behind. ahead is the clock's time less UTC. why is reasonSeveral or reasonTime if the text does not begin so.
func parseZone(text []byte) (ahead unit.Time, rest []byte, why string) {
	n := 0
	for n < len(text) && isLetterByte(text[n]) {
		n++
	}
	if n > 0 {
		seconds, among, known := zone.Abbreviated(string(bytes.ToUpper(text[:n])))
		switch {
		case among != nil:
			return 0, text, reasonSeveral
		case !known || n < len(text) && text[n] == '/':
			return 0, text, reasonTime
		}
		return unit.Time(seconds) * unit.Second, text[n:], ""
	}
	if len(text) < 3 || text[0] != '+' && text[0] != '-' {
		return 0, text, reasonTime
	}
	hours, rest, ok := twoDigits(text[1:], 15)
	if !ok {
		return 0, text, reasonTime
	}
	ahead = hours * unit.Hour
	if len(rest) > 0 && rest[0] == ':' {
		rest = rest[1:]
	}
	if len(rest) > 0 && isDigit(rest[0]) {
		minutes, after, ok := twoDigits(rest, 59)
		if !ok {
			return 0, text, reasonTime
		}
		ahead, rest = ahead+minutes*unit.Minute, after
	}
	if text[0] == '-' {
		ahead = -ahead
	}
	return ahead, rest, ""
}

// whole parses a count up to maxProcessors, such as 8, 8.0 or 1.024 in the style's spelling, or the cpu of
// Slurm's cpu=8,mem=16G. If the text is not a count, it returns the reason.
func (s *style) whole(text []byte) (int64, string) {
	if i := bytes.Index(text, []byte("cpu=")); i == 0 || i > 0 && text[i-1] == ',' {
		text, _, _ = bytes.Cut(text[i+len("cpu="):], []byte(","))
	}
	n, why := s.number(text, 6)
	switch {
	case why != "":
		return 0, why
	case n%1_000_000 != 0:
		return 0, trace.ReasonWhole
	case n/1_000_000 > maxProcessors:
		return 0, trace.ReasonLarge
	}
	return int64(n / 1_000_000), ""
}

// bytesOf parses an amount of memory such as 16G, 4000Mc, 512 MiB or a number of bytes; a prefix is a power of 1024.
// If the text is not an amount, it returns the reason.
func (s *style) bytesOf(text []byte) (unit.Bytes, string) {
	i := 0
	for i < len(text) && (text[i] >= '0' && text[i] <= '9' || text[i] == '.' || text[i] == ',') {
		i++
	}
	n, why := s.number(text[:i], 3)
	if why != "" {
		return 0, why
	}
	power := 0
	if suffix := bytes.ToLower(bytes.TrimSpace(text[i:])); len(suffix) > 0 {
		switch suffix[0] {
		case 'k':
			power = 1
		case 'm':
			power = 2
		case 'g':
			power = 3
		case 't':
			power = 4
		case 'p':
			power = 5
		case 'b', 'c', 'n':
		default:
			return 0, "is no amount of memory: write it as 16G, 4000M or bytes"
		}
	}
	if perCPU := uint64(1000) << 31; power == 2 && n > perCPU { // Slurm's flag for memory per processor
		n -= perCPU
	}
	for range power {
		if n > math.MaxInt64/1024 {
			return 0, trace.ReasonLarge
		}
		n *= 1024
	}
	return unit.Bytes(n / 1000), ""
}
