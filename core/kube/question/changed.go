package question

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ErrFigures is that a report has no names to compare.
var ErrFigures = errors.New("the report before has figures alone, without the answers that they are of: keep reports with --out or --json")

// Differs returns why two reports do not answer the same questions, nil if they do. One that was kept before reports
// said it is taken to be of the same.
func (r *Report) Differs(last *Report) error {
	if last == nil || last.Settings == nil || slices.Equal(r.Settings, last.Settings) {
		return nil
	}
	return fmt.Errorf("the report before was asked otherwise (%s; now %s), so that its figures cannot be compared: ask with the same flags, or keep a new one with --out",
		described(last.Settings), described(r.Settings))
}

func described(all []string) string {
	if len(all) == 0 {
		return "without flags"
	}
	return strings.Join(all, ", ")
}

// settings lists the settings on which the questions of a report depend.
func (o *ReportOptions) settings() []string {
	all := []string{}
	if o.Config != "" && o.Config != "default" {
		all = append(all, "config "+o.Config)
	}
	for _, flag := range []struct {
		set  bool
		name string
	}{{o.Drain.DeleteEmptyDir, "delete-emptydir-data"}, {o.Drain.Force, "force"}} {
		if flag.set {
			all = append(all, flag.name)
		}
	}
	if o.Seed > 1 {
		all = append(all, "seed "+strconv.FormatUint(o.Seed, 10))
	}
	return all
}

// Wide lists the changes since another report: nodes, their blockers, pods that a loss leaves
// pending, services, budgets, waiting pods, and requests of namespaces. It returns ErrFigures if the
// other report has only figures.
func (r *Report) Wide(last *Report) (Grid, error) {
	if last.Drain == nil || last.Node == nil || last.Requests == nil {
		return Grid{}, ErrFigures
	}
	var rows [][]string
	compare := func(subject string, before, now map[string]string) {
		names := map[string]bool{}
		for name := range before {
			names[name] = true
		}
		for name := range now {
			names[name] = true
		}
		var all []string
		for name := range names {
			if before[name] != now[name] {
				all = append(all, name)
			}
		}
		slices.Sort(all)
		for _, name := range all {
			rows = append(rows, []string{subject, name, cmp.Or(before[name], "–"), cmp.Or(now[name], "–")})
		}
	}
	compare("node, when it is drained", drainedNodes(last.Drain), drainedNodes(r.Drain))
	for _, loss := range []struct {
		subject     string
		before, now *Lost
	}{{"zone", last.Zone, r.Zone}, {"node", last.Node, r.Node}} {
		if loss.before == nil || loss.now == nil {
			continue
		}
		compare(loss.subject+" whose loss is worst", map[string]string{"": loss.before.Subject}, map[string]string{"": loss.now.Subject})
		for _, of := range []struct {
			subject string
			all     func(l *Lost) map[string]string
		}{
			{"pod, if that " + loss.subject + " is lost", func(l *Lost) map[string]string {
				all := map[string]string{}
				for _, s := range l.Stuck {
					all[s.Pod] = "pending: " + s.Reason
				}
				return all
			}},
			{"service, if that " + loss.subject + " is lost", func(l *Lost) map[string]string { return marked(l.Services, "no ready pod") }},
			{"budget, if that " + loss.subject + " is lost", func(l *Lost) map[string]string { return marked(l.Budgets, "fewer healthy pods than it wants") }},
		} {
			compare(of.subject, of.all(loss.before), of.all(loss.now))
		}
	}
	compare("nodes for pending pods", grows(last.Grow), grows(r.Grow))
	compare("namespace", byNamespace(last.Requests), byNamespace(r.Requests))
	return grid("What has changed, by name", []string{"what", "name", "before", "now"}, rows, len(rows)), nil
}

// drainedNodes says of each node whether it can be emptied.
func drainedNodes(d *Drained) map[string]string {
	all := map[string]string{}
	for _, s := range d.Steps {
		all[s.Node] = "can be emptied"
	}
	for _, k := range d.Kept {
		all[k.Node] = "kept: " + k.Reason + strings.TrimSuffix(" ("+cmp.Or(k.Budget, k.Pod)+")", " ()")
	}
	return all
}

func marked(names []string, how string) map[string]string {
	all := map[string]string{}
	for _, name := range names {
		all[name] = how
	}
	return all
}

// grows says how many nodes of each shape are to be added.
func grows(g *Grown) map[string]string {
	all := map[string]string{}
	for _, s := range g.Shapes {
		if s.Placed == 0 {
			continue
		}
		all[cmp.Or(within(s.Type, s.Zone), s.Like)] = fmt.Sprintf("%d take %d, %d are left", s.Nodes, s.Placed, s.Left)
	}
	return all
}

// byNamespace returns, by namespace, its bound and pending pods and requests as a text, to be compared
// between two reports.
func byNamespace(r *Requested) map[string]string {
	all := map[string]string{}
	for _, g := range r.Groups {
		parts := []string{count(g.Pods, "pod", "pods")}
		if g.Pending > 0 {
			parts = append(parts, fmt.Sprintf("%d pending", g.Pending))
		}
		for _, x := range g.Resources {
			if x.Requested > 0 && x.Resource != "pods" {
				parts = append(parts, amount(x.Resource, x.Requested))
			}
		}
		all[g.Name] = strings.Join(parts, ", ")
	}
	return all
}
