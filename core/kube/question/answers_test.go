package question_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/core/estimate"
	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/question"
	"parley/core/kube/usage"
	"parley/core/testkit/cases"
)

// list writes a small cluster: the items of a list, one a line, as JSON.
func list(items ...string) []byte {
	return []byte(`{"apiVersion":"v1","kind":"List","items":[` + strings.Join(items, ",\n") + `]}`)
}

func node(name, zone, cpu string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Node","metadata":{"name":%q,"labels":{"kubernetes.io/hostname":%q,"topology.kubernetes.io/zone":%q,"node.kubernetes.io/instance-type":"m"}},"status":{"allocatable":{"cpu":%q,"memory":"16Gi","pods":"110"},"conditions":[{"type":"Ready","status":"True"}]}}`, name, name, zone, cpu)
}

// pod writes a pod; owner is a kind, "" for none; more are fields of its spec after a comma.
func pod(name, on, owner, cpu, more string) string {
	owners := ""
	if owner != "" {
		owners = fmt.Sprintf(`,"ownerReferences":[{"apiVersion":"apps/v1","kind":%q,"name":%q,"uid":"u","controller":true}]`, owner, strings.ToLower(owner))
	}
	if on != "" {
		more += fmt.Sprintf(`,"nodeName":%q`, on)
	}
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"n","name":%q,"uid":%q,"labels":{"app":"web"}%s},"spec":{"schedulerName":"default-scheduler","containers":[{"name":"c","resources":{"requests":{"cpu":%q}}}]%s},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`, name, name, owners, cpu, more)
}

const spread = `,"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"topology.kubernetes.io/zone","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"web"}}}]`

// TestGoneIsNotNotReady: a zone that is gone is not a domain of topology spread, so that its pod
// fits elsewhere; one that is not ready is a domain without pods, so that it does not. Pods of
// StatefulSets wait only then. (k8s.io/kubernetes v1.33, pkg/controller/tainteviction)
func TestGoneIsNotNotReady(t *testing.T) {
	c := read(t, list(node("a", "z1", "4"), node("b", "z2", "4"), node("c", "z3", "4"),
		pod("web-1", "a", "ReplicaSet", "1", spread), pod("web-2", "b", "ReplicaSet", "1", spread), pod("web-3", "c", "ReplicaSet", "1", spread),
		strings.Replace(pod("db-0", "c", "StatefulSet", "1", ""), `"app":"web"`, `"app":"db"`, 1),
		strings.Replace(pod("agent", "c", "DaemonSet", "1", ""), `"app":"web"`, `"app":"agent"`, 1),
		strings.Replace(pod("lone", "c", "", "1", ""), `"app":"web"`, `"app":"lone"`, 1)))
	zone := question.Groups(c, "zone")[2]
	l := question.Lose(c, constraint.Default(), zone.Name, zone.Nodes, question.LoseOptions{})
	if l.Subject != "zone z3" || l.Stopped != 4 || l.Rescheduled != 2 || l.Daemons != 1 || l.Unowned != 1 || l.Pending != 0 {
		t.Errorf("gone: %+v", l)
	}
	l = question.Lose(c, constraint.Default(), zone.Name, zone.Nodes, question.LoseOptions{NotReady: true})
	if l.Stopped != 4 || l.Rescheduled != 0 || l.Waiting != 1 || l.Daemons != 1 || l.Unowned != 1 || l.Pending != 1 || l.PendingBound != 0 {
		t.Errorf("not ready: %+v", l)
	}
	want := "0/3 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }, 2 node(s) didn't match pod topology spread constraints. preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod."
	if len(l.Stuck) != 1 || l.Stuck[0].Pod != "n/web-3" || l.Stuck[0].Message != want {
		t.Errorf("not ready: %+v", l.Stuck)
	}
}

// TestLossesAddUp: each pod of a lost node has one fate, and the number that stays pending in
// any order is a lower bound of all orders.
func TestLossesAddUp(t *testing.T) {
	pending := 0
	for seed := range clusters() {
		c := read(t, cases.Movable(seed))
		for _, g := range question.Groups(c, "node") {
			for _, notReady := range []bool{false, true} {
				l := question.Lose(c, constraint.Default(), g.Name, g.Nodes, question.LoseOptions{NotReady: notReady, PlayOptions: question.PlayOptions{Plays: 3}})
				on, ending := 0, 0
				for i := range c.Pods {
					if p := &c.Pods[i]; p.Node == g.Nodes[0] {
						on++
						if gone(p) {
							ending++
						}
					}
				}
				pending += l.Pending
				if on != l.Stopped+l.NotEvicted || l.MinPending < l.PendingBound || l.MinPending > l.Pending || l.MaxPending < l.Pending || len(l.Stuck) != l.Pending {
					t.Errorf("case %d, %s, not ready %v: %d pods, %+v", seed, g.Name, notReady, on, l)
				}
				if left := l.Stopped - l.Daemons - l.Unowned - l.Waiting - l.NotRecreated - ending - l.Rescheduled; left < 0 || left > l.Pending+l.Preempted {
					t.Errorf("case %d, %s, not ready %v: %d pods are nowhere: %+v", seed, g.Name, notReady, left, l)
				}
			}
		}
	}
	if pending == 0 {
		t.Error("no loss leaves a pod pending")
	}
}

// TestGrow: three pods of 2 CPUs need three nodes of 4 CPUs of which a DaemonSet takes half of
// one, though their requests would fit into two.
func TestGrow(t *testing.T) {
	c := read(t, list(node("a", "z1", "4"), pod("agent", "a", "DaemonSet", "500m", ""), pod("big", "a", "ReplicaSet", "3", ""),
		pod("p1", "", "ReplicaSet", "2", ""), pod("p2", "", "ReplicaSet", "2", ""), pod("p3", "", "ReplicaSet", "2", ""),
		pod("small", "", "ReplicaSet", "100m", ""), pod("huge", "", "ReplicaSet", "4", "")))
	prices, err := question.ReadPrices("prices.csv", []byte("type,price,zone,currency\nm,0.5,,EUR\nm,0.4,z1,EUR\n"))
	if err != nil {
		t.Fatal(err)
	}
	g := question.Grow(c, constraint.Default(), question.GrowOptions{Prices: prices})
	s := g.Shapes[0]
	if g.Pending != 5 || g.Without != 1 || len(g.Shapes) != 1 || s.Nodes != 3 || s.Placed != 3 || s.Left != 1 || s.MinNodes != 2 {
		t.Errorf("%+v", g)
	}
	if want := 3 * 0.4 * question.HoursOfMonth; s.Cost.Month < want-1e-9 || s.Cost.Month > want+1e-9 || s.Cost.Currency != "EUR" {
		t.Errorf("%+v, want %v EUR a month", s.Cost, want)
	}
	if len(s.Reasons) != 1 || s.Reasons[0].Reason != "Insufficient cpu" {
		t.Errorf("huge is stopped by %+v", s.Reasons)
	}
}

// TestScoreSentence: what is not seen to differ is not called better, and by how much the
// best one may differ is told.
func TestScoreSentence(t *testing.T) {
	for want, differences := range map[string][]float64{
		"No configuration is seen to use fewer nodes than kube-scheduler's defaults.":                                                                      {0, 0, 0},
		"No configuration is seen to use fewer nodes than kube-scheduler's defaults. The difference of the best, most, is -0.3 nodes (95 %: -1.8 … +1.1).": {0, -1, 0},
		"most uses 2.0 nodes fewer than kube-scheduler's defaults. The 95 % interval is 0.8 … 3.2 nodes; as many pods stay pending.":                       {-2, -1.5, -2.5},
		"most uses 2.0 nodes more than kube-scheduler's defaults. The 95 % interval is 0.8 … 3.2 nodes; as many pods stay pending.":                        {2, 1.5, 2.5},
	} {
		d := estimate.Of(differences)
		s := question.Scored{Columns: []question.Column{{Name: "default", Values: []float64{40, 0}}, {Name: "most", Values: []float64{40 + d.Mean, 0}, Against: []estimate.Estimate{d, {}}}}}
		if got := s.Sentence(); got != want {
			t.Errorf("%v: %s\nwant %s", differences, got, want)
		}
	}
}

// TestScore: pods of 1 CPU on nodes of 4: LeastAllocated uses all four nodes, MostAllocated as
// few as hold them; a configuration against itself differs in nothing.
func TestScore(t *testing.T) {
	items := []string{}
	for i := range 4 {
		items = append(items, node(fmt.Sprint("n", i), "z1", "4"))
	}
	for i := range 8 {
		items = append(items, strings.Replace(pod(fmt.Sprint("p", i), "n0", "ReplicaSet", "1", ""), `"app":"web"`, fmt.Sprintf(`"app":"a%d"`, i), 1))
	}
	c := read(t, list(items...))
	only := func(strategy string) *constraint.Profile {
		p := constraint.Default()
		p.Scores = []constraint.Weight{{Plugin: constraint.NodeResourcesFit, Weight: 1}}
		p.Strategy.Type = strategy
		p.Strategy.Resources = []constraint.WeightedResource{{Name: "cpu", Weight: 1}}
		return p
	}
	s := question.Score(c, []question.Configured{{Name: "least", Profile: only(constraint.LeastAllocated)}, {Name: "most", Profile: only(constraint.MostAllocated)}, {Name: "least again", Profile: only(constraint.LeastAllocated)}}, question.ScoreOptions{Orders: 5})
	if s.Columns[0].Values[0] != 4 || s.Columns[1].Values[0] != 2 || s.Columns[1].Against[0].Mean != -2 {
		t.Errorf("nodes used: %+v", s.Columns)
	}
	for i, d := range s.Columns[2].Against {
		if d.Mean != 0 || d.SD != 0 {
			t.Errorf("%s differs from itself by %v", s.Figures[i], d.Mean)
		}
	}
}

// TestScoreLosesZones: eight pods of 1 CPU on two nodes of 4 in one zone and one in another. If
// the first zone is lost, 4 CPUs are left, so that 4 pods stay pending wherever they were; the
// loss of the other leaves none pending. Progress ends with all placements.
func TestScoreLosesZones(t *testing.T) {
	items := []string{node("a", "z1", "4"), node("b", "z1", "4"), node("c", "z2", "4")}
	for i := range 8 {
		items = append(items, strings.Replace(pod(fmt.Sprint("p", i), "", "ReplicaSet", "1", ""), `"app":"web"`, fmt.Sprintf(`"app":"a%d"`, i), 1))
	}
	limit := constraint.Default()
	limit.Strategy.Type = constraint.MostAllocated
	last, all := 0, 0
	s := question.Score(read(t, list(items...)), []question.Configured{{Name: "least", Profile: constraint.Default()}, {Name: "most", Profile: limit}},
		question.ScoreOptions{Orders: 3, ZoneLoss: true, Step: func(done, of int) {
			if done <= last {
				t.Errorf("%d placements after %d", done, last)
			}
			last, all = done, of
		}})
	at := len(s.Figures) - 1
	if s.Figures[at] != question.LostZone || s.Columns[0].Values[at] != 4 || s.Columns[1].Values[at] != 4 || s.Columns[1].Against[at].SD != 0 {
		t.Errorf("%v: %+v", s.Figures, s.Columns)
	}
	if last != all || all != 3*2*8*2 {
		t.Errorf("%d of %d placements are done", last, all)
	}
}

// TestRightSize: two pods request 2 CPUs and 8 GiB each and use 1 CPU and 1 GiB, on nodes of 4 CPUs
// and 16 GiB: half a node of CPU is free and 7/8 of one of memory, so that half a node counts.
func TestRightSize(t *testing.T) {
	large := func(name, on string) string {
		return strings.Replace(pod(name, on, "ReplicaSet", "2", ""), `"cpu":"2"`, `"cpu":"2","memory":"8Gi"`, 1)
	}
	c := read(t, list(node("a", "z1", "4"), node("b", "z1", "4"), large("p1", "a"), large("p2", "b")))
	u := usage.New()
	for range 3 {
		u.Add(usage.Series{Namespace: "n", Pod: "p1", Resource: kube.CPU}, 1)
		u.Add(usage.Series{Namespace: "n", Pod: "p2", Resource: kube.Memory}, 1<<30)
	}
	prices, err := question.ReadPrices("prices.csv", []byte("type,price\nm,1\n"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := question.RightSize(c, u)
	if err != nil {
		t.Fatal(err)
	}
	s.Price(c, prices)
	if len(s.Totals) != 2 || s.Totals[0].Nodes != 0.5 || s.Totals[1].Nodes != 0.875 || s.Nodes != 0.5 || s.Saved.Month != question.HoursOfMonth/2 {
		t.Errorf("%+v", s)
	}
	r := question.NewReport(c, constraint.Default(), question.ReportOptions{Prices: prices, Usage: u})
	for name, want := range map[string]float64{"right_size.nodes": 0.5, "right_size.price": 365, "right_size.memory_nodes": 0.875, "price.month": 1460, "price.drain": 730, "price.grow": 0} {
		if got := r.Figure(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// TestHostileNames: names of a dump are text in Markdown, and words in the script.
func TestHostileNames(t *testing.T) {
	c := read(t, list(node("a", "z1", "4"), node("b; rm -rf /", "z1", "4"), node("<b>|x", "z1", "4")))
	d := question.Drain(c, constraint.Default(), question.DrainOptions{})
	document := d.Document("x\n$(id)")
	if want := "node='b; rm -rf /'\nmark \"$node\"\nkubectl drain --ignore-daemonsets --timeout=10m --request-timeout=60s -- \"$node\""; !strings.Contains(document.Script, want) {
		t.Errorf("no %q in\n%s", want, document.Script)
	}
	for line := range strings.Lines(document.Script) {
		if strings.Contains(line, "$(id)") && !strings.HasPrefix(line, "#") {
			t.Errorf("the dump's name is no comment: %q", line)
		}
	}
	hostile := read(t, list(node("a", "z1", "4"), node("n\\n```\\n# x", "z1", "4"), node("@all http://h/", "z1", "4")))
	d = question.Drain(hostile, constraint.Default(), question.DrainOptions{})
	document = d.Document("x")
	for line := range strings.Lines(document.Markdown()) {
		if strings.HasPrefix(line, "# x") || strings.HasPrefix(line, "```\n") || strings.HasPrefix(line, "|") && (strings.Contains(line, "@") || strings.Contains(line, "://")) {
			t.Errorf("a name is Markdown: %q", line)
		}
	}
	for line := range strings.Lines(document.Text()) {
		if strings.HasPrefix(line, "# x") || strings.HasPrefix(line, "```") {
			t.Errorf("a name begins a line: %q", line)
		}
	}
	document = question.Drain(c, constraint.Default(), question.DrainOptions{}).Document("x\n$(id)")
	if text := document.Markdown(); strings.Contains(text[:strings.Index(text, "```sh")], "<b>") {
		t.Errorf("HTML of a name is left in\n%s", text)
	}
}

// TestZonesThatAreDisrupted: the control plane evicts nothing from a small zone of which more
// than two nodes and at least 55 % are not ready, and nothing at all if no node is ready.
func TestZonesThatAreDisrupted(t *testing.T) {
	var objects []string
	for _, name := range []string{"a0", "a1", "a2", "a3", "a4"} {
		objects = append(objects, node(name, "z1", "4"), pod("p-"+name, name, "ReplicaSet", "1", ""))
	}
	c := read(t, list(append(objects, node("b0", "z2", "4"))...))
	for _, want := range []struct{ lost, again, staying int }{{1, 1, 0}, {2, 2, 0}, {3, 0, 3}, {5, 5, 0}} {
		nodes := make([]int, want.lost)
		for i := range nodes {
			nodes[i] = i
		}
		l := question.Lose(c, constraint.Default(), "some", nodes, question.LoseOptions{NotReady: true})
		if l.Rescheduled+l.Pending != want.again || l.NotEvicted != want.staying {
			t.Errorf("%d of 5 nodes: %d evicted, %d stay; want %d and %d", want.lost, l.Rescheduled+l.Pending, l.NotEvicted, want.again, want.staying)
		}
	}
	if l := question.Lose(c, constraint.Default(), "all", []int{0, 1, 2, 3, 4, 5}, question.LoseOptions{NotReady: true}); l.NotEvicted != 5 || l.Stopped != 0 {
		t.Errorf("no node is ready: %d stop, %d stay", l.Stopped, l.NotEvicted)
	}
}

// TestControlCharacters: what would steer a terminal or break a line never leaves a dump's names.
func TestControlCharacters(t *testing.T) {
	c := read(t, []byte(strings.NewReplacer("ESC", `\u001b[31m`, "BEL", `\u0007`, "LF", `\n`).Replace(string(list(
		node("aESC", "zLF1", "4"), node("b", "z2", "4"), pod("pBELLFq", "aESC", "ReplicaSet", "1", ""),
	)))))
	d := question.Drain(c, constraint.Default(), question.DrainOptions{}).Document("x\x1b\n.json")
	l := question.Lose(c, constraint.Default(), "node a\x1b[31m", []int{0}, question.LoseOptions{}).Document()
	for _, text := range []string{d.Text(), d.Markdown(), d.Script, l.Text(), l.Markdown()} {
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }) || strings.Contains(text, "\nq") {
			t.Errorf("%q", text)
		}
	}
}
