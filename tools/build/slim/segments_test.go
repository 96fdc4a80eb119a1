package slim

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "parley/core/testkit/scripttest/seed"
)

// segment is a piece of the memory that a module starts with.
type segment struct {
	offset int
	bytes  []byte
}

// moduleOf is a module with a section before the segments and one after them.
func moduleOf(segments []segment) []byte {
	body := binary.AppendUvarint(nil, uint64(len(segments)))
	for _, s := range segments {
		body = append(appendSigned(append(body, 0, opI32Const), int32(s.offset)), opEnd)
		body = append(binary.AppendUvarint(body, uint64(len(s.bytes))), s.bytes...)
	}
	module := append([]byte(header), 1, 4, 1, 0x60, 0, 0) // one type: func()
	module = append(binary.AppendUvarint(append(module, dataSection), uint64(len(body))), body...)
	return append(module, 0, 3, 2, 'h', 'i') // a custom section
}

func same([]byte) error { return nil }

// memory is what segments leave in a memory, which begins as zeros.
func memory(segments []segment, size int) []byte {
	out := make([]byte, size)
	for _, s := range segments {
		copy(out[s.offset:], s.bytes)
	}
	return out
}

// sectionsOf cuts a module into its sections' bytes.
func sectionsOf(t *rapid.T, module []byte) (sections [][]byte) {
	for rest := module[len(header):]; len(rest) > 0; {
		n, size := binary.Uvarint(rest[1:])
		end := 1 + size + int(n)
		if size <= 0 || end > len(rest) {
			t.Fatalf("the written module breaks off: % x", rest)
		}
		sections = append(sections, rest[:end])
		rest = rest[end:]
	}
	return sections
}

// However segments lie, the memory starts the same, and the other sections stay.
func TestTheMemoryStartsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ordered := rapid.Bool().Draw(t, "ordered") // as Go's linker writes them, nearly
		var segments []segment
		for range rapid.IntRange(0, 12).Draw(t, "segments") {
			skipped := rapid.OneOf(rapid.IntRange(0, 2*gap), rapid.IntRange(0, 9_000)).Draw(t, "skipped")
			s := segment{offset: skipped, bytes: rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "bytes")}
			if n := len(segments); n > 0 && ordered {
				s.offset += segments[n-1].offset + len(segments[n-1].bytes)
			}
			segments = append(segments, s)
		}
		module := moduleOf(segments)
		got, err := rewrite(module, same)
		if err != nil {
			t.Fatal(err)
		}
		before, after := sectionsOf(t, module), sectionsOf(t, got)
		if len(after) != 3 || !bytes.Equal(after[0], before[0]) || !bytes.Equal(after[2], before[2]) {
			t.Fatalf("sections were % x, are % x", before, after)
		}
		_, head := binary.Uvarint(after[1][1:])
		written, err := readSegments(after[1][1+head:])
		if err != nil {
			t.Fatal(err)
		}
		if want := memory(segments, 1<<17); !bytes.Equal(want, append(written, make([]byte, 1<<17-len(written))...)) {
			t.Fatal("the memory starts otherwise")
		}
	})
}

// Only zeros that are worth another segment are left out.
func TestSegments(t *testing.T) {
	zeros := func(n int) string { return string(make([]byte, n)) }
	for _, c := range []struct{ memory, want string }{
		{"", "\x00"},
		{zeros(100), "\x00"},
		{zeros(3) + "ab", "\x01\x00\x41\x03\x0b\x02ab"},
		{"a" + zeros(gap-1) + "b", "\x01\x00\x41\x00\x0b\x41a" + zeros(gap-1) + "b"},
		{"a" + zeros(gap) + "b" + zeros(9), "\x02\x00\x41\x00\x0b\x01a\x00\x41\xc1\x00\x0b\x01b"},
	} {
		if got := string(writeSegments([]byte(c.memory))); got != c.want {
			t.Errorf("%q is written %q, want %q", c.memory, got, c.want)
		}
	}
}

// What Go's linker writes is read as the specification has it: LEB128 of
// WebAssembly Core 1.0, 5.2.2, with its example -123456 = 0xC0 0xBB 0x78.
func TestSignedNumbers(t *testing.T) {
	for _, c := range []struct {
		n     int32
		bytes string
	}{{0, "\x00"}, {63, "\x3f"}, {64, "\xc0\x00"}, {-1, "\x7f"}, {-64, "\x40"}, {-65, "\xbf\x7f"}, {-123456, "\xc0\xbb\x78"}, {1<<31 - 1, "\xff\xff\xff\xff\x07"}, {-1 << 31, "\x80\x80\x80\x80\x78"}} {
		if got := string(appendSigned(nil, c.n)); got != c.bytes {
			t.Errorf("%d is written % x, want % x", c.n, got, c.bytes)
		}
		r := numbers{[]byte(c.bytes + "z")}
		if got := r.signed(); got != c.n || string(r.rest) != "z" {
			t.Errorf("% x is read as %d, want %d; left %q", c.bytes, got, c.n, r.rest)
		}
	}
}

func TestBrokenModules(t *testing.T) {
	whole := moduleOf([]segment{{8, []byte("one")}, {300, []byte("two")}})
	for n := range len(whole) {
		_, err := rewrite(whole[:n], same)
		// a module may end after its header and after each section
		if ends := n == 8 || n == 14 || n == len(whole)-5; ends != (err == nil) {
			t.Errorf("the first %d bytes of %d: %v", n, len(whole), err)
		}
	}
	for _, c := range []struct{ section, want string }{
		{"\x01\x01\x00", "segment 0 is of another kind"},                 // passive
		{"\x01\x00\x23\x00\x0b\x00", "segment 0 is of another kind"},     // global.get
		{"\x01\x00\x41\x00\x41\x00\x0b\x00", "segment 0 has a computed"}, // two operations
		{"\x02\x00\x41\x00\x0b\x01x", "segment 1 is of another kind"},    // one of two
		{"\x01\x00\x41\x00\x0b\x05x", "segment 0 is cut off"},
		{"\x01\x00\x41\x00\x0b\x01xy", "1 bytes are left over"},
		{"\x01\x00\x41\xff\xff\xff\xff\xff\xff\x0b\x01x", "segment 0"}, // not an i32
	} {
		module := append([]byte(header), dataSection, byte(len(c.section)))
		if _, err := rewrite(append(module, c.section...), same); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("% x: %v, want %q", c.section, err, c.want)
		}
	}
}
