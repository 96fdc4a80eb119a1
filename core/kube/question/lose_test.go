package question_test

import (
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/question"
)

// TestExcludedNodes: nodes with the label exclude-disruption are not counted where a zone is found
// to be disrupted. (pkg/controller/nodelifecycle, isNodeExcludedFromDisruptionChecks)
func TestExcludedNodes(t *testing.T) {
	var items []string
	for _, name := range []string{"a0", "a1", "a2", "a3", "a4"} {
		n := node(name, "z1", "4")
		if name == "a3" || name == "a4" {
			n = strings.Replace(n, `"labels":{`, `"labels":{"node.kubernetes.io/exclude-disruption":"",`, 1)
		}
		items = append(items, n, pod("p-"+name, name, "ReplicaSet", "100m", ""))
	}
	items = append(items, node("b0", "z2", "4"), node("b1", "z2", "4"))
	for _, c := range []struct {
		subject string
		lost    []int
		staying int
	}{
		{"two of the three that count", []int{0, 1}, 0},
		{"three of five, of which two do not count", []int{0, 3, 4}, 0},
		{"all three that count: the zone is wholly down", []int{0, 1, 2}, 0},
	} {
		if l := question.Lose(read(t, list(items...)), constraint.Default(), c.subject, c.lost, question.LoseOptions{NotReady: true}); l.NotEvicted != c.staying {
			t.Errorf("%s: %d stay", c.subject, l.NotEvicted)
		}
	}
}

// TestLostPodsThatDoNotStart: pods that the scheduler places where they cannot start are told.
func TestLostPodsThatDoNotStart(t *testing.T) {
	mount := `,"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}]`
	class := `{"kind":"StorageClass","metadata":{"name":"fast"},"provisioner":"d","volumeBindingMode":"WaitForFirstConsumer"}`
	c := read(t, list(node("a", "z1", "4"), node("b", "z1", "4"), node("c", "z1", "4"), class, volume("pv", "z1"), claim("data", "fast", "pv", "ReadWriteOnce"),
		pod("p", "a", "ReplicaSet", "3", mount), pod("q", "a", "StatefulSet", "3", mount)))
	l := question.Lose(c, constraint.Default(), "node a", []int{0}, question.LoseOptions{})
	if l.Rescheduled != 2 || len(l.Unstarted) != 1 || !strings.Contains(l.Sentence(), "1 of these does not start: the volume of data is ReadWriteOnce and attached to ") {
		t.Errorf("%s", l.Sentence())
	}
	linux := strings.Replace(node("a", "z1", "4"), `"labels":{`, `"labels":{"kubernetes.io/os":"linux",`, 1)
	windows := strings.Replace(node("w", "z1", "4"), `"labels":{`, `"labels":{"kubernetes.io/os":"windows",`, 1)
	l = question.Lose(read(t, list(linux, windows, pod("p", "a", "ReplicaSet", "1", ""))), constraint.Default(), "node a", []int{0}, question.LoseOptions{})
	if !strings.Contains(l.Sentence(), "1 of these does not start: its node has another operating system") {
		t.Errorf("%s", l.Sentence())
	}
	g, s := grown(t, "w", linux, windows, pod("full", "a", "ReplicaSet", "4", ""), pod("there", "w", "StatefulSet", "4", ""), pod("wait", "", "ReplicaSet", "1", ""))
	if s.Placed != 0 || s.Reasons[0].Reason != "the node has another operating system than the workload runs on" || g.Shapes[0].Like != "a" || g.Shapes[0].Placed != 1 {
		t.Errorf("%+v", g.Shapes)
	}
}

// TestWords: numbers and names agree with their nouns and verbs.
func TestWords(t *testing.T) {
	c := read(t, list(node("a", "z1", "4"), node("b", "z1", "4"), node("c", "z2", "4"), pod("p", "a", "ReplicaSet", "1", "")))
	for want, names := range map[string][]string{
		"If node a is gone, 0 pods": {"a"}, "If nodes a and b are gone, 0 pods": {"a", "b"}, "If nodes a, b and c are gone, 1 pod stays pending.": {"a", "b", "c"},
	} {
		g, err := question.Choose(c, "node", names)
		if err != nil {
			t.Fatal(err)
		}
		if s := question.Lose(c, constraint.Default(), g[0].Name, g[0].Nodes, question.LoseOptions{}).Sentence(); !strings.HasPrefix(s, want) {
			t.Errorf("%s, want %s", s, want)
		}
	}
	small := strings.Replace(pod("small", "a", "ReplicaSet", "1", ""), `"cpu":"1"`, `"cpu":"1","memory":"256Mi","ephemeral-storage":"1Gi","example.com/fpga":"2"`, 1)
	if f := fits(t, "n/small", node("a", "z1", "4"), small); strings.Join(f.Requests, ", ") != "1 core, 256 MiB, 1 GiB of ephemeral storage, 2 example.com/fpga" {
		t.Errorf("%q", f.Requests)
	}
	if f := fits(t, "n/p", node("a", "z1", "2"), pod("p", "a", "ReplicaSet", "1", "")); !strings.HasPrefix(f.Sentence(), "1 more pod of n/p fits.") {
		t.Error(f.Sentence())
	}
}

// TestLoseSpot: nodes are lost by the capacity type that the labels of their clouds say, and pods that do
// not come back are named.
func TestLoseSpot(t *testing.T) {
	labelled := func(name, label string) string {
		return strings.Replace(node(name, "z1", "4"), `"labels":{`, `"labels":{`+label+`,`, 1)
	}
	c := read(t, list(labelled("a", `"eks.amazonaws.com/capacityType":"SPOT"`), labelled("b", `"cloud.google.com/gke-spot":"true"`), labelled("c", `"karpenter.sh/capacity-type":"on-demand"`), node("d", "z1", "4"),
		pod("lone", "a", "", "1", ""), pod("web", "b", "ReplicaSet", "1", "")))
	g, err := question.Choose(c, "capacity", []string{"spot"})
	if err != nil || len(g[0].Nodes) != 2 {
		t.Fatalf("%v, %+v", err, g)
	}
	l := question.Lose(c, constraint.Default(), g[0].Name, g[0].Nodes, question.LoseOptions{})
	text := l.Document()
	if l.Rescheduled != 1 || !strings.HasPrefix(l.Sentence(), "If capacity type spot is gone") || !strings.Contains(text.Text(), "n/lone") || !strings.Contains(text.Text(), "are of the namespace n") {
		t.Errorf("%s", text.Text())
	}
}

// TestWhatConcernsAnAnswer: what is about no pods in particular is not said to concern none.
func TestWhatConcernsAnAnswer(t *testing.T) {
	c := read(t, list(node("a", "z1", "4"), node("b", "z1", "4"), pod("p", "a", "ReplicaSet", "1", `,"resourceClaims":[{"name":"gpu"}]`), pod("q", "b", "ReplicaSet", "1", `,"resourceClaims":[{"name":"gpu"}]`),
		`{"kind":"HorizontalPodAutoscaler","metadata":{"namespace":"n","name":"web"}}`))
	l := question.Lose(c, constraint.Default(), "node a", []int{0}, question.LoseOptions{})
	lines := strings.Join(l.Method.Lines(), "\n")
	for _, want := range []string{"devices of dynamic resource allocation are not counted (2), of which 1 concerns this answer.", "stays as it is in the dump (1).\n"} {
		if !strings.Contains(lines+"\n", want) {
			t.Errorf("no %q in\n%s", want, lines)
		}
	}
}
