package packed

import (
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"strings"
)

// width is how many bytes a plain value takes; 0 if that differs.
func (c *column) width() int {
	switch c.kind {
	case parquetInt32, parquetFloat:
		return 4
	case parquetInt64, parquetDouble:
		return 8
	case parquetInt96:
		return 12
	case parquetFixed:
		return c.size
	}
	return 0
}

// plain decodes values that stand one after another.
func (c *column) plain(data []byte, count int) ([]string, error) {
	if c.kind == parquetBool {
		if count > 8*len(data) {
			return nil, errPage
		}
		values := make([]string, count)
		for i := range values {
			values[i] = strconv.FormatBool(data[i/8]>>(i%8)&1 == 1)
		}
		return values, nil
	}
	if w := c.width(); w > 0 || c.kind == parquetFixed {
		if w <= 0 || count > len(data)/w {
			return nil, errPage
		}
		values := make([]string, count)
		for i := range values {
			values[i] = c.text(data[i*w : i*w+w])
		}
		return values, nil
	}
	if count > len(data)/4 {
		return nil, errPage
	}
	values := make([]string, count)
	for i := range values {
		if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
			return nil, errPage
		}
		n := binary.LittleEndian.Uint32(data)
		values[i], data = c.text(data[4:4+n]), data[4+n:]
	}
	return values, nil
}

// pick prepares values that are numbers of the dictionary's.
func (c *column) pick(data []byte, count int) error {
	switch {
	case count == 0:
		return nil
	case len(data) == 0 || data[0] > 32 || len(c.dict) == 0:
		return errPage
	}
	c.picks, c.from = hybrid{in: data[1:], width: int(data[0])}, c.dict
	return nil
}

// truths prepares runs of true and false.
func (c *column) truths(data []byte) error {
	if c.kind != parquetBool || len(data) < 4 {
		return errPage
	}
	c.picks, c.from = hybrid{in: data[4:], width: 1}, []string{"false", "true"}
	return nil
}

// differences decodes whole numbers.
func (c *column) differences(data []byte, count int) ([]string, error) {
	list, _, err := deltas(data, count)
	if err != nil || len(list) < count {
		return nil, errPage
	}
	values := make([]string, count)
	for i := range values {
		if n := list[i]; c.kind == parquetInt32 {
			values[i] = strconv.Itoa(int(int32(n)))
		} else {
			values[i] = strconv.FormatInt(n, 10)
		}
	}
	return values, nil
}

// deltaTexts decodes texts whose lengths are encoded as differences, and, if shared is set, the
// lengths of the prefixes that they share with the text before.
func (c *column) deltaTexts(data []byte, count int, shared bool) ([]string, error) {
	var prefixes []int64
	var err error
	if shared {
		if prefixes, data, err = deltas(data, count); err != nil || len(prefixes) < count {
			return nil, errPage
		}
	}
	lengths, data, err := deltas(data, count)
	if err != nil || len(lengths) < count {
		return nil, errPage
	}
	values := make([]string, count)
	var before []byte
	for i := range values {
		n := lengths[i]
		if n < 0 || n > int64(len(data)) {
			return nil, errPage
		}
		whole := data[:n]
		if data = data[n:]; shared {
			p := prefixes[i]
			if p < 0 || p > int64(len(before)) {
				return nil, errPage
			}
			if err := c.budget.take(int(p)); err != nil {
				return nil, err
			}
			whole = append(append([]byte(nil), before[:p]...), whole...)
			before = whole
		}
		values[i] = c.text(whole)
	}
	return values, nil
}

// splitBytes decodes values whose first bytes all stand before their second ones.
func (c *column) splitBytes(data []byte, count int) ([]string, error) {
	w := c.width()
	if w <= 0 || count > len(data)/w {
		return nil, errPage
	}
	n, one := len(data)/w, make([]byte, w)
	values := make([]string, count)
	for i := range values {
		for k := range one {
			one[k] = data[k*n+i]
		}
		values[i] = c.text(one)
	}
	return values, nil
}

// text returns a plain value as text. Moments are numbers of the file's unit; those of 96 bits are
// nanoseconds since 1970.
func (c *column) text(b []byte) string {
	switch c.kind {
	case parquetInt32:
		return strconv.Itoa(int(int32(binary.LittleEndian.Uint32(b))))
	case parquetInt64:
		return strconv.FormatInt(int64(binary.LittleEndian.Uint64(b)), 10)
	case parquetInt96:
		const epoch = 2_440_588 // the Julian day of 1 January 1970
		day := int64(binary.LittleEndian.Uint32(b[8:])) - epoch
		return strconv.FormatInt(day*86_400_000_000_000+int64(binary.LittleEndian.Uint64(b)), 10)
	case parquetFloat:
		return strconv.FormatFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), 'g', -1, 32)
	case parquetDouble: // ids may be such numbers
		return strconv.FormatFloat(math.Float64frombits(binary.LittleEndian.Uint64(b)), 'f', -1, 64)
	}
	return strings.ReplaceAll(strings.ToValidUTF8(string(b), ""), "\n", " ") // a row is a line
}

var errCut = errors.New("it ends too early: it was cut off")
