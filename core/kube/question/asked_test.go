package question_test

import (
	"strings"
	"testing"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
	"parley/core/kube/question"
	"parley/core/kube/usage"
)

// TestFitDaemons: a DaemonSet has one pod on each node that it wants and that has none of them, cordoned ones among them.
func TestFitDaemons(t *testing.T) {
	tainted := strings.Replace(node("t", "z1", "4"), `"status":{`, `"spec":{"taints":[{"key":"team","value":"x","effect":"NoSchedule"}]},"status":{`, 1)
	cordoned := strings.Replace(node("c", "z1", "4"), `"status":{`, `"spec":{"unschedulable":true,"taints":[{"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}]},"status":{`, 1)
	c := read(t, list(node("a", "z1", "4"), node("b", "z1", "4"), node("full", "z1", "4"), tainted, cordoned, pod("x", "full", "ReplicaSet", "4", ""),
		pod("agent-1", "a", "DaemonSet", "1", ""), workload("DaemonSet", "daemonset", 0, "", "")))
	f := question.Fit(c, constraint.Default(), "n/daemonset", *plane.Model(c, "n/daemonset"), question.FitOptions{})
	if f.More != 2 || len(f.PerNode) != 2 || f.PerNode[0].Node != "b" || f.PerNode[1].Node != "c" || len(f.Reasons) != 1 || f.Reasons[0] != (question.Reason{Reason: "Insufficient cpu", Count: 1}) {
		t.Errorf("%+v", f)
	}
}

// TestNearest: a name that is written wrongly has the one that was meant beside it.
func TestNearest(t *testing.T) {
	c := read(t, list(node("a", "z1", "4"), workload("Deployment", "webshop", 1, "", ""), workload("Deployment", "db", 1, "", "")))
	for name, want := range map[string]string{"n/webshpo": "n/webshop", "webshop": "n/webshop", "other/webshop": "n/webshop", "n/entirely-different": ""} {
		if got := question.Nearest(c, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestLosePool: nodes are lost by the pool that their installer names, and an unknown one is answered with those that
// there are.
func TestLosePool(t *testing.T) {
	c := read(t, list(strings.Replace(node("a", "z1", "4"), `"labels":{`, `"labels":{"kops.k8s.io/instancegroup":"blue",`, 1), strings.Replace(node("b", "z1", "4"), `"labels":{`, `"labels":{"eks.amazonaws.com/nodegroup":"green",`, 1)))
	groups, err := question.Choose(c, "pool", nil)
	if err != nil || len(groups) != 2 || groups[0].Name != "pool blue" || groups[1].Name != "pool green" {
		t.Errorf("%+v, %v", groups, err)
	}
	if _, err := question.Choose(c, "pool", []string{"red"}); err == nil || !strings.Contains(err.Error(), `"red": the nodes have blue, green`) {
		t.Error(err)
	}
}

// TestCordonIsOneThing: a cordon is a flag and a taint, and one command takes both away.
func TestCordonIsOneThing(t *testing.T) {
	cordoned := strings.Replace(node("a", "z1", "4"), `"status":{`, `"spec":{"unschedulable":true,"taints":[{"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}]},"status":{`, 1)
	w := question.Pending(read(t, list(cordoned, pod("p", "", "ReplicaSet", "1", ""))), constraint.Default(), 1)
	if len(w.Help) != 1 || w.Help[0].Without != "the cordon: kubectl uncordon NODE" {
		t.Errorf("%+v", w.Help)
	}
}

// TestUseBeyondNodes: more use than any node has is no use of this cluster in this unit.
func TestUseBeyondNodes(t *testing.T) {
	c := read(t, list(node("a", "z1", "4"), pod("p1", "a", "ReplicaSet", "1", "")))
	for amount, doubts := range map[float64]int{0.5: 0, 262144000: 1} {
		u := usage.New()
		for at := range int64(3) {
			u.At(at * 86400)
			u.Add(usage.Series{Namespace: "n", Pod: "p1"}, amount)
		}
		s, err := question.RightSize(c, u)
		if err != nil {
			t.Fatal(err)
		}
		if document := s.Document(); len(document.Grids[0].Rows) != doubts {
			t.Errorf("%v cores: %+v", amount, document.Grids[0].Rows)
		}
	}
}

// TestMemoryWithoutUnit: a number without a unit is of bytes, and no process runs in some hundred of them.
func TestMemoryWithoutUnit(t *testing.T) {
	c := read(t, list(node("a", "z1", "4"), pod("p1", "a", "ReplicaSet", "1", "")))
	for amount, doubts := range map[float64]int{350: 1, 350 << 20: 0} {
		u := usage.New()
		for range 3 {
			u.Add(usage.Series{Namespace: "n", Pod: "p1", Resource: kube.Memory}, amount)
		}
		s, err := question.RightSize(c, u)
		if err != nil {
			t.Fatal(err)
		}
		if document := s.Document(); len(document.Grids[0].Rows) != doubts {
			t.Errorf("%v bytes: %+v", amount, document.Grids[0].Rows)
		}
	}
}

// TestScoreNamesForeignPlugins: a plugin of any configuration that is not modelled is told.
func TestScoreNamesForeignPlugins(t *testing.T) {
	other := *constraint.Default()
	other.Unmodelled = []string{"the plugin NodeResourceFit"}
	s := question.Score(read(t, list(node("a", "z1", "4"), pod("p", "a", "ReplicaSet", "1", ""))), []question.Configured{{Name: "default", Profile: constraint.Default()}, {Name: "mine", Profile: &other}}, question.ScoreOptions{Orders: 2})
	if document := s.Document(); len(document.Grids[0].Rows) != 1 || !strings.Contains(document.Grids[0].Rows[0][0], "of the configuration mine, the plugin NodeResourceFit") {
		t.Errorf("%+v", document.Grids[0].Rows)
	}
}

// TestReportOfFormerVersion: the settings of a kept report were under another key.
func TestReportOfFormerVersion(t *testing.T) {
	r, err := question.ReadReport("r", []byte(`{"figures":[{"name":"nodes","value":3,"about":""}],"asked":["seed 1"]}`))
	if err != nil || len(r.Settings) != 1 || r.Settings[0] != "seed 1" {
		t.Errorf("%+v, %v", r, err)
	}
}
