package zone

import "strings"

// rule is a rule of POSIX, such as CET-1CEST,M3.5.0,M10.5.0/3.
type rule struct {
	standard, shifted int64 // offsets from UTC
	summer            bool  // there are two
	begin, end        change
}

// change is a moment of each year: the week of a month (5 is the last), the day of the week from Sunday, and the
// seconds after midnight.
type change struct{ month, week, day, after int64 }

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

// clock returns the seconds of [-]h[:mm].
func clock(text string) int64 {
	sign := int64(1)
	if text = strings.TrimPrefix(text, "+"); strings.HasPrefix(text, "-") {
		sign, text = -1, text[1:]
	}
	hours, rest, _ := strings.Cut(text, ":")
	return sign * (minutes(hours)*60 + minutes(rest))
}

// parseChange parses M3.5.0/3.
func parseChange(text string) change {
	day, at, is := strings.Cut(strings.TrimPrefix(text, "M"), "/")
	part := strings.Split(day, ".")
	c := change{month: minutes(part[0]) / 60, week: minutes(part[1]) / 60, day: minutes(part[2]) / 60, after: 2 * 3600}
	if is {
		c.after = clock(at)
	}
	return c
}

// at returns the offset at a moment.
func (r *rule) at(utc int64) int64 {
	if !r.summer {
		return r.standard
	}
	year := yearOf(utc + r.standard)
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
func (c change) in(year int64) int64 {
	begin := days(year, c.month, 1)
	day := begin + (c.day-(begin+4)%7+7)%7 + 7*(c.week-1) // 1 January 1970 was a Thursday
	next := days(year, c.month+1, 1)
	if c.month == 12 {
		next = days(year+1, 1, 1)
	}
	for day >= next {
		day -= 7
	}
	return day*24*3600 + c.after
}

// yearOf returns the year of a moment since 1970.
func yearOf(seconds int64) int64 {
	day := seconds / (24 * 3600)
	year := 1970 + day*400/146097
	for days(year, 1, 1) > day {
		year--
	}
	for days(year+1, 1, 1) <= day {
		year++
	}
	return year
}

// days counts the days of the Gregorian calendar since 1970.
func days(year, month, day int64) int64 {
	if month <= 2 {
		year, month = year-1, month+12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1 - 719468
}
