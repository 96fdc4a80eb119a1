package packed

import (
	"encoding/binary"
	"errors"
)

// fields are a struct of the metadata of a Parquet file, which is encoded in Thrift's compact protocol:
// whole numbers, texts, lists and structs by field number. There are few, and a list of them takes
// much less memory than a map.
type fields []field

type field struct {
	id    int
	value any
}

// thrift reads one value after another. Every length is checked against the remaining bytes, so the
// input limits the memory.
type thrift struct {
	in    []byte
	depth int
}

var errThrift = errors.New("its description is broken")

// The types of Thrift's compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12

	deepestThrift = 32
)

func (t *thrift) byte() (byte, error) {
	if len(t.in) == 0 {
		return 0, errThrift
	}
	b := t.in[0]
	t.in = t.in[1:]
	return b, nil
}

func (t *thrift) uvarint() (uint64, error) {
	v, n := binary.Uvarint(t.in)
	if n <= 0 {
		return 0, errThrift
	}
	t.in = t.in[n:]
	return v, nil
}

// whole reads a number in zigzag.
func (t *thrift) whole() (int64, error) {
	v, err := t.uvarint()
	return int64(v>>1) ^ -int64(v&1), err
}

func (t *thrift) binary() ([]byte, error) {
	n, err := t.uvarint()
	if err != nil || n > uint64(len(t.in)) {
		return nil, errThrift
	}
	text := t.in[:n]
	t.in = t.in[n:]
	return text, nil
}

// object reads a struct.
func (t *thrift) object() (fields, error) {
	if t.depth++; t.depth > deepestThrift {
		return nil, errThrift
	}
	defer func() { t.depth-- }()
	f, id := fields(nil), 0
	for {
		b, err := t.byte()
		if err != nil || b == 0 {
			return f, err
		}
		if step := int(b >> 4); step > 0 {
			id += step
		} else {
			n, err := t.whole()
			if err != nil || n < 0 || n > 1<<15 {
				return nil, errThrift
			}
			id = int(n)
		}
		value, err := t.value(b & 15)
		if err != nil {
			return nil, err
		}
		f = append(f, field{id, value})
	}
}

// value reads a value of a type. It passes over doubles and maps, which no footer field that is read has, and returns
// nil for them.
func (t *thrift) value(kind byte) (any, error) {
	switch kind {
	case thriftTrue, thriftFalse:
		return kind == thriftTrue, nil
	case thriftByte:
		b, err := t.byte()
		return int64(int8(b)), err
	case thriftI32 - 1, thriftI32, thriftI64:
		return t.whole()
	case thriftDouble:
		if len(t.in) < 8 {
			return nil, errThrift
		}
		t.in = t.in[8:]
		return nil, nil
	case thriftBinary:
		return t.binary()
	case thriftList, thriftSet:
		return t.list()
	case thriftMap:
		return nil, t.passMap()
	case thriftStruct:
		return t.object()
	}
	return nil, errThrift
}

// inList returns the kind that elements of a kind have in lists and maps: there a truth value is a byte.
func inList(kind byte) byte {
	if kind == thriftTrue || kind == thriftFalse {
		return thriftByte
	}
	return kind
}

// list reads a list. In lists a truth value is a byte.
func (t *thrift) list() ([]any, error) {
	if t.depth++; t.depth > deepestThrift {
		return nil, errThrift
	}
	defer func() { t.depth-- }()
	b, err := t.byte()
	if err != nil {
		return nil, err
	}
	n := uint64(b >> 4)
	if n == 15 {
		if n, err = t.uvarint(); err != nil {
			return nil, err
		}
	}
	kind := inList(b & 15)
	if n > uint64(len(t.in)) { // an element has a byte at least
		return nil, errThrift
	}
	list := make([]any, n)
	for i := range list {
		if list[i], err = t.value(kind); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// passMap passes over a map, which nothing that is read here has. As in lists, a truth value is a byte.
func (t *thrift) passMap() error {
	if t.depth++; t.depth > deepestThrift {
		return errThrift
	}
	defer func() { t.depth-- }()
	n, err := t.uvarint()
	if err != nil || n == 0 {
		return err
	}
	kinds, err := t.byte()
	if err != nil || n > uint64(len(t.in)) {
		return errThrift
	}
	key, value := inList(kinds>>4), inList(kinds&15)
	for range n {
		if _, err := t.value(key); err != nil {
			return err
		}
		if _, err := t.value(value); err != nil {
			return err
		}
	}
	return nil
}

// value returns a field; nil if it is not there.
func (f fields) value(id int) any {
	for i := range f {
		if f[i].id == id {
			return f[i].value
		}
	}
	return nil
}

// number returns a field that is a number; 0 if it is not there.
func (f fields) number(id int) int64 {
	n, _ := f.value(id).(int64)
	return n
}

func (f fields) text(id int) string {
	b, _ := f.value(id).([]byte)
	return string(b)
}

func (f fields) list(id int) []any {
	l, _ := f.value(id).([]any)
	return l
}

func (f fields) object(id int) fields {
	o, _ := f.value(id).(fields)
	return o
}
