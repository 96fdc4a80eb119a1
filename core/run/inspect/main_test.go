package inspect_test

import (
	"testing"

	"parley/core/run"
	"parley/core/testkit/runtest"
	"parley/core/unit"
	"parley/core/workload"
)

var parse, open, advance = runtest.Parse, runtest.Open, runtest.Advance

// written is a run of a workload by hand.
func written(t *testing.T, document string, records []workload.Record, options ...run.Option) *run.Run {
	t.Helper()
	source := runtest.Records(records)
	r, err := run.Open(parse(t, document), &source, options...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func joins(machine uint64, node workload.Node) workload.Record {
	return workload.Record{Kind: workload.NodeJoins, Machine: machine, Node: node}
}

func whole() workload.Node {
	return workload.Node{Capacity: unit.Vec{unit.CPU: unit.Whole, unit.Memory: unit.Whole / 2}, Rack: -1, Site: -1}
}
