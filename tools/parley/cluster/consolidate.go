package cluster

import (
	"github.com/spf13/cobra"

	"parley/core/kube"
	"parley/core/kube/question"
)

func consolidateCommand(e *Env) *cobra.Command {
	o := question.ConsolidateOptions{}
	var t *timed
	cmd, a := e.question("consolidate", "What would Karpenter remove or replace, what does it save, and why not more",
		`Plays Karpenter's consolidation of the nodes that it made in virtual time: empty nodes, then several nodes at a time for at most one cheaper one, then single nodes, each within the budgets of its NodePool and the disruption budgets of its pods. It names each command with its time, and for each node that is kept the reason in Karpenter's words.

Fetch nodepools.karpenter.sh with the dump. Without --prices no replacement by a cheaper node is tried.`,
		"  parley cluster consolidate dump.json --prices prices.csv",
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
	cmd.Flags().IntVar(&o.Most, "most", 100, "commands to follow at most")
	pre := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := e.within("most", o.Most, 1, 10_000); err != nil {
			return err
		}
		return pre(cmd, args)
	}
	return cmd
}
