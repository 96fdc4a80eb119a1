package question_test

import (
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/question"
)

// TestWhatKeepsNodes: each rule by itself keeps a node, with its reason and pod; without it the
// node can be emptied.
func TestWhatKeepsNodes(t *testing.T) {
	annotated := func(object, key, value string) string {
		return strings.Replace(object, `"metadata":{`, `"metadata":{"annotations":{"`+key+`":"`+value+`"},`, 1)
	}
	budget := func(name, status string) string {
		return `{"kind":"PodDisruptionBudget","metadata":{"namespace":"n","name":"` + name + `","generation":2},"spec":{"selector":{"matchLabels":{"app":"web"}}},"status":{"observedGeneration":2,"currentHealthy":3,` + status + `}}`
	}
	enough := `"expectedPods":3,"desiredHealthy":1,"disruptionsAllowed":2`
	empty := `,"volumes":[{"name":"d","emptyDir":{}}]`
	plain, target := node("a", "z1", "4"), node("b", "z1", "1")
	big := pod("big", "b", "StatefulSet", "1", "") // so that b cannot be emptied
	web := pod("web", "a", "ReplicaSet", "100m", "")
	beats := strings.Replace(plain, `{"type":"Ready",`, `{"type":"Ready","lastHeartbeatTime":"2026-01-01T12:00:00Z",`, 1)
	ending := func(object, at string) string {
		return strings.Replace(object, `"metadata":{`, `"metadata":{"deletionTimestamp":"`+at+`",`, 1)
	}
	for _, c := range []struct {
		subject, reason string // "" if the node can be emptied
		items           []string
	}{
		{"nothing", "", []string{plain, web}},
		{"do-not-disrupt of a pod", "a pod's annotation do-not-disrupt keeps it", []string{plain, annotated(web, "karpenter.sh/do-not-disrupt", "true")}},
		{"do-not-disrupt: false", "", []string{plain, annotated(web, "karpenter.sh/do-not-disrupt", "false")}},
		{"do-not-evict, its old name", "a pod's annotation do-not-disrupt keeps it", []string{plain, annotated(web, "karpenter.sh/do-not-evict", "true")}},
		{"do-not-disrupt of a node", "its annotation do-not-disrupt keeps it", []string{annotated(plain, "karpenter.sh/do-not-disrupt", "true"), web}},
		{"scale-down-disabled", "its annotation scale-down-disabled keeps it", []string{annotated(plain, "cluster-autoscaler.kubernetes.io/scale-down-disabled", "true"), web}},
		{"safe-to-evict: false", "a pod's annotation safe-to-evict: false keeps it", []string{plain, annotated(web, "cluster-autoscaler.kubernetes.io/safe-to-evict", "false")}},
		{"a local volume", "local storage (emptyDir) would be lost", []string{plain, pod("web", "a", "ReplicaSet", "100m", empty)}},
		{"a local volume in memory", "local storage (emptyDir) would be lost", []string{plain, pod("web", "a", "ReplicaSet", "100m", strings.Replace(empty, "{}", `{"medium":"Memory"}`, 1))}},
		{"safe-to-evict: true", "local storage (emptyDir) would be lost", []string{plain, annotated(pod("web", "a", "ReplicaSet", "100m", empty), "cluster-autoscaler.kubernetes.io/safe-to-evict", "true")}},
		{"its local volumes may be lost", "local storage (emptyDir) would be lost", []string{plain, annotated(pod("web", "a", "ReplicaSet", "100m", empty), "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes", "d")}},
		{"one budget", "", []string{plain, web, budget("one", enough)}},
		{"two budgets", "two disruption budgets cover a pod", []string{plain, web, budget("one", enough), budget("two", enough)}},
		{"two budgets of a pod that has not started", "", []string{plain, strings.Replace(web, `"phase":"Running"`, `"phase":"Pending"`, 1), budget("one", enough), budget("two", enough)}},
		{"a budget that allows none", "a disruption budget allows no eviction", []string{plain, web, budget("one", `"expectedPods":3,"desiredHealthy":3,"disruptionsAllowed":0`)}},
		{"a stale budget", "a disruption budget allows no eviction", []string{plain, web, strings.Replace(budget("one", enough), `"observedGeneration":2`, `"observedGeneration":1`, 1)}},
		{"a bare pod", "a pod without a controller", []string{plain, pod("web", "a", "", "100m", "")}},
		{"a pod that tolerates the cordon", "a pod tolerates the cordon", []string{plain, pod("web", "a", "ReplicaSet", "100m", `,"tolerations":[{"key":"node.kubernetes.io/unschedulable","operator":"Exists"}]`)}},
		{"a pod of a DaemonSet that does not exist", "its DaemonSet does not exist", []string{plain, web, pod("agent", "a", "DaemonSet", "100m", ""), workload("DaemonSet", "other", 1, "", "")}},
		{"a pod of a DaemonSet that exists", "", []string{plain, web, pod("agent", "a", "DaemonSet", "100m", ""), workload("DaemonSet", "daemonset", 1, "", "")}},
		{"a pod of a DaemonSet in a dump without any", "", []string{plain, web, pod("agent", "a", "DaemonSet", "100m", "")}},
		{"a pod that has terminated for long", "a pod has terminated since before the dump", []string{beats, ending(web, "2026-01-01T11:58:00Z")}},
		{"a pod that terminates", "", []string{beats, ending(web, "2026-01-01T11:59:30Z")}},
		{"a node that is not ready", "it is not ready: its pods cannot end", []string{strings.Replace(plain, `"status":"True"`, `"status":"Unknown"`, 1), web}},
	} {
		d := drained(t, constraint.Default(), question.DrainOptions{Nodes: []int{0}}, append(c.items, target, node("c", "z1", "4"), big)...)
		switch {
		case c.reason == "" && d.Emptied != 1:
			t.Errorf("%s: the node is kept: %+v", c.subject, d.Kept)
		case c.reason != "" && (d.Emptied != 0 || !strings.HasPrefix(d.Kept[0].Reason, c.reason)):
			t.Errorf("%s: %d emptied, kept %+v, want %q", c.subject, d.Emptied, d.Kept, c.reason)
		case strings.Contains(c.reason, "budget") != (c.reason != "" && d.Kept[0].Budget != "") || c.reason != "" && !strings.HasPrefix(d.Kept[0].Budget, map[bool]string{true: "n/one"}[strings.Contains(c.reason, "budget")]):
			t.Errorf("%s: kept by the budget %q", c.subject, d.Kept[0].Budget)
		case c.reason != "" && c.subject != "a stale budget" && d.Bound != 0:
			t.Errorf("%s: the bound is %d", c.subject, d.Bound)
		}
	}
}

// TestTightestBudget: a step names the budget that allows the fewest evictions of all that it needs.
func TestTightestBudget(t *testing.T) {
	budget := func(name string, allowed string) string {
		return `{"kind":"PodDisruptionBudget","metadata":{"namespace":"n","name":"` + name + `"},"spec":{"selector":{"matchLabels":{"app":"` + name + `"}}},"status":{"currentHealthy":9,"desiredHealthy":1,"expectedPods":9,"disruptionsAllowed":` + allowed + `}}`
	}
	of := func(name string) string {
		return strings.Replace(pod(name, "a", "ReplicaSet", "1", ""), `"app":"web"`, `"app":"`+name+`"`, 1)
	}
	d := drained(t, constraint.Default(), question.DrainOptions{Nodes: []int{0}}, node("a", "z1", "4"), node("b", "z1", "4"),
		of("wide"), of("tight"), of("middle"), budget("wide", "5"), budget("tight", "2"), budget("middle", "3"))
	if d.Emptied != 1 || d.Steps[0].Budget != "n/tight" || d.Steps[0].Allowed != 2 {
		t.Errorf("%+v", d.Steps)
	}
}

// TestTolerantPods: a pod stays on a node that does not answer if it tolerates that for ever, and
// not if it does for a time, or tolerates something else.
func TestTolerantPods(t *testing.T) {
	for more, staying := range map[string]int{
		``: 0,
		`,"tolerations":[{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute"}]`:                         1,
		`,"tolerations":[{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]`: 0,
		`,"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute"}]`:                           0,
		`,"tolerations":[{"operator":"Exists"}]`: 1,
		`,"tolerations":[{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoSchedule"}]`: 0,
	} {
		c := read(t, list(node("a", "z1", "4"), node("b", "z1", "4"), pod("p", "a", "ReplicaSet", "1", more)))
		if l := question.Lose(c, constraint.Default(), "node a", []int{0}, question.LoseOptions{NotReady: true}); l.NotEvicted != staying || l.Stopped != 1-staying {
			t.Errorf("%s: %d stay, %d stop", more, l.NotEvicted, l.Stopped)
		}
	}
}

// TestDrainBound: the bound counts only nodes whose pods have another node, and as many as leave
// room for what they give away.
func TestDrainBound(t *testing.T) {
	for _, c := range []struct {
		subject string
		bound   int
		items   []string
	}{
		{"room for one of three", 1, []string{node("a", "z1", "4"), node("b", "z1", "4"), node("c", "z1", "4"), pod("p", "a", "ReplicaSet", "2", ""), pod("q", "b", "ReplicaSet", "2", ""), pod("r", "c", "ReplicaSet", "3", "")}},
		{"a pod that only its node can take", 1, []string{node("a", "z1", "4"), node("b", "z1", "4"), node("c", "z1", "8"), pod("p", "a", "ReplicaSet", "1", ""), pod("q", "b", "ReplicaSet", "1", `,"nodeSelector":{"kubernetes.io/hostname":"b"}`), pod("r", "c", "", "1", "")}},
		{"a pod larger than every other node", 0, []string{node("a", "z1", "8"), node("b", "z1", "4"), node("c", "z1", "4"), pod("p", "a", "ReplicaSet", "5", ""), pod("q", "b", "", "1", ""), pod("r", "c", "", "1", "")}},
		{"pods of negative priority must be somewhere too", 1, []string{
			node("a", "z1", "4"), node("b", "z1", "4"), pod("agent", "b", "DaemonSet", "1", ""),
			strings.Replace(pod("p", "a", "ReplicaSet", "1", ""), `"spec":{`, `"spec":{"priority":-1,`, 1),
		}},
		{"a budget that allows none, and may once its other pod is ready", 2, []string{
			node("a", "z1", "4"), node("b", "z1", "4"), node("c", "z1", "4"), pod("p", "a", "ReplicaSet", "1", ""),
			strings.Replace(pod("q", "b", "ReplicaSet", "1", ""), `"status":"True"`, `"status":"False"`, 1),
			`{"kind":"PodDisruptionBudget","metadata":{"namespace":"n","name":"w"},"spec":{"selector":{"matchLabels":{"app":"web"}}},"status":{"currentHealthy":1,"desiredHealthy":1,"expectedPods":2,"disruptionsAllowed":0}}`,
		}},
		{"all but one", 2, []string{node("a", "z1", "4"), node("b", "z1", "4"), node("c", "z1", "4"), pod("p", "a", "ReplicaSet", "1", "")}},
	} {
		if d := drained(t, constraint.Default(), question.DrainOptions{}, c.items...); d.Bound != c.bound {
			t.Errorf("%s: the bound is %d, want %d; %d are emptied", c.subject, d.Bound, c.bound, d.Emptied)
		}
	}
}

// TestFailedStepsUseNoBudget: the evictions of a node that cannot be emptied are taken back, so that
// the next node has all that a budget allows.
func TestFailedStepsUseNoBudget(t *testing.T) {
	items := []string{
		node("a", "z1", "4"), node("b", "z1", "4"), node("c", "z1", "4"), pod("stays", "c", "StatefulSet", "1", ""),
		pod("here", "a", "ReplicaSet", "100m", `,"nodeSelector":{"kubernetes.io/hostname":"a"}`), pod("there", "b", "ReplicaSet", "200m", ""),
		`{"kind":"PodDisruptionBudget","metadata":{"namespace":"n","name":"w"},"spec":{"selector":{"matchLabels":{"app":"web"}}},"status":{"currentHealthy":3,"desiredHealthy":2,"expectedPods":3,"disruptionsAllowed":1}}`,
	}
	requested := []int{0, 1}
	for i := range 9 { // more than are tried in all combinations
		items = append(items, node(string(rune('p'+i)), "z1", "4"))
		requested = append(requested, 3+i)
	}
	d := drained(t, constraint.Default(), question.DrainOptions{Nodes: requested}, items...)
	if d.Emptied != 10 || d.Kept[0].Node != "a" {
		t.Errorf("%s %+v", d.Sentence(), d.Kept)
	}
}
