package kubernetes

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"parley/core/kube"
	"parley/core/unit"
	"parley/core/workload"
)

// name gives each node its name, and each zone a rack of its name.
func (s *Source) name() {
	for i := range s.c.Nodes {
		n := &s.c.Nodes[i]
		s.names.NameMachine(uint64(i), n.Name)
		if _, known := s.zones[n.Zone()]; !known {
			rack := int32(len(s.zones))
			s.zones[n.Zone()] = rack
			s.names.NameRack(rack, n.Zone())
		}
	}
}

// supply names the resources that the run counts beside CPU and memory: every other resource that a node
// has or a pod requests. GPUs of several models are also counted by model. In a truncated dump no node may
// have a capacity of pods: then pods are not counted.
func (s *Source) supply() {
	s.attribute(modelAttribute) // first, so that the map can group nodes by it
	s.names.Scale(s.largest[unit.CPU], s.largest[unit.Memory]>>20)
	s.names.SetRequests(s.requests)
	for r, name := range s.c.Resources {
		if dimension(name) || !slices.ContainsFunc(s.c.Nodes,
			func(n kube.Node) bool { return n.Allocatable.At(r) > 0 }) && (r == kube.Pods || !s.requested(r)) {
			continue
		}
		s.counted = append(s.counted, r)
		one := workload.Supply{
			ID: identifier(name), Title: name, Name: s.attribute(resourceAttribute + name),
			Bytes: r == kube.EphemeralStorage || strings.HasPrefix(name, "hugepages-"),
		}
		if r == kube.Pods {
			one.Title = "Pods"
		}
		if strings.HasSuffix(name, "/gpu") {
			one.Device = 1
		}
		s.names.Supply(one)
		if models := s.models(r); len(models) > 1 {
			for _, model := range models {
				part := one
				part.ID, part.Title = one.ID+"_"+identifier(model), name+" "+model
				part.ID = part.ID[:min(len(part.ID), longestID)]
				part.Only = workload.Attribute{Name: s.attribute(modelAttribute), Value: s.names.Value([]byte(model))}
				s.names.Supply(part)
			}
		}
	}
}

// requests returns the requests of all pods.
func (s *Source) requests() (all []workload.RequestCount) {
	for i := range s.facts {
		var t workload.Task
		s.task(&t, &s.c.Pods[s.facts[i].pod], workload.Key{})
		all = append(all, workload.RequestCount{Request: t.Request, Constraints: t.Constraints, Tasks: 1})
	}
	return all
}

// requested reports whether a pod requests a resource.
func (s *Source) requested(resource int) bool {
	return slices.ContainsFunc(s.c.Pods, func(p kube.Pod) bool { return p.Spec.Requests.At(resource) > 0 })
}

// models returns the models of GPUs of the nodes that have a resource, sorted; none if the resource
// is no GPU.
func (s *Source) models(resource int) (all []string) {
	if !strings.HasSuffix(s.c.Resources[resource], "/gpu") {
		return nil
	}
	for i := range s.c.Nodes {
		if n := &s.c.Nodes[i]; n.Allocatable.At(resource) > 0 && n.GPUModel() != "" {
			all = append(all, n.GPUModel())
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// longestID is how many letters of a layer's ID a link takes.
const longestID = 64

// identifier writes a name with letters, digits and underscores.
func identifier(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
}

// How many groups of a kind the map has layers for: those with most pods.
const (
	maxNamespaces = 48
	maxOwners     = 16
)

// group names the namespaces and owners with most pods, so that the map has a layer for each.
func (s *Source) group() {
	spaces, owners := map[string]int{}, map[string]int{}
	for _, f := range s.facts {
		p := &s.c.Pods[f.pod]
		spaces[p.Namespace]++
		if p.Owner.Kind != "" {
			owners[s.owner(p)]++
		}
	}
	used := map[string]bool{}
	for _, name := range largest(spaces, maxNamespaces) {
		s.names.Group(workload.Group{
			ID: groupID("namespace", name, used), Kind: "Namespace", Title: name, OfUser: true,
			Number: uint64(s.spaces[name]),
		})
	}
	for _, name := range largest(owners, maxOwners) {
		s.names.Group(workload.Group{
			ID: groupID("owner", name, used), Kind: "Owner", Title: name,
			Number: s.owners[name],
		})
	}
}

// largest returns at most n names with the largest counts, in the order of the alphabet.
func largest(counts map[string]int, n int) []string {
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]),
			cmp.Compare(a, b))
	})
	names = names[:min(n, len(names))]
	slices.Sort(names)
	return names
}

// groupID returns the ID of a group, which no other group has.
func groupID(kind, name string, used map[string]bool) string {
	first := strings.ToLower(kind + "_" + identifier(name))
	first = first[:min(len(first), longestID-4)]
	id := first
	for k := 2; used[id]; k++ {
		id = first + "_" + strconv.Itoa(k)
	}
	used[id] = true
	return id
}
