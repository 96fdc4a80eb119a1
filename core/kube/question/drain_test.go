package question_test

import (
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/question"
)

// drained asks which nodes of a dump can be emptied.
func drained(t *testing.T, p *constraint.Profile, o question.DrainOptions, items ...string) *question.Drained {
	t.Helper()
	return question.Drain(read(t, list(items...)), p, o)
}

// TestDrainProfiles: each pod is placed by the profile that it names; of a scheduler whose
// configuration was not given it is not known whether its pods could leave, so that the bound
// counts their nodes.
func TestDrainProfiles(t *testing.T) {
	packed := func(name, on string) string {
		return strings.Replace(pod(name, on, "ReplicaSet", "1", ""), "default-scheduler", "packer", 1)
	}
	items := []string{node("a", "z1", "4"), node("b", "z1", "4"), node("c", "z1", "4"), packed("p", "a"), packed("q", "b"), pod("r", "c", "ReplicaSet", "1", "")}
	d := drained(t, constraint.Default(), question.DrainOptions{}, items...)
	if d.Emptied != 1 || d.Bound != 2 || d.Kept[0].Reason != "a pod of another scheduler, whose configuration was not given (--config)" || d.Kept[0].Always {
		t.Errorf("%s %+v", d.Sentence(), d.Kept)
	}
	both := constraint.Default()
	packer := constraint.Default()
	packer.Name, packer.Strategy.Type = "packer", constraint.MostAllocated
	packer.Scores = []constraint.Weight{{Plugin: constraint.NodeResourcesFit, Weight: 1}}
	both.Others = []*constraint.Profile{packer}
	if d = drained(t, both, question.DrainOptions{}, items...); d.Emptied != 2 || len(d.Method.NotModelled) != 0 {
		t.Errorf("both profiles: %s %+v", d.Sentence(), d.Method.NotModelled)
	}
	// The packer puts its pod beside the other one, the default profile on the empty node.
	s := constraint.New(read(t, list(node("a", "z1", "4"), node("b", "z1", "4"), pod("on", "a", "ReplicaSet", "1", ""), packed("p", ""), pod("r", "", "ReplicaSet", "1", ""))), both)
	draw := func(int) int { return 0 }
	for range 2 { // each after the other
		if at := s.Place(1, draw); at != 0 {
			t.Errorf("the packer takes node %d", at)
		}
		if at := s.Clone().Place(2, draw); at != 1 {
			t.Errorf("the default profile takes node %d", at)
		}
	}
	// A profile that is alone places the pods of the default scheduler too.
	if d = drained(t, packer, question.DrainOptions{}, items...); d.Emptied != 2 {
		t.Errorf("the packer alone: %s", d.Sentence())
	}
}

// TestDrainOtherSystems: a node keeps its pods if the scheduler would send one to another
// operating system or processor, where it would not start.
func TestDrainOtherSystems(t *testing.T) {
	on := func(name, label, value string) string {
		return strings.Replace(node(name, "z1", "4"), `"labels":{`, `"labels":{"`+label+`":"`+value+`",`, 1)
	}
	for label, values := range map[string][2]string{"kubernetes.io/os": {"linux", "windows"}, "kubernetes.io/arch": {"amd64", "arm64"}} {
		items := []string{on("a", label, values[0]), on("b", label, values[1]), pod("p", "a", "ReplicaSet", "1", ""), pod("other", "b", "StatefulSet", "1", `,"nodeSelector":{"`+label+`":"`+values[1]+`"}`)}
		d := drained(t, constraint.Default(), question.DrainOptions{}, items...)
		if d.Emptied != 0 || !strings.Contains(d.Kept[0].Reason, "would go to a node of another") {
			t.Errorf("%s: %s %+v", label, d.Sentence(), d.Kept)
		}
		items[2] = pod("p", "a", "ReplicaSet", "1", `,"nodeSelector":{"`+label+`":"`+values[1]+`"}`)
		if d = drained(t, constraint.Default(), question.DrainOptions{}, items...); d.Emptied != 1 {
			t.Errorf("%s: a pod that selects it: %s", label, d.Sentence())
		}
	}
}

// TestDrainSharedVolumes: a node keeps its pods if two of them that share a ReadWriteOnce volume
// would part, unless the volume is seen on two nodes at once.
func TestDrainSharedVolumes(t *testing.T) {
	mount := `,"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}]`
	class := `{"kind":"StorageClass","metadata":{"name":"fast"},"provisioner":"d","volumeBindingMode":"WaitForFirstConsumer"}`
	all := func(mode, second string, more ...string) []string {
		return append([]string{
			node("a", "z1", "4"), node("b", "z1", "4"), node("c", "z1", "4"), class, volume("pv", "z1"), claim("data", "fast", "pv", mode),
			pod("p", "a", "ReplicaSet", "3", mount), pod("q", second, "StatefulSet", "3", mount),
		}, more...)
	}
	about := question.DrainOptions{Nodes: []int{0}}
	d := drained(t, constraint.Default(), about, all("ReadWriteOnce", "a")...)
	if d.Emptied != 0 || !strings.Contains(d.Kept[0].Reason, "shares a ReadWriteOnce volume (data)") {
		t.Errorf("%s %+v", d.Sentence(), d.Kept)
	}
	if d = drained(t, constraint.Default(), about, all("ReadWriteMany", "a")...); d.Emptied != 1 {
		t.Errorf("ReadWriteMany: %s", d.Sentence())
	}
	if d = drained(t, constraint.Default(), about, all("ReadWriteOnce", "b")...); d.Emptied != 1 {
		t.Errorf("a volume that two nodes mount: %s", d.Sentence())
	}
}

// TestDrainPreempts: a pod may preempt pods of negative priority and no others.
func TestDrainPreempts(t *testing.T) {
	with := func(p, priority string) string {
		return strings.Replace(p, `"spec":{`, `"spec":{"priority":`+priority+`,`, 1)
	}
	items := func(priority string) []string {
		return []string{
			node("a", "z1", "4"), node("b", "z1", "4"), with(pod("web", "a", "ReplicaSet", "3", ""), "10"),
			with(pod("h1", "b", "StatefulSet", "1500m", ""), priority), with(pod("h2", "b", "StatefulSet", "1500m", ""), priority), with(pod("h3", "b", "StatefulSet", "1", ""), priority),
		}
	}
	d := drained(t, constraint.Default(), question.DrainOptions{}, items("-1")...)
	if d.Emptied != 1 || d.Preempted != 2 || d.Bound != 1 || !strings.Contains(d.Sentence(), "2 pods of negative priority are preempted and stay pending") {
		t.Errorf("%s %+v", d.Sentence(), d)
	}
	if d = drained(t, constraint.Default(), question.DrainOptions{}, items("0")...); d.Emptied != 0 || d.Kept[0].Reason != "Insufficient cpu" {
		t.Errorf("pods of priority 0: %s %+v", d.Sentence(), d.Kept)
	}
	// A placeholder that finds another node moves there.
	more := append(items("-1"), with(node("small", "z2", "2"), ""))
	more[len(more)-1] = node("small", "z2", "2")
	if d = drained(t, constraint.Default(), question.DrainOptions{Nodes: []int{0}}, more...); d.Emptied != 1 || d.Preempted != 1 || d.Evictions != 2 {
		t.Errorf("%s %+v", d.Sentence(), d.Steps)
	}
}

// TestDrainMoves: the answer counts pods, not evictions, and says how many nodes can be emptied if
// no pod moves twice.
func TestDrainMoves(t *testing.T) {
	c := read(t, generated(t, 40, 400))
	d := question.Drain(c, constraint.Default(), question.DrainOptions{DeleteEmptyDir: true})
	if d.CordonFirst || d.MaxMoves < 2 || d.Moves >= d.Evictions || d.EmptiedOnce == 0 || d.EmptiedOnce >= d.Emptied {
		t.Fatalf("%d pods, %d evictions, %d of one pod; %d nodes, %d calm", d.Moves, d.Evictions, d.MaxMoves, d.Emptied, d.EmptiedOnce)
	}
	if want := " times, one of them "; !strings.Contains(d.Sentence(), want) || !strings.Contains(d.Method.How, "(--once)") {
		t.Errorf("%s %s", d.Sentence(), d.Method.How)
	}
	once := question.Drain(c, constraint.Default(), question.DrainOptions{DeleteEmptyDir: true, Once: true})
	if !once.CordonFirst || once.MaxMoves != 1 || once.Emptied < d.EmptiedOnce || once.Moves != once.Evictions || once.Emptied+len(once.Kept) != once.Nodes {
		t.Errorf("once: %+v", once)
	}
	if err := obeys(c, once); err != nil {
		t.Error(err)
	}
}

// TestDrainRequested: an answer about some nodes is about no other.
func TestDrainRequested(t *testing.T) {
	d := drained(t, constraint.Default(), question.DrainOptions{Nodes: []int{1}}, node("a", "z1", "4"), node("b", "z1", "4"), node("c", "z1", "1"), pod("p", "b", "", "1", ""))
	if !strings.HasPrefix(d.Sentence(), "0 of the 1 node asked about can be emptied.") || len(d.Kept) != 1 || d.Kept[0].Node != "b" || len(d.WhyNotMore) != 1 {
		t.Errorf("%s %+v", d.Sentence(), d.Kept)
	}
}

// TestDrainTellsWhatIsLost: pods without a controller and local volumes that a plan loses are named;
// pods that are bound to their nodes move nowhere; controllers that are not known are told.
func TestDrainTellsWhatIsLost(t *testing.T) {
	c := read(t, list(node("a", "z1", "4"), node("b", "z1", "2"), pod("lone", "a", "", "2", ""), pod("cache", "a", "ReplicaSet", "1", `,"volumes":[{"name":"m","emptyDir":{"medium":"Memory"}},{"name":"d","emptyDir":{}}]`),
		pod("manager", "a", "InstanceManager", "2", ""), pod("clone", "b", "CloneSet", "100m", ""), pod("waits", "", "ReplicaSet", "64", "")))
	d := question.Drain(c, constraint.Default(), question.DrainOptions{Force: true, DeleteEmptyDir: true, Nodes: []int{0}})
	if d.Emptied != 1 || d.Moves != 1 {
		t.Fatalf("%s %+v", d.Sentence(), d.Kept)
	}
	text := d.Document("dump.json")
	for _, want := range []string{"1 pod that no controller makes anew is gone for good", "1 pod loses its local volumes", "n/lone", "n/cache", "its local volumes (emptyDir): d, m", "controllers of the kind CloneSet", "has no disruption budgets", "1 pod is pending in the dump"} {
		if !strings.Contains(text.Text(), want) {
			t.Errorf("no %q in\n%s", want, text.Text())
		}
	}
	if !strings.Contains(text.Script, "kubectl drain --ignore-daemonsets --timeout=10m --delete-emptydir-data --force") {
		t.Errorf("the script loses nothing:\n%s", text.Script)
	}
	if strings.Contains(text.Text(), "n/manager") {
		t.Errorf("a pod that is bound to its node moves:\n%s", text.Text())
	}
	budget := `{"kind":"PodDisruptionBudget","metadata":{"namespace":"n","name":"all"},"spec":{"selector":{"matchLabels":{"app":"web"}}},"status":{"expectedPods":1,"desiredHealthy":1,"currentHealthy":1,"disruptionsAllowed":0}}`
	if d = drained(t, constraint.Default(), question.DrainOptions{Nodes: []int{0}}, node("a", "z1", "4"), node("b", "z1", "4"), pod("manager", "a", "InstanceManager", "2", ""), budget); d.Emptied != 0 || d.Kept[0].Pod != "n/manager" {
		t.Errorf("a budget of a pod that is bound to its node: %s %+v", d.Sentence(), d.Kept)
	}
}

// TestDrainLeavesNoNode: the last node keeps its pods because all others are emptied, and the answer says that in place
// of the filter's words for a cordon.
func TestDrainLeavesNoNode(t *testing.T) {
	c := read(t, list(node("a", "z1", "4"), node("b", "z1", "4"), pod("web-1", "a", "ReplicaSet", "1", "")))
	d := question.Drain(c, constraint.Default(), question.DrainOptions{})
	if d.Emptied != 1 || len(d.Kept) != 1 || d.Kept[0].Reason != "no other node is left: all are emptied or cordoned" {
		t.Errorf("%d, %+v", d.Emptied, d.Kept)
	}
}
