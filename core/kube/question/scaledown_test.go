package question_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/plane"
	"parley/core/kube/question"
	"parley/core/unit"
)

// TestScaleDown: what the cluster autoscaler does with small clusters, by its rules and settings. That a packing could do
// more is the answer of a drain.
func TestScaleDown(t *testing.T) {
	prices, err := question.ReadPrices("prices.csv", []byte("type,price,currency\nm,0.2,EUR\n"))
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := node("a", "z1", "4"), node("b", "z1", "4"), node("c", "z1", "4")
	annotated := func(object, key, value string) string {
		return strings.Replace(object, `"metadata":{`, `"metadata":{"annotations":{"cluster-autoscaler.kubernetes.io/`+key+`":"`+value+`"},`, 1)
	}
	labelled := func(object, key, value string) string {
		return strings.Replace(object, `"labels":{`, `"labels":{"`+key+`":"`+value+`",`, 1)
	}
	system := func(created string) string {
		return strings.NewReplacer(`"namespace":"n"`, `"namespace":"kube-system"`, `"metadata":{`, `"metadata":{"creationTimestamp":"`+created+`",`).Replace(one("dns", "a", "1"))
	}
	// Another pod says what time it is.
	now := strings.Replace(one("now", "b", "3"), `"metadata":{`, `"metadata":{"creationTimestamp":"2026-01-01T12:00:00Z",`, 1)
	disk := func(name, on string) string {
		return pod(name, on, "ReplicaSet", "1", `,"volumes":[{"name":"d","hostPath":{"path":"/d"}}]`)
	}
	for _, x := range []struct {
		subject  string
		o        question.ConsolidateOptions
		items    []string
		commands string // kind: the node, and when it begins
		kept     string // reasons, by node
	}{
		{"half is not less than half", question.ConsolidateOptions{}, []string{a, b, one("x", "a", "2"), one("y", "b", "2")}, "", "a: NotUnderutilized; b: NotUnderutilized"},
		{"but less than 60 %", question.ConsolidateOptions{Threshold: 60}, []string{a, b, one("x", "a", "2"), one("y", "b", "2")}, "drain: a at 600", "b: NotUnderutilized"},
		{"agents count as requested", question.ConsolidateOptions{}, []string{a, b, pod("d", "a", "DaemonSet", "3", ""), one("x", "a", "100m"), one("y", "b", "2")}, "", "a: NotUnderutilized; b: NotUnderutilized"},
		{"unless they are left out", question.ConsolidateOptions{Agents: true}, []string{a, b, pod("d", "a", "DaemonSet", "3", ""), one("x", "a", "100m"), one("y", "b", "2")}, "drain: a at 600", "b: NotUnderutilized"},
		{"after another time", question.ConsolidateOptions{Unneeded: unit.Minute}, []string{a, b, one("x", "a", "1"), one("y", "b", "1")}, "drain: a at 60", "b: NotUnderutilized"},
		{"empty nodes at once, and one stays", question.ConsolidateOptions{}, []string{a, b, c}, "empty: a at 600; empty: b at 600", "c: NodeGroupMinSizeReached"},
		{"but none has to", question.ConsolidateOptions{MinGroupSize: -1}, []string{a, b}, "empty: a at 600; empty: b at 600", ""},
		{"each group keeps its own", question.ConsolidateOptions{}, []string{labelled(a, "eks.amazonaws.com/nodegroup", "g"), b, c}, "empty: b at 600", "a: NodeGroupMinSizeReached; c: NodeGroupMinSizeReached"},
		{"Karpenter's nodes and the control plane are of others", question.ConsolidateOptions{}, []string{labelled(a, "karpenter.sh/nodepool", "p"), labelled(b, "node-role.kubernetes.io/control-plane", "")}, "", ""},
		{"an annotation of the node", question.ConsolidateOptions{MinGroupSize: -1}, []string{annotated(a, "scale-down-disabled", "true")}, "", "a: ScaleDownDisabledAnnotation"},
		{"a bare pod", question.ConsolidateOptions{MinGroupSize: -1}, []string{a, b, pod("x", "a", "", "1", "")}, "empty: b at 600", "a: NotReplicated"},
		{"that may be evicted", question.ConsolidateOptions{MinGroupSize: -1}, []string{a, b, annotated(pod("x", "a", "", "1", ""), "safe-to-evict", "true"), one("y", "b", "2")}, "drain: a at 600", "b: NotUnderutilized"},
		{"local storage", question.ConsolidateOptions{}, []string{a, b, disk("x", "a"), one("y", "b", "2")}, "", "a: LocalStorageRequested; b: NotUnderutilized"},
		{"that the autoscaler may lose", question.ConsolidateOptions{Local: true}, []string{a, b, disk("x", "a"), one("y", "b", "2")}, "drain: a at 600", "b: NotUnderutilized"},
		{"local storage that its pod gives up", question.ConsolidateOptions{}, []string{a, b, annotated(disk("x", "a"), "safe-to-evict-local-volumes", "d"), one("y", "b", "2")}, "drain: a at 600", "b: NotUnderutilized"},
		{"a pod in kube-system in its first hour", question.ConsolidateOptions{}, []string{a, b, system("2026-01-01T11:30:00Z"), now}, "drain: a at 2400", "b: NotUnderutilized"},
		{"and later", question.ConsolidateOptions{}, []string{a, b, system("2026-01-01T11:00:00Z"), now}, "drain: a at 600", "b: NotUnderutilized"},
		{"or if the autoscaler moves such pods", question.ConsolidateOptions{System: true}, []string{a, b, system("2026-01-01T11:30:00Z"), now}, "drain: a at 600", "b: NotUnderutilized"},
		{"no more removals than are asked for", question.ConsolidateOptions{MaxCommands: 1, MinGroupSize: -1}, []string{a, b, c, one("x", "a", "1"), one("y", "b", "1"), one("z", "c", "2")}, "drain: a at 600", "b: it waits for other removals; c: NotUnderutilized"},
	} {
		x.o.By, x.o.Prices = plane.ByAutoscaler, prices
		r := question.Consolidate(read(t, list(x.items...)), constraint.Default(), x.o)
		var commands, kept []string
		for _, k := range r.Commands {
			commands = append(commands, k.Kind+": "+strings.Join(k.Nodes, ", ")+" at "+fmt.Sprint(k.Began))
		}
		for _, k := range r.Kept {
			if k.Reason != "NotAutoscaled" {
				kept = append(kept, k.Node+": "+k.Reason)
			}
		}
		slices.Sort(kept)
		if got := strings.Join(commands, "; "); got != x.commands {
			t.Errorf("%s: %s, want %s", x.subject, got, x.commands)
		}
		if got := strings.Join(kept, "; "); got != x.kept {
			t.Errorf("%s: kept %s, want %s", x.subject, got, x.kept)
		}
		if s := r.Sentence(); s == "" || told(t, question.Consolidate(read(t, list(x.items...)), constraint.Default(), x.o)) != told(t, r) {
			t.Errorf("%s: %q, or another answer the second time", x.subject, s)
		}
	}
	r := question.Consolidate(read(t, list(a, b, c, one("x", "a", "1"), one("y", "b", "1"), one("z", "c", "2"))), constraint.Default(), question.ConsolidateOptions{By: plane.ByAutoscaler, Prices: prices})
	document := r.Document()
	text := document.Text()
	for _, want := range []string{"The cluster autoscaler would remove 1 of its 3 nodes (1 drained), the last after 10 min 5 s to 10 min 35 s. That saves 146.00 EUR a month.", "NotUnderutilized", "3 nodes have no label of a group", "reason, in the words of the autoscaler"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestLoseWithAutoscaler: the autoscaler adds nodes for the pods that a loss leaves pending, of kinds that are left.
func TestLoseWithAutoscaler(t *testing.T) {
	a, b := node("a", "z1", "4"), node("b", "z2", "4")
	items := []string{a, b, one("x", "a", "3"), one("y", "b", "3")}
	lost := func(o question.PlayOptions, items ...string) *question.Lost {
		return question.Lose(read(t, list(items...)), constraint.Default(), "zone z1", []int{0}, question.LoseOptions{PlayOptions: o})
	}
	with := question.PlayOptions{Plays: 3, Autoscaler: true}
	if l := lost(question.PlayOptions{Plays: 3}, items...); l.Pending != 1 || l.Added != nil {
		t.Errorf("without it: %s", l.Sentence())
	}
	l := lost(with, items...)
	document := l.Document()
	if l.Pending != 0 || l.MaxPending != 0 || len(l.Added) != 1 || l.Added[0].Nodes != 1 || l.Added[0].Like != "b" || l.Added[0].Pods != 1 ||
		l.Added[0].Ready-l.Added[0].Requested != 180 || l.Seconds.Middle <= l.Added[0].Ready || !strings.HasSuffix(l.Sentence(), "; the autoscaler adds 1 node, the last ready after 5 min.") || strings.Contains(document.Text(), "or nodes acts") {
		t.Errorf("%s %+v\n%s", l.Sentence(), l.Added, document.Text())
	}
	l = lost(with, a, strings.Replace(b, `"labels":{`, `"labels":{"karpenter.sh/nodepool":"p",`, 1), items[2], items[3])
	if document = l.Document(); l.Pending != 1 || l.Added != nil || !strings.Contains(document.Text(), "The cluster autoscaler adds no node") {
		t.Errorf("Karpenter's node: %s\n%s", l.Sentence(), document.Text())
	}
	// The pods of the node that is upgraded, and one that waits, have no room elsewhere.
	u := question.Upgrade(read(t, list(append(items, pod("wait", "", "StatefulSet", "4", ""))...)), constraint.Default(), question.UpgradeOptions{PlayOptions: with})
	if len(u.Added) != 1 || len(u.Pending) != 0 || !strings.Contains(u.Sentence(), " The autoscaler adds 2 nodes, the last ready after ") {
		t.Errorf("%s %+v", u.Sentence(), u.Added)
	}
}
