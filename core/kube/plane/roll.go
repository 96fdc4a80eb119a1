package plane

import (
	"cmp"
	"fmt"
	"slices"

	"parley/core/kube"
	"parley/core/unit"
)

// Change is what a rollout changes. The zero value changes the template to one that requests the same.
type Change struct {
	// Template is the workload with the new template; nil if new pods are like those of today.
	Template *kube.Workload
	Rollout  kube.Rollout // its numbers that are not nil take the place of the dump's
	Strategy string       // "" for that of the dump
}

// Rolling is a rollout in a play.
type Rolling struct {
	p *Plane
	d *deployment
	// Under reports that the dump is in the middle of the rollout, which goes on.
	Under bool
	// Surge and Unavailable are the numbers of pods that the strategy allows.
	Surge, Unavailable int
	Want               int
	Deadline           int64
	Strategy           string
	Exceeded           unit.Time // when the progress deadline passed, 0 if it did not
	Paused             bool      // in the dump: the play is of what happens once it is resumed
	Guessed            bool      // the dump does not have the Deployment
	// Peak is the most pods that held room on nodes at one moment; Least the fewest available ones.
	Peak, Least int
	began       int // facts before
}

// Roll begins a rollout of a Deployment, or goes on with the one that the dump is in. It is nil if the
// cluster has no such Deployment.
func (p *Plane) Roll(namespace, name string, change Change) *Rolling {
	at := slices.IndexFunc(p.deploys, func(d *deployment) bool { return d.namespace == namespace && d.name == name })
	if at < 0 {
		return nil
	}
	d := p.deploys[at]
	r := &Rolling{p: p, d: d, Guessed: d.guessed, Paused: d.rollout.Paused}
	d.rollout.Paused = false
	if change.Strategy != "" {
		d.rollout.Strategy = change.Strategy
	}
	if change.Rollout.Surge != nil {
		d.rollout.Surge = change.Rollout.Surge
	}
	if change.Rollout.Unavailable != nil {
		d.rollout.Unavailable = change.Rollout.Unavailable
	}
	if w := change.Template; w != nil {
		d.want = w.Replicas
		d.rollout = w.Rollout
	}
	r.Surge, r.Unavailable = bounds(&d.rollout, d.want)
	r.Want, r.Strategy, r.Deadline = d.want, cmp.Or(d.rollout.Strategy, "RollingUpdate"), d.rollout.Deadline
	if r.Deadline == 0 {
		r.Deadline = DefaultDeadline
	}
	r.Under = change.Template == nil && (d.newest == nil || !d.done() && d.stale())
	if !r.Under {
		base := kube.Pod{Namespace: namespace}
		switch {
		case change.Template != nil:
			base = pattern(change.Template)
			if d.newest != nil {
				base = merged(base, &d.newest.template.base)
			}
		case d.newest != nil:
			base = d.newest.template.base
		}
		d.template = p.fresh(base, name)
		d.newest = nil
		d.reason = progressing
	}
	if d.newest != nil && d.template == nil {
		d.template = d.newest.template
	}
	d.template.broken = d.brokenAlready()
	p.reserve(map[*template]int{d.template: d.want + r.Surge}, []*template{d.template})
	r.began = len(p.facts)
	r.Peak, r.Least = r.holding(), d.count().available
	p.mark(d)
	return r
}

// merged returns a pod as a changed template makes it, with what is added when pods are made: what the
// pods of today request beyond their own template is not known of new ones.
func merged(base kube.Pod, today *kube.Pod) kube.Pod {
	if today.Spec == nil || base.Spec == nil {
		return base
	}
	spec := *base.Spec
	if spec.Priority == 0 && spec.PriorityClass == "" {
		spec.Priority, spec.NeverPreempts = today.Spec.Priority, today.Spec.NeverPreempts
	}
	base.Spec = &spec
	return base
}

// stale reports whether another ReplicaSet than the newest has pods, or the newest has fewer than are
// wanted while pods of it cannot start.
func (d *deployment) stale() bool {
	for _, r := range d.sets {
		if r != d.newest && (r.want > 0 || len(r.active()) > 0) {
			return true
		}
	}
	return false
}

// brokenAlready returns why new pods of the newest ReplicaSet never become ready: pods of it cannot start
// in the dump, and none is ready. "" if nothing says so.
func (d *deployment) brokenAlready() string {
	if d.newest == nil {
		return ""
	}
	why := ""
	for _, i := range d.newest.active() {
		if d.p.pods[i].ready {
			return ""
		}
		if b := d.p.c.Pods[i].Broken; b != "" {
			why = b
		}
	}
	return why
}

// holding counts the pods of the Deployment that hold room on a node.
func (r *Rolling) holding() (n int) {
	for _, set := range r.d.sets {
		for _, i := range set.pods {
			if r.p.c.Pods[i].Node != kube.Nowhere {
				n++
			}
		}
	}
	return n
}

// Done reports whether the rollout is complete. It must be called at the end
// of each moment: Plane.Run does if it is given to it.
func (r *Rolling) Done() bool {
	r.Peak = max(r.Peak, r.holding())
	r.Least = min(r.Least, r.d.count().available)
	if r.Exceeded == 0 && r.TimedOut() {
		r.Exceeded = r.p.kernel.Now()
	}
	return r.Complete()
}

// Complete reports whether all pods are new and available, and no old one is left.
func (r *Rolling) Complete() bool {
	return r.d.done()
}

// TimedOut reports whether the progress deadline has been exceeded.
func (r *Rolling) TimedOut() bool { return r.d.reason == timedOut }

// Updated, Available and Old count the new pods, those of them that are available, and the old ones
// that are not terminating.
func (r *Rolling) Updated() (n int) {
	if r.d.newest != nil {
		n = len(r.d.newest.active())
	}
	return n
}

// Available counts the new pods that are available.
func (r *Rolling) Available() (n int) {
	if r.d.newest != nil {
		n = r.d.newest.available()
	}
	return n
}

// Old counts the old pods that are not terminating.
func (r *Rolling) Old() (n int) {
	for _, set := range r.d.sets {
		if set != r.d.newest {
			n += len(set.active())
		}
	}
	return n
}

// Unready returns the new pods that have a node and never become ready there, with the reason.
func (r *Rolling) Unready() (pods []string, why string) {
	if r.d.newest == nil {
		return nil, ""
	}
	for _, i := range r.d.newest.active() {
		if l := &r.p.pods[i]; l.state == settled && !l.ready {
			pods = append(pods, r.p.full(i))
			why = l.broken
		}
	}
	return pods, why
}

// Facts returns what has happened since the rollout began that is about it: its pods, its ReplicaSets and
// pods that were preempted for it.
func (r *Rolling) Facts() (all []Fact) {
	for _, f := range r.p.facts[r.began:] {
		if f.Pod < 0 && f.Name == r.d.namespace+"/"+r.d.name || f.Kind == Preempted || f.Pod >= 0 && r.p.groupOf(f.Pod) == r.d.group {
			all = append(all, f)
			continue
		}
		if f.Kind == Scaled && slices.ContainsFunc(r.d.sets, func(s *replicaSet) bool { return s.namespace+"/"+s.owner.Name == f.Name }) {
			all = append(all, f)
		}
	}
	return all
}

// groupOf returns the place of the counts of a pod, also of one that is gone.
func (p *Plane) groupOf(i int) int {
	if l := &p.pods[i]; l.state != free {
		return l.group
	}
	q := &p.c.Pods[i]
	if at, known := p.inGroup[owned{q.Namespace, p.keep.Of(q)}]; known {
		return at
	}
	return -1
}

// Ended returns when the last thing happened that is about the rollout.
func (r *Rolling) Ended() unit.Time {
	if all := r.Facts(); len(all) > 0 {
		return all[len(all)-1].At
	}
	return 0
}

// Owner returns the workload.
func (r *Rolling) Owner() kube.Owner { return kube.Owner{Kind: "Deployment", Name: r.d.name} }

// Waiting returns the pods of the workload that wait for a node.
func (r *Rolling) Waiting() []Wait {
	return slices.DeleteFunc(r.p.Waiting(), func(w Wait) bool { return w.Group != r.d.group })
}

// Blocked is a pod that waits for a volume that another node has.
type Blocked struct{ Pod, Text string }

// Attaching returns the pods of the workload that wait for a volume.
func (r *Rolling) Attaching() (all []Blocked) {
	for _, pair := range r.p.Attaching() {
		if r.p.pods[pair[0]].group == r.d.group {
			all = append(all, Blocked{r.p.full(pair[0]), fmt.Sprintf("Multi-Attach error: the volume is attached to %s for %s", r.p.node(pair[1]), r.p.full(pair[1]))})
		}
	}
	return all
}

// Group returns the counts of the Deployment's pods.
func (r *Rolling) Group() *Group { return &r.p.groups[r.d.group] }

// After writes a time of a play as 2m30s.
func After(t unit.Time) string {
	s := int64((t + unit.Second/2) / unit.Second)
	switch {
	case s < 120:
		return fmt.Sprintf("%d s", s)
	case s < 2*3600 && s%60 != 0:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	case s < 2*3600:
		return fmt.Sprintf("%d min", s/60)
	}
	return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
}
