// Package systemtest is the conformance kit of package system: it holds any
// System to what the laboratory relies on, in the spirit of testing/fstest.
//
// It plays random trials on small clusters: tasks come, change and end, nodes
// join, leave, fail and shrink, agents and messages fail, and the workload's own
// scheduler records where it would have put tasks. Meanwhile and afterwards
//
//   - the system returns no error, acts only when it is asked to, and lets time
//     go on;
//   - no task is lost or runs twice: the events say where every task is, and
//     the cluster's sums agree after every event;
//   - the system forgets tasks that ended;
//   - once everything is mended and there is room, every waiting task is placed;
//   - the same trial gives the same digest, whether somebody listens or not.
//
// A trial that fails is printed as a script for testdata, in the words of package
// scripttest/cell; fault KIND AGENT VALUE is what the system's own words have to say.
//
// A system's own test is one line a setting:
//
//	func TestConformance(t *testing.T) {
//		systemtest.Run(t, central.Entry(), json.RawMessage(`{"policy":"best-fit"}`))
//	}
//
// A system that suits task graphs is held to trials of graphs as well, see Graphs.
//
// -rapid.checks asks for another number of trials, -short plays a tenth of them.
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

// Option changes what Run asks of a system.
type Option func(*promises)

// promises are the checked properties of a system.
type promises struct {
	mayWait bool
	trials  int
}

// MayWait declares that a task may wait although there is room, because the
// settings under test want it so: a quota, say.
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
			if script, fault := tell(trials.Draw(t, "trial"), entry, settings, p); fault != nil {
				t.Fatalf("%v\n\nAs a script for testdata (core/testkit/scripttest/README.md):\n\n%s",
					fault, script)
			}
		})
	})
}

// Cases lets a test check n random cases with rapid, a tenth of them with
// -short, unless -rapid.checks says how many.
func Cases(t *testing.T, n int) {
	t.Helper()
	const name = "rapid.checks"
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == name })
	if asked {
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

// tell plays a trial three times, without a listener, with one, and with one again. It
// returns what the system did wrong, and the trial as a script then.
func tell(s trial, entry system.Entry, settings json.RawMessage, p promises) (script string, fault error) {
	var out [3]outcome
	var told *recorder
	for i := range out {
		if out[i], told, fault = play(s, entry, settings, p, i > 0); fault != nil {
			return told.script(entry.ID, fault), fault
		}
	}
	if fault = differences(out[0], out[1], out[2]); fault != nil {
		return told.script(entry.ID, fault), fault
	}
	return "", nil
}

// differences compares a play without a listener with two that have one.
func differences(unheard, heard, again outcome) error {
	switch {
	case heard.digest != again.digest:
		return fmt.Errorf("the same trial gave %v and %v", heard.digest, again.digest)
	case heard.digest != unheard.digest:
		return fmt.Errorf("the trial gave %v when somebody listened to the notes, %v when not", heard.digest,
			unheard.digest)
	case heard.notes != again.notes:
		return fmt.Errorf("the same trial gave other notes: %016x and %016x", heard.notes, again.notes)
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
