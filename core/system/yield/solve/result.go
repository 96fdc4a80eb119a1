package solve

import (
	"cmp"
	"slices"
)

// Result is a plan. Its JSON is the output of `parley plan yield`.
type Result struct {
	Algorithm string  `json:"algorithm"`
	Feasible  bool    `json:"feasible"`  // a placement was found; for lp: the relaxed program has a solution
	MinYield  float64 `json:"min_yield"` // smallest yield of a job under CPU; 0 when not feasible
	AvgYield  float64 `json:"avg_yield"` // mean yield of the jobs under CPU; 0 when not feasible
	// Bound is a proven upper bound on the smallest yield: that of the relaxed
	// program, or exact's own, so that Bound-MinYield is how far exact may be off.
	Bound float64 `json:"bound"`
	// Proven is set by exact alone: the plan is optimal, or there is none.
	Proven bool        `json:"proven,omitempty"`
	Place  [][]int     `json:"place"` // host of each task of each job; empty when not feasible and for lp
	CPU    [][]float64 `json:"cpu"`   // CPU fraction each task of each job receives; shaped as Place
	// Searched is the yield the algorithm settled on before the average was
	// raised, the figure the paper reports. MinYield is never below it.
	Searched float64 `json:"-"`
}

func infeasible(in Instance, algorithm string, proven bool) Result {
	return Result{Algorithm: algorithm, Bound: Bound(in), Proven: proven, Place: [][]int{}, CPU: [][]float64{}}
}

// relaxed reports the bound. All CPU is used up at equal yields or every need is
// met, so the mean yield of the relaxed solution equals its smallest.
func relaxed(in Instance) Result {
	r := infeasible(in, "lp", false)
	r.Feasible = r.Bound > 0
	r.MinYield, r.AvgYield, r.Searched = r.Bound, r.Bound, r.Bound
	return r
}

// assemble turns the outcome of an algorithm into a plan.
func assemble(in Instance, t tasks, algorithm string, found outcome, raise bool) Result {
	r := infeasible(in, algorithm, found.proven)
	if found.bound > 0 {
		r.Bound = found.bound
	}
	if found.host == nil {
		return r
	}
	own := t.yieldOf(found.host)
	r.Feasible, r.Searched = true, min(found.searched, own)
	if raise {
		r.Searched = own
	}
	yields := slices.Repeat([]float64{r.Searched}, len(in.Jobs))
	if !found.even {
		yields = raiseAverage(in, t, found.host, r.Searched, cmp.Or(found.limit, maxTableau))
	}
	r.MinYield = 1
	r.Place, r.CPU = make([][]int, len(in.Jobs)), make([][]float64, len(in.Jobs))
	place, cpu := make([]int, t.len()), make([]float64, t.len())
	for i, h := range found.host {
		place[i] = int(h)
		cpu[i] = float64(t.cpu[i] * yields[t.job[i]])
	}
	for i, j := range in.Jobs {
		r.Place[i], place = place[:j.Tasks:j.Tasks], place[j.Tasks:]
		r.CPU[i], cpu = cpu[:j.Tasks:j.Tasks], cpu[j.Tasks:]
		r.MinYield = min(r.MinYield, yields[i])
		r.AvgYield += yields[i] / float64(len(in.Jobs))
	}
	if len(in.Jobs) == 0 {
		r.AvgYield = 1
	}
	return r
}
