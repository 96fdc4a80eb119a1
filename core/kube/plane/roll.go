package plane

import (
	"cmp"
	"fmt"
	"slices"

	"parley/core/kube"
	"parley/core/unit"
)

// Change describes a rollout. The zero value changes the template to one with the same requests.
type Change struct {
	// Template is the workload with the new template; nil if new pods are like those of today.
	Template *kube.Workload
	Rollout  kube.Rollout // its numbers that are not nil take the place of the dump's
	Strategy string       // "" for that of the dump
	Broken   string       // why new pods never become ready, "" if they do
}

// Rollout is a rollout in a play.
type Rollout struct {
	p *Plane
	// InProgress reports that the dump is in the middle of the rollout, which goes on.
	InProgress bool
	// Surge and Unavailable are the numbers of pods that the strategy allows.
	Surge, Unavailable int
	Replicas           int
	Deadline           int64 // of a Deployment, in seconds
	Strategy           string
	Ordered            bool // a StatefulSet, one pod after another
	Partition          int
	Exceeded           unit.Time // when the progress deadline passed, 0 if it did not
	Paused             bool      // in the dump: the play shows the rollout after it is resumed
	Guessed            bool      // the dump does not have the workload
	Notes              []string  // parts of its strategy that are not played
	// Peak is the most pods that held room on nodes at one moment; MinAvailable the fewest available ones.
	Peak, MinAvailable int
	began              int // facts before the rollout: it begins at Plane.facts[began]
	owner              kube.Owner
	namespace          string
	group              int
	minReady           unit.Time
	pods               func() []int // places of all pods of the workload, those that are terminating included
	isNew              func(i int) bool
	complete           func() bool
	timedOut           func() bool
}

// Roll begins a rollout of a Deployment, StatefulSet or DaemonSet, or resumes the one that the dump is in
// the middle of, if the change has no template. It changes the workload's controller and leaves the play to
// Plane.Run. It returns nil if the cluster has no such workload, or neither a template nor a pod of it.
func (p *Plane) Roll(namespace, name string, change Change) *Rollout {
	r := &Rollout{p: p, namespace: namespace, timedOut: func() bool { return false }, began: len(p.facts)}
	at := slices.IndexFunc(p.deploys, func(d *deployment) bool { return d.namespace == namespace && d.name == name })
	set := p.stateful[owned{namespace, kube.Owner{Kind: "StatefulSet", Name: name}}]
	daemon := p.daemons[owned{namespace, kube.Owner{Kind: "DaemonSet", Name: name}}]
	switch {
	case at >= 0:
		if !r.deployment(p.deploys[at], change) {
			return nil
		}
	case set != nil && set.base.Spec != nil:
		r.statefulSet(set, change)
	case daemon != nil && daemon.base.Spec != nil:
		r.daemonSet(daemon, change)
	default:
		return nil
	}
	r.Peak, r.MinAvailable = r.holding(), r.allAvailable()
	return r
}

// override overwrites the rollout settings of a workload: with all those of the template's workload if
// there is one, then with the strategy and the numbers that the change names. The rollout is never paused.
func (c *Change) override(o *kube.Rollout) {
	if c.Template != nil {
		*o = c.Template.Rollout
	}
	if c.Strategy != "" {
		o.Strategy = c.Strategy
	}
	if c.Rollout.Surge != nil {
		o.Surge = c.Rollout.Surge
	}
	if c.Rollout.Unavailable != nil {
		o.Unavailable = c.Rollout.Unavailable
	}
	o.Paused = false
}

// deployment begins the rollout of a Deployment, or resumes it (InProgress), and sets the functions of r that
// watch it. It reports false if neither the change nor the dump has a template to make pods of. A new
// rollout gets a template with a hash of its own; d.sync makes its ReplicaSet.
func (r *Rollout) deployment(d *deployment, change Change) bool {
	p := r.p
	r.Guessed, r.Paused, r.owner, r.group = d.own == nil, d.rollout.Paused, kube.Owner{Kind: "Deployment", Name: d.name}, d.group
	if change.Template != nil {
		d.want = change.Template.Replicas
	}
	change.override(&d.rollout)
	r.Surge, r.Unavailable = bounds(&d.rollout, d.want)
	if x, y := d.rollout.Surge, d.rollout.Unavailable; x != nil && y != nil && x.Value == 0 && y.Value == 0 &&
		!d.recreate() {
		r.Notes = append(r.Notes, "maxSurge and maxUnavailable are both 0, which the API server refuses: one pod may be missing here")
	}
	r.Replicas, r.Strategy = d.want, cmp.Or(d.rollout.Strategy, "RollingUpdate")
	r.Deadline = cmp.Or(d.rollout.Deadline, DefaultDeadline)
	r.minReady = unit.Time(d.rollout.MinReady) * unit.Second
	r.InProgress = change.Template == nil && (d.newest == nil && len(d.sets) > 0 || d.newest != nil && !d.done() &&
		d.stale())
	if !r.InProgress {
		base := kube.Pod{Namespace: r.namespace}
		switch {
		case d.newest == nil && change.Template == nil && d.template != nil: // it has no ReplicaSet yet
			base = d.template.base
		case change.Template != nil:
			base = pattern(change.Template)
			if d.newest != nil {
				base = merged(base, &d.newest.template.base)
			}
		case d.newest != nil:
			base = d.newest.template.base
		}
		d.template = p.fresh(base, d.name)
		d.template.broken = change.Broken
		d.newest = nil
		d.reason, d.updated = progressing, p.kernel.Now()
	} else if d.newest != nil {
		d.template = d.newest.template
		d.template.broken = d.brokenAlready()
	}
	if d.template == nil || d.template.base.Spec == nil {
		return false
	}
	p.reserve(map[*template]int{d.template: min(d.want+r.Surge, maxMade/8)}, []*template{d.template})
	r.pods = func() (all []int) {
		for _, s := range d.sets {
			all = append(all, s.pods...)
		}
		return all
	}
	r.isNew = func(i int) bool { return d.newest != nil && slices.Contains(d.newest.pods, i) }
	r.complete, r.timedOut = d.done, func() bool { return d.reason == timedOut }
	p.mark(d)
	return true
}

// statefulSet begins the rollout of a StatefulSet, or resumes it (InProgress): if the dump names a revision, the
// change has no template, and a pod at or above the partition has another revision. The set keeps at most
// the pods that it has a template for, so a changed template can lower the replicas and not raise them.
func (r *Rollout) statefulSet(s *statefulSet, change Change) {
	r.Guessed, r.owner, r.group = s.guessed, kube.Owner{Kind: "StatefulSet", Name: s.name}, s.group
	if change.Template != nil {
		s.want = min(s.want, change.Template.Replicas)
	}
	change.override(&s.rollout)
	r.Strategy, r.Partition, r.Ordered = cmp.Or(s.rollout.Strategy, "RollingUpdate"), s.rollout.Partition, !s.rollout.Parallel
	r.minReady, r.Replicas, r.Unavailable = s.minReady, s.want, 1
	if s.rollout.Unavailable != nil {
		r.Notes = append(r.Notes, "maxUnavailable of a StatefulSet is not played: it counts from Kubernetes 1.35 on, or with its feature gate")
	}
	revision := r.p.revision("StatefulSet", r.namespace, s.name)
	old := func(i int) bool {
		hash, _ := r.p.c.Pods[i].Labels.Get("controller-revision-hash")
		return hash != revision
	}
	s.update(change.Template)
	for k, i := range s.pods {
		if revision != "" && change.Template == nil && k >= s.rollout.Partition && old(i) {
			r.InProgress = true
		}
	}
	if r.InProgress {
		for _, i := range s.pods {
			s.newPods[i] = !old(i)
		}
	}
	r.pods = func() (all []int) {
		for _, k := range s.ordinals() {
			all = append(all, s.pods[k])
		}
		return all
	}
	if reason := cmp.Or(change.Broken, r.brokenNew(s.newPods)); reason != "" {
		for _, t := range s.updated {
			t.broken = reason
		}
	}
	r.isNew = func(i int) bool { return s.newPods[i] }
	r.complete = func() bool {
		for k := range s.want {
			if k >= s.rollout.Partition && !s.isNew(k) || !s.available(k) {
				return false
			}
		}
		return true
	}
	r.p.mark(s)
}

// daemonSet begins the rollout of a DaemonSet: from now on pods get the changed template, or one with the
// same requests, and every pod of today counts as old. Replicas is the number of nodes that want a pod when the
// rollout begins.
func (r *Rollout) daemonSet(s *daemonSet, change Change) {
	r.Guessed, r.owner, r.group = s.here != nil, kube.Owner{Kind: "DaemonSet", Name: s.name}, s.group
	change.override(&s.rollout)
	r.Strategy, r.minReady = cmp.Or(s.rollout.Strategy, "RollingUpdate"), s.minReady
	wanted := func(at int) bool { runs, _ := s.wanted(at); return runs }
	for at := range r.p.c.Nodes {
		if wanted(at) {
			r.Replicas++
		}
	}
	r.Surge, r.Unavailable = s.atOnce(r.Replicas)
	s.fresh = s.base.Spec
	if change.Template != nil {
		base := merged(pattern(change.Template), &s.base)
		s.fresh = base.Spec
	}
	s.broken = change.Broken
	clear(s.newPods)
	r.pods = func() []int { return s.pods }
	r.isNew = func(i int) bool { return s.newPods[i] }
	r.complete = func() bool {
		n := 0
		for _, i := range s.pods {
			switch {
			case r.p.pods[i].terminating:
			case s.newPods[i] && r.p.available(i, s.minReady) && s.home(i) != kube.Nowhere && wanted(s.home(i)):
				n++
			case !s.newPods[i] && s.home(i) != kube.Nowhere && wanted(s.home(i)):
				return false // one is left beside a new pod that has just become available
			}
		}
		return n == r.Replicas
	}
	r.p.mark(s)
}

// revision returns the newest revision in a workload's status, "" if the dump does not name it. Only a
// StatefulSet has one.
func (p *Plane) revision(kind, namespace, name string) string {
	for i := range p.c.Workloads {
		if w := &p.c.Workloads[i]; w.Kind == kind && w.Namespace == namespace && w.Name == name {
			return w.Update
		}
	}
	return ""
}

// brokenNew returns why the pods of the new revision in the dump cannot start; "" if one of them is ready,
// if none is broken, or if there are none. isNew is indexed by the place of a pod.
func (r *Rollout) brokenNew(isNew map[int]bool) (reason string) {
	for _, i := range r.pods() {
		if isNew[i] {
			if r.p.pods[i].ready {
				return ""
			}
			reason = cmp.Or(r.p.c.Pods[i].Broken, reason)
		}
	}
	return reason
}

// merged returns the base pod of a changed template. If the template names no priority, it gets the
// priority that admission gave today's pod. Requests that today's pod has beyond its own template, such as
// those of an injected sidecar, are left out, because new pods may lack them.
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

// stale reports whether a ReplicaSet other than the newest wants or has pods, so that a rollout is under
// way. Pods that are terminating do not count.
func (d *deployment) stale() bool {
	for _, r := range d.sets {
		if r != d.newest && (r.want > 0 || r.live > 0) {
			return true
		}
	}
	return false
}

// brokenAlready returns why pods of the newest ReplicaSet cannot start, as the dump has it for one of them;
// "" if one of them is ready or none is broken. The pods that the rollout still makes then fail as well.
func (d *deployment) brokenAlready() string {
	if d.newest == nil {
		return ""
	}
	reason := ""
	for _, i := range d.newest.active() {
		if d.p.pods[i].ready {
			return ""
		}
		if b := d.p.c.Pods[i].Broken; b != "" {
			reason = b
		}
	}
	return reason
}

// holding counts the pods of the workload that have a node, terminating ones included: they hold its room
// until they are gone.
func (r *Rollout) holding() (n int) {
	for _, i := range r.pods() {
		if r.p.c.Pods[i].Node != kube.Nowhere {
			n++
		}
	}
	return n
}

// allAvailable counts the pods that are available, old and new.
func (r *Rollout) allAvailable() (n int) {
	for _, i := range r.pods() {
		if r.p.available(i, r.minReady) {
			n++
		}
	}
	return n
}

// Done records the peak of pods on nodes, the fewest available pods and the moment of a missed deadline,
// and reports whether the rollout is complete. Call it at the end of each moment, as Plane.Run does with
// its argument done: it is not free of side effects.
func (r *Rollout) Done() bool {
	r.Peak, r.MinAvailable = max(r.Peak, r.holding()), min(r.MinAvailable, r.allAvailable())
	if r.Exceeded == 0 && r.timedOut() {
		r.Exceeded = r.p.kernel.Now()
	}
	return r.complete()
}

// Complete reports whether all pods are new and available, and no old one is left.
func (r *Rollout) Complete() bool { return r.complete() }

// Counts returns the new pods, those of them that are available, and the old ones; those that are
// terminating do not count.
func (r *Rollout) Counts() (updated, available, old int) {
	for _, i := range r.pods() {
		switch {
		case r.p.pods[i].terminating:
		case !r.isNew(i):
			old++
		default:
			updated++
			if r.p.available(i, r.minReady) {
				available++
			}
		}
	}
	return updated, available, old
}

// Unready returns the new pods that have a node and never become ready there, and the reason of the last of
// them.
func (r *Rollout) Unready() (pods []string, reason string) { return r.unready(true) }

// Unwell is Unready of the old pods. An ordered StatefulSet waits for each of them.
func (r *Rollout) Unwell() (pods []string, reason string) { return r.unready(false) }

func (r *Rollout) unready(fresh bool) (pods []string, reason string) {
	for _, i := range r.pods() {
		if l := &r.p.pods[i]; r.isNew(i) == fresh && l.state == settled && !l.ready && !l.terminating {
			pods = append(pods, r.p.full(i))
			reason = l.broken
		}
	}
	return pods, reason
}

// Facts returns the facts since the rollout began that are about the workload's pods and ReplicaSets, and
// all preemptions: any of them may have made room for the rollout. Options.Silent keeps none.
func (r *Rollout) Facts() (all []Fact) {
	for _, f := range r.p.facts[r.began:] {
		if f.Of == r.group || f.Kind == Preempted {
			all = append(all, f)
		}
	}
	return all
}

// Ended returns when the last thing happened that is about the rollout.
func (r *Rollout) Ended() unit.Time {
	if all := r.Facts(); len(all) > 0 {
		return all[len(all)-1].At
	}
	return 0
}

// Owner returns the workload.
func (r *Rollout) Owner() kube.Owner { return r.owner }

// Waiting returns the pods of the workload that wait for a node.
func (r *Rollout) Waiting() []Wait {
	return slices.DeleteFunc(r.p.Waiting(), func(w Wait) bool { return w.Group != r.group })
}

// Blocked is a pod that waits for a volume that another node has.
type Blocked struct{ Pod, Text string }

// Attaching returns the pods of the workload that have a node and wait for a volume that is attached to
// another.
func (r *Rollout) Attaching() (all []Blocked) {
	for _, a := range r.p.Attaching() {
		if r.p.pods[a.Pod].group == r.group {
			all = append(all, Blocked{r.p.full(a.Pod), "Multi-Attach error: the volume of " + a.Claim + " is attached to " + a.Node})
		}
	}
	return all
}

// StuckTerminating is a pod that terminates and has not ended when nothing more happens.
type StuckTerminating struct {
	Pod, Node string
	Silent    bool // its machine does not answer
}

// StuckTerminating returns the pods of the workload that are terminating and still hold a node.
func (r *Rollout) StuckTerminating() (all []StuckTerminating) {
	for _, i := range r.pods() {
		if q := &r.p.c.Pods[i]; r.p.pods[i].terminating && q.Node != kube.Nowhere {
			all = append(all, StuckTerminating{r.p.full(i), q.NodeName, r.p.states[q.Node].silent})
		}
	}
	return all
}

// Forbidden returns how many pods of the workload are missing because the API server refuses them, and the
// reason of the last refusal; 0 and "" if none is refused.
func (r *Rollout) Forbidden() (missing int, reason string) {
	for _, f := range r.p.Forbidden() {
		if f.group == r.group {
			missing, reason = missing+f.Missing, f.Text
		}
	}
	return missing, reason
}

// Group returns the counts of the workload's pods.
func (r *Rollout) Group() *Group { return &r.p.groups[r.group] }

// After formats a time of a play, rounded to seconds: "90 s", "2 min 30 s", "3 h 5 min". From two hours on
// it leaves the seconds out.
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
