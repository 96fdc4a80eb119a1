package snapshot

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// A snapshot's data is, for each block by number, the difference from the same block of its base
// snapshot: runs of words, each with the number of equal words before it (a varint), its length
// (likewise), and for each word a byte that gives the range of its different bytes, and the
// exclusive or of those. Equal words are not stored. In a snapshot without a base, the runs have
// whole words instead.

// store counts the memory held by the snapshots of a value and its copies.
type store struct {
	bytes   int
	types   *types
	scratch []byte   // room for data
	spare   []uint64 // room for a block
}

// delta appends the difference of words from base, which has the same length.
func delta(to []byte, base, words []uint64) []byte {
	for at := 0; at < len(words); {
		from := at
		for at < len(words) && words[at] == base[at] {
			at++
		}
		to = binary.AppendUvarint(to, uint64(at-from))
		if at == len(words) {
			break
		}
		end := at + 1
		for end < len(words) && words[end] != base[end] {
			end++
		}
		to = binary.AppendUvarint(to, uint64(end-at))
		for ; at < end; at++ {
			x := words[at] ^ base[at]
			first, last := bits.TrailingZeros64(x)/8, (63-bits.LeadingZeros64(x))/8
			to = append(to, byte(first<<3|(last-first)))
			to = binary.LittleEndian.AppendUint64(to, x>>(8*first))
			to = to[:len(to)-7+last-first]
		}
	}
	return to
}

// apply turns base in words into the new words by data, and returns the rest of data.
func apply(words []uint64, data []byte) []byte {
	for at := 0; at < len(words); {
		same, n := binary.Uvarint(data)
		data = data[n:]
		if at += int(same); at == len(words) {
			break
		}
		run, n := binary.Uvarint(data)
		data = data[n:]
		for end := at + int(run); at < end; at++ {
			first, more := int(data[0]>>3), int(data[0]&7)
			var x uint64
			if len(data) > 8 {
				x = binary.LittleEndian.Uint64(data[1:])
			} else {
				var last [8]byte
				copy(last[:], data[1:])
				x = binary.LittleEndian.Uint64(last[:])
			}
			words[at] ^= x & (^uint64(0) >> (56 - 8*more)) << (8 * first)
			data = data[2+more:]
		}
	}
	return data
}

// bytesOf are those of words.
func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}

// The shape of a block is one word: the number of its layout from 1 on, and how many
// values or entries it has. 0: there is no such block.
const shapeBits = 40

func (s *store) shape(l *layout, n int) uint64 { return uint64(l.number)<<shapeBits | uint64(n) }

// block returns the layout that a shape is of, with the number of values or entries.
func (s *store) block(shape uint64) (*layout, int) {
	return s.types.all[shape>>shapeBits-1], int(shape & (1<<shapeBits - 1))
}

// words is how many words the block of a shape has.
func (s *store) words(shape uint64) int {
	if shape == 0 {
		return 0
	}
	l, n := s.block(shape)
	if l.key != nil {
		return n * int((l.key.size+7)/8+(l.value.size+7)/8)
	}
	return int((l.size*uintptr(n) + 7) / 8)
}

// reader reads the blocks of a snapshot in the order of their numbers.
type reader struct {
	store *store
	chain []link // the snapshot without a base, the one based on it, and so on
	block []uint64
}

// link is one snapshot of a reader's.
type link struct {
	shapes []uint64
	rest   []byte
	whole  bool // it has no base
}

// read begins to read a snapshot; nil: one without blocks.
func (s *store) read(of *Snapshot) *reader {
	r := &reader{store: s, block: s.spare}
	if of != nil {
		r.add(of)
	}
	return r
}

func (r *reader) add(s *Snapshot) {
	l := link{shapes: make([]uint64, s.blocks), rest: s.data, whole: s.on == nil}
	if s.on != nil {
		r.add(s.on)
		copy(l.shapes, r.shapes())
	}
	l.rest = apply(l.shapes, l.rest)
	r.chain = append(r.chain, l)
}

// shapes are those of the blocks.
func (r *reader) shapes() []uint64 {
	if len(r.chain) == 0 {
		return nil
	}
	return r.chain[len(r.chain)-1].shapes
}

// next returns the words of the next block, the id-th, until it is called again.
func (r *reader) next(id int) []uint64 {
	words := r.block[:0]
	for i := range r.chain {
		l := &r.chain[i]
		if id >= len(l.shapes) {
			words = words[:0]
			continue
		}
		words = resize(words, r.store.words(l.shapes[id]))
		if l.whole {
			l.rest = l.rest[copy(bytesOf(words), l.rest):]
		} else {
			l.rest = apply(words, l.rest)
		}
	}
	r.block, r.store.spare = words, words
	return words
}

// resize sets the number of words; new ones are 0.
//
//go:noinline
func resize(words []uint64, n int) []uint64 {
	had := len(words)
	if n > cap(words) {
		words = append(make([]uint64, 0, n+n/8), words...)
	}
	words = words[:n]
	if n > had {
		clear(words[had:])
	}
	return words
}
