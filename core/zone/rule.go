package zone

import (
	"strconv"
	"strings"

	"parley/core/calendar"
)

// rule is a rule of POSIX, such as CET-1CEST,M3.5.0,M10.5.0/3.
type rule struct {
	standard, shifted int64  // offsets from UTC in seconds, east positive; shifted is that of summer
	summer            bool   // there is a summer time; else shifted, begin and end are unset
	begin, end        change // of summer time
}

// change is a moment of each year: the week of a month (5 is the last), the day of the week from Sunday, and the
// seconds after midnight.
type change struct {
	month, week, day int
	after            int64
}

// parseRule parses a POSIX rule of the table, such as CET-1CEST,M3.5.0,M10.5.0/3 or <+03>-3. Without an
// offset of its own, summer time is an hour ahead. The text is not checked.
func parseRule(text string) (r rule) {
	rest := skipName(text)
	r.standard, rest = offset(rest)
	if rest == "" {
		return r
	}
	r.summer, r.shifted = true, r.standard+3600
	if rest = skipName(rest); rest[0] != ',' {
		r.shifted, rest = offset(rest)
	}
	begin, end, _ := strings.Cut(rest[1:], ",")
	r.begin, r.end = parseChange(begin), parseChange(end)
	return r
}

// skipName returns the text after a name such as CET or <+03>.
func skipName(text string) string {
	if strings.HasPrefix(text, "<") {
		_, rest, _ := strings.Cut(text, ">")
		return rest
	}
	return strings.TrimLeft(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
}

// offset returns the offset that a text begins with, which POSIX counts west of UTC.
func offset(text string) (seconds int64, rest string) {
	n := strings.IndexFunc(text, func(c rune) bool { return c != '-' && c != '+' && c != ':' && (c < '0' || c > '9') })
	if n < 0 {
		n = len(text)
	}
	return -clock(text[:n]), text[n:]
}

// clock returns the seconds of [+|-]h[:mm].
func clock(text string) int64 {
	sign := int64(1)
	if text = strings.TrimPrefix(text, "+"); strings.HasPrefix(text, "-") {
		sign, text = -1, text[1:]
	}
	hours, rest, _ := strings.Cut(text, ":")
	return sign * (minutes(hours)*60 + minutes(rest))
}

// parseChange parses month, week, day and hour of a change, such as M3.5.0/3; without an hour it is at
// 2:00.
func parseChange(text string) change {
	day, at, is := strings.Cut(strings.TrimPrefix(text, "M"), "/")
	part := strings.Split(day, ".")
	c := change{month: number(part[0]), week: number(part[1]), day: number(part[2]), after: 2 * 3600}
	if is {
		c.after = clock(at)
	}
	return c
}

func number(text string) int {
	n, _ := strconv.Atoi(text) // the table is tested
	return n
}

// at returns the offset from UTC at a moment, both in seconds.
func (r *rule) at(utc int64) int64 {
	if !r.summer {
		return r.standard
	}
	year, _, _ := calendar.Date(int((utc + r.standard) / (24 * 3600)))
	begin, end := r.begin.in(year)-r.standard, r.end.in(year)-r.shifted
	summer := utc >= begin && utc < end
	if begin > end { // over the turn of the year
		summer = utc >= begin || utc < end
	}
	if summer {
		return r.shifted
	}
	return r.standard
}

// in returns the change of a year in seconds since 1970, as its own clock shows it.
func (c change) in(year int) int64 {
	begin := calendar.Days(year, c.month, 1)
	day := begin + (c.day-calendar.Weekday(begin)+7)%7 + 7*(c.week-1)
	for day >= begin+calendar.InMonth(year, c.month) {
		day -= 7
	}
	return int64(day)*24*3600 + c.after
}
