package trace

import (
	"bytes"
	"io"
)

// headSize is how much of a file, unpacked, is enough to detect its format.
const headSize = 64 << 10

// Head is the beginning of a file.
type Head struct {
	File  File
	Bytes []byte // unpacked, without a byte order mark, at most 64 KiB
	Whole bool   // the file ends within Bytes
	Gzip  bool

	Listing []byte // the beginning of a tar archive, of whose files Bytes is
}

// ReadHead opens f, reads its beginning and closes it. A file without content
// is an *Error of class Empty, an archive of several kinds of files one of class WrongTable;
// damage that leaves something to look at is not an error here.
func ReadHead(f File) (*Head, error) {
	c, err := open(f, &Meter{})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	h := &Head{File: f, Gzip: c.gzip, Listing: c.listing, Bytes: make([]byte, headSize)}
	n, err := io.ReadFull(c, h.Bytes)
	h.Bytes = bytes.TrimPrefix(h.Bytes[:n], []byte(mark))
	h.Whole = err == io.EOF || err == io.ErrUnexpectedEOF
	if damage, ok := err.(*Error); ok && (n == 0 || damage.Kind == WrongTable) {
		return nil, damage
	}
	if h.Whole && len(bytes.TrimSpace(h.Bytes)) == 0 {
		return nil, &Error{Kind: Empty, File: f.Name, Reason: "is empty", Hint: "choose a file that has rows"}
	}
	return h, nil
}

// Lines calls each with every whole line of the head that is not blank, without
// its end, until each returns false.
func (h *Head) Lines(each func(line []byte) bool) {
	rest := h.Bytes
	for len(rest) > 0 {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		if !whole && !h.Whole {
			return
		}
		rest = after
		if line = bytes.TrimSuffix(line, []byte("\r")); len(line) > 0 && !each(line) {
			return
		}
	}
}
