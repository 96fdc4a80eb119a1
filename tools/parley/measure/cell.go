package measure

import (
	"fmt"
	"runtime"
	"time"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
)

// How long a cell is played before it is timed, and how long it is timed: the
// initial population is placed in the first minutes.
const (
	warmup = 10 * unit.Minute
	span   = 2 * unit.Hour
)

// Cell measures how many times faster than real time a generated Google cell
// of so many nodes, with 11 running tasks a node, is played under negotiation.
func Cell(nodes int) Measurement {
	return Measurement{
		Name: fmt.Sprintf("%d nodes", nodes), Unit: "x real time",
		Once: func(now func() time.Time) (float64, error) {
			s, err := scenario.Parse(fmt.Appendf(nil, `{"v":1,"system":"negotiation","seed":7,"cluster":{"nodes":%d}}`, nodes))
			if err != nil {
				return 0, err
			}
			r, err := run.Open(s, nil)
			if err != nil {
				return 0, err
			}
			if err := r.Advance(warmup); err != nil {
				return 0, err
			}
			runtime.GC() // what the start left behind; as WebAssembly nothing else would end a collection under way
			seconds, err := timed(now, func() error { return r.Advance(warmup + span) })
			return span.Seconds() / seconds, err
		},
	}
}
