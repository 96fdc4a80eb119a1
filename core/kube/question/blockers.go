package question

import (
	"fmt"
	"strconv"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
)

// Blocked lists the obstacles to emptying nodes, by the rules of the tools that empty them.
type Blocked struct {
	Method   Method    `json:"method"`
	Nodes    int       `json:"nodes"`
	Rules    []Rule    `json:"rules"`
	Blockers []Blocker `json:"blockers"` // in the order of nodes and pods
	Idle     []string  `json:"budgets_of_no_pod,omitempty"`
}

// Rule is a rule that keeps nodes, with their number and that of the pods.
type Rule struct {
	By     string `json:"by"`
	Reason string `json:"reason"`
	Nodes  int    `json:"nodes"`
	Pods   int    `json:"pods"`
}

// Blocker is an obstacle on one node.
type Blocker struct {
	Node   string `json:"node"`
	Pod    string `json:"pod,omitempty"` // "" if the node itself has a mark
	By     string `json:"by"`
	Reason string `json:"reason"`
	Detail string `json:"detail,omitempty"` // the budget, or the volumes
}

// Sentence returns the answer in one sentence.
func (b *Blocked) Sentence() string {
	kept := map[string]map[string]bool{}
	for _, x := range b.Blockers {
		if kept[x.By] == nil {
			kept[x.By] = map[string]bool{}
		}
		kept[x.By][x.Node] = true
	}
	return fmt.Sprintf("Of %s, something blocks %s on %s, the cluster autoscaler on %s and Karpenter on %s.",
		count(b.Nodes, "node", "nodes"), plane.ByDrain, number(len(kept[plane.ByDrain])),
		number(len(kept[plane.ByAutoscaler])), number(len(kept[plane.ByKarpenter])))
}

// Blockers returns which pods, budgets, volumes and annotations keep which nodes from being emptied, by the
// rules of kubectl drain, the cluster autoscaler and Karpenter, whether or not their pods have another
// node. Idle are the budgets that cover no pod.
func Blockers(c *kube.Cluster) *Blocked {
	a := newQuery(c, constraint.Default(), 0, "blockers")
	budgets := constraint.NewBudgets(c)
	left := plane.NewLeftovers(c)
	out := &Blocked{Nodes: len(c.Nodes), Rules: []Rule{}, Blockers: []Blocker{}}
	on := make([][]int, len(c.Nodes))
	for i := range c.Pods {
		if at := c.Pods[i].Node; at != kube.Nowhere {
			on[at] = append(on[at], i)
		}
	}
	for at := range c.Nodes {
		n := &c.Nodes[at]
		add := func(pod, by, reason, detail string) {
			out.Blockers = append(out.Blockers, Blocker{n.Name, pod, by, reason, detail})
		}
		plane.BlocksNode(n, func(by, reason, detail string) { add("", by, reason, detail) })
		for _, i := range on[at] {
			p := &c.Pods[i]
			a.affected[i] = a.fate(i) != plane.Ends && !p.Terminating()
			plane.Blocks(c, budgets, left, i, func(by, reason, detail string) { add(p.Full(), by, reason, detail) })
		}
	}
	of := make([]int, len(c.Budgets))
	for i := range c.Pods {
		for _, k := range budgets.Of(i) {
			of[k]++
		}
	}
	for k, pods := range of {
		if pods == 0 {
			out.Idle = append(out.Idle, a.budgetNames([]int{k})...)
		}
	}
	out.setRules()
	out.Method = a.method(
		"Each pod of each node is held to the rules of kubectl drain without its flags, of the cluster autoscaler with its defaults and of Karpenter, in their own words.",
		"These rules alone: whether the pods would find another node is asked by a drain.",
		"Budgets are as their statuses say: an eviction that is allowed now uses one up.",
		"The autoscaler's rule for pods in kube-system (UnmovableKubeSystemPod) is applied to pods of any age, as until 2025; newer autoscalers apply it in the first hour of a pod only (kubernetes/autoscaler#7914).",
	)
	return out
}

// setRules sets Rules: for each rule the nodes and the pods that it keeps, the rule with most nodes first.
// Blockers must be grouped by node.
func (b *Blocked) setRules() {
	type key struct{ by, reason string }
	rules, last := map[key]*Rule{}, map[key]string{}
	counts := map[string]int{}
	byText := map[string]key{}
	for _, x := range b.Blockers {
		k := key{x.By, x.Reason}
		if rules[k] == nil {
			rules[k] = &Rule{By: x.By, Reason: x.Reason}
		}
		if last[k] != x.Node {
			rules[k].Nodes++
		}
		if last[k] = x.Node; x.Pod != "" {
			rules[k].Pods++
		}
		text := x.By + "\x00" + x.Reason
		byText[text], counts[text] = k, rules[k].Nodes
	}
	for _, r := range constraint.Ranked(counts) {
		b.Rules = append(b.Rules, *rules[byText[r.Reason]])
	}
}

// Document returns the answer for people.
func (b *Blocked) Document() Document {
	var rules, all, idle [][]string
	for _, name := range b.Idle {
		idle = append(idle, []string{name})
	}
	for _, r := range b.Rules {
		rules = append(rules, []string{r.By, r.Reason, strconv.Itoa(r.Nodes), strconv.Itoa(r.Pods)})
	}
	for _, x := range b.Blockers {
		all = append(all, []string{x.Node, x.Pod, x.By, x.Reason, x.Detail})
	}
	return Document{Title: "What keeps nodes from being emptied?", Sentence: b.Sentence(), Method: b.Method, Grids: []Grid{
		caveats(&b.Method, nil),
		grid("By rule", []string{"who", "reason", "nodes", "pods"}, rules, maxRows),
		grid("By node", []string{"node", "pod", "who", "reason", "what"}, all, maxRows),
		grid("Disruption budgets that select no pod of the dump, and protect nothing", []string{"disruption budget"}, idle, maxRows),
	}}
}
