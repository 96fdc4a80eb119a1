package question_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/question"
)

// grown asks which nodes take the pending pods of a dump, and returns the answer with the shape
// that is like a node.
func grown(t *testing.T, like string, items ...string) (*question.Grown, question.Shape) {
	t.Helper()
	g := question.Grow(read(t, list(items...)), constraint.Default(), question.GrowOptions{})
	for _, s := range g.Shapes {
		if s.Like == like {
			return g, s
		}
	}
	return g, question.Shape{}
}

// TestNewNodesTakeFewVolumes: a new node attaches as many volumes as the one that it is like,
// or, if no driver is up there, as another of its type.
func TestNewNodesTakeFewVolumes(t *testing.T) {
	items := []string{
		`{"kind":"StorageClass","metadata":{"name":"fast"},"provisioner":"ebs.csi.aws.com","volumeBindingMode":"WaitForFirstConsumer"}`,
		strings.Replace(node("a", "z1", "64"), `"taints"`, "", 1),
	}
	for i := range 7 {
		items = append(items,
			fmt.Sprintf(`{"kind":"PersistentVolumeClaim","metadata":{"namespace":"n","name":"data-%d"},"spec":{"storageClassName":"fast","accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}},"status":{"phase":"Pending"}}`, i),
			pod(fmt.Sprint("db-", i), "", "StatefulSet", "1", fmt.Sprintf(`,"volumes":[{"name":"d","persistentVolumeClaim":{"claimName":"data-%d"}}]`, i)))
	}
	csi := `{"kind":"CSINode","metadata":{"name":%q},"spec":{"drivers":[{"name":"ebs.csi.aws.com","nodeID":"i","allocatable":{"count":3}}]}}`
	full := pod("full", "a", "ReplicaSet", "64", "")
	if _, s := grown(t, "a", append(items, full, fmt.Sprintf(csi, "a"))...); s.Nodes != 3 || s.Placed != 7 || s.MinNodes != 3 {
		t.Errorf("3 volumes a node: %+v", s)
	}
	other := strings.Replace(node("b", "z1", "64"), `"status":{`, `"spec":{"unschedulable":true},"status":{`, 1)
	if _, s := grown(t, "a", append(items, full, other, fmt.Sprintf(csi, "b"))...); s.Nodes != 3 || s.MinNodes != 3 {
		t.Errorf("another node of the type says the limit: %+v", s)
	}
	g, s := grown(t, "a", append(items, full)...)
	if s.Nodes != 1 || !strings.Contains(strings.Join(g.Method.Assumptions, "\n"), "Fetch csinodes too") {
		t.Errorf("without CSINodes: %+v, %q", s, g.Method.Assumptions)
	}
}

// TestShapesDiffer: nodes of one type and zone are different shapes by taints, size, operating
// system and the labels that pods select; taints that pass and cordons make no difference.
func TestShapesDiffer(t *testing.T) {
	full := func(on, cpu string) string { return pod("full-"+on, on, "ReplicaSet", cpu, "") }
	with := func(n, spec, label string) string {
		n = strings.Replace(n, `"status":{`, `"spec":{`+spec+`},"status":{`, 1)
		return strings.Replace(n, `"labels":{`, `"labels":{`+label, 1)
	}
	wait := func(more string) string { return pod("wait", "", "ReplicaSet", "2", more) }
	tainted := with(node("t", "z1", "4"), `"taints":[{"key":"team","value":"x","effect":"NoSchedule"}]`, "")
	g, s := grown(t, "p", tainted, node("p", "z1", "4"), full("p", "4"), wait(""))
	if len(g.Shapes) != 2 || s.Placed != 1 || s.Nodes != 1 {
		t.Errorf("taints: %+v", g.Shapes)
	}
	if reason := g.Shapes[1].Reasons; len(reason) != 1 || reason[0].Reason != "node(s) had untolerated taint {team: x}" {
		t.Errorf("the reason is that of a new node: %+v", reason)
	}
	if g, s = grown(t, "big", node("p", "z1", "1"), node("big", "z1", "4"), full("big", "4"), wait("")); len(g.Shapes) != 2 || s.Placed != 1 {
		t.Errorf("size: %+v", g.Shapes)
	}
	arm := with(node("arm", "z1", "4"), "", `"kubernetes.io/arch":"arm64",`)
	if g, s = grown(t, "arm", node("p", "z1", "4"), arm, full("p", "4"), full("arm", "4"), wait(`,"nodeSelector":{"kubernetes.io/arch":"arm64"}`)); len(g.Shapes) != 2 || s.Placed != 1 {
		t.Errorf("processor: %+v", g.Shapes)
	}
	disk := with(node("ssd", "z1", "4"), "", `"disk":"ssd",`)
	if g, s = grown(t, "ssd", node("p", "z1", "4"), disk, full("p", "4"), full("ssd", "4"), wait(`,"nodeSelector":{"disk":"ssd"}`)); len(g.Shapes) != 2 || s.Placed != 1 {
		t.Errorf("a selected label: %+v", g.Shapes)
	}
	if g, _ = grown(t, "ssd", node("p", "z1", "4"), disk, full("p", "4"), full("ssd", "4"), wait("")); len(g.Shapes) != 1 {
		t.Errorf("a label that nothing selects: %+v", g.Shapes)
	}
	cordoned := with(node("c", "z1", "4"), `"unschedulable":true,"taints":[{"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}]`, "")
	if g, s = grown(t, "c", cordoned, wait("")); s.Placed != 1 {
		t.Errorf("a node that is cordoned stands for new ones: %+v", g.Shapes)
	}
}

// TestNewNodesRunDaemons: a new node has a pod of each DaemonSet that its labels and taints let
// in, whether or not one runs on the node that it is like.
func TestNewNodesRunDaemons(t *testing.T) {
	set := func(name, cpu, more string) string {
		return fmt.Sprintf(`{"kind":"DaemonSet","metadata":{"namespace":"n","name":%q},"spec":{"template":{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":%q}}}]%s}}}}`, name, cpu, more)
	}
	items := []string{node("a", "z1", "4"), pod("full", "a", "ReplicaSet", "4", "")}
	for i := range 4 {
		items = append(items, pod(fmt.Sprint("w", i), "", "ReplicaSet", "2", ""))
	}
	if _, s := grown(t, "a", items...); s.Nodes != 2 {
		t.Errorf("without DaemonSets: %+v", s)
	}
	if _, s := grown(t, "a", append(items, set("agent", "1", ""))...); s.Nodes != 4 {
		t.Errorf("a DaemonSet without pods: %+v", s)
	}
	if _, s := grown(t, "a", append(items, set("gpu", "1", `,"nodeSelector":{"gpu":"true"}`))...); s.Nodes != 2 {
		t.Errorf("a DaemonSet of other nodes: %+v", s)
	}
	waits := `,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["a"]}]}]}}}`
	g, s := grown(t, "a", append(items, pod("agent-1", "", "DaemonSet", "1", waits))...)
	if s.Nodes != 4 || g.Pending != 4 || g.Daemons != 1 || !strings.Contains(g.Sentence(), "1 pod of a DaemonSet waits for its own node") {
		t.Errorf("a pod of a DaemonSet that waits: %+v, %s", g, g.Sentence())
	}
}
