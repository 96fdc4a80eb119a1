package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/core/cluster"
	"parley/core/strict"
)

// tabs are the tabs of the drawer, as the page has them (site/src/place/watch/panel/drawer.ts).
var tabs = []string{
	"lesson", "story", "graph", "gantt", "bids", "charts", "messages", "accounts", "tasks", "table",
	"formula", "program", "report",
}

// Unread returns an error if a link has a key that nothing reads: a key of no version that is
// known. settings are those of the systems that the link can be about.
func (a Address) Unread(settings []string) error {
	if len(a.More) == 0 {
		return nil
	}
	key := a.More[0][0]
	names := slices.Clone(linkKeys)
	for _, name := range settings {
		names = append(names, "x."+name)
	}
	nearest := strict.Nearest(key, names)
	if slices.Contains(settings, key) {
		nearest = "x." + key
	}
	return fmt.Errorf("the link also says %q, which nothing reads: did you mean %s?", shorten(key), nearest)
}

// UnreadMay returns an error if the scenario lets a class change settings that none of its
// systems has.
func (s *Scenario) UnreadMay(settings []string) error {
	for i, path := range s.May {
		name, is := strings.CutPrefix(path, "settings.")
		has := func(id string) bool { return id == name || strings.HasPrefix(id, name+".") }
		if is && !slices.ContainsFunc(settings, has) {
			return fmt.Errorf("may_change[%d] is %q, which is no setting of %s: did you mean settings.%s?", i,
				shorten(path), s.System, strict.Nearest(name, settings))
		}
	}
	return nil
}

// Machines returns how many nodes and racks a scenario has that makes its cluster itself.
func (s *Scenario) Machines() (nodes, racks int) {
	size := cluster.Default().RackSize
	if p := s.Cluster.Physical; p != nil {
		size = p.RackSize
	}
	return s.Cluster.Nodes, (s.Cluster.Nodes + size - 1) / size
}

// UnreadNotes returns an error if a note shows a tab that the page has not, or is beyond
// the end. If the numbers of nodes and racks are known, a note has one of them in its focus.
func (s *Scenario) UnreadNotes(known bool, nodes, racks int) error {
	for i, n := range s.Notes {
		kind, number, _ := strings.Cut(n.Focus, ".")
		focus, _ := strconv.Atoi(number) // checkNotes saw it
		limit := nodes
		if kind == "rack" {
			limit = racks
		}
		at := fmt.Sprintf("notes[%d]", i)
		switch {
		case n.Show != "" && !slices.Contains(tabs, n.Show):
			return fmt.Errorf("%s.show is %q, which is no tab of the page: did you mean %s?", at, shorten(n.Show),
				strict.Nearest(n.Show, tabs))
		case n.At > s.Until:
			return fmt.Errorf(
				"%s.at is %v, after the end of the run, which is at %v: choose an earlier moment, or a later until", at,
				n.At, s.Until,
			)
		case known && n.Focus != "" && limit == 0:
			return fmt.Errorf("%s.focus is %q, and the cluster has no %ss: leave it out", at, n.Focus, kind)
		case known && n.Focus != "" && focus >= limit:
			return fmt.Errorf("%s.focus is %q, which the cluster has not: choose %s.0 to %s.%d", at, n.Focus,
				kind, kind, limit-1)
		}
	}
	return nil
}
