package frame_test

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/core/frame"
	"parley/core/testkit/scripttest"
	"parley/core/testkit/scripttest/cell"
	"parley/core/unit"
)

// TestFormat pins the bytes of the format, which the page's TypeScript reads
// too, and the sentences for damaged ones.
func TestFormat(t *testing.T) {
	datadriven.RunTest(t, "testdata/format.txt", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "append":
			return dump(frame.Append(nil, scripted(t, d)))
		case "decode":
			buf, err := hex.DecodeString(strings.Join(strings.Fields(d.Input), ""))
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			var f frame.Frame
			if err := frame.Decode(buf, &f); err != nil {
				return err.Error()
			}
			stated := fmt.Sprintf("at %v seq %d cells %d layers %v arcs %v", f.At, f.Seq, f.Cells, f.Layers, f.Arcs)
			if len(f.Devices.Parts) > 0 {
				stated += fmt.Sprintf(" devices %v parts %v", f.Devices.Of, f.Devices.Parts)
			}
			return stated
		}
		d.Fatalf(t, "no command %q", d.Cmd)
		return ""
	})
}

// scripted reads "at 5s", "seq 6", "layer 1 2 3", "arc n0 n1 progress kind", "devices 1 0 2", how many each
// cell has, and "part owner share kind colour" lines.
func scripted(t *testing.T, d *datadriven.TestData) *frame.Frame {
	f := &frame.Frame{}
	for _, l := range scripttest.Lines(t, d) {
		number := func(i int) int64 { return l.Int(l.Word(i)) }
		switch l.Act() {
		case "at":
			f.At = unit.Time(l.Span(l.Word(0)))
		case "seq":
			f.Seq = uint32(number(0))
		case "layer":
			layer := make([]byte, len(l.Words)-1)
			for i := range layer {
				layer[i] = byte(number(i))
			}
			f.Layers, f.Cells = append(f.Layers, layer), len(layer)
		case "arc":
			f.Arcs = append(f.Arcs, frame.Arc{From: cell.At(l, l.Word(0)), To: cell.At(l, l.Word(1)), Progress: uint8(number(2)), Kind: frame.ArcKind(number(3))})
		case "devices":
			for i := range len(l.Words) - 1 {
				f.Devices.Of = append(f.Devices.Of, uint8(number(i)))
			}
		case "part":
			f.Devices.Parts = append(f.Devices.Parts, frame.Part{Owner: uint32(number(0)), Share: uint16(number(1)), Kind: frame.PartKind(number(2)), Colour: uint8(number(3))})
		default:
			l.Fail("the word is unknown")
		}
	}
	return f
}

// dump writes four bytes a group, four groups a line.
func dump(buf []byte) string {
	var b strings.Builder
	for i, c := range buf {
		switch {
		case i > 0 && i%16 == 0:
			b.WriteByte('\n')
		case i > 0 && i%4 == 0:
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%02x", c)
	}
	return b.String()
}

func frames() *rapid.Generator[*frame.Frame] {
	return rapid.Custom(func(t *rapid.T) *frame.Frame {
		f := &frame.Frame{
			At:    unit.Time(rapid.Int64Min(0).Draw(t, "at")),
			Seq:   rapid.Uint32().Draw(t, "seq"),
			Cells: rapid.IntRange(1, 40).Draw(t, "cells"),
		}
		for range rapid.IntRange(1, 5).Draw(t, "layers") {
			f.Layers = append(f.Layers, rapid.SliceOfN(rapid.Byte(), f.Cells, f.Cells).Draw(t, "layer"))
		}
		for range rapid.IntRange(0, 6).Draw(t, "arcs") {
			cell := rapid.IntRange(0, f.Cells-1)
			f.Arcs = append(f.Arcs, frame.Arc{
				From:     unit.NodeID(cell.Draw(t, "from")),
				To:       unit.NodeID(cell.Draw(t, "to")),
				Progress: rapid.Byte().Draw(t, "progress"),
				Kind:     frame.ArcKind(rapid.IntRange(0, 3).Draw(t, "kind")),
			})
		}
		if rapid.Bool().Draw(t, "devices") {
			f.Devices = devices(t, f.Cells)
		}
		return f
	})
}

// devices are those of cells, at least one.
func devices(t *rapid.T, cells int) (d frame.Devices) {
	d.Of = rapid.SliceOfN(rapid.Uint8Range(0, 4), cells, cells).Draw(t, "of")
	d.Of[0] |= 1
	for _, n := range d.Of {
		for range n {
			for left := uint16(frame.Whole); left > 0; {
				p := frame.Part{Owner: rapid.Uint32().Draw(t, "owner"), Share: rapid.Uint16Range(1, left).Draw(t, "share"), Kind: frame.PartKind(rapid.IntRange(0, 3).Draw(t, "kind")), Colour: rapid.Byte().Draw(t, "colour")}
				if rapid.IntRange(0, 2).Draw(t, "rest") == 0 {
					p.Share = left
				}
				left -= p.Share
				d.Parts = append(d.Parts, p)
			}
		}
	}
	return d
}

// What was appended is decoded again, whatever the decoder held before, and
// after any bytes that were in the buffer already.
func TestDecodeUndoesAppend(t *testing.T) {
	var got frame.Frame
	rapid.Check(t, func(t *rapid.T) {
		want := frames().Draw(t, "frame")
		before := rapid.SliceOfN(rapid.Byte(), 0, 7).Draw(t, "before")
		buf := frame.Append(append([]byte{}, before...), want)
		if err := frame.Decode(buf[len(before):], &got); err != nil {
			t.Fatal(err)
		}
		got.Arcs = append([]frame.Arc(nil), got.Arcs...) // none: nil on both sides
		got.Devices.Parts = append([]frame.Part(nil), got.Devices.Parts...)
		if diff := cmp.Diff(want, &got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// A frame that lost its tail is an error, never a picture of something else.
func TestDecodeRefusesEveryPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := frames().Filter(func(f *frame.Frame) bool { return len(f.Arcs) > 0 || len(f.Devices.Parts) > 0 }).Draw(t, "frame")
		buf := frame.Append(nil, f)
		cut := rapid.IntRange(0, len(buf)-1).Draw(t, "cut")
		if err := frame.Decode(buf[:cut], new(frame.Frame)); err == nil {
			t.Fatalf("%d of %d bytes decode without an error", cut, len(buf))
		}
	})
}

// FuzzDecode: any bytes end in an error or in a frame that encodes to the same
// meaning, in memory bounded by the input.
func FuzzDecode(f *testing.F) {
	f.Add(frame.Append(nil, &frame.Frame{At: 5, Seq: 1, Cells: 3, Layers: [][]byte{{1, 2, 3}}, Arcs: []frame.Arc{{From: 0, To: 2, Progress: 9, Kind: frame.Forced}}}))
	f.Add(frame.Append(nil, &frame.Frame{Cells: 1, Layers: [][]byte{{1}}, Devices: frame.Devices{Of: []uint8{1}, Parts: []frame.Part{{7, 250, frame.Held, 3}, {0, 750, frame.Useless, 0}}}}))
	f.Add([]byte("PFR1"))
	f.Fuzz(func(t *testing.T, buf []byte) {
		var got, again frame.Frame
		if frame.Decode(buf, &got) != nil {
			return
		}
		if got.Cells > len(buf) || len(got.Arcs)*frame.ArcSize+len(got.Devices.Parts)*frame.PartSize > len(buf) {
			t.Fatalf("%d bytes give %d cells and %d arcs", len(buf), got.Cells, len(got.Arcs))
		}
		if err := frame.Decode(frame.Append(nil, &got), &again); err != nil && len(got.Layers) > 0 {
			t.Fatal(err)
		}
		if len(got.Layers) > 0 && !cmp.Equal(got, again) {
			t.Fatal(cmp.Diff(got, again))
		}
	})
}
