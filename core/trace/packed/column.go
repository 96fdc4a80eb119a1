package packed

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"parley/core/trace"
)

// leaf is a column of a Parquet file that has values.
type leaf struct {
	name           string
	kind           int64 // the physical type
	size           int   // of texts of a fixed length
	defined, again int   // the highest levels of definition and of repetition
}

// The physical types.
const (
	parquetBool = iota
	parquetInt32
	parquetInt64
	parquetInt96
	parquetFloat
	parquetDouble
	parquetBytes
	parquetFixed
)

// The codecs and the encodings that are read.
const (
	codecNone   = 0
	codecSnappy = 1
	codecGzip   = 2
	codecZstd   = 6
	codecLZ4    = 7

	encodingPlain       = 0
	encodingPlainDict   = 2
	encodingRuns        = 3
	encodingDeltas      = 5
	encodingDeltaLength = 6
	encodingDeltaBytes  = 7
	encodingDict        = 8
	encodingSplit       = 9
)

// The most bytes of a page once it is unpacked and of the window that unpacks it, its values, those
// that are decoded at once, and the bytes of a cell.
const (
	maxPage   = 256 << 20
	maxWindow = 32 << 20
	maxValues = 1 << 26
	maxAtOnce = 1 << 22
	maxCell   = 1 << 20

	valueCost = 8 // of the budget, also of a value that takes no room in the file
)

// column reads the cells of a column of a group of rows, a page after another.
type column struct {
	leaf
	budget *budget
	codec  int64
	chunk  []byte // the unread bytes
	total  int64  // unread values of the chunk
	dict   []string
	picks  hybrid   // the next indexes into from, for a page with a dictionary
	from   []string // the dictionary; nil: the values are in values
	zstd   *zstd.Decoder
	again  hybrid // levels of the page; of width 0: all are 0
	def    hybrid
	values []string
	left   int    // unread values of the page, nulls included
	peeked bool   // rep is the level of the next value, which was not read yet
	rep    uint32 // 0: the next value begins a row
}

// cell returns the next row's cell, and io.EOF behind the last one. A null is "". The values of a list have blanks
// between them. A row ends at the next value that begins one, so cell looks one value ahead.
func (c *column) cell() (text string, err error) {
	var list strings.Builder // from the second value on
	whole := func() string {
		if list.Len() > 0 {
			return list.String()
		}
		return text
	}
	for first := true; ; first = false {
		if !c.peeked {
			for c.left == 0 {
				if c.total <= 0 {
					if first {
						return "", io.EOF
					}
					return whole(), nil
				}
				if err := c.page(); err != nil {
					return "", err
				}
			}
			if c.rep = 0; c.leaf.again > 0 {
				if c.rep, err = c.again.next(); err != nil {
					return "", err
				}
			}
			c.peeked = true
		}
		if c.rep == 0 && !first {
			return whole(), nil
		}
		def := uint32(c.defined)
		if c.defined > 0 {
			if def, err = c.def.next(); err != nil {
				return "", err
			}
		}
		c.peeked = false
		c.left--
		c.total--
		if def < uint32(c.defined) {
			continue
		}
		value, err := c.value()
		if err != nil {
			return "", err
		}
		if len(text)+list.Len()+len(value) > maxCell {
			return "", &refusal{
				trace.TooLarge, fmt.Sprintf("a cell of its column %s has more than %d bytes", c.name, maxCell),
				"leave the column out",
			}
		}
		switch {
		case text == "":
			text = value
		case value != "":
			if list.Len() == 0 {
				list.WriteString(text)
			}
			list.WriteString(" ")
			list.WriteString(value)
		}
	}
}

// value returns the next value of the page.
func (c *column) value() (string, error) {
	if c.from != nil {
		n, err := c.picks.next()
		if err != nil || uint64(n) >= uint64(len(c.from)) {
			return "", errPage
		}
		return c.from[n], nil
	}
	if len(c.values) == 0 {
		return "", errPage
	}
	value := c.values[0]
	c.values = c.values[1:]
	return value, nil
}

// page reads the next page of the chunk: of data, whose values are then next, or the dictionary. The caller calls
// it again if c.left is still 0.
func (c *column) page() error {
	t := thrift{in: c.chunk}
	head, err := t.object()
	if err != nil {
		return err
	}
	size, whole := head.number(3), head.number(2)
	if size < 0 || size > int64(len(t.in)) || whole < 0 || whole > maxPage {
		return errPage
	}
	if err := c.budget.take(int(whole)); err != nil {
		return err
	}
	data := t.in[:size]
	c.chunk = t.in[size:]
	switch head.number(1) {
	case 0:
		about := head.object(5)
		if data, err = c.unpack(data, int(whole)); err != nil {
			return err
		}
		return c.data(about.number(1), about.number(2), data)
	case 2:
		if data, err = c.unpack(data, int(whole)); err != nil {
			return err
		}
		about := head.object(7)
		n := about.number(1)
		if n < 0 || n > maxAtOnce {
			return errPage
		}
		c.dict, err = c.plain(data, int(n))
		return err
	case 3:
		return c.second(head.object(8), data, int(whole))
	}
	return nil // an index
}

// data reads a page of the first kind, unpacked: the levels, each with its length before it, then count values.
func (c *column) data(count, encoding int64, data []byte) error {
	if count < 0 || count > c.total || count > maxValues {
		return errPage
	}
	levels := func(limit int) (h hybrid, err error) {
		if limit == 0 {
			return h, nil
		}
		if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
			return h, errPage
		}
		n := binary.LittleEndian.Uint32(data)
		h = hybrid{in: data[4 : 4+n], width: bitWidth(limit)}
		data = data[4+n:]
		return h, nil
	}
	var err error
	if c.again, err = levels(c.leaf.again); err != nil {
		return err
	}
	if c.def, err = levels(c.defined); err != nil {
		return err
	}
	return c.fill(int(count), encoding, data)
}

// second reads a page of the second kind, whose levels are not packed. whole is the unpacked size of the page with its
// levels.
func (c *column) second(about fields, data []byte, whole int) error {
	count, defs, reps := about.number(1), about.number(5), about.number(6)
	if defs < 0 || reps < 0 || defs > int64(len(data)) || reps > int64(len(data))-defs ||
		count < 0 || count > c.total || count > maxValues {
		return errPage
	}
	c.again = hybrid{in: data[:reps], width: bitWidth(c.leaf.again)}
	c.def = hybrid{in: data[reps : reps+defs], width: bitWidth(c.defined)}
	data = data[reps+defs:]
	if packed, stated := about.value(7).(bool); !stated || packed {
		var err error
		if data, err = c.unpack(data, max(0, whole-int(reps+defs))); err != nil {
			return err
		}
	}
	return c.fill(int(count), about.number(4), data)
}

// fill prepares the count values of a page, whose levels are set: those that the levels say are there are decoded
// from data, the others are null.
func (c *column) fill(count int, encoding int64, data []byte) (err error) {
	if err := c.budget.take(count * valueCost); err != nil {
		return err
	}
	present := count
	if c.defined > 0 {
		if present, err = c.def.count(count, uint32(c.defined)); err != nil {
			return err
		}
	}
	c.left, c.values, c.from = count, nil, nil
	runs := encoding == encodingPlainDict || encoding == encodingDict || encoding == encodingRuns
	if present > maxAtOnce && !runs {
		return &refusal{
			trace.TooLarge, fmt.Sprintf("a page of its column %s has %d values, more than %d", c.name, present,
				maxAtOnce),
			"write it with smaller pages",
		}
	}
	switch encoding {
	case encodingPlain:
		c.values, err = c.plain(data, present)
	case encodingPlainDict, encodingDict:
		err = c.pick(data, present)
	case encodingRuns:
		err = c.truths(data)
	case encodingDeltas:
		c.values, err = c.differences(data, present)
	case encodingDeltaLength, encodingDeltaBytes:
		c.values, err = c.deltaTexts(data, present, encoding == encodingDeltaBytes)
	case encodingSplit:
		c.values, err = c.splitBytes(data, present)
	default:
		err = &refusal{
			trace.Damaged,
			fmt.Sprintf("its column %s is written in a way (encoding %d) that is not read here", c.name, encoding),
			"write it as CSV",
		}
	}
	return err
}

// unpack unpacks data by the column's codec. An unpacked size other than whole bytes is an error.
func (c *column) unpack(data []byte, whole int) ([]byte, error) {
	var out []byte
	var err error
	switch c.codec {
	case codecNone:
		return data, nil
	case codecSnappy:
		out, err = unsnap(data, whole)
	case codecLZ4:
		out, err = unlz4(data, whole)
	case codecGzip:
		z, broken := gzip.NewReader(bytes.NewReader(data))
		if broken != nil {
			return nil, errPage
		}
		return exactly(z, whole)
	case codecZstd:
		if c.zstd == nil {
			if c.zstd, err = zstandard(nil, maxWindow); err != nil {
				return nil, err
			}
		}
		if c.zstd.Reset(bytes.NewReader(data)) != nil {
			return nil, errPage
		}
		return exactly(c.zstd, whole)
	default:
		return nil, &refusal{
			trace.Damaged, fmt.Sprintf("it is packed in a way (codec %d) that is not read here", c.codec),
			"write it with Snappy or Zstandard",
		}
	}
	if err != nil || len(out) != whole {
		return nil, errPage
	}
	return out, nil
}

// exactly reads in to its end; a length other than whole bytes is an error.
func exactly(in io.Reader, whole int) ([]byte, error) {
	out := make([]byte, whole)
	if _, err := io.ReadFull(in, out); err != nil {
		return nil, errPage
	}
	if n, _ := io.ReadFull(in, make([]byte, 1)); n > 0 {
		return nil, errPage
	}
	return out, nil
}
