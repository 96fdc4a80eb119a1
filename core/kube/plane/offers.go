package plane

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/core/kube"
)

// Offers returns a node of each type, zone and capacity type that a NodePool could add, at most some, the cheapest
// first.
func (f *NewNodes) Offers(price func(n *kube.Node) (float64, bool), limit int) (all []Offer) {
	known := map[[4]string]bool{}
	for at := range f.c.Nodes {
		n := &f.c.Nodes[at]
		pool, own := PoolOf(f.c, n)
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
			if known[key] || len(known) == limit {
				continue
			}
			known[key] = true
			one := *n
			one.Labels = with(n.Labels, kube.KarpenterCapacity, capacity)
			cost, priced := price(&one)
			all = append(all, Offer{
				Pool: pool.Name, Like: at, Machine: n.InstanceType(),
				Spot: capacity == kube.Spot, Text: n.InstanceType() + ", " + capacity, Price: cost, Priced: priced,
			})
		}
	}
	slices.SortStableFunc(all, func(x, y Offer) int { return cmp.Compare(x.Price, y.Price) })
	return all
}

// Added returns the n-th node that Karpenter adds, as an offer says.
func (f *NewNodes) Added(o *Offer, n int) (kube.Node, []kube.CSINode) {
	like := &f.c.Nodes[o.Like]
	one := *like
	name := fmt.Sprintf("new-%d", n)
	capacity := kube.OnDemand
	if o.Spot {
		capacity = kube.Spot
	}
	one.Labels = with(f.renamed(like, name), kube.KarpenterCapacity, capacity)
	one.Name, one.Taints = name, LastingTaints(like.Taints)
	one.Unschedulable, one.Ready, one.DoNotDisrupt, one.Created =
		false, kube.ReadyTrue, false, 0
	return one, f.DriversOf(like, []kube.Node{one})
}

// with returns labels with another value of a key.
func with(labels kube.Labels, key, value string) kube.Labels {
	out := slices.DeleteFunc(slices.Clone(labels), func(l kube.Label) bool { return l.Key == key })
	out = append(out, kube.Label{Key: key, Value: value})
	slices.SortFunc(out, func(a, b kube.Label) int { return strings.Compare(a.Key, b.Key) })
	return out
}
