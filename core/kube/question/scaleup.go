package question

import (
	"fmt"

	"parley/core/kube"
	"parley/core/kube/plane"
	"parley/core/unit"
)

// AddedNodes are nodes that the cluster autoscaler adds at one moment.
type AddedNodes struct {
	Requested float64 `json:"asked"` // when it asks for them, in seconds
	Ready     float64 `json:"ready"`
	Nodes     int     `json:"nodes"`
	Like      string  `json:"like"` // a node of the dump
	Group     string  `json:"group,omitempty"`
	Pods      int     `json:"pods"` // that they are for
}

// maxKinds bounds how many kinds of nodes the autoscaler may add.
const maxKinds = 20

// scaleUp lets the autoscaler add nodes in a play, if it is asked for: of each group, type and zone that
// has a ready node which may is true of.
func (a *query) scaleUp(world *plane.Plane, q *PlayOptions, o *plane.Options, may func(at int) bool) *plane.ScaleUp {
	if !q.Autoscaler {
		return nil
	}
	var up plane.ScaleUpOptions
	up.Fresh = a.fresh.Further
	known := map[[3]string]bool{}
	for at := range a.c.Nodes {
		n := &a.c.Nodes[at]
		group, own := plane.GroupOf(n)
		key := [3]string{group, n.InstanceType(), n.Zone()}
		if !own || known[key] || n.Ready != kube.ReadyTrue || n.Unschedulable || !may(at) || len(up.Like) == maxKinds {
			continue
		}
		known[key] = true
		up.Like, up.Boot = append(up.Like, at), append(up.Boot, a.bootsIn(group, o))
	}
	return world.ScaleUp(up)
}

// bootsIn returns how long nodes of a group take to be ready in a play.
func (a *query) bootsIn(group string, o *plane.Options) unit.Time {
	boot, _ := a.bootsOf(o, func(n *kube.Node) bool { other, own := plane.GroupOf(n); return own && other == group })
	return boot
}

// added returns the nodes that the autoscaler added in a play.
func (a *query) added(up *plane.ScaleUp, o *plane.Options) (all []AddedNodes) {
	if up == nil {
		return nil
	}
	for _, x := range up.Added {
		n := &a.c.Nodes[x.Like]
		group, _ := plane.GroupOf(n)
		ready := x.At + a.bootsIn(group, o)
		all = append(all, AddedNodes{x.At.Seconds(), ready.Seconds(), len(x.Nodes), n.Name, group, x.Pods})
	}
	return all
}

// addedText continues a sentence with the nodes that the autoscaler adds, if it does.
func addedText(all []AddedNodes) string {
	n, last := 0, 0.0
	for _, x := range all {
		n, last = n+x.Nodes, max(last, x.Ready)
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; the autoscaler adds %s, the last ready after %s", count(n, "node", "nodes"), durationText(last))
}

// addedGrid lists the nodes that the autoscaler adds.
func addedGrid(all []AddedNodes) Grid {
	var rows [][]string
	for _, x := range all {
		rows = append(rows, []string{
			durationText(x.Requested), durationText(x.Ready), number(x.Nodes), x.Like, x.Group, number(x.Pods),
		})
	}
	return grid("Nodes that the autoscaler adds", []string{"asked for after", "ready after", "nodes", "like", "group", "for pods"}, rows, maxRows)
}

// scalingNotes says of a play how nodes are added in it.
func scalingNotes(q *PlayOptions, kinds bool) []string {
	switch {
	case !q.Autoscaler:
		return nil
	case !kinds:
		return []string{"The cluster autoscaler adds no node: none that is left is of a group that it resizes. Karpenter's new nodes are not played."}
	}
	return []string{"Every 10 seconds the cluster autoscaler adds nodes of the kind (group, type and zone of a ready node that is left) on which the pods that find no node would waste least CPU and memory. No limit on their number is assumed. This follows its documentation and sources. They take as long to be ready as those of their group in the dump, else " + plane.After(plane.DefaultBoot) + ". No node is removed."}
}
