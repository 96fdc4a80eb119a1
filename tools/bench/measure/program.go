package measure

import (
	"fmt"
	"time"

	"parley/core/run"
	"parley/core/run/full"
	"parley/core/scenario"
	"parley/core/system/example"
	"parley/core/system/program"
	"parley/core/unit"
)

// ProgramOverhead measures the additional time of an event under a user's program, against the same
// event under the same policy in Go. The policy is the power of two choices, on a cell of the given
// size. It returns an error if the digests of the two runs differ.
func ProgramOverhead(nodes int) Measurement {
	const id = "power_of_two_choices"
	return Measurement{
		Name: "program, beside the same policy in Go", Unit: "ns/event", Nodes: nodes,
		Once: func(now func() time.Time) (float64, error) {
			s, err := scenario.Parse(fmt.Appendf(nil,
				`{"v":1,"system":"program","seed":7,"cluster":{"nodes":%d},"until":"10m"}`, nodes))
			if err != nil {
				return 0, err
			}
			inGo := example.Entry()
			inGo.ID = s.System // random numbers are named by the system
			plain, plainSeconds, err := playTimed(run.Registry{inGo}, s, now)
			if err != nil {
				return 0, err
			}
			for _, e := range program.Examples() {
				if e.ID == id {
					s.Program = e.Text
				}
			}
			r, seconds, err := playTimed(full.Systems(), s, now)
			if err != nil {
				return 0, err
			}
			if r.Digest() != plain.Digest() {
				return 0, fmt.Errorf("the program's digest is %v, that of the system in Go %v", r.Digest(),
					plain.Digest())
			}
			calls, _ := r.Report().System["calls"].(int64)
			return (seconds - plainSeconds) * 1e9 / float64(max(1, calls)), nil
		},
	}
}

// playTimed plays a scenario to its end and returns its time in seconds.
func playTimed(registry run.Registry, s *scenario.Scenario, now func() time.Time) (*run.Run, float64, error) {
	r, err := registry.Open(s, nil)
	if err != nil {
		return nil, 0, err
	}
	seconds, err := timed(now, func() error { return r.Advance(unit.Forever) })
	return r, seconds, err
}
