// Package packed opens files that package trace does not unpack itself: zstd, bzip2, Parquet (as
// the table that it holds) and archives of several tables. It is a package of its own because it
// makes a program larger.
//
//	files, err := packed.Open(files, formats.All)
//	report, err := trace.Summarise(files, formats.All, options)
package packed

import (
	"bufio"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"parley/core/strict"
	"parley/core/trace"
)

// The largest window of zstd data that is held: that of zstd --long.
const maxStream = 128 << 20

// zstandard returns a reader of zstd data whose window has at most some bytes.
func zstandard(in io.Reader, window uint64) (*zstd.Decoder, error) {
	return zstd.NewReader(
		in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(window),
	)
}

// Open returns files that open unpacked, with a file for each table of an archive of several, see
// trace.Members. Files that are neither zstd nor bzip2 stay as they are.
func Open(files []trace.File, formats []trace.Format) ([]trace.File, error) {
	unpacked := make([]trace.File, len(files))
	for i, f := range files {
		unpacked[i] = f
		unpacked[i].Open = func() (io.ReadCloser, error) { return open(f) }
	}
	return trace.Members(unpacked, formats)
}

// open opens a file, unpacked if it is zstd or bzip2.
func open(f trace.File) (io.ReadCloser, error) {
	unread := f.Open
	raw, err := unread()
	if err != nil {
		return nil, err
	}
	s := &stream{file: f.Name, raw: raw, stored: bufio.NewReaderSize(nil, 64<<10)}
	s.stored.Reset(counted{s})
	head, _ := s.stored.Peek(4)
	if gzipped, err := holdsParquet(f, head); gzipped {
		if err := raw.Close(); err != nil {
			return nil, err
		}
		inner := f
		inner.Size, inner.Open = -1, func() (io.ReadCloser, error) { return trace.Inflate(f, trace.NewMeter(nil, nil)) }
		return open(inner)
	} else if err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	switch {
	case string(head) == "\x28\xb5\x2f\xfd":
		z, err := zstandard(s.stored, maxStream)
		if err != nil {
			return nil, errors.Join(err, raw.Close())
		}
		s.kind, s.in, s.end = "zstd", z, z.Close
	case string(head) == parquetMagic:
		f.Open = func() (io.ReadCloser, error) { // it is read from its beginning, twice
			again, err := unread()
			if err != nil {
				return nil, err
			}
			s.raw = again
			return readCloser{counted{s}, again}, nil
		}
		if err := raw.Close(); err != nil {
			return nil, err
		}
		t, err := openParquet(f)
		if err != nil {
			return nil, err
		}
		s.kind, s.in = "Parquet", t
	case len(head) == 4 && string(head[:3]) == "BZh" && head[3] >= '1' && head[3] <= '9':
		s.kind, s.in = "bzip2", bzip2.NewReader(s.stored)
	default:
		s.in = s.stored
	}
	return s, nil
}

// holdsParquet reports whether a file that begins so is Parquet packed by gzip.
func holdsParquet(f trace.File, head []byte) (bool, error) {
	if len(head) < 2 || head[0] != 0x1f || head[1] != 0x8b {
		return false, nil
	}
	in, err := trace.Inflate(f, trace.NewMeter(nil, nil))
	if err != nil {
		return false, err
	}
	magic := make([]byte, len(parquetMagic))
	_, err = io.ReadFull(in, magic) // the reader of the file reports the error
	return err == nil && string(magic) == parquetMagic, in.Close()
}

// readCloser reads from one and closes another.
type readCloser struct {
	io.Reader
	io.Closer
}

// stream is a file on its way through a decompressor.
type stream struct {
	file      string
	kind      string // "": it is not unpacked
	raw       io.ReadCloser
	stored    *bufio.Reader
	in        io.Reader
	end       func()
	read, all int64 // bytes of the file, stored and unpacked
	failed    error // the error of raw other than io.EOF
}

// counted counts the stored bytes of a stream.
type counted struct{ *stream }

func (c counted) Read(p []byte) (int, error) {
	n, err := c.raw.Read(p)
	if c.read += int64(n); err != nil && err != io.EOF {
		c.failed = err
	}
	return n, err
}

// Read reads unpacked bytes. Data that is damaged or unfolds too far is a *trace.Error.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	if s.kind == "" {
		return n, err
	}
	if s.all += int64(n); s.all > strict.Whole && s.all > strict.Unpacked*s.read {
		return n, &trace.Error{
			Kind: trace.TooLarge, File: s.file, Reason: errUnfolds.reason, Hint: errUnfolds.hint,
		}
	}
	if err == nil || err == io.EOF {
		return n, err
	}
	if s.failed != nil {
		return n, s.failed
	}
	if errors.As(err, new(*trace.Error)) {
		return n, err
	}
	reason := "the " + s.kind + " data is broken"
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		reason = "the " + s.kind + " data ends too early: the file was cut off"
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return n, &trace.Error{
			Kind: trace.TooLarge, File: s.file,
			Reason: fmt.Sprintf("the zstd data wants a window of more than %d MiB", maxStream>>20),
			Hint:   "unpack it first, as in zstd -d --long=31",
		}
	}
	return n, &trace.Error{Kind: trace.Damaged, File: s.file, Reason: reason, Hint: "fetch or copy it again"}
}

// Close closes the file.
func (s *stream) Close() error {
	if s.end != nil {
		s.end()
	}
	return s.raw.Close()
}
