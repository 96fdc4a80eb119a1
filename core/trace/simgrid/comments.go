package simgrid

import "bufio"

// withoutComments turns every comment into blanks, so that lines keep their
// numbers. SimGrid's own parser accepts "--" within a comment, and files of its
// distribution have it; XML does not.
type withoutComments struct {
	in     *bufio.Reader
	inside bool
}

const (
	opening = "<!--"
	closing = "-->"
)

// Read implements io.Reader. It returns early rather than wait for more input.
func (r *withoutComments) Read(p []byte) (n int, err error) {
	for n < len(p) {
		c, err := r.in.ReadByte()
		if err != nil {
			if n > 0 {
				return n, nil
			}
			return 0, err
		}
		p[n] = c
		switch {
		case r.inside:
			r.blank(&p[n], c)
		case c == '<':
			if next, _ := r.in.Peek(len(opening) - 1); string(next) == opening[1:] {
				r.in.Discard(len(next))
				r.inside = true
				p[n] = ' '
			}
		}
		n++
		if r.in.Buffered() == 0 {
			break // return these bytes: the next one may take long
		}
	}
	return n, nil
}

// blank replaces a byte of a comment and sees its end.
func (r *withoutComments) blank(to *byte, c byte) {
	if c != '\n' && c != '\r' {
		*to = ' '
	}
	if c != '-' {
		return
	}
	if next, _ := r.in.Peek(len(closing) - 1); string(next) == closing[1:] {
		r.in.Discard(len(next))
		r.inside = false
	}
}
