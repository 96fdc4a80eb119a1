package yield

import "parley/core/system/yield/instance"

// ParallelSlip is Parallel with the size model as the authors' program has it.
func ParallelSlip(e Effort) []Row { return e.parallel(true) }

// TwoHosts is the example of section 2.3.
func TwoHosts() map[string]float64 { return example() }

// BudgetCurve adapts the first so many small families after a change, at every budget.
func BudgetCurve(families int, exactly bool) map[string]float64 {
	values := map[string]float64{}
	Effort{Seeds: 1, PerFamily: 1}.budgetCurve(values, instance.Small()[:families], small, 1, exactly)
	return values
}

// Tolerances are how far averages may lie from the lines of table 1.
func Tolerances() (out []float64) {
	for i := range variants {
		out = append(out, near(table1, i))
	}
	return out
}

// Budgets are what may migrate, in per cent of the memory in use.
var Budgets = budgets
