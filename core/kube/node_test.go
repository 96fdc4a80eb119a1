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
		{"oci.oraclecloud.com/oke-is-preemptible", "true", kube.Spot, false},
		{"scheduling.cast.ai/spot", "true", kube.Spot, false},
		{"spotinst.io/node-lifecycle", "od", kube.OnDemand, false},
		{"node-role.kubernetes.io/spot-worker", "", kube.Spot, false},
		{"node-role.kubernetes.io/spot-worker", "false", "", false},
		{"node.alibabacloud.com/spot-strategy", "SpotAsPriceGo", kube.Spot, false},
		{"node.alibabacloud.com/spot-strategy", "NoSpot", kube.OnDemand, false},
		{"lifecycle", "Ec2Spot", kube.Spot, false},
		{"lifecycle", "production", "", false},
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

// The group of a node is what the most specific of its labels says.
func TestGroup(t *testing.T) {
	for _, label := range kube.GroupLabels() {
		n := kube.Node{Labels: kube.NewLabels(map[string]string{label: "blue", "team": "a"})}
		if key, name := n.Group(); key != label || name != "blue" {
			t.Errorf("%s=blue: group %q by %q", label, name, key)
		}
	}
	n := kube.Node{Labels: kube.NewLabels(map[string]string{"eks.amazonaws.com/nodegroup": "system", "karpenter.sh/nodepool": "default"})}
	if key, name := n.Group(); key != "karpenter.sh/nodepool" || name != "default" {
		t.Errorf("a node of Karpenter is of group %q by %q", name, key)
	}
}

// A new node has none of the taints that pass, and all others.
func TestPassing(t *testing.T) {
	for key, want := range map[string]bool{
		"node.kubernetes.io/not-ready": true, "node.cloudprovider.kubernetes.io/uninitialized": true, "node.cilium.io/agent-not-ready": true,
		"ebs.csi.aws.com/agent-not-ready": true, "startup-taint.cluster-autoscaler.kubernetes.io/gpu": true, "dedicated": false, "nvidia.com/gpu": false,
		"node-role.kubernetes.io/control-plane": false, "CriticalAddonsOnly": false,
	} {
		if taint := (kube.Taint{Key: key}); taint.Passing() != want {
			t.Errorf("%s passes: %v, want %v", key, !want, want)
		}
	}
}

// Nodes that stand for a service are not machines.
func TestVirtual(t *testing.T) {
	for label, want := range map[[2]string]bool{
		{"type", "virtual-kubelet"}: true, {"type", "worker"}: false, {"eks.amazonaws.com/compute-type", "fargate"}: true,
		{"eks.amazonaws.com/compute-type", "auto"}: false, {"node-role.kubernetes.io/virtual-node", ""}: true,
	} {
		n := kube.Node{Labels: kube.Labels{{Key: label[0], Value: label[1]}}}
		if n.Virtual() != want {
			t.Errorf("%v is virtual: %v, want %v", label, !want, want)
		}
	}
}
