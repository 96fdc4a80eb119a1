package question

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
	"parley/core/unit"
)

// LoseOptions say how nodes are lost. The zero value means that they are gone.
type LoseOptions struct {
	// NotReady means that the nodes stay in the cluster without answering; otherwise they are
	// deleted.
	NotReady    bool
	PlayOptions // in the plays beyond the third, pods of the same priority come in other orders
}

// Lost is the outcome of the loss of some nodes.
type Lost struct {
	Method  Method `json:"method"`
	Subject string `json:"what"` // "zone eu-west-1b"
	// NotReady means that the nodes stay in the cluster without answering.
	NotReady    bool `json:"not_ready"`
	Lost        int  `json:"lost_nodes"`
	Nodes       int  `json:"nodes"` // of the cluster
	Stopped     int  `json:"stopped"`
	Rescheduled int  `json:"again"`   // pods that run on other nodes
	Daemons     int  `json:"daemons"` // pods that end with their nodes
	// Unowned are pods that nothing makes anew, Waiting those that wait for their node to come
	// back or to be deleted, NotEvicted those that are not evicted: they tolerate the loss, or their zone is disrupted.
	Unowned      int `json:"unowned"`
	Waiting      int `json:"waiting"`
	NotEvicted   int `json:"staying"`
	NotRecreated int `json:"not_made"` // pods that their controller does not make anew
	// Preempted is how often a pod makes room for another, in the play with the fewest, and MaxPreempted in
	// that with the most: it depends on how soon pods end.
	Preempted    int `json:"preempted"`
	MaxPreempted int `json:"preempted_most"`
	Pending      int `json:"pending"` // pods that no node takes
	// Seconds is from the failure until the last of the pods that run again is ready.
	Seconds Span     `json:"seconds"`
	Caveats []string `json:"unsure"`
	// PendingBound is a number of pods that stay pending in any order. MinPending and MaxPending are those of
	// the plays.
	PendingBound int `json:"pending_at_least"`
	MinPending   int `json:"pending_fewest"`
	MaxPending   int `json:"pending_most"`
	Plays        int `json:"plays"`
	// Constraints are the reasons against the pending pods, each counted by its main reason.
	Constraints []Reason `json:"constraints"`
	Stuck       []Stuck  `json:"stuck"`
	Moves       []Move   `json:"moves"`
	// Events are the first facts of the play with the median times.
	Events []Event `json:"happens"`
	// Unstarted are pods that the scheduler places again and that do not start there, and why.
	Unstarted []Reason `json:"not_starting,omitempty"`
	// LostPods names the pods that do not come back, WaitingPods those that wait for their node, MissingPods those
	// that are not made anew: an earlier pod of their StatefulSet is not ready, a quota forbids them, or their workload
	// wants fewer.
	LostPods    []string `json:"gone,omitempty"`
	WaitingPods []string `json:"held,omitempty"`
	MissingPods []string `json:"missing,omitempty"`
	// Services are those that had a ready pod and have none now.
	Services []string `json:"services_without_pods"`
	// Budgets are disruption budgets with fewer healthy pods than they want.
	Budgets []string `json:"budgets_below"`
	// Added are nodes that the autoscaler adds, in the play with the median times.
	Added []AddedNodes `json:"added_nodes,omitempty"`
	watch *Watch
}

// Sentence returns the answer in one or two sentences.
func (l *Lost) Sentence() string {
	verb := "is gone"
	if l.NotReady {
		verb = "is not ready"
	}
	if strings.Contains(l.Subject, " and ") {
		verb = "are" + strings.TrimPrefix(verb, "is")
	}
	s := fmt.Sprintf("If %s %s, %s pending.", l.Subject, verb, count(l.Pending, "pod stays", "pods stay"))
	when := ""
	if l.Seconds.Plays > 0 {
		when = ", the last " + l.Seconds.String() + " after the failure"
	}
	s += fmt.Sprintf(" %s; %s again on other nodes%s%s", count(l.Stopped, "pod stops", "pods stop"), count(l.Rescheduled, "runs", "run"), when, ended(l.Daemons))
	for _, more := range []struct {
		n         int
		one, many string
	}{
		{l.Unowned, "is made anew by no controller and does not come back", "are made anew by no controller and do not come back"},
		{l.NotRecreated, "is not made anew yet, as an earlier pod of its StatefulSet is not ready, a quota forbids it, or its workload wants fewer", "are not made anew yet, as an earlier pod of their StatefulSet is not ready, a quota forbids them, or their workload wants fewer"},
		{l.Waiting, "waits for its node", "wait for their nodes"},
		{l.NotEvicted, "stays where it is, for it tolerates the loss or nothing is evicted there", "stay where they are, for they tolerate the loss or nothing is evicted there"},
	} {
		if more.n > 0 {
			s += "; " + count(more.n, more.one, more.many)
		}
	}
	for _, r := range l.Unstarted {
		s += "; " + count(r.Count, "of these does not start: ", "of these do not start: ") + r.Reason
	}
	return s + addedText(l.Added) + "."
}

// lose is a loss in work.
type lose struct {
	*query
	nodes []int
	away  []bool // nodes that are lost
	o     LoseOptions
	out   *Lost
}

// Lose returns the outcome of the loss of the nodes with these places, as plays of the cluster's control
// plane: the first, with the median times, is described, and the others give ranges. Sentences name the
// nodes by subject.
func Lose(c *kube.Cluster, p *constraint.Profile, subject string, nodes []int, o LoseOptions) *Lost {
	l := &lose{
		query: newQuery(c, p, o.Seed, "lose"), nodes: nodes, away: make([]bool, len(c.Nodes)), o: o,
		out: &Lost{
			Subject: subject, NotReady: o.NotReady, Lost: len(nodes), Nodes: len(c.Nodes), Caveats: []string{},
			Events:      []Event{},
			Constraints: []Reason{}, Stuck: []Stuck{}, Moves: []Move{}, Services: []string{}, Budgets: []string{},
		},
	}
	for _, at := range nodes {
		l.away[at] = true
	}
	all := plays(c, p, o.PlayOptions)
	l.out.Plays = len(all)
	var stated []string
	kinds := false
	for i, options := range all {
		options.MaxTexts = maxEvents
		e := l.play(options)
		if pending := len(e.pending) + len(e.foreign); i == 0 {
			l.out.MinPending, l.out.MaxPending = pending, pending
			l.out.Preempted, l.out.MaxPreempted = e.victims, e.victims
			l.report(e)
			l.out.Added, kinds = l.added(e.up, &options), e.up != nil && e.up.Kinds() > 0
			stated = l.zones(e.world)
			l.filmed(options, pending)
		} else {
			l.out.MinPending, l.out.MaxPending = min(l.out.MinPending, pending), max(l.out.MaxPending, pending)
			l.out.Preempted, l.out.MaxPreempted = min(l.out.Preempted, e.victims), max(l.out.MaxPreempted, e.victims)
		}
		if e.back > 0 {
			l.out.Seconds.add(e.back, i == 0)
		}
	}
	how := "The machines stop, and do not exist any more. Their nodes are deleted when they have not answered for 50 s, and their pods 40 to 80 s later. "
	if o.NotReady {
		how = "The machines stop and their nodes stay in the cluster. They get the taints of unreachable nodes, and their pods are deleted after the time for which they tolerate that; they terminate for ever, as their machines do not answer. "
	}
	l.out.Method = l.method(
		how+"The rest is what the cluster's controllers and its scheduler do, played in virtual time.",
		fmt.Sprintf("At least %d stay pending in any order: nothing but where they may run and how large they are stops them. Over %s, %s. ", l.out.PendingBound,
			count(len(all), "play", "plays"), between(l.out.MinPending, l.out.MaxPending))+playBound(len(all)),
		append(append(stated, "A volume that one node attaches is detached by force 6 minutes after its pod has ended on a machine that does not answer.",
			"Controllers, the scheduler and kubelets act without delay. Nothing else changes the cluster meanwhile: no autoscaler of pods"+map[bool]string{false: " or nodes"}[o.Autoscaler]+" acts."),
			scalingNotes(&o.PlayOptions, kinds)...)...,
	)
	return l.out
}

// between ends a sentence on how many pods stay pending.
func between(fewest, limit int) string {
	if fewest == limit {
		return count(limit, "does", "do")
	}
	return fmt.Sprintf("%d to %d do", fewest, limit)
}

// ending is the state at the end of a play.
type ending struct {
	world   *plane.Plane
	deleted []bool        // pods of the dump
	ended   []bool        // those whose objects are gone too
	remade  []bool        // those in whose place another was made
	was     map[int]int   // by place of a new pod: the pod of the dump in whose place it was made
	missing map[int][]int // pods that were deleted and are not made anew yet, by workload
	first   []plane.Fact  // maxEvents of them
	pending []plane.Wait
	// foreign are pods that no known scheduler tries, and why.
	foreign []plane.Wait
	reason  []string
	back    unit.Time // when the last of the pods that run again was ready, from the failure
	victims int       // pods that made room for others
	up      *plane.ScaleUp
}

// play plays the loss with given settings for a day, and for 100 seconds more for each lost node, since
// nodes are tainted one after another. It returns the end. Pods that waited before the loss do not count as
// pending.
func (l *lose) play(o plane.Options) *ending {
	e := &ending{
		deleted: make([]bool, len(l.c.Pods)), ended: make([]bool, len(l.c.Pods)),
		remade: make([]bool, len(l.c.Pods)), was: map[int]int{}, missing: map[int][]int{},
	}
	o.Silent, o.OnFact = true, func(f *plane.Fact) { e.follow(l.c, f) }
	e.world = plane.New(l.c, o)
	never := func() bool { return false }
	e.world.Run(1, never) // acts that are due without the loss
	before := map[string]bool{}
	for _, w := range e.world.Waiting() {
		before[w.Pod] = true
	}
	e.world.Lose(l.nodes, !l.o.NotReady)
	e.up = l.scaleUp(e.world, &l.o.PlayOptions, &o, func(at int) bool { return !l.away[at] })
	e.world.Run(plane.Day+unit.Time(len(l.nodes))*100*unit.Second, never)
	for _, w := range e.world.Waiting() {
		if w.New && !before[w.Pod] {
			e.pending = append(e.pending, w)
		}
	}
	e.foreign, e.reason = e.world.Unscheduled()
	return e
}

// follow sets the fields of e that follow from the next fact. It matches each new pod with the pod of the dump in
// whose place it was made: of the same workload, with the same name if there is one (StatefulSets), else the one
// deleted first.
func (e *ending) follow(c *kube.Cluster, f *plane.Fact) {
	if len(e.first) < maxEvents {
		e.first = append(e.first, *f)
	}
	original := f.Pod >= 0 && f.Pod < len(c.Pods) && !e.ended[f.Pod]
	switch f.Kind {
	case plane.Deleted:
		if original {
			e.deleted[f.Pod] = true
			e.missing[f.Of] = append(e.missing[f.Of], f.Pod)
		}
	case plane.Gone:
		if original {
			e.ended[f.Pod] = true
		}
	case plane.Preempted:
		e.victims++
	case plane.Created:
		delete(e.was, f.Pod)
		list := e.missing[f.Of]
		if len(list) == 0 {
			return
		}
		_, name, _ := strings.Cut(f.Name, "/") // of a StatefulSet; a workload's pods have one namespace
		at := max(0, slices.IndexFunc(list, func(i int) bool { return c.Pods[i].Name == name }))
		e.was[f.Pod] = list[at]
		e.remade[list[at]] = true
		e.missing[f.Of] = slices.Delete(list, at, at+1)
	case plane.Ready:
		if _, again := e.was[f.Pod]; again {
			e.back = f.At
		}
	}
}

// report records the fate of each pod of the lost nodes, and the state of the cluster at the end of a play,
// in l.out. Stopped counts all pods that stop, also those that were terminating already.
func (l *lose) report(e *ending) {
	for i := range l.c.Pods {
		p := &l.c.Pods[i]
		if p.Node == kube.Nowhere || !l.away[p.Node] {
			continue
		}
		l.affected[i] = true
		f := l.fate(i)
		if l.o.NotReady && f != plane.Ends && f != plane.GonePod && !e.deleted[i] {
			l.out.NotEvicted++
			continue
		}
		l.out.Stopped++
		switch {
		case f == plane.Ends:
			l.out.Daemons++
		case f == plane.LostPod:
			l.out.Unowned++
			l.out.LostPods = append(l.out.LostPods, p.Full())
		case f == plane.Moves && p.Owner.Kind == "StatefulSet" && !e.ended[i] && !e.remade[i]:
			l.out.Waiting++
			l.out.WaitingPods = append(l.out.WaitingPods, p.Full())
		case f == plane.Moves && !e.remade[i]:
			l.out.NotRecreated++
			l.out.MissingPods = append(l.out.MissingPods, p.Full())
		}
	}
	l.out.Pending = len(e.pending) + len(e.foreign)
	cluster, state := e.world.Cluster(), e.world.State()
	var again []int
	for _, place := range slices.Sorted(maps.Keys(e.was)) {
		was := &l.c.Pods[e.was[place]]
		at := state.NodeOf(place)
		if at != kube.Nowhere && l.lost(e.was[place]) && l.fate(e.was[place]) == plane.Moves {
			again = append(again, place)
			l.out.Moves = append(l.out.Moves, Move{Pod: was.Full(), From: was.NodeName, To: cluster.Nodes[at].Name})
		}
	}
	l.out.Rescheduled = len(again)
	l.unstarted(e, again)
	l.stuck(e)
	l.guessed(e, again)
	l.out.Caveats = append(l.out.Caveats, cutShort(e.world)...)
	for _, f := range e.world.Forbidden() {
		l.out.Caveats = append(l.out.Caveats, fmt.Sprintf("%s: %s", count(f.Missing, "pod is not made", "pods are not made"), f.Text))
	}
	l.out.Events = eventsOf(e.first)
	l.services(cluster)
	for k := range l.c.Budgets {
		b := &l.c.Budgets[k]
		if healthy, desired := e.world.Budget(k); healthy < desired {
			l.out.Budgets = append(l.out.Budgets, b.Namespace+"/"+b.Name)
		}
	}
}

// stuck records the reasons against the pending pods of a play, and the number of them that no node
// takes in any order.
func (l *lose) stuck(e *ending) {
	type cause struct {
		reason, message string
		nowhere         bool
	}
	known := map[alike]*cause{}
	var reasons []string
	for _, w := range e.pending {
		like := alikeOf(&e.world.Cluster().Pods[w.Place], w.Place)
		reason := known[like]
		if reason == nil {
			v := e.world.Verdict(w.Place)
			reason = &cause{v.MainReason(), v.Message(), l.nowhere(e, w.Place)}
			known[like] = reason
		}
		if was, is := e.was[w.Place]; is && reason.nowhere && l.lost(was) { // others wait only as they made room
			l.out.PendingBound++
		}
		reasons = append(reasons, reason.reason)
		l.out.Stuck = append(l.out.Stuck, Stuck{l.name(e, w), reason.reason, reason.message})
	}
	for k, w := range e.foreign {
		reasons = append(reasons, e.reason[k])
		l.out.Stuck = append(l.out.Stuck, Stuck{l.name(e, w), e.reason[k], e.reason[k]})
	}
	l.out.Constraints = tally(reasons)
}

// lost reports whether a pod ran on a node that is lost.
func (l *lose) lost(pod int) bool {
	at := l.c.Pods[pod].Node
	return at != kube.Nowhere && l.away[at]
}

// name returns the name of the pod in whose place another was made.
func (l *lose) name(e *ending, w plane.Wait) string {
	if was, is := e.was[w.Place]; is {
		return l.c.Pods[was].Full()
	}
	return w.Pod
}

// maxEvents bounds the facts of an answer; the counts are of all.
const maxEvents = 1000

// nowhere reports whether no node takes a pod whatever the order: where it may run, or how large it is,
// stops it on every node.
func (l *lose) nowhere(e *ending, place int) bool {
	s, cluster := e.world.State(), e.world.Cluster()
	for at := range cluster.Nodes {
		if !s.Removed(at) && !Lasting(s.Reason(place, at)) &&
			cluster.Nodes[at].Allocatable.Covers(cluster.Pods[place].Spec.Requests) {
			return false
		}
	}
	return true
}

// unstarted counts the pods that have a node and do not start there.
func (l *lose) unstarted(e *ending, again []int) {
	systems, attaching := plane.NewPlatforms(l.c), map[int]plane.Attach{}
	for _, a := range e.world.Attaching() {
		attaching[a.Pod] = a
	}
	cluster := e.world.Cluster()
	var all []string
	for _, place := range again {
		p := &cluster.Pods[place]
		if platform := systems.Foreign(p, &cluster.Nodes[e.world.State().NodeOf(place)]); platform != "" {
			all = append(all, "its node has another "+platform+" than its workload runs on")
		} else if a, waits := attaching[place]; waits {
			all = append(all, "the volume of "+a.Claim+" is ReadWriteOnce and attached to "+a.Node)
		}
	}
	l.out.Unstarted = tally(all)
}

// guessed says of how many pods the dump does not show how long they take to start.
func (l *lose) guessed(e *ending, again []int) {
	keep, n := kube.NewOwners(l.c), 0
	for _, place := range again {
		p := &l.c.Pods[e.was[place]]
		if _, _, _, shown := e.world.Startups(p.Namespace, keep.Of(p)); shown == 0 {
			n++
		}
	}
	if n > 0 && l.o.Start == 0 {
		l.out.Caveats = append(l.out.Caveats, fmt.Sprintf("how long %s to start is a guess, %s: the dump shows no pod of the workload that became ready without a restart (--start sets it)",
			count(n, "pod takes", "pods take"), plane.After(plane.DefaultStart)))
	}
}
