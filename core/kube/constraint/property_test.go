package constraint_test

import (
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"parley/core/kube"
	"parley/core/kube/constraint"
	_ "parley/core/testkit/scripttest/seed"
)

// drawCluster invents a small cluster whose pods use every constraint that keeps counts.
func drawCluster(t *rapid.T) *kube.Cluster {
	c := &kube.Cluster{Resources: append(kube.BaseResources(), "example.com/gpu")}
	letter := func(name string, n int) string { return string(rune('a' + rapid.IntRange(0, n-1).Draw(t, name))) }
	c.Namespaces = []kube.Namespace{{Name: "a", Labels: kube.Labels{{Key: "team", Value: "x"}}}, {Name: "b"}}
	for i := range rapid.IntRange(1, 6).Draw(t, "nodes") {
		labels := map[string]string{"host": fmt.Sprint(i)}
		if z := letter("zone", 4); z != "d" {
			labels["zone"] = z
		}
		n := kube.Node{Name: fmt.Sprint("n", i), Labels: kube.NewLabels(labels), Allocatable: kube.Vector{4000, 4 << 30, 0, 6, 2}}
		if rapid.IntRange(0, 4).Draw(t, "tainted") == 0 {
			n.Taints = []kube.Taint{{Key: "k", Value: "v", Effect: kube.Effect(rapid.IntRange(1, 3).Draw(t, "effect"))}}
		}
		c.Nodes = append(c.Nodes, n)
	}
	selector := func() *kube.Selector {
		if rapid.IntRange(0, 6).Draw(t, "selects") == 0 {
			return nil
		}
		return &kube.Selector{Requirements: []kube.Requirement{{Key: "app", Values: []string{letter("value", 3)}}}}
	}
	terms := func(name string) (all []kube.PodTerm) {
		for range max(0, rapid.IntRange(-3, 2).Draw(t, name)) {
			all = append(all, kube.PodTerm{Selector: selector(), Key: rapid.SampledFrom([]string{"host", "zone"}).Draw(t, "key"), Weight: 7})
			if last := &all[len(all)-1]; rapid.Bool().Draw(t, "elsewhere") {
				last.NamespaceSelector = &kube.Selector{Requirements: []kube.Requirement{{Key: "team", Op: kube.Exists}}}
			}
		}
		return all
	}
	for i := range rapid.IntRange(1, 12).Draw(t, "pods") {
		sp := &kube.Spec{
			Requests:  kube.Vector{int64(rapid.IntRange(0, 3).Draw(t, "cpu")) * 700, 1 << 28, 0, 1, int64(rapid.IntRange(0, 1).Draw(t, "gpu"))},
			ScoredCPU: 100, ScoredMemory: 1 << 28, Priority: int32(rapid.IntRange(0, 2).Draw(t, "priority")),
			PodRequired: terms("affinity"), AntiRequired: terms("anti"), PodPreferred: terms("likes"), AntiPreferred: terms("dislikes"),
		}
		for range max(0, rapid.IntRange(-2, 2).Draw(t, "spreads")) {
			sp.Spread = append(sp.Spread, kube.Spread{
				MaxSkew: int32(rapid.IntRange(1, 2).Draw(t, "skew")), Key: rapid.SampledFrom([]string{"host", "zone"}).Draw(t, "over"), Hard: rapid.Bool().Draw(t, "hard"),
				Selector: selector(), MinDomains: int32(rapid.IntRange(1, 3).Draw(t, "domains")), HonourTaints: rapid.Bool().Draw(t, "honour"), IgnoreNodes: rapid.Bool().Draw(t, "ignore"),
			})
		}
		if rapid.IntRange(0, 3).Draw(t, "port") == 0 {
			sp.Ports = []kube.Port{{Protocol: "TCP", IP: kube.AnyIP, Number: 80}}
		}
		if rapid.IntRange(0, 3).Draw(t, "tolerates") == 0 {
			sp.Tolerations = []kube.Toleration{{Exists: true, Seconds: -1}}
		}
		if rapid.IntRange(0, 3).Draw(t, "selected") == 0 {
			sp.NodeSelector = kube.Labels{{Key: "zone", Value: letter("in", 3)}}
		}
		c.Pods = append(c.Pods, kube.Pod{
			Namespace: letter("namespace", 2), Name: fmt.Sprint("p", i), Labels: kube.Labels{{Key: "app", Value: letter("app", 3)}}, Spec: sp,
			NodeName: rapid.SampledFrom(c.Nodes).Draw(t, "node").Name, Deleted: int64(rapid.IntRange(0, 5).Draw(t, "deleted") / 5),
		})
	}
	c.Link()
	return c
}

// TestStateIsTheClusterItStandsFor: after any binds, unbinds, removals, cordons and copies, a
// state gives the verdicts, scores and preemptions of a new state of a cluster in which
// things stand so.
func TestStateIsTheClusterItStandsFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCluster(t)
		s := constraint.New(c, constraint.Default())
		cordoned := make([]bool, len(c.Nodes))
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			pod, node := rapid.IntRange(0, len(c.Pods)-1).Draw(t, "pod"), rapid.IntRange(0, len(c.Nodes)-1).Draw(t, "at")
			switch rapid.SampledFrom([]string{"move", "evict", "remove", "restore", "cordon", "ask", "clone", "grow"}).Draw(t, "step") {
			case "move":
				s.Unbind(pod)
				if !s.Removed(node) {
					s.Bind(pod, node)
				}
			case "evict":
				s.Unbind(pod)
			case "remove":
				for len(s.PodsOn(node)) > 0 {
					s.Unbind(s.PodsOn(node)[0])
				}
				s.Remove(node)
			case "restore":
				s.Restore(node)
			case "cordon":
				cordoned[node] = rapid.Bool().Draw(t, "on")
				s.Cordon(node, cordoned[node])
			case "ask":
				s.Filter(pod) // counts that a verdict needed are kept on
			case "clone":
				other := s.Clone()
				s.Unbind(pod)
				s, other = other, s // the copy goes on; what is done to the original must not matter
				_ = other
			case "grow":
				c = grown(t, c, pod)
				if !s.Grow(c) {
					t.Fatal("the labels of the new pod are not known")
				}
			}
		}
		fresh, places := rebuilt(s, cordoned)
		for pod := range c.Pods {
			f := constraint.New(fresh, constraint.Default()) // it has worked out nothing for another pod
			v, w := s.Filter(pod), f.Filter(pod)
			compare(t, c, places, pod, v, w)
			at := s.NodeOf(pod)
			s.Unbind(pod)
			f.Unbind(pod)
			a, b := s.Score(pod, v.Nodes), f.Score(pod, w.Nodes)
			for i := range a {
				if a[i].Total != b[i].Total || !reflect.DeepEqual(a[i].Parts, b[i].Parts) {
					t.Fatalf("%s: scores %v, and afresh %v", c.Pods[pod].Name, a, b)
				}
			}
			before := fmt.Sprint(s.PodsOn(0))
			n, out := s.Preempt(pod, v, 0)
			m, other := f.Preempt(pod, w, 0)
			if (n == kube.Nowhere) != (m == kube.Nowhere) || n != kube.Nowhere && (places[n] != m || fmt.Sprint(out) != fmt.Sprint(other)) || v.Preemption != w.Preemption {
				t.Fatalf("%s: preempts %v on %d, %q; afresh %v on %d, %q", c.Pods[pod].Name, out, n, v.Preemption, other, m, w.Preemption)
			}
			if fmt.Sprint(s.PodsOn(0)) != before {
				t.Fatalf("Preempt leaves other pods behind")
			}
			if at != kube.Nowhere {
				s.Bind(pod, at)
			}
		}
	})
}

// grown returns a cluster with a pod more, which is like one that it has and has no node.
func grown(t *rapid.T, c *kube.Cluster, like int) *kube.Cluster {
	d, q := *c, c.Pods[like]
	q.Name, q.Node, q.NodeName = fmt.Sprint("p", len(c.Pods)), kube.Nowhere, ""
	if rapid.Bool().Draw(t, "its own labels") {
		q.Labels = append(kube.Labels(nil), q.Labels...)
	}
	d.Pods = append(append([]kube.Pod(nil), c.Pods...), q)
	return &d
}

// compare holds two verdicts on a pod to the same nodes, reasons and message.
func compare(t *rapid.T, c *kube.Cluster, places []int, pod int, v, w *constraint.Verdict) {
	if v.Message() != w.Message() {
		t.Fatalf("%s: %q, and afresh %q", c.Pods[pod].Name, v.Message(), w.Message())
	}
	for at, place := range places {
		if place < 0 {
			continue
		}
		if a, b := v.Reasons[at], w.Reasons[place]; fmt.Sprint(a) != fmt.Sprint(b) {
			t.Fatalf("%s on %s: %v, and afresh %v", c.Pods[pod].Name, c.Nodes[at].Name, a, b)
		}
	}
}

// rebuilt returns a cluster that stands as a state with some nodes cordoned does, and the place of each node in it, -1
// of one that was removed.
func rebuilt(s *constraint.State, cordoned []bool) (*kube.Cluster, []int) {
	c := *s.Cluster()
	places := make([]int, len(c.Nodes))
	var nodes []kube.Node
	for i := range c.Nodes {
		places[i] = -1
		if s.Removed(i) {
			continue
		}
		n := c.Nodes[i]
		n.Unschedulable, n.Taints = cordoned[i], s.Taints(i)
		places[i] = len(nodes)
		nodes = append(nodes, n)
	}
	pods := append([]kube.Pod(nil), c.Pods...)
	for i := range pods {
		pods[i].NodeName = ""
		if at := s.NodeOf(i); at != kube.Nowhere {
			pods[i].NodeName = c.Nodes[at].Name
		}
	}
	c.Nodes, c.Pods = nodes, pods
	c.Link()
	return &c, places
}
