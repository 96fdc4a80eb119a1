package question

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
	Why      string `json:"why"`
}

// missing returns the workloads that lack pods, with what keeps their controllers from making them.
func (a *asked) missing() []Missing {
	out := []Missing{}
	type key struct {
		namespace string
		kube.Owner
	}
	has, unready := map[key]int{}, map[key]string{}
	for i := range a.c.Pods {
		p := &a.c.Pods[i]
		k := key{p.Namespace, p.Owner}
		if p.Terminating() && p.Owner.Kind != "StatefulSet" {
			continue
		}
		has[k]++
		if !p.Ready && (unready[k] == "" || p.Name < unready[k]) {
			unready[k] = p.Name
		}
	}
	sets := map[key]bool{} // Deployments whose ReplicaSets the dump has
	for i := range a.c.Workloads {
		w := &a.c.Workloads[i]
		if w.Kind == "ReplicaSet" {
			sets[key{w.Namespace, w.Owner}] = true
		}
	}
	quotas := admit.NewQuotas(a.c)
	for i := range a.c.Workloads {
		w := &a.c.Workloads[i]
		k := key{w.Namespace, kube.Owner{Kind: w.Kind, Name: w.Name}}
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
		why := "its controller has not made them: fetch its events (kubectl describe), or the dump is of a moment before it did"
		refused := ""
		if w.Template != nil {
			refused = quotas.Forbids(fromTemplate(w))
		}
		switch {
		case w.Suspended:
			why = "it is suspended (spec.suspend)"
		case w.Failure != "":
			why = w.Failure
		case refused != "":
			why = "the API server refuses them: " + refused
		case w.Kind == "StatefulSet" && !w.Rollout.Parallel && unready[k] != "":
			why = fmt.Sprintf("%s is not ready, and OrderedReady makes the next only then", unready[k])
		case w.Kind == "Deployment":
			why = "it is paused before it made a ReplicaSet"
		}
		name := w.Kind + " " + w.Namespace + "/" + w.Name
		if w.Owner.Kind == "Deployment" {
			name = w.Owner.Kind + " " + w.Namespace + "/" + w.Owner.Name
		}
		out = append(out, Missing{name, n, why})
	}
	slices.SortStableFunc(out, func(x, y Missing) int { return y.Pods - x.Pods })
	return out
}

// starting returns the pods that have a node and have not started there, with what their containers wait for.
func (a *asked) starting() (all []WaitingPod) {
	once := a.c.AttachedOnce()
	for i := range a.c.Pods {
		p := &a.c.Pods[i]
		if p.Node == kube.Nowhere || p.Phase != kube.PhasePending || p.Terminating() {
			continue
		}
		why := "its containers or volumes are being made ready"
		if held := a.attachedTo(p, once); held != "" {
			why = held
		}
		if p.Broken != "" {
			why = "a container waits: " + p.Broken
		}
		all = append(all, WaitingPod{Pod: p.Full(), Reason: "on " + p.NodeName + ": " + why})
	}
	return all
}

// attachedTo returns what keeps a volume of a pod on another node, "" if nothing does.
// (pkg/controller/volume/attachdetach/reconciler: Multi-Attach error)
func (a *asked) attachedTo(p *kube.Pod, once map[[2]string]bool) string {
	volumes := map[string]string{}
	for i := range a.c.Claims {
		if c := &a.c.Claims[i]; c.Namespace == p.Namespace && c.Volume != "" && once[[2]string{c.Namespace, c.Name}] &&
			slices.Contains(p.Claims, c.Name) {
			volumes[c.Volume] = c.Name
		}
	}
	for i := range a.c.Attachments {
		x := &a.c.Attachments[i]
		claim, own := volumes[x.Volume]
		if !own || x.Node == p.NodeName {
			continue
		}
		s := "the volume of " + claim + " is attached to " + x.Node + " (Multi-Attach error)"
		if at := slices.IndexFunc(a.c.Nodes, func(n kube.Node) bool { return n.Name == x.Node }); at >= 0 &&
			a.c.Nodes[at].Ready != kube.ReadyTrue {
			s += ", which is not ready: the volume is detached by force 6 minutes after its pod there is gone, at once with the taint node.kubernetes.io/out-of-service"
		}
		return s
	}
	return ""
}
