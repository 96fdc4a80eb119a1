package question_test

import (
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/question"
)

// drained asks which nodes of a dump can be emptied.
func drained(t *testing.T, p *constraint.Profile, o question.DrainOptions, items ...string) *question.Drained {
	t.Helper()
	return question.Drain(read(t, dump(items...)), p, o)
}

// TestDrainProfiles: each pod is placed by the profile that it names; of a scheduler whose
// configuration was not given it is not known whether its pods could leave, so that the bound
// counts their nodes.
func TestDrainProfiles(t *testing.T) {
	packed := func(name, on string) string {
		return strings.Replace(pod(name, on, "ReplicaSet", "1", ""), "default-scheduler", "packer", 1)
	}
	items := []string{node("a", "z1", "4"), node("b", "z1", "4"), node("c", "z1", "4"), packed("p", "a"), packed("q", "b"), pod("r", "c", "ReplicaSet", "1", "")}
	d := drained(t, constraint.Default(), question.DrainOptions{}, items...)
	if d.Emptied != 1 || d.Bound != 2 || d.Kept[0].Reason != "a pod of another scheduler, whose configuration was not given (--config)" || d.Kept[0].Always {
		t.Errorf("%s %+v", d.Sentence(), d.Kept)
	}
	both := constraint.Default()
	packer := constraint.Default()
	packer.Name, packer.Strategy.Type = "packer", constraint.MostAllocated
	packer.Scores = []constraint.Weight{{Plugin: constraint.NodeResourcesFit, Weight: 1}}
	both.Others = []*constraint.Profile{packer}
	if d = drained(t, both, question.DrainOptions{}, items...); d.Emptied != 2 || len(d.Method.NotModelled) != 0 {
		t.Errorf("both profiles: %s %+v", d.Sentence(), d.Method.NotModelled)
	}
	// The packer puts its pod beside the other one, the default profile on the empty node.
	s := constraint.New(read(t, dump(node("a", "z1", "4"), node("b", "z1", "4"), pod("on", "a", "ReplicaSet", "1", ""), packed("p", ""), pod("r", "", "ReplicaSet", "1", ""))), both)
	draw := func(int) int { return 0 }
	for range 2 { // each after the other
		if at := s.Place(1, draw); at != 0 {
			t.Errorf("the packer takes node %d", at)
		}
		if at := s.Clone().Place(2, draw); at != 1 {
			t.Errorf("the default profile takes node %d", at)
		}
	}
	// A profile that is alone places the pods of the default scheduler too.
	if d = drained(t, packer, question.DrainOptions{}, items...); d.Emptied != 2 {
		t.Errorf("the packer alone: %s", d.Sentence())
	}
}
