package swf

import (
	"math"
	"strconv"

	"parley/core/trace"
	"parley/core/unit"
)

// columns is how many a row has.
const columns = 18

// The columns that a run needs or a summary counts.
const (
	number = iota
	submit
	wait
	runTime
	allocated
	cpuTime
	usedMemory
	requested
	requestedTime
	requestedMemory
	status
	user
	group
	executable
	queue
	partition
	preceding
	thinkTime
)

// names are the columns as the standard spells them.
var names = [columns]string{
	"job number", "submit time", "wait time", "run time", "allocated processors", "average CPU time", "used memory",
	"requested processors", "requested time", "requested memory", "status", "user", "group", "executable", "queue", "partition",
	"preceding job", "think time",
}

// The states of a job that the standard knows.
const (
	failed           = 0
	completed        = 1
	partial          = 2 // to be continued; the row with 0 or 1 sums the job up
	partialCompleted = 3
	partialFailed    = 4
	cancelled        = 5
)

// unknown stands where the log knows nothing.
const unknown = -1

// job is a row's columns: times in microseconds, all else in whole numbers.
type job [columns]int64

// longest bounds times: ten years, the longest run there can be.
const longest = 3650 * unit.Day

// mostProcessors bounds what a job or a machine may have: thrice the largest
// machine there is.
const mostProcessors = 1 << 25

// trouble is what breaks a row.
type trouble struct {
	column int // -1: the whole row
	why    string
}

// parse reads a row.
func (j *job) parse(f *trace.Fields) (trouble, bool) {
	if f.Len() != columns {
		return trouble{-1, "should have the 18 columns of the Standard Workload Format and has " + strconv.Itoa(f.Len())}, false
	}
	for i := range j {
		limit := int64(math.MaxInt64)
		switch i {
		case submit, runTime: // of waits nothing follows, and a limit may be without limit
			limit = int64(longest)
		case allocated, requested:
			limit = mostProcessors
		case user, group, queue:
			limit = math.MaxInt32
		}
		n, why := parse(f.At(i), i == submit || i == wait || i == runTime || i == requestedTime)
		if why == "" && n > limit {
			why = trace.WhyLarge
		}
		if why != "" {
			return trouble{i, why}, false
		}
		j[i] = n
	}
	switch {
	case j[submit] < 0:
		return trouble{submit, "is negative: every job is submitted at some time"}, false
	case j[number] < 0:
		return trouble{number, trace.WhyNegative}, false
	}
	return trouble{}, true
}

// parse reads a number, which may have a sign and decimals; of a time it returns
// microseconds. Whatever is negative is unknown.
func parse(text []byte, isTime bool) (n int64, why string) {
	digits := text
	minus := len(text) > 0 && text[0] == '-'
	if minus {
		digits = text[1:]
	}
	if u, ok := plain(digits); ok {
		if minus && u > 0 {
			return unknown, ""
		}
		if isTime {
			return u * int64(unit.Second), ""
		}
		return u, ""
	}
	places := 0
	if isTime {
		places = 6
	}
	u, why := trace.Decimal(digits, places)
	switch {
	case len(digits) > 0 && digits[0] == '-':
		return 0, trace.WhyNumber
	case why != "":
		return 0, why
	case minus && u > 0:
		return unknown, ""
	}
	return int64(u), ""
}

// plain reads up to twelve digits, which nearly all numbers of a log are.
func plain(text []byte) (n int64, ok bool) {
	if len(text) == 0 || len(text) > 12 {
		return 0, false
	}
	for _, c := range text {
		d := c - '0'
		if d > 9 {
			return 0, false
		}
		n = n*10 + int64(d)
	}
	return n, true
}

// processors returns how many a job asks for: as requested or, where that is
// unknown, as it was given.
func (j *job) processors() int64 {
	if j[requested] > 0 {
		return j[requested]
	}
	return j[allocated]
}
