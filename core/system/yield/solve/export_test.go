package solve

// Vertex is the vertex of an instance, nil when the memory needs exceed all memory.
func Vertex(in Instance) [][]Share {
	t := flatten(in)
	if !t.fitsInTotal() {
		return nil
	}
	return t.vertex()
}
