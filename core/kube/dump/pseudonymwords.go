package dump

import (
	"regexp"
	"slices"
	"strings"

	"parley/core/kube"
)

// The words that a pseudonymised dump keeps, beside the fields of pseudonymfields.go, true and
// false, times, amounts and numbers. The users of a cluster choose none of them.

// keptWords are these words.
type keptWords struct {
	keys       map[string]bool            // of labels and taints
	resources  map[string]bool            // beside amounts of hugepages and MIG slices
	drivers    map[string]bool            // of volumes, provisioners, and the old in-tree names in limits
	classes    map[string]bool            // of priority
	owners     map[string]bool            // kinds of owners that decide
	namespaces map[string]bool            // that each cluster has
	uid        *regexp.Regexp             // at the beginning of a text: one part of a name
	values     map[string]map[string]bool // of labels, by key
	migSlice   *regexp.Regexp
	// how clouds name their machines: m7i.2xlarge, n2-standard-8, Standard_D8s_v5; and c-32 in dumps that are
	// generated
	machine *regexp.Regexp
	model   *regexp.Regexp // a part of the name of a GPU: NVIDIA-A100-SXM4-80GB, nvidia-tesla-t4
}

func set(words ...string) map[string]bool {
	all := map[string]bool{}
	for _, w := range words {
		all[w] = true
	}
	return all
}

// newKeptWords returns the public words of Kubernetes, its clouds and its hardware, which pseudonyms keep.
func newKeptWords() *keptWords {
	systems := set("linux", "windows", "darwin")
	processors := set("amd64", "arm64", "arm", "386", "ppc64le", "s390x", "riscv64")
	capacities := set(
		"spot", "on-demand", "reserved", "capacity-block", "ondemand", "od", "regular", "standard", "normal", "preemptible", "low", "ec2spot", "nospot", "spotaspricego", "spotwithpricelimit", "true", "false",
	)
	values := map[string]map[string]bool{
		"kubernetes.io/os": systems, "beta.kubernetes.io/os": systems, "kubernetes.io/arch": processors, "beta.kubernetes.io/arch": processors,
		"kubernetes.io/role": set("master", "control-plane", "node"), "type": set("virtual-kubelet"), "eks.amazonaws.com/compute-type": set("fargate", "auto"),
	}
	for _, label := range kube.CapacityLabels() {
		values[label] = capacities
	}
	return &keptWords{
		keys: set(slices.Concat(kube.GroupLabels(), kube.CapacityLabels(), kube.GPULabels(), []string{
			kube.HostnameLabel, kube.ZoneLabel, kube.RegionLabel, kube.InstanceTypeLabel,
			"failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region", "beta.kubernetes.io/instance-type",
			"kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/os", "beta.kubernetes.io/arch", "kubernetes.io/role", "kubernetes.io/metadata.name",
			"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master", "node-role.kubernetes.io/controlplane", "node-role.kubernetes.io/etcd", "node-role.kubernetes.io/worker",
			"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable", "node.kubernetes.io/unschedulable", "node.kubernetes.io/memory-pressure", "node.kubernetes.io/disk-pressure",
			"node.kubernetes.io/pid-pressure", "node.kubernetes.io/network-unavailable", "node.kubernetes.io/out-of-service", "node.kubernetes.io/lifecycle",
			"node.cloudprovider.kubernetes.io/uninitialized", "node.cloudprovider.kubernetes.io/shutdown", "ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler",
			"pod-template-hash", "rollouts-pod-template-hash", "controller-revision-hash", "pod-template-generation", "statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index",
			"batch.kubernetes.io/job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-completion-index", "job-name", "controller-uid",
			"app.kubernetes.io/name", "app.kubernetes.io/instance", "app.kubernetes.io/version", "app.kubernetes.io/component", "app.kubernetes.io/part-of", "app.kubernetes.io/managed-by",
			"karpenter.sh/nodepool", "karpenter.sh/capacity-type", "karpenter.sh/disrupted", "karpenter.sh/unregistered", "karpenter.sh/initialized", "karpenter.sh/registered",
			"karpenter.k8s.aws/instance-gpu-name", "eks.amazonaws.com/nodegroup", "eks.amazonaws.com/capacityType", "k8s.amazonaws.com/accelerator",
			"cloud.google.com/gke-nodepool", "cloud.google.com/gke-spot", "cloud.google.com/gke-preemptible", "cloud.google.com/gke-provisioning", "cloud.google.com/gke-accelerator",
			"kubernetes.azure.com/agentpool", "kubernetes.azure.com/scalesetpriority", "kubernetes.azure.com/mode",
			"nvidia.com/gpu", "nvidia.com/gpu.product", "nvidia.com/gpu.count", "nvidia.com/gpu.present", "amd.com/gpu", "amd.com/gpu.product-name",
			"topology.ebs.csi.aws.com/zone", "topology.gke.io/zone", "topology.disk.csi.azure.com/zone", "topology.cinder.csi.openstack.org/zone",
			"type", "eks.amazonaws.com/compute-type", "node-role.kubernetes.io/virtual-node",
		})...),
		resources: set(
			"cpu", "memory", "pods", "storage", "ephemeral-storage", "nvidia.com/gpu", "nvidia.com/gpu.shared", "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe",
			"habana.ai/gaudi", "google.com/tpu", "aws.amazon.com/neuron", "aws.amazon.com/neuroncore", "aws.amazon.com/neurondevice", "vpc.amazonaws.com/pod-eni", "vpc.amazonaws.com/efa",
		),
		drivers: set(
			kube.NoProvisioner, "kubernetes.io/aws-ebs", "kubernetes.io/gce-pd", "kubernetes.io/azure-disk", "kubernetes.io/azure-file", "kubernetes.io/cinder",
			"ebs.csi.aws.com", "efs.csi.aws.com", "pd.csi.storage.gke.io", "filestore.csi.storage.gke.io", "disk.csi.azure.com", "file.csi.azure.com", "cinder.csi.openstack.org",
			"aws-ebs", "gce-pd", "azure-disk", "cinder",
		),
		classes:    set("system-cluster-critical", "system-node-critical"),
		owners:     set("Pod", "Node", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob", "ReplicationController"),
		namespaces: set("default", "kube-system", "kube-public", "kube-node-lease"),
		uid:        regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`),
		values:     values,
		migSlice:   regexp.MustCompile(`^nvidia\.com/mig-[1-7]g\.[0-9]{1,3}gb$`),
		machine: regexp.MustCompile(`^(([a-z]{1,4}[0-9]{1,2}[a-z]{0,5}(-flex|-[0-9]{1,2}tb)?|u-[0-9]{1,2}tb1)\.(nano|micro|small|medium|large|[0-9]{0,3}xlarge|metal(-[0-9]{1,3}xl)?)` +
			`|[a-z][0-9][a-z]?-(standard|highmem|highcpu|ultramem|megamem|hypermem|micro|small|medium|highgpu|megagpu|ultragpu|edgegpu|custom)(-[0-9]{1,6}g?)*` +
			`|(Standard|Basic)_[A-Z]{1,3}[0-9]{1,3}(-[0-9]{1,3})?[a-z]{0,4}(_[A-Z]{1,2}[0-9]{1,4})?(_v[0-9]{1,2})?|[a-z]-[0-9]{1,3})$`),
		model: regexp.MustCompile(`^(nvidia|tesla|quadro|geforce|amd|radeon|instinct|intel|rtx|gtx|sxm[0-9]?|pcie|hbm[0-9]e?|nvl|ada|generation|super|ti|pro|max|mig|vws|shared|[a-z]{0,2}[0-9]{1,4}[a-z]{0,2}|[0-9]{1,4}gb|[1-7]g\.[0-9]{1,3}gb)$`),
	}
}

// keepsValue reports whether Kubernetes or a cloud defines the value of a label.
func (k *keptWords) keepsValue(key, value string) bool {
	switch {
	case key == kube.InstanceTypeLabel || key == "beta.kubernetes.io/instance-type":
		return k.machine.MatchString(value)
	case slices.Contains(kube.GPULabels(), key):
		for _, w := range strings.FieldsFunc(strings.ToLower(value),
			func(r rune) bool { return r == '-' || r == '_' || r == ' ' }) {
			if !k.model.MatchString(w) {
				return false
			}
		}
		return true
	}
	return k.values[key][strings.ReplaceAll(strings.ToLower(value), "_", "-")]
}
