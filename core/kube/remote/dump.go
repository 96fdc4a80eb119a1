package remote

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/question"
	"parley/core/message"
)

// maxOwners limits the owners of pods that are listed; others can be typed.
const maxOwners = 2000

// pools returns the names of the pools that labels of nodes name, sorted.
func pools(c *kube.Cluster) []string {
	all := []string{}
	for i := range c.Nodes {
		if _, name := c.Nodes[i].Group(); name != "" && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// dumpOf describes a cluster for the page: the summary, and for each node its state and the requested parts
// of the resources that the summary shows. State is "" for a ready node that takes pods.
func dumpOf(c *kube.Cluster) message.DumpRead[question.Summary] {
	out := message.DumpRead[question.Summary]{Summary: *question.Summarise(c), Labels: labels(c), Pools: pools(c), Owners: owners(c), Budgets: []string{}}
	for i := range c.Budgets {
		out.Budgets = append(out.Budgets, c.Budgets[i].Namespace+"/"+c.Budgets[i].Name)
	}
	slices.Sort(out.Budgets)
	out.Sentence = out.Summary.Sentence()
	s := constraint.New(c, constraint.Default())
	shown := []int{}
	for at, r := range out.Summary.Resources {
		if r.Allocatable+r.Requested+r.Pending > 0 {
			shown = append(shown, at)
			out.Resources = append(out.Resources, []string{r.Resource, question.Amount(r.Resource, r.Allocatable), question.Amount(r.Resource, r.Requested), question.Amount(r.Resource, r.Pending)})
		}
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		one := message.DumpNode{Name: n.Name, Zone: n.Zone(), Type: n.InstanceType(), GPU: n.GPUModel(), Pods: len(s.PodsOn(i))}
		for _, r := range shown {
			one.Parts = append(one.Parts, part(s, n, i, r))
		}
		switch {
		case n.Ready != kube.ReadyTrue:
			one.State = "notready"
		case n.Unschedulable:
			one.State = "cordoned"
		}
		out.Nodes = append(out.Nodes, one)
	}
	return out
}

// part returns the requested part of a node's allocatable amount, in thousandths; -1 if the node has none
// of the resource. It may exceed 1000.
func part(s *constraint.State, n *kube.Node, at, resource int) int {
	if has := n.Allocatable.At(resource); has > 0 {
		return int(1000 * float64(s.Requested(at).At(resource)) / float64(has))
	}
	return -1
}

// labels returns the keys of labels that group nodes: they have at least two values, and
// several nodes share one of these. Keys that have a word of their own, as zones, are left out.
func labels(c *kube.Cluster) []string {
	values := map[string]map[string]bool{}
	nodes := map[string]int{}
	for i := range c.Nodes {
		for _, l := range c.Nodes[i].Labels {
			if values[l.Key] == nil {
				values[l.Key] = map[string]bool{}
			}
			values[l.Key][l.Value] = true
			nodes[l.Key]++
		}
	}
	out := []string{}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if n := len(values[key]); n > 1 && n < nodes[key] && !strings.HasSuffix(key, "/zone") && !strings.HasSuffix(key, "instance-type") && !slices.Contains(kube.GPULabels(), key) {
			out = append(out, key)
		}
	}
	return out
}

// owners returns NAMESPACE/NAME of the workloads that keep pods, those with most pods first, at most
// maxOwners. DaemonSets and static pods are left out.
func owners(c *kube.Cluster) []string {
	pods, keep := map[string]int{}, kube.NewOwners(c)
	for i := range c.Pods {
		if p := &c.Pods[i]; p.Owner.Name != "" && !p.DaemonSet() && !p.Mirror {
			pods[p.Namespace+"/"+keep.Of(p).Name]++
		}
	}
	all := slices.SortedFunc(maps.Keys(pods), func(x, y string) int { return cmp.Or(pods[y]-pods[x], strings.Compare(x, y)) })
	return append([]string{}, all[:min(len(all), maxOwners)]...)
}

// documentsOf returns documents as they cross.
func documentsOf(all []question.Document) []message.ClusterDocument {
	out := make([]message.ClusterDocument, len(all))
	for i := range all {
		out[i] = documentOf(&all[i])
	}
	return out
}

// documentOf returns a document as the page gets it. Grids without rows are left out. Play is "stops" if
// the play stops before its end, "ends" if not, and "" if there is nothing to watch.
func documentOf(d *question.Document) message.ClusterDocument {
	out := message.ClusterDocument{Title: d.Title, Sentence: d.Sentence, Grids: []message.ClusterGrid{}, Script: d.Script, Method: d.Method.Lines()}
	if d.Watch != nil {
		out.Play = map[bool]string{true: "stops", false: "ends"}[d.Watch.Stops]
	}
	for i := range d.Grids {
		g := &d.Grids[i]
		if len(g.Rows) == 0 {
			continue
		}
		grid := message.ClusterGrid{Heading: g.Heading, Columns: g.Columns, Rows: g.Rows, More: g.More}
		for column := range g.Columns {
			grid.Numbers = append(grid.Numbers, g.Number(column))
		}
		out.Grids = append(out.Grids, grid)
	}
	return out
}
