// Package question answers questions about a Kubernetes cluster from its dump: the nodes that can be
// emptied (Drain), the effect of a lost node or zone (Lose), the number of pods that still fit
// (Fit), the nodes to add (Grow), the reasons why pods wait (Pending), the pods that keep nodes
// (Blockers), and the effect of another configuration of the scheduler (Score). Pods are placed
// again by the filters and scores of kube-scheduler (core/kube/constraint).
//
//	answer := question.Drain(cluster, constraint.Default(), question.DrainOptions{})
//	fmt.Println(answer.Sentence())
//
// Each answer begins with a Method: how it was found, its assumptions, its largest error, and the
// parts of the cluster that it does not model, with the number of pods of the answer that have them.
package question

import (
	"slices"
	"strconv"
	"strings"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
	"parley/core/rng"
	"parley/core/unit"
)

// Method describes how an answer was found.
type Method struct {
	How string `json:"how"`
	// Assumptions are the assumptions of the answer.
	Assumptions []string `json:"assumptions"`
	// Bound is a sentence on the largest error of the answer.
	Bound string `json:"bound"`
	// Caveats are holes of the dump that could change the answer.
	Caveats []string `json:"unsure,omitempty"`
	// NotModelled lists the features of the cluster that no constraint models.
	NotModelled []Omission `json:"not_modelled"`
}

// Omission is something that is not modelled.
type Omission struct {
	Feature string `json:"what"`
	Count   int    `json:"count"`
	// Affected is the number of pods that the answer is about and that have it; a lower bound if
	// only some of those that have it are known by name.
	Affected int  `json:"touches"`
	some     bool // only some pods are known by name
	whole    bool // no pods are: it is about the whole cluster
}

// query is a question in progress: a cluster, a profile, and data that all questions need.
type query struct {
	c        *kube.Cluster
	p        *constraint.Profile
	draws    *rng.Stream
	affected map[int]bool // pods that the answer is about
	fresh    *plane.NewNodes
}

func newQuery(c *kube.Cluster, p *constraint.Profile, seed uint64, name string) *query {
	return &query{c: c, p: p, draws: rng.New(seed, name), affected: map[int]bool{}, fresh: plane.NewNodesOf(c)}
}

// draw decides between nodes with the same score, as the scheduler does.
func (a *query) draw(n int) int { return a.draws.Intn(n) }

// method returns the method of an answer with the unmodelled features of the cluster, each with the number
// of touched pods that have it: call it when touched is complete.
func (a *query) method(how, bound string, assumptions ...string) Method {
	m := Method{How: how, Bound: bound, Assumptions: assumptions, Caveats: a.holes(), NotModelled: []Omission{}}
	if one := a.oneNamespace(); one != "" {
		m.Assumptions = append(m.Assumptions, "All pods of the dump are of the namespace "+one+": if it was fetched without -A, those of other namespaces are missing and hold no room here.")
	}
	for _, u := range a.c.Unmodelled {
		if u.Subject == kube.OtherScheduler {
			continue // those of them that are not known are counted below
		}
		o := Omission{Feature: u.Subject, Count: u.Count, whole: u.Pods == nil}
		o.some = u.Pods != nil && len(u.Pods) < u.Count
		for _, pod := range u.Pods {
			if a.affected[pod] {
				o.Affected++
			}
		}
		m.NotModelled = append(m.NotModelled, o)
	}
	other, touches := 0, 0
	for i := range a.c.Pods {
		if a.foreign(i) {
			other++
			if a.affected[i] {
				touches++
			}
		}
	}
	if other > 0 {
		m.NotModelled = append(m.NotModelled, Omission{Feature: "pods of a scheduler whose configuration was not given", Count: other, Affected: touches})
	}
	if o := a.strange(); o.Count > 0 {
		m.NotModelled = append(m.NotModelled, o)
	}
	for _, feature := range a.p.Unmodelled {
		m.NotModelled = append(m.NotModelled, Omission{Feature: "of the scheduler's configuration, " + feature, Count: 1, whole: true})
	}
	return m
}

// oneNamespace returns the namespace of all pods, "" if they have several.
func (a *query) oneNamespace() string {
	one := ""
	for i := range a.c.Pods {
		switch p := &a.c.Pods[i]; {
		case one == "":
			one = p.Namespace
		case one != p.Namespace:
			return ""
		}
	}
	return one
}

// foreign reports whether a pod names a scheduler whose profile is not known.
func (a *query) foreign(pod int) bool { return plane.Foreign(a.p, &a.c.Pods[pod]) }

// alike identifies pods that no constraint distinguishes.
type alike struct {
	spec      *kube.Spec
	labels    *kube.Label
	namespace string
	alone     int // 1 + the pod, if its claims set it apart
}

// alike returns the key of a pod and the pods like it.
func (a *query) alike(pod int) alike { return alikeOf(&a.c.Pods[pod], pod) }

// alikeOf is alike of a pod of any cluster.
func alikeOf(p *kube.Pod, place int) alike {
	like := alike{spec: p.Spec, namespace: p.Namespace}
	if len(p.Labels) > 0 {
		like.labels = &p.Labels[0]
	}
	if len(p.Claims) > 0 {
		like.alone = 1 + place
	}
	return like
}

// waiting is a sentence about pods that are pending in the dump, with a space before it; "" if none is.
func (a *query) waiting() string {
	n := a.pending()
	if n == 0 {
		return ""
	}
	return " " + count(n, "pod is pending in the dump and stays so: it could take room that is counted here.", "pods are pending in the dump and stay so: they could take room that is counted here.")
}

// pending counts the pods that wait for a node.
func (a *query) pending() (n int) {
	for i := range a.c.Pods {
		if p := &a.c.Pods[i]; p.Pending() && !p.Manifest {
			n++
		}
	}
	return n
}

// fate returns the fate of a pod that leaves its node.
func (a *query) fate(pod int) plane.Fate { return plane.FateOf(&a.c.Pods[pod]) }

// strange returns an Omission for the pods whose controllers are of a kind that is not known; Count is 0 if
// there are none.
func (a *query) strange() (o Omission) {
	var kinds []string
	for i := range a.c.Pods {
		kind := a.c.Pods[i].Owner.Kind
		if !plane.UnknownKind(kind) {
			continue
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
		if o.Count++; a.affected[i] {
			o.Affected++
		}
	}
	slices.Sort(kinds)
	o.Feature = "controllers of the kind " + strings.Join(kinds, ", ") + ": their pods are taken to be made anew on any node"
	return o
}

// sign returns -1, 0 or 1, as x is below, equal to or above 0.
func sign(x int64) int64 {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}

// Move is a pod that gets another node.
type Move struct {
	Pod    string `json:"pod"`
	From   string `json:"from,omitempty"`
	To     string `json:"to"`
	Reason string `json:"why,omitempty"`
}

// Stuck is a pod that stays pending, with the scheduler's own message.
type Stuck struct {
	Pod     string `json:"pod"`
	Reason  string `json:"reason"` // on most nodes
	Message string `json:"message"`
}

// Reason is a reason with its number of occurrences.
type Reason struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// tally counts reasons, most first, then by text.
func tally(reasons []string) []Reason {
	counts := map[string]int{}
	for _, r := range reasons {
		counts[r]++
	}
	return ranked(constraint.Ranked(counts))
}

// ranked returns counts of the filters as those of an answer.
func ranked(counts []constraint.Count) []Reason {
	out := make([]Reason, len(counts))
	for i, c := range counts {
		out[i] = Reason{c.Reason, c.Nodes}
	}
	return out
}

// count writes a number and its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}

// number writes a number with commas between thousands.
func number(n int) string { return unit.Grouped(strconv.Itoa(n)) }

// amount writes an amount of a resource with its name, unless its unit says it.
func amount(resource string, n int64) string {
	switch resource {
	case "cpu":
		return Amount(resource, n)
	case "memory", "ephemeral-storage":
		return Amount(resource, n) + map[bool]string{true: " of ephemeral storage"}[resource != "memory"]
	}
	return Amount(resource, n) + " " + resource
}
