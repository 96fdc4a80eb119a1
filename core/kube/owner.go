package kube

import (
	"cmp"
	"strings"
)

// Owners finds the workloads that keep pods: the Deployment of a ReplicaSet, the CronJob of a
// Job. Create one with NewOwners.
type Owners struct{ above map[owned]Owner }

// owned is a workload in a namespace.
type owned struct {
	namespace string
	Owner
}

// NewOwners returns the owners of a cluster's pods.
func NewOwners(c *Cluster) *Owners {
	o := &Owners{above: map[owned]Owner{}}
	for i := range c.Workloads {
		w := &c.Workloads[i]
		own := Owner{w.Kind, w.Name}
		o.above[owned{w.Namespace, own}] = cmp.Or(w.Owner, own)
	}
	return o
}

// hashLabels are the labels in which the controllers of Deployments and of Argo Rollouts write the hash that ends
// the name of a pod's ReplicaSet.
var hashLabels = []string{"pod-template-hash", "rollouts-pod-template-hash"}

// Of returns the workload that owns a pod, or the pod itself if it has no owner. If the dump lacks the
// ReplicaSet, its name without the hash is that of a Rollout of Argo that the dump has, or the Deployment's: if
// the pod has the hash in a label, or the dump has a Deployment of that name. Otherwise the ReplicaSet is one
// without a Deployment.
func (o *Owners) Of(p *Pod) Owner {
	if p.Owner.Kind == "" {
		return Owner{Kind: "Pod", Name: p.Name}
	}
	if above, has := o.above[owned{p.Namespace, p.Owner}]; has {
		return above
	}
	at := strings.LastIndexByte(p.Owner.Name, '-')
	if at <= 0 || p.Owner.Kind != "ReplicaSet" {
		return p.Owner
	}
	if argo := (Owner{Kind: "Rollout", Name: p.Owner.Name[:at]}); o.above[owned{p.Namespace, argo}] == argo {
		return argo
	}
	deployment, hash := Owner{Kind: "Deployment", Name: p.Owner.Name[:at]}, p.Owner.Name[at+1:]
	if _, has := o.above[owned{p.Namespace, deployment}]; has {
		return deployment
	}
	for _, label := range hashLabels {
		if value, _ := p.Labels.Get(label); value == hash {
			return deployment
		}
	}
	return p.Owner
}
