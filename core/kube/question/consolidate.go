package question

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/core/kube"
	"parley/core/kube/constraint"
)

// ConsolidateOptions say what nodes cost.
type ConsolidateOptions struct {
	Prices *Table
	Seed   uint64
	Most   int // commands, 0 for 100
}

// Consolidated is what Karpenter would remove and replace, one command after another.
type Consolidated struct {
	Method   Method         `json:"method"`
	Unsure   []string       `json:"unsure"`
	Nodes    int            `json:"nodes"` // that Karpenter made
	Others   int            `json:"other_nodes"`
	Commands []Command      `json:"commands"`
	Removed  int            `json:"removed"` // nodes, those that are replaced included
	Added    int            `json:"added"`
	Saved    *Money         `json:"saved,omitempty"` // what the removed nodes cost beyond the added ones
	Kept     []Unchanged    `json:"kept"`
	Reasons  []Reason       `json:"reasons"`
	Allowed  []PoolDisrupts `json:"pools"`
	Ended    bool           `json:"search_ended"` // there may be more commands
}

// Command is one act of Karpenter.
type Command struct {
	Kind  string   `json:"kind"`  // empty, multi-node or single-node
	Nodes []string `json:"nodes"` // that are removed
	// Replacement is the machine type of the one node that is added, with its capacity type; "" if none is.
	Replacement string  `json:"replacement,omitempty"`
	Moves       []Move  `json:"moves"`
	Saved       float64 `json:"saved_an_hour"`
	Priced      bool    `json:"priced"`
}

// Unchanged is a node that Karpenter keeps, in its own words.
type Unchanged struct {
	Node   string `json:"node"`
	Reason string `json:"reason"`
	Detail string `json:"detail,omitempty"` // the pod or the budget
}

// PoolDisrupts is a NodePool with how many nodes it may disrupt at a time.
type PoolDisrupts struct {
	Name     string `json:"name"`
	Nodes    int    `json:"nodes"`
	Policy   string `json:"policy"`
	Empty    int    `json:"allowed_empty"`
	Underuse int    `json:"allowed_underutilized"`
}

// Reasons for which budgets hold.
const (
	reasonEmpty    = "Empty"
	reasonUnderuse = "Underutilized"
)

// Limits of Karpenter's searches. (pkg/controllers/disruption/multinodeconsolidation.go)
const mostTogether = 100

// Consolidate returns what Karpenter's consolidation would do with the nodes that it made: empty nodes
// first, then several nodes at a time for at most one cheaper one, then single nodes.
// (sigs.k8s.io/karpenter v1.6.0, pkg/controllers/disruption)
func Consolidate(c *kube.Cluster, p *constraint.Profile, o ConsolidateOptions) *Consolidated {
	if o.Most <= 0 {
		o.Most = 100
	}
	a := ask(c, p, o.Seed, "consolidate")
	out := &Consolidated{Unsure: []string{}, Commands: []Command{}, Kept: []Unchanged{}, Reasons: []Reason{}, Allowed: []PoolDisrupts{}}
	k := &karpenter{asked: a, o: o}
	for at := range c.Nodes {
		if _, own := c.Nodes[at].Labels.Get(kube.KarpenterPool); own {
			out.Nodes++
		} else {
			out.Others++
		}
	}
	for i := range c.Pods {
		if q := &c.Pods[i]; q.Node != kube.Nowhere && a.fate(i) != ends {
			_, own := c.Nodes[q.Node].Labels.Get(kube.KarpenterPool)
			a.touched[i] = own
		}
	}
	out.Allowed = k.pools()
	for {
		one := k.decide()
		if one == nil {
			break
		}
		if len(out.Commands) == o.Most {
			out.Ended = true
			break
		}
		out.Commands = append(out.Commands, *one)
		out.Removed += len(one.Nodes)
		if one.Replacement != "" {
			out.Added++
		}
		k.apply(one)
	}
	out.Kept = append(out.Kept, k.kept...)
	var reasons []string
	for _, x := range out.Kept {
		reasons = append(reasons, x.Reason)
	}
	out.Reasons = tally(reasons)
	out.save(o.Prices)
	out.Unsure = append(out.Unsure, k.unsure(c)...)
	a.c = c
	out.Method = a.method(
		"Karpenter's consolidation is followed command by command, each on the cluster that the one before left: empty nodes, then several nodes whose pods fit on the others and at most one cheaper node (cheapest to disrupt first, by a binary search over how many), then single nodes.",
		"One sequence of many: Karpenter decides every 10 seconds, waits 15 seconds, and drops a command if the cluster has changed meanwhile. Its own scheduler places the pods; here the filters and scores of kube-scheduler do, which may differ where pods have preferences, for Karpenter takes these as required at first.",
		"Nodes have been consolidatable for as long as their NodePool asks (consolidateAfter), and each command has ended, with its budget free again, before the next.",
		"A replacement is of a machine type and zone that nodes of the same NodePool have, with their capacity types and those that its requirements name; it is cheaper than the nodes that it replaces. How large another type is, the dump does not say.",
		"Nodes all live equally long: what is left of their lives does not order them."+a.waiting(),
	)
	out.Method.Assumptions = append(out.Method.Assumptions, o.Prices.notes(c)...)
	return out
}

// save sums what the commands save.
func (out *Consolidated) save(t *Table) {
	if t == nil {
		return
	}
	out.Saved = &Money{Currency: t.Currency}
	for _, x := range out.Commands {
		out.Saved.Hour += x.Saved
		if out.Saved.nodes++; !x.Priced {
			out.Saved.Without++
		}
	}
	out.Saved.Month = out.Saved.Hour * HoursOfMonth
}

// Sentence returns the answer in a few sentences.
func (out *Consolidated) Sentence() string {
	if out.Nodes == 0 {
		return "Karpenter would do nothing: no node of the dump has its label " + kube.KarpenterPool + ". Which nodes can be emptied is the question of drain."
	}
	s := "Karpenter would remove " + number(out.Removed) + " of its " + count(out.Nodes, "node", "nodes")
	if out.Removed == 0 {
		s = "Karpenter would remove none of its " + count(out.Nodes, "node", "nodes")
	}
	kinds := map[string]int{}
	for _, x := range out.Commands {
		kinds[x.Kind] += len(x.Nodes)
	}
	var parts []string
	for _, kind := range []struct{ kind, text string }{{"empty", "empty"}, {"multi-node", "several at a time"}, {"single-node", "one at a time"}} {
		if n := kinds[kind.kind]; n > 0 {
			parts = append(parts, number(n)+" "+kind.text)
		}
	}
	if len(parts) > 0 {
		s += " (" + strings.Join(parts, ", ") + ")"
	}
	if out.Added > 0 {
		s += " and add " + count(out.Added, "cheaper one", "cheaper ones")
	}
	s += "."
	if m := out.Saved; m != nil && out.Removed > 0 {
		switch {
		case m.Without == m.nodes:
			s += " What that saves is unknown: the nodes have no price."
		case m.Without > 0:
			s += fmt.Sprintf(" That saves %.2f %s a month and what the nodes without a price cost.", m.Month, m.Currency)
		default:
			s += fmt.Sprintf(" That saves %.2f %s a month.", m.Month, m.Currency)
		}
	}
	if len(out.Reasons) > 0 {
		s += fmt.Sprintf(" %s, most for this reason: %s.", count(len(out.Kept), "node is kept", "nodes are kept"), out.Reasons[0].Reason)
	}
	return s
}

// Document returns the answer for people.
func (out *Consolidated) Document() Document {
	var commands, moves, kept, pools [][]string
	for i, x := range out.Commands {
		saves := "–"
		if x.Priced {
			saves = fmt.Sprintf("%.2f", x.Saved*HoursOfMonth)
		}
		commands = append(commands, []string{number(i + 1), x.Kind, strings.Join(x.Nodes, ", "), cmp.Or(x.Replacement, "–"), number(len(x.Moves)), saves})
		for _, m := range x.Moves {
			moves = append(moves, []string{number(i + 1), m.Pod, m.From, m.To})
		}
	}
	for _, x := range out.Kept {
		kept = append(kept, []string{x.Node, x.Reason, x.Detail})
	}
	for _, p := range out.Allowed {
		pools = append(pools, []string{p.Name, number(p.Nodes), p.Policy, number(p.Empty), number(p.Underuse)})
	}
	return Document{Title: "What would Karpenter consolidate?", Sentence: out.Sentence(), Method: out.Method, Grids: []Grid{
		unsure(&out.Method, out.Unsure),
		grid("Its commands, in order", []string{"command", "kind", "nodes that go", "node that comes", "pods that move", "saves a month"}, commands, mostRows),
		reasonGrid("Why not more?", "nodes", out.Reasons),
		grid("Nodes that are kept", []string{"node", "reason, in Karpenter's words", "because of"}, kept, mostRows),
		grid("NodePools", []string{"name", "nodes", "consolidation policy", "may go at a time if empty", "if underutilised"}, pools, mostRows),
		grid("Pods that move", []string{"command", "pod", "from", "to"}, moves, mostRows),
	}}
}

// unsure lists what makes the answer unsure.
func (k *karpenter) unsure(c *kube.Cluster) (all []string) {
	if len(c.NodePools) == 0 {
		all = append(all, "the dump has no NodePools: their policies, budgets and requirements are taken to be the defaults; fetch nodepools.karpenter.sh too")
	}
	for i := range c.NodePools {
		for _, b := range c.NodePools[i].Budgets {
			if b.Schedule != "" {
				all = append(all, fmt.Sprintf("a budget of NodePool %s holds at times (%s), and is taken not to hold now", c.NodePools[i].Name, b.Schedule))
			}
		}
	}
	if k.o.Prices == nil {
		all = append(all, "without prices no replacement by a cheaper node is tried: --prices")
	}
	if len(c.Budgets) == 0 {
		all = append(all, "the dump has no disruption budgets: if they were not fetched, nodes may be kept that are removed here")
	}
	return all
}

// poolOf returns the NodePool of a node; one with the defaults if the dump does not have it.
func (k *karpenter) poolOf(n *kube.Node) *kube.NodePool {
	name, _ := n.Labels.Get(kube.KarpenterPool)
	if at := slices.IndexFunc(k.c.NodePools, func(p kube.NodePool) bool { return p.Name == name }); at >= 0 {
		return &k.c.NodePools[at]
	}
	return &kube.NodePool{Name: name}
}
