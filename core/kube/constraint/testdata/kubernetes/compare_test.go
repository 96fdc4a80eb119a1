package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/dump"
	"parley/core/testkit/cases"
	"parley/core/trace"
)

// read reads a dump as Parley does.
func read(t *testing.T, text []byte) *kube.Cluster {
	t.Helper()
	c, err := dump.Read([]trace.File{{Name: "dump.json", Size: int64(len(text)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// differences returns what differs between the scheduler's answers about a dump and Parley's.
func differences(c *kube.Cluster, p *constraint.Profile, answers []Answer) (out []string, compared int) {
	s := constraint.New(c, p)
	pods := map[string]int{}
	for i := range c.Pods {
		pods[c.Pods[i].Full()] = i
	}
	nodes := map[string]int{}
	for i := range c.Nodes {
		nodes[c.Nodes[i].Name] = i
	}
	for _, a := range answers {
		pod := pods[a.Pod]
		if a.Err != "" || a.Gates != nil {
			if a.Gates != nil && !s.Filter(pod).Gated {
				out = append(out, a.Pod+": gates are not seen")
			}
			continue // another scheduler's pod
		}
		compared++
		say := func(format string, args ...any) { out = append(out, a.Pod+": "+fmt.Sprintf(format, args...)) }
		v := s.Filter(pod)
		if v.Stop != a.PreFilter {
			say("stopped by %q, want %q", v.Stop, a.PreFilter)
			continue
		}
		for _, on := range a.Nodes {
			if got, want := text(v.Reasons[nodes[on.Node]]), first(on); got != want {
				say("on %s: %q, want %q", on.Node, got, want)
			}
		}
		if len(v.Nodes) > 0 && a.Feasible == len(v.Nodes) {
			out = append(out, scores(s, p, a, pod, v.Nodes, nodes)...)
			continue
		}
		at, victims := s.Preempt(pod, v, 0)
		if got := v.Message(); got != a.Message {
			say("message\n got %s\nwant %s", got, a.Message)
		}
		out = append(out, preempted(c, s, a, pod, at, victims)...)
	}
	return out, compared
}

// text writes a reason as first does.
func text(r *constraint.Reason) string {
	if r == nil {
		return ""
	}
	code := "Unschedulable"
	if r.Final {
		code = "UnschedulableAndUnresolvable"
	}
	return r.Plugin + " " + code + ": " + listed(r.Texts)
}

// listed writes reasons in their order; the scheduler lists resources by the order of a Go
// map, which is none.
func listed(reasons []string) string {
	return strings.Join(slices.Sorted(slices.Values(reasons)), ", ")
}

// first returns the verdict of the first plugin that a node does not pass.
func first(on OnNode) string {
	if on.Skipped {
		return "NodeAffinity UnschedulableAndUnresolvable: node(s) didn't satisfy plugin(s) [NodeAffinity]"
	}
	for _, f := range on.Filters {
		if f.Code != "Success" {
			return f.Plugin + " " + f.Code + ": " + listed(f.Reasons)
		}
	}
	return ""
}

// scores compares the scores of each enabled plugin, normalised, and their weighted sum.
func scores(s *constraint.State, p *constraint.Profile, a Answer, pod int, fit []int, nodes map[string]int) (out []string) {
	got := s.Score(pod, fit)
	for _, on := range a.Nodes {
		i := slices.IndexFunc(got, func(g constraint.NodeScore) bool { return g.Node == nodes[on.Node] })
		if i < 0 {
			continue
		}
		theirs := map[string]int64{}
		for _, x := range on.Scores {
			theirs[x.Plugin] = x.Normalised
		}
		for k, w := range p.Scores {
			want, said := theirs[w.Plugin]
			if ours := got[i].Parts[k]; max(ours, 0) != want {
				out = append(out, fmt.Sprintf("%s on %s: %s scores %d, want %d (%v)", a.Pod, on.Node, w.Plugin, ours, want, said))
			}
		}
		if got[i].Total != on.Total {
			out = append(out, fmt.Sprintf("%s on %s: sum %d, want %d", a.Pod, on.Node, got[i].Total, on.Total))
		}
	}
	return out
}

// preempted compares the node and the victims of preemption. Where the scheduler draws between
// nodes that are alike, any of its candidates with the same victims' importance will do.
func preempted(c *kube.Cluster, s *constraint.State, a Answer, pod, at int, victims []int) []string {
	if (at == kube.Nowhere) != (a.Nominated == "") {
		return []string{fmt.Sprintf("%s: preempts on %d, want %q (%v)", a.Pod, at, a.Nominated, a.Candidates)}
	}
	if at == kube.Nowhere {
		return nil
	}
	i := slices.IndexFunc(a.Candidates, func(x Candidate) bool { return x.Node == c.Nodes[at].Name })
	if i < 0 {
		return []string{fmt.Sprintf("%s: preempts on %s, which is no candidate of %v", a.Pod, c.Nodes[at].Name, a.Candidates)}
	}
	var names []string
	for _, v := range victims {
		names = append(names, c.Pods[v].Full())
	}
	slices.Sort(names)
	want := slices.Sorted(slices.Values(a.Candidates[i].Victims))
	if !slices.Equal(names, want) {
		return []string{fmt.Sprintf("%s on %s: preempts %v, want %v", a.Pod, c.Nodes[at].Name, names, want)}
	}
	if best := slices.IndexFunc(a.Candidates, func(x Candidate) bool { return x.Node == a.Nominated }); best >= 0 && (a.Candidates[best].Violations != a.Candidates[i].Violations || len(a.Candidates[best].Victims) != len(a.Candidates[i].Victims)) {
		return []string{fmt.Sprintf("%s: preempts on %s, want %s (%v)", a.Pod, c.Nodes[at].Name, a.Nominated, a.Candidates)}
	}
	return nil
}

// TestCases compares Parley's filters, reasons, messages, preemption and scores with the
// scheduler's, case by case.
func TestCases(t *testing.T) {
	n, pods, nodes, bad := count(), 0, 0, 0
	for seed, answers := range ask(t, n, cases.Dump, nil) {
		c := read(t, cases.Dump(uint64(seed)))
		out, compared := differences(c, constraint.Default(), answers)
		pods += compared
		nodes += compared * len(c.Nodes)
		if len(out) > 0 {
			if bad++; bad <= 30 {
				t.Errorf("case %d:\n%s", seed, strings.Join(out, "\n"))
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d of %d cases differ", bad, n)
	}
	t.Logf("k8s.io/kubernetes %s: %d cases, %d pending pods, %d pairs of pod and node; %d cases differ", version(), n, pods, nodes, bad)
}

// TestConfigurations compares the same under configurations of the scheduler: weights,
// strategies, shapes, plugins that are off, spread defaults, enforced affinity.
func TestConfigurations(t *testing.T) {
	n, pods, bad := count()/4, 0, 0
	for seed, answers := range ask(t, n, cases.Dump, cases.Configuration) {
		all, err := dump.Profiles("configuration", cases.Configuration(uint64(seed)))
		if err != nil {
			t.Fatal(err)
		}
		out, compared := differences(read(t, cases.Dump(uint64(seed))), all[0], answers)
		pods += compared
		if len(out) > 0 {
			if bad++; bad <= 20 {
				t.Errorf("case %d with %s:\n%s", seed, cases.Configuration(uint64(seed)), strings.Join(out, "\n"))
			}
		}
	}
	t.Logf("k8s.io/kubernetes %s: %d configurations, %d pending pods; %d differ", version(), n, pods, bad)
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, d := range info.Deps {
		if d.Path == "k8s.io/kubernetes" {
			return d.Version
		}
	}
	return "?"
}

// TestDumps compares the answers about the public dumps of a folder: as they are, and each
// bound pod as if it were pending.
func TestDumps(t *testing.T) {
	folder := os.Getenv("DUMPS")
	if folder == "" {
		t.Skip("DUMPS names no folder with dumps (*.json, lists of nodes, pods and more)")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no dumps in ", folder)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pods := 0
		for _, one := range loosened(t, text) {
			answers, err := Answers(one, nil)
			if err != nil {
				t.Fatal(err)
			}
			out, n := differences(read(t, one), constraint.Default(), answers)
			pods += n
			for _, line := range out {
				t.Errorf("%s: %s", file, line)
			}
		}
		t.Logf("%s: %d pods compared", file, pods)
	}
}

// loosened returns a dump, and copies in which some bound pods have no node.
func loosened(t *testing.T, text []byte) [][]byte {
	t.Helper()
	out := [][]byte{text}
	for i := range 5 {
		var list map[string]any
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatal(err)
		}
		draws := rand.New(rand.NewPCG(uint64(i), 1))
		for _, item := range list["items"].([]any) {
			object := item.(map[string]any)
			spec, _ := object["spec"].(map[string]any)
			if spec["containers"] != nil && draws.IntN(5) == 0 {
				delete(spec, "nodeName")
			}
		}
		one, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, one)
	}
	return out
}
