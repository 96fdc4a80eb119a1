package question

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/core/kube"
	"parley/core/kube/constraint"
)

// karpenter decides as Karpenter's disruption controller does. Its cluster changes with each command.
type karpenter struct {
	*asked
	o       ConsolidateOptions
	kept    []Unchanged // of the last decision
	s       *constraint.State
	shapes  []spare
	serial  int
	budgets *constraint.Budgets
}

// spare is a node that could be added.
type spare struct {
	at      int   // its place in the State, where it is removed
	pods    []int // of DaemonSets that run there
	price   float64
	known   bool
	text    string // "m5.large, spot"
	pool    string
	spot    bool
	machine string
}

// candidate is a node that may be disrupted.
type candidate struct {
	at    int
	pods  []int // that must be placed again
	cost  float64
	price float64
	known bool
	spot  bool
	pool  *kube.NodePool
}

// pools returns how many nodes each NodePool may disrupt at a time.
func (k *karpenter) pools() (all []PoolDisrupts) {
	all = []PoolDisrupts{}
	for at := range k.c.Nodes {
		name, own := k.c.Nodes[at].Labels.Get(kube.KarpenterPool)
		if own && !slices.ContainsFunc(all, func(p PoolDisrupts) bool { return p.Name == name }) {
			pool := k.poolOf(&k.c.Nodes[at])
			policy := cmp.Or(pool.Policy, "WhenEmptyOrUnderutilized")
			if pool.Never {
				policy += ", consolidateAfter Never"
			}
			allowed, nodes := k.allowed(pool, reasonEmpty)
			under, _ := k.allowed(pool, reasonUnderuse)
			all = append(all, PoolDisrupts{name, nodes, policy, allowed, under})
		}
	}
	slices.SortFunc(all, func(x, y PoolDisrupts) int { return strings.Compare(x.Name, y.Name) })
	return all
}

// allowed returns how many nodes a NodePool may disrupt now for a reason, and how many it has.
func (k *karpenter) allowed(pool *kube.NodePool, reason string) (n, nodes int) {
	busy := 0
	for at := range k.c.Nodes {
		x := &k.c.Nodes[at]
		if name, own := x.Labels.Get(kube.KarpenterPool); own && name == pool.Name {
			if nodes++; x.Ready != kube.ReadyTrue || disrupted(x) {
				busy++
			}
		}
	}
	budgets := pool.Budgets
	if len(budgets) == 0 {
		budgets = []kube.NodeBudget{{Nodes: kube.IntOrPercent{Value: 10, Percent: true}}}
	}
	n = nodes
	for _, b := range budgets {
		if b.Schedule == "" && (len(b.Reasons) == 0 || slices.Contains(b.Reasons, reason)) {
			n = min(n, int(b.Nodes.Of(int32(nodes)))-busy)
		}
	}
	return max(0, n), nodes
}

// disrupted reports whether Karpenter is removing a node already.
func disrupted(n *kube.Node) bool {
	return slices.ContainsFunc(n.Taints, func(t kube.Taint) bool {
		return t.Key == "karpenter.sh/disrupted" || t.Key == "karpenter.sh/disruption"
	})
}

// candidates returns the nodes that may be disrupted, the cheapest to disrupt first, and notes why the
// others may not.
func (k *karpenter) candidates() (all []candidate) {
	for at := range k.c.Nodes {
		n := &k.c.Nodes[at]
		if _, own := n.Labels.Get(kube.KarpenterPool); !own {
			continue
		}
		x := candidate{at: at, pool: k.poolOf(n), spot: n.CapacityType() == kube.Spot}
		keep := func(reason, detail string) { k.kept = append(k.kept, Unchanged{n.Name, reason, detail}) }
		switch {
		case n.Ready != kube.ReadyTrue:
			keep("node isn't initialized", "it is not ready")
			continue
		case disrupted(n):
			keep("node is deleting or marked for deletion", "")
			continue
		case n.DoNotDisrupt:
			keep(`disruption is blocked through the "karpenter.sh/do-not-disrupt" annotation`, "")
			continue
		case x.pool.Never:
			keep("NodePool has consolidation disabled", x.pool.Name+": consolidateAfter is Never")
			continue
		}
		if reason, detail := k.pinned(&x); reason != "" {
			keep(reason, detail)
			continue
		}
		x.price, x.known = k.o.Prices.Of(n)
		all = append(all, x)
	}
	slices.SortStableFunc(all, func(x, y candidate) int { return cmp.Compare(x.cost, y.cost) })
	return all
}

// pinned finds the pods of a node that must be placed again and what it costs to disrupt them. It returns
// what keeps the node, "" if nothing does.
func (k *karpenter) pinned(x *candidate) (reason, detail string) {
	pods := slices.Sorted(slices.Values(k.s.PodsOn(x.at)))
	for _, i := range pods {
		q := &k.c.Pods[i]
		if q.Mirror || q.Owner.Kind == "Node" || q.Terminating() {
			continue
		}
		if q.DoNotDisrupt {
			return `pod has "karpenter.sh/do-not-disrupt" annotation`, q.Full()
		}
		if q.DaemonSet() {
			continue
		}
		if of := k.budgets.Of(i); len(of) > 0 {
			b := &k.c.Budgets[of[0]]
			if len(of) > 1 || k.budgets.Allowed(of[0]) < 1 && !(b.AlwaysAllow && !q.Ready) {
				return "pdb prevents pod evictions", b.Namespace + "/" + b.Name + ", " + q.Full()
			}
		}
		if why := k.unknown(i); why != "" {
			return why, q.Full()
		}
		x.pods = append(x.pods, i)
		x.cost += min(10, max(-10, 1+float64(float64(q.DeletionCost)/(1<<27))+float64(float64(q.Spec.Priority)/(1<<25))))
	}
	return "", ""
}

// unknown returns why it is not known whether a pod finds another node, "" if it is.
func (k *karpenter) unknown(i int) string {
	switch {
	case k.foreign(i):
		return otherScheduler
	case k.c.Pods[i].Spec.ResourceClaims > 0:
		return devices
	}
	return ""
}

// decide returns the next command, nil if there is none.
func (k *karpenter) decide() *Command {
	k.kept = nil
	k.prepare()
	all := k.candidates()
	if one := k.empty(all); one != nil {
		return one
	}
	var some []candidate
	left := map[string]int{}
	for _, x := range all {
		n := &k.c.Nodes[x.at]
		if len(x.pods) == 0 {
			k.kept = append(k.kept, Unchanged{n.Name, "no allowed disruptions for disruption reason Empty due to blocking budget", "NodePool " + x.pool.Name})
			continue
		}
		if x.pool.Policy == "WhenEmpty" {
			k.kept = append(k.kept, Unchanged{n.Name, "NodePool has non-empty consolidation disabled", x.pool.Name + ": WhenEmpty"})
			continue
		}
		if _, counted := left[x.pool.Name]; !counted {
			left[x.pool.Name], _ = k.allowed(x.pool, reasonUnderuse)
		}
		if left[x.pool.Name] == 0 {
			k.kept = append(k.kept, Unchanged{n.Name, "no allowed disruptions for disruption reason Underutilized due to blocking budget", "NodePool " + x.pool.Name})
			continue
		}
		some = append(some, x)
	}
	if one := k.together(some, left); one != nil {
		return one
	}
	for _, x := range some {
		one, why, detail := k.compute([]candidate{x})
		if one != nil {
			one.Kind = "single-node"
			return one
		}
		k.kept = append(k.kept, Unchanged{k.c.Nodes[x.at].Name, why, detail})
	}
	return nil
}

// empty removes all nodes without pods to place, as many as the budgets allow.
func (k *karpenter) empty(all []candidate) *Command {
	left := map[string]int{}
	one := &Command{Kind: "empty", Moves: []Move{}, Priced: true}
	for _, x := range all {
		if _, counted := left[x.pool.Name]; !counted {
			left[x.pool.Name], _ = k.allowed(x.pool, reasonEmpty)
		}
		if len(x.pods) == 0 && left[x.pool.Name] > 0 {
			left[x.pool.Name]--
			one.take(k, &x)
		}
	}
	if len(one.Nodes) == 0 {
		return nil
	}
	return one
}

// take adds a node that goes to a command.
func (one *Command) take(k *karpenter, x *candidate) {
	one.Nodes = append(one.Nodes, k.c.Nodes[x.at].Name)
	one.Saved += x.price
	one.Priced = one.Priced && x.known
}

// together finds the most nodes that go at a time, by a binary search over the first of them.
func (k *karpenter) together(all []candidate, left map[string]int) (best *Command) {
	var first []candidate
	left = maps.Clone(left)
	for _, x := range all {
		if left[x.pool.Name] > 0 && len(first) < mostTogether {
			left[x.pool.Name]--
			first = append(first, x)
		}
	}
	for low, high := 1, len(first)-1; low <= high; {
		mid := (low + high) / 2
		if one, _, _ := k.compute(first[:mid+1]); one != nil {
			one.Kind, best = "multi-node", one
			low = mid + 1
		} else {
			high = mid - 1
		}
	}
	return best
}

// compute places the pods of some nodes on the others and at most one cheaper node. It returns why that
// does not do if it does not. The state is as before afterwards.
func (k *karpenter) compute(some []candidate) (one *Command, why, detail string) {
	one = &Command{Moves: []Move{}, Priced: true}
	var pods []int
	home := map[int]int{}
	price, known, spot := 0.0, true, true
	type gone struct {
		at   int
		pods []int
	}
	var back []gone
	for i := range some {
		x := &some[i]
		one.take(k, x)
		pods = append(pods, x.pods...)
		price, known, spot = price+x.price, known && x.known, spot && x.spot
		on := slices.Clone(k.s.PodsOn(x.at))
		for _, pod := range on {
			home[pod] = x.at
			k.s.Unbind(pod)
		}
		back = append(back, gone{x.at, on})
		k.s.Remove(x.at)
	}
	pods = k.order(pods)
	left := k.placeAll(k.s, pods)
	var added *spare
	if len(left) > 0 {
		added, why, detail = k.replacement(some, left, price, known, spot)
	}
	if len(left) == 0 || added != nil {
		for _, pod := range pods {
			to := k.s.Cluster().Nodes[k.s.On(pod)].Name
			one.Moves = append(one.Moves, Move{Pod: k.c.Pods[pod].Full(), From: k.c.Nodes[home[pod]].Name, To: to})
		}
		if added != nil {
			one.Replacement, one.Saved = added.text, one.Saved-added.price
		}
	}
	for _, pod := range pods {
		k.s.Unbind(pod)
	}
	if added != nil {
		k.take(added, false)
	}
	for _, g := range slices.Backward(back) {
		k.s.Restore(g.at)
		for _, pod := range g.pods {
			k.s.Bind(pod, g.at)
		}
	}
	if len(left) > 0 && added == nil {
		return nil, why, detail
	}
	return one, "", ""
}

// take lets a spare node join with its DaemonSets, or leave.
func (k *karpenter) take(x *spare, on bool) {
	if !on {
		for _, pod := range x.pods {
			k.s.Unbind(pod)
		}
		k.s.Remove(x.at)
		return
	}
	k.s.Restore(x.at)
	for _, pod := range x.pods {
		k.s.Bind(pod, x.at)
	}
}

// replacement lets the cheapest node join that takes the pods that are left, if it is cheaper than the
// nodes that go; it stays joined. If none does, it returns why in Karpenter's words.
func (k *karpenter) replacement(some []candidate, left []int, price float64, known, spot bool) (*spare, string, string) {
	first := k.c.Pods[left[0]].Full() + ": " + main(k.s.Filter(left[0]))
	fits, spots := false, false
	for i := range k.shapes {
		x := &k.shapes[i]
		if !slices.ContainsFunc(some, func(c candidate) bool { return c.pool.Name == x.pool }) || k.same(some, x) {
			continue
		}
		k.take(x, true)
		rest := k.placeAll(k.s, left)
		if len(rest) == 0 {
			switch {
			case !known || !x.known || x.price >= price:
			case spot && x.spot:
				spots = true
			default:
				return x, "", ""
			}
			fits = true
		}
		for _, pod := range left {
			k.s.Unbind(pod)
		}
		k.take(x, false)
	}
	switch {
	case spots:
		return nil, "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node", ""
	case k.o.Prices == nil || !known:
		return nil, "can't remove without another node, and what nodes cost is not known", first
	case fits || len(some) == 1: // a node like the one that goes takes its pods
		return nil, "Can't replace with a cheaper node", first
	}
	return nil, "Can't remove without creating more than 1 candidate", first
}

// same reports whether a spare node is of the type and capacity type of a node that goes: one of the same
// type is no replacement.
func (k *karpenter) same(some []candidate, x *spare) bool {
	return slices.ContainsFunc(some, func(c candidate) bool {
		n := &k.c.Nodes[c.at]
		return strings.EqualFold(n.InstanceType(), x.machine) && c.spot == x.spot
	})
}

// prepare makes the state of the cluster as it is now, with the nodes that could be added.
func (k *karpenter) prepare() {
	k.daemons = nil
	k.shapes = nil
	nodes, daemons, drivers := k.catalogue()
	c := k.c.With(nodes, daemons)
	c.CSINodes = slices.Concat(c.CSINodes, drivers)
	k.s, k.budgets = constraint.New(c, k.p), constraint.NewBudgets(c)
	for i := range k.shapes {
		x := &k.shapes[i]
		x.pods = slices.Clone(k.s.PodsOn(x.at))
		k.take(x, false)
	}
	k.placeAll(k.s, k.order(k.waitingNow()))
	slices.SortStableFunc(k.shapes, func(x, y spare) int { return cmp.Compare(x.price, y.price) })
}

// waitingNow returns the pods that wait for a node and that the scheduler places.
func (k *karpenter) waitingNow() (all []int) {
	for i := range k.c.Pods {
		if q := &k.c.Pods[i]; q.Pending() && !q.DaemonSet() && len(q.Spec.Gates) == 0 && !k.foreign(i) && q.Spec.ResourceClaims == 0 {
			all = append(all, i)
		}
	}
	return all
}

// catalogue returns a node of each type, zone and capacity type that a NodePool could add.
func (k *karpenter) catalogue() (nodes []kube.Node, daemons []kube.Pod, drivers []kube.CSINode) {
	if k.o.Prices == nil {
		return nil, nil, nil
	}
	known := map[[4]string]bool{}
	for at := range k.c.Nodes {
		n := &k.c.Nodes[at]
		pool, own := n.Labels.Get(kube.KarpenterPool)
		if !own {
			continue
		}
		capacities := []string{cmp.Or(n.CapacityType(), kube.OnDemand)}
		for _, other := range k.poolOf(n).Capacities {
			if other = kube.CapacityOf(other); !slices.Contains(capacities, other) {
				capacities = append(capacities, other)
			}
		}
		for _, capacity := range capacities {
			key := [4]string{pool, n.InstanceType(), n.Zone(), capacity}
			if known[key] || len(known) == mostShapes {
				continue
			}
			known[key] = true
			made, pods := k.newNodes(n, 1, nil)
			one := made[0]
			k.serial++
			one.Name = fmt.Sprintf("new-%d", k.serial)
			one.Labels = with(k.renamed(n, one.Name), "karpenter.sh/capacity-type", capacity)
			price, priced := k.o.Prices.Of(&one)
			k.shapes = append(k.shapes, spare{at: len(k.c.Nodes) + len(nodes), price: price, known: priced, text: n.InstanceType() + ", " + capacity + ", " + one.Name, pool: pool, spot: capacity == kube.Spot, machine: n.InstanceType()})
			for _, pod := range pods {
				pod.NodeName = one.Name
				daemons = append(daemons, pod)
			}
			nodes = append(nodes, one)
			drivers = append(drivers, k.driversOf(n, []kube.Node{one})...)
		}
	}
	return nodes, daemons, drivers
}

// with returns labels with another value of a key.
func with(labels kube.Labels, key, value string) kube.Labels {
	out := slices.DeleteFunc(slices.Clone(labels), func(l kube.Label) bool { return l.Key == key })
	out = append(out, kube.Label{Key: key, Value: value})
	slices.SortFunc(out, func(a, b kube.Label) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// apply changes the cluster as a command does.
func (k *karpenter) apply(one *Command) {
	c := k.s.Cluster()
	d := *k.c
	to := map[string]string{}
	for _, m := range one.Moves {
		to[m.Pod] = m.To
	}
	d.Nodes, d.Pods = nil, nil
	gone, come := map[string]bool{}, map[string]bool{}
	for _, name := range one.Nodes {
		gone[name] = true
	}
	for _, name := range to {
		come[name] = true
	}
	for at := range c.Nodes {
		n := &c.Nodes[at]
		if !gone[n.Name] && (at < len(k.c.Nodes) || come[n.Name]) {
			d.Nodes = append(d.Nodes, *n)
		}
	}
	for i := range c.Pods {
		q := c.Pods[i]
		if name, moves := to[q.Full()]; moves && i < len(k.c.Pods) {
			q.NodeName = name
		} else if gone[q.NodeName] || i >= len(k.c.Pods) && !come[q.NodeName] {
			continue
		}
		d.Pods = append(d.Pods, q)
	}
	d.CSINodes = c.CSINodes
	d.Link()
	k.c = &d
}
