package dump_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/dump"
	"parley/core/trace"
)

func generated(t *testing.T, size dump.Size) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := dump.Generate(&out, size); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func read(t *testing.T, name string, content []byte) *kube.Cluster {
	t.Helper()
	c, err := dump.Read([]trace.File{file(name, content)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestGenerate holds an invented dump to what its command promises: the same bytes for the same
// numbers, as many nodes and pods as asked for, nothing that is not modelled, and every pod
// that is bound on a node that takes it.
func TestGenerate(t *testing.T) {
	size := dump.Size{Nodes: 12, Pods: 300, Seed: 7}
	text := generated(t, size)
	if !bytes.Equal(text, generated(t, size)) {
		t.Error("the same size gives other bytes")
	}
	c := read(t, "generated.json", text)
	if len(c.Nodes) != 12 || len(c.Pods) != 300 || len(c.Unmodelled) > 0 {
		t.Errorf("%d nodes, %d pods, not modelled: %v", len(c.Nodes), len(c.Pods), c.Unmodelled)
	}
	s := constraint.New(c, constraint.Default())
	bound := 0
	for pod := range c.Pods {
		at := s.NodeOf(pod)
		if at == kube.Nowhere {
			continue
		}
		bound++
		s.Unbind(pod)
		if r := s.Reason(pod, at); r != nil && r.Plugin != constraint.PodTopologySpread {
			t.Errorf("%s is on %s: %s", c.Pods[pod].Full(), c.Nodes[at].Name, r.Texts)
		}
		s.Bind(pod, at)
	}
	if bound < 250 {
		t.Errorf("only %d pods are bound", bound)
	}
}

// TestPseudonymise holds the other names to the same answers, and looks for names of the dump
// in what is written.
func TestPseudonymise(t *testing.T) {
	for name, content := range map[string][]byte{"broken_test.go": []byte(whole), "generated": generated(t, dump.Size{Nodes: 9, Pods: 200, Seed: 3})} {
		before := read(t, name, content)
		var out bytes.Buffer
		if err := dump.Pseudonymise(&out, []trace.File{file(name, content)}, "secret", nil); err != nil {
			t.Fatal(err)
		}
		for _, p := range before.Pods {
			if strings.Contains(out.String(), p.Name) && len(p.Name) > 4 {
				t.Errorf("%s: the name %s is still there", name, p.Name)
			}
		}
		for _, left := range []string{"team-", "app-0", "example.com/config", "SETTING", "registry.example.com", "managedFields"} {
			if strings.Contains(out.String(), left) {
				t.Errorf("%s: %q is still there", name, left)
			}
		}
		if len(content) > 100_000 && out.Len() > len(content)/3 {
			t.Errorf("%s of %d bytes has still %d", name, len(content), out.Len())
		}
		after := read(t, "pseudonymised", out.Bytes())
		if a, b := answers(before), answers(after); a != b {
			t.Errorf("%s: the answers differ:\n%s\nand\n%s", name, a, b)
		}
	}
}

// answers returns verdicts on all pods, with numbers in place of names.
func answers(c *kube.Cluster) string {
	var out strings.Builder
	s, b := constraint.New(c, constraint.Default()), constraint.NewBudgets(c)
	for pod := range c.Pods {
		v := s.Filter(pod)
		at := s.NodeOf(pod)
		s.Unbind(pod)
		scores := s.Score(pod, v.Nodes)
		if at != kube.Nowhere {
			s.Bind(pod, at)
		}
		fmt.Fprintln(&out, v.Nodes, scores, c.Pods[pod].Spec.Requests, b.Of(pod), b.Evict(pod) != nil)
		for node, r := range v.Reasons {
			if r != nil {
				fmt.Fprint(&out, node, r.Plugin, " ")
			}
		}
	}
	for i := range c.Workloads {
		fmt.Fprintln(&out, c.Workloads[i].Kind, c.Workloads[i].Replicas)
	}
	for i := range c.Nodes {
		fmt.Fprintln(&out, c.Nodes[i].Allocatable, c.Nodes[i].InstanceType(), c.Nodes[i].Ready)
	}
	return out.String()
}

// TestPseudonymsKeepDeployments: a dump of pods alone still tells which of them are of one Deployment, by the hash that
// ends the name of their ReplicaSet, and which ReplicaSets have none.
func TestPseudonymsKeepDeployments(t *testing.T) {
	pod := func(set, labels string) string {
		return fmt.Sprintf(`{"kind":"Pod","metadata":{"namespace":"n","name":"%s-x","labels":{%s},"ownerReferences":[{"kind":"ReplicaSet","name":%q,"controller":true}]},"spec":{"containers":[{"name":"c"}]}}`, set, labels, set)
	}
	content := `{"kind":"List","items":[` + strings.Join([]string{
		pod("web-shop-7d9f8c", `"pod-template-hash":"7d9f8c"`), pod("web-shop-66aabb", `"pod-template-hash":"66aabb"`),
		pod("blue-7d9f8c", `"rollouts-pod-template-hash":"7d9f8c"`), pod("rs-p1", ""), pod("rs-p2", ""),
	}, ",") + `]}`
	var out bytes.Buffer
	if err := dump.Pseudonymise(&out, []trace.File{file("pods", []byte(content))}, "secret", nil); err != nil {
		t.Fatal(err)
	}
	c := read(t, "pseudonymised", out.Bytes())
	keep, kinds, all := kube.NewOwners(c), []string{}, map[kube.Owner]bool{}
	for i := range c.Pods {
		own := keep.Of(&c.Pods[i])
		kinds, all[own] = append(kinds, own.Kind), true
	}
	if want := "[Deployment Deployment Deployment ReplicaSet ReplicaSet]"; fmt.Sprint(kinds) != want || len(all) != 4 {
		t.Errorf("owners %v: %v, want %s of 4 workloads", all, kinds, want)
	}
}

// TestPseudonymsNeedTheSecret: another secret gives other names.
func TestPseudonymsNeedTheSecret(t *testing.T) {
	var a, b bytes.Buffer
	for secret, out := range map[string]*bytes.Buffer{"one": &a, "two": &b} {
		if err := dump.Pseudonymise(out, []trace.File{file("f", []byte(whole))}, secret, nil); err != nil {
			t.Fatal(err)
		}
	}
	if a.String() == b.String() {
		t.Error("two secrets give the same names")
	}
}
