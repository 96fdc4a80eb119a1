package packed

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

var errPage = errors.New("one of its pages is broken")

// bitWidth is how many bits numbers up to limit take.
func bitWidth(limit int) int { return bits.Len(uint(limit)) }

// hybrid reads numbers in Parquet's hybrid of runs and packed bits.
type hybrid struct {
	in    []byte
	width int
	run   uint64 // how often value comes again
	value uint32
	left  uint64 // numbers that are packed in bits
	bits  []byte
	at    int // the bit that is next
}

// next returns the next number. It is an error if none is left.
func (h *hybrid) next() (uint32, error) {
	for h.run == 0 && h.left == 0 {
		head, n := binary.Uvarint(h.in)
		if n <= 0 {
			return 0, errPage
		}
		h.in = h.in[n:]
		if head&1 == 0 {
			size := (h.width + 7) / 8
			if len(h.in) < size {
				return 0, errPage
			}
			h.run, h.value = head>>1, 0
			for i := range size {
				h.value |= uint32(h.in[i]) << (8 * i)
			}
			h.in = h.in[size:]
			continue
		}
		groups := head >> 1
		size := groups * uint64(h.width)
		if groups > 1<<32 {
			return 0, errPage
		}
		h.left, h.at = groups*8, 0
		if size > uint64(len(h.in)) { // the last group may be cut
			size = uint64(len(h.in))
		}
		h.bits, h.in = h.in[:size], h.in[size:]
	}
	if h.run > 0 {
		h.run--
		return h.value, nil
	}
	h.left--
	v, err := unpack(h.bits, h.at, h.width)
	h.at += h.width
	return uint32(v), err
}

// count returns how many of the next numbers are a value. The numbers are still to be read.
func (h hybrid) count(numbers int, value uint32) (found int, err error) {
	for numbers > 0 {
		n, err := h.next()
		if err != nil {
			return 0, err
		}
		same := 1
		if h.run > 0 {
			same += int(min(h.run, uint64(numbers-1)))
			h.run -= uint64(same - 1)
		}
		if numbers -= same; n == value {
			found += same
		}
	}
	return found, nil
}

// unpack returns the number of a width that begins at a bit, the lowest bit first.
func unpack(in []byte, at, width int) (v uint64, err error) {
	if at+width > 8*len(in) {
		return 0, errPage
	}
	for done := 0; done < width; {
		b := uint64(in[(at+done)/8]) >> ((at + done) % 8)
		v |= b << done
		done += 8 - (at+done)%8
	}
	if width < 64 {
		v &= 1<<width - 1
	}
	return v, nil
}

// deltas reads whole numbers that are encoded as differences, and returns the bytes after them.
func deltas(in []byte, limit int) (list []int64, rest []byte, err error) {
	var head [3]uint64
	for i := range head {
		n := 0
		if head[i], n = binary.Uvarint(in); n <= 0 {
			return nil, nil, errPage
		}
		in = in[n:]
	}
	block, minis, total := head[0], head[1], head[2]
	first, n := binary.Varint(in)
	if n <= 0 || minis == 0 || block == 0 || block > 1<<20 || minis > block || block%minis != 0 ||
		total > uint64(limit) {
		return nil, nil, errPage
	}
	in = in[n:]
	if total == 0 {
		return nil, in, nil
	}
	list = append(make([]int64, 0, total), first)
	for per := int(block / minis); uint64(len(list)) < total; {
		minDelta, n := binary.Varint(in)
		if n <= 0 || len(in) < n+int(minis) {
			return nil, nil, errPage
		}
		widths := in[n : n+int(minis)]
		in = in[n+int(minis):]
		for _, w := range widths {
			if uint64(len(list)) >= total {
				break
			}
			size := (per*int(w) + 7) / 8
			if w > 64 || size > len(in) {
				return nil, nil, errPage
			}
			for i := 0; i < per && uint64(len(list)) < total; i++ {
				d, err := unpack(in[:size], i*int(w), int(w))
				if err != nil {
					return nil, nil, err
				}
				list = append(list, list[len(list)-1]+minDelta+int64(d))
			}
			in = in[size:]
		}
	}
	return list, in, nil
}

// unsnap unpacks a block of Snappy, up to a limit of bytes.
func unsnap(in []byte, limit int) ([]byte, error) {
	size, n := binary.Uvarint(in)
	if n <= 0 || size > uint64(limit) {
		return nil, errPage
	}
	in = in[n:]
	out := make([]byte, 0, size)
	for len(in) > 0 {
		tag := in[0]
		in = in[1:]
		if tag&3 == 0 {
			length := int(tag >> 2)
			if more := length - 59; more > 0 {
				if len(in) < more {
					return nil, errPage
				}
				length = 0
				for i := range more {
					length |= int(in[i]) << (8 * i)
				}
				in = in[more:]
			}
			if length++; length > len(in) || len(out)+length > int(size) {
				return nil, errPage
			}
			out, in = append(out, in[:length]...), in[length:]
			continue
		}
		var length, back, used int
		switch tag & 3 {
		case 1:
			if used = 1; len(in) >= 1 {
				length, back = 4+int(tag>>2&7), int(tag>>5)<<8|int(in[0])
			}
		case 2:
			if used = 2; len(in) >= 2 {
				length, back = 1+int(tag>>2), int(binary.LittleEndian.Uint16(in))
			}
		default:
			if used = 4; len(in) >= 4 {
				length, back = 1+int(tag>>2), int(binary.LittleEndian.Uint32(in))
			}
		}
		if len(in) < used {
			return nil, errPage
		}
		in = in[used:]
		var ok bool
		if out, ok = again(out, back, length, int(size)); !ok {
			return nil, errPage
		}
	}
	if len(out) != int(size) {
		return nil, errPage
	}
	return out, nil
}

// again appends earlier bytes, from back bytes before the end; they may overlap the appended ones.
func again(out []byte, back, length, limit int) ([]byte, bool) {
	if back <= 0 || back > len(out) || len(out)+length > limit {
		return nil, false
	}
	for range length {
		out = append(out, out[len(out)-back])
	}
	return out, true
}

// unlz4 unpacks a block of LZ4, up to a limit of bytes.
func unlz4(in []byte, limit int) ([]byte, error) {
	var out []byte
	extended := func(length int) (int, bool) {
		for length >= 15 {
			if len(in) == 0 {
				return 0, false
			}
			b := in[0]
			in = in[1:]
			if length += int(b); b != 255 {
				break
			}
		}
		return length, true
	}
	for len(in) > 0 {
		tag := in[0]
		in = in[1:]
		literal, ok := extended(int(tag >> 4))
		if !ok || literal > len(in) || len(out)+literal > limit {
			return nil, errPage
		}
		out, in = append(out, in[:literal]...), in[literal:]
		if len(in) == 0 {
			return out, nil
		}
		if len(in) < 2 {
			return nil, errPage
		}
		back := int(binary.LittleEndian.Uint16(in))
		in = in[2:]
		length, ok := extended(int(tag & 15))
		if !ok {
			return nil, errPage
		}
		if out, ok = again(out, back, length+4, limit); !ok {
			return nil, errPage
		}
	}
	return out, nil
}
