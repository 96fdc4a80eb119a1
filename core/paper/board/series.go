package board

import (
	"fmt"
	"strings"
)

// waits lets agents wait until their latest starts: the paper to the letter.
const waits = `"patience_us":0`

// contender is a system with settings, as rows call it.
type contender struct{ name, system, settings string }

var (
	safe       = contender{"the paper's rule", "board", `{"thread_rule":"safe"}`}
	literal    = contender{"the paper's rule, literal", "board", `{"thread_rule":"literal"}`}
	safeWaits  = contender{"the paper's rule, waits to the last", "board", `{"thread_rule":"safe",` + waits + `}`}
	literalToo = contender{"the paper's rule, literal, waits to the last", "board", `{"thread_rule":"literal",` + waits + `}`}
	ready      = contender{"what is ready", "board", `{"thread_rule":"ready"}`}
	dispatcher = contender{"a dispatcher that sees all", "dispatcher", ""}
	heft       = contender{"HEFT, planned anew", "static", `{"algorithm":"heft","recover":"replan"}`}
	heftWaits  = contender{"HEFT, waits", "static", `{"algorithm":"heft","recover":"wait"}`}
)

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
// so much work arrives that resources of mean speed are busy for that long.
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
	return append(rows, members, both)
}
