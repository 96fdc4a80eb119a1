package constraint_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"sigs.k8s.io/yaml"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/dump"
	"parley/core/testkit/scripttest"
	"parley/core/trace"
)

// TestScripts runs testdata/*.txt. A command's input is a small cluster, a line an object:
//
//	node NAME {labels: …, taints: …, allocatable: …, unschedulable: true}
//	pod NAME NODE {labels: …, namespace: …, deleted: true, ready: true, started: 5, and fields of its spec}
//	try NAME {…}                  a pod that is not bound
//	Kind [NAMESPACE/]NAME {…}     any other object
//
// Fields are YAML in one line. The commands are
//
//	filter    the nodes that take the pod of try, then the scheduler's message, or the reasons
//	          by node with reasons
//	score     the scores of the nodes that take it
//	preempt   on which node which pods would be preempted, or the message
//	evict     each of the names given as evict=(a,b), in turn
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		return func(t *testing.T, d *datadriven.TestData) string {
			command, ok := map[string]scripttest.Commands{"filter": filter, "score": scores, "preempt": preempt, "evict": evict}[d.Cmd]
			if !ok {
				d.Fatalf(t, "unknown command %q", d.Cmd)
			}
			return command(t, d)
		}
	})
}

// cluster reads a command's input; pod is the place of the last pod of try, -1 if there is
// none.
func cluster(t *testing.T, d *datadriven.TestData) (c *kube.Cluster, pod int) {
	t.Helper()
	var items []any
	tried := ""
	for line := range strings.Lines(d.Input) {
		head, fields := strings.TrimSpace(line), map[string]any{}
		if at := strings.IndexByte(line, '{'); at >= 0 {
			head = strings.TrimSpace(line[:at])
			if err := yaml.Unmarshal([]byte(line[at:]), &fields); err != nil {
				d.Fatalf(t, "%q: %v", line, err)
			}
		}
		words := strings.Fields(head)
		if len(words) < 2 {
			d.Fatalf(t, "%q names no object", line)
		}
		switch words[0] {
		case "node":
			items = append(items, nodeObject(words[1], fields))
		case "pod":
			items = append(items, podObject(words[1], words[2], fields))
		case "try":
			tried = words[1]
			items = append(items, podObject(words[1], "", fields))
		default:
			namespace, name, in := strings.Cut(words[1], "/")
			if !in {
				namespace, name = "", namespace
			}
			meta := map[string]any{"name": name, "namespace": namespace}
			for _, own := range []string{"annotations", "labels", "generation"} {
				if v, has := fields[own]; has {
					meta[own] = v
					delete(fields, own)
				}
			}
			fields["kind"], fields["metadata"] = words[0], meta
			items = append(items, fields)
		}
	}
	text, err := json.Marshal(map[string]any{"kind": "List", "items": items})
	if err != nil {
		t.Fatal(err)
	}
	c, err = dump.Read([]trace.File{{Name: d.Pos, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	pod = -1
	for i := range c.Pods {
		if c.Pods[i].Name == tried {
			pod = i
		}
	}
	return c, pod
}

func nodeObject(name string, fields map[string]any) any {
	allocatable := map[string]any{"cpu": "100", "memory": "100Gi", "pods": "110"}
	if own, has := fields["allocatable"].(map[string]any); has {
		for k, v := range own {
			allocatable[k] = v
		}
	}
	return map[string]any{
		"kind": "Node", "metadata": map[string]any{"name": name, "labels": fields["labels"]},
		"spec":   map[string]any{"taints": fields["taints"], "unschedulable": fields["unschedulable"]},
		"status": map[string]any{"allocatable": allocatable, "images": fields["images"]},
	}
}

func podObject(name, node string, fields map[string]any) any {
	meta := map[string]any{"name": name, "namespace": "default", "labels": fields["labels"], "ownerReferences": fields["owners"]}
	if ns, has := fields["namespace"]; has {
		meta["namespace"] = ns
	}
	status := map[string]any{"phase": "Running"}
	if node == "" {
		status["phase"] = "Pending"
	}
	if fields["deleted"] == true {
		meta["deletionTimestamp"] = "2026-01-01T00:00:00Z"
	}
	if s, has := fields["started"]; has {
		status["startTime"] = fmt.Sprintf("2026-01-01T00:00:%02vZ", s)
	}
	if fields["ready"] == true {
		status["conditions"] = []any{map[string]any{"type": "Ready", "status": "True"}}
	}
	spec := map[string]any{"nodeName": node, "containers": []any{map[string]any{"name": "c", "resources": map[string]any{"requests": fields["requests"]}, "ports": fields["ports"], "image": fields["image"]}}}
	for k, v := range fields {
		switch k {
		case "labels", "namespace", "deleted", "ready", "started", "requests", "ports", "owners", "image":
		default:
			spec[k] = v
		}
	}
	return map[string]any{"kind": "Pod", "metadata": meta, "spec": spec, "status": status}
}

func filter(t *testing.T, d *datadriven.TestData) string {
	c, pod := cluster(t, d)
	s := constraint.New(c, constraint.Default())
	v := s.Filter(pod)
	var names []string
	for _, at := range v.Nodes {
		names = append(names, c.Nodes[at].Name)
	}
	out := strings.Join(names, " ") + "\n"
	if len(names) == 0 {
		s.Preempt(pod, v, 0)
		out = v.Message() + "\n"
	}
	if d.HasArg("reasons") {
		for at, r := range v.Reasons {
			if r != nil {
				out += fmt.Sprintf("%s: %s: %s\n", c.Nodes[at].Name, r.Plugin, strings.Join(r.Texts, ", "))
			}
		}
	}
	return out
}

func scores(t *testing.T, d *datadriven.TestData) string {
	c, pod := cluster(t, d)
	p := constraint.Default()
	s := constraint.New(c, p)
	out := ""
	for _, n := range s.Score(pod, s.Filter(pod).Nodes) {
		out += fmt.Sprintf("%s: %d =", c.Nodes[n.Node].Name, n.Total)
		for k, part := range n.Parts {
			if part >= 0 {
				out += fmt.Sprintf(" %s %d·%d", p.Scores[k].Plugin, p.Scores[k].Weight, part)
			}
		}
		out += "\n"
	}
	return out
}

func preempt(t *testing.T, d *datadriven.TestData) string {
	c, pod := cluster(t, d)
	s := constraint.New(c, constraint.Default())
	v := s.Filter(pod)
	at, victims := s.Preempt(pod, v, 0)
	if at == kube.Nowhere {
		return v.Message() + "\n"
	}
	out := c.Nodes[at].Name + ":"
	for _, victim := range victims {
		out += " " + c.Pods[victim].Name
	}
	return out + "\n"
}

func evict(t *testing.T, d *datadriven.TestData) string {
	c, _ := cluster(t, d)
	b := constraint.NewBudgets(c)
	out := ""
	for i := range c.Budgets {
		out += fmt.Sprintf("%s allows %d\n", c.Budgets[i].Name, b.Allowed(i))
	}
	for _, arg := range d.CmdArgs {
		if arg.Key != "evict" {
			continue
		}
		for _, name := range arg.Vals {
			for i := range c.Pods {
				if c.Pods[i].Name != name {
					continue
				}
				if r := b.Evict(i); r != nil {
					out += fmt.Sprintf("%s: %s\n", name, r.Text)
				} else {
					out += name + ": evicted\n"
				}
			}
		}
	}
	return out
}
