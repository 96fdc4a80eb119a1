package cluster

import (
	"fmt"

	"parley/core/unit"
)

// checkJobs verifies in constant time that no job was lost or counted twice.
func (c *Cluster) checkJobs() error {
	t := &c.totals.Jobs
	ended := int64(0)
	for _, n := range t.Ended {
		ended += n
	}
	if t.Submitted != int64(t.alive())+ended || t.Waiting < 0 || t.Running < 0 ||
		len(c.jobs)-len(c.freeJobs) != t.alive() {
		return fmt.Errorf("cluster: %d jobs submitted, but %d waiting + %d running + %d ended, in %d slots",
			t.Submitted, t.Waiting, t.Running, ended, len(c.jobs)-len(c.freeJobs))
	}
	if t.Busy < 0 || t.Busy > t.Processors {
		return fmt.Errorf("cluster: %d of %d processors are busy", t.Busy, t.Processors)
	}
	return nil
}

// auditJobs recomputes which jobs hold which processors, and adds their CPU to the nodes' sums.
func (c *Cluster) auditJobs(sums []sum) error {
	busy := make([]int32, len(c.nodes.processors))
	waiting, running := 0, 0
	for slot := range c.jobs {
		j, held := &c.jobs[slot], int64(0)
		for _, p := range j.parts {
			held += int64(p.Processors)
			busy[p.Node] += p.Processors
		}
		switch {
		case j.state == Waiting:
			waiting++
		case j.state == Running:
			running++
		}
		if want := int64(j.Processors); j.state == Running && held != want || j.state != Running && held != 0 {
			return fmt.Errorf("cluster: job %v is %v, asks for %d processors and holds %d", j.key, j.state, want, held)
		}
	}
	t, all, held := &c.totals.Jobs, int64(0), int64(0)
	for n := range c.nodes.processors {
		p := &c.nodes.processors[n]
		if c.nodes.state[n].up {
			all += int64(p.total)
		}
		held += int64(p.busy)
		if p.busy != busy[n] || p.busy > p.total || p.busy > 0 && !c.nodes.state[n].up {
			return fmt.Errorf("cluster: node %d, up %v, has %d processors of which %d are busy, and jobs hold %d",
				n, c.nodes.state[n].up, p.total, p.busy, busy[n])
		}
		sums[n].used[unit.CPU] += p.cpu
		sums[n].requested[unit.CPU] += p.cpu
	}
	if waiting != t.Waiting || running != t.Running || all != t.Processors || held != t.Busy {
		return fmt.Errorf("cluster: jobs %+v, but %d wait, %d run, %d of %d processors are busy", *t, waiting,
			running, held, all)
	}
	return nil
}
