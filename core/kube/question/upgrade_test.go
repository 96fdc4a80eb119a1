package question_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/question"
	"parley/core/unit"
)

// pooled gives a node the label of a pool, and 60 s from its creation to Ready.
func pooled(object, label, name string) string {
	object = strings.Replace(object, `"labels":{`, `"creationTimestamp":"2026-01-01T00:00:00Z","labels":{"`+label+`":"`+name+`",`, 1)
	return strings.Replace(object, `"status":"True"`, `"status":"True","lastTransitionTime":"2026-01-01T00:01:00Z"`, 1)
}

// TestUpgradeStalls: a budget of one replica keeps its node. GKE deletes the pod after an hour; an AKS
// pool stops after 30 minutes; with Karpenter nothing ends it. The control plane is left out.
func TestUpgradeStalls(t *testing.T) {
	budget := `{"kind":"PodDisruptionBudget","metadata":{"namespace":"n","name":"web"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"web"}}}}`
	master := strings.Replace(node("m", "z1", "4"), `"labels":{`, `"labels":{"node-role.kubernetes.io/master":"",`, 1)
	for _, x := range []struct {
		label, by, want string
		complete        bool
		seconds         float64
	}{
		{"cloud.google.com/gke-nodepool", "GKE surge", "does not let n/web-1-0 go, which is deleted after 60 min all the same", true, 60 + 3600 + 30 + 60 + 30},
		{"kubernetes.azure.com/agentpool", "AKS", "stops after 0 nodes: a cannot be emptied, because of n/web", false, 0},
		{"karpenter.sh/nodepool", "Karpenter drift", "The budget n/web does not let n/web-1-0 go.", false, 0},
	} {
		items := append(deployed("web", "", "a"), deployed("api", "", "b")...)
		c := read(t, list(append(items, budget, master, pooled(node("a", "z1", "4"), x.label, "p"), pooled(node("b", "z1", "4"), x.label, "p"))...))
		u := question.Upgrade(c, constraint.Default(), question.UpgradeOptions{})
		if u.Nodes != 2 || u.Pools[0].Manager != x.by || u.Complete != x.complete || u.Seconds.Middle != x.seconds || len(u.LeftOut) != 1 || len(u.Budgets) != 1 || !u.Budgets[0].NeverAllowed {
			t.Errorf("%s: %+v", x.by, u)
		}
		if s := u.Sentence(); !strings.Contains(s, x.want) || !strings.Contains(s, "1 node of the control plane is left out.") {
			t.Errorf("%s: no %q in %q", x.by, x.want, s)
		}
	}
}

// TestUpgradeOfMachineSets: nodes of a MachineSet of Cluster API, which an annotation names, are upgraded with one new node at a
// time; where the machines are full, no pod waits then. A budget that allows nothing keeps a drain for ever.
func TestUpgradeOfMachineSets(t *testing.T) {
	made := func(name string) string {
		return strings.Replace(node(name, "z1", "1"), `"labels":{`, `"annotations":{"cluster.x-k8s.io/owner-kind":"MachineSet","cluster.x-k8s.io/owner-name":"md-0-x"},"labels":{`, 1)
	}
	items := append(append(deployed("web", "", "a"), deployed("api", "", "b")...), made("a"), made("b"))
	u := question.Upgrade(read(t, list(items...)), constraint.Default(), question.UpgradeOptions{})
	if u.Pools[0].Manager != "Cluster API" || u.Pools[0].Name != "md-0-x" || u.Pools[0].Surge != 1 || u.Pools[0].Unavailable != 0 || u.Pools[0].Limit != 0 || !u.Complete || u.Steps[0].New == "" {
		t.Errorf("%+v", u)
	}
	budget := `{"kind":"PodDisruptionBudget","metadata":{"namespace":"n","name":"web"},"spec":{"maxUnavailable":0,"selector":{"matchLabels":{"app":"web"}}}}`
	u = question.Upgrade(read(t, list(append(items, budget)...)), constraint.Default(), question.UpgradeOptions{})
	if u.Complete || len(u.Budgets) != 1 || !u.Budgets[0].NeverAllowed || len(u.Forced) > 0 {
		t.Errorf("with a budget: %+v", u)
	}
}

// TestMiddleOfPlaysThatStop: where pods take their whole grace, as in the play with the median times, the pool's limit
// stops the upgrade; where they end at once it is done after the start of the new node. The range is of the latter
// alone, and has no middle.
func TestMiddleOfPlaysThatStop(t *testing.T) {
	var items []string
	for _, object := range append(deployed("web", "", "a"), pooled(node("a", "z1", "4"), "kubernetes.azure.com/agentpool", "p")) {
		items = append(items, strings.ReplaceAll(object, `"terminationGracePeriodSeconds":30`, `"terminationGracePeriodSeconds":3600`))
	}
	o := question.UpgradeOptions{PlayOptions: question.PlayOptions{Plays: 3}}
	u := question.Upgrade(read(t, list(items...)), constraint.Default(), o)
	if u.Complete || u.Stops != 2 || u.Seconds.Plays != 1 || u.Seconds.Min != 60 || u.Seconds.Max != 60 || u.Seconds.Middle != 0 {
		t.Errorf("complete %v, %d plays stop, %+v", u.Complete, u.Stops, u.Seconds)
	}
	if text, err := json.Marshal(u.Seconds); err != nil || strings.Contains(string(text), "middle") {
		t.Errorf("%s %v", text, err)
	}
}

// TestUpgradeSettings: numbers that are asked for take the place of the manager's, and percentages round up.
func TestUpgradeSettings(t *testing.T) {
	var items []string
	for _, name := range []string{"a", "b", "c", "d"} {
		items = append(items, pooled(node(name, "z1", "4"), "kubernetes.azure.com/agentpool", "p"))
	}
	c := read(t, list(items...))
	for _, x := range []struct {
		o       question.UpgradeOptions
		seconds float64
	}{
		{question.UpgradeOptions{}, 4 * 60},
		{question.UpgradeOptions{Surge: &kube.IntOrPercent{Value: 33, Percent: true}}, 2 * 60},
		{question.UpgradeOptions{Surge: &kube.IntOrPercent{}, Unavailable: &kube.IntOrPercent{Value: 4}}, 60},
		{question.UpgradeOptions{Boot: 5 * unit.Second}, 4 * 5},
		{question.UpgradeOptions{Nodes: []int{1, 2}}, 2 * 60},
	} {
		if u := question.Upgrade(c, constraint.Default(), x.o); !u.Complete || u.Seconds.Middle != x.seconds {
			t.Errorf("%+v: %+v", x.o, u.Seconds)
		}
	}
}

// TestUpgradeLeavesPodsPending: a pod whose volume is on its old node does not find a new one.
func TestUpgradeLeavesPodsPending(t *testing.T) {
	c := read(t, list(pooled(node("a", "z1", "4"), "cloud.google.com/gke-nodepool", "p"),
		strings.Replace(pod("db-0", "a", "StatefulSet", "1", `,"volumes":[{"name":"d","persistentVolumeClaim":{"claimName":"d"}}]`), `"app":"web"`, `"app":"db"`, 1),
		`{"kind":"PersistentVolumeClaim","metadata":{"namespace":"n","name":"d","annotations":{"pv.kubernetes.io/bind-completed":"yes"}},"spec":{"accessModes":["ReadWriteOnce"],"volumeName":"v"}}`,
		`{"kind":"PersistentVolume","metadata":{"name":"v"},"spec":{"accessModes":["ReadWriteOnce"],"local":{"path":"/d"},"claimRef":{"namespace":"n","name":"d"},"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"kubernetes.io/hostname","operator":"In","values":["a"]}]}]}}}}`))
	u := question.Upgrade(c, constraint.Default(), question.UpgradeOptions{})
	if !u.Complete || len(u.Pending) != 1 || u.Pending[0].Pod != "n/statefulset-0" || !u.Down[0].Still || len(u.Down) != 1 {
		t.Errorf("%+v", u)
	}
}

// TestNewNodesOfUpgradesTakeFewVolumes: a new node attaches as many volumes as the one whose part it takes. By hand: of
// four pods with a volume each, one of which waits, three find room on a node that attaches three.
func TestNewNodesOfUpgradesTakeFewVolumes(t *testing.T) {
	items := []string{
		node("a", "z1", "64"),
		`{"kind":"CSINode","metadata":{"name":"a"},"spec":{"drivers":[{"name":"d","nodeID":"i","allocatable":{"count":3}}]}}`,
		`{"kind":"StorageClass","metadata":{"name":"fast"},"provisioner":"d","volumeBindingMode":"WaitForFirstConsumer"}`,
	}
	for i := range 4 { // each is made anew when the one before is ready, and the third finds no room
		on := "a"
		if i == 3 {
			on = ""
		}
		items = append(items,
			fmt.Sprintf(`{"kind":"PersistentVolumeClaim","metadata":{"namespace":"n","name":"data-%d","annotations":{"pv.kubernetes.io/bind-completed":"yes"}},"spec":{"storageClassName":"fast","volumeName":"pv-%d","accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}},"status":{"phase":"Bound"}}`, i, i),
			fmt.Sprintf(`{"kind":"PersistentVolume","metadata":{"name":"pv-%d"},"spec":{"storageClassName":"fast","accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"csi":{"driver":"d","volumeHandle":"h%d"},"claimRef":{"namespace":"n","name":"data-%d"}},"status":{"phase":"Bound"}}`, i, i, i),
			pod(fmt.Sprint("db-", i), on, "StatefulSet", "1", fmt.Sprintf(`,"volumes":[{"name":"d","persistentVolumeClaim":{"claimName":"data-%d"}}]`, i)))
	}
	u := question.Upgrade(read(t, list(items...)), constraint.Default(), question.UpgradeOptions{Surge: &kube.IntOrPercent{Value: 1}})
	if len(u.Pending) != 1 || u.Pending[0].Pod != "n/statefulset-2" || len(u.Down) > 0 && u.Down[0].Still || u.Pending[0].Reason != "node(s) exceed max volume count" {
		t.Errorf("%+v: %s", u.Pending, u.Sentence())
	}
}
