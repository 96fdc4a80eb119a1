// Package constraint decides as kube-scheduler does: which nodes a pod may run on, and the
// scheduler's reasons against the others; which pods it would preempt; and the scores of nodes. A
// State is the cluster as a question changes it; the kube.Cluster below it does not change.
//
//	type State
//	New(c *kube.Cluster, p *Profile) *State every bound pod counts on its node; Default() is the scheduler's profile
//	s.Clone() *State                        an independent copy
//	s.Bind(pod, node int)                   the pod counts there from now on
//	s.Unbind(pod int)                       it counts nowhere; exact inverse of Bind
//	s.NodeOf(pod int) int                       its node, kube.Nowhere if it has none
//	s.PodsOn(node int) []int                pods that count there; valid until the next change
//	s.Remove(node int); s.Restore(node int) a removed node does not count: unbind its pods first
//	s.Removed(node int) bool
//	s.Cordon(node int, on bool)             spec.unschedulable with its taint
//	s.SetTaints(node int, t []kube.Taint)   in place of the node's own (NotReady)
//	s.Requested(node int) kube.Vector       sum of the pods' requests; do not change
//	s.Free(node, resource int) int64
//
//	s.Filter(pod int) *Verdict   all nodes, in their order
//	s.Fits(pod, node int) bool   one node; cheap if called for many nodes of one pod in turn
//	s.Reason(pod, node int) *Reason one node; nil if it passes
//	v.Nodes []int                the nodes that pass
//	v.Reasons[node] *Reason      why the node does not pass; nil if it passes
//	v.Stop string                one reason for all nodes, "" if each has its own
//	v.Message() string           FailedScheduling: "0/5 nodes are available: 3 Insufficient cpu, …"
//
//	s.Score(pod int, nodes []int) []NodeScore  weighted sums, and each plugin's part
//	s.Place(pod int, draw func(int) int) int   filter, sample, score, break ties; kube.Nowhere if no node fits
//	s.Schedule(pod int, draw func(int) int) (node int, v *Verdict)  the same, with the verdict if no node does
//	s.Preempt(pod int, v *Verdict, from int) (node int, victims []int)  kube.Nowhere if it helps nowhere
//	NewBudgets(c) *Budgets      evictions that are allowed, updated by Evict and Replaced
//
// A pod is a place of Cluster.Pods, a node one of Cluster.Nodes. Filter judges a pod that is
// bound as if it were not; Fits, Reason, Score, Place and Schedule are about pods that count nowhere.
//
// The results computed for a pod stay valid until the next change, so asking Fits about many nodes
// of one pod is cheap. Bind and Unbind update the number of pods on each node that match a selector.
//
// Source: k8s.io/kubernetes v1.33.0, pkg/scheduler/framework/plugins. Each file names the
// plugin that it follows.
package constraint
