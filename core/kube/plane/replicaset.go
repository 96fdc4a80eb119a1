package plane

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"parley/core/kube"
	"parley/core/unit"
)

// replicaSet keeps a number of pods: a ReplicaSet, and with its rules a ReplicationController, a Job
// and owners of a kind that is not known.
// (pkg/controller/replicaset/replica_set.go, pkg/controller/controller_utils.go)
type replicaSet struct {
	p          *Plane
	marked     bool
	namespace  string
	owner      kube.Owner
	want       int
	deployment *deployment
	pods       []int
	live       int // pods that are not terminating
	ready      int // pods that are ready
	template   *template
	stated     *kube.Spec // the template of the dump, nil without
	group      int
	minReady   unit.Time
	created    int64
	serial     int
	revision   int64
	sick       int        // pods of the dump that could not start
	reason     string     // the reason of one of them
	refused    string     // why its last pod could not be made
	fails      int        // how often in a row
	seen       int        // pods that were available when it looked last
	next       retryTimer // when it looks again
}

func (r *replicaSet) place() *bool { return &r.marked }

func (r *replicaSet) forget(i int) {
	if at := slices.Index(r.pods, i); at >= 0 {
		r.pods = slices.Delete(r.pods, at, at+1)
	}
}

// active returns the pods that are not terminating.
func (r *replicaSet) active() []int {
	all := make([]int, 0, len(r.pods))
	for _, i := range r.pods {
		if !r.p.pods[i].terminating {
			all = append(all, i)
		}
	}
	return all
}

// sync implements controller: it makes the pods that are missing or deletes those in excess, in the order
// of rank, counts the available ones, and marks the Deployment, which may take its next step.
func (r *replicaSet) sync() {
	switch missing := r.want - r.live; {
	case missing > 0:
		r.make(missing)
	case missing < 0:
		for _, i := range r.rank(r.active())[:-missing] {
			r.p.remove(i, "")
		}
	}
	if r.deployment != nil {
		r.p.mark(r.deployment)
	}
	r.look(r.want)
}

// look sets seen, the number of available pods that the Deployment counts with; it is not counted between
// two looks. With minReadySeconds a pod that becomes ready causes a look one second after it becomes
// available (becameReady); if want pods are ready and not all are available, look causes the next one
// itself.
func (r *replicaSet) look(want int) {
	r.seen = r.ready
	if r.minReady == 0 {
		return
	}
	r.seen = 0
	for _, i := range r.pods {
		if r.p.available(i, r.minReady) {
			r.seen++
		}
	}
	if r.ready == want && r.seen != want {
		r.p.again(r, &r.next, r.minReady)
	}
}

// make makes missing pods until a quota forbids one; then it tries again after a growing delay. The first
// refusal in a row is a fact. It makes none if the template is not known, or if the play has too many pods,
// which sets Plane.Cut.
func (r *replicaSet) make(missing int) {
	if r.template.base.Spec == nil { // the dump has neither its template nor a pod of it
		return
	}
	broken := r.broken()
	for range missing {
		if len(r.template.free) == 0 && len(r.p.pods) > r.p.maxPods {
			r.p.Cut = true
			return
		}
		r.refused = r.p.quotas.Forbids(&r.template.base)
		if r.refused == "" {
			// A pod that cannot start has successors that cannot either, as long as nothing says otherwise.
			own := r.template.broken
			if broken < r.sick {
				broken++
				r.template.broken = r.reason
			}
			r.pods, r.fails = append(r.pods, r.p.create(r.template, r.name(), r, r.group)), 0
			r.live++
			r.template.broken = own
			continue
		}
		if r.fails++; r.fails == 1 {
			r.p.recordOf(r.group, FailedCreate, r.namespace+"/"+r.owner.Name, "Error creating: pods are forbidden: "+r.refused)
		}
		r.p.after(later(r.fails), func() { r.p.mark(r) })
		return
	}
}

// broken counts the pods that never become ready. It is 0 if the dump has no such pod of the set.
func (r *replicaSet) broken() (n int) {
	if r.sick == 0 {
		return 0
	}
	for _, i := range r.active() {
		if r.p.pods[i].broken != "" {
			n++
		}
	}
	return n
}

// adopt counts the pods of the dump: ready, live, and sick ones, which could not start. The place of a pod
// that its template describes fully is used again for later pods of the template; a pod that differs, or
// has claims, keeps a place of its own. Call it once, after all pods are taken over.
func (r *replicaSet) adopt() {
	b := &r.template.base
	for _, i := range r.pods {
		if r.p.pods[i].ready {
			r.ready++
		}
	}
	for _, i := range r.active() {
		r.live++
		if reason := r.p.c.Pods[i].Broken; reason != "" {
			r.sick++
			r.reason = reason
		}
	}
	for _, i := range r.pods {
		q := &r.p.c.Pods[i]
		if q.Spec == b.Spec && len(q.Labels) == len(b.Labels) && (len(q.Labels) == 0 || &q.Labels[0] == &b.Labels[0]) &&
			len(q.Claims) == 0 && len(b.Claims) == 0 &&
			q.SafeToEvict == b.SafeToEvict && q.DoNotDisrupt == b.DoNotDisrupt &&
			q.Undisrupted == b.Undisrupted && len(q.SafeVolumes) == 0 &&
			q.DeletionCost == 0 {
			r.p.pods[i].own = r.template
			r.template.made++
		}
	}
}

// becameReady notes that a pod of it is ready.
func (r *replicaSet) becameReady() {
	r.ready++
	if r.minReady > 0 {
		r.p.again(r, &r.next, r.minReady+unit.Second)
	}
}

// name returns the name of the next pod.
func (r *replicaSet) name() string {
	r.serial++
	return fmt.Sprintf("%s-new%d", r.owner.Name, r.serial)
}

// available returns how many pods were available when the controller looked last.
func (r *replicaSet) available() int { return r.seen }

// rank returns pods in the order in which the controller deletes them: those without a node first, then by
// phase, not ready before ready, by deletion cost, on nodes with most pods of the workload, ready for the
// shortest time, with most restarts, and the youngest. Times compare by their logarithm, ties by the random
// uid. (controller_utils.go, ActivePodsWithRanks)
func (r *replicaSet) rank(pods []int) []int {
	p := r.p
	beside := map[int]int{}
	sets := []*replicaSet{r}
	if r.deployment != nil {
		sets = r.deployment.sets
	}
	for _, set := range sets {
		for _, i := range set.active() {
			beside[p.c.Pods[i].Node]++
		}
	}
	age := func(t unit.Time) int { return bits.Len64(uint64(max(0, p.kernel.Now()-t))) } // of log2
	unassigned := func(i int) int {
		if p.c.Pods[i].Node == kube.Nowhere {
			return 0
		}
		return 1
	}
	out := slices.Clone(pods)
	slices.SortStableFunc(out, func(x, y int) int {
		a, b := &p.pods[x], &p.pods[y]
		ready := func(l *pod) int {
			if l.ready {
				return 1
			}
			return 0
		}
		times := func(s, t unit.Time) int {
			if s == t {
				return 0
			}
			return cmp.Or(cmp.Compare(age(s), age(t)), cmp.Compare(a.uid, b.uid))
		}
		first := cmp.Or(
			cmp.Compare(unassigned(x), unassigned(y)), cmp.Compare(p.c.Pods[x].Phase, p.c.Pods[y].Phase),
			cmp.Compare(ready(a), ready(b)),
			cmp.Compare(p.c.Pods[x].DeletionCost, p.c.Pods[y].DeletionCost),
			cmp.Compare(beside[p.c.Pods[y].Node], beside[p.c.Pods[x].Node]),
		)
		if first == 0 && a.ready && b.ready {
			first = times(a.since, b.since)
		}
		return cmp.Or(first, cmp.Compare(p.c.Pods[y].Restarts, p.c.Pods[x].Restarts), times(a.created, b.created))
	})
	return out
}
