package metric

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"

	"parley/core/cluster"
	"parley/core/unit"
	"parley/core/workload"
)

// Tasks folds the events of placed tasks into figures for their users, as Jobs does for rigid jobs:
// wait, response time and bounded slowdown of every task that ran to an end of any kind. A run that
// ended with the loss of the node counts as wait. Memory is bounded by the tasks alive at a time,
// because a trace may end hundreds of millions.
//
//	t := metric.NewTasks(view)
//	t.Observe(event)
//	fmt.Println(t.Report().WaitS.Median)
type Tasks struct {
	view     cluster.View
	alive    []taskTimes // by the task's slot
	waits    spans
	answers  spans // response times
	slows    spans // bounded slowdowns, in millionths
	classes  [2]taskSums
	users    map[uint32]*taskSums
	first    unit.Time // submission
	last     unit.Time // end
	withdrew int64     // tasks that ended while they waited
}

// taskTimes has the times of a task that has not ended.
type taskTimes struct {
	submitted, started unit.Time // started: -1 while it waits
	user               uint32
	class              workload.PriorityClass
}

// classNames are the classes as reports spell them.
var classNames = [2]string{workload.Batch: "batch", workload.Production: "production"}

// taskSums are the sums of some of the tasks.
type taskSums struct {
	tasks                int64
	wait, response, slow float64 // seconds, and bounded slowdowns
}

// NewTasks returns an observer of a cluster's tasks that has seen none.
func NewTasks(v cluster.View) *Tasks {
	return &Tasks{view: v, first: -1, users: map[uint32]*taskSums{}}
}

// Reserve makes room for a given number of tasks at a time. More may come.
func (t *Tasks) Reserve(tasks int) { t.alive = slices.Grow(t.alive, tasks) }

// Observe takes an event.
func (t *Tasks) Observe(e cluster.Event) {
	switch e.Kind {
	case cluster.TaskSubmitted:
		slot := int(e.Task.Slot())
		for slot >= len(t.alive) {
			t.alive = append(t.alive, taskTimes{})
		}
		task, _ := t.view.Task(e.Task)
		t.alive[slot] = taskTimes{submitted: e.At, started: -1, user: task.User, class: task.Class}
		if t.first < 0 {
			t.first = e.At
		}
	case cluster.TaskPlaced:
		t.alive[e.Task.Slot()].started = e.At
	case cluster.TaskDisplaced:
		t.alive[e.Task.Slot()].started = -1
	case cluster.TaskEnded:
		t.end(&t.alive[e.Task.Slot()], e.At)
	}
}

// end takes a task that is over.
func (t *Tasks) end(one *taskTimes, at unit.Time) {
	if one.started < 0 {
		t.withdrew++
		return
	}
	run, response := at-one.started, at-one.submitted
	slow := max(1, response.Seconds()/max(run, SlowdownBound).Seconds())
	t.waits.add(int64(response - run))
	t.answers.add(int64(response))
	t.slows.add(int64(min(slow, 9e12) * 1e6))
	t.last = at
	user := t.users[one.user]
	if user == nil {
		user = &taskSums{}
		t.users[one.user] = user
	}
	for _, s := range [...]*taskSums{&t.classes[one.class], user} {
		s.tasks++
		s.wait += (response - run).Seconds()
		s.response += response.Seconds()
		s.slow += slow
	}
}

// TasksReport summarises the placed tasks of a run. Times are in seconds. Means and
// the largest values are exact, medians and 95th percentiles to a hundredth of
// themselves.
type TasksReport struct {
	Submitted       int64                 `json:"submitted"`
	Ended           int64                 `json:"ended"`     // that ran then
	Withdrawn       int64                 `json:"withdrawn"` // that ended while they waited
	MakespanS       float64               `json:"makespan_s"`
	WaitS           Distribution          `json:"wait_s"`
	ResponseS       Distribution          `json:"response_s"`
	BoundedSlowdown Distribution          `json:"bounded_slowdown"`
	ByClass         map[string]TasksShare `json:"by_class"` // "batch", "production"
	ByUser          map[string]TasksShare `json:"by_user"`  // by number, the users with the most tasks; "others"
}

// TasksShare are the means of some of the tasks.
type TasksShare struct {
	Tasks           int64   `json:"tasks"`
	WaitS           float64 `json:"wait_s"`
	ResponseS       float64 `json:"response_s"`
	BoundedSlowdown float64 `json:"bounded_slowdown"`
}

// maxUsers is how many users a report of tasks names.
const maxUsers = 20

// Report summarises the events so far; nil if no task ended that ran.
func (t *Tasks) Report() *TasksReport {
	ended := t.waits.count
	if ended == 0 {
		return nil
	}
	r := &TasksReport{
		Submitted: t.view.Totals().Submitted, Ended: ended, Withdrawn: t.withdrew,
		MakespanS: (t.last - t.first).Seconds(),
		WaitS:     t.waits.distribution(), ResponseS: t.answers.distribution(), BoundedSlowdown: t.slows.distribution(),
		ByClass: map[string]TasksShare{}, ByUser: map[string]TasksShare{},
	}
	for class, s := range t.classes {
		if s.tasks > 0 {
			r.ByClass[classNames[class]] = s.means()
		}
	}
	numbers := make([]uint64, 0, len(t.users)) // a sort of these is in the program already
	for user := range t.users {
		numbers = append(numbers, uint64(user))
	}
	slices.SortStableFunc(numbers, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(t.users[uint32(b)].tasks, t.users[uint32(a)].tasks), cmp.Compare(a, b))
	})
	var others taskSums
	for i, user := range numbers {
		s := t.users[uint32(user)]
		if i < maxUsers {
			r.ByUser[strconv.FormatUint(user, 10)] = s.means()
			continue
		}
		others.tasks += s.tasks
		others.wait += s.wait
		others.response += s.response
		others.slow += s.slow
	}
	if others.tasks > 0 {
		r.ByUser["others"] = others.means()
	}
	return r
}

func (s taskSums) means() TasksShare {
	n := float64(s.tasks)
	return TasksShare{s.tasks, s.wait / n, s.response / n, s.slow / n}
}

// spans is a histogram of values from 0 on, exact below 128 and with 7 leading bits above: its
// values differ from the true ones by less than a hundredth. Times are in microseconds.
type spans struct {
	counts  []int64 // by bucket
	count   int64
	sum     float64
	largest int64
}

// leading is how many bits below the first one distinguish buckets.
const leading = 6

func (s *spans) add(x int64) {
	x = max(x, 0)
	b := bucket(x)
	for b >= len(s.counts) {
		s.counts = append(s.counts, 0)
	}
	s.counts[b]++
	s.count++
	s.sum += float64(x)
	s.largest = max(s.largest, x)
}

// bucket returns where a value is counted.
func bucket(x int64) int {
	shift := max(0, bits.Len64(uint64(x))-leading-1)
	return shift<<leading + int(x>>shift)
}

// middle returns the middle of a bucket.
func middle(b int) int64 {
	if b < 2<<leading {
		return int64(b)
	}
	shift := b>>leading - 1
	return int64(b-shift<<leading)<<shift + int64(1)<<shift/2
}

// distribution returns the distribution of the values, in seconds if they are microseconds.
func (s *spans) distribution() Distribution {
	if s.count == 0 {
		return Distribution{}
	}
	at := func(rank int64) float64 {
		seen := int64(0)
		for b, n := range s.counts {
			if seen += n; seen >= rank {
				return float64(min(middle(b), s.largest)) / 1e6
			}
		}
		return float64(s.largest) / 1e6
	}
	return Distribution{
		Mean: s.sum / float64(s.count) / 1e6, Median: (at((s.count+1)/2) + at(s.count/2+1)) / 2,
		P95: at((s.count*95 + 99) / 100), Max: float64(s.largest) / 1e6,
	}
}
