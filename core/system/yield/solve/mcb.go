package solve

import "slices"

// mcb returns multi-capacity bin packing variant 1 to 8 (section 3.4): a binary
// search for the largest yield at which the packing succeeds. Variants 1 to 4
// sort ascending, 5 to 8 descending, by sum, difference, ratio and maximum.
func mcb(variant int) placer {
	return func(t tasks, opt Options) outcome {
		p := newPacking(t, variant)
		var found outcome
		if t.len() == 0 {
			return outcome{host: []int32{}, searched: 1}
		}
		lo, hi := 0.0, t.bound
		for y := hi / 2; ; y = (lo + hi) / 2 {
			if p.pack(y) {
				lo = y
				found.host = append(found.host[:0], p.host...)
				found.searched = y
			} else {
				hi = y
			}
			if hi-lo <= opt.Tolerance || lo >= nearlyFull {
				return found
			}
		}
	}
}

// nearlyFull is the yield from which the search no longer tries for more.
const nearlyFull = 1 - 1e-5

// packing is the reusable workspace of one instance and one sort order.
type packing struct {
	tasks
	variant int
	need    []float64  // CPU of each task at the yield of the current attempt
	heavy   [2]queue   // tasks that need more CPU than memory; the others
	order   []int32    // of one queue, while it is filled
	ranked  [2][]int32 // see rank; nil if the order depends on the yield
	keys    []keyed    // scratch of fill
	host    []int32    // by task: result of pack, complete only if it succeeded
}

// keyed is a task with its sort key.
type keyed struct {
	key  float64
	task int32
}

// byKey orders by key, equal ones by the number of the task. Keys are never NaN: only two needs of 0 would make one,
// and Instance.Validate demands memory above 0.
func byKey(a, b keyed) int {
	switch {
	case a.key < b.key:
		return -1
	case a.key > b.key:
		return 1
	}
	return int(a.task - b.task)
}

// newPacking allocates the workspace for all attempts of one variant, 1 to 8 (see key).
func newPacking(t tasks, variant int) *packing {
	p := &packing{
		tasks: t, variant: variant, need: make([]float64, t.len()), host: make([]int32, t.len()),
		order: make([]int32, 0, t.len()), keys: make([]keyed, 0, t.len()),
	}
	p.rank()
	return p
}

// rank sorts once for all attempts if the key is the maximum (variants 4 and 8): at any yield, the tasks
// that need more CPU are ordered by CPU and the others by memory. ranked stays nil for other variants.
func (p *packing) rank() {
	sign := 1.0
	switch p.variant {
	case 8:
		sign = -1
	case 4:
	default:
		return
	}
	p.ranked[0] = sorted(p.len(), func(i int32) float64 { return float64(sign * p.cpu[i]) })
	p.ranked[1] = sorted(p.len(), func(i int32) float64 { return float64(sign * p.mem[i]) })
}

// pack fills one host after the other at yield y and reports whether every task
// found a place. A host always takes next the first fitting task from the list
// that goes against its imbalance, or else from the other list.
func (p *packing) pack(y float64) bool {
	cpuLeft, memLeft := 0.0, 0.0 // needs of the tasks without a host
	for i, a := range p.cpu {
		p.need[i] = float64(a * y)
		cpuLeft += p.need[i]
		memLeft += p.mem[i]
	}
	p.fill(0)
	p.fill(1)
	left := p.len()
	for h := 0; h < p.hosts && left > 0; h++ {
		if room := float64(p.hosts-h) * (full + Slack); cpuLeft > room || memLeft > room {
			return false // the remaining hosts cannot hold the remaining tasks
		}
		cpu, mem := full, full
		spent := [2]bool{} // lists without a task that fits, nor will one later: room only shrinks
		for {
			first := 1
			if cpu > mem {
				first = 0
			}
			task := int32(-1)
			for _, list := range [2]int{first, 1 - first} {
				if !spent[list] {
					if task = p.heavy[list].take(cpu, mem); task >= 0 {
						break
					}
					spent[list] = true
				}
			}
			if task < 0 {
				break
			}
			cpu -= p.need[task]
			mem -= p.mem[task]
			cpuLeft -= p.need[task]
			memLeft -= p.mem[task]
			p.host[task] = int32(h)
			left--
		}
	}
	return left == 0
}

// fill sorts the tasks of one queue by the variant's key, equal keys in the order
// of the tasks.
func (p *packing) fill(list int) {
	p.order = p.order[:0]
	if p.ranked[list] != nil {
		for _, i := range p.ranked[list] {
			if (p.need[i] > p.mem[i]) == (list == 0) {
				p.order = append(p.order, i)
			}
		}
	} else {
		p.keys = p.keys[:0]
		for i, c := range p.need {
			if (c > p.mem[i]) == (list == 0) {
				p.keys = append(p.keys, keyed{p.key(i), int32(i)})
			}
		}
		slices.SortFunc(p.keys, byKey)
		for _, k := range p.keys {
			p.order = append(p.order, k.task)
		}
	}
	p.heavy[list].reset(p.order, p.need, p.mem)
}

// key returns the sort key of a task at the current yield: the sum, difference, ratio or maximum of its
// CPU and memory needs, ascending for variants 1 to 4, and negated for 5 to 8.
func (p *packing) key(i int) float64 {
	low, high := min(p.need[i], p.mem[i]), max(p.need[i], p.mem[i])
	switch p.variant {
	case 1:
		return high + low
	case 2:
		return high - low
	case 3:
		return high / low
	case 4:
		return high
	case 5:
		return -(high + low)
	case 6:
		return low - high
	case 7:
		return -(high / low)
	}
	return -high
}
