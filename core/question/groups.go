package question

import (
	"slices"
	"strings"

	"parley/core/kube"
)

// Group is nodes that may be lost together.
type Group struct {
	Name  string // "zone eu-west-1b"
	Nodes []int
}

// Groups returns the nodes of a cluster by something: node, zone, type, or the key of a label.
// Nodes without it are in no group. The groups are in the order of their names.
func Groups(c *kube.Cluster, by string) []Group {
	word := by
	value := func(n *kube.Node) string { v, _ := n.Labels.Get(by); return v }
	switch by {
	case "node":
		value = func(n *kube.Node) string { return n.Name }
	case "zone":
		value = (*kube.Node).Zone
	case "type":
		word, value = "machine type", (*kube.Node).InstanceType
	default:
		if i := strings.LastIndexByte(by, '/'); i >= 0 {
			word = by[i+1:]
		}
	}
	at := map[string]int{}
	var out []Group
	for i := range c.Nodes {
		v := value(&c.Nodes[i])
		if v == "" {
			continue
		}
		k, known := at[v]
		if !known {
			k = len(out)
			at[v] = k
			out = append(out, Group{Name: word + " " + v})
		}
		out[k].Nodes = append(out[k].Nodes, i)
	}
	slices.SortFunc(out, func(x, y Group) int { return strings.Compare(x.Name, y.Name) })
	return out
}

// Owner returns the first pod that a workload owns, by NAMESPACE/NAME of the pod or of its
// owner; a ReplicaSet's Deployment counts as its owner. It is -1 if there is none.
func Owner(c *kube.Cluster, name string) int {
	for i := range c.Pods {
		if c.Pods[i].Full() == name {
			return i
		}
	}
	for i := range c.Pods {
		p := &c.Pods[i]
		if p.Namespace+"/"+p.Owner.Name == name || p.Namespace+"/"+deployment(c, p) == name {
			return i
		}
	}
	return -1
}

// deployment returns the name of the Deployment that owns a pod's ReplicaSet.
func deployment(c *kube.Cluster, p *kube.Pod) string {
	if p.Owner.Kind != "ReplicaSet" {
		return ""
	}
	for i := range c.Workloads {
		if w := &c.Workloads[i]; w.Kind == "ReplicaSet" && w.Name == p.Owner.Name && w.Namespace == p.Namespace {
			return w.Owner.Name
		}
	}
	return ""
}
