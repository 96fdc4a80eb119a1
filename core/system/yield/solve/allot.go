package solve

import "fmt"

// Allot divides the CPU of the hosts among tasks that stay on their hosts: every job gets the
// smallest yield that the placement allows, or base if that is less; unless even is set, the rest
// is given to the jobs with which it raises the mean yield most (sections 2.2 and 3.5). If parallel
// jobs couple hosts, that takes a linear program of hosts × jobs entries; beyond limit it is
// greedy. place is the host of each task of each job. Memory is not checked: a task that migrates
// is on its way to a host with room.
func Allot(in Instance, place [][]int, base float64, even bool, limit int) (Result, error) {
	a := Adaptation{Instance: in, Current: place}
	if err := a.Validate(); err != nil {
		return Result{}, err
	}
	t, host := flatten(in), a.origin().home
	for i, h := range host {
		if h == New {
			return Result{}, fmt.Errorf("job %d has a task without a host; give 0 to %d", t.job[i], in.Hosts-1)
		}
	}
	return assemble(in, t, "allot", outcome{host: host, searched: base, even: even, limit: limit}, false), nil
}
