// Package calendar counts the days of the proleptic Gregorian calendar, in UTC without leap
// seconds. Package time has it too; it would add 40 KB to the page's first program.
//
//	day := calendar.Days(2026, 1, 31)          // 20484
//	year, month, date := calendar.Date(day)    // 2026, 1, 31
package calendar

// Days returns the number of days from 1 January 1970 to a date of the year 0 or later. The month
// is 1 to 12, or 13 for the January after; the day may be one that the month does not have.
func Days(year, month, day int) int {
	if month <= 2 {
		year, month = year-1, month+12
	}
	year += 400 // division rounds down only from 0 on
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1 - 719468 - 146097
}

// InMonth returns the number of days of a month.
func InMonth(year, month int) int { return Days(year, month+1, 1) - Days(year, month, 1) }

// Date returns the date of a number of days since 1 January 1970, from the year 0 on.
func Date(days int) (year, month, day int) {
	year = 1970 + int(int64(days)*400/146097)
	for Days(year, 1, 1) > days {
		year--
	}
	for Days(year+1, 1, 1) <= days {
		year++
	}
	month = 12
	for Days(year, month, 1) > days {
		month--
	}
	return year, month, days - Days(year, month, 1) + 1
}

// Weekday returns the day of the week of a number of days since 1 January 1970, which was a
// Thursday: 0 is Sunday.
func Weekday(days int) int { return ((days+4)%7 + 7) % 7 }
