package message_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/core/message"
)

// Numbers travel as little-endian buffers of the class that JavaScript gives them.
func TestNumbers(t *testing.T) {
	for _, n := range []int{0, 1, 5} {
		var short []uint16
		var whole []int32
		var real []float64
		var want [3][]byte
		for i := range n {
			short, whole, real = append(short, uint16(40_000+i)), append(whole, int32(-7*i)), append(real, float64(i)/3)
			want[0] = binary.LittleEndian.AppendUint16(want[0], short[i])
			want[1] = binary.LittleEndian.AppendUint32(want[1], uint32(whole[i]))
			want[2] = binary.LittleEndian.AppendUint64(want[2], math.Float64bits(real[i]))
		}
		for i, got := range []*message.Binary{message.Uint16s(short), message.Int32s(whole), message.Float64s(real)} {
			if as := []string{"Uint16Array", "Int32Array", "Float64Array"}[i]; got.As != as || !bytes.Equal(got.Bytes, want[i]) {
				t.Errorf("%d numbers as %s: %v as %s, want %v", n, as, got.Bytes, got.As, want[i])
			}
			if len(got.Bytes) != cap(got.Bytes) {
				t.Errorf("%d numbers take %d bytes of %d", n, len(got.Bytes), cap(got.Bytes))
			}
		}
		if back := message.Uint16s(short).Uint16s(); !slices.Equal(back, short) {
			t.Errorf("%v came back as %v", short, back)
		}
	}
}

// A value of up to forty letters stands in a sentence as it is, a longer one cut.
func TestQuotedValues(t *testing.T) {
	for letters, cut := range map[int]bool{39: false, 40: false, 41: true} {
		name := strings.Repeat("ä", letters)
		_, err := message.ToWorker([]byte(`{"type":"seek","at":"`+name+`"}`), 0)
		if err == nil || strings.Contains(err.Error(), name) == cut || strings.Contains(err.Error(), strings.Repeat("ä", 40)+"…") != cut {
			t.Errorf("%d letters: %v", letters, err)
		}
	}
}
