package system

import (
	"fmt"
	"math"
	"strconv"

	"parley/core/unit"
)

// Count returns a number with its noun, as in "1 subtask" or "3,241 work units".
// Numbers from 100 on are whole, others have three digits at most. One is the noun
// in the singular; its plural ends in s.
func Count(n float64, one string) string {
	text := Whole(n)
	if math.Abs(n) < 99.95 {
		text = strconv.FormatFloat(n, 'g', 3, 64)
	}
	if text != "1" {
		one += "s"
	}
	return text + " " + one
}

// Whole returns a number rounded to a whole one, with commas between thousands.
func Whole(n float64) string {
	return unit.Grouped(strconv.FormatFloat(math.Round(n)+0, 'f', 0, 64)) // adding 0 turns -0 into 0
}

// Price returns an amount of credits with at most two digits behind the point.
func Price(credits float64) string {
	return strconv.FormatFloat(math.Round(100*credits)/100, 'f', -1, 64)
}

// Span returns a duration by its two largest units, as in "29m 42s" or "3h 12m";
// a duration below ten seconds has one digit behind the point.
func Span(seconds float64) string {
	switch s := int64(math.Round(seconds)); {
	case seconds < 9.95:
		return strconv.FormatFloat(math.Round(10*seconds)/10, 'f', -1, 64) + "s"
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return two(s, 60, "m", "s")
	case s < 86_400:
		return two((s+30)/60, 60, "h", "m")
	default:
		return two((s+1800)/3600, 24, "d", "h")
	}
}

// SpanOf returns a duration as Span does.
func SpanOf(t unit.Time) string { return Span(t.Seconds()) }

func two(n, part int64, large, small string) string {
	if n%part == 0 {
		return fmt.Sprintf("%d%s", n/part, large)
	}
	return fmt.Sprintf("%d%s %d%s", n/part, large, n%part, small)
}
