// Package cases makes small Kubernetes clusters that are awkward for a scheduler: two to
// eight nodes and up to fifteen pods, in which every constraint meets often and fails often.
// A case is the text of a dump, so that kube-scheduler itself (in a module of its own below
// core/kube/constraint) and Parley read the same bytes.
//
//	dump := cases.Dump(seed)              // {"apiVersion":"v1","kind":"List","items":[…]}
//	configuration := cases.Configuration(seed) // a KubeSchedulerConfiguration
//
// The same seed always gives the same bytes, so a failure that a test found can be repeated.
package cases

import (
	"encoding/json"
	"fmt"

	"parley/core/rng"
)

// Dump returns the case of a seed: a list as kubectl get -o json writes it.
func Dump(seed uint64) []byte { return list(draw(seed, everything)) }

// Movable returns a case for questions that move pods: the same clusters, with fewer
// constraints a pod, owners, disruption budgets with a status, and no volumes but those
// that a zone or a node holds. It has at most 6 nodes and 12 pods.
func Movable(seed uint64) []byte { return list(draw(seed, movable)) }

func list(items []object) []byte {
	return encode(object{"apiVersion": "v1", "kind": "List", "items": items})
}

// encode writes keys in their order: the same case is the same bytes.
func encode(o object) []byte {
	out, err := json.Marshal(o)
	if err != nil {
		panic(err) // maps, slices, strings and numbers
	}
	return out
}

type object = map[string]any

// size limits the objects of a case.
type size struct{ nodes, pods, volumes, odd int }

var (
	everything = size{nodes: 7, pods: 15, volumes: 3, odd: 4}
	movable    = size{nodes: 5, pods: 12, volumes: 12, odd: 12}
)

// maker draws a case.
type maker struct {
	*rng.Stream
	size
	nodes  []string
	claims []string
	ports  map[string]bool // node and port that a bound pod has
	items  []object
}

func draw(seed uint64, s size) []object {
	m := &maker{Stream: rng.New(seed, "kubernetes case"), size: s, ports: map[string]bool{}}
	m.namespaces()
	for i := range 2 + m.Intn(s.nodes-1) {
		m.node(i)
	}
	m.storage()
	bound, pending := m.Intn(s.pods-3), 1+m.Intn(3)
	for i := range bound + pending {
		m.pod(i, i < bound)
	}
	m.budgets()
	m.owners()
	return m.items
}

// one reports true once in n times.
func (m *maker) one(n int) bool { return m.Intn(n) == 0 }

func pick[T any](m *maker, of ...T) T { return of[m.Intn(len(of))] }

func (m *maker) add(o object) { m.items = append(m.items, o) }

func meta(name, namespace string, more object) object {
	o := object{"name": name, "uid": "uid-" + namespace + "-" + name, "creationTimestamp": "2026-01-01T00:00:00Z"}
	if namespace != "" {
		o["namespace"] = namespace
	}
	for k, v := range more {
		o[k] = v
	}
	return o
}

func (m *maker) namespaces() {
	for _, n := range []string{"one", "two", "three"} {
		labels := object{"kubernetes.io/metadata.name": n}
		if n != "three" {
			labels["team"] = pick(m, "x", "y")
		}
		m.add(object{"apiVersion": "v1", "kind": "Namespace", "metadata": meta(n, "", object{"labels": labels})})
	}
	for _, p := range []struct {
		name  string
		value int
	}{{"low", 10}, {"high", 1000}} {
		m.add(object{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": meta(p.name, "", nil), "value": p.value})
	}
	if m.one(2) {
		m.add(object{"apiVersion": "v1", "kind": "Service", "metadata": meta("web", "one", nil), "spec": object{"selector": object{"app": "a"}}})
	}
}

func (m *maker) node(i int) {
	name := fmt.Sprintf("n%d", i)
	m.nodes = append(m.nodes, name)
	labels := object{}
	if !m.one(12) {
		labels["kubernetes.io/hostname"] = name
	}
	if !m.one(8) {
		labels["topology.kubernetes.io/zone"] = pick(m, "z1", "z2", "z3")
		labels["topology.kubernetes.io/region"] = "r1"
	} else if m.one(2) {
		labels["failure-domain.beta.kubernetes.io/zone"] = pick(m, "z1", "z2")
	}
	if !m.one(4) {
		labels["rack"] = pick(m, "r1", "r2", "r3")
	}
	if m.one(2) {
		labels["disk"] = pick(m, "ssd", "hdd")
	}
	if m.one(3) {
		labels["size"] = pick(m, "1", "4", "16", "big", "3")
	}
	spec := object{}
	var taints []any
	if m.one(9) {
		spec["unschedulable"] = true
		if !m.one(3) {
			taints = append(taints, object{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
		}
	}
	for m.one(6) {
		t := object{"key": pick(m, "team", "gpu", "node.kubernetes.io/not-ready"), "effect": pick(m, "NoSchedule", "PreferNoSchedule", "NoExecute")}
		if m.one(2) {
			t["value"] = pick(m, "x", "y")
		}
		taints = append(taints, t)
	}
	ready := pick(m, "True", "True", "True", "True", "True", "True", "True", "True", "False", "Unknown")
	if lost := map[string]string{"False": "node.kubernetes.io/not-ready", "Unknown": "node.kubernetes.io/unreachable"}[ready]; lost != "" {
		taints = append(taints, object{"key": lost, "effect": "NoSchedule"}) // as the control plane does at once
	}
	if taints != nil {
		spec["taints"] = taints
	}
	allocatable := object{
		"cpu": pick(m, "2", "4", "4", "3900m", "8"), "memory": pick(m, "4Gi", "8Gi", "7900Mi", "16G"),
		"pods": pick(m, "110", "110", "4", "3"),
	}
	if !m.one(4) {
		allocatable["ephemeral-storage"] = pick(m, "10Gi", "50Gi", "93492209510")
	}
	if m.one(3) {
		allocatable["nvidia.com/gpu"] = pick(m, "1", "2", "8")
	}
	if m.one(8) {
		allocatable["hugepages-2Mi"] = "64Mi"
	}
	status := object{"allocatable": allocatable, "capacity": allocatable, "conditions": []any{object{"type": "Ready", "status": ready}}}
	if m.one(2) {
		status["images"] = m.images()
	}
	m.add(object{"apiVersion": "v1", "kind": "Node", "metadata": meta(name, "", object{"labels": labels}), "spec": spec, "status": status})
}

func (m *maker) images() []any {
	var out []any
	for i, size := range []int64{30 << 20, 400 << 20, 1200 << 20} {
		if m.one(2) {
			name := fmt.Sprintf("registry.io/app%d", i)
			out = append(out, object{"names": []any{name + ":v1", name + "@sha256:00"}, "sizeBytes": size})
		}
	}
	return out
}

// labels draws the labels that selectors look at.
func (m *maker) labels() object {
	labels := object{}
	if !m.one(8) {
		labels["app"] = pick(m, "a", "a", "b", "c")
	}
	if m.one(2) {
		labels["tier"] = pick(m, "front", "back")
	}
	if m.one(4) {
		labels["pod-template-hash"] = pick(m, "1111", "2222")
	}
	return labels
}

// selector draws a label selector: nil, empty, by labels, by expressions.
func (m *maker) selector() any {
	switch m.Intn(12) {
	case 0:
		if m.one(2) {
			return nil
		}
		return object{}
	case 1, 2:
		e := object{"key": pick(m, "app", "tier"), "operator": pick(m, "Exists", "DoesNotExist")}
		return object{"matchExpressions": []any{e}}
	case 3, 4:
		e := object{"key": pick(m, "app", "tier"), "operator": pick(m, "In", "NotIn"), "values": pick(m, []any{"a"}, []any{"a", "b"}, []any{"front"})}
		return object{"matchExpressions": []any{e}}
	case 5:
		return object{"matchLabels": object{"app": "a", "tier": pick(m, "front", "back")}}
	}
	return object{"matchLabels": object{"app": pick(m, "a", "a", "a", "b", "c")}}
}

// key draws a topology key; one of them no node has.
func (m *maker) key() string {
	return pick(m, "kubernetes.io/hostname", "kubernetes.io/hostname", "topology.kubernetes.io/zone", "topology.kubernetes.io/zone", "topology.kubernetes.io/zone", "rack", "rack", "rack", "rack", "kubernetes.io/hostname", "topology.kubernetes.io/zone", "nowhere")
}
