package question_test

import (
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
	for _, s := range f.Shots {
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
		name  string
		watch *question.Watch
		at    unit.Time
		why   string
	}{
		{"rollout", question.Rollout(full, p, "n/web", question.RolloutOptions{}).Document().Watch, 0, "The rollout stops. n/web-new-new1 waits: Insufficient cpu."},
		{"upgrade", question.Upgrade(kept, p, question.UpgradeOptions{Nodes: []int{0}}).Document().Watch, 0, "The upgrade stops at a, where the eviction of n/web-1-0 is refused: "},
		{"lose", lost.Document().Watch, unit.Time(lost.Happens[len(lost.Happens)-1].Seconds) * unit.Second, "3 pods stay pending, most by this: "},
	} {
		f := c.watch.Film()
		if !c.watch.Stops || f.Stop != c.at || !strings.HasPrefix(f.Why, c.why) {
			t.Errorf("%s: stops %v at %v, want %v: %q", c.name, c.watch.Stops, f.Stop, c.at, f.Why)
		}
	}
}

// TestWatchAgain: the film is the play of the answer.
func TestWatchAgain(t *testing.T) {
	c := read(t, generated(t, 12, 200))
	l := question.Lose(c, constraint.Default(), "node", []int{1, 2}, question.LoseOptions{})
	f, k := l.Document().Watch.Film(), 0
	for i, s := range f.Shots {
		if s.Kind == plane.Stopped {
			continue
		}
		if h := l.Happens[k]; h.Seconds != s.At.Seconds() || h.What != string(s.Kind) || s.Pod >= 0 && h.Object != f.Names[s.Name] {
			t.Fatalf("shot %d is %+v, the answer has %+v", i, s, h)
		}
		k++
	}
	if k != len(l.Happens) || k < 20 {
		t.Errorf("%d facts of %d", k, len(l.Happens))
	}
}
