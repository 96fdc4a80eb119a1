package question_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/dump"
	"parley/core/kube/plane"
	"parley/core/kube/question"
)

// TestPlaysAreTheSameEverywhere: the answers of plays, with all that happens in them, have the same digests natively and
// as WebAssembly. One that changes here has changed for everybody: say why in the change.
func TestPlaysAreTheSameEverywhere(t *testing.T) {
	var text bytes.Buffer
	if err := dump.Generate(&text, dump.Size{Nodes: 20, Pods: 400, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	c, p := read(t, text.Bytes()), constraint.Default()
	zone, o := question.Groups(c, "zone")[0], question.PlayOptions{Plays: 4, Seed: 1}
	drained := question.Drain(c, p, question.DrainOptions{DeleteEmptyDir: true})
	drained.Time(c, p, o)
	answers := map[string]any{
		"drain":       drained,
		"lose":        question.Lose(c, p, zone.Name, zone.Nodes, question.LoseOptions{PlayOptions: o}),
		"not ready":   question.Lose(c, p, zone.Name, zone.Nodes[:2], question.LoseOptions{NotReady: true, PlayOptions: o}),
		"rollout":     question.Rollout(c, p, "team-30/app-0005", question.RolloutOptions{PlayOptions: o}),
		"upgrade":     question.Upgrade(c, p, question.UpgradeOptions{PlayOptions: o}),
		"grow":        question.Grow(c, p, question.GrowOptions{Seed: 1}),
		"consolidate": question.Consolidate(c, p, question.ConsolidateOptions{PlayOptions: o}),
		"scale down":  question.Consolidate(c, p, question.ConsolidateOptions{PlayOptions: o, By: plane.ByAutoscaler, Local: true}),
		"scale up": question.Lose(c, p, "two zones", append(question.Groups(c, "zone")[1].Nodes, zone.Nodes...), question.LoseOptions{
			PlayOptions: question.PlayOptions{Plays: 4, Seed: 1, Autoscaler: true},
		}),
	}
	for name, want := range map[string]string{
		"drain":       "45eff2c2dfda08b7",
		"lose":        "0408baa2d5f680d0",
		"not ready":   "01ff8bb3dd71bdd4",
		"rollout":     "3e7f6a51258f5bd2",
		"upgrade":     "e916973bd70de9c9",
		"grow":        "41eb6d09f65a60cb",
		"consolidate": "062ae686db670380",
		"scale down":  "bf255ba7e114b8fb",
		"scale up":    "10ad7c108084aac3",
	} {
		if got := fmt.Sprintf("%x", sha256.Sum256([]byte(told(t, answers[name]))))[:16]; got != want {
			t.Errorf("%s has the digest %s, want %s", name, got, want)
		}
	}
}
