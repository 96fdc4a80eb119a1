// Package central is what people run today: one scheduler that sees the whole
// cluster and places each task once, by a simple rule.
//
// Policies: best-fit (least left over), worst-fit (most left over), first-fit
// (lowest node number), random (any node that fits), least-allocated (lowest
// requested share, the default score of kube-scheduler's NodeResourcesFit) and
// replay (where the workload's own scheduler recorded it). Tasks that fit
// nowhere wait and are tried again every minute, highest priority first.
//
//	{"policy":"best-fit","admission":"use"}
package central

import (
	"encoding/json"
	"slices"

	"parley/core/cluster"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/unit"
)

// Settings of the system.
type Settings struct {
	Policy    string `json:"policy"`    // one of Policies
	Admission string `json:"admission"` // "use": request + use there ≤ capacity, as Borg overcommits; "request": requests alone, as Kubernetes
}

// Policies are the names that Settings.Policy may have.
var Policies = []string{"best-fit", "worst-fit", "first-fit", "random", "least-allocated", "replay"}

// Default returns the settings that a scenario leaves out.
func Default() Settings { return Settings{Policy: "best-fit", Admission: "use"} }

// Validate says what is wrong with s, if anything.
func (s Settings) Validate() error { return system.Check(s.described()) }

// scheduler implements system.System for every policy but replay.
type scheduler struct {
	env     system.Env
	by      cluster.Check
	ranking ranking
	waiting []unit.TaskID

	system.Decisions // what Explain tells; empty unless somebody listens to notes
}

// New makes the system; it implements system.Factory.
func New(env system.Env, raw json.RawMessage) (system.System, error) {
	s := Default()
	if err := system.Decode(raw, &s); err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s.Policy == "replay" {
		return newReplayer(env), nil
	}
	by := cluster.ByUse
	if s.Admission == "request" {
		by = cluster.ByRequest
	}
	return &scheduler{env: env, by: by, ranking: ranking{
		view: env.View, score: scores[s.Policy], by: by, random: env.Rand("central/random"),
	}}, nil
}

// On implements system.System.
func (s *scheduler) On(e cluster.Event) error {
	switch e.Kind {
	case cluster.TaskSubmitted, cluster.TaskDisplaced:
		if !s.place(e.Task) {
			s.remember(e.Task, unit.NoNode, nil)
			s.waiting = append(s.waiting, e.Task)
		}
	case cluster.UsageSwept:
		s.ranking.forget()
		s.retry()
	case cluster.TaskPlaced, cluster.TaskRecorded, cluster.TaskReleased:
		// our own doing, or another scheduler's story
	default:
		s.ranking.forget()
	}
	return nil
}

// place puts a task onto the best node and reports whether it is settled.
func (s *scheduler) place(id unit.TaskID) bool {
	task, alive := s.env.View.Task(id)
	if !alive || task.State != cluster.Waiting {
		return true
	}
	n := s.ranking.best(id, &task)
	if n == unit.NoNode {
		return false
	}
	considered := s.consider(id)
	if err := s.env.Acts.Place(id, n, s.by); err != nil {
		return false
	}
	s.remember(id, n, considered)
	s.ranking.moved(n)
	return true
}

// shown is how many candidates a decision tells of; others fit too.
const shown = 12

// consider returns the best nodes for a task that waits, if somebody may ask.
func (s *scheduler) consider(id unit.TaskID) (candidates []system.Candidate) {
	if s.env.Note == nil {
		return nil
	}
	for _, c := range s.ranking.first(4 * shown) {
		if len(candidates) < shown && s.env.View.Fits(id, c.node, s.by) == nil {
			candidates = append(candidates, system.Candidate{Node: c.node, Score: c.score, Answer: "accepted"})
		}
	}
	return candidates
}

// remember keeps why a task went to n, the first of those considered, or that
// it fits nowhere (unit.NoNode).
func (s *scheduler) remember(id unit.TaskID, n unit.NodeID, considered []system.Candidate) {
	if s.env.Note == nil {
		return
	}
	if len(considered) > 0 {
		considered[0].Answer = "chosen"
	}
	s.Remember(system.Decision{At: s.env.Clock.Now(), Task: id, From: unit.NoNode, To: n, Candidates: considered})
}

// retry tries the waiting tasks again, highest priority first. A request that
// asks for at least as much as one that just failed is not tried.
func (s *scheduler) retry() {
	alive := s.waiting[:0]
	for _, id := range s.waiting {
		if t, ok := s.env.View.Task(id); ok && t.State == cluster.Waiting {
			alive = append(alive, id)
		}
	}
	s.waiting = alive
	slices.SortStableFunc(s.waiting, func(a, b unit.TaskID) int {
		ta, _ := s.env.View.Task(a)
		tb, _ := s.env.View.Task(b)
		return int(tb.Priority) - int(ta.Priority)
	})
	var failed []unit.Vec
	still := s.waiting[:0]
	for _, id := range s.waiting {
		t, _ := s.env.View.Task(id)
		if slices.ContainsFunc(failed, func(f unit.Vec) bool { return f.Within(t.Request) }) {
			still = append(still, id)
			continue
		}
		if !s.place(id) {
			still = append(still, id)
			if len(t.Constraints) == 0 && len(failed) < 32 {
				failed = append(failed, t.Request)
			}
		}
	}
	s.waiting = still
}

// score ranks a node for a task: the highest wins.
type score func(v cluster.View, n unit.NodeID, need unit.Vec, random *rng.Stream) float64

var scores = map[string]score{
	"best-fit":  func(v cluster.View, n unit.NodeID, need unit.Vec, _ *rng.Stream) float64 { return -left(v, n, need) },
	"worst-fit": func(v cluster.View, n unit.NodeID, need unit.Vec, _ *rng.Stream) float64 { return left(v, n, need) },
	"first-fit": func(_ cluster.View, n unit.NodeID, _ unit.Vec, _ *rng.Stream) float64 { return -float64(n) },
	"random":    func(_ cluster.View, _ unit.NodeID, _ unit.Vec, r *rng.Stream) float64 { return r.Float64() },
	"least-allocated": func(v cluster.View, n unit.NodeID, need unit.Vec, _ *rng.Stream) float64 {
		requested, capacity, sum := v.Requested(n), v.Capacity(n), 0.0
		for r := range need {
			sum -= float64(requested[r]+need[r]) / float64(max(capacity[r], 1))
		}
		return sum
	},
}

// left returns what stays free on a node, summed over the resources, in
// millionths of the reference machine.
func left(v cluster.View, n unit.NodeID, need unit.Vec) float64 {
	used, capacity, sum := v.Used(n), v.Capacity(n), int64(0)
	for r := range need {
		sum += int64(capacity[r]) - int64(used[r]) - int64(need[r])
	}
	return float64(sum)
}
