package solve

import (
	"math"
	"slices"
)

// maxTableau bounds the linear program of one group: 1.5 million entries are 12 MB
// and about a second. Larger groups are raised greedily, cheapest job first.
const maxTableau = 1_500_000

// raiseTogether returns the raise of the yield of each of g.jobs, at most most, for a group of several
// hosts. left is the CPU left on every host of the cluster and stays as it is. The result is optimal if
// the linear program has at most limit entries (hosts times jobs), and greedy otherwise.
func raiseTogether(g group, most float64, left []float64, limit int) []float64 {
	var raise []float64
	if g.hosts <= limit/len(g.jobs) {
		raise = maximiseSum(g, most, left)
	} else {
		raise = make([]float64, len(g.jobs))
		for k := range raise {
			raise[k] = most
		}
	}
	// Reduce the yields that exceed the hosts because of rounding (or of the greedy start, which
	// requests everything): each job, cheapest first, gets the CPU that the hosts of its tasks
	// still have.
	room := slices.Clone(left)
	from := firstDemand(g)
	for _, k := range g.cheapest() {
		for _, d := range g.demand[from[k]:from[k+1]] {
			raise[k] = max(0, min(raise[k], room[d.host]/d.cpu))
		}
		for _, d := range g.demand[from[k]:from[k+1]] {
			room[d.host] -= float64(raise[k] * d.cpu)
		}
	}
	return raise
}

// firstDemand returns positions in g.demand: job k has those from from[k] to before from[k+1].
func firstDemand(g group) []int {
	from := make([]int, len(g.jobs)+1)
	for _, d := range g.demand {
		from[d.job+1]++
	}
	for k := range g.jobs {
		from[k+1] += from[k]
	}
	return from
}

// maximiseSum returns the x by job that maximises sum x under 0 <= x <= limit and
// demand·x <= left, by the primal simplex method for bounded variables, started at
// x = 0. Each host with a demand is a row of the dictionary.
func maximiseSum(g group, limit float64, left []float64) []float64 {
	row := map[int32]int{}
	d := dictionary{limit: limit, columns: len(g.jobs)}
	for _, e := range g.demand {
		if _, seen := row[e.host]; !seen {
			row[e.host] = len(d.value)
			d.value = append(d.value, max(0, left[e.host]))
			d.matrix = append(d.matrix, make([]float64, len(g.jobs)))
		}
		d.matrix[row[e.host]][e.job] = e.cpu
	}
	d.start()
	for d.step() {
	}
	return d.solution()
}

// dictionary is the simplex tableau in condensed form: basic variables as
// functions of the non-basic ones, value[r] - sum over c of matrix[r][c]*x(c).
// Variables below columns are the jobs' raises (at most `most`), the others the
// hosts' slack (unbounded). A flipped variable is counted down from its bound.
type dictionary struct {
	limit    float64
	columns  int
	matrix   [][]float64
	value    []float64 // of the basic variables
	gain     []float64 // of the objective per unit of a non-basic variable
	basic    []int     // variable of each row
	nonbasic []int     // variable of each column
	flipped  []bool
	stalled  int // steps in a row that gained nothing
}

// Entries below epsilon count as zero: needs are fractions of 1.
const epsilon = 1e-11

var inf = math.Inf(1)

// start makes the tableau of the first vertex, all raises 0: the slacks of the hosts are basic, and each
// raise gains 1 per unit. matrix, value, most and columns must be set.
func (d *dictionary) start() {
	d.gain = make([]float64, d.columns)
	d.nonbasic = make([]int, d.columns)
	for c := range d.gain {
		d.gain[c], d.nonbasic[c] = 1, c
	}
	d.basic = make([]int, len(d.value))
	for r := range d.basic {
		d.basic[r] = d.columns + r
	}
	d.flipped = make([]bool, d.columns)
}

// step improves the solution by one exchange; false if it is optimal. The entering variable grows until
// it or a basic one reaches a bound. After more steps without gain than there are rows, entering picks
// by lowest number (Bland's rule), which cannot cycle.
func (d *dictionary) step() bool {
	column := d.entering()
	if column < 0 {
		return false
	}
	length, row, atBound := inf, -1, false
	if d.nonbasic[column] < d.columns {
		length = d.limit
	}
	for r := range d.value {
		a := d.matrix[r][column]
		reach, upper := inf, false
		switch {
		case a > epsilon:
			reach = d.value[r] / a
		case a < -epsilon && d.basic[r] < d.columns:
			reach, upper = (d.limit-d.value[r])/-a, true
		}
		if reach < length || reach == length && row >= 0 && d.basic[r] < d.basic[row] {
			length, row, atBound = reach, r, upper
		}
	}
	length = max(0, length)
	if float64(length*d.gain[column]) > epsilon {
		d.stalled = 0
	} else {
		d.stalled++
	}
	if row < 0 {
		d.flipColumn(column)
		return true
	}
	if atBound {
		d.flipRow(row)
	}
	d.pivot(row, column)
	return true
}

// entering returns the column of the non-basic variable that enters: the one with the largest gain, or
// with Bland's rule the lowest variable that gains. It returns -1 if none gains: the solution is
// optimal.
func (d *dictionary) entering() int {
	best := -1
	for c, gain := range d.gain {
		if gain <= epsilon {
			continue
		}
		if best < 0 || d.stalled > len(d.value) && d.nonbasic[c] < d.nonbasic[best] ||
			d.stalled <= len(d.value) && gain > d.gain[best] {
			best = c
		}
	}
	return best
}

// flipColumn replaces the non-basic variable x of a column by most - x: it is at its other bound then.
// The variable must be the raise of a job.
func (d *dictionary) flipColumn(c int) {
	d.flipped[d.nonbasic[c]] = !d.flipped[d.nonbasic[c]]
	for r, row := range d.matrix {
		d.value[r] -= float64(row[c] * d.limit)
		row[c] = -row[c]
	}
	d.gain[c] = -d.gain[c]
}

// flipRow replaces the basic variable x of a row by most - x. It must be the raise of a job.
func (d *dictionary) flipRow(r int) {
	d.flipped[d.basic[r]] = !d.flipped[d.basic[r]]
	d.value[r] = d.limit - d.value[r]
	for c := range d.matrix[r] {
		d.matrix[r][c] = -d.matrix[r][c]
	}
}

// pivot exchanges the basic variable of row r with the non-basic one of column c, whose entry must not
// be 0. Basic values that rounding makes negative become 0.
func (d *dictionary) pivot(r, c int) {
	pivot := d.matrix[r]
	scale := 1 / pivot[c]
	for k := range pivot {
		pivot[k] *= scale
	}
	pivot[c] = scale
	d.value[r] *= scale
	eliminate := func(row []float64) float64 {
		factor := row[c]
		if factor == 0 {
			return 0
		}
		for k, p := range pivot {
			if p != 0 {
				row[k] -= float64(factor * p)
			}
		}
		row[c] = float64(-factor * scale)
		return factor
	}
	for other, row := range d.matrix {
		if other != r {
			d.value[other] = max(0, d.value[other]-float64(eliminate(row)*d.value[r]))
		}
	}
	eliminate(d.gain)
	d.basic[r], d.nonbasic[c] = d.nonbasic[c], d.basic[r]
}

// solution returns the raise of each job, by its position in the group. Non-basic ones are 0, flipped
// ones are counted back from their bound.
func (d *dictionary) solution() []float64 {
	x := make([]float64, d.columns)
	for r, v := range d.basic {
		if v < d.columns {
			x[v] = min(d.value[r], d.limit)
		}
	}
	for v, down := range d.flipped {
		if down {
			x[v] = d.limit - x[v]
		}
	}
	return x
}
