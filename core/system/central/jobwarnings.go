package central

import "fmt"

// Warnings implements system.WarningSource: settings that do not suit the machine, and requests of jobs that are not
// played, each with the number of jobs.
func (s *jobScheduler) Warnings() (all []string) {
	all = append(all, s.ignored...)
	if s.tooLarge > 0 {
		need := "more processors than the machine ever had"
		if s.nodes.on {
			need = "what the nodes of the machine never have (batch.nodes)"
		}
		all = append(all, fmt.Sprintf("jobs that ask for %s: %d; they wait for ever and delay no other job", need, s.tooLarge))
	}
	for _, r := range s.nodes.ranges {
		if n := s.env.View.Nodes(); int(r.last) >= n {
			all = append(all, fmt.Sprintf("batch.nodes has nodes up to %d, and the machine has %d, numbered from 0: those beyond have no effect", r.last, n))
		}
	}
	if s.refused > 0 {
		all = append(all, fmt.Sprintf("jobs that are longer or wider than their queue takes (batch.queues): %d; they wait for ever and delay no other job", s.refused))
	}
	if s.overLimit > 0 {
		all = append(all, fmt.Sprintf("jobs whose group had as many submitted jobs as it may (submitted, batch.limits): %d; they are refused", s.overLimit))
	}
	if s.unplayed > 0 {
		how := "batch.nodes plays them, as in --set 'settings.batch.nodes=memory=256G gpus=4'"
		if s.nodes.on {
			how = "batch.nodes does not say how much of it a node has"
		}
		all = append(all, fmt.Sprintf("jobs that ask for memory, GPUs or whole nodes: %d; this is not played: %s", s.unplayed, how))
	}
	if s.scattered > 0 {
		all = append(all, fmt.Sprintf("jobs that ask for few leaf switches (--switches): %d; they take any nodes: batch.nodes with the word racks plays this, and cluster.physical.rack_size says how many nodes are under a switch", s.scattered))
	}
	if s.mixed {
		all = append(all, fmt.Sprintf("jobs with a quality of service, of several kinds: %d; no setting reads it: batch.limits bounds the jobs of one, as in --set 'settings.batch.limits=qos high: jobs=4'", s.unread))
	}
	if s.unthrottled > 0 {
		all = append(all, fmt.Sprintf("elements of arrays with a throttle: %d; it is not played under conservative-compress, which keeps what it promised: choose conservative", s.unthrottled))
	}
	if s.unreserved > 0 {
		all = append(all, fmt.Sprintf("reservations for which the machine is too small or other reservations leave no room (batch.reservations): %d; they were not made", s.unreserved))
	}
	return all
}
