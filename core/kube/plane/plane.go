package plane

import (
	"cmp"
	"slices"

	"parley/core/des"
	"parley/core/kube"
	"parley/core/kube/admit"
	"parley/core/kube/constraint"
	"parley/core/rng"
	"parley/core/unit"
)

// Pace chooses the durations of pods that the dump and the settings leave open.
type Pace uint8

// The paces.
const (
	// Middle takes the median of the start-up times that the dump shows, and all of the grace.
	Middle Pace = iota
	// Fast takes the shortest start-up and lets pods end at once, Slow the longest and all of the
	// grace.
	Fast
	Slow
	// Drawn draws a start-up that the dump shows and a part of the grace for each pod.
	Drawn
)

// Options are the settings of a play.
type Options struct {
	Profile *constraint.Profile
	Seed    uint64
	Pace    Pace
	// Start is how long a pod takes from its node to Ready if the dump shows no pod of its workload
	// that became ready; 0 for DefaultStart. If FixedStart is set, all pods take so long.
	Start      unit.Time
	FixedStart bool
	// Silent keeps no facts: those of a large play take much room.
	Silent bool
	// OnFact is called with each fact as it happens, also if Silent is set; nil for none. The fact is valid
	// until OnFact returns.
	OnFact func(*Fact)
	// MaxTexts is how many facts have the scheduler's words, which cost a look at all nodes; 0 for all.
	MaxTexts int
	// Recording is filled by the play, nil for none.
	Recording *Recording
}

// DefaultStart is the start-up time of pods whose own the dump does not show.
const DefaultStart = 30 * unit.Second

// Day is a horizon for plays.
const Day = 24 * 60 * unit.Minute

// Fact is something that happened.
type Fact struct {
	At   unit.Time
	Kind Kind
	Pod  int    // its place, -1 if it is about something else
	Of   int    // the place of the counts of a workload that it is about, -1 if it is about a node
	Name string // of the pod, the workload or the node: NAMESPACE/NAME
	Node string // of a pod that is bound or gone
	Text string // in the controller's own words, "" if there are none
}

// Kind is a kind of fact.
type Kind string

// The kinds of facts.
const (
	Created    Kind = "created"
	Bound      Kind = "bound"
	Unplaced   Kind = "unschedulable"
	Ready      Kind = "ready"
	Deleted    Kind = "deleted"
	Gone       Kind = "gone"
	Scaled     Kind = "scaled"
	Progress   Kind = "progress"
	Refused    Kind = "refused"   // an eviction
	Attaching  Kind = "attaching" // its volume is on another node
	Preempted  Kind = "preempted"
	Cordoned   Kind = "cordoned"
	Uncordoned Kind = "uncordoned"
	Joined     Kind = "joined" // a node
	Left       Kind = "left"   // a node
	TimedOut   Kind = "timed out"
	NotReady   Kind = "not ready" // a node
	Unready    Kind = "unready"   // a pod
	Tainted    Kind = "tainted"   // a node: its pods are evicted
	Untainted  Kind = "untainted"
	Detached   Kind = "detached" // a volume, by force
	// FailedCreate is that the API server refuses to make a pod.
	FailedCreate Kind = "failed create"
)

// Plane is a control plane in virtual time. Create one with New.
type Plane struct {
	// Cut reports that the play ended before its time: it made more pods, or more happened, than is played.
	Cut      bool
	maxFacts int // facts
	maxPods  int
	o        Options
	c        *kube.Cluster
	s        *constraint.State
	kernel   *des.Kernel
	draws    *rng.Stream
	keep     *kube.Owners
	moment   int64 // of the dump, seconds since 1970
	pods     []pod
	groups   []Group
	inGroup  map[owned]int
	sets     []*replicaSet
	named    map[owned]*replicaSet
	deploys  []*deployment
	// stateful are the StatefulSets, setsInOrder the same in the order of the dump.
	stateful    map[owned]*statefulSet
	setsInOrder []*statefulSet
	// daemons are the DaemonSets, daemonsInOrder the same in the order of the dump.
	daemons        map[owned]*daemonSet
	daemonsInOrder []*daemonSet
	drains         []*Drain
	nominated      []nominee
	ending         int            // preempted pods that end at this moment
	nodeAt         map[string]int // nodes by name
	today          int            // nodes of the dump
	budgets        budgets
	volumes        volumes
	quotas         *admit.Quotas
	starts         map[owned][]int64 // seconds, rising
	queue          queue
	dirty          []controller // to be synchronised
	facts          []Fact
	factCount      int       // facts, kept or not
	last           unit.Time // when the last one happened
	states         []nodeState
	changes        uint64     // of the scheduler's inputs
	life           *lifecycle // nil before a machine stops
	lowestPriority int32      // the lowest priority of a pod of the dump
}

// owned is a workload in a namespace.
type owned struct {
	namespace string
	kube.Owner
}

// controller brings its objects to their desired state.
type controller interface {
	sync()
	// place returns where the controller keeps that it is marked.
	place() *bool
}

// nodeState is the plane's own state of a node.
type nodeState struct {
	absent   bool // it has not joined, or has left
	cordoned bool
	silent   bool         // its kubelet ends nothing
	unknown  bool         // it is known not to answer
	taints   []kube.Taint // other than those of the dump and of a cordon, nil if there are none
	event    unit.Time    // when a pod of no DaemonSet came last or began to end, or when the node joined
}

// Group counts the pods of a workload: of a Deployment those of all its ReplicaSets.
type Group struct {
	Namespace string
	Owner     kube.Owner
	ready     int
	MinReady  int // fewest ready pods at any moment since the play began
	// Downtime is for how long none was ready, of a workload that had a ready pod.
	Downtime  unit.Time
	DownAtEnd bool      // none is ready when the play ends, of a workload that had a ready pod
	since     unit.Time // when the last one was not ready any more, -1 if one is
}

// New returns the control plane of a cluster at the moment of its dump; nothing has happened yet. It plays
// on a copy of the pods and of the list that has them: c is not changed.
func New(c *kube.Cluster, o Options) *Plane {
	own := *c
	own.Pods = append(make([]kube.Pod, 0, len(c.Pods)+len(c.Pods)/4), c.Pods...) // most plays make fewer
	if o.Start <= 0 {
		o.Start = DefaultStart
	}
	p := &Plane{
		o: o, c: &own, kernel: des.New(), draws: rng.New(o.Seed, "plane"), keep: kube.NewOwners(c), moment: Moment(c),
		inGroup: map[owned]int{}, named: map[owned]*replicaSet{}, nodeAt: map[string]int{}, today: len(c.Nodes),
		states: make([]nodeState, len(c.Nodes)),
	}
	p.maxFacts, p.maxPods = 1_000_000+100*len(c.Pods), 2*len(c.Pods)+maxMade
	p.s = constraint.New(p.c, o.Profile)
	for i := range c.Pods {
		p.lowestPriority = min(p.lowestPriority, c.Pods[i].Spec.Priority)
	}
	for i := range c.Nodes {
		p.nodeAt[c.Nodes[i].Name] = i
		silent := c.Nodes[i].Ready != kube.ReadyTrue
		p.states[i] = nodeState{cordoned: c.Nodes[i].Unschedulable, silent: silent, unknown: silent, event: -1000 * Day}
	}
	p.starts = startups(c, p.keep)
	p.volumes = newVolumes(p.c)
	p.budgets = newBudgets(p.c)
	p.quotas = admit.NewQuotas(p.c)
	p.adopt()
	if o.Recording != nil {
		o.Recording.begin(p)
	}
	return p
}

// Moment returns the latest time at which a pod or node of the dump was created, started, changed its
// readiness or, of a node, reported on itself, in seconds since 1970: the dump is of that moment or a little
// later. It is 0 if the dump has no times.
func Moment(c *kube.Cluster) (at int64) {
	for i := range c.Pods {
		p := &c.Pods[i]
		at = max(at, p.Created, p.Started, p.ReadySince)
	}
	for i := range c.Nodes {
		at = max(at, c.Nodes[i].Created, c.Nodes[i].ReadySince, c.Nodes[i].Beat)
	}
	return at
}

// ago returns a moment of the dump as a time of the play, which is negative; for an unknown moment a
// time long ago.
func (p *Plane) ago(seconds int64) unit.Time {
	if seconds == 0 {
		return -1000 * Day
	}
	return unit.Time(seconds-p.moment) * unit.Second
}

// seconds returns the present moment in seconds since 1970, 0 if the dump has no times.
func (p *Plane) seconds() int64 {
	if p.moment == 0 {
		return 0
	}
	return p.moment + int64(p.kernel.Now()/unit.Second)
}

// Now returns the time since the play began.
func (p *Plane) Now() unit.Time { return p.kernel.Now() }

// Facts returns the events so far, in order.
func (p *Plane) Facts() []Fact { return p.facts }

// Cluster returns the cluster with the pods as they are now. Its places without a pod have no name.
func (p *Plane) Cluster() *kube.Cluster { return p.c }

// State returns where the pods are now. The caller must not change it.
func (p *Plane) State() *constraint.State { return p.s }

// Budget returns how many healthy pods a disruption budget has now, and how many it wants.
func (p *Plane) Budget(k int) (healthy, desired int32) {
	healthy, desired, _ = p.budgets.counts(k)
	return healthy, desired
}

// Groups returns the counts of all workloads.
func (p *Plane) Groups() []Group { return p.groups }

func (p *Plane) record(kind Kind, name, node, text string) {
	p.note(Fact{p.kernel.Now(), kind, -1, -1, name, node, text})
}

// recordOf is tell about a workload.
func (p *Plane) recordOf(group int, kind Kind, name, text string) {
	p.note(Fact{p.kernel.Now(), kind, -1, group, name, "", text})
}

// recordPod is tell about a pod.
func (p *Plane) recordPod(kind Kind, i int, text string) {
	p.note(Fact{p.kernel.Now(), kind, i, p.pods[i].group, p.full(i), p.node(i), text})
}

// note records a fact: in facts, unless Options.Silent is set, and in the film.
func (p *Plane) note(f Fact) {
	p.factCount, p.last = p.factCount+1, f.At
	if !p.o.Silent {
		p.facts = append(p.facts, f)
	}
	if p.o.OnFact != nil {
		p.o.OnFact(&f)
	}
	if p.o.Recording != nil {
		p.o.Recording.add(p, &f)
	}
}

// do is a function that the kernel calls.
type do func()

// Fire implements des.Handler.
func (f do) Fire(unit.Time, uint64) { f() }

// after calls a function after a time, and lets the controllers act then.
func (p *Plane) after(t unit.Time, f func()) {
	p.kernel.At(p.kernel.Now()+max(t, 0), do(f), 0)
}

// retryTimer is when a controller looks again although nothing has happened. Of two times the earlier counts,
// and the other is forgotten, as in the controllers' queues.
type retryTimer struct {
	due    unit.Time
	ticket des.Ticket
}

// again marks a controller after a time t, unless a has an earlier time already; a later one is replaced.
func (p *Plane) again(c controller, a *retryTimer, t unit.Time) {
	at := p.kernel.Now() + t
	if a.ticket != 0 && a.due <= at {
		return
	}
	p.kernel.Cancel(a.ticket)
	a.due = at
	a.ticket = p.kernel.At(at, do(func() {
		a.ticket = 0
		p.mark(c)
	}), 0)
}

// mark lets a controller act before the moment ends.
func (p *Plane) mark(c controller) {
	if c == nil {
		return
	}
	if at := c.place(); !*at {
		*at = true
		p.dirty = append(p.dirty, c)
	}
}

// settle runs the marked controllers and the scheduler until nothing is left to do at this moment, or until
// too much has happened (Cut).
func (p *Plane) settle() {
	for {
		for k := 0; k < len(p.dirty); k++ { // some mark others
			c := p.dirty[k]
			*c.place() = false
			c.sync()
			if p.tooMany() {
				return
			}
		}
		p.dirty = p.dirty[:0]
		if !p.schedule() && len(p.dirty) == 0 || p.tooMany() {
			return
		}
	}
}

// tooMany reports whether more has happened than any play needs: then pods push each other out for ever.
func (p *Plane) tooMany() bool {
	p.Cut = p.Cut || p.factCount > p.maxFacts
	return p.Cut
}

// maxMade is how many pods more than twice those of the dump a play makes at most.
const maxMade = 20_000

// Run plays until done reports true, until nothing is left to happen, until the horizon, or until the play
// is Cut. It calls done at the end of each moment; the horizon is a time since the play began, and events
// at it do not happen. It may be called again with a later horizon.
func (p *Plane) Run(horizon unit.Time, done func() bool) {
	p.settle()
	for !done() {
		next := p.kernel.Next()
		if next >= horizon || p.tooMany() {
			return
		}
		for p.kernel.Next() == next {
			p.kernel.Step(next + 1)
		}
		p.settle()
	}
}

// group returns the index in groups of the counts of a workload, and adds them if they are new.
func (p *Plane) group(namespace string, owner kube.Owner) int {
	key := owned{namespace, owner}
	at, known := p.inGroup[key]
	if !known {
		at = len(p.groups)
		p.inGroup[key] = at
		p.groups = append(p.groups, Group{Namespace: namespace, Owner: owner, since: -1})
	}
	return at
}

// addReady adds by to the ready pods of a workload and keeps MinReady and Downtime: the time without a ready pod
// begins when the last one is lost.
func (p *Plane) addReady(group, by int) {
	g := &p.groups[group]
	g.ready += by
	switch {
	case g.ready == 0 && by < 0:
		g.since = p.kernel.Now()
	case g.ready > 0 && g.since >= 0:
		g.Downtime += p.kernel.Now() - g.since
		g.since = -1
	}
	g.MinReady = min(g.MinReady, g.ready)
}

// Finish adds the time up to now to Downtime of the workloads that have no ready pod, and sets DownAtEnd. Call it
// once when the play has ended.
func (p *Plane) Finish() {
	for i := range p.groups {
		if g := &p.groups[i]; g.since >= 0 {
			g.Downtime += p.kernel.Now() - g.since
			g.since, g.DownAtEnd = p.kernel.Now(), true
		}
	}
}

// startups returns how long the pods of each workload took from their node to Ready, in seconds, rising. A
// pod counts if it is ready, never restarted and took at most longestStart.
func startups(c *kube.Cluster, keep *kube.Owners) map[owned][]int64 {
	all := map[owned][]int64{}
	for i := range c.Pods {
		p := &c.Pods[i]
		if !p.Ready || p.Restarts > 0 || p.Started == 0 || p.ReadySince < p.Started ||
			p.ReadySince-p.Started > longestStart {
			continue
		}
		key := owned{p.Namespace, keep.Of(p)}
		all[key] = append(all[key], p.ReadySince-p.Started)
	}
	for _, v := range all {
		slices.Sort(v)
	}
	return all
}

// longestStart limits the times that count as a start-up, in seconds: a pod that became ready again
// after its node was lost has a later time.
const longestStart = 3600

// Startups returns the shortest, median and longest start-up of a workload's pods in the dump, and how many
// pods show it. If none does, or Options.FixedStart is set, the three are Options.Start and n is 0.
func (p *Plane) Startups(namespace string, owner kube.Owner) (shortest, median, longest unit.Time, n int) {
	v := p.starts[owned{namespace, owner}]
	if len(v) == 0 || p.o.FixedStart {
		return p.o.Start, p.o.Start, p.o.Start, 0
	}
	at := func(i int) unit.Time { return unit.Time(v[i]) * unit.Second }
	return at(0), at(len(v) / 2), at(len(v) - 1), len(v)
}

// startup returns how long the next pod of a workload takes from its node to Ready, as the pace chooses it.
// With Drawn each call draws.
func (p *Plane) startup(group int) unit.Time {
	g := &p.groups[group]
	shortest, median, longest, n := p.Startups(g.Namespace, g.Owner)
	switch {
	case p.o.Pace == Fast:
		return shortest
	case p.o.Pace == Slow:
		return longest
	case p.o.Pace == Drawn && n > 0:
		v := p.starts[owned{g.Namespace, g.Owner}]
		return unit.Time(v[p.draws.Intn(len(v))]) * unit.Second
	}
	return median
}

// grace returns how long a pod with a grace period in seconds takes to end, as the pace chooses it. With
// Drawn each call draws.
func (p *Plane) grace(seconds int64) unit.Time {
	seconds = max(0, seconds)
	whole := unit.Time(seconds) * unit.Second
	switch p.o.Pace {
	case Fast:
		return 0
	case Drawn:
		return unit.Time(p.draws.Uint64n(uint64(seconds+1))) * unit.Second
	}
	return whole
}

// adopt makes the controllers of the dump's workloads, takes over its pods, and queues the pending ones.
// All controllers are marked, so that the first settle lets them act. The order of the steps matters:
// takeOver adds pods to controllers, and these count them.
func (p *Plane) adopt() {
	p.pods = make([]pod, len(p.c.Pods), cap(p.c.Pods))
	p.workloads()
	p.statefulSets()
	p.daemonSets()
	for i := range p.c.Pods {
		p.takeOver(i)
	}
	for _, set := range p.sets {
		set.adopt()
		set.look(set.want)
		p.mark(set)
	}
	for _, d := range p.deploys {
		d.begin()
	}
	for _, s := range p.setsInOrder {
		p.mark(s)
	}
	for _, s := range p.daemonsInOrder {
		p.mark(s)
	}
	for i := range p.groups {
		p.groups[i].MinReady = p.groups[i].ready
	}
	p.queue.add(p, p.order())
}

// order returns the pending pods of the dump, the oldest first.
func (p *Plane) order() (all []int) {
	for i := range p.pods {
		if p.pods[i].state == waiting {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(x, y int) int { return cmp.Compare(p.c.Pods[x].Created, p.c.Pods[y].Created) })
	return all
}
