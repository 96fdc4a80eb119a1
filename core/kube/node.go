package kube

// Node is a machine of the cluster.
type Node struct {
	Name          string
	Labels        Labels
	Taints        []Taint
	Unschedulable bool
	Allocatable   Vector
	Capacity      Vector
	Ready         Ready
	// Created is when the node joined, and ReadySince when its condition Ready last changed, in
	// seconds since 1970; 0 if the dump has neither.
	Created, ReadySince int64
	// Beat is when its kubelet last reported on it, in seconds since 1970, which it does every 5 minutes; 0 if the dump
	// has none.
	Beat int64
	// ScaleDownDisabled reports the cluster autoscaler's annotation of that name.
	ScaleDownDisabled bool
	DoNotDisrupt      bool // karpenter.sh/do-not-disrupt: "true"
	Images            []Image
	// MachineSet is that of Cluster API which made the node, "" if none did.
	MachineSet string
	// Attachable are limits of volumes by the old in-tree names (attachable-volumes-gce-pd).
	Attachable []Limit
}

// Ready is the condition Ready of a node.
type Ready uint8

// The states of a condition.
const (
	ReadyUnknown Ready = iota // Unknown, or not in the dump
	ReadyTrue
	ReadyFalse
)

// Image is a container image that a node has.
type Image struct {
	Name int // place in Cluster.Images
	Size int64
}

// Limit is the maximum number of volumes of a driver on a node.
type Limit struct {
	Driver string
	Count  int64
}

// Labels that name a place and a kind of machine, with the names that came before them.
const (
	HostnameLabel     = "kubernetes.io/hostname"
	ZoneLabel         = "topology.kubernetes.io/zone"
	RegionLabel       = "topology.kubernetes.io/region"
	InstanceTypeLabel = "node.kubernetes.io/instance-type"
	OSLabel           = "kubernetes.io/os"
	KarpenterPool     = "karpenter.sh/nodepool"
	KarpenterCapacity = "karpenter.sh/capacity-type"
	// KarpenterProvisioner took the place of KarpenterPool until Karpenter 0.32.
	KarpenterProvisioner = "karpenter.sh/provisioner-name"
	ArchLabel            = "kubernetes.io/arch"
	// ExcludeDisruptionLabel leaves a node out where the node lifecycle controller counts zones.
	ExcludeDisruptionLabel = "node.kubernetes.io/exclude-disruption"

	oldOSLabel           = "beta.kubernetes.io/os"
	oldArchLabel         = "beta.kubernetes.io/arch"
	oldZoneLabel         = "failure-domain.beta.kubernetes.io/zone"
	oldRegionLabel       = "failure-domain.beta.kubernetes.io/region"
	oldInstanceTypeLabel = "beta.kubernetes.io/instance-type"
)

// Zone returns the zone of a node, "" if it has none.
func (n *Node) Zone() string { return n.either(ZoneLabel, oldZoneLabel) }

// Region returns the region of a node, "" if it has none.
func (n *Node) Region() string { return n.either(RegionLabel, oldRegionLabel) }

// InstanceType returns the machine type of a node, "" if it has none.
func (n *Node) InstanceType() string { return n.either(InstanceTypeLabel, oldInstanceTypeLabel) }

// OS returns the operating system of a node, "" if no label has it.
func (n *Node) OS() string { return n.either(OSLabel, oldOSLabel) }

// Arch returns the processor architecture of a node, "" if no label has it.
func (n *Node) Arch() string { return n.either(ArchLabel, oldArchLabel) }

func (n *Node) either(name, old string) string {
	if v, has := n.Labels.Get(name); has {
		return v
	}
	v, _ := n.Labels.Get(old)
	return v
}

// GPULabels returns the keys of labels that name the model of a node's GPUs.
func GPULabels() []string {
	return []string{"nvidia.com/gpu.product", "amd.com/gpu.product-name", "cloud.google.com/gke-accelerator", "karpenter.k8s.aws/instance-gpu-name", "k8s.amazonaws.com/accelerator"}
}

// GPUModel returns the model of a node's GPUs, "" if no label names it.
func (n *Node) GPUModel() string {
	for _, label := range GPULabels() {
		if v, has := n.Labels.Get(label); has {
			return v
		}
	}
	return ""
}

// NodePool is a NodePool of Karpenter: which nodes it makes, and when it may remove them.
type NodePool struct {
	Name string
	// Policy is consolidationPolicy: WhenEmpty, WhenEmptyOrUnderutilized or Balanced; "" for the default, the second.
	Policy string
	Fixed  bool  // it keeps a number of nodes (replicas), which are never consolidated
	Never  bool  // consolidateAfter: Never
	After  int64 // consolidateAfter in seconds
	// Budgets limit the nodes disrupted at a time; nil for the default of 10 %.
	Budgets    []NodeBudget
	Capacities []string // capacity types that its requirements allow, nil if they name none
	// Labels, Taints and Requirements are those of its nodes. Startup taints are removed before pods
	// arrive and are left out.
	Labels       Labels
	Taints       []Taint
	Requirements []Requirement
	Limits       []PoolLimit
}

// PoolLimit limits the total amount of a resource over all nodes of a NodePool.
type PoolLimit struct {
	Resource  string // cpu, memory, nodes …
	Max, Used Quantity
}

// NodeBudget is a disruption budget of a NodePool.
type NodeBudget struct {
	Nodes    IntOrPercent
	Reasons  []string // Empty, Underutilized, Drifted; nil for all
	Schedule string   // of cron in UTC, "" if it always holds
	Duration int64    // in seconds: how long it holds after each time of Schedule
}

// Effect is the effect of a taint on pods that do not tolerate it.
type Effect uint8

// The effects of a taint.
const (
	AnyEffect        Effect = iota // of a toleration: all
	NoSchedule                     // no new pods
	PreferNoSchedule               // rather no new pods
	NoExecute                      // no pods at all
	NoEffect                       // unknown, of a toleration: it tolerates nothing
)

// Taint keeps pods off a node that do not tolerate it.
type Taint struct {
	Key, Value string
	Effect     Effect
}

// Taints that the control plane sets.
const (
	UnschedulableTaint = "node.kubernetes.io/unschedulable"
	NotReadyTaint      = "node.kubernetes.io/not-ready"
	UnreachableTaint   = "node.kubernetes.io/unreachable"
	OutOfServiceTaint  = "node.kubernetes.io/out-of-service"
)

// Toleration lets a pod run in spite of taints.
type Toleration struct {
	Key    string // "" with Exists: all
	Exists bool   // whatever the value
	Value  string
	Effect Effect // AnyEffect: all
	// Seconds limits the time that the pod may stay under NoExecute; -1 if it may stay for ever.
	Seconds int64
}

// Tolerates reports whether a toleration covers a taint.
func (t *Toleration) Tolerates(taint *Taint) bool {
	if t.Effect != AnyEffect && t.Effect != taint.Effect || t.Key != "" && t.Key != taint.Key {
		return false
	}
	return t.Exists || t.Value == taint.Value
}

// Tolerates reports whether any of a pod's tolerations covers a taint.
func (s *Spec) Tolerates(taint *Taint) bool {
	for i := range s.Tolerations {
		if s.Tolerations[i].Tolerates(taint) {
			return true
		}
	}
	return false
}
