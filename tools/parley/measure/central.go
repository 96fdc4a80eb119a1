package measure

import (
	"fmt"
	"time"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
)

// Central measures how many tasks a second a policy of the central scheduler places
// when the published population comes to 12,500 empty nodes at once. It counts all
// that happens: tasks are drawn, submitted, placed and reported. No task is preempted.
func Central(policy string) Measurement {
	const nodes = 12_500
	return Measurement{
		Name: "central " + policy, Unit: "placements/s", Nodes: nodes,
		Once: func(now func() time.Time) (float64, error) {
			s, err := scenario.Parse(fmt.Appendf(nil, `{"v":1,"system":"central","seed":7,"cluster":{"nodes":%d},"settings":{"policy":%q,"preempt":false}}`, nodes, policy))
			if err != nil {
				return 0, err
			}
			r, err := run.Open(s, nil)
			if err != nil {
				return 0, err
			}
			seconds, err := timed(now, func() error { return r.Advance(unit.Millisecond) })
			return float64(r.View().Totals().Placements) / seconds, err
		},
	}
}
