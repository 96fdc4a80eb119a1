package cluster_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/des"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/unit"
	"parley/core/workload"
)

// The negotiation paper's section 6 names the classes; 0.7 and 0.9 belong to
// tight, so that proportional is strictly below 70 %. Percent of a node of one
// reference machine.
func TestClassBoundaries(t *testing.T) {
	for _, c := range []struct {
		cpu, memory float64
		want        cluster.LoadClass
	}{
		{0, 0, cluster.ClassProportional}, // it has tasks that use nothing
		{69.9999, 69.9999, cluster.ClassProportional},
		{70, 70, cluster.ClassTight},
		{90, 90, cluster.ClassTight},
		{70, 90, cluster.ClassTight},
		{90.0001, 90, cluster.ClassSuperTight},
		{100, 100, cluster.ClassSuperTight},
		{0, 100, cluster.ClassSuperTight},
		{100.0001, 0, cluster.ClassOverloaded},
		{0, 100.0001, cluster.ClassOverloaded},
		{95, 150, cluster.ClassOverloaded},
		{75, 20, cluster.ClassDisproportionate}, // the paper's example
		{69.9999, 70, cluster.ClassDisproportionate},
		{90, 69.9999, cluster.ClassDisproportionate},
		{95, 20, cluster.ClassSuperTight}, // tested before disproportionate
	} {
		used := unit.Vec{unit.ShareOf(c.cpu / 100), unit.ShareOf(c.memory / 100)}
		if got := cluster.ClassifyLoad(used, unit.Vec{unit.Whole, unit.Whole}); got != c.want {
			t.Errorf("%v %% CPU and %v %% memory: %s, want %s", c.cpu, c.memory, got, c.want)
		}
	}
}

// TestClassifyAgainstFractions writes the definitions down once more, in exact
// fractions.
func TestClassifyAgainstFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := unit.Share(rapid.IntRange(1, 2000).Draw(t, "capacity")) * 500
		share := rapid.OneOf(
			rapid.Map(rapid.Int32Range(0, int32(capacity)*11/10), func(i int32) unit.Share { return unit.Share(i) }),
			rapid.Map(rapid.SampledFrom([]int64{70, 90, 100}), func(p int64) unit.Share { return unit.Share(int64(capacity) * p / 100) }),
		)
		used := unit.Vec{share.Draw(t, "cpu"), share.Draw(t, "memory")}
		is := func(r int, cmp int, percent int64) bool {
			return big.NewRat(int64(used[r]), int64(capacity)).Cmp(big.NewRat(percent, 100)) == cmp
		}
		any := func(f func(r int) bool) bool { return f(0) || f(1) }
		all := func(f func(r int) bool) bool { return f(0) && f(1) }
		want := cluster.ClassDisproportionate
		switch {
		case any(func(r int) bool { return is(r, 1, 100) }):
			want = cluster.ClassOverloaded
		case any(func(r int) bool { return is(r, 1, 90) }):
			want = cluster.ClassSuperTight
		case all(func(r int) bool { return !is(r, -1, 70) }):
			want = cluster.ClassTight
		case all(func(r int) bool { return is(r, -1, 70) }):
			want = cluster.ClassProportional
		}
		if got := cluster.ClassifyLoad(used, unit.Vec{capacity, capacity}); got != want {
			t.Fatalf("%v of %v: %s, want %s", used, capacity, got, want)
		}
	})
}

func TestClassOfNodes(t *testing.T) {
	c := cluster.New(cluster.Default(), des.New())
	v := c.View()
	node := workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1}
	a, b := c.Join(1, node), c.Join(2, node)
	if cluster.LoadClassOf(v, a) != cluster.ClassIdle {
		t.Errorf("a node without tasks is %s", cluster.LoadClassOf(v, a))
	}
	request := unit.Vec{100_000, 100_000}
	id := c.Submit(workload.Key{}, &workload.Task{Request: request, Image: workload.ImageOf(request), Usage: workload.UsageModel{Mean: [unit.Resources]uint16{32768, 32768}}})
	if err := c.Place(id, a, cluster.ByUse); err != nil {
		t.Fatal(err)
	}
	if err := c.Migrate(id, b, cluster.ByUse); err != nil {
		t.Fatal(err)
	}
	if cluster.LoadClassOf(v, a) != cluster.ClassProportional || cluster.LoadClassOf(v, b) != cluster.ClassProportional {
		t.Errorf("a migration holds its source as %s and its target as %s", cluster.LoadClassOf(v, a), cluster.LoadClassOf(v, b))
	}
	c.Leave(b)
	if cluster.LoadClassOf(v, b) != cluster.ClassDown {
		t.Errorf("a node that left is %s", cluster.LoadClassOf(v, b))
	}
}
