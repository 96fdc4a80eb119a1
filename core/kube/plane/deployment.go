package plane

import (
	"cmp"
	"fmt"
	"slices"

	"parley/core/kube"
	"parley/core/unit"
)

// deployment replaces the pods of a Deployment.
// (pkg/controller/deployment: rolling.go, recreate.go, progress.go, util/deployment_util.go)
type deployment struct {
	p         *Plane
	marked    bool
	namespace string
	name      string
	want      int
	rollout   kube.Rollout
	sets      []*replicaSet // the oldest first
	newest    *replicaSet   // nil while it is not made
	template  *template     // of the newest; the next ReplicaSet is made of it while newest is nil
	group     int
	reason    string    // of the condition Progressing: one of progressing, complete and timedOut
	updated   unit.Time // when that was written last: the progress deadline counts from it
	status    status
	checked   bool           // a check of the deadline is due
	own       *kube.Workload // nil if the dump does not have the Deployment
}

// status counts the pods of a Deployment.
type status struct{ replicas, updated, ready, available int }

// Reasons of the condition Progressing.
const (
	progressing = "ReplicaSetUpdated"
	complete    = "NewReplicaSetAvailable"
	timedOut    = "ProgressDeadlineExceeded"
)

// DefaultDeadline is the progress deadline of a Deployment that names none.
const DefaultDeadline = 600

func (d *deployment) place() *bool { return &d.marked }

// bounds returns maxSurge and maxUnavailable as numbers of pods: how many pods a rollout may have above
// want, and how many of want need not be available. Missing values are 25 %; surge rounds up, unavailable
// down. If both come to 0, unavailable is 1, as in the controller; it never exceeds want.
func bounds(o *kube.Rollout, want int) (surge, unavailable int) {
	quarter := &kube.IntOrPercent{Value: 25, Percent: true}
	surge = int(cmp.Or(o.Surge, quarter).Of(int32(want)))
	unavailable = int(cmp.Or(o.Unavailable, quarter).Below(int32(want)))
	if surge == 0 && unavailable == 0 {
		unavailable = 1
	}
	return surge, min(unavailable, want)
}

// recreate reports whether all old pods end before the first new one is made.
func (d *deployment) recreate() bool { return d.rollout.Strategy == "Recreate" }

// begin sets the counts and the condition Progressing from the pods of the dump, and marks the deployment
// for its first sync. The counts of its ReplicaSets must be known: see replicaSet.adopt.
func (d *deployment) begin() {
	d.status = d.count()
	if d.reason = progressing; d.done() {
		d.reason = complete
	}
	d.p.mark(d)
}

// done reports whether exactly want pods exist, all of the newest ReplicaSet and available. Pods that are
// terminating do not count.
func (d *deployment) done() bool {
	s := d.count()
	return d.newest != nil && s.updated == d.want && s.replicas == d.want && s.available == d.want
}

// count sums the pods of all ReplicaSets as the Deployment's status does. Pods that are terminating do not
// count; updated are those of the newest.
func (d *deployment) count() (s status) {
	for _, r := range d.sets {
		n := r.live
		s.replicas += n
		if r == d.newest {
			s.updated = n
		}
		s.ready += r.ready
		s.available += r.available()
	}
	return s
}

// all returns the sum of the replicas that the ReplicaSets want, which may differ from the pods they have.
func (d *deployment) all() (n int) {
	for _, r := range d.sets {
		n += r.want
	}
	return n
}

// scale sets the wanted replicas of a ReplicaSet, records the fact and marks the set, which then makes or
// deletes the pods. It reports whether the number changed.
func (d *deployment) scale(r *replicaSet, n int) bool {
	if r.want == n {
		return false
	}
	verb := "up"
	if n < r.want {
		verb = "down"
	}
	d.p.recordOf(d.group, Scaled, d.namespace+"/"+r.owner.Name, fmt.Sprintf("Scaled %s replica set %s from %d to %d", verb, r.owner.Name, r.want, n))
	r.want = n
	d.p.mark(r)
	return true
}

// sync implements controller: it takes the next step of the strategy and updates the condition Progressing.
// A paused Deployment, and one without a template to make its newest ReplicaSet from, takes no step.
func (d *deployment) sync() {
	switch {
	case d.rollout.Paused || d.newest == nil && d.template == nil:
	case d.recreate():
		d.syncRecreate()
	default:
		d.syncRolling()
	}
	d.progress()
}

// makeNewest makes the ReplicaSet of the newest template with want replicas. The template must be set. The
// progress deadline begins anew.
func (d *deployment) makeNewest(want int) {
	d.newest = d.p.newSet(d, d.template, want)
	if want > 0 {
		d.p.recordOf(d.group, Scaled, d.namespace+"/"+d.newest.owner.Name, fmt.Sprintf("Scaled up replica set %s from 0 to %d", d.newest.owner.Name, want))
	}
	d.reason, d.updated = progressing, d.p.kernel.Now()
	d.p.mark(d.newest)
}

// syncRecreate scales all old ReplicaSets to 0, and scales the newest up, or makes it, only once the last
// old pod is gone: one that is terminating still counts.
func (d *deployment) syncRecreate() {
	scaled, running := false, false
	for _, r := range d.sets {
		if r != d.newest {
			scaled = d.scale(r, 0) || scaled
			running = running || len(r.pods) > 0
		}
	}
	switch {
	case scaled || running:
	case d.newest == nil:
		d.makeNewest(d.want)
	default:
		d.scale(d.newest, d.want)
	}
}

// syncRolling takes one step of a rolling update: it scales the newest ReplicaSet up within the surge, and
// if it cannot, the old ones down, the oldest first, so far that want less unavailable pods stay available.
// After a step it marks itself, since a next step may be possible at once.
func (d *deployment) syncRolling() {
	surge, unavailable := bounds(&d.rollout, d.want)
	room := d.want + surge - d.all()
	if d.newest == nil {
		d.makeNewest(min(max(0, room), d.want))
	} else if now := d.newest.want; now > d.want {
		if d.scale(d.newest, d.want) {
			d.p.mark(d)
			return
		}
	} else if room > 0 && d.scale(d.newest, now+min(room, d.want-now)) {
		d.p.mark(d)
		return
	}
	old := slices.DeleteFunc(slices.Clone(d.sets), func(r *replicaSet) bool { return r == d.newest || r.want == 0 })
	slices.SortStableFunc(old, func(a, b *replicaSet) int { return cmp.Compare(a.created, b.created) })
	minimum := d.want - unavailable
	limit := d.all() - minimum - (d.newest.want - d.newest.available())
	if len(old) == 0 || limit <= 0 {
		return
	}
	cleaned := 0
	for _, r := range old { // pods that are not available go first
		if n := min(limit-cleaned, r.want-r.available()); n > 0 {
			cleaned += n
			d.scale(r, r.want-n)
		}
	}
	available := 0
	for _, r := range d.sets {
		available += r.available()
	}
	spare := available - minimum
	for _, r := range old {
		if n := min(spare, r.want); n > 0 {
			spare -= n
			cleaned += n
			d.scale(r, r.want-n)
		}
	}
	if cleaned > 0 {
		d.p.mark(d)
	}
}

// progress updates the condition Progressing. The rollout is complete when done, and exceeds its deadline
// if no count improved for that long since updated. Until then a timer marks the deployment for a check one
// second after the deadline; at most one timer runs.
func (d *deployment) progress() {
	before, now := d.status, d.count()
	d.status = now
	limit := cmp.Or(d.rollout.Deadline, DefaultDeadline)
	if d.reason == complete && now.replicas == now.updated || d.newest == nil {
		return
	}
	report := func(reason, text string) {
		d.reason, d.updated = reason, d.p.kernel.Now()
		d.p.recordOf(d.group, Progress, d.namespace+"/"+d.name, reason+": ReplicaSet \""+d.newest.owner.Name+"\" "+text)
	}
	moved := now.updated > before.updated || now.replicas-now.updated < before.replicas-before.updated ||
		now.ready > before.ready || now.available > before.available
	switch {
	case d.done():
		report(complete, "has successfully progressed.")
		return
	case moved:
		d.reason, d.updated = progressing, d.p.kernel.Now()
	case d.reason == progressing && d.p.kernel.Now() > d.updated+unit.Time(limit)*unit.Second && !d.rollout.Paused:
		report(timedOut, "has timed out progressing.")
		return
	}
	if d.reason == progressing && !d.checked && limit < 1<<31-1 && !d.rollout.Paused {
		d.checked = true
		d.p.kernel.At(d.updated+unit.Time(limit+1)*unit.Second, do(func() {
			d.checked = false
			d.p.mark(d)
		}), 0)
	}
}
