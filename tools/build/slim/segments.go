package slim

import (
	"encoding/binary"
	"fmt"
)

// gap is the minimum number of zeros left out between two segments.
const gap = 64

// maxMemory limits the initial memory of a module; Go's largest here needs 7 MB.
const maxMemory = 1 << 28

// readSegments returns the memory that active segments of memory 0, which are all
// that Go writes, leave in one of zeros.
func readSegments(body []byte) ([]byte, error) {
	r := numbers{body}
	var memory []byte
	count := int(r.unsigned())
	for i := range count {
		head := r.take(2)
		if len(head) < 2 || head[0] != 0 || head[1] != opI32Const {
			return nil, fmt.Errorf("%w: data segment %d is of another kind", errModule, i)
		}
		offset := int(r.signed())
		if end := r.take(1); len(end) < 1 || end[0] != opEnd {
			return nil, fmt.Errorf("%w: data segment %d has a computed offset", errModule, i)
		}
		bytes := r.take(int(r.unsigned()))
		if r.rest == nil {
			return nil, fmt.Errorf("%w: data segment %d is cut off", errModule, i)
		}
		end := offset + len(bytes)
		if offset < 0 || end > maxMemory {
			return nil, fmt.Errorf("%w: data segment %d lies at %d, at most %d bytes are expected", errModule,
				i, offset, maxMemory)
		}
		if more := end - len(memory); more > 0 {
			memory = append(memory, make([]byte, more)...)
		}
		copy(memory[offset:], bytes)
	}
	if len(r.rest) > 0 {
		return nil, fmt.Errorf("%w: after its data segments %d bytes are left over", errModule, len(r.rest))
	}
	return memory, nil
}

// writeSegments writes the section of a memory, without its long zeros.
func writeSegments(memory []byte) []byte {
	var segments []byte
	count := uint64(0)
	for at := skipZeros(memory, 0); at < len(memory); count++ {
		end, next := at, at // after the last byte that is not zero, and where the next is
		for next < len(memory) && next-end < gap {
			for end = next; end < len(memory) && memory[end] != 0; {
				end++
			}
			next = skipZeros(memory, end)
		}
		segments = append(appendSigned(append(segments, 0, opI32Const), int32(at)), opEnd)
		segments = append(binary.AppendUvarint(segments, uint64(end-at)), memory[at:end]...)
		at = next
	}
	return append(binary.AppendUvarint(nil, count), segments...)
}

func skipZeros(memory []byte, at int) int {
	for at < len(memory) && memory[at] == 0 {
		at++
	}
	return at
}

// numbers reads numbers and bytes; rest is nil after reading beyond the end.
type numbers struct{ rest []byte }

func (r *numbers) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.rest = nil
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

// unsigned reads a number in LEB128.
func (r *numbers) unsigned() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.rest = nil
		return 0
	}
	r.take(size)
	return n
}

// signed reads an i32 in signed LEB128.
func (r *numbers) signed() int32 {
	var n int32
	for shift := 0; ; shift += 7 {
		b := r.take(1)
		if len(b) == 0 || shift > 28 {
			r.rest = nil
			return 0
		}
		n |= int32(b[0]&0x7f) << shift
		if b[0] < 0x80 {
			if b[0]&0x40 != 0 && shift < 25 {
				n |= -1 << (shift + 7)
			}
			return n
		}
	}
}

// appendSigned writes an i32 in signed LEB128.
func appendSigned(out []byte, n int32) []byte {
	for {
		b := byte(n & 0x7f)
		n >>= 7
		if n == 0 && b&0x40 == 0 || n == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}
