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
	if d.Seconds == nil || d.Seconds.Middle != 20+30 || d.Seconds.Least != 30 || d.Seconds.Most != 20+30 {
		t.Errorf("%+v", d.Seconds)
	}
	if s := d.Document("dump.json").Sentence; !strings.Contains(s, "The drains take 30 s to 50 s.") {
		t.Error(s)
	}
	empty := question.Drain(c, constraint.Default(), question.DrainOptions{Nodes: []int{1}})
	empty.Steps = nil
	if empty.Time(c, constraint.Default(), question.PlayOptions{}); empty.Seconds != nil {
		t.Errorf("a plan without a step takes %v", empty.Seconds)
	}
}
