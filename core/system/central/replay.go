package central

import (
	"parley/core/cluster"
	"parley/core/system"
	"parley/core/unit"
)

// replayer puts every task on the node where the workload recorded it, and back there after the
// node failed and returned, until the workload records another node.
type replayer struct {
	env      system.Env
	recorded int64
	home     map[unit.TaskID]unit.NodeID   // where each task was recorded last
	blocked  map[unit.NodeID][]unit.TaskID // tasks that a node could not take, until it comes up

	system.Decisions // what Explain returns; empty unless decisions are recorded
}

func newReplayer(env system.Env) *replayer {
	return &replayer{env: env, home: map[unit.TaskID]unit.NodeID{}, blocked: map[unit.NodeID][]unit.TaskID{}}
}

// On implements system.System. A task whose recorded node is down waits until that node is up.
func (r *replayer) On(e cluster.Event) error {
	switch e.Kind {
	case cluster.JobSubmitted:
		return errNoJobs
	case cluster.TaskRecorded:
		r.recorded++
		r.home[e.Task] = e.Node
		r.settle(e.Task)
	case cluster.TaskDisplaced:
		r.settle(e.Task)
	case cluster.TaskReleased:
		delete(r.home, e.Task)
		_ = r.env.Acts.Preempt(e.Task) // a task that waits already has nothing to leave
	case cluster.TaskEnded:
		delete(r.home, e.Task)
	case cluster.NodeUp:
		tasks := r.blocked[e.Node]
		delete(r.blocked, e.Node)
		for _, id := range tasks {
			r.settle(id)
		}
	}
	return nil
}

// settle puts a task onto the node where it was recorded, whatever runs there, and preempts it first if
// it is elsewhere. It does nothing for a task without a recorded node. If the cluster refuses, the task
// waits for that node.
func (r *replayer) settle(id unit.TaskID) {
	n, belongs := r.home[id]
	task, alive := r.env.View.Task(id)
	if !belongs || !alive || task.Node == n {
		return
	}
	if task.State != cluster.Waiting {
		if err := r.env.Acts.Preempt(id); err != nil {
			return
		}
	}
	if err := r.env.Acts.Place(id, n, cluster.Unchecked); err != nil {
		r.blocked[n] = append(r.blocked[n], id)
		return
	}
	if r.env.Wants(id) {
		after := r.env.View.Requested(n)
		r.Remember(system.Decision{
			At: r.env.Clock.Now(), Task: id, From: task.Node, To: n, Rule: ruleReplayed,
			Candidates: []system.Candidate{{Node: n, Answer: system.Chosen, After: after}},
		})
	}
}

// Warnings implements system.WarningSource.
func (r *replayer) Warnings() []string {
	if r.recorded > 0 {
		return nil
	}
	return []string{"replay found no recorded placement on a machine of the cluster: open a trace that has them, such as Google's task_events with its machine_events"}
}
