package question_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/question"
)

// TestGrowMix: pods that need GPUs and pods that do not are taken by a mix of nodes, where one shape alone takes fewer or
// costs more. By hand: two nodes with a GPU each have room for six small pods of eight, and a cheap one takes the last two.
func TestGrowMix(t *testing.T) {
	gpu := func(spec string) string {
		n := strings.Replace(strings.Replace(node("g", "z1", "4"), `"allocatable":{`, `"allocatable":{"nvidia.com/gpu":"1",`, 1), `instance-type":"m"`, `instance-type":"g"`, 1)
		return strings.Replace(n, `"status":{`, `"spec":{`+spec+`},"status":{`, 1)
	}
	items := []string{node("c", "z1", "4"), pod("c-full", "c", "ReplicaSet", "4", ""), pod("g-full", "g", "ReplicaSet", "4", `,"tolerations":[{"operator":"Exists"}]`)}
	for i := range 2 {
		needs := strings.Replace(pod(fmt.Sprint("train", i), "", "ReplicaSet", "1", `,"tolerations":[{"operator":"Exists"}]`), `"requests":{`, `"requests":{"nvidia.com/gpu":"1",`, 1)
		items = append(items, needs)
	}
	for i := range 8 {
		items = append(items, pod(fmt.Sprint("web", i), "", "ReplicaSet", "1", ""))
	}
	prices, err := question.ReadPrices("p.csv", []byte("type,price\nm,0.2\ng,2\nb,0.4\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		subject, spec, want string
		priced              bool
		nodes, takes        int
		hour                float64
	}{
		{"a dearer shape takes all", "", "2 like g, 1 like c", true, 3, 10, 4.2},
		{"no shape takes all", `"taints":[{"key":"gpu","effect":"NoSchedule"}]`, "2 like g, 2 like c", true, 4, 10, 4.4},
		{"no shape takes all, without prices", `"taints":[{"key":"gpu","effect":"NoSchedule"}]`, "like", false, 4, 10, 0},
	} {
		o := question.GrowOptions{}
		if x.priced {
			o.Prices = prices
		}
		g := question.Grow(read(t, list(append(items, gpu(x.spec))...)), constraint.Default(), o)
		if g.Mix == nil || g.Mix.Nodes != x.nodes || g.Mix.Placed != x.takes || g.Mix.Left != 0 || !strings.Contains(g.Sentence(), x.want) || x.priced && (g.Mix.Cost == nil || g.Mix.Cost.Hour != x.hour) {
			t.Errorf("%s: %+v: %s", x.subject, g.Mix, g.Sentence())
		}
	}
	big := strings.Replace(node("b", "z1", "8"), `instance-type":"m"`, `instance-type":"b"`, 1)
	free := append(items[:len(items)-2:len(items)-2], gpu(""), big, pod("b-full", "b", "ReplicaSet", "8", ""), pod("huge", "", "ReplicaSet", "8", ""))
	g := question.Grow(read(t, list(free...)), constraint.Default(), question.GrowOptions{Prices: prices})
	if want := "2 like g, 1 like b"; g.Mix == nil || g.Mix.Nodes != 3 || g.Mix.Placed != 9 || !strings.Contains(g.Sentence(), want) {
		t.Errorf("what is left on dear nodes is not used first: %+v: %s", g.Mix, g.Sentence())
	}
	g = question.Grow(read(t, list(append(items[:1:1], node("d", "z2", "4"), pod("c-full", "c", "ReplicaSet", "4", ""), pod("d-full", "d", "ReplicaSet", "4", ""), pod("w", "", "ReplicaSet", "4", ""))...)), constraint.Default(), question.GrowOptions{})
	if g.Mix != nil {
		t.Errorf("one node is enough: %+v", g.Mix)
	}
}
