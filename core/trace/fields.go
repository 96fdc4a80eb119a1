package trace

// Fields is one row and where its columns end. It holds no pointer for each
// column: in a browser the collector's write barriers would take longer than
// the search for the commas.
type Fields struct {
	text   []byte
	ends   []int32
	begins []int32 // where blanks separate columns; else each begins behind a comma
}

// Blank separates columns by any number of blanks and tabs, and stands before the
// first one and after the last one too.
const Blank byte = ' '

// Split makes f the columns of line, which it keeps. The comma may be Blank.
func (f *Fields) Split(line []byte, comma byte) {
	if comma == Blank {
		f.splitBlanks(line)
		return
	}
	ends := f.ends[:0]
	for i, c := range line {
		if c == comma {
			ends = append(ends, int32(i))
		}
	}
	f.text, f.ends, f.begins = line, append(ends, int32(len(line))), f.begins[:0]
}

// splitBlanks splits a line at blanks and tabs, of which several separate only two fields. An empty line has one
// empty field.
func (f *Fields) splitBlanks(line []byte) {
	begins, ends := f.begins[:0], f.ends[:0]
	within := false
	for i, c := range line {
		if blank := c == ' ' || c == '\t'; blank == within {
			if blank {
				ends = append(ends, int32(i))
			} else {
				begins = append(begins, int32(i))
			}
			within = !blank
		}
	}
	if within || len(begins) == 0 {
		ends = append(ends, int32(len(line)))
	}
	if len(begins) == 0 {
		begins = append(begins, int32(len(line)))
	}
	f.text, f.begins, f.ends = line, begins, ends
}

// Pick makes f the columns at these indexes. cut returns the part of a cell that stays, a prefix of it.
// An index that the row does not have is an empty column.
func (f *Fields) Pick(at []int, cut func(i int, cell []byte) []byte) {
	begins, ends := make([]int32, 0, len(at)), make([]int32, 0, len(at))
	for i, place := range at {
		if place < 0 || place >= f.Len() {
			begins, ends = append(begins, 0), append(ends, 0)
			continue
		}
		end := f.ends[place]
		cell := f.At(place)
		begin := end - int32(len(cell))
		begins, ends = append(begins, begin), append(ends, begin+int32(len(cut(i, cell))))
	}
	f.begins, f.ends = begins, ends
}

// Len returns how many columns the row has: at least one.
func (f *Fields) Len() int { return len(f.ends) }

// At returns column i.
func (f *Fields) At(i int) []byte {
	begin := int32(0)
	if len(f.begins) > 0 {
		begin = f.begins[i]
	} else if i > 0 {
		begin = f.ends[i-1] + 1
	}
	return f.text[begin:f.ends[i]]
}

// Text returns the row as it stands in the file.
func (f *Fields) Text() []byte { return f.text }
