package question

import (
	"errors"
	"fmt"
	"strconv"

	"parley/core/kube"
	"parley/core/kube/usage"
)

// Sized compares the requests of the pods of workloads with their usage.
type Sized struct {
	From       int64       `json:"from_s"` // seconds since 1970; 0 if samples have no time
	To         int64       `json:"to_s"`
	Samples    int64       `json:"samples"`
	Unreadable int64       `json:"unreadable"` // samples that are no finite numbers
	Unknown    int         `json:"unknown"`    // series of pods that no workload explains
	Rows       []usage.Row `json:"rows"`
	Totals     []SizeTotal `json:"totals"`
	// Nodes is how many nodes of the mean size could be given back at most: the least of Totals, 0
	// if one of CPU and memory has no samples or is used beyond its requests.
	Nodes  float64  `json:"nodes"`
	Saved  *Money   `json:"saved,omitempty"` // their cost, by the mean price of a node
	beyond []string // workloads that use more than any node has
}

// SizeTotal sums a resource over all workloads that have samples.
type SizeTotal struct {
	Resource  string `json:"resource"`
	Requested int64  `json:"requested"` // milli-CPUs or bytes, by workloads that have samples
	Used      int64  `json:"p95"`       // of their pods
	// Nodes is how many nodes of the cluster's mean size the difference is, below 0 if pods use
	// more than they request.
	Nodes float64 `json:"nodes"`
}

// ErrMoment means that the usage of pods is from one moment.
var ErrMoment = errors.New("each series has one sample: a moment says nothing of a peak; give a range of at least a day, best a week, from Prometheus or as CSV")

// RightSize compares the requests of workloads with the usage of their pods. Nodes of Totals are in nodes
// of the cluster's mean size. It returns ErrMoment if each series has one sample: a moment has no peak.
func RightSize(c *kube.Cluster, u *usage.Usage) (*Sized, error) {
	if u.Instant() {
		return nil, ErrMoment
	}
	s := &Sized{
		From: u.From, To: u.To, Samples: u.Samples, Unreadable: u.Unreadable, Rows: []usage.Row{},
		Totals: []SizeTotal{},
	}
	rows, unknown := usage.RightSize(c, u)
	s.Rows, s.Unknown = append(s.Rows, rows...), unknown
	for _, resource := range []int{kube.CPU, kube.Memory} {
		t := SizeTotal{Resource: c.Resources[resource]}
		any := false
		for _, row := range s.Rows {
			if row.Resource == t.Resource {
				any = true
				t.Requested += row.Request * int64(row.Pods)
				t.Used += row.P95 * int64(row.Pods)
			}
		}
		allocatable := int64(0)
		for i := range c.Nodes {
			allocatable += c.Nodes[i].Allocatable.At(resource)
		}
		if allocatable > 0 {
			t.Nodes = float64(t.Requested-t.Used) / (float64(allocatable) / float64(len(c.Nodes)))
		}
		if any {
			s.Totals = append(s.Totals, t)
		}
	}
	if len(s.Totals) == 2 {
		s.Nodes = max(0, min(s.Totals[0].Nodes, s.Totals[1].Nodes))
	}
	s.doubt(c)
	return s, nil
}

// doubt notes workloads of which a pod is said to use more than any node has, or less memory than a process needs.
func (s *Sized) doubt(c *kube.Cluster) {
	limit := map[string]int64{}
	for i := range c.Nodes {
		for r, name := range c.Resources {
			limit[name] = max(limit[name], c.Nodes[i].Allocatable.At(r), c.Nodes[i].Capacity.At(r))
		}
	}
	for _, r := range s.Rows {
		if r.Resource == c.Resources[kube.Memory] && r.Max > 0 && r.Max < 64<<10 {
			s.beyond = append(s.beyond, fmt.Sprintf("a pod of %s/%s is said to use %s of memory at most, and no process runs in that: a number without a unit is of bytes; write 350Mi", r.Namespace, r.Name, Amount(r.Resource, r.Max)))
		}
		if has := limit[r.Resource]; r.P50 > has && has > 0 {
			s.beyond = append(s.beyond,
				fmt.Sprintf("a pod of %s/%s is said to use %s, and no node has more than %s: the file is of another resource or in another unit", r.Namespace, r.Name, Amount(r.Resource, r.P50), Amount(r.Resource, has)))
		}
	}
}

// Price sets the cost of the nodes that could be given back; without a table it changes nothing.
func (s *Sized) Price(c *kube.Cluster, t *Table) {
	if s.Saved = t.Cost(pointers(c)); s.Saved != nil {
		part := s.Nodes / float64(len(c.Nodes))
		s.Saved.Hour, s.Saved.Month = float64(s.Saved.Hour*part), float64(s.Saved.Month*part)
	}
}

// pointers returns all nodes of a cluster.
func pointers(c *kube.Cluster) []*kube.Node {
	all := make([]*kube.Node, len(c.Nodes))
	for i := range all {
		all[i] = &c.Nodes[i]
	}
	return all
}

// Document returns the comparison for people.
func (s *Sized) Document() Document {
	rows := make([][]string, len(s.Rows))
	for i, r := range s.Rows {
		rows[i] = []string{fmt.Sprintf("%s %s/%s", r.Kind, r.Namespace, r.Name), strconv.Itoa(r.Pods), r.Resource}
		for _, n := range []int64{r.Request, r.P50, r.P95, r.Max, r.Over} {
			rows[i] = append(rows[i], Amount(r.Resource, n))
		}
	}
	doc := Document{Title: "What is requested and not used?", Method: Method{
		How:   "For each workload the request of a pod stands beside the median, the 95th percentile and the maximum of all samples of its pods, those that are gone included.",
		Bound: "Quantiles are exact to 1/64. If samples are of containers, the figures of a pod are sums over its containers, which is at least what the pod used at once.",
		Assumptions: []string{
			"A peak beyond P95 is throttled on CPU and killed on memory: keep memory requests near the maximum.",
			"Fewer nodes follow only if the pods fit on them: ask for a drain with --requests p95.",
		},
	}}
	for i, t := range s.Totals {
		if i > 0 {
			doc.Sentence += " "
		}
		doc.Sentence += fmt.Sprintf(
			"%s: %s requested, %s used at P95 by all pods; the difference is %s of the mean size.", t.Resource, Amount(t.Resource, t.Requested), Amount(t.Resource, t.Used), nodesOf(t.Nodes),
		)
	}
	switch {
	case s.Saved == nil || s.Nodes <= 0:
	case !s.Saved.Known():
		doc.Sentence += fmt.Sprintf(" %s nodes have neither; what they cost is unknown.%s", short(s.Nodes), unpriced(s.Saved))
	default:
		doc.Sentence += fmt.Sprintf(" %s nodes have neither, which cost %.2f %s a month.%s", short(s.Nodes), s.Saved.Month, s.Saved.Currency, unpriced(s.Saved))
	}
	if len(s.Totals) == 0 {
		doc.Sentence = "No workload of the dump has samples: their namespaces and pods are of another cluster, or of another time."
	}
	doc.Method.Caveats = s.beyond
	days := short(float64(s.To-s.From)/86_400) + " days"
	if days == "1 days" {
		days = "1 day"
	}
	doc.Method.Assumptions = append(doc.Method.Assumptions, fmt.Sprintf("%d samples over %s; %d were no numbers, %d series of pods that no workload explains.",
		s.Samples, days, s.Unreadable, s.Unknown))
	doc.Grids = []Grid{caveats(&doc.Method, nil), grid("By workload", []string{"workload", "pods", "resource", "request", "P50", "P95", "maximum", "requested beyond P95, all pods"}, rows, maxRows)}
	return doc
}

// nodesOf returns a number of nodes, which may be a part of one.
func nodesOf(x float64) string {
	if short(x) == "1" {
		return "1 node"
	}
	return short(x) + " nodes"
}
