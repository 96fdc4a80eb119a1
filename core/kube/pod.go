package kube

// Nowhere is the Node of a pod that is not bound, or whose node the dump does not have.
const Nowhere = -1

// Pod is a pod that has neither succeeded nor failed.
type Pod struct {
	Namespace, Name string
	Labels          Labels // shared
	Spec            *Spec  // shared
	// NodeName is spec.nodeName, "" if the pod is pending; Node its place in
	// Cluster.Nodes, Nowhere if there is none of this name.
	NodeName  string
	Node      int
	Claims    []string // names of its PersistentVolumeClaims
	Ephemeral int      // number of Claims, the last of them, that are of ephemeral volumes
	Owner     Owner    // its controller, empty if it has none
	Phase     Phase
	Ready     bool   // its condition Ready is True
	Nominated string // the node on which pods were preempted for it
	// Created, Started and Deleted are seconds since 1970, 0 if the dump has none. A pod with
	// Deleted is terminating.
	Created, Started, Deleted int64
	// ReadySince is when its condition Ready last changed, 0 if the dump does not have it.
	ReadySince int64
	// Broken is why a container waits that does not start by itself, as CrashLoopBackOff; "" if none does.
	Broken   string
	Restarts int // most of a container
	// Reason and Message are of its condition PodScheduled if that is False.
	Reason, Message string
	Manifest        bool // a manifest that the API server has not seen
	Mirror          bool // a static pod's image in the API server: only its kubelet ends it
	LastTry         bool // of a Job that fails when this pod is evicted
	SafeToEvict     Tri  // cluster-autoscaler.kubernetes.io/safe-to-evict
	DoNotDisrupt    bool // karpenter.sh/do-not-disrupt
	// Undisrupted is for how many seconds after its start DoNotDisrupt holds, 0 for ever.
	Undisrupted  int64
	DeletionCost int32 // controller.kubernetes.io/pod-deletion-cost
	// SafeVolumes are the names of local volumes that an eviction may lose
	// (cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes).
	SafeVolumes []string
}

// Pending reports whether the pod waits for a node.
func (p *Pod) Pending() bool { return p.NodeName == "" }

// Pinned reports whether the pod may not be disrupted at a moment, in seconds since 1970, 0 if it is not known: by its
// annotation do-not-disrupt, whose time may be over. (karpenter/pkg/utils/pod/scheduling.go, IsDoNotDisruptActive)
func (p *Pod) Pinned(at int64) bool {
	return p.DoNotDisrupt && (p.Undisrupted == 0 || p.Started == 0 || at < p.Started+p.Undisrupted)
}

// Terminating reports whether the pod is being deleted.
func (p *Pod) Terminating() bool { return p.Deleted != 0 }

// DaemonSet reports whether a DaemonSet made the pod: it ends with its node.
func (p *Pod) DaemonSet() bool { return p.Owner.Kind == "DaemonSet" }

// NodeBound reports whether a pod's controller made it for its node: Longhorn's managers of volumes.
func (p *Pod) NodeBound() bool {
	return p.Owner.Kind == "InstanceManager" || p.Owner.Kind == "BackingImageManager"
}

// Full returns namespace/name.
func (p *Pod) Full() string { return p.Namespace + "/" + p.Name }

// Phase is the phase of a pod's life.
type Phase uint8

// The phases of pods that hold resources.
const (
	PhaseUnknown Phase = iota
	PhasePending
	PhaseRunning
)

// Tri is yes, no or unset.
type Tri int8

// The values of a Tri.
const (
	Unset Tri = iota
	Yes
	No
)

// Spec is the part of a pod that the constraints use. Pods that are alike share one.
type Spec struct {
	// Requests are effective: containers, sidecars, init containers, overhead and pod-level
	// resources. Pods is 1.
	Requests Vector
	// ScoredCPU and ScoredMemory are Requests with the scheduler's defaults for containers that
	// request nothing: 100 milli-CPUs and 200 MiB each.
	ScoredCPU, ScoredMemory int64
	// Limits are the sums of its containers' limits, of those that have one: quotas count them.
	Limits   Vector
	Deadline bool // activeDeadlineSeconds
	// Omits are the requests and limits of CPU and memory that containers of a manifest or template leave out.
	Omits []Omitted
	// Refused is why admission refuses a pod with this spec, in the API server's words; "" if it does not.
	Refused string

	Scheduler     string
	PriorityClass string
	Priority      int32
	NeverPreempts bool // preemptionPolicy: Never
	Gates         []string

	NodeSelector  Labels
	NodeRequired  *NodeSelector // nil if it requires nothing
	NodePreferred []PreferredTerm

	PodRequired, AntiRequired   []PodTerm
	PodPreferred, AntiPreferred []PodTerm // with their Weight

	Tolerations []Toleration
	Spread      []Spread
	Ports       []Port
	Disks       []Disk

	HostNetwork bool
	// EmptyDirs and MemoryDirs are the names of emptyDir volumes on disk and in memory;
	// HostPaths those of directories of the node.
	EmptyDirs, MemoryDirs, HostPaths []string
	InlineCSI                        []string // drivers of CSI volumes without a claim
	ResourceClaims                   int      // dynamic resource allocation: not modelled
	Images                           []int    // of init containers and containers, places in Cluster.Images
	Containers                       int      // init containers and containers
	Grace                            int64    // terminationGracePeriodSeconds
	Unknown                          []string // fields with unknown values, which match nothing
}

// Omitted is a request or a limit that containers leave out.
type Omitted struct {
	Resource   int
	Limits     bool
	Containers []string // their names
}

// BestEffort reports whether a pod requests neither CPU nor memory nor storage nor any
// extended resource.
func (s *Spec) BestEffort() bool {
	for r, amount := range s.Requests {
		if r != Pods && amount != 0 {
			return false
		}
	}
	return true
}

// Port is a port of the node that a container takes.
type Port struct {
	Protocol string // TCP, UDP, SCTP
	IP       string // "0.0.0.0": all
	Number   int32
}

// Clashes reports whether two pods with these ports cannot share a node.
func (p Port) Clashes(other Port) bool {
	return p.Number == other.Number && p.Protocol == other.Protocol &&
		(p.IP == other.IP || p.IP == AnyIP || other.IP == AnyIP)
}

// AnyIP is the address of a port that is taken on all of them.
const AnyIP = "0.0.0.0"

// Disk is a volume of the network that a pod names without a claim.
type Disk struct {
	Kind     string // gcePersistentDisk, awsElasticBlockStore, iscsi, rbd, azureDisk or cinder
	ID       string // identifies it; of rbd pool and image
	Monitors []string
	ReadOnly bool
}

// Spread is a topologySpreadConstraint.
type Spread struct {
	MaxSkew  int32
	Key      string // the label whose values are domains
	Hard     bool   // DoNotSchedule
	Selector *Selector
	// Match are the matchLabelKeys: the pod's own values of these labels are required too.
	Match        []string
	MinDomains   int32 // 1 if the pod has none
	IgnoreNodes  bool  // nodeAffinityPolicy: Ignore; Honor is the default
	HonourTaints bool  // nodeTaintsPolicy: Honor; Ignore is the default
}

// HashLabel is the label that distinguishes the pods of a Deployment's ReplicaSets.
const HashLabel = "pod-template-hash"

// PodTerm is a term of inter-pod affinity or anti-affinity.
type PodTerm struct {
	Selector   *Selector // nil matches no pod
	Key        string    // the label whose values are topologies
	Namespaces []string
	// NamespaceSelector adds namespaces by their labels; nil adds none. If it is nil and
	// Namespaces is empty, the term is about the pod's own namespace.
	NamespaceSelector *Selector
	Weight            int32 // of a preference, 1 … 100
}
