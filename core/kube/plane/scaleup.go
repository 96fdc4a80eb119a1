package plane

import (
	"cmp"
	"slices"

	"parley/core/kube"
	"parley/core/unit"
)

// Limits of the autoscaler's scale-up. (cluster-autoscaler/FAQ.md; core/utils/expendable.go; core/static_autoscaler.go)
const (
	expendable = -10             // expendable-pods-priority-cutoff
	youngest   = 2 * unit.Second // unschedulablePodTimeBuffer
	maxAtOnce  = 100             // nodes of one scale-up here; max-nodes-per-scaleup is 1000
)

// ScaleUpOptions has the inputs of a scale-up beside the cluster.
type ScaleUpOptions struct {
	// Like are nodes of the cluster, one of each kind that the autoscaler may add, with the times until they are
	// ready.
	Like []int
	Boot []unit.Time
	// Fresh returns the n-th new node like one of the cluster, with the drivers of its volumes.
	Fresh func(at, n int) (kube.Node, []kube.CSINode)
}

// ScaleUp is the part of the cluster autoscaler that adds nodes for pods that no node takes. It looks every 10 s.
// (cluster-autoscaler/core/scaleup/orchestrator, estimator/binpacking_estimator.go, expander/waste)
type ScaleUp struct {
	p     *Plane
	o     ScaleUpOptions
	Added []Added
	stock stock
	spare [][]int      // nodes of each kind that may join
	boots map[int]bool // nodes that have been asked for and have not joined
	trial *trial
	named int
	from  int
	seen  int // facts at the last look; -1: it looks again without new ones
}

// Added are nodes that were asked for at one moment.
type Added struct {
	At    unit.Time
	Like  int
	Nodes []int
	Pods  int // that they are for
}

// ScaleUp lets the cluster autoscaler add nodes from now on.
func (p *Plane) ScaleUp(o ScaleUpOptions) *ScaleUp {
	u := &ScaleUp{p: p, o: o, spare: make([][]int, len(o.Like)), boots: map[int]bool{}, seen: -1}
	p.after(ScanInterval, u.look)
	return u
}

// Kinds returns how many kinds of nodes it may add.
func (u *ScaleUp) Kinds() int { return len(u.o.Like) }

// look is one pass: it adds nodes of one kind if pods wait that they would help, and schedules the next
// pass, which is put off until something can have changed. It ends if no event is left.
func (u *ScaleUp) look() {
	if u.seen != u.p.factCount {
		if pods, wait := u.waiting(); len(pods) > 0 && !wait {
			if u.seen = u.p.factCount; u.grow(pods) { // others may need nodes of another kind
				u.seen = -1
			}
		} else if len(pods) == 0 {
			u.seen = u.p.factCount
		}
	} else if next := u.p.kernel.Next(); next == unit.Forever {
		return
	} else if wait := next - u.p.kernel.Now(); wait > ScanInterval {
		u.p.after((wait+ScanInterval-1)/ScanInterval*ScanInterval, u.look)
		return
	}
	u.p.after(ScanInterval, u.look)
}

// waiting returns the pods for which the scheduler found no node, the largest first, and whether all of
// them are too young to be looked at; true if there are none. Pods of DaemonSets, nominated ones and those
// below the priority expendable do not count.
func (u *ScaleUp) waiting() (pods []int, young bool) {
	young = true
	for i := range u.p.pods {
		q, l := &u.p.c.Pods[i], &u.p.pods[i]
		if l.state != waiting || l.terminating || l.tries == 0 || q.DaemonSet() || q.Spec.Priority < expendable ||
			u.p.s.NodeOf(i) != kube.Nowhere {
			continue
		}
		pods = append(pods, i)
		young = young && u.p.kernel.Now()-l.created < youngest
	}
	slices.SortStableFunc(pods, func(x, y int) int {
		p, q := u.p.c.Pods[x].Spec.Requests, u.p.c.Pods[y].Spec.Requests
		return cmp.Or(cmp.Compare(q.At(kube.CPU), p.At(kube.CPU)), cmp.Compare(q.At(kube.Memory), p.At(kube.Memory)))
	})
	return pods, young
}

// grow asks for nodes of the kind that wastes least for the given pods, beside the nodes that are on their
// way, and reports whether it did. The nodes join after their boot time. The scheduler's state is the same
// afterwards.
func (u *ScaleUp) grow(pods []int) bool {
	u.provide(pods)
	u.trial = &trial{s: u.p.s}
	for _, at := range sorted(u.boots) {
		u.stock.joins(u.trial, at)
	}
	left := u.place(pods, func(int) bool { return true })
	var best Added
	lowest := 0.0
	for k, like := range u.o.Like {
		mark := len(u.trial.done)
		nodes, helped := u.pack(u.spare[k], left)
		u.trial.back(mark)
		if len(helped) == 0 {
			continue
		}
		if waste := u.waste(like, len(nodes), helped); best.Pods == 0 || waste < lowest {
			best, lowest = Added{u.p.kernel.Now(), like, nodes, len(helped)}, waste
		}
	}
	u.trial.back(0)
	if best.Pods == 0 {
		return false
	}
	k := slices.Index(u.o.Like, best.Like)
	u.spare[k] = slices.DeleteFunc(u.spare[k], func(at int) bool { return slices.Contains(best.Nodes, at) })
	u.Added = append(u.Added, best)
	for _, at := range best.Nodes {
		u.boots[at] = true
		u.p.after(u.o.Boot[k], func() {
			delete(u.boots, at)
			u.p.join(at)
			u.stock.settle(u.p, at)
		})
	}
	return true
}

// provide adds absent nodes to the cluster so that there are enough spare ones of each kind for the pods:
// one addition costs less than many.
func (u *ScaleUp) provide(pods []int) {
	var nodes []kube.Node
	var drivers []kube.CSINode
	var likes []int
	for k, like := range u.o.Like {
		for n := min(len(pods), maxAtOnce, u.need(like, pods)) - len(u.spare[k]); n > 0; n-- {
			u.named++
			one, d := u.o.Fresh(like, u.named)
			u.spare[k] = append(u.spare[k], len(u.p.c.Nodes)+len(nodes))
			nodes, drivers, likes = append(nodes, one), append(drivers, d...), append(likes, like)
		}
	}
	if len(nodes) > 0 {
		u.stock.add(u.p, nodes, drivers, likes)
	}
}

// need returns an estimate of the nodes of a kind that the pods need: twice those that the sums of their
// requests fill, plus 2, at most maxAtOnce.
func (u *ScaleUp) need(like int, pods []int) int {
	n := int64(0)
	for r := range u.p.c.Resources {
		sum, has := int64(0), u.p.c.Nodes[like].Allocatable.At(r)
		for _, i := range pods {
			sum += u.p.c.Pods[i].Spec.Requests.At(r)
		}
		if has > 0 {
			n = max(n, sum/has)
		}
	}
	return int(min(2*n+2, maxAtOnce))
}

// pack lets spare nodes join in the trial one after another as long as pods need them, and returns the
// nodes that joined and the pods that are on them. The caller undoes the trial.
func (u *ScaleUp) pack(spare, pods []int) (nodes, helped []int) {
	for _, i := range pods {
		on := func(at int) bool { return slices.Contains(nodes, at) }
		to := u.p.s.First(i, 0, on)
		if to == kube.Nowhere && len(nodes) < len(spare) {
			next := spare[len(nodes)]
			mark := len(u.trial.done)
			u.stock.joins(u.trial, next)
			if u.p.s.Fits(i, next) {
				to, nodes = next, append(nodes, next)
			} else {
				u.trial.back(mark)
			}
		}
		if to != kube.Nowhere {
			u.trial.bind(i, to)
			helped = append(helped, i)
		}
	}
	return nodes, helped
}

// place binds pods in the trial to nodes for which may is true, and returns those that none takes. A pod
// like one that none took is not tried, unless other pods may help it.
func (u *ScaleUp) place(pods []int, may func(at int) bool) (left []int) {
	hopeless := map[alike]bool{}
	for _, i := range pods {
		like, shared := u.p.alike(i)
		if shared && hopeless[like] {
			left = append(left, i)
			continue
		}
		at := u.p.s.First(i, u.from, may)
		if at != kube.Nowhere {
			u.from = at + 1
			u.trial.bind(i, at)
			continue
		}
		left = append(left, i)
		if s := u.p.c.Pods[i].Spec; len(s.Spread)+len(s.PodRequired) == 0 { // another pod may let those in
			hopeless[like] = true
		}
	}
	return left
}

// waste returns the sum of the parts of CPU and of memory of that number of nodes like one that the pods
// leave free, 0 to 2.
func (u *ScaleUp) waste(like, nodes int, pods []int) (sum float64) {
	for _, r := range []int{kube.CPU, kube.Memory} {
		has, used := u.p.c.Nodes[like].Allocatable.At(r)*int64(nodes), int64(0)
		for _, i := range pods {
			used += u.p.c.Pods[i].Spec.Requests.At(r)
		}
		if has > 0 {
			sum += float64(has-used) / float64(has)
		}
	}
	return sum
}
