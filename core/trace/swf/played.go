package swf

// played counts the jobs that have each number. Numbers nearly always rise by one from row to row,
// so they are counted in a list; a number far beyond the rows so far is counted in a map.
type played struct {
	dense  []uint32 // by number
	sparse map[uint64]uint32
}

// slack is how far beyond twice the list a number may be and still extend it.
const slack = 1024

// of returns how many jobs have a number.
func (p *played) of(number uint64) uint32 {
	n := uint32(0)
	if number < uint64(len(p.dense)) {
		n = p.dense[number]
	}
	if len(p.sparse) > 0 {
		n += p.sparse[number] // it was far when its earlier rows were read
	}
	return n
}

// add counts a job of a number.
func (p *played) add(number uint64) {
	switch {
	case number < uint64(len(p.dense)):
	case number < 2*uint64(len(p.dense))+slack:
		p.dense = append(p.dense, make([]uint32, number+1-uint64(len(p.dense)))...)
	default:
		if p.sparse == nil {
			p.sparse = map[uint64]uint32{}
		}
		p.sparse[number]++
		return
	}
	p.dense[number]++
}
