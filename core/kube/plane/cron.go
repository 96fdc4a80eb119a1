package plane

import (
	"strconv"
	"strings"
	"time"

	"parley/core/kube"
)

// Holds reports whether a budget of a NodePool holds at a moment, in seconds since 1970: always if it has no schedule,
// else if a time of the schedule is less than its duration ago. At 0, an unknown moment, a budget with a schedule does
// not. One whose schedule is not understood holds. (karpenter/pkg/apis/v1/nodepool.go, IsActive)
func Holds(b *kube.NodeBudget, at int64) bool {
	if b.Schedule == "" || at == 0 {
		return b.Schedule == ""
	}
	fields := strings.Fields(b.Schedule)
	if len(fields) == 1 {
		fields = strings.Fields(shortSchedules[fields[0]])
	}
	if len(fields) != len(cronFields) {
		return true
	}
	var allowed [len(cronFields)]uint64
	for i, f := range fields {
		if allowed[i] = cronFields[i].allows(f); allowed[i] == 0 {
			return true
		}
	}
	either := !strings.HasPrefix(fields[2], "*") && !strings.HasPrefix(fields[4], "*")
	const longest = 366 * 24 * 3600
	for t := at - at%60; t > at-min(b.Duration, longest); t -= 60 {
		x := time.Unix(t, 0).UTC()
		is := func(field, n int) bool { return allowed[field]>>n&1 == 1 }
		month, week := is(2, x.Day()), is(4, int(x.Weekday()))
		day := month && week || either && (month || week)
		if day && is(0, x.Minute()) && is(1, x.Hour()) && is(3, int(x.Month())) {
			return true
		}
	}
	return false
}

var shortSchedules = map[string]string{
	"@annually": "0 0 1 1 *", "@yearly": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0", "@daily": "0 0 * * *",
	"@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}

// cronField is a field of a schedule of cron.
type cronField struct {
	low, high int
	names     string // of three letters each, the first is low
}

// cronFields are minute, hour, day of the month, month and day of the week.
var cronFields = [5]cronField{
	{0, 59, ""}, {0, 23, ""}, {1, 31, ""}, {1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"}, {0, 6, "sunmontuewedthufrisat"},
}

// number reads a number or a name of the field, and whether it is one.
func (f *cronField) number(s string) (int, bool) {
	if at := strings.Index(f.names, strings.ToLower(s)); len(s) == 3 && at >= 0 && at%3 == 0 {
		return f.low + at/3, true
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= f.low && n <= f.high
}

// allows returns the numbers that a text such as 1-5, */15 or mon,wed allows, as bits; 0 if it is not understood.
func (f *cronField) allows(text string) (bits uint64) {
	for part := range strings.SplitSeq(text, ",") {
		span, step, stepped := strings.Cut(part, "/")
		low, high, every, is := f.low, f.high, 1, true
		if span != "*" && span != "?" {
			from, to, ranged := strings.Cut(span, "-")
			low, is = f.number(from)
			switch {
			case ranged && is:
				high, is = f.number(to)
			case !stepped:
				high = low
			}
		}
		if stepped && is {
			var err error
			every, err = strconv.Atoi(step)
			is = err == nil
		}
		if !is || every < 1 || high < low {
			return 0
		}
		for n := low; n <= high; n += every {
			bits |= 1 << n
		}
	}
	return bits
}
