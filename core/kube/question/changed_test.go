package question_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/question"
)

// TestWideReport: what has changed since the report before, by name, from the report as it is kept; reports that were
// asked otherwise are not compared, and figures alone name nothing.
func TestWideReport(t *testing.T) {
	report := func(o question.ReportOptions, items ...string) *question.Report {
		return question.NewReport(read(t, list(items...)), constraint.Default(), o)
	}
	kept := func(r *question.Report) *question.Report {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		last, err := question.ReadReport("last.json", text)
		if err != nil {
			t.Fatal(err)
		}
		return last
	}
	web := pod("web-1", "a", "ReplicaSet", "1", "")
	budget := `{"kind":"PodDisruptionBudget","metadata":{"namespace":"n","name":"web","generation":1},"spec":{"selector":{"matchLabels":{"app":"web"}},"minAvailable":1},"status":{"observedGeneration":1,"currentHealthy":1,"desiredHealthy":1,"expectedPods":1,"disruptionsAllowed":0}}`
	before := report(question.ReportOptions{}, node("a", "z1", "4"), node("b", "z2", "4"), web)
	now := report(question.ReportOptions{}, node("a", "z1", "4"), node("c", "z3", "1"), web, budget, pod("web-2", "", "ReplicaSet", "2", ""), pod("huge", "", "ReplicaSet", "9", ""))
	wide, err := now.Wide(kept(before))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, row := range wide.Rows {
		all = append(all, strings.Join(row, " | "))
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{
		"node, when it is drained | a | kept: no other node is left: all are emptied or cordoned (n/web-1) | kept: a disruption budget allows no eviction (n/web)",
		"node, when it is drained | b | can be emptied | –",
		"node, when it is drained | c | – | can be emptied",
		"pod, if that zone is lost | n/web-1 | – | pending: ",
		"namespace | n | 1 pod, 1 core | 1 pod, 2 pending, 1 core",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if same, err := now.Wide(kept(now)); err != nil || len(same.Rows) != 0 {
		t.Errorf("nothing has changed: %v %v", err, same.Rows)
	}
	if _, err := now.Wide(&question.Report{Figures: before.Figures}); !errors.Is(err, question.ErrFigures) {
		t.Error(err)
	}
	// One pod fits without another node, and one fits on none.
	if got := now.Figure("grow.left"); got != 1 {
		t.Errorf("grow.left is %v", got)
	}
	other := report(question.ReportOptions{Drain: question.DrainOptions{Force: true}}, node("a", "z1", "4"), web)
	if err := other.Differs(kept(before)); err == nil || !strings.Contains(err.Error(), "asked otherwise (without flags; now force)") {
		t.Error(err)
	}
	if now.Differs(kept(before)) != nil || now.Differs(nil) != nil || other.Differs(&question.Report{Figures: before.Figures}) != nil {
		t.Error("reports of the same questions, and those that do not say, are compared")
	}
}
