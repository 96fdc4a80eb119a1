package question_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/question"
)

// karpenters writes a node of NodePool p with a machine type and a capacity type.
func karpenters(name, kind, capacity, cpu string) string {
	return strings.NewReplacer(`"node.kubernetes.io/instance-type":"m"`, `"node.kubernetes.io/instance-type":"`+kind+`"`,
		`"labels":{`, `"labels":{"karpenter.sh/nodepool":"p","karpenter.sh/capacity-type":"`+capacity+`",`).Replace(node(name, "z1", cpu))
}

func nodePool(disruption, requirements string) string {
	return `{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"p"},"spec":{"disruption":{` + disruption + `},"template":{"spec":{"requirements":[` + requirements + `]}}}}`
}

func one(name, on, cpu string) string { return pod(name, on, "ReplicaSet", cpu, "") }

// TestConsolidate: what Karpenter does with small clusters, by its rules.
func TestConsolidate(t *testing.T) {
	prices, err := question.ReadPrices("prices.csv", []byte("type,price,capacity,currency\nmedium,0.2,on-demand,EUR\nbig,0.4,on-demand,EUR\nsmall,0.1,on-demand,EUR\nbig,0.16,spot,EUR\nsmall,0.04,spot,EUR\n"))
	if err != nil {
		t.Fatal(err)
	}
	budget := `{"kind":"PodDisruptionBudget","metadata":{"namespace":"n","name":"web"},"spec":{"maxUnavailable":0,"selector":{"matchLabels":{"app":"web"}}}}`
	annotated := func(object string) string {
		return strings.Replace(object, `"metadata":{`, `"metadata":{"annotations":{"karpenter.sh/do-not-disrupt":"true"},`, 1)
	}
	beats := func(object, at string) string {
		return strings.Replace(object, `{"type":"Ready",`, `{"type":"Ready","lastHeartbeatTime":"`+at+`",`, 1)
	}
	since := func(object, time, at string) string {
		return strings.NewReplacer(`"metadata":{`, `"metadata":{"annotations":{"karpenter.sh/do-not-disrupt":"`+time+`"},`, `"phase":`, `"startTime":"2026-11-24T`+at+`Z","phase":`).Replace(object)
	}
	const office = `"budgets":[{"nodes":"0","schedule":"0 9 * * mon-fri","duration":"8h"},{"nodes":"100%"}]`
	wide := nodePool(`"budgets":[{"nodes":"100%"}]`, "")
	a, b, small := karpenters("a", "big", "on-demand", "4"), karpenters("b", "big", "on-demand", "4"), karpenters("s", "small", "on-demand", "1")
	for _, x := range []struct {
		subject  string
		items    []string
		commands string // kind: nodes that go, and the type that comes
		kept     string // reasons, by node
		priced   bool
	}{
		{"one of two nodes takes the pods of both: with a budget of 10 % one at a time", []string{a, b, one("x", "a", "1"), one("y", "b", "1")}, "single-node: a", "b: can't remove without another node, and what nodes cost is not known", false},
		{"without prices nothing replaces the last", []string{a, wide, one("x", "a", "1")}, "", "a: can't remove without another node, and what nodes cost is not known", false},
		{"a cheaper type takes the pods", []string{a, small, wide, one("x", "a", "500m"), one("y", "s", "900m")}, "single-node: a > small, on-demand", "new-1: Can't replace with a cheaper node; s: Can't replace with a cheaper node", true},
		{"empty nodes go first, all at a time", []string{a, b, karpenters("c", "big", "on-demand", "4"), wide, one("x", "a", "3500m")}, "empty: b, c", "a: Can't replace with a cheaper node", true},
		{"a budget of one keeps the other empty node for later", []string{a, b, nodePool(`"budgets":[{"nodes":"1"}]`, ""), one("x", "a", "3500m"), karpenters("c", "big", "on-demand", "4")}, "empty: b; empty: c", "a: Can't replace with a cheaper node", true},
		{"no budget, no disruption", []string{a, nodePool(`"budgets":[{"nodes":"0"}]`, "")}, "", "a: no allowed disruptions for disruption reason Empty due to blocking budget", true},
		{"a budget for empty nodes alone", []string{a, b, nodePool(`"budgets":[{"nodes":"0","reasons":["Underutilized"]},{"nodes":"100%"}]`, ""), one("x", "a", "1"), one("y", "b", "1")}, "", "a: no allowed disruptions for disruption reason Underutilized due to blocking budget; b: no allowed disruptions for disruption reason Underutilized due to blocking budget", true},
		{"several nodes at a time", []string{a, b, karpenters("c", "big", "on-demand", "4"), wide, one("x", "a", "1"), one("y", "b", "1"), one("z", "c", "1"), one("w", "c", "1")}, "multi-node: a, b", "c: Can't replace with a cheaper node", true},
		{"WhenEmpty", []string{a, b, nodePool(`"consolidationPolicy":"WhenEmpty"`, ""), one("x", "a", "1"), one("y", "b", "1")}, "", "a: NodePool has non-empty consolidation disabled; b: NodePool has non-empty consolidation disabled", true},
		{"consolidateAfter Never", []string{a, nodePool(`"consolidateAfter":"Never"`, "")}, "", "a: NodePool has consolidation disabled", true},
		{"a pod's annotation", []string{a, b, wide, annotated(one("x", "a", "1")), one("y", "b", "1")}, "single-node: b", `a: pod has "karpenter.sh/do-not-disrupt" annotation`, true},
		{"a node's annotation", []string{annotated(a)}, "", `a: disruption is blocked through the "karpenter.sh/do-not-disrupt" annotation`, true},
		{"a disruption budget", []string{a, b, wide, budget, one("x", "a", "1"), one("y", "b", "1")}, "", "a: pdb prevents pod evictions; b: pdb prevents pod evictions", true},
		{"spot is not replaced by spot", []string{karpenters("a", "big", "spot", "4"), karpenters("s", "small", "spot", "1"), wide, one("x", "a", "500m"), annotated(one("y", "s", "900m"))}, "", `a: SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node; s: pod has "karpenter.sh/do-not-disrupt" annotation`, true},
		{"on demand is replaced by spot where the pool allows it", []string{a, nodePool(`"budgets":[{"nodes":"100%"}]`, `{"key":"karpenter.sh/capacity-type","operator":"In","values":["spot","on-demand"]}`), one("x", "a", "3")}, "single-node: a > big, spot", "new-1: SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node", true},
		{"nodes that one of them could replace are not replaced by a dearer one", []string{a, small, karpenters("m", "medium", "on-demand", "3"), wide, one("x", "a", "300m"), one("y", "s", "500m"), annotated(one("z", "m", "2900m"))}, "single-node: a", `m: pod has "karpenter.sh/do-not-disrupt" annotation; s: Can't replace with a cheaper node`, true},
		{"a NodePool with replicas keeps its nodes", []string{a, b, strings.Replace(wide, `"spec":{`, `"spec":{"replicas":2,`, 1)}, "", "a: its NodePool keeps a number of nodes; b: its NodePool keeps a number of nodes", true},
		{"a budget of office hours, on a Tuesday at noon", []string{beats(a, "2026-11-24T12:00:00Z"), b, nodePool(office, "")}, "", "a: no allowed disruptions for disruption reason Empty due to blocking budget; b: no allowed disruptions for disruption reason Empty due to blocking budget", true},
		{"and in the evening", []string{beats(a, "2026-11-24T17:00:00Z"), b, nodePool(office, "")}, "empty: a, b", "", true},
		{"a pod's annotation for a time", []string{beats(a, "2026-11-24T12:00:00Z"), b, wide, since(one("x", "a", "1"), "4h", "09:00:00"), one("y", "b", "1")}, "single-node: b", `a: pod has "karpenter.sh/do-not-disrupt" annotation`, false},
		{"that is over", []string{beats(a, "2026-11-24T12:00:00Z"), b, wide, since(one("x", "a", "1"), "4h", "08:00:00"), one("y", "b", "1")}, "single-node: a", "b: can't remove without another node, and what nodes cost is not known", false},
		{"an annotation that Karpenter does not understand", []string{a, b, wide, strings.Replace(annotated(one("x", "a", "1")), `"true"`, `"yes"`, 1), one("y", "b", "1")}, "single-node: a", "b: can't remove without another node, and what nodes cost is not known", false},
		{"a node of others", []string{node("o", "z1", "4")}, "", "", true},
	} {
		o := question.ConsolidateOptions{}
		if x.priced {
			o.Prices = prices
		}
		r := question.Consolidate(read(t, list(x.items...)), constraint.Default(), o)
		var commands, kept []string
		for _, c := range r.Commands {
			s := c.Kind + ": " + strings.Join(c.Nodes, ", ")
			if c.Replacement != "" {
				s += " > " + c.Replacement[:strings.LastIndex(c.Replacement, ",")]
			}
			commands = append(commands, s)
		}
		for _, k := range r.Kept {
			kept = append(kept, k.Node+": "+k.Reason)
		}
		slices.Sort(kept)
		if got := strings.Join(commands, "; "); got != x.commands {
			t.Errorf("%s: %s, want %s", x.subject, got, x.commands)
		}
		if got := strings.Join(kept, "; "); got != x.kept {
			t.Errorf("%s: kept %s, want %s", x.subject, got, x.kept)
		}
		if s := r.Sentence(); s == "" || told(t, question.Consolidate(read(t, list(x.items...)), constraint.Default(), o)) != told(t, r) {
			t.Errorf("%s: %q, or another answer the second time", x.subject, s)
		}
	}
}

// TestConsolidateFirst: Karpenter plans a pod on the first node by name that takes it, the largest pod first, even if
// the scheduler prefers another and all pods would find places then.
func TestConsolidateFirst(t *testing.T) {
	kept := func(name, on, cpu string) string {
		return strings.Replace(one(name, on, cpu), `"metadata":{`, `"metadata":{"annotations":{"karpenter.sh/do-not-disrupt":"true"},`, 1)
	}
	for _, x := range []struct{ other, want string }{{"b", ""}, {"0", "single-node: c"}} {
		r := question.Consolidate(read(t, list(karpenters("a", "m", "on-demand", "4"), strings.Replace(karpenters(x.other, "m", "on-demand", "8"), `zone":"z1"`, `zone":"z2"`, 1), karpenters("c", "m", "on-demand", "4"), nodePool(`"budgets":[{"nodes":"100%"}]`, ""),
			kept("f", "a", "2"), kept("g", x.other, "1"), one("x", "c", "1600m"), pod("y", "c", "ReplicaSet", "1300m", `,"nodeSelector":{"topology.kubernetes.io/zone":"z1"}`))), constraint.Default(), question.ConsolidateOptions{})
		got := ""
		for _, c := range r.Commands {
			got += c.Kind + ": " + strings.Join(c.Nodes, ", ")
		}
		if got != x.want {
			t.Errorf("beside %s: %q, want %q; kept %v", x.other, got, x.want, r.Kept)
		}
	}
}

// TestConsolidateTimes: when the commands of Karpenter begin and end, by its times: 15 s to validate, 100 ms to 10 s
// between two evictions, the start of a node, the grace of pods and consolidateAfter.
func TestConsolidateTimes(t *testing.T) {
	prices, err := question.ReadPrices("prices.csv", []byte("type,price,currency\nbig,0.4,EUR\nsmall,0.1,EUR\n"))
	if err != nil {
		t.Fatal(err)
	}
	budget := `{"kind":"PodDisruptionBudget","metadata":{"namespace":"n","name":"web"},"spec":{"maxUnavailable":1,"selector":{"matchLabels":{"app":"web"}}}}`
	a, b, c := karpenters("a", "big", "on-demand", "4"), karpenters("b", "big", "on-demand", "4"), karpenters("c", "big", "on-demand", "4")
	pinned := strings.NewReplacer(`"metadata":{`, `"metadata":{"annotations":{"karpenter.sh/do-not-disrupt":"true"},`, `"app":"web"`, `"app":"other"`).Replace(pod("z", "c", "StatefulSet", "2", ""))
	always := nodePool(`"budgets":[{"nodes":"100%"}]`, "")
	for _, x := range []struct {
		subject, want string
		items         []string
	}{
		{"one node: it is decided at once, validated for 15 s, and empty after the grace of 30 s", "single-node 15 45", []string{a, b, one("x", "a", "1"), one("y", "b", "1")}},
		{"two nodes at a time under a budget of one pod: the second goes when the first has its successor, 10 s later, at the try after 12.7 s", "multi-node 15 57.7", append([]string{a, b, c, always, budget, pinned}, deployed("web", "", "a", "b")...)},
		{"a cheaper node joins first, 3 min later", "single-node 15 225", []string{a, karpenters("s", "small", "on-demand", "1"), always, one("x", "a", "500m"), one("y", "s", "900m")}},
		{"consolidateAfter: the node to which the pods went waits for another minute, from the last pod on", "single-node 15 45; single-node 90 120", []string{
			a, b, c, nodePool(`"budgets":[{"nodes":"1"}],"consolidateAfter":"1m"`, ""), one("x", "a", "1"), one("y", "b", "1"), pinned,
		}},
	} {
		r := question.Consolidate(read(t, list(x.items...)), constraint.Default(), question.ConsolidateOptions{Prices: prices})
		var got []string
		for _, one := range r.Commands {
			got = append(got, fmt.Sprintf("%s %v %v", one.Kind, one.Began, one.Done))
		}
		if s := strings.Join(got, "; "); s != x.want {
			t.Errorf("%s: %s, want %s; kept %v", x.subject, s, x.want, r.Kept)
		}
	}
}

// TestConsolidateZones: Karpenter asks for a type, and a zone is not its choice, so that a type counts with its price
// in the dearest zone where the pods may be.
func TestConsolidateZones(t *testing.T) {
	prices, err := question.ReadPrices("prices.csv", []byte("type,zone,capacity,price\nm,z1,on-demand,0.3\nm,z2,on-demand,0.1\nbig,z1,on-demand,0.2\nbig,z2,on-demand,0.2\nm,z1,spot,0.15\nm,z2,spot,0.05\n"))
	if err != nil {
		t.Fatal(err)
	}
	in := func(zone, node string) string {
		return strings.Replace(node, `zone":"z1"`, `zone":"`+zone+`"`, 1)
	}
	full := func(name, on string) string {
		return strings.Replace(one(name, on, "4"), `"metadata":{`, `"metadata":{"annotations":{"karpenter.sh/do-not-disrupt":"true"},`, 1)
	}
	m1, m2 := karpenters("m1", "m", "on-demand", "4"), in("z2", karpenters("m2", "m", "on-demand", "4"))
	b1, b2 := in("z2", karpenters("b1", "big", "on-demand", "3")), in("z2", karpenters("b2", "big", "on-demand", "3"))
	all := []string{m1, m2, full("f1", "m1"), full("f2", "m2")}
	wide := nodePool(`"budgets":[{"nodes":"100%"}]`, "")
	for _, x := range []struct {
		subject, want string
		items         []string
	}{
		{"dearer in the other zone: no node is replaced", "", []string{wide, b1, one("x", "b1", "3")}},
		{"a pod that must be in the cheap zone", "single-node: b1 > m, on-demand", []string{wide, b1, pod("x", "b1", "ReplicaSet", "3", `,"nodeSelector":{"topology.kubernetes.io/zone":"z2"}`)}},
		{"of several nodes it is below the sum of the prices", "multi-node: b1, b2 > m, on-demand", []string{wide, b1, b2, one("x", "b1", "2"), one("y", "b2", "1900m")}},
		{"one of them is of the type, and as dear as the type in the dearer zone", "single-node: b1", []string{wide, b1, one("x", "b1", "2"), karpenters("m3", "m", "on-demand", "4"), one("y", "m3", "1900m")}},
		{"spot counts where the pool allows both", "single-node: b1 > m, spot", []string{nodePool(`"budgets":[{"nodes":"1"}]`, `{"key":"karpenter.sh/capacity-type","operator":"In","values":["spot","on-demand"]}`), b1, one("x", "b1", "3")}},
	} {
		r := question.Consolidate(read(t, list(append(slices.Clone(all), x.items...)...)), constraint.Default(), question.ConsolidateOptions{Prices: prices, MaxCommands: 1})
		got := ""
		for _, c := range r.Commands {
			got = c.Kind + ": " + strings.Join(c.Nodes, ", ")
			if c.Replacement != "" {
				got += " > " + c.Replacement[:strings.LastIndex(c.Replacement, ",")]
			}
		}
		if got != x.want {
			t.Errorf("%s: %q, want %q; kept %v", x.subject, got, x.want, r.Kept)
		}
	}
}
