package question

import (
	"fmt"
	"strings"

	"parley/core/estimate"
	"parley/core/kube"
	"parley/core/kube/admit"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
)

// FitOptions say how many copies are tried at most.
type FitOptions struct {
	MaxCopies int // the most copies that are tried; 0: 100,000
	Seed      uint64
}

// Fits is how many more copies of a pod a cluster takes.
type Fits struct {
	Method  Method `json:"method"`
	Subject string `json:"what"`  // "web/checkout", or "today's mix"
	More    int    `json:"more"`  // copies that were placed
	Bound   int    `json:"bound"` // no placement takes more; -1 if no such number is known
	// Truncated means that the search ended at MaxCopies with room left.
	Truncated bool `json:"ended"`
	// Unstarted are copies that the scheduler would place and that would not start there, and why.
	Unstarted []Reason `json:"not_starting,omitempty"`
	// Devices is how many resource claims a copy has: dynamic resource allocation is not modelled.
	Devices int `json:"resource_claims,omitempty"`
	// Refused is why the API server refuses the next copy, or all of them: a quota, a LimitRange, a class. Room
	// is how many copies the nodes would take without that.
	Refused string `json:"refused,omitempty"`
	Room    int    `json:"room,omitempty"`
	// Preempting is how many copies beyond More the scheduler would place in the room of Victims, pods of lower
	// priority.
	Preempting int `json:"more_by_preemption,omitempty"`
	Victims    int `json:"preempted_then,omitempty"`
	// StopReason is the reason against the next copy, in the scheduler's words.
	StopReason string   `json:"stops,omitempty"`
	Reasons    []Reason `json:"reasons"`
	PerNode    []OnNode `json:"per_node"`
	Requests   []string `json:"requests"` // of one copy
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
	s := fmt.Sprintf("%s of %s %s.", count(f.More, "more pod", "more pods"), f.Subject, map[bool]string{true: "fits", false: "fit"}[f.More == 1])
	if f.Devices > 0 {
		s = fmt.Sprintf("How many more of %s fit is not known: a pod has %s (dynamic resource allocation), and which devices are free is not modelled. All else leaves room for %d.", f.Subject, count(f.Devices, "resource claim", "resource claims"), f.More)
	}
	if f.Refused != "" {
		if f.More == 0 {
			s = fmt.Sprintf("No more pod of %s is made.", f.Subject)
		}
		return s + fmt.Sprintf(" The API server refuses %s: %s. The nodes have room for %s.", map[bool]string{true: "it", false: "the next"}[f.More == 0], f.Refused, number(f.Room))
	}
	for _, r := range f.Unstarted {
		s += " " + count(r.Count, "more would be placed and not start: ", "more would be placed and not start: ") + r.Reason + "."
	}
	switch {
	case f.Truncated:
		return s + " The search ended there, and there is room for more."
	case f.Bound >= 0 && f.Bound > f.More:
		s += fmt.Sprintf(" No placement takes more than %s.", number(f.Bound))
	case f.Bound >= 0:
		s += " No placement takes more."
	}
	if f.Preempting > 0 {
		s += fmt.Sprintf(" %s placed by preemption, in the room of %s of lower priority.", count(f.Preempting, "more is", "more are"), count(f.Victims, "pod", "pods"))
		if f.Preempting == mostPreempting {
			s += " The search ended there."
		}
		return s
	}
	if len(f.Reasons) > 0 {
		s += fmt.Sprintf(" The next is stopped on %s by: %s.", count(f.Reasons[0].Count, "node", "nodes"), f.Reasons[0].Reason)
	}
	return s
}

const maxCopies = 100_000

// mostPreempting bounds the copies that are placed by preemption.
const mostPreempting = 1000

// Fit returns how many more copies of a pod the cluster takes, placed one after another as by the
// scheduler, without preemption, until one stays pending. Copies that the scheduler would place and that
// would not start, and those that a quota forbids, do not count in More. The copies of a DaemonSet's pod
// are one for each node that wants one. Sentences name the pod by subject.
func Fit(c *kube.Cluster, p *constraint.Profile, subject string, pod kube.Pod, o FitOptions) *Fits {
	a := newQuery(c, p, o.Seed, "fit")
	if o.MaxCopies <= 0 {
		o.MaxCopies = maxCopies
	}
	out := &Fits{Subject: subject, PerNode: []OnNode{}, Reasons: []Reason{}, Devices: pod.Spec.ResourceClaims}
	for r, n := range pod.Spec.Requests {
		if n > 0 && r != kube.Pods {
			out.Requests = append(out.Requests, amount(c.Resources[r], n))
		}
	}
	for i := range c.Pods {
		if c.Pods[i].Spec == pod.Spec {
			a.affected[i] = true
		}
	}
	// One pod is bound again and again: it counts as many, and its class is worked out once.
	size := min(o.MaxCopies, a.room(pod))
	if pod.DaemonSet() {
		size = min(o.MaxCopies, len(c.Nodes))
	}
	x := plane.CopiesOf(c, pod, min(size+1, o.MaxCopies))
	first := len(c.Pods)
	s := constraint.New(x.Cluster(c), p)
	attached, platforms := plane.NewSingleVolumes(s.Cluster()), plane.NewPlatforms(c)
	on, unstarted := make([]int, len(c.Nodes)), []string{}
	quotas, beyond := admit.NewQuotas(c), 0
	if pod.DaemonSet() {
		a.fitDaemons(s, first, x.Pods, out, quotas, on)
		x.Pods = nil
	}
	for i := range x.Pods {
		at, v := s.Schedule(first+i, a.draw)
		if at == kube.Nowhere {
			to, _ := s.Preempt(first+i, v, 0)
			out.StopReason, out.Reasons = v.Message(), reasonsOf(v)
			if to != kube.Nowhere && len(unstarted)+beyond == 0 {
				a.preempts(pod, quotas, on, out)
			}
			break
		}
		s.Bind(first+i, at)
		if platform := platforms.Foreign(&x.Pods[i], &c.Nodes[at]); platform != "" {
			unstarted = append(unstarted, "the node has another "+platform+" than the pods run on")
			continue
		}
		if other, claim := attached.Elsewhere(s, first+i, at); other >= 0 {
			attached.Wait(first + i)
			unstarted = append(unstarted, "the volume of "+claim+" is ReadWriteOnce and attached to "+c.Nodes[s.NodeOf(other)].Name)
			continue
		}
		if out.Refused == "" {
			out.Refused = quotas.Forbids(&x.Pods[i])
		}
		if out.Refused != "" {
			beyond++
			continue
		}
		quotas.Count(&x.Pods[i], 1)
		out.More++
		on[at]++
	}
	out.Unstarted = tally(unstarted)
	out.Bound = size
	if pod.DaemonSet() {
		out.Bound = out.More
	}
	if len(unstarted) > 0 {
		out.Bound = -1 // how many start depends on where the scheduler puts the others
	}
	out.Truncated = out.More+beyond == o.MaxCopies
	if out.Refused != "" {
		out.Room, out.Bound, out.StopReason, out.Reasons = out.More+beyond, out.More, out.Refused, []Reason{}
	}
	for at, n := range on {
		if n > 0 {
			out.PerNode = append(out.PerNode, OnNode{c.Nodes[at].Name, n})
		}
	}
	assume := []string{"Nothing else is placed meanwhile, and nothing is preempted. Webhooks are not looked at." + a.waiting()}
	if out.Preempting > 0 {
		assume[0] = "Nothing else is placed meanwhile. Pods that are preempted stay pending. Webhooks are not looked at." + a.waiting()
	}
	if x.Own > 0 {
		assume = append(assume, "Each copy has "+count(x.Own, "claim of its own, whose volume is", "claims of its own, whose volumes are")+" made where the pod goes.")
	}
	if len(x.Shared) > 0 {
		assume = append(assume, "All copies use "+strings.Join(x.Shared, ", ")+", as the pods of the workload do.")
	}
	if x.Unknown > 0 {
		assume = append(assume, count(x.Unknown, "claim does", "claims do")+" not count: the dump does not have them with their class; fetch persistentvolumeclaims and storageclasses too.")
	}
	out.Method = a.method(
		"Copies are placed one after another where the scheduler's filters and scores put them, until one stays pending.",
		"The bound adds, node by node, how many copies' requests fit into what is free, where selector, taints and affinity to nodes take them; it forgets topology spread, affinity between pods and ports.",
		assume...,
	)
	out.Method.Caveats = append(out.Method.Caveats, a.resized(&pod)...)
	for _, field := range pod.Spec.Unknown {
		out.Method.Caveats = append(out.Method.Caveats, "not known: "+field)
	}
	return out
}

// preempts sets in out how many further copies of a pod are placed by preemption once those in on, by node, are.
func (a *query) preempts(pod kube.Pod, quotas *admit.Quotas, on []int, out *Fits) {
	x := plane.CopiesOf(a.c, pod, out.More+mostPreempting)
	s, next := constraint.New(x.Cluster(a.c), a.p), len(a.c.Pods)
	for at, n := range on {
		for range n {
			s.Bind(next, at)
			next++
		}
	}
	for ; out.Preempting < mostPreempting && quotas.Forbids(&pod) == ""; next++ {
		at, v := s.Schedule(next, a.draw)
		if at == kube.Nowhere {
			var victims []int
			at, victims = s.Preempt(next, v, 0)
			for _, i := range victims {
				s.Unbind(i)
			}
			out.Victims += len(victims)
		}
		if at == kube.Nowhere {
			return
		}
		s.Bind(next, at)
		quotas.Count(&pod, 1)
		out.Preempting++
	}
}

// resized returns why an answer is unsure about new pods of a workload that a VerticalPodAutoscaler resizes.
func (a *query) resized(pod *kube.Pod) (unsure []string) {
	own := kube.NewOwners(a.c).Of(pod)
	for i := range a.c.Workloads {
		w := &a.c.Workloads[i]
		if w.Resized && w.Namespace == pod.Namespace && (kube.Owner{Kind: w.Kind, Name: w.Name}) == own {
			unsure = append(unsure, "a VerticalPodAutoscaler sets the requests of new pods of "+w.Namespace+"/"+w.Name+", which may differ from those that are counted here")
		}
	}
	return unsure
}

// fitDaemons puts a pod on each node that a DaemonSet wants and that has none of its pods, until a quota
// forbids one, and records the results in out and, by node, in on. pods are the copies; first is the place
// of the first in s. With no pods it does nothing.
func (a *query) fitDaemons(s *constraint.State, first int, pods []kube.Pod, out *Fits, quotas *admit.Quotas, on []int) {
	has := make([]bool, len(a.c.Nodes))
	for i := range a.c.Pods {
		if p := &a.c.Pods[i]; p.Node != kube.Nowhere && len(pods) > 0 && p.Namespace == pods[0].Namespace &&
			p.Owner == pods[0].Owner && !p.Manifest {
			has[p.Node] = true
		}
	}
	var reasons []string
	for at := range a.c.Nodes {
		if len(pods) == 0 {
			break
		}
		if wanted, _ := plane.WantedOn(pods[0].Spec, &a.c.Nodes[at]); has[at] || !wanted {
			continue
		}
		next := first + out.More
		if reason := s.Reason(next, at); reason != nil {
			reasons = append(reasons, reason.Texts...)
			continue
		}
		if out.Refused = quotas.Forbids(&pods[0]); out.Refused != "" {
			break
		}
		quotas.Count(&pods[0], 1)
		s.Bind(next, at)
		out.More++
		if on[at]++; out.More == len(pods) {
			break
		}
	}
	out.Reasons = tally(reasons)
}

func reasonsOf(v *constraint.Verdict) []Reason {
	if v.Stop != "" {
		return []Reason{{v.Stop, v.TotalNodes}}
	}
	return ranked(v.Counts())
}

// room returns an upper bound on the copies that can be placed, at most maxCopies: the sum of onNode over the nodes
// that no lasting reason excludes. It judges one copy, which is behind the pods of the dump.
func (a *query) room(pod kube.Pod) int {
	s := constraint.New(plane.CopiesOf(a.c, pod, 1).Cluster(a.c), a.p)
	sum := 0
	for at := range a.c.Nodes {
		if Lasting(s.Reason(len(a.c.Pods), at)) {
			continue
		}
		sum += onNode(s, &pod, at)
		if sum > maxCopies {
			return maxCopies
		}
	}
	return sum
}

// onNode returns how many copies of a pod fit into a node's free resources; at most one if the pod takes
// ports of the node. It may exceed what other constraints allow.
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

// FitMix returns how many more pods fit if copies of today's pods, drawn at random, arrive until the
// first stays pending. More is the mean over that many orders; StopReason and Reasons are those of the
// first order. There is no Bound.
func FitMix(c *kube.Cluster, p *constraint.Profile, orders int, o FitOptions) *Fits {
	a := newQuery(c, p, o.Seed, "mix")
	if o.MaxCopies <= 0 {
		o.MaxCopies = maxCopies
	}
	var like []int
	for i := range c.Pods {
		if pod := &c.Pods[i]; pod.Node != kube.Nowhere && a.fate(i) == plane.Moves && !a.foreign(i) &&
			len(pod.Claims) == 0 && pod.Spec.ResourceClaims == 0 {
			like = append(like, i)
			a.affected[i] = true
		}
	}
	out := &Fits{Subject: "today's mix", PerNode: []OnNode{}, Reasons: []Reason{}, Bound: -1, Orders: orders}
	var values []float64
	for k := range orders {
		n, v := a.mix(like, o.MaxCopies)
		values = append(values, float64(n))
		if k == 0 && v != nil {
			out.StopReason, out.Reasons = v.Message(), reasonsOf(v)
		}
		out.Truncated = out.Truncated || v == nil && len(like) > 0
	}
	if len(values) > 0 {
		e := estimate.Of(values)
		out.More, out.Interval = int(e.Mean), e.Interval
	}
	out.Method = a.method(
		fmt.Sprintf("Copies of the pods that run today arrive in a random order and are placed as the scheduler would, until the first stays pending; the mean over %s.", count(orders, "order", "orders")),
		"No bound: smaller pods still fit after the first that does not.",
		"Pods of DaemonSets, static ones and those with claims of volumes or devices are not in the mix.",
	)
	return out
}

// mix places copies of pods in a random order until the first stays pending, and returns their
// number and the verdict on that one.
func (a *query) mix(like []int, limit int) (int, *constraint.Verdict) {
	if len(like) == 0 {
		return 0, nil
	}
	for size := 1024; ; size *= 4 {
		size = min(size, limit)
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
		if size == limit {
			return size, nil
		}
		*a.draws = draws // the same pods again, and more
	}
}
