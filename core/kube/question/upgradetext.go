package question

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// time writes for how long a workload has no ready pod.
func (d *DownWorkload) time() string {
	s := durationText(d.Seconds)
	switch {
	case d.Still && d.Seconds < 1:
		return "longer than the upgrade"
	case d.Still:
		return s + " and longer than the upgrade"
	}
	return s
}

// Sentence returns the answer in a few sentences.
func (out *Upgraded) Sentence() string {
	after := func(x float64) string { return durationText(x) }
	if out.Nodes == 0 {
		return "No node is upgraded: none is asked about that is not of the control plane."
	}
	s := "The upgrade of " + count(out.Nodes, "node", "nodes")
	switch {
	case out.Complete && out.Stops > 0:
		s += fmt.Sprintf(" takes %s in %d of %d plays, and stops in the others.", &out.Seconds, out.Seconds.Plays, out.Plays)
	case out.Complete:
		s += fmt.Sprintf(" takes %s.", &out.Seconds)
	default:
		s += fmt.Sprintf(" stops after %s: %s", count(out.Done, "node", "nodes"), out.Stopped)
		if at := slices.IndexFunc(out.Steps, func(x UpgradedNode) bool { return x.Node == out.Stopped }); at >= 0 &&
			len(out.Steps[at].Blocks) > 0 {
			s += " cannot be emptied, because of " + strings.Join(out.Steps[at].Blocks, ", ")
		} else {
			s += " does not become empty"
		}
		s += "."
	}
	for i, b := range out.Budgets {
		if i == 2 {
			break
		}
		switch {
		case b.NeverAllowed:
			s += fmt.Sprintf(" The budget %s does not let %s go", b.Budget, b.Pod)
			if slices.Contains(out.Forced, b.Pod) {
				s += fmt.Sprintf(", which is deleted after %s all the same", after(b.Seconds))
			}
			s += "."
		default:
			s += fmt.Sprintf(" The budget %s keeps pods on %s, the longest for %s.", b.Budget, count(b.Nodes, "node", "nodes"), after(b.Seconds))
		}
	}
	if n := len(out.Pending); n > 0 {
		s += fmt.Sprintf(" %s pending at the end: %s.", count(n, "new pod is", "new pods are"), out.Pending[0].Reason)
	}
	if added := strings.TrimPrefix(addedText(out.Added), "; t"); added != "" {
		s += " T" + added + "."
	}
	if n := len(out.Down); n > 0 {
		s += fmt.Sprintf(" %s no ready pod for a time, %s for %s.", count(n, "workload has", "workloads have"), out.Down[0].Workload, out.Down[0].time())
	}
	if n := len(out.Lost); n > 0 {
		s += " " + count(n, "pod that no controller makes anew is gone for good.", "pods that no controller makes anew are gone for good.")
	}
	if out.Data > 0 {
		s += " " + count(out.Data, "pod loses its local volumes.", "pods lose their local volumes.")
	}
	if n := len(out.LeftOut); n > 0 {
		s += " " + count(n, "node of the control plane is left out.", "nodes of the control plane are left out.")
	}
	return s
}

// Document returns the answer for people.
func (out *Upgraded) Document() Document {
	after := func(x float64) string {
		if x < 0 {
			return "–"
		}
		return durationText(x)
	}
	var pools, steps, budgets, down [][]string
	for _, p := range out.Pools {
		limit := "none"
		if p.Limit > 0 {
			limit = after(p.Limit) + ", then " + p.AfterLimit
		}
		how := "in place"
		if p.Surge > 0 {
			how = count(p.Surge, "new node first", "new nodes first")
		}
		pools = append(pools, []string{
			p.Name, p.Manager, strconv.Itoa(p.Nodes), how, strconv.Itoa(p.Unavailable),
			limit, p.Boot.String(),
		})
	}
	for _, x := range out.Steps {
		steps = append(steps, []string{
			x.Node, x.Pool, after(x.Began), after(x.Emptied), after(x.Done),
			strconv.Itoa(x.Moved), strings.Join(x.Blocks, ", "),
		})
	}
	for _, b := range out.Budgets {
		took := after(b.Seconds)
		if b.NeverAllowed {
			took = "for ever, or until the limit"
		}
		budgets = append(budgets, []string{b.Budget, strconv.Itoa(b.Nodes), b.Pod, took, b.Text})
	}
	for _, d := range out.Down {
		down = append(down, []string{d.Workload, d.time()})
	}
	return Document{Title: "How does the upgrade of the nodes go?", Sentence: out.Sentence(), Method: out.Method, Watch: out.watch, Grids: []Grid{
		caveats(&out.Method, out.Caveats),
		grid("Pools", []string{"pool", "as", "nodes", "how", "unavailable nodes", "limit of a drain", "a node is ready after"}, pools, maxRows),
		grid("Budgets that keep pods on their nodes", []string{"disruption budget", "nodes", "pod", "for", "in the API server's words"}, budgets, maxRows),
		addedGrid(out.Added),
		stuckGrid(out.Pending),
		grid("Workloads without a ready pod", []string{"workload", "for"}, down, maxRows),
		list("Pods that do not come back: they have no controller", out.Lost),
		list("Pods that are deleted when the limit has passed", out.Forced),
		grid("Nodes in their order, with median times", []string{"node", "pool", "begins after", "empty after", "done after", "pods that leave", "kept by"}, steps, maxRows),
		list("Nodes of the control plane, which are left out", out.LeftOut),
	}}
}
