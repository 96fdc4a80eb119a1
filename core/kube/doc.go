// Package kube is the model of a Kubernetes cluster: the data that decides where pods run. A Cluster
// comes from a dump (core/kube/dump) or is built in a test; it does not change after that. The rules
// of placement are in core/kube/constraint, which keeps its own state beside the Cluster:
//
//	s := constraint.New(cluster, constraint.Default()) // all bound pods count
//	verdict := s.Filter(pod)            // per node: passes, or the scheduler's reasons
//	fmt.Println(verdict.Message())      // "0/5 nodes are available: 3 Insufficient cpu, …"
//	s.Bind(pod, node); s.Unbind(pod)    // exact inverses of each other
//	s.Remove(node); s.Restore(node)     // a removed node is not a domain of any spread
//	s.Cordon(node, true)                // a node that stays and takes no more pods
//	scores := s.Score(pod, nodes)       // all enabled plugins, weighted
//	other := s.Clone()                  // an independent copy
//
// Pods and nodes are indices into Cluster.Pods and Cluster.Nodes; a question appends
// pods (fit) or nodes (grow) to a copy made by Cluster.With before it makes a state.
//
// Amounts are whole numbers: milli-CPUs, bytes, pieces. Equal parts are shared: the pods of a
// ReplicaSet have one *Spec and one Labels, and both must not be changed. Two pods with the same
// pointers are alike for every constraint, except for the names of their claims.
//
// Source: k8s.io/api v0.33.0 for the fields, k8s.io/kubernetes v1.33.0 for their effect.
package kube
