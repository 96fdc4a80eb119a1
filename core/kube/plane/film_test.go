package plane_test

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/dump"
	"parley/core/kube/plane"
	"parley/core/trace"
	"parley/core/unit"
)

// screen is what a film shows at a moment. It knows the rules of plane.Recording and nothing else.
type screen struct {
	pods  []plane.RecordedPod
	names []int32
	nodes []plane.RecordedNode
}

// screened returns what a film shows after some of its shots.
func screened(f *plane.Recording, shots []plane.RecordedEvent) *screen {
	s := &screen{slices.Clone(f.Pods), make([]int32, len(f.Pods)), slices.Clone(f.Nodes)}
	for i := range s.names {
		s.names[i] = -1
	}
	for i := range shots {
		x := &shots[i]
		if x.Pod < 0 {
			if x.Node >= 0 {
				changeNode(&s.nodes[x.Node], x.Kind)
			}
			continue
		}
		for len(s.pods) <= int(x.Pod) {
			s.pods, s.names = append(s.pods, plane.RecordedPod{Node: -1}), append(s.names, -1)
		}
		s.names[x.Pod] = x.Name
		changePod(&s.pods[x.Pod], x)
	}
	return s
}

func changeNode(n *plane.RecordedNode, kind plane.Kind) {
	switch kind {
	case plane.Joined:
		n.Absent = false
	case plane.Left:
		n.Absent = true
	case plane.Cordoned, plane.Uncordoned:
		n.Cordoned = kind == plane.Cordoned
	case plane.NotReady:
		n.Silent = true
	}
}

func changePod(p *plane.RecordedPod, x *plane.RecordedEvent) {
	switch x.Kind {
	case plane.Created:
		*p = plane.RecordedPod{Node: -1, Of: x.Of, Life: plane.LifeWaits, IgnoredByDrain: x.IgnoredByDrain}
	case plane.Bound:
		p.Node, p.Life = x.Node, plane.LifeStarts
	case plane.Placed:
		*p = plane.RecordedPod{Node: x.Node, Of: x.Of, Life: plane.LifeReady, IgnoredByDrain: x.IgnoredByDrain}
	case plane.Ready:
		p.Life = plane.LifeReady
	case plane.Unready:
		p.Life = plane.LifeStarts
	case plane.Deleted:
		p.Life = plane.LifeEnds
	case plane.Gone:
		*p = plane.RecordedPod{Node: -1}
	}
}

// apart compares what a film shows after some of its shots with the play as it is now, and returns the
// differences.
func apart(f *plane.Recording, shots []plane.RecordedEvent, p *plane.Plane) (all []string) {
	s, now, c := screened(f, shots), p.Begun(), p.Cluster()
	for i, want := range now.Pods {
		got, name := plane.RecordedPod{Node: -1}, int32(-1)
		if i < len(s.pods) {
			got, name = s.pods[i], s.names[i]
		}
		if want.Life == plane.NoLife {
			want = plane.RecordedPod{Node: -1}
		}
		if got != want {
			all = append(all, fmt.Sprintf("pod %d %s is %+v, the film has %+v", i, c.Pods[i].Full(), want, got))
		} else if name >= 0 && want.Life != plane.NoLife && f.Names[name] != c.Pods[i].Full() {
			all = append(all, fmt.Sprintf("pod %d is %s, the film calls it %s", i, c.Pods[i].Full(), f.Names[name]))
		}
	}
	if !slices.Equal(s.nodes, now.Nodes) {
		all = append(all, fmt.Sprintf("the nodes are %+v, the film has %+v", now.Nodes, s.nodes))
	}
	return all
}

// checkFilm fails a test unless the shots of a film come to the pods and nodes with which its play ends.
func checkFilm(t testing.TB, f *plane.Recording, p *plane.Plane) {
	t.Helper()
	for _, subject := range apart(f, f.Events, p) {
		t.Error(subject)
	}
	if f.Dropped > 0 || !slices.IsSortedFunc(f.Events, func(x, y plane.RecordedEvent) int { return int(x.At - y.At) }) {
		t.Errorf("%d shots are not kept, or they are in no order", f.Dropped)
	}
}

// generated returns a cluster that dump.Generate invents.
func generated(t testing.TB, size dump.Size) *kube.Cluster {
	var text bytes.Buffer
	if err := dump.Generate(&text, size); err != nil {
		t.Fatal(err)
	}
	c, err := dump.Read([]trace.File{{Name: "generated", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text.Bytes())), nil }}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// karpenters returns a cluster of nodes that a NodePool of Karpenter made. It may disrupt half of them at a time.
func karpenters(c *kube.Cluster) *kube.Cluster {
	own := *c
	own.Nodes = slices.Clone(c.Nodes)
	for at := range own.Nodes {
		own.Nodes[at].Labels = slices.Concat(own.Nodes[at].Labels, kube.Labels{{Key: kube.KarpenterPool, Value: "p"}})
		slices.SortFunc(own.Nodes[at].Labels, func(x, y kube.Label) int { return strings.Compare(x.Key, y.Key) })
	}
	own.NodePools = []kube.NodePool{{Name: "p", Budgets: []kube.NodeBudget{{Nodes: kube.IntOrPercent{Value: 50, Percent: true}}}}}
	return &own
}

// consolidation lets Karpenter consolidate: a node costs what it has of CPU, and half of that as its replacement.
func consolidation(p *plane.Plane, c *kube.Cluster) *plane.Karpenter {
	price := func(n *kube.Node) float64 { return float64(n.Allocatable.At(kube.CPU)) }
	return p.Consolidate(plane.KarpenterOptions{
		Offers: []plane.Offer{{Pool: "p", Like: 0, Machine: "other", Price: price(&c.Nodes[0]) / 2, Priced: true, Boot: unit.Minute}},
		Fresh: func(_ *plane.Offer, n int) (kube.Node, []kube.CSINode) {
			node := c.Nodes[0]
			node.Name = fmt.Sprintf("new-%d", n)
			return node, nil
		},
		Price:       func(n *kube.Node) (float64, bool) { return price(n), true },
		Unknown:     func(*kube.Pod) string { return "" },
		MaxCommands: 20,
	})
}

// TestConsolidation: however Karpenter plays, the commands that are carried out at a time stay within the budget of
// the NodePool, and no node is removed twice.
func TestConsolidation(t *testing.T) {
	removed, added := 0, 0
	for seed := range uint64(12) {
		c := karpenters(generated(t, dump.Size{Nodes: 10, Pods: 60 + 10*int(seed), Seed: seed}))
		p := plane.New(c, plane.Options{Profile: constraint.Default(), Seed: seed, Pace: plane.Drawn})
		k := consolidation(p, c)
		p.Run(unit.Forever, k.Over)
		gone := map[int]bool{}
		for i, x := range k.Commands {
			for _, at := range x.Nodes {
				if gone[at] {
					t.Errorf("seed %d: node %d goes twice", seed, at)
				}
				gone[at] = true
			}
			if removed += len(x.Nodes); x.New != kube.Nowhere {
				added++
			}
			busy := 0
			for _, y := range k.Commands[:i+1] {
				if y.Done < 0 || y.Done > x.Started {
					busy += len(y.Nodes)
				}
			}
			if busy > (10+added+1)/2 {
				t.Errorf("seed %d: %d nodes go at a time", seed, busy)
			}
			if x.Started-x.Decided != 15*unit.Second || x.Done >= 0 && x.Done < x.Started {
				t.Errorf("seed %d: %+v", seed, x)
			}
		}
	}
	if removed < 20 || added == 0 {
		t.Errorf("%d nodes go and %d come", removed, added)
	}
}

// TestFilmOfGeneratedClusters drains, loses, upgrades and consolidates nodes of clusters that were invented.
func TestFilmOfGeneratedClusters(t *testing.T) {
	for seed := range uint64(8) {
		c := generated(t, dump.Size{Nodes: 12, Pods: 200, Seed: seed})
		for _, pace := range []plane.Pace{plane.Middle, plane.Fast, plane.Drawn} {
			play := func(act func(p *plane.Plane) func() bool) {
				f := new(plane.Recording)
				p := plane.New(c, plane.Options{Profile: constraint.Default(), Seed: seed, Pace: pace, Silent: true, Recording: f})
				p.Run(plane.Day, act(p))
				if len(f.Events) == 0 {
					t.Error("the film is empty")
				}
				checkFilm(t, f, p)
			}
			play(func(p *plane.Plane) func() bool { return p.Drains([]int{1, 3, 5}, false).Over })
			play(func(p *plane.Plane) func() bool { p.Lose([]int{0, 2}, true); return func() bool { return false } })
			play(func(p *plane.Plane) func() bool { p.Lose([]int{0, 2}, false); return func() bool { return false } })
			play(func(p *plane.Plane) func() bool {
				pools := []plane.Pool{{Nodes: []int{1, 2, 3}, Surge: 1, Boot: unit.Minute}, {Nodes: []int{4, 5}, Unavailable: 1, Boot: unit.Minute}}
				return p.Upgrade(pools, func(at, n int) (kube.Node, []kube.CSINode) {
					node := c.Nodes[at]
					node.Name = fmt.Sprintf("new-%d", n)
					return node, nil
				}).Over
			})
			own := c
			c = karpenters(c)
			play(func(p *plane.Plane) func() bool { return consolidation(p, c).Over })
			c = own
		}
	}
}

// TestFilmWithoutAShot leaves each shot of a film out that changes a pod or a node for good: what it comes to
// is then not the play's end.
func TestFilmWithoutAShot(t *testing.T) {
	f := new(plane.Recording)
	p := plane.New(generated(t, dump.Size{Nodes: 8, Pods: 60, Seed: 1}), plane.Options{Profile: constraint.Default(), Recording: f})
	p.Run(plane.Day, p.Drains([]int{1, 2}, true).Over)
	checkFilm(t, f, p)
	seen := 0
	for i, x := range f.Events {
		again := slices.ContainsFunc(f.Events[i+1:], func(y plane.RecordedEvent) bool { return y.Pod == x.Pod && y.Kind == plane.Created })
		if x.Kind != plane.Bound && x.Kind != plane.Gone && x.Kind != plane.Cordoned || again && x.Pod >= 0 {
			continue
		}
		seen++
		if len(apart(f, slices.Delete(slices.Clone(f.Events), i, i+1), p)) == 0 {
			t.Errorf("without shot %d, %+v, the film comes to the same", i, x)
		}
	}
	if seen < 10 {
		t.Errorf("only %d shots were left out", seen)
	}
}
