package plane

import (
	"slices"

	"parley/core/kube"
	"parley/core/kube/constraint"
)

// SingleVolumes are the volumes that one node at a time can attach, with the node that has each.
type SingleVolumes struct {
	users map[[2]string][]int
	waits map[int]bool // pods that have not got their volume
}

// NewSingleVolumes finds the claims of a cluster whose volumes one node at a time can attach, and the
// pods that use each.
func NewSingleVolumes(c *kube.Cluster) *SingleVolumes {
	o := &SingleVolumes{users: map[[2]string][]int{}, waits: map[int]bool{}}
	single := c.AttachedOnce()
	for i := range c.Pods {
		p := &c.Pods[i]
		for _, name := range p.Claims {
			if key := [2]string{p.Namespace, name}; single[key] && (!p.Terminating() || p.Owner.Kind == "StatefulSet") {
				o.users[key] = append(o.users[key], i)
			}
		}
	}
	return o
}

// Elsewhere returns another pod that uses a volume of a pod on another node than at, and the
// claim; -1 if none does. The attach-detach controller then keeps the pod from starting
// (Multi-Attach error), which the scheduler does not look at.
func (o *SingleVolumes) Elsewhere(s *constraint.State, pod, at int) (other int, claim string) {
	p := &s.Cluster().Pods[pod]
	for _, name := range p.Claims {
		for _, user := range o.users[[2]string{p.Namespace, name}] {
			if on := s.NodeOf(user); user != pod && !o.waits[user] && on != kube.Nowhere && on != at {
				return user, name
			}
		}
	}
	return -1, ""
}

// Wait notes that a pod waits for its volume: it holds none.
func (o *SingleVolumes) Wait(pod int) { o.waits[pod] = true }

// HeldElsewhere returns the reason why a volume of a pod is held on another node, "" if there is
// none.
// (pkg/controller/volume/attachdetach/reconciler: Multi-Attach error)
func HeldElsewhere(c *kube.Cluster, p *kube.Pod, once map[[2]string]bool) string {
	volumes := map[string]string{}
	for i := range c.Claims {
		if x := &c.Claims[i]; x.Namespace == p.Namespace && x.Volume != "" && once[[2]string{x.Namespace, x.Name}] &&
			slices.Contains(p.Claims, x.Name) {
			volumes[x.Volume] = x.Name
		}
	}
	for i := range c.Attachments {
		x := &c.Attachments[i]
		claim, own := volumes[x.Volume]
		if !own || x.Node == p.NodeName {
			continue
		}
		s := "the volume of " + claim + " is attached to " + x.Node + " (Multi-Attach error)"
		if at := slices.IndexFunc(c.Nodes, func(n kube.Node) bool { return n.Name == x.Node }); at >= 0 &&
			c.Nodes[at].Ready != kube.ReadyTrue {
			s += ", which is not ready: the volume is detached by force 6 minutes after its pod there is gone, at once with the taint node.kubernetes.io/out-of-service"
		}
		return s
	}
	return ""
}
