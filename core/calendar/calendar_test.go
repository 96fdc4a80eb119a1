package calendar_test

import (
	"testing"
	"time"

	"parley/core/calendar"
)

// TestAgainstTime compares every day of 2,400 years with package time.
func TestAgainstTime(t *testing.T) {
	at := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	for end := time.Date(2400, 1, 1, 0, 0, 0, 0, time.UTC); at.Before(end); at = at.AddDate(0, 0, 1) {
		days := int(at.Unix() / 86400)
		year, month, day := calendar.Date(days)
		last := time.Date(at.Year(), at.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
		if year != at.Year() || month != int(at.Month()) || day != at.Day() ||
			calendar.Days(year, month, day) != days || calendar.InMonth(year, month) != last ||
			calendar.Weekday(days) != int(at.Weekday()) {
			t.Fatalf("%v: day %d is %d-%d-%d, one of %d in its month, of the weekday %d", at, days, year, month, day,
				calendar.InMonth(year, month), calendar.Weekday(days))
		}
	}
}
