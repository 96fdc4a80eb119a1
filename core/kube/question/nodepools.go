package question

import (
	"fmt"
	"strconv"
	"strings"

	"parley/core/kube"
	"parley/core/kube/plane"
)

// PoolAdmits is a NodePool of Karpenter, with how many of the pods that wait it lets in.
type PoolAdmits struct {
	Name   string `json:"name"`
	Nodes  int    `json:"nodes"`  // of the dump
	Admits int    `json:"admits"` // pods that its labels, requirements and taints let in, and its limits
	// Sizes reports whether the dump has a node that this NodePool could make: how large others are is not known.
	Sizes   bool     `json:"sizes_known"`
	Reasons []Reason `json:"reasons"` // against the other pods, in Karpenter's words
}

// admits returns, for each NodePool, the number of the given pods that it admits.
func (a *query) admits(pods []int) []PoolAdmits {
	out, usable := make([]PoolAdmits, 0, len(a.c.NodePools)), plane.Usable(a.c)
	for k := range a.c.NodePools {
		p := &a.c.NodePools[k]
		one := PoolAdmits{Name: p.Name, Sizes: len(plane.Templates(a.c, p)) > 0}
		for at := range a.c.Nodes {
			if name, own := a.c.Nodes[at].Labels.Get(kube.KarpenterPool); own && name == p.Name {
				one.Nodes, one.Sizes = one.Nodes+1, true
			}
		}
		full := plane.Exhausted(a.c, p)
		var reasons []string
		for _, i := range pods {
			reason := plane.Refuses(p, &a.c.Pods[i], usable)
			if reason == "" {
				reason = full
			}
			if reason == "" {
				one.Admits++
			} else {
				reasons = append(reasons, reason)
			}
		}
		one.Reasons = tally(reasons)
		out = append(out, one)
	}
	return out
}

// poolGrid lists the pods that NodePools admit.
func poolGrid(pools []PoolAdmits) Grid {
	var rows [][]string
	for _, p := range pools {
		reason, sizes := "–", "yes"
		if len(p.Reasons) > 0 {
			reason = p.Reasons[0].Reason
		}
		if !p.Sizes {
			sizes = "no"
		}
		rows = append(rows, []string{p.Name, strconv.Itoa(p.Nodes), strconv.Itoa(p.Admits), sizes, reason})
	}
	return grid("NodePools of Karpenter, and the pending pods that they let in", []string{"NodePool", "nodes now", "lets in", "sizes known", "what keeps most others out"}, rows, maxRows)
}

// poolSentence says which NodePools let pods in, if no node of the dump does; with a space before it.
func poolSentence(pools []PoolAdmits) string {
	var lets, sizes []string
	for _, p := range pools {
		if p.Admits > 0 {
			lets = append(lets, fmt.Sprintf("%s lets in %s", p.Name, number(p.Admits)))
		}
		if p.Admits > 0 && !p.Sizes {
			sizes = append(sizes, p.Name)
		}
	}
	switch {
	case len(pools) == 0:
		return ""
	case len(lets) == 0:
		return fmt.Sprintf(" NodePool %s lets none in: %s.", pools[0].Name, pools[0].Reasons[0].Reason)
	}
	s := " By taints and requirements NodePool " + strings.Join(lets, ", NodePool ") + "."
	if len(sizes) > 0 {
		s += " How large the machines of " + strings.Join(sizes, ", ") + " are, the dump does not say: it has no node that they could make."
	}
	return s
}
