package plane

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"parley/core/kube"
	"parley/core/unit"
)

// Reasons for which budgets of NodePools hold.
const (
	Empty         = "Empty"
	Underutilized = "Underutilized"
)

// maxTogether bounds how many nodes one command removes. (disruption/multinodeconsolidation.go)
const maxTogether = 100

// Offer is a node that a NodePool could add. Offers are tried in the order of their prices.
type Offer struct {
	Pool    string
	Like    int    // the node of the dump that it is like
	Machine string // its type
	Spot    bool
	Text    string
	Price   float64 // an hour
	Priced  bool
	Boot    unit.Time // from its creation to Ready
	at      int       // the place of the node that it would add next
}

// KarpenterOptions has the inputs of a play of Karpenter beside the cluster.
type KarpenterOptions struct {
	Offers []Offer
	// Fresh returns a node that an offer adds, with the drivers of its volumes. n counts the nodes of all
	// offers, from 1, so that names differ.
	Fresh func(o *Offer, n int) (kube.Node, []kube.CSINode)
	// Price returns the cost of a node of the cluster per hour, and whether it is known.
	Price func(n *kube.Node) (float64, bool)
	// Unknown returns why it is not known whether a pod finds another node, "" if it is.
	Unknown     func(pod *kube.Pod) string
	MaxCommands int // commands
}

// Kept is a node that Karpenter keeps, with the reason in its words.
type Kept struct {
	Node           int
	Reason, Detail string
}

// Command is one act of Karpenter's disruption controller.
type Command struct {
	Kind  string // empty, multi-node or single-node
	Nodes []int
	New   int    // the place of the node that it adds, kube.Nowhere for none
	Offer *Offer // of that node
	// Moves are the pods that move, as Karpenter plans them: the scheduler may choose other nodes.
	Moves                  []Planned
	Decided, Started, Done unit.Time // Done is -1 while nodes are left
	Drains                 []*Drain
	left                   int
}

// Planned is a pod that moves in a plan.
type Planned struct {
	Pod      string
	From, To int
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

// PoolOf returns the NodePool of a node, or one with its name and the defaults if the cluster lacks it. own
// is false if the node's labels name no NodePool.
func PoolOf(c *kube.Cluster, n *kube.Node) (pool *kube.NodePool, own bool) {
	name, own := n.Labels.Get(kube.KarpenterPool)
	if at := slices.IndexFunc(c.NodePools, func(p kube.NodePool) bool { return p.Name == name }); own && at >= 0 {
		return &c.NodePools[at], true
	}
	return &kube.NodePool{Name: name}, own
}

// Allowed returns how many nodes a NodePool may disrupt now for a reason (Empty or Underutilized), and how
// many it has. Nodes that are not ready or are being removed count against it. Budgets with a schedule count
// if they hold at the moment. (disruption/helpers.go, BuildDisruptionBudgetMapping)
func (k *Karpenter) Allowed(pool *kube.NodePool, reason string) (n, nodes int) {
	busy := 0
	for at := range k.p.c.Nodes {
		x, state := &k.p.c.Nodes[at], &k.p.states[at]
		if name, own := x.Labels.Get(kube.KarpenterPool); own && name == pool.Name && !state.absent {
			if nodes++; x.Ready != kube.ReadyTrue || state.unknown || k.busy[at] || disrupted(x) {
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
		if Holds(&b, k.p.seconds()) && (len(b.Reasons) == 0 || slices.Contains(b.Reasons, reason)) {
			n = min(n, int(b.Nodes.Of(int32(nodes))))
		}
	}
	return max(0, n-busy), nodes
}

// disrupted reports whether Karpenter is removing a node already.
func disrupted(n *kube.Node) bool {
	return slices.ContainsFunc(n.Taints, func(t kube.Taint) bool {
		return t.Key == "karpenter.sh/disrupted" || t.Key == "karpenter.sh/disruption"
	})
}

// candidates returns the nodes that may be disrupted, the cheapest to disrupt first, and notes in Kept why
// the others may not; due is when the next one becomes consolidatable. (disruption/types.go,
// state/statenode.go)
func (k *Karpenter) candidates() (all []candidate) {
	for at := range k.p.c.Nodes {
		n := &k.p.c.Nodes[at]
		pool, own := PoolOf(k.p.c, n)
		if !own || k.p.states[at].absent || k.busy[at] {
			continue
		}
		x := candidate{at: at, pool: pool, spot: n.CapacityType() == kube.Spot}
		keep := func(reason, detail string) { k.Kept = append(k.Kept, Kept{at, reason, detail}) }
		switch {
		case n.Ready != kube.ReadyTrue || k.p.states[at].unknown:
			keep("node isn't initialized", "it is not ready")
			continue
		case disrupted(n):
			keep("node is deleting or marked for deletion", "")
			continue
		case k.nominated[at] > k.p.kernel.Now():
			keep("node is nominated for a pending pod", "")
			continue
		case n.DoNotDisrupt:
			keep(`disruption is blocked through the "karpenter.sh/do-not-disrupt" annotation`, "")
			continue
		case pool.Fixed:
			keep("its NodePool keeps a number of nodes", pool.Name+": spec.replicas")
			continue
		case pool.Never:
			keep("NodePool has consolidation disabled", pool.Name+": consolidateAfter is Never")
			continue
		}
		reason, detail := k.pinned(&x)
		if due := k.p.states[at].event + unit.Time(pool.After)*unit.Second; reason == "" && due > k.p.kernel.Now() {
			k.due = min(k.due, due)
			reason, detail = "node isn't consolidatable", "its last pod came or went less than "+After(unit.Time(pool.After)*unit.Second)+" ago (consolidateAfter of "+pool.Name+")"
		}
		if reason != "" {
			keep(reason, detail)
			continue
		}
		x.price, x.known = k.o.Price(n)
		all = append(all, x)
	}
	slices.SortStableFunc(all, func(x, y candidate) int { return cmp.Compare(x.cost, y.cost) })
	return all
}

// pinned sets in x the pods of the node that must be placed again and the cost of their disruption, of
// about 1 for each pod. It returns the reason to keep the node, "" if there is none; then x is incomplete.
func (k *Karpenter) pinned(x *candidate) (reason, detail string) {
	for _, i := range slices.Sorted(slices.Values(k.p.s.PodsOn(x.at))) {
		q, l := &k.p.c.Pods[i], &k.p.pods[i]
		if q.Mirror || q.Owner.Kind == "Node" || l.terminating && q.Owner.Kind != "StatefulSet" {
			continue
		}
		if q.Pinned(k.p.seconds()) && !l.terminating {
			return podsAnnotation, q.Full()
		}
		if q.DaemonSet() {
			continue
		}
		if of := k.p.budgets.of[i]; len(of) > 0 && !l.terminating {
			b := &k.p.c.Budgets[of[0]]
			if _, _, allowed := k.p.budgets.counts(of[0]); len(of) > 1 || allowed < 1 && !(b.AlwaysAllow && !l.ready) {
				return pdbPrevents, b.Namespace + "/" + b.Name + ", " + q.Full()
			}
		}
		if why := k.o.Unknown(q); why != "" {
			return why, q.Full()
		}
		x.pods = append(x.pods, i)
		x.cost += min(10, max(-10, 1+float64(float64(q.DeletionCost)/(1<<27))+
			float64(float64(q.Spec.Priority)/(1<<25))))
	}
	return "", ""
}

// Methods of Karpenter, in the order in which it tries them.
const (
	byEmptiness = iota
	byMany
	bySingle
	methods
)

// decide returns the next command and the method that found it: of the method from or a later one; nil and
// methods if there is none. It sets Kept anew.
func (k *Karpenter) decide(from int) (*Command, int) {
	k.Kept = nil
	all := k.candidates()
	if from <= byEmptiness {
		if one := k.empty(all); one != nil {
			return one, byEmptiness
		}
	}
	var some []candidate
	left := map[string]int{}
	for _, x := range all {
		keep := func(reason, detail string) { k.Kept = append(k.Kept, Kept{x.at, reason, detail}) }
		if len(x.pods) == 0 {
			keep("no allowed disruptions for disruption reason Empty due to blocking budget", "NodePool "+x.pool.Name)
			continue
		}
		if x.pool.Policy == "WhenEmpty" {
			keep("NodePool has non-empty consolidation disabled", x.pool.Name+": WhenEmpty")
			continue
		}
		if _, counted := left[x.pool.Name]; !counted {
			left[x.pool.Name], _ = k.Allowed(x.pool, Underutilized)
		}
		if left[x.pool.Name] == 0 {
			keep("no allowed disruptions for disruption reason Underutilized due to blocking budget", "NodePool "+x.pool.Name)
			continue
		}
		some = append(some, x)
	}
	if from <= byMany {
		if one := k.together(some, left); one != nil {
			return one, byMany
		}
	}
	for _, x := range some {
		one, reason, detail := k.compute([]candidate{x})
		if one != nil {
			one.Kind = "single-node"
			return one, bySingle
		}
		k.Kept = append(k.Kept, Kept{x.at, reason, detail})
	}
	return nil, methods
}

// empty returns the command that removes the nodes without pods to place, as many as the budgets allow; nil
// if there are none. (disruption/emptiness.go)
func (k *Karpenter) empty(all []candidate) *Command {
	left := map[string]int{}
	one := &Command{Kind: "empty", New: kube.Nowhere, Done: -1}
	for _, x := range all {
		if _, counted := left[x.pool.Name]; !counted {
			left[x.pool.Name], _ = k.Allowed(x.pool, Empty)
		}
		if len(x.pods) == 0 && left[x.pool.Name] > 0 {
			left[x.pool.Name]--
			one.Nodes = append(one.Nodes, x.at)
		}
	}
	if len(one.Nodes) == 0 {
		return nil
	}
	return one
}

// together returns the command that removes the most nodes at a time, by a binary search over the number of
// the first of all; nil if not even two can go. left is how many each NodePool may disrupt.
// (disruption/multinodeconsolidation.go)
func (k *Karpenter) together(all []candidate, left map[string]int) (best *Command) {
	var first []candidate
	left = maps.Clone(left)
	for _, x := range all {
		if left[x.pool.Name] > 0 && len(first) < maxTogether {
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

// compute returns the command that removes some nodes, if their pods find places on the others and at most
// one cheaper new node; nil otherwise, with the reason and its detail. It works in the trial, which it
// restores. (disruption/consolidation.go, computeConsolidation)
func (k *Karpenter) compute(some []candidate) (one *Command, reason, detail string) {
	t := k.trial
	defer t.back(len(t.done))
	one = &Command{New: kube.Nowhere, Done: -1}
	var pods []int
	home := map[int]int{}
	for i := range some {
		one.Nodes = append(one.Nodes, some[i].at)
		for _, pod := range some[i].pods {
			home[pod] = some[i].at
		}
		pods = append(pods, some[i].pods...)
		t.removeWithPods(some[i].at)
	}
	k.order(pods)
	left := k.placeAll(pods)
	if len(left) > 0 {
		if one.Offer, reason, detail = k.replacement(some, left); one.Offer == nil {
			return nil, reason, detail
		}
		one.New = one.Offer.at
	}
	for _, pod := range pods {
		to := k.p.s.NodeOf(pod)
		if k.boots[to] {
			return nil, "would schedule against uninitialized node", k.p.c.Nodes[to].Name + ", " + k.p.full(pod)
		}
		one.Moves = append(one.Moves, Planned{k.p.full(pod), home[pod], to})
	}
	return one, "", ""
}

// replacement lets the node of an offer join in the trial that takes the pods that are left and costs less
// than the nodes that go, and places the pods there: the first such offer, but a spot one first. If none
// does, it returns nil and the reason in Karpenter's words, and leaves the trial as it was.
func (k *Karpenter) replacement(some []candidate, left []int) (*Offer, string, string) {
	first := k.p.full(left[0]) + ": " + k.p.s.Filter(left[0]).MainReason()
	price, known, spot := 0.0, true, true
	for _, x := range some {
		price, known, spot = price+x.price, known && x.known, spot && x.spot
	}
	var fit []*Offer
	spots := false
	for i := range k.o.Offers {
		o := &k.o.Offers[i]
		if !slices.ContainsFunc(some, func(c candidate) bool { return c.pool.Name == o.Pool }) {
			continue
		}
		mark := len(k.trial.done)
		k.fresh.joins(k.trial, o.at)
		if len(k.placeAll(left)) == 0 {
			fit = append(fit, o)
			spots = spots || o.Spot
		}
		k.trial.back(mark)
	}
	if len(fit) > 0 && spot && spots {
		return nil, "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node", ""
	}
	worst := worstPrices(fit)
	cheaper := slices.DeleteFunc(slices.Clone(fit), func(o *Offer) bool {
		return !known || !o.Priced || worst[o.launch()] >= price
	})
	largest := price
	if len(some) > 1 { // one of the same type that is not cheaper than the present node, which then stays
		largest = min(largest, k.sameType(some, cheaper))
	}
	var best *Offer
	for _, o := range cheaper {
		if worst[o.launch()] < largest && (best == nil || o.Spot && !best.Spot) {
			best = o // of both capacity types it must be spot
		}
	}
	if best != nil {
		k.fresh.joins(k.trial, best.at)
		k.placeAll(left)
		return best, "", ""
	}
	switch {
	case !known || len(k.o.Offers) == 0:
		return nil, "can't remove without another node, and what nodes cost is not known", first
	case len(fit) > 0 || len(some) == 1: // a node like the one that goes takes its pods
		return nil, "Can't replace with a cheaper node", first
	}
	return nil, "Can't remove without creating more than 1 candidate", first
}

// sameType returns the lowest price of the nodes that go whose machine type is offered, MaxFloat64 if none
// is: a replacement must be cheaper. (filterOutSameType)
func (k *Karpenter) sameType(some []candidate, offered []*Offer) float64 {
	lowest := math.MaxFloat64
	for _, x := range some {
		kind := k.p.c.Nodes[x.at].InstanceType()
		if x.known && slices.ContainsFunc(offered, func(o *Offer) bool { return strings.EqualFold(o.Machine, kind) }) {
			lowest = min(lowest, x.price)
		}
	}
	return lowest
}

// launch is what Karpenter asks for: a type of a NodePool. The zone is not its choice.
type launch struct{ pool, machine string }

func (o *Offer) launch() launch { return launch{o.Pool, o.Machine} }

// worstPrices returns what each type costs at most: its price in the dearest zone that does, of spot nodes if there
// are any. (cloudprovider/types.go, WorstLaunchPrice)
func worstPrices(fit []*Offer) map[launch]float64 {
	worst, spot := map[launch]float64{}, map[launch]bool{}
	for _, o := range fit {
		at := o.launch()
		switch {
		case !o.Priced || spot[at] && !o.Spot:
		case o.Spot && !spot[at]:
			worst[at], spot[at] = o.Price, true
		default:
			worst[at] = max(worst[at], o.Price)
		}
	}
	return worst
}

// order sorts pods as Karpenter's scheduler takes them: by CPU, then memory, the largest first, then by age.
// (provisioning/scheduling/queue.go)
func (k *Karpenter) order(pods []int) {
	slices.SortFunc(pods, func(x, y int) int {
		p, q := &k.p.c.Pods[x], &k.p.c.Pods[y]
		return cmp.Or(
			cmp.Compare(q.Spec.Requests.At(kube.CPU), p.Spec.Requests.At(kube.CPU)),
			cmp.Compare(q.Spec.Requests.At(kube.Memory), p.Spec.Requests.At(kube.Memory)),
			cmp.Compare(p.Created, q.Created), cmp.Compare(x, y),
		)
	})
}

// sortNodes sets the order in which Karpenter tries nodes for a pod: by name, then nodes that boot, then the node
// that it could add: a trial has one at most.
// (provisioning/scheduling/scheduler.go, addToExistingNode, calculateExistingNodeClaims)
func (k *Karpenter) sortNodes() {
	nodes := k.p.c.Nodes
	if len(k.byName) != len(nodes) {
		k.byName = k.byName[:0]
		for at := range nodes {
			k.byName = append(k.byName, at)
		}
		slices.SortFunc(k.byName, func(x, y int) int {
			return cmp.Or(strings.Compare(nodes[x].Name, nodes[y].Name), cmp.Compare(x, y))
		})
	}
	k.tried = k.tried[:0]
	var boots, others []int
	for _, at := range k.byName {
		switch {
		case !k.p.states[at].absent:
			k.tried = append(k.tried, at)
		case k.boots[at]:
			boots = append(boots, at)
		default:
			others = append(others, at)
		}
	}
	k.tried = append(append(k.tried, boots...), others...)
}

// placeAll binds pods in the trial, each to the first node of k.tried that takes it, and returns those
// without one. A pod like one that none took is not tried, unless other pods may help it.
func (k *Karpenter) placeAll(pods []int) (left []int) {
	hopeless := map[alike]bool{}
	for _, i := range pods {
		like, shared := k.p.alike(i)
		if shared && hopeless[like] {
			left = append(left, i)
			continue
		}
		if at := k.p.s.FirstOf(i, k.tried); at != kube.Nowhere {
			k.trial.bind(i, at)
			continue
		}
		left = append(left, i)
		if s := k.p.c.Pods[i].Spec; len(s.Spread)+len(s.PodRequired) == 0 { // another pod may let those in
			hopeless[like] = true
		}
	}
	return left
}
