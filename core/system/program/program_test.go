package program_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"parley/core/system"
	"parley/core/system/program"
	"parley/core/testkit/systemtest"
)

// with returns the system with a program of its own.
func with(t testing.TB, text string) system.Entry {
	t.Helper()
	e := program.Entry()
	var err error
	if e.Description, err = program.Describe(text); err != nil {
		t.Fatal(err)
	}
	e.New = func(env system.Env, raw json.RawMessage) (system.System, error) {
		env.Program = text
		return program.New(env, raw)
	}
	return e
}

// ofTasks lists the examples that schedule tasks.
func ofTasks() []program.Example {
	return slices.DeleteFunc(program.Examples(), func(e program.Example) bool { return !strings.Contains(e.Text, "def on_submit(") })
}

// TestConformance holds each example to the contract of systems.
func TestConformance(t *testing.T) {
	for _, example := range ofTasks() {
		t.Run(example.ID, func(t *testing.T) { systemtest.Run(t, with(t, example.Text), nil) })
	}
}
