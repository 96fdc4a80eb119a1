package rfql

import (
	"fmt"
	"strconv"
	"strings"

	"parley/core/calendar"
	"parley/core/unit"
)

// firstYear and lastYear bound dates.
const (
	firstYear = 1970
	lastYear  = 2200
)

// digits reads a number of exactly n digits.
func digits(text string, n int) (int, bool) {
	if len(text) != n || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	x, err := strconv.Atoi(text)
	return x, err == nil
}

// parseDate reads 2026-01-31 and returns its beginning.
func parseDate(text string) (unit.Time, string) {
	const reason = "is not a date, such as 2026-01-31"
	if len(text) != len("2026-01-31") || text[4] != '-' || text[7] != '-' {
		return 0, reason
	}
	year, ok1 := digits(text[:4], 4)
	month, ok2 := digits(text[5:7], 2)
	day, ok3 := digits(text[8:], 2)
	switch {
	case !ok1 || !ok2 || !ok3 || month < 1 || month > 12 || day < 1 || day > calendar.InMonth(year, month):
		return 0, reason
	case year < firstYear || year > lastYear:
		return 0, fmt.Sprintf("lies outside of the years %d to %d", firstYear, lastYear)
	}
	return unit.Time(calendar.Days(year, month, day)) * unit.Day, ""
}

// parseClock reads 18:30:00, with up to six decimals, and returns the time since
// midnight.
func parseClock(text string) (unit.Time, string) {
	const reason = "is not a time of day, such as 18:30:00"
	whole, decimals, has := strings.Cut(strings.TrimSuffix(text, "Z"), ".")
	if len(whole) != len("18:30:00") || whole[2] != ':' || whole[5] != ':' || len(decimals) > 6 ||
		has && decimals == "" {
		return 0, reason
	}
	hour, ok1 := digits(whole[:2], 2)
	minute, ok2 := digits(whole[3:5], 2)
	second, ok3 := digits(whole[6:], 2)
	micro, ok4 := digits(decimals+strings.Repeat("0", 6-len(decimals)), 6)
	if !ok1 || !ok2 || !ok3 || !ok4 || hour > 23 || minute > 59 || second > 59 {
		return 0, reason
	}
	return unit.Time(hour)*unit.Hour + unit.Time(minute)*unit.Minute + unit.Time(second)*unit.Second + unit.Time(micro),
		""
}

// ParseMoment reads a date and a time of day, such as 2026-01-31T18:30:00Z, and
// returns the time since 1970.
func ParseMoment(text string) (unit.Time, error) {
	day, hour, ok := strings.Cut(text, "T")
	date, wrong := parseDate(day)
	clock, alsoWrong := parseClock(hour)
	if !ok || wrong != "" || alsoWrong != "" || !strings.HasSuffix(text, "Z") {
		return 0, fmt.Errorf("%q is no time of UTC, such as 2026-01-31T18:30:00Z", cut(text))
	}
	return date + clock, nil
}

// FormatMoment writes what ParseMoment reads.
func FormatMoment(t unit.Time) string { return date(t) + "T" + clock(t) + "Z" }

func date(t unit.Time) string {
	if t < 0 {
		return ""
	}
	year, month, day := calendar.Date(int(t / unit.Day))
	return fmt.Sprintf("%04d-%02d-%02d", year, month, day)
}

// clock returns a time of day as hh:mm:ss, with a fraction if there is one; "" for a negative time.
// Whole days are left out.
func clock(t unit.Time) string {
	if t < 0 {
		return ""
	}
	t %= unit.Day
	text := fmt.Sprintf("%02d:%02d:%02d", t/unit.Hour, t%unit.Hour/unit.Minute, t%unit.Minute/unit.Second)
	if micro := t % unit.Second; micro > 0 {
		text += "." + strings.TrimRight(fmt.Sprintf("%06d", micro), "0")
	}
	return text
}
