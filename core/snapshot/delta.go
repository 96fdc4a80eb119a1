package snapshot

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// A snapshot's data is, for each block by number, what is different from the same
// block of the snapshot that it stands on: runs of words, each with how many words
// before it are the same (a varint), how many it has (likewise), and for each word a
// byte with a bit for each of its bytes that is different, and the exclusive or of
// those. A word that both call the same is not there at all. Of a snapshot that stands
// on none the runs have whole words instead.

// store counts what the snapshots of a value and its copies hold.
type store struct {
	bytes   int
	types   *types
	scratch []byte   // room for data
	spare   []uint64 // room for a block
}

// delta appends what is different in words from base, which has as many.
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
			mask := len(to)
			to = append(to, 0)
			for x, bit := words[at]^base[at], byte(1); x != 0; x, bit = x>>8, bit<<1 {
				if byte(x) != 0 {
					to[mask] |= bit
					to = append(to, byte(x))
				}
			}
		}
	}
	return to
}

// apply makes words of base from data, and returns what of data comes after them.
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
			mask, x, i := data[0], uint64(0), 1
			for ; mask != 0; mask &= mask - 1 {
				x |= uint64(data[i]) << (8 * bits.TrailingZeros8(mask))
				i++
			}
			words[at] ^= x
			data = data[i:]
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
	chain []link // the snapshot that stands on none, the one on it, and so on
	block []uint64
}

// link is one snapshot of a reader's.
type link struct {
	shapes []uint64
	rest   []byte
	whole  bool // it stands on none
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

// resize makes words so many; new ones are 0.
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
