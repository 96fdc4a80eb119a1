package usage_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/kube"
	"parley/core/kube/usage"
	_ "parley/core/testkit/scripttest/seed"
)

// cluster has a Deployment of two pods through a ReplicaSet that the dump lacks, and a bare
// pod.
func cluster() *kube.Cluster {
	sp := &kube.Spec{Requests: kube.Vector{1000, 1 << 30, 0, 1}}
	hash := kube.NewLabels(map[string]string{"pod-template-hash": "7d9f"})
	c := &kube.Cluster{
		Resources: kube.BaseResources(), Nodes: []kube.Node{{Name: "n"}},
		Pods: []kube.Pod{
			{Namespace: "a", Name: "web-7d9f-x1", NodeName: "n", Owner: kube.Owner{Kind: "ReplicaSet", Name: "web-7d9f"}, Labels: hash, Spec: sp},
			{Namespace: "a", Name: "web-7d9f-x2", NodeName: "n", Owner: kube.Owner{Kind: "ReplicaSet", Name: "web-7d9f"}, Labels: hash, Spec: sp},
			{Namespace: "a", Name: "bare", NodeName: "n", Spec: sp},
		},
	}
	c.Link()
	return c
}

// TestRightSize: samples of a pod that is gone count for its workload, containers are summed,
// and a pod of no workload is unknown.
func TestRightSize(t *testing.T) {
	u := usage.New()
	for i := range 100 {
		u.Add(usage.Series{Namespace: "a", Pod: "web-7d9f-x1", Container: "main"}, 0.1)
		u.Add(usage.Series{Namespace: "a", Pod: "web-66aa-old", Container: "main"}, float64(i)/1000)
		u.Add(usage.Series{Namespace: "a", Pod: "web-7d9f-x1", Container: "proxy"}, 0.05)
		u.Add(usage.Series{Namespace: "b", Pod: "web-7d9f-x1"}, 9)
	}
	u.Add(usage.Series{Namespace: "a", Pod: "bare", Resource: kube.Memory}, math.NaN())
	rows, unknown := usage.RightSize(cluster(), u)
	if len(rows) != 1 || unknown != 1 || u.Unreadable != 1 || u.Instant() {
		t.Fatalf("%+v, %d unknown, %d unreadable", rows, unknown, u.Unreadable)
	}
	r := rows[0]
	if r.Kind != "Deployment" || r.Name != "web" || r.Pods != 2 || r.Request != 1000 || r.Samples != 300 || r.P95 < 150 || r.P95 > 153 || r.Max != 150 && r.Max != 151 || r.Over != 2000-2*r.P95 {
		t.Errorf("%+v", r)
	}
}

// TestQuantiles holds quantiles to those of the sorted samples, within the width
// of a bucket.
func TestQuantiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64Range(1e-6, 1e12), 1, 200).Draw(t, "samples")
		u := usage.New()
		for _, x := range xs {
			u.Add(usage.Series{Namespace: "a", Pod: "bare", Resource: kube.Memory}, x)
		}
		rows, _ := usage.RightSize(cluster(), u)
		slices.Sort(xs)
		exact := xs[int(math.Ceil(0.95*float64(len(xs))))-1]
		if got := float64(rows[0].P95); got < math.Floor(exact*0.999) || got > math.Ceil(exact*1.021) {
			t.Fatalf("P95 is %v, of the sorted samples %v", got, exact)
		}
		if rows[0].Max != int64(math.Ceil(xs[len(xs)-1])) {
			t.Fatalf("the maximum is %d, want %v", rows[0].Max, xs[len(xs)-1])
		}
	})
}
