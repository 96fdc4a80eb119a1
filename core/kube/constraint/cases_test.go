package constraint_test

import (
	"bytes"
	"io"
	"reflect"
	"testing"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/dump"
	"parley/core/testkit/cases"
	"parley/core/trace"
)

// TestMovedIsFresh: a state in which pods moved, and a copy of it, answer like a state that was
// made with the pods where they are.
func TestMovedIsFresh(t *testing.T) {
	for seed := range uint64(300) {
		text := cases.Dump(seed)
		c, err := dump.Read([]trace.File{{Name: "case", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		moved := constraint.New(c, constraint.Default())
		for pod := range c.Pods {
			from := moved.NodeOf(pod)
			if from == kube.Nowhere {
				continue
			}
			if pod%2 == 0 {
				moved = moved.Clone()
			}
			moved.Unbind(pod)
			fresh := placed(c, moved)
			to := from
			for at := range c.Nodes {
				got, want := moved.Reason(pod, at), fresh.Reason(pod, at)
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("case %d: %s on node %d after moves: %v, afresh %v", seed, c.Pods[pod].Full(), at, got, want)
				}
				if want == nil {
					to = at
				}
			}
			moved.Bind(pod, to)
		}
	}
}

// placed returns a new state of a cluster with the pods on the nodes where they are in another.
func placed(c *kube.Cluster, like *constraint.State) *constraint.State {
	d := c.With(nil, nil)
	d.Pods = append([]kube.Pod(nil), c.Pods...)
	for pod := range d.Pods {
		d.Pods[pod].Node = like.NodeOf(pod)
	}
	return constraint.New(d, constraint.Default())
}
