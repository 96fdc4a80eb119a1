package plane_test

import (
	"fmt"
	"testing"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
	"parley/core/unit"
)

// zoned returns a cluster with a nodes in zone a and b nodes in zone b.
func zoned(a, b int) *kube.Cluster {
	c := &kube.Cluster{Resources: kube.BaseResources()}
	for i := range a + b {
		zone := "a"
		if i >= a {
			zone = "b"
		}
		c.Nodes = append(c.Nodes, kube.Node{
			Name: fmt.Sprintf("%s%d", zone, i), Labels: kube.NewLabels(map[string]string{kube.ZoneLabel: zone}), Ready: kube.ReadyTrue, Allocatable: kube.Vector{4000, 1 << 30, 0, 10},
		})
	}
	return c
}

// TestZoneRates: a zone is disrupted when more than two of its nodes and at least 55 % do not answer; then none is tainted in a
// zone of at most 50 nodes, and one in 100 seconds in a larger one.
func TestZoneRates(t *testing.T) {
	for _, x := range []struct {
		size, away   int
		frozen, slow bool
	}{
		{3, 2, false, false},
		{4, 3, true, false},
		{20, 10, false, false},
		{20, 11, true, false},
		{50, 28, true, false},
		{51, 29, false, true},
		{60, 32, false, false},
		{60, 33, false, true},
	} {
		c := zoned(x.size, 3)
		c.Link()
		p := plane.New(c, plane.Options{Profile: constraint.Default(), Seed: 1})
		lost := make([]int, x.away)
		for i := range lost {
			lost[i] = i
		}
		p.Lose(lost, false)
		p.Run(2*unit.Minute, func() bool { return false })
		all := p.Zones()
		if len(all) != 1 || all[0].NotReady != x.away || all[0].Size != x.size || all[0].Frozen != x.frozen || all[0].Throttled != x.slow {
			t.Errorf("%d of %d: %+v", x.away, x.size, all)
		}
	}
}

// TestLeastToleration: of the times for which a pod tolerates the taints of its node, the shortest counts, whichever taint
// it is of; one that tolerates a taint for ever does not bound it.
func TestLeastToleration(t *testing.T) {
	for _, x := range []struct{ own, unreachable, want int64 }{{30, 300, 30}, {300, 30, 30}, {-1, 40, 40}, {40, -1, 40}} {
		c := zoned(1, 2)
		c.Nodes[0].Taints = []kube.Taint{{Key: "maintenance", Effect: kube.NoExecute}}
		tolerates := func(key string, seconds int64) kube.Toleration {
			return kube.Toleration{Key: key, Exists: true, Effect: kube.NoExecute, Seconds: seconds}
		}
		c.Pods = []kube.Pod{{
			Namespace: "n", Name: "p", NodeName: c.Nodes[0].Name, Phase: kube.PhaseRunning, Ready: true,
			Spec: &kube.Spec{Requests: kube.Vector{1, 0, 0, 1}, Tolerations: []kube.Toleration{tolerates("maintenance", x.own), tolerates(kube.UnreachableTaint, x.unreachable)}},
		}}
		c.Link()
		p := plane.New(c, plane.Options{Profile: constraint.Default(), Seed: 1})
		p.Lose([]int{0}, false)
		p.Run(plane.Day, func() bool { return false })
		at := map[plane.Kind]unit.Time{}
		for _, f := range p.Facts() {
			at[f.Kind] = f.At
		}
		if stays := at[plane.Deleted] - at[plane.Tainted]; at[plane.Deleted] == 0 || stays != unit.Time(x.want)*unit.Second {
			t.Errorf("%+v: deleted %s after the taint", x, plane.After(stays))
		}
	}
}

// TestBackoff: a pod that no node takes waits 1, 2, 4, 8 and then always 10 seconds before it is tried again.
func TestBackoff(t *testing.T) {
	for tries, want := range map[int]int{0: 1, 1: 1, 2: 2, 3: 4, 4: 8, 5: 10, 6: 10, 60: 10} {
		if got := plane.Backoff(tries); got != unit.Time(want)*unit.Second {
			t.Errorf("after %d tries %s, want %d s", tries, plane.After(got), want)
		}
	}
}

// TestEvictionsThatAskNoBudget: a pod without a node goes whatever its budget says. One that is not ready goes only where
// enough others are healthy and the budget wants any; where it wants none, it is refused, though nothing is protected.
func TestEvictionsThatAskNoBudget(t *testing.T) {
	none, one := &kube.IntOrPercent{}, &kube.IntOrPercent{Value: 1}
	selector := &kube.Selector{Requirements: []kube.Requirement{{Key: "app", Values: []string{"web"}}}}
	for _, x := range []struct {
		subject string
		budget  kube.Budget
		node    bool // the pod has one
		healthy int  // others
		goes    bool
	}{
		{"no node", kube.Budget{MaxUnavailable: none}, false, 1, true},
		{"not ready, enough others", kube.Budget{MinAvailable: one}, true, 1, true},
		{"not ready, too few others", kube.Budget{MinAvailable: one}, true, 0, false},
		{"not ready, none is wanted", kube.Budget{MinAvailable: none}, true, 0, false},
		{"not ready, always allowed", kube.Budget{MinAvailable: one, AlwaysAllow: true}, true, 0, true},
	} {
		c := zoned(2, 0)
		labels := kube.NewLabels(map[string]string{"app": "web"})
		spec := &kube.Spec{Requests: kube.Vector{1, 0, 0, 1}}
		requested := kube.Pod{Namespace: "n", Name: "asked", Labels: labels, Spec: spec, Phase: kube.PhasePending}
		if x.node {
			requested.NodeName, requested.Phase, requested.Broken = c.Nodes[0].Name, kube.PhaseRunning, "CrashLoopBackOff"
		} else {
			requested.Spec = &kube.Spec{Requests: kube.Vector{9000, 0, 0, 1}}
		}
		c.Pods = []kube.Pod{requested}
		for i := range x.healthy {
			c.Pods = append(c.Pods, kube.Pod{Namespace: "n", Name: fmt.Sprint("p", i), Labels: labels, Spec: spec, NodeName: c.Nodes[1].Name, Phase: kube.PhaseRunning, Ready: true})
		}
		x.budget.Namespace, x.budget.Name, x.budget.Selector = "n", "b", selector
		c.Budgets = []kube.Budget{x.budget}
		c.Link()
		p := plane.New(c, plane.Options{Profile: constraint.Default(), Seed: 1})
		p.Run(1, func() bool { return false })
		if r := p.Evict(0); (r == nil) != x.goes {
			t.Errorf("%s: %+v", x.subject, r)
		}
	}
}

// TestPartitionKeepsTheOldRevision: a pod below the partition is made anew of the old revision, at whatever time it goes.
func TestPartitionKeepsTheOldRevision(t *testing.T) {
	c := zoned(2, 0)
	labels := kube.NewLabels(map[string]string{"app": "db"})
	spec := &kube.Spec{Requests: kube.Vector{1, 0, 0, 1}, Grace: 1}
	selector := &kube.Selector{Requirements: []kube.Requirement{{Key: "app", Values: []string{"db"}}}}
	c.Workloads = []kube.Workload{{Namespace: "n", Kind: "StatefulSet", Name: "db", Replicas: 2, Template: spec, Labels: labels, Selector: selector, Rollout: kube.Rollout{Partition: 1}}}
	for i := range 2 {
		c.Pods = append(c.Pods, kube.Pod{Namespace: "n", Name: fmt.Sprint("db-", i), Labels: labels, Spec: spec, Owner: kube.Owner{Kind: "StatefulSet", Name: "db"}, NodeName: c.Nodes[0].Name, Phase: kube.PhaseRunning, Ready: true})
	}
	c.Link()
	p := plane.New(c, plane.Options{Profile: constraint.Default(), Seed: 1})
	r := p.Roll("n", "db", plane.Change{})
	p.Run(plane.Day, r.Done)
	for range 2 {
		if updated, available, old := r.Counts(); updated != 1 || available != 1 || old != 1 {
			t.Errorf("%d new, %d of them available, %d old", updated, available, old)
		}
		if refused := p.Evict(0); refused != nil {
			t.Fatal(refused)
		}
		p.Run(p.Now()+10*unit.Minute, func() bool { return false })
	}
}

// TestNominatedNodeComesFirst: a pod for which others end goes to their node, although a better one has become free meanwhile.
func TestNominatedNodeComesFirst(t *testing.T) {
	c := zoned(2, 0)
	c.Nodes[1].Allocatable = kube.Vector{8000, 8 << 30, 0, 10}
	c.Pods = []kube.Pod{
		{Namespace: "n", Name: "waits", Spec: &kube.Spec{Requests: kube.Vector{4000, 0, 0, 1}, Priority: 10}, Phase: kube.PhasePending},
		{Namespace: "n", Name: "low", NodeName: c.Nodes[0].Name, Spec: &kube.Spec{Requests: kube.Vector{4000, 0, 0, 1}, Grace: 30}, Phase: kube.PhaseRunning, Ready: true},
		{Namespace: "n", Name: "high", NodeName: c.Nodes[1].Name, Spec: &kube.Spec{Requests: kube.Vector{8000, 0, 0, 1}, Priority: 10, Grace: 10}, Phase: kube.PhaseRunning, Ready: true},
	}
	c.Link()
	p := plane.New(c, plane.Options{Profile: constraint.Default(), Seed: 1})
	p.Run(1, func() bool { return false })
	if refused := p.Evict(2); refused != nil {
		t.Fatal(refused)
	}
	p.Run(plane.Day, func() bool { return false })
	if at := p.State().NodeOf(0); at != 0 {
		t.Errorf("the pod runs on %d", at)
	}
}

// TestNominatedPodsHoldTheirRoom: what becomes free before all victims have ended is not for pods of lower priority.
func TestNominatedPodsHoldTheirRoom(t *testing.T) {
	c := zoned(1, 0)
	low := func(name string, grace int64) kube.Pod {
		return kube.Pod{Namespace: "n", Name: name, NodeName: c.Nodes[0].Name, Spec: &kube.Spec{Requests: kube.Vector{2000, 0, 0, 1}, Grace: grace}, Phase: kube.PhaseRunning, Ready: true}
	}
	c.Pods = []kube.Pod{
		{Namespace: "n", Name: "high", Created: 1, Spec: &kube.Spec{Requests: kube.Vector{4000, 0, 0, 1}, Priority: 10}, Phase: kube.PhasePending},
		{Namespace: "n", Name: "late", Created: 2, Spec: &kube.Spec{Requests: kube.Vector{2000, 0, 0, 1}, Priority: 5, NeverPreempts: true}, Phase: kube.PhasePending},
		low("short", 10), low("long", 60),
	}
	c.Link()
	p := plane.New(c, plane.Options{Profile: constraint.Default(), Seed: 1})
	p.Run(plane.Day, func() bool { return false })
	if p.State().NodeOf(0) != 0 {
		t.Error("the pod of the highest priority has no node")
	}
	for _, f := range p.Facts() {
		if f.Kind == plane.Bound && f.Name == "n/late" {
			t.Errorf("at %s the other gets the room", plane.After(f.At))
		}
	}
}
