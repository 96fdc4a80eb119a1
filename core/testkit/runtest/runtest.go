// Package runtest plays scenarios in tests. Whatever cannot be read or played fails the
// test.
package runtest

import (
	"io"
	"testing"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
	"parley/core/workload"
)

// Parse returns the scenario of a document.
func Parse(t testing.TB, document string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Open returns a run of a document at time 0.
func Open(t testing.TB, document string, options ...run.Option) *run.Run {
	t.Helper()
	r, err := run.Open(Parse(t, document), nil, options...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Advance plays a run until the given time, or to its end if that is earlier.
func Advance(t testing.TB, r *run.Run, until unit.Time) {
	t.Helper()
	if err := r.Advance(until); err != nil {
		t.Fatal(err)
	}
}

// Records is a workload in memory.
type Records []workload.Record

// Next implements workload.Source.
func (s *Records) Next(r *workload.Record) error {
	if len(*s) == 0 {
		return io.EOF
	}
	*r, *s = (*s)[0], (*s)[1:]
	return nil
}
