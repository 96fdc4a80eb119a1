package cluster_test

import (
	"fmt"
	"testing"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/unit"
	"parley/core/workload"
)

// TestReadAheadWritesNothing: a View cannot change the cluster, not even if it
// reads ahead for an act.
func TestReadAheadWritesNothing(t *testing.T) {
	c := cluster.New(cluster.Default(), des.New())
	n := c.Join(7, workload.Node{Capacity: unit.Vec{3, 5}})
	before := fmt.Sprintf("%+v", *c)
	c.View().Prefetch(n)
	if after := fmt.Sprintf("%+v", *c); after != before {
		t.Errorf("the cluster was\n%s\nand is\n%s", before, after)
	}
}
