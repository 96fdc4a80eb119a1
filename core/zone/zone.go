// Package zone has the time zones of the IANA database from 1990 on, as text.
//
// A Zone translates between UTC and the wall clock of a place. The table is part of the program, so
// that a log is read alike on every machine. zones.txt has a line for each group of names: the
// offset from UTC in 1990 in minutes, the changes since (minutes after the one before, in base 36,
// and the new offset), and the POSIX rule for the time after them. It was made of the database that
// comes with Go by testdata/generate.go.
package zone

import (
	_ "embed"
	"strconv"
	"strings"
)

//go:embed zones.txt
var table string

// first is where the table begins: 1990, in seconds since 1970.
const first = 631152000

// A Zone is the clock of a place.
type Zone struct {
	Name   string
	before int64   // offset from UTC in 1990, in seconds
	at     []int64 // changes, in seconds since 1970
	to     []int64 // the offset after each
	rule   rule    // for the time after the last change
}

// Find returns the zone of a name, such as Europe/Berlin; capitals do not matter. It returns false for
// an unknown name.
func Find(name string) (*Zone, bool) {
	if !strings.ContainsAny(name, "/") && len(name) < 2 || strings.ContainsAny(name, " ,\n") {
		return nil, false
	}
	for line := range strings.Lines(table) {
		names, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		for of := range strings.SplitSeq(names, ",") {
			if strings.EqualFold(of, name) {
				return parse(of, rest), true
			}
		}
	}
	return nil, false
}

// parse returns the zone of a line of the table without its names: the offset of 1990, the changes, each
// as minutes since the last one in base 36 and the new offset in minutes, and the rule.
func parse(name, text string) *Zone {
	words := strings.Fields(text)
	z := &Zone{Name: name, before: minutes(words[0]), rule: parseRule(words[len(words)-1])}
	at := int64(first)
	for _, w := range words[1 : len(words)-1] {
		after, to, _ := strings.Cut(w, ":")
		n, _ := strconv.ParseInt(after, 36, 64) // the table is tested
		at += n * 60
		z.at, z.to = append(z.at, at), append(z.to, minutes(to))
	}
	return z
}

func minutes(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n * 60
}

// At returns the offset of the clock from UTC at a moment; both are in seconds.
func (z *Zone) At(utc int64) int64 {
	n := len(z.at)
	if n == 0 || utc >= z.at[n-1] {
		if n == 0 && !z.rule.summer {
			return z.before
		}
		return z.rule.at(utc)
	}
	low, high := 0, n // the first change after utc
	for low < high {
		if mid := (low + high) / 2; z.at[mid] <= utc {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == 0 {
		return z.before
	}
	return z.to[low-1]
}

// Local returns when the clock shows a time, which is given as if the clock were that of UTC. In an hour that
// it shows twice, later is how much later it does so again, and 0 otherwise. In an hour that it leaves out,
// skipped is true and the clock is read as if it had not been changed yet.
func (z *Zone) Local(wall int64) (utc, later int64, skipped bool) {
	const day = 24 * 3600
	before, after := z.At(wall-day), z.At(wall+day)
	one, two := z.At(wall-before) == before, z.At(wall-after) == after
	switch {
	case one && two && before > after:
		return wall - before, before - after, false
	case one && two && before < after: // twice within two days
		return wall - after, after - before, false
	case one:
		return wall - before, 0, false
	case two:
		return wall - after, 0, false
	}
	return wall - before, 0, true
}
