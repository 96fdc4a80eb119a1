package question_test

import (
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/question"
)

// TestPending: each pending pod has its reason, and what alone keeps pods off nodes is counted.
func TestPending(t *testing.T) {
	tainted := strings.Replace(node("t", "z1", "8"), `"status":{`, `"spec":{"taints":[{"key":"team","value":"x","effect":"NoSchedule"}]},"status":{`, 1)
	w := question.Pending(read(t, list(node("a", "z1", "4"), node("b", "z1", "2"), tainted, pod("full", "a", "ReplicaSet", "3", ""),
		pod("w1", "", "ReplicaSet", "3", ""), pod("w2", "", "ReplicaSet", "3", ""), pod("gated", "", "ReplicaSet", "1", `,"schedulingGates":[{"name":"g"}]`),
		strings.Replace(pod("other", "", "ReplicaSet", "1", ""), "default-scheduler", "packer", 1), pod("soon", "", "ReplicaSet", "1", ""),
		strings.Replace(pod("nominated", "", "ReplicaSet", "3", ""), `"status":{`, `"status":{"nominatedNodeName":"a",`, 1))), constraint.Default(), 1)
	if w.Pending != 6 || len(w.Reasons) != 5 || w.Reasons[0] != (question.Reason{Reason: "Insufficient cpu", Count: 2}) {
		t.Fatalf("%+v", w.Reasons)
	}
	for _, want := range []string{"its scheduling gates hold it back: g", "it is of the scheduler packer, whose configuration was not given", "a node takes it now", "pods on a were preempted for it and have not ended"} {
		if text := w.Document(); !strings.Contains(text.Text(), want) {
			t.Errorf("no %q in\n%s", want, text.Text())
		}
	}
	if len(w.Help) != 2 || w.Help[0] != (question.Help{Without: "Insufficient cpu", Pods: 2, Node: "a", Nodes: 2}) || w.Help[1] != (question.Help{Without: "node(s) had untolerated taint {team: x}", Pods: 2, Node: "t", Nodes: 1}) {
		t.Errorf("%+v", w.Help)
	}
	if s := question.Pending(read(t, list(node("a", "z1", "4"))), constraint.Default(), 1).Sentence(); s != "No pod is pending." {
		t.Error(s)
	}
}

// TestBlockers: each rule of kubectl drain, the cluster autoscaler and Karpenter is told of the pods
// that break it, and of no others.
func TestBlockers(t *testing.T) {
	annotated := func(object, key, value string) string {
		return strings.Replace(object, `"metadata":{`, `"metadata":{"annotations":{"`+key+`":"`+value+`"},`, 1)
	}
	budget := func(name, app, allowed string) string {
		return `{"kind":"PodDisruptionBudget","metadata":{"namespace":"n","name":"` + name + `"},"spec":{"selector":{"matchLabels":{"app":"` + app + `"}}},"status":{"currentHealthy":1,"desiredHealthy":1,"expectedPods":1,"disruptionsAllowed":` + allowed + `}}`
	}
	of := func(name, kind, app, more string) string {
		return strings.Replace(pod(name, "a", kind, "100m", more), `"app":"web"`, `"app":"`+app+`"`, 1)
	}
	disk, memory := `,"volumes":[{"name":"d","emptyDir":{}}]`, `,"volumes":[{"name":"m","emptyDir":{"medium":"Memory"}}]`
	evict := "cluster-autoscaler.kubernetes.io/safe-to-evict"
	b := question.Blockers(read(t, list(annotated(node("a", "z1", "64"), "cluster-autoscaler.kubernetes.io/scale-down-disabled", "true"), annotated(node("b", "z1", "4"), "karpenter.sh/do-not-disrupt", "true"),
		of("plain", "ReplicaSet", "free", ""), of("bare", "", "free", ""), of("agent", "DaemonSet", "tight", disk), of("disk", "ReplicaSet", "free", disk), of("memory", "ReplicaSet", "free", memory),
		annotated(of("loses", "ReplicaSet", "free", disk), evict, "true"), annotated(of("stays", "ReplicaSet", "free", ""), evict, "false"),
		annotated(of("calm", "ReplicaSet", "free", ""), "karpenter.sh/do-not-disrupt", "true"), of("guarded", "ReplicaSet", "tight", ""), of("twice", "ReplicaSet", "two", ""),
		strings.Replace(of("dns", "ReplicaSet", "free", ""), `"namespace":"n"`, `"namespace":"kube-system"`, 1),
		budget("unused", "gone", "1"), budget("tight", "tight", "0"), budget("one", "two", "1"), budget("other", "two", "1"))))
	var got []string
	for _, x := range b.Blockers {
		got = append(got, x.Node+" "+x.Pod+" "+x.By+": "+x.Reason+" ["+x.Detail+"]")
	}
	want := strings.Split(strings.TrimSpace(`
a  cluster-autoscaler: ScaleDownDisabledAnnotation []
a n/bare kubectl drain: no controller (--force deletes it for good) []
a n/bare cluster-autoscaler: NotReplicated []
a n/disk kubectl drain: local storage (--delete-emptydir-data loses it) [d]
a n/disk cluster-autoscaler: LocalStorageRequested [d]
a n/memory kubectl drain: local storage (--delete-emptydir-data loses it) [m]
a n/loses kubectl drain: local storage (--delete-emptydir-data loses it) [d]
a n/stays cluster-autoscaler: NotSafeToEvictAnnotation []
a n/calm Karpenter: pod has "karpenter.sh/do-not-disrupt" annotation []
a n/guarded kubectl drain: a disruption budget allows no eviction [n/tight]
a n/guarded Karpenter: pdb prevents pod evictions [n/tight]
a n/guarded cluster-autoscaler: NotEnoughPdb [n/tight]
a n/twice kubectl drain: two disruption budgets: no eviction succeeds [n/one, n/other]
a n/twice Karpenter: pdb prevents pod evictions [n/one, n/other]
a kube-system/dns cluster-autoscaler: UnmovableKubeSystemPod [no budget covers it]
b  Karpenter: the annotation karpenter.sh/do-not-disrupt of the node []`), "\n")
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(b.Idle) != 1 || b.Idle[0] != "n/unused" {
		t.Errorf("budgets of no pod: %v", b.Idle)
	}
	if s := b.Sentence(); s != "Of 2 nodes, something blocks kubectl drain on 1, the cluster autoscaler on 1 and Karpenter on 2." {
		t.Error(s)
	}
	if r := b.Rules[10]; r.Reason != "local storage (--delete-emptydir-data loses it)" || r.Nodes != 1 || r.Pods != 3 || len(b.Rules) != 13 {
		t.Errorf("%+v", b.Rules)
	}
}
