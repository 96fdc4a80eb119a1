package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"parley/core/choices"
	"parley/core/scenario"
	"parley/core/unit"
)

// ErrChoices means that a run with replayed choices is not the run that was recorded: it has
// to be played again without them.
var ErrChoices = errors.New("the run differs from the recorded one, whose choices it replays")

// Replay lets a run replay recorded choices, which leaves out the searches of its first
// moments. A tape of another run or another version is ignored. If the run has other faults
// than the recorded one, the choices before the first difference are replayed.
func Replay(t *choices.Tape) Option {
	return func(r *Run) {
		key, err := keyOf(r.scenario)
		if err != nil || t.Engine != Engine || t.Run != key || t.Until <= 0 {
			return
		}
		var faults []scenario.Fault
		if json.Unmarshal(t.Faults, &faults) != nil {
			return
		}
		if until := min(differ(faults, r.scenario.Faults), differ(r.scenario.Faults, faults)); until > 0 {
			r.choices = choices.Replay(t, until)
		}
	}
}

// differ returns when the first of some faults happens that is not among others, or
// unit.Forever.
func differ(faults, others []scenario.Fault) unit.Time {
	first := unit.Forever
	for _, f := range faults {
		if !slices.Contains(others, f) {
			first = min(first, unit.Time(f.At))
		}
	}
	return first
}

// StopReplay ends the replay of recorded choices: the system searches again, and remembers
// why it chose.
func (r *Run) StopReplay() { r.choices.Stop(0) }

// Record plays a scenario up to a moment and returns its choices, with the digest of the run
// at each full minute and at the moments given.
func (g Registry) Record(s *scenario.Scenario, until unit.Time, checks ...unit.Time) (*choices.Tape, error) {
	t := &choices.Tape{}
	log := choices.Record(t)
	r, err := g.Open(s, nil, func(r *Run) { r.choices = log })
	if err != nil {
		return nil, err
	}
	for at := auditStep / 60; at < until; at += auditStep / 60 {
		checks = append(checks, at)
	}
	slices.Sort(checks)
	for _, at := range append(slices.Compact(checks), until) {
		if err := r.Advance(at); err != nil {
			return nil, err
		}
		if at != r.Now() {
			return nil, fmt.Errorf("the run ends at %v, before %v: record an earlier moment", scenario.Duration(r.Now()), scenario.Duration(at))
		}
		if err := log.Mark(at, uint64(r.Digest())); err != nil {
			return nil, err
		}
	}
	if t.Len() == 0 {
		return nil, fmt.Errorf("the system %s records no choices", s.System)
	}
	t.Engine = Engine
	if t.Run, err = keyOf(r.scenario); err != nil {
		return nil, err
	}
	t.Faults, err = json.Marshal(s.Faults)
	return t, err
}

// keyOf returns the parts of a scenario that decide a run's choices, without its faults.
func keyOf(s *scenario.Scenario) (string, error) {
	key := *s
	key.Name, key.About, key.Faults, key.Until, key.MaxUntil, key.Window, key.Chart, key.Notes, key.May, key.View =
		"", "", nil, 0, 0, scenario.Window{}, "", nil, nil, nil
	text, err := json.Marshal(&key)
	if err != nil {
		return "", err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return "", err
	}
	return compact.String(), nil
}
