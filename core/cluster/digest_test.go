package cluster_test

import (
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/unit"
)

var event = rapid.Custom(func(t *rapid.T) cluster.Event {
	small := func(name string, top int64) int64 {
		return rapid.OneOf(rapid.Int64Range(-1, 3), rapid.Int64Range(0, top), rapid.SampledFrom([]int64{1 << 8, 1 << 16, 1<<16 + 1, 1 << 24})).Draw(t, name)
	}
	return cluster.Event{
		At: unit.Time(max(0, small("at", int64(3650*unit.Day)))), Kind: cluster.Kind(rapid.IntRange(0, 14).Draw(t, "kind")), Detail: uint8(rapid.IntRange(0, 4).Draw(t, "detail")),
		Node: unit.NodeID(small("node", 1<<30)), Other: unit.NodeID(small("other", 1<<30)), Task: unit.TaskID(small("task", 1<<60)), Amount: small("amount", 1<<60),
	}
})

func digest(events ...cluster.Event) cluster.Digest {
	var d cluster.Digest
	for _, e := range events {
		d.Observe(e)
	}
	return d
}

// TestEveryFieldCounts: two events that differ at all give two digests, and so
// do two orders of two different events.
func TestEveryFieldCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.SliceOfN(event, 0, 3).Draw(t, "before")
		a, b := event.Draw(t, "a"), event.Draw(t, "b")
		if (a == b) != (digest(append(before, a)...) == digest(append(before, b)...)) {
			t.Fatalf("%+v and %+v give %v and %v", a, b, digest(append(before, a)...), digest(append(before, b)...))
		}
		if digest(append(before, a)...) == digest(before...) {
			t.Fatalf("%+v does not count", a)
		}
		if a != b && digest(append(before, a, b)...) == digest(append(before, b, a)...) {
			t.Fatalf("the order of %+v and %+v does not count", a, b)
		}
	})
}

// The first node coming up at time 0 is an event too, though all of it is zero.
func TestZeroEventCounts(t *testing.T) {
	if digest(cluster.Event{}) == digest() {
		t.Fatal("an event of zeros leaves the digest of no events")
	}
}

// A migration from node 1 to node 65,537 and one from node 0 to node 1 had one
// digest: node and target overlapped in the word that was folded.
func TestNodesDoNotOverlap(t *testing.T) {
	a := digest(cluster.Event{Kind: cluster.MigrationBegan, Node: 1, Other: 65_537})
	if b := digest(cluster.Event{Kind: cluster.MigrationBegan, Node: 0, Other: 1}); a == b {
		t.Fatalf("both are %v", a)
	}
}

// TestPinned holds the digest of three events: links and reports compare
// digests of different builds only while it never changes.
func TestPinned(t *testing.T) {
	d := digest(
		cluster.Event{Kind: cluster.NodeUp, Node: 0},
		cluster.Event{At: unit.Minute, Kind: cluster.TaskPlaced, Node: 0, Task: unit.NewTaskID(3, 1)},
		cluster.Event{At: unit.Hour, Kind: cluster.MigrationEnded, Detail: 1, Node: 0, Other: 12_582, Task: unit.NewTaskID(3, 1), Amount: 999_900_000},
	)
	const want = "d1fe1323cf987872"
	if d.String() != want {
		t.Fatalf("the digest is %v, not %s as pinned", d, want)
	}
}

func BenchmarkObserve(b *testing.B) {
	var d cluster.Digest
	e := cluster.Event{Kind: cluster.TaskPlaced, Node: 4711, Task: 99}
	for b.Loop() {
		d.Observe(e)
	}
}
