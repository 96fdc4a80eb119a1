package graph

// Longest returns the length of the longest path to the end from each vertex, its own cost
// included: cost is the cost of a vertex, between that of an arc. With work and 0 the largest of
// them is the length of the critical path.
func (g *Graph) Longest(cost func(v int) float64, between func(Arc) float64) []float64 {
	length := make([]float64, len(g.vertices))
	for i := len(g.order) - 1; i >= 0; i-- {
		v := int(g.order[i])
		rest := 0.0
		for _, a := range g.Out(v) {
			rest = max(rest, between(a)+length[a.To])
		}
		length[v] = cost(v) + rest
	}
	return length
}

// FromStart returns the length of the longest path from a start to each vertex,
// its own cost left out.
func (g *Graph) FromStart(cost func(v int) float64, between func(Arc) float64) []float64 {
	length := make([]float64, len(g.vertices))
	for _, v := range g.order {
		for _, a := range g.In(int(v)) {
			length[v] = max(length[v], length[a.From]+cost(int(a.From))+between(a))
		}
	}
	return length
}

// Critical returns the vertices of a longest path, from its start to its end,
// and its length: of equal ones that of the lowest numbers.
func (g *Graph) Critical(cost func(v int) float64, between func(Arc) float64) (path []int, length float64) {
	longest := g.Longest(cost, between)
	at := -1
	for v := range longest {
		if len(g.In(v)) == 0 && (at < 0 || longest[v] > longest[at]) {
			at = v
		}
	}
	if at < 0 {
		return nil, 0
	}
	length = longest[at]
	for {
		path = append(path, at)
		next, largest := -1, 0.0
		for _, a := range g.Out(at) {
			if l := between(a) + longest[a.To]; next < 0 || l > largest {
				next, largest = int(a.To), l
			}
		}
		if next < 0 {
			return path, length
		}
		at = next
	}
}
