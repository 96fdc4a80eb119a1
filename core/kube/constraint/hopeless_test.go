package constraint_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"parley/core/kube"
	"parley/core/kube/constraint"
)

// TestHopelessIsWhatTrialSays: of a pod that is called hopeless, after any changes, a state that has worked out nothing finds
// no node, and none where others could be preempted.
func TestHopelessIsWhatTrialSays(t *testing.T) {
	held, requested := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c := drawCluster(t)
		s := constraint.New(c, constraint.Default())
		cordoned := make([]bool, len(c.Nodes))
		try := func(pod int) {
			at := s.NodeOf(pod)
			s.Unbind(pod)
			requested++
			hopeless := s.Hopeless(pod)
			v := s.Filter(pod)
			n, _ := s.Preempt(pod, v, 0)
			failed := len(v.Nodes) == 0 && n == kube.Nowhere
			if hopeless {
				held++
				fresh, _ := rebuilt(s, cordoned)
				f := constraint.New(fresh, constraint.Default())
				w := f.Filter(pod)
				if m, _ := f.Preempt(pod, w, 0); len(w.Nodes) > 0 || m != kube.Nowhere || !failed {
					t.Fatalf("%s is called hopeless; afresh nodes %v take it, and on %d others make room", c.Pods[pod].Name, w.Nodes, m)
				}
			}
			if failed {
				if s.Failed(pod); !s.Hopeless(pod) {
					t.Fatalf("%s is not called hopeless as soon as it has failed", c.Pods[pod].Name)
				}
			}
			if at != kube.Nowhere {
				s.Bind(pod, at)
			}
		}
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			pod, node := rapid.IntRange(0, len(c.Pods)-1).Draw(t, "pod"), rapid.IntRange(0, len(c.Nodes)-1).Draw(t, "at")
			switch rapid.SampledFrom([]string{"move", "evict", "remove", "restore", "cordon", "taint", "try", "try", "try", "clone", "grow"}).Draw(t, "step") {
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
			case "taint":
				if !cordoned[node] {
					s.SetTaints(node, rapid.SampledFrom([][]kube.Taint{nil, {{Key: "k", Effect: kube.NoSchedule}}}).Draw(t, "taints"))
				}
			case "try":
				try(pod)
			case "clone":
				s = s.Clone()
			case "grow":
				c = grown(t, c, pod)
				if !s.Grow(c) {
					t.Fatal("the labels of the new pod are not known")
				}
			}
		}
		for pod := range c.Pods {
			try(pod)
		}
	})
	if held*20 < requested {
		t.Errorf("%d of %d pods are called hopeless: too few to compare", held, requested)
	}
	t.Logf("%d of %d pods are called hopeless", held, requested)
}

// TestHopelessSeesWhatHelps: what changes on one node, or of no pod, helps a pod on another.
func TestHopelessSeesWhatHelps(t *testing.T) {
	x := &kube.Selector{Requirements: []kube.Requirement{{Key: "app", Values: []string{"x"}}}}
	spread := kube.Spread{MaxSkew: 1, Key: "zone", Hard: true, Selector: x, MinDomains: 1}
	honours := spread
	honours.HonourTaints = true
	against := kube.Spec{Requests: kube.Vector{1, 0, 0, 1}, AntiRequired: []kube.PodTerm{{Selector: x, Key: "zone"}}}
	for _, k := range []struct {
		name string
		wait kube.Spec // of the pod that waits
		full kube.Spec // of the pod on the first node, which takes none beside it or has a taint
		zone string    // of that node; the other is in b
		help func(s *constraint.State)
	}{
		{"a domain goes", kube.Spec{Spread: []kube.Spread{spread}}, kube.Spec{Requests: kube.Vector{4000, 0, 0, 1}}, "a", func(s *constraint.State) {
			s.Unbind(1)
			s.Remove(0)
		}},
		{"a domain does not count", kube.Spec{Spread: []kube.Spread{honours}}, kube.Spec{Requests: kube.Vector{4000, 0, 0, 1}}, "a", func(s *constraint.State) {
			s.SetTaints(0, []kube.Taint{{Key: "k", Effect: kube.NoSchedule}})
		}},
		{"what keeps away goes", kube.Spec{}, against, "b", func(s *constraint.State) { s.Unbind(1) }},
		{"a copy goes its own way", kube.Spec{Requests: kube.Vector{4000, 0, 0, 1}}, kube.Spec{}, "b", func(s *constraint.State) {
			s.Cordon(0, false) // the list of changes has room for one more
			s.Cordon(0, true)
			s.Cordon(0, false)
			d := s.Clone()
			s.Unbind(2)
			d.Unbind(1)
		}},
		{"others leave", kube.Spec{Priority: 1, AntiRequired: against.AntiRequired}, kube.Spec{Priority: 1, Requests: kube.Vector{4000, 0, 0, 1}}, "a", func(s *constraint.State) {
			c := *s.Cluster()
			c.Pods = append(c.Pods[:3:3], c.Pods[2])
			low := *c.Pods[2].Spec
			low.Priority, c.Pods[3].Name, c.Pods[3].Node, c.Pods[3].Spec = 0, "low", kube.Nowhere, &low
			s.Grow(&c)
			s.Unbind(2)
			s.Bind(3, 1)
		}},
	} {
		wait := k.wait
		if wait.Requests == nil {
			wait.Requests = kube.Vector{3000, 0, 0, 1}
		}
		labels := kube.Labels{{Key: "app", Value: "x"}}
		c := &kube.Cluster{Resources: kube.BaseResources(), Namespaces: []kube.Namespace{{Name: "a"}}}
		for i, zone := range []string{k.zone, "b"} {
			c.Nodes = append(c.Nodes, kube.Node{Name: string(rune('p' + i)), Labels: kube.Labels{{Key: "zone", Value: zone}}, Allocatable: kube.Vector{4000, 1 << 30, 0, 10}})
		}
		there := &kube.Spec{Priority: wait.Priority, Requests: kube.Vector{1, 0, 0, 1}}
		c.Pods = []kube.Pod{
			{Namespace: "a", Name: "waits", Labels: labels, Spec: &wait},
			{Namespace: "a", Name: "full", Labels: kube.Labels{{Key: "app", Value: "y"}}, Spec: &k.full, NodeName: "p"},
			{Namespace: "a", Name: "there", Labels: labels, Spec: there, NodeName: "q"},
		}
		if len(k.full.Requests) == 0 || k.full.Requests[0] < 4000 {
			c.Nodes[0].Taints = []kube.Taint{{Key: "k", Effect: kube.NoSchedule}}
		}
		c.Link()
		s := constraint.New(c, constraint.Default())
		if n, _ := s.Preempt(0, s.Filter(0), 0); len(s.Filter(0).Nodes) > 0 || n != kube.Nowhere {
			t.Errorf("%s: the pod does not wait", k.name)
		}
		if s.Failed(0); !s.Hopeless(0) {
			t.Errorf("%s: the pod is not called hopeless at first", k.name)
		}
		k.help(s)
		if n, _ := s.Preempt(0, s.Filter(0), 0); len(s.Filter(0).Nodes) == 0 && n == kube.Nowhere {
			t.Errorf("%s: that does not help: %s", k.name, s.Filter(0).Message())
		}
		if s.Hopeless(0) {
			t.Errorf("%s: the pod is called hopeless still", k.name)
		}
	}
}

// TestHopelessKnowsRoomFromBefore: a node that got room before the pod failed again takes it as soon as nothing else
// keeps it away, though the node does not change any more.
func TestHopelessKnowsRoomFromBefore(t *testing.T) {
	for _, fails := range []bool{true, false} {
		knowsRoom(t, fails)
	}
}

func knowsRoom(t *testing.T, fails bool) {
	x := &kube.Selector{Requirements: []kube.Requirement{{Key: "app", Values: []string{"x"}}}}
	wait := kube.Spec{Requests: kube.Vector{3000, 0, 0, 1}, AntiRequired: []kube.PodTerm{{Selector: x, Key: "zone"}}}
	c := &kube.Cluster{Resources: kube.BaseResources(), Namespaces: []kube.Namespace{{Name: "a"}}}
	for _, name := range []string{"full", "there"} {
		c.Nodes = append(c.Nodes, kube.Node{Name: name, Labels: kube.Labels{{Key: "zone", Value: "z"}}, Allocatable: kube.Vector{4000, 1 << 30, 0, 10}})
	}
	c.Pods = []kube.Pod{
		{Namespace: "a", Name: "waits", Labels: kube.Labels{{Key: "app", Value: "w"}}, Spec: &wait},
		{Namespace: "a", Name: "large", Spec: &kube.Spec{Requests: kube.Vector{4000, 0, 0, 1}}, NodeName: "full"},
		{Namespace: "a", Name: "large", Spec: &kube.Spec{Requests: kube.Vector{4000, 0, 0, 1}}, NodeName: "there"},
		{Namespace: "a", Name: "x", Labels: kube.Labels{{Key: "app", Value: "x"}}, Spec: &kube.Spec{Requests: kube.Vector{0, 0, 0, 1}}, NodeName: "there"},
	}
	c.Link()
	s := constraint.New(c, constraint.Default())
	s.Failed(0)
	s.Unbind(1) // there is room, and x keeps the pod away
	if fails {
		s.Failed(0)
	}
	if !s.Hopeless(0) {
		t.Error("the pod is not called hopeless beside the one that it avoids")
	}
	if s.Unbind(3); s.Hopeless(0) || !s.Fits(0, 0) {
		t.Error("the pod is called hopeless, and a node takes it")
	}
}

// TestHopelessOfSpread: the nodes a, in zone z1 with others that have room, and b, in z2 and full. A pod waits that
// spreads over zones; z1 has one like it, of a low priority, on a, and a large pod fills a.
func TestHopelessOfSpread(t *testing.T) {
	const waits, large, low, second = 0, 1, 2, 4
	for _, k := range []struct {
		name   string
		others int // nodes of z1 that have room
		high   bool
		help   func(s *constraint.State)
		before func(s *constraint.State)
	}{
		{"the low pod can go for it", 0, false, func(s *constraint.State) { s.Unbind(large) }, nil},
		{"it can, among many nodes with room", 300, false, func(s *constraint.State) {
			s.Bind(second, 1)
			s.Unbind(second)
			s.Unbind(large)
		}, nil},
		{"the other zone gets one, and many nodes have room", 300, true, func(s *constraint.State) { s.Bind(second, 1) }, nil},
		{"the other zone got one before", 0, true, func(s *constraint.State) {
			s.Bind(second, 1)
			s.Failed(waits)
			s.Unbind(large)
		}, nil},
		{"a pod of lower priority fills the node", 0, true, func(s *constraint.State) {
			s.Bind(second, 1)
			s.Unbind(large)
			s.Bind(5, 0)
		}, nil},
		{"another leaves its zone, and the low pod can go for it", 300, false, func(s *constraint.State) { s.Unbind(second) }, func(s *constraint.State) {
			s.Unbind(large)
			s.Bind(second, 5)
		}},
	} {
		x := kube.Labels{{Key: "app", Value: "x"}}
		of := func(cpu int64, priority int32) *kube.Spec {
			return &kube.Spec{Priority: priority, Requests: kube.Vector{cpu, 0, 0, 1}}
		}
		wait := of(3000, 10)
		wait.Spread = []kube.Spread{{MaxSkew: 1, Key: "zone", Hard: true, MinDomains: 1, Selector: &kube.Selector{Requirements: []kube.Requirement{{Key: "app", Values: []string{"x"}}}}}}
		c := &kube.Cluster{Resources: kube.BaseResources(), Namespaces: []kube.Namespace{{Name: "n"}}}
		for i := range 2 + k.others {
			name, zone := fmt.Sprint("node", i), "z1"
			if i == 1 {
				zone = "z2"
			}
			c.Nodes = append(c.Nodes, kube.Node{Name: name, Labels: kube.Labels{{Key: "zone", Value: zone}}, Allocatable: kube.Vector{4000, 1 << 30, 0, 10}})
		}
		lowPriority := int32(0)
		if k.high {
			lowPriority = 10
		}
		c.Pods = []kube.Pod{
			{Namespace: "n", Name: "waits", Labels: x, Spec: wait},
			{Namespace: "n", Name: "large", Spec: of(4000, 10), NodeName: "node0"},
			{Namespace: "n", Name: "low", Labels: x, Spec: of(0, lowPriority), NodeName: "node0"},
			{Namespace: "n", Name: "full", Spec: of(4000, 10), NodeName: "node1"},
			{Namespace: "n", Name: "second", Labels: x, Spec: of(0, 10)},
			{Namespace: "n", Name: "below", Spec: of(4000, 1)},
		}
		c.Link()
		s := constraint.New(c, constraint.Default())
		if k.before != nil {
			k.before(s)
		}
		helped := func() bool {
			v := s.Filter(waits)
			n, _ := s.Preempt(waits, v, 0)
			return len(v.Nodes) > 0 || n != kube.Nowhere
		}
		if helped() {
			t.Errorf("%s: the pod does not wait", k.name)
		}
		if s.Failed(waits); !s.Hopeless(waits) {
			t.Errorf("%s: the pod is not called hopeless at first", k.name)
		}
		k.help(s)
		if hopeless := s.Hopeless(waits); !helped() || hopeless {
			t.Errorf("%s: helped %v, hopeless %v", k.name, helped(), hopeless)
		}
	}
}
