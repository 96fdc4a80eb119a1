package question

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/core/kube"
	"parley/core/kube/plane"
	"parley/core/unit"
)

// unknown returns why it is not known whether a pod finds another node, "" if it is.
func (a *asked) unknown(q *kube.Pod) string {
	switch s := q.Spec.Scheduler; {
	case s != "" && s != "default-scheduler" && a.p.Of(s) == nil:
		return otherScheduler
	case q.Spec.ResourceClaims > 0:
		return devices
	}
	return ""
}

// offers returns a node of each type, zone and capacity type that a NodePool could add, the cheapest first. Without
// prices there are none.
func (a *asked) offers(prices *Table) (all []plane.Offer) {
	if prices == nil {
		return nil
	}
	known := map[[4]string]bool{}
	for at := range a.c.Nodes {
		n := &a.c.Nodes[at]
		pool, own := plane.PoolOf(a.c, n)
		if !own {
			continue
		}
		capacities := []string{cmp.Or(n.CapacityType(), kube.OnDemand)}
		for _, other := range pool.Capacities {
			if other = kube.CapacityOf(other); !slices.Contains(capacities, other) {
				capacities = append(capacities, other)
			}
		}
		for _, capacity := range capacities {
			key := [4]string{pool.Name, n.InstanceType(), n.Zone(), capacity}
			if known[key] || len(known) == mostShapes {
				continue
			}
			known[key] = true
			one := *n
			one.Labels = with(n.Labels, kube.KarpenterCapacity, capacity)
			price, priced := prices.Of(&one)
			all = append(all, plane.Offer{
				Pool: pool.Name, Like: at, Machine: n.InstanceType(),
				Spot: capacity == kube.Spot, Text: n.InstanceType() + ", " + capacity, Price: price, Priced: priced,
			})
		}
	}
	slices.SortStableFunc(all, func(x, y plane.Offer) int { return cmp.Compare(x.Price, y.Price) })
	return all
}

// added returns the n-th node that Karpenter adds, as an offer says.
func (a *asked) added(o *plane.Offer, n int) (kube.Node, []kube.CSINode) {
	like := &a.c.Nodes[o.Like]
	one := *like
	name := fmt.Sprintf("new-%d", n)
	capacity := kube.OnDemand
	if o.Spot {
		capacity = kube.Spot
	}
	one.Labels = with(a.renamed(like, name), kube.KarpenterCapacity, capacity)
	one.Name, one.Taints, one.Unschedulable, one.Ready, one.DoNotDisrupt, one.Created = name, lasting(like.Taints),
		false, kube.ReadyTrue, false, 0
	return one, a.driversOf(like, []kube.Node{one})
}

// bootOf returns how long nodes of a NodePool take to be ready in a play, by those of the dump that joined, and
// whether there are any.
func (a *asked) bootOf(name string, o *plane.Options) (unit.Time, bool) {
	p := &pool{}
	for at := range a.c.Nodes {
		if own, _ := a.c.Nodes[at].Labels.Get(kube.KarpenterPool); own == name {
			p.at = append(p.at, at)
			p.joined(&a.c.Nodes[at])
		}
	}
	p.set(&UpgradeOptions{})
	return p.boot(o), p.known
}

// with returns labels with another value of a key.
func with(labels kube.Labels, key, value string) kube.Labels {
	out := slices.DeleteFunc(slices.Clone(labels), func(l kube.Label) bool { return l.Key == key })
	out = append(out, kube.Label{Key: key, Value: value})
	slices.SortFunc(out, func(a, b kube.Label) int { return strings.Compare(a.Key, b.Key) })
	return out
}
