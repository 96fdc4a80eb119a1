package paper

import (
	"fmt"

	"parley/core/unit"
)

// contender is a way to schedule: a system with its settings. What the settings
// leave out takes the system's default.
type contender struct {
	name     string
	system   string
	settings map[string]any
}

// The settings of negotiation in which the paper can be read in two ways, beside
// the ones that are the default: the fifteen are drawn by weight; messages wait
// for the next of ten rounds of a minute.
var (
	weighted   = map[string]any{"draw": "weighted"}
	inRounds   = map[string]any{"mail": everyRound(10)}
	drawnInTen = map[string]any{"draw": "weighted", "mail": everyRound(10)}
)

func everyRound(aMinute int) map[string]any { return map[string]any{"rounds_a_minute": aMinute} }

// negotiation returns the agents, with the settings that differ.
func negotiation(reading string, settings map[string]any) contender {
	name := "negotiation"
	if reading != "" {
		name += ", " + reading
	}
	return contender{name, "negotiation", settings}
}

// placed is a policy of the central scheduler with its defaults.
func placed(policy string) contender {
	return contender{policy, "central", map[string]any{"policy": policy}}
}

// replayed are the recorded placements.
var replayed = contender{"Borg, replayed", "central", map[string]any{"policy": "replay"}}

// blind stands in for Borg on generated cells, which have no recorded placements:
// it puts a task onto any node that has room, whatever it requests there.
var blind = contender{"request-blind (random)", "central", map[string]any{"policy": "random"}}

// engineered are the ways in which central schedulers are run beside their defaults:
// with full knowledge and moves every five minutes, the central answer to
// negotiation; admitting by request, as Kubernetes does; and, for what headroom is
// worth, without any.
var engineered = []contender{
	{"least-allocated + rescheduler", "central", map[string]any{"policy": "least-allocated", "rescheduler": map[string]any{"every_us": 5 * unit.Minute}}},
	{"kube by request", "central", map[string]any{"policy": "kube", "admission": "request"}},
	{"best-fit without headroom", "central", map[string]any{"policy": "best-fit", "fill": 0, "production_limit": 0}},
}

// finalists are those whose limits are searched: the agents in both readings of the
// draw, and of the central schedulers one of each kind.
func finalists() []contender {
	return append([]contender{
		negotiation("", nil), negotiation("drawn by weight", weighted),
		placed("best-fit"), placed("random"), placed("least-allocated"), placed("kube"),
	}, engineered...)
}

// String returns the contender's name for progress and errors.
func (c contender) String() string { return fmt.Sprintf("%s (%s)", c.name, c.system) }
