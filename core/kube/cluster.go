package kube

import (
	"slices"
	"strconv"
	"strings"
)

// Cluster is one dump. All slices keep the order of the dump.
type Cluster struct {
	// ID is the uid of the namespace kube-system, which identifies a cluster; "" if the dump lacks
	// it.
	ID string
	// Resources names the resources of a Vector, in its order. It begins with CPU, Memory,
	// EphemeralStorage and Pods; extended resources follow in the order of the dump.
	Resources []string

	Nodes           []Node
	Pods            []Pod // without those that have succeeded or failed: see Finished
	Namespaces      []Namespace
	PriorityClasses []PriorityClass
	Budgets         []Budget
	Workloads       []Workload
	Services        []Service
	Claims          []Claim
	Volumes         []Volume
	StorageClasses  []StorageClass
	CSINodes        []CSINode
	Attachments     []Attachment
	Capacities      []StorageCapacity
	Drivers         []CSIDriver
	NodePools       []NodePool
	Quotas          []Quota
	Events          []Event // warnings about pods and workloads

	Images     []string     // names by the numbers of Spec.Images and Node.Images
	Finished   int          // pods that have succeeded or failed: they use no resources
	Unmodelled []Unmodelled // features of the dump that no constraint models
	Kinds      []Count      // objects read and skipped, by kind
}

// Unmodelled is something of the dump that no constraint looks at.
type Unmodelled struct {
	Subject string // a sentence's subject: "resource claims (dynamic resource allocation)"
	// Count is the number of objects that have it.
	Count int
	// Pods are the places of pods that have it, at most 1,000 of them, rising. It is nil
	// if no pod is concerned.
	Pods []int
}

// OtherScheduler is the Unmodelled entry for pods that name another scheduler. The configuration of
// a question defines which of them it places.
const OtherScheduler = "pods of another scheduler than default-scheduler: an answer needs its configuration"

// Count is a number of objects of one kind.
type Count struct {
	Kind  string
	Count int
}

// Places of a Vector that every cluster has.
const (
	CPU              = iota // milli-CPUs
	Memory                  // bytes
	EphemeralStorage        // bytes
	Pods                    // pods
	FirstExtended           // the first that a dump adds
)

// BaseResources returns the names that Cluster.Resources begins with.
func BaseResources() []string { return []string{"cpu", "memory", "ephemeral-storage", "pods"} }

// Vector has the amount of each resource. It may be shorter than Cluster.Resources: missing amounts
// are 0.
type Vector []int64

// At returns the amount at a place, 0 beyond the end.
func (v Vector) At(resource int) int64 {
	if resource < len(v) {
		return v[resource]
	}
	return 0
}

// Covers reports whether an amount of everything is enough.
func (v Vector) Covers(wanted Vector) bool {
	for r, n := range wanted {
		if n > 0 && n > v.At(r) {
			return false
		}
	}
	return true
}

// With returns a cluster with more nodes and pods: a copy whose slices of nodes and pods
// are its own, and which shares all else. A pod's Node is set from its NodeName.
func (c *Cluster) With(nodes []Node, pods []Pod) *Cluster {
	d := *c
	d.Nodes = slices.Concat(c.Nodes, nodes)
	d.Pods = slices.Concat(c.Pods, pods)
	if len(nodes) > 0 || len(pods) > 0 {
		d.Link()
	}
	return &d
}

// Link sets the Node of each pod from its NodeName: the reader and With call it.
func (c *Cluster) Link() {
	at := make(map[string]int, len(c.Nodes))
	for i := range c.Nodes {
		at[c.Nodes[i].Name] = i
	}
	for i := range c.Pods {
		p := &c.Pods[i]
		p.Node = Nowhere
		if n, known := at[p.NodeName]; known && p.NodeName != "" {
			p.Node = n
		}
	}
}

// Resource returns the place of a resource, -1 if no object of the cluster names it.
func (c *Cluster) Resource(name string) int { return slices.Index(c.Resources, name) }

// Namespace is a namespace: namespace selectors look at its labels.
type Namespace struct {
	Name   string
	Labels Labels
}

// PriorityClass is a priority with a name.
type PriorityClass struct {
	Name    string
	Value   int32
	Default bool // of pods that name none
	Never   bool // its pods preempt none
}

// Service selects the pods to which default spread constraints apply.
type Service struct {
	Namespace, Name string
	Selector        Labels // a service without selector has no pods
}

// Owner is the controller of an object, the owner with controller: true.
type Owner struct{ Kind, Name string }

// Owned is a workload, or another object, in a namespace.
type Owned struct {
	Namespace string
	Owner
}

// Event is the newest warning of a component about an object.
type Event struct {
	Object                Owned
	From, Reason, Message string
	At                    int64 // seconds since 1970, 0 if unknown
}

// Said returns the newest event about an object with its reason, "" if the dump has none.
func (c *Cluster) Said(of Owned) string {
	for i := range c.Events {
		if e := &c.Events[i]; e.Object == of {
			return e.Reason + ": " + e.Message
		}
	}
	return ""
}

// Workload is a controller that creates and recreates pods: a Deployment, ReplicaSet,
// ReplicationController, StatefulSet, DaemonSet, Job or CronJob.
type Workload struct {
	Kind, Namespace, Name string
	Owner                 Owner     // a ReplicaSet's Deployment
	Replicas              int       // desired; of a DaemonSet the number in its status
	Selector              *Selector // nil if it has none
	Labels                Labels    // of its pods
	Template              *Spec     // of its pods, before admission; nil if unknown
	Created               int64     // seconds since 1970, 0 if the dump has none
	Manifest              bool      // a manifest that the API server has not seen
	Suspended             bool      // a Job or CronJob that makes no pods
	Done                  bool      // a Job that has succeeded or failed for good
	Left                  int       // a Job's completions that are left
	LastTry               bool      // a Job that fails when one more pod does, or is evicted
	Resized               bool      // a VerticalPodAutoscaler sets the requests of its new pods
	Failure               string    // why it cannot create pods: the message of its condition ReplicaFailure
	Revision              int64     // a ReplicaSet's number among those of its Deployment, 0 if unknown
	Update                string    // a StatefulSet's newest revision, the label controller-revision-hash of its pods
	// Claims are its claim templates, each with its Name: a StatefulSet's pods have one claim of each.
	Claims []Claim
	// PodClaims are the names of the claims that all its pods share, and Ephemeral those of the
	// volumes for which each pod gets a claim.
	PodClaims, Ephemeral []string
	Rollout              Rollout
}

// Quota is the part of a ResourceQuota that limits pods.
type Quota struct {
	Namespace, Name string
	Hard            []QuotaLimit // in the order of the object
	Scopes          []QuotaScope // it counts pods for which all hold
}

// QuotaLimit limits the sum of requests or limits of a resource, or the number of pods.
type QuotaLimit struct {
	Name     string // as the object has it: requests.cpu
	Resource int    // place in Cluster.Resources
	Limits   bool   // the sum of limits, not of requests
	Max      int64
	Used     int64 // from its status
	HasUsed  bool
}

// QuotaScope restricts a quota to some pods.
type QuotaScope struct {
	Name   string // Terminating, BestEffort, PriorityClass …
	Op     Operator
	Values []string
}

// Rollout is how a workload replaces its pods when its template changes. A nil number means that the
// object leaves the default of its kind.
type Rollout struct {
	Strategy           string // RollingUpdate, Recreate or OnDelete; "" if the object names none
	Surge, Unavailable *IntOrPercent
	MinReady           int64 // minReadySeconds
	Deadline           int64 // progressDeadlineSeconds, 0 if the object names none
	Paused             bool
	Parallel           bool // podManagementPolicy: Parallel
	Partition          int  // of a StatefulSet: pods with a lower ordinal are not replaced
}

// Budget is a PodDisruptionBudget.
type Budget struct {
	Namespace, Name string
	Selector        *Selector
	// At most one of the two is set.
	MinAvailable, MaxUnavailable *IntOrPercent
	AlwaysAllow                  bool // of pods that are not ready (unhealthyPodEvictionPolicy)
	Beta                         bool // policy/v1beta1: an empty selector selects no pod
	Generation, Observed         int64
	// From its status: pods that are healthy, desired, expected, and evictions allowed.
	Healthy, Desired, Expected, Allowed int32
	HasStatus                           bool
	Disrupted                           []string // names of pods whose eviction was granted and is not yet seen
}

// IntOrPercent is a number, or a percentage of another.
type IntOrPercent struct {
	Value   int32
	Percent bool
}

// ParseIntOrPercent reads a whole number or a percentage: 2 or 25%.
func ParseIntOrPercent(text string) (*IntOrPercent, error) {
	digits, percent := strings.CutSuffix(text, "%")
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil {
		return nil, err
	}
	return &IntOrPercent{Value: int32(n), Percent: percent}, nil
}

// Of returns the number, or the percentage of total, rounded up.
func (v IntOrPercent) Of(total int32) int32 {
	if !v.Percent {
		return v.Value
	}
	return int32((int64(v.Value)*int64(total) + 99) / 100)
}

// Below returns the number, or the percentage of total, rounded down.
func (v IntOrPercent) Below(total int32) int32 {
	if !v.Percent {
		return v.Value
	}
	return int32(int64(v.Value) * int64(total) / 100)
}
