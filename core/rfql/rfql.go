// Package rfql defines requests for quotation: a user's request to a machine that sells time, as
// terms with a name and a text. A document has one or more units; either all of them are bought or
// none.
//
// The terms are those of RFQL (Zasada and Coveney, arXiv 1512.04343, section 5.2).
// CPUHourCost, EndDate, EndTime, and either TotalCores or both NodeCount and NodeCores are
// required; TotalDiskSpace and NodeDiskSpace exclude each other. A term that is omitted sets
// no condition; a term that is present must be satisfied. The paper gives no units. Here
// disks and memory are in MB, speeds in MHz and bandwidths in Mbit/s, WallTime is a duration
// of XML Schema, and times are UTC.
//
// A scenario holds a unit as JSON with the terms' names. Files hold it as XML, which package
// trace/rfql reads.
//
//	u, problem := rfql.Parse([]rfql.Given{{Name: "TotalCores", Text: "16"}, …})
package rfql

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/core/unit"
	"parley/core/words"
)

// Price is thousandths of a credit for one core and hour.
type Price int64

// Credit is a price of one credit.
const Credit Price = 1000

// String writes a price in credits: "70", "33.5".
func (p Price) String() string { return thousandths(int64(p)) }

// Credits returns a price in credits.
func (p Price) Credits() float64 { return float64(p) / float64(Credit) }

// MaxPrice bounds prices, so that the cost of a unit can be counted.
const MaxPrice = 100_000 * Credit

// Unit is one unit of a request. Numbers are 0 and texts empty if the request omits them.
type Unit struct {
	Price                             Price     // the most that is paid
	Start, End                        unit.Time // since 1970; Start is -1 if the request omits it
	Fixed                             bool      // it must start at Start, not later
	Wall                              unit.Time // how long it runs at most
	OperatingSystem, OSVersion        string
	Architecture                      string
	CPUSpeed, RAMPerCore              int64
	TotalDisk, NodeDisk, InterNode    int64
	TotalCores, NodeCount, CoresANode int32
}

// Cores returns how many cores the unit asks for in all.
func (u *Unit) Cores() int {
	if u.TotalCores > 0 {
		return int(u.TotalCores)
	}
	return int(u.NodeCount) * int(u.CoresANode)
}

// Given is a term of a document: its name and its text.
type Given struct {
	Name, Text string
	Line       int // of a file, counted from 1; 0: not of a file
}

// Problem describes an error in a unit.
type Problem struct {
	Term   string // "": the unit as a whole
	Text   string // the text of the term
	Line   int    // 0: not of a file
	Reason string // continues the sentence
}

// Error returns one sentence.
func (p *Problem) Error() string {
	place := "the unit"
	if p.Term != "" {
		place = p.Term
		if p.Text != "" {
			place += " is " + strconv.Quote(cut(p.Text)) + ","
		}
	}
	if p.Line > 0 {
		place = fmt.Sprintf("line %d: %s", p.Line, place)
	}
	return place + " " + p.Reason
}

// Parse reads the terms of one unit. The problem names the first term that is unknown, given twice or
// invalid, with its line; nil if there is none. With a problem the unit is incomplete.
func Parse(terms []Given) (Unit, *Problem) {
	u := Unit{Start: -1}
	found := map[string]Given{}
	for _, g := range terms {
		t := slices.IndexFunc(Terms, func(t Term) bool { return t.Name == g.Name })
		if t < 0 {
			return u, &Problem{
				Term: g.Name, Line: g.Line,
				Reason: "is no term of RFQL: choose among " + strings.Join(names(), ", "),
			}
		}
		if first, twice := found[g.Name]; twice {
			reason := "is given twice: leave one of them out"
			if first.Line > 0 {
				reason = fmt.Sprintf("is given twice, in line %d before: leave one of them out", first.Line)
			}
			return u, &Problem{Term: g.Name, Line: g.Line, Reason: reason}
		}
		g.Text = strings.TrimSpace(g.Text)
		found[g.Name] = g
		if reason := Terms[t].read(&u, g.Text); reason != "" {
			return u, &Problem{Term: g.Name, Text: g.Text, Line: g.Line, Reason: reason}
		}
	}
	return u, u.complete(found)
}

// complete sets the unit's start and end from its dates and times of day, and checks that required terms
// are given and terms that depend on each other agree. found has the terms that were given.
func (u *Unit) complete(found map[string]Given) *Problem {
	has := func(name string) bool { _, given := found[name]; return given }
	wrong := func(name, reason string) *Problem {
		return &Problem{Term: name, Text: found[name].Text, Line: found[name].Line, Reason: reason}
	}
	for _, t := range Terms {
		if t.Required && !has(t.Name) {
			return &Problem{Reason: "has no " + t.Name + ", which every request needs"}
		}
	}
	switch {
	case has("TotalCores") && (has("NodeCount") || has("NodeCores")):
		return wrong("TotalCores", "stands beside NodeCount or NodeCores: give the one or the others")
	case !has("TotalCores") && !has("NodeCount") && !has("NodeCores"):
		return &Problem{Reason: "says nothing of cores: give TotalCores, or NodeCount and NodeCores"}
	case has("NodeCount") && !has("NodeCores"):
		return wrong("NodeCount", "needs NodeCores beside it")
	case has("NodeCores") && !has("NodeCount"):
		return wrong("NodeCores", "needs NodeCount beside it")
	case has("TotalDiskSpace") && has("NodeDiskSpace"):
		return wrong("NodeDiskSpace", "stands beside TotalDiskSpace: give one of them")
	case has("StartTime") && !has("StartDate"):
		return wrong("StartTime", "needs StartDate beside it")
	case has("OSVersion") && !has("OperatingSystem"):
		return wrong("OSVersion", "needs OperatingSystem beside it")
	case int64(u.NodeCount)*int64(u.CoresANode) > MaxCores:
		return wrong("NodeCount", fmt.Sprintf("and NodeCores are more than %d cores together", MaxCores))
	}
	day, _ := parseDate(found["EndDate"].Text)
	hour, _ := parseClock(found["EndTime"].Text)
	u.End = day + hour
	if has("StartDate") {
		u.Start, _ = parseDate(found["StartDate"].Text)
		if has("StartTime") {
			hour, _ := parseClock(found["StartTime"].Text)
			u.Start, u.Fixed = u.Start+hour, true
		}
		if u.End <= u.Start {
			return wrong("EndDate", "lies with EndTime not after the start")
		}
		if u.End-u.Start < u.Wall {
			return wrong("WallTime", "is longer than from start to end")
		}
	}
	return nil
}

// MaxCores limits the cores of a unit: thrice the largest machine that exists.
const MaxCores = 1 << 25

func cut(text string) string { return words.Cut(text, 40) }

// thousandths returns n/1000 as a decimal number without trailing zeros.
func thousandths(n int64) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	text := sign + strconv.FormatInt(n/1000, 10)
	if rest := n % 1000; rest > 0 {
		text += "." + strings.TrimRight(fmt.Sprintf("%03d", rest), "0")
	}
	return text
}
