package question

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
	"parley/core/unit"
)

// UpgradeOptions say which nodes are upgraded, and how. The zero value upgrades all but the control plane,
// each pool as those who manage it do.
type UpgradeOptions struct {
	PlayOptions
	Pools []string // names of pools, nil for all
	Nodes []int    // nil for all
	// Surge and Unavailable are nodes at a time, of each pool; nil for its manager's default.
	Surge, Unavailable *kube.IntOrPercent
	// Limit is that of a drain, 0 for the manager's, below 0 for none.
	Limit unit.Time
	Force bool      // when the limit has passed, the pods that are left are deleted
	Stop  bool      // when the limit has passed, the upgrade ends
	Boot  unit.Time // time until a node is ready, 0 to take it from the dump, by pool
}

// Upgraded is how an upgrade of nodes goes.
type Upgraded struct {
	Method   Method         `json:"method"`
	Caveats  []string       `json:"unsure"`
	Nodes    int            `json:"nodes"`    // that are upgraded
	LeftOut  []string       `json:"left_out"` // nodes of the control plane
	Pools    []UpgradedPool `json:"pools"`
	Complete bool           `json:"complete"` // in the play with the median times
	Plays    int            `json:"plays"`
	Stops    int            `json:"plays_that_stop"`
	Seconds  Span           `json:"seconds"` // until it is complete, of the plays that are
	Done     int            `json:"done"`    // nodes
	Steps    []UpgradedNode `json:"steps"`
	// Stopped is the node at which it ends before, "" if it does not.
	Stopped    string         `json:"stopped_at,omitempty"`
	Budgets    []StallingPDB  `json:"budgets"` // that kept pods on their nodes, the longest first
	MaxPending int            `json:"most_pods_pending"`
	Pending    []Stuck        `json:"pending"` // new pods that have no node at the end
	Down       []DownWorkload `json:"without_a_ready_pod"`
	Lost       []string       `json:"lost"`   // pods that nothing makes anew
	Forced     []string       `json:"forced"` // pods that were deleted at the limit
	Data       int            `json:"pods_with_local_data"`
	// Added are nodes that the autoscaler adds.
	Added []AddedNodes `json:"added_nodes,omitempty"`
	watch *Watch
}

// UpgradedPool is a pool with the settings of its upgrade.
type UpgradedPool struct {
	Name        string  `json:"name"`
	Manager     string  `json:"by"` // whose defaults they are
	Nodes       int     `json:"nodes"`
	Surge       int     `json:"surge"` // 0: in place
	Unavailable int     `json:"unavailable"`
	Limit       float64 `json:"drain_limit_seconds,omitempty"`
	AfterLimit  string  `json:"after_the_limit,omitempty"`
	Boot        Span    `json:"boot_seconds"`
	known       bool    // the dump shows it, or it was asked for
}

// UpgradedNode is the upgrade of a node.
type UpgradedNode struct {
	Node    string   `json:"node"`
	Pool    string   `json:"pool"`
	New     string   `json:"new,omitempty"`
	Began   float64  `json:"began"`
	Emptied float64  `json:"emptied"` // -1 if it is not
	Done    float64  `json:"done"`    // -1 if it is not
	Moved   int      `json:"pods"`    // that were evicted
	Blocks  []string `json:"budgets,omitempty"`
}

// StallingPDB is a budget that kept pods on their nodes.
type StallingPDB struct {
	Budget       string  `json:"budget"` // "two budgets" of a pod that has more than one
	Nodes        int     `json:"nodes"`
	Pod          string  `json:"pod"` // the one that was kept longest
	Seconds      float64 `json:"seconds"`
	NeverAllowed bool    `json:"never_allowed"` // it still keeps the pod when the play ends, or the limit passed
	Text         string  `json:"message"`
}

// DownWorkload is a workload that has no ready pod for a time.
type DownWorkload struct {
	Workload string  `json:"workload"`
	Seconds  float64 `json:"seconds"`
	Still    bool    `json:"at_the_end"` // it has none when the play ends
}

// pool is nodes that are upgraded together.
type pool struct {
	UpgradedPool
	by    plane.Manager
	at    []int
	boots []int64
}

// pools groups the nodes that are upgraded by the pool that their labels name, sorted by name, each with
// the settings of its upgrade. left are the names of nodes of the control plane, which are not upgraded.
// Nodes without a label are one pool.
func (a *query) pools(o *UpgradeOptions) (all []*pool, left []string) {
	by := map[string]*pool{}
	for at := range a.c.Nodes {
		n := &a.c.Nodes[at]
		label, name := n.Group()
		switch {
		case o.Nodes != nil && !slices.Contains(o.Nodes, at), len(o.Pools) > 0 && !slices.Contains(o.Pools, name):
			continue
		case n.ControlPlane():
			left = append(left, n.Name)
			continue
		}
		if name == "" {
			name = "nodes without a pool"
		}
		key := label + "\x00" + name
		if by[key] == nil {
			m := plane.ManagerOf(label)
			by[key] = &pool{UpgradedPool: UpgradedPool{Name: name, Manager: m.Name}, by: m}
			all = append(all, by[key])
		}
		p := by[key]
		p.at = append(p.at, at)
		p.joined(n)
	}
	slices.SortStableFunc(all, func(x, y *pool) int { return strings.Compare(x.Name, y.Name) })
	for _, p := range all {
		p.set(o)
	}
	return all, left
}

// joined notes how long a node took to be ready, if the dump shows it.
func (p *pool) joined(n *kube.Node) {
	if took, known := plane.Boot(n); known {
		p.boots = append(p.boots, took)
	}
}

// set computes the settings of a pool: those of its manager, with the options in their place. boots must
// have the boot times that the dump shows; without any and without o.Boot it is a guess, and known is
// false.
func (p *pool) set(o *UpgradeOptions) {
	p.by.Take(plane.UpgradeRequest{
		Surge: o.Surge, Unavailable: o.Unavailable, Limit: o.Limit, Force: o.Force, Stop: o.Stop,
	})
	p.Nodes = len(p.at)
	p.Surge, p.Unavailable = p.by.AtOnce(p.Nodes)
	p.Limit = p.by.Limit.Seconds()
	p.AfterLimit = [...]string{"", "the pods that are left are deleted", "the upgrade ends"}[p.by.After]
	slices.Sort(p.boots)
	p.known = true
	switch {
	case o.Boot > 0:
		p.boots = []int64{int64(o.Boot / unit.Second)}
	case len(p.boots) == 0:
		p.known, p.boots = false, []int64{int64(plane.DefaultBoot / unit.Second)}
	}
	b := p.boots
	p.Boot = Span{Min: float64(b[0]), Middle: float64(b[len(b)/2]), Max: float64(b[len(b)-1]), Plays: len(b)}
}

// boot returns how long the nodes of the pool take to be ready in a play, by its pace. A drawn play has one
// time for all nodes, chosen by its seed.
func (p *pool) boot(o *plane.Options) unit.Time {
	x := p.Boot.Middle
	switch o.Pace {
	case plane.Fast:
		x = p.Boot.Min
	case plane.Slow:
		x = p.Boot.Max
	case plane.Drawn:
		x = float64(p.boots[o.Seed%uint64(len(p.boots))])
	}
	return unit.Time(x) * unit.Second
}

// Upgrade plays the upgrade of a cluster's nodes: new ones join and old ones are emptied, or nodes are
// emptied and come back. Nodes of the control plane are left out. Steps, Pending, Down and all that is not
// a count over the plays are of the play with the median times.
func Upgrade(c *kube.Cluster, p *constraint.Profile, o UpgradeOptions) *Upgraded {
	a := newQuery(c, p, o.Seed, "upgrade")
	all := plays(c, p, o.PlayOptions)
	out := &Upgraded{
		Caveats: []string{}, LeftOut: []string{}, Pools: []UpgradedPool{}, Steps: []UpgradedNode{},
		Budgets: []StallingPDB{}, Pending: []Stuck{}, Down: []DownWorkload{}, Lost: []string{}, Forced: []string{},
		Plays: len(all),
	}
	pools, left := a.pools(&o)
	out.LeftOut = append(out.LeftOut, left...)
	for _, p := range pools {
		out.Nodes += p.Nodes
		if (o.Force || o.Stop) && p.by.Limit == 0 {
			out.Caveats = append(out.Caveats, fmt.Sprintf("a drain in %s has no limit, so that nothing happens after it: --drain-timeout sets one", p.Name))
		}
		out.Pools = append(out.Pools, p.UpgradedPool)
		if !p.known {
			out.Caveats = append(out.Caveats, fmt.Sprintf("how long a node of %s takes to be ready is a guess, %s: --boot sets it", p.Name, plane.After(plane.DefaultBoot)))
		}
	}
	kinds := false
	for i, options := range all {
		options.Silent = true
		world, u, up, took := a.playUpgrade(options, pools, &o.PlayOptions)
		if u.Complete() {
			out.Seconds.add(took, i == 0)
		} else {
			out.Stops++
		}
		if i == 0 {
			out.middle(a, world, u, pools)
			out.Added, kinds = a.added(up, &options), up != nil && up.Kinds() > 0
			a.filmUpgrade(out, options, pools, &o.PlayOptions)
		}
	}
	a.ofUpgrade(out, pools)
	out.Method = a.method(
		"The upgrade is played in virtual time: nodes join and are emptied by evictions that disruption budgets allow, their workloads make the pods anew, and the scheduler's own filters and scores place them.",
		playBound(len(all)),
		"Pools are upgraded one after another, their nodes in the order of the dump. A new node is like the one whose part it takes: type, zone, taints and size. Its DaemonSets and static pods come first.",
		"Pods start in the time that the dump shows of their workload, else in "+plane.After(plane.DefaultStart)+", and end at once in the shortest play, after their whole grace in the longest and in the one that is shown.",
		"Evictions go on as kubectl drain's do: refused ones are tried again every 5 seconds. Pods without a controller and with local volumes are evicted too.", acting(&o.PlayOptions),
	)
	out.Method.Assumptions = append(out.Method.Assumptions, scalingNotes(&o.PlayOptions, kinds)...)
	return out
}

// settling is how long a play goes on after the last node is upgraded, for the pods that left it: a StatefulSet makes
// one after another.
const settling = 10 * unit.Minute

// playUpgrade plays the upgrade of pools in a new world until it is over and, if it completed, for the time
// settling more. The time returned is that of the end of the upgrade, since the play began; the autoscaler
// is nil if it does not act.
func (a *query) playUpgrade(o plane.Options, pools []*pool, q *PlayOptions) (*plane.Plane, *plane.Upgrade,
	*plane.ScaleUp, unit.Time,
) {
	world := plane.New(a.c, o)
	var of []plane.Pool
	for _, p := range pools {
		of = append(of, plane.Pool{
			Nodes: p.at, Surge: p.Surge, Unavailable: p.UpgradedPool.Unavailable,
			Limit: p.by.Limit, After: p.by.After, Boot: p.boot(&o),
		})
	}
	u := world.Upgrade(of, a.fresh.Successor)
	up := a.scaleUp(world, q, &o, func(int) bool { return true })
	world.Run(unit.Forever, u.Over)
	took := world.Now()
	if u.Complete() {
		world.Run(took+settling, func() bool { return false })
	}
	world.Finish()
	return world, u, up, took
}

// ofUpgrade marks the pods that must leave an upgraded node as touched, counts those with local data, and
// adds the reasons why the answer is unsure.
func (a *query) ofUpgrade(out *Upgraded, pools []*pool) {
	on := make([]bool, len(a.c.Nodes))
	for _, p := range pools {
		for _, at := range p.at {
			if on[at] = true; a.c.Nodes[at].Ready != kube.ReadyTrue {
				out.Caveats = append(out.Caveats, a.c.Nodes[at].Name+" is not ready: its pods do not end while it does not answer")
			}
		}
	}
	for i := range a.c.Pods {
		q := &a.c.Pods[i]
		if q.Node == kube.Nowhere || !on[q.Node] || a.fate(i) == plane.Ends {
			continue
		}
		a.affected[i] = true
		if plane.LocalData(q) {
			out.Data++
		}
	}
	if len(a.c.Budgets) == 0 {
		out.Caveats = append(out.Caveats, "the dump has no disruption budgets: if they were not fetched, evictions may be refused that are granted here")
	}
}

// middle copies the results of the play with the median times into out: steps, stalling budgets with the
// longest stall first, and the pods and workloads in trouble at its end. A budget that still held a pod at
// the end counts until then.
func (out *Upgraded) middle(a *query, world *plane.Plane, u *plane.Upgrade, pools []*pool) {
	c := world.Cluster()
	of := map[int]string{}
	for _, p := range pools {
		for _, at := range p.at {
			of[at] = p.Name
		}
	}
	out.Caveats = append(out.Caveats, cutShort(world)...)
	out.Complete, out.Done, out.MaxPending = u.Complete(), u.Done(), u.Peak
	stalls, nodes := map[string]*StallingPDB{}, map[string]int{}
	var names []string
	for _, s := range u.Steps {
		one := UpgradedNode{
			Node: c.Nodes[s.Node].Name, Pool: of[s.Node], Began: s.Began.Seconds(), Emptied: -1,
			Done: -1,
		}
		if s.New != kube.Nowhere {
			one.New = c.Nodes[s.New].Name
		}
		if s.Done >= 0 {
			one.Done = s.Done.Seconds()
		}
		if d := s.Drain; d != nil {
			one.Moved = d.Moved
			if d.Ended >= 0 {
				one.Emptied = d.Ended.Seconds()
			}
			out.Lost, out.Forced = append(out.Lost, d.Lost...), append(out.Forced, d.Forced...)
			for _, b := range d.Blocks {
				name := cmp.Or(b.Budget, "two budgets")
				until := b.Until
				if until < 0 {
					until = world.Now()
				}
				x := stalls[name]
				if x == nil {
					x = &StallingPDB{Budget: name}
					stalls[name] = x
					names = append(names, name)
				}
				if !slices.Contains(one.Blocks, name) {
					one.Blocks = append(one.Blocks, name)
					nodes[name]++
				}
				if took := (until - b.From).Seconds(); took >= x.Seconds {
					x.Pod, x.Seconds, x.Text = b.Pod, took, b.Text
				}
				x.NeverAllowed = x.NeverAllowed || b.Until < 0 || slices.Contains(d.Forced, b.Pod)
				x.Nodes = nodes[name]
			}
		}
		out.Steps = append(out.Steps, one)
	}
	for _, name := range names {
		out.Budgets = append(out.Budgets, *stalls[name])
	}
	slices.SortStableFunc(out.Budgets, func(x, y StallingPDB) int { return cmp.Compare(y.Seconds, x.Seconds) })
	if u.Stopped != nil {
		out.Stopped = c.Nodes[u.Stopped.Node].Name
	}
	for _, w := range world.Waiting() {
		if w.New {
			v := world.Verdict(w.Place)
			if len(v.Nodes) == 0 {
				out.Pending = append(out.Pending, Stuck{w.Pod, v.MainReason(), v.Message()})
			}
		}
	}
	for _, g := range world.Groups() {
		if (g.Downtime > 0 || g.DownAtEnd) && g.Owner.Kind != "Pod" && g.Owner.Kind != "Job" && g.Owner.Kind != "CronJob" &&
			g.Owner.Kind != "Node" {
			out.Down = append(out.Down, DownWorkload{
				g.Owner.Kind + " " + g.Namespace + "/" + g.Owner.Name,
				g.Downtime.Seconds(), g.DownAtEnd,
			})
		}
	}
	slices.SortStableFunc(out.Down, func(x, y DownWorkload) int { return cmp.Compare(y.Seconds, x.Seconds) })
}
