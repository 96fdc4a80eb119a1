package plane

import (
	"fmt"
	"slices"

	"parley/core/kube"
	"parley/core/kube/admit"
)

// Missing is a workload that has fewer pods than it wants: those that are missing wait for no node.
type Missing struct {
	Workload string `json:"workload"` // KIND NAMESPACE/NAME
	Pods     int    `json:"pods"`
	Reason   string `json:"why"`
}

// MissingPods returns the workloads that lack pods, with the reason why their controllers do not make them,
// those that lack most first. Deployments count through their ReplicaSets, and Jobs by the completions that
// are left. The result is not nil.
func MissingPods(c *kube.Cluster) []Missing {
	out := []Missing{}
	has, unready := map[owned]int{}, map[owned]string{}
	for i := range c.Pods {
		p := &c.Pods[i]
		k := owned{p.Namespace, p.Owner}
		if p.Terminating() && p.Owner.Kind != "StatefulSet" {
			continue
		}
		has[k]++
		if !p.Ready && (unready[k] == "" || p.Name < unready[k]) {
			unready[k] = p.Name
		}
	}
	sets := map[owned]bool{} // Deployments whose ReplicaSets the dump has
	for i := range c.Workloads {
		w := &c.Workloads[i]
		if w.Kind == "ReplicaSet" {
			sets[owned{w.Namespace, w.Owner}] = true
		}
	}
	quotas := admit.NewQuotas(c)
	for i := range c.Workloads {
		w := &c.Workloads[i]
		k := owned{w.Namespace, kube.Owner{Kind: w.Kind, Name: w.Name}}
		n := w.Replicas - has[k]
		switch {
		case w.Manifest || w.Done || w.Kind == "CronJob" || w.Kind == "Deployment" && (sets[k] || !w.Rollout.Paused):
			continue // the ReplicaSets of a Deployment count
		case w.Kind == "Job":
			n = min(w.Replicas, w.Left) - has[k]
		}
		if n <= 0 {
			continue
		}
		reason := "its controller has not made them: fetch its events (kubectl describe), or the dump is of a moment before it did"
		refused := ""
		if w.Template != nil {
			refused = quotas.Forbids(fromTemplate(w))
		}
		switch {
		case w.Suspended:
			reason = "it is suspended (spec.suspend)"
		case w.Failure != "":
			reason = w.Failure
		case refused != "":
			reason = "the API server refuses them: " + refused
		case w.Kind == "StatefulSet" && !w.Rollout.Parallel && unready[k] != "":
			reason = fmt.Sprintf("%s is not ready, and OrderedReady makes the next only then", unready[k])
		case c.Said(kube.Owned{Namespace: w.Namespace, Owner: k.Owner}) != "":
			reason = c.Said(kube.Owned{Namespace: w.Namespace, Owner: k.Owner})
		case w.Kind == "Deployment":
			reason = "it is paused before it made a ReplicaSet"
		}
		name := w.Kind + " " + w.Namespace + "/" + w.Name
		if w.Owner.Kind == "Deployment" {
			name = w.Owner.Kind + " " + w.Namespace + "/" + w.Owner.Name
		}
		out = append(out, Missing{name, n, reason})
	}
	slices.SortStableFunc(out, func(x, y Missing) int { return y.Pods - x.Pods })
	return out
}

// Starting returns the places of the pods that have a node and have not started there, and by the same
// index why each waits.
func Starting(c *kube.Cluster) (pods []int, reason []string) {
	once := c.AttachedOnce()
	for i := range c.Pods {
		p := &c.Pods[i]
		if p.Node == kube.Nowhere || p.Phase != kube.PhasePending || p.Terminating() {
			continue
		}
		waits := "its containers or volumes are being made ready"
		if held := HeldElsewhere(c, p, once); held != "" {
			waits = held
		}
		if p.Broken != "" {
			waits = "a container waits: " + p.Broken
		}
		stated := c.Said(kube.Owned{Namespace: p.Namespace, Owner: kube.Owner{Kind: "Pod", Name: p.Name}})
		if stated != "" {
			waits += " (" + stated + ")"
		}
		pods, reason = append(pods, i), append(reason, "on "+p.NodeName+": "+waits)
	}
	return pods, reason
}
