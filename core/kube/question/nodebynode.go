package question

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/core/kube"
	"parley/core/kube/constraint"
)

// NodeByNode describes why no node takes a pending pod, a node at a time.
type NodeByNode struct {
	Pod     string        `json:"pod"`               // NAMESPACE/NAME
	Reason  string        `json:"reason"`            // as Pending has it: the commonest, or a preemption
	Message string        `json:"message,omitempty"` // of the event FailedScheduling
	Filters []FilterNodes `json:"filters"`           // those that stop the pod first, most nodes first
	// Nodes stand nearest first: by the number of filters, then by the missing share of a resource.
	Nodes []NodeStop `json:"nodes"`

	stops []int // by place of the node in the dump: the index in Filters, -1 if the node takes the pod
}

// FilterNodes is a filter with the number of nodes on which it is the first that stops a pod.
type FilterNodes struct {
	Filter string   `json:"filter"` // the plugin's name, or beforeFilters
	Nodes  int      `json:"nodes"`
	Words  []string `json:"words"` // the scheduler's, each once
}

// NodeStop is why a node does not take a pod.
type NodeStop struct {
	Node    string   `json:"node"`
	Filter  string   `json:"filter"`  // the first that stops the pod, "" if the node takes it
	Filters int      `json:"filters"` // how many stop it
	Why     []string `json:"why"`     // of all of them: the scheduler's words, for resources the amounts
}

// beforeFilters stands for a filter where the scheduler stops a pod before it looks at nodes: the phase in
// which it does.
const beforeFilters = "PreFilter"

// PendingPod is Pending with one pod judged node by node. The pod is NAMESPACE/NAME of a pending pod, or of
// the owner of one. It returns an error if there is no such pod, or if the pod waits for no node: it has
// gates, for example, or is of an unknown scheduler.
func PendingPod(c *kube.Cluster, p *constraint.Profile, pod string, seed uint64) (*Waiting, error) {
	at, owned := kube.Nowhere, kube.Nowhere
	owners := kube.NewOwners(c)
	for i := range c.Pods {
		switch one := &c.Pods[i]; {
		case !one.Pending():
		case one.Full() == pod:
			at = i
		case owned == kube.Nowhere && one.Namespace+"/"+owners.Of(one).Name == pod:
			owned = i
		}
	}
	if at == kube.Nowhere {
		at = owned
	}
	if at == kube.Nowhere {
		return nil, fmt.Errorf("the dump has no pending pod %q and no pending pod of a workload with this name: write NAMESPACE/NAME of one", pod)
	}
	w := Pending(c, p, seed)
	one := w.Pods[slices.IndexFunc(w.Pods, func(x WaitingPod) bool { return x.Pod == c.Pods[at].Full() })]
	if len(c.Pods[at].Spec.Gates) > 0 || one.Message == "" && one.Reason != takesNow {
		return nil, fmt.Errorf("%s waits for no node: %s", one.Pod, one.Reason)
	}
	w.One = nodeByNode(c, constraint.New(c, p), at)
	w.One.Reason, w.One.Message = one.Reason, one.Message
	return w, nil
}

// nodeByNode judges pending pod i on each node of the cluster.
func nodeByNode(c *kube.Cluster, s *constraint.State, i int) *NodeByNode {
	out := &NodeByNode{
		Pod: c.Pods[i].Full(), Filters: []FilterNodes{},
		Nodes: make([]NodeStop, len(c.Nodes)), stops: make([]int, len(c.Nodes)),
	}
	// the largest share of a request that the node lacks
	missing := make([]float64, len(c.Nodes))
	counts, words := map[string]int{}, map[string][]string{}
	for at := range c.Nodes {
		n := &out.Nodes[at]
		n.Node, n.Why = c.Nodes[at].Name, []string{}
		all := s.Reasons(i, at)
		n.Filters = len(all)
		for k, r := range all {
			if k == 0 {
				n.Filter = cmp.Or(r.Plugin, beforeFilters)
				counts[n.Filter]++
				for _, text := range r.Texts {
					if !slices.Contains(words[n.Filter], text) {
						words[n.Filter] = append(words[n.Filter], text)
					}
				}
			}
			if r.Plugin == constraint.NodeResourcesFit {
				var short []string
				short, missing[at] = amounts(c, s, i, at)
				n.Why = append(n.Why, short...)
			} else {
				n.Why = append(n.Why, r.Texts...)
			}
		}
	}
	place := map[string]int{"": -1} // of a filter in Filters
	for k, f := range constraint.Ranked(counts) {
		place[f.Reason] = k
		out.Filters = append(out.Filters, FilterNodes{f.Reason, f.Nodes, words[f.Reason]})
	}
	order := make([]int, len(c.Nodes))
	for at := range order {
		order[at], out.stops[at] = at, place[out.Nodes[at].Filter]
	}
	slices.SortFunc(order, func(x, y int) int {
		return cmp.Or(out.Nodes[x].Filters-out.Nodes[y].Filters, cmp.Compare(missing[x], missing[y]), x-y)
	})
	nearest := make([]NodeStop, len(order))
	for k, at := range order {
		nearest[k] = out.Nodes[at]
	}
	out.Nodes = nearest
	return out
}

// none is the missing share of a resource that a node does not have at all: it is farther than a full node.
const none = 2

// amounts returns, for each resource that node at is short of for pod i, the request beside the free amount,
// and the largest share of a request that is missing, from 0 to 1, or none.
func amounts(c *kube.Cluster, s *constraint.State, i, at int) (words []string, missing float64) {
	has, requested := &c.Nodes[at].Allocatable, s.Requested(at)
	for r, need := range c.Pods[i].Spec.Requests {
		if r == kube.Pods {
			need = 1
		}
		free := has.At(r) - requested.At(r)
		if need <= 0 || need <= free {
			continue
		}
		name := c.Resources[r]
		if all := has.At(r); all > 0 {
			words = append(words, fmt.Sprintf("%s: needs %s, %s of %s free",
				name, Amount(name, need), Amount(name, max(0, free)), Amount(name, all)))
			missing = max(missing, min(1, float64(need-free)/float64(need)))
		} else {
			words = append(words, fmt.Sprintf("%s: needs %s, has none", name, Amount(name, need)))
			missing = none
		}
	}
	return words, missing
}

// Stops returns the filters that stop the pod first, and for each node of the dump in its order the index
// of its filter there, -1 if the node takes the pod. Both are nil without a pod.
func (n *NodeByNode) Stops() (filters []string, stops []int) {
	if n == nil {
		return nil, nil
	}
	for _, f := range n.Filters {
		filters = append(filters, f.Filter)
	}
	return filters, n.stops
}

// sentence is the answer for the one pod.
func (n *NodeByNode) sentence() string {
	if len(n.Nodes) == 0 || n.Nodes[0].Filters == 0 {
		return n.Pod + ": " + takesNow + "."
	}
	first, near := n.Filters[0], n.Nodes[0]
	text := fmt.Sprintf("%s is pending: none of %s takes it, %s by %s (%s). Nearest is %s: %s.",
		n.Pod, count(len(n.Nodes), "node", "nodes"), shareOf(first.Nodes, len(n.Nodes)), first.Filter,
		strings.Join(first.Words, ", "), near.Node, strings.Join(near.Why, "; "))
	if strings.HasPrefix(n.Reason, preempts) {
		text += " T" + n.Reason[1:] + "."
	}
	return text
}

// shareOf returns a number of nodes in words, "all" if there are no others.
func shareOf(n, all int) string {
	if n == all {
		return "all"
	}
	return number(n)
}

// grids are the tables of the one pod, none without it.
func (n *NodeByNode) grids() []Grid {
	if n == nil {
		return nil
	}
	var filters, nodes [][]string
	for _, f := range n.Filters {
		filters = append(filters, []string{f.Filter, strconv.Itoa(f.Nodes), strings.Join(f.Words, "; ")})
	}
	for _, one := range n.Nodes {
		nodes = append(nodes, []string{one.Node, one.Filter, strings.Join(one.Why, "; "), strconv.Itoa(one.Filters)})
	}
	var message [][]string
	if n.Message != "" {
		message = [][]string{{n.Message}}
	}
	return []Grid{
		grid("Filters that stop "+n.Pod+" first", []string{"filter", "nodes", "the scheduler's words"}, filters, maxRows),
		grid("Node by node, nearest first", []string{"node", "stopped by", "needs and has", "filters"}, nodes, maxRows),
		grid("As its event says it", []string{"message"}, message, maxRows),
	}
}
