package yield

// TwoHosts is the example of section 2.3.
func TwoHosts() map[string]float64 { return example() }

// BudgetCurve adapts the instances of a set after a change, at every budget.
func BudgetCurve(set string, exactly bool) map[string]float64 {
	values := map[string]float64{}
	call{seed: 1, Set: set, PerFamily: 1}.budgetCurve(values, exactly)
	return values
}

// Budgets are what may migrate, in per cent of the memory in use.
var Budgets = budgets
