package plane_test

import (
	"slices"
	"strings"
	"testing"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
	"parley/core/unit"
)

// TestFates: what becomes of a pod whose node goes, by who keeps it.
func TestFates(t *testing.T) {
	for want, all := range map[plane.Fate][]kube.Pod{
		plane.Moves: {
			{Owner: kube.Owner{Kind: "ReplicaSet"}},
			{Owner: kube.Owner{Kind: "StatefulSet"}, Deleted: 1},
			{Owner: kube.Owner{Kind: "Widget"}},
		},
		plane.Ends: {
			{Owner: kube.Owner{Kind: "DaemonSet"}},
			{Mirror: true},
			{Owner: kube.Owner{Kind: "Node"}},
			{Owner: kube.Owner{Kind: "InstanceManager"}},
		},
		plane.LostPod: {{}},
		plane.GonePod: {{Deleted: 1}, {Owner: kube.Owner{Kind: "ReplicaSet"}, Deleted: 1}},
	} {
		for _, p := range all {
			if got := plane.FateOf(&p); got != want {
				t.Errorf("%+v: %d, want %d", p, got, want)
			}
		}
	}
	if plane.UnknownKind("ReplicaSet") || plane.UnknownKind("") || !plane.UnknownKind("Widget") {
		t.Error("a ReplicaSet is known, a Widget is not")
	}
}

// TestDrainRules: what a drain keeps, one rule after another; the first that holds is told.
func TestDrainRules(t *testing.T) {
	spec := func() *kube.Spec { return &kube.Spec{} }
	owner := kube.Owner{Kind: "ReplicaSet"}
	tolerant := &kube.Spec{Tolerations: []kube.Toleration{{Exists: true, Seconds: -1}}}
	local := &kube.Spec{EmptyDirs: []string{"d"}}
	var none, all plane.DrainRules
	all = plane.DrainRules{DeleteEmptyDir: true, Force: true, ControlPlane: true}
	for _, x := range []struct {
		p          kube.Pod
		budgets    int
		unknown    string
		none, with string // the beginning of the reason, without flags and with all
	}{
		{kube.Pod{Spec: spec(), Owner: owner}, 1, "", "", ""},
		{kube.Pod{Spec: spec()}, 0, "", "a pod without a controller", ""},
		{kube.Pod{Spec: local, Owner: owner}, 0, "", "local storage", ""},
		{kube.Pod{Spec: local, Owner: owner, SafeToEvict: kube.Yes}, 0, "", "local storage", ""},
		{kube.Pod{Spec: &kube.Spec{MemoryDirs: []string{"m"}}, Owner: owner}, 0, "", "local storage", ""},
		{kube.Pod{Spec: spec(), Owner: owner, SafeToEvict: kube.No}, 0, "", "a pod's annotation safe-to-evict", "a pod's annotation safe-to-evict"},
		{kube.Pod{Spec: spec(), Owner: owner, DoNotDisrupt: true}, 0, "", "a pod's annotation do-not-disrupt", "a pod's annotation do-not-disrupt"},
		{kube.Pod{Spec: tolerant, Owner: owner}, 0, "", "a pod tolerates the cordon", "a pod tolerates the cordon"},
		{kube.Pod{Spec: spec(), Owner: owner}, 2, "", plane.TwoBudgets, plane.TwoBudgets},
		{kube.Pod{Spec: spec(), Owner: owner, Phase: kube.PhasePending}, 2, "", "", ""},
		{kube.Pod{Spec: spec(), Owner: owner}, 0, "not known", "not known", "not known"},
		{kube.Pod{Spec: spec(), Owner: owner, Deleted: 1}, 2, "not known", "", ""},
		{kube.Pod{Spec: tolerant, Owner: owner, Deleted: 1}, 0, "", "a pod tolerates the cordon", "a pod tolerates the cordon"},
	} {
		for rules, want := range map[*plane.DrainRules]string{&none: x.none, &all: x.with} {
			if got := rules.Pod(&x.p, x.budgets, x.unknown); !strings.HasPrefix(got, want) || (got == "") != (want == "") {
				t.Errorf("%+v, %d budgets: %q, want %q", x.p, x.budgets, got, want)
			}
		}
	}
	control := kube.Node{Labels: kube.NewLabels(map[string]string{"node-role.kubernetes.io/master": ""}), Ready: kube.ReadyTrue}
	if none.Node(&control) != "it is of the control plane" || all.Node(&control) != "" || !strings.HasPrefix(none.Node(&kube.Node{}), "it is not ready") {
		t.Error("nodes of the control plane and those that are not ready are kept")
	}
}

// TestManagers: what is asked of an upgrade comes before what the manager does, and something is always replaced.
func TestManagers(t *testing.T) {
	two, none := kube.IntOrPercent{Value: 2}, kube.IntOrPercent{}
	for _, x := range []struct {
		label string
		o     plane.UpgradeRequest
		surge int
		out   int
		limit unit.Time
		after plane.AfterLimit
	}{
		{"kubernetes.azure.com/agentpool", plane.UpgradeRequest{}, 2, 0, 30 * unit.Minute, plane.Stops}, // 10 % of 15, rounded up
		{"", plane.UpgradeRequest{Surge: &two}, 2, 0, 0, plane.Waits},
		{"", plane.UpgradeRequest{Surge: &none}, 0, 1, 0, plane.Waits},
		{"cloud.google.com/gke-nodepool", plane.UpgradeRequest{Unavailable: &two}, 1, 2, 60 * unit.Minute, plane.Forces},
		{"cloud.google.com/gke-nodepool", plane.UpgradeRequest{Stop: true}, 1, 0, 60 * unit.Minute, plane.Stops},
		{"cloud.google.com/gke-nodepool", plane.UpgradeRequest{Limit: -1}, 1, 0, 0, plane.Waits},
		{"", plane.UpgradeRequest{Limit: unit.Minute}, 0, 1, unit.Minute, plane.Stops},
		{"", plane.UpgradeRequest{Limit: unit.Minute, Force: true}, 0, 1, unit.Minute, plane.Forces},
		{"", plane.UpgradeRequest{Force: true}, 0, 1, 0, plane.Waits},
	} {
		m := plane.ManagerOf(x.label)
		m.Take(x.o)
		if surge, out := m.AtOnce(15); surge != x.surge || out != x.out || m.Limit != x.limit || m.After != x.after {
			t.Errorf("%s, %+v: %d added, %d missing, %+v", x.label, x.o, surge, out, m)
		}
	}
	for n, want := range map[*kube.Node]bool{
		{Ready: kube.ReadyTrue, Created: 100, ReadySince: 160}:  true,
		{Ready: kube.ReadyTrue, Created: 100, ReadySince: 100}:  false,
		{Ready: kube.ReadyTrue, Created: 0, ReadySince: 160}:    false,
		{Ready: kube.ReadyTrue, Created: 1, ReadySince: 5000}:   false, // it was ready again
		{Ready: kube.ReadyFalse, Created: 100, ReadySince: 160}: false,
	} {
		if _, known := plane.Boot(n); known != want {
			t.Errorf("%+v: known %v", n, known)
		}
	}
}

// TestQueueOrder: priority, then age, then the order of the dump; and budgets that allow nothing for ever are those
// whose pods are all ready.
func TestQueueOrder(t *testing.T) {
	spec := func(priority int32) *kube.Spec { return &kube.Spec{Priority: priority} }
	c := &kube.Cluster{Pods: []kube.Pod{
		{Spec: spec(0), Created: 5},
		{Spec: spec(9), Created: 8},
		{Spec: spec(0), Created: 2},
		{Spec: spec(0), Created: 5},
	}}
	if got := plane.Order(c, []int{3, 0, 1, 2}); !slices.Equal(got, []int{1, 2, 0, 3}) {
		t.Errorf("%v", got)
	}
	web := kube.NewLabels(map[string]string{"app": "web"})
	one := func(ready bool) kube.Pod {
		return kube.Pod{Namespace: "n", Labels: web, Spec: spec(0), Ready: ready, NodeName: "a", Phase: kube.PhaseRunning}
	}
	for ready, want := range map[bool]bool{true: true, false: false} {
		c := &kube.Cluster{Nodes: []kube.Node{{Name: "a"}}, Pods: []kube.Pod{one(true), one(ready)}, Budgets: []kube.Budget{{
			Namespace: "n", Name: "b", Selector: &kube.Selector{Requirements: []kube.Requirement{{Key: "app", Op: kube.In, Values: []string{"web"}}}},
			MaxUnavailable: &kube.IntOrPercent{},
		}}}
		if got := plane.NeverAllow(c, constraint.NewBudgets(c)); got[0] != want {
			t.Errorf("all ready %v: never %v", ready, got[0])
		}
	}
}

// TestDaemonSetTolerations: which taints the pods of DaemonSets tolerate without saying it, and which only let those stay
// that run. (pkg/controller/daemon/util/daemonset_util.go, AddOrUpdateDaemonPodTolerations)
func TestDaemonSetTolerations(t *testing.T) {
	for _, x := range []struct {
		key         string
		effect      kube.Effect
		host        bool
		runs, stays bool
	}{
		{"node.kubernetes.io/not-ready", kube.NoExecute, false, true, true},
		{"node.kubernetes.io/unreachable", kube.NoExecute, false, true, true},
		{"node.kubernetes.io/disk-pressure", kube.NoSchedule, false, true, true},
		{"node.kubernetes.io/memory-pressure", kube.NoSchedule, false, true, true},
		{"node.kubernetes.io/pid-pressure", kube.NoSchedule, false, true, true},
		{"node.kubernetes.io/unschedulable", kube.NoSchedule, false, true, true},
		{"node.kubernetes.io/network-unavailable", kube.NoSchedule, false, false, true},
		{"node.kubernetes.io/network-unavailable", kube.NoSchedule, true, true, true},
		{"node.kubernetes.io/not-ready", kube.NoSchedule, false, false, true},
		{"team", kube.NoSchedule, true, false, true},
		{"team", kube.NoExecute, false, false, false},
		{"team", kube.PreferNoSchedule, false, true, true},
	} {
		where := &kube.Spec{HostNetwork: x.host}
		n := &kube.Node{Taints: []kube.Taint{{Key: x.key, Effect: x.effect}}}
		if runs, stays := plane.WantedOn(where, n); runs != x.runs || stays != x.stays {
			t.Errorf("%+v: runs %v, stays %v", x, runs, stays)
		}
		if made := plane.Tolerating(where); x.effect != kube.PreferNoSchedule && made.Tolerates(&n.Taints[0]) != x.runs {
			t.Errorf("%+v: the pod that is made tolerates %v", x, made.Tolerations)
		}
	}
}
