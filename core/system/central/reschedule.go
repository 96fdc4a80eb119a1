package central

import (
	"cmp"
	"slices"

	"parley/core/cluster"
	"parley/core/kube/score"
	"parley/core/system"
	"parley/core/unit"
)

// rescheduler moves tasks off nodes that are used too much, every so often and with
// full knowledge: score.LowNodeUtilization decides which, the policy decides where to,
// among the underused nodes. The descheduler evicts; here a task migrates live, by the
// same act as any other and at the same cost.
type rescheduler struct {
	scheduler *scheduler
	settings  Rescheduler
	nodes     []score.Node
	pods      [][]unit.TaskID // of the overused nodes, in the order in which they are asked
	under     []bool
}

func (r *rescheduler) start(s *scheduler, settings Rescheduler) {
	r.scheduler, r.settings = s, settings
	if settings.Every > 0 {
		s.env.Clock.At(s.env.Clock.Now()+settings.Every, r, 0)
	}
}

// Fire implements des.Handler: one pass of Kubernetes' LowNodeUtilization, and the next one after
// settings.Every. It splits the nodes into underused and overused ones and moves tasks from these to
// those.
func (r *rescheduler) Fire(now unit.Time, _ uint64) {
	s := r.scheduler
	under, over := percents(r.settings.Under), percents(r.settings.Over)
	r.read()
	low, high := score.Split(r.nodes, under, over)
	r.under = append(r.under[:0], make([]bool, len(r.nodes))...)
	for _, n := range low {
		r.under[n] = true
	}
	r.pods = append(r.pods[:0], make([][]unit.TaskID, len(r.nodes))...)
	for _, n := range high {
		r.list(unit.NodeID(n))
	}
	s.counts.passes++
	s.counts.overused += int64(len(high))
	moved := s.counts.moved
	score.LowNodeUtilization(r.nodes, under, over, r.settings.MaxPerNode, func(e score.Eviction) bool {
		return r.move(r.pods[e.Node][e.Pod], unit.NodeID(e.Node))
	})
	if len(high) > 0 {
		s.note(notePass, unit.NoNode, unit.NoNode, unit.NoTask, float64(s.counts.moved-moved))
	}
	s.env.Clock.At(now+r.settings.Every, r, 0)
}

func percents(f Factors) score.Percents { return score.Percents{f.CPU, f.Memory, 100} }

// read reads the use, or the requests, of all nodes, without the tasks that are leaving them.
func (r *rescheduler) read() {
	v := r.scheduler.env.View
	r.nodes = r.nodes[:0]
	for n := range unit.NodeID(v.Nodes()) {
		used := v.Used(n)
		if r.settings.By == "request" {
			used = v.Requested(n)
		}
		one := score.Node{Usage: usageOf(used), Capacity: usageOf(v.Capacity(n)), Unschedulable: !v.Up(n)}
		r.nodes = append(r.nodes, one)
	}
	for m := range v.Migrations {
		t, _ := v.Task(m.Task)
		for i, amount := range r.amount(&t) {
			r.nodes[m.From].Usage[i] -= amount
		}
	}
}

func usageOf(v unit.Vec) score.Usage { return score.Usage{int64(v[unit.CPU]), int64(v[unit.Memory])} }

// amount returns the usage that a task counts as.
func (r *rescheduler) amount(t *cluster.Task) score.Usage {
	if r.settings.By == "request" {
		return usageOf(t.Request)
	}
	return usageOf(t.Usage)
}

// list puts the tasks of an overused node into the order in which they leave: the
// lowest priority first, of one priority the latest.
func (r *rescheduler) list(n unit.NodeID) {
	v := r.scheduler.env.View
	type candidate struct {
		task unit.TaskID
		pod  score.Pod
	}
	var all []candidate
	for id := range v.Tasks(n) {
		if t, _ := v.Task(id); t.State == cluster.Running {
			all = append(all, candidate{id, score.Pod{Usage: r.amount(&t), Priority: int32(t.Priority)}})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.pod.Priority, b.pod.Priority) })
	for _, one := range all {
		r.pods[n] = append(r.pods[n], one.task)
		r.nodes[n].Pods = append(r.nodes[n].Pods, one.pod)
	}
}

// move starts the migration of a task to the underused node that the policy likes best, and reports
// whether it began. A task without such a node counts as stuck.
func (r *rescheduler) move(id unit.TaskID, from unit.NodeID) bool {
	s := r.scheduler
	task, _ := s.env.View.Task(id)
	d := s.book.limits.demand(id, &task)
	to := s.policy.scan(&d, func(n unit.NodeID) bool { return r.under[n] })
	if to == unit.NoNode && s.book.limits.relax(&d) {
		to = s.policy.scan(&d, func(n unit.NodeID) bool { return r.under[n] })
	}
	if to == unit.NoNode {
		s.counts.stuck++
		s.remember(id, from, unit.NoNode, nil, ruleNoUnder)
		return false
	}
	considered := r.consider(&d, to)
	err := s.env.Acts.Migrate(id, to, s.book.limits.check)
	s.book.touch(to)
	if err != nil {
		s.counts.stuck++
		return false
	}
	s.counts.moved++
	s.note(noteMove, from, to, id, 0)
	s.remember(id, from, to, considered, "its node was used too much; among the underused ones, "+s.policy.rule())
	return true
}

// consider returns the underused nodes that have room, the best first, if somebody
// may ask.
func (r *rescheduler) consider(d *demand, to unit.NodeID) (list []system.Candidate) {
	s := r.scheduler
	if !s.env.Wants(d.task) || s.replayed() {
		return nil
	}
	for n := range unit.NodeID(len(r.under)) {
		if r.under[n] && n != to && s.env.View.Fits(d.task, n, s.book.limits.check) == nil && s.book.fits(d, n) &&
			s.policy.allows(d, n) {
			list = append(list, system.Candidate{Node: n, Score: s.policy.rank(d, n), Answer: "accepted"})
		}
	}
	slices.SortStableFunc(list, func(a, b system.Candidate) int { return cmp.Compare(b.Score, a.Score) })
	return s.become(d, first(list, to, s.policy.rank(d, to)))
}
