package question

import (
	"strconv"

	"parley/core/kube"
	"parley/core/kube/constraint"
)

// Waiting describes why the pending pods of a cluster wait.
type Waiting struct {
	Method  Method       `json:"method"`
	Pending int          `json:"pending"`
	Reasons []Reason     `json:"reasons"` // with the number of pods
	Pods    []WaitingPod `json:"pods"`
	Help    []Help       `json:"help"` // most pods first
}

// WaitingPod is a pod that waits, with the scheduler's own message.
type WaitingPod struct {
	Pod     string `json:"pod"`
	Reason  string `json:"reason"`
	Message string `json:"message,omitempty"`
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
	if w.Pending == 0 {
		return "No pod is pending."
	}
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

// Pending returns why each pending pod waits, and what alone keeps it off nodes.
func Pending(c *kube.Cluster, p *constraint.Profile, seed uint64) *Waiting {
	a := ask(c, p, seed, "pending")
	s := constraint.New(c, p)
	out := &Waiting{Reasons: []Reason{}, Pods: []WaitingPod{}, Help: []Help{}}
	var reasons []string
	known, alone := map[alike]WaitingPod{}, map[alike]map[string][]int{}
	helps := map[string]*Help{}
	for i := range c.Pods {
		pod := &c.Pods[i]
		if !pod.Pending() {
			continue
		}
		a.touched[i] = true
		like := a.alike(i)
		one, seen := known[like]
		if !seen || pod.Nominated != "" {
			one, alone[like] = a.waits(s, i)
			known[like] = one
		}
		one.Pod = pod.Full()
		out.Pods = append(out.Pods, one)
		reasons = append(reasons, one.Reason)
		for what, nodes := range alone[like] {
			h := helps[what]
			if h == nil {
				h = &Help{Without: what, Node: c.Nodes[nodes[0]].Name}
				helps[what] = h
			}
			h.Pods++
			h.Nodes = max(h.Nodes, len(nodes))
		}
	}
	out.Pending, out.Reasons = len(out.Pods), tally(reasons)
	counts := map[string]int{}
	for what, h := range helps {
		counts[what] = h.Pods
	}
	for _, r := range ranked(constraint.Ranked(counts)) {
		out.Help = append(out.Help, *helps[r.Reason])
	}
	out.Method = a.method(
		"Each pending pod is judged by the scheduler's filters as the cluster stands. What would help is what alone keeps a pod off a node that all other filters pass.",
		"The answer is about this moment: a pod that a node takes may wait for its turn or its back-off, 10 seconds at most, or be looked at again within 5 minutes.",
		"Quotas, webhooks and admission are not looked at: a pod that they refuse does not exist.",
	)
	return out
}

// waits returns why a pod waits, and the nodes that one thing alone keeps it off, by that.
func (a *asked) waits(s *constraint.State, i int) (WaitingPod, map[string][]int) {
	pod := &a.c.Pods[i]
	switch {
	case len(pod.Spec.Gates) > 0:
		return WaitingPod{Reason: "its scheduling gates hold it back", Message: "Scheduling is blocked due to non-empty scheduling gates"}, nil
	case a.foreign(i):
		return WaitingPod{Reason: "it is of another scheduler, whose configuration was not given"}, nil
	case pod.Nominated != "":
		return WaitingPod{Reason: "pods were preempted for it and have not ended"}, nil
	}
	v := s.Filter(i)
	s.Preempt(i, v, 0)
	if len(v.Nodes) > 0 {
		reason := "a node takes it now"
		if pod.Spec.ResourceClaims > 0 {
			reason = "its resource claims, which are not modelled: all else has a node for it"
		}
		return WaitingPod{Reason: reason}, nil
	}
	alone := map[string][]int{}
	for at := range a.c.Nodes {
		if all := s.WhyAll(i, at); len(all) == 1 && len(all[0].Texts) == 1 {
			alone[all[0].Texts[0]] = append(alone[all[0].Texts[0]], at)
		}
	}
	return WaitingPod{Reason: main(v), Message: v.Message()}, alone
}

// Document returns the answer for people.
func (w *Waiting) Document() Document {
	said := map[string]bool{}
	var messages, pods, help [][]string
	for _, p := range w.Pods {
		pods = append(pods, []string{p.Pod, p.Reason})
		if p.Message != "" && !said[p.Message] {
			said[p.Message] = true
			messages = append(messages, []string{p.Pod, p.Message})
		}
	}
	for _, h := range w.Help {
		help = append(help, []string{h.Without, strconv.Itoa(h.Pods), strconv.Itoa(h.Nodes), h.Node})
	}
	return Document{Title: "Why are pods pending?", Sentence: w.Sentence(), Method: w.Method, Grids: []Grid{
		reasonGrid("What stops them on most nodes", "pods", w.Reasons),
		grid("What would help: nodes that one thing alone keeps them off", []string{"without this", "pods", "nodes, for the pod with most", "such as"}, help, mostRows),
		grid("In the scheduler's own words", []string{"pod", "message"}, messages, mostRows),
		grid("Pending pods", []string{"pod", "why it waits"}, pods, mostRows),
	}}
}
