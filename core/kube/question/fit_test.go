package question_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/plane"
	"parley/core/kube/question"
)

// fits asks how many more of something fit on the cluster of a dump.
func fits(t *testing.T, name string, items ...string) *question.Fits {
	t.Helper()
	c := read(t, list(items...))
	like := plane.Model(c, name)
	if like == nil {
		t.Fatalf("there is no %s", name)
	}
	return question.Fit(c, constraint.Default(), name, *like, question.FitOptions{})
}

// maker writes a workload with a template of one container; more are fields of its spec.
func maker(kind, name, cpu, meta, more string) string {
	return fmt.Sprintf(`{"kind":%q,"metadata":{"namespace":"n","name":%q%s},"spec":{"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":%q}}}]}}%s}}`, kind, name, meta, cpu, more)
}

// TestFitCopiesTheNewest: copies are of the newest template, or of a pod that was made by it.
func TestFitCopiesTheNewest(t *testing.T) {
	of := `,"ownerReferences":[{"kind":"Deployment","name":"web","uid":"u","controller":true}],"annotations":{"deployment.kubernetes.io/revision":"%d"}`
	named := func(p, set string) string {
		return strings.Replace(p, `"name":"replicaset"`, fmt.Sprintf(`"name":%q`, set), 1)
	}
	old, fresh := maker("ReplicaSet", "web-b", "1", fmt.Sprintf(of, 9), ""), maker("ReplicaSet", "web-a", "2", fmt.Sprintf(of, 10), "")
	oldPod, newPod := named(pod("x", "a", "ReplicaSet", "1", ""), "web-b"), named(pod("y", "a", "ReplicaSet", "3", ""), "web-a")
	deployment := maker("Deployment", "web", "2", "", `,"replicas":0`)
	for _, c := range []struct {
		subject string
		more    int
		items   []string
	}{
		{"no replica", 4, []string{deployment}},
		{"the old revision runs", 3, []string{oldPod, old, fresh, deployment}},
		{"ReplicaSets alone", 3, []string{oldPod, fresh, old}},
		{"pods with a sidecar", 1, []string{oldPod, newPod, old, fresh, deployment}},
		{"a template without ReplicaSet", 1, []string{oldPod, old, maker("Deployment", "web", "5", "", "")}},
		{"a pod that is named by itself", 7, []string{oldPod}},
	} {
		name := "n/web"
		if c.subject == "a pod that is named by itself" {
			name = "n/x"
		}
		if f := fits(t, name, append(c.items, node("a", "z1", "8"))...); f.More != c.more {
			t.Errorf("%s: %d more, want %d", c.subject, f.More, c.more)
		}
	}
	set := strings.Replace(maker("StatefulSet", "statefulset", "2", "", ""), `"spec":{"template"`, `"status":{"updateRevision":"new"},"spec":{"template"`, 1)
	if f := fits(t, "n/statefulset", node("a", "z1", "8"), pod("statefulset-0", "a", "StatefulSet", "4", ""), set); f.More != 2 {
		t.Errorf("a StatefulSet whose pod is of the revision before: %d more", f.More)
	}
	if plane.Model(read(t, list(node("a", "z1", "8"))), "n/web") != nil {
		t.Error("there is a pod of nothing")
	}
}

func claim(name, class, volume, mode string) string {
	return fmt.Sprintf(`{"kind":"PersistentVolumeClaim","metadata":{"namespace":"n","name":%q,"annotations":{"pv.kubernetes.io/bind-completed":"yes"}},"spec":{"storageClassName":%q,"volumeName":%q,"accessModes":[%q],"resources":{"requests":{"storage":"1Gi"}}}}`, name, class, volume, mode)
}

func volume(name, zone string) string {
	return fmt.Sprintf(`{"kind":"PersistentVolume","metadata":{"name":%q},"spec":{"storageClassName":"fast","accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"csi":{"driver":"d","volumeHandle":%q},"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"topology.kubernetes.io/zone","operator":"In","values":[%q]}]}]}}}}`, name, name, zone)
}

// TestFitVolumes: copies share the claims that the pods of a Deployment share, so that those on
// other nodes would not start; those of a StatefulSet have volumes of their own, which count
// against the limit of a node.
func TestFitVolumes(t *testing.T) {
	class := `{"kind":"StorageClass","metadata":{"name":"fast"},"provisioner":"d","volumeBindingMode":%q}`
	mount := `,"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":%q}}]`
	nodes := []string{node("a", "z1", "4"), node("b", "z1", "4"), node("c", "z2", "4"), fmt.Sprintf(class, "WaitForFirstConsumer"), volume("pv", "z1")}
	shared := append(nodes, claim("data", "fast", "pv", "ReadWriteOnce"), pod("p", "a", "ReplicaSet", "1", fmt.Sprintf(mount, "data")))
	f := fits(t, "n/p", shared...)
	if f.More != 3 || len(f.PerNode) != 1 || f.PerNode[0].Node != "a" || len(f.Unstarted) != 1 || f.Unstarted[0].Count != 4 || !strings.Contains(f.Sentence(), "4 more would be placed and not start: the volume of data is ReadWriteOnce and attached to a") {
		t.Errorf("ReadWriteOnce: %+v, %s", f, f.Sentence())
	}
	many := append(nodes, claim("data", "fast", "pv", "ReadWriteMany"), pod("p", "a", "ReplicaSet", "1", fmt.Sprintf(mount, "data")))
	if f = fits(t, "n/p", many...); f.More != 7 || len(f.Unstarted) != 0 {
		t.Errorf("ReadWriteMany: %+v", f)
	}
	for _, mode := range []string{"WaitForFirstConsumer", "Immediate"} {
		own := append([]string{fmt.Sprintf(class, mode)}, nodes[:3]...)
		for _, n := range []string{"a", "b", "c"} {
			own = append(own, fmt.Sprintf(`{"kind":"CSINode","metadata":{"name":%q},"spec":{"drivers":[{"name":"d","nodeID":"i","allocatable":{"count":2}}]}}`, n))
		}
		own = append(own, volume("pv", "z1"), claim("data-db-0", "fast", "pv", "ReadWriteOnce"), pod("db-0", "a", "StatefulSet", "100m", fmt.Sprintf(mount, "data-db-0")))
		if f = fits(t, "n/db-0", own...); f.More != 5 {
			t.Errorf("volumes of their own, %s: %d more, want 5; %s", mode, f.More, f.StopReason)
		}
		none := append(own[:7:7], maker("StatefulSet", "db", "100m", "", `,"volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{"storageClassName":"fast","accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}]`))
		if f = fits(t, "n/db", none...); f.More != 6 {
			t.Errorf("a StatefulSet without pods, %s: %d more, want 6; %s", mode, f.More, f.StopReason)
		}
	}
}

// TestFitPorts: a port of the node is one copy's: neither the answer nor the bound has two on a node.
func TestFitPorts(t *testing.T) {
	web := strings.Replace(pod("p", "a", "ReplicaSet", "1", ""), `"name":"c",`, `"name":"c","ports":[{"containerPort":80,"hostPort":80}],`, 1)
	if f := fits(t, "n/p", node("a", "z1", "4"), node("b", "z1", "4"), node("c", "z1", "8"), web); f.More != 2 || f.Bound != 3 {
		t.Errorf("%d more, and at most %d", f.More, f.Bound)
	}
}

// TestFitDevices: the answer says that devices are not modelled.
func TestFitDevices(t *testing.T) {
	f := fits(t, "n/p", node("a", "z1", "4"), pod("p", "a", "ReplicaSet", "1", `,"resourceClaims":[{"name":"gpu","resourceClaimTemplateName":"gpu"}]`))
	if f.Devices != 1 || !strings.Contains(f.Sentence(), "is not known: a pod has 1 resource claim") || f.Method.NotModelled[0].Affected != 1 {
		t.Errorf("%s; %+v", f.Sentence(), f.Method.NotModelled)
	}
}

// TestFitOtherSystems: copies that the scheduler puts on nodes of another operating system or
// processor than that of the workload's pods do not start.
func TestFitOtherSystems(t *testing.T) {
	on := func(name, label, value string) string {
		return strings.Replace(node(name, "z1", "4"), `"labels":{`, fmt.Sprintf(`"labels":{%q:%q,`, label, value), 1)
	}
	web := pod("p", "a", "ReplicaSet", "1", "")
	if f := fits(t, "n/p", on("a", "kubernetes.io/os", "linux"), on("w", "beta.kubernetes.io/os", "windows"), web); f.More != 3 || len(f.Unstarted) != 1 || f.Unstarted[0].Count != 4 {
		t.Errorf("Windows: %+v", f)
	}
	if f := fits(t, "n/p", on("a", "kubernetes.io/arch", "amd64"), on("w", "kubernetes.io/arch", "arm64"), web); f.More != 3 {
		t.Errorf("another processor: %+v", f)
	}
	second := pod("q", "w", "ReplicaSet", "1", "")
	if f := fits(t, "n/p", on("a", "kubernetes.io/arch", "amd64"), on("w", "kubernetes.io/arch", "arm64"), web, second); f.More != 6 || len(f.Unstarted) != 0 {
		t.Errorf("a workload that runs on both processors: %+v", f)
	}
	chosen := pod("p", "w", "ReplicaSet", "1", `,"nodeSelector":{"kubernetes.io/os":"windows"}`)
	if f := fits(t, "n/p", on("a", "kubernetes.io/os", "linux"), on("w", "kubernetes.io/os", "windows"), chosen); f.More != 3 || len(f.Unstarted) != 0 {
		t.Errorf("a pod that selects its system: %+v", f)
	}
	if f := fits(t, "n/web", on("a", "kubernetes.io/os", "linux"), on("w", "kubernetes.io/os", "windows"), maker("Deployment", "web", "1", "", "")); f.More != 4 {
		t.Errorf("a workload that does not run yet is of Linux: %+v", f)
	}
}

// TestFitPreempts: copies that the scheduler places in the room of pods of lower priority are a figure of their own.
func TestFitPreempts(t *testing.T) {
	low := `,"priority":-10`
	f := fits(t, "n/web", node("a", "z1", "4"), node("b", "z1", "4"), pod("p", "a", "ReplicaSet", "4", low), pod("q", "b", "ReplicaSet", "2", low),
		maker("Deployment", "web", "2", "", ""))
	if f.More != 1 || f.Preempting != 3 || f.Victims != 2 {
		t.Errorf("%d more, %d by preemption of %d", f.More, f.Preempting, f.Victims)
	}
	if want := "1 more pod of n/web fits. No placement takes more. 3 more are placed by preemption, in the room of 2 pods of lower priority."; f.Sentence() != want {
		t.Errorf("%s, want %s", f.Sentence(), want)
	}
}

// TestFitManifestOfTheDump: the manifest of a workload that the dump has takes its place, as kubectl apply does; of other
// objects those of the dump count.
func TestFitManifestOfTheDump(t *testing.T) {
	budget := `{"kind":"PodDisruptionBudget","metadata":{"namespace":"n","name":"b"%s},"spec":{"minAvailable":%d}%s}`
	items := []string{
		node("a", "z1", "8"), maker("Deployment", "web", "1", `,"uid":"u"`, ""), fmt.Sprintf(budget, `,"uid":"v"`, 1, `,"status":{}`),
		maker("Deployment", "web", "2", "", ""), fmt.Sprintf(budget, "", 2, ""),
	}
	if f := fits(t, "n/web", items...); f.More != 4 {
		t.Errorf("%d more, want those of the manifest", f.More)
	}
	if c := read(t, list(items...)); len(c.Workloads) != 1 || len(c.Budgets) != 1 || c.Budgets[0].MinAvailable.Value != 1 {
		t.Errorf("%+v, %+v", c.Workloads, c.Budgets)
	}
}

// TestFitOfNamespaces: new pods get the node selector of their namespace, and a VerticalPodAutoscaler makes their
// requests unsure.
func TestFitOfNamespaces(t *testing.T) {
	of := `{"kind":"Namespace","metadata":{"name":"n","annotations":{"openshift.io/node-selector":"topology.kubernetes.io/zone=z2"}}}`
	if f := fits(t, "n/web", node("a", "z1", "4"), node("b", "z2", "4"), of, maker("Deployment", "web", "1", "", "")); f.More != 4 || f.PerNode[0].Node != "b" {
		t.Errorf("%d more on %v", f.More, f.PerNode)
	}
	on := strings.Replace(maker("Deployment", "web", "1", "", ""), `"containers"`, `"nodeName":"b","containers"`, 1)
	if f := fits(t, "n/web", node("a", "z1", "4"), node("b", "z2", "4"), on); f.More != 4 || f.PerNode[0].Node != "b" {
		t.Errorf("%d more on %v of a template that names its node", f.More, f.PerNode)
	}
	vpa := `{"kind":"VerticalPodAutoscaler","metadata":{"namespace":"n","name":"v"},"spec":{"targetRef":{"kind":"Deployment","name":"web"}%s}}`
	for mode, unsure := range map[string]bool{"": true, `,"updatePolicy":{"updateMode":"Off"}`: false} {
		f := fits(t, "n/web", node("a", "z1", "4"), fmt.Sprintf(vpa, mode), maker("Deployment", "web", "1", "", ""))
		if strings.Contains(strings.Join(f.Method.Caveats, "\n"), "a VerticalPodAutoscaler sets the requests of new pods of n/web") != unsure {
			t.Errorf("%s: unsure %v", mode, f.Method.Caveats)
		}
	}
}
