package question_test

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/question"
	"parley/core/testkit/cases"
)

// TestPlaysOfCases plays every rollout, the upgrade and the consolidation of awkward clusters: each answer has
// a sentence, the same one the second time, and what it counts adds up.
func TestPlaysOfCases(t *testing.T) {
	ends, stops := 0, 0
	for seed := range clusters() {
		text := cases.Movable(seed)
		if seed%2 == 0 {
			text = cases.Dump(seed)
		}
		c := read(t, text)
		o := question.PlayOptions{Plays: 3, Seed: seed}
		names := map[string]bool{}
		for i := range c.Workloads {
			names[c.Workloads[i].Namespace+"/"+c.Workloads[i].Name] = true
		}
		for i := range c.Pods {
			names[c.Pods[i].Namespace+"/"+c.Pods[i].Owner.Name] = true
		}
		for name := range names {
			r := question.Rollout(c, constraint.Default(), name, question.RolloutOptions{PlayOptions: o})
			if r == nil {
				continue
			}
			if again := question.Rollout(c, constraint.Default(), name, question.RolloutOptions{PlayOptions: o}); told(t, again) != told(t, r) {
				t.Errorf("case %d, %s: another answer the second time", seed, name)
			}
			if r.Complete {
				ends++
			} else {
				stops++
			}
			if r.Stops+r.Seconds.Plays != r.Plays || r.Complete && r.Seconds.Plays == 0 || r.Available > r.Updated || r.MinAvailable > r.Replicas+r.Surge || r.Sentence() == "" {
				t.Errorf("case %d, %s: %+v", seed, name, r)
			}
		}
		u := question.Upgrade(c, constraint.Default(), question.UpgradeOptions{PlayOptions: o})
		if again := question.Upgrade(c, constraint.Default(), question.UpgradeOptions{PlayOptions: o}); told(t, again) != told(t, u) {
			t.Errorf("case %d: another upgrade the second time", seed)
		}
		if u.Complete != (u.Done == u.Nodes) || u.Complete == (u.Stopped != "") && u.Nodes > 0 || !strings.HasSuffix(u.Sentence(), ".") {
			t.Errorf("case %d: %+v", seed, u)
		}
		if k := question.Consolidate(c, constraint.Default(), question.ConsolidateOptions{PlayOptions: o}); k.Removed > k.Nodes || !strings.HasSuffix(k.Sentence(), ".") {
			t.Errorf("case %d: %+v", seed, k)
		}
	}
	if ends == 0 || stops == 0 {
		t.Errorf("%d rollouts end and %d stop", ends, stops)
	}
}

// told returns an answer as programs get it.
func told(t *testing.T, answer any) string {
	text, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
