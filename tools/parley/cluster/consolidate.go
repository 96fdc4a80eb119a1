package cluster

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/core/kube"
	"parley/core/kube/plane"
	"parley/core/kube/question"
	"parley/core/unit"
)

// karpenter is who consolidates unless --by says otherwise.
const karpenter = "karpenter"

// consolidateCommand returns parley cluster consolidate. --least 0 becomes -1, because 0 means the default
// in ConsolidateOptions, and the skip flags are negated.
func consolidateCommand(e *Env) *cobra.Command {
	o := question.ConsolidateOptions{}
	var t *timed
	cmd, a := e.question("consolidate", "What would Karpenter or the cluster autoscaler remove, what does it save, and why not more",
		`Plays Karpenter's consolidation of the nodes that it made in virtual time: empty nodes, then several nodes at a time for at most one cheaper one, then single nodes, each within the budgets of its NodePool and the disruption budgets of its pods. It names each command with its time, and for each node that is kept the reason in Karpenter's words.

Fetch nodepools.karpenter.sh with the dump. Without --prices no replacement by a cheaper node is tried.

With --by cluster-autoscaler it plays the cluster autoscaler's removals of the other nodes: those with little of their CPU and memory requested, whose pods all find other nodes, once they have not been needed for ten minutes.`,
		"  parley cluster consolidate dump.json --prices prices.csv\n  parley cluster consolidate dump.json --by cluster-autoscaler",
		func(a *asking, c *kube.Cluster, _ string) (any, []question.Document, error) {
			p, err := a.profile()
			if err != nil {
				return nil, nil, err
			}
			if o.Prices, err = a.table(); err != nil {
				return nil, nil, err
			}
			o.PlayOptions = t.options(a.seed)
			r := question.Consolidate(c, p, o)
			return r, []question.Document{r.Document()}, nil
		})
	a.configurable(cmd)
	a.priced(cmd)
	t = a.played(cmd)
	flags := cmd.Flags()
	flags.IntVar(&o.MaxCommands, "most", 100, "commands to follow at most")
	flags.StringVar(&o.By, "by", karpenter, "who consolidates: "+karpenter+" or "+plane.ByAutoscaler)
	unneeded := flags.Duration("unneeded", 10*time.Minute, "the autoscaler's scale-down-unneeded-time")
	threshold := flags.String("threshold", "50", "the autoscaler's scale-down-utilization-threshold, in per cent or as 0.5")
	local := flags.Bool("skip-nodes-with-local-storage", true, "the autoscaler's flag of this name")
	system := flags.Bool("skip-nodes-with-system-pods", true, "the autoscaler's flag of this name")
	flags.BoolVar(&o.Agents, "ignore-daemonsets-utilization", false, "the autoscaler's flag of this name")
	minimum := flags.Int("least", 1, "nodes that each group of the autoscaler keeps")
	own := []string{"unneeded", "threshold", "skip-nodes-with-local-storage", "skip-nodes-with-system-pods", "ignore-daemonsets-utilization", "least"}
	pre := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := e.within("most", o.MaxCommands, 1, 10_000); err != nil {
			return err
		}
		part, err := strconv.ParseFloat(strings.TrimSuffix(*threshold, "%"), 64)
		if part < 1 {
			part *= 100
		}
		if o.Threshold = int(math.Round(part)); err != nil || o.Threshold < 1 || part > 100 {
			return e.Misuse(fmt.Errorf("--threshold is %q: choose 1 to 100 per cent, as 50, or a part as 0.5", *threshold))
		}
		if err := e.within("least", *minimum, 0, 1_000_000); err != nil {
			return err
		}
		if o.By != karpenter && o.By != plane.ByAutoscaler {
			return e.Misuse(fmt.Errorf("--by is %q: choose %s or %s", o.By, karpenter, plane.ByAutoscaler))
		}
		if err := e.lasts("unneeded", *unneeded); err != nil {
			return err
		}
		for _, name := range own {
			if o.By == karpenter && flags.Changed(name) {
				return e.Misuse(fmt.Errorf("--%s is a setting of the cluster autoscaler: give it with --by %s", name, plane.ByAutoscaler))
			}
		}
		if o.MinGroupSize = *minimum; o.MinGroupSize == 0 {
			o.MinGroupSize = -1
		}
		o.Local, o.System = !*local, !*system
		o.Unneeded = unit.Time(unneeded.Microseconds())
		return pre(cmd, args)
	}
	return cmd
}
