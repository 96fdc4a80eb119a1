package measure

import (
	"fmt"
	"time"
)

// Central measures the tasks per second that a policy of the central scheduler places when the
// published population arrives at 12,500 empty nodes at once. It counts all work: tasks are drawn,
// submitted, placed and reported. No task is preempted.
// that happens: tasks are drawn, submitted, placed and reported. No task is preempted.
func Central(policy string) Measurement {
	const nodes = 12_500
	return Measurement{
		Name: "central " + policy, Unit: "placements/s", Nodes: nodes,
		Once: func(now func() time.Time) (float64, error) {
			return placements(now, fmt.Sprintf(`{"policy":%q,"preempt":false}`, policy), nodes)
		},
	}
}
