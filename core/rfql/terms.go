package rfql

import (
	"strconv"
	"strings"

	"parley/core/unit"
)

// Term is a term of the language.
type Term struct {
	Name     string
	Type     string // of XML Schema
	Required bool
	About    string
	read     func(u *Unit, text string) (reason string)
	write    func(u *Unit) string // "": the unit omits the term
}

// Terms lists the language, in the order in which documents are written.
var Terms = []Term{
	{"CPUHourCost", "xs:decimal", true, "the most that is paid for a core and hour, in credits", func(u *Unit, text string) (reason string) {
		u.Price, reason = parsePrice(text)
		return reason
	}, func(u *Unit) string { return u.Price.String() }},
	{"StartDate", "xs:date", false, "the day from which on it may run", isADate, func(u *Unit) string { return date(u.Start) }},
	{"StartTime", "xs:time", false, "the time of that day at which it starts", isAClock, func(u *Unit) string {
		if !u.Fixed {
			return ""
		}
		return clock(u.Start)
	}},
	{"EndDate", "xs:date", true, "the day by which it is complete", isADate, func(u *Unit) string { return date(u.End) }},
	{"EndTime", "xs:time", true, "the time of that day", isAClock, func(u *Unit) string { return clock(u.End) }},
	{"WallTime", "xs:duration", false, "how long it runs at most", func(u *Unit, text string) (reason string) {
		u.Wall, reason = parseDuration(text)
		return reason
	}, func(u *Unit) string { return duration(u.Wall) }},
	textTerm("OperatingSystem", "that the machine runs", func(u *Unit) *string { return &u.OperatingSystem }),
	textTerm("OSVersion", "of the operating system", func(u *Unit) *string { return &u.OSVersion }),
	textTerm("Architecture", "of the processors", func(u *Unit) *string { return &u.Architecture }),
	countTerm("CPUSpeed", "the least, in MHz", func(u *Unit) *int64 { return &u.CPUSpeed }),
	countTerm("RAMPerCore", "the least, in MB", func(u *Unit) *int64 { return &u.RAMPerCore }),
	countTerm("TotalDiskSpace", "the least, in MB; excludes NodeDiskSpace", func(u *Unit) *int64 { return &u.TotalDisk }),
	countTerm("NodeDiskSpace", "the least on each node, in MB; excludes TotalDiskSpace", func(u *Unit) *int64 { return &u.NodeDisk }),
	countTerm("InterNodeBandwidth", "the least, in Mbit/s", func(u *Unit) *int64 { return &u.InterNode }),
	coresTerm("TotalCores", "cores in all; excludes NodeCount and NodeCores", func(u *Unit) *int32 { return &u.TotalCores }),
	coresTerm("NodeCount", "nodes; with NodeCores", func(u *Unit) *int32 { return &u.NodeCount }),
	coresTerm("NodeCores", "cores of each node; with NodeCount", func(u *Unit) *int32 { return &u.CoresANode }),
}

func names() []string {
	out := make([]string, len(Terms))
	for i, t := range Terms {
		out[i] = t.Name
	}
	return out
}

// Given returns the unit's terms as a document has them.
func (u *Unit) Given() (given []Given) {
	for _, t := range Terms {
		if text := t.write(u); text != "" {
			given = append(given, Given{Name: t.Name, Text: text})
		}
	}
	return given
}

// textTerm returns a term that is a text of 1 to 100 printable bytes; of returns the unit's field for
// it.
func textTerm(name, about string, of func(*Unit) *string) Term {
	return Term{name, "xs:token", false, about, func(u *Unit, text string) string {
		unprintable := func(r rune) bool { return !strconv.IsPrint(r) }
		if text == "" || len(text) > 100 || strings.ContainsFunc(text, unprintable) {
			return "is not a name of 1 to 100 bytes"
		}
		*of(u) = text
		return ""
	}, func(u *Unit) string { return *of(u) }}
}

func countTerm(name, about string, of func(*Unit) *int64) Term {
	return Term{name, "xs:positiveInteger", false, about, func(u *Unit, text string) (reason string) {
		*of(u), reason = parseCount(text, 1<<50)
		return reason
	}, func(u *Unit) string { return count(*of(u)) }}
}

func coresTerm(name, about string, of func(*Unit) *int32) Term {
	return Term{name, "xs:positiveInteger", false, about, func(u *Unit, text string) string {
		n, reason := parseCount(text, MaxCores)
		*of(u) = int32(n)
		return reason
	}, func(u *Unit) string { return count(int64(*of(u))) }}
}

func count(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// parseCount reads a whole number from 1 to limit. The second result is "" or why the text is not one, to
// follow its name.
func parseCount(text string, limit int64) (int64, string) {
	n, err := strconv.ParseUint(text, 10, 63)
	switch {
	case text == "" || err != nil && strings.Trim(text, "0123456789") != "":
		return 0, "is not a whole number above 0"
	case err != nil || int64(n) > limit:
		return 0, "is too large: at most " + strconv.FormatInt(limit, 10)
	case n == 0:
		return 0, "is not a whole number above 0"
	}
	return int64(n), ""
}

// parsePrice reads credits with up to three decimals, from 0 to MaxPrice. The second result is "" or why
// the text is not a price.
func parsePrice(text string) (Price, string) {
	whole, rest, decimals := strings.Cut(text, ".")
	if strings.HasPrefix(text, "-") {
		return 0, "is negative: a price is 0 or more"
	}
	if strings.Trim(whole, "0123456789") != "" || strings.Trim(rest, "0123456789") != "" || whole == "" || decimals && rest == "" {
		return 0, "is not a number of credits, such as 70 or 33.5"
	}
	rest = strings.TrimRight(rest, "0")
	if len(rest) > 3 {
		return 0, "has more than three decimals"
	}
	n, err := strconv.ParseInt(whole+rest+strings.Repeat("0", 3-len(rest)), 10, 64)
	if err != nil || Price(n) > MaxPrice {
		return 0, "is too high: at most " + MaxPrice.String() + " credits"
	}
	return Price(n), ""
}

// longestWall bounds how long a unit may run.
const longestWall = 366 * unit.Day

// parseDuration reads days, hours, minutes and seconds of an xs:duration, such as P1DT2H: whole numbers,
// each unit once, in this order, up to longestWall. The second result is "" or why the text is not a
// duration.
func parseDuration(text string) (unit.Time, string) {
	const reason = "is not a duration, such as PT1H30M or P2DT12H"
	rest, ok := strings.CutPrefix(text, "P")
	if !ok || rest == "" || strings.HasSuffix(rest, "T") {
		return 0, reason
	}
	sum, clockPart := unit.Time(0), false
	steps := []struct {
		letter byte
		size   unit.Time
	}{{'D', unit.Day}, {'H', unit.Hour}, {'M', unit.Minute}, {'S', unit.Second}}
	next := 0
	for rest != "" {
		if rest[0] == 'T' && !clockPart {
			clockPart, next, rest = true, max(next, 1), rest[1:]
			continue
		}
		i := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
		if i < 1 {
			return 0, reason
		}
		n, err := strconv.ParseInt(rest[:i], 10, 32)
		k := next
		for k < len(steps) && steps[k].letter != rest[i] {
			k++
		}
		if err != nil || k == len(steps) || (k > 0) != clockPart {
			return 0, reason
		}
		sum += unit.Time(n) * steps[k].size
		next, rest = k+1, rest[i+1:]
	}
	if sum <= 0 || sum > longestWall {
		return 0, "is not between a second and 366 days"
	}
	return sum, ""
}

// duration returns a time as an xs:duration, in whole seconds; "" if it is not above 0.
func duration(t unit.Time) string {
	if t <= 0 {
		return ""
	}
	text := "P"
	if days := t / unit.Day; days > 0 {
		text += strconv.FormatInt(int64(days), 10) + "D"
	}
	if t %= unit.Day; t > 0 {
		text += "T"
	}
	for _, s := range []struct {
		letter string
		size   unit.Time
	}{{"H", unit.Hour}, {"M", unit.Minute}, {"S", unit.Second}} {
		if n := t / s.size; n > 0 {
			text += strconv.FormatInt(int64(n), 10) + s.letter
			t %= s.size
		}
	}
	return text
}

// isADate returns why a text is not a date; "" if it is one.
func isADate(_ *Unit, text string) string {
	_, reason := parseDate(text)
	return reason
}

// isAClock returns why a text is not a time of day; "" if it is one.
func isAClock(_ *Unit, text string) string {
	_, reason := parseClock(text)
	return reason
}
