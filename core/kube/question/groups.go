package question

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/kube"
	"parley/core/kube/constraint"
)

// Group is nodes that may be lost together.
type Group struct {
	Name  string // "zone eu-west-1b"
	Nodes []int
}

// Groups returns the nodes of a cluster by something: node, zone, type, capacity (spot or on-demand),
// gpu (the model of GPUs), pool (of nodes, by the label of their installer), or the key of a label.
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
	case "capacity":
		word, value = "capacity type", (*kube.Node).CapacityType
	case "pool":
		value = func(n *kube.Node) string { _, name := n.Group(); return name }
	case "gpu":
		word, value = "GPU model", (*kube.Node).GPUModel
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

// Choose returns groups to lose: each of Groups by itself, or, with names, one group of all nodes in those.
// names are values such as eu-west-1b, without the word for the grouping. It fails if no node has the
// property, or if a name matches no group.
func Choose(c *kube.Cluster, by string, names []string) ([]Group, error) {
	groups := Groups(c, by)
	if len(groups) == 0 {
		return nil, fmt.Errorf("nodes cannot be lost by %q: no node has that; use node, zone, type, capacity, pool, gpu or the key of a label", by)
	}
	if len(names) == 0 {
		return groups, nil
	}
	var one Group
	var word string
	for _, name := range names {
		at := slices.IndexFunc(groups, func(g Group) bool { return strings.HasSuffix(g.Name, " "+name) })
		if at < 0 {
			var all []string
			for i, g := range groups {
				if i == maxNamed {
					all = append(all, "…")
					break
				}
				all = append(all, g.Name[strings.LastIndexByte(g.Name, ' ')+1:])
			}
			return nil, fmt.Errorf("there is no such %s as %q: the nodes have %s", by, name, strings.Join(all, ", "))
		}
		one.Nodes = append(one.Nodes, groups[at].Nodes...)
		word = strings.TrimSuffix(groups[at].Name, name)
	}
	one.Name = word + names[0]
	if last := len(names) - 1; last > 0 {
		one.Name = strings.TrimSpace(word) + "s " + strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return []Group{one}, nil
}

// maxDocuments is how many lost groups have a document.
const maxDocuments = 5

// LoseEach asks Lose about each of some groups by itself, and returns the answers and their
// documents, the worst first; at most five have a document. step receives the number of the next
// group, from 0, and its name.
func LoseEach(c *kube.Cluster, p *constraint.Profile, groups []Group, o LoseOptions,
	step func(i int, name string),
) ([]*Lost, []Document) {
	var all []*Lost
	for i, g := range groups {
		step(i, g.Name)
		all = append(all, Lose(c, p, g.Name, g.Nodes, o))
	}
	slices.SortStableFunc(all, func(x, y *Lost) int { return y.Pending + y.NotRecreated - x.Pending - x.NotRecreated })
	var documents []Document
	for _, l := range all[:min(len(all), maxDocuments)] {
		documents = append(documents, l.Document())
	}
	return all, documents
}
