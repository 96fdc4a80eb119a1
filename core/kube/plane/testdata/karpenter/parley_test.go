package karpenter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"parley/core/kube/constraint"
	"parley/core/kube/dump"
	"parley/core/kube/question"
	"parley/core/trace"
)

type object = map[string]any

// ready is the list of conditions of a node or pod that is ready.
var ready = []any{object{"type": "Ready", "status": "True"}}

// listed writes a case as kubectl does.
func (c *cluster) listed() []byte {
	items := []any{object{
		"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": object{"name": "p"}, "spec": object{
			"template": object{"spec": object{"requirements": []any{
				object{"key": v1.CapacityTypeLabelKey, "operator": "In", "values": c.capacities},
			}}},
			"disruption": object{
				"consolidationPolicy": "WhenEmptyOrUnderutilized", "consolidateAfter": "0s",
				"budgets": []any{object{"nodes": c.budget}},
			},
		},
	}}
	for _, n := range c.nodes {
		items = append(items, object{
			"apiVersion": "v1", "kind": "Node", "metadata": object{"name": n.name, "labels": n.labels()},
			"status": object{"conditions": ready, "allocatable": object{
				"cpu": fmt.Sprintf("%dm", n.machine.allocatable()), "memory": allocatableMemory, "pods": podsOfNode,
			}},
		})
		for _, p := range n.pods {
			spec := object{"nodeName": n.name, "containers": []any{
				object{"name": "c", "resources": object{"requests": object{"cpu": fmt.Sprintf("%dm", p.cpu)}}},
			}}
			if p.zone != "" {
				spec["nodeSelector"] = object{corev1.LabelTopologyZone: p.zone}
			}
			items = append(items, object{
				"apiVersion": "v1", "kind": "Pod", "spec": spec,
				"metadata": object{
					"name": p.name, "namespace": "n", "labels": object{"app": "web"},
					"annotations":     object{corev1.PodDeletionCost: fmt.Sprint(p.cost)},
					"ownerReferences": []any{object{"kind": "ReplicaSet", "name": "set" + p.name, "controller": true}},
				},
				"status": object{"phase": "Running", "conditions": ready},
			})
		}
	}
	out, err := json.Marshal(object{"kind": "List", "items": items})
	if err != nil {
		panic(err) // maps, slices and texts
	}
	return out
}

// table writes the prices as --prices reads them.
func (c *cluster) table() []byte {
	out := []byte("type,zone,capacity,price\n")
	for _, m := range machines {
		for _, zone := range zones {
			for _, capacity := range c.capacities {
				price := c.prices[offer{m.name, zone, capacity}]
				out = fmt.Appendf(out, "%s,%s,%s,%v\n", m.name, zone, capacity, price)
			}
		}
	}
	return out
}

// parley returns the first command of Parley.
func (c *cluster) parley(t *testing.T) command {
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(c.listed())), nil }
	read, err := dump.Read([]trace.File{{Name: "case", Open: open}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	prices, err := question.ReadPrices("prices", c.table())
	if err != nil {
		t.Fatal(err)
	}
	options := question.ConsolidateOptions{Prices: prices, PlayOptions: question.PlayOptions{Plays: 1}}
	answer := question.Consolidate(read, constraint.Default(), options)
	if len(answer.Commands) == 0 {
		return command{}
	}
	first := answer.Commands[0]
	out := command{kind: first.Kind, nodes: slices.Sorted(slices.Values(first.Nodes))}
	if first.Replacement != "" {
		words := strings.Split(first.Replacement, ", ") // machine, capacity type and zones
		out.replacement = words[0] + ", " + words[1]
	}
	return out
}
