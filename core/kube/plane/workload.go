package plane

import (
	"cmp"
	"slices"
	"strings"

	"parley/core/kube"
	"parley/core/unit"
)

// workloads makes the controllers of Deployments, and of ReplicaSets and all kinds that are played by their
// rules. An owner that the dump has only pods of gets a controller that keeps as many pods as are not
// terminating. Each Deployment's sets are sorted, the oldest first, and the newest is chosen.
func (p *Plane) workloads() {
	byName := map[owned]*deployment{}
	for i := range p.c.Workloads {
		if w := &p.c.Workloads[i]; w.Kind == "Deployment" {
			d := &deployment{
				p: p, own: w, namespace: w.Namespace, name: w.Name, want: w.Replicas, rollout: w.Rollout,
				group: p.group(w.Namespace, kube.Owner{Kind: w.Kind, Name: w.Name}),
			}
			byName[owned{w.Namespace, kube.Owner{Kind: w.Kind, Name: w.Name}}] = d
			p.deploys = append(p.deploys, d)
		}
	}
	for i := range p.c.Workloads {
		if w := &p.c.Workloads[i]; keepsNumber(w.Kind) {
			p.set(&kube.Pod{Namespace: w.Namespace, Owner: kube.Owner{Kind: w.Kind, Name: w.Name}}, w, byName)
		}
	}
	counts := map[*replicaSet]int{}
	for i := range p.c.Pods { // owners that the dump does not have keep as many pods as they have
		q := &p.c.Pods[i]
		if q.Owner.Kind == "" || q.Mirror || q.Owner.Kind == "Node" || q.NodeBound() || q.DaemonSet() ||
			q.Owner.Kind == "StatefulSet" {
			continue
		}
		set := p.find(q.Namespace, q.Owner)
		if set == nil {
			set = p.set(q, nil, byName)
			counts[set] = 0
		}
		if _, guessed := counts[set]; guessed && !q.Terminating() {
			set.want++
			set.created = max(set.created, q.Created)
		}
	}
	for set := range counts {
		if d := set.deployment; d != nil && d.own == nil {
			d.want += set.want
		}
	}
	for _, d := range p.deploys {
		slices.SortStableFunc(d.sets, func(a, b *replicaSet) int {
			return cmp.Or(cmp.Compare(a.revision, b.revision), cmp.Compare(a.created, b.created))
		})
		d.choose()
	}
}

// keepsNumber reports whether the workloads of a kind are played with the rules of ReplicaSets.
func keepsNumber(kind string) bool {
	return kind == "ReplicaSet" || kind == "ReplicationController" || kind == "Job"
}

// find returns the set that an owner is, nil if there is none.
func (p *Plane) find(namespace string, owner kube.Owner) *replicaSet {
	return p.named[owned{namespace, owner}]
}

// set makes and registers the set that owns pod q, of which only the namespace and the owner are needed if the
// dump has the set's object, w; otherwise w is nil, and its labels tell whether the set belongs to a
// Deployment. Such a set joins that, which is made if byName lacks it: then its replicas are the sum over its
// sets.
func (p *Plane) set(q *kube.Pod, w *kube.Workload, byName map[owned]*deployment) *replicaSet {
	namespace, owner, above := q.Namespace, q.Owner, p.keep.Of(q)
	r := &replicaSet{
		p: p, namespace: namespace, owner: owner, group: p.group(namespace, above),
		template: &template{base: kube.Pod{Namespace: namespace, Owner: owner}},
	}
	if w != nil {
		r.want, r.created, r.revision, r.minReady = w.Replicas, w.Created, w.Revision,
			unit.Time(w.Rollout.MinReady)*unit.Second
		r.template.base, r.stated = pattern(w), w.Template
		if w.LastTry { // it makes no other
			r.want = 0
		}
	}
	if above.Kind == "Deployment" {
		d := byName[owned{namespace, above}]
		if d == nil {
			d = &deployment{p: p, namespace: namespace, name: above.Name, group: r.group}
			byName[owned{namespace, above}] = d
			p.deploys = append(p.deploys, d)
		}
		if d.own == nil && w != nil {
			d.want += w.Replicas
		}
		r.deployment, r.minReady = d, unit.Time(d.rollout.MinReady)*unit.Second
		d.sets = append(d.sets, r)
	}
	p.named[owned{namespace, owner}] = r
	p.sets = append(p.sets, r)
	return r
}

// pattern returns a pod as a workload makes it. Affinity terms of a Deployment's template that name the hash of a
// ReplicaSet have "" for it.
func pattern(w *kube.Workload) kube.Pod {
	spec := w.Template
	if hash, has := w.Labels.Get(kube.HashLabel); has {
		spec = rehash(spec, "", hash)
	}
	return kube.Pod{
		Namespace: w.Namespace, Labels: w.Labels, Spec: spec, Node: kube.Nowhere,
		Owner:  kube.Owner{Kind: w.Kind, Name: w.Name},
		Claims: slices.Concat(w.PodClaims, w.Ephemeral), Ephemeral: len(w.Ephemeral),
	}
}

// makerOf returns the controller that recreates pod i of the dump; nil if none does, as for a pod without a
// controller and the last try of a Job. It adds the pod to a set's pods, and the youngest pod becomes the
// pattern of new ones: it has additions of admission, such as a sidecar, that the template lacks.
func (p *Plane) makerOf(i int) controller {
	q := &p.c.Pods[i]
	if s := p.stateful[owned{q.Namespace, q.Owner}]; s != nil {
		return s
	}
	if s := p.daemons[owned{q.Namespace, q.Owner}]; s != nil {
		return s
	}
	set := p.find(q.Namespace, q.Owner)
	if set == nil || q.LastTry {
		return nil
	}
	set.pods = append(set.pods, i)
	// The pod has additions of admission, such as a sidecar, that its template lacks.
	if t := set.template; t.base.Spec == nil || q.Created >= t.base.Created {
		t.base = likePod(q)
	}
	return set
}

// likePod returns a pod as the maker of another makes it.
func likePod(q *kube.Pod) kube.Pod {
	return kube.Pod{
		Namespace: q.Namespace, Labels: q.Labels, Spec: q.Spec, Node: kube.Nowhere, Owner: q.Owner, Created: q.Created,
		Claims: q.Claims, Ephemeral: q.Ephemeral, SafeToEvict: q.SafeToEvict, DoNotDisrupt: q.DoNotDisrupt,
		Undisrupted: q.Undisrupted,
		SafeVolumes: q.SafeVolumes,
	}
}

// choose sets newest: the last ReplicaSet with the Deployment's template, or the last of all if the
// templates are not known. The sets must be sorted. If none has the template, newest stays nil and the
// template is kept for makeNewest.
func (d *deployment) choose() {
	own := d.own
	known := slices.ContainsFunc(d.sets, func(r *replicaSet) bool { return r.stated != nil })
	for _, r := range d.sets { // the newest is last; without their objects the newest is the one that counts
		if own == nil || own.Template == nil || !known || r.stated == own.Template {
			d.newest = r
		}
	}
	if d.newest == nil && own != nil && own.Template != nil {
		d.template = d.p.fresh(pattern(own), own.Name)
	}
}

// newSet makes the ReplicaSet of a new template of a Deployment and adds it to the Deployment's sets. It is
// younger than all of the dump. The caller marks it.
func (p *Plane) newSet(d *deployment, t *template, want int) *replicaSet {
	r := &replicaSet{
		p: p, namespace: d.namespace, owner: t.base.Owner, want: want, deployment: d, template: t, group: d.group,
		minReady: unit.Time(d.rollout.MinReady) * unit.Second,
		created:  p.moment + 1 + int64(p.kernel.Now()/unit.Second),
	}
	d.sets = append(d.sets, r)
	p.sets = append(p.sets, r)
	return r
}

// fresh returns a template like base for the next ReplicaSet of a Deployment with a name. Its pods have the
// hash "new", in their label, their owner's name, and affinity terms that select the old hash. base is not
// changed.
func (p *Plane) fresh(base kube.Pod, name string) *template {
	const hash = "new"
	old, _ := base.Labels.Get(kube.HashLabel)
	labels := slices.DeleteFunc(slices.Clone(base.Labels), func(l kube.Label) bool { return l.Key == kube.HashLabel })
	labels = append(labels, kube.Label{Key: kube.HashLabel, Value: hash})
	slices.SortFunc(labels, func(a, b kube.Label) int { return strings.Compare(a.Key, b.Key) })
	base.Labels, base.Owner = labels, kube.Owner{Kind: "ReplicaSet", Name: name + "-" + hash}
	if base.Spec != nil {
		spec := *rehash(base.Spec, old, hash)
		base.Spec = &spec
	}
	return &template{base: base}
}

// rehash returns a spec whose affinity terms that select the hash old of the pods' own ReplicaSet, as
// matchLabelKeys lets them, select another hash; the same spec if there is none, and nil of nil.
func rehash(spec *kube.Spec, old, hash string) *kube.Spec {
	if spec == nil {
		return nil
	}
	names := func(q kube.Requirement) bool {
		return q.Key == kube.HashLabel && slices.Equal(q.Values, []string{old})
	}
	out, changed := *spec, false
	for _, terms := range []*[]kube.PodTerm{
		&out.PodRequired, &out.AntiRequired, &out.PodPreferred, &out.AntiPreferred,
	} {
		*terms = slices.Clone(*terms)
		for i := range *terms {
			t := &(*terms)[i]
			if t.Selector == nil || !slices.ContainsFunc(t.Selector.Requirements, names) {
				continue
			}
			s := kube.Selector{Requirements: slices.Clone(t.Selector.Requirements)}
			for k := range s.Requirements {
				if names(s.Requirements[k]) {
					s.Requirements[k].Values = []string{hash}
				}
			}
			t.Selector, changed = &s, true
		}
	}
	if !changed {
		return spec
	}
	return &out
}
