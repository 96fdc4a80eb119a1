package question_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/dump"
	"parley/core/kube/plane"
	"parley/core/kube/question"
	"parley/core/testkit/cases"
	"parley/core/trace"
)

// all asks every question of a cluster that needs no other file.
func all(t *testing.T, c *kube.Cluster) map[string]any {
	t.Helper()
	p := constraint.Default()
	out := map[string]any{
		"drain": question.Drain(c, p, question.DrainOptions{}), "drain, force": question.Drain(c, p, question.DrainOptions{DeleteEmptyDir: true, Force: true, ControlPlane: true}),
		"mix": question.FitMix(c, p, 3, question.FitOptions{MaxCopies: 200}), "grow": question.Grow(c, p, question.GrowOptions{MaxNodes: 20}), "pending": question.Pending(c, p, 1), "blockers": question.Blockers(c),
		"score":   question.Score(c, []question.Configured{{Name: "a", Profile: p}, {Name: "b", Profile: question.Builtin("most-allocated")}}, question.ScoreOptions{Orders: 2, ZoneLoss: true}),
		"summary": question.Summarise(c),
	}
	for _, by := range []string{"node", "zone", "type", "capacity"} {
		for i, g := range question.Groups(c, by) {
			for _, notReady := range []bool{false, true} {
				out[fmt.Sprintf("lose %s %d, not ready %v", by, i, notReady)] = question.Lose(c, p, g.Name, g.Nodes, question.LoseOptions{NotReady: notReady, PlayOptions: question.PlayOptions{Plays: 2}})
			}
		}
	}
	for _, by := range []string{"namespace", "owner"} {
		r, err := question.Requests(c, by, kube.Nowhere)
		if err != nil {
			t.Fatal(err)
		}
		out["requests by "+by] = r
	}
	fit := func(of, name string) {
		if like := plane.Model(c, name); like != nil {
			out["fit "+of] = question.Fit(c, p, name, *like, question.FitOptions{MaxCopies: 50})
		}
	}
	for i := range c.Pods {
		if i%(1+len(c.Pods)/20) == 0 {
			fit(fmt.Sprint("pod ", i), c.Pods[i].Full())
		}
	}
	for i := range c.Workloads {
		fit(fmt.Sprint("workload ", i), c.Workloads[i].Namespace+"/"+c.Workloads[i].Name)
	}
	return out
}

// alike compares two answers: the same numbers in the same places, and one and the same other
// text for each text.
type alike struct {
	there, back map[string]string
	wrong       []string
}

// taints are named in reasons. Of two that stop equally many nodes, the first by name comes first,
// and words that Kubernetes defines stay among names that do not.
var taints = regexp.MustCompile(`taint \{[^}]*\}`)

func isText(v any) bool { _, is := v.(string); return is }

func (a *alike) compare(at string, x, y any) {
	switch x := x.(type) {
	case map[string]any:
		other, is := y.(map[string]any)
		if !is || len(x) != len(other) {
			a.wrong = append(a.wrong, fmt.Sprintf("%s: %v and %v", at, x, y))
			return
		}
		leaf := true
		for _, v := range x {
			list, is := v.([]any)
			_, nested := v.(map[string]any)
			leaf = leaf && !nested && !(is && len(list) > 0 && !isText(list[0]))
		}
		tied := leaf && taints.MatchString(fmt.Sprint(x))
		for name, v := range x {
			if text, is := v.(string); tied && is && !strings.Contains(text, " ") { // the row may be that of the other taint
				continue
			}
			a.compare(at+"."+name, v, other[name])
		}
	case []any:
		other, is := y.([]any)
		if !is || len(x) != len(other) {
			a.wrong = append(a.wrong, fmt.Sprintf("%s: %v and %v", at, x, y))
			return
		}
		for i := range x {
			a.compare(fmt.Sprintf("%s[%d]", at, i), x[i], other[i])
		}
	case string:
		other, is := y.(string)
		x, other = taints.ReplaceAllString(x, "taint"), taints.ReplaceAllString(other, "taint")
		if before, known := a.there[x]; !is || known && before != other {
			a.wrong = append(a.wrong, fmt.Sprintf("%s: %q is %q and was %q", at, x, y, before))
		}
		if before, known := a.back[other]; known && before != x {
			a.wrong = append(a.wrong, fmt.Sprintf("%s: %q stands for %q and for %q", at, other, before, x))
		}
		a.there[x], a.back[other] = other, x
	default:
		if x != y {
			a.wrong = append(a.wrong, fmt.Sprintf("%s: %v and %v", at, x, y))
		}
	}
}

func decoded(t *testing.T, v any) (out any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// samePseudonymised fails unless a dump and the same dump with other names have the same answers.
func samePseudonymised(t *testing.T, subject string, content []byte) {
	t.Helper()
	var other bytes.Buffer
	file := trace.File{Name: "dump.json", Size: int64(len(content)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }}
	if err := dump.Pseudonymise(&other, []trace.File{file}, subject, nil); err != nil {
		t.Fatal(subject, err)
	}
	before, after := all(t, read(t, content)), all(t, read(t, other.Bytes()))
	a := &alike{there: map[string]string{}, back: map[string]string{}}
	if len(before) != len(after) {
		t.Errorf("%s: %d answers and %d", subject, len(before), len(after))
	}
	for name, answer := range before {
		if after[name] == nil {
			t.Errorf("%s: no answer to %s", subject, name)
			continue
		}
		a.compare(name, decoded(t, answer), decoded(t, after[name]))
	}
	if len(a.wrong) > 0 {
		t.Errorf("%s: %d differences:\n%s", subject, len(a.wrong), strings.Join(a.wrong[:min(len(a.wrong), 5)], "\n"))
	}
}

// TestPseudonymsAnswerAlike: every question has the same answer about a dump with other names,
// also where the order of names decides, or where a name is made of others.
func TestPseudonymsAnswerAlike(t *testing.T) {
	for seed := range clusters() / 6 {
		samePseudonymised(t, fmt.Sprint("movable ", seed), cases.Movable(seed))
		samePseudonymised(t, fmt.Sprint("case ", seed), cases.Dump(seed))
	}
	for _, size := range []dump.Size{{Nodes: 5, Pods: 60, Seed: 1}, {Nodes: 9, Pods: 120, Seed: 2}} {
		var out bytes.Buffer
		if err := dump.Generate(&out, size); err != nil {
			t.Fatal(err)
		}
		samePseudonymised(t, fmt.Sprint("generated ", size.Seed), out.Bytes())
	}

	limited := func(p string) string {
		return strings.Replace(p, `"requests":{`, `"limits":{"cpu":"3","memory":"1Gi"},"requests":{`, 1)
	}
	inSystem := func(o string) string { return strings.Replace(o, `"namespace":"n"`, `"namespace":"kube-system"`, 1) }
	set := func(revision, more string) string {
		return strings.Replace(maker("StatefulSet", "statefulset", "2", "", more), `"spec":{"template"`, `"status":{"updateRevision":"`+revision+`"},"spec":{"template"`, 1)
	}
	labelled := func(p, label, value string) string {
		return strings.Replace(p, `"app":"web"`, fmt.Sprintf(`"app":"web",%q:%q`, label, value), 1)
	}
	ours := `,"ownerReferences":[{"kind":"Deployment","name":"web","uid":"u","controller":true}],"annotations":{"deployment.kubernetes.io/revision":"%d"}`
	nodes := []string{node("node-10.b", "z-b", "8"), node("node-9", "z-a", "8"), node("node", "z-b", "8"), node("a-node", "z-a", "8")}
	mount := `,"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":%q}}]`
	template := `,"volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{"storageClassName":"fast","accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}]`
	class := `{"kind":"StorageClass","metadata":{"name":"fast"},"provisioner":"d","volumeBindingMode":"WaitForFirstConsumer"}`
	csi := `{"kind":"CSINode","metadata":{"name":"node-9"},"spec":{"drivers":[{"name":"d","nodeID":"i","allocatable":{"count":2}}]}}`
	for subject, items := range map[string][]string{
		"limits":       {limited(pod("web-1", "node-9", "ReplicaSet", "1", "")), limited(pod("web-2", "", "ReplicaSet", "2", ""))},
		"limits alone": {strings.Replace(pod("web-1", "node-9", "ReplicaSet", "1", ""), `"requests":{`, `"limits":{`, 1)},
		"revisions of a set": {
			set("set-new", ""), labelled(pod("statefulset-0", "node-9", "StatefulSet", "4", ""), "controller-revision-hash", "set-old"), labelled(pod("statefulset-1", "node", "StatefulSet", "3", ""), "controller-revision-hash", "set-new"),
		},
		"revisions of a Deployment": {
			strings.Replace(pod("x", "node-9", "ReplicaSet", "1", ""), `"name":"replicaset"`, `"name":"web-b"`, 1),
			maker("ReplicaSet", "web-b", "1", fmt.Sprintf(ours, 9), ""), maker("ReplicaSet", "web-a", "2", fmt.Sprintf(ours, 10), ""), maker("Deployment", "web", "2", "", `,"replicas":0`),
		},
		"a ReplicaSet without its Deployment": {strings.Replace(pod("web-6d4-x", "node-9", "ReplicaSet", "1", ""), `"name":"replicaset"`, `"name":"web-6d4"`, 1), pod("web-y", "node", "ReplicaSet", "1", "")},
		"templates of claims":                 {class, csi, volume("pv", "z-a"), set("r", template), claim("data-statefulset-0", "fast", "pv", "ReadWriteOnce"), pod("statefulset-0", "node-9", "StatefulSet", "1", fmt.Sprintf(mount, "data-statefulset-0"))},
		"a claim that a set's pod has":        {class, csi, volume("pv", "z-a"), claim("data-statefulset-0", "fast", "pv", "ReadWriteOnce"), pod("statefulset-0", "node-9", "StatefulSet", "1", fmt.Sprintf(mount, "data-statefulset-0"))},
		"a shared claim":                      {class, volume("pv", "z-a"), claim("data", "fast", "pv", "ReadWriteOnce"), pod("p", "node-9", "ReplicaSet", "1", fmt.Sprintf(mount, "data"))},
		"a claim named by identifiers": {
			class, volume("pvc-0a1b2c3d-0000-1111-2222-333344445555", "z-a"), claim("data-0a1b2c3d-0000-1111-2222-333344445555", "fast", "pvc-0a1b2c3d-0000-1111-2222-333344445555", "ReadWriteOnce"),
			pod("0a1b2c3d-0000-1111-2222-333344445555", "node-9", "StatefulSet", "1", fmt.Sprintf(mount, "data-0a1b2c3d-0000-1111-2222-333344445555")),
		},
		"the system's namespace": {inSystem(pod("dns-1", "node-9", "ReplicaSet", "1", "")), inSystem(pod("dns-2", "node", "ReplicaSet", "1", "")), `{"kind":"Namespace","metadata":{"name":"kube-system"}}`},
		"no namespace":           {strings.Replace(pod("p", "node-9", "ReplicaSet", "1", ""), `"namespace":"n",`, ``, 1), strings.Replace(pod("q", "node", "ReplicaSet", "1", spread), `"namespace":"n"`, `"namespace":"default"`, 1)},
		"pods of one size":       {pod("p-10", "node-9", "ReplicaSet", "3", ""), pod("p-9", "node", "ReplicaSet", "3", ""), pod("p", "a-node", "ReplicaSet", "3", ""), pod("p.a", "node-10.b", "ReplicaSet", "3", ""), pod("p-9-x", "", "ReplicaSet", "7", "")},
	} {
		samePseudonymised(t, subject, list(append(items, nodes...)...))
	}
}
