package kube_test

import (
	"testing"

	"parley/core/kube"
)

// TestOwners: a pod's ReplicaSet that the dump does not have belongs to a Deployment if a label of the pod has the hash
// that ends its name, or if the dump has that Deployment. Two ReplicaSets that people named alike are two workloads.
func TestOwners(t *testing.T) {
	keep := kube.NewOwners(&kube.Cluster{Workloads: []kube.Workload{
		{Namespace: "n", Kind: "Deployment", Name: "api"},
		{Namespace: "n", Kind: "ReplicaSet", Name: "web-55fd", Owner: kube.Owner{Kind: "Deployment", Name: "web"}},
		{Namespace: "n", Kind: "ReplicaSet", Name: "cache-1"},
		{Namespace: "n", Kind: "Job", Name: "backup-9", Owner: kube.Owner{Kind: "CronJob", Name: "backup"}},
	}})
	for _, x := range []struct{ kind, name, label, hash, wantKind, want string }{
		{"ReplicaSet", "web-55fd", "", "", "Deployment", "web"},
		{"ReplicaSet", "cache-1", "", "", "ReplicaSet", "cache-1"},
		{"Job", "backup-9", "", "", "CronJob", "backup"},
		{"ReplicaSet", "api-77c9", "", "", "Deployment", "api"},
		{"ReplicaSet", "shop-7c9d", "pod-template-hash", "7c9d", "Deployment", "shop"},
		{"ReplicaSet", "blue-green-7c9d", "rollouts-pod-template-hash", "7c9d", "Deployment", "blue-green"},
		{"ReplicaSet", "rs-p1", "", "", "ReplicaSet", "rs-p1"},
		{"ReplicaSet", "rs-p2", "", "", "ReplicaSet", "rs-p2"},
		{"ReplicaSet", "rs-p2", "pod-template-hash", "7c9d", "ReplicaSet", "rs-p2"},
		{"StatefulSet", "db-1", "", "", "StatefulSet", "db-1"},
		{"", "", "", "", "Pod", "bare"},
	} {
		p := &kube.Pod{Namespace: "n", Name: "bare", Owner: kube.Owner{Kind: x.kind, Name: x.name}}
		if x.label != "" {
			p.Labels = kube.NewLabels(map[string]string{x.label: x.hash})
		}
		if got := keep.Of(p); got != (kube.Owner{Kind: x.wantKind, Name: x.want}) {
			t.Errorf("%s %s with %s=%s: %v", x.kind, x.name, x.label, x.hash, got)
		}
	}
}
