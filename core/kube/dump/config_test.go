package dump_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/kube/constraint"
	"parley/core/kube/dump"
)

// profiles reads its input as a KubeSchedulerConfiguration and prints what differs from the
// default profile.
func profiles(t *testing.T, d *datadriven.TestData) string {
	all, err := dump.Profiles("config.yaml", []byte(d.Input))
	if err != nil {
		if !errors.As(err, new(*dump.Error)) {
			t.Errorf("%s: the error is a %T", d.Pos, err)
		}
		return err.Error() + "\n"
	}
	var out strings.Builder
	for _, p := range all {
		fmt.Fprintf(&out, "%s\n", p.Name)
		line := func(name string, v, standard any) {
			if a, b := fmt.Sprint(v), fmt.Sprint(standard); a != b {
				fmt.Fprintf(&out, "  %s: %s\n", name, a)
			}
		}
		d := constraint.Default()
		line("filters", p.Filters, d.Filters)
		line("scores", p.Scores, d.Scores)
		line("preempt", p.Preempt, d.Preempt)
		line("strategy", p.Strategy, d.Strategy)
		line("balanced", p.BalancedOf, d.BalancedOf)
		line("ignored", fmt.Sprint(p.IgnoredResources, p.IgnoredGroups), fmt.Sprint(d.IgnoredResources, d.IgnoredGroups))
		line("defaults", p.DefaultSpreads, d.DefaultSpreads)
		line("system", p.SystemDefaults, d.SystemDefaults)
		line("hard", p.HardPodAffinityWeight, d.HardPodAffinityWeight)
		line("ignore preferred", p.IgnorePreferred, d.IgnorePreferred)
		if p.AddedAffinity != nil {
			line("added", *p.AddedAffinity, "")
		}
		line("added preferred", p.AddedPreferred, d.AddedPreferred)
		line("percentage", p.Percentage, d.Percentage)
		line("candidates", fmt.Sprint(p.MinCandidates, p.MinCandidatesPercent), fmt.Sprint(d.MinCandidates, d.MinCandidatesPercent))
		for _, u := range p.Unmodelled {
			fmt.Fprintf(&out, "  not modelled: %s\n", u)
		}
	}
	return out.String()
}
