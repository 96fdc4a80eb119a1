package question_test

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"testing"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/dump"
	"parley/core/kube/question"
	"parley/core/testkit/cases"
	"parley/core/trace"
)

// read reads a dump.
func read(t testing.TB, text []byte) *kube.Cluster {
	t.Helper()
	c, err := dump.Read([]trace.File{{Name: "dump.json", Size: int64(len(text)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// clusters is how many small clusters the questions are tried on.
func clusters() uint64 {
	if testing.Short() {
		return 60
	}
	return 300
}

// force tries everything: all orders of evictions and all nodes that the filters pass.
type force struct {
	c       *kube.Cluster
	s       *constraint.State
	seen    map[string]bool
	tooMany bool
}

// maxStates is how many placements of pods are looked at before a cluster is given up.
const maxStates = 60_000

func (f *force) enter() bool {
	key := make([]byte, len(f.c.Pods))
	for i := range key {
		key[i] = byte(f.s.NodeOf(i) + 1)
	}
	if f.seen[string(key)] {
		return false
	}
	f.tooMany = f.tooMany || len(f.seen) > maxStates
	f.seen[string(key)] = true
	return !f.tooMany
}

// empties reports whether the pods can leave the nodes of a set, in some order, for some nodes
// outside of it.
func (f *force) empties(set []int, b *constraint.Budgets) bool {
	if !f.enter() {
		return false
	}
	done := true
	for _, at := range set {
		for _, pod := range slices.Clone(f.s.PodsOn(at)) {
			p := &f.c.Pods[pod]
			if p.DaemonSet() || p.Mirror || gone(p) {
				continue
			}
			done = false
			left := b.Clone()
			if left.Evict(pod) != nil {
				continue
			}
			f.s.Unbind(pod)
			for to := range f.c.Nodes {
				if slices.Contains(set, to) || !f.s.Fits(pod, to) {
					continue
				}
				f.s.Bind(pod, to)
				after := left.Clone()
				after.Replaced(pod)
				if f.empties(set, after) {
					return true
				}
				f.s.Unbind(pod)
			}
			f.s.Bind(pod, at)
		}
	}
	return done
}

// most returns the size of the largest set that can be emptied, false if there are too many
// ways to try. free are the nodes that nothing static keeps.
func most(c *kube.Cluster, free []int) (int, bool) {
	best := 0
	for set := range 1 << len(free) {
		var nodes []int
		for i, at := range free {
			if set&(1<<i) != 0 {
				nodes = append(nodes, at)
			}
		}
		if len(nodes) <= best {
			continue
		}
		f := &force{c: c, s: constraint.New(c, constraint.Default()), seen: map[string]bool{}}
		for _, at := range nodes {
			f.s.Cordon(at, true)
		}
		if f.empties(nodes, constraint.NewBudgets(c)) {
			best = len(nodes)
		}
		if f.tooMany {
			return 0, false
		}
	}
	return best, true
}

// obeys plays a plan again, move by move, and returns what it breaks.
func obeys(c *kube.Cluster, d *question.Drained) error {
	s, b := constraint.New(c, constraint.Default()), constraint.NewBudgets(c)
	nodes, pods := map[string]int{}, map[string]int{}
	for i := range c.Nodes {
		nodes[c.Nodes[i].Name] = i
	}
	for i := range c.Pods {
		pods[c.Pods[i].Full()] = i
	}
	if d.CordonFirst {
		for _, step := range d.Steps {
			s.Cordon(nodes[step.Node], true)
		}
	}
	for _, step := range d.Steps {
		s.Cordon(nodes[step.Node], true)
		for _, m := range step.Moves {
			pod, to := pods[m.Pod], nodes[m.To]
			if s.NodeOf(pod) != nodes[step.Node] {
				return fmt.Errorf("%s is not on %s", m.Pod, step.Node)
			}
			if r := b.Evict(pod); r != nil {
				return fmt.Errorf("%s: %s", m.Pod, r.Text)
			}
			s.Unbind(pod)
			if !s.Fits(pod, to) {
				return fmt.Errorf("%s does not fit on %s: %v", m.Pod, m.To, s.Reason(pod, to))
			}
			s.Bind(pod, to)
			b.Replaced(pod)
		}
		for _, pod := range s.PodsOn(nodes[step.Node]) {
			if p := &c.Pods[pod]; !p.DaemonSet() && !p.Mirror && !gone(p) {
				return fmt.Errorf("%s is left on %s", p.Full(), step.Node)
			}
		}
	}
	return nil
}

// TestDrainAgainstBruteForce: a plan obeys every constraint and budget at each move, it is at
// most as large as the best, and the best is not above the bound.
func TestDrainAgainstBruteForce(t *testing.T) {
	tried, optimal, tight, sum, given := 0, 0, 0, 0, 0
	for seed := range clusters() {
		c := read(t, cases.Movable(seed))
		d := question.Drain(c, constraint.Default(), question.DrainOptions{DeleteEmptyDir: true})
		if err := obeys(c, d); err != nil {
			t.Errorf("case %d: %v", seed, err)
		}
		static := map[string]bool{}
		for _, k := range d.Kept {
			static[k.Node] = k.Always
		}
		var free []int
		for i := range c.Nodes {
			if !static[c.Nodes[i].Name] {
				free = append(free, i)
			}
		}
		best, all := most(c, free)
		if !all {
			given++
			continue
		}
		tried++
		sum += best
		if d.Emptied > best && d.CordonFirst {
			t.Errorf("case %d: %d nodes are emptied, and brute force finds %d", seed, d.Emptied, best)
		}
		if d.Bound < best || d.Bound < d.Emptied {
			t.Errorf("case %d: the bound %d is below %d (found %d)", seed, d.Bound, best, d.Emptied)
		}
		if d.Emptied >= best {
			optimal++
		}
		if d.Bound == best {
			tight++
		}
	}
	t.Logf("%d clusters, %d nodes can be emptied: the plan is the best in %d, the bound is the best in %d; %d had too many ways to try", tried, sum, optimal, tight, given)
	if optimal*10 < tried*9 {
		t.Errorf("only %d of %d plans are the best", optimal, tried)
	}
	if tight*100 < tried*85 {
		t.Errorf("the bound is the best number in only %d of %d clusters", tight, tried)
	}
}

// copies returns the largest number of copies that any placement of them reaches.
func copies(s *constraint.State, first, nodes, n int, seen map[string]bool) int {
	key := make([]byte, nodes)
	for i := range n {
		key[s.NodeOf(first+i)]++
	}
	if seen[string(key)] {
		return n
	}
	seen[string(key)] = true
	best := n
	for at := range nodes {
		if s.Fits(first+n, at) {
			s.Bind(first+n, at)
			best = max(best, copies(s, first, nodes, n+1, seen))
			s.Unbind(first + n)
		}
	}
	return best
}

// TestFitAgainstBruteForce: copies obey every constraint, as many as the best or fewer, and the
// best is not above the bound.
func TestFitAgainstBruteForce(t *testing.T) {
	tried, optimal, tight, sum := 0, 0, 0, 0
	for seed := range clusters() {
		c := read(t, cases.Movable(seed))
		pod := c.Pods[len(c.Pods)-1]
		f := question.Fit(c, constraint.Default(), pod.Full(), pod, question.FitOptions{})
		if len(pod.Spec.Gates)+len(pod.Claims) > 0 || f.Bound > 12 || pod.DaemonSet() { // of which a node has one
			continue
		}
		pod.NodeName, pod.Claims, pod.Deleted = "", nil, 0
		many := make([]kube.Pod, f.Bound+2)
		for i := range many {
			many[i] = pod
		}
		s := constraint.New(c.With(nil, many), constraint.Default())
		best := copies(s, len(c.Pods), len(c.Nodes), 0, map[string]bool{})
		tried++
		sum += best
		if f.More > best || f.Bound < best {
			t.Errorf("case %d: %d copies of %s with a bound of %d, and brute force finds %d", seed, f.More, pod.Full(), f.Bound, best)
		}
		if f.More == best {
			optimal++
		}
		if f.Bound == best {
			tight++
		}
	}
	t.Logf("%d clusters, %d copies: the answer is the best in %d, the bound is the best in %d", tried, sum, optimal, tight)
	if tried < int(clusters())/3 || optimal*10 < tried*9 {
		t.Errorf("%d of %d answers are the best", optimal, tried)
	}
}

// gone reports whether a pod is terminating and has its successor already: a StatefulSet makes
// another only when the pod has ended.
func gone(p *kube.Pod) bool {
	return p.Terminating() && !p.DaemonSet() && !p.Mirror && p.Owner.Kind != "StatefulSet"
}

// generated returns an invented dump.
func generated(t *testing.T, nodes, pods int) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := dump.Generate(&text, dump.Size{Nodes: nodes, Pods: pods, Seed: 2}); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}
