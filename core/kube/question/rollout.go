package question

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
)

// RolloutOptions are the options of a rollout.
type RolloutOptions struct {
	PlayOptions
	plane.Change
}

// Rolled is how a rollout goes.
type Rolled struct {
	Method      Method   `json:"method"`
	Caveats     []string `json:"unsure"`
	Workload    string   `json:"workload"` // NAMESPACE/NAME
	Kind        string   `json:"kind"`
	Replicas    int      `json:"replicas"`
	Strategy    string   `json:"strategy"`
	Surge       int      `json:"max_surge"`       // in pods
	Unavailable int      `json:"max_unavailable"` // in pods
	Deadline    int64    `json:"progress_deadline_seconds,omitempty"`
	Ordered     bool     `json:"ordered,omitempty"`   // a StatefulSet that makes one pod after another
	Partition   int      `json:"partition,omitempty"` // of a StatefulSet: pods of lower ordinals stay as they are
	InProgress  bool     `json:"under_way"`           // the dump is in the middle of it
	Paused      bool     `json:"paused"`
	// Complete reports whether the play with the median times ends with all pods new and available;
	// Stops is how many of the Plays do not.
	Complete bool `json:"complete"`
	Plays    int  `json:"plays"`
	Stops    int  `json:"plays_that_stop"`
	Seconds  Span `json:"seconds"` // until it is complete, of the plays that are
	// Exceeded is after how many seconds the progress deadline passes, 0 if it does not.
	Exceeded     float64     `json:"deadline_exceeded_after,omitempty"`
	Updated      int         `json:"updated"`   // new pods at the end
	Available    int         `json:"available"` // of them
	Old          int         `json:"old"`       // old pods at the end
	Peak         int         `json:"peak_pods"` // most that hold room at one moment
	Today        int         `json:"pods_today"`
	MinAvailable int         `json:"least_available"`
	Down         float64     `json:"seconds_without_a_ready_pod"`
	Waited       []WaitedPod `json:"waited"` // new pods that found no node at once
	Stuck        []Stuck     `json:"stuck"`
	Broken       string      `json:"never_ready,omitempty"` // why new pods do not become ready
	Forbidden    string      `json:"quota,omitempty"`       // why the API server does not make new pods
	Preempted    []string    `json:"preempted"`
	// StuckTerminating are pods that terminate still when nothing more happens, with why.
	StuckTerminating []StuckTerminating `json:"terminating_for_ever,omitempty"`
	// NoneReady reports that no pod is ready when the play ends.
	NoneReady bool            `json:"none_ready_at_the_end,omitempty"`
	Others    []OtherStrategy `json:"other_strategies"`
	Events    []Event         `json:"happens"`
	watch     *Watch
}

// StuckTerminating is a pod that terminates and does not end.
type StuckTerminating struct {
	Pod    string `json:"pod"`
	Node   string `json:"node"`
	Reason string `json:"why"`
}

// WaitedPod is a new pod that waited for a node or a volume and got it.
type WaitedPod struct {
	Pod     string  `json:"pod"`
	Seconds float64 `json:"seconds"`
	Message string  `json:"message"`
}

// OtherStrategy is how the rollout goes with another strategy.
type OtherStrategy struct {
	Strategy     string  `json:"strategy"`
	Complete     bool    `json:"complete"`
	Seconds      float64 `json:"seconds"` // until it is complete, or until nothing happens any more
	Peak         int     `json:"peak_pods"`
	MinAvailable int     `json:"least_available"`
}

// Rollout plays the rollout of a workload, NAMESPACE/NAME, to a new template, or the one that the dump is
// in the middle of. It is nil if the cluster has no workload of this name that can be rolled out. All but
// Plays, Stops and Seconds is of the play with the median times; Others are single plays with other
// strategies.
func Rollout(c *kube.Cluster, p *constraint.Profile, name string, o RolloutOptions) *Rolled {
	a := newQuery(c, p, o.Seed, "rollout")
	namespace, own, _ := strings.Cut(name, "/")
	all := plays(c, p, o.PlayOptions)
	out := &Rolled{
		Workload: name, Caveats: []string{}, Waited: []WaitedPod{}, Stuck: []Stuck{}, Preempted: []string{},
		Others: []OtherStrategy{}, Plays: len(all),
	}
	var start string
	for i, options := range all {
		world := plane.New(c, options)
		r := world.Roll(namespace, own, o.Change)
		if r == nil {
			return nil
		}
		today := r.Peak
		world.Run(plane.Day, r.Done)
		world.Finish()
		if r.Complete() {
			out.Seconds.add(world.Now(), i == 0)
		} else {
			out.Stops++
		}
		if i == 0 {
			out.Today = today
			start = out.middle(world, r, o)
			out.filmed(c, options, o.Change)
			a.mine(r.Owner(), namespace)
			out.Caveats = append(out.Caveats, a.resized(&kube.Pod{Namespace: namespace, Owner: r.Owner()})...)
		}
	}
	for _, other := range out.routes() {
		change := o.Change
		change.Rollout.Surge, change.Rollout.Unavailable, change.Strategy = other.surge, other.unavailable, other.kind
		world := plane.New(c, all[0])
		r := world.Roll(namespace, own, change)
		world.Run(plane.Day, r.Done)
		out.Others = append(out.Others, OtherStrategy{
			other.name, r.Complete(), r.Ended().Seconds(), r.Peak, r.MinAvailable,
		})
	}
	like := "New pods request what those of today do."
	if o.Template != nil {
		like = fmt.Sprintf("New pods are those of the template that was given, %s.", count(o.Template.Replicas, "replica", "replicas"))
	}
	out.Method = a.method(
		"The rollout is played in virtual time by the rules of the Deployment, ReplicaSet, StatefulSet and DaemonSet controllers; the scheduler's own filters and scores place the pods, and those that wait are tried again as its queue does.",
		playBound(len(all)), like, start,
		"A pod that is deleted ends within its grace period: at once in the shortest play, at its end in the longest and in the one that is shown.",
		"Disruption budgets do not hold a rollout back. Quotas do, with what the pods of ReplicaSets request; webhooks and other admission are not looked at.", undelayed,
	)
	return out
}

// mine notes the pods of a workload as those that the answer is about.
func (a *query) mine(owner kube.Owner, namespace string) {
	keep := kube.NewOwners(a.c)
	for i := range a.c.Pods {
		if q := &a.c.Pods[i]; q.Namespace == namespace && keep.Of(q) == owner {
			a.affected[i] = true
		}
	}
}

// middle copies the results of the play with the median times into out, and returns the assumption about
// start-up times as a sentence.
func (out *Rolled) middle(world *plane.Plane, r *plane.Rollout, o RolloutOptions) string {
	out.Kind, out.Replicas, out.Deadline = r.Owner().Kind, r.Replicas, r.Deadline
	out.Surge, out.Unavailable = r.Surge, r.Unavailable
	out.Strategy, out.InProgress, out.Paused, out.Ordered = r.Strategy, r.InProgress, r.Paused, r.Ordered
	out.Complete, out.Partition = r.Complete(), r.Partition
	out.Updated, out.Available, out.Old = r.Counts()
	out.Peak, out.MinAvailable, out.Down = r.Peak, r.MinAvailable, r.Group().Downtime.Seconds()
	out.Exceeded = r.Exceeded.Seconds()
	facts := r.Facts()
	out.Events = eventsOf(facts)
	out.waited(facts)
	for _, w := range r.Waiting() {
		v := world.Verdict(w.Place)
		reason := v.MainReason()
		if len(v.Nodes) > 0 {
			reason = "the play ended before the scheduler tried it again"
		}
		out.Stuck = append(out.Stuck, Stuck{w.Pod, reason, v.Message()})
	}
	for _, pair := range r.Attaching() {
		out.Stuck = append(out.Stuck, Stuck{pair.Pod, "its ReadWriteOnce volume is attached to another node", pair.Text})
	}
	if missing, reason := r.Forbidden(); missing > 0 {
		out.Forbidden = reason
		out.Stuck = append(out.Stuck, Stuck{count(missing, "pod is not made", "pods are not made"), "a quota forbids it", reason})
	}
	if pods, reason := r.Unready(); len(pods) > 0 {
		out.Broken = reason
		for _, pod := range pods {
			out.Stuck = append(out.Stuck, Stuck{pod, "it never becomes ready: " + reason, ""})
		}
	}
	if pods, why := r.Unwell(); len(pods) > 0 && !out.Complete && out.Ordered && out.Kind == "StatefulSet" && len(out.Stuck) == 0 {
		out.Stuck = append(out.Stuck, Stuck{pods[0], "it is an old pod that never becomes ready (" + why + "), and an ordered StatefulSet waits for it until it is deleted by hand", ""})
	}
	if !out.Complete {
		out.NoneReady = r.Group().DownAtEnd
		for _, e := range r.StuckTerminating() {
			reason := "it has terminated since before the dump, which does not say why it does not end"
			if e.Silent {
				reason = "its node " + e.Node + " does not answer"
			}
			out.StuckTerminating = append(out.StuckTerminating, StuckTerminating{e.Pod, e.Node, reason})
		}
	}
	out.Caveats = append(append(out.Caveats, cutShort(world)...), r.Notes...)
	if r.Guessed && r.Owner().Kind != "Deployment" {
		out.Caveats = append(out.Caveats, "the dump does not have the "+r.Owner().Kind+" itself: its strategy is taken to be the default; fetch it too")
	} else if r.Guessed {
		out.Caveats = append(out.Caveats, "the dump does not have the Deployment itself: its strategy is taken to be the default, 25 % each way, and its replicas those of its ReplicaSets; fetch deployments too")
	}
	if r.Paused {
		out.Caveats = append(out.Caveats, "the Deployment is paused: nothing happens until kubectl rollout resume; the play is of what happens then")
	}
	start, known := startup(world, strings.Split(out.Workload, "/")[0], r.Owner(), o.PlayOptions)
	if !known {
		out.Caveats = append(out.Caveats, "how long a pod takes to start is a guess, "+plane.After(plane.DefaultStart)+": --start sets it")
	}
	return start
}

// waited lists, from the facts of a play, the new pods that waited and were then bound, the longest first,
// and those that were preempted.
func (out *Rolled) waited(facts []plane.Fact) {
	waits := map[string]plane.Fact{}
	for _, f := range facts {
		switch f.Kind {
		case plane.Unplaced:
			waits[f.Name] = f
		case plane.Preempted:
			out.Preempted = append(out.Preempted, f.Name)
		case plane.Bound:
			if w, waited := waits[f.Name]; waited && f.At > w.At {
				out.Waited = append(out.Waited, WaitedPod{f.Name, (f.At - w.At).Seconds(), w.Text})
			}
		}
	}
	slices.SortStableFunc(out.Waited, func(a, b WaitedPod) int { return cmp.Compare(b.Seconds, a.Seconds) })
}

// route is another strategy to try.
type route struct {
	name, kind         string
	surge, unavailable *kube.IntOrPercent
}

// routes returns the strategies to compare with that of a Deployment: one pod more, one less, all at once
// and Recreate, without its own. Other kinds have none.
func (out *Rolled) routes() (all []route) {
	if out.Kind != "Deployment" || out.Replicas == 0 {
		return nil
	}
	number := func(n int) *kube.IntOrPercent { return &kube.IntOrPercent{Value: int32(n)} }
	for _, r := range []struct{ surge, unavailable int }{{1, 0}, {0, 1}, {out.Replicas, 0}} {
		if out.Strategy == "Recreate" || r.surge != out.Surge || r.unavailable != out.Unavailable {
			all = append(all, route{
				fmt.Sprintf("maxSurge %d, maxUnavailable %d", r.surge, r.unavailable),
				"RollingUpdate", number(r.surge), number(r.unavailable),
			})
		}
	}
	all = slices.CompactFunc(all, func(a, b route) bool { return a.name == b.name })
	if out.Strategy != "Recreate" {
		all = append(all, route{"Recreate", "Recreate", nil, nil})
	}
	return all
}

// Sentence returns the answer in a few sentences.
func (out *Rolled) Sentence() string {
	s := "The rollout of " + out.Workload
	if out.InProgress {
		s += ", which is under way,"
	}
	if out.Replicas == 0 && out.Complete {
		return s + " has nothing to do: the workload has 0 replicas."
	}
	switch {
	case out.Strategy == "OnDelete":
		return s + " waits for somebody to delete the old pods, one by one or all: the strategy is OnDelete."
	case out.Complete && out.Stops > 0:
		s += fmt.Sprintf(" ends after %s in %d of %d plays, and stops in the others.", &out.Seconds, out.Seconds.Plays, out.Plays)
	case out.Complete:
		s += fmt.Sprintf(" ends after %s.", &out.Seconds)
	case out.Seconds.Plays > 0:
		s += fmt.Sprintf(" stops in %d of %d plays, with %d of %d new pods available and %s left.", out.Stops, out.Plays, out.Available, out.Replicas, count(out.Old, "old one", "old ones"))
	default:
		s += fmt.Sprintf(" stops with %d of %d new pods available and %s left.", out.Available, out.Replicas, count(out.Old, "old one", "old ones"))
	}
	if !out.Complete {
		s += out.why()
	}
	if out.Exceeded > 0 {
		s += fmt.Sprintf(" The progress deadline passes after %s (ProgressDeadlineExceeded), which undoes nothing.", durationText(out.Exceeded))
	}
	s += fmt.Sprintf(" At its height %s room on nodes, today %d; at least %d of %d are available throughout.", count(out.Peak, "pod holds", "pods hold"), out.Today, out.MinAvailable, out.Replicas)
	if kept := min(out.Partition, out.Replicas); kept > 0 {
		s += fmt.Sprintf(" The partition is %d: %s of the %d %s the old template.", out.Partition, number(kept), out.Replicas, map[bool]string{true: "keeps", false: "keep"}[kept == 1])
	}
	switch {
	case out.MinAvailable == 0 && out.NoneReady:
		s += " At the end no pod is ready."
	case out.MinAvailable == 0 && out.Down > 0:
		s += fmt.Sprintf(" No pod is ready for %s.", durationText(out.Down))
	}
	if n := len(out.Waited); n > 0 && out.Complete {
		s += fmt.Sprintf(" %s for a node, the longest %s.", count(n, "new pod waits", "new pods wait"), durationText(out.Waited[0].Seconds))
	}
	if n := len(out.Preempted); n > 0 {
		s += " " + count(n, "pod of lower priority is preempted.", "pods of lower priority are preempted.")
	}
	return s
}

// why returns the reason why the rollout stops, as sentences with a space before them; "" if it is not
// known.
func (out *Rolled) why() string {
	if len(out.Stuck) == 0 {
		return out.waitsForEnd()
	}
	var reasons []string
	for _, x := range out.Stuck {
		reasons = append(reasons, x.Reason)
	}
	s := fmt.Sprintf(" %s: %s.", map[bool]string{
		true:  out.Stuck[0].Pod + " waits",
		false: count(len(out.Stuck), "new pod waits", "new pods wait"),
	}[len(out.Stuck) == 1], tally(reasons)[0].Reason)
	if out.Forbidden != "" {
		s = fmt.Sprintf(" The API server refuses new pods: %s.", out.Forbidden)
	}
	if out.Broken != "" {
		s = fmt.Sprintf(" New pods never become ready: %s.", out.Broken)
		if out.Ordered {
			s += " To go back to the old template is not enough: an ordered StatefulSet waits for such a pod until it is deleted by hand."
		}
	}
	if out.Kind == "Deployment" && out.Strategy != "Recreate" && out.Old > 0 {
		s += fmt.Sprintf(" maxUnavailable is %d, so no more old pods end before a new one is available.", out.Unavailable)
	}
	return s
}

// waitsForEnd returns for the end of which pod the controller waits, "" if it waits for none: RollingUpdate of a
// Deployment does not.
func (out *Rolled) waitsForEnd() string {
	if len(out.StuckTerminating) == 0 || out.Kind == "Deployment" && out.Strategy != "Recreate" {
		return ""
	}
	e, more := out.StuckTerminating[0], ""
	if n := len(out.StuckTerminating) - 1; n > 0 {
		more = " and " + count(n, "more", "more")
	}
	return fmt.Sprintf(" It waits for the end of %s%s: %s.", e.Pod, more, e.Reason)
}

// Document returns the answer for people.
func (out *Rolled) Document() Document {
	var stuck, waited, others, endless [][]string
	for _, e := range out.StuckTerminating {
		endless = append(endless, []string{e.Pod, e.Node, e.Reason})
	}
	for _, x := range out.Stuck {
		stuck = append(stuck, []string{x.Pod, x.Reason, x.Message})
	}
	for _, w := range out.Waited {
		waited = append(waited, []string{w.Pod, durationText(w.Seconds), w.Message})
	}
	for _, r := range out.Others {
		ends := "stops"
		if r.Complete {
			ends = durationText(r.Seconds)
		}
		others = append(others, []string{r.Strategy, ends, strconv.Itoa(r.Peak), strconv.Itoa(r.MinAvailable)})
	}
	strategy := [][]string{{"kind", out.Kind}, {"replicas", strconv.Itoa(out.Replicas)}, {"strategy", out.Strategy}}
	if out.Strategy == "RollingUpdate" && out.Kind != "StatefulSet" {
		strategy = append(strategy, []string{"maxSurge, in pods", strconv.Itoa(out.Surge)}, []string{"maxUnavailable, in pods", strconv.Itoa(out.Unavailable)})
	}
	return Document{
		Title: "How does the rollout of " + out.Workload + " go?", Sentence: out.Sentence(),
		Method: out.Method, Watch: out.watch, Grids: []Grid{
			caveats(&out.Method, out.Caveats),
			grid("The rollout", []string{"what", "value"}, strategy, maxRows),
			grid("New pods that do not start", []string{"pod", "why", "in the scheduler's words"}, stuck, maxRows),
			grid("Pods that terminate and do not end", []string{"pod", "node", "why"}, endless, maxRows),
			grid("New pods that wait for a node", []string{"pod", "for", "in the scheduler's words"}, waited, maxRows),
			list("Pods of lower priority that are preempted", out.Preempted),
			grid("With another strategy", []string{"strategy", "ends after", "most pods", "fewest available"}, others, maxRows),
			eventGrid("What happens, with median start-up times and the whole grace", out.Events, maxRows),
		},
	}
}
