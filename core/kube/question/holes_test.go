package question_test

import (
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/question"
)

// TestUnsure: what the dump lacks and could change an answer is said before its tables.
func TestUnsure(t *testing.T) {
	selects := `,"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{},"namespaceSelector":{"matchLabels":{"team":"x"}}}]}}`
	claim := `{"kind":"PersistentVolumeClaim","metadata":{"namespace":"n","name":"d"},"spec":{"storageClassName":"fast","accessModes":["ReadWriteOnce"]}}`
	uses := `,"volumes":[{"name":"d","persistentVolumeClaim":{"claimName":"d"}}]`
	space := `{"kind":"Namespace","metadata":{"name":"n","labels":{}}}`
	for name, c := range map[string]struct {
		items []string
		want  string
	}{
		"namespaces":           {[]string{pod("w", "", "ReplicaSet", "1", selects)}, "affinity of 1 pod selects namespaces by their labels, and the dump has no namespaces"},
		"namespaces are there": {[]string{pod("w", "", "ReplicaSet", "1", selects), space}, ""},
		"class":                {[]string{pod("w", "", "ReplicaSet", "1", uses), claim}, "1 claim of a pending pod has a class that the dump does not have (fast)"},
		"class is there":       {[]string{pod("w", "", "ReplicaSet", "1", uses), claim, `{"kind":"StorageClass","metadata":{"name":"fast"},"provisioner":"x"}`}, ""},
		"made by hand":         {[]string{pod("w", "", "ReplicaSet", "1", uses), claim, `{"kind":"PersistentVolume","metadata":{"name":"v"},"spec":{"storageClassName":"fast","accessModes":["ReadWriteOnce"]}}`}, ""},
		"no pods":              {nil, "the dump has no pods: if they were not fetched, nodes are taken for empty"},
		"devices":              {[]string{pod("w", "", "ReplicaSet", "1", `,"resourceClaims":[{"name":"g"}]`)}, "not modelled: pods with resource claims"},
	} {
		document := question.Pending(read(t, list(append([]string{node("a", "z1", "4")}, c.items...)...)), constraint.Default(), 1).Document()
		unsure := document.Grids[0]
		if c.want == "" && len(unsure.Rows) > 0 || c.want != "" && (len(unsure.Rows) == 0 || !strings.Contains(unsure.Rows[0][0], c.want)) {
			t.Errorf("%s: %v, want %q", name, unsure.Rows, c.want)
		}
	}
}

// TestServersAlone: in a cluster of servers that take pods another one is added, without their static pods; a node that
// stands for a service is none to add.
func TestServersAlone(t *testing.T) {
	server := strings.Replace(node("s", "z1", "4"), `"labels":{`, `"labels":{"node-role.kubernetes.io/control-plane":"true",`, 1)
	virtual := strings.Replace(node("v", "z1", "4000"), `"labels":{`, `"labels":{"type":"virtual-kubelet",`, 1)
	api := strings.Replace(pod("api", "s", "Node", "1", ""), `"labels"`, `"annotations":{"kubernetes.io/config.mirror":"x"},"labels"`, 1)
	waits := []string{pod("full", "s", "ReplicaSet", "3", ""), api, pod("w", "", "ReplicaSet", "4", "")}
	g := question.Grow(read(t, list(append(waits, server)...)), constraint.Default(), question.GrowOptions{})
	if len(g.Shapes) != 1 || g.Shapes[0].Placed != 1 {
		t.Errorf("%+v", g.Shapes)
	}
	g = question.Grow(read(t, list(append(waits, server, node("worker", "z1", "2"), pod("busy", "worker", "ReplicaSet", "2", ""))...)), constraint.Default(), question.GrowOptions{})
	if len(g.Shapes) != 1 || g.Shapes[0].Like != "worker" || g.Shapes[0].Placed != 0 {
		t.Errorf("with a worker: %+v", g.Shapes)
	}
	tainted := strings.Replace(virtual, `"status":{`, `"spec":{"taints":[{"key":"virtual-kubelet.io/provider","effect":"NoSchedule"}]},"status":{`, 1)
	g = question.Grow(read(t, list(append(waits, node("worker", "z1", "2"), tainted)...)), constraint.Default(), question.GrowOptions{})
	for _, s := range g.Shapes {
		if s.Like == "v" {
			t.Errorf("another node like that of virtual-kubelet is added: %+v", s)
		}
	}
}
