package cluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/core/kube"
	"parley/core/kube/plane"
	"parley/core/kube/question"
	"parley/core/strict"
)

// drainCommand returns parley cluster drain.
func drainCommand(e *Env) *cobra.Command {
	o, nodes, script := question.DrainOptions{}, []string{}, ""
	var t *timed
	cmd, a := e.question("drain", "Find the nodes that can be emptied, in order, with a script",
		`Finds the largest set of nodes that kubectl drain can empty one after another: each pod that leaves finds another node by the scheduler's filters and scores, and no disruption budget is broken at any moment. Prints each pod's new node, an upper bound, and what keeps the other nodes. The plan is played in virtual time: how long the drains take, which evictions budgets hold up, where they stop.

--script writes lines of kubectl for a shell. Parley does not run them.`,
		"  parley cluster drain dump.json --script drain.sh",
		func(a *asking, c *kube.Cluster, dump string) (any, []question.Document, error) {
			p, err := a.profile()
			if err != nil {
				return nil, nil, err
			}
			prices, err := a.table()
			if err != nil {
				return nil, nil, err
			}
			o.Seed, o.Nodes = a.seed, nil
			for _, name := range nodes {
				at, err := nodeNamed(c, name)
				if err != nil {
					return nil, nil, err
				}
				o.Nodes = append(o.Nodes, at)
			}
			d := question.Drain(c, p, o)
			d.Time(c, p, t.options(a.seed))
			d.Price(c, prices)
			document := d.Document(dump)
			if script != "" {
				if err := os.WriteFile(script, []byte(d.Script(dump)), 0o644); err != nil {
					return nil, nil, fmt.Errorf("the script cannot be written: %w", err)
				}
			}
			return d, []question.Document{document}, nil
		})
	a.configurable(cmd)
	a.priced(cmd)
	t = a.played(cmd)
	flags := cmd.Flags()
	flags.StringSliceVar(&nodes, "node", nil, "ask about these nodes only")
	flags.BoolVar(&o.DeleteEmptyDir, "delete-emptydir-data", false, "let pods with emptyDir volumes go, as kubectl drain does with this flag")
	flags.BoolVar(&o.Force, "force", false, "let pods without a controller go, as kubectl drain does with this flag")
	flags.BoolVar(&o.ControlPlane, "control-plane", false, "let nodes of the control plane be emptied")
	flags.BoolVar(&o.Once, "once", false, "move no pod twice: cordon all nodes of the plan before the first is drained, which may empty fewer")
	flags.StringVar(&script, "script", "", "write the plan as lines of kubectl into this file")
	return cmd
}

// nodeNamed returns the place of the node that --node names.
func nodeNamed(c *kube.Cluster, name string) (int, error) {
	at := slices.IndexFunc(c.Nodes, func(n kube.Node) bool { return n.Name == name })
	if at < 0 {
		var all []string
		for i := range c.Nodes {
			all = append(all, c.Nodes[i].Name)
		}
		near := strict.Nearest(name, all)
		if strict.Distance(strings.ToLower(near), strings.ToLower(name)) <= len(name)/3 {
			return 0, fmt.Errorf("--node is %q: the dump has no such node (%s is there)", name, near)
		}
		return 0, fmt.Errorf("--node is %q: the dump has no such node; it has %s", name, some(all))
	}
	return at, nil
}

// some lists at most five names.
func some(names []string) string {
	if len(names) > 5 {
		return strings.Join(names[:5], ", ") + " and others"
	}
	return strings.Join(names, ", ")
}

// requestsCommand returns parley cluster requests.
func requestsCommand(e *Env) *cobra.Command {
	by, node := "namespace", ""
	cmd, _ := e.question("requests", "Sum what is requested of every resource, by namespace, owner, zone or GPU model",
		`Sums the requests of every resource of the dump: CPU, memory, ephemeral storage, pods, GPUs and other extended resources. --by is namespace, owner, node, zone, type, gpu (the model of GPUs), or the key of a label of nodes. The group that requests the largest part of a resource is first.`,
		"  parley cluster requests dump.json --by owner",
		func(_ *asking, c *kube.Cluster, _ string) (any, []question.Document, error) {
			at := kube.Nowhere
			if node != "" {
				var err error
				if at, err = nodeNamed(c, node); err != nil {
					return nil, nil, err
				}
			}
			r, err := question.Requests(c, by, at)
			if err != nil {
				return nil, nil, err
			}
			return r, []question.Document{r.Document()}, nil
		})
	cmd.Flags().StringVar(&by, "by", by, "namespace, owner, node, zone, type, gpu, or the key of a label")
	cmd.Flags().StringVar(&node, "node", "", "only pods on this node")
	return cmd
}

// loseCommand returns parley cluster lose. --orders is the older name of --plays and sets the same
// variable.
func loseCommand(e *Env) *cobra.Command {
	o, by := question.LoseOptions{}, "zone"
	names := []string{}
	var t *timed
	cmd, a := e.question("lose", "Lose a node, zone, machine type or rack: what runs again, what stays pending and why",
		`Stops machines and plays what the cluster's controllers and its scheduler do then, in virtual time: when nodes are tainted or deleted, when pods are made anew, and which wait for a node or a volume. For each pod that stays pending it quotes the scheduler's own message.

--by is node, zone, type, capacity (spot or on-demand, by the labels of the clouds), pool (by the label of their installer), gpu (the model of GPUs), or the key of a label. Without --name each group is lost by itself, and the worst is printed first.`,
		"  parley cluster lose dump.json --by zone --not-ready",
		func(a *asking, c *kube.Cluster, _ string) (any, []question.Document, error) {
			p, err := a.profile()
			if err != nil {
				return nil, nil, err
			}
			groups, err := question.Choose(c, by, names)
			if err != nil {
				return nil, nil, err
			}
			o.PlayOptions = t.options(a.seed)
			all, documents := question.LoseEach(c, p, groups, o, func(i int, name string) {
				a.env.Show("%d of %d: %s", i+1, len(groups), name)
			})
			a.env.Clear()
			return all, documents, nil
		})
	a.configurable(cmd)
	flags := cmd.Flags()
	flags.StringVar(&by, "by", by, "node, zone, type, capacity, pool, gpu, or the key of a label")
	flags.StringSliceVar(&names, "name", nil, "lose these together: names of nodes, zones, types or values of the label")
	flags.BoolVar(&o.NotReady, "not-ready", false, "the nodes stay in the cluster and do not answer, instead of being deleted")
	t = a.played(cmd)
	t.scaled(cmd)
	flags.IntVar(&t.plays, "orders", 0, "the same as --plays")
	cobra.CheckErr(flags.MarkDeprecated("orders", "use --plays"))
	return cmd
}

// fitCommand returns parley cluster fit.
func fitCommand(e *Env) *cobra.Command {
	pod, orders := "", 10
	cmd, a := e.question("fit", "How many more of a pod or of today's mix fit",
		`Places copies of a pod one after another, as the scheduler would, until one stays pending, and quotes what stops it. --pod is NAMESPACE/NAME of a pod, Deployment or other workload, whose newest template counts; a manifest that is not applied yet is a further FILE. Without --pod, copies of the pods that run today arrive in random orders.`,
		"  parley cluster fit dump.json --pod shop/web",
		func(a *asking, c *kube.Cluster, _ string) (any, []question.Document, error) {
			p, err := a.profile()
			if err != nil {
				return nil, nil, err
			}
			var f *question.Fits
			switch like := plane.Model(c, pod); {
			case pod == "":
				f = question.FitMix(c, p, orders, question.FitOptions{Seed: a.seed})
			case like == nil:
				nearest := question.Nearest(c, pod)
				if nearest != "" {
					nearest = " (" + nearest + " is there)"
				}
				return nil, nil, fmt.Errorf("--pod is %q: the dump has no pod and no workload of this name%s; write NAMESPACE/NAME, and give the manifest beside the dump if it is not applied yet", pod, nearest)
			default:
				f = question.Fit(c, p, pod, *like, question.FitOptions{Seed: a.seed})
			}
			return f, []question.Document{f.Document()}, nil
		})
	a.configurable(cmd)
	cmd.Flags().StringVar(&pod, "pod", "", "NAMESPACE/NAME of a pod or a workload; without, today's mix")
	cmd.Flags().IntVar(&orders, "orders", orders, "arrival orders of today's mix")
	e.orders(cmd, &orders, 1)
	pre := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if pod != "" && cmd.Flags().Changed("orders") {
			return e.Misuse(errors.New("--orders is of today's mix: copies of one pod come in one order; leave it out, or leave --pod out"))
		}
		return pre(cmd, args)
	}
	return cmd
}

// growCommand returns parley cluster grow.
func growCommand(e *Env) *cobra.Command {
	o, catalogue := question.GrowOptions{}, ""
	cmd, a := e.question("grow", "Which nodes to add for the pods that are pending, and what they cost",
		`Adds nodes of each shape that the cluster has, one shape at a time, with their DaemonSets, until no pod is pending or another node takes none. Then looks for a mix of shapes that takes more pods, or as many for less.

--catalogue has machine types that the cluster does not have: a list of prices whose columns also say how large each is (cpu and memory; perhaps gpus, pods, volumes, arch, labels and taints).`,
		"  parley cluster grow dump.json --prices prices.csv\n  parley cluster grow dump.json --catalogue types.csv",
		func(a *asking, c *kube.Cluster, _ string) (any, []question.Document, error) {
			p, err := a.profile()
			if err != nil {
				return nil, nil, err
			}
			if o.Prices, err = a.table(); err != nil {
				return nil, nil, err
			}
			if catalogue != "" {
				if o.Prices, err = withCatalogue(o.Prices, catalogue); err != nil {
					return nil, nil, err
				}
			}
			o.Seed = a.seed
			g := question.Grow(c, p, o)
			return g, []question.Document{g.Document()}, nil
		})
	a.configurable(cmd)
	a.priced(cmd)
	cmd.Flags().IntVar(&o.MaxNodes, "most", 200, "nodes of a shape to try at most")
	cmd.Flags().StringVar(&catalogue, "catalogue", "", "CSV, YAML or JSON with machine types that may be added, with cpu and memory, perhaps price, gpus, pods, volumes, zone, arch, labels and taints")
	return cmd
}

// withCatalogue returns prices, which may be nil, with the machine types of the file --catalogue. At least
// one row must have a size, each size must be readable, and the currencies must agree.
func withCatalogue(prices *question.Table, name string) (*question.Table, error) {
	own := asking{prices: name}
	t, err := own.table()
	if err != nil {
		return nil, err
	}
	n, wrong := t.Machines()
	switch {
	case wrong != nil:
		return nil, wrong
	case n == 0:
		return nil, fmt.Errorf("%s does not say how large its machine types are: give it the columns cpu and memory beside type and price", filepath.Base(name))
	}
	return prices.Beside(t)
}

// scoreCommand returns parley cluster score. Its --config, unlike that of other questions, is a list.
func scoreCommand(e *Env) *cobra.Command {
	o, configs := question.ScoreOptions{}, []string{}
	cmd, a := e.question("score", "Compare configurations of the scheduler on a fresh placement of all pods",
		`Places all pods of the dump afresh under several configurations, over several arrival orders that are the same for all, and compares them with the first, pair by pair. --config is given once for each: default, most-allocated, or a file with a KubeSchedulerConfiguration, perhaps with #PROFILE.`,
		"  parley cluster score dump.json --config default --config most-allocated",
		func(a *asking, c *kube.Cluster, _ string) (any, []question.Document, error) {
			var all []question.Configured
			for _, config := range configs {
				name, p, err := profile(config)
				if err != nil {
					return nil, nil, err
				}
				all = append(all, question.Configured{Name: name, Profile: p})
			}
			var err error
			if o.Prices, err = a.table(); err != nil {
				return nil, nil, err
			}
			o.Seed = a.seed
			o.Step = func(done, all int) { a.env.Show("%d of %d placements", done, all) }
			s := question.Score(c, all, o)
			a.env.Clear()
			return s, []question.Document{s.Document()}, nil
		})
	a.priced(cmd)
	cmd.Flags().StringArrayVar(&configs, "config", []string{"default", "most-allocated"}, "a configuration to compare; the first is the baseline")
	cmd.Flags().IntVar(&o.Orders, "orders", 0, "arrival orders; 0 for as many as a budget of 400,000 placements allows, 2 to 30")
	cmd.Flags().BoolVar(&o.ZoneLoss, "zone-loss", false, "also lose each zone after each placement, which takes as many placements again")
	e.orders(cmd, &o.Orders, 0)
	return cmd
}

func pendingCommand(e *Env) *cobra.Command {
	var pod string
	cmd, a := e.question("pending", "Why does each pending pod wait, and what would help",
		`Judges each pending pod by the scheduler's filters and quotes its message. Counts what stops them, and lists what alone keeps a pod off a node that all other filters pass: without it, that node would take the pod. With --pod, one pod is judged node by node: the filter that stops it first, what it needs and what the node has, and how many filters stop it, nearest node first.`,
		"  parley cluster pending dump.json",
		func(a *asking, c *kube.Cluster, _ string) (any, []question.Document, error) {
			p, err := a.profile()
			if err != nil {
				return nil, nil, err
			}
			if pod != "" {
				w, err := question.PendingPod(c, p, pod, a.seed)
				if err != nil {
					return nil, nil, err
				}
				return w, []question.Document{w.Document()}, nil
			}
			w := question.Pending(c, p, a.seed)
			return w, []question.Document{w.Document()}, nil
		})
	cmd.Flags().StringVar(&pod, "pod", "", "judge this pending pod node by node: NAMESPACE/NAME of it, or of its workload")
	a.configurable(cmd)
	return cmd
}

func blockersCommand(e *Env) *cobra.Command {
	cmd, _ := e.question("blockers", "Which pods, budgets, volumes and annotations keep which nodes from being emptied",
		`Holds each pod of each node to the rules of kubectl drain without flags, of the cluster autoscaler and of Karpenter, and names what they would stop at in their own words. Whether the pods would find another node is the question of drain.`,
		"  parley cluster blockers dump.json",
		func(_ *asking, c *kube.Cluster, _ string) (any, []question.Document, error) {
			b := question.Blockers(c)
			return b, []question.Document{b.Document()}, nil
		})
	return cmd
}
