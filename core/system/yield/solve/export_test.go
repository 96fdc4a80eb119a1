package solve

// Vertex is the vertex of an instance, nil when the memory needs exceed all memory.
func Vertex(in Instance) [][]Share {
	t := flatten(in)
	if !t.fitsInTotal() {
		return nil
	}
	return t.vertex()
}

// LoadFloor is a lower bound on the largest load of any placement.
func LoadFloor(in Instance) float64 { return flatten(in).loadFloor() }

// Rename permutes the hosts of a placement of tasks that run at home, each with a weight.
func Rename(in Instance, home []int32, weight []float64, host []int32) {
	origin{home: home, weight: weight}.rename(flatten(in), host)
}

// SwapTwins exchanges the hosts of equal tasks of a job.
func SwapTwins(in Instance, home []int32, weight []float64, host []int32) {
	origin{home: home, weight: weight}.swapTwins(flatten(in), host)
}
