package run_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"parley/core/cluster"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// All sums of a small cluster are recomputed every simulated hour, whether the run advances in one
// piece or in many; one that does not hold ends the run there.
func TestAudits(t *testing.T) {
	broken := errors.New("a sum does not hold")
	for _, pieces := range []unit.Time{1, 600} {
		s, err := scenario.Parse([]byte(`{"v":1,"system":"central","cluster":{"nodes":20},"until":"10h"}`))
		if err != nil {
			t.Fatal(err)
		}
		audits := 0
		r, err := run.Open(s, nil, run.Audited(func() error {
			if audits++; audits == 4 {
				return broken
			}
			return nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		for hour := 1; hour <= 4; hour++ {
			for k := range pieces {
				err = r.Advance(unit.Time(hour-1)*unit.Hour + (k+1)*unit.Hour/pieces)
			}
			if audits != hour || hour < 4 && err != nil {
				t.Fatalf("after %d hours in pieces of %v there were %d audits, and %v", hour, unit.Hour/pieces, audits, err)
			}
		}
		if err := r.Advance(5 * unit.Hour); !errors.Is(err, broken) || r.Now() > 4*unit.Hour+unit.Minute {
			t.Errorf("after a broken sum the run is at %v and says %v", r.Now(), err)
		}
	}
}

// A run of many nodes on which little happens is audited after its start and at its end: an audit
// looks at all nodes, and what it costs has to be paid by events.
func TestAuditsOfIdleNodes(t *testing.T) {
	var l jobLog
	for i := range 1000 {
		l.records = append(l.records, workload.Record{Kind: workload.NodeJoins, Machine: uint64(i), Node: workload.Node{
			Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1, Processors: 1,
		}})
	}
	for i := range 8 {
		l.records = append(l.records, workload.Record{
			At: unit.Time(3*i+3) * unit.Hour, Kind: workload.JobArrives, Key: workload.Key{Job: uint64(i + 1)},
			Job: &workload.Job{Processors: 2, Run: unit.Hour, Estimate: unit.Hour},
		})
	}
	var audits []unit.Time
	var r *run.Run
	r, err := run.Open(parse(t, `{"v":1,"system":"central","settings":{"policy":"easy"},"until":"2d"}`), &l, run.Audited(func() error {
		audits = append(audits, r.Now())
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Advance(unit.Forever); err != nil {
		t.Fatal(err)
	}
	if want := []unit.Time{unit.Hour, r.Now()}; !slices.Equal(audits, want) {
		t.Errorf("audited at %v, want %v", audits, want)
	}
}

// books is a system whose books no longer agree after the third hour.
type books struct{ audits int }

func (*books) On(cluster.Event) error { return nil }

func (b *books) Audit() error {
	if b.audits++; b.audits == 3 {
		return errors.New("a claim is on nobody")
	}
	return nil
}

// TestBooks: a system's books are audited with the cluster's sums, and end the run.
func TestBooks(t *testing.T) {
	s, err := scenario.Parse([]byte(`{"v":1,"system":"books","cluster":{"nodes":20},"until":"10h"}`))
	if err != nil {
		t.Fatal(err)
	}
	mine := run.Registry{{Description: system.Description{ID: "books"}, New: func(system.Env, json.RawMessage) (system.System, error) { return &books{}, nil }}}
	r, err := mine.Open(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = r.Advance(10 * unit.Hour)
	if err == nil || err.Error() != "the books of books at 3h0m0s: a claim is on nobody" {
		t.Errorf("at %v the run says %v", r.Now(), err)
	}
}
