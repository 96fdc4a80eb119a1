package plane

import (
	"cmp"
	"fmt"
	"slices"

	"parley/core/kube"
	"parley/core/unit"
)

// daemonSet keeps a pod on each node that it is wanted on.
// (pkg/controller/daemon: daemon_controller.go, update.go)
type daemonSet struct {
	p         *Plane
	marked    bool
	namespace string
	name      string
	rollout   kube.Rollout
	group     int
	base      kube.Pod     // the pattern of its pods
	where     *kube.Spec   // where they may run
	here      map[int]bool // nodes that have a pod of it, if the dump does not have the DaemonSet
	pods      []int
	places    map[int]*template // by node
	fresh     *kube.Spec        // of new pods in a rollout, nil before
	newPods   map[int]bool
	minReady  unit.Time
	broken    string
	serial    int
}

func (s *daemonSet) place() *bool { return &s.marked }

func (s *daemonSet) forget(i int) {
	s.pods = slices.DeleteFunc(s.pods, func(x int) bool { return x == i })
	delete(s.newPods, i)
}

// home returns the place of the node that a pod runs on or, if it is pending, is made for, as its node
// affinity names it; kube.Nowhere if the cluster has no such node.
func (s *daemonSet) home(i int) int {
	q := &s.p.c.Pods[i]
	if q.Node != kube.Nowhere {
		return q.Node
	}
	if q.Spec.NodeRequired != nil {
		for _, t := range q.Spec.NodeRequired.Terms {
			for _, f := range t.Fields {
				if at, known := s.p.nodeAt[first(f.Values)]; known {
					return at
				}
			}
		}
	}
	return kube.Nowhere
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// wanted reports whether a pod should run on a node, and whether one that runs there may stay. If the dump
// has only pods of the DaemonSet, each node of the dump that has one wants one, and a node that joins later
// wants one if it suits their selector and tolerations.
func (s *daemonSet) wanted(at int) (runs, stays bool) {
	n := &s.p.c.Nodes[at]
	switch {
	case s.p.states[at].absent:
		return false, false
	case s.base.Spec == nil: // the dump has neither its template nor a pod of it
		return false, true
	case s.here != nil && at < s.p.today: // the dump has no object that says where
		return s.here[at], s.here[at]
	}
	return WantedOn(s.where, n)
}

// WantedOn reports whether a DaemonSet wants a pod on a node, and whether one that runs there may stay.
// where has the node selector, required affinity and tolerations of its pods. A NoSchedule taint keeps new
// pods away only; a NoExecute taint and labels that do not match also remove the one that runs.
func WantedOn(where *kube.Spec, n *kube.Node) (runs, stays bool) {
	if !n.Labels.Cover(where.NodeSelector) || where.NodeRequired != nil && !where.NodeRequired.Matches(n) {
		return false, false
	}
	runs, stays = true, true
	for i := range n.Taints {
		t := &n.Taints[i]
		if t.Effect != kube.PreferNoSchedule && !tolerated(addedTo(where), t) && !where.Tolerates(t) {
			runs, stays = false, stays && t.Effect != kube.NoExecute
		}
	}
	return runs, stays
}

// added are the tolerations that all pods of DaemonSets get.
// (pkg/controller/daemon/util/daemonset_util.go)
var added = func() (all []kube.Toleration) {
	for _, key := range []string{kube.NotReadyTaint, kube.UnreachableTaint} {
		all = append(all, kube.Toleration{Key: key, Exists: true, Effect: kube.NoExecute, Seconds: -1})
	}
	for _, key := range []string{"node.kubernetes.io/disk-pressure", "node.kubernetes.io/memory-pressure", "node.kubernetes.io/pid-pressure", kube.UnschedulableTaint} {
		all = append(all, kube.Toleration{Key: key, Exists: true, Effect: kube.NoSchedule, Seconds: -1})
	}
	return all
}()

// addedTo returns the tolerations that the DaemonSet controller adds to a pod with a spec. A pod in the
// host's network also tolerates a node whose network is not available. The caller must not change the
// result.
func addedTo(s *kube.Spec) []kube.Toleration {
	if !s.HostNetwork {
		return added
	}
	return append(added[:len(added):len(added)], kube.Toleration{
		Key: "node.kubernetes.io/network-unavailable", Exists: true, Effect: kube.NoSchedule, Seconds: -1,
	})
}

// Tolerating returns a spec with the tolerations that pods of DaemonSets get.
func Tolerating(s *kube.Spec) *kube.Spec {
	out := *s
	out.Tolerations = slices.Concat(s.Tolerations, addedTo(s))
	return &out
}

func tolerated(by []kube.Toleration, t *kube.Taint) bool {
	return slices.ContainsFunc(by, func(x kube.Toleration) bool { return x.Tolerates(t) })
}

// sync implements controller: it makes the pod of each node that wants one and has none, deletes the pods
// that may not stay, and in a rollout replaces old ones. Pods of a node that has left are not its concern.
// With maxSurge a pod that terminates counts as none.
func (s *daemonSet) sync() {
	on := map[int][]int{}
	surge, _ := s.atOnce(1)
	for _, i := range s.pods {
		if at := s.home(i); surge == 0 || !s.p.pods[i].terminating {
			on[at] = append(on[at], i)
		}
	}
	for at := range s.p.c.Nodes {
		switch runs, stays := s.wanted(at); {
		case runs && len(on[at]) == 0:
			s.make(at)
		case !stays && !s.p.states[at].absent: // of a node that is gone the garbage collector deletes them
			for _, i := range on[at] {
				s.p.remove(i, "")
			}
		}
	}
	switch {
	case s.fresh == nil || s.rollout.Strategy == "OnDelete":
	case surge > 0:
		s.surge(on)
	default:
		s.replace(on)
	}
}

// atOnce returns how many nodes of wanted may have a new pod beside the old one, and how many may lack their pod, in
// a rollout: one of the two is 0. (pkg/controller/daemon/update.go, updatedDesiredNodeCounts)
func (s *daemonSet) atOnce(wanted int) (surge, unavailable int) {
	if s.rollout.Strategy == "OnDelete" {
		return 0, 0
	}
	if s.rollout.Surge != nil {
		surge = int(s.rollout.Surge.Of(int32(wanted)))
	}
	if surge > 0 {
		return surge, 0
	}
	unavailable = int(cmp.Or(s.rollout.Unavailable, &kube.IntOrPercent{Value: 1}).Of(int32(wanted)))
	return 0, max(1, unavailable)
}

// both returns the new and the old pod of a node, -1 for none; pods that terminate count as none.
func (s *daemonSet) both(pods []int) (now, old int) {
	now, old = -1, -1
	for _, i := range pods {
		switch {
		case s.p.pods[i].terminating:
		case s.newPods[i]:
			now = i
		default:
			old = i
		}
	}
	return now, old
}

// surge makes new pods beside old ones in a rollout, on at most maxSurge nodes whose old pod is available, and on all
// nodes whose old pod is not. An old pod is deleted once the new one beside it is available, or when it is not ready
// itself. On nodes that want no pod any more old ones go as far as enough pods are available. on has the pods by node.
// (update.go, rollingUpdate; daemon_controller.go, podsShouldBeOnNode)
func (s *daemonSet) surge(on map[int][]int) {
	wanted, surging, available, unsettled := 0, 0, 0, false
	var gone, unwanted, allowed, candidates []int
	ending := map[int]bool{} // nodes on which a pod terminates, which is the eldest there
	for _, i := range s.pods {
		if s.p.pods[i].terminating {
			ending[s.home(i)] = true
		}
	}
	for at := range s.p.c.Nodes {
		runs, _ := s.wanted(at)
		if runs {
			wanted++
		}
		now, old := s.both(on[at])
		is := func(i int) bool { return i >= 0 && s.p.available(i, s.minReady) }
		if is(old) || old < 0 && is(now) {
			available++
		}
		if eldest := old; runs && !ending[at] {
			if eldest < 0 {
				eldest = now
			}
			unsettled = unsettled || eldest >= 0 && s.p.pods[eldest].ready && !is(eldest)
		}
		if now >= 0 {
			s.lookAgain(now, unit.Second)
		}
		switch {
		case old < 0:
		case now >= 0 && (is(now) || !s.p.pods[old].ready):
			gone = append(gone, old)
		case now >= 0:
			surging++
		case !is(old) && !runs:
			gone = append(gone, old)
		case !is(old):
			allowed = append(allowed, at)
		case !runs:
			unwanted = append(unwanted, old)
		default:
			candidates = append(candidates, at)
		}
	}
	if unsettled { // the status has fewer available nodes than ready ones (updateDaemonSetStatus)
		s.p.kernel.At(s.p.kernel.Now()+s.minReady, do(func() { s.p.mark(s) }), 0)
	}
	most, _ := s.atOnce(wanted)
	for _, i := range append(gone, unwanted[:min(max(0, available-wanted), len(unwanted))]...) {
		s.p.remove(i, "")
	}
	for _, at := range append(allowed, candidates[:min(max(0, most-surging), len(candidates))]...) {
		s.make(at)
	}
}

// replace deletes old pods of a rollout, at most maxUnavailable (default 1) less those that are missing
// already; old pods that are not available go first and without a limit. on has the pods by node. A node
// that no longer wants a pod counts as long as it has one, so a pod that never ends is one that is missing.
// (update.go, rollingUpdate)
func (s *daemonSet) replace(on map[int][]int) {
	wanted, missing := 0, 0
	var free, candidates []int
	for at := range s.p.c.Nodes {
		switch runs, _ := s.wanted(at); {
		case runs:
			wanted++
		case len(on[at]) == 0:
			continue
		}
		now, old := s.both(on[at])
		switch {
		case (now < 0) == (old < 0):
			missing++
		case now >= 0:
			if !s.p.available(now, s.minReady) {
				missing++
				s.lookAgain(now, 0)
			}
		case !s.p.available(old, s.minReady):
			missing++
			free = append(free, old)
		default:
			candidates = append(candidates, old)
		}
	}
	_, limit := s.atOnce(wanted)
	for _, i := range append(free, candidates[:min(max(0, limit-missing), len(candidates))]...) {
		s.p.remove(i, "")
	}
}

// lookAgain marks the controller for the moment at which a ready pod has been ready for minReadySeconds, and
// for a time more: the controller waits a second longer after a pod's event than after its own status.
// (daemon_controller.go, updatePod)
func (s *daemonSet) lookAgain(i int, more unit.Time) {
	l := &s.p.pods[i]
	if until := l.since + s.minReady + more; l.ready && s.minReady > 0 && until > s.p.kernel.Now() {
		s.p.kernel.At(until, do(func() { s.p.mark(s) }), 0)
	}
}

// make makes the pod of a node. The scheduler binds it, and to that node only, so it stays pending if the
// node has no room.
func (s *daemonSet) make(at int) {
	t := s.template(at)
	if t.broken = ""; s.fresh != nil {
		t.broken = s.broken
	}
	s.serial++
	i := s.p.create(t, fmt.Sprintf("%s-new%d", s.name, s.serial), s, s.group)
	s.pods = append(s.pods, i)
	s.newPods[i] = s.fresh != nil
}

// template returns the template of the pods of a node, whose affinity requires that node. The first call in
// a rollout replaces it by one of the new spec.
func (s *daemonSet) template(at int) *template {
	t := s.places[at]
	if t == nil || s.fresh != nil && !t.fresh {
		t = &template{base: s.base, step: 1, fresh: s.fresh != nil}
		t.base.Spec = only(cmp.Or(s.fresh, s.base.Spec), s.p.c.Nodes[at].Name)
		s.places[at] = t
	}
	return t
}

// only returns a Spec of a pod that may run on one node alone.
func only(base *kube.Spec, node string) *kube.Spec {
	spec := Tolerating(base)
	spec.NodeRequired = &kube.NodeSelector{Terms: []kube.NodeTerm{{Fields: []kube.Requirement{{
		Key: "metadata.name",
		Op:  kube.In, Values: []string{node},
	}}}}}
	return spec
}

// daemonSets makes the controllers of the DaemonSets, also of those that the dump has only pods of. New
// pods are like the youngest pod, or like the template if the dump has no pod; they have no claims.
func (p *Plane) daemonSets() {
	p.daemons = map[owned]*daemonSet{}
	add := func(namespace, name string) *daemonSet {
		key := owned{namespace, kube.Owner{Kind: "DaemonSet", Name: name}}
		if p.daemons[key] == nil {
			s := &daemonSet{
				p: p, namespace: namespace, name: name, group: p.group(namespace, key.Owner),
				places: map[int]*template{}, newPods: map[int]bool{},
			}
			p.daemons[key] = s
			p.daemonsInOrder = append(p.daemonsInOrder, s)
		}
		return p.daemons[key]
	}
	for i := range p.c.Workloads {
		if w := &p.c.Workloads[i]; w.Kind == "DaemonSet" {
			s := add(w.Namespace, w.Name)
			s.rollout, s.minReady, s.base, s.where = w.Rollout, unit.Time(w.Rollout.MinReady)*unit.Second, pattern(w),
				w.Template
		}
	}
	for i := range p.c.Pods {
		q := &p.c.Pods[i]
		if !q.DaemonSet() {
			continue
		}
		s := add(q.Namespace, q.Owner.Name)
		s.pods = append(s.pods, i)
		if s.base.Spec == nil || q.Created >= s.base.Created {
			s.base = likePod(q)
			s.base.Claims, s.base.Ephemeral = nil, 0
		}
		if s.where == nil {
			where := *q.Spec
			where.NodeRequired = nil
			s.where, s.here = &where, map[int]bool{}
		}
		if s.here != nil && q.Node != kube.Nowhere {
			s.here[q.Node] = true
		}
	}
}
