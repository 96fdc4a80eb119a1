package question

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/core/kube"
)

// Requested has the requests of pods for every resource, by groups of pods or of nodes. Create one
// with Requests.
type Requested struct {
	Method Method `json:"method"`
	By     string `json:"by"`
	// Node is the node whose pods are counted; "" for all pods.
	Node string `json:"node,omitempty"`
	// Total is the sum over all groups and over pods in none.
	Total RequestedBy `json:"total"`
	// Groups are those with pods or nodes; the first has the largest part of a resource.
	Groups []RequestedBy `json:"groups"`
}

// RequestedBy has the requests of the pods of a group.
type RequestedBy struct {
	Name    string `json:"name"`
	Nodes   int    `json:"nodes,omitempty"` // of the group; 0 for groups of pods
	Pods    int    `json:"pods"`            // that are bound
	Pending int    `json:"pending"`         // pods that wait
	// Resources are those that a node has or a pod requests, in the order of the dump.
	Resources []ResourceTotal `json:"resources"`
}

// ByPods reports whether a word groups pods; the other words, which Groups has, group nodes.
func ByPods(by string) bool { return by == "namespace" || by == "owner" }

// Requests returns the requests by namespace, by owner, or by a grouping of Groups. node is the index of
// the only node whose pods count, kube.Nowhere for all pods, bound or pending. The percentages of groups of
// pods are relative to the sum of all these nodes. It fails if by is a grouping of nodes that no node has.
func Requests(c *kube.Cluster, by string, node int) (*Requested, error) {
	r := &Requested{By: by, Groups: []RequestedBy{}}
	t := &requests{c: c, at: map[string]int{}, of: make([]int, len(c.Nodes))}
	t.all = append(t.all, t.empty("all pods"))
	if node != kube.Nowhere {
		r.Node = c.Nodes[node].Name
	}
	if !ByPods(by) {
		groups := Groups(c, by)
		if len(groups) == 0 {
			return nil, fmt.Errorf("nothing can be grouped by %q: no node has that; use namespace, owner, node, zone, type, gpu or the key of a label", by)
		}
		for _, g := range groups {
			for _, at := range g.Nodes {
				t.of[at] = t.group(g.Name)
			}
		}
	}
	for at := range c.Nodes {
		if node == kube.Nowhere || node == at {
			t.addNode(at)
		}
	}
	keep := kube.NewOwners(c)
	for i := range c.Pods {
		p := &c.Pods[i]
		if node != kube.Nowhere && p.Node != node || p.Node == kube.Nowhere && !p.Pending() {
			continue
		}
		in := 0
		switch {
		case by == "namespace":
			in = t.group(p.Namespace)
		case by == "owner":
			o := keep.Of(p)
			in = t.group(o.Kind + " " + p.Namespace + "/" + o.Name)
		case p.Node != kube.Nowhere:
			in = t.of[p.Node]
		}
		t.all[0].add(p)
		if in > 0 {
			t.all[in].add(p)
		}
	}
	r.finish(t)
	return r, nil
}

// requests are sums in work; the first is that of all pods.
type requests struct {
	c   *kube.Cluster
	all []RequestedBy
	at  map[string]int // groups by name
	of  []int          // the group of each node, 0 for none
}

// empty returns a group without pods.
func (t *requests) empty(name string) RequestedBy {
	g := RequestedBy{Name: name, Resources: make([]ResourceTotal, len(t.c.Resources))}
	for r, resource := range t.c.Resources {
		g.Resources[r].Resource = resource
	}
	return g
}

// group returns the place of a group, which it adds if it is new.
func (t *requests) group(name string) int {
	at, known := t.at[name]
	if !known {
		at = len(t.all)
		t.at[name] = at
		t.all = append(t.all, t.empty(name))
	}
	return at
}

// addNode adds the allocatable amounts of a node to the sum of all and to its group.
func (t *requests) addNode(at int) {
	groups := []int{0}
	if t.of[at] > 0 {
		groups = append(groups, t.of[at])
	}
	for _, in := range groups {
		t.all[in].Nodes++
		for r := range t.c.Resources {
			t.all[in].Resources[r].Allocatable += t.c.Nodes[at].Allocatable.At(r)
		}
	}
}

// add adds the requests of a pod to a group, as pending if it has no node.
func (g *RequestedBy) add(p *kube.Pod) {
	if p.Pending() {
		g.Pending++
	} else {
		g.Pods++
	}
	for r, amount := range p.Spec.Requests {
		if p.Pending() {
			g.Resources[r].Pending += amount
		} else {
			g.Resources[r].Requested += amount
		}
	}
}

// finish moves the sums of t to r: without the resources that no node has and no pod requests, without
// empty groups, and with the groups that request the largest part of a resource first.
func (r *Requested) finish(t *requests) {
	used := make([]bool, len(t.c.Resources))
	for i, x := range t.all[0].Resources {
		used[i] = x.Allocatable+x.Requested+x.Pending > 0
	}
	for g := range t.all {
		var kept []ResourceTotal
		for i, x := range t.all[g].Resources {
			if used[i] {
				kept = append(kept, x)
			}
		}
		t.all[g].Resources = kept
	}
	r.Total = t.all[0]
	for _, g := range t.all[1:] {
		if g.Nodes+g.Pods+g.Pending > 0 {
			r.Groups = append(r.Groups, g)
		}
	}
	slices.SortStableFunc(r.Groups, func(x, y RequestedBy) int {
		return cmp.Or(cmp.Compare(r.largest(&y), r.largest(&x)), strings.Compare(x.Name, y.Name))
	})
	r.Method = Method{
		How:         "Sums of the effective requests of pods, as the scheduler counts them: init containers, sidecars, overhead and requests of a whole pod included.",
		Bound:       "The sums are exact.",
		Assumptions: []string{"Pods that have ended request nothing. Requests are not use: ask what is requested and not used."},
		NotModelled: []Omission{},
	}
}

// has returns the allocatable amount of a group: of its nodes, or of all nodes.
func (r *Requested) has(g *RequestedBy, resource int) int64 {
	if g.Nodes > 0 {
		return g.Resources[resource].Allocatable
	}
	return r.Total.Resources[resource].Allocatable
}

// largest returns the largest part of a resource that a group requests.
func (r *Requested) largest(g *RequestedBy) float64 {
	largest := 0.0
	for i, x := range g.Resources {
		if has := r.has(g, i); has > 0 {
			largest = max(largest, float64(x.Requested)/float64(has))
		}
	}
	return largest
}

// portion writes a part of an amount in percent, "–" of none.
func portion(n, of int64) string {
	if of <= 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(of))
}

// Sentence returns the answer in one sentence.
func (r *Requested) Sentence() string {
	var parts []string
	for _, x := range r.Total.Resources {
		if x.Requested > 0 && x.Allocatable > 0 && x.Resource != "pods" {
			parts = append(parts, portion(x.Requested, x.Allocatable)+" of "+x.Resource)
		}
	}
	where := count(r.Total.Nodes, "node", "nodes")
	if r.Node != "" {
		where = r.Node
	}
	text := count(r.Total.Pods, "pod", "pods") + " on " + where
	switch n := len(parts); {
	case n == 0:
		return text + " request no resource."
	case n == 1:
		text += " request " + parts[0]
	default:
		text += " request " + strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	}
	return text + "."
}

// Document returns the answer for people.
func (r *Requested) Document() Document {
	title := "What is requested?"
	if r.Node != "" {
		title = "What is requested on " + r.Node + "?"
	}
	var all [][]string
	for _, x := range r.Total.Resources {
		all = append(all, []string{
			x.Resource, Amount(x.Resource, x.Allocatable), Amount(x.Resource, x.Requested),
			portion(x.Requested, x.Allocatable), Amount(x.Resource, x.Pending),
		})
	}
	nodes := !ByPods(r.By)
	columns := []string{r.By}
	if nodes {
		columns = append(columns, "nodes")
	}
	for _, x := range r.Total.Resources {
		columns = append(columns, x.Resource, "part")
	}
	var rows [][]string
	for k := range r.Groups {
		g := &r.Groups[k]
		row := []string{g.Name}
		if nodes {
			row = append(row, strconv.Itoa(g.Nodes))
		}
		for i, x := range g.Resources {
			row = append(row, Amount(x.Resource, x.Requested), portion(x.Requested, r.has(g, i)))
		}
		if !nodes {
			row = append(row, strconv.Itoa(g.Pending))
		}
		rows = append(rows, row)
	}
	if !nodes {
		columns = append(columns, "pods that wait")
	}
	return Document{Title: title, Sentence: r.Sentence(), Method: r.Method, Grids: []Grid{
		grid("Resources", []string{"resource", "allocatable", "requested", "part", "wanted by pods that wait"}, all, len(all)),
		grid("By "+r.By, columns, rows, maxRows),
	}}
}
