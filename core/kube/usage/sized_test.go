package usage_test

import (
	"testing"

	"parley/core/kube"
	"parley/core/kube/usage"
)

// TestSized: pods and templates of a workload request a level of what its pods use; others, other resources and the
// cluster that was given stay as they are.
func TestSized(t *testing.T) {
	c := cluster()
	c.Workloads = []kube.Workload{
		{Namespace: "a", Kind: "Deployment", Name: "web", Template: c.Pods[0].Spec},
		{Namespace: "a", Kind: "ReplicaSet", Name: "web-7d9f", Owner: kube.Owner{Kind: "Deployment", Name: "web"}, Template: c.Pods[0].Spec},
		{Namespace: "b", Kind: "Deployment", Name: "web", Template: c.Pods[0].Spec},
	}
	u := usage.New()
	for i := range 100 {
		u.Add(usage.Series{Namespace: "a", Pod: "web-7d9f-x1"}, map[bool]float64{true: 0.5, false: 0.25}[i == 99])
	}
	for level, want := range map[string]int64{"p50": 250, "p95": 250, "max": 500} {
		d, n := usage.Sized(c, u, level)
		if n != 1 {
			t.Errorf("%s: %d workloads", level, n)
		}
		for i, cpu := range []int64{want, want, 1000} {
			if s := d.Pods[i].Spec; s.Requests[kube.CPU] != cpu || s.Requests[kube.Memory] != 1<<30 || s.Requests[kube.Pods] != 1 || cpu == want && s.ScoredCPU != want {
				t.Errorf("%s, %s: %+v", level, d.Pods[i].Name, s)
			}
		}
		if d.Pods[0].Spec != d.Pods[1].Spec {
			t.Errorf("%s: pods that were alike are not any more", level)
		}
		for i, cpu := range []int64{want, want, 1000} {
			if got := d.Workloads[i].Template.Requests[kube.CPU]; got != cpu {
				t.Errorf("%s, template of %s %s: %d", level, d.Workloads[i].Kind, d.Workloads[i].Name, got)
			}
		}
	}
	if c.Pods[0].Spec.Requests[kube.CPU] != 1000 || c.Workloads[0].Template.Requests[kube.CPU] != 1000 {
		t.Error("the cluster that was given changed")
	}
	idle := usage.New()
	idle.Add(usage.Series{Namespace: "a", Pod: "web-7d9f-x1"}, 0)
	if d, _ := usage.Sized(c, idle, "max"); d.Pods[0].Spec.Requests[kube.CPU] != 1 {
		t.Errorf("what uses nothing requests %d", d.Pods[0].Spec.Requests[kube.CPU])
	}
}
