package question

import (
	"fmt"
	"math"
	"slices"

	"parley/core/estimate"
	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
)

// ScoreOptions say over how many arrival orders configurations are compared.
type ScoreOptions struct {
	// Orders is how many arrival orders are tried; 0 for as many as PlacementBudget placements
	// allow, from 2 to 30.
	Orders int
	Prices *Table
	// ZoneLoss asks of each placement how many pods stay pending if a zone is lost. It takes as
	// many placements again.
	ZoneLoss bool
	Seed     uint64
	// Step receives how many of all placements are done; it may be nil.
	Step func(done, all int)
}

// PlacementBudget is how many placements of a pod Score spends if it may choose the number of
// arrival orders. It exceeds the budget if two orders do.
const PlacementBudget = 400_000

// Configured is a configuration with its name.
type Configured struct {
	Name    string
	Profile *constraint.Profile
}

// Scored is a comparison of configurations of the scheduler.
type Scored struct {
	Method  Method   `json:"method"`
	Orders  int      `json:"orders"`
	Pods    int      `json:"pods"`  // that are placed
	Fixed   int      `json:"fixed"` // that stay where they are
	Nodes   int      `json:"nodes"`
	Figures []string `json:"figures"`
	Columns []Column `json:"configurations"`
}

// Column has the results of one configuration.
type Column struct {
	Name string `json:"name"`
	// Values are means over the orders, Against the differences from the first configuration,
	// pair by pair, with 95 % intervals.
	Values  []float64           `json:"values"`
	Against []estimate.Estimate `json:"against,omitempty"`
	runs    [][]float64
}

// Figures of a comparison.
const (
	NodesUsed     = "nodes used"
	PendingPods   = "pending pods"
	StrandedCPU   = "stranded CPU, %"
	StrandedMem   = "stranded memory, %"
	LargestZone   = "CPU of the fullest zone over the emptiest, points"
	PriceOfAMonth = "price a month"
	LostZone      = "pending pods if the worst zone is lost"
)

// Sentence returns the answer in one or two sentences: the nodes that the best configuration uses, against
// the first one. The result must have the figures in the order in which Score lists them.
func (s *Scored) Sentence() string {
	if len(s.Columns) < 2 {
		return fmt.Sprintf("%s uses %.1f of %d nodes; %.1f pods stay pending.", s.Columns[0].Name, s.Columns[0].Values[0], s.Nodes, s.Columns[0].Values[1])
	}
	best := 1
	for k := range s.Columns[1:] {
		if s.Columns[k+1].Values[0] < s.Columns[best].Values[0] {
			best = k + 1
		}
	}
	b, base := s.Columns[best], s.Columns[0].Name
	if base == "default" {
		base = "kube-scheduler's defaults"
	}
	d := b.Against[0]
	switch {
	case d.Interval == nil || d.SD == 0 && d.Mean == 0:
		return fmt.Sprintf("No configuration is seen to use fewer nodes than %s.", base)
	case d.Low <= 0 && d.High >= 0:
		return fmt.Sprintf("No configuration is seen to use fewer nodes than %s. The difference of the best, %s, is %+.1f nodes (95 %%: %+.1f … %+.1f).", base, b.Name, d.Mean, d.Low, d.High)
	}
	word := "fewer"
	low, high := -d.High, -d.Low
	if d.Mean > 0 {
		word, low, high = "more", d.Low, d.High
	}
	pending := "as many pods stay pending"
	if more := b.Against[1].Mean; more != 0 {
		pending = fmt.Sprintf("pending pods differ by %+.1f", more)
	}
	return fmt.Sprintf("%s uses %.1f nodes %s than %s. The 95 %% interval is %.1f … %.1f nodes; %s.", b.Name, math.Abs(d.Mean), word, base, low, high, pending)
}

// Score compares configurations of the scheduler, at least one: all pods that it placed, and those that are
// pending, arrive one by one in a random order on nodes without them, the same orders and ties for all.
// Pods that no scheduler moves stay where they are. Differences are from the first configuration.
func Score(c *kube.Cluster, configured []Configured, o ScoreOptions) *Scored {
	a := &scoring{query: newQuery(c, configured[0].Profile, o.Seed, "score"), o: o}
	out := &Scored{Nodes: len(c.Nodes), Columns: make([]Column, len(configured))}
	var free []int
	for i := range c.Pods {
		switch f := a.fate(i); {
		case a.foreign(i) || f == plane.Ends || f == plane.GonePod || len(c.Pods[i].Spec.Gates) > 0:
			out.Fixed++
		default:
			free = append(free, i)
			a.affected[i] = true
		}
	}
	out.Pods = len(free)
	each := len(free) * len(configured) // placements of an order
	if o.ZoneLoss {
		a.lost = Groups(c, "zone")
		each *= 2
	}
	if out.Orders = o.Orders; out.Orders == 0 {
		out.Orders = min(30, max(2, PlacementBudget/max(1, each)))
	}
	a.all = each * out.Orders
	out.Figures = []string{NodesUsed, PendingPods, StrandedCPU, StrandedMem, LargestZone}
	if o.Prices != nil {
		out.Figures = append(out.Figures, PriceOfAMonth)
	}
	if len(a.lost) > 0 {
		out.Figures = append(out.Figures, LostZone)
	}
	for k := range configured {
		out.Columns[k].Name = configured[k].Name
		out.Columns[k].runs = make([][]float64, len(out.Figures))
	}
	empty := make([]*constraint.State, len(configured))
	for k := range configured {
		empty[k] = constraint.New(c, configured[k].Profile)
		for _, pod := range free {
			empty[k].Unbind(pod)
		}
	}
	for range out.Orders {
		a.draws.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
		ties := *a.draws // the same for all configurations
		for k := range configured {
			*a.draws = ties
			a.fresh(empty[k].Clone(), free, &out.Columns[k])
		}
	}
	for k := range out.Columns {
		col := &out.Columns[k]
		for i := range out.Figures {
			col.Values = append(col.Values, estimate.Of(col.runs[i]).Mean)
			if k > 0 {
				col.Against = append(col.Against,
					estimate.Of(estimate.Differences(col.runs[i], out.Columns[0].runs[i])))
			}
		}
	}
	how := fmt.Sprintf("All pods that the scheduler places arrive one by one in a random order on nodes without them and are placed by each configuration: %s, the same for all, %d placements.", count(out.Orders, "order", "orders"), a.all)
	if o.Orders == 0 {
		how += fmt.Sprintf(" The number of orders follows from a budget of %d placements; at least 2 and at most 30 are tried.", PlacementBudget)
	}
	if len(a.lost) > 0 {
		how += " After each placement every zone is lost by itself, and its pods are placed again on the other nodes by priority, then by age."
	}
	out.Method = a.method(
		how,
		"Intervals hold the mean difference from the first configuration over arrival orders with 95 % confidence; they say nothing about other sets of pods.",
		"Pods of DaemonSets, static pods, pods with gates and those of other schedulers stay where they are.",
		"Bound volumes stay in their zone; nothing is preempted and no node is added.",
	)
	for i := range configured[1:] {
		for _, feature := range configured[i+1].Profile.Unmodelled {
			out.Method.NotModelled = append(out.Method.NotModelled,
				Omission{Feature: "of the configuration " + configured[i+1].Name + ", " + feature, Count: 1, whole: true})
		}
	}
	out.Method.Assumptions = append(out.Method.Assumptions, o.Prices.notes(c)...)
	return out
}

// scoring is a comparison in work.
type scoring struct {
	*query
	o         ScoreOptions
	lost      []Group // zones that are lost after each placement
	done, all int     // placements
}

// progressEvery is the number of placements between two calls of Step.
const progressEvery = 5000

// place binds pods to nodes of s in the given order, reports the progress, and returns those that no node
// takes.
func (a *scoring) place(s *constraint.State, pods []int) (left []int) {
	for part := range slices.Chunk(pods, progressEvery) {
		left = append(left, a.placeAll(s, part)...)
		a.done += len(part)
		if a.o.Step != nil {
			a.o.Step(a.done, a.all)
		}
	}
	return left
}

// fresh places pods in an order on s, which it changes, and appends each figure of the result to col, in
// the order of Scored.Figures.
func (a *scoring) fresh(s *constraint.State, pods []int, col *Column) {
	pending := len(a.place(s, pods))
	used := make([]bool, len(a.c.Nodes))
	for _, pod := range pods {
		if at := s.NodeOf(pod); at != kube.Nowhere {
			used[at] = true
		}
	}
	var nodes []*kube.Node
	for at, is := range used {
		if is {
			nodes = append(nodes, &a.c.Nodes[at])
		}
	}
	values := []float64{
		float64(len(nodes)), float64(pending), a.stranded(s, used, kube.CPU),
		a.stranded(s, used, kube.Memory), a.zones(s),
	}
	if a.o.Prices != nil {
		values = append(values, a.o.Prices.Cost(nodes).Month)
	}
	if len(a.lost) > 0 {
		values = append(values, float64(a.worstZone(s, pods)))
	}
	for i, v := range values {
		col.runs[i] = append(col.runs[i], v)
	}
}

// worstZone returns how many of the pods that were placed stay pending at most if one zone is lost: each
// zone by itself, on a copy of s.
func (a *scoring) worstZone(s *constraint.State, pods []int) (worst int) {
	zones := make([][]int, len(a.lost))
	of := make([]int, len(a.c.Nodes)) // the zone of each node; -1 for none
	for at := range of {
		of[at] = -1
	}
	for i, zone := range a.lost {
		for _, at := range zone.Nodes {
			of[at] = i
		}
	}
	for _, pod := range pods {
		if at := s.NodeOf(pod); at != kube.Nowhere && of[at] >= 0 {
			zones[of[at]] = append(zones[of[at]], pod)
		}
	}
	for i, zone := range a.lost {
		t := s.Clone()
		for _, at := range zone.Nodes {
			for _, pod := range slices.Clone(t.PodsOn(at)) {
				t.Unbind(pod)
			}
			t.Remove(at)
		}
		worst = max(worst, len(a.place(t, plane.Order(a.c, zones[i]))))
	}
	return worst
}

// stranded returns the part of resource r (CPU or memory) of the used nodes, in percent, that is free on
// nodes whose other resource of the two is more than 90 % requested; 0 without such nodes.
func (a *query) stranded(s *constraint.State, used []bool, r int) float64 {
	other := kube.CPU + kube.Memory - r
	free, all := 0.0, 0.0
	for at := range a.c.Nodes {
		n := &a.c.Nodes[at]
		has := n.Allocatable.At(r)
		if !used[at] || has <= 0 {
			continue
		}
		all += float64(has)
		if 10*s.Free(at, other) < n.Allocatable.At(other) {
			free += float64(max(0, s.Free(at, r)))
		}
	}
	if all == 0 {
		return 0
	}
	return 100 * free / all
}

// zones returns the difference between the zones with the largest and the smallest requested part of their
// CPU, in percentage points; 0 if there is one zone or no CPU.
func (a *query) zones(s *constraint.State) float64 {
	used, has := map[string]int64{}, map[string]int64{}
	for at := range a.c.Nodes {
		n := &a.c.Nodes[at]
		used[n.Zone()] += s.Requested(at).At(kube.CPU)
		has[n.Zone()] += n.Allocatable.At(kube.CPU)
	}
	low, high := math.Inf(1), math.Inf(-1)
	for zone, n := range has { // least and most do not depend on the order
		if n > 0 {
			part := 100 * float64(used[zone]) / float64(n)
			low, high = min(low, part), max(high, part)
		}
	}
	if low > high {
		return 0
	}
	return high - low
}
