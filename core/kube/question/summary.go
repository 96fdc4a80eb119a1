package question

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/core/kube"
)

// Summary counts the objects of a dump. Create one with Summarise.
type Summary struct {
	Kinds      []KindCount     `json:"kinds"`
	Nodes      NodeCounts      `json:"nodes"`
	Pods       PodCounts       `json:"pods"`
	Resources  []ResourceTotal `json:"resources"`
	Namespaces int             `json:"namespaces"` // of pods
	Unmodelled []Absence       `json:"unmodelled"`
}

// KindCount is a number of objects of one kind.
type KindCount struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

// NodeCounts counts nodes.
type NodeCounts struct {
	Count    int     `json:"count"`
	Ready    int     `json:"ready"`
	Cordoned int     `json:"cordoned"`
	Zones    []Alike `json:"zones"`
	Types    []Alike `json:"instance_types"`
	GPUs     []Alike `json:"gpu_models"` // of nodes that state one
}

// Alike is a number of nodes that share a zone or a machine type; Name is "" if they state none.
type Alike struct {
	Name  string `json:"name"`
	Nodes int    `json:"nodes"`
}

// PodCounts counts pods that have not ended, and those that have.
type PodCounts struct {
	Bound       int `json:"bound"`
	Pending     int `json:"pending"`
	Terminating int `json:"terminating"`
	Finished    int `json:"finished"`
	DaemonSet   int `json:"of_daemonsets"`
	Mirror      int `json:"static"`
	Alike       int `json:"different_specs"`
}

// ResourceTotal sums a resource over the cluster.
type ResourceTotal struct {
	Resource    string `json:"resource"`
	Allocatable int64  `json:"allocatable"` // milli-CPUs, bytes or pieces
	Requested   int64  `json:"requested"`   // by pods that are bound
	Pending     int64  `json:"pending"`     // by pods that wait
}

// Absence is something of the dump that no constraint looks at.
type Absence struct {
	Feature string   `json:"what"`
	Count   int      `json:"count"`
	Pods    []string `json:"pods,omitempty"` // at most 1,000
}

// Summarise counts the objects of a cluster. Requests of pods whose node the dump does not have are in
// neither Requested nor Pending.
func Summarise(c *kube.Cluster) *Summary {
	s := &Summary{Kinds: []KindCount{}, Unmodelled: []Absence{}}
	for _, k := range c.Kinds {
		s.Kinds = append(s.Kinds, KindCount(k))
	}
	zones, types, gpus := map[string]int{}, map[string]int{}, map[string]int{}
	s.Nodes.Count = len(c.Nodes)
	s.Resources = make([]ResourceTotal, len(c.Resources))
	for r, name := range c.Resources {
		s.Resources[r].Resource = name
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		zones[n.Zone()]++
		types[n.InstanceType()]++
		if model := n.GPUModel(); model != "" {
			gpus[model]++
		}
		if n.Ready == kube.ReadyTrue {
			s.Nodes.Ready++
		}
		if n.Unschedulable {
			s.Nodes.Cordoned++
		}
		for r := range c.Resources {
			s.Resources[r].Allocatable += n.Allocatable.At(r)
		}
	}
	s.Nodes.Zones, s.Nodes.Types, s.Nodes.GPUs = byName(zones), byName(types), byName(gpus)
	specs, namespaces := map[*kube.Spec]bool{}, map[string]bool{}
	for i := range c.Pods {
		p := &c.Pods[i]
		specs[p.Spec], namespaces[p.Namespace] = true, true
		into := &s.Pods.Pending
		if !p.Pending() {
			into = &s.Pods.Bound
		}
		*into++
		if p.Terminating() {
			s.Pods.Terminating++
		}
		if p.DaemonSet() {
			s.Pods.DaemonSet++
		}
		if p.Mirror {
			s.Pods.Mirror++
		}
		for r, amount := range p.Spec.Requests {
			switch {
			case p.Pending():
				s.Resources[r].Pending += amount
			case p.Node != kube.Nowhere:
				s.Resources[r].Requested += amount
			}
		}
	}
	s.Pods.Finished, s.Pods.Alike, s.Namespaces = c.Finished, len(specs), len(namespaces)
	for _, u := range c.Unmodelled {
		one := Absence{Feature: u.Subject, Count: u.Count}
		for _, pod := range u.Pods {
			one.Pods = append(one.Pods, c.Pods[pod].Full())
		}
		s.Unmodelled = append(s.Unmodelled, one)
	}
	return s
}

// byName lists counts, the largest first, then by name.
func byName(counts map[string]int) []Alike {
	all := []Alike{}
	for name, n := range counts {
		all = append(all, Alike{name, n})
	}
	slices.SortFunc(all, func(a, b Alike) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// Sentence returns the summary in one sentence.
func (s *Summary) Sentence() string {
	text := count(s.Nodes.Count, "node", "nodes")
	if zones := len(s.Nodes.Zones); zones > 1 {
		text += fmt.Sprintf(" in %d zones", zones)
	}
	text += fmt.Sprintf(", %s in %s.", count(s.Pods.Bound+s.Pods.Pending, "pod", "pods"), count(s.Namespaces, "namespace", "namespaces"))
	var parts []string
	if s.Pods.Pending > 0 {
		parts = append(parts, count(s.Pods.Pending, "pod is pending", "pods are pending"))
	}
	if away := s.Nodes.Count - s.Nodes.Ready; away > 0 {
		parts = append(parts, count(away, "node is not ready", "nodes are not ready"))
	}
	if s.Nodes.Cordoned > 0 {
		parts = append(parts, count(s.Nodes.Cordoned, "node is cordoned", "nodes are cordoned"))
	}
	if len(parts) == 0 {
		return text
	}
	return text + " " + strings.Join(parts, "; ") + "."
}

// Amount writes an amount of a resource for people, with its unit: "3.92 cores", "12.5 GiB",
// "110".
func Amount(resource string, n int64) string {
	switch {
	case resource == "cpu" && n == 1000:
		return "1 core"
	case resource == "cpu":
		return short(float64(n)/1000) + " cores"
	case resource == "memory", resource == "ephemeral-storage", strings.HasPrefix(resource, "hugepages-"):
		unit, size := "B", float64(n)
		for _, u := range []string{"KiB", "MiB", "GiB", "TiB", "PiB"} {
			if size < 1024 && size > -1024 {
				break
			}
			unit, size = u, size/1024
		}
		return short(size) + " " + unit
	}
	return strconv.FormatInt(n, 10)
}

// short writes a number with at most two digits after the point.
func short(x float64) string {
	text := strconv.FormatFloat(x, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
