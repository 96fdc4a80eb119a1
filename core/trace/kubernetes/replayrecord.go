package kubernetes

import (
	"slices"
	"strings"

	"parley/core/kube"
	"parley/core/unit"
	"parley/core/workload"
)

// dimension reports whether the run counts a resource of the cluster.
func dimension(resource string) bool {
	for r := range unit.Resources {
		if carries(r, resource) {
			return true
		}
	}
	return false
}

// carries reports whether a resource of the run stands for one of the cluster: GPUs of all makers
// are one.
func carries(r unit.Resource, resource string) bool {
	switch name := r.String(); name {
	case "disk":
		return resource == "ephemeral-storage"
	case "gpu":
		return strings.HasSuffix(resource, "/gpu")
	default:
		return resource == name
	}
}

// amount returns how much a vector has of a resource of the run.
func (s *Source) amount(v kube.Vector, r unit.Resource) (sum int64) {
	for k, n := range v {
		if n != 0 && carries(r, s.c.Resources[k]) {
			sum += n
		}
	}
	return sum
}

// share returns an amount in millionths of the largest node's, up rounds requests up.
func (s *Source) share(r unit.Resource, amount int64, up bool) unit.Share {
	x := float64(amount) / float64(max(1, s.largest[r])) * float64(unit.Whole)
	share := unit.Share(min(x, 1<<30))
	if up && float64(share) < x {
		share++
	}
	return share
}

// attributes of nodes that are not labels.
const (
	nodeAttribute  = "node"
	taintAttribute = "taint "
	// resourceAttribute is how much of a resource a node has beside CPU and memory: a supply.
	resourceAttribute = "resource "
	modelAttribute    = "GPU model"
)

func (s *Source) attribute(name string) workload.AttributeName {
	return s.names.Attribute([]byte(name))
}

// node fills a record of a node: its zone is its rack, and its attributes are its number, the
// labels that pods select by, its taints, its resources other than CPU and memory, and the
// model of its GPUs.
func (s *Source) node(r *workload.Record, i int) {
	n := &s.c.Nodes[i]
	rack := s.zones[n.Zone()]
	if n.Zone() == "" {
		rack = -1
	}
	r.Kind, r.Machine = workload.NodeJoins, uint64(i)
	r.Node = workload.Node{Rack: rack, Site: -1}
	for k := range unit.Resources {
		r.Node.Capacity[k] = s.share(k, s.amount(n.Allocatable, k), false)
	}
	for _, k := range s.counted {
		if has := n.Allocatable.At(k); has > 0 {
			r.Node.Attributes = append(r.Node.Attributes,
				workload.Attribute{Name: s.attribute(resourceAttribute + s.c.Resources[k]), Value: has})
		}
	}
	if model := n.GPUModel(); model != "" {
		r.Node.Attributes = append(r.Node.Attributes,
			workload.Attribute{Name: s.attribute(modelAttribute), Value: s.names.Value([]byte(model))})
	}
	r.Node.Attributes = append(r.Node.Attributes, workload.Attribute{Name: s.attribute(nodeAttribute), Value: int64(i)})
	for _, l := range n.Labels {
		if s.selected[l.Key] {
			r.Node.Attributes = append(r.Node.Attributes,
				workload.Attribute{Name: s.attribute(l.Key), Value: s.names.Value([]byte(l.Value))})
		}
	}
	for k, t := range s.taints {
		if slices.Contains(n.Taints, t) {
			r.Node.Attributes = append(r.Node.Attributes, workload.Attribute{Name: s.taint(k), Value: 1})
		}
	}
}

func (s *Source) taint(k int) workload.AttributeName {
	return s.attribute(taintAttribute + s.taints[k].Key + "=" + s.taints[k].Value)
}

// task fills a task with a pod: pods of DaemonSets and static pods ask for their node, others
// for the labels that they select and against the taints that they do not tolerate.
func (s *Source) task(t *workload.Task, p *kube.Pod, key workload.Key) {
	sp := p.Spec
	rank, _ := slices.BinarySearch(s.ranks, sp.Priority)
	*t = workload.Task{User: s.spaces[p.Namespace], Priority: uint8(min(rank, 11)), Spread: apart(sp)}
	if sp.Priority > 0 || p.DaemonSet() {
		t.Class = workload.Production
	}
	for r := range unit.Resources {
		t.Request[r] = s.share(r, s.amount(sp.Requests, r), true)
	}
	for _, k := range s.counted {
		if wanted := sp.Requests.At(k); wanted > 0 {
			t.Constraints = append(t.Constraints,
				workload.Constraint{
					Name: s.attribute(resourceAttribute + s.c.Resources[k]), Op: workload.Takes,
					Value: wanted,
				})
		}
	}
	if p.Node != kube.Nowhere && (p.DaemonSet() || p.Mirror) {
		t.Constraints = append(t.Constraints,
			workload.Constraint{Name: s.attribute(nodeAttribute), Value: int64(p.Node)})
	} else {
		for _, l := range sp.NodeSelector {
			t.Constraints = append(t.Constraints,
				workload.Constraint{Name: s.attribute(l.Key), Value: s.names.Value([]byte(l.Value))})
		}
		for k := range s.taints {
			if !sp.Tolerates(&s.taints[k]) {
				t.Constraints = append(t.Constraints,
					workload.Constraint{Name: s.taint(k), Op: workload.NotEqual, Value: 1})
			}
		}
	}
	t.Image, t.Usage = s.options.Image(t.Request), s.options.Usage(key, t.Class, t.Request)
}

// apart reports whether a pod asks not to share a host with its like.
func apart(sp *kube.Spec) bool {
	for _, terms := range [][]kube.PodTerm{sp.AntiRequired, sp.AntiPreferred} {
		for i := range terms {
			if terms[i].Key == kube.HostnameLabel {
				return true
			}
		}
	}
	for i := range sp.Spread {
		if sp.Spread[i].Key == kube.HostnameLabel {
			return true
		}
	}
	return false
}
