package constraint

import (
	"cmp"
	"slices"
	"strconv"

	"parley/core/kube"
)

// blocker is a set of reasons why a pod's volumes are not available on a node.
type blocker uint8

const (
	otherNode blocker = 1 << iota
	nothingToBind
	noSpace
	noVolume
)

// prepareBinding sets in c a pod's bound volumes, -1 for one that the cluster lacks, and the claims that
// wait for the pod, the smallest first. It stops the pod, for good, if a claim is missing, lost, being
// deleted, or should be bound already. (plugins/volumebinding/volume_binding.go, PreFilter)
func (s *State) prepareBinding(c *check, p *kube.Pod) {
	stop := func(text string) { c.stop, c.final = text, true }
	immediate := false
	for k, name := range p.Claims {
		ephemeral := k >= len(p.Claims)-p.Ephemeral
		i, known := s.volumes.claim(p, name)
		claim := (*kube.Claim)(nil)
		if known {
			claim = &s.c.Claims[i]
		}
		quoted := strconv.Quote(name)
		switch {
		case !known && ephemeral:
			stop("waiting for ephemeral volume controller to create the persistentvolumeclaim " + quoted)
		case !known:
			stop(notFound("persistentvolumeclaim", name))
		case claim.Lost:
			stop("persistentvolumeclaim " + quoted + " bound to non-existent persistentvolume " + strconv.Quote(claim.Volume))
		case claim.Deleted:
			stop("persistentvolumeclaim " + quoted + " is being deleted")
		}
		if c.stop != "" {
			return
		}
		if claim.Bound() {
			pv, has := s.volumes.byName[claim.Volume]
			if !has {
				pv = -1
			}
			c.storage.bound = append(c.storage.bound, pv)
			continue
		}
		class, has := s.volumes.classes[claim.Class]
		if has && s.c.StorageClasses[class].Wait && claim.Volume == "" {
			c.storage.unbound = append(c.storage.unbound, i)
		} else {
			immediate = true
		}
	}
	if immediate {
		stop("pod has unbound immediate PersistentVolumeClaims")
		return
	}
	slices.SortStableFunc(c.storage.unbound,
		func(a, b int) int { return cmp.Compare(s.c.Claims[a].Request, s.c.Claims[b].Request) })
}

// unbindable returns the reason if a node cannot have a pod's volumes, nil if it can.
func (s *State) unbindable(c *check, at int) *Reason {
	if len(c.storage.bound) == 0 && len(c.storage.unbound) == 0 {
		return nil
	}
	t, _ := s.bindings(&c.storage, at)
	if t == 0 {
		return nil
	}
	return s.reasons.bound(t)
}

// bindings returns the set of reasons why a pod's volumes are not available on a node, 0 if they are, and
// the places of the free volumes that its claims would bind there. A claim without such a volume is
// provisioned if its class allows that on the node. (plugins/volumebinding/binder.go, FindPodVolumes)
func (s *State) bindings(x *storageCheck, at int) (t blocker, taken []int) {
	n := &s.c.Nodes[at]
	for _, pv := range x.bound {
		if pv < 0 {
			t |= noVolume
			break
		}
		if !s.volumes.reaches(pv, at) {
			t |= otherNode
			break
		}
	}
	var provision []int
	for _, i := range x.unbound {
		if chosen := s.c.Claims[i].SelectedNode; chosen == "" {
			continue
		} else if chosen != n.Name {
			return t | nothingToBind, nil
		}
		provision = append(provision, i)
	}
	for _, i := range x.unbound {
		if s.c.Claims[i].SelectedNode != "" {
			continue
		}
		if pv := s.matchingVolume(&s.c.Claims[i], at, taken); pv >= 0 {
			taken = append(taken, pv)
		} else {
			provision = append(provision, i)
		}
	}
	for _, i := range provision {
		claim := &s.c.Claims[i]
		class := &s.c.StorageClasses[s.volumes.classes[claim.Class]]
		if class.Provisioner == "" || class.Provisioner == kube.NoProvisioner || !allowed(class, n) {
			return t | nothingToBind, nil
		}
		if !s.roomFor(claim, class, n) {
			return t | noSpace, nil
		}
	}
	return t, taken
}

// matchingVolume returns the place of the smallest free volume that a claim can have on a node, -1 if there
// is none. A volume reserved for the claim wins, or gives -1 if the node does not reach it. taken are those
// that the pod's other claims take. (k8s.io/component-helpers storage/volume, FindMatchingVolume)
func (s *State) matchingVolume(claim *kube.Claim, at int, taken []int) int {
	best := -1
	for _, pv := range s.volumes.ofClass[claim.Class] {
		v := &s.c.Volumes[pv]
		own := v.ClaimNamespace == claim.Namespace && v.ClaimName == claim.Name
		if s.taken[pv] || slices.Contains(taken, pv) || v.ClaimName != "" && !own || v.Capacity < claim.Request ||
			v.Block != claim.Block || v.Deleted {
			continue
		}
		here := s.volumes.reaches(pv, at)
		if own {
			if !here {
				return -1
			}
			return pv
		}
		if v.Phase != "Available" || !here || claim.Selector != nil && !claim.Selector.Matches(v.Labels) {
			continue
		}
		if slices.ContainsFunc(claim.Modes, func(m kube.AccessMode) bool { return !slices.Contains(v.Modes, m) }) {
			continue
		}
		if best < 0 || v.Capacity < s.c.Volumes[best].Capacity {
			best = pv
		}
	}
	return best
}

// allowed reports whether the allowed topologies of a class let a node have its new volumes; a class
// without any lets all.
func allowed(class *kube.StorageClass, n *kube.Node) bool {
	if len(class.Allowed) == 0 {
		return true
	}
	for _, t := range class.Allowed {
		all := len(t.Requirements) > 0
		for i := range t.Requirements {
			all = all && t.Requirements[i].Matches(n.Labels)
		}
		if all {
			return true
		}
	}
	return false
}

// roomFor reports whether there is room for a new volume of a claim on a node, by the capacities that its
// driver publishes. A driver that publishes none has room.
func (s *State) roomFor(claim *kube.Claim, class *kube.StorageClass, n *kube.Node) bool {
	if !s.volumes.drivers[class.Provisioner] {
		return true
	}
	for i := range s.c.Capacities {
		x := &s.c.Capacities[i]
		limit := x.Maximum
		if limit < 0 {
			limit = x.Capacity
		}
		if x.Class == class.Name && limit >= claim.Request && x.Topology.Matches(n.Labels) {
			return true
		}
	}
	return false
}

// assume marks the free volumes that the claims of a pod bind at a node as taken, so that no other pod gets
// them. Claims whose volumes are provisioned take none.
func (s *State) assume(pod, at int) {
	p := &s.c.Pods[pod]
	if len(p.Claims) == 0 {
		return
	}
	var c check
	s.prepareBinding(&c, p)
	if c.stop != "" || len(c.storage.unbound) == 0 {
		return
	}
	if _, taken := s.bindings(&c.storage, at); len(taken) > 0 {
		s.assumed[pod] = taken
		for _, v := range taken {
			s.taken[v] = true
		}
	}
}
