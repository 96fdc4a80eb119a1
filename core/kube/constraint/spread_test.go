package constraint_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/kube"
	"parley/core/kube/constraint"
)

// TestSpreadScores holds the scores of soft spread constraints over hosts and zones to their
// definition, written down plainly (plugins/podtopologyspread/scoring.go): every node counts the
// pods that match in its domains, times the logarithm of the number of domains plus 2.
func TestSpreadScores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(limit int, name string) int { return rapid.IntRange(0, limit).Draw(t, name) }
		c := &kube.Cluster{Resources: kube.BaseResources()}
		for i := range 1 + draw(5, "nodes") {
			c.Nodes = append(c.Nodes, kube.Node{
				Name: fmt.Sprint("n", i), Allocatable: kube.Vector{4000, 4 << 30, 0, 20},
				Labels: kube.NewLabels(map[string]string{kube.HostnameLabel: fmt.Sprint("n", i), "zone": string(rune('a' + draw(2, "zone")))}),
			})
		}
		selector := &kube.Selector{Requirements: []kube.Requirement{{Key: "app", Values: []string{"x"}}}}
		var soft []kube.Spread
		keys := rapid.SampledFrom([][]string{{kube.HostnameLabel, "zone"}, {"zone", kube.HostnameLabel}, {kube.HostnameLabel}, {"zone"}, {"zone", "zone"}, {"zone", kube.HostnameLabel, "zone"}})
		for _, key := range keys.Draw(t, "keys") {
			soft = append(soft, kube.Spread{MaxSkew: int32(1 + draw(4, "skew")), Key: key, Selector: selector, MinDomains: 1})
		}
		spread, other := &kube.Spec{Requests: kube.Vector{0, 0, 0, 1}, Spread: soft}, &kube.Spec{Requests: kube.Vector{0, 0, 0, 1}}
		c.Pods = []kube.Pod{{Namespace: "a", Name: "new", Labels: kube.Labels{{Key: "app", Value: "x"}}, Spec: spread}}
		for i := range draw(30, "pods") {
			c.Pods = append(c.Pods, kube.Pod{
				Namespace: "a", Name: fmt.Sprint("p", i), Spec: other, Labels: kube.Labels{{Key: "app", Value: []string{"x", "x", "y"}[draw(2, "app")]}},
				NodeName: c.Nodes[draw(draw(len(c.Nodes)-1, "within"), "node")].Name,
			})
		}
		c.Link()
		var nodes []int
		for at := range c.Nodes {
			if len(c.Nodes) == 1 || draw(4, "compared") > 0 {
				nodes = append(nodes, at)
			}
		}
		p := constraint.Default()
		p.Scores = []constraint.Weight{{Plugin: constraint.PodTopologySpread, Weight: 1}}
		want := spreadScores(c, soft, nodes)
		for i, got := range constraint.New(c, p).Score(0, nodes) {
			if got.Parts[0] != want[i] {
				t.Fatalf("node %d of %v scores %d, want %d", got.Node, nodes, got.Parts[0], want[i])
			}
		}
	})
}

func spreadScores(c *kube.Cluster, soft []kube.Spread, nodes []int) []int64 {
	domain := func(at int, key string) string {
		v, _ := c.Nodes[at].Labels.Get(key)
		return v
	}
	sums := make([]int64, len(nodes))
	for i, at := range nodes {
		sum := 0.0
		for _, k := range soft {
			domains := map[string]bool{}
			for _, n := range nodes {
				domains[domain(n, k.Key)] = true
			}
			pods := 0
			for _, p := range c.Pods {
				if v, _ := p.Labels.Get("app"); p.Node >= 0 && v == "x" && domain(p.Node, k.Key) == domain(at, k.Key) {
					pods++
				}
			}
			sum += float64(float64(pods)*math.Log(float64(len(domains)+2))) + float64(k.MaxSkew-1)
		}
		sums[i] = int64(math.Round(sum))
	}
	if len(sums) == 0 {
		return nil
	}
	lowest, highest := slices.Min(sums), slices.Max(sums)
	for i, x := range sums {
		if sums[i] = 100; highest > 0 {
			sums[i] = 100 * (highest + lowest - x) / highest
		}
	}
	return sums
}
