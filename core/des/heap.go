package des

// The heap has four children a parent: half the depth of a binary one, and the
// children of a node share a cache line or two.

func (a entry) before(b entry) bool {
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}

// push adds an event to the heap.
func (k *Kernel) push(e entry) {
	h := append(k.heap, e)
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) >> 2
		if !e.before(h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
	k.heap = h
}

// pop removes the earliest event of the heap, which must not be empty, and returns it. Events of one time are in the
// order of their sequence numbers.
func (k *Kernel) pop() entry {
	h := k.heap
	top := h[0]
	last := len(h) - 1
	e := h[last]
	h = h[:last]
	k.heap = h
	if last == 0 {
		return top
	}
	i := 0
	for {
		child := i<<2 + 1
		if child >= last {
			break
		}
		earliest := child
		for c := child + 1; c < min(child+4, last); c++ {
			if h[c].before(h[earliest]) {
				earliest = c
			}
		}
		if !h[earliest].before(e) {
			break
		}
		h[i] = h[earliest]
		i = earliest
	}
	h[i] = e
	return top
}
