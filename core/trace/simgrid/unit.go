package simgrid

import (
	"strconv"
	"strings"

	"parley/core/trace/markup"
)

// scale is one notation of a unit: its names and their values.
type scale struct {
	unit     string
	worth    float64
	step     float64
	prefixes []string // worth step, step², …
}

var (
	decimal     = []string{"k", "M", "G", "T", "P", "E", "Z", "Y"}
	decimalLong = []string{"kilo", "mega", "giga", "tera", "peta", "exa", "zetta", "yotta"}
	binary      = []string{"Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"}

	speeds     = []scale{{"f", 1, 1000, decimal}, {"flops", 1, 1000, decimalLong}}
	bandwidths = []scale{
		{"Bps", 1, 1000, decimal},
		{"Bps", 1, 1024, binary},
		{"bps", 0.125, 1000, decimal},
		{"bps", 0.125, 1024, binary},
	}
	times = []scale{
		{"s", 1, 0, nil},
		{"ms", 1e-3, 0, nil},
		{"us", 1e-6, 0, nil},
		{"ns", 1e-9, 0, nil},
		{"ps", 1e-12, 0, nil},
		{"m", 60, 0, nil},
		{"h", 3600, 0, nil},
		{"d", 86400, 0, nil},
		{"w", 604800, 0, nil},
	}
)

// measure reads a number with its unit glued to it, such as 98.095Mf,
// 1.25E8Bps or 50us; without a unit it is in the first scale's. If it cannot
// it returns why.
func measure(text string, scales []scale) (value float64, reason string) {
	text = strings.TrimSpace(text)
	split := numberEnd(text)
	value, err := strconv.ParseFloat(text[:split], 64)
	if err != nil {
		return 0, "does not begin with a number"
	}
	unit := strings.TrimSpace(text[split:])
	if unit == "" {
		return value, ""
	}
	for _, s := range scales {
		prefix, ours := strings.CutSuffix(unit, s.unit)
		if !ours {
			continue
		}
		if prefix == "" {
			return value * s.worth, ""
		}
		worth := s.worth
		for _, p := range s.prefixes {
			if worth *= s.step; p == prefix {
				return value * worth, ""
			}
		}
	}
	names := make([]string, len(scales))
	for i, s := range scales {
		names[i] = s.unit
		if len(s.prefixes) > 0 {
			names[i] = s.prefixes[1] + s.unit
		}
	}
	return 0, "has a unit that is none of " + strings.Join(names, ", ") + " and their like"
}

// numberEnd returns where the number at the beginning of text ends. An E that
// no digit follows is a prefix of the unit, exa.
func numberEnd(text string) int {
	i := 0
	digits := func() {
		for i < len(text) && text[i] >= '0' && text[i] <= '9' {
			i++
		}
	}
	sign := func() {
		if i < len(text) && (text[i] == '-' || text[i] == '+') {
			i++
		}
	}
	sign()
	digits()
	if i < len(text) && text[i] == '.' {
		i++
		digits()
	}
	if end := i; i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		i++
		sign()
		from := i
		if digits(); i == from {
			return end
		}
	}
	return i
}

// radical reads "1-29,58" and calls each with every number; it returns why it
// cannot, and stops where each returns false.
func radical(text string, each func(n int) bool) (reason string) {
	for _, group := range strings.Split(text, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(group), "-")
		first, err := strconv.Atoi(strings.TrimSpace(from))
		last := first
		if err == nil && isRange {
			last, err = strconv.Atoi(strings.TrimSpace(to))
		}
		switch {
		case err != nil:
			return "has the part " + strconv.Quote(markup.Cut(group)) + ", which is neither a number nor a range such as 1-29"
		case last < first:
			return "has the range " + strconv.Quote(markup.Cut(group)) + ", which counts down"
		}
		for n := first; n <= last; n++ {
			if !each(n) {
				return ""
			}
		}
	}
	return ""
}

// cut shortens a text for a message.
