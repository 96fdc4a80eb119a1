package question_test

import (
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/question"
)

// TestDrainTime: three pods under a budget that lets one go at a time leave as each successor is ready, after
// 10 s; the last ends with its grace of 30 s. The next node waits for the pods of the first.
func TestDrainTime(t *testing.T) {
	budget := `{"kind":"PodDisruptionBudget","metadata":{"namespace":"n","name":"web"},"spec":{"maxUnavailable":1,"selector":{"matchLabels":{"app":"web"}}}}`
	c := read(t, list(append(deployed("web", "", "a", "a", "a"), budget, node("a", "z1", "4"), node("b", "z1", "8"))...))
	o := question.DrainOptions{Nodes: []int{0}}
	d := question.Drain(c, constraint.Default(), o)
	if d.Emptied != 1 {
		t.Fatalf("%+v", d)
	}
	d.Time(c, constraint.Default(), question.PlayOptions{})
	if d.Seconds == nil || d.Seconds.Middle != 20+30 || d.Seconds.Min != 30 || d.Seconds.Max != 20+30 {
		t.Errorf("%+v", d.Seconds)
	}
	// The first pod goes at once, the others as a successor is ready.
	if len(d.Stalls) != 2 || d.Stalls[0].Seconds+d.Stalls[1].Seconds != 10+20 || d.Stalls[0].Budget != "n/web" || d.Stalls[0].Node != "a" || d.Waiting != 0 {
		t.Errorf("%+v, %d wait", d.Stalls, d.Waiting)
	}
	if s := d.Document("dump.json").Sentence; !strings.Contains(s, "The drains take 30 s to 50 s. 2 evictions are held up meanwhile by a budget, 20 s the longest, by n/web.") {
		t.Error(s)
	}
	empty := question.Drain(c, constraint.Default(), question.DrainOptions{Nodes: []int{1}})
	empty.Steps = nil
	if empty.Time(c, constraint.Default(), question.PlayOptions{}); empty.Seconds != nil {
		t.Errorf("a plan without a step takes %v", empty.Seconds)
	}
}

// TestDefaultGrace: a pod that names no grace period has 30 s of it, as the API server gives it; 0 stays 0.
func TestDefaultGrace(t *testing.T) {
	for grace, largest := range map[string]float64{"": 30, `"terminationGracePeriodSeconds":null,`: 30, `"terminationGracePeriodSeconds":0,`: 10} {
		var objects []string
		for _, o := range append(deployed("web", "", "a"), node("a", "z1", "4"), node("b", "z1", "8")) {
			objects = append(objects, strings.ReplaceAll(o, `"terminationGracePeriodSeconds":30,`, grace))
		}
		c := read(t, list(objects...))
		d := question.Drain(c, constraint.Default(), question.DrainOptions{Nodes: []int{0}})
		d.Time(c, constraint.Default(), question.PlayOptions{})
		if d.Seconds == nil || d.Seconds.Max != largest {
			t.Errorf("with %q: %+v, want %v at most", grace, d.Seconds, largest)
		}
	}
}
