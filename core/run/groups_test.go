package run_test

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"parley/core/feed"
	"parley/core/frame"
	"parley/core/kube/dump"
	"parley/core/run"
	"parley/core/testkit/runtest"
	"parley/core/trace"
	"parley/core/trace/kubernetes"
	"parley/core/unit"
)

// TestGroups plays an invented cluster: the layer of each namespace and owner has what the tasks
// of each node request, and the inspector counts the tasks of a node by group, with those of the
// group that wait.
func TestGroups(t *testing.T) {
	var text bytes.Buffer
	if err := dump.Generate(&text, dump.Size{Nodes: 8, Pods: 1200, Seed: 3}); err != nil {
		t.Fatal(err)
	}
	files := []trace.File{{Name: "dump.json", Size: int64(text.Len()), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text.Bytes())), nil }}}
	s := runtest.Parse(t, `{"v":1,"system":"central","until":"25h"}`)
	source, err := feed.Open(s, files, []trace.Format{kubernetes.Format()}, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Open(s, source)
	if err != nil {
		t.Fatal(err)
	}
	runtest.Advance(t, r, 25*unit.Hour)
	groups, layers := source.Names().Groups(), r.Layers()
	var f frame.Frame
	if err := frame.Decode(r.Frame(nil), &f); err != nil {
		t.Fatal(err)
	}
	if len(groups) < 20 || len(f.Layers) != len(layers) {
		t.Fatalf("%d groups, %d layers of %d", len(groups), len(f.Layers), len(layers))
	}
	v, painted, pending := r.View(), 0, 0
	want := make([]map[string][]string, v.Nodes()) // by kind
	for n := range want {
		want[n] = map[string][]string{}
	}
	for k, g := range groups {
		at := len(layers) - len(groups) + k
		if layers[at].ID != g.ID {
			t.Fatalf("the layer of %s is %s", g.ID, layers[at].ID)
		}
		waits := 0
		here := make([]int, v.Nodes())
		largest := make([]float64, v.Nodes())
		sums := make([]unit.Vec, v.Nodes())
		for id := range v.Alive {
			task, _ := v.Task(id)
			if g.OfUser && uint64(task.User) != g.Number || !g.OfUser && task.Key.Job != g.Number {
				continue
			}
			if task.Node == unit.NoNode {
				waits++
				continue
			}
			here[task.Node]++
			for i := range task.Request {
				sums[task.Node][i] += task.Request[i]
				largest[task.Node] = max(largest[task.Node], float64(sums[task.Node][i])/float64(v.Capacity(task.Node)[i]))
			}
		}
		pending += waits
		for n, count := range here {
			cell := byte(0)
			if count > 0 {
				cell = byte(min(max(1, largest[n]*frame.FullScale), 255))
				painted++
			}
			if got := f.Layers[at][n]; got != cell {
				t.Errorf("%s draws node %d as %d, want %d for %d tasks", g.ID, n, got, cell, count)
			}
			if count > 0 {
				words := fmt.Sprintf("%s %d", g.Title, count)
				if waits > 0 {
					words += fmt.Sprintf(" (%d pending)", waits)
				}
				want[n][g.Kind] = append(want[n][g.Kind], words)
			}
		}
	}
	for n := range want {
		node, err := r.Inspect(unit.NodeID(n))
		if err != nil {
			t.Fatal(err)
		}
		for _, fact := range node.Facts {
			words, is := want[n][fact.Name]
			if !is {
				continue
			}
			delete(want[n], fact.Name)
			listed := strings.Split(fact.Value, ", ")
			if len(listed) != min(8, len(words)) {
				t.Errorf("node %d lists %q of %q", n, listed, words)
			}
			for _, text := range listed {
				if !slices.Contains(words, text) {
					t.Errorf("node %d says %q, want %q", n, text, words)
				}
			}
		}
		if len(want[n]) > 0 {
			t.Errorf("node %d says nothing of %v", n, want[n])
		}
	}
	if painted < 100 || pending == 0 {
		t.Errorf("%d cells are painted, %d tasks wait: the test shows too little", painted, pending)
	}
}
