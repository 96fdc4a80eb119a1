package message

import (
	"encoding/binary"
	"math"
)

// Binary is a buffer of a message. Its Bytes are set by the writer of the
// message, and by its reader once the parts are at hand.
type Binary struct {
	Part  int    `json:"part"` // its place among the parts
	As    string `json:"as"`   // the class in JavaScript
	Bytes []byte `json:"-"`
}

// Buffer is a part of plain bytes.
func Buffer(bytes []byte) *Binary { return &Binary{As: "ArrayBuffer", Bytes: bytes} }

// Uint16s is a part of numbers.
func Uint16s(numbers []uint16) *Binary {
	bytes := make([]byte, 0, 2*len(numbers))
	for _, x := range numbers {
		bytes = binary.LittleEndian.AppendUint16(bytes, x)
	}
	return &Binary{As: "Uint16Array", Bytes: bytes}
}

// Int32s is a part of numbers.
func Int32s(numbers []int32) *Binary {
	bytes := make([]byte, 0, 4*len(numbers))
	for _, x := range numbers {
		bytes = binary.LittleEndian.AppendUint32(bytes, uint32(x))
	}
	return &Binary{As: "Int32Array", Bytes: bytes}
}

// Float64s is a part of numbers.
func Float64s(numbers []float64) *Binary {
	bytes := make([]byte, 0, 8*len(numbers))
	for _, x := range numbers {
		bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(x))
	}
	return &Binary{As: "Float64Array", Bytes: bytes}
}

// Uint16s returns the numbers of a part.
func (b *Binary) Uint16s() []uint16 {
	numbers := make([]uint16, len(b.Bytes)/2)
	for i := range numbers {
		numbers[i] = binary.LittleEndian.Uint16(b.Bytes[2*i:])
	}
	return numbers
}

// File is a file of the viewer, which is itself a part.
type File struct {
	Part int    `json:"part"`
	Name string `json:"name"`
	Size int64  `json:"size"` // bytes
}
