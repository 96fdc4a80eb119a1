package packed

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
)

// Column describes a column of a Parquet file that a Writer makes.
type Column struct {
	Name string
	Kind Kind
	Null bool // cells may be missing
}

// Kind is the type of a column's cells.
type Kind byte

// The kinds.
const (
	Text   Kind = iota // string
	Whole              // int64
	Number             // float64, or *float64 in a column with missing cells
	Truth              // bool
)

// groupRows is the number of rows held before they are written.
const groupRows = 1 << 16

// Writer writes a table as Parquet: a page a column and row group, packed with Zstandard.
type Writer struct {
	out     io.Writer
	by      string
	written int64
	columns []writtenColumn
	held    int // rows of the row group that is not yet written
	rows    int64
	groups  []writtenGroup
	pack    *zstd.Encoder
}

// writtenColumn holds a column of the row group that is not yet written.
type writtenColumn struct {
	Column
	plain   []byte // the cells that are there
	present []bool // of a column with missing cells: whether each is there
	truths  int    // bits in plain
}

// writtenGroup is a row group in the file.
type writtenGroup struct {
	rows   int64
	chunks []writtenChunk // by column
}

// writtenChunk is where the page of a column is.
type writtenChunk struct{ at, plain, packed int64 }

// NewWriter returns a writer of a table with some columns. by names the program in the file.
func NewWriter(out io.Writer, by string, columns ...Column) (*Writer, error) {
	pack, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	w := &Writer{out: out, by: by, pack: pack}
	for _, c := range columns {
		w.columns = append(w.columns, writtenColumn{Column: c})
	}
	return w, w.put([]byte(parquetMagic))
}

func (w *Writer) put(b []byte) error {
	n, err := w.out.Write(b)
	w.written += int64(n)
	return err
}

// Add adds a row, a cell a column. A nil cell, and a nil *float64, is missing. A cell that is not
// of its column's kind is an error.
func (w *Writer) Add(cells ...any) error {
	if len(cells) != len(w.columns) {
		return fmt.Errorf("a row has %d cells, and there are %d columns", len(cells), len(w.columns))
	}
	for i, cell := range cells {
		if !w.columns[i].add(cell) {
			return fmt.Errorf("column %q has no cells like %v (%T)", w.columns[i].Name, cell, cell)
		}
	}
	w.rows++
	if w.held++; w.held == groupRows {
		return w.flush()
	}
	return nil
}

// add reports whether a cell is of the column's kind, and keeps it.
func (c *writtenColumn) add(cell any) bool {
	if p, is := cell.(*float64); is {
		if cell = nil; p != nil {
			cell = *p
		}
	}
	if c.Null {
		c.present = append(c.present, cell != nil)
	}
	if cell == nil {
		return c.Null
	}
	is := false
	switch c.Kind {
	case Text:
		var s string
		s, is = cell.(string)
		c.plain = append(binary.LittleEndian.AppendUint32(c.plain, uint32(len(s))), s...)
	case Whole:
		var n int64
		n, is = cell.(int64)
		c.plain = binary.LittleEndian.AppendUint64(c.plain, uint64(n))
	case Number:
		var x float64
		x, is = cell.(float64)
		c.plain = binary.LittleEndian.AppendUint64(c.plain, math.Float64bits(x))
	case Truth:
		var b bool
		if b, is = cell.(bool); c.truths%8 == 0 {
			c.plain = append(c.plain, 0)
		}
		if b {
			c.plain[c.truths/8] |= 1 << (c.truths % 8)
		}
		c.truths++
	}
	return is
}

// levels returns which cells are there, as runs: Parquet's RLE with its length before it.
func (c *writtenColumn) levels() []byte {
	if !c.Null {
		return nil
	}
	b := make([]byte, 4)
	for i := 0; i < len(c.present); {
		from := i
		for i < len(c.present) && c.present[i] == c.present[from] {
			i++
		}
		level := byte(0)
		if c.present[from] {
			level = 1
		}
		b = append(binary.AppendUvarint(b, uint64(i-from)<<1), level)
	}
	binary.LittleEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

// More numbers of Parquet's format.
const (
	dataPage      = 0
	required      = 0
	optional      = 1
	convertedUTF8 = 0
)

// parquetType returns the physical type of a kind.
func (k Kind) parquetType() int64 {
	return [...]int64{Text: 6, Whole: 2, Number: 5, Truth: 0}[k]
}

// flush writes the rows that are held as a row group.
func (w *Writer) flush() error {
	g := writtenGroup{rows: int64(w.held)}
	for i := range w.columns {
		c := &w.columns[i]
		page := append(c.levels(), c.plain...)
		if len(page) > math.MaxInt32 {
			return fmt.Errorf("column %q has %d bytes in %d rows, and a page of Parquet at most 2 GB", c.Name,
				len(page), w.held)
		}
		packed := w.pack.EncodeAll(page, nil)
		var head thriftWriter
		head.number(1, dataPage)
		head.number(2, int64(len(page)))
		head.number(3, int64(len(packed)))
		head.begin(5)
		head.number(1, int64(w.held))
		head.number(2, encodingPlain)
		head.number(3, encodingRuns)
		head.number(4, encodingRuns)
		head.end()
		head.end()
		chunk := writtenChunk{
			at: w.written, plain: int64(len(head.out) + len(page)),
			packed: int64(len(head.out) + len(packed)),
		}
		g.chunks = append(g.chunks, chunk)
		if err := w.put(append(head.out, packed...)); err != nil {
			return err
		}
		c.plain, c.present, c.truths = c.plain[:0], c.present[:0], 0
	}
	w.groups, w.held = append(w.groups, g), 0
	return nil
}

// Close writes the rows still held and the description of the file. The output stays open.
func (w *Writer) Close() error {
	if w.held > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if err := w.pack.Close(); err != nil {
		return err
	}
	foot := w.footer()
	foot = binary.LittleEndian.AppendUint32(foot, uint32(len(foot)))
	return w.put(append(foot, parquetMagic...))
}

// footer describes the file.
func (w *Writer) footer() []byte {
	var t thriftWriter
	t.number(1, 1)
	t.list(2, len(w.columns)+1, thriftStruct)
	t.element()
	t.text(4, "table")
	t.number(5, int64(len(w.columns)))
	t.end()
	for i := range w.columns {
		c := &w.columns[i]
		t.element()
		t.number(1, c.Kind.parquetType())
		repetition := int64(required)
		if c.Null {
			repetition = optional
		}
		t.number(3, repetition)
		t.text(4, c.Name)
		if c.Kind == Text {
			t.number(6, convertedUTF8)
		}
		t.end()
	}
	t.long(3, w.rows)
	t.list(4, len(w.groups), thriftStruct)
	for _, g := range w.groups {
		t.element()
		t.list(1, len(g.chunks), thriftStruct)
		total := int64(0)
		for i, at := range g.chunks {
			total += at.plain
			w.columns[i].describe(&t, g.rows, at)
		}
		t.long(2, total)
		t.long(3, g.rows)
		t.end()
	}
	t.text(6, w.by)
	t.end()
	return t.out
}

// describe writes where a column of a row group is.
func (c *writtenColumn) describe(t *thriftWriter, rows int64, at writtenChunk) {
	t.element()
	t.long(2, at.at)
	t.begin(3)
	t.number(1, c.Kind.parquetType())
	t.list(2, 2, thriftI32)
	t.value(encodingPlain)
	t.value(encodingRuns)
	t.list(3, 1, thriftBinary)
	t.bytes(c.Name)
	t.number(4, codecZstd)
	t.long(5, rows)
	t.long(6, at.plain)
	t.long(7, at.packed)
	t.long(9, at.at)
	t.end()
	t.end()
}

// thriftWriter writes structs in Thrift's compact protocol. Fields are written in the order of
// their numbers.
type thriftWriter struct {
	out  []byte
	last []byte // last field of each enclosing struct, the innermost last
	at   byte   // field of the innermost struct that was written last
}

func (t *thriftWriter) field(id, kind byte) {
	t.out = append(t.out, (id-t.at)<<4|kind)
	t.at = id
}

// value writes a number in zigzag.
func (t *thriftWriter) value(n int64) { t.out = binary.AppendVarint(t.out, n) }

func (t *thriftWriter) bytes(s string) {
	t.out = append(binary.AppendUvarint(t.out, uint64(len(s))), s...)
}

// number writes a field of 32 bits.
func (t *thriftWriter) number(id byte, n int64) { t.field(id, thriftI32); t.value(n) }

// long writes a field of 64 bits.
func (t *thriftWriter) long(id byte, n int64) { t.field(id, thriftI64); t.value(n) }

func (t *thriftWriter) text(id byte, s string) { t.field(id, thriftBinary); t.bytes(s) }

// list begins a list of n elements of a type, which follow.
func (t *thriftWriter) list(id byte, n int, kind byte) {
	t.field(id, thriftList)
	if n < 15 {
		t.out = append(t.out, byte(n)<<4|kind)
	} else {
		t.out = binary.AppendUvarint(append(t.out, 15<<4|kind), uint64(n))
	}
}

// begin begins a struct in a field, which end ends.
func (t *thriftWriter) begin(id byte) { t.field(id, thriftStruct); t.element() }

// element begins a struct in a list, which end ends.
func (t *thriftWriter) element() { t.last, t.at = append(t.last, t.at), 0 }

// end ends a struct.
func (t *thriftWriter) end() {
	t.out = append(t.out, 0)
	if n := len(t.last); n > 0 {
		t.at, t.last = t.last[n-1], t.last[:n-1]
	}
}
