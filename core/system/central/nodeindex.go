package central

import (
	"parley/core/unit"
	"parley/core/workload"
)

// nodeIndex holds the nodes of one machine type by rising keys, in blocks.
type nodeIndex struct{ tops []top }

// top bounds the nodes of a block, for a search.
type top struct {
	first uint64 // the least key in it
	room  room   // no node in it has more of a resource
	block int32
	count int16
	loose bool // room may be more than any node has: put right when a search finds nothing
}

// block holds up to blockSize seats by rising keys.
type block [blockSize]slot

const blockSize = 64

// slot is one node in an index.
type slot struct {
	key  uint64
	room room
}

// find returns the position in tops of the last block that begins at or before a key; 0 if none does or
// there is no block.
func (l *nodeIndex) find(key uint64) int {
	low, high := 0, len(l.tops)
	for low < high {
		if mid := int(uint(low+high) >> 1); l.tops[mid].first <= key {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return max(0, low-1)
}

// next returns the first key at or after from whose node has room for a demand and is in s.suitable;
// absent if there is none or from is absent. It tightens the room of loose blocks that it searches in
// vain.
func (l *nodeIndex) next(s *sorted, from uint64, d *demand) uint64 {
	if from == absent {
		return absent
	}
	for i := l.find(from); i < len(l.tops); i++ {
		t := &l.tops[i]
		if !d.need.Within(t.room[d.class]) {
			continue
		}
		b := &s.pool[t.block]
		at := 0
		if t.first < from {
			at = b.find(t.count, from)
		}
		for _, one := range b[at:t.count] {
			if d.need.Within(one.room[d.class]) && s.suitable.Has(unit.NodeID(uint32(one.key))) {
				return one.key
			}
		}
		if t.loose {
			t.sum(b)
		}
	}
	return absent
}

// push appends a slot whose key is above all others. It leaves a quarter of each
// block for those to come.
func (l *nodeIndex) push(s *sorted, one slot) {
	if last := len(l.tops) - 1; last < 0 || l.tops[last].count >= blockSize*3/4 {
		l.tops = append(l.tops, top{first: one.key, room: one.room, block: s.newBlock()})
	}
	t := &l.tops[len(l.tops)-1]
	s.pool[t.block][t.count] = one
	t.count++
	t.room.raise(&one.room)
}

// insert adds a slot whose key is not in the index. A full block is split first.
func (l *nodeIndex) insert(s *sorted, one slot) {
	if len(l.tops) == 0 {
		l.push(s, one)
		return
	}
	i := l.find(one.key)
	if l.tops[i].count == blockSize {
		l.split(s, i)
		if l.tops[i+1].first <= one.key {
			i++
		}
	}
	t := &l.tops[i]
	b := &s.pool[t.block]
	at := b.find(t.count, one.key)
	copy(b[at+1:t.count+1], b[at:t.count])
	b[at] = one
	t.count++
	t.first = b[0].key
	t.room.raise(&one.room)
}

// split moves the upper half of the full block i into a new one behind it.
func (l *nodeIndex) split(s *sorted, i int) {
	id := s.newBlock()
	from, to := &s.pool[l.tops[i].block], &s.pool[id]
	copy(to[:], from[blockSize/2:])
	l.tops = append(l.tops, top{})
	copy(l.tops[i+2:], l.tops[i+1:])
	l.tops[i].count = blockSize / 2
	l.tops[i+1] = top{block: id, count: blockSize - blockSize/2}
	l.tops[i].sum(from)
	l.tops[i+1].sum(to)
}

// remove takes out the slot of a key, which must be in the index. An empty block goes to s.spare. The
// block's room may be too large from now on, so it is loose.
func (l *nodeIndex) remove(s *sorted, key uint64) {
	i := l.find(key)
	t := &l.tops[i]
	b := &s.pool[t.block]
	at := b.find(t.count, key)
	copy(b[at:t.count-1], b[at+1:t.count])
	t.count--
	if t.count == 0 {
		s.spare = append(s.spare, t.block)
		l.tops = append(l.tops[:i], l.tops[i+1:]...)
		return
	}
	t.first = b[0].key
	t.loose = true
}

// find returns the place of the first slot not before a key.
func (b *block) find(count int16, key uint64) int {
	low, high := 0, int(count)
	for low < high {
		if mid := int(uint(low+high) >> 1); b[mid].key < key {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// sum sets first and room from the entries of the block.
func (t *top) sum(b *block) {
	t.first, t.room, t.loose = b[0].key, b[0].room, false
	for i := range b[:t.count] {
		t.room.raise(&b[i].room)
	}
}

// raise makes f at least as large as g, part by part.
func (f *room) raise(g *room) {
	for c := workload.Batch; c <= workload.Production; c++ {
		for r := range f[c] {
			f[c][r] = max(f[c][r], g[c][r])
		}
	}
}

// newBlock returns the number in s.pool of a block that may be used; it may hold old entries. It may
// move s.pool, so pointers into it are void after the call.
func (s *sorted) newBlock() int32 {
	if n := len(s.spare); n > 0 {
		id := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return id
	}
	if len(s.pool) < cap(s.pool) {
		s.pool = s.pool[:len(s.pool)+1]
	} else {
		s.pool = append(s.pool, block{})
	}
	return int32(len(s.pool) - 1)
}

// sorter sorts keys by their upper halves, in three rounds of eleven bits; keys
// that are alike there keep their order, which is that of the numbers.
type sorter struct{ keys, other []uint64 }

// sort sorts s.keys by their upper 32 bits and returns them; keys that are equal there keep their order.
// It is a radix sort of three rounds of 11 bits. The result is s.keys, which swapped memory with
// s.other.
func (s *sorter) sort() []uint64 {
	if cap(s.other) < len(s.keys) {
		s.other = make([]uint64, cap(s.keys))
	}
	const bits = 11
	from, to := s.keys, s.other[:len(s.keys)]
	for shift := 32; shift < 64; shift += bits {
		var begin [1 << bits]int32
		for _, key := range from {
			begin[key>>shift&(1<<bits-1)]++
		}
		at := int32(0)
		for i, n := range begin {
			begin[i] = at
			at += n
		}
		for _, key := range from {
			place := &begin[key>>shift&(1<<bits-1)]
			to[*place] = key
			*place++
		}
		from, to = to, from
	}
	s.keys, s.other = from, to
	return from
}
