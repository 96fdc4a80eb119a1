package trace

// Fields is one row and where its columns end. It holds no pointer for each
// column: in a browser the collector's write barriers would take longer than
// the search for the commas.
type Fields struct {
	text []byte
	ends []int32
}

// Split makes f the columns of line, which it keeps.
func (f *Fields) Split(line []byte, comma byte) {
	ends := f.ends[:0]
	for i, c := range line {
		if c == comma {
			ends = append(ends, int32(i))
		}
	}
	f.text, f.ends = line, append(ends, int32(len(line)))
}

// Len returns how many columns the row has: at least one.
func (f *Fields) Len() int { return len(f.ends) }

// At returns column i.
func (f *Fields) At(i int) []byte {
	begin := int32(0)
	if i > 0 {
		begin = f.ends[i-1] + 1
	}
	return f.text[begin:f.ends[i]]
}

// Text returns the row as it stands in the file.
func (f *Fields) Text() []byte { return f.text }
