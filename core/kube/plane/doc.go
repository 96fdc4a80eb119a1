// Package plane plays the control plane of a Kubernetes cluster in virtual time: the actions of the
// controllers of workloads, of the scheduler, of kubelets and of drains on the objects of a dump,
// one after another.
//
//	p := plane.New(cluster, plane.Options{Profile: constraint.Default(), Seed: 1})
//	r := p.Roll("shop", "web", plane.Change{}) // a new template
//	p.Run(plane.Day, func() bool { return r.Complete() })
//	for _, f := range p.Facts() { … }          // the events, with their times
//
// A Plane has its own copy of the pods. Pods are placed by the filters and scores of
// core/kube/constraint. The same cluster, options and acts have the same facts everywhere.
//
// Controllers act without delay: all actions at one moment end before the next moment begins.
// Ephemeral volumes of new pods are not counted. Times that no dump has are drawn, see Options: the
// time until a pod is ready, and the part of its grace period that it uses. A play is one possible
// course of events.
//
// Source: k8s.io/kubernetes v1.33.0, pkg/controller, and pkg/registry/core/pod/storage for
// evictions. Each file names its source.
package plane
