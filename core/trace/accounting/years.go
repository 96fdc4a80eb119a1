package accounting

import (
	"strconv"
	"strings"

	"parley/core/calendar"
)

// years gives dates without a year the one that puts them nearest to the date before, and that fits their day
// of the week if they have one. The first date is put nearest to the middle of 2024.
type years struct {
	before int // days since 1970 of the date before; 0: there is none
}

const middle2024 = 19905 // days since 1970

var weekdays = map[string]int{"Sun": 0, "Mon": 1, "Tue": 2, "Wed": 3, "Thu": 4, "Fri": 5, "Sat": 6}

// date returns a date as ISO 8601 spells it. The day of the week and the year may be empty.
func (y *years) date(weekday, month, day, year string) string {
	m, err := strconv.Atoi(months[month])
	if months[month] == "" || err != nil {
		m, err = strconv.Atoi(month)
	}
	d, wrong := strconv.Atoi(day)
	if err != nil || wrong != nil || m < 1 || m > 12 || d < 1 || d > 31 {
		return strings.Join([]string{year, month, day}, "-")
	}
	if year == "" {
		if y.before == 0 {
			y.before = middle2024
		}
		of, is := weekdays[weekday]
		best, nearest := 0, 1<<30
		for n := 1990; n < 2100; n++ {
			at := calendar.Days(n, m, d)
			if is && calendar.Weekday(at) != of || m == 2 && d == 29 && calendar.InMonth(n, 2) < 29 {
				continue
			}
			if far := max(at-y.before, y.before-at); far < nearest {
				best, nearest = n, far
			}
		}
		if best == 0 { // the day of the week is wrong
			return y.date("", month, day, "")
		}
		year, y.before = strconv.Itoa(best), calendar.Days(best, m, d)
	}
	return year + "-" + strconv.Itoa(100 + m)[1:] + "-" + strconv.Itoa(100 + d)[1:]
}
