package central

import (
	"slices"
	"strconv"

	"parley/core/system"
	"parley/core/unit"
)

// Zones implements system.ZoneSource: the partitions of the setting batch.queues, with the
// queues whose jobs run there; none if the setting names no nodes.
func (s *jobScheduler) Zones() []system.Zone {
	if len(s.parts) < 2 {
		return nil
	}
	zones := make([]system.Zone, len(s.parts))
	for part := range zones {
		var numbers []int
		for number, q := range s.queues.index {
			if s.queues.part[q] == part {
				numbers = append(numbers, int(number))
			}
		}
		slices.Sort(numbers) // the map has no order
		zones[part].Name = queueNames(numbers, s.queues.part[len(s.queues.part)-1] == part)
	}
	for n := range unit.NodeID(s.env.View.Nodes()) {
		z := &zones[s.queues.partOf(n)]
		z.Nodes = append(z.Nodes, n)
	}
	return slices.DeleteFunc(zones, func(z system.Zone) bool { return len(z.Nodes) == 0 || z.Name == "" })
}

// queueNames returns the queues of a partition in words; empty if there are none.
// others: the queues that the setting does not list are among them.
func queueNames(numbers []int, others bool) (text string) {
	for i, n := range numbers {
		if i > 0 {
			text += ", "
		}
		text += strconv.Itoa(n)
	}
	switch {
	case len(numbers) == 1:
		text = "queue " + text
	case len(numbers) > 1:
		text = "queues " + text
	}
	switch {
	case !others:
		return text
	case text == "":
		return "other queues"
	}
	return text + " and others"
}

// ZoneFigure implements system.ZoneSource: the jobs that wait for the partition.
func (s *jobScheduler) ZoneFigure(z system.Zone) string {
	return system.Waiting(s.partOf(z.Nodes[0]).site.Waiting())
}
