// Package systemtest is the conformance kit of package system: it holds any
// System to the assumptions of the laboratory, in the spirit of testing/fstest.
//
// It plays random trials on small clusters: tasks arrive, change and end, nodes join, leave, fail
// and shrink, agents and messages fail, and the workload's own scheduler records where it would have
// placed tasks. During the trial and afterwards
//
//   - the system returns no error, acts only when it is called to act, and lets time
//     advance;
//   - no task is lost or runs twice: the events give the place of every task, and
//     the cluster's sums agree after every event;
//   - the system forgets tasks that ended;
//   - once all faults are repaired and there is room, every waiting task is placed;
//   - the same trial gives the same digest, with and without a listener.
//
// A trial that fails is printed as a script for testdata, in the words of package
// scripttest/cell; the system's own script words must implement fault KIND AGENT VALUE.
//
// A system's own test is one line a setting:
//
//	func TestConformance(t *testing.T) {
//		systemtest.Run(t, central.Entry(), json.RawMessage(`{"policy":"best-fit"}`))
//	}
//
// A system that supports task graphs is also checked by trials of graphs, see Graphs.
//
// -rapid.checks sets the number of trials; -short plays a tenth of them.
package systemtest

import (
	"encoding/json"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/system"
)

// Option changes the requirements of Run.
type Option func(*promises)

// promises are the checked properties of a system.
type promises struct {
	mayWait bool
	trials  int
}

// MayWait declares that a task may wait although there is room, because the settings under test
// require it: a quota, for example.
func MayWait() Option { return func(p *promises) { p.mayWait = true } }

// Trials sets the number of random tests; the default is 100.
func Trials(n int) Option { return func(p *promises) { p.trials = n } }

// Run holds the systems that an entry makes from settings to the contract.
func Run(t *testing.T, entry system.Entry, settings json.RawMessage, options ...Option) {
	t.Helper()
	p := promises{trials: 100}
	for _, option := range options {
		option(&p)
	}
	t.Run("description", func(t *testing.T) { describes(t, entry) })
	t.Run("settings", func(t *testing.T) { refusesNonsense(t, entry.New, settings) })
	t.Run("trials", func(t *testing.T) {
		Cases(t, p.trials)
		rapid.Check(t, func(t *rapid.T) {
			if script, fault := verify(trials.Draw(t, "trial"), entry, settings, p); fault != nil {
				t.Fatalf("%v\n\nAs a script for testdata (core/testkit/scripttest/README.md):\n\n%s",
					fault, script)
			}
		})
	})
}

// Cases lets a test check n random cases with rapid, a tenth of them with
// -short, unless the flag -rapid.checks gives their number.
func Cases(t *testing.T, n int) {
	t.Helper()
	const name = "rapid.checks"
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	if given {
		return
	}
	if testing.Short() {
		n = 5 * max(1, n/10) // rapid plays a fifth of them
	}
	checks := flag.Lookup(name).Value
	before := checks.String()
	if err := checks.Set(strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := checks.Set(before); err != nil {
			t.Error(err)
		}
	})
}

// verify plays a trial three times, without a listener, with one, and with one again. If the system
// has a fault, it returns the fault and the trial as a script.
func verify(s trial, entry system.Entry, settings json.RawMessage, p promises) (script string, fault error) {
	var out [3]outcome
	var recorded *recorder
	for i := range out {
		if out[i], recorded, fault = play(s, entry, settings, p, i > 0); fault != nil {
			return recorded.script(entry.ID, fault), fault
		}
	}
	if fault = differences(out[0], out[1], out[2]); fault != nil {
		return recorded.script(entry.ID, fault), fault
	}
	return "", nil
}

// differences compares a play without a listener with two that have one.
func differences(silent, listened, again outcome) error {
	switch {
	case listened.digest != again.digest:
		return fmt.Errorf("the same trial gave %v and %v", listened.digest, again.digest)
	case listened.digest != silent.digest:
		return fmt.Errorf("the trial gave %v when somebody listened to the notes, %v when not", listened.digest,
			silent.digest)
	case listened.notes != again.notes:
		return fmt.Errorf("the same trial gave other notes: %016x and %016x", listened.notes, again.notes)
	}
	return nil
}

// refusesNonsense: settings are read strictly, with one sentence for an error.
func refusesNonsense(t *testing.T, factory system.Factory, settings json.RawMessage) {
	for _, raw := range []string{`{"no_such_setting":1}`, `[]`, `5`, `"policy"`, `{`, `{} {}`, `{"`} {
		w := newWorld(trial{}, system.Description{})
		if _, err := factory(w.env(nil), json.RawMessage(raw)); err == nil {
			t.Errorf("the settings %s were taken", raw)
		} else if text := err.Error(); text == "" || len(text) > 500 || strings.ContainsRune(text, '\n') {
			t.Errorf("the settings %s give %q, which is no sentence", raw, text)
		}
	}
	for _, raw := range []json.RawMessage{nil, json.RawMessage(` `), json.RawMessage(`{}`), settings} {
		w := newWorld(trial{}, system.Description{})
		if s, err := factory(w.env(nil), raw); err != nil || s == nil {
			t.Errorf("the settings %q give the system %v (%v)", raw, s, err)
		}
	}
}
