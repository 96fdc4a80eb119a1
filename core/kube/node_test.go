package kube_test

import (
	"testing"

	"parley/core/kube"
)

// Clouds name spot and on-demand machines in their own words, and installers the control plane.
func TestNodeLabels(t *testing.T) {
	for _, c := range []struct {
		key, value, capacity string
		control              bool
	}{
		{"eks.amazonaws.com/capacityType", "SPOT", kube.Spot, false},
		{"eks.amazonaws.com/capacityType", "ON_DEMAND", kube.OnDemand, false},
		{"kubernetes.azure.com/scalesetpriority", "spot", kube.Spot, false},
		{"kubernetes.azure.com/scalesetpriority", "regular", kube.OnDemand, false},
		{"cloud.google.com/gke-spot", "true", kube.Spot, false},
		{"cloud.google.com/gke-preemptible", "true", kube.Spot, false},
		{"cloud.google.com/gke-provisioning", "standard", kube.OnDemand, false},
		{"karpenter.sh/capacity-type", "reserved", "reserved", false},
		{"node-role.kubernetes.io/control-plane", "", "", true},
		{"node-role.kubernetes.io/master", "", "", true},
		{"node-role.kubernetes.io/controlplane", "true", "", true},
		{"node-role.kubernetes.io/etcd", "true", "", true},
		{"node-role.kubernetes.io/worker", "true", "", false},
		{"kubernetes.io/role", "master", "", true},
	} {
		n := kube.Node{Labels: kube.Labels{{Key: c.key, Value: c.value}}}
		if got, control := n.CapacityType(), n.ControlPlane(); got != c.capacity || control != c.control {
			t.Errorf("%s=%s: %q, control plane %v; want %q, %v", c.key, c.value, got, control, c.capacity, c.control)
		}
	}
	n := kube.Node{Taints: []kube.Taint{{Key: "node-role.kubernetes.io/master", Effect: kube.NoSchedule}}}
	if !n.ControlPlane() {
		t.Error("a master by its taint alone is not of the control plane")
	}
}
