package recorded

import (
	"fmt"

	"parley/core/cluster"
	"parley/core/protocol"
	"parley/core/unit"
)

// checks are the words for how a task must fit.
var checks = map[string]cluster.Check{
	"": cluster.ByUse, "use": cluster.ByUse, "request": cluster.ByRequest,
	"total": cluster.ByTotal,
}

// act performs one act and returns its verdict. An error means that the act is meaningless: a run
// with such a scheduler cannot be trusted.
func (s *asking) act(a *protocol.Act) (string, error) {
	if a.Do == protocol.DoStart || a.Do == protocol.DoPreemptJob {
		id, alive, err := s.jobs.find(a.Job, "job")
		if err != nil {
			return "", err
		}
		if !alive {
			return verdict(cluster.ErrGone)
		}
		return s.jobAct(a, unit.JobID(id))
	}
	id, alive, err := s.tasks.find(a.Task, "task")
	if err == nil && a.Node != nil {
		err = s.exists(*a.Node)
	}
	if err != nil {
		return "", err
	}
	if !alive {
		return verdict(cluster.ErrGone)
	}
	return s.taskAct(a, unit.TaskID(id))
}

// find returns the task or job of a number; false if it has ended. A number that was never given is an
// error.
func (d *ids) find(number int64, name string) (uint64, bool, error) {
	if number < 1 || number > d.last {
		return 0, false, fmt.Errorf("%s is %d: no %s of that number has arrived", name, number, name)
	}
	id, alive := d.id[number]
	return id, alive, nil
}

// exists returns an error unless there is such a node.
func (s *asking) exists(n unit.NodeID) error {
	if n < 0 || int(n) >= s.env.View.Nodes() {
		return fmt.Errorf("node is %d: there are nodes 0 to %d", n, s.env.View.Nodes()-1)
	}
	return nil
}

// taskAct performs an act on a task that is alive and returns its verdict. Node and By were checked.
func (s *asking) taskAct(a *protocol.Act, id unit.TaskID) (string, error) {
	switch a.Do {
	case protocol.DoPlace:
		return verdict(s.env.Acts.Place(id, *a.Node, checks[a.By]))
	case protocol.DoMigrate:
		return verdict(s.env.Acts.Migrate(id, *a.Node, checks[a.By]))
	case protocol.DoAllot:
		return verdict(s.env.Acts.Allot(id, a.CPU))
	}
	err := s.env.Acts.Preempt(id)
	if err == nil {
		s.own++
	}
	return verdict(err)
}

// jobAct performs an act on a job that is alive and returns its verdict. A start without parts takes
// free processors of the lowest nodes. A node that does not exist is an error.
func (s *asking) jobAct(a *protocol.Act, id unit.JobID) (string, error) {
	if a.Do == protocol.DoPreemptJob {
		err := s.env.Acts.PreemptAll(id)
		if err == nil {
			s.own++
		}
		return verdict(err)
	}
	if a.Parts == nil {
		return verdict(s.env.Acts.PlaceAll(id, s.lowest(id)))
	}
	parts := make([]cluster.Part, len(a.Parts))
	for i, p := range a.Parts {
		if err := s.exists(unit.NodeID(p[0])); err != nil {
			return "", fmt.Errorf("parts[%d]: %w", i, err)
		}
		parts[i] = cluster.Part{Node: unit.NodeID(p[0]), Processors: p[1]}
	}
	return verdict(s.env.Acts.PlaceAll(id, parts))
}

// lowest returns free processors of the lowest nodes that are up: as many as a job asks for, or all if
// they are fewer, which the cluster then refuses.
func (s *asking) lowest(id unit.JobID) (parts []cluster.Part) {
	j, _ := s.env.View.Job(id)
	need := j.Processors
	for n := range unit.NodeID(s.env.View.Nodes()) {
		if free := min(need, s.env.View.FreeProcessors(n)); free > 0 && s.env.View.Up(n) {
			parts = append(parts, cluster.Part{Node: n, Processors: free})
			if need -= free; need == 0 {
				break
			}
		}
	}
	return parts
}
