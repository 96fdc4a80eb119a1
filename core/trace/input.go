package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"

	"parley/core/strict"
)

// File is one file of a trace, on a disk or behind a browser's file picker.
type File struct {
	Name string // as the user knows it; a path or a bare name
	Size int64  // in bytes, as stored; -1 if unknown
	// Open returns the content from its beginning, as often as it is asked.
	Open func() (io.ReadCloser, error)
	// Read is the report of an earlier reading of the whole content, nil if there was none. A
	// format that needs facts about the whole file before its first record takes them from it.
	Read *Report
	// Part means that the file is one of a folder: it is passed over if it holds nothing.
	Part bool
	// Passed lists the members of the file's archive that are skipped, see Members.
	Passed []string
}

// Known returns files with the report of a reading of all of them in Read.
func Known(files []File, r Report) []File {
	files = slices.Clone(files)
	for i := range files {
		files[i].Read = &r
	}
	return files
}

// Progress reports how much of a set of files has been read.
type Progress struct {
	File       string // the one being read
	Read, Size int64  // stored bytes of that file
	Total, Sum int64  // stored bytes of all files: read, and their sizes
	Text       int64  // bytes of all files after unpacking
	Rows       int64
	FilesRead  int // to their end
}

// Meter counts the bytes read from a set of files and reports them to a callback at intervals.
// Its zero value counts nothing.
type Meter struct {
	tell     func(Progress) error
	now      Progress
	lastRead int64 // Total and Text when tell was last called
	lastText int64
	err      error // the result of tell
}

// How much may be read between two calls, stored and unpacked: well below a
// tenth of a second of work.
const (
	tellEveryStored = 256 << 10
	tellEveryText   = 1 << 20
)

// NewMeter returns a meter for files that calls tell after every 256 KiB read
// (or 1 MiB of text, if that comes first) and after every file. An error
// from tell ends the reading, which returns that error. tell may be nil.
func NewMeter(files []File, tell func(Progress) error) *Meter {
	m := &Meter{tell: tell}
	for _, f := range files {
		m.now.Sum += max(f.Size, 0)
	}
	return m
}

// report calls tell where enough was read since the last call, or if asked to.
func (m *Meter) report(always bool) error {
	if m.err != nil || m.tell == nil {
		return m.err
	}
	if always || m.now.Total-m.lastRead >= tellEveryStored || m.now.Text-m.lastText >= tellEveryText {
		m.lastRead, m.lastText = m.now.Total, m.now.Text
		m.err = m.tell(m.now)
	}
	return m.err
}

// fileRead counts a file that was read to its end.
func (m *Meter) fileRead() error {
	m.now.FilesRead++
	return m.report(true)
}

// content is a file's bytes, unpacked where they are gzip.
type content struct {
	file  File
	meter *Meter
	raw   io.ReadCloser
	read  int64 // of raw
	text  int64 // unpacked
	in    io.Reader
	gzip  bool

	listing []byte // the beginning of an archive whose files are read
}

// open opens f and unpacks it where its first two bytes are gzip's; of an archive it opens the
// files one after another.
func open(f File, m *Meter) (*content, error) {
	c, err := inflate(f, m)
	if err == nil {
		c.in, c.listing = unarchive(c.in)
	}
	return c, err
}

// inflate opens f and unpacks it where its first two bytes are gzip's.
func inflate(f File, m *Meter) (*content, error) {
	raw, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s cannot be opened: %w", f.Name, Reason(err))
	}
	c := &content{file: f, meter: m, raw: raw}
	stored := bufio.NewReaderSize((*counted)(c), 64<<10)
	c.in = stored
	if magic, _ := stored.Peek(2); string(magic) == gzipMagic {
		c.gzip = true
		c.in = &unfolded{c, &members{in: stored}, 0}
	}
	return c, nil
}

// grown counts n bytes that a file unfolded to, and refuses it if they are too many for its own.
func (c *content) grown(n int, all *int64) error {
	if *all += int64(n); *all <= strict.Whole || *all <= strict.Unpacked*c.read {
		return nil
	}
	return &Error{
		Kind: TooLarge, File: c.file.Name,
		Reason: fmt.Sprintf("unfolds to more than %d bytes for each of its own", strict.Unpacked),
		Hint:   "unpack it first if that is what it should hold",
	}
}

// unfolded is the text of a file that is packed, before a look into an archive.
type unfolded struct {
	of  *content
	in  io.Reader
	all int64
}

func (u *unfolded) Read(p []byte) (int, error) {
	n, err := u.in.Read(p)
	if grown := u.of.grown(n, &u.all); grown != nil {
		err = grown
	}
	return n, err
}

// Unpack opens a file that is read as a whole and decompresses gzip; m counts the bytes read.
// Read returns io.EOF, an *Error of the kind Damaged, Unreadable,
// TooLarge or WrongTable, or the error of the meter's callback.
func Unpack(f File, m *Meter) (io.ReadCloser, error) { return open(f, m) }

// Inflate is Unpack without opening archives: it reads the bytes of an archive itself.
func Inflate(f File, m *Meter) (io.ReadCloser, error) { return inflate(f, m) }

// Read reads decompressed bytes. It returns io.EOF, an *Error of the kind Damaged, Unreadable, TooLarge or
// WrongTable, or the error of the meter's callback.
func (c *content) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.meter.now.Text += int64(n)
	if err == nil || err == io.EOF {
		if grown := c.grown(n, &c.text); grown != nil {
			return n, grown
		}
	}
	if stop := c.meter.report(false); stop != nil {
		return n, stop
	}
	var kinds several
	if errors.As(err, &kinds) {
		return n, &Error{Kind: WrongTable, File: c.file.Name, Reason: kinds.Error(), Hint: "unpack it and open its files"}
	}
	if err != nil && err != io.EOF && !errors.As(err, new(*Error)) {
		if reason := reasonDamaged(err); reason != "" {
			err = &Error{Kind: Damaged, File: c.file.Name, Reason: reason, Hint: hintDamaged}
		} else {
			err = &Error{
				Kind: Unreadable, File: c.file.Name, Reason: "cannot be read: " + Reason(err).Error(),
				Hint: hintUnread,
			}
		}
	}
	return n, err
}

func (c *content) Close() error { return c.raw.Close() }

// reasonDamaged returns the defect in a file's bytes, or "" if the bytes could not be read at all.
func reasonDamaged(err error) string {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the gzip data ends too early: the file was cut off"
	case errors.Is(err, gzip.ErrChecksum):
		return "the gzip data does not match its checksum"
	case errors.Is(err, errTrailing):
		return "something that is not gzip follows the gzip data"
	case errors.Is(err, gzip.ErrHeader), errors.As(err, &corrupt):
		return "the gzip data is broken"
	case errors.Is(err, errNotUnpacked), errors.Is(err, errArchiveCut), errors.Is(err, errHalfCharacter):
		return err.Error()
	}
	return ""
}

// Reason returns the reason of an error without its path, which the sentence names elsewhere.
func Reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// counted is the content's stored bytes on their way through the meter.
type counted content

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.raw.Read(p)
	c.read += int64(n)
	m := c.meter
	m.now.File, m.now.Size = c.file.Name, c.file.Size
	m.now.Read = c.read
	m.now.Total += int64(n)
	return n, err
}

// members reads gzip members one after another: large logs are often
// written in parts by many processes and joined. Zeros after the last one are padding.
type members struct {
	in  *bufio.Reader
	z   *gzip.Reader
	err error // why nothing more comes
}

const gzipMagic = "\x1f\x8b"

var errTrailing = errors.New("data after the last gzip member")

func (m *members) Read(p []byte) (n int, err error) {
	if m.err == nil {
		n, m.err = m.read(p)
	}
	return n, m.err
}

// read reads from the present member, and moves on to the next at its end.
func (m *members) read(p []byte) (int, error) {
	if m.z == nil {
		z, err := gzip.NewReader(m.in)
		if err != nil {
			return 0, cutOff(err)
		}
		z.Multistream(false)
		m.z = z
	}
	for {
		n, err := m.z.Read(p)
		if err == io.EOF {
			err = m.following()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// following moves on to the next member, or returns io.EOF if none is left.
func (m *members) following() error {
	next := byte(0)
	for next == 0 {
		var err error
		if next, err = m.in.ReadByte(); err != nil {
			return err
		}
	}
	if err := m.in.UnreadByte(); err != nil {
		return err
	}
	if magic, _ := m.in.Peek(2); len(magic) == 2 && string(magic) != gzipMagic || magic[0] != gzipMagic[0] {
		return errTrailing
	}
	if err := m.z.Reset(m.in); err != nil {
		return cutOff(err)
	}
	m.z.Multistream(false)
	return nil
}

// cutOff turns the end of a file within a gzip header into an error.
func cutOff(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
