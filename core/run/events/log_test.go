package events_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/run"
	"parley/core/run/events"
	"parley/core/scenario"
	"parley/core/testkit/runtest"
	"parley/core/unit"
)

// TestEventLog writes the log of a scenario: `log [KIND…]` with the kinds, or all.
func TestEventLog(t *testing.T) {
	datadriven.RunTest(t, "testdata/log.txt", func(t *testing.T, d *datadriven.TestData) string {
		var only []string
		for _, a := range d.CmdArgs {
			only = append(only, a.Key)
		}
		s, err := scenario.Parse([]byte(d.Input))
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		log, err := events.New(&out, only, nil)
		if err != nil {
			return "! " + err.Error() + "\n"
		}
		r, err := run.Open(s, nil, run.LogEvents(log))
		if err == nil {
			err = r.Advance(unit.Forever)
		}
		if err == nil {
			err = log.Flush()
		}
		if err != nil {
			return out.String() + "! " + err.Error() + "\n"
		}
		return out.String()
	})
}

var errFull = errors.New("no space left on the disk")

// small is a disk on which so many bytes have room.
type small struct{ room int }

// Write implements io.Writer.
func (s *small) Write(p []byte) (int, error) {
	if s.room -= len(p); s.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestLogThatCannotBeWritten ends the run, and says why there and when it is flushed.
func TestLogThatCannotBeWritten(t *testing.T) {
	for _, system := range []string{"central", "negotiation"} { // without notes and with them
		log, err := events.New(&small{100_000}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := runtest.Open(t, `{"v":1,"system":"`+system+`","cluster":{"nodes":200},"until":"20m"}`, run.LogEvents(log))
		for _, err := range []error{r.Advance(unit.Forever), r.Advance(unit.Forever), log.Flush(), log.Flush()} {
			if !errors.Is(err, errFull) || !strings.Contains(err.Error(), "the event log cannot be written") || r.Now() == r.Until() {
				t.Errorf("%s: %v", system, err)
			}
		}
	}
	log, err := events.New(&small{0}, nil, nil) // all of it waits for the end
	if err != nil {
		t.Fatal(err)
	}
	r := runtest.Open(t, `{"v":1,"system":"central","cluster":{"nodes":10},"workload":{"preset":"none"},"until":"1m"}`, run.LogEvents(log))
	runtest.Advance(t, r, unit.Forever)
	if err := log.Flush(); !errors.Is(err, errFull) {
		t.Errorf("%v", err)
	}
}

// used is a line of a log that may have the use of a task.
type used struct {
	At     int64    `json:"t"`
	Kind   string   `json:"e"`
	Task   string   `json:"task"`
	Node   *int     `json:"node"`
	CPU    *float64 `json:"cpu_used"`
	Memory *float64 `json:"memory_used"`
}

// usesIn returns each change of a task's use on a node that the lines of a log tell.
func usesIn(t *testing.T, only, also []string) (all []string) {
	t.Helper()
	var out strings.Builder
	log, err := events.New(&out, only, also)
	if err != nil {
		t.Fatal(err)
	}
	r := runtest.Open(t, `{"v":1,"system":"central","cluster":{"nodes":12},"until":"40m"}`, run.LogEvents(log))
	runtest.Advance(t, r, unit.Forever)
	if err := log.Flush(); err != nil {
		t.Fatal(err)
	}
	last := map[string]string{}
	for line := range strings.Lines(out.String()) {
		var u used
		if err := json.Unmarshal([]byte(line), &u); err != nil {
			t.Fatal(err)
		}
		if u.CPU == nil || u.Memory == nil || u.Node == nil {
			continue
		}
		if now := fmt.Sprint(*u.CPU, *u.Memory); now != last[u.Task] {
			last[u.Task] = now
			all = append(all, fmt.Sprint(u.At, u.Task, now))
		}
	}
	return all
}

// TestUsesAlone: a log of task_used alone has the use of each task from its start, as one of all kinds does.
func TestUsesAlone(t *testing.T) {
	all, alone := usesIn(t, nil, []string{"task_used"}), usesIn(t, []string{"task_used"}, nil)
	if len(all) < 1000 || !slices.Equal(all, alone) {
		t.Errorf("%d changes of use among all kinds, %d alone", len(all), len(alone))
	}
}
