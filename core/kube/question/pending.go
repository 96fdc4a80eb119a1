package question

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/core/kube"
	"parley/core/kube/admit"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
)

// Waiting describes why the pending pods of a cluster wait.
type Waiting struct {
	Method  Method       `json:"method"`
	Pending int          `json:"pending"`
	Reasons []Reason     `json:"reasons"` // with the number of pods
	Pods    []WaitingPod `json:"pods"`
	Help    []Help       `json:"help"` // most pods first
	// One is the pod that was chosen, node by node; nil without one.
	One *NodeByNode `json:"node_by_node,omitempty"`
	// Missing are workloads whose pods do not exist, and Starting pods that have a node and have not started.
	Missing  []plane.Missing `json:"missing"`
	Starting []WaitingPod    `json:"starting"`
	// Pools are the NodePools of Karpenter, with the pods that they let in.
	Pools []PoolAdmits `json:"node_pools,omitempty"`
}

// WaitingPod is a pod that waits, with the scheduler's own message.
type WaitingPod struct {
	Pod     string `json:"pod"`
	Reason  string `json:"reason"`
	Message string `json:"message,omitempty"`
	// Said is the message of another component about it, in an event of the dump: of the autoscaler that adds no node.
	Said string `json:"said,omitempty"`
}

// Help is the one thing that keeps pods off nodes: without it these nodes would take them.
type Help struct {
	Without string `json:"without"`
	Pods    int    `json:"pods"`
	Node    string `json:"node"`  // one that would take one of them
	Nodes   int    `json:"nodes"` // most that would take a pod
}

// Sentence returns the answer in one sentence.
func (w *Waiting) Sentence() string {
	if w.One != nil {
		return w.One.sentence()
	}
	if w.Pending == 0 {
		return "No pod is pending." + w.beside()
	}
	return w.sentence() + w.beside()
}

// beside is said of pods that wait for no node.
func (w *Waiting) beside() (s string) {
	pods := 0
	for _, m := range w.Missing {
		pods += m.Pods
	}
	if pods > 0 {
		m := w.Missing[0]
		s = fmt.Sprintf(" %s wanted and not made: %s of %s, for %s.", count(pods, "more pod is", "more pods are"), number(m.Pods), m.Workload, m.Reason)
	}
	for _, p := range w.Pods {
		if p.Said != "" {
			s += fmt.Sprintf(" The event about %s: %s.", p.Pod, strings.TrimSuffix(p.Said, "."))
			break
		}
	}
	if n := len(w.Starting); n > 0 {
		s += fmt.Sprintf(" %s a node and %s not started, as %s %s.", count(n, "pod has", "pods have"),
			map[bool]string{true: "has", false: "have"}[n == 1], w.Starting[0].Pod, w.Starting[0].Reason)
	}
	return s
}

// sentence returns the reasons as one sentence; the fourth and later ones are summed up if there are more
// than four. There must be a pending pod.
func (w *Waiting) sentence() string {
	s := count(w.Pending, "pod is", "pods are") + " pending: "
	if len(w.Reasons) == 1 {
		return s + w.Reasons[0].Reason + "."
	}
	for i, r := range w.Reasons {
		if i == 3 && len(w.Reasons) > 4 {
			return s + "; " + number(rest(w.Reasons[i:])) + " for other reasons."
		}
		if i > 0 {
			s += "; "
		}
		s += number(r.Count) + ": " + r.Reason
	}
	return s + "."
}

func rest(reasons []Reason) (n int) {
	for _, r := range reasons {
		n += r.Count
	}
	return n
}

// Pending returns the reason why each pending pod waits, and in Help the things that alone keep pods off
// nodes. Each pod is judged by itself, as the cluster is now. Pods that no constraint distinguishes share
// one judgement.
func Pending(c *kube.Cluster, p *constraint.Profile, seed uint64) *Waiting {
	a := newQuery(c, p, seed, "pending")
	s := constraint.New(c, p)
	out := &Waiting{Reasons: []Reason{}, Pods: []WaitingPod{}, Help: []Help{}, Starting: []WaitingPod{}}
	quotas := admit.NewQuotas(c)
	var reasons []string
	var waiting []int // for a node
	known, alone := map[alike]WaitingPod{}, map[alike]map[string][]int{}
	helps := map[string]*Help{}
	for i := range c.Pods {
		pod := &c.Pods[i]
		if !pod.Pending() {
			continue
		}
		a.affected[i] = true
		like := a.alike(i)
		one, seen := known[like]
		if refused := quotas.Forbids(pod); pod.Manifest && refused != "" {
			one, seen = WaitingPod{Reason: "the API server refuses it: " + refused}, true
		}
		if !seen || pod.Nominated != "" {
			one, alone[like] = a.waits(s, i)
			known[like] = one
		}
		if one.Message != "" && len(pod.Spec.Gates) == 0 && !pod.DaemonSet() {
			waiting = append(waiting, i)
		}
		one.Pod = pod.Full()
		one.Said = c.Said(kube.Owned{Namespace: pod.Namespace, Owner: kube.Owner{Kind: "Pod", Name: pod.Name}})
		out.Pods = append(out.Pods, one)
		reasons = append(reasons, one.Reason)
		for obstacle, nodes := range alone[like] {
			h := helps[obstacle]
			if h == nil {
				h = &Help{Without: obstacle, Node: c.Nodes[nodes[0]].Name}
				helps[obstacle] = h
			}
			h.Pods++
			h.Nodes = max(h.Nodes, len(nodes))
		}
	}
	out.Pending, out.Reasons = len(out.Pods), tally(reasons)
	counts := map[string]int{}
	for obstacle, h := range helps {
		counts[obstacle] = h.Pods
	}
	for _, r := range ranked(constraint.Ranked(counts)) {
		out.Help = append(out.Help, *helps[r.Reason])
	}
	if len(waiting) > 0 {
		out.Pools = a.admits(waiting)
	}
	out.Missing = plane.MissingPods(c)
	starting, reason := plane.Starting(c)
	for k, i := range starting {
		out.Starting = append(out.Starting, WaitingPod{Pod: c.Pods[i].Full(), Reason: reason[k]})
	}
	out.Method = a.method(
		"Each pending pod is judged by the scheduler's filters as the cluster stands. What would help is what alone keeps a pod off a node that all other filters pass.",
		"The answer is about this moment: a pod that a node takes may wait for its turn or its back-off, 10 seconds at most, or be looked at again within 5 minutes.",
		"Pods that admission refuses do not exist: they are missing at their workload. Quotas, LimitRanges and classes are looked at, webhooks are not.",
	)
	return out
}

// Reasons of pods that more than one function knows.
const (
	takesNow = "a node takes it now"
	preempts = "the scheduler preempts pods of lower priority for it"
)

// waits returns why pod i waits, and, by reason, the places of the nodes that this reason alone keeps it
// off; nil if the nodes do not decide. Message is the scheduler's own, "" if the pod does not wait for a
// node.
func (a *query) waits(s *constraint.State, i int) (WaitingPod, map[string][]int) {
	pod := &a.c.Pods[i]
	switch {
	case len(pod.Spec.Gates) > 0:
		return WaitingPod{Reason: "its scheduling gates hold it back: " + strings.Join(pod.Spec.Gates, ", ") + gateOf(pod.Spec.Gates), Message: "Scheduling is blocked due to non-empty scheduling gates"}, nil
	case a.foreign(i):
		return WaitingPod{Reason: "it is of the scheduler " + pod.Spec.Scheduler + ", whose configuration was not given" + a.idle(pod.Spec.Scheduler)}, nil
	case pod.Nominated != "":
		return WaitingPod{Reason: "pods on " + pod.Nominated + " were preempted for it and have not ended"}, nil
	}
	v := s.Filter(i)
	at, victims := s.Preempt(i, v, 0)
	if at != kube.Nowhere {
		var names []string
		for k, victim := range victims {
			if k == 5 {
				names = append(names, count(len(victims)-k, "other", "others"))
				break
			}
			names = append(names, a.c.Pods[victim].Full())
		}
		reason := preempts + " on " + a.c.Nodes[at].Name + ": " + strings.Join(names, ", ")
		return WaitingPod{Reason: reason, Message: v.Message()}, nil
	}
	if len(v.Nodes) > 0 {
		reason := takesNow
		if pod.Spec.ResourceClaims > 0 {
			reason = "its resource claims, which are not modelled: all else has a node for it"
		}
		return WaitingPod{Reason: reason}, nil
	}
	alone := map[string][]int{}
	for at := range a.c.Nodes {
		if obstacle := onlyReason(s.Reasons(i, at), a.c.Nodes[at].Unschedulable); obstacle != "" {
			alone[obstacle] = append(alone[obstacle], at)
		}
	}
	reason := v.MainReason()
	if reason == constraint.Unselected {
		reason += a.nowhere(pod.Spec)
	}
	return WaitingPod{Reason: reason, Message: v.Message()}, alone
}

// idle doubts that a scheduler runs, if no pod that names it has a node; "" otherwise.
func (a *query) idle(scheduler string) string {
	for i := range a.c.Pods {
		if p := &a.c.Pods[i]; p.Spec.Scheduler == scheduler && p.NodeName != "" {
			return ""
		}
	}
	return " (no pod that names it has a node: is the name right, and does it run?)"
}

// nowhere names the first label of a pod's node selector or required affinity that no node has, with values that nodes
// have of its key; "" if each label alone has a node, or several terms could do.
func (a *query) nowhere(s *kube.Spec) string {
	var wants []kube.Requirement
	for _, l := range s.NodeSelector {
		wants = append(wants, kube.Requirement{Key: l.Key, Op: kube.In, Values: []string{l.Value}})
	}
	if s.NodeRequired != nil && len(s.NodeRequired.Terms) == 1 {
		wants = append(wants, s.NodeRequired.Terms[0].Labels...)
	}
	for _, q := range wants {
		var has []string
		met := false
		for at := range a.c.Nodes {
			labels := a.c.Nodes[at].Labels
			met = met || q.Matches(labels)
			if v, is := labels.Get(q.Key); is && !slices.Contains(has, v) && len(has) < 4 {
				has = append(has, v)
			}
		}
		switch {
		case met || q.Op != kube.In:
		case len(has) == 0:
			return fmt.Sprintf(" (it wants %s=%s, and no node has a label %s)", q.Key, strings.Join(q.Values, " or "), q.Key)
		default:
			return fmt.Sprintf(" (it wants %s=%s, and nodes have %s)", q.Key, strings.Join(q.Values, " or "), strings.Join(has, ", "))
		}
	}
	return ""
}

// onlyReason returns the only reason against a pod on a node, "" if there are several or none. A cordon and
// its taint count as one.
func onlyReason(all []*constraint.Reason, cordoned bool) string {
	const cordon = "node(s) were unschedulable"
	var texts []string
	for _, r := range all {
		for _, text := range r.Texts {
			if !cordoned || text != "node(s) had untolerated taint {"+kube.UnschedulableTaint+": }" {
				texts = append(texts, text)
			}
		}
	}
	switch {
	case len(texts) != 1:
		return ""
	case texts[0] == cordon:
		return "the cordon: kubectl uncordon NODE"
	}
	return texts[0]
}

// gateOf says who takes away a gate whose owner is known.
func gateOf(gates []string) string {
	for _, g := range gates {
		if strings.HasPrefix(g, "kueue.x-k8s.io/") {
			return " (Kueue takes it away when its queue has quota)"
		}
	}
	return ""
}

// Document returns the answer for people.
func (w *Waiting) Document() Document {
	stated := map[string]bool{}
	var messages, pods, help, events [][]string
	for _, p := range w.Pods {
		pods = append(pods, []string{p.Pod, p.Reason})
		if p.Said != "" {
			events = append(events, []string{p.Pod, p.Said})
		}
		if p.Message != "" && !stated[p.Message] {
			stated[p.Message] = true
			messages = append(messages, []string{p.Pod, p.Message})
		}
	}
	for _, h := range w.Help {
		help = append(help, []string{h.Without, strconv.Itoa(h.Pods), strconv.Itoa(h.Nodes), h.Node})
	}
	var missing, starting [][]string
	for _, m := range w.Missing {
		missing = append(missing, []string{m.Workload, strconv.Itoa(m.Pods), m.Reason})
	}
	for _, p := range w.Starting {
		starting = append(starting, []string{p.Pod, p.Reason})
	}
	grids := append([]Grid{caveats(&w.Method, nil)}, w.One.grids()...)
	return Document{Title: "Why are pods pending?", Sentence: w.Sentence(), Method: w.Method, Grids: append(
		grids,
		reasonGrid("What stops them on most nodes", "pods", w.Reasons),
		grid("What would help: nodes that one thing alone keeps them off", []string{"without this", "pods", "nodes, for the pod with most", "such as"}, help, maxRows),
		poolGrid(w.Pools),
		grid("In the scheduler's own words", []string{"pod", "message"}, messages, maxRows),
		grid("In the words of their events", []string{"pod", "event"}, events, maxRows),
		grid("Pending pods", []string{"pod", "why it waits"}, pods, maxRows),
		grid("Pods that are wanted and not made", []string{"of", "pods", "why"}, missing, maxRows),
		grid("Pods that have a node and have not started", []string{"pod", "where and why"}, starting, maxRows),
	)}
}
