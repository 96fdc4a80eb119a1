package question

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
	"parley/core/unit"
)

// ConsolidateOptions are the options of Consolidate.
type ConsolidateOptions struct {
	PlayOptions
	Prices      *Table
	MaxCommands int // commands, 0 for 100
	// By is plane.ByAutoscaler, or anything else for Karpenter.
	By string
	// Unneeded, Threshold and MinGroupSize are settings of the autoscaler: for how long a node is not needed before it
	// is removed, the per cent of its CPU or memory below which requests leave it so, and the nodes that each group
	// keeps.
	// 0 for their defaults: 10 minutes, 50 and 1; MinGroupSize is 0 below 0.
	Unneeded                unit.Time
	Threshold, MinGroupSize int
	// Local and System let pods with local storage and pods in kube-system go, as the autoscaler does if its
	// skip-nodes-with-local-storage and skip-nodes-with-system-pods are false.
	Local, System bool
	// Agents leaves pods of DaemonSets out of the requests on a node: the autoscaler's
	// ignore-daemonsets-utilization.
	Agents bool
}

// Consolidated is a consolidation: the nodes that Karpenter would remove and replace, or the cluster autoscaler
// remove, from plays of it.
type Consolidated struct {
	Method     Method         `json:"method"`
	By         string         `json:"by,omitempty"` // plane.ByAutoscaler, "" for Karpenter
	Caveats    []string       `json:"unsure"`
	Nodes      int            `json:"nodes"` // that Karpenter made, or of groups that the autoscaler resizes
	Others     int            `json:"other_nodes"`
	Commands   []Command      `json:"commands"` // of the play with the median times, as the rest
	Removed    int            `json:"removed"`  // nodes, those that are replaced included
	Added      int            `json:"added"`
	Saved      *Money         `json:"saved,omitempty"` // cost of the removed nodes less that of the added ones
	Kept       []Unchanged    `json:"kept"`
	Reasons    []Reason       `json:"reasons"`
	Allowed    []PoolDisrupts `json:"pools"`
	Truncated  bool           `json:"search_ended"` // there may be more commands
	Dropped    int            `json:"dropped"`      // commands that Karpenter found not valid any more before they began
	Plays      int            `json:"plays"`
	MinRemoved int            `json:"fewest_removed"` // of all plays
	MaxRemoved int            `json:"most_removed"`
	Seconds    Span           `json:"seconds"` // until the last node has gone, of the plays in which all go
	// Stuck are nodes that a command empties and that are not empty when nothing happens any more.
	Stuck   []UpgradedNode `json:"not_emptied"`
	Pending []Stuck        `json:"pending"` // new pods that have no node at the end
	watch   *Watch
	older   int // nodes of Provisioners of Karpenter before 0.32
}

// Command is one act of Karpenter or of the autoscaler.
type Command struct {
	Kind  string   `json:"kind"`  // empty, multi-node or single-node; empty or drain
	Nodes []string `json:"nodes"` // that are removed
	// Failed is why the autoscaler keeps its node after all.
	Failed string `json:"failed,omitempty"`
	// Replacement is the machine type of the one node that is added, with its capacity type and name; "" if none is.
	Replacement string  `json:"replacement,omitempty"`
	Moves       []Move  `json:"moves"` // as Karpenter plans them: the scheduler may choose other nodes
	Saved       float64 `json:"saved_an_hour"`
	Priced      bool    `json:"priced"`
	Began       float64 `json:"began"`
	Done        float64 `json:"done"` // -1 if nodes are left
}

// Unchanged is a node that is kept, in the words of Karpenter or the autoscaler.
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

// begin returns an answer without results and the settings of its plays; no plays if own accepts no node.
// own reports whether a node is one that may be consolidated: its pods become touched.
func (a *query) begin(by string, o *ConsolidateOptions, own func(n *kube.Node) bool) (*Consolidated, []plane.Options) {
	all := plays(a.c, a.p, o.PlayOptions)
	out := &Consolidated{
		By: by, Caveats: []string{}, Commands: []Command{}, Kept: []Unchanged{}, Reasons: []Reason{},
		Allowed: []PoolDisrupts{}, Stuck: []UpgradedNode{}, Pending: []Stuck{}, Plays: len(all),
	}
	for at := range a.c.Nodes {
		if own(&a.c.Nodes[at]) {
			out.Nodes++
		} else {
			out.Others++
		}
	}
	for i := range a.c.Pods {
		if q := &a.c.Pods[i]; q.Node != kube.Nowhere && a.fate(i) != plane.Ends {
			a.affected[i] = own(&a.c.Nodes[q.Node])
		}
	}
	if out.Nodes == 0 {
		all = nil // there is nothing to play
	}
	return out, all
}

// counts adds the result of a play to the ranges over all plays: the nodes that it removes, and when the
// last one is gone, -1 if one is not. first is set for the first play, that with the median times.
func (out *Consolidated) counts(first bool, removed int, last unit.Time) {
	if first {
		out.MinRemoved, out.MaxRemoved = removed, removed
	}
	out.MinRemoved, out.MaxRemoved = min(out.MinRemoved, removed), max(out.MaxRemoved, removed)
	if removed > 0 && last >= 0 {
		out.Seconds.add(last, first)
	}
}

// Consolidate plays Karpenter's consolidation of the nodes that it made, or, with By, the cluster
// autoscaler's of those of other groups. The commands are those of the play with the median times; MinRemoved,
// MaxRemoved and Seconds are over all plays.
func Consolidate(c *kube.Cluster, p *constraint.Profile, o ConsolidateOptions) *Consolidated {
	o.MaxCommands = cmp.Or(max(o.MaxCommands, 0), 100)
	a := newQuery(c, p, o.Seed, "consolidate")
	if o.By == plane.ByAutoscaler {
		return a.scaleDown(&o)
	}
	out, all := a.begin("", &o, func(n *kube.Node) bool { _, own := plane.PoolOf(c, n); return own })
	for at := range c.Nodes {
		if label, _ := c.Nodes[at].Group(); label == kube.KarpenterProvisioner {
			out.older++
		}
	}
	for i, options := range all {
		options.Silent = true
		world, k := a.playKarpenter(options, &o, func(k *plane.Karpenter) {
			if i == 0 {
				out.Allowed = a.nodePools(k)
			}
		})
		removed, last := 0, unit.Time(0)
		for _, x := range k.Commands {
			removed += len(x.Nodes)
			if last = max(last, x.Done); x.Done < 0 {
				last = unit.Forever
			}
		}
		if last == unit.Forever {
			last = -1 // a command does not end
		}
		out.counts(i == 0, removed, last)
		if i == 0 {
			out.take(a, world, k, &o)
			a.filmKarpenter(out, options, &o)
		}
	}
	out.Caveats = append(a.karpenterCaveats(&o), out.Caveats...)
	out.Method = a.method(
		"Karpenter's disruption controller is played in virtual time: empty nodes first, then several nodes whose pods fit on the others and at most one cheaper node (cheapest to disrupt first, by a binary search over how many), then single nodes. Each command is validated after 15 seconds, and the next is decided while its nodes are emptied.",
		fmt.Sprintf("Over %s, %s removed. ", count(out.Plays, "play", "plays"), spanned(out.MinRemoved, out.MaxRemoved))+playBound(out.Plays),
		"Karpenter plans each pod on the first node by name that takes it, the largest pod first; kube-scheduler may choose another. The filters are those of kube-scheduler, which may differ if pods have preferences, because Karpenter takes these as required at first.",
		"Nodes of the dump have been consolidatable for as long as their NodePool asks (consolidateAfter); those on which a pod came or began to end in the play wait for it anew.",
		"A replacement is of a machine type and zone that nodes of the same NodePool have, with their capacity types and those that its requirements name; it is cheaper than the nodes that it replaces. How large another type is, the dump does not say.",
		"Nodes all live equally long: what is left of their lives does not order them. Pods of DaemonSets end with their node."+a.waiting(),
	)
	out.Method.Assumptions = append(out.Method.Assumptions, o.Prices.notes(c)...)
	return out
}

// spanned returns how many nodes plays remove.
func spanned(fewest, limit int) string {
	if fewest == limit {
		return count(limit, "node is", "nodes are")
	}
	return fmt.Sprintf("%s to %s are", number(fewest), count(limit, "node", "nodes"))
}

// playKarpenter plays Karpenter until it does nothing more. before, if it is not nil, is called at the
// start of the play. Without prices there are no offers, so that no node is replaced.
func (a *query) playKarpenter(o plane.Options, q *ConsolidateOptions, before func(k *plane.Karpenter)) (*plane.Plane,
	*plane.Karpenter,
) {
	world := plane.New(a.c, o)
	var offers []plane.Offer
	if q.Prices != nil {
		offers = a.fresh.Offers(q.Prices.Of, maxShapes)
	}
	for i := range offers {
		offers[i].Boot, _ = a.bootOf(offers[i].Pool, &o)
	}
	k := world.Consolidate(plane.KarpenterOptions{
		Offers: offers, Fresh: a.fresh.Added, Price: q.Prices.Of,
		Unknown: a.unknown, MaxCommands: q.MaxCommands,
	})
	if before != nil {
		before(k)
	}
	world.Run(unit.Forever, k.Over)
	return world, k
}

// take copies the commands of a play into out, with the cost per hour that each saves, the nodes that are
// not emptied, and the nodes that are kept. Priced is false if a removed node has no price.
func (out *Consolidated) take(a *query, world *plane.Plane, k *plane.Karpenter, o *ConsolidateOptions) {
	c := world.Cluster()
	out.Truncated, out.Dropped = k.More, k.Dropped
	for _, x := range k.Commands {
		one := Command{Kind: x.Kind, Moves: []Move{}, Priced: true, Began: x.Started.Seconds(), Done: -1}
		for _, at := range x.Nodes {
			price, known := o.Prices.Of(&c.Nodes[at])
			one.Nodes, one.Saved, one.Priced = append(one.Nodes, c.Nodes[at].Name), one.Saved+price, one.Priced && known
		}
		if x.New != kube.Nowhere {
			if _, known := a.bootOf(x.Offer.Pool, &plane.Options{}); !known && out.Added == 0 {
				out.Caveats = append(out.Caveats, fmt.Sprintf("how long a node of %s takes to be ready is a guess, %s", x.Offer.Pool, plane.After(plane.DefaultBoot)))
			}
			one.Replacement, one.Saved = x.Offer.Text+", "+c.Nodes[x.New].Name, one.Saved-x.Offer.Price
			out.Added++
		}
		for _, m := range x.Moves {
			one.Moves = append(one.Moves, Move{Pod: m.Pod, From: c.Nodes[m.From].Name, To: c.Nodes[m.To].Name})
		}
		if x.Done >= 0 {
			one.Done = x.Done.Seconds()
		}
		for _, d := range x.Drains {
			if d.Ended < 0 {
				stuck := UpgradedNode{
					Node: c.Nodes[d.Node()].Name, Began: x.Started.Seconds(), Emptied: -1,
					Done: -1, Moved: d.Moved,
				}
				for _, b := range d.Blocks {
					if b.Until < 0 {
						stuck.Blocks = append(stuck.Blocks, cmp.Or(b.Budget, "two budgets"))
					}
				}
				out.Stuck = append(out.Stuck, stuck)
			}
		}
		out.Commands = append(out.Commands, one)
		out.Removed += len(one.Nodes)
	}
	out.close(world, k.Kept, o.Prices)
}

// close copies the nodes that are kept in a play into out, and the new pods that no node takes at its end,
// and sums the savings. The commands must be there.
func (out *Consolidated) close(world *plane.Plane, kept []plane.Kept, prices *Table) {
	var reasons []string
	for _, x := range kept {
		out.Kept = append(out.Kept, Unchanged{world.Cluster().Nodes[x.Node].Name, x.Reason, x.Detail})
		reasons = append(reasons, x.Reason)
	}
	out.Reasons = tally(reasons)
	for _, w := range world.Waiting() {
		if v := world.Verdict(w.Place); w.New && len(v.Nodes) == 0 {
			out.Pending = append(out.Pending, Stuck{w.Pod, v.MainReason(), v.Message()})
		}
	}
	out.Caveats = append(out.Caveats, cutShort(world)...)
	out.save(prices)
}

// nodePools returns, for each NodePool that has nodes, how many of these it may disrupt at a time at the
// start of the play, sorted by name.
func (a *query) nodePools(k *plane.Karpenter) []PoolDisrupts {
	all := []PoolDisrupts{}
	for at := range a.c.Nodes {
		pool, own := plane.PoolOf(a.c, &a.c.Nodes[at])
		if !own || slices.ContainsFunc(all, func(p PoolDisrupts) bool { return p.Name == pool.Name }) {
			continue
		}
		policy := cmp.Or(pool.Policy, "WhenEmptyOrUnderutilized")
		if pool.Never {
			policy += ", consolidateAfter Never"
		}
		empty, nodes := k.Allowed(pool, plane.Empty)
		under, _ := k.Allowed(pool, plane.Underutilized)
		all = append(all, PoolDisrupts{pool.Name, nodes, policy, empty, under})
	}
	slices.SortFunc(all, func(x, y PoolDisrupts) int { return strings.Compare(x.Name, y.Name) })
	return all
}

// save sets Saved to the sum of the commands' savings; nil without prices. Saved.Without counts commands
// with a node that has no price.
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
	who := plane.ByKarpenter
	switch {
	case out.By == plane.ByAutoscaler:
		if who = "The cluster autoscaler"; out.Nodes == 0 {
			return who + " would do nothing: all nodes of the dump belong to Karpenter or to the control plane, or are not machines."
		}
	case out.Nodes == 0:
		if out.older > 0 {
			return fmt.Sprintf("Karpenter is not played: %s its label of versions before 0.32, %s, whose Provisioners are not read. To see which nodes can be emptied, ask drain.", count(out.older, "node has", "nodes have"), kube.KarpenterProvisioner)
		}
		return "Karpenter would do nothing: no node of the dump has its label " + kube.KarpenterPool + ". To see the removals of the cluster autoscaler, ask with --by cluster-autoscaler; to see which nodes can be emptied, ask drain."
	}
	s := who + " would remove " + number(out.Removed) + " of its " + count(out.Nodes, "node", "nodes")
	if out.Removed == 0 {
		s = who + " would remove none of its " + count(out.Nodes, "node", "nodes")
	}
	kinds := map[string]int{}
	for _, x := range out.Commands {
		if x.Failed == "" {
			kinds[x.Kind] += len(x.Nodes)
		}
	}
	var parts []string
	for _, kind := range []struct{ kind, text string }{{"empty", "empty"}, {"multi-node", "several at a time"}, {"single-node", "one at a time"}, {drained, "drained"}} {
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
	if out.Seconds.Plays > 0 && out.Removed > 0 {
		s = strings.TrimSuffix(s, ".") + ", the last after " + out.Seconds.String() + "."
	}
	if n := len(out.Stuck); n > 0 {
		s += fmt.Sprintf(" %s not empty in the end: %s.", count(n, "of these is", "of these are"), cmp.Or(strings.Join(out.Stuck[0].Blocks, ", "), "its pods do not end"))
	}
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
		done := cmp.Or(x.Failed, "–")
		if x.Done >= 0 {
			done = durationText(x.Done)
		}
		commands = append(commands, []string{
			number(i + 1), durationText(x.Began), done, x.Kind, strings.Join(x.Nodes, ", "),
			cmp.Or(x.Replacement, "–"), number(len(x.Moves)), saves,
		})
		for _, m := range x.Moves {
			moves = append(moves, []string{number(i + 1), m.Pod, m.From, m.To})
		}
	}
	var stuck [][]string
	for _, x := range out.Stuck {
		stuck = append(stuck, []string{x.Node, strings.Join(x.Blocks, ", ")})
	}
	for _, x := range out.Kept {
		kept = append(kept, []string{x.Node, x.Reason, x.Detail})
	}
	for _, p := range out.Allowed {
		pools = append(pools, []string{p.Name, number(p.Nodes), p.Policy, number(p.Empty), number(p.Underuse)})
	}
	who := map[bool]string{false: "Karpenter", true: "the autoscaler"}[out.By == plane.ByAutoscaler]
	return Document{Title: "What would " + who + " consolidate?", Sentence: out.Sentence(), Method: out.Method, Watch: out.watch, Grids: []Grid{
		caveats(&out.Method, out.Caveats),
		grid("Its commands, in order", []string{"command", "begins after", "done after", "kind", "nodes that go", "node that comes", "pods that move", "saves a month"}, commands, maxRows),
		reasonGrid("Why not more?", "nodes", out.Reasons),
		grid("Nodes that are kept", []string{"node", "reason, in the words of " + who, "because of"}, kept, maxRows),
		grid("NodePools", []string{"name", "nodes", "consolidation policy", "may go at a time if empty", "if underutilised"}, pools, maxRows),
		grid("Pods that move, as "+who+" plans it", []string{"command", "pod", "from", "to"}, moves, maxRows),
		grid("Nodes that are not emptied", []string{"node", "disruption budgets that allow no eviction"}, stuck, maxRows),
		stuckGrid(out.Pending),
	}}
}

// karpenterCaveats lists the reasons why the answer is unsure.
func (a *query) karpenterCaveats(o *ConsolidateOptions) (all []string) {
	c := a.c
	if len(c.NodePools) == 0 {
		all = append(all, "the dump has no NodePools: their policies, budgets and requirements are taken to be the defaults; fetch nodepools.karpenter.sh too")
	}
	at := plane.Moment(c)
	for i := range c.NodePools {
		p := &c.NodePools[i]
		if p.Policy == "Balanced" {
			all = append(all, fmt.Sprintf("the policy of NodePool %s is Balanced, which weighs savings against disruption: it is played as WhenEmptyOrUnderutilized, which removes more", p.Name))
		}
		for k := range p.Budgets {
			b := &p.Budgets[k]
			if b.Schedule == "" {
				continue
			}
			now := "does not hold"
			if plane.Holds(b, at) {
				now = "holds"
			}
			when := "and the dump has no times: it is taken not to hold"
			if at != 0 {
				when = "and " + now + " at the moment of the dump, " + time.Unix(at, 0).UTC().Format("Mon 15:04 UTC")
			}
			all = append(all, fmt.Sprintf("a budget of NodePool %s holds at times (%s, for %s), %s", p.Name, b.Schedule, plane.After(unit.Time(b.Duration)*unit.Second), when))
		}
	}
	if o.Prices == nil {
		all = append(all, "without prices no replacement by a cheaper node is tried: --prices")
	}
	if len(c.Budgets) == 0 {
		all = append(all, "the dump has no disruption budgets: if they were not fetched, nodes may be kept that are removed here")
	}
	return all
}
