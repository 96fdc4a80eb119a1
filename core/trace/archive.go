package trace

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/flate"

	"parley/core/strict"
)

// archive reads the files of a tar or ZIP archive one after another, as if they were one: the
// tables of public traces are often published so. Licences, programs and pictures are passed
// over. A line end is put between files that do not end with one.
type archive struct {
	in     *bufio.Reader
	next   func(*archive) error // moves to the next file: sets data
	data   io.Reader            // of the present file; nil before the first
	after  int64                // bytes that follow it; -1: a descriptor of unknown length
	last   byte
	packed bool // the files in it are
	first  string
	only   string            // the kind of file that is read, see Members; "": all files are of one kind
	list   func(kind string) // called with each file instead of a check of its kind; nil: none is listed
}

// Errors of archives.
var (
	errNotUnpacked = errors.New("the archive has a file in a form that is not unpacked here")
	errArchiveCut  = errors.New("the archive ends too early: the file was cut off")
)

// archiveCut turns an end within an archive into an error.
func archiveCut(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errArchiveCut
	}
	return err
}

// unarchive returns the files of an archive as one, with the beginning of the archive, and anything
// else as it is, text as UTF-8.
func unarchive(in io.Reader) (files io.Reader, listing []byte) {
	r := bufio.NewReaderSize(in, 64<<10)
	head, _ := r.Peek(512)
	switch {
	case len(head) == 512 && head[0] != 0 && string(head[257:262]) == "ustar":
		listing, _ = r.Peek(16 << 10)
		return &archive{in: r, next: (*archive).nextTar}, bytes.Clone(listing)
	case len(head) > 60 && string(head[:4]) == "PK\x03\x04" &&
		!bytes.HasPrefix(head[30:], []byte("[Content_Types].xml")) && !bytes.HasPrefix(head[30:], []byte("mimetype")):
		return &archive{in: r, next: (*archive).nextZip}, nil
	}
	return AsUTF8(r), nil
}

// Read returns the content of all files of one kind, one after the other, with a line break behind a file that
// lacks one.
func (a *archive) Read(p []byte) (int, error) {
	for {
		if a.data != nil {
			n, err := a.data.Read(p)
			if n > 0 {
				a.last = p[n-1]
			}
			if err != io.EOF {
				if err == io.ErrUnexpectedEOF && a.packed {
					err = errArchiveCut
				}
				return n, err
			}
			if n > 0 {
				a.data = bytes.NewReader(nil)
				return n, nil
			}
			a.data = nil
			if a.last != '\n' && len(p) > 0 {
				p[0], a.last = '\n', '\n'
				return 1, nil
			}
		}
		if err := a.next(a); err != nil {
			return 0, err
		}
	}
}

// several is the error of an archive that holds tables of several kinds.
type several struct{ first, other string }

func (s several) Error() string {
	return "is an archive of several kinds of files, such as " + Shorten(s.first) + " and " + Shorten(s.other)
}

// stem returns the name of a file without its folders and digits: files with one stem are parts
// of one table.
func stem(name string) string {
	return strip(path.Base(name))
}

// strip returns a name without its digits.
func strip(name string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, name)
}

// kindOf returns the path of a file without its digits: the files of a kind are parts of one table.
func kindOf(name string) string { return path.Join(path.Dir(strip(name)), stem(name)) }

// takes reports whether a file of the archive is read, and refuses one of another kind than the
// first.
func (a *archive) takes(name string) (bool, error) {
	switch {
	case !holdsData(name):
		return false, nil
	case a.list != nil:
		a.first = name
		a.list(kindOf(name))
	case a.only != "":
		return kindOf(name) == a.only, nil
	case a.first == "":
		a.first = name
	case stem(name) != stem(a.first):
		return false, several{a.first, name}
	}
	return true, nil
}

// holdsData reports whether a file of an archive may be a table.
func holdsData(name string) bool {
	base := strings.ToLower(path.Base(name))
	switch path.Ext(base) {
	case ".md", ".pdf", ".html", ".py", ".sh", ".ipynb", ".png", ".jpg", ".svg", ".header", ".yaml", ".yml":
		return false
	}
	return !strings.HasSuffix(name, "/") && base[0] != '.' && !strings.HasPrefix(base, "license") &&
		!strings.HasPrefix(base, "readme") && !strings.HasPrefix(name, "__MACOSX")
}

// nextTar moves to the next file of a tar archive.
func (a *archive) nextTar() error {
	for {
		if err := a.skip(a.after); err != nil {
			return err
		}
		var h [512]byte
		if _, err := io.ReadFull(a.in, h[:]); err != nil {
			return err // io.EOF if the archive has no end of its own
		}
		if h[0] == 0 {
			return io.EOF
		}
		size, reason := int64(0), error(nil)
		for _, c := range bytes.Trim(h[124:136], " \x00") {
			if size = size<<3 + int64(c-'0'); c < '0' || c > '7' || size > 1<<50 {
				reason = errNotUnpacked
			}
		}
		if reason != nil {
			return reason
		}
		name, _, _ := bytes.Cut(h[:100], []byte{0})
		a.after = -size & 511
		if (h[156] == '0' || h[156] == 0) && size > 0 {
			switch taken, err := a.takes(string(name)); {
			case err != nil:
				return err
			case taken:
				a.data = io.LimitReader(whole{a.in}, size)
				return nil
			}
		}
		a.after += size
	}
}

// whole reads a file of an archive, whose end is not the end of the archive.
type whole struct{ in *bufio.Reader }

func (w whole) Read(p []byte) (int, error) {
	n, err := w.in.Read(p)
	if err == io.EOF {
		err = errArchiveCut
	}
	return n, err
}

func (a *archive) skip(n int64) error {
	_, err := io.CopyN(io.Discard, a.in, n)
	a.after = 0
	return archiveCut(err)
}

// nextZip moves to the next file of a ZIP archive.
func (a *archive) nextZip() error {
	for {
		if err := a.descriptor(); err != nil {
			return err
		}
		var h [30]byte
		if _, err := io.ReadFull(a.in, h[:4]); err != nil {
			return archiveCut(err)
		}
		if string(h[:4]) != "PK\x03\x04" {
			return io.EOF // the list of files
		}
		if _, err := io.ReadFull(a.in, h[4:]); err != nil {
			return archiveCut(err)
		}
		flags, method := binary.LittleEndian.Uint16(h[6:]), binary.LittleEndian.Uint16(h[8:])
		size := int64(binary.LittleEndian.Uint32(h[18:]))
		name := make([]byte, binary.LittleEndian.Uint16(h[26:]))
		if _, err := io.ReadFull(a.in, name); err != nil {
			return archiveCut(err)
		}
		if err := a.skip(int64(binary.LittleEndian.Uint16(h[28:]))); err != nil {
			return err
		}
		described := flags&8 != 0
		switch {
		case flags&1 != 0, method != 0 && method != 8, method == 0 && (described || size == 1<<32-1):
			return errNotUnpacked
		case method == 0:
			a.data = io.LimitReader(whole{a.in}, size)
		default:
			a.data, a.packed = flate.NewReader(a.in), true
		}
		if described {
			a.after = -1
		}
		if taken, err := a.takes(string(name)); taken || err != nil {
			return err
		}
		if n, err := io.CopyN(io.Discard, a.data, strict.Archive); n == strict.Archive {
			return errNotUnpacked // skipping data takes time too
		} else if err != io.EOF {
			return archiveCut(err)
		}
		a.data = nil
	}
}

// descriptor skips the data descriptor after a file whose header has no sizes.
func (a *archive) descriptor() error {
	if a.after != -1 {
		return nil
	}
	a.after = 0
	next, _ := a.in.Peek(28)
	if bytes.HasPrefix(next, []byte("PK\x07\x08")) {
		next = next[4:]
		if err := a.skip(4); err != nil {
			return err
		}
	}
	n := int64(12)
	if len(next) >= 24 && string(next[20:22]) == "PK" && string(next[12:14]) != "PK" {
		n = 20
	}
	return a.skip(n)
}
