package dump_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/kube"
	"parley/core/kube/dump"
	"parley/core/trace"
)

// public reads public dumps by their names in the folder of traces.
func public(t *testing.T, names ...string) *kube.Cluster {
	t.Helper()
	root := os.Getenv("PARLEY_TRACES")
	if root == "" {
		root = "../../../../shared/traces"
	}
	var files []trace.File
	for _, name := range names {
		path := filepath.Join(root, "kubernetes", name)
		if _, err := os.Stat(path); err != nil {
			t.Skipf("no kubernetes/%s in %s, see PARLEY_TRACES", name, root)
		}
		files = append(files, trace.File{Name: name, Size: -1, Open: func() (io.ReadCloser, error) { return os.Open(path) }})
	}
	c, err := dump.Read(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestPublicDumps reads public dumps and compares counts that a program of another hand found
// (check.py beside the dumps, with PyYAML).
func TestPublicDumps(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{"gke/all.yaml.gz", "Pod 91, Service 61, DaemonSet 6, Deployment 65, ReplicaSet 125, StatefulSet 3, HorizontalPodAutoscaler 4, Job 3"},
		{"gke/nodes.yaml", "Node 2"},
		{"gke/pv.yaml", "PersistentVolume 10"},
		{"gke/pvc.yaml", "PersistentVolumeClaim 9"},
		{"honeycomb/nodes.json", "Node 2"},
		{"honeycomb/pods.json", "Pod 11"},
		{"troubleshoot/nodes.json", "Node 7"},
		{"troubleshoot/pending-node-affinity.json", "Pod 1"},
		{"troubleshoot/pending-pod-resources.json", "Pod 1"},
		{"troubleshoot/pvcs.json", "PersistentVolumeClaim 2"},
		{"openshift/node-master-0.json", "Node 1"},
		{"openshift/node-worker-0.json", "Node 1"},
		{"openshift/pdb-etcd-quorum-guard.json", "PodDisruptionBudget 1"},
		{"openshift/pod-etcd-master-0.json", "Pod 1"},
		{"openshift/pod-prometheus-k8s-0.json", "Pod 1"},
		{"openshift/pod-router-default.json", "Pod 1"},
		{"openshift/pv-monitoring.json", "PersistentVolume 1"},
		{"openshift/pv-task.json", "PersistentVolume 1"},
		{"openshift/storageclass-standard-csi.json", "StorageClass 1"},
	} {
		var kinds []string
		for _, k := range public(t, c.names).Kinds {
			kinds = append(kinds, fmt.Sprint(k.Kind, " ", k.Count))
		}
		if got := strings.Join(kinds, ", "); got != c.want {
			t.Errorf("%s has %s, want %s", c.names, got, c.want)
		}
	}
}

// TestGKE compares what the dump's description says of its quirks. Of the 15 pods that it
// counts as safe to evict, nine have failed; a finished pod is counted and not kept.
func TestGKE(t *testing.T) {
	c := public(t, "gke/all.yaml.gz", "gke/nodes.yaml", "gke/pv.yaml", "gke/pvc.yaml")
	got := map[string]int{"running": 0, "finished": c.Finished}
	for i := range c.Pods {
		p := &c.Pods[i]
		if p.Phase == kube.PhaseRunning {
			got["running"]++
		}
		if p.Mirror && p.Owner == (kube.Owner{}) {
			got["mirror without owner"]++
		}
		if p.SafeToEvict == kube.Yes {
			got["safe to evict"]++
		}
		if p.Spec.BestEffort() {
			got["no request"]++
		}
		if p.Node == kube.Nowhere && p.NodeName != "" {
			got["elsewhere"]++
		}
	}
	for i := range c.Workloads {
		if w := &c.Workloads[i]; w.Kind == "ReplicaSet" && w.Replicas == 0 {
			got["empty replica sets"]++
		}
	}
	for i := range c.Nodes {
		if n := &c.Nodes[i]; n.Zone() != "" && n.InstanceType() != "" && len(n.Attachable) == 1 {
			got["nodes with zone, type and limit"]++
		}
	}
	want := map[string]int{"running": 82, "finished": 9, "mirror without owner": 2, "safe to evict": 6, "no request": 21, "empty replica sets": 62, "nodes with zone, type and limit": 2}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
