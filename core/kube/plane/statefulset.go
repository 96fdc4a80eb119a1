package plane

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/core/kube"
	"parley/core/unit"
)

// statefulSet keeps the pods of a StatefulSet, one an ordinal.
// (pkg/controller/statefulset/stateful_set_control.go)
type statefulSet struct {
	p         *Plane
	marked    bool
	namespace string
	name      string
	want      int
	rollout   kube.Rollout
	group     int
	pods      map[int]int    // by ordinal
	names     map[int]string // by ordinal, of pods that are not named by it, as under pseudonyms
	current   []*template    // by ordinal: of the pods before a rollout
	updated   []*template    // nil before a rollout
	base      kube.Pod       // the pattern of new pods whose ordinal has no pod in the dump
	newest    int64          // when the pod was made that the pattern is of
	newestAt  int            // its ordinal
	minReady  unit.Time
	newPods   map[int]bool // places that have the new revision
	guessed   bool
	next      retryTimer // when it looks again
}

func (s *statefulSet) place() *bool { return &s.marked }

// forget removes a pod that is gone, so that the next sync makes the pod of its ordinal anew.
func (s *statefulSet) forget(i int) {
	for at, pod := range s.pods {
		if pod == i {
			delete(s.pods, at)
		}
	}
	delete(s.newPods, i)
}

// isNew reports whether the pod of an ordinal is of the new revision.
func (s *statefulSet) isNew(ordinal int) bool {
	i, has := s.pods[ordinal]
	return has && (s.updated == nil || s.newPods[i])
}

// make makes the pod of an ordinal: of the new revision, unless the partition keeps the old one. Pods keep
// the name NAME-ORDINAL, or their own name in the dump. It does nothing if there is no template, or if the
// play has too many pods, which sets Plane.Cut.
func (s *statefulSet) make(ordinal int) {
	t := s.current[ordinal]
	if t.base.Spec == nil { // the dump has neither its template nor a pod of it
		return
	}
	if len(t.free) == 0 && len(s.p.pods) > s.p.maxPods {
		s.p.Cut = true
		return
	}
	isNew := s.updated != nil && ordinal >= s.rollout.Partition
	if isNew {
		t = s.updated[ordinal]
	}
	name := s.names[ordinal]
	if name == "" {
		name = fmt.Sprintf("%s-%d", s.name, ordinal)
	}
	i := s.p.create(t, name, s, s.group)
	s.pods[ordinal] = i
	s.newPods[i] = isNew
}

func (s *statefulSet) available(ordinal int) bool {
	i, has := s.pods[ordinal]
	return has && !s.p.pods[i].terminating && s.p.available(i, s.minReady)
}

// sync implements controller: it takes the next steps, and looks again after minReadySeconds while a pod is
// not available.
func (s *statefulSet) sync() {
	s.act()
	available := 0
	for k := range s.want {
		i, has := s.pods[k]
		if s.available(k) || has && s.p.pods[i].terminating && s.p.pods[i].wasReady { // a pod that ends is ready still
			available++
		}
	}
	if s.minReady > 0 && available != s.want {
		s.p.again(s, &s.next, s.minReady)
	}
}

// act takes the steps of one pass of the controller: it makes missing pods in rising order, deletes those
// above want from the top, and then replaces one old pod, the highest first, down to the partition. With
// OrderedReady each step waits until all pods below are available; if Parallel, only the replacement waits.
func (s *statefulSet) act() {
	p, ordered := s.p, !s.rollout.Parallel
	for k := range s.want {
		i, has := s.pods[k]
		if !has {
			s.make(k)
			if ordered {
				return
			}
			continue
		}
		if ordered && (p.pods[i].terminating || !s.available(k)) {
			return
		}
	}
	for k := s.highest(); k >= s.want; k-- { // scale down from the top
		if i, has := s.pods[k]; has {
			p.remove(i, "")
			if ordered {
				return
			}
		}
	}
	if s.updated == nil || s.rollout.Strategy == "OnDelete" {
		return
	}
	for k := s.want - 1; k >= s.rollout.Partition; k-- {
		i := s.pods[k]
		if !s.isNew(k) && !p.pods[i].terminating {
			p.remove(i, "")
			return
		}
		if !p.pods[i].ready { // the loop above requires available pods, if it is ordered
			return
		}
	}
}

// becameReady notes that a pod of it is ready.
func (s *statefulSet) becameReady() {
	if s.minReady > 0 {
		s.p.again(s, &s.next, s.minReady+unit.Second)
	}
}

// highest returns the highest ordinal that has a pod, -1 if none has.
func (s *statefulSet) highest() int {
	largest := -1
	for k := range s.pods {
		largest = max(largest, k)
	}
	return largest
}

// ordinal returns the number after the last "-" of a pod's name; -1 if there is none or it exceeds 1<<20.
func ordinal(name string) int {
	n, err := strconv.Atoi(name[strings.LastIndexByte(name, '-')+1:])
	if err != nil || n < 0 || n > 1<<20 {
		return -1
	}
	return n
}

// statefulSets makes the controllers of the StatefulSets, also of those that the dump has only pods of:
// these are guessed, with as many replicas as their highest ordinal requires. Each controller takes its
// pods and gets its templates.
func (p *Plane) statefulSets() {
	p.stateful = map[owned]*statefulSet{}
	add := func(namespace, name string) *statefulSet {
		key := owned{namespace, kube.Owner{Kind: "StatefulSet", Name: name}}
		if p.stateful[key] == nil {
			s := &statefulSet{
				p: p, namespace: namespace, name: name, group: p.group(namespace, key.Owner),
				pods: map[int]int{}, newPods: map[int]bool{}, guessed: true,
			}
			p.stateful[key] = s
			p.setsInOrder = append(p.setsInOrder, s)
		}
		return p.stateful[key]
	}
	for i := range p.c.Workloads {
		if w := &p.c.Workloads[i]; w.Kind == "StatefulSet" {
			s := add(w.Namespace, w.Name)
			s.want, s.rollout, s.minReady, s.base, s.guessed = w.Replicas, w.Rollout,
				unit.Time(w.Rollout.MinReady)*unit.Second, pattern(w), false
		}
	}
	members := map[*statefulSet][]int{}
	for i := range p.c.Pods {
		if q := &p.c.Pods[i]; q.Owner.Kind == "StatefulSet" {
			s := add(q.Namespace, q.Owner.Name)
			members[s] = append(members[s], i)
		}
	}
	for _, s := range p.setsInOrder {
		for at, i := range s.byName(members[s]) {
			s.join(at, i)
		}
		s.templates()
	}
}

// byName returns the pods of a set by ordinal: the number in the name, or, if names lack it or two pods
// share one, as under pseudonyms, the rank of the name. In the second case it sets s.names, so that a new
// pod of an ordinal has the name of the old one.
func (s *statefulSet) byName(pods []int) map[int]int {
	out := map[int]int{}
	for _, i := range pods {
		if k := ordinal(s.p.c.Pods[i].Name); k >= 0 {
			out[k] = i
		}
	}
	if len(out) == len(pods) {
		return out
	}
	clear(out)
	s.names = map[int]string{}
	slices.SortFunc(pods, func(x, y int) int { return strings.Compare(s.p.c.Pods[x].Name, s.p.c.Pods[y].Name) })
	for k, i := range pods {
		out[k], s.names[k] = i, s.p.c.Pods[i].Name
	}
	return out
}

// join adds pod i of the dump as the pod of ordinal k. The youngest pod is the pattern of ordinals without
// one; it keeps the claims of the workload's own template, since those of a pod are the pod's own. A
// guessed set grows to k+1 replicas.
func (s *statefulSet) join(k, i int) {
	q := &s.p.c.Pods[i]
	if s.guessed {
		s.want = max(s.want, k+1)
	}
	s.pods[k] = i
	if s.base.Spec == nil || q.Created > s.newest || q.Created == s.newest && k > s.newestAt {
		claims := s.base.Claims
		s.base = likePod(q)
		s.base.Claims, s.base.Ephemeral = claims, 0
		s.newest, s.newestAt = q.Created, k
	}
}

// templates makes the template of each ordinal up to want and to the highest pod: like the ordinal's pod,
// with its claims, or like the pattern. The place of a pod of the dump is used again for its successors. A
// set of more than maxMade pods is cut, which sets Plane.Cut.
func (s *statefulSet) templates() {
	if s.want > maxMade {
		s.p.Cut, s.want = true, maxMade
	}
	for k := range max(s.want, s.highest()+1) {
		t := &template{base: s.base, step: 1}
		if i, has := s.pods[k]; has {
			q := &s.p.c.Pods[i]
			t.base, t.made = likePod(q), 1
			s.p.pods[i].own = t
		}
		s.current = append(s.current, t)
	}
}

// update begins a rollout: from now on pods at or above the partition are made from new templates, and all
// pods of today are old. With w the new pods have its spec, otherwise that of today; their claims stay.
func (s *statefulSet) update(w *kube.Workload) {
	for _, t := range s.current {
		one := s.p.fresh(t.base, s.name)
		one.base.Owner, one.step = t.base.Owner, 1
		if w != nil {
			base := merged(pattern(w), &t.base)
			one.base.Spec = base.Spec
		}
		s.updated = append(s.updated, one)
	}
	clear(s.newPods)
}

// ordinals returns the ordinals below want that have a pod, rising. A pod above want, which is to be
// deleted, is left out.
func (s *statefulSet) ordinals() []int {
	out := make([]int, 0, len(s.pods))
	for k := range s.want {
		if _, has := s.pods[k]; has {
			out = append(out, k)
		}
	}
	return slices.Clip(out)
}
