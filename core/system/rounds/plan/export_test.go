package plan

// Reach returns where f has just reached size.
func Reach(low, high, size float64, f func(float64) float64) float64 {
	return reach(low, high, size, f)
}

// FractionalBound is the bound of the knapsack: the value of items from t on that fill
// room, the last one in part.
func FractionalBound(value, weight []float64, t int, room float64) float64 {
	n := len(value)
	k := &packing{value: value, weight: weight, values: make([]float64, n+1), weights: make([]float64, n+1)}
	for i := range value {
		k.values[i+1], k.weights[i+1] = k.values[i]+value[i], k.weights[i]+weight[i]
	}
	return k.bound(t, room)
}

// PeriodOf returns the loads of the shortest period that takes a load of size.
func PeriodOf(p Platform, order []int, size float64) []float64 {
	x := make([]float64, len(order))
	periodOf(p, order, size, x)
	return x
}
