package paper

import (
	"errors"
	"io"

	"parley/core/cluster"
	"parley/core/rng"
	"parley/core/unit"
	"parley/core/workload"
)

// placement is the placed population of a cell at time 0. No task arrives, ends or moves: only
// usage changes.
type placement struct {
	capacity []unit.Vec
	tasks    []placedTask
	jobs     []workload.Shared
	index    map[jobName]int
}

type placedTask struct {
	node, job int
	key       uint64
	mean      [unit.Resources]uint16
	request   unit.Vec
	class     workload.PriorityClass
}

type jobName struct {
	job      uint64
	movement *workload.Movement
}

// stand reads the population at time 0, at its recorded places or, with choose, on the nodes that
// choose returns for each request.
func stand(source workload.Source, choose func(s *placement, request unit.Vec) int) (*placement, error) {
	s := &placement{index: map[jobName]int{}}
	nodes, number := map[uint64]int{}, map[workload.Key]int{}
	type one struct {
		task workload.Task
		node int // index in s.capacity; -1 while it is on none
	}
	var all []one
	var r workload.Record
	for {
		if err := source.Next(&r); errors.Is(err, io.EOF) || err == nil && r.At > 0 {
			break
		} else if err != nil {
			return nil, err
		}
		i, known := number[r.Key]
		switch {
		case r.Kind == workload.NodeJoins:
			nodes[r.Machine] = len(s.capacity)
			s.capacity = append(s.capacity, r.Node.Capacity)
		case r.Kind == workload.TaskArrives && choose != nil:
			s.put(&r.Task, choose(s, r.Task.Request))
		case r.Kind == workload.TaskArrives:
			number[r.Key] = len(all)
			all = append(all, one{r.Task, -1})
		case r.Kind == workload.TaskRecorded && known:
			if node, there := nodes[r.Machine]; there {
				all[i].node = node
			}
		case r.Kind == workload.TaskChanges && known: // the trace tells most of its population so
			all[i].task.Request, all[i].task.Class = r.Task.Request, r.Task.Class
		case (r.Kind == workload.TaskEnds || r.Kind == workload.TaskReleased) && known:
			all[i].node = -1
		}
	}
	for i := range all {
		if all[i].node >= 0 {
			s.put(&all[i].task, all[i].node)
		}
	}
	if len(s.tasks) == 0 {
		return nil, errors.New("no task runs at the beginning of the workload")
	}
	return s, nil
}

func (s *placement) put(task *workload.Task, node int) {
	name := jobName{task.Usage.Job, task.Usage.Movement}
	job, known := s.index[name]
	if !known {
		job = len(s.jobs)
		s.index[name] = job
		s.jobs = append(s.jobs, task.Usage.Movement.Shared(task.Usage.Job))
	}
	s.tasks = append(s.tasks, placedTask{
		node: node, job: job, key: task.Usage.Key, mean: task.Usage.Mean,
		request: task.Request, class: task.Class,
	})
}

// leastRequestedOf returns a placement that ignores usage. It draws nodes at random and takes the one
// whose most requested resource is the least full.
func leastRequestedOf(several int, random *rng.Stream) func(*placement, unit.Vec) int {
	var requested []unit.Vec
	return func(s *placement, request unit.Vec) int {
		for len(requested) < len(s.capacity) {
			requested = append(requested, unit.Vec{})
		}
		best, lowest := 0, 0.0
		for i := range several {
			n := random.Intn(len(s.capacity))
			full := 0.0
			for r, c := range s.capacity[n] {
				full = max(full, float64(requested[n][r]+request[r])/float64(c))
			}
			if i == 0 || full < lowest {
				best, lowest = n, full
			}
		}
		requested[best] = requested[best].Add(request)
		return best
	}
}

// requests returns the requests of production tasks, in percent of the cell.
func (s *placement) requests() (production [unit.Resources]float64) {
	var capacity [unit.Resources]float64
	for _, c := range s.capacity {
		for r := range c {
			capacity[r] += float64(c[r])
		}
	}
	for i := range s.tasks {
		for r, x := range s.tasks[i].request {
			if s.tasks[i].class == workload.Production {
				production[r] += 100 * float64(x) / capacity[r]
			}
		}
	}
	return production
}

// usageFigures has the results of a standing cell.
type usageFigures struct {
	used        [unit.Resources]float64 // percent of the cell
	overloaded  float64                 // percent of the nodes
	worst       float64                 // the same in the window with the most
	classes     [cluster.LoadClasses]float64
	rises, peak float64 // nodes a minute whose use rose by more than a tenth of their capacity; in the worst minute
	relative    float64 // the same as rises, but by more than a tenth of the use before
	days        []seriesFigures
}

// play computes the usage of a given number of windows from the first on. It calls tell before each, and ends at its
// error. Each full day adds the figures of its jobs to days.
func (s *placement) play(windows int, tell func(window int) error) (f usageFigures, err error) {
	used, before := make([]unit.Vec, len(s.capacity)), make([]unit.Vec, len(s.capacity))
	var capacity [unit.Resources]float64
	for _, c := range s.capacity {
		for r := range c {
			capacity[r] += float64(c[r])
		}
	}
	jobs := make([]jobDay, len(s.jobs))
	for w := range windows {
		if err := tell(w); err != nil {
			return f, err
		}
		clear(used)
		for j := range s.jobs {
			s.jobs[j].Enter(int64(w))
			jobs[j][w%dayWindows] = 0
		}
		for i := range s.tasks {
			t := &s.tasks[i]
			use := s.jobs[t.job].Use(t.key, &t.mean, &t.request)
			used[t.node] = used[t.node].Add(use)
			jobs[t.job][w%dayWindows] += use[unit.CPU].Float()
		}
		f.addWindow(s.capacity, used, before, w > 0, float64(windows))
		for n := range used {
			for r := range used[n] {
				f.used[r] += 100 * float64(used[n][r]) / capacity[r] / float64(windows)
			}
		}
		if (w+1)%dayWindows == 0 {
			var days []*jobDay
			for j := range jobs {
				if jobs[j].belongs() {
					days = append(days, &jobs[j])
				}
			}
			if len(days) > 0 {
				f.days = append(f.days, figuresOf(days))
			}
		}
		used, before = before, used
	}
	return f, nil
}

// addWindow adds the figures of one of a given number of windows. before has the use in the window before; it counts
// only if second is set.
func (f *usageFigures) addWindow(capacity, used, before []unit.Vec, second bool, windows float64) {
	rises, relative, overloaded := 0.0, 0.0, 0
	for n, c := range capacity {
		class := cluster.ClassifyLoad(used[n], c)
		f.classes[class] += 100 / float64(len(capacity)) / windows
		if class == cluster.ClassOverloaded {
			overloaded++
		}
		if !second {
			continue
		}
		if rose(used[n], before[n], c, 10) {
			rises++
		}
		if rose(used[n], before[n], before[n], 10) {
			relative++
		}
	}
	f.overloaded = f.classes[cluster.ClassOverloaded]
	f.worst = max(f.worst, 100*float64(overloaded)/float64(len(capacity)))
	minutes := float64(workload.UsageWindow/unit.Minute) * max(1, windows-1)
	f.rises, f.relative = f.rises+rises/minutes, f.relative+relative/minutes
	f.peak = max(f.peak, rises)
}

// rose reports whether the use of some resource rose by more than this percentage of
// its amount in of.
func rose(used, before, of unit.Vec, percent int64) bool {
	for r := range used {
		if int64(used[r]-before[r])*100 > int64(of[r])*percent {
			return true
		}
	}
	return false
}

// ratio returns PA:DA.
func (f *usageFigures) ratio() float64 {
	return f.classes[cluster.ClassProportional] / max(f.classes[cluster.ClassDisproportionate], 0.01)
}
