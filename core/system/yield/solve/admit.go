package solve

import "fmt"

// Admission is the answer to Admit. Place and CPU of a refused job are empty
// lists; the average yield is over the jobs that run.
type Admission struct {
	Adapted
	Refused []int // new jobs that may not start, ascending
}

// Admit adapts the allocation and refuses the new jobs with which the smallest
// yield would fall below floor, a yield in [0,1]. A job is new when none of its
// tasks runs. First all new jobs are tried at once; if that is too much they are
// tried one after the other in their order, each next to those admitted before.
// Running jobs are never refused, even where they miss the floor by themselves.
func Admit(a Adaptation, floor float64, opt Options) (Admission, error) {
	if !(floor >= 0 && floor <= 1) {
		return Admission{}, fmt.Errorf("floor is %g; give a yield from 0 to 1", floor)
	}
	everything, err := Adapt(a, opt)
	if err != nil || reaches(everything, floor) {
		return Admission{Adapted: everything}, err
	}
	var running, waiting []int
	for i, hosts := range a.Current {
		if isNew(hosts) {
			waiting = append(waiting, i)
		} else {
			running = append(running, i)
		}
	}
	var adm Admission
	if adm.Adapted, err = adaptOnly(a, running, opt); err != nil {
		return Admission{}, err
	}
	for _, job := range waiting {
		with := insertSorted(running, job)
		plan, err := adaptOnly(a, with, opt)
		if err != nil {
			return Admission{}, err
		}
		if reaches(plan, floor) {
			running, adm.Adapted = with, plan
		} else {
			adm.Refused = append(adm.Refused, job)
		}
	}
	if adm.Feasible {
		adm.spread(running, len(a.Current))
	}
	return adm, nil
}

func reaches(plan Adapted, floor float64) bool {
	return plan.Feasible && plan.MinYield >= floor-improvement
}

func isNew(hosts []int) bool {
	for _, h := range hosts {
		if h != New {
			return false
		}
	}
	return true
}

func insertSorted(jobs []int, job int) []int {
	with := make([]int, 0, len(jobs)+1)
	for at, j := range jobs {
		if j > job {
			return append(append(with, job), jobs[at:]...)
		}
		with = append(with, j)
	}
	return append(with, job)
}

// adaptOnly adapts the named jobs as if there were no others.
func adaptOnly(a Adaptation, jobs []int, opt Options) (Adapted, error) {
	some := a
	some.Instance.Jobs, some.Current, some.Cost = nil, nil, nil
	for _, j := range jobs {
		some.Instance.Jobs = append(some.Instance.Jobs, a.Instance.Jobs[j])
		some.Current = append(some.Current, a.Current[j])
		if a.Cost != nil {
			some.Cost = append(some.Cost, a.Cost[j])
		}
	}
	return Adapt(some, opt)
}

// spread gives the rows of Place and CPU back their numbers in the instance.
func (adm *Admission) spread(jobs []int, total int) {
	place, cpu := adm.Place, adm.CPU
	adm.Place, adm.CPU = make([][]int, total), make([][]float64, total)
	for i := range total {
		adm.Place[i], adm.CPU[i] = []int{}, []float64{}
	}
	for row, j := range jobs {
		adm.Place[j], adm.CPU[j] = place[row], cpu[row]
	}
}
