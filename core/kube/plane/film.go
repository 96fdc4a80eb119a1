package plane

import (
	"cmp"
	"slices"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/score"
	"parley/core/unit"
)

// Recording records the events of a play, so that it can be shown moment by moment. Set it in Options:
// the play fills it. It begins with the cluster of the dump; each shot changes a pod or a node:
//
//	Created: the pod waits for a node · Bound: it is on Node and not ready · Placed: it is on Node and ready ·
//	Ready, Unready · Deleted: it ends · Gone: it is nowhere
//	Joined, Left, Cordoned, Uncordoned, NotReady: of a node · all others change nothing of these
type Recording struct {
	Nodes     []RecordedNode // of the dump, then those that join
	Pods      []RecordedPod  // of the dump, by their places; later pods have these places or further ones
	Names     []string       // of pods that something happens to: NAMESPACE/NAME
	Workloads []string       // NAMESPACE/NAME
	Texts     []string
	Events    []RecordedEvent
	// Dropped counts the shots that came after the MaxEvents that are kept.
	Dropped int
	// Stop is the time at which the play stops, -1 if it does not, and StopReason the reason.
	Stop       unit.Time
	StopReason string

	explained int // 1 + the shot that is to be explained
	placement *Placement
	nominated bool // the pod that is bound next goes where it was nominated to

	texts   map[string]int32
	named   map[int32]int32       // names, by place of a pod
	missing map[int32][]successor // pods that were deleted, by workload
}

// MaxEvents bounds a film: drains of some 5,000 nodes have twice as many.
const MaxEvents = 200_000

// RecordedNode is a node as it is before the first shot.
type RecordedNode struct {
	Name, Zone string
	// Absent is that it has not joined, Silent that it is known not to answer.
	Absent, Cordoned, Silent bool
}

// RecordedPod is a pod as it is before the first shot.
type RecordedPod struct {
	Node           int32 // kube.Nowhere if it has none
	Of             int32 // its workload
	Life           Life
	IgnoredByDrain bool // a drain leaves it: it is of a DaemonSet, or of the node itself
}

// Life is the state of a pod in a film.
type Life uint8

// The lives of pods.
const (
	NoLife     Life = iota
	LifeWaits       // for a node
	LifeStarts      // on its node, not ready
	LifeReady
	LifeEnds
)

// RecordedEvent is something that happens in a film.
type RecordedEvent struct {
	At   unit.Time
	Kind Kind
	Pod  int32 // its place, -1 if it is about a node or a workload
	Node int32 // of the pod, or the node that it is about; -1 for none
	// From is the node of the pod in whose place this one was made, of a pod that is bound; -1 for none.
	From           int32
	Of             int32 // the workload, -1 for none
	Name           int32 // of the pod, -1 for none
	Text           int32 // in the controller's words, -1 for none
	IgnoredByDrain bool  // of a pod that is created or placed: see RecordedPod
}

// Kinds of shots that are not facts.
const (
	DrainBegins Kind = "drain begins"
	Emptied     Kind = "emptied"  // a node by its drain
	Upgraded    Kind = "upgraded" // a node
	Placed      Kind = "placed"   // a static pod
	Stopped     Kind = "stopped"  // a machine
)

// successor is a pod in whose place another may be made.
type successor struct {
	pod  string
	node int32
}

// begin notes the cluster before anything happens.
func (f *Recording) begin(p *Plane) {
	*f = Recording{
		Stop: -1, explained: f.explained, texts: map[string]int32{}, named: map[int32]int32{},
		missing: map[int32][]successor{},
	}
	f.grow(p)
	f.Pods = make([]RecordedPod, len(p.c.Pods))
	for i := range p.c.Pods {
		q := &p.c.Pods[i]
		f.Pods[i] = RecordedPod{
			Node: int32(q.Node), Of: int32(p.pods[i].group), Life: p.lifeOf(i), IgnoredByDrain: stays(q),
		}
	}
}

// grow notes nodes that have not joined yet.
func (f *Recording) grow(p *Plane) {
	for at := len(f.Nodes); at < len(p.c.Nodes); at++ {
		n, state := &p.c.Nodes[at], &p.states[at]
		f.Nodes = append(f.Nodes, RecordedNode{n.Name, n.Zone(), state.absent, state.cordoned, state.unknown})
	}
}

// stays reports whether a drain leaves a pod where it is.
func stays(q *kube.Pod) bool { return q.Mirror || q.Owner.Kind == "Node" || q.DaemonSet() }

// lifeOf returns the present state of a pod in a film.
func (p *Plane) lifeOf(i int) Life {
	switch l := &p.pods[i]; {
	case l.state == free:
		return NoLife
	case l.terminating:
		return LifeEnds
	case p.c.Pods[i].Node == kube.Nowhere:
		return LifeWaits
	case l.ready:
		return LifeReady
	}
	return LifeStarts
}

// add appends a fact as the next shot, with indices into the film's lists, -1 for none. After MaxEvents it
// only counts, in Dropped. It must be called for each fact, in order: see follow.
func (f *Recording) add(p *Plane, fact *Fact) {
	s := RecordedEvent{
		At: fact.At, Kind: fact.Kind, Pod: int32(fact.Pod), Node: -1, From: -1, Of: int32(fact.Of), Name: -1,
		Text: f.text(fact.Text),
	}
	if at, is := p.nodeAt[fact.Node]; is {
		s.Node = int32(at)
	}
	switch {
	case fact.Pod >= 0:
		f.follow(&s, fact)
		s.IgnoredByDrain = (s.Kind == Created || s.Kind == Placed) && stays(&p.c.Pods[fact.Pod])
	case fact.Of < 0 && s.Node < 0:
		if at, is := p.nodeAt[fact.Name]; is {
			s.Node = int32(at)
		}
	}
	if len(f.Events) >= MaxEvents {
		f.Dropped++
		return
	}
	for g := len(f.Workloads); g < len(p.groups); g++ {
		f.Workloads = append(f.Workloads, p.groups[g].Namespace+"/"+p.groups[g].Owner.Name)
	}
	f.Events = append(f.Events, s)
}

// follow sets the name of a shot's pod, and, when it is bound, From: the node of the pod in whose place it
// was made, one of its own name, as in a StatefulSet, or the first of its workload that was deleted.
func (f *Recording) follow(s *RecordedEvent, fact *Fact) {
	name, known := f.named[s.Pod]
	if !known || s.Kind == Created || s.Kind == Placed {
		name = int32(len(f.Names))
		f.Names = append(f.Names, fact.Name)
		f.named[s.Pod] = name
	}
	s.Name = name
	switch s.Kind {
	case Deleted:
		if s.Node >= 0 {
			f.missing[s.Of] = append(f.missing[s.Of], successor{fact.Name, s.Node})
		}
	case Bound:
		list := f.missing[s.Of]
		if len(list) == 0 {
			return
		}
		at := max(0, slices.IndexFunc(list, func(x successor) bool { return x.pod == fact.Name }))
		s.From = list[at].node
		f.missing[s.Of] = slices.Delete(list, at, at+1)
	}
}

func (f *Recording) text(s string) int32 {
	if s == "" {
		return -1
	}
	at, known := f.texts[s]
	if !known {
		at = int32(len(f.Texts))
		f.texts[s] = at
		f.Texts = append(f.Texts, s)
	}
	return at
}

// show adds a shot about a node that is not a fact.
func (p *Plane) show(kind Kind, at int) {
	if f := p.o.Recording; f != nil {
		f.add(p, &Fact{p.kernel.Now(), kind, -1, -1, p.c.Nodes[at].Name, "", ""})
	}
}

// Explain lets the play explain a shot in which a pod is bound, and returns where to find that afterwards.
func (f *Recording) Explain(shot int) func() *Placement {
	f.explained = shot + 1
	return func() *Placement { return f.placement }
}

// Placement is why the scheduler bound a pod to a node.
type Placement struct {
	Pod, Node string
	Nominated bool // pods of lower priority made room for it there
	// Feasible are the nodes that pass the filters, those with the highest score first, and Infeasible the
	// reasons against the others. The scheduler may have compared a part of them.
	Feasible        []constraint.NodeScore
	Place           int // of its node among them
	Compared        int // nodes with which the scheduler is content
	Infeasible      []constraint.Count
	InfeasibleNodes int      // nodes that do not take it
	Nodes           []string // the names of Feasible
	Weights         []constraint.Weight
}

// explain notes why a pod is bound to a node, if that is asked for. The pod is not bound yet.
func (f *Recording) explain(p *Plane, i, at int) {
	if f.explained != len(f.Events)+1 {
		return
	}
	v := p.s.Filter(i)
	out := &Placement{
		Pod: p.full(i), Node: p.c.Nodes[at].Name, Nominated: f.nominated, Feasible: p.s.Score(i, v.Nodes),
		Infeasible: v.Counts(), Weights: p.o.Profile.Scores,
	}
	out.InfeasibleNodes = p.live() - len(out.Feasible)
	out.Compared = score.NumFeasibleNodesToFind(p.live(), p.o.Profile.Percentage)
	slices.SortStableFunc(out.Feasible, func(x, y constraint.NodeScore) int { return cmp.Compare(y.Total, x.Total) })
	for k, n := range out.Feasible {
		out.Nodes = append(out.Nodes, p.c.Nodes[n.Node].Name)
		if n.Node == at {
			out.Place = k
		}
	}
	f.placement = out
}

// live counts the nodes that are in the cluster.
func (p *Plane) live() (n int) {
	for at := range p.states {
		if !p.states[at].absent {
			n++
		}
	}
	return n
}

// End returns when the last shot is.
func (f *Recording) End() unit.Time {
	if len(f.Events) == 0 {
		return 0
	}
	return f.Events[len(f.Events)-1].At
}

// StopAt records the time and the reason of the play's stop.
func (f *Recording) StopAt(at unit.Time, reason string) {
	f.Stop, f.StopReason = min(at, f.End()), reason
}
