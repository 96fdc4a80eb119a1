// Package plane plays the control plane of a Kubernetes cluster in virtual time: what the
// controllers of workloads, the scheduler, kubelets and those who empty nodes do with the objects
// of a dump, one after another.
//
//	p := plane.New(cluster, plane.Options{Profile: constraint.Default(), Seed: 1})
//	r := p.Roll("shop", "web", plane.Change{}) // a new template
//	p.Run(plane.Day, func() bool { return r.Complete() })
//	for _, f := range p.Facts() { … }          // what happened, with its time
//
// A Plane has its own copy of the pods. Pods are placed by the filters and scores of
// core/kube/constraint. The same cluster, options and acts have the same facts everywhere.
//
// Controllers act without delay: what they do at one moment ends before the next moment
// begins. Ephemeral volumes of new pods are not counted. Times that no dump has are drawn, see Options: how long a
// pod takes to become ready, and
// how much of its grace period it uses to end. A play is one witness of what may happen.
//
// Source: k8s.io/kubernetes v1.33.0, pkg/controller, and pkg/registry/core/pod/storage for
// evictions. Each file names what it follows.
package plane
