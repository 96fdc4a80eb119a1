package trace

import (
	"bufio"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// utf16Reader reads text in UTF-16 as UTF-8: what > writes in Windows PowerShell 5.
type utf16Reader struct {
	in    *bufio.Reader
	big   bool
	ready []byte // converted and not yet read
	next  rune   // a surrogate that waits for its second half, or 0
}

// errHalfCharacter is the error of a text in UTF-16 that was cut off.
var errHalfCharacter = errors.New("the text in UTF-16 ends within a character: the file was cut off")

// AsUTF8 returns a text that begins with the byte order mark of UTF-16 as UTF-8, and other bytes
// as they are.
func AsUTF8(in *bufio.Reader) io.Reader {
	mark, _ := in.Peek(2)
	if string(mark) != "\xff\xfe" && string(mark) != "\xfe\xff" {
		return in
	}
	r := &utf16Reader{in: in, big: mark[0] == 0xfe}
	_, _ = in.Discard(len(mark))
	return r
}

// Read returns the text as UTF-8. An end within a character is an error.
func (r *utf16Reader) Read(p []byte) (int, error) {
	for len(r.ready) == 0 {
		a, err := r.in.ReadByte()
		if err != nil {
			return 0, err
		}
		b, err := r.in.ReadByte()
		if err != nil {
			return 0, errHalfCharacter
		}
		if r.big {
			a, b = b, a
		}
		c := rune(a) | rune(b)<<8
		switch {
		case r.next != 0:
			c, r.next = utf16.DecodeRune(r.next, c), 0
		case utf16.IsSurrogate(c):
			r.next = c
			continue
		}
		r.ready = utf8.AppendRune(r.ready[:0], c)
	}
	n := copy(p, r.ready)
	r.ready = r.ready[n:]
	for n < len(p) && r.in.Buffered() >= 4 && len(r.ready) == 0 && len(p)-n > utf8.UTFMax {
		a, _ := r.in.ReadByte()
		b, _ := r.in.ReadByte()
		if r.big {
			a, b = b, a
		}
		c := rune(a) | rune(b)<<8
		if utf16.IsSurrogate(c) {
			r.next = c
			break
		}
		n += utf8.EncodeRune(p[n:], c)
	}
	return n, nil
}
