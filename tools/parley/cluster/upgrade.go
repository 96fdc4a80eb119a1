package cluster

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/core/kube"
	"parley/core/kube/question"
	"parley/core/unit"
)

// upgradeCommand returns parley cluster upgrade. --after-timeout is read into o.Force and o.Stop before the
// command runs.
func upgradeCommand(e *Env) *cobra.Command {
	o := question.UpgradeOptions{}
	nodes, surge, unavailable := []string{}, "", ""
	var boot, limit time.Duration
	var t *timed
	cmd, a := e.question("upgrade", "How long does an upgrade of the nodes take, which budget stalls it, and at which node does it stop",
		`Plays the upgrade of the nodes in virtual time: new ones join and old ones are emptied, or nodes are emptied and come back. Prints how long it takes, which disruption budget keeps which node from being emptied, which pods find no node, and which workloads have no ready pod meanwhile. Nodes of the control plane are left out.

Each pool is upgraded as GKE, AKS, EKS or Karpenter do by default, told by the labels of its nodes, other nodes in place one after another; --surge, --unavailable, --drain-timeout and --after-timeout set it. With --surge 0 nodes are upgraded in place.`,
		"  parley cluster upgrade dump.json --surge 2 --drain-timeout 1h --after-timeout force",
		func(a *asking, c *kube.Cluster, _ string) (any, []question.Document, error) {
			p, err := a.profile()
			if err != nil {
				return nil, nil, err
			}
			o.PlayOptions, o.Nodes = t.options(a.seed), nil
			for _, name := range nodes {
				at, err := nodeNamed(c, name)
				if err != nil {
					return nil, nil, err
				}
				o.Nodes = append(o.Nodes, at)
			}
			for _, name := range o.Pools {
				if !slices.ContainsFunc(c.Nodes, func(n kube.Node) bool { _, own := n.Group(); return own == name }) {
					return nil, nil, fmt.Errorf("--pool is %q: no node of the dump has a label that names this pool; %s", name, poolsOf(c))
				}
			}
			if o.Surge, err = e.share("surge", surge); err != nil {
				return nil, nil, err
			}
			if o.Unavailable, err = e.share("unavailable", unavailable); err != nil {
				return nil, nil, err
			}
			if x, y := o.Surge, o.Unavailable; x != nil && y != nil && x.Value == 0 && y.Value == 0 {
				return nil, nil, e.Misuse(errors.New("--surge and --unavailable are both 0: no node could be upgraded; let one of them be 1"))
			}
			o.Boot, o.Limit = unit.Time(boot.Microseconds()), unit.Time(limit.Microseconds())
			u := question.Upgrade(c, p, o)
			return u, []question.Document{u.Document()}, nil
		})
	a.configurable(cmd)
	t = a.played(cmd)
	t.scaled(cmd)
	flags, then := cmd.Flags(), ""
	flags.StringSliceVar(&nodes, "node", nil, "upgrade these nodes only")
	flags.StringSliceVar(&o.Pools, "pool", nil, "upgrade these pools only")
	flags.StringVar(&surge, "surge", "", "new nodes that join before old ones leave, as 1 or 33%; 0 for in place")
	flags.StringVar(&unavailable, "unavailable", "", "nodes that are emptied at a time beyond those, as 1 or 10%")
	flags.DurationVar(&boot, "boot", 0, "how long a node takes to be ready, such as 3m; 0 for what the dump shows of its pool, else 3 min")
	flags.DurationVar(&limit, "drain-timeout", 0, "limit of a drain, such as 1h; 0 for what the manager of the pool does")
	flags.StringVar(&then, "after-timeout", "", "force: then the pods that are left are deleted; stop: then the upgrade ends")
	pre := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		for _, x := range []struct {
			flag string
			d    time.Duration
		}{{"boot", boot}, {"drain-timeout", limit}} {
			if err := e.lasts(x.flag, x.d); err != nil {
				return err
			}
		}
		if o.Force, o.Stop = then == "force", then == "stop"; then != "" && !o.Force && !o.Stop {
			return e.Misuse(fmt.Errorf("--after-timeout is %q: choose force or stop", then))
		}
		return pre(cmd, args)
	}
	return cmd
}

// poolsOf lists the pools of a cluster for an error.
func poolsOf(c *kube.Cluster) string {
	var all []string
	for i := range c.Nodes {
		if _, name := c.Nodes[i].Group(); name != "" && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	if len(all) == 0 {
		return "none of its nodes has one, leave --pool out"
	}
	return "write one of " + strings.Join(all, ", ")
}
