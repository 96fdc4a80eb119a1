package solve_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"parley/core/rng"
	"parley/core/system/yield/solve"
)

const tight = 1e-9

// relaxedPoint is a point (e, a, Y) of the relaxed program as one vector.
type relaxedPoint struct {
	in    solve.Instance
	tasks []*task
	x     []float64
}

func pointOf(in solve.Instance, shares [][]solve.Share) relaxedPoint {
	p := relaxedPoint{in: in, tasks: tasksOf(in)}
	p.x = make([]float64, 2*len(p.tasks)*in.Hosts+1)
	for i, row := range shares {
		for _, s := range row {
			p.x[p.e(i, s.Host)], p.x[p.a(i, s.Host)] = s.E, s.CPU
		}
	}
	p.x[p.y()] = solve.Bound(in)
	return p
}

func (p relaxedPoint) e(i, h int) int { return i*p.in.Hosts + h }
func (p relaxedPoint) a(i, h int) int { return (len(p.tasks)+i)*p.in.Hosts + h }
func (p relaxedPoint) y() int         { return len(p.x) - 1 }

// constraint is sum of coefficient*x <= bound.
type constraint struct {
	name        string
	coefficient map[int]float64
	bound       float64
}

// constraints lists (5) to (11), equations as two inequalities.
func (p relaxedPoint) constraints() []constraint {
	var all []constraint
	for i, t := range p.tasks {
		once, need, yield := map[int]float64{}, map[int]float64{}, map[int]float64{p.y(): t.cpu}
		minusOnce := map[int]float64{}
		for h := range p.in.Hosts {
			e, a := p.e(i, h), p.a(i, h)
			once[e], minusOnce[e], need[a], yield[a] = 1, -1, 1, -1
			all = append(all, constraint{"(5)", map[int]float64{e: -1}, 0}, constraint{"(5)", map[int]float64{e: 1}, 1},
				constraint{"(6)", map[int]float64{a: -1}, 0}, constraint{"(6)", map[int]float64{a: 1, e: -1}, 0})
		}
		all = append(all, constraint{"(7)", once, 1}, constraint{"(7)", minusOnce, -1},
			constraint{"(10)", need, t.cpu}, constraint{"(11)", yield, 0})
	}
	for h := range p.in.Hosts {
		cpu, mem := map[int]float64{}, map[int]float64{}
		for i, t := range p.tasks {
			cpu[p.a(i, h)], mem[p.e(i, h)] = 1, t.mem
		}
		all = append(all, constraint{"(8)", cpu, 1}, constraint{"(9)", mem, 1})
	}
	return all
}

func (c constraint) left(x []float64) float64 {
	sum := 0.0
	for k := range x { // in order, so that the sum is always the same
		sum += c.coefficient[k] * x[k]
	}
	return sum
}

// A feasible point is a vertex when the constraints it meets with equality have
// as many independent gradients as there are variables.
func TestVertexIsAVertex(t *testing.T) {
	random := rng.New(4, "yield/vertex")
	checked := 0
	for range 250 {
		in := randomInstance(random, 7, 4)
		shares := solve.Vertex(in)
		if shares == nil {
			if solve.Bound(in) != 0 {
				t.Fatalf("%+v: no vertex though the bound is %v", in, solve.Bound(in))
			}
			continue
		}
		p := pointOf(in, shares)
		var rows []float64
		active := 0
		for _, c := range p.constraints() {
			slack := c.bound - c.left(p.x)
			if slack < -tight {
				t.Fatalf("%+v: constraint %s broken by %v", in, c.name, -slack)
			}
			if slack < tight {
				row := make([]float64, len(p.x))
				for k, v := range c.coefficient {
					row[k] = v
				}
				rows, active = append(rows, row...), active+1
			}
		}
		var svd mat.SVD
		if !svd.Factorize(mat.NewDense(active, len(p.x), rows), mat.SVDNone) {
			t.Fatal("singular value decomposition failed")
		}
		if rank := svd.Rank(1e-9); rank != len(p.x) {
			t.Fatalf("%+v: rank %d of %d active constraints, %d variables: not a vertex", in, rank, active, len(p.x))
		}
		checked++
	}
	if checked < 150 {
		t.Fatalf("only %d vertices checked", checked)
	}
}

// The closed form of the bound is the optimum that a simplex solver finds.
func TestBoundIsTheOptimumOfTheRelaxedProgram(t *testing.T) {
	random := rng.New(5, "yield/relaxed")
	for range 60 {
		in := randomInstance(random, 5, 3)
		if solve.Bound(in) == 0 {
			continue
		}
		p := pointOf(in, nil)
		constraints := p.constraints()
		var kept []constraint // x >= 0 is built into the standard form
		for _, c := range constraints {
			if len(c.coefficient) > 1 || c.bound != 0 {
				kept = append(kept, c)
			}
		}
		n := len(p.x)
		matrix, right, cost := mat.NewDense(len(kept), n+len(kept), nil), make([]float64, len(kept)), make([]float64, n+len(kept))
		for r, c := range kept {
			for k, v := range c.coefficient {
				matrix.Set(r, k, v)
			}
			matrix.Set(r, n+r, 1)
			right[r] = c.bound
		}
		cost[p.y()] = -1
		optimum, _, err := lp.Simplex(cost, matrix, right, 1e-10, nil)
		if err != nil {
			t.Fatalf("%+v: simplex: %v", in, err)
		}
		// The program lets a yield exceed nothing: (10) caps it at 1.
		if math.Abs(-optimum-solve.Bound(in)) > 1e-7 {
			t.Fatalf("%+v: bound %v, simplex %v", in, solve.Bound(in), -optimum)
		}
	}
}
