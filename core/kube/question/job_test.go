package question_test

import (
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/question"
)

// TestJobsThatAnEvictionEnds: an evicted pod counts as one that failed, so that its Job fails if no failure is left, and
// makes no other. (pkg/controller/job/job_controller.go, pod_failure_policy.go)
func TestJobsThatAnEvictionEnds(t *testing.T) {
	ignore := `"podFailurePolicy":{"rules":[{"action":"FailJob","onExitCodes":{"operator":"In","values":[3]}},{"action":"Ignore","onPodConditions":[{"type":"DisruptionTarget","status":"True"}]}]}`
	for _, x := range []struct {
		subject, spec, status string
		ends                  bool
	}{
		{"no failure is left", `"backoffLimit":0`, "", true},
		{"the default leaves six", `"parallelism":1`, "", false},
		{"one is left", `"backoffLimit":2`, `"failed":1`, false},
		{"all are used up", `"backoffLimit":2`, `"failed":2`, true},
		{"disruptions are ignored", `"backoffLimit":0,` + ignore, "", false},
		{"disruptions end it", `"backoffLimit":9,` + strings.Replace(ignore, `"Ignore"`, `"FailJob"`, 1), "", true},
		{"a limit of each index", `"backoffLimit":0,"backoffLimitPerIndex":1`, "", false},
		{"the Job has failed", `"backoffLimit":0`, `"conditions":[{"type":"Failed","status":"True"}]`, false},
	} {
		c := read(t, list(node("a", "z1", "4"), node("b", "z1", "4"), pod("job-x", "a", "Job", "1", ""),
			`{"kind":"Job","metadata":{"namespace":"n","name":"job","uid":"1"},"spec":{"parallelism":1,`+x.spec+`,"template":{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}}},"status":{`+x.status+`}}`))
		d := question.Drain(c, constraint.Default(), question.DrainOptions{Nodes: []int{0}})
		if kept := d.Emptied == 0 && strings.HasPrefix(d.Kept[0].Reason, "a pod whose Job fails when it is evicted"); kept != x.ends {
			t.Errorf("%s: %d emptied, kept %+v", x.subject, d.Emptied, d.Kept)
		}
		l := question.Lose(c, constraint.Default(), "node a", []int{0}, question.LoseOptions{})
		if (l.Unowned == 1) != x.ends || (l.Rescheduled == 0) != x.ends && x.subject != "the Job has failed" {
			t.Errorf("%s: %s", x.subject, l.Sentence())
		}
		f := question.Drain(c, constraint.Default(), question.DrainOptions{Nodes: []int{0}, Force: true})
		f.Time(c, constraint.Default(), question.PlayOptions{})
		if f.Emptied != 1 || f.Waiting != 0 || (len(f.Steps[0].LostPods) == 1) != x.ends {
			t.Errorf("%s, by force: %s", x.subject, f.Sentence())
		}
	}
}
