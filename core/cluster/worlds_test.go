package cluster_test

import (
	"errors"
	"testing"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/unit"
	"parley/core/workload"
)

// Acts on work of other shapes are refused and change nothing; those of the own shape
// are the cluster's.
func TestActsOnOneWorld(t *testing.T) {
	acts := map[workload.Shape]func(cluster.Acts) []error{
		workload.ShapeTasks: func(a cluster.Acts) []error {
			return []error{a.Place(1, 0, cluster.ByUse), a.Migrate(1, 0, cluster.ByUse), a.Preempt(1), a.Allot(1, 1)}
		},
		workload.ShapeJobs: func(a cluster.Acts) []error {
			return []error{a.PlaceAll(1, nil), a.PreemptAll(1), a.SuspendAll(1, 0), a.Slow(1, 1000)}
		},
		workload.ShapeLoads: func(a cluster.Acts) []error { return []error{a.Send(0, 1)} },
		workload.ShapeGraphs: func(a cluster.Acts) []error {
			return []error{a.Assign(1, 0, 0), a.Withdraw(1, 0), a.Transfer(1, 0, unit.NoNode), a.StopTransfer(1, 0), a.Abort(1)}
		},
	}
	for given := range acts {
		c := cluster.New(cluster.Default(), des.New())
		c.Join(1, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}})
		for shape, try := range acts {
			for i, err := range try(c.ActsOn(given)) {
				if got := errors.Is(err, cluster.ErrWorld); err == nil || got != (shape != given) {
					t.Errorf("with the acts on %s, act %d on %s: %v", given, i, shape, err)
				}
			}
		}
	}
}
