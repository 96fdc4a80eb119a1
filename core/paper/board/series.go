package board

import (
	"fmt"
	"strings"
)

// waits lets agents wait until their latest starts: the paper to the letter.
const waits = `"patience_us":0`

// contender is a system with settings, as rows call it.
type contender struct{ name, system, settings string }

// The paper's rule, read in two ways, alone and in a hybrid with ours: with the default
// patience a graph whose agents wait for what none of them can take is taken by what is
// ready from then on.
var (
	safe       = contender{"hybrid of the paper's rule and what is ready", "board", `{"thread_rule":"safe"}`}
	literal    = contender{"hybrid of the paper's rule, literal, and what is ready", "board", `{"thread_rule":"literal"}`}
	safeWaits  = contender{"the paper's rule alone", "board", `{"thread_rule":"safe",` + waits + `}`}
	literalToo = contender{"the paper's rule alone, literal", "board", `{"thread_rule":"literal",` + waits + `}`}
	ready      = contender{"what is ready", "board", `{"thread_rule":"ready"}`}
	dispatcher = contender{"a dispatcher that sees all", "dispatcher", ""}
	heft       = contender{"HEFT, planned anew", "static", `{"algorithm":"heft","recover":"replan"}`}
	heftWaits  = contender{"HEFT, waits", "static", `{"algorithm":"heft","recover":"wait"}`}
)

// hybrid reports whether a contender takes graphs that have stalled by another rule.
func (c contender) hybrid() bool { return strings.HasPrefix(c.name, "hybrid") }

// The paper's claims.
const (
	leastEfficiency = 70.0
	leastGuarantee  = 90.0
)

// Series is the paper's one published result, over load and tightness. Load is the work
// that arrives, as a share of what all resources can do at their mean speed; tightness is
// the deadline in critical paths on mean resources. Beside each guarantee stands what
// bounds it whatever the method: graphs whose deadline is shorter than their critical
// path on the fastest resources, and more work than all resources could do at the highest
// speed. The guarantee is judged where these leave room for it, and the efficiency where
// so much work arrives that resources of mean speed are busy for that long. Of a hybrid a
// row says which share of the graphs stalled: those the paper's rule did not bring to an end.
func Series(e Effort) (rows []Row, err error) {
	for _, one := range []struct {
		contender
		loads []float64
	}{
		{safeWaits, []float64{0.05, 0.1, 0.2, 0.4}},
		{literalToo, []float64{0.05, 0.1, 0.2, 0.4}},
		{safe, []float64{0.1, 0.2, 0.4, 0.75, 0.9, 1.1}},
		{literal, []float64{0.1, 0.2, 0.4, 0.75, 0.9, 1.1}},
		{ready, []float64{0.4, 0.75, 0.9, 1.1, 2}},
		{dispatcher, []float64{0.4, 0.75, 0.9, 1.1, 2}},
	} {
		for _, load := range one.loads {
			for _, tightness := range []float64{0.7, 1, 1.5, 2, 3, 5} {
				all, err := e.over(setting{system: one.system, settings: one.settings, load: load, tightness: tightness})
				if err != nil {
					return nil, err
				}
				rows = append(rows, cell(one.contender, load, tightness, all)...)
			}
		}
	}
	return rows, nil
}

// The highest and the mean speed of the resources in setting.document.
const (
	topSpeed  = 2.0
	meanSpeed = 1.25
)

// cell returns the rows of one place of the map.
func cell(c contender, load, tightness float64, all []outcome) []Row {
	name := func(what string) string {
		return fmt.Sprintf("%s, load %v, deadline × %v: %s", c.name, load, tightness, what)
	}
	possible := 100 - row("", "", all, func(o outcome) float64 { return o.impossible }).Measured
	possible = min(possible, 100*topSpeed/meanSpeed/load)
	met := row(name("guarantee"), "%", all, guarantee)
	if possible >= leastGuarantee {
		met.AtLeast(leastGuarantee)
	}
	met.Note = fmt.Sprintf("no method meets more than %.0f %% there", possible)
	switch {
	case met.Holds == nil || *met.Holds:
	case strings.Contains(c.settings, waits):
		met.Note += "; resources that hold the ends of graphs wait for beginnings that nobody is left to take"
	default:
		met.Note += "; it is the method that does not get there"
	}
	busy := row(name("efficiency, computing"), "%", all, computing)
	if c.system == "board" && 100*load >= leastEfficiency && possible >= leastGuarantee {
		busy.AtLeast(leastEfficiency)
	}
	if busy.Holds != nil && !*busy.Holds {
		busy.Note = "resources wait for inputs while they hold a thread"
	}
	rows := []Row{met, busy}
	if c.system != "board" {
		return rows
	}
	members := row(name("efficiency, in communities"), "%", all, engaged)
	both := row(name("both claims, efficiency as time in communities"), "of 1", all, func(o outcome) float64 {
		if o.guarantee >= leastGuarantee && o.engaged >= leastEfficiency {
			return 1
		}
		return 0
	})
	rows = append(rows, members, both)
	if c.hybrid() {
		rows = append(rows, row(name("graphs that stalled and were taken by what is ready"), "%", all, func(o outcome) float64 { return o.stalled }))
	}
	return rows
}
