package question_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/plane"
	"parley/core/kube/question"
	"parley/core/unit"
)

// TestWatchDrain: the film of TestDrainTime's drain has its two refusals, ends with it after 50 s, and says that the
// pods of node b were made in the place of those of node a.
func TestWatchDrain(t *testing.T) {
	budget := `{"kind":"PodDisruptionBudget","metadata":{"namespace":"n","name":"web"},"spec":{"maxUnavailable":1,"selector":{"matchLabels":{"app":"web"}}}}`
	c := read(t, list(append(deployed("web", "", "a", "a", "a"), budget, node("a", "z1", "4"), node("b", "z1", "8"))...))
	d := question.Drain(c, constraint.Default(), question.DrainOptions{Nodes: []int{0}})
	d.Time(c, constraint.Default(), question.PlayOptions{})
	w := d.Document("").Watch
	f := w.Film()
	if w.Stops || f.Stop != -1 || f.End() != 50*unit.Second || len(f.Nodes) != 2 || f.Nodes[1].Zone != "z1" {
		t.Errorf("stops %v at %v, ends at %v: %+v", w.Stops, f.Stop, f.End(), f.Nodes)
	}
	kinds := map[plane.Kind]int{}
	for _, s := range f.Events {
		kinds[s.Kind]++
		switch {
		case s.Kind == plane.Bound && (s.From != 0 || s.Node != 1 || !strings.HasPrefix(f.Names[s.Name], "n/web-1-new")):
			t.Errorf("%+v of %s", s, f.Names[s.Name])
		case s.Kind == plane.Refused && !strings.Contains(f.Texts[s.Text], "The disruption budget web needs 2 healthy pods"):
			t.Error(f.Texts[s.Text])
		case s.Pod >= 0 && f.Workloads[s.Of] != "n/web":
			t.Error(f.Workloads)
		}
	}
	if kinds[plane.Refused] != 2 || kinds[plane.Bound] != 3 || kinds[plane.Gone] != 3 || kinds[plane.Emptied] != 1 {
		t.Errorf("%v", kinds)
	}
}

// TestWatchStops: where a play stops, its film says since when and why.
func TestWatchStops(t *testing.T) {
	p := constraint.Default()
	full := read(t, list(append(deployed("web", "", "a", "a", "a"), node("a", "z1", "3"))...))
	kept := read(t, list(append(deployed("web", "", "a"), node("a", "z1", "3"), node("b", "z1", "3"),
		`{"kind":"PodDisruptionBudget","metadata":{"namespace":"n","name":"web"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"web"}}}}`)...))
	lost := question.Lose(full, p, "node a", []int{0}, question.LoseOptions{})
	for _, c := range []struct {
		name   string
		watch  *question.Watch
		at     unit.Time
		reason string
	}{
		{"rollout", question.Rollout(full, p, "n/web", question.RolloutOptions{}).Document().Watch, 0, "The rollout stops. n/web-new-new1 waits: Insufficient cpu."},
		{"upgrade", question.Upgrade(kept, p, question.UpgradeOptions{Nodes: []int{0}}).Document().Watch, 0, "The upgrade stops at a, where the eviction of n/web-1-0 is refused: "},
		{"lose", lost.Document().Watch, unit.Time(lost.Events[len(lost.Events)-1].Seconds) * unit.Second, "3 pods stay pending, most by this: "},
	} {
		f := c.watch.Film()
		if !c.watch.Stops || f.Stop != c.at || !strings.HasPrefix(f.StopReason, c.reason) {
			t.Errorf("%s: stops %v at %v, want %v: %q", c.name, c.watch.Stops, f.Stop, c.at, f.StopReason)
		}
	}
}

// TestWatchAgain: the film is the play of the answer.
func TestWatchAgain(t *testing.T) {
	c := read(t, generated(t, 12, 200))
	l := question.Lose(c, constraint.Default(), "node", []int{1, 2}, question.LoseOptions{})
	f, k := l.Document().Watch.Film(), 0
	for i, s := range f.Events {
		if s.Kind == plane.Stopped {
			continue
		}
		if h := l.Events[k]; h.Seconds != s.At.Seconds() || h.Kind != string(s.Kind) || s.Pod >= 0 && h.Object != f.Names[s.Name] {
			t.Fatalf("shot %d is %+v, the answer has %+v", i, s, h)
		}
		k++
	}
	if k != len(l.Events) || k < 20 {
		t.Errorf("%d facts of %d", k, len(l.Events))
	}
}

// TestWhyHere: each pod of a drain that is played goes to a node with the highest score, or where it was nominated to;
// that score, and what stops the other nodes, are in the answer. A shot that binds no pod has none.
func TestWhyHere(t *testing.T) {
	c := read(t, generated(t, 12, 200))
	d := question.Drain(c, constraint.Default(), question.DrainOptions{DeleteEmptyDir: true, Force: true})
	d.Time(c, constraint.Default(), question.PlayOptions{})
	w := d.Document("").Watch
	f, seen := w.Film(), 0
	for i, s := range f.Events {
		if s.Kind != plane.Bound && i > 40 {
			continue
		}
		p := w.Reason(i)
		if p == nil != (s.Kind != plane.Bound) {
			t.Fatalf("shot %d, %s: %+v", i, s.Kind, p)
		}
		if p == nil {
			continue
		}
		if seen++; seen > 60 {
			break
		}
		if p.Pod != f.Names[s.Name] || p.Node != f.Nodes[s.Node].Name || p.Nodes[p.Place] != p.Node {
			t.Errorf("shot %d is %s to %s: %+v", i, f.Names[s.Name], f.Nodes[s.Node].Name, p)
		}
		if !p.Nominated && p.Feasible[p.Place].Total != p.Feasible[0].Total || len(p.Feasible)+p.InfeasibleNodes != 12 {
			t.Errorf("shot %d: %+v", i, p)
		}
		doc := question.WhyHere(p)
		if !strings.Contains(doc.Sentence, p.Node) || len(doc.Grids[0].Rows) == 0 || p.InfeasibleNodes > 0 && len(p.Feasible) > 1 && !strings.Contains(doc.Sentence, "The others: ") {
			t.Errorf("shot %d: %+v", i, doc)
		}
	}
	if seen < 20 {
		t.Errorf("%d pods were bound", seen)
	}
}

// TestWhyHereWords: of two nodes that take a pod, the one with more room has the higher score; one that has no room is
// named with its reason.
func TestWhyHereWords(t *testing.T) {
	c := read(t, list(append(deployed("web", "", "a"), node("a", "z1", "4"), node("b", "z1", "4"), node("c", "z1", "8"), node("d", "z1", "0"))...))
	d := question.Drain(c, constraint.Default(), question.DrainOptions{Nodes: []int{0}})
	d.Time(c, constraint.Default(), question.PlayOptions{})
	w := d.Document("").Watch
	at := slices.IndexFunc(w.Film().Events, func(s plane.RecordedEvent) bool { return s.Kind == plane.Bound })
	got := question.WhyHere(w.Reason(at)).Sentence
	for _, want := range []string{"2 of 4 nodes take n/web-1-new1. c has the highest score, ", " The others: 1 Insufficient cpu, 1 node(s) were unschedulable."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q has no %q", got, want)
		}
	}
}

// TestLongDrains: drains that take more than a day come to their end.
func TestLongDrains(t *testing.T) {
	var items []string
	for i := range 20 {
		name := fmt.Sprintf("n%d", i)
		items = append(items, node(name, "z1", "8"))
		for _, o := range deployed("web"+name, "", name) {
			items = append(items, strings.ReplaceAll(o, `"terminationGracePeriodSeconds":30`, `"terminationGracePeriodSeconds":18000`))
		}
	}
	c := read(t, list(append(items, node("last", "z1", "100"))...))
	nodes := make([]int, 20)
	for i := range nodes {
		nodes[i] = i
	}
	d := question.Drain(c, constraint.Default(), question.DrainOptions{Nodes: nodes})
	d.Time(c, constraint.Default(), question.PlayOptions{Plays: 1})
	if d.Seconds == nil || d.Seconds.Middle != 18000*float64(d.Emptied) || d.Emptied < 6 {
		t.Errorf("%d emptied in %+v: %s", d.Emptied, d.Seconds, d.Document("").Sentence)
	}
}
