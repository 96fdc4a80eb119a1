package kube

import (
	"slices"
	"strings"
)

// groupLabels are the labels by which clouds, installers and autoscalers name the group of a node. The first that
// a node has counts: a node that Karpenter made is of its NodePool, whatever else is on it.
var groupLabels = []string{
	"karpenter.sh/nodepool", "karpenter.sh/provisioner-name", "eks.amazonaws.com/nodegroup", "alpha.eksctl.io/nodegroup-name", "kops.k8s.io/instancegroup",
	"cloud.google.com/gke-nodepool", "kubernetes.azure.com/agentpool", "agentpool", "doks.digitalocean.com/node-pool", "doks.digitalocean.com/node-pool-id",
	"k8s.scaleway.com/pool-name", "lke.linode.com/pool-id", "vke.vultr.com/node-pool", "kubernetes.civo.com/civo-node-pool", "hcloud/node-group",
	"node.exoscale.net/nodepool-id", "ibm-cloud.kubernetes.io/worker-pool-name", "alibabacloud.com/nodepool-id", "node.alibabacloud.com/nodepool-id",
	"worker.gardener.cloud/pool", "hypershift.openshift.io/nodePool",
}

// GroupLabels returns the labels by which a node may name its group.
func GroupLabels() []string { return slices.Clone(groupLabels) }

// MachineSetGroup takes the place of the label of a node's group if an annotation of Cluster API
// names the group.
const MachineSetGroup = "cluster.x-k8s.io/owner-name"

// Group returns the node group of a node, and the label with its name; both are "" if there is none.
func (n *Node) Group() (label, name string) {
	for _, label := range groupLabels {
		if v, has := n.Labels.Get(label); has {
			return label, v
		}
	}
	if n.MachineSet != "" {
		return MachineSetGroup, n.MachineSet
	}
	return "", ""
}

// spotMarks are labels that mark a spot node, unless their value is false.
var spotMarks = []string{
	"cloud.google.com/gke-spot", "cloud.google.com/gke-preemptible", "oci.oraclecloud.com/oke-is-preemptible", "scheduling.cast.ai/spot", "node-role.kubernetes.io/spot-worker",
}

// capacityLabels are the labels with a node's pricing model.
var capacityLabels = []string{
	"karpenter.sh/capacity-type", "eks.amazonaws.com/capacityType", "kubernetes.azure.com/scalesetpriority", "cloud.google.com/gke-provisioning",
	"node.kubernetes.io/lifecycle", "kubernetes.io/lifecycle", "spotinst.io/node-lifecycle", "node.alibabacloud.com/spot-strategy",
}

// CapacityLabels returns the labels with a node's pricing model.
func CapacityLabels() []string { return append(slices.Concat(spotMarks, capacityLabels), "lifecycle") }

// CapacityType returns a node's pricing model: spot, on-demand or its cloud's name for it, in lower
// case; "" if no label has it.
func (n *Node) CapacityType() string {
	for _, label := range spotMarks {
		if v, has := n.Labels.Get(label); has && v != "false" {
			return Spot
		}
	}
	for _, label := range capacityLabels {
		if v, has := n.Labels.Get(label); has {
			return CapacityOf(v)
		}
	}
	v, _ := n.Labels.Get("lifecycle") // anybody may use this name
	if of := CapacityOf(v); of == Spot || of == OnDemand {
		return of
	}
	return ""
}

// The two capacity types that clouds have under several names.
const (
	Spot     = "spot"
	OnDemand = "on-demand"
)

// CapacityOf returns the capacity type that a cloud's word means.
func CapacityOf(word string) string {
	switch word = strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(strings.TrimSpace(word))); word {
	case "preemptible", "low", "ec2spot", "spot-instance", "spotaspricego", "spotwithpricelimit":
		return Spot
	case "ondemand", "od", "regular", "standard", "normal", "nospot", "payg", "pay-as-you-go":
		return OnDemand
	}
	return word
}

// ControlPlane reports whether a node is of the control plane, by any of the labels and taints
// that installers set: control-plane, master (up to Kubernetes 1.23), controlplane and etcd
// (Rancher).
func (n *Node) ControlPlane() bool {
	for _, role := range []string{"control-plane", "master", "controlplane", "etcd"} {
		key := "node-role.kubernetes.io/" + role
		if v, has := n.Labels.Get(key); has && v != "false" {
			return true
		}
		for i := range n.Taints {
			if n.Taints[i].Key == key {
				return true
			}
		}
	}
	v, _ := n.Labels.Get("kubernetes.io/role")
	return v == "master" || v == "control-plane"
}

// Virtual reports whether a node represents a service that runs each pod on a machine of its own:
// nodes of virtual-kubelet, of Fargate and OKE's virtual nodes. Such nodes are not added like
// machines.
func (n *Node) Virtual() bool {
	is := func(label, value string) bool {
		v, has := n.Labels.Get(label)
		return has && (value == "" || v == value)
	}
	return is("type", "virtual-kubelet") || is("eks.amazonaws.com/compute-type", "fargate") || is("node-role.kubernetes.io/virtual-node", "")
}

// Passing reports whether a taint is of a moment of a node's life: a new node of its kind loses it, or never has
// it. The control plane, cloud providers, autoscalers, network plugins and drivers of volumes set such taints.
func (t *Taint) Passing() bool {
	switch strings.TrimPrefix(t.Key, "node.kubernetes.io/") {
	case "not-ready", "unreachable", "unschedulable", "out-of-service", "network-unavailable", "memory-pressure", "disk-pressure", "pid-pressure",
		"ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler", "karpenter.sh/disrupted", "karpenter.sh/disruption", "karpenter.sh/unregistered",
		"node.cluster.x-k8s.io/uninitialized", "node.cluster.x-k8s.io/outdated-revision", "cloud.google.com/impending-node-termination":
		return true
	}
	for _, prefix := range passingPrefixes {
		if strings.HasPrefix(t.Key, prefix) {
			return true
		}
	}
	return strings.HasSuffix(t.Key, "/agent-not-ready") // of Cilium and of drivers of volumes
}

// passingPrefixes begin the keys of taints that pass, some of them once an agent on a new node is ready.
// (cluster-autoscaler/utils/taints)
var passingPrefixes = []string{
	"node.cloudprovider.kubernetes.io/", "aws-node-termination-handler/", "startup-taint.cluster-autoscaler.kubernetes.io/",
	"ignore-taint.cluster-autoscaler.kubernetes.io/", "readiness.k8s.io/",
}
