package question_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/question"
)

// poolOf writes a NodePool by the fields of its labels and of its nodes' spec, with a limit of 8 CPUs and those in use.
func poolOf(name, labels, spec, used string) string {
	return fmt.Sprintf(`{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":%q},"spec":{"template":{"metadata":{"labels":{%s}},"spec":{%s}},"limits":{"cpu":"8"}},"status":{"resources":{"cpu":%q}}}`, name, labels, spec, used)
}

// TestNodePoolsAdmit: a NodePool lets a pod in by its labels, requirements, taints and limits, and says in Karpenter's
// words what keeps it out.
func TestNodePoolsAdmit(t *testing.T) {
	require := func(key, op, values string) string {
		return fmt.Sprintf(`"requirements":[{"key":%q,"operator":%q,"values":[%s]}]`, key, op, values)
	}
	affinity := func(key, op, values string) string {
		return fmt.Sprintf(`,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":%q,"operator":%q,"values":[%s]}]}]}}}`, key, op, values)
	}
	selects := func(key, value string) string { return fmt.Sprintf(`,"nodeSelector":{%q:%q}`, key, value) }
	const open = "0"
	for _, c := range []struct{ subject, pool, pod, reason string }{
		{"nothing in the way", poolOf("p", ``, ``, open), "", ""},
		{"a taint", poolOf("p", ``, `"taints":[{"key":"gpu","value":"yes","effect":"NoSchedule"}]`, open), "", "did not tolerate gpu=yes:NoSchedule"},
		{"a taint that it tolerates", poolOf("p", ``, `"taints":[{"key":"gpu","effect":"NoSchedule"}]`, open), `,"tolerations":[{"key":"gpu","operator":"Exists"}]`, ""},
		{"a taint that rather keeps off", poolOf("p", ``, `"taints":[{"key":"gpu","effect":"PreferNoSchedule"}]`, open), "", ""},
		{"a startup taint", poolOf("p", ``, `"startupTaints":[{"key":"cilium","effect":"NoExecute"}]`, open), "", ""},
		{"its label", poolOf("p", `"team":"ml"`, ``, open), selects("team", "ml"), ""},
		{"another value of its label", poolOf("p", `"team":"ml"`, ``, open), selects("team", "web"), "incompatible requirements, key team, team In [web] not in team In [ml]"},
		{"a label that it does not have", poolOf("p", ``, ``, open), selects("team", "ml"), `label "team" does not have known values`},
		{"the lack of that label", poolOf("p", ``, ``, open), affinity("team", "DoesNotExist", ""), ""},
		{"a well-known label that it does not name", poolOf("p", ``, ``, open), selects("kubernetes.io/arch", "arm64"), ""},
		{"its older name", poolOf("p", ``, require("kubernetes.io/arch", "In", `"amd64"`), open), selects("beta.kubernetes.io/arch", "arm64"), "incompatible requirements, key kubernetes.io/arch, kubernetes.io/arch In [arm64] not in kubernetes.io/arch In [amd64]"},
		{"one of several values", poolOf("p", ``, require("karpenter.sh/capacity-type", "In", `"spot","on-demand"`), open), selects("karpenter.sh/capacity-type", "spot"), ""},
		{"values that are left out", poolOf("p", ``, require("karpenter.k8s.aws/instance-family", "NotIn", `"t3"`), open), affinity("karpenter.k8s.aws/instance-family", "In", `"t3"`), "incompatible requirements, key karpenter.k8s.aws/instance-family, karpenter.k8s.aws/instance-family In [t3] not in karpenter.k8s.aws/instance-family NotIn [t3]"},
		{"numbers", poolOf("p", ``, require("karpenter.k8s.aws/instance-generation", "Gt", `"5"`), open), affinity("karpenter.k8s.aws/instance-generation", "In", `"4","6"`), ""},
		{"its name", poolOf("p", ``, ``, open), selects("karpenter.sh/nodepool", "q"), "incompatible requirements, key karpenter.sh/nodepool, karpenter.sh/nodepool In [q] not in karpenter.sh/nodepool In [p]"},
		{"a limit that is used up", poolOf("p", ``, ``, "8"), "", "all available instance types exceed limits for nodepool: its limit of cpu is used up"},
		{"a limit that leaves less than a machine", poolOf("p", ``, require("node.kubernetes.io/instance-type", "In", `"m"`), "7500m"), "", "all available instance types exceed limits for nodepool: what is left of its limits is less than a machine of the types that it names has"},
		{"a limit that leaves a machine", poolOf("p", ``, require("node.kubernetes.io/instance-type", "In", `"m"`), "7"), "", ""},
		{"a type that the dump does not have", poolOf("p", ``, require("node.kubernetes.io/instance-type", "In", `"m","n"`), "7500m"), "", ""},
		{"a limit that is not", poolOf("p", ``, ``, "7"), "", ""},
	} {
		g := question.Grow(read(t, list(node("a", "z1", "1"), pod("w", "", "ReplicaSet", "2", c.pod), c.pool)), constraint.Default(), question.GrowOptions{})
		switch {
		case len(g.Pools) != 1:
			t.Errorf("%s: %+v", c.subject, g.Pools)
		case c.reason == "" && g.Pools[0].Admits != 1:
			t.Errorf("%s: kept out: %+v", c.subject, g.Pools[0].Reasons)
		case c.reason != "" && (g.Pools[0].Admits != 0 || g.Pools[0].Reasons[0].Reason != c.reason):
			t.Errorf("%s: %+v, want %s", c.subject, g.Pools[0], c.reason)
		}
	}
}

// TestNodePoolsWithoutNodes: a NodePool that has no node makes nodes like those of the cluster that its requirements
// let in, with its labels and taints and within its limits; if the cluster has none, their size is not known.
func TestNodePoolsWithoutNodes(t *testing.T) {
	of := func(instance string) string {
		return poolOf("ml", `"team":"ml"`, `"taints":[{"key":"gpu","effect":"NoSchedule"}],"requirements":[{"key":"node.kubernetes.io/instance-type","operator":"In","values":["`+instance+`"]}]`, "0")
	}
	items := []string{node("a", "z1", "4"), pod("full", "a", "ReplicaSet", "4", "")}
	for i := range 5 {
		items = append(items, pod(fmt.Sprint("w", i), "", "ReplicaSet", "2", `,"nodeSelector":{"team":"ml"},"tolerations":[{"key":"gpu","operator":"Exists"}]`))
	}
	g := question.Grow(read(t, list(append(items, of("m"))...)), constraint.Default(), question.GrowOptions{})
	if s := g.Shapes[0]; s.Group != "ml" || s.Nodes != 2 || s.Placed != 4 || s.Left != 1 || s.Reasons[0].Reason != "all available instance types exceed limits for nodepool" || !g.Pools[0].Sizes {
		t.Errorf("%+v %+v", s, g.Pools)
	}
	if want := "5 pods are pending. 2 more nodes of NodePool ml, as large as a, take 4 of them."; g.Sentence() != want {
		t.Errorf("%s\nwant %s", g.Sentence(), want)
	}
	g = question.Grow(read(t, list(append(items, of("g5.xlarge"))...)), constraint.Default(), question.GrowOptions{})
	if want := "5 pods are pending. No shape of node in this cluster takes one of them. By taints and requirements NodePool ml lets in 5. How large the machines of ml are, the dump does not say: it has no node that they could make."; g.Sentence() != want {
		t.Errorf("%s\nwant %s", g.Sentence(), want)
	}
	document := question.Pending(read(t, list(append(items, of("m"))...)), constraint.Default(), 1).Document()
	if text := document.Text(); !strings.Contains(text, "NodePools of Karpenter, and the pending pods that they let in") {
		t.Error(text)
	}
}
