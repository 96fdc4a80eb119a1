package solve

import (
	"fmt"
	"slices"
)

// New is the current host of a task that does not run yet.
const New = -1

// Adaptation asks for a new allocation of jobs that partly run already, when
// needs have changed, jobs have come or gone (section 6.1, constraints
// (22)-(31)). Memory that moves between hosts counts against Budget; CPU shares
// change for free, and a new task may start anywhere.
type Adaptation struct {
	Instance Instance
	Current  [][]int // host of each task of each job, New if it does not run yet
	// Budget is the memory that may migrate, in hosts' memories (31); with
	// CountMoves it is the number of tasks. 0 forbids migration.
	Budget     float64
	CountMoves bool
	// Cost sets the cost of migrating each task in units of the budget: bytes, say. It has the
	// shape of Current, and its values are above 0; nil if memory counts.
	Cost [][]float64
	// ExactTasks is the size up to which branch and bound follows the heuristic.
	ExactTasks int
	// Even leaves every job at the smallest yield, for who calls Allot later.
	Even bool
}

// Adapted is a plan with its migrations.
type Adapted struct {
	Result
	Moved float64 `json:"moved"` // memory of the migrated tasks, in hosts' memories
	Moves int     `json:"moves"` // migrated tasks
}

// Validate returns an error of one sentence if a is invalid.
func (a Adaptation) Validate() error {
	if err := a.Instance.Validate(); err != nil {
		return err
	}
	if !(a.Budget >= 0) {
		return fmt.Errorf("budget is %g; give 0 or more", a.Budget)
	}
	if len(a.Current) != len(a.Instance.Jobs) {
		return fmt.Errorf("current has %d jobs, the instance %d; give one list of hosts a job", len(a.Current),
			len(a.Instance.Jobs))
	}
	if a.Cost != nil && len(a.Cost) != len(a.Current) {
		return fmt.Errorf("cost has %d jobs, the instance %d; give one list of costs a job, or none at all",
			len(a.Cost), len(a.Current))
	}
	for i, hosts := range a.Current {
		if len(hosts) != a.Instance.Jobs[i].Tasks {
			return fmt.Errorf("job %d: current has %d tasks, the instance %d; give one host a task", i, len(hosts),
				a.Instance.Jobs[i].Tasks)
		}
		for k, h := range hosts {
			if h < New || h >= a.Instance.Hosts {
				return fmt.Errorf("job %d: task %d runs on host %d; give 0 to %d, or -1 for a new task", i, k,
					h, a.Instance.Hosts-1)
			}
			if a.Cost != nil && (len(a.Cost[i]) != len(hosts) || !(a.Cost[i][k] > 0 && a.Cost[i][k] < inf)) {
				return fmt.Errorf("job %d: cost is %v; give a number above 0 for each of its %d tasks", i, a.Cost[i],
					len(hosts))
			}
		}
	}
	return nil
}

// Adapt finds an allocation of the largest smallest yield it can within the
// budget; of several it prefers to move less. Instances of up to ExactTasks
// tasks are solved by branch and bound (Result.Proven), larger ones by the local
// search of local.go. Feasible is false when no allocation was found.
func Adapt(a Adaptation, opt Options) (Adapted, error) {
	if err := a.Validate(); err != nil {
		return Adapted{}, err
	}
	if err := opt.Validate(); err != nil {
		return Adapted{}, err
	}
	t, from := flatten(a.Instance), a.origin()
	if !t.fitsInTotal() {
		return Adapted{Result: infeasible(a.Instance, "adapt", true)}, nil
	}
	found := outcome{host: adaptLocally(t, from, opt)}
	if t.len() <= a.ExactTasks {
		found = newSearch(t, from, found.host, opt.StepLimit).run()
	}
	found.even = a.Even
	if found.host != nil {
		found.host = from.sendHome(t, found.host)
		found.searched = t.yieldOf(found.host)
	}
	adapted := Adapted{Result: assemble(a.Instance, t, "adapt", found, true)}
	for i, h := range found.host {
		if from.home[i] != New && from.home[i] != h {
			adapted.Moved += t.mem[i]
			adapted.Moves++
		}
	}
	return adapted, nil
}

// origin holds the present hosts of the tasks and the costs of moving them.
type origin struct {
	home   []int32   // by task: its present host, or New
	weight []float64 // by task: the part of the budget that its migration takes
	budget float64   // sum of weights that may migrate
}

// settled is the origin of a static problem: nothing runs yet.
func settled(t tasks) origin {
	return origin{home: slices.Repeat([]int32{New}, t.len()), weight: make([]float64, t.len())}
}

// origin returns the present hosts, the weight of each task's migration (Cost, else 1 with CountMoves,
// else memory) and the budget with its slack. It works on a valid Adaptation.
func (a Adaptation) origin() origin {
	from := origin{budget: a.Budget + Slack}
	for i, hosts := range a.Current {
		weight := a.Instance.Jobs[i].Mem
		if a.CountMoves {
			weight = 1
		}
		for k, h := range hosts {
			if a.Cost != nil {
				weight = a.Cost[i][k]
			}
			from.home = append(from.home, int32(h))
			from.weight = append(from.weight, weight)
		}
	}
	return from
}

// cost returns the part of the budget that running a task on host h takes.
func (from origin) cost(task, h int32) float64 {
	if from.home[task] == New || from.home[task] == h {
		return 0
	}
	return from.weight[task]
}

// total returns the part of the budget that a placement takes.
func (from origin) total(host []int32) float64 {
	sum := 0.0
	for i, h := range host {
		sum += from.cost(int32(i), h)
	}
	return sum
}

// sendHome returns a placement without the migrations that the smallest yield does not need; the dearest
// are taken back first. host itself changes too: swapTwins exchanges equal tasks in it.
func (from origin) sendHome(t tasks, host []int32) []int32 {
	from.swapTwins(t, host)
	l := newLayout(t, from, host)
	limit := 1 / t.yieldOf(host)
	for _, i := range sorted(t.len(), func(i int32) float64 { return -from.cost(i, host[i]) }) {
		if from.cost(i, host[i]) == 0 {
			break
		}
		if l.fits(i, from.home[i], limit) {
			l.move(i, from.home[i])
		}
	}
	return l.host
}
