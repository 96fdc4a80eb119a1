package trace

import (
	"bytes"
	"io"
	"strconv"
)

// The most bytes of one row. Rows of the known formats stay below 2 KB.
const maxRow = 64 << 10

// Rows reads a file's rows one after another, split into columns, in memory
// that does not depend on the file. It takes lines that end in LF or CRLF,
// a byte order mark and blank lines, plain or gzip.
//
//	rows, err := trace.OpenRows(file, meter, ',')
//	for err = rows.Next(); err == nil; err = rows.Next() {
//		… rows.Fields().At(0) …
//	}
//	// err is io.EOF after the last row
type Rows struct {
	content  *content
	comma    byte
	buf      []byte // buf[pos:end] is read and not yet a row
	pos, end int
	ended    error // why nothing more comes into buf
	reported bool  // the end of the file was reported to the meter
	line     int64
	text     []byte // the present row
	split    bool   // fields are its columns
	fields   Fields
}

// OpenRows opens f, whose columns are separated by comma, which may be Blank. Nothing is read
// before the first Next.
func OpenRows(f File, m *Meter, comma byte) (*Rows, error) {
	c, err := open(f, m)
	if err != nil {
		return nil, err
	}
	return &Rows{content: c, comma: comma}, nil
}

// Next moves to the next row that is not blank. After the last one it closes
// the file and returns io.EOF. An *Error of class BadLine is about one row:
// Next may be called again. All other errors are final.
func (r *Rows) Next() error {
	for {
		line, err := r.nextLine()
		if err != nil {
			return err
		}
		if n := len(line); n > 0 && line[n-1] == '\r' {
			line = line[:n-1]
		}
		if len(line) == 0 {
			continue
		}
		r.content.meter.now.Rows++
		r.text, r.split = line, false
		return nil
	}
}

// Text returns the present row as it stands in the file. It is good until the next
// Next.
func (r *Rows) Text() []byte { return r.text }

// Fields returns the present row's columns. They are good until the next Next.
func (r *Rows) Fields() *Fields {
	if !r.split {
		r.split = true
		r.fields.Split(r.text, r.comma)
	}
	return &r.fields
}

// Line returns the present row's line, counted from 1.
func (r *Rows) Line() int64 { return r.line }

// File returns the file's name.
func (r *Rows) File() string { return r.content.file.Name }

// Cut reports whether the file ends within the present row, without the end of
// its line.
func (r *Rows) Cut() bool { return r.pos == r.end && r.end > 0 && r.buf[r.end-1] != '\n' }

// Bad returns the error for the present row: value is in the named column, and reason describes the
// error in it. An empty column means the whole row, and value is then its beginning.
func (r *Rows) Bad(column string, value []byte, reason string) *Error {
	return &Error{
		Kind: BadLine, File: r.File(), Line: r.line, Column: column, Value: shown(value),
		Reason: reason, Hint: hintBadLine,
	}
}

// Close ends the reading early.
func (r *Rows) Close() error {
	if r.ended != nil {
		return nil // closed at the end of the file
	}
	r.ended, r.reported = io.EOF, true
	r.pos = r.end
	return r.content.Close()
}

// nextLine returns the next line without its LF.
func (r *Rows) nextLine() ([]byte, error) {
	for searched := r.pos; ; {
		if i := bytes.IndexByte(r.buf[searched:r.end], '\n'); i >= 0 {
			line := r.buf[r.pos : searched+i]
			r.pos = searched + i + 1
			r.line++
			if len(line) > maxRow {
				return nil, r.tooLong(line)
			}
			return line, nil
		}
		if r.ended != nil {
			return r.lastLine()
		}
		if r.end-r.pos > maxRow {
			r.line++
			tooLong := r.tooLong(r.buf[r.pos:r.end])
			r.passOver()
			return nil, tooLong
		}
		held := r.end - r.pos
		r.fill()
		searched = r.pos + held
	}
}

// lastLine returns the text after the last LF once, and then the error that ended the file.
func (r *Rows) lastLine() ([]byte, error) {
	if r.pos < r.end && r.ended == io.EOF {
		line := r.buf[r.pos:r.end]
		r.pos = r.end
		r.line++
		if len(line) > maxRow {
			return nil, r.tooLong(line)
		}
		return line, nil
	}
	if r.ended == io.EOF && !r.reported {
		r.reported = true
		if stop := r.content.meter.fileRead(); stop != nil {
			r.ended = stop
		}
	}
	if broken, ok := r.ended.(*Error); ok && broken.Kind != WrongTable {
		broken.Line = r.line + 1
	}
	return nil, r.ended
}

// passOver drops the rest of a row that is too long.
func (r *Rows) passOver() {
	for r.ended == nil {
		r.pos = r.end
		r.fill()
		if i := bytes.IndexByte(r.buf[r.pos:r.end], '\n'); i >= 0 {
			r.pos += i + 1
			return
		}
	}
	r.pos = r.end
}

func (r *Rows) tooLong(line []byte) error {
	return r.Bad("", line, "is longer than "+strconv.Itoa(maxRow)+" bytes")
}

// fill reads more, after moving the incomplete row to the front.
func (r *Rows) fill() {
	if r.buf == nil {
		r.buf = make([]byte, 2*maxRow)
	}
	first := r.line == 0 && r.end == 0
	copy(r.buf, r.buf[r.pos:r.end])
	r.pos, r.end = 0, r.end-r.pos
	for empty := 0; ; empty++ {
		n, err := r.content.Read(r.buf[r.end:])
		r.end += n
		if err == nil && empty == 100 {
			err = io.ErrNoProgress
		}
		if err != nil {
			r.ended = err
			r.content.Close() // a file that was read has nothing to lose
		}
		if n > 0 && first && r.ended == nil && r.end < len(mark) {
			continue // a byte order mark may still come
		}
		if n > 0 || r.ended != nil {
			break
		}
	}
	if first && bytes.HasPrefix(r.buf[:r.end], []byte(mark)) {
		r.pos = len(mark)
	}
}

// mark is UTF-8's byte order mark.
const mark = "\xef\xbb\xbf"
