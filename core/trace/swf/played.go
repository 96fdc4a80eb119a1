package swf

// played counts the jobs that have each number. Numbers nearly always rise by one from row to row,
// so they are counted in a list; a number far beyond the rows so far is counted in a map.
type played struct {
	near []uint32 // by number
	far  map[uint64]uint32
}

// slack is how far beyond twice the list a number may be and still extend it.
const slack = 1024

// of returns how many jobs have a number.
func (p *played) of(number uint64) uint32 {
	n := uint32(0)
	if number < uint64(len(p.near)) {
		n = p.near[number]
	}
	if len(p.far) > 0 {
		n += p.far[number] // it was far when its earlier rows were read
	}
	return n
}

// add counts a job of a number.
func (p *played) add(number uint64) {
	switch {
	case number < uint64(len(p.near)):
	case number < 2*uint64(len(p.near))+slack:
		p.near = append(p.near, make([]uint32, number+1-uint64(len(p.near)))...)
	default:
		if p.far == nil {
			p.far = map[uint64]uint32{}
		}
		p.far[number]++
		return
	}
	p.near[number]++
}
