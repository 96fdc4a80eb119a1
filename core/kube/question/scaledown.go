package question

import (
	"cmp"
	"fmt"

	"parley/core/kube"
	"parley/core/kube/plane"
	"parley/core/unit"
)

// drained is the kind of a command of the autoscaler that removes a node with pods.
const drained = "drain"

// scaleDown is Consolidate for the cluster autoscaler. It sets the defaults of o; a MinGroupSize below 0 means 0.
func (a *query) scaleDown(o *ConsolidateOptions) *Consolidated {
	o.Unneeded, o.Threshold = cmp.Or(o.Unneeded, plane.UnneededTime), cmp.Or(o.Threshold, plane.UtilizationThreshold)
	o.MinGroupSize = max(0, cmp.Or(o.MinGroupSize, 1))
	out, all := a.begin(plane.ByAutoscaler, o, func(n *kube.Node) bool { _, own := plane.GroupOf(n); return own })
	for i, options := range all {
		options.Silent = true
		world, s := a.playAutoscaler(options, o)
		removed, last := 0, unit.Time(0)
		for _, r := range s.Removals {
			if r.FailReason == "" {
				removed++
				last = max(last, r.Ended)
			}
		}
		out.counts(i == 0, removed, last)
		if i == 0 {
			out.takeRemovals(world, s, o)
			a.filmAutoscaler(out, options, o)
		}
	}
	out.Caveats = append(a.autoscalerCaveats(o), out.Caveats...)
	out.Method = a.method(
		fmt.Sprintf("The cluster autoscaler is played in virtual time: every 10 seconds it looks for nodes with less than %d %% of their CPU and memory requested, whose pods all find places on other nodes; nodes that have not been needed for %s are removed, up to 10 empty ones at a time, others one after another.", o.Threshold, plane.After(o.Unneeded)),
		fmt.Sprintf("Over %s, %s removed. ", count(out.Plays, "play", "plays"), spanned(out.MinRemoved, out.MaxRemoved))+playBound(out.Plays)+" In the drawn plays the autoscaler takes the nodes in other orders.",
		"It follows the documentation and the sources of the cluster autoscaler with its defaults, and is not compared with the program. All its nodes are needed at the beginning.",
		"It places pods on the first node that takes them, and the scheduler may choose others. A node is gone when its pods have ended, 5 seconds after it was tainted at the earliest. No node is added.",
		"An eviction that is refused for 2 minutes, or a pod that has not ended half a minute after its grace of at most 10 minutes, makes a removal fail, and the next one begins 3 minutes later.",
		"Which nodes a packing could empty, whatever their use, is the question of drain. Pods of DaemonSets end with their node."+a.waiting(),
	)
	out.Method.Assumptions = append(out.Method.Assumptions, o.Prices.notes(a.c)...)
	return out
}

// playAutoscaler plays the autoscaler until it does nothing more.
func (a *query) playAutoscaler(options plane.Options, o *ConsolidateOptions) (*plane.Plane, *plane.Autoscaler) {
	world := plane.New(a.c, options)
	s := world.Autoscale(plane.AutoscalerOptions{
		Unneeded: o.Unneeded, Threshold: o.Threshold, MinGroupSize: o.MinGroupSize, MaxRemovals: o.MaxCommands,
		Local: o.Local, System: o.System,
		Agents:  o.Agents,
		Unknown: a.unknown,
	})
	world.Run(unit.Forever, s.Over)
	return world, s
}

// takeRemovals copies the removals of a play into out, failed ones included, with the cost per hour that
// each saves, and the nodes that are kept.
func (out *Consolidated) takeRemovals(world *plane.Plane, s *plane.Autoscaler, o *ConsolidateOptions) {
	c := world.Cluster()
	if out.Truncated = s.More; s.More {
		out.Caveats = append(out.Caveats, fmt.Sprintf("the play ended after %s: more follow (--most)", count(o.MaxCommands, "removal", "removals")))
	}
	for _, r := range s.Removals {
		n := &c.Nodes[r.Node]
		one := Command{
			Kind: "empty", Nodes: []string{n.Name}, Failed: r.FailReason, Moves: []Move{},
			Began: r.Started.Seconds(), Done: -1,
		}
		if !r.Empty {
			one.Kind = drained
		}
		for _, m := range r.Moves {
			one.Moves = append(one.Moves, Move{Pod: m.Pod, From: n.Name, To: c.Nodes[m.To].Name})
		}
		if one.Priced = true; r.FailReason == "" {
			one.Saved, one.Priced = o.Prices.Of(n)
			one.Done = r.Ended.Seconds()
			out.Removed++
		}
		out.Commands = append(out.Commands, one)
	}
	out.close(world, s.Kept, o.Prices)
}

// autoscalerCaveats lists the reasons why an answer about the autoscaler is unsure.
func (a *query) autoscalerCaveats(o *ConsolidateOptions) []string {
	all := []string{fmt.Sprintf("the dump has neither the least sizes of groups of nodes nor the flags of the autoscaler: each group keeps %s (--least), and the other settings are the defaults", count(o.MinGroupSize, "node", "nodes"))}
	unlabelled := 0
	for at := range a.c.Nodes {
		if group, own := plane.GroupOf(&a.c.Nodes[at]); own && group == "" {
			unlabelled++
		}
	}
	if unlabelled > 0 {
		all = append(all, count(unlabelled, "node has no label of a group: it is", "nodes have no label of a group: they are")+" taken to be of one group that the autoscaler resizes")
	}
	if len(a.c.Budgets) == 0 {
		all = append(all, "the dump has no disruption budgets: if they were not fetched, nodes may be kept that are removed here")
	}
	return all
}
