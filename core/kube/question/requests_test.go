package question_test

import (
	"testing"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/question"
	"parley/core/testkit/cases"
)

// TestRequestsAddUp: a node's sums are those that the filters subtract, groups add
// up to the total, and the total is the summary's.
func TestRequestsAddUp(t *testing.T) {
	extended := false
	for seed := range clusters() {
		c := read(t, cases.Movable(seed))
		s := constraint.New(c, constraint.Default())
		summary := question.Summarise(c)
		for at := range c.Nodes {
			r, err := question.Requests(c, "owner", at)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range r.Total.Resources {
				place := c.Resource(x.Resource)
				if x.Requested != s.Requested(at).At(place) || x.Allocatable != c.Nodes[at].Allocatable.At(place) {
					t.Errorf("seed %d, %s: %+v; the filters subtract %d", seed, r.Node, x, s.Requested(at).At(place))
				}
				extended = extended || place >= kube.FirstExtended && x.Requested > 0
			}
		}
		for _, by := range []string{"namespace", "owner", "node"} {
			r, err := question.Requests(c, by, kube.Nowhere)
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range r.Total.Resources {
				if want := summary.Resources[c.Resource(x.Resource)]; x != want {
					t.Errorf("seed %d: %+v and in the summary %+v", seed, x, want)
				}
				requested := int64(0)
				for _, g := range r.Groups {
					requested += g.Resources[i].Requested
				}
				if requested != x.Requested {
					t.Errorf("seed %d, by %s: groups request %d of %s, all pods %d", seed, by, requested, x.Resource, x.Requested)
				}
			}
		}
	}
	if !extended {
		t.Error("no node has a pod with an extended resource")
	}
}

// TestGPUsByModel: nodes whose GPUs are of different models are different groups, which can be
// lost as well.
func TestGPUsByModel(t *testing.T) {
	gpus := func(name, label, model string) string {
		return `{"apiVersion":"v1","kind":"Node","metadata":{"name":"` + name + `","labels":{"` + label + `":"` + model + `"}},"status":{"allocatable":{"cpu":"8","pods":"10","nvidia.com/gpu":"4"},"conditions":[{"type":"Ready","status":"True"}]}}`
	}
	wants := func(name, on string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"n","name":"` + name + `"},"spec":{"nodeName":"` + on + `","containers":[{"name":"c","resources":{"requests":{"nvidia.com/gpu":"3"}}}]}}`
	}
	c := read(t, list(gpus("a", "nvidia.com/gpu.product", "A100"), gpus("b", "cloud.google.com/gke-accelerator", "L4"), gpus("c", "nvidia.com/gpu.product", "A100"), node("d", "z", "4"), wants("one", "a"), wants("two", "b")))
	r, err := question.Requests(c, "gpu", kube.Nowhere)
	if err != nil || len(r.Groups) != 2 {
		t.Fatalf("%v: %+v", err, r)
	}
	for i, want := range []string{"GPU model L4 3 of 4", "GPU model A100 3 of 8"} {
		g := r.Groups[i]
		x := g.Resources[len(g.Resources)-1]
		if got := g.Name + " " + question.Amount(x.Resource, x.Requested) + " of " + question.Amount(x.Resource, x.Allocatable); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if groups, err := question.Choose(c, "gpu", []string{"A100"}); err != nil || len(groups) != 1 || len(groups[0].Nodes) != 2 {
		t.Errorf("%v: %+v", err, groups)
	}
}

// TestFullestFirst: groups are in the order of the resource that is fullest in each, whichever
// it is.
func TestFullestFirst(t *testing.T) {
	little := []string{pod("b1", "b", "", "100m", ""), pod("b2", "b", "", "100m", ""), pod("b3", "b", "", "100m", "")}
	c := read(t, list(append(little, node("a", "z", "4"), node("b", "z", "4"), node("c", "z", "4"), pod("a1", "a", "", "4", ""), pod("c1", "c", "", "1", ""))...))
	r, err := question.Requests(c, "node", kube.Nowhere)
	if err != nil || len(r.Groups) != 3 {
		t.Fatalf("%v: %+v", err, r)
	}
	for i, want := range []string{"node a", "node c", "node b"} { // CPU 100, 25 and 7.5 %; pods 1, 1 and 3 of 110
		if r.Groups[i].Name != want {
			t.Errorf("group %d is %s, want %s", i, r.Groups[i].Name, want)
		}
	}
}
