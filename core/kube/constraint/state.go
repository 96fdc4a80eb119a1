package constraint

import (
	"maps"
	"slices"

	"parley/core/kube"
)

// State is a cluster as a question changes it: which pods count on which nodes, and which
// nodes there are. Create one with New.
type State struct {
	c     *kube.Cluster
	nodes []node
	on    []int // the node on which each pod counts, kube.Nowhere if none
	live  int   // nodes that are not removed
	// change counts Bind, Unbind and all else that may change an answer.
	change uint64
	check  check // of the last pod
	*fixed
	removals    uint64   // of nodes, and their returns
	retaints    uint64   // changes of taints
	unpreferred int      // taints of nodes with PreferNoSchedule
	stamps      []uint32 // by node, from 1: changes of the pods there
	view                 // of the profile of the last pod
	views       []view   // of all profiles, none if there is one
	plain       []bool   // nodes that are neither removed nor cordoned and have no taints
	matchers    []*matcher
	byKey       map[string]int     // matchers by their terms
	bySel       map[selectorIn]int // and by the selector of a constraint
	ofTerms     map[termsIn]int    // and by the terms of a pod
	countedBy   map[spreadIn]domainsAt
	concerned   []concerned   // by class
	spreadingBy []spreadingOf // by class
	scratch     scratch
	matching    [][]int // matchers that match a class, by class
	carriers    []*carrier
	carried     map[specIn][]int
	claimUse    []int // pods that count and use a claim, by claim
	evicted     []int // pods of a node while a preemption is tried: those without a node have left
	assumed     map[int][]int
	taken       []bool // volumes that a pod of a question took
	// failures are the kinds of pods that nothing helped; changes are the nodes that changed since the first of
	// them, and lately the place of a node's last change there.
	failures map[kindIn]*failure
	changes  []int32
	lately   []int32
	next     int // where the next search for nodes begins
}

// view has the structures that a State builds for one profile.
type view struct {
	p        *Profile
	rooms    []rooms
	order    []filter
	fit      []place // resources of the profile's strategy
	balanced []int   // resources of NodeResourcesBalancedAllocation
}

func newView(c *kube.Cluster, p *Profile) view {
	v := view{p: p, rooms: make([]rooms, maxRooms), order: order(p)}
	v.fit, v.balanced = places(c, p)
	return v
}

// use makes the profile of a pod's scheduler the current one, the first profile if none has its name. With
// one profile it does nothing.
func (s *State) use(pod int) {
	if len(s.views) == 0 || s.c.Pods[pod].Spec.Scheduler == s.p.Name {
		return
	}
	s.check.valid = false
	for _, v := range s.views {
		if v.p.Name == s.c.Pods[pod].Spec.Scheduler {
			s.view = v
			return
		}
	}
	s.view = s.views[0]
}

// node has the counts and sums of a node.
type node struct {
	requested, has       kube.Vector // beside each other in memory
	scoredCPU, scoredMem int64
	pods                 []int
	ports                []kube.Port
	disks                int // pods that name disks without a claim
	stored               int // claims and disks of the pods
	removed, cordoned    bool
	taints               []kube.Taint
}

// fixed has the data that never changes; copies of a State share it.
type fixed struct {
	classes []class
	// classAt and labelled find classes: by the shared labels, and by their content.
	classAt  map[like]int
	labelled map[string]int
	classOf  []int   // by pod
	ofClass  [][]int // pods by class
	// allClasses are the numbers of all classes, inNamespace those of a namespace.
	allClasses  []int
	inNamespace map[string][]int
	topologies  map[string]*topology
	namespaces  map[string]kube.Labels
	reasons     reasons
	named       map[string]int        // nodes by name
	passes      map[*kube.Spec][]bool // nodes that pass a pod's selector and affinity
	volumes     volumes
	defaults    map[selectorOf][]kube.Spread
	merged      map[mergedIn][]kube.Spread
	demands     map[string]int     // by amounts
	demandOf    map[*kube.Spec]int // and by the Specs that request them
	imagesOn    [][]imageOn        // nodes that have an image, by image
	protectors  map[int][]int      // budgets that protect pods of a class from preemption
	owners      *ownership         // nil until it is needed
	lowest      int32              // priority of a pod
	lowestOf    []int32            // and of the pods of a class
}

// class is the part of a pod that selectors use: pods of a namespace with the same labels.
type class struct {
	namespace string
	labels    kube.Labels
}

// specIn is a Spec in a namespace: terms without namespaces are about that one.
type specIn struct {
	spec      *kube.Spec
	namespace string
}

// New returns the state of a cluster on which every bound pod counts. c must not change while the state is
// used, and its pods' Node must be set (see Cluster.Link). p and p.Others are the profiles; p is that of
// pods whose scheduler none of them has.
func New(c *kube.Cluster, p *Profile) *State {
	s := &State{
		c: c, view: newView(c, p), nodes: make([]node, len(c.Nodes)), on: make([]int, len(c.Pods)), live: len(c.Nodes),
		carried: map[specIn][]int{}, assumed: map[int][]int{}, taken: make([]bool, len(c.Volumes)),
		claimUse: make([]int, len(c.Claims)),
		fixed: &fixed{
			topologies: map[string]*topology{}, namespaces: map[string]kube.Labels{}, reasons: newReasons(),
			passes: map[*kube.Spec][]bool{}, named: make(map[string]int, len(c.Nodes)),
			defaults: map[selectorOf][]kube.Spread{}, merged: map[mergedIn][]kube.Spread{},
			demands: map[string]int{}, demandOf: map[*kube.Spec]int{}, protectors: map[int][]int{},
			imagesOn: make([][]imageOn, len(c.Images)),
		},
	}
	if len(p.Others) > 0 {
		s.views = []view{s.view}
		for _, other := range p.Others {
			s.views = append(s.views, newView(c, other))
		}
	}
	s.byKey, s.bySel, s.ofTerms, s.countedBy = map[string]int{}, map[selectorIn]int{}, map[termsIn]int{},
		map[spreadIn]domainsAt{}
	for _, n := range c.Namespaces {
		s.namespaces[n.Name] = n.Labels
	}
	s.volumes = newVolumes(c)
	s.stamps, s.plain = make([]uint32, len(c.Nodes)), make([]bool, len(c.Nodes))
	vectors := vectors(len(c.Nodes), len(c.Resources))
	for i := range s.nodes {
		n := &c.Nodes[i]
		s.named[n.Name] = i
		copy(vectors[i][1], n.Allocatable)
		s.nodes[i] = node{requested: vectors[i][0], has: vectors[i][1], cordoned: n.Unschedulable, taints: n.Taints}
		for _, image := range n.Images {
			s.addImage(i, image)
		}
		s.unpreferred += unpreferred(n.Taints)
		s.stamps[i] = 1
		s.reshape(i)
	}
	s.classify()
	for pod := range s.on {
		s.on[pod], s.lowest = kube.Nowhere, min(s.lowest, c.Pods[pod].Spec.Priority)
		if at := c.Pods[pod].Node; at != kube.Nowhere {
			s.Bind(pod, at)
		}
	}
	return s
}

// vectors returns two zero vectors for each node, side by side in memory: the requested amounts and the
// allocatable ones.
func vectors(nodes, resources int) [][2]kube.Vector {
	all, backing := make([][2]kube.Vector, nodes), make(kube.Vector, 2*nodes*resources)
	for i := range all {
		v := backing[2*i*resources:]
		all[i] = [2]kube.Vector{v[:resources:resources], v[resources : 2*resources : 2*resources]}
	}
	return all
}

// like is the labels of pods of a namespace that share them.
type like struct {
	namespace string
	first     *kube.Label
	n         int
}

// classify sets the class of each pod: pods of a namespace with equal labels have one class.
func (s *State) classify() {
	s.labelled, s.classAt = map[string]int{}, map[like]int{}
	s.inNamespace = map[string][]int{}
	s.classOf = make([]int, 0, len(s.c.Pods))
	for i := range s.c.Pods {
		p := &s.c.Pods[i]
		at, known := s.class(p)
		if !known {
			at = len(s.classes)
			s.labelled[written(p)] = at
			s.classes = append(s.classes, class{p.Namespace, p.Labels})
			s.ofClass, s.lowestOf = append(s.ofClass, nil), append(s.lowestOf, p.Spec.Priority)
			s.allClasses = append(s.allClasses, at)
			s.inNamespace[p.Namespace] = append(s.inNamespace[p.Namespace], at)
			s.class(p)
		}
		s.classOf = append(s.classOf, at)
		s.ofClass[at] = append(s.ofClass[at], i)
		s.lowestOf[at] = min(s.lowestOf[at], p.Spec.Priority)
	}
	s.matching, s.concerned = make([][]int, len(s.classes)), make([]concerned, len(s.classes))
	s.spreadingBy = make([]spreadingOf, len(s.classes))
}

// class returns the class of a pod, and whether it has one yet; if not, at is 0. It remembers the address
// of the labels, so that pods that share them are found without a look at the content.
func (s *State) class(p *kube.Pod) (at int, known bool) {
	l := like{namespace: p.Namespace, n: len(p.Labels)}
	if l.n > 0 {
		l.first = &p.Labels[0]
	}
	if at, known = s.classAt[l]; !known {
		if at, known = s.labelled[written(p)]; known {
			s.classAt[l] = at
		}
	}
	return at, known
}

// written returns the namespace and labels of a pod as a text.
func written(p *kube.Pod) string {
	key := append([]byte(p.Namespace), 0)
	for _, label := range p.Labels {
		key = append(append(append(append(key, label.Key...), 1), label.Value...), 0)
	}
	return string(key)
}

// Grow lets a State continue with a cluster that equals its own, except for more pods at the end,
// which count nowhere. It returns false, and changes nothing, if a new State is needed because no
// earlier pod has the labels of one of these. Copies that Clone made of it must not be used after
// that.
func (s *State) Grow(c *kube.Cluster) bool {
	for i := len(s.on); i < len(c.Pods); i++ {
		if _, known := s.class(&c.Pods[i]); !known {
			return false
		}
	}
	s.c = c
	for i := len(s.on); i < len(c.Pods); i++ {
		at, _ := s.class(&c.Pods[i])
		s.on, s.classOf = append(s.on, kube.Nowhere), append(s.classOf, at)
		s.ofClass[at] = append(s.ofClass[at], i)
		s.lower(at, c.Pods[i].Spec.Priority)
	}
	s.change++
	s.check.valid = false
	return true
}

// lower records the priority of a new pod of a class in the lowest priorities that preemption looks at.
func (s *State) lower(class int, priority int32) {
	s.lowest, s.lowestOf[class] = min(s.lowest, priority), min(s.lowestOf[class], priority)
	for _, i := range s.matching[class] {
		s.matchers[i].lowest = min(s.matchers[i].lowest, priority)
	}
}

// Clone returns an independent copy: a change of one does not affect the other. They share the cluster and
// the data that never changes.
func (s *State) Clone() *State {
	d := *s
	d.nodes = slices.Clone(s.nodes)
	vectors := vectors(len(d.nodes), len(s.c.Resources))
	for i := range d.nodes {
		n := &d.nodes[i]
		copy(vectors[i][0], n.requested)
		copy(vectors[i][1], n.has)
		n.requested, n.has, n.pods, n.ports = vectors[i][0], vectors[i][1], slices.Clone(n.pods), slices.Clone(n.ports)
	}
	d.on, d.claimUse, d.taken = slices.Clone(s.on), slices.Clone(s.claimUse), slices.Clone(s.taken)
	d.matchers = make([]*matcher, len(s.matchers))
	for i, m := range s.matchers {
		one := *m
		one.tally = m.tally.clone()
		d.matchers[i] = &one
	}
	d.matching = make([][]int, len(s.matching))
	for i := range s.matching {
		d.matching[i] = slices.Clone(s.matching[i])
	}
	d.carriers = make([]*carrier, len(s.carriers))
	for i, c := range s.carriers {
		one := *c
		one.tally = c.tally.clone()
		d.carriers[i] = &one
	}
	d.stamps, d.plain, d.concerned = slices.Clone(s.stamps), slices.Clone(s.plain), slices.Clone(s.concerned)
	d.rooms, d.views = make([]rooms, maxRooms), slices.Clone(s.views)
	for i := range d.views {
		if d.views[i].rooms = make([]rooms, maxRooms); d.views[i].p == d.p {
			d.rooms = d.views[i].rooms
		}
	}
	d.carried, d.assumed, d.countedBy = maps.Clone(s.carried), maps.Clone(s.assumed), map[spreadIn]domainsAt{}
	d.byKey, d.bySel, d.ofTerms = maps.Clone(s.byKey), maps.Clone(s.bySel), maps.Clone(s.ofTerms)
	d.check, d.scratch, d.spreadingBy = check{}, scratch{}, make([]spreadingOf, len(s.classes))
	d.failures, d.changes, d.lately = nil, nil, nil
	return &d
}

// Cluster returns the cluster below the state.
func (s *State) Cluster() *kube.Cluster { return s.c }

// Profile returns the profile by which the state judged the last pod.
func (s *State) Profile() *Profile { return s.p }

// NodeOf returns the node on which a pod counts, kube.Nowhere if it counts on none.
func (s *State) NodeOf(pod int) int { return s.on[pod] }

// PodsOn returns the pods that count on a node, in no particular order. It is valid until the
// next change.
func (s *State) PodsOn(node int) []int { return s.nodes[node].pods }

// Requested returns the sum of the requests of the pods on a node. The caller must not change
// it.
func (s *State) Requested(node int) kube.Vector { return s.nodes[node].requested }

// Free returns the free amount of a resource on a node; negative if pods request more than the node
// has.
func (s *State) Free(node, resource int) int64 {
	return s.nodes[node].has[resource] - s.nodes[node].requested[resource]
}

// Bind lets a pod count on a node. The pod must count nowhere.
func (s *State) Bind(pod, at int) {
	if s.on[pod] != kube.Nowhere {
		panic("constraint: a pod that counts is bound again")
	}
	s.assume(pod, at)
	s.on[pod] = at
	s.addPod(pod, at, 1)
	n := &s.nodes[at]
	n.pods = append(n.pods, pod)
	n.ports = append(n.ports, s.c.Pods[pod].Spec.Ports...)
}

// Unbind undoes Bind: the pod then counts nowhere, and the free volumes that it took are free again. A pod
// that counts nowhere stays so. The order of PodsOn may change.
func (s *State) Unbind(pod int) {
	at := s.on[pod]
	if at == kube.Nowhere {
		return
	}
	s.on[pod] = kube.Nowhere
	s.addPod(pod, at, -1)
	n := &s.nodes[at]
	i := slices.Index(n.pods, pod)
	last := len(n.pods) - 1
	n.pods[i] = n.pods[last]
	n.pods = n.pods[:last]
	for _, p := range s.c.Pods[pod].Spec.Ports {
		i := slices.Index(n.ports, p)
		n.ports = slices.Delete(n.ports, i, i+1)
	}
	for _, v := range s.assumed[pod] {
		s.taken[v] = false
	}
	delete(s.assumed, pod)
}

// addPod adds a pod to the sums and counts of a node, or subtracts it with by -1. Versions of counts stay
// the same while a preemption is tried, since it restores them.
func (s *State) addPod(pod, at, by int) {
	s.change++
	s.stamps[at]++
	s.changed(at)
	p, n := &s.c.Pods[pod], &s.nodes[at]
	for r, amount := range p.Spec.Requests {
		n.requested[r] += int64(by) * amount
	}
	n.scoredCPU += int64(by) * p.Spec.ScoredCPU
	n.scoredMem += int64(by) * p.Spec.ScoredMemory
	if len(p.Spec.Disks) > 0 {
		n.disks += by
	}
	n.stored += by * (len(p.Spec.Disks) + len(p.Claims))
	for _, i := range s.volumes.used(p) {
		s.claimUse[i] += by
	}
	real := uint64(1)
	if s.evicted != nil { // a trial puts it back
		real = 0
	}
	for _, i := range s.matching[s.classOf[pod]] {
		if m := s.matchers[i]; !m.live || !p.Terminating() {
			m.add(at, by)
			m.version += real
		}
	}
	for _, i := range s.carriersOf(p) {
		s.carriers[i].add(at, by)
		s.carriers[i].version += real
	}
}

// Remove takes a node out of the cluster: it counts neither as a node nor as a domain. Unbind its
// pods first.
func (s *State) Remove(node int) {
	if len(s.nodes[node].pods) > 0 {
		panic("constraint: a node with pods is removed")
	}
	if !s.nodes[node].removed {
		s.nodes[node].removed = true
		s.live--
		s.removals++
		s.reshape(node)
	}
}

// reshape notes that a node was removed, restored, cordoned or tainted.
func (s *State) reshape(node int) {
	n := &s.nodes[node]
	s.plain[node] = !n.removed && !n.cordoned && len(n.taints) == 0
	s.change++
	s.changed(node)
}

// Restore puts a removed node back.
func (s *State) Restore(node int) {
	if s.nodes[node].removed {
		s.nodes[node].removed = false
		s.live++
		s.removals++
		s.reshape(node)
	}
}

// Removed reports whether a node was removed.
func (s *State) Removed(node int) bool { return s.nodes[node].removed }

// Cordon sets or clears spec.unschedulable of a node, with the taint that the node controller
// adds and removes.
func (s *State) Cordon(node int, on bool) {
	n := &s.nodes[node]
	taint := kube.Taint{Key: kube.UnschedulableTaint, Effect: kube.NoSchedule}
	n.cordoned = on
	n.taints = slices.DeleteFunc(slices.Clone(n.taints),
		func(t kube.Taint) bool { return t.Key == kube.UnschedulableTaint })
	if on {
		n.taints = append(n.taints, taint)
	}
	s.retaints++
	s.reshape(node)
}

// SetTaints replaces a node's taints.
func (s *State) SetTaints(node int, taints []kube.Taint) {
	s.unpreferred += unpreferred(taints) - unpreferred(s.nodes[node].taints)
	s.nodes[node].taints = taints
	s.retaints++
	s.reshape(node)
}

// Taints returns the taints of a node. The caller must not change them.
func (s *State) Taints(node int) []kube.Taint { return s.nodes[node].taints }
