package question

import (
	"fmt"

	"parley/core/estimate"
	"parley/core/kube"
	"parley/core/kube/constraint"
)

// FitOptions say how many copies are tried at most.
type FitOptions struct {
	Most int // copies that are tried, 0 for 100,000
	Seed uint64
}

// Fits is how many more copies of a pod a cluster takes.
type Fits struct {
	Method Method `json:"method"`
	What   string `json:"what"` // "web/checkout", or "today's mix"
	More   int    `json:"more"` // copies that were placed
	Bound  int    `json:"bound"`
	// Ended means that the search ended at Most with room left.
	Ended bool `json:"ended"`
	// Stops is what stops the next copy, in the scheduler's words.
	Stops    string   `json:"stops,omitempty"`
	Reasons  []Reason `json:"reasons"`
	PerNode  []OnNode `json:"per_node"`
	Requests []string `json:"requests"` // of one copy
	// Interval is the 95 % interval of the mean over arrival orders, of today's mix.
	Interval *estimate.Interval `json:"interval,omitempty"`
	Orders   int                `json:"orders,omitempty"`
}

// OnNode is a number of copies on a node.
type OnNode struct {
	Node   string `json:"node"`
	Copies int    `json:"copies"`
}

// Sentence returns the answer in one or two sentences.
func (f *Fits) Sentence() string {
	s := fmt.Sprintf("%s of %s fit.", count(f.More, "more pod", "more pods"), f.What)
	switch {
	case f.Ended:
		return s + " The search ended there, and there is room for more."
	case f.Bound >= 0 && f.Bound > f.More:
		s += fmt.Sprintf(" No placement takes more than %d.", f.Bound)
	case f.Bound >= 0:
		s += " No placement takes more."
	}
	if len(f.Reasons) > 0 {
		s += fmt.Sprintf(" The next is stopped on %s by: %s.", count(f.Reasons[0].Count, "node", "nodes"), f.Reasons[0].Reason)
	}
	return s
}

const mostCopies = 100_000

// Fit returns how many more copies of a pod the cluster takes, placed one after another as the
// scheduler would, without preemption. what names the pod in a sentence.
func Fit(c *kube.Cluster, p *constraint.Profile, what string, pod kube.Pod, o FitOptions) *Fits {
	a := ask(c, p, o.Seed, "fit")
	if o.Most <= 0 {
		o.Most = mostCopies
	}
	out := &Fits{What: what, PerNode: []OnNode{}, Reasons: []Reason{}}
	claims := len(pod.Claims)
	pod.Claims, pod.NodeName, pod.Node, pod.Deleted, pod.Nominated = nil, "", kube.Nowhere, 0, ""
	for r, n := range pod.Spec.Requests {
		if n > 0 && r != kube.Pods {
			out.Requests = append(out.Requests, amount(c.Resources[r], n))
		}
	}
	// One pod is bound again and again: it counts as many, and its class is worked out once.
	size := min(o.Most, room(c, p, pod))
	out.Bound = size
	copies := make([]kube.Pod, min(size+1, o.Most))
	for i := range copies {
		copies[i] = pod
	}
	first := len(c.Pods)
	s := constraint.New(c.With(nil, copies), p)
	on := make([]int, len(c.Nodes))
	for i := range copies {
		at, v := s.Schedule(first+i, a.draw)
		if at == kube.Nowhere {
			s.Preempt(first+i, v, 0)
			out.Stops, out.Reasons = v.Message(), reasonsOf(v)
			break
		}
		s.Bind(first+i, at)
		out.More++
		on[at]++
	}
	out.Ended = out.More == o.Most
	for at, n := range on {
		if n > 0 {
			out.PerNode = append(out.PerNode, OnNode{c.Nodes[at].Name, n})
		}
	}
	assume := []string{"Nothing else is placed meanwhile, and nothing is preempted."}
	if claims > 0 {
		assume = append(assume, "The copies' volumes are made where the pods are: the pod's own claims do not count.")
	}
	out.Method = a.method(
		"Copies are placed one after another where the scheduler's filters and scores put them, until one stays pending.",
		"The bound adds, node by node, how many copies' requests fit into what is free, where selector, taints and affinity to nodes take them; it forgets topology spread, affinity between pods and ports.",
		assume...,
	)
	return out
}

func reasonsOf(v *constraint.Verdict) []Reason {
	if v.Stop != "" {
		return []Reason{{v.Stop, v.All}}
	}
	return ranked(v.Counts())
}

// room returns a number of copies that no placement exceeds.
func room(c *kube.Cluster, p *constraint.Profile, pod kube.Pod) int {
	s := constraint.New(c.With(nil, []kube.Pod{pod}), p)
	sum := 0
	for at := range c.Nodes {
		if Lasting(s.Why(len(c.Pods), at)) {
			continue
		}
		sum += onNode(s, &pod, at)
		if sum > mostCopies {
			return mostCopies
		}
	}
	return sum
}

// onNode returns how many copies a node's free resources take.
func onNode(s *constraint.State, pod *kube.Pod, at int) int {
	n := max(0, s.Free(at, kube.Pods))
	for r, want := range pod.Spec.Requests {
		if want > 0 && r != kube.Pods {
			n = min(n, max(0, s.Free(at, r))/want)
		}
	}
	if len(pod.Spec.Ports) > 0 {
		n = min(n, 1)
	}
	return int(n)
}

// FitMix returns how many more pods fit if pods like those of today arrive in a random order,
// until the first stays pending: the mean over some orders.
func FitMix(c *kube.Cluster, p *constraint.Profile, orders int, o FitOptions) *Fits {
	a := ask(c, p, o.Seed, "mix")
	if o.Most <= 0 {
		o.Most = mostCopies
	}
	var like []int
	for i := range c.Pods {
		if pod := &c.Pods[i]; pod.Node != kube.Nowhere && a.fate(i) == moves && !a.foreign(i) && len(pod.Claims) == 0 {
			like = append(like, i)
			a.touched[i] = true
		}
	}
	out := &Fits{What: "today's mix", PerNode: []OnNode{}, Reasons: []Reason{}, Bound: -1, Orders: orders}
	var values []float64
	for k := range orders {
		n, v := a.mix(like, o.Most)
		values = append(values, float64(n))
		if k == 0 && v != nil {
			out.Stops, out.Reasons = v.Message(), reasonsOf(v)
		}
		out.Ended = out.Ended || v == nil && len(like) > 0
	}
	if len(values) > 0 {
		e := estimate.Of(values)
		out.More, out.Interval = int(e.Mean), e.Interval
	}
	out.Method = a.method(
		fmt.Sprintf("Copies of the pods that run today arrive in a random order and are placed as the scheduler would, until the first stays pending; the mean over %s.", count(orders, "order", "orders")),
		"No bound: smaller pods still fit after the first that does not.",
		"Pods of DaemonSets, static ones and those with claims are not in the mix.",
	)
	return out
}

// mix places copies of pods in a random order until the first stays pending, and returns their
// number and what stops that one.
func (a *asked) mix(like []int, most int) (int, *constraint.Verdict) {
	if len(like) == 0 {
		return 0, nil
	}
	for size := 1024; ; size *= 4 {
		size = min(size, most)
		draws := *a.draws
		copies := make([]kube.Pod, size)
		for i := range copies {
			one := a.c.Pods[like[a.draws.Intn(len(like))]]
			one.NodeName, one.Node = "", kube.Nowhere
			copies[i] = one
		}
		s := constraint.New(a.c.With(nil, copies), a.p)
		for i := range copies {
			at, v := s.Schedule(len(a.c.Pods)+i, a.draw)
			if at == kube.Nowhere {
				return i, v
			}
			s.Bind(len(a.c.Pods)+i, at)
		}
		if size == most {
			return size, nil
		}
		*a.draws = draws // the same pods again, and more
	}
}
