package yield

import (
	"math"

	"parley/core/system/yield/instance"
)

var variants = []string{"mcb8", "mcb5", "mcb6", "mcb7", "mcb3", "mcb2", "mcb1", "mcb4"} // as the tables rank them

// degradation is one line of table 1 or 7.
type degradation struct{ average, most float64 }

var table1 = map[string]degradation{
	"mcb8": {1.06, 40.45}, "mcb5": {1.60, 38.67}, "mcb6": {1.83, 37.61}, "mcb7": {3.91, 40.71},
	"mcb3": {11.76, 55.73}, "mcb2": {14.21, 48.30}, "mcb1": {14.90, 55.84}, "mcb4": {17.32, 46.95},
}

var table7 = map[string]degradation{
	"mcb8": {0.09, 3.16}, "mcb5": {0.25, 3.50}, "mcb6": {0.46, 16.68}, "mcb7": {1.04, 48.39},
	"mcb3": {4.07, 64.71}, "mcb2": {8.68, 46.68}, "mcb1": {10.97, 73.33}, "mcb4": {14.80, 61.20},
}

// Instances of each family in the paper's sets.
const (
	perSmallFamily = 10
	perLargeFamily = 100
)

// Table1 compares the eight bin packing variants on small instances. The paper's
// averages are over one random set of 1,440 instances, so they are judged by how
// far such sets lie apart; and neighbours must stand in the paper's order.
func Table1(e Effort) []Row { return e.degradations(instance.Small(), small, table1, perSmallFamily) }

// Table7 does so on large instances, of which the paper drew 10,800.
func Table7(e Effort) []Row { return e.degradations(instance.Large(), large, table7, perLargeFamily) }

// degradations measures by how many per cent each variant stays below the best
// one of an instance. Instances that no variant solves are left out. A variant
// that fails where another succeeds counts as 100 % in the average and not at
// all in the maximum: the reading under which both tables come out.
func (e Effort) degradations(set []instance.Spec, stream string, paper map[string]degradation, perFamily int) []Row {
	var claims []claim
	sampled := func(value, tolerance float64, reason string) func(*Row) {
		return func(r *Row) { r.Sampled(value, tolerance, float64(perFamily)/float64(e.PerFamily), reason) }
	}
	const unexplained = "farther from the paper's value than drawing another set explains: the sets differ in something that the text does not tell"
	for i, v := range variants {
		claims = append(claims, claim{
			name: v + " average", unit: "%", paper: said(paper[v].average),
			holds: sampled(paper[v].average, near(paper, i), "a tenth of it, or half way to the next line of the table"), note: unexplained,
		})
	}
	for _, v := range variants {
		claims = append(claims, claim{
			name: v + " maximum", unit: "%", paper: said(paper[v].most),
			note: "the maximum hangs on a single instance of the set; not judged",
		})
	}
	if stream == small {
		claims = append(claims,
			claim{
				name: "mcb8 more than 3 % below best", unit: "% of solved", paper: said(100 * 155. / 1379), holds: sampled(100*155./1379, 10*155./1379, "a tenth of it"), note: unexplained,
			},
			claim{
				name: "mcb8 more than 10 % below best", unit: "% of solved", paper: said(100 * 19. / 1379), holds: sampled(100*19./1379, 10*19./1379, "a tenth of it"), note: unexplained,
			})
	}
	for i := 1; i < len(variants); i++ {
		claims = append(claims, claim{name: farther(i), unit: "points", holds: atLeast(0), note: "the two stand the other way round in the paper's table"})
	}
	return e.repeat(func(seed uint64, e Effort) map[string]float64 {
		return e.degradation(set, stream, seed)
	}, claims)
}

// near returns how far an average may lie from a line of a table: a tenth of it, so that
// what differs by less is called the same, and no farther than half way to the nearest
// other line, which it could be taken for. Half way alone would let the least average of
// table 7, 0.09, nearly double.
func near(paper map[string]degradation, line int) float64 {
	nearest := math.Inf(1)
	for _, other := range []int{line - 1, line + 1} {
		if other >= 0 && other < len(variants) {
			nearest = min(nearest, math.Abs(paper[variants[line]].average-paper[variants[other]].average))
		}
	}
	return min(nearest/2, paper[variants[line]].average/10)
}

// farther names the row of by how much a variant stays farther below the best than the one
// before it in the tables.
func farther(line int) string {
	return variants[line] + " farther below the best than " + variants[line-1]
}

func (e Effort) degradation(set []instance.Spec, stream string, seed uint64) map[string]float64 {
	values := map[string]float64{}
	average := map[string]*mean{}
	for _, v := range variants {
		average[v] = &mean{}
		values[v+" maximum"] = 0
	}
	var above3, above10 mean
	e.each(set, stream, seed, func(d drawn) {
		found := map[string]solution{}
		best := 0.0
		for _, v := range variants {
			found[v] = e.run(d, v)
			best = max(best, found[v].minYield)
		}
		if best == 0 {
			return
		}
		for _, v := range variants {
			below := 100 * (best - found[v].minYield) / best
			average[v].add(below)
			if found[v].solved {
				values[v+" maximum"] = max(values[v+" maximum"], below)
			}
			if v == "mcb8" {
				above3.add(percentIf(below > 3))
				above10.add(percentIf(below > 10))
			}
		}
	})
	for _, v := range variants {
		values[v+" average"] = average[v].value()
	}
	for i := 1; i < len(variants); i++ {
		values[farther(i)] = average[variants[i]].value() - average[variants[i-1]].value()
	}
	values["mcb8 more than 3 % below best"] = above3.value()
	values["mcb8 more than 10 % below best"] = above10.value()
	return values
}

func percentIf(b bool) float64 {
	if b {
		return 100
	}
	return 0
}
