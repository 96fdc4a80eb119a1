package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/question"
	"parley/core/testkit/cases"
)

// TestFitEndsWhereTheSchedulerDoes asks what cluster-capacity asks: copies of a pod are placed
// until the scheduler takes no more. With Fit's copies on their nodes the scheduler must refuse
// the next one with the same message, and with any node's last copy gone it must take it. Pods of
// DaemonSets are left out: of them each node has one, which is no rule of the scheduler.
func TestFitEndsWhereTheSchedulerDoes(t *testing.T) {
	compared, placed := 0, 0
	for seed := range min(count(), 200) {
		text := cases.Movable(seed)
		c := read(t, text)
		pod := c.Pods[len(c.Pods)-1]
		if pod.DaemonSet() || len(pod.Claims) > 0 || len(pod.Spec.Gates) > 0 || pod.Spec.Scheduler != constraint.Default().Name {
			continue
		}
		f := question.Fit(c, constraint.Default(), pod.Full(), pod, question.FitOptions{MaxCopies: 60})
		if f.Truncated {
			continue
		}
		compared++
		placed += f.More
		on := map[string]int{}
		for _, n := range f.PerNode {
			on[n.Node] = n.Copies
		}
		if a := next(t, text, pod.Namespace, pod.Name, on); a.Feasible != 0 || a.Message != f.StopReason {
			t.Errorf("case %d: after %d copies of %s %d nodes take another one\n got %s\nwant %s", seed, f.More, pod.Full(), a.Feasible, f.StopReason, a.Message)
		}
		for _, n := range f.PerNode {
			less := maps.Clone(on)
			less[n.Node]--
			if a := next(t, text, pod.Namespace, pod.Name, less); a.Feasible == 0 {
				t.Errorf("case %d: without a copy of %s on %s the scheduler takes none: %s", seed, pod.Full(), n.Node, a.Message)
			}
		}
	}
	t.Logf("%d pods, %d copies", compared, placed)
	if compared < 20 {
		t.Errorf("only %d pods are compared", compared)
	}
}

// next returns what the scheduler says of one more copy of a pod while others are on nodes.
func next(t *testing.T, text []byte, namespace, name string, on map[string]int) Answer {
	t.Helper()
	var list struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Items      []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	var like json.RawMessage
	for _, item := range list.Items {
		var head struct {
			Kind     string
			Metadata struct{ Namespace, Name string }
		}
		if err := json.Unmarshal(item, &head); err != nil {
			t.Fatal(err)
		}
		if head.Kind == "Pod" && head.Metadata.Namespace == namespace && head.Metadata.Name == name {
			like = item
		}
	}
	n := 0
	add := func(node string) {
		var pod map[string]any
		if err := json.Unmarshal(like, &pod); err != nil {
			t.Fatal(err)
		}
		metadata, spec := pod["metadata"].(map[string]any), pod["spec"].(map[string]any)
		delete(metadata, "deletionTimestamp")
		metadata["name"], metadata["uid"] = fmt.Sprint("copy-", n), fmt.Sprint("copy-", n)
		delete(spec, "nodeName")
		pod["status"] = map[string]any{"phase": "Pending"}
		if node != "" {
			spec["nodeName"] = node
			pod["status"] = map[string]any{"phase": "Running"}
		}
		text, err := json.Marshal(pod)
		if err != nil {
			t.Fatal(err)
		}
		list.Items = append(list.Items, text)
		n++
	}
	for node, copies := range on {
		for range copies {
			add(node)
		}
	}
	add("")
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	answers, err := Answers(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		if a.Pod == fmt.Sprint(namespace, "/copy-", n-1) {
			return a
		}
	}
	t.Fatalf("nothing is said of %s/copy-%d", namespace, n-1)
	return Answer{}
}
