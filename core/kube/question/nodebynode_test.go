package question_test

import (
	"slices"
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/question"
)

// TestPendingPod: a pod's nodes stand nearest first, each with the filter that stops it first and with
// amounts; the filters' counts add up to the nodes that do not take it.
func TestPendingPod(t *testing.T) {
	tainted := strings.Replace(node("t", "z1", "8"), `"status":{`, `"spec":{"taints":[{"key":"team","value":"x","effect":"NoSchedule"}]},"status":{`, 1)
	both := strings.Replace(node("u", "z1", "1"), `"status":{`, `"spec":{"taints":[{"key":"team","value":"x","effect":"NoSchedule"}]},"status":{`, 1)
	c := read(t, list(node("far", "z1", "2"), both, tainted, node("near", "z1", "4"), pod("full", "near", "ReplicaSet", "3", ""),
		pod("w1", "", "ReplicaSet", "3", ""), pod("w2", "", "ReplicaSet", "3", "")))
	w, err := question.PendingPod(c, constraint.Default(), "n/w2", 1)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range w.One.Nodes {
		got = append(got, n.Node+" "+n.Filter+" "+strings.Join(n.Why, "; "))
	}
	want := []string{
		"t TaintToleration node(s) had untolerated taint {team: x}",
		"far NodeResourcesFit cpu: needs 3 cores, 2 cores of 2 cores free",
		"near NodeResourcesFit cpu: needs 3 cores, 1 core of 4 cores free",
		"u TaintToleration node(s) had untolerated taint {team: x}; cpu: needs 3 cores, 1 core of 1 core free",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	filters, stops := w.One.Stops()
	if !slices.Equal(filters, []string{"NodeResourcesFit", "TaintToleration"}) || !slices.Equal(stops, []int{0, 1, 1, 0}) {
		t.Errorf("%v of %v", stops, filters)
	}
	sum := 0
	for _, f := range w.One.Filters {
		sum += f.Nodes
	}
	if sum != 4 || !strings.HasPrefix(w.One.Message, "0/4 nodes are available: 2 Insufficient cpu, 2 node(s) had untolerated taint {team: x}.") {
		t.Errorf("%d nodes, %q", sum, w.One.Message)
	}
	if s := w.Sentence(); s != "n/w2 is pending: none of 4 nodes takes it, 2 by NodeResourcesFit (Insufficient cpu). Nearest is t: node(s) had untolerated taint {team: x}." {
		t.Error(s)
	}
	if _, err := question.PendingPod(c, constraint.Default(), "n/full", 1); err == nil || !strings.Contains(err.Error(), `no pending pod "n/full"`) {
		t.Error(err)
	}
}

// TestPendingPodOfItsOwner: a workload's name stands for its first pending pod; what a node lacks
// altogether is farther than what is used up; a node that takes the pod is said.
func TestPendingPodOfItsOwner(t *testing.T) {
	gpu := func(object, n string) string {
		return strings.Replace(object, `"cpu":"8"`, `"cpu":"8","nvidia.com/gpu":"`+n+`"`, 1)
	}
	used := strings.Replace(pod("used", "has", "ReplicaSet", "1", ""), `"cpu":"1"`, `"cpu":"1","nvidia.com/gpu":"2"`, 1)
	wants := strings.Replace(pod("wants", "", "ReplicaSet", "1", ""), `"cpu":"1"`, `"cpu":"1","nvidia.com/gpu":"1"`, 1)
	c := read(t, list(node("none", "z1", "8"), gpu(node("has", "z1", "8"), "2"), used, wants))
	w, err := question.PendingPod(c, constraint.Default(), c.Pods[1].Namespace+"/"+c.Pods[1].Owner.Name, 1)
	if err != nil {
		t.Fatal(err)
	}
	if w.One.Pod != "n/wants" || w.One.Nodes[0].Node != "has" || w.One.Nodes[0].Why[0] != "nvidia.com/gpu: needs 1, 0 of 2 free" || w.One.Nodes[1].Why[0] != "nvidia.com/gpu: needs 1, has none" {
		t.Errorf("%+v", w.One)
	}
	c = read(t, list(node("a", "z1", "8"), pod("p", "", "ReplicaSet", "1", "")))
	if w, err = question.PendingPod(c, constraint.Default(), "n/p", 1); err != nil || w.Sentence() != "n/p: a node takes it now." {
		t.Errorf("%v %v", w, err)
	}
}

// TestPendingPodWaitsForNoNode: a pod that no node would help is refused with its reason; a stop before all
// nodes has a name, and a preemption is said.
func TestPendingPodWaitsForNoNode(t *testing.T) {
	gated := pod("gated", "", "ReplicaSet", "1", `,"schedulingGates":[{"name":"g"}]`)
	other := strings.Replace(pod("other", "", "ReplicaSet", "1", ""), "default-scheduler", "packer", 1)
	nominated := strings.Replace(pod("nominated", "", "ReplicaSet", "3", ""), `"status":{`, `"status":{"nominatedNodeName":"a",`, 1)
	claims := pod("claims", "", "ReplicaSet", "1", `,"volumes":[{"name":"d","persistentVolumeClaim":{"claimName":"none"}}]`)
	high := pod("high", "", "ReplicaSet", "4", `,"priority":100`)
	c := read(t, list(node("a", "z1", "4"), pod("low", "a", "ReplicaSet", "2", ""), gated, other, nominated, claims, high))
	for name, reason := range map[string]string{
		"gated": "its scheduling gates hold it back: g", "other": "it is of the scheduler packer", "nominated": "pods on a were preempted for it",
	} {
		if _, err := question.PendingPod(c, constraint.Default(), "n/"+name, 1); err == nil || !strings.HasPrefix(err.Error(), "n/"+name+" waits for no node: "+reason) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w, err := question.PendingPod(c, constraint.Default(), "n/claims", 1)
	if err != nil || len(w.One.Filters) != 1 || w.One.Filters[0].Filter != "PreFilter" || !strings.Contains(w.Sentence(), `persistentvolumeclaim "none" not found`) {
		t.Errorf("%v: %+v", err, w)
	}
	w, err = question.PendingPod(c, constraint.Default(), "n/high", 1)
	if err != nil || !strings.HasSuffix(w.Sentence(), "The scheduler preempts pods of lower priority for it on a: n/low.") {
		t.Errorf("%v: %s", err, w.Sentence())
	}
}
